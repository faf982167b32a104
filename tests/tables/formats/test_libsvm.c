/* LIBSVM: records, absent entries, and where messages point. */
#include "support/reader_checks.h"

static const char usual[] = "hedgerow-schema: 1\n"
                            "label: {name: label, kind: classes, values: [\"-1\", \"1\"]}\n"
                            "features:\n"
                            "  - {name: a, kind: number, low: -10, high: 10}\n"
                            "  - {name: b, kind: number, low: 1, high: 100, integer: true}\n"
                            "  - {name: c, kind: category, values: [\"1\", \"2\"]}\n"
                            "missing: [\"?\"]\n";

static hr_data *parse(const hr_schema *schema, const char *text) {
    return must_parse(schema, text, strlen(text), HR_FORMAT_AUTO);
}

static void expect_row(const hr_data *data, size_t row, double a, double b, int c, double y) {
    if (!is_same_double(hr_data_numbers(data, 0)[row], a) ||
        !is_same_double(hr_data_numbers(data, 1)[row], b) || hr_data_codes(data, 2)[row] != c ||
        hr_data_labels(data)[row] != y) {
        fail_msg("row %zu: %g %g %d %g", row, hr_data_numbers(data, 0)[row], hr_data_numbers(data, 1)[row],
                 hr_data_codes(data, 2)[row], hr_data_labels(data)[row]);
    }
}

static void test_libsvm__reads_entries_in_any_order(void **state) {
    hr_schema *schema = *state;
    hr_data *data = parse(
        schema,
        "# a remark\n+1 1:0.5 2:3 3:2\n\n-1 3:1 1:-2.5e0\t2:7 # more\r\n1\n -1  2:1e3   \n1.0 1:? 2:2.5");
    assert_int_equal(hr_data_rows(data), 5);
    expect_row(data, 0, 0.5, 3, 2, 1);
    expect_row(data, 1, -2.5, 7, 1, 0);
    expect_row(data, 2, 0, 1, 0, 1);
    expect_row(data, 3, 0, 100, 0, 0);
    expect_row(data, 4, (double)NAN, 2.5, 0, 1);
    const hr_column_report *a = hr_data_report(data, 0), *b = hr_data_report(data, 1),
                           *c = hr_data_report(data, 2);
    assert_int_equal(a->missing, 1);
    assert_int_equal(a->out_of_range, 0);
    assert_int_equal(b->out_of_range, 2); /* the absent one is 0, which is below 1 */
    assert_int_equal(b->not_integer, 1);
    assert_int_equal(c->unknown, 3); /* absent: "0" is not in the schema */
    hr_data_free(data);
}

static void test_libsvm__absent_means_what_zero_means(void **state) {
    (void)state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9}\n"
                                    "features: [{name: a, kind: category, values: [\"1\", \"0\"]}, {name: b, "
                                    "kind: number, low: -1, high: 1}]");
    hr_data *data = parse(schema, "1 1:1\n2 2:0.5\n");
    assert_int_equal(hr_data_codes(data, 0)[0], 1);
    assert_int_equal(hr_data_codes(data, 0)[1], 2);
    assert_true(hr_data_numbers(data, 1)[0] == 0 && hr_data_labels(data)[1] == 2);
    hr_data_free(data);
    hr_schema_free(schema);
    schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9}\n"
                         "features: [{name: a, kind: number, low: -1, high: 1}, {name: b, kind: number, low: "
                         "-1, high: 1}]\nmissing: ['0']");
    data = parse(schema, "1 1:1\n2 1:0.0\n3 1:0\n");
    assert_true(hr_data_numbers(data, 0)[1] == 0 && isnan(hr_data_numbers(data, 0)[2]) &&
                isnan(hr_data_numbers(data, 1)[0]));
    assert_int_equal(hr_data_report(data, 1)->missing, 3);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_libsvm__labels_may_be_optional(void **state) {
    hr_schema *schema = *state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_error err = {0};
    hr_data *data = NULL;
    options.label_optional = true;
    static const char without[] = "1:1 2:2\n3:1\n", mixed[] = "1:1\n1 2:2\n", with[] = "1 1:1\n-1\n";
    assert_int_equal(hr_data_parse(schema, without, strlen(without), &options, &data, &err), HR_OK);
    assert_int_equal(hr_data_rows(data), 2);
    assert_false(hr_data_has_labels(data));
    assert_true(hr_data_numbers(data, 1)[0] == 2);
    hr_data_free(data);
    assert_int_equal(hr_data_parse(schema, with, strlen(with), &options, &data, &err), HR_OK);
    assert_true(hr_data_labels(data)[0] == 1 && hr_data_labels(data)[1] == 0);
    hr_data_free(data);
    data = NULL;
    assert_int_equal(hr_data_parse(schema, mixed, strlen(mixed), &options, &data, &err), HR_E_SCHEMA);
    assert_int_equal(err.line, 2);
    assert_int_equal(hr_data_parse(schema, without, strlen(without), NULL, &data, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "label is missing"));
    assert_null(data);
}

