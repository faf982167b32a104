/* Features that models are monotone in: read, written, copied, refused. */
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#include "support/check.h"
#include "support/reader_checks.h"

#define HEAD "hedgerow-schema: 1\nunit: record\nlabel: {name: y, kind: number, low: 0, high: 1}\nfeatures:\n"
#define FEATURE(facts) HEAD "  - {name: x, " facts "}\n"
#define NUMBER(more) FEATURE("kind: number, low: 0, high: 1" more)

static void assert_direction(const hr_schema *s, hr_monotone direction) {
    assert_int_equal(hr_schema_feature(s, 0)->monotone, direction);
    assert_int_equal(hr_schema_is_monotone(s), direction != HR_MONOTONE_NONE);
}

static void test_monotone__is_read_and_written(void **state) {
    (void)state;
    static const struct {
        const char *text, *yaml;
        hr_monotone direction;
    } cases[] = {
        {NUMBER(", monotone: increasing"), "\n    monotone: increasing\n", HR_MONOTONE_INCREASING},
        {NUMBER(", monotone: decreasing, source: s"), "\n    monotone: decreasing\n", HR_MONOTONE_DECREASING},
        {NUMBER(""), NULL, HR_MONOTONE_NONE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *s = must_schema(cases[i].text), *copy = NULL;
        char *yaml = NULL;
        assert_direction(s, cases[i].direction);
        assert_int_equal(hr_schema_render(s, &yaml, NULL), HR_OK);
        if (cases[i].yaml) assert_non_null(strstr(yaml, cases[i].yaml));
        if (!cases[i].yaml) assert_null(strstr(yaml, "monotone"));
        hr_schema *again = must_schema(yaml);
        assert_direction(again, cases[i].direction);
        assert_int_equal(hr_schema_copy_of_records(again, &copy, NULL), HR_OK);
        assert_direction(copy, cases[i].direction);
        hr_text_free(yaml);
        hr_schema_free(copy);
        hr_schema_free(again);
        hr_schema_free(s);
    }
}

static void test_monotone__is_built_from_code(void **state) {
    (void)state;
    static const char *const values[] = {"a", "b"};
    hr_schema_builder *b = NULL;
    hr_schema *s = NULL;
    hr_error err = {0};
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_number(b, "y", 0, 1, NULL), HR_OK);
    assert_int_equal(hr_schema_set_monotone(b, HR_MONOTONE_INCREASING, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_add_number(b, "x", 0, 1, false, NULL), HR_OK);
    assert_int_equal(hr_schema_set_monotone(b, (hr_monotone)3, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_set_monotone(b, HR_MONOTONE_DECREASING, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &s, NULL), HR_OK);
    assert_direction(s, HR_MONOTONE_DECREASING);
    hr_schema_free(s);
    assert_int_equal(hr_schema_add_category(b, "c", values, 2, NULL), HR_OK);
    assert_int_equal(hr_schema_set_monotone(b, HR_MONOTONE_DECREASING, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &s, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "c");
    hr_schema_builder_free(b);
}

/* It says what a model is to be, and not what is in a table. */
static void test_monotone__is_no_difference_of_tables(void **state) {
    (void)state;
    static const hr_schema_sides sides = {"here", "there"};
    char text[HR_SCHEMA_DIFFERENCE];
    hr_schema *one = must_schema(NUMBER(", monotone: increasing")), *other = must_schema(NUMBER(""));
    assert_true(hr_schema_same(one, other));
    assert_false(hr_schema_difference(one, other, &sides, text));
    hr_schema_free(one);
    hr_schema_free(other);
}

static void test_monotone__refuses_what_has_no_order(void **state) {
    (void)state;
    static const struct {
        const char *text, *message, *remedy;
    } cases[] = {
        {NUMBER(", monotone: up"), "unknown direction 'up'", "increasing or decreasing"},
        {NUMBER(", monotone: none"), "unknown direction 'none'", "remove the key"},
        {NUMBER(", monotone: [increasing]"), "monotone", ""},
        {FEATURE("kind: category, values: [a, b], monotone: increasing"),
         "'monotone' does not belong to a category", "change the kind"},
        {FEATURE("kind: boolean, monotone: increasing"), "'monotone' does not belong to a boolean",
         "change the kind"},
        {FEATURE("kind: date, from: 2024-01-01, to: 2024-12-31, parts: [trend], monotone: increasing"),
         "'monotone' does not belong to a date", "change the kind"},
        {"hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1, monotone: increasing}\n"
         "features: [{name: x, kind: number, low: 0, high: 1}]\n",
         "only a feature that is a number is monotone", "remove the key"},
        {"hedgerow-schema: 1\nlabel: {name: y, kind: count, high: 1, monotone: increasing}\n"
         "features: [{name: x, kind: number, low: 0, high: 1}]\n",
         "'monotone' does not belong to a count", "remove it"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *s = NULL;
        hr_error err = {0};
        assert_int_equal(hr_schema_parse(cases[i].text, strlen(cases[i].text), "s", &s, &err), HR_E_FORMAT);
        if (!strstr(err.message, cases[i].message) || !strstr(err.remedy, cases[i].remedy))
            fail_msg("%s: %s; %s", cases[i].text, err.message, err.remedy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_monotone__is_read_and_written),
        cmocka_unit_test(test_monotone__is_built_from_code),
        cmocka_unit_test(test_monotone__is_no_difference_of_tables),
        cmocka_unit_test(test_monotone__refuses_what_has_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
