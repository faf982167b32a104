/* Some records of a data set as a data set of their own. */
#include "support/reader_checks.h"
#include "tables/data/records.h"

static const char schema_text[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: "
                                  "1}\nfeatures: [{name: n, kind: number, "
                                  "low: 0, high: 10}, {name: c, kind: category, values: [a, b, d]}]\n";

static hr_data *must_borrow(const hr_schema *schema, const double *const *columns, const double *labels) {
    hr_data *data = NULL;
    hr_array arrays[2] = {{columns[0], HR_ELEMENT_FLOAT64, sizeof(double)},
                          {columns[1], HR_ELEMENT_FLOAT64, sizeof(double)}};
    hr_array label = {labels, HR_ELEMENT_FLOAT64, sizeof(double)};
    assert_int_equal(
        hr_data_borrow(schema, &(hr_arrays){.rows = 4, .columns = arrays, .labels = labels ? &label : NULL},
                       &data, NULL),
        HR_OK);
    return data;
}

static void test_take__copies_the_records_it_is_told(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    double n[] = {5, (double)NAN, 0, 10}, c[] = {0, 1, 2, 3}, y[] = {-1, 0.5, 1, 0};
    const double *const columns[] = {n, c};
    const uint32_t rows[] = {3, 1, 1};
    hr_data *data = must_borrow(schema, columns, y), *taken = hr_data_take(data, rows, 3);
    assert_non_null(taken);
    hr_data_free(data);
    for (size_t i = 0; i < 4; i++) n[i] = y[i] = 7; /* the copy stands by itself */
    assert_ptr_equal(hr_data_schema(taken), schema);
    assert_int_equal(hr_data_rows(taken), 3);
    const double *numbers = hr_data_numbers(taken, 0), *labels = hr_data_labels(taken);
    const uint16_t *codes = hr_data_codes(taken, 1);
    assert_true(numbers[0] == 10 && isnan(numbers[1]) && isnan(numbers[2]));
    assert_true(labels[0] == 0 && labels[1] == 0.5 && labels[2] == 0.5);
    assert_true(codes[0] == 3 && codes[1] == 1 && codes[2] == 1);
    assert_null(hr_data_numbers(taken, 1));
    assert_null(hr_data_codes(taken, 0));
    hr_data_free(taken);
    hr_schema_free(schema);
}

static void test_take__needs_no_records_and_no_labels(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    double n[4] = {0}, c[4] = {0};
    const double *const columns[] = {n, c};
    hr_data *data = must_borrow(schema, columns, NULL), *taken = hr_data_take(data, NULL, 0);
    assert_non_null(taken);
    assert_int_equal(hr_data_rows(taken), 0);
    assert_false(hr_data_has_labels(taken));
    assert_non_null(hr_data_numbers(taken, 0));
    hr_data_free(taken);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* Columns in the order of a schema that lacks the first one. */
static void test_part__has_the_columns_of_its_features(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text),
              *fewer = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: 1}\n"
                                   "features: [{name: c, kind: category, values: [a, b, d]}]\n");
    double n[] = {5, (double)NAN, 0, 10}, c[] = {0, 1, 2, 3}, y[] = {-1, 0.5, 1, 0};
    const double *const columns[] = {n, c};
    const uint32_t rows[] = {0, 1, 2, 3};
    const size_t features[] = {1};
    hr_data *borrowed = must_borrow(schema, columns, y), *own = hr_data_take(borrowed, rows, 4);
    const hr_data *const wholes[] = {borrowed, own};
    for (size_t i = 0; i < 2; i++) {
        hr_data *part = hr_data_part(wholes[i], fewer, features);
        uint16_t codes[4];
        assert_non_null(part);
        assert_ptr_equal(hr_data_schema(part), fewer);
        assert_int_equal(hr_data_rows(part), 4);
        assert_memory_equal(hr_data_labels(part), y, sizeof y);
        const uint16_t *found = hr_data_code_block(part, 0, 0, 4, codes);
        for (uint16_t row = 0; row < 4; row++) assert_int_equal(found[row], row);
        hr_data_free(part);
    }
    hr_data_free(own);
    hr_data_free(borrowed);
    hr_schema_free(fewer);
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take__copies_the_records_it_is_told),
        cmocka_unit_test(test_take__needs_no_records_and_no_labels),
        cmocka_unit_test(test_part__has_the_columns_of_its_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
