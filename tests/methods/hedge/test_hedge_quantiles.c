/* hedge on quantiles of a number: what a record adds, what is learned, released, written and refused. Seeds
 * are fixed. */
#include "methods/method.h"
#include "models/model/model.h"
#include "support/model_text.h"
#include "support/tables.h"
#include "tables/synth/generate.h"
#include "trees/candidates/score_gradients.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4000, TRIES = 20000, BOUND = 1 << HR_GRADIENT_BITS };

static const double three[] = {.1, .5, .9}, one[] = {.5};

/* ---- What a record adds ---- */

/* Of a reach one sees at once: y is above all three scores, or below all, or between two. */
static void test_reach__is_the_longest_vector_of_ordered_scores(void **state) {
    (void)state;
    static const double low[] = {.9}, two[] = {.05, .1};
    assert_true(fabs(hr_quantile_reach(three, 3) - sqrt(.01 + .25 + .81)) < 1e-15);
    assert_true(hr_quantile_reach(one, 1) == .5 && hr_quantile_reach(low, 1) == .9);
    assert_true(fabs(hr_quantile_reach(two, 2) - sqrt(.95 * .95 + .9 * .9)) < 1e-15);
}

typedef struct one_record {
    double quantiles[HR_QUANTILES_MAX], base[HR_QUANTILES_MAX], start[HR_QUANTILES_MAX], target;
    size_t count;
    hr_candidate_scan_loss loss;
} one_record;

static double wild(hr_dice *dice) {
    static const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, -1e300, 512, -513};
    return odd[hr_dice_below(dice, COUNT(odd))];
}

static one_record draw_record(hr_dice *dice) {
    one_record r = {.count = 1 + hr_dice_below(dice, HR_QUANTILES_MAX), .target = 2 * hr_dice_unit(dice) - 1};
    const bool far = hr_dice_below(dice, 2);
    double before = 0;
    for (size_t k = 0; k < r.count; k++) {
        before = r.quantiles[k] = before + (1 - before) * (.001 + .9 * hr_dice_unit(dice)) / 4;
        r.base[k] = far ? 1 - 2. * (double)hr_dice_below(dice, 2) : 2 * hr_dice_unit(dice) - 1;
        r.start[k] = hr_dice_below(dice, 3) ? r.base[k] : wild(dice);
    }
    if (!hr_dice_below(dice, 4)) r.target = wild(dice);
    const double widths[] = {HR_QUANTILE_WIDTH_MIN, 1, .002 + .9 * hr_dice_unit(dice)};
    r.loss = (hr_candidate_scan_loss){.objective = HR_OBJECTIVE_QUANTILES,
                                      .clip = 1,
                                      .score_limit = 1,
                                      .bound = BOUND,
                                      .width = widths[hr_dice_below(dice, 3)]};
    return r;
}

/* Its vector, in units of 2^-12; of a person of one record in finer ones. */
static void words_of(const one_record *r, bool has_start, const uint32_t *weight, int64_t *out,
                     int64_t *within) {
    static int64_t words[(HR_QUANTILES_MAX + 1) * HR_WALK_BLOCK];
    const hr_binned binned = {.rows = 1, .weights = weight};
    const hr_candidate_scan_setup setup = {.targets = &r->target,
                                           .outputs = r->count,
                                           .base = r->base,
                                           .objective = HR_OBJECTIVE_QUANTILES,
                                           .quantiles = r->quantiles};
    const hr_row_block rows = {0, 1};
    hr_score_gradients g;
    assert_true(hr_score_gradients_init(&g, &binned, &setup));
    if (has_start) hr_score_gradients_start(&g, r->start, &r->loss);
    *within = hr_score_gradients_words(&g, &r->loss, &rows, words);
    const hr_packing packing = {.shift = g.shift};
    for (size_t k = 0; k < r->count; k++) {
        const int64_t word = words[k * HR_WALK_BLOCK];
        out[k] = weight ? word : hr_unpack(&packing, word).gradient.unpaid;
    }
    hr_score_gradients_done(&g);
}