static const bad_table bad[] = {
    {"", HR_E_FORMAT, 0, 0, "", "empty"},
    {"1 1:1\n1 4:1\n", HR_E_SCHEMA, 2, 3, "", "index 4, but the schema has 3"},
    {"1 0:1\n", HR_E_FORMAT, 1, 3, "", "indices from 1"},
    {"1 -1:1\n", HR_E_FORMAT, 1, 3, "", "indices from 1"},
    {"1 99999999999999999999:1\n", HR_E_FORMAT, 1, 3, "", "indices from 1"},
    {"1 1:1 1:2\n", HR_E_FORMAT, 1, 7, "", "comes twice"},
    {"1 1:1\n1 2:1 qid:3\n", HR_E_FORMAT, 2, 7, "", "ranking"},
    {"1 qid:3 1:1\n", HR_E_FORMAT, 1, 3, "", "ranking"},
    {"1 1:\n", HR_E_FORMAT, 1, 3, "", "value is missing"},
    {"1 :1\n", HR_E_FORMAT, 1, 3, "", "indices from 1"},
    {"1 1:1 7\n", HR_E_FORMAT, 1, 7, "", "not an index and a value"},
    {"1 1:x\n", HR_E_FORMAT, 1, 3, "a", "'x' is not a number"},
    {"1 1:1e999\n", HR_E_FORMAT, 1, 3, "a", "too large"},
    {"1 1:nan\n", HR_E_FORMAT, 1, 3, "a", "'nan' is not a number"},
    {"1 1:1:1\n", HR_E_FORMAT, 1, 3, "a", "'1:1' is not a number"},
    {"1 1:1\n2 1:1\n", HR_E_SCHEMA, 2, 1, "label", "not one of the classes"},
    {"1,1 1:1\n", HR_E_SCHEMA, 1, 1, "label", "not one of the classes"},
    {"? 1:1\n", HR_E_SCHEMA, 1, 1, "label", "label is missing"},
    {"1 1:1\n1:2\n", HR_E_SCHEMA, 2, 1, "", "label is missing"},
};

static void test_libsvm__refuses_with_the_place(void **state) {
    check_bad_tables(*state, HR_FORMAT_LIBSVM, bad, sizeof bad / sizeof *bad);
}

static void test_libsvm__is_known_by_its_content(void **state) {
    (void)state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: "
                                    "9}\nfeatures: [{name: x, kind: number, low: 0, high: 9}]");
    static const struct {
        const char *text;
        bool libsvm;
    } cases[] = {{"1 1:2\n", true},       {"# x\n\n1\n1 1:2\n", true}, {"2 1:2", true},
                 {"x,y\n1,2\n", false},   {"y,x\n1:2,3\n", false},     {"y\n1\n", false},
                 {"y x\n1 1:2\n", false}, {"a \"1:2\"\n", false},      {"1\n2\n", false},
                 {"1 qid:3 1:1\n", true}, {"1 1:2\nx,y\n", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_data *data = NULL;
        hr_error err = {0};
        hr_status status = hr_data_parse(schema, cases[i].text, strlen(cases[i].text), NULL, &data, &err);
        bool csv = strstr(err.message, "no such column") || strstr(err.message, "quotation") ||
                   (!status && strchr(cases[i].text, ',')) || strstr(err.message, "'1:2' is not a number");
        if (csv == cases[i].libsvm) fail_msg("'%s': status %d, %s", cases[i].text, status, err.message);
        hr_data_free(data);
    }
    hr_schema_free(schema);
}

static void test_libsvm__reads_across_blocks(void **state) {
    hr_schema *schema = *state;
    enum { ROWS = 50000 };
    char *text = must_alloc((size_t)ROWS * 40);
    size_t size = 0;
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "%+d", i % 2 ? 1 : -1);
        if (i % 3) size += (size_t)sprintf(text + size, " 1:%d", i % 10);
        if (i % 5) size += (size_t)sprintf(text + size, " 2:%d 3:2", 1 + i % 99);
        text[size++] = '\n';
    }
    hr_data *data = must_parse(schema, text, size, HR_FORMAT_AUTO);
    assert_int_equal(hr_data_rows(data), ROWS);
    for (int i = 0; i < ROWS; i++)
        expect_row(data, (size_t)i, i % 3 ? i % 10 : 0, i % 5 ? 1 + i % 99 : 1, i % 5 ? 2 : 0, i % 2);
    assert_int_equal(hr_data_report(data, 1)->out_of_range, ROWS / 5);
    hr_data_free(data);
    free(text);
}

static void test_libsvm__every_length_ends_well(void **state) {
    hr_schema *schema = *state;
    static const char text[] =
        "+1 1:0.5 2:3 3:2\n\n-1 3:1 1:-2.5e0\t2:7 # more\r\n1\n -1  2:1e3   \n1.0 1:? 2:2.5";
    for (size_t size = 0; size < sizeof text; size++) {
        char *exact = must_alloc(size);
        hr_data *data = NULL;
        hr_read_options options = HR_READ_OPTIONS_INIT;
        options.format = HR_FORMAT_LIBSVM;
        memcpy(exact, text, size);
        hr_status status = hr_data_parse(schema, exact, size, &options, &data, NULL);
        assert_true((status == HR_OK) == (data != NULL));
        hr_data_free(data);
        free(exact);
    }
}

static int set_up(void **state) {
    *state = must_schema(usual);
    return 0;
}

static int tear_down(void **state) {
    hr_schema_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libsvm__reads_entries_in_any_order),
        cmocka_unit_test(test_libsvm__absent_means_what_zero_means),
        cmocka_unit_test(test_libsvm__labels_may_be_optional),
        cmocka_unit_test(test_libsvm__refuses_with_the_place),
        cmocka_unit_test(test_libsvm__is_known_by_its_content),
        cmocka_unit_test(test_libsvm__reads_across_blocks),
        cmocka_unit_test(test_libsvm__every_length_ends_well),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
