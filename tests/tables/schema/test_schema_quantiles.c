/* A label whose quantiles are learned: read, written, compared, refused. */
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#include "support/check.h"
#include "support/reader_checks.h"

#define LABEL(facts) "hedgerow-schema: 1\nlabel: {name: days, kind: number, low: 0, high: 40" facts "}\n"
#define FEATURES "features: [{name: x, kind: number, low: 0, high: 1}]\nunit: record\n"
#define SCHEMA(facts) LABEL(facts) FEATURES

static void assert_quantiles(const hr_schema *s, const double *quantiles, size_t count) {
    const hr_column *label = hr_schema_label(s);
    assert_int_equal(hr_schema_task(s), HR_TASK_QUANTILES);
    assert_false(hr_task_has_classes(hr_schema_task(s)));
    assert_int_equal(label->quantile_count, count);
    assert_memory_equal(label->quantiles, quantiles, count * sizeof *quantiles);
}

static void test_quantiles__are_read_and_written(void **state) {
    (void)state;
    static const double three[] = {.1, .5, .975}, one[] = {.5};
    hr_schema *s = must_schema(SCHEMA(", quantiles: [.1, 0.5, .975]")), *again = NULL, *copy = NULL;
    char *yaml = NULL;
    assert_quantiles(s, three, 3);
    assert_int_equal(hr_schema_render(s, &yaml, NULL), HR_OK);
    assert_non_null(strstr(yaml, "  high: 40\n  quantiles: [0.1, 0.5, 0.975]\n"));
    again = must_schema(yaml);
    assert_true(hr_schema_same(s, again));
    assert_int_equal(hr_schema_copy(s, &copy, NULL), HR_OK);
    hr_text_free(yaml);
    hr_schema_free(again);
    hr_schema_free(s);
    assert_quantiles(copy, three, 3);
    hr_schema_free(copy);
    s = must_schema(SCHEMA(", quantiles: [0.5], integer: true"));
    assert_quantiles(s, one, 1);
    hr_schema_free(s);
}

static void test_quantiles__are_of_no_time(void **state) {
    (void)state;
    static const double cuts[] = {30, 90}, two[] = {.1, .5};
    hr_schema_builder *b = NULL;
    hr_error err = {0};
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_time(b, "days", "died", cuts, 2, NULL), HR_OK);
    assert_int_equal(hr_schema_label_quantiles(b, two, 2, &err), HR_E_ARGUMENT);
    hr_schema_builder_free(b);
    const hr_column label = {.name = "days",
                             .low = -1,
                             .high = 1,
                             .event = "died",
                             .intervals = cuts,
                             .interval_count = 2,
                             .quantiles = two,
                             .quantile_count = 2};
    const hr_column x = {.name = "x", .low = 0, .high = 1};
    hr_schema *s = NULL;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = (hr_column *)&x, .feature_count = 1},
                       &s, &err),
        HR_E_FORMAT);
    assert_string_equal(err.message, "only a label that is a number has quantiles");
}

static void test_quantiles__are_built_from_code(void **state) {
    (void)state;
    double three[] = {.1, .5, .9};
    const double wanted[] = {.1, .5, .9};
    hr_schema_builder *b = NULL;
    hr_schema *s = NULL;
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_quantiles(b, three, 3, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_label_number(b, "days", 0, 40, NULL), HR_OK);
    assert_int_equal(hr_schema_label_quantiles(b, three, 3, NULL), HR_OK);
    three[0] = 0;
    assert_int_equal(hr_schema_add_number(b, "x", 0, 1, false, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &s, NULL), HR_OK);
    assert_quantiles(s, wanted, 3);
    hr_schema_free(s);
    hr_schema_builder_free(b);

    static const char *const classes[] = {"a", "b"};
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_classes(b, "days", classes, 2, NULL), HR_OK);
    assert_int_equal(hr_schema_label_quantiles(b, wanted, 3, NULL), HR_E_ARGUMENT);
    hr_schema_builder_free(b);
}

static void test_quantiles__are_another_label(void **state) {
    (void)state;
    static const hr_schema_sides sides = {"here", "there"};
    char text[HR_SCHEMA_DIFFERENCE];
    hr_schema *three = must_schema(SCHEMA(", quantiles: [0.1, 0.5, 0.9]"));
    static const char *const others[] = {SCHEMA(""), SCHEMA(", quantiles: [0.1, 0.5]"),
                                         SCHEMA(", quantiles: [0.1, 0.6, 0.9]")},
                             *const words[] = {"column days, number of quantiles: 3 here, 0 there",
                                               "column days, number of quantiles: 3 here, 2 there",
                                               "column days, quantile 2: 0.5 here, 0.6 there"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hr_schema *other = must_schema(others[i]);
        assert_false(hr_schema_same(three, other));
        assert_true(hr_schema_difference(three, other, &sides, text));
        assert_string_equal(text, words[i]);
        hr_schema_free(other);
    }
    hr_schema_free(three);
}

static void test_quantiles__that_are_none_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {SCHEMA(", quantiles: []"), "0 quantiles"},
        {SCHEMA(", quantiles: [0, .5]"), "the quantile 0 is not above 0 and below 1"},
        {SCHEMA(", quantiles: [.5, 1]"), "the quantile 1 is not above 0.5 and below 1"},
        {SCHEMA(", quantiles: [.5, .5]"), "the quantile 0.5 is not above 0.5 and below 1"},
        {SCHEMA(", quantiles: [.5, .5000001]"), "is not above 0.5 and below 1"},
        {SCHEMA(", quantiles: [.5, .1]"), "the quantile 0.1 is not above 0.5 and below 1"},
        {SCHEMA(", quantiles: [-.5]"), "the quantile -0.5"},
        {SCHEMA(", quantiles: [.1, .2, .3, .4, .5, .6, .7, .8, .9, .95]"), "10 quantiles"},
        {SCHEMA(", quantiles: .5"), "quantiles"},
        {SCHEMA(", quantiles: [half]"), "a quantile"},
        {"hedgerow-schema: 1\nlabel: {name: n, kind: count, high: 9, quantiles: [.5]}\n" FEATURES,
         "the key 'quantiles' does not belong to a count"},
        {"hedgerow-schema: 1\nlabel: {name: n, kind: classes, values: [a, b], quantiles: [.5]}\n" FEATURES,
         "the key 'quantiles' does not belong to"},
        {SCHEMA("") "missing: ['?']\n# \n", NULL},
        {"hedgerow-schema: 1\nlabel: {name: n, kind: number, low: 0, high: 9}\nunit: record\n"
         "features: [{name: x, kind: number, low: 0, high: 1, quantiles: [.5]}]\n",
         "only a label that is a number has quantiles"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_schema *s = NULL;
        hr_error err = {0};
        const hr_status status = hr_schema_parse(cases[i].text, strlen(cases[i].text), "s.yaml", &s, &err);
        assert_int_equal(status, cases[i].why ? HR_E_FORMAT : HR_OK);
        if (status && !strstr(err.message, cases[i].why)) fail_msg("%s, not %s", err.message, cases[i].why);
        if (status) assert_true(err.line == 2 || err.line == 4);
        hr_schema_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles__are_read_and_written),
        cmocka_unit_test(test_quantiles__are_built_from_code),
        cmocka_unit_test(test_quantiles__are_of_no_time),
        cmocka_unit_test(test_quantiles__are_another_label),
        cmocka_unit_test(test_quantiles__that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