/* The length over the bound, in integers and thus exact. */
static double length_of(hr_dice *dice, bool weighs) {
    const uint32_t weight = HR_PERSON_UNIT;
    const one_record r = draw_record(dice);
    const int64_t most = weighs ? (int64_t)hr_unit_gradient_sensitivity(HR_PER_PERSON, BOUND) : BOUND;
    int64_t vector[HR_QUANTILES_MAX], within, square = 0;
    words_of(&r, hr_dice_below(dice, 2), weighs ? &weight : NULL, vector, &within);
    assert_true(within == 0 || within == (weighs ? HR_PERSON_UNIT : 1));
    for (size_t k = 0; k < r.count; k++) square += vector[k] * vector[k];
    assert_true(square <= most * most);
    return sqrt((double)square) / (double)most;
}

/* For any quantiles, targets and scores, those that are no numbers included. */
static void test_vectors__are_within_the_bound_and_attain_it(void **state) {
    (void)state;
    for (int weighs = 0; weighs < 2; weighs++) {
        hr_dice dice;
        double most = 0;
        hr_dice_init(&dice, 5);
        for (size_t i = 0; i < TRIES; i++) most = fmax(most, length_of(&dice, weighs));
        assert_true(most > .999);
    }
}

/* By hand: y 0, scores in their order and out of it. */
static void test_vectors__are_the_gradients_of_the_pinball_loss(void **state) {
    (void)state;
    static const struct {
        double base[3], length;
        int64_t within;
    } cases[] = {{{-1, -1, -1}, 1, 0},
                 {{1, 1, 1}, 1, 0},
                 {{-1, -1, 1}, 1, 0},
                 {{-1, .25, 1}, 1, 1},
                 {{1, 0, -1}, 0, 1}};
    const double reach = sqrt(1.07);
    for (size_t i = 0; i < COUNT(cases); i++) {
        one_record r = {.count = 3,
                        .loss = {.objective = HR_OBJECTIVE_QUANTILES,
                                 .clip = 1,
                                 .score_limit = 1,
                                 .bound = BOUND,
                                 .width = .25}};
        int64_t vector[3], within;
        double length = 0;
        memcpy(r.quantiles, three, sizeof three);
        memcpy(r.base, cases[i].base, sizeof cases[i].base);
        words_of(&r, false, NULL, vector, &within);
        assert_int_equal(within, cases[i].within);
        for (size_t k = 0; k < 3; k++) {
            const double part = fmin(fmax((1 + HR_QUANTILE_RAMP * r.base[k] / .25) / 2, 0), 1) - three[k];
            length += part * part;
        }
        for (size_t k = 0; k < 3; k++) {
            const double part = fmin(fmax((1 + HR_QUANTILE_RAMP * r.base[k] / .25) / 2, 0), 1) - three[k];
            assert_true(fabs((double)vector[k] - BOUND * part / fmax(reach, sqrt(length))) <= 1);
        }
        assert_true(cases[i].length == 1 ? sqrt(length) <= reach + 1e-9 : sqrt(length) > reach);
    }
}

/* ---- Fits ---- */

/* The label is uniform up to x0: its quantile q is q x0. x1 says nothing. */
static table table_of_widths(uint64_t seed, const double *quantiles, size_t count) {
    table t = table_open(ROWS, 2);
    hr_column features[2] = {number_column("x0", 0, 1), number_column("x1", 0, 1)},
              label = number_column("y", 0, 1);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = next_unit(&seed);
        t.labels[i] = t.columns[0][i] * next_unit(&seed);
    }
    label.quantiles = quantiles;
    label.quantile_count = count;
    table_make(&t, label, features);
    return t;
}

static hr_fit_options quantile_options(double epsilon, double delta, uint64_t seed) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

static hr_model *fit_quantiles(const table *t, double epsilon, double delta) {
    const hr_fit_options options = quantile_options(epsilon, delta, 3);
    return fit(t->data, &options);
}

/* The true quantiles have losses of .0225, .0625 and .0225: q (1 - q) / 2 times the mean of x0; those of all
 * records have .031, .095 and .048. */
