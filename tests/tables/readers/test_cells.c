/* Cells whose text the schema declares: what numbers, booleans and dates become, and where messages point. */
#include "support/reader_checks.h"

static const char declared[] =
    "hedgerow-schema: 1\n"
    "label: {name: y, kind: boolean}\n"
    "features:\n"
    "  - {name: n, kind: number, low: -10, high: 2000, decimal: \",\", thousands: \".\", symbol: "
    "\"\\u20ac\"}\n"
    "  - {name: t, kind: date, from: 2024-02-28, to: 2024-12-31, parts: [hour, weekday, year, trend]}\n"
    "  - {name: b, kind: boolean}\n"
    "  - {name: p, kind: number, low: 0, high: 9}\n"
    "missing: [\"?\", \"-99\"]\n";
enum { N, HOUR, WEEKDAY, YEAR, TREND, B, P, LABEL };

static hr_data *parse(const hr_schema *schema, const char *text) {
    return must_parse(schema, text, strlen(text), HR_FORMAT_CSV);
}

static void expect_number(const hr_data *data, size_t feature, size_t row, double value) {
    if (!is_same_double(hr_data_numbers(data, feature)[row], value))
        fail_msg("feature %zu, row %zu: %.17g, not %.17g", feature, row, hr_data_numbers(data, feature)[row],
                 value);
}

static void test_numbers__are_read_as_declared(void **state) {
    hr_data *data =
        parse(*state, "n,t,b,p,y\n\"1.234,50 \xe2\x82\xac\",2024-03-01,t,1.5,1\n"
                      "-3 \xe2\x82\xac,2024-03-01,t,2,0\n?,2024-03-01,t,3,0\n\"5.000\",2024-03-01,t,4,0\n"
                      "-99,2024-03-01,t,5,0\n");
    const double wanted[] = {1234.5, -3, (double)NAN, 2000, (double)NAN};
    for (size_t row = 0; row < 5; row++) expect_number(data, N, row, wanted[row]);
    assert_int_equal(hr_data_report(data, N)->missing, 2);
    assert_int_equal(hr_data_report(data, N)->out_of_range, 1);
    expect_number(data, P, 0, 1.5);
    hr_data_free(data);
}

static void test_booleans__have_several_spellings(void **state) {
    static const char *const no[] = {"false", "False", "FALSE", "no", "No",  "NO", "f",
                                     "F",     "n",     "N",     "0",  "off", "OFF"};
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "YES", "t",
                                      "T",    "y",    "Y",    "1",   "on",  "ON"};
    char text[2000];
    size_t size = (size_t)snprintf(text, sizeof text, "b,n,t,p,y\n");
    for (size_t i = 0; i < 13; i++)
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%s,1,2024-03-01,1,%s\n%s,1,2024-03-01,1,%s\n",
                             no[i], yes[i], yes[i], no[i]);
    snprintf(text + size, sizeof text - size,
             "?,1,2024-03-01,1,0\nmaybe,1,2024-03-01,1,0\nyEs,1,2024-03-01,1,0\n");
    hr_data *data = parse(*state, text);
    for (size_t row = 0; row < 26; row++) {
        assert_int_equal(hr_data_codes(data, B)[row], row % 2 + 1);
        assert_true(hr_data_labels(data)[row] == 1 - (double)(row % 2));
    }
    for (size_t row = 26; row < 29; row++) assert_int_equal(hr_data_codes(data, B)[row], 0);
    assert_int_equal(hr_data_report(data, B)->missing, 1);
    assert_int_equal(hr_data_report(data, B)->unknown, 2);
    hr_data_free(data);
}

static void expect_time(const hr_data *data, size_t row, const double parts[4]) {
    for (size_t i = 0; i < 4; i++) expect_number(data, HOUR + i, row, parts[i]);
}

static void test_dates__become_their_parts(void **state) {
    hr_data *data =
        parse(*state, "t,n,b,p,y\n2024-02-28,1,t,1,1\n2024-02-29T18:00,1,t,1,1\n"
                      "2024-12-31 23:59:59.9,1,t,1,1\n2024-03-02 24:00,1,t,1,1\n?,1,t,1,1\n,1,t,1,1\n"
                      "2025-01-01 05:00,1,t,1,1\n1999-12-31T07:30:00,1,t,1,1\n");
    const double missing = (double)NAN;
    expect_time(data, 0, (double[]){0, 3, 2024, 0});
    expect_time(data, 1, (double[]){18, 4, 2024, 1.75});
    expect_time(data, 2, (double[]){23, 2, 2024, 307 + 86399. / 86400});
    expect_time(data, 3, (double[]){0, 7, 2024, 4});
    expect_time(data, 4, (double[]){missing, missing, missing, missing});
    expect_time(data, 5, (double[]){missing, missing, missing, missing});
    expect_time(data, 6, (double[]){5, 3, 2024, 307 + 86399. / 86400});
    expect_time(data, 7, (double[]){7, 5, 2024, 0});
    for (size_t i = HOUR; i <= TREND; i++) {
        assert_int_equal(hr_data_report(data, i)->missing, 2);
        assert_int_equal(hr_data_report(data, i)->out_of_range, i == YEAR || i == TREND ? 2 : 0);
    }
    assert_int_equal(hr_data_extra_columns(data), 0);
    hr_data_free(data);
}

