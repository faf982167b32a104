/* Class weights: what a record weighs, that no record or person weighs more than without them, what such fits
 * charge, what they do, and what is refused. */
#include "fit/weights.h"
#include "support/person_tables.h"
#include "support/tables.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 4000 };

/* Classes in halves of [0, 1] that overlap by a third; the second has a tenth of the records. */
static table table_of_rare_class(void) {
    table t = table_open(ROWS, 1);
    uint64_t random = 5;
    for (size_t i = 0; i < ROWS; i++) {
        t.labels[i] = i % 10 == 0;
        t.columns[0][i] = .5 * (double)(next_random(&random) % 1000) / 1000 + .25 * t.labels[i];
    }
    table_make_plain(&t, 2);
    return t;
}

static hr_fit_options weighted_options(const char *method, const double *weights, size_t count) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = 50;
    options.class_weights = weights;
    options.class_weight_count = count;
    return options;
}

static const hr_release_info *line_of(const hr_model *model, const char *what, hr_release_info *out) {
    for (size_t i = 0; hr_model_release_at(model, i, out); i++)
        if (!strcmp(out->what, what)) return out;
    fail_msg("no line %s", what);
    return NULL;
}

static void test_weights__are_those_of_the_class_scaled_to_one_and_rounded_down(void **state) {
    (void)state;
    table t = table_of_rare_class();
    static const double weights[][2] = {{1, 9}, {3, 1}, {1, 1}, {1e-3, 7e-4}, {1e300, 1e299}};
    for (size_t w = 0; w < COUNT(weights); w++) {
        hr_fit_options options = weighted_options("hedge", weights[w], 2);
        hr_weighted weighted = {0};
        double largest = fmax(weights[w][0], weights[w][1]);
        assert_int_equal(hr_weights_apply(t.data, &options, &weighted, NULL), HR_OK);
        for (size_t i = 0; i < ROWS; i++) {
            uint32_t wanted = (uint32_t)floor(weights[w][(size_t)t.labels[i]] / largest * 65536);
            assert_int_equal(hr_data_weights(weighted.data)[i], wanted);
            assert_true(hr_data_weights(weighted.data)[i] <= 65536);
        }
        hr_weighted_done(&weighted);
    }
    assert_null(hr_data_weights(t.data));
    table_close(&t);
}

/* A person of 50 records of both classes, with every ratio. */
static void test_persons__weigh_no_more_than_without_class_weights(void **state) {
    (void)state;
    person_tables tables;
    person_tables_open(&tables, 2, &(person_canary){50, true}, 1);
    for (double ratio = 1; ratio <= 1000; ratio *= 1.7) {
        const double weights[] = {1, ratio};
        hr_fit_options options = weighted_options("hedge", weights, 2);
        hr_weighted weighted = {0};
        assert_int_equal(hr_weights_apply(tables.with, &options, &weighted, NULL), HR_OK);
        for (size_t i = 0; i < hr_data_rows(tables.with); i++)
            assert_true(hr_data_weights(weighted.data)[i] <= hr_data_weights(tables.with)[i]);
        hr_weighted_done(&weighted);
    }
    person_tables_close(&tables);
}

static void test_fits__charge_weights_as_those_of_persons(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost"}, *const counts[] = {"sum of weights",
                                                                                  "leaf count"};
    static const double weights[] = {1, 9};
    table t = table_of_rare_class();
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = weighted_options(methods[m], weights, 2);
        hr_release_info line;
        hr_model *model = fit(t.data, &options);
        assert_int_equal(line_of(model, "leaf count", &line)->sensitivity, 65536);
        if (!m) assert_int_equal(line_of(model, counts[0], &line)->sensitivity, 65536);
        assert_string_equal(hr_model_guarantee(model)->unit, "one record");
        assert_non_null(strstr(hr_model_guarantee(model)->statement, "Records weigh by their classes"));
        hr_model_free(model);
    }
    table_close(&t);
}

static double share_of_rare_class_found(const hr_model *model, const table *t) {
    double *p = predictions_of(model, t->data), found = 0, all = 0;
    for (size_t i = 0; i < t->rows; i++) {
        all += t->labels[i];
        found += t->labels[i] > 0 && p[2 * i + 1] > .5;
    }
    free(p);
    return found / all;
}

/* At epsilon 50 the noise of either is far below the difference. */
static void test_a_rare_class__is_found_if_it_weighs_more(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost"};
    static const double weights[] = {1, 30};
    table t = table_of_rare_class();
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = weighted_options(methods[m], NULL, 0);
        hr_model *even = fit(t.data, &options);
        options = weighted_options(methods[m], weights, 2);
        hr_model *weighed = fit(t.data, &options);
        assert_true(share_of_rare_class_found(even, &t) < .7);
        assert_true(share_of_rare_class_found(weighed, &t) > .9);
        hr_model_free(even);
        hr_model_free(weighed);
    }
    table_close(&t);
}

typedef struct wrong_weights {
    const char *method;
    double weights[3];
    size_t count;
    const char *message;
} wrong_weights;

static const wrong_weights wrong[] = {
    {"hedge", {1, 0}, 2, "no number above 0"},
    {"hedge", {1, -1}, 2, "no number above 0"},
    {"hedge", {1, (double)NAN}, 2, "no number above 0"},
    {"hedge", {(double)INFINITY, 1}, 2, "no number above 0"},
    {"hedge", {1, 1001}, 2, "more than 1000 times"},
    {"hedge", {1}, 1, "more or fewer class weights"},
    {"hedge", {1, 1, 1}, 3, "more or fewer class weights"},
    {"para", {1, 2}, 2, "cannot weigh classes"},
    {"gbdt", {1, 2}, 2, "cannot weigh classes"},
};

static void test_class_weights__that_are_wrong_are_refused(void **state) {
    (void)state;
    table t = table_of_rare_class(), numbers = table_of_steps(100, 2, 0, 1);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        hr_fit_options options = weighted_options(wrong[i].method, wrong[i].weights, wrong[i].count);
        hr_model *model = NULL;
        hr_error err = {0};
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        if (!strstr(err.message, wrong[i].message)) fail_msg("%s", err.message);
        assert_string_equal(err.field, "class-weight");
        assert_null(model);
    }
    hr_fit_options options = weighted_options("hedge", wrong[0].weights, 2);
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(numbers.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "this model predicts a number"));
    table_close(&t);
    table_close(&numbers);
}

/* What a start says of a record was fitted to records that count 1 each. */
static void test_class_weights__are_refused_beside_a_start(void **state) {
    (void)state;
    static const double weights[] = {1, 9};
    table t = table_of_rare_class();
    hr_fit_options first = options_of("hedge", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &first);
    for (int is_public = 0; is_public < 2; is_public++) {
        hr_fit_options options = weighted_options("hedge", weights, 2);
        hr_model *model = NULL;
        hr_error err = {0};
        options.start = start;
        options.start_is_public = is_public;
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "class-weight");
        assert_null(model);
    }
    hr_model_free(start);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights__are_those_of_the_class_scaled_to_one_and_rounded_down),
        cmocka_unit_test(test_persons__weigh_no_more_than_without_class_weights),
        cmocka_unit_test(test_fits__charge_weights_as_those_of_persons),
        cmocka_unit_test(test_a_rare_class__is_found_if_it_weighs_more),
        cmocka_unit_test(test_class_weights__that_are_wrong_are_refused),
        cmocka_unit_test(test_class_weights__are_refused_beside_a_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