static void test_quantiles__are_learned(void **state) {
    (void)state;
    static const struct {
        double epsilon, delta, most[3], least_cover, most_cover;
    } cases[] = {{20, 1e-6, {.026, .068, .028}, .75, .85},
                 {2, 1e-6, {.030, .080, .040}, .7, .9},
                 {20, 0, {.030, .080, .040}, .7, .9}};
    table t = table_of_widths(1, three, 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_model *model = fit_quantiles(&t, cases[i].epsilon, cases[i].delta);
        const hr_metrics m = metrics_of(model, t.data);
        print_message("epsilon %g, delta %g: %.4f %.4f %.4f, coverage %.3f, width %.3f\n", cases[i].epsilon,
                      cases[i].delta, m.pinball[0], m.pinball[1], m.pinball[2], m.coverage, m.width);
        assert_int_equal(m.task, HR_TASK_QUANTILES);
        for (size_t k = 0; k < 3; k++) assert_true(m.pinball[k] < cases[i].most[k]);
        assert_true(m.coverage > cases[i].least_cover && m.coverage < cases[i].most_cover);
        assert_true(isnan(m.rmse) && isnan(m.error) && isnan(m.pinball[3]));
        hr_model_free(model);
    }
    table_close(&t);
}

static void test_one_quantile__is_learned(void **state) {
    (void)state;
    table t = table_of_widths(1, one, 1);
    hr_model *model = fit_quantiles(&t, 20, 1e-6);
    const hr_metrics m = metrics_of(model, t.data);
    print_message("median: %.4f\n", m.pinball[0]);
    assert_true(m.pinball[0] < .066 && isnan(m.coverage) && isnan(m.width));
    assert_int_equal(hr_model_output_count(model), 1);
    hr_model_free(model);
    table_close(&t);
}

static void test_fit__charges_the_bound(void **state) {
    (void)state;
    table t = table_of_widths(2, three, 3);
    for (int pure = 0; pure < 2; pure++) {
        hr_model *model = fit_quantiles(&t, 2, pure ? 0 : 1e-6);
        size_t sums = 0, bases = 0, widths = 0;
        for (size_t i = 0; i < model->release_count; i++) {
            const hr_release *line = &model->releases[i];
            bases += !strcmp(line->what, "base score");
            widths += !strcmp(line->what, "clip count");
            assert_true(strcmp(line->what, "class counts") != 0 &&
                        strcmp(line->what, "calibration count") != 0);
            if (!strcmp(line->what, "choice of tree")) assert_int_equal(line->sensitivity, 2 * BOUND);
            if (strcmp(line->what, "leaf sum") != 0) continue;
            assert_int_equal(line->sensitivity, pure ? ceil(sqrt(3) * BOUND) : BOUND);
            sums++;
        }
        assert_true(bases == 1 && sums > 0 && widths == sums);
        assert_int_equal(model->forest.output_count, 3);
        assert_int_equal(model->forest.tree_count, 3 * sums);
        hr_model_free(model);
    }
    table_close(&t);
}

/* Of any scores, crossing and far ones: the label's parts, within its bounds, in increasing order; row by
 * row, too. */
static void test_predictions__never_cross(void **state) {
    (void)state;
    static const double bases[][3] = {{.5, -.5, 0}, {3, -3, .25}, {-1, 0, 1}, {.9, .9, -.9}},
                        wanted[][3] = {{.25, .5, .75}, {0, .625, 1}, {0, .5, 1}, {.05, .95, .95}};
    table t = table_of_widths(1, three, 3);
    hr_model *model = fit_quantiles(&t, .5, 1e-6);
    double *all = predictions_of(model, t.data);
    for (size_t i = 0; i < ROWS; i++) {
        double row[2] = {t.columns[0][i], t.columns[1][i]}, out[3];
        assert_true(all[3 * i] <= all[3 * i + 1] && all[3 * i + 1] <= all[3 * i + 2]);
        assert_int_equal(hr_predict_row(&model->predictor, row, out, NULL), HR_OK);
        assert_memory_equal(out, all + 3 * i, sizeof out);
    }
    free(all);
    model->forest.tree_count = 0;
    for (size_t i = 0; i < COUNT(bases); i++) {
        double row[2] = {0}, out[3];
        memcpy(model->forest.base, bases[i], sizeof bases[i]);
        assert_int_equal(hr_predict_row(&model->predictor, row, out, NULL), HR_OK);
        for (size_t k = 0; k < 3; k++) assert_true(fabs(out[k] - wanted[i][k]) < 1e-12);
    }
    hr_model_free(model);
    table_close(&t);
}

