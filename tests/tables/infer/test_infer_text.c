/* Proposals for columns whose cells are no plain numbers: what is recognised, that the table can be read with
 * it, and what stays a category. */
#include "support/proposal_checks.h"

static void test_dates__are_recognised(void **state) {
    (void)state;
    expect_proposal(
        "t,y\n2024-02-29,a\n2023-12-31,b\n2024-01-01,a\n",
        "    kind: date\n    from: 2023-12-31\n    to: 2024-02-29\n    parts: [weekday, month, trend]\n"
        "    review: [kind, from, to, parts]");
    expect_proposal("t,y\n2016-01-11 17:00:00,a\n2016-01-12 17:10:00.5,b\n",
                    "from: 2016-01-11\n    to: 2016-01-12\n    parts: [hour, weekday, month, trend]\n");
    expect_proposal("t,y\n2016-01-11T17:00:00Z,a\n2016-01-12 17:10:00+02,b\n",
                    "to: 2016-01-12\n    offset: utc\n");
    expect_proposal("t,y\n20141013T000000,a\n20141014T000000,b\n",
                    "format: \"%Y%m%dT%H%M%S\"\n    parts: [weekday");
    expect_proposal(
        "t,y\n01.02.2024 08:15,a\nNA,a\n28.02.2024 08:15,b\n",
        "format: \"%d.%m.%Y %H:%M\"\n    parts: [hour, weekday, month, trend]\n    review: [kind, from, "
        "to, format, parts]");
    expect_proposal("t,y\n1/31/2024 1:05:00 PM,a\n2/1/2024 12:00:00 AM,b\n",
                    "format: \"%-m/%-d/%Y %-I:%M:%S %p\"");
    expect_proposal("t,y\n31/01/2024,a\n01/02/2024,b\n",
                    "- name: \"t\"\n    kind: date\n    from: 2024-01-31");
    expect_proposal("t,y\n01/31/2024,a\n01/02/2024,b\n", "format: \"%m/%d/%Y\"");
    expect_proposal("t,y\n02-Oct-2012,a\n03-Oct-2012,b\n", "format: \"%d-%b-%Y\"");
    expect_proposal("t,y\n1969-12-31T23:00,a\n1970-01-01,b\n1970-01-02,b\n",
                    "from: 1969-12-31\n    to: 1970-01-02");
    expect_proposal("t,y\n1970-01-01,a\n1970-01-02,b\n", "from: 1970-01-01\n    to: 1970-01-02");
    expect_proposal("t,y\n01/02/2024,a\n03/02/2024,b\n",
                    "review: [kind, from, to, format, parts]  # REVIEW: day and month may be the other way "
                    "round in 'format'; ");
}

/* Formats that people and programs write, and years of two digits. */
static void test_dates__have_many_formats(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"1.2.23,a\n11.12.23,b\n", "format: \"%-d.%-m.%y\""},
        {"1.2.2023,a\n11.12.2023,b\n", "format: \"%-d.%-m.%Y\""},
        {"1.2.2023 8:05,a\n11.12.2023 18:05,b\n", "format: \"%-d.%-m.%Y %-H:%M\""},
        {"31/1/23,a\n1/12/23,b\n", "format: \"%-d/%-m/%y\""},
        {"1/31/23,a\n12/1/23,b\n", "format: \"%-m/%-d/%y\""},
        {"31-01-2023,a\n01-12-2023,b\n", "format: \"%d-%m-%Y\""},
        {"2023.01.31,a\n2023.12.01,b\n", "format: \"%Y.%m.%d\""},
        {"31-JAN-23,a\n01-DEC-23,b\n", "format: \"%d-%b-%y\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char table[100];
        snprintf(table, sizeof table, "t,y\n%s", cases[i][0]);
        expect_proposal(table, cases[i][1]);
        expect_proposal(table, "  - name: \"t\"\n    kind: date\n    from: 2023-0");
    }
    expect_proposal("t,y\n1.2.23,a\n11.12.23,b\n",
                    "# REVIEW: years of two digits: 69 to 99 are read as 1969 to 1999");
    expect_proposal("t,y\n1/2/23,a\n11/12/23,b\n", "day and month may be the other way round");
}

/* Eight digits are dates where the name says so, and never a number without a remark there. */
static void test_dates__may_be_eight_digits(void **state) {
    (void)state;
    expect_proposal("date,y\n20240131,a\n20231201,b\n",
                    "    kind: date\n    from: 2023-12-01\n    to: 2024-01-31\n    format: "
                    "\"%Y%m%d\"\n    parts: [weekday, month, trend]\n");
    expect_proposal("visitDate,y\n20240131,a\nNA,b\n", "format: \"%Y%m%d\"");
    expect_proposal("x,y\n20240131,a\n20231201,b\n", "kind: number");
    expect_proposal("date,y\n20240132,a\n20231201,b\n",
                    "its name says date, and its cells are plain numbers; if they are dates, "
                    "write kind: date with 'format'");
    expect_proposal("date,y\n15000101,a\n15000102,b\n", "kind: number");
    expect_proposal("dob,y\n44927,a\n44928,b\n", "its name says date");
    expect_no_proposal("update,y\n44927,a\n44928,b\n", "its name says date");
}

