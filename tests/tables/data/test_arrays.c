/* Data sets made from a caller's arrays. */
#include <hedgerow/data.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static hr_schema *schema_of(const char *label) {
    char text[300];
    hr_schema *schema = NULL;
    snprintf(text, sizeof text,
             "hedgerow-schema: 1\nlabel: %s\nfeatures: [{name: n, kind: number, low: 0, high: 10}, {name: c, "
             "kind: category, values: [a, "
             "b, d]}]\n",
             label);
    assert_int_equal(hr_schema_parse(text, strlen(text), "s", &schema, NULL), HR_OK);
    return schema;
}

static void test_arrays__are_copied_and_clipped(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 1}");
    double n[] = {5, (double)NAN, -(double)INFINITY, 11}, c[] = {0, (double)NAN, 1, 3},
           y[] = {-2, 0.5, (double)INFINITY, 1};
    const double *columns[] = {n, c};
    hr_data *data = NULL;
    assert_int_equal(hr_data_from_arrays(schema, 4, columns, y, &data, NULL), HR_OK);
    assert_ptr_equal(hr_data_schema(data), schema);
    assert_int_equal(hr_data_rows(data), 4);
    assert_true(hr_data_has_labels(data));
    const double *numbers = hr_data_numbers(data, 0), *labels = hr_data_labels(data);
    const uint16_t *codes = hr_data_codes(data, 1);
    assert_true(numbers[0] == 5 && isnan(numbers[1]) && numbers[2] == 0 && numbers[3] == 10);
    assert_true(labels[0] == -1 && labels[1] == 0.5 && labels[2] == 1 && labels[3] == 1);
    assert_true(codes[0] == 0 && codes[1] == 0 && codes[2] == 1 && codes[3] == 3);
    assert_null(hr_data_numbers(data, 1));
    assert_null(hr_data_codes(data, 0));
    const hr_column_report *of_n = hr_data_report(data, 0), *of_c = hr_data_report(data, 1),
                           *of_y = hr_data_report(data, 2);
    assert_true(of_n->missing == 1 && of_n->out_of_range == 2 && of_n->not_integer == 0);
    assert_true(of_c->missing == 2 && of_c->unknown == 0);
    assert_true(of_y->missing == 0 && of_y->out_of_range == 2);
    assert_int_equal(hr_data_extra_columns(data), 0);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_arrays__need_no_labels_and_no_rows(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: classes, values: [p, q, r]}");
    double none[1] = {0};
    const double *columns[] = {none, none};
    hr_data *data = NULL;
    assert_int_equal(hr_data_from_arrays(schema, 0, columns, NULL, &data, NULL), HR_OK);
    assert_false(hr_data_has_labels(data));
    assert_null(hr_data_labels(data));
    assert_int_equal(hr_data_rows(data), 0);
    hr_data_free(data);
    hr_data_free(NULL);
    hr_schema_free(schema);
}

static void test_arrays__refuse_bad_codes_and_labels(void **state) {
    (void)state;
    hr_schema *classes = schema_of("{name: y, kind: classes, values: [p, q, r]}"),
              *number = schema_of("{name: y, kind: number, low: 0, high: 1}");
    double n[] = {1, 2}, c[] = {1, 2}, y[] = {0, 1};
    const double *columns[] = {n, c};
    static const double bad_codes[] = {-1, 4, 0.5, (double)INFINITY, 1e300},
                        bad_classes[] = {-1, 3, 0.5, (double)NAN, (double)INFINITY};
    hr_data *data = NULL;
    hr_error err = {0};
    for (size_t i = 0; i < 5; i++) {
        c[1] = bad_codes[i];
        assert_int_equal(hr_data_from_arrays(classes, 2, columns, y, &data, &err), HR_E_SCHEMA);
        assert_string_equal(err.field, "c");
        assert_non_null(strstr(err.message, "row 2"));
        c[1] = 2;
        y[1] = bad_classes[i];
        assert_int_equal(hr_data_from_arrays(classes, 2, columns, y, &data, &err), HR_E_SCHEMA);
        assert_string_equal(err.field, "y");
        y[1] = 1;
    }
    y[0] = (double)NAN;
    assert_int_equal(hr_data_from_arrays(number, 2, columns, y, &data, &err), HR_E_SCHEMA);
    assert_int_equal(hr_data_from_arrays(number, (size_t)UINT32_MAX, columns, NULL, &data, &err), HR_E_LIMIT);
    assert_null(data);
    hr_schema_free(classes);
    hr_schema_free(number);
}