/* pinball, coverage and width by hand. */
static void test_metrics__are_those_of_the_definitions(void **state) {
    (void)state;
    table t = table_of_widths(1, three, 3);
    hr_model *model = fit_quantiles(&t, 1, 1e-6);
    double *p = predictions_of(model, t.data), sums[3] = {0}, inside = 0, width = 0;
    const hr_metrics m = metrics_of(model, t.data);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double miss = t.labels[i] - p[3 * i + k];
            sums[k] += miss > 0 ? three[k] * miss : (three[k] - 1) * miss;
        }
        inside += t.labels[i] >= p[3 * i] && t.labels[i] <= p[3 * i + 2];
        width += p[3 * i + 2] - p[3 * i];
    }
    for (size_t k = 0; k < 3; k++) assert_true(fabs(m.pinball[k] - sums[k] / ROWS) < 1e-12);
    assert_true(fabs(m.coverage - inside / ROWS) < 1e-12 && fabs(m.width - width / ROWS) < 1e-12);
    free(p);
    hr_model_free(model);
    table_close(&t);
}

/* Without its own base score. A start of the mean, or of other quantiles, has another schema. */
static void test_quantiles__continue_a_model_of_the_same(void **state) {
    (void)state;
    static const double others[] = {.1, .5, .95};
    table t = table_of_widths(1, three, 3), other = table_of_widths(1, others, 3),
          mean = table_of_widths(1, NULL, 0);
    hr_model *start = fit_quantiles(&t, 2, 1e-6), *none = NULL;
    hr_fit_options options = quantile_options(2, 1e-6, 9);
    options.start = start;
    options.start_is_public = true; /* fixed noise is not private */
    hr_model *model = fit(t.data, &options);
    const hr_metrics before = metrics_of(start, t.data), after = metrics_of(model, t.data);
    for (size_t i = 0; i < model->release_count; i++)
        assert_true(strcmp(model->releases[i].what, "base score") != 0);
    assert_true(model->forest.tree_count > start->forest.tree_count);
    for (size_t k = 0; k < 3; k++) assert_true(after.pinball[k] < before.pinball[k] + .002);
    const table *wrong[] = {&other, &mean};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        hr_error err = {0};
        assert_int_equal(hr_fit(wrong[i]->data, &options, &none, &err), HR_E_SCHEMA);
        assert_string_equal(err.field, "start");
        assert_non_null(strstr(err.message, "quantile"));
    }
    hr_model_free(model);
    hr_model_free(start);
    table_close(&t);
    table_close(&other);
    table_close(&mean);
}

/* ---- Files ---- */

static void test_quantiles__are_written_and_read(void **state) {
    (void)state;
    static const forged_model faults[] = {
        {"\"link\": \"number\"", "\"link\": \"signed\"", "link", NULL, 0},
        {"\"task\": \"quantiles\"", "\"task\": \"regression\"", "task", NULL, 0},
        {"[0.1, 0.5, 0.9]", "[0.1, 0.5]", "base", NULL, 0},
        {"[0.1, 0.5, 0.9]", "[0.5, 0.1, 0.9]", "schema.label.quantiles", NULL, 0},
        {"[0.1, 0.5, 0.9]", "[]", "schema.label.quantiles", NULL, 0},
        {"[0.1, 0.5, 0.9]", "[0.1, 0.5, 1]", "schema.label.quantiles", NULL, 0},
        {"\"hedgerow-model\": 4", "\"hedgerow-model\": 3", "schema.label", NULL, 0}};
    table t = table_of_widths(1, three, 3);
    hr_model *model = fit_quantiles(&t, 1, 1e-6);
    char *json = written_again(model);
    assert_non_null(strstr(json, "\"task\": \"quantiles\",\n  \"link\": \"number\""));
    refuse_forged(json, faults, COUNT(faults));
    hr_text_free(json);
    hr_model_free(model);
    table_close(&t);
}

