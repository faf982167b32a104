/* Codes for missing beside a range, numbers with leading zeros, integers that merge. */
#include "support/proposal_checks.h"

/* Percent with the codes -9, -8 and -7: neither 0 percent nor bounds. */
static void test_codes__for_missing_are_listed(void **state) {
    (void)state;
    static const char *const codes[] = {"-9", "-8", "-9", "-7", NULL};
    const proposal_recipe recipe = {"NetFractionPercent", "%d", 100, 50, codes, NULL};
    expect_recipe(&recipe, "    kind: number\n    low: 0\n    high: 100\n    integer: true\n");
    expect_recipe(&recipe, "numbers that stand apart, as codes for missing do, listed under 'missing': "
                           "\"-9\" (30 cells), \"-7\" (15 "
                           "cells), \"-8\" (15 cells); ");
    expect_recipe(&recipe, "\nmissing: [\"-9\", \"-8\", \"-7\"]\n");
    const proposal_recipe other = {"x", "%d.5", 100, 50, codes, NULL};
    expect_recipe(&other, "    low: 1\n    high: 100\n    integer: false\n");
}

static void test_codes__may_be_nines(void **state) {
    (void)state;
    static const char *const nines[][4] = {
        {"99", NULL}, {"999", NULL}, {"98", "99", "99", NULL}, {"9999", NULL}, {"-999", NULL}};
    for (size_t i = 0; i < sizeof nines / sizeof *nines; i++) {
        char text[40];
        const proposal_recipe recipe = {"x", "%d", 41, 60, nines[i], NULL};
        expect_recipe(&recipe, "    low: 0\n    high: 40\n");
        snprintf(text, sizeof text, "\"%s\" (", nines[i][0]);
        expect_recipe(&recipe, text);
    }
}

/* Numbers that belong to the others: no gap, one cell, negative numbers beside. */
static void test_codes__stand_apart(void **state) {
    (void)state;
    static const char *const nine[] = {"99", NULL}, *const minus[] = {"-9", NULL};
    expect_no_recipe(&(proposal_recipe){"x", "%d", 97, 60, nine, NULL}, "stand apart");
    expect_no_recipe(&(proposal_recipe){"x", "%d", 41, PROPOSAL_ROWS, nine, NULL}, "stand apart");
    expect_no_recipe(&(proposal_recipe){"x", "%d", 200, 60, nine, NULL}, "stand apart");
    expect_no_recipe(&(proposal_recipe){"x", "-%d", 9, 60, minus, NULL}, "stand apart");
    expect_no_recipe(&(proposal_recipe){"x", "%d", 41, 60, (const char *const[]){"-1", NULL}, NULL},
                     "stand apart");
}

/* 'missing' holds for all columns: a code that is a value of another one cannot be listed. */
static void test_codes__are_no_values_of_other_columns(void **state) {
    (void)state;
    char *table = must_alloc(100000);
    size_t size = (size_t)sprintf(table, "share,temperature,y\n");
    for (int i = 0; i < 3000; i++)
        size += (size_t)sprintf(table + size, "%d,%d,%s\n", i % 50 ? i % 100 : -9, i % 60 - 20,
                                i * 7 % 3 ? "a" : "b");
    expect_proposal(table, "numbers that stand apart: \"-9\" (60 cells); if they mean missing, leave these "
                           "cells empty in the table: "
                           "'missing' holds for all columns, and another one has such a value");
    expect_proposal(table, "\nmissing: []\n");
    free(table);
}

static void test_zeros__make_codes(void **state) {
    (void)state;
    expect_proposal("x,y\n02108,a\n02109,b\n10001,b\n",
                    "    kind: category\n    values: [\"02108\", \"02109\", \"10001\"]\n    review: [kind, "
                    "values]  # REVIEW: numbers that are codes, not quantities: their order means "
                    "nothing; ");
    expect_proposal("x,y\n007,a\nNA,b\n012,b\n", "    values: [\"007\", \"012\"]\n");
    expect_proposal("x,y\n0,a\n0.5,b\n", "kind: number");
    expect_proposal("x,y\n00.5,a\n10.5,b\n", "kind: number");
    expect_proposal("month,y\n01,a\n12,b\n02,b\n", "    kind: number\n    low: 1\n    high: 12\n");
    expect_recipe(&(proposal_recipe){"x", "%d", 500, 1500, (const char *const[]){"007", NULL}, NULL},
                  "kind: number");
    expect_recipe(&(proposal_recipe){"x", "%05d", 2000, 0, NULL, NULL},
                  "# REVIEW: codes of too many different values to list");
}

static void test_integers__that_merge_are_remarked(void **state) {
    (void)state;
    static const char remark[] = "integers above 2^53 (9007199254740992) are rounded";
    expect_proposal("x,y\n9007199254740993,a\n1,b\n", remark);
    expect_proposal("x,y\n-12345678901234567891,a\n1,b\n", remark);
    expect_no_proposal("x,y\n9007199254740992,a\n1,b\n", remark);
    expect_no_proposal("x,y\n+0009007199254740994,a\n1,b\n", remark);
    expect_no_proposal("x,y\n1e300,a\n1,b\n", remark);
    expect_proposal("x,y\n1,9007199254740993\n2,1\n3,2.5\n", remark);
}

/* A name is evidence as a whole word, and if the values agree. */
static void test_names__need_values_that_agree(void **state) {
    (void)state;
    static const char guess[] = "a guess from the column's name";
    expect_recipe(&(proposal_recipe){"long", "-122.%02d", 90, 0, NULL, NULL}, guess);
    expect_no_recipe(&(proposal_recipe){"long", "3%02d.5", 90, 0, NULL, NULL}, guess);
    expect_no_recipe(&(proposal_recipe){"long", "%d", 90, 0, NULL, NULL}, guess);
    expect_no_recipe(&(proposal_recipe){"fM3Long", "%d.25", 90, 0, NULL, NULL}, guess);
    expect_no_recipe(&(proposal_recipe){"lat", "%d.25", 120, 0, NULL, NULL}, guess);
    expect_recipe(&(proposal_recipe){"age", "%d", 120, 0, NULL, NULL}, guess);
    expect_no_recipe(&(proposal_recipe){"age", "%d", 200, 0, NULL, NULL}, guess);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes__for_missing_are_listed),
        cmocka_unit_test(test_codes__may_be_nines),
        cmocka_unit_test(test_codes__stand_apart),
        cmocka_unit_test(test_codes__are_no_values_of_other_columns),
        cmocka_unit_test(test_zeros__make_codes),
        cmocka_unit_test(test_integers__that_merge_are_remarked),
        cmocka_unit_test(test_names__need_values_that_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
