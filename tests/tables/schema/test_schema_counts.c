/* A label that is a count: read, written, compared, refused. */
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#include "support/check.h"
#include "support/reader_checks.h"

#define LABEL(facts) "hedgerow-schema: 1\nlabel: {name: visits, " facts "}\n"
#define FEATURES "features: [{name: x, kind: number, low: 0, high: 1}]\nunit: record\n"
#define SCHEMA(facts) LABEL(facts) FEATURES

static void assert_count(const hr_schema *s, double low, double high) {
    const hr_column *label = hr_schema_label(s);
    assert_int_equal(hr_schema_task(s), HR_TASK_COUNT);
    assert_true(label->kind == HR_KIND_NUMBER && label->integer && label->count);
    assert_true(label->low == low && label->high == high);
}

static void test_count__is_read_and_written(void **state) {
    (void)state;
    hr_schema *s = must_schema(SCHEMA("kind: count, high: 40"));
    char *yaml = NULL;
    assert_count(s, 0, 40);
    assert_int_equal(hr_schema_render(s, &yaml, NULL), HR_OK);
    assert_non_null(strstr(yaml, "kind: count\n  low: 0\n  high: 40\n"));
    assert_null(strstr(yaml, "integer"));
    hr_schema *again = must_schema(yaml);
    assert_true(hr_schema_same(s, again));
    hr_text_free(yaml);
    hr_schema_free(again);
    hr_schema_free(s);
    s = must_schema(SCHEMA("kind: count, low: 2, high: 40, thousands: \"'\", source: code book"));
    assert_count(s, 2, 40);
    hr_schema_free(s);
}

static void test_count__is_built_from_code(void **state) {
    (void)state;
    hr_schema_builder *b = NULL;
    hr_schema *s = NULL, *copy = NULL;
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_label_count(b, "visits", 1, 12, NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(b, "x", 0, 1, false, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &s, NULL), HR_OK);
    hr_schema_builder_free(b);
    assert_int_equal(hr_schema_copy(s, &copy, NULL), HR_OK);
    hr_schema_free(s);
    assert_count(copy, 1, 12);
    hr_schema_free(copy);
}

/* A number with the same bounds is another label. */
static void test_count__differs_from_a_number(void **state) {
    (void)state;
    static const hr_schema_sides sides = {"here", "there"};
    char text[HR_SCHEMA_DIFFERENCE];
    hr_schema *count = must_schema(SCHEMA("kind: count, high: 40")),
              *number = must_schema(SCHEMA("kind: number, low: 0, high: 40, integer: true"));
    assert_false(hr_schema_same(count, number));
    assert_true(hr_schema_difference(count, number, &sides, text));
    assert_non_null(strstr(text, "count here, number there"));
    hr_schema_free(count);
    hr_schema_free(number);
}

