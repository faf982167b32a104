/* Words and dates of CSV, which are taken where they stand: as the tokenizer takes them, which blanks around
 * a cell ask for, and refused as it refuses them. */
#include "support/reader_checks.h"

enum { LONGEST = 100, DRESSES = 6, ROWS = 2 * LONGEST * DRESSES };

/* A value of each length from 1 to LONGEST, told from the one before by its first byte and by its last. */
static const char *value_of(size_t length) {
    static char text[LONGEST + 1];
    memset(text, '.', length);
    text[length] = '\0';
    text[0] = (char)('a' + length % 20);
    text[length - 1] = (char)('A' + length % 20);
    return text;
}

static hr_schema *schema_of_lengths(void) {
    char *text = must_alloc((size_t)LONGEST * LONGEST + 4096), *p = text;
    p += sprintf(p, "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [\"no\", \"yes\"]}\n"
                    "missing: [\"n/a\"]\nfeatures:\n"
                    "  - {name: d, kind: date, from: 2000-01-01, to: 2030-12-31, parts: [day, trend]}\n"
                    "  - name: c\n    kind: category\n    values: [");
    for (size_t length = 1; length <= LONGEST; length++)
        p += sprintf(p, "%s\"%s\"", length > 1 ? ", " : "", value_of(length));
    sprintf(p, "]\n");
    hr_schema *schema = must_schema(text);
    free(text);
    return schema;
}

/* Dresses 0 and 1 have no blanks around the word. */
static char *put_cell(char *p, const char *word, int dress) {
    static const char *const before[DRESSES] = {"", "\"", " ", "\" ", "\t\"", "  "}, *const after[DRESSES] = {
                                                                                         "",   "\"",  "",
                                                                                         "\"", " \"", "\t"};
    return p + sprintf(p, "%s%s%s", before[dress], word, after[dress]);
}

/* Every length in every dress, in the midst of a record and at its end. */
static char *table_of_lengths(const char *header, bool last, const char *end) {
    char *text = must_alloc((size_t)ROWS * (LONGEST + 64)), *p = text;
    p += sprintf(p, "%s%s", header, end);
    for (size_t length = 1; length <= LONGEST; length++) {
        for (int dress = 0; dress < DRESSES; dress++) {
            char date[16];
            snprintf(date, sizeof date, "2024-02-%02zu", length % 29 + 1);
            p = put_cell(p, length % 3 ? "no" : "yes", last ? dress : 0);
            *p++ = ',';
            p = put_cell(p, last ? date : value_of(length), dress);
            *p++ = ',';
            p = put_cell(p, last ? value_of(length) : date, dress);
            p += sprintf(p, "%s", length < LONGEST || dress + 1 < DRESSES ? end : "");
        }
    }
    return text;
}

static void expect_lengths(const hr_data *data) {
    assert_int_equal(hr_data_rows(data), LONGEST * DRESSES);
    for (size_t row = 0; row < hr_data_rows(data); row++) {
        const size_t length = row / DRESSES + 1;
        if (hr_data_codes(data, 2)[row] != length) fail_msg("row %zu: code", row);
        if (hr_data_numbers(data, 0)[row] != (double)(length % 29 + 1)) fail_msg("row %zu: day", row);
        if (hr_data_numbers(data, 1)[row] != 8766 + 31 + (double)(length % 29))
            fail_msg("row %zu: trend", row);
        if (hr_data_labels(data)[row] != (length % 3 ? 0 : 1)) fail_msg("row %zu: label", row);
    }
    for (size_t f = 0; f <= 3; f++) {
        const hr_column_report *report = hr_data_report(data, f);
        assert_true(!report->missing && !report->unknown && !report->out_of_range);
    }
}

static void test_words__of_all_lengths_are_read_in_every_dress(void **state) {
    hr_schema *schema = *state;
    for (int last = 0; last < 2; last++) {
        for (int crlf = 0; crlf < 2; crlf++) {
            char *text = table_of_lengths(last ? "y,d,c" : "y,c,d", last, crlf ? "\r\n" : "\n");
            hr_data *data = must_parse(schema, text, strlen(text), HR_FORMAT_CSV);
            expect_lengths(data);
            hr_data_free(data);
            free(text);
        }
    }
}

