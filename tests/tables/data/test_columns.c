/* Columns that are borrowed in any layout, and read in blocks. */
#include "support/layouts.h"
#include "support/random_numbers.h"
#include "support/reader_checks.h"
#include "tables/data/columns.h"
#include "tables/data/records.h"

static const char schema_text[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: 1}\n"
                                  "features: [{name: n, kind: number, integer: true, low: 1, high: 10}, "
                                  "{name: c, kind: category, values: [a, b, d]}]\n";

enum { ROWS = 2 * HR_DATA_BLOCK + 77 };

typedef struct values {
    double number[ROWS], code[ROWS];
} values;

/* Numbers below, at, between and above the bounds, and missing; all codes. */
static void draw_values(values *v) {
    uint64_t seed = 5;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t kind = next_random(&seed) % 8;
        v->number[i] = kind == 0 ? (double)NAN : kind == 1 ? 0 : kind == 2 ? 11 : 1 + (double)(i % 19) / 2;
        v->code[i] = kind == 3 ? (double)NAN : (double)(next_random(&seed) % 4);
    }
}

/* In uint16 a number has no fraction and no NaN. */
static double number_in(layout how, double value) {
    return how.element != HR_ELEMENT_UINT16 ? value : isnan(value) ? 0 : floor(value);
}

typedef struct borrowed {
    laid_out columns[2];
    hr_data *data;
} borrowed;

static borrowed borrow(const hr_schema *schema, const values *v, layout how) {
    static double numbers[ROWS];
    for (size_t i = 0; i < ROWS; i++) numbers[i] = number_in(how, v->number[i]);
    borrowed b = {{lay_out(numbers, ROWS, how), lay_out(v->code, ROWS, how)}, NULL};
    const hr_array arrays[] = {b.columns[0].array, b.columns[1].array};
    assert_int_equal(hr_data_borrow(schema, &(hr_arrays){.rows = ROWS, .columns = arrays}, &b.data, NULL),
                     HR_OK);
    return b;
}

static void give_back(borrowed *b) {
    hr_data_free(b->data);
    for (size_t f = 0; f < 2; f++) free(b->columns[f].block);
}

static double clipped(double value) {
    return value < 1 ? 1 : value > 10 ? 10 : value;
}

static void check_block(const hr_data *data, const values *v, layout how, size_t begin, size_t count) {
    double number_buffer[ROWS];
    uint16_t code_buffer[ROWS];
    const double *numbers = hr_data_number_block(data, 0, begin, count, number_buffer);
    const uint16_t *codes = hr_data_code_block(data, 1, begin, count, code_buffer);
    for (size_t i = 0; i < count; i++) {
        double code = v->code[begin + i];
        assert_true(is_same_double(numbers[i], clipped(number_in(how, v->number[begin + i]))));
        assert_int_equal(codes[i], isnan(code) ? 0 : (int)code);
    }
}

static void check_rows(const hr_data *data, const values *v, layout how) {
    static const uint32_t rows[] = {ROWS - 1, 0, 1024, 1023, 5, 5};
    double numbers[COUNT(rows)];
    uint16_t codes[COUNT(rows)];
    hr_data_numbers_at(data, 0, rows, COUNT(rows), numbers);
    hr_data_codes_at(data, 1, rows, COUNT(rows), codes);
    for (size_t i = 0; i < COUNT(rows); i++) {
        double code = v->code[rows[i]];
        assert_true(is_same_double(numbers[i], clipped(number_in(how, v->number[rows[i]]))));
        assert_int_equal(codes[i], isnan(code) ? 0 : (int)code);
    }
}

static void test_columns__are_read_alike_from_every_layout(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    static values v;
    draw_values(&v);
    for (size_t k = 0; k < LAYOUTS; k++) {
        borrowed b = borrow(schema, &v, layouts[k]);
        for (size_t begin = 0; begin < ROWS; begin += HR_DATA_BLOCK)
            check_block(b.data, &v, layouts[k], begin, hr_data_block_size(begin, ROWS));
        check_block(b.data, &v, layouts[k], 0, ROWS);
        check_block(b.data, &v, layouts[k], 1000, 50);
        check_block(b.data, &v, layouts[k], ROWS, 0);
        check_rows(b.data, &v, layouts[k]);
        give_back(&b);
    }
    hr_schema_free(schema);
}