static void test_bad_cells__are_refused_with_their_place(void **state) {
    static const bad_table cases[] = {
        {"t,n,b,p,y\n2024-02-30,1,t,1,1\n", HR_E_FORMAT, 2, 1, "t", "does not exist (format: ISO 8601)"},
        {"t,n,b,p,y\n2024-02-29,1,t,1,1\n29.02.2024,1,t,1,1\n", HR_E_FORMAT, 3, 1, "t",
         "'29.02.2024' is not a date"},
        {"n,t,b,p,y\n1,2024-02-29 10:00+01:00,t,1,1\n", HR_E_FORMAT, 2, 3, "t", "offset: utc"},
        {"n,t,b,p,y\n1,2024-02-29 10:00:60,t,1,1\n", HR_E_FORMAT, 2, 3, "t", "list it under 'missing'"},
        {"t,n,b,p,y\n2024-02-29,1.5,t,1,1\n", HR_E_FORMAT, 2, 12, "n", "'1.5' is not a number"},
        {"t,n,b,p,y\n2024-02-29,1$,t,1,1\n", HR_E_FORMAT, 2, 12, "n", "decimal, thousands, symbol"},
        {"t,n,b,p,y\n2024-02-29,1,t,\"1,5\",1\n", HR_E_FORMAT, 2, 16, "p", "'1,5' is not a number"},
        {"t,n,b,p,y\n2024-02-29,1,t,1,maybe\n", HR_E_SCHEMA, 2, 18, "y", "'maybe' is not one of the classes"},
        {"n,b,p,y\n1,t,1,1\n", HR_E_SCHEMA, 0, 0, "t", "no such column"},
        {"t.hour,t.weekday,t.year,t.trend,n,b,p,y\n1,2,3,4,1,t,1,1\n", HR_E_SCHEMA, 0, 0, "t",
         "no such column"},
        {"t,t,n,b,p,y\n2024-02-29,2024-02-29,1,t,1,1\n", HR_E_FORMAT, 0, 0, "t", "two columns"},
    };
    check_bad_tables(*state, HR_FORMAT_CSV, cases, sizeof cases / sizeof *cases);
}

static void test_libsvm__has_no_dates(void **state) {
    static const bad_table cases[] = {
        {"1 1:2\n", HR_E_SCHEMA, 0, 0, "t", "LIBSVM tables have no dates"},
    };
    check_bad_tables(*state, HR_FORMAT_LIBSVM, cases, 1);
}

static void test_libsvm__reads_declared_numbers(void **state) {
    (void)state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: boolean}\nfeatures:\n"
                                    "  - {name: n, kind: number, low: -9, high: 9, decimal: \",\"}\n"
                                    "  - {name: b, kind: boolean}\n");
    hr_data *data = must_parse(schema, "1 1:2,5\n0 2:1\n", 14, HR_FORMAT_LIBSVM);
    expect_number(data, 0, 0, 2.5);
    expect_number(data, 0, 1, 0);
    assert_int_equal(hr_data_codes(data, 1)[0], 1);
    assert_int_equal(hr_data_codes(data, 1)[1], 2);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_rule__of_offsets_and_formats_is_the_schemas(void **state) {
    (void)state;
    static const char *const rules[] = {"offset: utc", "offset: local", "format: \"%d.%m.%Y %H:%M\""};
    static const char *const tables[] = {"t,y\n2024-03-01 01:30+02:00,1\n2024-03-01 01:30,0\n",
                                         "t,y\n2024-03-01 01:30+02:00,1\n2024-03-01 01:30Z,0\n",
                                         "t,y\n01.03.2024 07:00,1\n31.12.2024 24:00,0\n"};
    static const double hours[][2] = {{23, 1}, {1, 1}, {7, 0}};
    for (size_t i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "hedgerow-schema: 1\nlabel: {name: y, kind: boolean}\nfeatures:\n"
                 "  - {name: t, kind: date, from: 2024-01-01, to: 2024-12-31, parts: [hour], %s}\n",
                 rules[i]);
        hr_schema *schema = must_schema(text);
        hr_data *data = parse(schema, tables[i]);
        for (size_t row = 0; row < 2; row++) expect_number(data, 0, row, hours[i][row]);
        hr_data_free(data);
        hr_schema_free(schema);
    }
}

static int setup(void **state) {
    *state = must_schema(declared);
    return 0;
}

static int teardown(void **state) {
    hr_schema_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers__are_read_as_declared),
        cmocka_unit_test(test_booleans__have_several_spellings),
        cmocka_unit_test(test_dates__become_their_parts),
        cmocka_unit_test(test_bad_cells__are_refused_with_their_place),
        cmocka_unit_test(test_libsvm__has_no_dates),
        cmocka_unit_test(test_libsvm__reads_declared_numbers),
        cmocka_unit_test(test_rule__of_offsets_and_formats_is_the_schemas),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