static hr_array adjacent(const double *at) {
    return (hr_array){at, HR_ELEMENT_FLOAT64, sizeof *at};
}

static void test_arrays__can_be_borrowed(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 1}");
    double n[] = {5, (double)NAN, 0, 10}, c[] = {0, (double)NAN, 1, 3}, y[] = {-1, 0.5, 0, 1};
    const hr_array columns[] = {adjacent(n), adjacent(c)}, labels = adjacent(y);
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(
        hr_data_borrow(schema, &(hr_arrays){.rows = 4, .columns = columns, .labels = &labels}, &data, NULL),
        HR_OK);
    assert_ptr_equal(hr_data_numbers(data, 0), n);
    assert_ptr_equal(hr_data_labels(data), y);
    hr_data_free(data);
    y[2] = 2; /* clipped, hence copied */
    assert_int_equal(
        hr_data_borrow(schema, &(hr_arrays){.rows = 4, .columns = columns, .labels = &labels}, &data, NULL),
        HR_OK);
    assert_true(hr_data_labels(data) != y && hr_data_labels(data)[2] == 1);
    hr_data_free(data);
    data = NULL;
    y[2] = (double)NAN;
    assert_int_equal(
        hr_data_borrow(schema, &(hr_arrays){.rows = 4, .columns = columns, .labels = &labels}, &data, &err),
        HR_E_SCHEMA);
    assert_string_equal(err.field, "y");
    assert_null(data);
    hr_schema_free(schema);
}

/* What a caller clipped or did not know when it read texts is in the report. */
static void test_arrays__keep_what_the_caller_counted(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 1}");
    const double n[] = {0, (double)NAN, 11}, c[] = {0, (double)NAN, 1};
    const hr_array columns[] = {adjacent(n), adjacent(c)};
    const hr_column_report read[] = {{.out_of_range = 2}, {.unknown = 1}}, too_many[] = {{0}, {.unknown = 9}};
    hr_data *data = NULL;
    assert_int_equal(
        hr_data_borrow(schema, &(hr_arrays){.rows = 3, .columns = columns, .read = read}, &data, NULL),
        HR_OK);
    const hr_column_report *of_n = hr_data_report(data, 0), *of_c = hr_data_report(data, 1);
    assert_true(of_n->missing == 1 && of_n->out_of_range == 3 && of_n->unknown == 0);
    assert_true(of_c->missing == 1 && of_c->unknown == 1);
    hr_data_free(data);
    assert_int_equal(
        hr_data_borrow(schema, &(hr_arrays){.rows = 3, .columns = columns, .read = too_many}, &data, NULL),
        HR_OK);
    of_c = hr_data_report(data, 1);
    assert_true(of_c->missing == 0 && of_c->unknown == 2);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* Records of packed fields, read forwards and backwards: odd addresses, and floats whose bound is none. */
