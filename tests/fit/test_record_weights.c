/* Record weights: what a record weighs, that no record or person weighs more than without them, that they
 * train what class weights of the same numbers train, and what is refused. */
#include "fit/weights.h"
#include "support/person_tables.h"
#include "support/tables.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2000 };

/* Two classes, which the first of two columns tells apart. */
static table table_of_classes(void) {
    table t = table_open(ROWS, 2);
    uint64_t random = 5;
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = (double)(next_random(&random) % 1000) / 1000;
        t.columns[1][i] = (double)(next_random(&random) % 1000) / 1000;
        t.labels[i] = t.columns[0][i] > .5;
    }
    table_make_plain(&t, 2);
    return t;
}

static hr_fit_options weighted_options(const char *method, const double *weights, size_t count) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = 50;
    options.record_weights = weights;
    options.record_weight_count = count;
    return options;
}

/* Of each record's label. */
static double *weights_by_class(const table *t, double zero, double one) {
    double *weights = malloc(t->rows * sizeof *weights);
    assert_non_null(weights);
    for (size_t i = 0; i < t->rows; i++) weights[i] = t->labels[i] > 0 ? one : zero;
    return weights;
}

static void test_weights__are_rounded_down(void **state) {
    (void)state;
    table t = table_of_classes();
    const double wanted[] = {0, 1, .5, 1e-9, 1 - 0x1p-53, 0x1p-16, 1.9 / 65536, .3};
    double *weights = weights_by_class(&t, 1, 1);
    for (size_t i = 0; i < ROWS; i++) weights[i] = wanted[i % COUNT(wanted)];
    hr_fit_options options = weighted_options("hedge", weights, ROWS);
    hr_weighted weighted = {0};
    assert_int_equal(hr_weights_apply(t.data, &options, &weighted, NULL), HR_OK);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(hr_data_weights(weighted.data)[i], (uint32_t)floor(weights[i] * 65536));
    hr_weighted_done(&weighted);
    assert_null(hr_data_weights(t.data));
    free(weights);
    table_close(&t);
}

/* A person of 50 records, beside weights of classes. */
static void test_persons__weigh_no_more_than_without_record_weights(void **state) {
    (void)state;
    static const double classes[] = {1, 3};
    person_tables tables;
    person_tables_open(&tables, 2, &(person_canary){50, true}, 1);
    const size_t rows = hr_data_rows(tables.with);
    double *weights = malloc(rows * sizeof *weights);
    assert_non_null(weights);
    for (double r = 0; r <= 1; r += .125) {
        for (size_t i = 0; i < rows; i++) weights[i] = i % 2 ? r : 1;
        hr_fit_options options = weighted_options("hedge", weights, rows);
        options.class_weights = classes;
        options.class_weight_count = 2;
        hr_weighted weighted = {0};
        assert_int_equal(hr_weights_apply(tables.with, &options, &weighted, NULL), HR_OK);
        for (size_t i = 0; i < rows; i++) {
            double of_class = hr_data_labels(tables.with)[i] > 0 ? 1 : 1. / 3;
            uint32_t alone = hr_data_weights(tables.with)[i], most = (uint32_t)(of_class * alone);
            assert_int_equal(hr_data_weights(weighted.data)[i], (uint32_t)(weights[i] * most));
        }
        hr_weighted_done(&weighted);
    }
    free(weights);
    person_tables_close(&tables);
}

/* The forest of a model: what stands behind its settings and its statement. */
static char *forest_of(const hr_model *model) {
    char *text = NULL;
    assert_int_equal(hr_model_render(model, &text, NULL), HR_OK);
    const char *at = strstr(text, "\"trees\": [");
    assert_non_null(at);
    memmove(text, at, strlen(at) + 1);
    return text;
}

static void assert_same_lines(const hr_model *a, const hr_model *b) {
    hr_release_info one, two;
    assert_int_equal(hr_model_release_count(a), hr_model_release_count(b));
    for (size_t i = 0; hr_model_release_at(a, i, &one); i++) {
        assert_true(hr_model_release_at(b, i, &two));
        assert_string_equal(one.what, two.what);
        assert_true(one.sensitivity == two.sensitivity && one.scale == two.scale);
    }
}

static void test_weights_of_classes__train_what_class_weights_train(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost", "inprivate", "diprime", "dp-ert", "dp-df"};
    static const double classes[] = {.25, 1};
    table t = table_of_classes();
    double *weights = weights_by_class(&t, .25, 1);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = weighted_options(methods[m], weights, ROWS);
        options.reproducible_noise = true;
        hr_model *by_record = fit(t.data, &options);
        options.record_weights = NULL;
        options.class_weights = classes;
        options.class_weight_count = 2;
        hr_model *by_class = fit(t.data, &options);
        char *one = forest_of(by_record), *two = forest_of(by_class);
        assert_string_equal(one, two);
        assert_same_lines(by_record, by_class);
        free(one);
        free(two);
        hr_model_free(by_record);
        hr_model_free(by_class);
    }
    free(weights);
    table_close(&t);
}

#define COLUMNS                                                                                              \
    "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [no, yes]}\n"                               \
    "features: [{name: a, kind: number, low: 0, high: 1}, {name: b, kind: number, low: 0, high: 1}]\n"

