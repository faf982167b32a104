/* What a schema says of the text of cells: what is read, written again, compared and refused. */
#include "tables/schema/cell_text.h"

#include "base/text/calendar.h"
#include "support/reader_checks.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#define HEAD "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"
#define DATE "{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, parts: [hour, year, trend]}"

static void expect_column(const hr_column *column, const char *name, double low, double high, bool integer) {
    assert_string_equal(column->name, name);
    assert_true(column->kind == HR_KIND_NUMBER && column->integer == integer);
    if (column->low != low || column->high != high) fail_msg("%s: %g to %g", name, column->low, column->high);
}

static void test_date__becomes_one_feature_a_part(void **state) {
    (void)state;
    hr_schema *s = must_schema(HEAD "features:\n  - {name: x, kind: number, low: 0, high: 1}\n"
                                    "  - {name: t, kind: date, from: 2023-12-30, to: 2024-02-29, "
                                    "parts: [trend, year, month, day, yearday, weekday, hour, minute]}\n"
                                    "  - {name: z, kind: boolean}\n");
    assert_int_equal(hr_schema_feature_count(s), 10);
    expect_column(hr_schema_feature(s, 1), "t.trend", 0, 62, false);
    expect_column(hr_schema_feature(s, 2), "t.year", 2023, 2024, true);
    expect_column(hr_schema_feature(s, 3), "t.month", 1, 12, true);
    expect_column(hr_schema_feature(s, 4), "t.day", 1, 31, true);
    expect_column(hr_schema_feature(s, 5), "t.yearday", 1, 366, true);
    expect_column(hr_schema_feature(s, 6), "t.weekday", 1, 7, true);
    expect_column(hr_schema_feature(s, 7), "t.hour", 0, 23, true);
    expect_column(hr_schema_feature(s, 8), "t.minute", 0, 59, true);
    const hr_date_column *date = hr_schema_feature(s, 1)->date;
    assert_string_equal(date->name, "t");
    assert_true(date->from == hr_calendar_days(2023, 12, 30) * HR_DAY_SECONDS);
    assert_true(date->to == hr_calendar_days(2024, 3, 1) * HR_DAY_SECONDS - 1);
    for (size_t i = 2; i < 9; i++) assert_ptr_equal(hr_schema_feature(s, i)->date, date);
    assert_null(hr_schema_feature(s, 0)->date);
    const hr_column *flag = hr_schema_feature(s, 9);
    assert_true(flag->boolean && flag->kind == HR_KIND_CATEGORY && flag->value_count == 2);
    assert_string_equal(flag->values[1], "true");
    hr_schema_free(s);
}

static void test_numbers__take_marks_of_the_file_and_of_their_own(void **state) {
    (void)state;
    hr_schema *s =
        must_schema("hedgerow-schema: 1\ndecimal: \",\"\nthousands: \".\"\n"
                    "label: {name: y, kind: number, low: 0, high: 9}\nfeatures:\n"
                    "  - {name: a, kind: number, low: 0, high: 1}\n"
                    "  - {name: b, kind: number, low: 0, high: 1, symbol: \"%\", thousands: \" \"}\n"
                    "  - {name: c, kind: number, low: 0, high: 1, decimal: \".\", thousands: \",\"}\n");
    static const hr_number_format file = {',', '.', NULL}, own = {',', ' ', "%"}, other = {'.', ',', NULL};
    assert_true(hr_number_format_same(&hr_schema_label(s)->format, &file));
    assert_true(hr_number_format_same(&hr_schema_feature(s, 0)->format, &file));
    assert_true(hr_number_format_same(&hr_schema_feature(s, 1)->format, &own));
    assert_true(hr_number_format_same(&hr_schema_feature(s, 2)->format, &other));
    hr_schema_free(s);
}