static void test_arrays__may_have_any_stride_and_floats(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 0.1}");
    enum { ROWS = 3, SIZE = 1 + sizeof(double) + 2 * sizeof(float) };
    static const double n[ROWS] = {1, (double)NAN, 11};
    static const float c[ROWS] = {0, 3, NAN}, y[ROWS] = {-2, .1f, -.5f};
    static const double clipped[ROWS] = {1, 0, 10}, labels[ROWS] = {-1, .1, -.5};
    static const uint16_t codes[ROWS] = {0, 3, 0};
    char bytes[ROWS * SIZE];
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(bytes + i * SIZE + 1, &n[i], sizeof *n);
        memcpy(bytes + i * SIZE + 9, &c[i], sizeof *c);
        memcpy(bytes + i * SIZE + 13, &y[i], sizeof *y);
    }
    for (int backwards = 0; backwards <= 1; backwards++) {
        const char *first = bytes + (backwards ? (ROWS - 1) * SIZE : 0);
        const ptrdiff_t stride = backwards ? -SIZE : SIZE;
        const hr_array columns[] = {{first + 1, HR_ELEMENT_FLOAT64, stride},
                                    {first + 9, HR_ELEMENT_FLOAT32, stride}};
        const hr_array label = {first + 13, HR_ELEMENT_FLOAT32, stride};
        hr_data *data = NULL;
        assert_int_equal(hr_data_borrow(schema,
                                        &(hr_arrays){.rows = ROWS, .columns = columns, .labels = &label},
                                        &data, NULL),
                         HR_OK);
        for (size_t i = 0; i < ROWS; i++) {
            const size_t k = backwards ? ROWS - 1 - i : i;
            double buffer;
            uint16_t code;
            const double number = *hr_data_number_block(data, 0, i, 1, &buffer);
            assert_true(isnan(n[k]) ? isnan(number) : number == clipped[k]);
            assert_int_equal(*hr_data_code_block(data, 1, i, 1, &code), codes[k]);
            assert_true(hr_data_labels(data)[i] == labels[k]);
        }
        hr_data_free(data);
    }
    hr_schema_free(schema);
}

static void test_arrays__refuse_overlaps_and_other_elements(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 1}");
    const double n[] = {1, 2}, c[] = {1, 2};
    const struct {
        int element;
        ptrdiff_t stride;
    } cases[] = {{HR_ELEMENT_FLOAT64, 0},
                 {HR_ELEMENT_FLOAT64, 7},
                 {HR_ELEMENT_FLOAT64, -7},
                 {HR_ELEMENT_FLOAT32, 0},
                 {HR_ELEMENT_FLOAT32, 3},
                 {HR_ELEMENT_UINT16, 1},
                 {3, 8},
                 {-1, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hr_array columns[] = {adjacent(n), {c, (hr_element)cases[i].element, cases[i].stride}};
        hr_data *data = NULL;
        hr_error err = {0};
        assert_int_equal(hr_data_borrow(schema, &(hr_arrays){.rows = 2, .columns = columns}, &data, &err),
                         HR_E_ARGUMENT);
        assert_string_equal(err.field, "c");
        assert_null(data);
        assert_int_equal(hr_data_borrow(schema,
                                        &(hr_arrays){.rows = 2,
                                                     .columns = (const hr_array[]){adjacent(n), adjacent(c)},
                                                     .labels = &columns[1]},
                                        &data, &err),
                         HR_E_ARGUMENT);
        assert_string_equal(err.field, "y");
    }
    hr_schema_free(schema);
}

/* ---- Sparse ---- */

static hr_status make_sparse(const hr_schema *schema, const hr_sparse_arrays *arrays, hr_data **out,
                             hr_error *err) {
    *out = NULL;
    *err = (hr_error){0};
    return hr_data_from_sparse(schema, arrays, out, err);
}

