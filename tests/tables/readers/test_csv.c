/* CSV: what every kind of cell, line and file becomes, and where messages point. */
#include "support/reader_checks.h"

#include <unistd.h>

static const char usual[] = "hedgerow-schema: 1\n"
                            "label: {name: y, kind: classes, values: [no, \"yes\", \"7\"]}\n"
                            "features:\n"
                            "  - {name: n, kind: number, low: -10, high: 10}\n"
                            "  - {name: c, kind: category, values: [red, \"a,b\", \"q\\\"q\", "
                            "\"two\\nlines\", \"caf\\u00e9\", \"\\\"a\\\"b\\\"\"]}\n"
                            "  - {name: w, kind: number, low: 0, high: 100, integer: true}\n"
                            "missing: [\"?\", \"-99\"]\n";

static hr_data *parse(const hr_schema *schema, const char *text) {
    return must_parse(schema, text, strlen(text), HR_FORMAT_CSV);
}

static void expect_row(const hr_data *data, size_t row, double n, int c, double w, int y) {
    if (!is_same_double(hr_data_numbers(data, 0)[row], n) || hr_data_codes(data, 1)[row] != c ||
        !is_same_double(hr_data_numbers(data, 2)[row], w) || hr_data_labels(data)[row] != y) {
        fail_msg("row %zu: %g %d %g %g", row, hr_data_numbers(data, 0)[row], hr_data_codes(data, 1)[row],
                 hr_data_numbers(data, 2)[row], hr_data_labels(data)[row]);
    }
}

static void expect_report(const hr_data *data, size_t i, int missing, int unknown, int out_of_range,
                          int not_integer) {
    const hr_column_report *r = hr_data_report(data, i);
    if (r->missing != (uint64_t)missing || r->unknown != (uint64_t)unknown ||
        r->out_of_range != (uint64_t)out_of_range || r->not_integer != (uint64_t)not_integer) {
        fail_msg("report %zu: %d %d %d %d", i, (int)r->missing, (int)r->unknown, (int)r->out_of_range,
                 (int)r->not_integer);
    }
}

static void test_csv__reads_plain_cells(void **state) {
    hr_schema *schema = *state;
    hr_data *data = parse(schema, "n,c,w,y\n1.5,red,3,no\n-2e-1,\"a,b\",4,yes\n+3,red,5.0,7\n");
    assert_int_equal(hr_data_rows(data), 3);
    expect_row(data, 0, 1.5, 1, 3, 0);
    expect_row(data, 1, -0.2, 2, 4, 1);
    expect_row(data, 2, 3, 1, 5, 2);
    for (size_t i = 0; i < 4; i++) expect_report(data, i, 0, 0, 0, 0);
    assert_int_equal(hr_data_extra_columns(data), 0);
    hr_data_free(data);
}

static void test_csv__takes_columns_in_any_order_and_ignores_others(void **state) {
    hr_schema *schema = *state;
    hr_data *data = parse(schema, "id,y,w,,c,id,n\n\"x,\"\"\n\",no,3,?,red,,1\n2,yes,4,,red,z,2\n");
    expect_row(data, 0, 1, 1, 3, 0);
    expect_row(data, 1, 2, 1, 4, 1);
    assert_int_equal(hr_data_extra_columns(data), 3);
    hr_data_free(data);
}

static void test_csv__reads_missing_values(void **state) {
    hr_schema *schema = *state;
    hr_data *data = parse(
        schema, "n,c,w,y\n,,,no\n?,?,-99,no\n\"\", ? ,\" ?\",no\n-99,-99, -99 ,no\n-99.0,red,\"-99\",no\n");
    for (size_t row = 0; row < 4; row++) expect_row(data, row, (double)NAN, 0, (double)NAN, 0);
    expect_row(data, 4, -10, 1, (double)NAN, 0); /* spellings of missing are compared as text */
    expect_report(data, 0, 4, 0, 1, 0);
    expect_report(data, 1, 4, 0, 0, 0);
    expect_report(data, 2, 5, 0, 0, 0);
    hr_data_free(data);
}