static void test_review__of_a_date_is_that_of_all_parts(void **state) {
    (void)state;
    hr_schema *s =
        must_schema(HEAD "features: [{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, parts: "
                         "[hour, day], review: [from]}]\n");
    hr_error err = {0};
    assert_true(hr_schema_feature(s, 0)->review && hr_schema_feature(s, 1)->review);
    assert_int_equal(hr_schema_reviewed(s, &err), HR_E_POLICY);
    assert_string_equal(err.field, "t.hour");
    hr_schema_free(s);
}

static void test_render__reads_back_to_the_same_facts(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD "features: [" DATE "]\n",
        HEAD "features: [" DATE
             ", {name: u, kind: date, from: 0001-01-01, to: 9999-12-31, parts: [trend]}]\n",
        HEAD
        "features: [{name: t, kind: date, from: 2023-12-30T10:00, to: 2024-02-29 00:00, parts: [day]}]\n",
        HEAD "features: [{name: t, kind: date, from: 2023-12-30, to: 2024-02-29T24:00, offset: utc, "
             "parts: [hour]}]\n",
        HEAD "features: [{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, offset: local, "
             "format: \"%d/%m/%Y %H:%M%z\", parts: [hour, day], review: [from, to]}]\n",
        "hedgerow-schema: 1\nlabel: {name: y, kind: boolean}\nfeatures: [{name: x, kind: boolean, "
        "review: [kind]}]\n",
        "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9, decimal: \",\", symbol: "
        "\"\\u20ac\"}\nfeatures: [{name: x, kind: number, low: 0, high: 1, thousands: \"'\"}]\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_schema *s = must_schema(texts[i]), *copy = NULL;
        char *text = NULL, *again = NULL;
        assert_int_equal(hr_schema_render(s, &text, NULL), HR_OK);
        hr_schema *back = must_schema(text);
        assert_int_equal(hr_schema_render(back, &again, NULL), HR_OK);
        assert_string_equal(text, again);
        assert_true(hr_schema_same(s, back));
        assert_int_equal(hr_schema_reviewed(s, NULL), hr_schema_reviewed(back, NULL));
        assert_int_equal(hr_schema_copy(back, &copy, NULL), HR_OK);
        hr_schema_free(back);
        assert_true(hr_schema_same(s, copy));
        hr_schema_free(copy);
        hr_text_free(text);
        hr_text_free(again);
        hr_schema_free(s);
    }
}

static void test_difference__names_the_fact(void **state) {
    (void)state;
    static const struct {
        const char *one, *other, *difference;
    } cases[] = {
        {DATE, "{name: t, kind: date, from: 2023-12-31, to: 2024-02-29, parts: [hour, year, trend]}",
         "column t.hour, from: 2023-12-30 here, 2023-12-31 there"},
        {DATE, "{name: t, kind: date, from: 2023-12-30, to: 2024-02-29T12:00, parts: [hour, year, trend]}",
         "column t.hour, to: 2024-02-29 here, 2024-02-29T12:00:00 there"},
        {DATE,
         "{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, offset: utc, parts: [hour, year, trend]}",
         "column t.hour, offset: refused here, utc there"},
        {DATE,
         "{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, format: \"%Y%m%d\", parts: [hour, year, "
         "trend]}",
         "column t.hour, format: ISO 8601 here, %Y%m%d there"},
        {DATE, "{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, parts: [hour, month]}",
         "feature 2: t.year here, t.month there"},
        {DATE, "{name: t.hour, kind: number, low: 0, high: 23, integer: true}",
         "column t.hour, kind: date here, number there"},
        {"{name: b, kind: boolean}", "{name: b, kind: category, values: [\"false\", \"true\"]}",
         "column b, kind: boolean here, category there"},
        {"{name: n, kind: number, low: 0, high: 1}",
         "{name: n, kind: number, low: 0, high: 1, decimal: \",\"}",
         "column n, decimal: '.' here, ',' there"},
        {"{name: n, kind: number, low: 0, high: 1, thousands: \" \"}",
         "{name: n, kind: number, low: 0, high: 1}", "column n, thousands: ' ' here, none there"},
        {"{name: n, kind: number, low: 0, high: 1, symbol: \"%\"}",
         "{name: n, kind: number, low: 0, high: 1}", "column n, symbol: % here, none there"},
    };
    static const hr_schema_sides sides = {"here", "there"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HR_SCHEMA_DIFFERENCE] = "", one_text[600], other_text[600];
        snprintf(one_text, sizeof one_text, HEAD "features: [%s]\n", cases[i].one);
        snprintf(other_text, sizeof other_text, HEAD "features: [%s]\n", cases[i].other);
        hr_schema *one = must_schema(one_text), *other = must_schema(other_text);
        assert_false(hr_schema_same(one, other));
        assert_true(hr_schema_difference(one, other, &sides, text));
        assert_string_equal(text, cases[i].difference);
        assert_false(hr_schema_difference(one, one, &sides, text));
        hr_schema_free(one);
        hr_schema_free(other);
    }
}