static void test_sparse__arrays_give_what_columns_give(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 1}");
    const double values[] = {11, (double)NAN, 7, 3, (double)NAN, 0}, absent[] = {-1, 2},
                 n[] = {-1, 11, (double)NAN, -1, 7, -1}, c[] = {3, 2, (double)NAN, 2, 2, 0},
                 y[] = {-2, 0, .5, 1, 1, 3};
    const size_t begins[] = {0, 3, 6};
    const uint32_t rows[] = {1, 2, 4, 0, 2, 5};
    const hr_column_report read[2] = {{.out_of_range = 4}, {.unknown = 1}};
    const hr_array labels = adjacent(y), columns[] = {adjacent(n), adjacent(c)};
    const hr_arrays dense = {.rows = 6, .columns = columns, .labels = &labels, .read = read};
    const hr_sparse_arrays sparse = {6, begins, rows, values, absent, &labels, read};
    hr_data *mine, *other;
    hr_error err;
    assert_int_equal(make_sparse(schema, &sparse, &mine, &err), HR_OK);
    assert_int_equal(hr_data_borrow(schema, &dense, &other, NULL), HR_OK);
    assert_null(hr_data_numbers(mine, 0));
    assert_int_equal(hr_data_rows(mine), 6);
    assert_memory_equal(hr_data_labels(mine), hr_data_labels(other), sizeof y);
    for (size_t i = 0; i < 6; i++) {
        double a, b;
        uint16_t code, wanted;
        a = *hr_data_number_block(mine, 0, i, 1, &a);
        b = *hr_data_number_block(other, 0, i, 1, &b);
        assert_true(a == b || (isnan(a) && isnan(b)));
        assert_int_equal(*hr_data_code_block(mine, 1, i, 1, &code),
                         *hr_data_code_block(other, 1, i, 1, &wanted));
    }
    for (size_t f = 0; f < 3; f++)
        assert_memory_equal(hr_data_report(mine, f), hr_data_report(other, f), sizeof(hr_column_report));
    hr_data_free(mine);
    hr_data_free(other);
    hr_schema_free(schema);
}

static void test_sparse__arrays_that_are_no_table_are_refused(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: number, low: -1, high: 1}");
    const struct {
        size_t begins[3];
        uint32_t rows[3];
        double values[3], absent[2];
        hr_status status;
        const char *field, *message;
    } bad[] = {
        {{1, 2, 3}, {0, 1, 2}, {1, 1, 1}, {0, 0}, HR_E_ARGUMENT, "n", "1 to 2"},
        {{0, 3, 2}, {0, 1, 2}, {1, 1, 1}, {0, 0}, HR_E_ARGUMENT, "c", "3 to 2"},
        {{0, 1, 2}, {4, 1, 2}, {1, 1, 1}, {0, 0}, HR_E_ARGUMENT, "n", "row 4, and there are 4"},
        {{0, 5, 6}, {0, 1, 2}, {1, 1, 1}, {0, 0}, HR_E_ARGUMENT, "n", "5 cells, and there are 4 rows"},
        {{0, 2, 3}, {1, 1, 2}, {1, 1, 1}, {0, 0}, HR_E_ARGUMENT, "n", "row 1 comes after row 1"},
        {{0, 1, 3}, {1, 2, 1}, {1, 1, 1}, {0, 0}, HR_E_ARGUMENT, "c", "row 1 comes after row 2"},
        {{0, 1, 3}, {1, 0, 2}, {1, 1, 4}, {0, 0}, HR_E_SCHEMA, "c", "row 3: 4 is not a code"},
        {{0, 1, 3}, {1, 0, 2}, {1, 1, -1}, {0, 0}, HR_E_SCHEMA, "c", "row 3: -1 is not a code"},
        {{0, 1, 3}, {1, 0, 2}, {1, 1, 1}, {0, .5}, HR_E_SCHEMA, "c", "row 2: 0.5 is not a code"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const hr_sparse_arrays arrays = {4,    bad[i].begins, bad[i].rows, bad[i].values, bad[i].absent,
                                         NULL, NULL};
        hr_data *data;
        hr_error err;
        assert_int_equal(make_sparse(schema, &arrays, &data, &err), bad[i].status);
        assert_string_equal(err.field, bad[i].field);
        assert_non_null(strstr(err.message, bad[i].message));
        assert_null(data);
    }
    hr_schema_free(schema);
}