static void test_csv__counts_what_the_schema_does_not_expect(void **state) {
    hr_schema *schema = *state;
    hr_data *data = parse(
        schema,
        "n,c,w,y\n10,Red,0.5,no\n10.5,green,-0.5,no\n-1e300,red,100,no\n-10,re,1e17,no\n0,redd,100.5,no\n");
    expect_row(data, 0, 10, 0, 0.5, 0);
    expect_row(data, 1, 10, 0, 0, 0);
    expect_row(data, 2, -10, 1, 100, 0);
    expect_row(data, 3, -10, 0, 100, 0);
    expect_row(data, 4, 0, 0, 100, 0);
    expect_report(data, 0, 0, 0, 2, 0);
    expect_report(data, 1, 0, 4, 0, 0);
    expect_report(data, 2, 0, 0, 3, 3);
    hr_data_free(data);
}

static void test_csv__clips_and_counts_number_labels(void **state) {
    (void)state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: "
                                    "1}\nfeatures: [{name: x, kind: number, low: 0, high: 1}]");
    hr_data *data = parse(schema, "x,y\n0,0.5\n0,2\n0,\"-3\"\n");
    assert_true(hr_data_labels(data)[0] == 0.5 && hr_data_labels(data)[1] == 1 &&
                hr_data_labels(data)[2] == 0);
    expect_report(data, 1, 0, 0, 2, 0);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_csv__matches_classes_as_text_then_as_numbers(void **state) {
    (void)state;
    hr_schema *schema = must_schema(
        "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [\"-1\", \"1\", \"two\", \"1e1\"]}\n"
        "features: [{name: x, kind: number, low: 0, high: 1}]");
    hr_data *data = parse(schema, "x,y\n0,1\n0,+1\n0,\" 1.0\"\n0,-1.000e+00\n0, two\n0,10\n");
    static const double expected[] = {1, 1, 1, 0, 2, 3};
    for (size_t i = 0; i < 6; i++) assert_true(hr_data_labels(data)[i] == expected[i]);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_csv__reads_quoted_cells_and_blanks(void **state) {
    hr_schema *schema = *state;
    static const char text[] = "\"n\", \"c\" , w ,\"y\"\n"
                               "\"  60\" ,\"q\"\"q\",\" 7 \",\" yes \"\n"
                               "  1,\t\"two\nlines\"\t, \"8\" ,no\n"
                               "\t\"-1.5e0\"\t,\"a,b\",\"9\"  ,  \"7\"  \n"
                               "1 , caf\xc3\xa9,2 ,no\n2,\"\"\"a\"\"b\"\"\",3,no";
    hr_data *data = parse(schema, text);
    expect_row(data, 0, 10, 3, 7, 1);
    expect_row(data, 1, 1, 4, 8, 0);
    expect_row(data, 2, -1.5, 2, 9, 2);
    expect_row(data, 3, 1, 5, 2, 0);
    expect_row(data, 4, 2, 6, 3, 0);
    hr_data_free(data);
}

static void test_csv__line_ends_and_marks_do_not_matter(void **state) {
    hr_schema *schema = *state;
    static const char *const texts[] = {
        "n,c,w,y\n1,red,2,no\n3,red,4,yes\n",
        "n,c,w,y\r\n1,red,2,no\r\n3,red,4,yes\r\n",
        "n,c,w,y\n1,red,2,no\r\n3,red,4,yes",
        "\xef\xbb\xbfn,c,w,y\n1,red,2,no\n3,red,4,yes\r",
        "\n\r\nn,c,w,y\n\n1,red,2,no\n \t \n3,red,4,yes\n\n\r\n  \n   ",
        "y,n,c,w\r\nno,1,red,2\r\nyes,3,red,\"4\"\r\n",
        "w,y,n,c\n\"2\",no,1,red\n4 ,yes,3,\"red\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_data *data = parse(schema, texts[i]);
        assert_int_equal(hr_data_rows(data), 2);
        expect_row(data, 0, 1, 1, 2, 0);
        expect_row(data, 1, 3, 1, 4, 1);
        hr_data_free(data);
    }
}

static void test_csv__takes_bytes_that_are_not_utf8(void **state) {
    hr_schema *schema = *state;
    hr_data *data = parse(schema, "n,c,w,y,\xe9\n1,caf\xe9,2,no,\xff\n");
    expect_row(data, 0, 1, 0, 2, 0);
    expect_report(data, 1, 0, 1, 0, 0);
    hr_data_free(data);
}

static void test_csv__header_alone_is_a_table_without_rows(void **state) {
    hr_schema *schema = *state;
    static const char *const texts[] = {"n,c,w,y", "n,c,w,y\n", "n,c,w,y\r\n\r\n"};
    for (size_t i = 0; i < 3; i++) {
        hr_data *data = parse(schema, texts[i]);
        assert_int_equal(hr_data_rows(data), 0);
        assert_true(hr_data_has_labels(data));
        hr_data_free(data);
    }
}

static void test_csv__label_may_be_optional(void **state) {
    hr_schema *schema = *state;
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    options.label_optional = true;
    static const char without[] = "n,c,w\n1,red,2\n", with[] = "n,c,w,y\n1,red,2,yes\n";
    assert_int_equal(hr_data_parse(schema, without, strlen(without), &options, &data, NULL), HR_OK);
    assert_false(hr_data_has_labels(data));
    assert_null(hr_data_labels(data));
    assert_true(hr_data_numbers(data, 2)[0] == 2);
    hr_data_free(data);
    assert_int_equal(hr_data_parse(schema, with, strlen(with), &options, &data, NULL), HR_OK);
    expect_row(data, 0, 1, 1, 2, 1);
    hr_data_free(data);
    data = NULL;
    for (options.size = 0; options.size <= sizeof options + 1;
         options.size += options.size ? sizeof options - 2 : 3) {
        assert_int_equal(hr_data_parse(schema, with, strlen(with), &options, &data, NULL), HR_E_ARGUMENT);
        assert_null(data);
    }
    options.size =
        offsetof(hr_read_options, label_optional); /* an older header, whose tables always had a label */
    assert_int_equal(hr_data_parse(schema, without, strlen(without), &options, &data, NULL), HR_E_SCHEMA);
    assert_int_equal(hr_data_parse(schema, with, strlen(with), &options, &data, NULL), HR_OK);
    hr_data_free(data);
}

#define H "n,c,w,y\n"

static const bad_table bad[] = {
    {"", HR_E_FORMAT, 0, 0, "", "empty"},
    {"\xef\xbb\xbf", HR_E_FORMAT, 0, 0, "", "empty"},
    {"\n\n  \n", HR_E_FORMAT, 0, 0, "", "empty lines only"},
    {"n,c,w\n1,red,2\n", HR_E_SCHEMA, 0, 0, "y", "it has n, c, w"},
    {"n;c,w,y\n1;red,2,no\n", HR_E_FORMAT, 1, 0, "", "several separators: comma, semicolon"},
    {"1,red,2,no\n", HR_E_SCHEMA, 0, 0, "n", "first line must name"},
    {"n,c,w,y,n\n1,red,2,no,1\n", HR_E_FORMAT, 0, 0, "n", "two columns"},
    {H "1,red,2\n", HR_E_FORMAT, 2, 0, "", "3 cells where 4"},
    {H "1,red,2,no\n\n1,red,2,no,\n", HR_E_FORMAT, 4, 0, "", "more than 4 cells"},
    {H "1\n", HR_E_FORMAT, 2, 0, "", "1 cells where 4"},
    {H "1,\"two\nlines\",2,no\n1,red,2,no,4\n", HR_E_FORMAT, 4, 0, "", "more than 4 cells"},
    {H "abc,red,2,no\n", HR_E_FORMAT, 2, 1, "n", "'abc' is not a number"},
    {H "1,red,2,no\n1,red, 2x,no\n", HR_E_FORMAT, 3, 7, "w", "'2x' is not a number"},
    {H "1,red,\"1,5\",no\n", HR_E_FORMAT, 2, 7, "w", "'1,5' is not a number"},
    {H "1e999,red,2,no\n", HR_E_FORMAT, 2, 1, "n", "'1e999' is too large"},
    {H "inf,red,2,no\n", HR_E_FORMAT, 2, 1, "n", "'inf' is not a number"},
    {H "1,red,NaN,no\n", HR_E_FORMAT, 2, 7, "w", "'NaN' is not a number"},
    {H "0x1F,red,2,no\n", HR_E_FORMAT, 2, 1, "n", "not a number"},
    {H "\"1\n\",red,2,no\n", HR_E_FORMAT, 2, 1, "n", "not a number"},
    {H "1,\"two\nlines\",x,no\n", HR_E_FORMAT, 3, 8, "w", "'x' is not a number"},
    {"y,n,c,w\nno,1,red,2\nno,3,red,4\nno,x,red,2\n", HR_E_FORMAT, 4, 4, "n", "'x' is not a number"},
    {H "1,red,2,maybe\n", HR_E_SCHEMA, 2, 9, "y", "'maybe' is not one of the classes"},
    {H "1,red,2,8\n", HR_E_SCHEMA, 2, 9, "y", "'8' is not one of the classes"},
    {H "1,red,2,\n", HR_E_SCHEMA, 2, 9, "y", "label is missing"},
    {H "1,red,2,?\n", HR_E_SCHEMA, 2, 9, "y", "label is missing"},
    {H "1,\"red,2,no\n", HR_E_FORMAT, 2, 3, "c", "never closed"},
    {H "1,\"red\n\n,2,no\n", HR_E_FORMAT, 2, 3, "c", "never closed"},
    {H "1,\"red\"\"", HR_E_FORMAT, 2, 3, "c", "never closed"},
    {H "1,r\"ed,2,no\n", HR_E_FORMAT, 2, 4, "c", "quotation mark inside"},
    {H "1,red,2\",no\n", HR_E_FORMAT, 2, 8, "w", "quotation mark inside"},
    {H "1,\"red\"x,2,no\n", HR_E_FORMAT, 2, 8, "c", "after a closing"},
    {H "\"1\"2,red,2,no\n", HR_E_FORMAT, 2, 4, "n", "after a closing"},
    {H "1,red,2,no\r1,red,2,no\r", HR_E_FORMAT, 2, 11, "y", "carriage return"},
    {"n,c,w,y\r1,red,2,no\r", HR_E_FORMAT, 1, 8, "", "carriage return"},
    {H "1\r,red,2,no\n", HR_E_FORMAT, 2, 2, "n", "carriage return"},
    {"n,c,w,\"y\n", HR_E_FORMAT, 1, 7, "", "never closed"},
};

static void test_csv__refuses_with_the_place(void **state) {
    check_bad_tables(*state, HR_FORMAT_CSV, bad, sizeof bad / sizeof *bad);
}

static void test_csv__refuses_nul_bytes_with_the_line(void **state) {
    hr_schema *schema = *state;
    static const char text[] = "n,c,w,y\n1,red,2,no\n1,r\0d,2,no\n";
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_parse(schema, text, sizeof text - 1, NULL, &data, &err), HR_E_FORMAT);
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.message, "NUL"));
    static const char wide[] = "\xff\xfen\0,\0c\0";
    assert_int_equal(hr_data_parse(schema, wide, sizeof wide - 1, NULL, &data, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.remedy, "UTF-16"));
    assert_null(data);
}

