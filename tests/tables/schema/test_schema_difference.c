/* The first difference of two schemas, in words that may be sent and printed. */
#include "tables/schema/schema_difference.h"

#include "tables/schema/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LABEL "label: {name: y, kind: classes, values: [a, b]}\n"
#define AGE "features:\n  - {name: age, kind: number, low: 0, high: 120, integer: true}\n"
#define WARD "  - {name: ward, kind: category, values: [east, west]}\n"
#define OWNER LABEL AGE WARD "missing: [NA]\n"

static hr_schema *parse(const char *facts) {
    char text[4000];
    hr_schema *schema = NULL;
    hr_error err = {0};
    snprintf(text, sizeof text, "hedgerow-schema: 1\n%s", facts);
    if (hr_schema_parse(text, strlen(text), "s.yaml", &schema, &err)) fail_msg("%s", err.message);
    return schema;
}

static const struct {
    const char *job, *difference;
} cases[] = {
    {OWNER, ""},
    {"label: {name: z, kind: classes, values: [a, b]}\n" AGE WARD, "label: y at the owner, z in the job"},
    {"label: {name: y, kind: classes, values: [b, a]}\n" AGE WARD,
     "column y, value 1: a at the owner, b in the job"},
    {"label: {name: y, kind: number, low: 0, high: 1}\n" AGE WARD,
     "column y, kind: category at the owner, number in the job"},
    {LABEL "features:\n  - {name: years, kind: number, low: 0, high: 120, integer: true}\n" WARD,
     "feature 1: age at the owner, years in the job"},
    {LABEL "features:\n  - {name: age, kind: number, low: 1, high: 120, integer: true}\n" WARD,
     "column age, low: 0 at the owner, 1 in the job"},
    {LABEL "features:\n  - {name: age, kind: number, low: 0, high: 99.5}\n" WARD,
     "column age, high: 120 at the owner, 99.5 in the job"},
    {LABEL "features:\n  - {name: age, kind: number, low: 0, high: 120}\n" WARD,
     "column age, integer: yes at the owner, no in the job"},
    {LABEL AGE "  - {name: ward, kind: category, values: [east, west, north]}\n",
     "column ward, number of values: 2 at the owner, 3 in the job"},
    {LABEL AGE, "number of features: 2 at the owner, 1 in the job"},
    {LABEL AGE WARD, "number of spellings of missing: 1 at the owner, 0 in the job"},
    {LABEL AGE WARD "missing: [\"-99\"]\n", "spelling of missing 1: NA at the owner, -99 in the job"},
    {LABEL AGE "  - {name: \"\\e[2J\\u2028\", kind: category, values: [east, west]}\n",
     "feature 2: ward at the owner, ?[2J? in the job"},
    {LABEL AGE
     "  - {name: \"1234567890123456789012345678\\u00e9 and more\", kind: category, values: [a, b]}\n",
     "feature 2: ward at the owner, 1234567890123456789012345678... in the job"},
};

static void test_schema_difference__names_the_column_and_both_values(void **state) {
    (void)state;
    static const hr_schema_sides sides = {"at the owner", "in the job"};
    hr_schema *owner = parse(OWNER);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[HR_SCHEMA_DIFFERENCE] = "";
        hr_schema *job = parse(cases[i].job);
        bool differs = hr_schema_difference(owner, job, &sides, text);
        assert_string_equal(text, cases[i].difference);
        assert_int_equal(differs, !hr_schema_same(owner, job));
        hr_schema_free(job);
    }
    hr_schema_free(owner);
}

#define OTHERS                                                                                               \
    "  - {name: bmi, kind: number, low: 10, high: 60}\n  - {name: days, kind: number, low: 1, high: 60}\n"
#define MISSING "missing: [NA]\n"
#define OWNER_OF_FOUR LABEL AGE WARD OTHERS MISSING