static void test_sparse__arrays_are_copied_and_may_be_empty(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: classes, values: [p, q, r]}");
    size_t begins[] = {0, 1, 2}, none[] = {0, 0, 0};
    uint32_t rows[] = {2, 1};
    double values[] = {(double)INFINITY, 3}, absent[] = {(double)NAN, 0};
    const hr_sparse_arrays arrays = {3, begins, rows, values, absent, NULL, NULL};
    hr_data *data, *empty, *of_no_rows;
    hr_error err;
    assert_int_equal(make_sparse(schema, &arrays, &data, &err), HR_OK);
    assert_int_equal(
        make_sparse(schema, &(hr_sparse_arrays){3, none, rows, values, absent, NULL, NULL}, &empty, &err),
        HR_OK);
    assert_int_equal(make_sparse(schema, &(hr_sparse_arrays){0, none, rows, values, absent, NULL, NULL},
                                 &of_no_rows, &err),
                     HR_OK);
    begins[1] = rows[0] = 0;
    values[0] = values[1] = absent[0] = absent[1] = 1;
    double numbers[3];
    uint16_t codes[3];
    hr_data_number_block(data, 0, 0, 3, numbers);
    hr_data_code_block(data, 1, 0, 3, codes);
    assert_true(isnan(numbers[0]) && isnan(numbers[1]) && numbers[2] == 10);
    assert_true(codes[0] == 0 && codes[1] == 3 && codes[2] == 0);
    assert_false(hr_data_has_labels(data));
    const hr_column_report *of_n = hr_data_report(data, 0), *of_c = hr_data_report(data, 1);
    assert_true(of_n->missing == 2 && of_n->out_of_range == 1 && of_c->missing == 2);
    assert_int_equal(hr_data_report(empty, 0)->missing, 3);
    assert_int_equal(hr_data_rows(of_no_rows), 0);
    assert_int_equal(hr_data_report(of_no_rows, 0)->missing, 0);
    hr_data_free(data);
    hr_data_free(empty);
    hr_data_free(of_no_rows);
    hr_schema_free(schema);
}

static void test_sparse__arrays_have_labels_and_rows_as_others(void **state) {
    (void)state;
    hr_schema *schema = schema_of("{name: y, kind: classes, values: [p, q, r]}");
    const size_t begins[] = {0, 0, 0};
    const double absent[] = {0, 1}, y[] = {0, 3};
    const hr_array labels = adjacent(y);
    hr_sparse_arrays arrays = {2, begins, NULL, NULL, absent, &labels, NULL};
    hr_data *data;
    hr_error err;
    assert_int_equal(make_sparse(schema, &arrays, &data, &err), HR_E_SCHEMA);
    assert_string_equal(err.field, "y");
    assert_non_null(strstr(err.message, "row 2: 3 is not a label"));
    assert_null(data);
    arrays.rows = SIZE_MAX;
    assert_int_equal(make_sparse(schema, &arrays, &data, &err), HR_E_LIMIT);
    assert_null(data);
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays__are_copied_and_clipped),
        cmocka_unit_test(test_arrays__need_no_labels_and_no_rows),
        cmocka_unit_test(test_arrays__refuse_bad_codes_and_labels),
        cmocka_unit_test(test_arrays__can_be_borrowed),
        cmocka_unit_test(test_arrays__keep_what_the_caller_counted),
        cmocka_unit_test(test_arrays__may_have_any_stride_and_floats),
        cmocka_unit_test(test_arrays__refuse_overlaps_and_other_elements),
        cmocka_unit_test(test_sparse__arrays_give_what_columns_give),
        cmocka_unit_test(test_sparse__arrays_that_are_no_table_are_refused),
        cmocka_unit_test(test_sparse__arrays_are_copied_and_may_be_empty),
        cmocka_unit_test(test_sparse__arrays_have_labels_and_rows_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
