/* hedge on features that are monotone: no prediction takes a step in the wrong direction, whatever the noise;
 * and what the schema says is written, read, proved again and refused. Seeds are fixed. */
#include "methods/method.h"
#include "support/model_text.h"
#include "support/tables.h"
#include "trees/tree/monotone.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1500, UP = 0, DOWN = 1, FREE = 2, WARD = 3, FEATURES = 4, STEPS = 41 };

/* Against the directions in a part of the table, so that the leaves have much to be corrected. */
static double target(const table *t, size_t i) {
    const double up = t->columns[UP][i], down = t->columns[DOWN][i];
    return .8 * up - .6 * down * down + (t->columns[FREE][i] > .5 ? .5 * sin(9 * up) : 0) +
           (t->columns[WARD][i] == 2 ? .4 : 0);
}

static double label_of(const hr_column *label, double z) {
    if (label->count) return floor(exp(2 + z) / 2);
    if (label->kind == HR_KIND_CATEGORY) return z > .2;
    return fmin(fmax(z, -1), 1);
}

static table table_of_directions(hr_column label, bool directed, uint64_t seed) {
    table t = table_open(ROWS, FEATURES);
    hr_column features[FEATURES] = {number_column("up", 0, 1), number_column("down", 0, 1),
                                    number_column("free", 0, 1), category_column("ward", 3)};
    features[UP].monotone = directed ? HR_MONOTONE_INCREASING : HR_MONOTONE_NONE;
    features[DOWN].monotone = directed ? HR_MONOTONE_DECREASING : HR_MONOTONE_NONE;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < WARD; f++)
            t.columns[f][i] = next_unit(&seed) < .05 ? (double)NAN : next_unit(&seed);
        t.columns[WARD][i] = floor(4 * next_unit(&seed));
        const double z = target(&t, i);
        t.labels[i] = label_of(&label, isnan(z) ? 0 : z + next_unit(&seed) - .5);
    }
    table_make(&t, label, features);
    return t;
}

static hr_column count_label(void) {
    hr_column column = number_column("y", 0, 60);
    column.integer = column.count = true;
    return column;
}

static hr_model *fit_directions(const table *t, double epsilon, double delta, hr_loss loss, uint64_t seed) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
    options.epsilon = epsilon;
    options.delta = delta;
    options.loss = loss;
    return fit(t->data, &options);
}

/* The last output of a record: a number, or the probability of the second class. */
static double prediction_of(const hr_model *model, const double *row) {
    double out[2] = {0};
    const size_t outputs = hr_predictor_output_count(&model->predictor);
    assert_int_equal(hr_predict_row(&model->predictor, row, out, NULL), HR_OK);
    return out[outputs - 1];
}

/* Probabilities and counts pass exp and log, whose last digit may be off. */
static void assert_steps(const hr_model *model, size_t feature, uint64_t seed) {
    const double sign = feature == DOWN ? -1 : 1;
    const double slack = model->forest.link == HR_LINK_NUMBER ? 0 : 1e-14;
    for (size_t run = 0; run < 200; run++) {
        double row[FEATURES], before = -(double)INFINITY;
        for (size_t f = 0; f < WARD; f++) row[f] = next_unit(&seed) < .1 ? (double)NAN : next_unit(&seed);
        row[WARD] = floor(4 * next_unit(&seed));
        for (int step = 0; step < STEPS; step++) {
            row[feature] = (double)step / (STEPS - 1);
            const double is = sign * prediction_of(model, row);
            if (is < before - slack * fabs(before))
                fail_msg("feature %d, step %d: %.17g after %.17g", (int)feature, step, is, before);
            before = is;
        }
    }
}

static bool is_monotone(const hr_model *model, const hr_schema *schema) {
    hr_monotone_fault fault;
    bool monotone = false;
    assert_int_equal(hr_monotone_check(&model->forest, schema, &monotone, &fault, NULL), HR_OK);
    return monotone;
}

static void test_monotone__no_prediction_steps_back(void **state) {
    (void)state;
    const hr_column labels[] = {number_column("y", -1, 1), category_column("y", 2), category_column("y", 2),
                                count_label()};
    static const hr_loss losses[] = {HR_LOSS_SQUARE, HR_LOSS_SQUARE, HR_LOSS_LOGISTIC, HR_LOSS_SQUARE};
    static const struct { double epsilon, delta; } budgets[] = {{.2, 1e-6}, {4, 1e-6}, {50, 1e-6}, {2, 0}};
    size_t free_breaks = 0;
    for (size_t l = 0; l < COUNT(labels); l++) {
        table t = table_of_directions(labels[l], true, l + 1),
              plain = table_of_directions(labels[l], false, l + 1);
        for (size_t b = 0; b < COUNT(budgets); b++) {
            hr_model *model = fit_directions(&t, budgets[b].epsilon, budgets[b].delta, losses[l], b),
                     *without = fit_directions(&plain, budgets[b].epsilon, budgets[b].delta, losses[l], b);
            assert_true(is_monotone(model, t.schema));
            assert_steps(model, UP, b);
            assert_steps(model, DOWN, b);
            free_breaks += !is_monotone(without, t.schema);
            hr_model_free(without);
            hr_model_free(model);
        }
        table_close(&plain);
        table_close(&t);
    }
    assert_int_equal(free_breaks, COUNT(labels) * COUNT(budgets));
}

