/* hedge on labels that are counts: what is learned, released, written and refused. Seeds are fixed. */
#include "methods/hedge/hedge_plan.h"
#include "methods/method.h"
#include "privacy/sensitivity.h"
#include "support/model_text.h"
#include "support/tables.h"

#include <hedgerow/federation.h>

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4000, HIGH = 60 };

static hr_column count_column(double high) {
    hr_column column = number_column("y", 0, high);
    column.integer = column.count = true;
    return column;
}

/* A draw of Poisson's distribution. */
static double poisson(uint64_t *seed, double mean) {
    double count = 0, product = next_unit(seed);
    for (; product > exp(-mean); count++) product *= next_unit(seed);
    return count;
}

static double mean_of(const table *t, size_t i) {
    return exp(2.4 * t->columns[0][i] - (t->columns[1][i] > .5));
}

/* x2 says nothing. */
static table table_of_rates(uint64_t seed, double rate) {
    table t = table_open(ROWS, 3);
    hr_column features[3];
    static const char *const names[] = {"x0", "x1", "x2"};
    for (size_t f = 0; f < 3; f++) {
        features[f] = number_column(names[f], 0, 1);
        for (size_t i = 0; i < ROWS; i++) t.columns[f][i] = next_unit(&seed);
    }
    for (size_t i = 0; i < ROWS; i++) t.labels[i] = poisson(&seed, rate * mean_of(&t, i));
    table_make(&t, count_column(HIGH), features);
    return t;
}

static table table_of_counts(uint64_t seed) {
    return table_of_rates(seed, 1);
}

static hr_model *fit_counts(const table *t, double epsilon, double delta) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 3);
    options.epsilon = epsilon;
    options.delta = delta;
    return fit(t->data, &options);
}

static double deviance_of_constant(const table *t) {
    double mean = 0, sum = 0;
    for (size_t i = 0; i < t->rows; i++) mean += t->labels[i] / (double)t->rows;
    for (size_t i = 0; i < t->rows; i++)
        if (t->labels[i] > 0) sum += 2 * t->labels[i] * log(t->labels[i] / mean);
    return sum / (double)t->rows;
}

/* Of such counts the deviance of the true means is about 1.1; that of a constant is above 2.8. */
static void test_counts__are_learned(void **state) {
    (void)state;
    table t = table_of_counts(1);
    static const struct {
        double epsilon, delta, most;
    } cases[] = {{8, 1e-6, 1.15}, {1, 1e-6, 1.6}, {8, 0, 1.5}};
    assert_true(deviance_of_constant(&t) > 2.8);
    for (size_t i = 0; i < 3; i++) {
        hr_model *model = fit_counts(&t, cases[i].epsilon, cases[i].delta);
        hr_metrics m = metrics_of(model, t.data);
        print_message("epsilon %g, delta %g: deviance %.3f\n", cases[i].epsilon, cases[i].delta, m.deviance);
        assert_int_equal(m.task, HR_TASK_COUNT);
        assert_true(m.deviance < cases[i].most);
        assert_true(model->forest.link == HR_LINK_LOG && model->forest.output_count == 1);
        hr_model_free(model);
    }
    table_close(&t);
}

/* The prediction is high exp(score) within the bounds: of all scores, those above 0 and far below, too. */
static void test_counts__are_predicted_as_their_means(void **state) {
    (void)state;
    table t = table_of_counts(1);
    hr_model *model = fit_counts(&t, 8, 1e-6);
    double *scores = malloc(ROWS * sizeof *scores), *predicted = predictions_of(model, t.data);
    assert_int_equal(hr_model_scores(model, t.data, 1, scores, NULL), HR_OK);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(fabs(predicted[i] - HIGH * exp(fmin(scores[i], 0))) <= 1e-12 * HIGH);
    free(predicted);
    static const double bases[] = {3, -800}, expected[] = {HIGH, 0};
    model->forest.tree_count = 0;
    for (size_t i = 0; i < 2; i++) {
        double row[3] = {0}, out;
        model->forest.base[0] = bases[i];
        assert_int_equal(hr_predict_row(&model->predictor, row, &out, NULL), HR_OK);
        assert_true(out == expected[i]);
    }
    free(scores);
    hr_model_free(model);
    table_close(&t);
}

