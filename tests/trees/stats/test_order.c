/* The same model whatever the order of records and the number of threads: what integers are for. */
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"

#include <hedgerow/model.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 5 };

typedef struct sample {
    size_t rows;
    double *columns[FEATURES], *labels;
    hr_schema *schema;
} sample;

static hr_schema *schema_new(size_t classes) {
    static const char *const values[] = {"a", "b", "c", "d", "e", "f"};
    const hr_column features[FEATURES] = {
        {.name = "u", .kind = HR_KIND_NUMBER, .low = -8, .high = 8},
        {.name = "v", .kind = HR_KIND_NUMBER, .low = 0, .high = 50, .integer = true},
        {.name = "w", .kind = HR_KIND_CATEGORY, .value_count = 6, .values = values},
        {.name = "x", .kind = HR_KIND_NUMBER, .low = 0, .high = 1e9},
        {.name = "z", .kind = HR_KIND_NUMBER, .low = 0, .high = 1}};
    hr_column label = {.name = "y", .kind = HR_KIND_NUMBER, .low = -20, .high = 20};
    if (classes)
        label = (hr_column){.name = "y", .kind = HR_KIND_CATEGORY, .value_count = classes, .values = values};
    hr_schema *schema;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = features, .feature_count = FEATURES},
                       &schema, NULL),
        HR_OK);
    return schema;
}

static double label_of(hr_dice *dice, double u, double v, double w, size_t classes) {
    double y = (isnan(u) ? 1 : u * u) + .1 * v + (w == 3 ? 4 : 0) + hr_dice_normal(dice);
    return classes ? fmin((double)classes - 1, fmax(0, floor(y / 3))) : fmax(-20, fmin(20, y));
}

static sample sample_new(uint64_t seed, size_t rows, size_t classes) {
    sample s = {.rows = rows, .labels = malloc(rows * sizeof(double)), .schema = schema_new(classes)};
    assert_non_null(s.labels);
    for (int j = 0; j < FEATURES; j++) {
        s.columns[j] = malloc(rows * sizeof(double));
        assert_non_null(s.columns[j]);
    }
    hr_dice dice;
    hr_dice_init(&dice, seed);
    for (size_t i = 0; i < rows; i++) {
        s.columns[0][i] = hr_dice_below(&dice, 12) ? hr_dice_normal(&dice) : (double)NAN;
        s.columns[1][i] = (double)hr_dice_below(&dice, 51);
        s.columns[2][i] = (double)hr_dice_below(&dice, 7);
        s.columns[3][i] = exp(20 * hr_dice_unit(&dice));
        s.columns[4][i] = (double)hr_dice_below(&dice, 3) / 2;
        s.labels[i] = label_of(&dice, s.columns[0][i], s.columns[1][i], s.columns[2][i], classes);
    }
    return s;
}

static void sample_done(sample *s) {
    for (int j = 0; j < FEATURES; j++) free(s->columns[j]);
    free(s->labels);
    hr_schema_free(s->schema);
}

static void shuffle(sample *s, uint64_t seed) {
    hr_dice dice;
    hr_dice_init(&dice, seed);
    for (size_t i = s->rows; i > 1; i--) {
        size_t k = hr_dice_below(&dice, i);
        for (int j = -1; j < FEATURES; j++) {
            double *values = j < 0 ? s->labels : s->columns[j], kept = values[i - 1];
            values[i - 1] = values[k], values[k] = kept;
        }
    }
}

/* Everything that a model says, as text. */
static char *model_of(const sample *s, const char *const (*settings)[2], int threads) {
    hr_fit_options options;
    hr_data *data;
    hr_model *model;
    char *text;
    assert_int_equal(
        hr_data_from_arrays(s->schema, s->rows, (const double *const *)s->columns, s->labels, &data, NULL),
        HR_OK);
    assert_int_equal(hr_fit_options_init(&options, "gbdt", HR_MODE_SOUND, NULL), HR_OK);
    for (; (*settings)[0]; settings++)
        assert_int_equal(hr_fit_options_set(&options, (*settings)[0], (*settings)[1], NULL), HR_OK);
    options.threads = threads;
    assert_int_equal(hr_fit(data, &options, &model, NULL), HR_OK);
    assert_int_equal(hr_model_render(model, &text, NULL), HR_OK);
    hr_model_free(model);
    hr_data_free(data);
    return text;
}

static void check_orders(size_t rows, size_t classes, const char *const (*settings)[2], int max_threads) {
    sample s = sample_new(rows + classes, rows, classes);
    char *first = model_of(&s, settings, 1);
    assert_true(strlen(first) > 1000);
    for (int threads = 1; threads <= max_threads; threads++) {
        char *again = model_of(&s, settings, threads);
        assert_string_equal(first, again);
        hr_text_free(again);
        shuffle(&s, (uint64_t)threads);
        again = model_of(&s, settings, threads);
        assert_string_equal(first, again);
        hr_text_free(again);
    }
    hr_text_free(first);
    sample_done(&s);
}

static const char *const square[][2] = {{"trees", "12"}, {"depth", "5"}, {"loss", "square"}, {NULL, NULL}};
static const char *const logistic[][2] = {
    {"trees", "12"}, {"depth", "4"}, {"loss", "logistic"}, {NULL, NULL}};
static const char *const few[][2] = {{"trees", "2"}, {"depth", "3"}, {"bins", "16"}, {NULL, NULL}};

static void test_order__does_not_matter_to_numbers(void **state) {
    (void)state;
    check_orders(3000, 0, square, 4);
    check_orders(7, 0, square, 2);
}

static void test_order__does_not_matter_to_two_classes(void **state) {
    (void)state;
    check_orders(3000, 2, logistic, 4);
    check_orders(3000, 2, square, 2);
}

static void test_order__does_not_matter_to_many_classes(void **state) {
    (void)state;
    check_orders(2000, 4, logistic, 4);
    check_orders(2000, 3, square, 2);
}

static void test_order__does_not_matter_above_the_sample_of_edges(void **state) {
    (void)state;
    check_orders((1 << 18) + 4321, 0, few, 2);
}

/* A label that every record shares leaves no residual to scale gradients by. */
static void test_fit__takes_labels_that_are_all_the_same(void **state) {
    (void)state;
    static const char *const(*const settings[])[2] = {square, square, logistic, logistic};
    static const size_t classes[] = {0, 2, 2, 3};
    for (int c = 0; c < 4; c++) {
        sample s = sample_new(1, 300, classes[c]);
        for (size_t i = 0; i < s.rows; i++) s.labels[i] = 1;
        char *text = model_of(&s, settings[c], 2);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        hr_model *model;
        assert_int_equal(hr_model_parse(text, strlen(text), "model", &model, NULL), HR_OK);
        hr_model_free(model);
        hr_text_free(text);
        sample_done(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order__does_not_matter_to_numbers),
        cmocka_unit_test(test_order__does_not_matter_to_two_classes),
        cmocka_unit_test(test_order__does_not_matter_to_many_classes),
        cmocka_unit_test(test_order__does_not_matter_above_the_sample_of_edges),
        cmocka_unit_test(test_fit__takes_labels_that_are_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
