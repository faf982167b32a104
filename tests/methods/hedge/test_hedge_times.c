/* hedge on times to an event: what is learned, released, written and refused. Seeds are fixed. */
#include "methods/hedge/hazards.h"
#include "methods/hedge/hedge_plan.h"
#include "methods/method.h"
#include "models/model/survival.h"
#include "privacy/sensitivity.h"
#include "support/model_text.h"
#include "support/tables.h"
#include "tables/schema/survival_code.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 6000, CUTS = 4 };
static const double cuts[CUTS] = {30, 90, 365, 730};

static hr_column time_column(size_t intervals) {
    hr_column column = number_column("days", -1e300, 1e300);
    column.event = "died";
    column.intervals = cuts;
    column.interval_count = intervals;
    return column;
}

static double rate_of(const table *t, size_t i) {
    return exp(2 * t->columns[0][i] + (t->columns[1][i] > .5)) / 2500;
}

/* Exponential times, of which an independent exponential time censors; x2 says nothing. */
static table table_of_times(uint64_t seed, size_t intervals) {
    table t = table_open(ROWS, 3);
    hr_column features[3];
    static const char *const names[] = {"x0", "x1", "x2"};
    for (size_t f = 0; f < 3; f++) {
        features[f] = number_column(names[f], 0, 1);
        for (size_t i = 0; i < ROWS; i++) t.columns[f][i] = next_unit(&seed);
    }
    for (size_t i = 0; i < ROWS; i++) {
        double event = -log(1 - next_unit(&seed)) / rate_of(&t, i), end = -log(1 - next_unit(&seed)) * 800;
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, time_column(intervals), features);
    return t;
}

static hr_model *fit_times(const table *t, double epsilon, double delta) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 3);
    options.epsilon = epsilon;
    options.delta = delta;
    return fit(t->data, &options);
}

/* The mean distance of predicted survival from that of the rates, over records and cuts. */
static double error_of(const table *t, const hr_model *model) {
    const size_t outputs = hr_model_output_count(model), intervals = outputs - HR_SURVIVAL_FIGURES;
    double *predicted = predictions_of(model, t->data), sum = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < intervals; k++)
            sum += fabs(predicted[i * outputs + k] - exp(-rate_of(t, i) * cuts[k]));
    free(predicted);
    return sum / (double)(ROWS * intervals);
}

/* The same, of what is the mean over the records at each cut. */
static double error_of_constant(const table *t) {
    double sum = 0;
    for (size_t k = 0; k < CUTS; k++) {
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++) mean += exp(-rate_of(t, i) * cuts[k]) / ROWS;
        for (size_t i = 0; i < ROWS; i++) sum += fabs(mean - exp(-rate_of(t, i) * cuts[k]));
    }
    return sum / (double)(ROWS * CUTS);
}

static void test_times__are_learned(void **state) {
    (void)state;
    static const struct {
        double epsilon, delta, most;
    } cases[] = {{8, 1e-6, .04}, {1, 1e-6, .06}, {8, 0, .07}};
    table t = table_of_times(1, CUTS);
    assert_true(error_of_constant(&t) > .13);
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_model *model = fit_times(&t, cases[i].epsilon, cases[i].delta);
        const double error = error_of(&t, model);
        const hr_metrics m = metrics_of(model, t.data);
        print_message("epsilon %g, delta %g: error %.4f, loss %.4f\n", cases[i].epsilon, cases[i].delta,
                      error, m.logloss);
        assert_int_equal(m.task, HR_TASK_SURVIVAL);
        assert_true(m.concordance > .63 && m.concordance < .75 &&
                    fabs(m.concordance_uno - m.concordance) < .05);
        assert_true(m.brier > .05 && m.brier < .2 && isnan(m.rmse));
        assert_true(error < cases[i].most);
        assert_true(model->forest.link == HR_LINK_HAZARD && model->forest.output_count == CUTS);
        hr_model_free(model);
    }
    table_close(&t);
}

/* Survival that is predicted to be in a tenth is so often survival: in all, and where it is low and high. By
 * the true rates, so that censoring has no part in it. */
static void test_hazards__are_calibrated(void **state) {
    (void)state;
    table t = table_of_times(2, CUTS);
    hr_model *model = fit_times(&t, 8, 1e-6);
    const size_t outputs = hr_model_output_count(model);
    double *predicted = predictions_of(model, t.data);
    for (size_t k = 0; k < CUTS; k++) {
        double expected[2] = {0}, true_sum[2] = {0}, records[2] = {0};
        for (size_t i = 0; i < ROWS; i++) {
            const double s = predicted[i * outputs + k];
            const size_t side = t.columns[0][i] > .5;
            expected[side] += s;
            true_sum[side] += exp(-rate_of(&t, i) * cuts[k]);
            records[side]++;
        }
        for (size_t side = 0; side < 2; side++)
            if (fabs(expected[side] - true_sum[side]) / records[side] > .02)
                fail_msg("cut %g, side %zu: %g of %g", cuts[k], side, expected[side] / records[side],
                         true_sum[side] / records[side]);
    }
    free(predicted);
    hr_model_free(model);
    table_close(&t);
}

