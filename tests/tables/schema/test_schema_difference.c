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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema_difference__names_the_column_and_both_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