typedef struct bad_column {
    const char *column; /* the only feature, in line 3 from column 12 on */
    uint64_t at;
    const char *field, *message;
} bad_column;

static const bad_column bad[] = {
    {"{name: t, kind: date, to: 2024-01-01, parts: [hour]}", 12, "t", "'from' is missing"},
    {"{name: t, kind: date, from: 2024-01-01, parts: [hour]}", 12, "t", "'to' is missing"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02}", 12, "t", "'parts' is missing"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: hour}", 75, "t", "a list such as"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: []}", 75, "t", "a list such as"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hours]}", 76, "t",
     "unknown part 'hours'"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour, hour]}", 19, "t.hour",
     "used twice"},
    {"{name: t, kind: date, from: 2023-02-29, to: 2024-01-02, parts: [hour]}", 40, "t", "is not a date"},
    {"{name: t, kind: date, from: 2024-01-01Z, to: 2024-01-02, parts: [hour]}", 40, "t", "is not a date"},
    {"{name: t, kind: date, from: 2024-01-01, to: today, parts: [hour]}", 56, "t", "'today' is not a date"},
    {"{name: t, kind: date, from: 2024-01-02, to: 2024-01-01, parts: [hour]}", 56, "t", "not before"},
    {"{name: t, kind: date, from: 2024-01-02, to: 9999-12-31T24:00, parts: [hour]}", 56, "t",
     "is not a date"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour], format: \"%Y\"}", 91, "t",
     "is not usable"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour], format: \"%Y%m%d%H%z\"}", 12,
     "t", "meaning is not given"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour], offset: cet}", 91, "t",
     "unknown offset 'cet'"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour], format: \"%Y%m%d\", offset: "
     "utc}",
     109, "t", "has no offset"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour], low: 0}", 88, "t",
     "'low' does not belong to a date"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour]}, {name: t.hour, kind: boolean}",
     91, "t.hour", "used twice"},
    {"{name: t, kind: date, from: 2024-01-01, to: 2024-01-02, parts: [hour]}, {name: t, kind: boolean}", 91,
     "t", "used twice"},
    {"{name: b, kind: boolean, values: [a, b]}", 45, "b", "'values' does not belong to a boolean"},
    {"{name: c, kind: category, values: [a], decimal: \",\"}", 60, "c", "does not belong to a category"},
    {"{name: n, kind: number, low: 0, high: 1, parts: [hour]}", 60, "n", "does not belong to a number"},
    {"{name: n, kind: number, low: 0, high: 1, decimal: \";\"}", 62, "n", "decimal mark is"},
    {"{name: n, kind: number, low: 0, high: 1, decimal: \",,\"}", 62, "n", "one character"},
    {"{name: n, kind: number, low: 0, high: 1, thousands: \";\"}", 64, "n", "thousands are separated by"},
    {"{name: n, kind: number, low: 0, high: 1, thousands: \".\"}", 64, "n", "is the decimal mark too"},
    {"{name: n, kind: number, low: 0, high: 1, symbol: \"1\"}", 61, "n", "has a digit or a sign"},
    {"{name: n, kind: number, low: 0, high: 1, symbol: \"-\"}", 61, "n", "has a digit or a sign"},
    {"{name: n, kind: number, low: 0, high: 1, symbol: \".x\"}", 61, "n", "begins with a mark"},
    {"{name: n, kind: number, low: 0, high: 1, symbol: \" x\"}", 61, "n", "blanks"},
    {"{name: n, kind: number, low: 0, high: 1, symbol: \"12345678901234567\"}", 61, "n", "1 to 16 bytes"},
};