static void test_words__that_are_missing_or_unknown_are_counted(void **state) {
    hr_schema *schema = *state;
    static const char text[] =
        "d,c,skipped,y\n,,\"a,b\",no\nn/a,n/a,x,yes\n\"n/a\",\"n/a\",,no\n\"\",\"\",\"\","
        "no\n1999-12-31,b,x,yes\n2031-01-01,u.,x,\"yes\"\n";
    hr_data *data = must_parse(schema, text, strlen(text), HR_FORMAT_CSV);
    assert_int_equal(hr_data_rows(data), 6);
    for (size_t row = 0; row < 4; row++)
        assert_true(hr_data_codes(data, 2)[row] == 0 && isnan(hr_data_numbers(data, 1)[row]));
    assert_int_equal(hr_data_report(data, 0)->missing, 4);
    assert_int_equal(hr_data_report(data, 1)->missing, 4);
    assert_int_equal(hr_data_report(data, 1)->out_of_range, 2);
    assert_int_equal(hr_data_report(data, 0)->out_of_range, 0);
    assert_int_equal(hr_data_report(data, 2)->missing, 4);
    assert_int_equal(hr_data_report(data, 2)->unknown, 2);
    assert_int_equal(hr_data_extra_columns(data), 1);
    assert_true(hr_data_labels(data)[5] == 1);
    hr_data_free(data);
}

static void test_words__are_refused_where_they_stand(void **state) {
#define ROW_1 "2024-02-29,cC,no\n"
    static const bad_table cases[] = {
        {"d,c,y\n" ROW_1 "2023-02-29,cC,no\n", HR_E_FORMAT, 3, 1, "d", "does not exist"},
        {"d,c,y\n" ROW_1 "\"2023-02-29\",cC,no\n", HR_E_FORMAT, 3, 1, "d", "'2023-02-29' is a day"},
        {"d,c,y\n" ROW_1 "2024-2-29x,cC,no\n", HR_E_FORMAT, 3, 1, "d", "is not a date"},
        {"d,c,y\n" ROW_1 "0000-01-01,cC,no\n", HR_E_FORMAT, 3, 1, "d", "does not exist"},
        {"d,c,y\n" ROW_1 "2024-02-29,cC,maybe\n", HR_E_SCHEMA, 3, 15, "y", "not one of the classes"},
        {"d,c,y\n" ROW_1 "2024-02-29,cC,\n", HR_E_SCHEMA, 3, 15, "y", "the label is missing"},
        {"d,c,y\n" ROW_1 "2024-02-29,cC\n", HR_E_FORMAT, 3, 0, "", "2 cells where 3 are expected"},
        {"d,c,y\n" ROW_1 "2024-02-29,cC,no,\n", HR_E_FORMAT, 3, 0, "", "more than 3 cells"},
        {"d,c,y\n" ROW_1 "2024-02-29,\"cC\"x,no\n", HR_E_FORMAT, 3, 16, "c",
         "after a closing quotation mark"},
        {"d,c,y\n" ROW_1 "2024-02-29,c\"C,no\"\n", HR_E_FORMAT, 3, 13, "c", "a quotation mark inside a cell"},
        {"d,c,y\n" ROW_1 "2024-02-29,cC\r,no\n", HR_E_FORMAT, 3, 14, "c", "a carriage return"},
        {"d,c,y\n" ROW_1 "2024-02-29,cC,no\r\r\n", HR_E_FORMAT, 3, 17, "y", "a carriage return"},
        {"d,c,y\n" ROW_1 "2024-02-29,\"c\n\nC\",no\n2024-02-30,cC,no\n", HR_E_FORMAT, 6, 1, "d", "not exist"},
        {"d,c,y\n" ROW_1 "2024-02-29,\"cC,no\n", HR_E_FORMAT, 3, 12, "c", "never closed"},
    };
    check_bad_tables(*state, HR_FORMAT_CSV, cases, sizeof cases / sizeof *cases);
}

static int set_up(void **state) {
    *state = schema_of_lengths();
    return 0;
}

static int tear_down(void **state) {
    hr_schema_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__of_all_lengths_are_read_in_every_dress),
        cmocka_unit_test(test_words__that_are_missing_or_unknown_are_counted),
        cmocka_unit_test(test_words__are_refused_where_they_stand),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
