/* Which columns do not fit a schema: from which share of cells on, and what is said of them. */
#include "support/reader_checks.h"

#include <stdlib.h>

static const char head[] =
    "hedgerow-schema: 1\nmissing: [NA]\nlabel: {name: y, kind: number, low: 0, high: 100}\n"
    "features: [{name: c, kind: category, values: [a, b]}, {name: x, kind: number, low: 0, "
    "high: 10}]\n";

/* A hundred records; the first `count` have these cells, the others fitting ones. */
static hr_data *table_of(const hr_schema *schema, int count, const char *c, const char *x) {
    char *text = must_alloc(100 * 60);
    size_t size = (size_t)sprintf(text, "c,x,y\n");
    for (int i = 0; i < 100; i++)
        size += (size_t)sprintf(text + size, "%s,%s,%d\n", i < count ? c : "a", i < count ? x : "5", i);
    hr_data *data = must_parse(schema, text, size, HR_FORMAT_CSV);
    free(text);
    return data;
}

static void check_told(const hr_schema *schema, int count, const char *c, const char *x,
                       const char *told[2]) {
    hr_data *data = table_of(schema, count, c, x);
    for (size_t f = 0; f < 2; f++) {
        hr_error err = {0};
        const hr_status status = hr_data_check_column(data, f, &err);
        assert_int_equal(hr_data_check_column(data, f, NULL), status);
        assert_int_equal(status, told[f] ? HR_E_SCHEMA : HR_OK);
        if (!told[f]) continue;
        assert_string_equal(err.field, f ? "x" : "c");
        assert_true(*err.remedy && strlen(err.remedy) < sizeof err.remedy - 1);
        if (!strstr(err.message, told[f])) fail_msg("%d cells of '%s': %s", count, f ? x : c, err.message);
    }
    assert_int_equal(hr_data_check_column(data, 2, NULL), HR_OK);
    hr_data_free(data);
}

static void test_check_column__tells_from_half_of_the_cells_on(void **state) {
    (void)state;
    hr_schema *schema = must_schema(head);
    check_told(schema, 0, "z", "11", (const char *[]){NULL, NULL});
    check_told(schema, 50, "z", "11", (const char *[]){NULL, NULL});
    check_told(schema, 51, "z", "11",
               (const char *[]){"51.0 % of the cells are not among", "51.0 % of the cells are outside"});
    check_told(schema, 90, "", "NA", (const char *[]){NULL, NULL});
    check_told(schema, 91, "", "NA", (const char *[]){"91.0 % of the cells are missing", "91.0 %"});
    check_told(schema, 100, "z", "-0.1", (const char *[]){"100.0 %", "100.0 %"});
    hr_schema_free(schema);
}

/* Missing cells count with others. */
static void test_check_column__adds_up(void **state) {
    (void)state;
    char text[1200] = "c,x,y\n";
    hr_error err = {0};
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), 20, "%s,5,1\n", i < 26 ? "" : i < 51 ? "z" : "a");
    hr_schema *schema = must_schema(head);
    hr_data *data = must_parse(schema, text, strlen(text), HR_FORMAT_CSV);
    assert_int_equal(hr_data_check_column(data, 0, &err), HR_E_SCHEMA);
    assert_string_equal(err.message, "26.0 % of the cells are missing, and 25.0 % fit no better");
    hr_data_free(data);
    hr_schema_free(schema);
}

static hr_status label_status(double low, double high, int rows, hr_error *err) {
    char text[1200] = "c,x,y\n";
    hr_schema *schema = must_schema(head);
    for (int i = 0; i < rows; i++) snprintf(text + strlen(text), 40, "a,5,%.17g\n", i % 2 ? low : high);
    hr_data *data = must_parse(schema, text, strlen(text), HR_FORMAT_CSV);
    hr_status status = hr_data_check_label(data, err);
    hr_data_free(data);
    hr_schema_free(schema);
    return status;
}

static void test_check_label__sees_bounds_that_are_too_wide(void **state) {
    (void)state;
    hr_error err = {0};
    assert_int_equal(label_status(40, 60, 30, NULL), HR_OK);
    assert_int_equal(label_status(40, 50, 30, &err), HR_E_SCHEMA);
    assert_string_equal(err.field, "y");
    assert_non_null(strstr(err.message, "10 %"));
    assert_int_equal(label_status(40, 41, 30, NULL), HR_E_SCHEMA);
    assert_int_equal(label_status(40, 41, 9, NULL), HR_OK); /* of a few labels nothing follows */
    assert_int_equal(label_status(-500, 500, 30, NULL), HR_OK);
}

static void test_check_column__has_nothing_to_say_of_no_records(void **state) {
    (void)state;
    hr_schema *schema = must_schema(head);
    hr_data *data = must_parse(schema, "c,x,y\n", 6, HR_FORMAT_CSV);
    for (size_t f = 0; f <= 2; f++) assert_int_equal(hr_data_check_column(data, f, NULL), HR_OK);
    assert_int_equal(hr_data_check_label(data, NULL), HR_OK);
    hr_data_free(data);
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_column__tells_from_half_of_the_cells_on),
        cmocka_unit_test(test_check_column__adds_up),
        cmocka_unit_test(test_check_label__sees_bounds_that_are_too_wide),
        cmocka_unit_test(test_check_column__has_nothing_to_say_of_no_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