/* Far longer than a block of the source, with records and quoted line breaks across every boundary. */
static void test_csv__reads_across_blocks(void **state) {
    hr_schema *schema = *state;
    enum { ROWS = 60000 };
    size_t capacity = (size_t)ROWS * 80, size;
    char *text = must_alloc(capacity);
    size = (size_t)sprintf(text, "n,c,w,y,extra\n");
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size,
                                i % 3 ? "%d.%d,\"two\nlines\",%d,\"no\",\"x\"\"%0*d\n\"\n"
                                      : "%d.%d,red,%d,yes,y%0*d\n",
                                i % 10, i % 7, i % 100, i % 37, i);
    }
    hr_data *data = must_parse(schema, text, size, HR_FORMAT_AUTO);
    assert_int_equal(hr_data_rows(data), ROWS);
    for (int i = 0; i < ROWS; i++) {
        char n[16];
        snprintf(n, sizeof n, "%d.%d", i % 10, i % 7);
        expect_row(data, (size_t)i, strtod(n, NULL), i % 3 ? 4 : 1, i % 100, i % 3 ? 0 : 1);
    }
    hr_data_free(data);
    hr_error err = {0};
    size += (size_t)sprintf(text + size, "1,red,oops,no,\n");
    data = NULL;
    assert_int_equal(hr_data_parse(schema, text, size, NULL, &data, &err), HR_E_FORMAT);
    assert_int_equal(err.line, 2 + ROWS / 3 + (ROWS - ROWS / 3) * 3);
    assert_int_equal(err.column, 7);
    free(text);
}