/* With a direction for a feature of one value, which no tree splits by, the model is that without a
 * direction. */
static void test_monotone__changes_nothing_where_nothing_is_ordered(void **state) {
    (void)state;
    char *texts[2];
    for (int directed = 0; directed < 2; directed++) {
        table t = table_open(ROWS, 2);
        hr_column features[2] = {number_column("x", 0, 1), number_column("same", 0, 0)};
        features[1].monotone = directed ? HR_MONOTONE_INCREASING : HR_MONOTONE_NONE;
        uint64_t seed = 5;
        for (size_t i = 0; i < ROWS; i++) {
            t.columns[0][i] = next_unit(&seed);
            t.labels[i] = t.columns[0][i] > .3;
        }
        table_make(&t, category_column("y", 2), features);
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 7);
        texts[directed] = fit_text(t.data, &options);
        table_close(&t);
    }
    static const char key[] = ", \"monotone\": \"increasing\"";
    char *at = strstr(texts[1], key);
    assert_non_null(at);
    memmove(at, at + strlen(key), strlen(at + strlen(key)) + 1);
    assert_string_equal(texts[0], texts[1]);
    for (int i = 0; i < 2; i++) hr_text_free(texts[i]);
}

/* A start that breaks the directions is refused, before anything is spent; one that has them may be
 * continued. */
static void test_monotone__holds_for_the_trees_of_a_start(void **state) {
    (void)state;
    table t = table_of_directions(number_column("y", -1, 1), true, 3),
          plain = table_of_directions(number_column("y", -1, 1), false, 3);
    hr_model *starts[] = {fit_directions(&t, 2, 1e-6, HR_LOSS_SQUARE, 1),
                          fit_directions(&plain, 2, 1e-6, HR_LOSS_SQUARE, 1)};
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 9);
    hr_error err = {0};
    hr_model *model = NULL;
    options.start_is_public = true; /* fixed noise is not private */
    options.start = starts[1];
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "start");
    assert_non_null(strstr(err.message, "the start is not monotone in "));
    options.start = starts[0];
    model = fit(t.data, &options);
    assert_true(is_monotone(model, t.schema));
    assert_true(model->forest.tree_count > starts[0]->forest.tree_count);
    hr_model_free(model);
    model = fit(plain.data, &options); /* without directions any start will do */
    assert_false(is_monotone(model, t.schema));
    hr_model_free(model);
    for (int i = 0; i < 2; i++) hr_model_free(starts[i]);
    table_close(&plain);
    table_close(&t);
}

static void test_monotone__is_proved_whenever_a_model_is_read(void **state) {
    (void)state;
    table t = table_of_directions(category_column("y", 2), true, 4);
    hr_model *model = fit_directions(&t, 4, 1e-6, HR_LOSS_SQUARE, 1);
    char *json = written_again(model);
    hr_model *again = parse_model(json);
    assert_non_null(strstr(json, "\"hedgerow-model\": 4,"));
    assert_int_equal(hr_schema_feature(again->schema, DOWN)->monotone, HR_MONOTONE_DECREASING);
    hr_model_free(again);
    static const forged_model faults[] = {
        {"\"monotone\": \"increasing\"", "\"monotone\": \"decreasing\"", NULL,
         "the schema says that the model is monotone in up", 0},
        {"\"monotone\": \"increasing\"", "\"monotone\": \"upward\"", NULL, "the value 'upward' is unknown",
         0},
        {"\"hedgerow-model\": 4", "\"hedgerow-model\": 3", NULL, "version 3 has no monotone features", 0},
        {"\"label\": {\"name\": \"y\"", "\"label\": {\"monotone\": \"increasing\", \"name\": \"y\"", NULL,
         "the key is unknown", 0},
    };
    refuse_forged(json, faults, COUNT(faults));
    hr_text_free(json);
    hr_model_free(model);
    table_close(&t);
}

static void assert_refused_directions(const hr_data *data, hr_fit_options *options, const char *message) {
    hr_error err = {0};
    hr_model *model = NULL;
    assert_int_equal(hr_fit(data, options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "up");
    if (!strstr(err.message, message)) fail_msg("%s, not %s", err.message, message);
}

static void test_monotone__is_refused_by_name(void **state) {
    (void)state;
    table t = table_of_directions(category_column("y", 2), true, 5),
          more = table_of_directions(category_column("y", 3), true, 5);
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *method = hr_method_at(i);
        hr_fit_options options;
        hr_mode mode = *method->sound ? HR_MODE_SOUND : HR_MODE_PAPER;
        if (hr_method_can(method->name, HR_CAN_MONOTONE) || hr_method_named(method->name)->predicts_nothing)
            continue;
        if (hr_fit_options_init(&options, method->name, mode, NULL))
            assert_int_equal(hr_fit_options_init(&options, method->name, HR_MODE_SOUND, NULL), HR_OK);
        assert_refused_directions(t.data, &options, method->name);
    }
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 1);
    assert_refused_directions(more.data, &options, "with more than two classes no feature is monotone");
    table_close(&more);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_monotone__no_prediction_steps_back),
        cmocka_unit_test(test_monotone__changes_nothing_where_nothing_is_ordered),
        cmocka_unit_test(test_monotone__holds_for_the_trees_of_a_start),
        cmocka_unit_test(test_monotone__is_proved_whenever_a_model_is_read),
        cmocka_unit_test(test_monotone__is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