/* Two formats cannot put several in their order. */
static void test_exports__are_of_one_quantile_or_ordered(void **state) {
    (void)state;
    static const hr_export_format formats[] = {HR_EXPORT_ONNX, HR_EXPORT_ONNX_FLOAT32, HR_EXPORT_XGBOOST,
                                               HR_EXPORT_LIGHTGBM};
    table t = table_of_widths(1, three, 3), median = table_of_widths(1, one, 1);
    hr_model *several = fit_quantiles(&t, 1, 1e-6), *single = fit_quantiles(&median, 1, 1e-6);
    for (size_t i = 0; i < COUNT(formats); i++) {
        char *bytes = NULL;
        size_t size;
        hr_error err = {0};
        assert_int_equal(hr_model_export_render(single, formats[i], &bytes, &size, NULL), HR_OK);
        hr_text_free(bytes);
        bytes = NULL;
        const hr_status status = hr_model_export_render(several, formats[i], &bytes, &size, &err);
        hr_text_free(bytes);
        assert_int_equal(status, i < 2 ? HR_OK : HR_E_ARGUMENT);
        if (status) assert_string_equal(err.field, "quantiles");
    }
    hr_model_free(several);
    hr_model_free(single);
    table_close(&t);
    table_close(&median);
}

/* ---- Refusals ---- */

static void test_quantiles__are_refused_by_name(void **state) {
    (void)state;
    table t = table_of_widths(1, three, 3);
    hr_model *model = NULL;
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *method = hr_method_at(i);
        hr_fit_options options;
        hr_error err = {0};
        if (hr_method_can(method->name, HR_CAN_QUANTILES) || hr_method_named(method->name)->predicts_nothing)
            continue;
        if (hr_fit_options_init(&options, method->name, HR_MODE_SOUND, NULL))
            assert_int_equal(hr_fit_options_init(&options, method->name, HR_MODE_PAPER, NULL), HR_OK);
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "y");
        assert_non_null(strstr(err.message, method->name));
        assert_non_null(strstr(err.remedy, "use hedge in sound mode, or remove the label's key 'quantiles'"));
    }
    table_close(&t);
}

/* Noise that drowns all: predictions are numbers within the bounds, in their order. */
static void test_quantiles__survive_any_noise(void **state) {
    (void)state;
    table t = table_open(3, 1);
    hr_column feature = category_column("x", 2), label = number_column("y", -1e6, 1000);
    for (size_t i = 0; i < 3; i++) t.columns[0][i] = (double)(1 + i % 2);
    label.quantiles = three;
    label.quantile_count = 3;
    table_make(&t, label, &feature);
    for (uint64_t seed = 0; seed < 60; seed++) {
        const hr_fit_options options = quantile_options(.001, seed % 2 ? 0 : 1e-6, seed);
        hr_model *model = fit(t.data, &options);
        double *p = predictions_of(model, t.data);
        for (size_t i = 0; i < 3; i++)
            assert_true(-1e6 <= p[3 * i] && p[3 * i] <= p[3 * i + 1] && p[3 * i + 1] <= p[3 * i + 2] &&
                        p[3 * i + 2] <= 1000);
        free(p);
        hr_model_free(model);
    }
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach__is_the_longest_vector_of_ordered_scores),
        cmocka_unit_test(test_vectors__are_within_the_bound_and_attain_it),
        cmocka_unit_test(test_vectors__are_the_gradients_of_the_pinball_loss),
        cmocka_unit_test(test_quantiles__are_learned),
        cmocka_unit_test(test_one_quantile__is_learned),
        cmocka_unit_test(test_fit__charges_the_bound),
        cmocka_unit_test(test_predictions__never_cross),
        cmocka_unit_test(test_metrics__are_those_of_the_definitions),
        cmocka_unit_test(test_quantiles__continue_a_model_of_the_same),
        cmocka_unit_test(test_quantiles__are_written_and_read),
        cmocka_unit_test(test_exports__are_of_one_quantile_or_ordered),
        cmocka_unit_test(test_quantiles__are_refused_by_name),
        cmocka_unit_test(test_quantiles__survive_any_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