/* Lines, sensitivities and shares are those of a number: a clip count, and no calibration. */
static void test_counts__release_what_numbers_do(void **state) {
    (void)state;
    table t = table_of_counts(2);
    hr_model *model = fit_counts(&t, 1, 1e-6);
    size_t clips = 0, bases = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *r = &model->releases[i];
        clips += !strcmp(r->what, "clip count");
        bases += !strcmp(r->what, "base score");
        assert_true(strcmp(r->what, "calibration count") != 0);
        if (!strcmp(r->what, "base score")) assert_int_equal(r->sensitivity, 1 << 12);
        if (!strcmp(r->what, "leaf sum")) assert_true(r->sensitivity <= 1 << HR_GRADIENT_BITS);
        if (!strcmp(r->what, "leaf count")) assert_int_equal(r->sensitivity, 64);
    }
    assert_true(bases == 1 && clips == model->forest.tree_count);
    hr_model_free(model);
    table_close(&t);
}

/* It pays for a base score, too: gradients are in its units. */
static void test_counts__continue_a_model_of_counts(void **state) {
    (void)state;
    table t = table_of_counts(1);
    hr_model *start = fit_counts(&t, 2, 1e-6);
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 9);
    options.epsilon = 2;
    options.delta = 1e-6;
    options.start = start;
    options.start_is_public = true; /* fixed noise is not private */
    hr_model *model = fit(t.data, &options);
    hr_metrics before = metrics_of(start, t.data), after = metrics_of(model, t.data);
    size_t bases = 0;
    for (size_t i = 0; i < model->release_count; i++) bases += !strcmp(model->releases[i].what, "base score");
    assert_int_equal(bases, 1);
    assert_true(after.deviance < before.deviance + .05);
    hr_model_free(model);
    hr_model_free(start);
    table_close(&t);
}

/* A model of counts is of the newest version of the format, as all are. */
static void test_counts__are_written_and_read(void **state) {
    (void)state;
    table t = table_of_counts(1);
    hr_model *model = fit_counts(&t, 1, 1e-6);
    char *json = written_again(model);
    assert_non_null(strstr(json, "\"hedgerow-model\": 4,"));
    assert_non_null(strstr(json, "\"task\": \"count\",\n  \"link\": \"log\""));

    static const forged_model faults[] = {
        {"\"link\": \"log\"", "\"link\": \"number\"", "link", NULL, 0},
        {"\"task\": \"count\"", "\"task\": \"regression\"", "task", NULL, 0},
        {"\"low\": 0", "\"low\": -1", "schema.label.low", NULL, 0}};
    refuse_forged(json, faults, COUNT(faults));
    hr_text_free(json);
    hr_model_free(model);
    table_close(&t);
}

/* Every other method, and what is for classes. */
static void test_counts__are_refused_by_name(void **state) {
    (void)state;
    table t = table_of_counts(1);
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *method = hr_method_at(i);
        hr_fit_options options;
        hr_error err = {0};
        hr_model *model = NULL;
        hr_mode mode = *method->sound ? HR_MODE_SOUND : HR_MODE_PAPER;
        if (hr_method_can(method->name, HR_CAN_COUNT) || hr_method_named(method->name)->predicts_nothing)
            continue;
        if (hr_fit_options_init(&options, method->name, mode, NULL))
            assert_int_equal(hr_fit_options_init(&options, method->name, mode = HR_MODE_SOUND, NULL), HR_OK);
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "y");
        assert_non_null(strstr(err.message, method->name));
        assert_non_null(strstr(err.remedy, "use hedge in sound mode, or write 'kind: number'"));
    }
    const double weights[] = {1, 1};
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 1);
    hr_error err = {0};
    hr_model *model = NULL;
    options.class_weights = weights;
    options.class_weight_count = 2;
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "class-weight");
    table_close(&t);
}