static void test_times__are_remarked(void **state) {
    (void)state;
    expect_proposal("date,y\n08:30,a\n17:05,b\n",
                    "    kind: category\n    values: [\"08:30\", \"17:05\"]\n    review: [kind, values]  # "
                    "REVIEW: times of day; a number such as minutes after midnight keeps their order");
    expect_proposal("t,y\n8:30:15,a\n17:05:00,b\n", "times of day; ");
    expect_no_proposal("t,y\n8:30,a\nnoon,b\n", "times of day");
    expect_no_proposal("t,y\n8:70,a\n9:61,b\n", "times of day");
    expect_recipe(&(proposal_recipe){"t", "%02d:%02d", 24, 0, NULL, NULL}, "times of day");
}

static void test_numbers__are_recognised(void **state) {
    (void)state;
    expect_proposal("n,y\n\"1,5\",a\n\"-2,25\",b\n3,a\n",
                    "low: -3\n    high: 3\n    integer: false\n    decimal: \",\"\n    review: [kind, "
                    "low, high, integer, decimal]");
    expect_proposal(
        "n,y\n\"1.234,50\",a\n\"0,5\",b\n1.500,a\n",
        "low: 0.5\n    high: 2000\n    integer: false\n    decimal: \",\"\n    thousands: \".\"\n");
    expect_proposal("n,y\n\"1,234.50\",a\n0.5,b\n7,a\n",
                    "low: 0.5\n    high: 2000\n    integer: false\n    thousands: \",\"\n");
    expect_proposal("n,y\n12 %,a\n12.5%,b\n?,a\n", "low: 12\n    high: 12.5\n    integer: false\n    symbol: "
                                                   "\"%\"\n    review: [kind, low, high, integer, symbol]");
    expect_proposal(
        "n,y\n\"1.000,00 \xe2\x82\xac\",a\n\"-5,00 \xe2\x82\xac\",b\n",
        "low: -5\n    high: 1000\n    integer: true\n    decimal: \",\"\n    thousands: \".\"\n    "
        "symbol: \"\xe2\x82\xac\"\n");
    expect_proposal("n,y\n$5,a\n-$7,b\n", "low: -7\n    high: 5\n    integer: true\n    symbol: \"$\"\n");
    expect_proposal("n,y\n1'234,a\n5,b\n", "thousands: \"'\"");
    expect_proposal("n,y\n\"1,234\",a\n\"2,345\",b\n",
                    "# REVIEW: the comma is taken for a separator of thousands");
    expect_proposal("n,y\n5 %,a\n5 %,b\n", "low: 0\n    high: 5\n    integer: true\n    symbol: \"%\"\n");
    expect_proposal("x,y\n1,\"1,5\"\n1,\"2,5\"\n2,\"3,5\"\n",
                    "label:\n  name: \"y\"\n  kind: number\n  low: 1\n  high: 4\n  integer: false\n  "
                    "decimal: \",\"\n");
}

static void test_booleans__are_recognised(void **state) {
    (void)state;
    expect_proposal("f,y\nyes,a\nno,b\n", "  - name: \"f\"\n    kind: boolean\n");
    expect_proposal("f,y\nTrue,a\nfalse,b\nNA,b\n", "kind: boolean\n    review: [kind]  # REVIEW: ");
    expect_proposal("f,y\nt,a\nf,b\n", "kind: boolean\n");
    expect_proposal("x,y\n1,yes\n2,no\n", "kind: classes\n  values: [\"no\", \"yes\"]");
}

static void test_others__stay_what_they_were(void **state) {
    (void)state;
    static const char *const tables[] = {"c,y\nyes,a\nyes,b\n",
                                         "c,y\nyes,a\nf,b\n",
                                         "c,y\nyes,a\nno,b\nmaybe,b\n",
                                         "c,y\n1,a\ntrue,b\n",
                                         "c,y\n5 %,a\n5 $,b\n",
                                         "c,y\n1.5,a\n\"2,5\",b\n",
                                         "c,y\n12-34,a\n12-35,b\n",
                                         "c,y\n030 123,a\n030 124,b\n",
                                         "c,y\n2024-02-30,a\n2024-02-28,b\n",
                                         "c,y\n2024-02-28,a\n28.02.2024,b\n",
                                         "c,y\n2024-02-28,a\n7,b\n",
                                         "c,y\n%,a\n5%,b\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        expect_proposal(tables[i], "  - name: \"c\"\n    kind: category\n    values: [");
    expect_proposal("c,c.hour,y\n2024-02-28,1,a\n2024-02-29,2,b\n", "  - name: \"c\"\n    kind: category\n");
    expect_proposal("c,y\n0,a\n1,b\n",
                    "kind: number\n    low: 0\n    high: 1\n    integer: true\n    review");
    expect_proposal("c,y\n1.234,a\n5.678,b\n",
                    "kind: number\n    low: 1\n    high: 6\n    integer: false\n    review");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates__are_recognised),       cmocka_unit_test(test_dates__have_many_formats),
        cmocka_unit_test(test_dates__may_be_eight_digits),  cmocka_unit_test(test_times__are_remarked),
        cmocka_unit_test(test_numbers__are_recognised),     cmocka_unit_test(test_booleans__are_recognised),
        cmocka_unit_test(test_others__stay_what_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