/* A copy would keep the old value. */
static void test_columns__are_not_copied(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    static values v;
    draw_values(&v);
    for (size_t k = 0; k < LAYOUTS; k++) {
        borrowed b = borrow(schema, &v, layouts[k]);
        double number;
        uint16_t code;
        for (size_t row = 0; row < ROWS; row += 97) {
            put_element(&b.columns[0], row, 7);
            put_element(&b.columns[1], row, 2);
            assert_true(*hr_data_number_block(b.data, 0, row, 1, &number) == 7);
            assert_int_equal(*hr_data_code_block(b.data, 1, row, 1, &code), 2);
        }
        give_back(&b);
    }
    hr_schema_free(schema);
}

/* Columns that change against the rules are still read within their bounds where they are converted. */
static void test_columns__are_clipped_when_they_are_read(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    static values v;
    draw_values(&v);
    borrowed b = borrow(schema, &v, (layout){HR_ELEMENT_FLOAT32, 12, 0});
    double number;
    uint16_t code = 7;
    put_element(&b.columns[0], 3, (double)INFINITY);
    put_element(&b.columns[1], 3, 4);
    assert_true(*hr_data_number_block(b.data, 0, 3, 1, &number) == 10);
    assert_int_equal(*hr_data_code_block(b.data, 1, 3, 1, &code), 0);
    give_back(&b);
    hr_schema_free(schema);
}

/* Whole columns are there for the asking if nothing has to be done to them. */
static void test_columns__are_pointers_where_nothing_is_converted(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    double n[] = {5, (double)NAN, 1, 10}, c[] = {0, 1, 2, 3}, number[4];
    const uint16_t codes[] = {0, 1, 2, 3};
    uint16_t code[4];
    hr_array columns[] = {{n, HR_ELEMENT_FLOAT64, sizeof *n}, {codes, HR_ELEMENT_UINT16, sizeof *codes}};
    hr_data *data = NULL;
    assert_int_equal(hr_data_borrow(schema, &(hr_arrays){.rows = 4, .columns = columns}, &data, NULL), HR_OK);
    assert_ptr_equal(hr_data_numbers(data, 0), n);
    assert_ptr_equal(hr_data_number_block(data, 0, 1, 2, number), n + 1);
    assert_ptr_equal(hr_data_codes(data, 1), codes);
    assert_ptr_equal(hr_data_code_block(data, 1, 3, 1, code), codes + 3);
    hr_data_free(data);
    n[3] = 10.5;
    columns[1] = (hr_array){c, HR_ELEMENT_FLOAT64, sizeof *c};
    assert_int_equal(hr_data_borrow(schema, &(hr_arrays){.rows = 4, .columns = columns}, &data, NULL), HR_OK);
    assert_null(hr_data_numbers(data, 0));
    assert_ptr_equal(hr_data_number_block(data, 0, 0, 4, number), number);
    assert_true(number[0] == 5 && number[3] == 10);
    assert_null(hr_data_codes(data, 1));
    assert_ptr_equal(hr_data_code_block(data, 1, 0, 4, code), code);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void check_report(const hr_column_report *r, const hr_column_report *wanted) {
    assert_int_equal(r->missing, wanted->missing);
    assert_int_equal(r->unknown, 0);
    assert_int_equal(r->out_of_range, wanted->out_of_range);
    assert_int_equal(r->not_integer, wanted->not_integer);
}

static void test_columns__are_counted_when_they_are_borrowed(void **state) {
    (void)state;
    hr_schema *schema = must_schema(schema_text);
    static values v;
    draw_values(&v);
    for (size_t k = 0; k < LAYOUTS_OF_NUMBERS; k++) {
        hr_column_report number = {0}, code = {0};
        for (size_t i = 0; i < ROWS; i++) {
            number.missing += isnan(v.number[i]) != 0;
            number.out_of_range += v.number[i] < 1 || v.number[i] > 10;
            number.not_integer += !isnan(v.number[i]) && v.number[i] != floor(v.number[i]);
            code.missing += !(v.code[i] > 0);
        }
        borrowed b = borrow(schema, &v, layouts[k]);
        check_report(hr_data_report(b.data, 0), &number);
        check_report(hr_data_report(b.data, 1), &code);
        give_back(&b);
    }
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns__are_read_alike_from_every_layout),
        cmocka_unit_test(test_columns__are_not_copied),
        cmocka_unit_test(test_columns__are_clipped_when_they_are_read),
        cmocka_unit_test(test_columns__are_pointers_where_nothing_is_converted),
        cmocka_unit_test(test_columns__are_counted_when_they_are_borrowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