/* The records of table_of_classes, with the weights of `of_record`, as parts of 4. */
static hr_data *data_with_weights(const table *t, const double *of_record, const hr_schema *schema) {
    char *text = malloc(ROWS * 64), *at = text;
    assert_non_null(text);
    at += sprintf(at, "a,b,w,y\n");
    for (size_t i = 0; i < t->rows; i++)
        at += sprintf(at, "%.17g,%.17g,%.17g,%s\n", t->columns[0][i], t->columns[1][i], 4 * of_record[i],
                      t->labels[i] > 0 ? "yes" : "no");
    hr_data *data = data_of_text(schema, text);
    free(text);
    return data;
}

static void test_weights_of_the_schema__train_what_record_weights_train(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost", "inprivate", "diprime", "dp-ert", "dp-df"};
    table t = table_of_classes();
    double *weights = weights_by_class(&t, .25, 1);
    for (size_t i = 0; i < ROWS; i += 3) weights[i] = (double)(i % 17) / 17;
    hr_schema *plain = schema_of_text(COLUMNS),
              *weighted = schema_of_text(COLUMNS "weight: {column: w, high: 4}\n");
    hr_data *without = data_with_weights(&t, weights, plain),
            *with = data_with_weights(&t, weights, weighted);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = weighted_options(methods[m], weights, ROWS);
        options.reproducible_noise = true;
        hr_model *by_option = fit(without, &options);
        options.record_weights = NULL;
        hr_model *by_schema = fit(with, &options);
        char *one = forest_of(by_option), *two = forest_of(by_schema);
        assert_string_equal(one, two);
        assert_same_lines(by_option, by_schema);
        assert_null(hr_schema_weight(hr_model_schema(by_schema), NULL));
        free(one);
        free(two);
        hr_model_free(by_option);
        hr_model_free(by_schema);
    }
    hr_data_free(with);
    hr_data_free(without);
    hr_schema_free(weighted);
    hr_schema_free(plain);
    free(weights);
    table_close(&t);
}

static void test_the_statement__says_who_vouches(void **state) {
    (void)state;
    table t = table_of_classes();
    double *weights = weights_by_class(&t, .5, 1);
    hr_fit_options options = weighted_options("hedge", weights, ROWS);
    hr_model *model = fit(t.data, &options);
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(g->is_private);
    assert_string_equal(g->unit, "one record");
    assert_non_null(strstr(g->statement, "as the owner declares"));
    hr_model_free(model);
    free(weights);
    table_close(&t);
}

static void assert_refused(const table *t, const hr_fit_options *options, const char *message) {
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t->data, options, &model, &err), HR_E_ARGUMENT);
    if (!strstr(err.message, message)) fail_msg("%s", err.message);
    assert_string_equal(err.field, "record-weights");
    assert_null(model);
}

static void test_numbers_outside_0_to_1__are_refused(void **state) {
    (void)state;
    static const double wrong[] = {1.5, -.1, 3, 1 + 0x1p-52, -0x1p-1074, (double)NAN, (double)INFINITY};
    table t = table_of_classes();
    double *weights = weights_by_class(&t, 1, 1);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        weights[ROWS - 1] = wrong[i];
        hr_fit_options options = weighted_options("hedge", weights, ROWS);
        assert_refused(&t, &options, "record 2000 has the weight");
    }
    free(weights);
    table_close(&t);
}

static void test_fits_that_cannot_weigh__are_refused(void **state) {
    (void)state;
    table t = table_of_classes();
    double *weights = weights_by_class(&t, 1, 1);
    hr_fit_options first = options_of("hedge", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &first);
    hr_fit_options options = weighted_options("hedge", weights, ROWS);
    options.start = start;
    assert_refused(&t, &options, "continues a model");
    options = weighted_options("hedge", weights, ROWS - 1);
    assert_refused(&t, &options, "more or fewer weights");
    static const char *const unable[] = {"gbdt", "para", "rf"};
    for (size_t i = 0; i < COUNT(unable); i++) {
        options = weighted_options(unable[i], weights, ROWS);
        assert_refused(&t, &options, "cannot weigh records");
    }
    options = options_of("dpboost", HR_MODE_PAPER);
    options.record_weights = weights;
    options.record_weight_count = ROWS;
    assert_refused(&t, &options, "cannot weigh records");
    hr_model_free(start);
    free(weights);
    table_close(&t);
}

/* The sample has other records in its rows than the table. */
static void test_samples_of_persons__are_refused(void **state) {
    (void)state;
    person_tables tables;
    person_tables_open(&tables, 2, &(person_canary){50, true}, 1);
    const size_t rows = hr_data_rows(tables.with);
    double *weights = calloc(rows, sizeof *weights);
    assert_non_null(weights);
    hr_fit_options options = weighted_options("hedge", weights, rows);
    options.records_per_person = 2;
    assert_refused(&(table){.data = tables.with}, &options, "records of persons are drawn");
    free(weights);
    person_tables_close(&tables);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights__are_rounded_down),
        cmocka_unit_test(test_persons__weigh_no_more_than_without_record_weights),
        cmocka_unit_test(test_weights_of_classes__train_what_class_weights_train),
        cmocka_unit_test(test_weights_of_the_schema__train_what_record_weights_train),
        cmocka_unit_test(test_the_statement__says_who_vouches),
        cmocka_unit_test(test_numbers_outside_0_to_1__are_refused),
        cmocka_unit_test(test_fits_that_cannot_weigh__are_refused),
        cmocka_unit_test(test_samples_of_persons__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