/* Of jobs with fewer features than the owner; a difference, or the places of their features. */
static const struct {
    const char *job, *difference;
    size_t features[4];
} parts[] = {
    {OWNER_OF_FOUR, "", {0, 1, 2, 3}},
    {LABEL AGE OTHERS MISSING, "", {0, 2, 3}},
    {LABEL "features:\n" WARD MISSING, "", {1}},
    {LABEL AGE "  - {name: days, kind: number, low: 1, high: 60}\n" MISSING, "", {0, 3}},
    {LABEL AGE OTHERS, "number of spellings of missing: 1 at the owner, 0 in the job", {0}},
    {LABEL AGE OTHERS MISSING "unit: person\n", "unit: none at the owner, person in the job", {0}},
    {LABEL AGE OTHERS MISSING "weight: w\n", "weight: none at the owner, w in the job", {0}},
    {LABEL AGE "  - {name: days, kind: number, low: 1, high: 61}\n" MISSING,
     "column days, high: 60 at the owner, 61 in the job",
     {0}},
    {LABEL AGE "  - {name: days, kind: category, values: [a]}\n" MISSING,
     "column days, kind: number at the owner, category in the job",
     {0}},
    {LABEL AGE "  - {name: height, kind: number, low: 1, high: 61}\n" MISSING,
     "column height: none at the owner, one in the job",
     {0}},
    {LABEL "features:\n" WARD "  - {name: age, kind: number, low: 0, high: 120, integer: true}\n" MISSING,
     "order of the features: another at the owner, age in the job",
     {0}},
    {LABEL AGE WARD OTHERS "  - {name: height, kind: number, low: 1, high: 61}\n" MISSING,
     "number of features: 4 at the owner, 5 in the job",
     {0}},
};

static void test_schema_difference_of_part__lets_features_be_left_out(void **state) {
    (void)state;
    static const hr_schema_sides sides = {"at the owner", "in the job"};
    hr_schema *owner = parse(OWNER_OF_FOUR);
    for (size_t i = 0; i < COUNT(parts); i++) {
        char text[HR_SCHEMA_DIFFERENCE] = "";
        size_t features[8] = {0};
        hr_schema *job = parse(parts[i].job);
        const bool differs = hr_schema_difference_of_part(owner, job, &sides, text, features);
        assert_string_equal(text, parts[i].difference);
        assert_int_equal(differs, *parts[i].difference != 0);
        for (size_t f = 0; !differs && f < hr_schema_feature_count(job); f++)
            assert_int_equal(features[f], parts[i].features[f]);
        hr_schema_free(job);
    }
    hr_schema_free(owner);
}

static void test_schema_left_out__names_the_features(void **state) {
    (void)state;
    char text[HR_SCHEMA_DIFFERENCE], facts[3000] = LABEL AGE;
    hr_schema *owner = parse(OWNER_OF_FOUR), *job = parse(LABEL "features:\n" WARD);
    assert_int_equal(hr_schema_left_out(owner, job, text), 3);
    assert_string_equal(text, "age, bmi, days");
    assert_int_equal(hr_schema_left_out(owner, owner, text), 0);
    assert_string_equal(text, "");
    hr_schema_free(owner);
    hr_schema_free(job);
    for (size_t i = 0, used = strlen(facts); i < 40; i++)
        used += (size_t)snprintf(facts + used, sizeof facts - used,
                                 "  - {name: feature_%zu, kind: number, low: 0, high: 1}\n", i);
    owner = parse(facts);
    job = parse(LABEL AGE);
    assert_int_equal(hr_schema_left_out(owner, job, text), 40);
    assert_non_null(strstr(text, "feature_0, feature_1, "));
    assert_non_null(strstr(text, " more"));
    hr_schema_free(owner);
    hr_schema_free(job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema_difference__names_the_column_and_both_values),
        cmocka_unit_test(test_schema_difference_of_part__lets_features_be_left_out),
        cmocka_unit_test(test_schema_left_out__names_the_features)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