static void test_parse__refuses_with_the_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        hr_error err = {0};
        hr_schema *schema = NULL;
        snprintf(text, sizeof text, HEAD "features: [%s]\n", bad[i].column);
        int status = hr_schema_parse(text, strlen(text), "s.yaml", &schema, &err);
        if (status != HR_E_FORMAT || err.line != 3 || err.column != bad[i].at ||
            strcmp(err.field, bad[i].field) != 0 || !strstr(err.message, bad[i].message))
            fail_msg("case %zu: status %d, %d:%d, '%s': %s", i, status, (int)err.line, (int)err.column,
                     err.field, err.message);
        assert_null(schema);
    }
}

static void test_build__makes_what_the_file_says(void **state) {
    (void)state;
    static const char text[] =
        "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1, decimal: \",\", symbol: \"%\"}\n"
        "features: [{name: t, kind: date, from: 1970-01-01, to: 1970-01-02, format: \"%Y%m%d%H%z\", offset: "
        "utc, "
        "parts: [trend, hour]}, {name: b, kind: boolean}, {name: n, kind: number, low: 2, high: 3, integer: "
        "true, "
        "decimal: \",\", symbol: \"%\"}]\n";
    const hr_date_column date = {"t", 0, 2 * 86400 - 1, "%Y%m%d%H%z", HR_OFFSET_UTC};
    const hr_date_part parts[] = {HR_DATE_PART_TREND, HR_DATE_PART_HOUR}, wrong = (hr_date_part)HR_DATE_PARTS;
    hr_schema_builder *b = NULL;
    hr_schema *built = NULL, *read = must_schema(text);
    hr_error err = {0};
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_set_number_format(b, &(hr_number_format){',', 0, "%"}, NULL), HR_OK);
    assert_int_equal(hr_schema_label_number(b, "y", 0, 1, NULL), HR_OK);
    assert_int_equal(hr_schema_add_date(b, &date, parts, 0, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_add_date(b, &date, &wrong, 1, &err), HR_E_ARGUMENT);
    assert_int_equal(
        hr_schema_add_date(b, &(hr_date_column){"t", INT64_MIN, INT64_MAX, NULL, 0}, parts, 2, &err),
        HR_E_FORMAT);
    assert_string_equal(err.field, "t");
    assert_int_equal(hr_schema_add_date(b, &date, parts, 2, NULL), HR_OK);
    assert_int_equal(hr_schema_add_boolean(b, "b", NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(b, "n", 2, 3, true, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &built, NULL), HR_OK);
    hr_schema_builder_free(b);
    assert_true(hr_schema_same(built, read));
    hr_schema_free(built);
    hr_schema_free(read);
}

static void test_label__is_no_date(void **state) {
    (void)state;
    static const char text[] = "hedgerow-schema: 1\nlabel: {name: y, kind: date}\nfeatures: [{name: x, kind: "
                               "boolean}]\n";
    hr_error err = {0};
    hr_schema *schema = NULL;
    assert_int_equal(hr_schema_parse(text, sizeof text - 1, "s.yaml", &schema, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "unknown kind 'date'"));
    assert_int_equal(err.line, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date__becomes_one_feature_a_part),
        cmocka_unit_test(test_numbers__take_marks_of_the_file_and_of_their_own),
        cmocka_unit_test(test_review__of_a_date_is_that_of_all_parts),
        cmocka_unit_test(test_render__reads_back_to_the_same_facts),
        cmocka_unit_test(test_difference__names_the_fact),
        cmocka_unit_test(test_parse__refuses_with_the_place),
        cmocka_unit_test(test_build__makes_what_the_file_says),
        cmocka_unit_test(test_label__is_no_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
