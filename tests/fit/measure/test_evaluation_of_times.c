/* Released figures of times: what they cost, and that they are those of the records. Numbers drawn from a
 * gate are within 30 standard deviations of Laplace noise: a false alarm in e^-42 of cases. */
#include "support/tables.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/evaluation_counts.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 6000, CUTS = 3 };
static const double cuts[CUTS] = {100, 300, 900};

static table table_of_times(size_t rows, uint64_t seed) {
    table t = table_open(rows, 1);
    hr_column feature = number_column("x", 0, 1), label = number_column("days", -1e15, 1e15);
    label.event = "died";
    label.intervals = cuts;
    label.interval_count = CUTS;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_unit(&seed);
        const double event = -400 * log(1 - next_unit(&seed)) * exp(2 - 4 * t.columns[0][i]);
        const double end = 1500 * next_unit(&seed);
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, label, &feature);
    return t;
}

static hr_model *model_of(const table *t) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 3);
    options.epsilon = 8;
    return fit(t->data, &options);
}

static hr_evaluation evaluation_of(const hr_model *model, const hr_data *data, double epsilon, double delta) {
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    hr_evaluation made;
    hr_error err = {0};
    options.epsilon = epsilon;
    options.delta = delta;
    options.threads = 1;
    if (hr_evaluate_private(model, data, &options, &made, &err)) fail_msg("%s", err.message);
    return made;
}

static uint64_t sensitivity_of(const char *what) {
    if (!strcmp(what, "times by group")) return 64;
    if (!strcmp(what, "survival by group")) return 1 << 16;
    return strcmp(what, "losses") ? 2 : 4 << 12; /* else medians of scores */
}

static void test_releases__are_charged_for_what_a_record_adds(void **state) {
    (void)state;
    table t = table_of_times(ROWS, 1);
    hr_model *model = model_of(&t);
    for (int pure = 0; pure < 2; pure++) {
        const hr_evaluation made = evaluation_of(model, t.data, 1.5, pure ? 0 : 1e-6);
        const double granted = pure ? made.epsilon : hr_units_value(hr_gdp_budget(made.epsilon, made.delta));
        double total = 0;
        for (size_t i = 0; i < made.release_count; i++) {
            const hr_release_info *r = &made.releases[i];
            const double s = (double)sensitivity_of(r->what);
            assert_true((double)r->sensitivity == s && r->draws > 0);
            total += r->cost;
            if (!strcmp(r->what, "score edges")) continue;
            assert_true(fabs(r->scale / (pure ? s / r->cost : s * s / r->cost + 6) - 1) < 1e-9);
        }
        assert_int_equal(made.release_count, HR_TIME_LEVELS + 3);
        assert_true(total <= granted && total > .999999 * granted);
    }
    hr_model_free(model);
    table_close(&t);
}

static void check_figure(const hr_evaluation *made, const char *name, double exact, double slack) {
    for (size_t i = 0; i < made->figure_count; i++) {
        const hr_figure *f = &made->figures[i];
        if (strcmp(f->name, name)) continue;
        assert_true(f->low <= f->value && f->value <= f->high && f->noise > 0);
        if (!(fabs(f->value - exact) <= 30 * f->noise + slack))
            fail_msg("%s: %g with noise %g for %g", name, f->value, f->noise, exact);
        return;
    }
    fail_msg("there is no figure %s", name);
}

/* Harrell's concordance of records of which the intervals alone are known. */
static double concordance_of_codes(const hr_model *model, const table *t) {
    static double times[ROWS], risks[ROWS];
    static uint8_t events[ROWS];
    const size_t outputs = hr_model_output_count(model);
    double *predicted = predictions_of(model, t->data), out = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const size_t code =
            hr_survival_code(hr_label_time(t->labels[i]), hr_label_event(t->labels[i]), cuts, CUTS);
        times[i] = (double)code;
        events[i] = hr_survival_event(code);
        risks[i] = -predicted[i * outputs + CUTS - 1];
    }
    const hr_followed_records records = {ROWS, times, events, NULL};
    assert_int_equal(hr_concordance(&records, risks, &out, NULL), HR_OK);
    free(predicted);
    return out;
}

