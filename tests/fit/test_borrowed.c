/* Models and predictions are the same, bit for bit, however the columns lie in memory. */
#include "support/layouts.h"
#include "support/tables.h"

enum { ROWS = 2500, SAMPLED_ROWS = (1 << 18) + 3000, NUMBERS = 3, CATEGORY = NUMBERS, FEATURES };

/* Numbers that float32 represents: within, on and beyond the bounds, some missing; and codes. */
static table table_of_floats(size_t rows) {
    static const char *const names[NUMBERS] = {"x0", "x1", "x2"};
    hr_column features[FEATURES];
    table t = table_open(rows, FEATURES);
    uint64_t seed = 12;
    for (size_t i = 0; i < rows; i++) {
        for (size_t f = 0; f < NUMBERS; f++)
            t.columns[f][i] = i % 37 == f ? (double)NAN : (double)(float)(1.1 * next_unit(&seed) - .05);
        t.columns[CATEGORY][i] = (double)(next_random(&seed) % 4);
        t.labels[i] = t.columns[0][i] + t.columns[1][i] > 1 || t.columns[CATEGORY][i] == 2;
    }
    for (size_t f = 0; f < NUMBERS; f++) features[f] = number_column(names[f], 0, 1);
    features[CATEGORY] = category_column("c", 3);
    table_make(&t, category_column("y", 2), features);
    return t;
}

typedef struct borrowed {
    laid_out columns[FEATURES];
    hr_data *data;
} borrowed;

static borrowed borrow(const table *t, layout numbers, layout codes) {
    borrowed b = {0};
    hr_array arrays[FEATURES], labels = {t->labels, HR_ELEMENT_FLOAT64, sizeof(double)};
    for (size_t f = 0; f < FEATURES; f++) {
        b.columns[f] = lay_out(t->columns[f], t->rows, f == CATEGORY ? codes : numbers);
        arrays[f] = b.columns[f].array;
    }
    assert_int_equal(hr_data_borrow(t->schema,
                                    &(hr_arrays){.rows = t->rows, .columns = arrays, .labels = &labels},
                                    &b.data, NULL),
                     HR_OK);
    return b;
}

static void give_back(borrowed *b) {
    hr_data_free(b->data);
    for (size_t f = 0; f < FEATURES; f++) free(b->columns[f].block);
}

static void check_fit(const table *t, const borrowed *b, const hr_fit_options *options) {
    hr_model *copied = fit(t->data, options), *model = fit(b->data, options);
    char *wanted = render(copied), *text = render(model);
    double *of_copy = predictions_of(copied, t->data), *said = predictions_of(copied, b->data);
    assert_string_equal(text, wanted);
    assert_memory_equal(said, of_copy, t->rows * hr_model_output_count(copied) * sizeof *said);
    free(of_copy);
    free(said);
    hr_text_free(wanted);
    hr_text_free(text);
    hr_model_free(copied);
    hr_model_free(model);
}

static void check_method(const hr_fit_options *options) {
    table t = table_of_floats(ROWS);
    for (size_t k = 0; k < LAYOUTS_OF_NUMBERS; k++) {
        borrowed b = borrow(&t, layouts[k], layouts[k + LAYOUTS - LAYOUTS_OF_NUMBERS]);
        check_fit(&t, &b, options);
        give_back(&b);
    }
    table_close(&t);
}

static void set(hr_fit_options *options, const char *name, const char *value) {
    assert_int_equal(hr_fit_options_set(options, name, value, NULL), HR_OK);
}

static void check_seeded(const char *method, hr_mode mode, const char *trees) {
    hr_fit_options options = seeded_options_of(method, mode, 3);
    if (trees) set(&options, "trees", trees);
    check_method(&options);
}

static void test_borrowed__hedge_trains_alike(void **state) {
    (void)state;
    check_seeded("hedge", HR_MODE_SOUND, NULL);
}

static void test_borrowed__gbdt_trains_alike(void **state) {
    (void)state;
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    set(&options, "trees", "4");
    check_method(&options);
}

/* Exact edges of so many records come from a sample. */
static void test_borrowed__edges_of_a_sample_are_alike(void **state) {
    (void)state;
    table t = table_of_floats(SAMPLED_ROWS);
    borrowed b = borrow(&t, (layout){HR_ELEMENT_FLOAT32, -12, 0}, (layout){HR_ELEMENT_UINT16, 2, 0});
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    set(&options, "trees", "1");
    check_fit(&t, &b, &options);
    give_back(&b);
    table_close(&t);
}

static void test_borrowed__diprime_trains_alike(void **state) {
    (void)state;
    check_seeded("diprime", HR_MODE_SOUND, "3");
    check_seeded("diprime", HR_MODE_PAPER, "3");
}

static void test_borrowed__inprivate_trains_alike(void **state) {
    (void)state;
    check_seeded("inprivate", HR_MODE_SOUND, "2");
    check_seeded("inprivate", HR_MODE_PAPER, "2");
}

static void test_borrowed__private_edges_are_alike(void **state) {
    (void)state;
    check_seeded("dpboost", HR_MODE_SOUND, "4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borrowed__hedge_trains_alike),
        cmocka_unit_test(test_borrowed__gbdt_trains_alike),
        cmocka_unit_test(test_borrowed__edges_of_a_sample_are_alike),
        cmocka_unit_test(test_borrowed__diprime_trains_alike),
        cmocka_unit_test(test_borrowed__inprivate_trains_alike),
        cmocka_unit_test(test_borrowed__private_edges_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
