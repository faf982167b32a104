/* The unit and the weight of a schema file, and marks that a person accepts one by one. */
#include "tables/schema/schema.h"

#include "support/check.h"
#include "support/reader_checks.h"

#define HEAD                                                                                                 \
    "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"                                  \
    "features: [{name: x, kind: number, low: 0, high: 1}]\n"

/* The schema that the text says, rendered and read again. */
static hr_schema *rendered_again(const char *text) {
    hr_schema *first = must_schema(text);
    char *yaml = NULL;
    assert_int_equal(hr_schema_render(first, &yaml, NULL), HR_OK);
    hr_schema *again = must_schema(yaml);
    assert_true(hr_schema_same(first, again));
    assert_int_equal(hr_schema_single_records(first), hr_schema_single_records(again));
    hr_text_free(yaml);
    hr_schema_free(first);
    return again;
}

static void test_unit__is_a_column_or_said_to_be_a_record(void **state) {
    (void)state;
    static const struct {
        const char *text, *unit;
        bool single, decided;
    } cases[] = {
        {HEAD, NULL, false, false},
        {HEAD "unit: record\n", NULL, true, true},
        {HEAD "unit: \"record\"\n", "record", false, true}, /* in quotes it is a column */
        {HEAD "unit: who\n", "who", false, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_error err = {0};
        hr_schema *s = rendered_again(cases[i].text);
        if (cases[i].unit)
            assert_string_equal(hr_schema_unit(s), cases[i].unit);
        else
            assert_null(hr_schema_unit(s));
        assert_int_equal(hr_schema_single_records(s), cases[i].single);
        assert_int_equal(hr_schema_decides_unit(s, &err), cases[i].decided ? HR_OK : HR_E_POLICY);
        if (!cases[i].decided) {
            assert_string_equal(err.field, "unit");
            assert_non_null(strstr(err.remedy, "'unit: record'"));
            assert_non_null(strstr(err.remedy, "'unit: COLUMN'"));
        }
        hr_schema_free(s);
    }
}

static void test_weight__is_a_column_with_a_public_bound(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double high;
    } cases[] = {{HEAD "weight: {column: who, high: 2.5}\n", 2.5},
                 {HEAD "weight: who\n", 1},
                 {HEAD "unit: who\nweight: {high: 1e-3, column: \"a \\\"b\\\"\"}\n", 1e-3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double high = 0;
        hr_schema *s = rendered_again(cases[i].text), *copy = NULL, *bare = NULL, *plain = must_schema(HEAD);
        assert_string_equal(hr_schema_weight(s, &high), i < 2 ? "who" : "a \"b\"");
        assert_true(high == cases[i].high);
        assert_int_equal(hr_schema_copy(s, &copy, NULL), HR_OK);
        assert_true(hr_schema_same(s, copy) && !hr_schema_same(s, plain));
        assert_int_equal(hr_schema_copy_of_records(s, &bare, NULL), HR_OK);
        assert_null(hr_schema_weight(bare, NULL));
        assert_true(hr_schema_same(bare, plain));
        hr_schema_free(plain);
        hr_schema_free(bare);
        hr_schema_free(copy);
        hr_schema_free(s);
    }
    hr_schema *plain = must_schema(HEAD);
    assert_null(hr_schema_weight(plain, NULL));
    hr_schema_free(plain);
}

/* Of the file, or of the weight alone; never a symbol. */
static void test_weight__has_a_format_of_numbers(void **state) {
    (void)state;
    static const char *const same[] = {
        HEAD "decimal: \",\"\nthousands: \".\"\nweight: who\n",
        HEAD "weight: {column: who, high: 1, decimal: \",\", thousands: \".\"}\n",
        HEAD "decimal: \",\"\nweight: {column: who, high: 1, thousands: \".\"}\n"};
    hr_schema *plain = must_schema(HEAD "weight: who\n"), *first = must_schema(same[1]);
    for (size_t i = 0; i < COUNT(same); i++) {
        hr_schema *s = rendered_again(same[i]);
        const hr_number_format *format = &hr_schema_parts_of(s)->weight_format;
        assert_true(format->decimal == ',' && format->thousands == '.' && !format->symbol);
        assert_false(hr_schema_same(s, plain));
        if (i == 1) assert_true(hr_schema_same(s, first));
        hr_schema_free(s);
    }
    hr_schema_free(first);
    hr_schema_free(plain);
}

static void test_weight__is_refused_with_the_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD "weight: x\n", "the weight 'x' is the label or a feature"},
        {HEAD "weight: y\n", "the weight 'y' is the label or a feature"},
        {HEAD "weight: {column: who, high: 0}\n", "the largest weight is no finite number above 0"},
        {HEAD "weight: {column: who, high: -1}\n", "the largest weight is no finite number above 0"},
        {HEAD "weight: {column: who}\n", "the key 'high' is missing"},
        {HEAD "weight: {high: 2}\n", "the key 'column' is missing"},
        {HEAD "weight: {column: who, low: 0, high: 2}\n", "unknown key 'low'"},
        {HEAD "weight: {column: who, high: much}\n", "'much' is not a number"},
        {HEAD "weight: [who]\n", "weight must be a text, not a list"},
        {HEAD "weight: {column: who, high: 2, decimal: \"x\"}\n", "the decimal mark is"},
        {HEAD "weight: {column: who, high: 2, thousands: \".\"}\n", "separates thousands and is the decimal"},
        {HEAD "weight: {column: who, high: 2, symbol: EUR}\n", "unknown key 'symbol'"},
        {HEAD "weight: \"\"\n", "weight is empty"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *s = NULL;
        hr_error err = {0};
        assert_int_equal(hr_schema_parse(cases[i].text, strlen(cases[i].text), "s.yaml", &s, &err),
                         HR_E_FORMAT);
        if (!strstr(err.message, cases[i].message)) fail_msg("%s: %s", cases[i].message, err.message);
        assert_int_equal(err.line, 4);
    }
    hr_schema *s = NULL;
    hr_error err = {0};
    const char both[] = HEAD "unit: who\nweight: who\n";
    assert_int_equal(hr_schema_parse(both, strlen(both), "s.yaml", &s, &err), HR_E_FORMAT);
    assert_string_equal(err.message, "the weight 'who' is the unit");
    assert_int_equal(err.line, 5);
}

