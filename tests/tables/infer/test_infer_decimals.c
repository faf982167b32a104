/* Points and commas before three digits: all columns of the table decide, or a remark says that it is
 * unclear. */
#include "support/proposal_checks.h"

static const char every_three[] =
    "every fraction has exactly three digits: if the point separates thousands, write decimal: \",\" and "
    "thousands: \".\", and multiply the bounds by 1000";

static void test_points__separate_thousands_beside_decimal_commas(void **state) {
    (void)state;
    static const char table[] = "x;z;y\n1.234;1,5;a\n950;2,25;b\n12.500;3;b\n";
    expect_proposal(table, "  - name: \"x\"\n    kind: number\n    low: 900\n    high: 20000\n    integer: "
                           "true\n    decimal: \",\"\n    "
                           "thousands: \".\"\n");
    expect_proposal(table, "the point is taken for a separator of thousands, since other columns of the "
                           "table have decimal commas");
    expect_no_proposal(table, every_three);
    expect_proposal("x;y\n1,5;11.296\n2,5;950\n3,5;1.000\n",
                    "label:\n  name: \"y\"\n  kind: number\n  low: 900\n  high: 20000\n  integer: "
                    "true\n  decimal: \",\"\n  thousands: \".\"\n");
}

static void test_points__are_remarked_where_nothing_decides(void **state) {
    (void)state;
    expect_proposal("x;z;y\n1.234;1;a\n950;2;b\n", every_three);
    expect_proposal("x;y\n1;11.296\n2;950\n3;1.000\n", every_three);
    expect_proposal("x;z;w;y\n1.234;1,5;0.5;a\n950;2,5;1.5;b\n", every_three);
    expect_no_proposal("x;z;y\n1.234;0.5;a\n950;2;b\n",
                       every_three); /* the column beside has decimal points */
    expect_no_proposal("x;z;y\n1.234;1;a\n950.5;2;b\n", every_three);
    expect_no_proposal("x;z;y\n0.234;1;a\n950;2;b\n", every_three);
    expect_no_proposal("x;z;y\n1234.567;1;a\n950;2;b\n", every_three);
}

static void test_commas__follow_the_table(void **state) {
    (void)state;
    static const char unclear[] = "the comma is taken for a separator of thousands; if it is";
    expect_proposal("x;z;y\n1,234;1,5;a\n5,678;2,5;b\n",
                    "    low: 1\n    high: 6\n    integer: false\n    decimal: \",\"\n    review");
    expect_proposal("x;z;y\n1,234;1,5;a\n5,678;2,5;b\n",
                    "the comma is taken for a decimal comma, as other columns of the table have it");
    expect_proposal("x;z;y\n1,234;1.5;a\n5,678;2.5;b\n",
                    "    low: 1000\n    high: 6000\n    integer: true\n    thousands: \",\"\n");
    expect_no_proposal("x;z;y\n1,234;1.5;a\n5,678;2.5;b\n", unclear);
    expect_proposal("x;z;y\n1,234;1;a\n5,678;2;b\n", unclear);
    expect_proposal("x;z;w;y\n1,234;1,5;0.5;a\n5,678;2,5;1.5;b\n", unclear);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points__separate_thousands_beside_decimal_commas),
        cmocka_unit_test(test_points__are_remarked_where_nothing_decides),
        cmocka_unit_test(test_commas__follow_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