static void test_count__refuses_what_is_none(void **state) {
    (void)state;
    static const struct {
        const char *text, *message, *remedy;
    } cases[] = {
        {SCHEMA("kind: count"), "'high' is missing", "public bounds"},
        {SCHEMA("kind: count, low: -1, high: 5"), "low (-1) is no count", "0 to 100000"},
        {SCHEMA("kind: count, low: 0.5, high: 5"), "low (0.5) is no count", "0 to 100000"},
        {SCHEMA("kind: count, high: 5.5"), "high (5.5) is no count", "0 to 100000"},
        {SCHEMA("kind: count, high: 1e17"), "is no count", "0 to 100000"},
        {SCHEMA("kind: count, high: 100001"), "is no count", "kind: number"},
        {SCHEMA("kind: count, low: 5, high: 5"), "too near", "low < high"},
        {SCHEMA("kind: count, low: 6, high: 5"), "is above high", "low <= high"},
        {SCHEMA("kind: count, high: 5, integer: true"), "'integer' does not belong to a count", "remove it"},
        {SCHEMA("kind: count, high: 5, values: [a, b]"), "'values' does not belong to a count", "remove it"},
        {LABEL("kind: count, high: 5") "features: [{name: x, kind: count, high: 1}]\n",
         "unknown kind 'count'", "a feature is a number"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *s = NULL;
        hr_error err = {0};
        assert_int_equal(hr_schema_parse(cases[i].text, strlen(cases[i].text), "s", &s, &err), HR_E_FORMAT);
        if (!strstr(err.message, cases[i].message) || !strstr(err.remedy, cases[i].remedy))
            fail_msg("%s: %s; %s", cases[i].text, err.message, err.remedy);
    }
}

#define EXPOSED                                                                                              \
    "hedgerow-schema: 1\nlabel: {name: y, kind: count, high: 20, exposure: {column: days, high: 365}}\n"     \
    "features: [{name: x, kind: number, low: 0, high: 1}]\n"

static void test_exposure__is_a_column_with_a_public_bound(void **state) {
    (void)state;
    static const char *const texts[] = {EXPOSED, EXPOSED "decimal: \",\"\nunit: who\nweight: w\n"};
    for (size_t i = 0; i < 2; i++) {
        double high = 0;
        char *text = NULL;
        hr_schema *s = must_schema(texts[i]), *again = NULL, *of_records = NULL;
        assert_string_equal(hr_schema_exposure(s, &high), "days");
        assert_true(high == 365 && hr_schema_weighs(s));
        assert_true((hr_schema_parts_of(s)->exposure_format.decimal == ',') == (i == 1));
        assert_int_equal(hr_schema_render(s, &text, NULL), HR_OK);
        assert_int_equal(hr_schema_parse(text, strlen(text), "s", &again, NULL), HR_OK);
        assert_true(hr_schema_same(s, again));
        assert_int_equal(hr_schema_copy_of_records(s, &of_records, NULL), HR_OK);
        assert_string_equal(hr_schema_exposure(of_records, NULL), "days"); /* a model predicts by it */
        assert_true(hr_schema_fits_model(s, of_records));
        hr_schema_free(of_records);
        hr_schema_free(again);
        hr_schema_free(s);
        hr_text_free(text);
    }
    hr_schema_builder *builder = NULL;
    hr_schema *built = NULL, *read = must_schema(EXPOSED);
    assert_int_equal(hr_schema_builder_new(&builder, NULL), HR_OK);
    assert_int_equal(hr_schema_label_count(builder, "y", 0, 20, NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(builder, "x", 0, 1, false, NULL), HR_OK);
    assert_int_equal(hr_schema_set_exposure(builder, "days", 365, NULL), HR_OK);
    assert_int_equal(hr_schema_set_exposure(builder, "days", 365, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_schema_build(builder, &built, NULL), HR_OK);
    assert_true(hr_schema_same(built, read));
    hr_schema_builder_free(builder);
    hr_schema_free(built);
    hr_schema_free(read);
}

static void test_exposure__is_refused_with_the_place(void **state) {
    (void)state;
#define OF(label)                                                                                            \
    "hedgerow-schema: 1\nlabel: {name: y, " label "}\nfeatures: [{name: x, kind: number, low: 0, high: "     \
    "1}]\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {OF("kind: count, high: 9, exposure: days"), "an exposure must be a mapping"},
        {OF("kind: count, high: 9, exposure: {column: days}"), "the key 'high' is missing"},
        {OF("kind: count, high: 9, exposure: {column: days, high: 0}"), "the largest exposure is no finite"},
        {OF("kind: count, high: 9, exposure: {column: x, high: 1}"),
         "the exposure 'x' is the label or a feature"},
        {OF("kind: count, high: 9, exposure: {column: w, high: 1}") "weight: w\n",
         "is the unit or the weight"},
        {OF("kind: number, low: 0, high: 9, exposure: {column: d, high: 1}"), "does not belong to a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_schema *s = NULL;
        hr_error err = {0};
        assert_int_equal(hr_schema_parse(cases[i].text, strlen(cases[i].text), "s.yaml", &s, &err),
                         HR_E_FORMAT);
        if (!strstr(err.message, cases[i].message)) fail_msg("%s: %s", cases[i].message, err.message);
        assert_int_equal(err.line, 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count__is_read_and_written),
        cmocka_unit_test(test_count__is_built_from_code),
        cmocka_unit_test(test_count__differs_from_a_number),
        cmocka_unit_test(test_count__refuses_what_is_none),
        cmocka_unit_test(test_exposure__is_a_column_with_a_public_bound),
        cmocka_unit_test(test_exposure__is_refused_with_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