/* An eighth of the records is predicted to be in each group, but for what a cell of the grid holds. */
static void check_parts_below_edges(const hr_model *model, const table *t, const hr_evaluation *made) {
    const size_t outputs = hr_model_output_count(model);
    double *predicted = predictions_of(model, t->data);
    for (size_t e = 0; e < made->edge_count; e++) {
        double below = 0;
        for (size_t i = 0; i < ROWS; i++) below += predicted[i * outputs + CUTS - 1] < made->edges[e];
        assert_true(fabs(below / ROWS - (double)(e + 1) / HR_TIME_GROUPS) < .03);
    }
    free(predicted);
}

/* Groups lose a little of the concordance, and the life table is not Kaplan and Meier's estimate. */
static void test_figures__are_those_of_the_records(void **state) {
    (void)state;
    table t = table_of_times(ROWS, 2);
    hr_model *model = model_of(&t);
    hr_survival_evaluation exact;
    assert_int_equal(hr_evaluate_survival(model, t.data, 0, 1, &exact, NULL), HR_OK);
    for (int pure = 0; pure < 2; pure++) {
        const hr_evaluation made = evaluation_of(model, t.data, 1000, pure ? 0 : 1e-6);
        double predicted = 0, observed = 0;
        for (size_t g = 0; g < HR_SURVIVAL_GROUPS; g++) {
            predicted += exact.groups[g].predicted * exact.groups[g].weight / ROWS;
            observed += exact.groups[g].observed * exact.groups[g].weight / ROWS;
        }
        check_figure(&made, "records", ROWS, 0);
        check_figure(&made, "interval_concordance", concordance_of_codes(model, &t), .01);
        check_figure(&made, "logloss", exact.metrics.logloss, .01);
        check_figure(&made, "predicted", predicted, .001);
        check_figure(&made, "observed", observed, .03);
        assert_int_equal(made.figure_count, 5 + 2 * HR_TIME_GROUPS);
        assert_int_equal(made.edge_count, HR_TIME_GROUPS - 1);
        for (size_t g = 0; g < HR_TIME_GROUPS; g++) {
            const double mean = made.figures[5 + 2 * g].value, noise = 30 * made.figures[5 + 2 * g].noise;
            if (g > 0) assert_true(mean > made.edges[g - 1] - noise);
            if (g + 1 < HR_TIME_GROUPS) assert_true(mean < made.edges[g] + noise);
        }
        check_parts_below_edges(model, &t, &made);
        for (size_t g = 1; g < HR_TIME_GROUPS; g++)
            assert_true(made.figures[5 + 2 * g].value > made.figures[3 + 2 * g].value);
    }
    hr_model_free(model);
    table_close(&t);
}

static void test_plan__has_the_noise_of_as_many_records(void **state) {
    (void)state;
    table t = table_of_times(ROWS, 3);
    hr_model *model = model_of(&t);
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    hr_evaluation plan, less;
    options.epsilon = 1;
    assert_int_equal(hr_evaluation_plan(model, ROWS, &options, &plan, NULL), HR_OK);
    assert_int_equal(hr_evaluation_plan(model, 10 * ROWS, &options, &less, NULL), HR_OK);
    assert_int_equal(plan.figure_count, 5 + 2 * HR_TIME_GROUPS);
    for (size_t i = 1; i < plan.figure_count; i++) {
        assert_true(plan.figures[i].noise > 0);
        const double ratio = plan.figures[i].noise / less.figures[i].noise;
        assert_true(ratio > 9 && ratio < 12);
    }
    hr_model_free(model);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases__are_charged_for_what_a_record_adds),
        cmocka_unit_test(test_figures__are_those_of_the_records),
        cmocka_unit_test(test_plan__has_the_noise_of_as_many_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