static void test_unit__awaits_a_person_while_it_is_marked(void **state) {
    (void)state;
    hr_error err = {0};
    hr_schema *s = rendered_again(HEAD "unit: who\nreview: [unit]\n");
    assert_int_equal(hr_schema_reviewed(s, &err), HR_E_POLICY);
    assert_string_equal(err.field, "unit");
    assert_non_null(strstr(err.remedy, "'review'"));
    hr_schema_free(s);
    s = rendered_again(HEAD "unit: who\naccepted: [unit]\n");
    assert_int_equal(hr_schema_reviewed(s, NULL), HR_OK);
    assert_int_equal(hr_schema_public(s, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, ": the unit"));
    hr_schema_free(s);
    s = rendered_again(HEAD "unit: who\n");
    assert_int_equal(hr_schema_public(s, NULL), HR_OK);
    hr_schema_free(s);
}

/* Others stay open while one is accepted. */
static void test_accepted__holds_for_its_column_alone(void **state) {
    (void)state;
    hr_error err = {0};
    hr_schema *s = rendered_again(
        "hedgerow-schema: 1\nreviewed: false\n"
        "label: {name: y, kind: classes, values: [a, b], source: law}\n"
        "features: [{name: x, kind: number, low: 0, high: 1, accepted: [low, high]},\n"
        "  {name: z, kind: number, low: 0, high: 1, review: [low]}]\nmissing: [NA]\naccepted: [missing]\n");
    assert_true(hr_schema_feature(s, 0)->accepted && !hr_schema_feature(s, 1)->accepted);
    assert_int_equal(hr_schema_reviewed(s, &err), HR_E_POLICY);
    assert_string_equal(err.field, "z");
    hr_schema *less = NULL;
    assert_int_equal(hr_schema_without(s, (const char *const[]){"z"}, 1, &less, NULL), HR_OK);
    assert_int_equal(hr_schema_reviewed(less, NULL), HR_OK);
    assert_int_equal(hr_schema_public(less, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, ": x, the spellings of missing"));
    hr_schema_free(less);
    hr_schema_free(s);
}

static void test_marks__that_contradict_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
        const char *message;
    } cases[] = {
        {HEAD "review: [unit]\n", 4, "no key 'unit'"},
        {HEAD "unit: who\naccepted: [missing]\n", 5, "no key 'missing'"},
        {HEAD "unit: who\nreview: [unit]\naccepted: [unit]\n", 6, "not both"},
        {HEAD "unit: who\naccepted: unit\n", 5, "accepted must be a list"},
        {HEAD "missing: [NA]\naccepted: [missing]\nsource: law\n", 6, "have no source"},
        {"hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\nfeatures:\n  - name: x\n    "
         "kind: "
         "number\n    low: 0\n    high: 1\n    review: [low]\n    accepted: [high]\n",
         9, "not both"},
        {HEAD "unit: x\n", 4, "is the label or a feature"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_error err = {0};
        hr_schema *s = NULL;
        assert_int_equal(hr_schema_parse(cases[i].text, strlen(cases[i].text), "s", &s, &err), HR_E_FORMAT);
        assert_null(s);
        if (err.line != cases[i].line || !strstr(err.message, cases[i].message))
            fail_msg("case %zu: line %d: %s", i, (int)err.line, err.message);
    }
}

static void test_builder__says_that_each_person_has_one_record(void **state) {
    (void)state;
    for (int with_unit = 0; with_unit < 2; with_unit++) {
        hr_schema_builder *builder = NULL;
        hr_schema *s = NULL;
        assert_int_equal(hr_schema_builder_new(&builder, NULL), HR_OK);
        assert_int_equal(hr_schema_label_number(builder, "y", 0, 1, NULL), HR_OK);
        assert_int_equal(hr_schema_add_number(builder, "x", 0, 1, false, NULL), HR_OK);
        if (with_unit) assert_int_equal(hr_schema_set_unit(builder, "who", NULL), HR_OK);
        assert_int_equal(hr_schema_build(builder, &s, NULL), HR_OK);
        assert_int_equal(hr_schema_single_records(s), !with_unit);
        assert_int_equal(hr_schema_decides_unit(s, NULL), HR_OK);
        hr_schema_free(s);
        hr_schema_builder_free(builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unit__is_a_column_or_said_to_be_a_record),
        cmocka_unit_test(test_weight__is_a_column_with_a_public_bound),
        cmocka_unit_test(test_weight__has_a_format_of_numbers),
        cmocka_unit_test(test_weight__is_refused_with_the_place),
        cmocka_unit_test(test_unit__awaits_a_person_while_it_is_marked),
        cmocka_unit_test(test_accepted__holds_for_its_column_alone),
        cmocka_unit_test(test_marks__that_contradict_are_refused),
        cmocka_unit_test(test_builder__says_that_each_person_has_one_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