/* Most counts are 0: one event is within the clip, so that its weight is not lost. */
static void test_rare_counts__have_their_mean(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        table t = table_of_rates(4, 1. / 40);
        double sum = 0, predicted = 0;
        for (size_t i = 0; i < ROWS; i++) sum += t.labels[i];
        hr_model *model = fit_counts(&t, 50, deltas[d]);
        double *out = predictions_of(model, t.data);
        for (size_t i = 0; i < ROWS; i++) predicted += out[i];
        if (fabs(predicted / sum - 1) > .25) fail_msg("%g predicted of %g", predicted, sum);
        free(out);
        hr_model_free(model);
        table_close(&t);
    }
}

/* Noise that drowns the sum leaves a base that is a number, and predictions within the bounds. */
static void test_counts__survive_any_noise(void **state) {
    (void)state;
    static const double deltas[] = {1e-6, 0};
    table t = table_open(3, 1);
    hr_column feature = category_column("x", 2);
    for (size_t i = 0; i < 3; i++) t.columns[0][i] = (double)(1 + i % 2);
    table_make(&t, count_column(1000), &feature);
    for (uint64_t seed = 0; seed < 60; seed++) {
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
        options.epsilon = .001;
        options.delta = deltas[seed % 2];
        hr_model *model = fit(t.data, &options);
        double *predicted = predictions_of(model, t.data);
        assert_true(model->forest.base[0] >= log(1e-4) - 1e-9 && model->forest.base[0] <= 0);
        for (size_t i = 0; i < 3; i++) assert_true(predicted[i] >= 0 && predicted[i] <= 1000);
        free(predicted);
        hr_model_free(model);
    }
    table_close(&t);
}

/* Exposures of a tenth of the largest to all of it, by which means are multiplied. */
static table table_of_exposures(double *exposures) {
    uint64_t seed = 5;
    table t = table_of_counts(4);
    hr_schema_parts parts = *hr_schema_parts_of(t.schema);
    hr_array columns[3], labels = {t.labels, HR_ELEMENT_FLOAT64, sizeof(double)};
    hr_data_free(t.data);
    for (size_t i = 0; i < ROWS; i++) {
        exposures[i] = 36.5 * floor(1 + 10 * next_unit(&seed));
        t.labels[i] = fmin(poisson(&seed, mean_of(&t, i) * exposures[i] / 365), HIGH);
    }
    for (size_t f = 0; f < 3; f++) columns[f] = (hr_array){t.columns[f], HR_ELEMENT_FLOAT64, sizeof(double)};
    parts.exposure = "days";
    parts.exposure_high = 365;
    hr_schema *schema = NULL;
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    hr_schema_free(t.schema);
    t.schema = schema;
    const hr_arrays arrays = {.rows = ROWS, .columns = columns, .labels = &labels, .exposures = exposures};
    assert_int_equal(hr_data_borrow(schema, &arrays, &t.data, NULL), HR_OK);
    return t;
}

/* What is learned are rates: a record's prediction is its part of the largest exposure times that of the
 * largest, which the true rate is near. The deviance of true means is about 1.1. */