static void test_csv__reads_very_long_lines(void **state) {
    hr_schema *schema = *state;
    size_t filler = 3 * 1024 * 1024, size = 0;
    char *text = must_alloc(2 * filler + 200);
    size += (size_t)sprintf(text, "n,c,w,y,more\n1,red,2,no,\"");
    memset(text + size, '\n', filler);
    size += filler;
    size += (size_t)sprintf(text + size, "\"\n3,red,4,yes,");
    memset(text + size, 'x', filler);
    size += filler;
    size += (size_t)sprintf(text + size, "\n5,red,6,7,z");
    hr_data *data = must_parse(schema, text, size, HR_FORMAT_AUTO);
    assert_int_equal(hr_data_rows(data), 3);
    expect_row(data, 0, 1, 1, 2, 0);
    expect_row(data, 1, 3, 1, 4, 1);
    expect_row(data, 2, 5, 1, 6, 2);
    hr_data_free(data);
    free(text);
}

static void test_csv__limits_the_length_of_a_record(void **state) {
    hr_schema *schema = *state;
    size_t size = 80 * 1024 * 1024;
    char *text = must_alloc(size);
    memset(text, 'x', size);
    memcpy(text, "n,c,w,y\n1,\"", 11);
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_parse(schema, text, size, NULL, &data, &err), HR_E_LIMIT);
    assert_int_equal(err.line, 2);
    free(text);
}