/* One interval is a label that is censored: one score. */
static void test_one_interval__is_learned(void **state) {
    (void)state;
    table t = table_of_times(3, 1);
    hr_model *model = fit_times(&t, 8, 1e-6);
    assert_int_equal(model->forest.output_count, 1);
    assert_int_equal(hr_model_output_count(model), 4);
    assert_true(error_of(&t, model) < .02);
    hr_model_free(model);
    table_close(&t);
}

/* Counts of codes in the place of a base score; no clip count and no calibration; sums at the bound. */
static void test_times__release_counts_of_codes_and_leaves(void **state) {
    (void)state;
    table t = table_of_times(2, CUTS);
    hr_model *model = fit_times(&t, 1, 1e-6);
    size_t counts = 0, leaves = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *r = &model->releases[i];
        counts += !strcmp(r->what, "interval counts");
        leaves += !strcmp(r->what, "leaf sum");
        assert_true(strcmp(r->what, "calibration count") && strcmp(r->what, "clip count") &&
                    strcmp(r->what, "base score") && strcmp(r->what, "record count"));
        if (!strcmp(r->what, "interval counts"))
            assert_true(r->sensitivity == HR_COUNT_UNIT && r->draws == 2 * CUTS + 1);
        if (!strcmp(r->what, "leaf sum")) assert_int_equal(r->sensitivity, 1 << HR_GRADIENT_BITS);
        if (!strcmp(r->what, "choice of tree")) assert_int_equal(r->sensitivity, 2 << HR_GRADIENT_BITS);
    }
    assert_int_equal(counts, 1);
    assert_int_equal(leaves * CUTS, model->forest.tree_count);
    hr_model_free(model);
    model = fit_times(&t, 1, 0);
    for (size_t i = 0; i < model->release_count; i++) /* L1: the root of four */
        if (!strcmp(model->releases[i].what, "leaf sum"))
            assert_int_equal(model->releases[i].sensitivity, 2 << HR_GRADIENT_BITS);
    hr_model_free(model);
    table_close(&t);
}

/* ---- Base hazards ---- */

static void test_base_hazards__are_events_of_those_at_risk(void **state) {
    (void)state;
    static const double counts[] = {100, 50, 200, 90, 360}; /* censored, event, censored, event, survived */
    double base[2], information[2];
    hr_hazard_base(counts, 2, 0, base, information);
    static const double first = 50. / 700, second = 90. / 450;
    assert_true(fabs(base[0] - log(first / (1 - first))) < 1e-12);
    assert_true(fabs(base[1] - log(second / (1 - second))) < 1e-12);
    assert_true(fabs(information[0] - 700. / 800 * first * (1 - first)) < 1e-12);
    assert_true(fabs(information[1] - 450. / 800 * second * (1 - second)) < 1e-12);
}

/* Survival at each cut of the base hazards. */
static void survival_of_counts(const double *counts, size_t intervals, double noise, double *survival) {
    double base[HR_INTERVALS_MAX], information[HR_INTERVALS_MAX];
    hr_hazard_base(counts, intervals, noise, base, information);
    for (size_t k = 0; k < intervals; k++) survival[k] = (k ? survival[k - 1] : 1) / (1 + exp(base[k]));
}

/* 400 records in seven intervals, noise about as large as their events or more: survival is off by .1 at
 * most, where events are believed that are no less than half of the noise by up to .39. Where noise hides the
 * records, half of them survive. */
static void test_base_hazards__doubt_what_noise_hides(void **state) {
    (void)state;
    static const double counts[15] = {0, 42, 0, 21, 0, 20, 0, 22, 55, 30, 18, 9, 47, 13, 123};
    double exact[7], found[7], noisy[15];
    survival_of_counts(counts, 7, 0, exact);
    for (double noise = 20; noise <= 80; noise *= 2) {
        uint64_t seed = 11;
        double error = 0;
        for (size_t trial = 0; trial < 500; trial++) {
            for (size_t c = 0; c < COUNT(counts); c++) {
                double sum = -6;
                for (size_t i = 0; i < 12; i++) sum += next_unit(&seed);
                noisy[c] = counts[c] + noise * sum;
            }
            survival_of_counts(noisy, 7, noise, found);
            for (size_t k = 0; k < COUNT(exact); k++)
                error += fabs(found[k] - exact[k]) / (500 * COUNT(exact));
        }
        assert_true(error < .12);
    }
    survival_of_counts(counts, 7, 1e6, found);
    assert_true(fabs(found[6] - .5) < .01);
}