static void test_exposures__multiply_means(void **state) {
    (void)state;
    static double exposures[ROWS];
    table t = table_of_exposures(exposures);
    hr_model *model = fit_counts(&t, 8, 1e-6);
    double *predicted = predictions_of(model, t.data), off = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double row[3] = {t.columns[0][i], t.columns[1][i], t.columns[2][i]}, largest;
        assert_int_equal(hr_predict_row(&model->predictor, row, &largest, NULL), HR_OK);
        assert_true(fabs(predicted[i] - largest * exposures[i] / 365) <= 1e-9 * largest);
        off += fabs(log(largest / mean_of(&t, i))) / ROWS;
    }
    assert_true(off < .15);
    assert_true(metrics_of(model, t.data).deviance < 1.2);
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *r = &model->releases[i];
        if (!strcmp(r->what, "sum of weights") || !strcmp(r->what, "leaf count"))
            assert_int_equal(r->sensitivity, 65536);
        if (!strcmp(r->what, "base score")) assert_int_equal(r->sensitivity, 64 << 12);
    }
    assert_true(hr_model_records(model) > ROWS * .5 && hr_model_records(model) < ROWS * .6);
    char *json = render(model);
    assert_non_null(strstr(json, "\"exposure\": {\"name\": \"days\", \"high\": 365}"));
    hr_model *again = NULL;
    assert_int_equal(hr_model_parse(json, strlen(json), "m", &again, NULL), HR_OK);
    assert_true(hr_schema_same(again->schema, model->schema));
    char *older = text_with(json, "\"hedgerow-model\": 4", "\"hedgerow-model\": 3");
    hr_error err = {0};
    hr_model *none = NULL;
    assert_int_equal(hr_model_parse(older, strlen(older), "m", &none, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "schema.exposure");
    free(older);
    free(predicted);
    hr_text_free(json);
    hr_model_free(again);
    hr_model_free(model);
    table_close(&t);
}

/* A row is refused where it is 0, missing, or beyond the bound; and so is a fit without any. */
static void test_exposures__are_refused(void **state) {
    (void)state;
    static double exposures[ROWS];
    table t = table_of_exposures(exposures);
    static const double wrong[] = {0, -1, NAN, 366, INFINITY};
    hr_array columns[3], labels = {t.labels, HR_ELEMENT_FLOAT64, sizeof(double)};
    for (size_t f = 0; f < 3; f++) columns[f] = (hr_array){t.columns[f], HR_ELEMENT_FLOAT64, sizeof(double)};
    hr_arrays arrays = {.rows = ROWS, .columns = columns, .labels = &labels, .exposures = exposures};
    hr_data *data = NULL;
    hr_error err = {0};
    for (size_t i = 0; i < 5; i++) {
        exposures[3] = wrong[i];
        assert_int_equal(hr_data_borrow(t.schema, &arrays, &data, &err), HR_E_SCHEMA);
        assert_non_null(strstr(err.message, "record 4 has the exposure"));
    }
    arrays.exposures = NULL;
    assert_int_equal(hr_data_borrow(t.schema, &arrays, &data, &err), HR_OK);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_model *model = NULL;
    assert_int_equal(hr_fit(data, &options, &model, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "have no exposures"));
    hr_job_options_init(&options);
    const hr_data *tables[] = {t.data, data};
    const hr_simulated_owners owners = {.tables = tables, .count = 2};
    const hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    assert_int_equal(hr_simulate_records(&options, &owners, &settings, &model, &err), HR_E_SCHEMA);
    assert_string_equal(err.message, "the table of owner 2 has no exposures, which the schema names");
    hr_data_free(data);
    options = options_of("hedge", HR_MODE_SOUND);
    options.records_per_person = 2;
    assert_int_not_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts__are_learned),
        cmocka_unit_test(test_counts__are_predicted_as_their_means),
        cmocka_unit_test(test_counts__release_what_numbers_do),
        cmocka_unit_test(test_counts__continue_a_model_of_counts),
        cmocka_unit_test(test_counts__are_written_and_read),
        cmocka_unit_test(test_counts__are_refused_by_name),
        cmocka_unit_test(test_rare_counts__have_their_mean),
        cmocka_unit_test(test_counts__survive_any_noise),
        cmocka_unit_test(test_exposures__multiply_means),
        cmocka_unit_test(test_exposures__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
