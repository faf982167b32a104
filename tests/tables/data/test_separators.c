/* What separates the cells of a CSV table: found in the header alone, or given. */
#include "support/reader_checks.h"

static const char usual[] = "hedgerow-schema: 1\n"
                            "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                            "features:\n"
                            "  - {name: n, kind: number, low: -10, high: 10}\n"
                            "  - {name: c, kind: category, values: [red, \"a,b\", \"a;b|c\"]}\n"
                            "missing: [\"?\"]\n";

static hr_status parse_with(const hr_schema *schema, const char *text, hr_separator separator, hr_data **out,
                            hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.separator = separator;
    options.name = "t";
    return hr_data_parse(schema, text, strlen(text), &options, out, err);
}

/* The table has the rows (1.5, red, no), (missing, `second`, yes). */
static void expect_two_rows(const hr_schema *schema, const char *text, hr_separator separator, int second) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (parse_with(schema, text, separator, &data, &err)) {
        fail_msg("'%s': %d: %s; %s", text, (int)err.line, err.message, err.remedy);
    }
    assert_int_equal(hr_data_rows(data), 2);
    assert_true(hr_data_numbers(data, 0)[0] == 1.5);
    assert_true(isnan(hr_data_numbers(data, 0)[1]));
    assert_int_equal(hr_data_codes(data, 1)[0], 1);
    assert_int_equal(hr_data_codes(data, 1)[1], second);
    assert_true(hr_data_labels(data)[0] == 0 && hr_data_labels(data)[1] == 1);
    hr_data_free(data);
}

static void expect_refusal(const hr_schema *schema, const char *text, hr_separator separator,
                           hr_status status, const char *words) {
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(parse_with(schema, text, separator, &data, &err), status);
    if (!strstr(err.message, words) && !strstr(err.remedy, words))
        fail_msg("'%s': %s; %s", text, err.message, err.remedy);
    assert_string_equal(err.file, status == HR_E_ARGUMENT ? "" : "t");
    assert_null(data);
}

static void test_separators__are_found_in_the_header(void **state) {
    hr_schema *schema = *state;
    expect_two_rows(schema, "n,c,y\n1.5,red,no\n,\"a,b\",yes\n", HR_SEPARATOR_AUTO, 2);
    expect_two_rows(schema, "n;c;y\n1.5;red;no\n;a,b;yes\n", HR_SEPARATOR_AUTO, 2);
    expect_two_rows(schema, "n\tc\ty\n1.5\tred\tno\n\ta,b\tyes\n", HR_SEPARATOR_AUTO, 2);
    expect_two_rows(schema, "n|c|y\r\n1.5|red|no\r\n|\"a;b|c\"|yes", HR_SEPARATOR_AUTO, 3);
    expect_two_rows(schema, "\xef\xbb\xbf\n\nc;y;n\nred;no; 1.5\t\n\"a;b|c\" ; yes;?\n", HR_SEPARATOR_AUTO,
                    3);
}

/* Other separators in the records, or in quotation marks in the header, are text. */
static void test_separators__looks_at_the_header_only(void **state) {
    hr_schema *schema = *state;
    expect_two_rows(schema, "n;c;y;\"a,b|c\"\n1.5;red;no;1,2,3\n;x|y,z;yes;4|5\n", HR_SEPARATOR_AUTO, 0);
    expect_two_rows(schema, "n,c,\"y\",\"d\n;e\"\n1.5,red,no,;;;\n,red,yes,\t\t\n", HR_SEPARATOR_AUTO, 1);
    expect_refusal(schema, "n,c,y\n1;red;no\n2;red;no\n3;red;no\n", HR_SEPARATOR_AUTO, HR_E_FORMAT,
                   "not a number");
}

static void test_separators__tabs_around_others_are_blanks(void **state) {
    hr_schema *schema = *state;
    expect_two_rows(schema, "\tn,\tc\t,y\t\n1.5,red,no\n\t,red,yes\n", HR_SEPARATOR_AUTO, 1);
    expect_two_rows(schema, "n \t;\t c;y\n1.5\t;red;no\n;red;\tyes\n", HR_SEPARATOR_AUTO, 1);
}

