/* What stands before the header, and quotation marks that mean nothing: preambles, "sep=;", TSV as it is
 * written without quoting. */
#include "support/reader_checks.h"

#include <stdlib.h>
#include <string.h>

static const char yaml[] = "hedgerow-schema: 1\n"
                           "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                           "features:\n"
                           "  - {name: x, kind: number, low: -10, high: 10}\n"
                           "  - {name: c, kind: category, values: ['\"a', 'b\"', \"c;d\"]}\n";

static hr_schema *schema;

static hr_status parse(const char *text, const hr_read_options *options, hr_data **out, hr_error *err) {
    return hr_data_parse(schema, text, strlen(text), options, out, err);
}

/* Two records: (1, no) and (2, yes). */
static hr_data *two_records(const char *text, const hr_read_options *options) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (parse(text, options, &data, &err)) fail_msg("%s: line %d: %s", text, (int)err.line, err.message);
    assert_int_equal(hr_data_rows(data), 2);
    for (int i = 0; i < 2; i++) {
        assert_true(hr_data_numbers(data, 0)[i] == i + 1);
        assert_true(hr_data_labels(data)[i] == i);
    }
    return data;
}

static void refused(const char *text, const hr_read_options *options, uint64_t line, const char *part) {
    hr_data *data = NULL;
    hr_error err = {0};
    const hr_status status = parse(text, options, &data, &err);
    if (!status || err.line != line || (!strstr(err.message, part) && !strstr(err.remedy, part)))
        fail_msg("%s: %d, line %d: %s; %s", text, status, (int)err.line, err.message, err.remedy);
    assert_null(data);
    assert_int_equal(parse(text, options, &data, NULL), status);
}

/* ---- Without quoting ---- */

static void test_quote__none_takes_marks_as_letters(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.quote = HR_QUOTE_NONE;
    hr_data *data = two_records("x\tc\ty\n1\t\"a\tno\n2\tb\"\tyes\n", &options);
    assert_int_equal(hr_data_codes(data, 1)[0], 1);
    assert_int_equal(hr_data_codes(data, 1)[1], 2);
    hr_data_free(data);
    hr_data_free(two_records("x,c,y\r\n1,\"a,no\r\n2,\"\"\",yes", &options));
}

/* A mark never joins lines, whichever way a cell is read: in a number's column, in a label's, at an end. */
static void test_quote__none_ends_records_at_line_ends(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.quote = HR_QUOTE_NONE;
    refused("x,c,y\n1,c,\"no\n2,b,yes\n", &options, 2, "\"no");
    refused("x,c,y\n\"1,c,no\n", &options, 2, "\"1");
    refused("x,c,y\n\"1\",c,no\n", &options, 2, "\"1\"");
    refused("x,c,y\n \"1\",c,no\n", &options, 2, "\"1\"");
    refused("x,c,y\n1,\"b,c\",no\n", &options, 2, "'c\"'");
    refused("x,c,\"y\"\n1,b,no\n", &options, 0, "no such column");
    refused("x,c,y\n1,b\r,no\n", &options, 2, "carriage return");
}

static void test_quote__none_is_as_it_was_otherwise(void **state) {
    (void)state;
    hr_data *data = NULL;
    assert_int_equal(parse("x\tc\ty\n1\t\"a\tno\n2\tb\"\tyes\n", NULL, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), 1);
    hr_data_free(data);
}

static void test_options__are_checked(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.quote = 2;
    refused("x,c,y\n1,b,no\n", &options, 0, "quot");
    options = (hr_read_options)HR_READ_OPTIONS_INIT;
    options.format = HR_FORMAT_LIBSVM;
    options.quote = HR_QUOTE_NONE;
    refused("1 1:2\n", &options, 0, "--quote");
    options.quote = HR_QUOTE_DOUBLE;
    options.skip_lines = 1;
    refused("1 1:2\n", &options, 0, "--skip-lines");
    options.skip_lines = 0;
    options.format = HR_FORMAT_AUTO;
    options.query = "q.sql";
    options.skip_lines = 1;
    refused("x,c,y\n1,b,no\n", &options, 0, "database");
}

/* ---- The separator in the first line ---- */

