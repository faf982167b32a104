/* survival-curve: its one line, its curve and bands, and what it refuses. Seeds are fixed. */
#include "methods/survival/life_table.h"
#include "privacy/sensitivity.h"
#include "support/tables.h"
#include "tables/schema/survival_code.h"

#include <hedgerow/amount.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4000, CUTS = 3 };

static const double cuts[CUTS] = {1, 2, 4};

static hr_column time_column(void) {
    hr_column column = number_column("t", -1e15, 1e15);
    column.event = "died";
    column.intervals = cuts;
    column.interval_count = CUTS;
    return column;
}

static table table_of_times(uint64_t seed, size_t rows) {
    table t = table_open(rows, 1);
    hr_column feature = number_column("x", 0, 1);
    for (size_t i = 0; i < rows; i++) {
        const double event = -4 * log(1 - next_unit(&seed)), end = 6 * next_unit(&seed);
        t.columns[0][i] = next_unit(&seed);
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, time_column(), &feature);
    return t;
}

static hr_fit_options curve_options(double epsilon, double delta) {
    hr_fit_options options = seeded_options_of("survival-curve", HR_MODE_SOUND, 5);
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

static void counts_of(const table *t, double *counts) {
    memset(counts, 0, (2 * CUTS + 1) * sizeof *counts);
    for (size_t i = 0; i < t->rows; i++)
        counts[hr_survival_code(hr_label_time(t->labels[i]), hr_label_event(t->labels[i]), cuts, CUTS)]++;
}

static const char *setting_of(const hr_model *model, const char *name) {
    for (size_t i = 0; i < model->setting_count; i++)
        if (!strcmp(model->settings[i].name, name)) return model->settings[i].value;
    return NULL;
}

/* With the largest epsilon hardly any noise is left: what is predicted is the life table of the counts. */
static void test_survival_curve__is_the_life_table(void **state) {
    (void)state;
    table t = table_of_times(1, ROWS);
    const hr_fit_options options = curve_options(1e4, 0);
    hr_model *model = fit(t.data, &options);
    double counts[2 * CUTS + 1], *predicted = predictions_of(model, t.data);
    hr_life_interval curve[CUTS];
    char text[200];
    counts_of(&t, counts);
    hr_life_table(counts, CUTS, 0, curve);
    for (size_t k = 0; k < CUTS; k++) assert_true(fabs(predicted[k] - curve[k].survival) < 1e-4);
    for (size_t k = 0; k < CUTS; k++) assert_true(fabs(predicted[k] - exp(-cuts[k] / 4)) < .05);
    assert_true(model->forest.tree_count == 0 && model->forest.output_count == CUTS);
    snprintf(text, sizeof text, "1: %.4f (%.4f..%.4f); 2: %.4f (%.4f..%.4f); 4: %.4f (%.4f..%.4f)",
             curve[0].survival, curve[0].low, curve[0].high, curve[1].survival, curve[1].low, curve[1].high,
             curve[2].survival, curve[2].low, curve[2].high);
    assert_string_equal(setting_of(model, "curve"), text);
    assert_true(fabs(strtod(setting_of(model, "records"), NULL) - ROWS) < .1);
    free(predicted);
    hr_model_free(model);
    table_close(&t);
}

/* One line, of all counts, with the whole budget, in the units of a record. */
static void test_survival_curve__releases_its_counts_once(void **state) {
    (void)state;
    table t = table_of_times(2, 300);
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < 2; d++) {
        const hr_fit_options options = curve_options(.5, deltas[d]);
        hr_model *model = fit(t.data, &options);
        assert_int_equal(model->release_count, 1);
        const hr_release *line = &model->releases[0];
        assert_string_equal(line->what, "interval counts");
        assert_int_equal(line->draws, 2 * CUTS + 1);
        assert_int_equal(line->sensitivity, HR_COUNT_UNIT);
        hr_model_free(model);
    }
    table_close(&t);
}

/* What a record adds: the noise being the same, one count moves by one. */
static void test_survival_curve__moves_by_one_record(void **state) {
    (void)state;
    double records[2];
    for (size_t i = 0; i < 2; i++) {
        table t = table_of_times(3, 300 + i);
        const hr_fit_options options = curve_options(1, 0);
        hr_model *model = fit(t.data, &options);
        records[i] = strtod(setting_of(model, "records"), NULL);
        hr_model_free(model);
        table_close(&t);
    }
    assert_true(fabs(records[1] - records[0] - 1) < 1e-6);
}

static void test_survival_curve__refuses_other_labels(void **state) {
    (void)state;
    table t = table_open(10, 1);
    hr_column feature = number_column("x", 0, 1);
    hr_fit_options options = curve_options(1, 0);
    hr_error err = {0};
    hr_model *model = NULL;
    table_make(&t, number_column("y", 0, 1), &feature);
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "survival-curve learns times to an event alone");
    assert_string_equal(err.field, "y");
    table_close(&t);
    t = table_of_times(1, 10);
    options = curve_options(1e-15, 0);
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_BUDGET);
    assert_null(model);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survival_curve__is_the_life_table),
        cmocka_unit_test(test_survival_curve__releases_its_counts_once),
        cmocka_unit_test(test_survival_curve__moves_by_one_record),
        cmocka_unit_test(test_survival_curve__refuses_other_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