/* Counts that noise made anything give finite bases and information above 0. */
static void test_base_hazards__survive_any_noise(void **state) {
    (void)state;
    uint64_t seed = 9;
    double counts[2 * HR_INTERVALS_MAX + 1], base[HR_INTERVALS_MAX], information[HR_INTERVALS_MAX];
    for (size_t trial = 0; trial < 2000; trial++) {
        const size_t intervals = 1 + trial % HR_INTERVALS_MAX;
        for (size_t c = 0; c < hr_survival_codes(intervals); c++)
            counts[c] = (next_unit(&seed) - .7) * pow(10, floor(12 * next_unit(&seed)));
        hr_hazard_base(counts, intervals, next_unit(&seed) * 100, base, information);
        for (size_t k = 0; k < intervals; k++)
            assert_true(isfinite(base[k]) && information[k] > 0 && information[k] <= .25);
    }
}

/* With other noise they are others. */
static void test_base_hazards__have_noise(void **state) {
    (void)state;
    table t = table_of_times(1, CUTS);
    double bases[2];
    for (size_t i = 0; i < 2; i++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, i);
        options.delta = 1e-6;
        hr_model *model = fit(t.data, &options);
        bases[i] = model->forest.base[0];
        hr_model_free(model);
    }
    assert_true(bases[0] != bases[1]);
    table_close(&t);
}

/* ---- Predictions ---- */

static void test_predictions__follow_from_hazards(void **state) {
    (void)state;
    static const double ends[] = {10, 30, 40};
    hr_column label = {.intervals = ends, .interval_count = 3};
    const double scores[] = {log(.2 / .8), 0, log(.5 / .5), 0, log(.1 / .9), 0};
    double out[6];
    hr_survival_write(&label, scores, 2, out);
    assert_true(fabs(out[0] - .8) < 1e-12 && fabs(out[1] - .4) < 1e-12 && fabs(out[2] - .36) < 1e-12);
    assert_true(fabs(out[3] - 25) < 1e-9);             /* from .8 at 10 to .4 at 30 */
    assert_true(fabs(out[4] - (9 + 12 + 3.8)) < 1e-9); /* trapezes */
    assert_true(fabs(out[5] + log(.8 * .4 * .36)) < 1e-9);
    static const double rare[] = {-800, -800, -800}, sure[] = {1e100, 1e100, 1e100};
    hr_survival_write(&label, rare, 1, out);
    assert_true(out[2] == 1 && isinf(out[3]) && out[4] == 40 && out[5] == 0);
    hr_survival_write(&label, sure, 1, out);
    assert_true(out[0] == 0 && out[3] == 5 && out[4] == 5 && isfinite(out[5]));
}

/* ---- What continues, weighs, and is refused ---- */

static void test_times__continue_a_model_of_times(void **state) {
    (void)state;
    table t = table_of_times(1, CUTS);
    hr_model *start = fit_times(&t, 1, 1e-6);
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 9);
    options.epsilon = 2;
    options.delta = 1e-6;
    options.start = start;
    options.start_is_public = true; /* fixed noise is not private */
    hr_model *model = fit(t.data, &options);
    assert_true(error_of(&t, model) < error_of(&t, start) + .01);
    hr_model_free(model);
    hr_model_free(start);
    table_close(&t);
}

/* The weight of some records is 0: what is learned is of the others, whose times are others. */
static void test_weights__decide_what_is_learned(void **state) {
    (void)state;
    table t = table_of_times(1, CUTS);
    double *weights = malloc(ROWS * sizeof *weights);
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 4);
    options.epsilon = 8;
    options.delta = 1e-6;
    for (size_t i = 0; i < ROWS; i++) weights[i] = t.columns[0][i] < .5;
    options.record_weights = weights;
    options.record_weight_count = ROWS;
    hr_model *model = fit(t.data, &options);
    const size_t outputs = hr_model_output_count(model);
    double *predicted = predictions_of(model, t.data), found = 0, expected = 0;
    for (size_t i = 0; i < ROWS; i++) {
        found += weights[i] * predicted[i * outputs + 2];
        expected += weights[i] * exp(-rate_of(&t, i) * cuts[2]);
    }
    assert_true(fabs(found / expected - 1) < .03);
    free(predicted);
    free(weights);
    hr_model_free(model);
    table_close(&t);
}