/* With tabs, an empty cell is not swallowed as a blank, at the beginning, in the middle or at the end. */
static void test_separators__tabs_separate_empty_cells(void **state) {
    hr_schema *schema = *state;
    expect_two_rows(schema, "x\tn\tz\tc\ty\n\t1.5\t\tred\tno\n\t\t\tred\tyes\n", HR_SEPARATOR_AUTO, 1);
    expect_two_rows(schema, "y\tc\tn\nno\tred\t1.5\nyes\tred\t\n", HR_SEPARATOR_AUTO, 1);
    expect_two_rows(schema, "y\tc\tn\nno\tred\t 1.5 \nyes\t \"red\" \t \"\" \n", HR_SEPARATOR_AUTO, 1);
    expect_refusal(schema, "n\tc\ty\n1\tred\tno\t\n", HR_SEPARATOR_AUTO, HR_E_FORMAT, "more than 3 cells");
    expect_refusal(schema, "n\tc\ty\n\t\t\n", HR_SEPARATOR_AUTO, HR_E_SCHEMA, "the label is missing");
}

static void test_separators__several_are_refused_with_the_remedy(void **state) {
    hr_schema *schema = *state;
    static const char *const texts[] = {"n,c;y\n", "n|c,y\n", "n\tc,y\n", "n;c;y|z\n", "\"n,\";c\ty\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_refusal(schema, texts[i], HR_SEPARATOR_AUTO, HR_E_FORMAT, "--separator");
    expect_refusal(schema, "\n\nn,c;y\n", HR_SEPARATOR_AUTO, HR_E_FORMAT,
                   "several separators: comma, semicolon");
}

static void test_separators__are_taken_as_given(void **state) {
    hr_schema *schema = *state;
    expect_two_rows(schema, "n;c;y;a,b\n1.5;red;no;1\n;red;yes;2\n", HR_SEPARATOR_SEMICOLON, 1);
    expect_two_rows(schema, "n,c,y,a|b\n1.5,red,no,1\n,red,yes,2\n", HR_SEPARATOR_COMMA, 1);
    expect_two_rows(schema, "n|c|y|a,b\n1.5|red|no|1\n|red|yes|2\n", HR_SEPARATOR_PIPE, 1);
    expect_two_rows(schema, "n\tc\ty\ta,b\n1.5\tred\tno\t1\n\tred\tyes\t2\n", HR_SEPARATOR_TAB, 1);
    expect_refusal(schema, "n;c;y\n1.5;red;no\n", HR_SEPARATOR_COMMA, HR_E_SCHEMA, "another separator");
    expect_refusal(schema, "n,c,y\n1.5,red,no\n", (hr_separator)5, HR_E_ARGUMENT, "there is no separator 5");
    expect_refusal(schema, "n,c,y\n1.5,red,no\n", (hr_separator)-1, HR_E_ARGUMENT, "HR_READ_OPTIONS_INIT");
}

/* A time in the first column is no entry of LIBSVM. */
static void test_separators__do_not_look_like_libsvm(void **state) {
    hr_schema *schema = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    static const char text[] = "t;n;c;y\n12:30;1;red;no\n12:31;2;red;no\n";
    assert_int_equal(parse_with(schema, text, HR_SEPARATOR_AUTO, &data, &err), HR_OK);
    assert_int_equal(hr_data_rows(data), 2);
    hr_data_free(data);
}

static void test_separators__headers_that_never_end_are_refused(void **state) {
    hr_schema *schema = *state;
    expect_refusal(schema, "n;c;\"y", HR_SEPARATOR_AUTO, HR_E_FORMAT, "never closed");
    expect_refusal(schema, "\"", HR_SEPARATOR_AUTO, HR_E_FORMAT, "never closed");
    expect_refusal(schema, "\t\t\t", HR_SEPARATOR_AUTO, HR_E_FORMAT, "empty lines only");
    expect_refusal(schema, ";;", HR_SEPARATOR_AUTO, HR_E_SCHEMA, "no such column");
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
        cmocka_unit_test(test_separators__are_found_in_the_header),
        cmocka_unit_test(test_separators__looks_at_the_header_only),
        cmocka_unit_test(test_separators__tabs_around_others_are_blanks),
        cmocka_unit_test(test_separators__tabs_separate_empty_cells),
        cmocka_unit_test(test_separators__several_are_refused_with_the_remedy),
        cmocka_unit_test(test_separators__are_taken_as_given),
        cmocka_unit_test(test_separators__do_not_look_like_libsvm),
        cmocka_unit_test(test_separators__headers_that_never_end_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
