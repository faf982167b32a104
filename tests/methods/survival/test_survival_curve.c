/* survival-curve: its one line, its curve and bands, and what it refuses. Seeds are fixed. */
#include "methods/survival/curve_counts.h"
#include "methods/survival/life_table.h"
#include "privacy/sensitivity.h"
#include "support/tables.h"
#include "tables/schema/survival_code.h"

#include <hedgerow/amount.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4000, CUTS = 3, WARDS = 3, GROUPS = WARDS + 1 };

static const double cuts[CUTS] = {1, 2, 4};

static hr_column time_column(void) {
    hr_column column = number_column("t", -1e15, 1e15);
    column.event = "died";
    column.intervals = cuts;
    column.interval_count = CUTS;
    return column;
}

/* The last ward has one record alone, and the first has those without a ward. */
static size_t ward_of(size_t i) {
    return i == 5 ? WARDS : i % WARDS;
}

static table table_of_times(uint64_t seed, size_t rows) {
    table t = table_open(rows, 2);
    const hr_column features[] = {number_column("x", 0, 1), category_column("ward", WARDS)};
    for (size_t i = 0; i < rows; i++) {
        const double event = -4 * log(1 - next_unit(&seed)), end = 6 * next_unit(&seed);
        t.columns[0][i] = next_unit(&seed);
        t.columns[1][i] = (double)ward_of(i);
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, time_column(), features);
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

/* ---- Groups ---- */

static hr_fit_options group_options(double epsilon, const char *group) {
    hr_fit_options options = curve_options(epsilon, 0);
    assert_int_equal(hr_fit_options_set(&options, "group", group, NULL), HR_OK);
    return options;
}

/* Of each group its own life table, and of all that of the sum; they are named in order. */
static void test_survival_curve__has_one_of_each_group(void **state) {
    (void)state;
    static const char *const names[] = {"", "ward is missing", "ward=a", "ward=b", "ward=c"};
    table t = table_of_times(1, ROWS);
    const hr_fit_options options = group_options(1e4, "ward");
    hr_model *model = fit(t.data, &options);
    double counts[GROUPS][2 * CUTS + 1] = {0}, *predicted = predictions_of(model, t.data);
    for (size_t i = 0; i < ROWS; i++)
        counts[ward_of(i)]
              [hr_survival_code(hr_label_time(t.labels[i]), hr_label_event(t.labels[i]), cuts, CUTS)]++;
    const size_t outputs = hr_model_output_count(model);
    for (size_t g = 0; g < WARDS; g++) {
        hr_life_interval life[CUTS];
        hr_curve_point point;
        assert_int_equal(hr_life_table(counts[g], CUTS, 0, life), CUTS);
        for (size_t k = 0; k < CUTS; k++) {
            assert_true(fabs(predicted[g * outputs + k] - life[k].survival) < 1e-3);
            assert_true(hr_model_curve_point(model, g + 1, k, &point));
            assert_true(point.time == cuts[k] && fabs(point.survival - life[k].survival) < 1e-3);
            assert_true(fabs(point.low - life[k].low) < 1e-3 && fabs(point.high - life[k].high) < 1e-3);
        }
        assert_false(hr_model_curve_point(model, g + 1, CUTS, &point));
    }
    for (size_t i = 0; i < COUNT(names); i++) assert_string_equal(hr_model_curve(model, i), names[i]);
    assert_null(hr_model_curve(model, COUNT(names)));
    assert_int_equal(model->forest.tree_count, CUTS);
    assert_true(fabs(strtod(setting_of(model, "records"), NULL) - ROWS) < .1);
    free(predicted);
    hr_model_free(model);
    table_close(&t);
}

/* A group of one record cannot be told from none: it is as all are. */
static void test_survival_curve__says_of_a_hidden_group_what_it_says_of_all(void **state) {
    (void)state;
    table t = table_of_times(1, ROWS);
    const hr_fit_options options = group_options(1, "ward");
    hr_model *model = fit(t.data, &options);
    double *predicted = predictions_of(model, t.data);
    const size_t outputs = hr_model_output_count(model);
    hr_curve_point all, hidden;
    assert_string_equal(setting_of(model, "curve ward=c"), "too few records to tell");
    assert_false(hr_model_curve_point(model, WARDS + 1, 0, &hidden));
    for (size_t k = 0; k < CUTS; k++) {
        assert_true(hr_model_curve_point(model, 0, k, &all));
        assert_true(fabs(predicted[5 * outputs + k] - all.survival) < 1e-4);
    }
    free(predicted);
    hr_model_free(model);
    table_close(&t);
}

/* Groups are disjoint: one line, and the sensitivity of one count. */
static void test_survival_curve__counts_groups_in_one_line(void **state) {
    (void)state;
    double records[2];
    for (size_t i = 0; i < 2; i++) {
        table t = table_of_times(3, 300 + i);
        const hr_fit_options options = group_options(1, "ward");
        hr_model *model = fit(t.data, &options);
        assert_int_equal(model->release_count, 1);
        assert_int_equal(model->releases[0].draws, GROUPS * (2 * CUTS + 1));
        assert_int_equal(model->releases[0].sensitivity, HR_COUNT_UNIT);
        records[i] = strtod(setting_of(model, "records"), NULL);
        hr_model_free(model);
        table_close(&t);
    }
    assert_true(fabs(records[1] - records[0] - 1) < 1e-6);
}

static void refuse_group(const hr_data *data, const char *group, const char *message) {
    hr_error err = {0};
    hr_model *model = NULL;
    const hr_fit_options options = group_options(1, group);
    assert_int_equal(hr_fit(data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, message);
    assert_string_equal(err.field, "group");
}

static void test_curves__are_of_times_alone(void **state) {
    (void)state;
    table t = table_of_steps(10, 2, 2, 1);
    const hr_fit_options options = curve_options(1, 0);
    const hr_fit_facts facts = {.options = &options, .schema = hr_data_schema(t.data)};
    hr_curve curve;
    hr_error err = {0};
    assert_int_equal(hr_curve_of(&facts, &curve, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "survival-curve learns times to an event alone");
    table_close(&t);
}

static void test_survival_curve__refuses_what_is_no_group(void **state) {
    (void)state;
    table t = table_of_times(1, 100);
    refuse_group(t.data, "wards", "the schema has no feature 'wards'");
    refuse_group(t.data, "t", "the schema has no feature 't'");
    refuse_group(t.data, "x", "groups are the values of a category, and 'x' is a number");
    table_close(&t);
    t = table_open(10, 1);
    const hr_column many = category_column("k", 64), most = category_column("k", 63);
    table_make(&t, time_column(), &many);
    refuse_group(t.data, "k", "'k' has 64 values, and a model has at most 63 curves");
    table_close(&t);
    t = table_open(10, 1);
    table_make(&t, time_column(), &most);
    const hr_fit_options options = group_options(1, "k");
    hr_model *model = fit(t.data, &options);
    assert_non_null(hr_model_curve(model, 64));
    hr_model_free(model);
    table_close(&t);
}

/* A model file is anybody's text. */
static void test_survival_curve__reads_no_points_of_other_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        ":",
                                        "1: ",
                                        "1: 0.5",
                                        "1: 0.5 (0.4",
                                        "1: 0.5 (0.4..",
                                        "1: 0.5 (0.4.6)",
                                        "x: 0.5 (0.4..0.6)",
                                        "too few records to tell"};
    hr_setting settings[] = {{"curved", "1: 0.5 (0.4..0.6)"}, {"curve", NULL}};
    hr_model model = {.settings = settings, .setting_count = COUNT(settings)};
    hr_curve_point point;
    for (size_t i = 0; i < COUNT(texts); i++) {
        settings[1].value = texts[i];
        assert_string_equal(hr_model_curve(&model, 0), "");
        assert_false(hr_model_curve_point(&model, 0, 0, &point));
    }
    settings[1].value = "1: 0.5 (0.4..0.6)";
    assert_true(hr_model_curve_point(&model, 0, 0, &point) && point.high == .6);
    assert_false(hr_model_curve_point(&model, 0, 1, &point));
    assert_false(hr_model_curve_point(&model, 1, 0, &point));
}

/* A record that weighs half moves a count by half, in the units of persons; it weighs as it should. */
static void test_survival_curve__weighs_records(void **state) {
    (void)state;
    double weights[301], records[2];
    for (size_t i = 0; i < COUNT(weights); i++) weights[i] = .5;
    for (size_t i = 0; i < 2; i++) {
        table t = table_of_times(3, 300 + i);
        hr_fit_options options = group_options(1, "ward");
        options.record_weights = weights;
        options.record_weight_count = t.rows;
        hr_model *model = fit(t.data, &options);
        assert_int_equal(model->releases[0].sensitivity, HR_PERSON_UNIT);
        records[i] = strtod(setting_of(model, "records"), NULL);
        hr_model_free(model);
        table_close(&t);
    }
    assert_true(fabs(records[1] - records[0] - .5) < 1e-6);
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
        cmocka_unit_test(test_survival_curve__has_one_of_each_group),
        cmocka_unit_test(test_survival_curve__says_of_a_hidden_group_what_it_says_of_all),
        cmocka_unit_test(test_survival_curve__counts_groups_in_one_line),
        cmocka_unit_test(test_curves__are_of_times_alone),
        cmocka_unit_test(test_survival_curve__refuses_what_is_no_group),
        cmocka_unit_test(test_survival_curve__reads_no_points_of_other_texts),
        cmocka_unit_test(test_survival_curve__weighs_records),
        cmocka_unit_test(test_survival_curve__releases_its_counts_once),
        cmocka_unit_test(test_survival_curve__moves_by_one_record),
        cmocka_unit_test(test_survival_curve__refuses_other_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