static void test_separator__may_stand_in_the_first_line(void **state) {
    (void)state;
    static const char *const texts[] = {
        "sep=;\nx;c;y\n1;b;no\n2;b;yes\n",
        "sep=;\r\nx;c;y\r\n1;b;no\r\n2;b;yes\r\n",
        "\"sep=;\"\nx;c;y\n1;b;no\n2;b;yes\n",
        "SEP=;\nx;c;y\n1;b;no\n2;b;yes\n",
        "\xef\xbb\xbfsep=;\nx;c;y\n1;b;no\n2;b;yes\n",
        "\nsep=|\n\nx|c|y\n1|b|no\n2|b|yes\n",
        "sep=\t\nx\tc\ty\n1\tb\tno\n2\tb\tyes\n",
        "sep=,\nx,c,y\n1,b,no\n2,b,yes",
        "sep=;\nx;c;y;a,b\n1;b;no;\n2;b;yes;\n", /* a header with several of them */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) hr_data_free(two_records(texts[i], NULL));
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.separator = HR_SEPARATOR_SEMICOLON;
    hr_data_free(two_records(texts[0], &options));
}

static void test_separator__in_the_first_line_is_read_strictly(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.separator = HR_SEPARATOR_COMMA;
    refused("sep=;\nx;c;y\n1;b;no\n", &options, 1, "--separator");
    options.separator = HR_SEPARATOR_AUTO;
    options.format = HR_FORMAT_CSV;
    refused("sep=:\nx:c:y\n1:b:no\n", &options, 1, "comma, semicolon, tab or pipe");
    refused("sep=;\n", NULL, 0, "begin it with the names of the columns");
    refused("sep=;", NULL, 0, "begin it with the names of the columns");
    refused("sep=;\nx;c;y\n1;b;maybe\n", NULL, 3, "maybe");
    /* No line of its own, but a table: these are names. */
    hr_data_free(two_records("sep=;x;c;y\n0;1;b;no\n0;2;b;yes\n", NULL));
    refused("sep=\nx\n", NULL, 0, "no such column");
    refused("sep\nx\n", NULL, 0, "no such column");
    refused("separator=;\nx;c;y\n", NULL, 0, "no such column");
}

/* ---- Lines before the header ---- */

static void test_skip__leaves_lines_out(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.skip_lines = 3;
    static const char *const texts[] = {
        "a report\nof \"2024\n\nx,c,y\n1,b,no\n2,b,yes\n", /* a mark in it opens nothing */
        "a\r\nb\r\nc\r\nx,c,y\r\n1,b,no\r\n2,b,yes\r\n",
        ("\xef\xbb\xbf"
         "a\nb\nc\nsep=;\nx;c;y\n1;b;no\n2;b;yes\n"),
        "1 1:2\n1 1:2\n1 1:2\nx,c,y\n1,b,no\n2,b,yes\n", /* like LIBSVM at first sight */
        "\n\n\n\nx,c,y\n1,b,no\n2,b,yes\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) hr_data_free(two_records(texts[i], &options));
}

static void test_skip__counts_lines_in_messages(void **state) {
    (void)state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.skip_lines = 2;
    refused("a\nb\nx,c,y\n1,b,no\n2,b\n", &options, 5, "2 cells");
    refused("a\nb\nx,c,z\n1,b,no\n", &options, 0, "no such column");
    refused("a\nb\nx;c,y\n1,b,no\n", &options, 3, "several separators");
    refused("a\nb\n", &options, 0, "--skip-lines");
    refused("a\nb", &options, 0, "--skip-lines");
    refused("a\n", &options, 0, "--skip-lines");
    refused("a\nb\n\n\n", &options, 0, "empty lines only");
    options.skip_lines = UINT32_MAX;
    refused("x,c,y\n1,b,no\n", &options, 0, "--skip-lines");
}

/* Longer than the block that is read at once. */
static void test_skip__takes_long_lines(void **state) {
    (void)state;
    enum { SIZE = 700 * 1024 };
    static const char rest[] = "\nx,c,y\n1,b,no\n2,b,yes\n";
    char *text = must_alloc(SIZE + sizeof rest);
    memset(text, '"', SIZE);
    memcpy(text + SIZE, rest, sizeof rest);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.skip_lines = 1;
    hr_data_free(two_records(text, &options));
    free(text);
}

static int set_up(void **state) {
    (void)state;
    schema = must_schema(yaml);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    hr_schema_free(schema);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quote__none_takes_marks_as_letters),
        cmocka_unit_test(test_quote__none_ends_records_at_line_ends),
        cmocka_unit_test(test_quote__none_is_as_it_was_otherwise),
        cmocka_unit_test(test_options__are_checked),
        cmocka_unit_test(test_separator__may_stand_in_the_first_line),
        cmocka_unit_test(test_separator__in_the_first_line_is_read_strictly),
        cmocka_unit_test(test_skip__leaves_lines_out),
        cmocka_unit_test(test_skip__counts_lines_in_messages),
        cmocka_unit_test(test_skip__takes_long_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