static void test_csv__every_length_ends_well(void **state) {
    hr_schema *schema = *state;
    static const char text[] = "n,c,w,y\n1.5,\"a,b\",2,no\n-3,\"two\nlines\", \"4\" ,yes\n5,red,6,7\n";
    for (size_t size = 0; size < sizeof text;
         size++) { /* cut anywhere: no reads beyond the bytes (sanitizers watch) */
        char *exact = must_alloc(size);
        hr_data *data = NULL;
        memcpy(exact, text, size);
        hr_status status = hr_data_parse(schema, exact, size, NULL, &data, NULL);
        assert_true((status == HR_OK) == (data != NULL));
        hr_data_free(data);
        free(exact);
    }
}

static void test_csv__reads_files_and_standard_input(void **state) {
    hr_schema *schema = *state;
    static const char text[] = "n,c,w,y\n1,red,2,no\n3,red,x,yes\n";
    char path[] = "table-XXXXXX";
    hr_data *data = NULL;
    hr_error err = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(hr_data_read(schema, path, NULL, &data, &err), HR_E_FORMAT);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 3);
    assert_int_equal(ftruncate(fd, 19), 0);
    assert_int_equal(hr_data_read(schema, path, NULL, &data, &err), HR_OK);
    assert_int_equal(hr_data_rows(data), 1);
    assert_ptr_equal(hr_data_schema(data), schema);
    hr_data_free(data);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(hr_data_read(schema, "-", NULL, &data, &err), HR_OK);
    assert_int_equal(hr_data_rows(data), 1);
    hr_data_free(data);
    close(fd);
    unlink(path);
    data = NULL;
    assert_int_equal(hr_data_read(schema, path, NULL, &data, &err), HR_E_IO);
    assert_string_equal(err.file, path);
    assert_int_equal(hr_data_read(schema, ".", NULL, &data, &err), HR_E_IO);
    assert_null(data);
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
        cmocka_unit_test(test_csv__reads_plain_cells),
        cmocka_unit_test(test_csv__takes_columns_in_any_order_and_ignores_others),
        cmocka_unit_test(test_csv__reads_missing_values),
        cmocka_unit_test(test_csv__counts_what_the_schema_does_not_expect),
        cmocka_unit_test(test_csv__clips_and_counts_number_labels),
        cmocka_unit_test(test_csv__matches_classes_as_text_then_as_numbers),
        cmocka_unit_test(test_csv__reads_quoted_cells_and_blanks),
        cmocka_unit_test(test_csv__line_ends_and_marks_do_not_matter),
        cmocka_unit_test(test_csv__takes_bytes_that_are_not_utf8),
        cmocka_unit_test(test_csv__header_alone_is_a_table_without_rows),
        cmocka_unit_test(test_csv__label_may_be_optional),
        cmocka_unit_test(test_csv__refuses_with_the_place),
        cmocka_unit_test(test_csv__refuses_nul_bytes_with_the_line),
        cmocka_unit_test(test_csv__reads_across_blocks),
        cmocka_unit_test(test_csv__reads_very_long_lines),
        cmocka_unit_test(test_csv__limits_the_length_of_a_record),
        cmocka_unit_test(test_csv__every_length_ends_well),
        cmocka_unit_test(test_csv__reads_files_and_standard_input),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