static void test_times__survive_any_noise(void **state) {
    (void)state;
    static const double deltas[] = {1e-6, 0};
    table t = table_open(3, 1);
    hr_column feature = category_column("x", 2);
    for (size_t i = 0; i < 3; i++) {
        t.columns[0][i] = (double)(1 + i % 2);
        t.labels[i] = i ? 40. * (double)i : -0.;
    }
    table_make(&t, time_column(CUTS), &feature);
    for (uint64_t seed = 0; seed < 40; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = .01;
        options.delta = deltas[seed % 2];
        hr_model *model = fit(t.data, &options);
        double *out = predictions_of(model, t.data);
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < CUTS; k++) {
                const double s = out[i * (CUTS + 3) + k];
                assert_true(s >= 0 && s <= (k ? out[i * (CUTS + 3) + k - 1] : 1));
            }
        free(out);
        hr_model_free(model);
    }
    table_close(&t);
}

static void test_times__are_refused_by_name(void **state) {
    (void)state;
    table t = table_of_times(1, CUTS);
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *method = hr_method_at(i);
        hr_fit_options options;
        hr_error err = {0};
        hr_model *model = NULL;
        hr_mode mode = *method->sound ? HR_MODE_SOUND : HR_MODE_PAPER;
        if (hr_method_can(method->name, HR_CAN_TIME) || hr_method_named(method->name)->predicts_nothing)
            continue;
        if (hr_fit_options_init(&options, method->name, mode, NULL))
            assert_int_equal(hr_fit_options_init(&options, method->name, HR_MODE_SOUND, NULL), HR_OK);
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "days");
        assert_non_null(strstr(err.message, method->name));
        assert_non_null(strstr(err.remedy, "use hedge or survival-curve in sound mode"));
    }
    hr_model *model = fit_times(&t, 1, 1e-6);
    hr_error err = {0};
    static const hr_export_format formats[] = {HR_EXPORT_XGBOOST, HR_EXPORT_LIGHTGBM, HR_EXPORT_ONNX};
    for (size_t i = 0; i < COUNT(formats); i++) {
        char *bytes = NULL;
        size_t size;
        assert_int_equal(hr_model_export_render(model, formats[i], &bytes, &size, &err), HR_E_ARGUMENT);
        assert_non_null(strstr(err.message, "survival of times to an event"));
    }
    hr_model_free(model);
    table_close(&t);
}

/* ---- Files ---- */

static void test_times__are_written_and_read(void **state) {
    (void)state;
    table t = table_of_times(1, CUTS);
    hr_model *model = fit_times(&t, 1, 1e-6);
    char *json = written_again(model);
    hr_model *again = parse_model(json);
    assert_non_null(strstr(json, "\"hedgerow-model\": 4,"));
    assert_non_null(strstr(json, "\"task\": \"survival\",\n  \"link\": \"hazard\""));
    assert_non_null(
        strstr(json, "{\"name\": \"days\", \"kind\": \"time\", \"event\": \"died\", \"intervals\": [30, "
                     "90, 365, 730]}"));
    assert_true(error_of(&t, again) == error_of(&t, model));
    hr_model_free(again);
    static const forged_model faults[] = {
        {"\"link\": \"hazard\"", "\"link\": \"logistic\"", "link", NULL, 0},
        {"\"task\": \"survival\"", "\"task\": \"regression\"", "task", NULL, 0},
        {"[30, 90, 365, 730]", "[30, 90, 365]", "base", NULL, 0},
        {"[30, 90, 365, 730]", "[30, 90, 90, 730]", "schema.label.intervals", NULL, 0},
        {"[30, 90, 365, 730]", "[]", "schema.label.intervals", NULL, HR_E_LIMIT},
        {"\"event\": \"died\"", "\"event\": \"x0\"", "schema.features[0].name", NULL, 0},
        {"\"hedgerow-model\": 4", "\"hedgerow-model\": 3", "schema.label", NULL, 0}};
    refuse_forged(json, faults, COUNT(faults));
    hr_text_free(json);
    hr_model_free(model);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times__are_learned),
        cmocka_unit_test(test_hazards__are_calibrated),
        cmocka_unit_test(test_one_interval__is_learned),
        cmocka_unit_test(test_times__release_counts_of_codes_and_leaves),
        cmocka_unit_test(test_base_hazards__are_events_of_those_at_risk),
        cmocka_unit_test(test_base_hazards__doubt_what_noise_hides),
        cmocka_unit_test(test_base_hazards__survive_any_noise),
        cmocka_unit_test(test_base_hazards__have_noise),
        cmocka_unit_test(test_predictions__follow_from_hazards),
        cmocka_unit_test(test_times__continue_a_model_of_times),
        cmocka_unit_test(test_weights__decide_what_is_learned),
        cmocka_unit_test(test_times__survive_any_noise),
        cmocka_unit_test(test_times__are_refused_by_name),
        cmocka_unit_test(test_times__are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
