/* Columns of numbers or dates with other words between them: they stay numbers and dates, and the words are
 * listed. */
#include "support/proposal_checks.h"

static const char number[] =
    "  - name: \"x\"\n    kind: number\n    low: 1\n    high: 3000\n    integer: true\n";

/* One word among 3,000 cells, for each word that tables use. */
static void test_words__leave_numbers_numbers(void **state) {
    (void)state;
    static const char *const words[] = {"<LOD",    "<0.5", ">100",    "inf",  "-inf",
                                        "unknown", "n.d.", "#VALUE!", "0x1F", "1.2.3"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *const list[] = {words[i], NULL};
        char text[100];
        const proposal_recipe recipe = {"x", "%d", PROPOSAL_ROWS - 1, PROPOSAL_ROWS - 1, list, NULL};
        expect_recipe(&recipe, number);
        snprintf(text, sizeof text, "other words, listed under 'missing': \"%s\" (2 cells); ", words[i]);
        expect_recipe(&recipe, text);
        snprintf(text, sizeof text, "\nmissing: [\"%s\"]\n", words[i]);
        expect_recipe(&recipe, text);
    }
}

/* Of SAS, Excel, R and databases: they are common, whatever their share. */
static void test_words__are_known_where_they_are_common(void **state) {
    (void)state;
    static const char *const words[] = {".", "-", "#N/A", "<NA>", "?"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *const list[] = {words[i], NULL};
        char text[100];
        const proposal_recipe recipe = {"x", "%d", 10, 2, list, NULL};
        snprintf(text, sizeof text, "\nmissing: [\"%s\"]\n", words[i]);
        expect_recipe(&recipe, "  - name: \"x\"\n    kind: number\n    low: 1\n    high: 9\n");
        expect_recipe(&recipe, text);
    }
}

static void test_words__are_listed_by_their_number(void **state) {
    (void)state;
    static const char *const words[] = {"late", "early", "late", "none given", NULL};
    const proposal_recipe recipe = {"x", "%d", 500, 20, words, NULL};
    expect_recipe(&recipe, "other words, listed under 'missing': \"late\" (75 cells), \"early\" (38 cells), "
                           "\"none given\" (37 cells); ");
    expect_recipe(&recipe, "    kind: number\n    low: 1\n    high: 500\n");
}

/* A share of a fifth: few words between many values are no values. */
static void test_words__may_be_frequent_if_they_are_few(void **state) {
    (void)state;
    static const char *const one[] = {"unknown", NULL}, *const four[] = {"a", "b", "c", "d", NULL};
    expect_recipe(&(proposal_recipe){"x", "%d", 91, 5, one, NULL},
                  "    kind: number\n    low: 0\n    high: 90\n");
    expect_recipe(&(proposal_recipe){"x", "%d", 91, 5, four, NULL}, "    kind: category\n");
    expect_recipe(&(proposal_recipe){"x", "%d", 9, 5, one, NULL}, "    kind: category\n");
    expect_recipe(&(proposal_recipe){"x", "%d", 9, 11, one, NULL}, "    kind: number\n");
}

static void test_words__may_be_numbers_beyond_a_limit(void **state) {
    (void)state;
    static const char *const words[] = {"<0.5", "<LOD", NULL};
    const proposal_recipe recipe = {"x", "%d.5", 90, 30, words, NULL};
    expect_recipe(
        &recipe,
        "to read numbers such as <0.5 as their bound, write symbol: \"<\" (or \">\") and take them off "
        "'missing'");
    expect_no_recipe(&(proposal_recipe){"x", "%d", 90, 30, (const char *const[]){"late", NULL}, NULL},
                     "symbol");
}

/* The remark does what it says. */
static void test_words__beyond_a_limit_can_be_read_as_their_bound(void **state) {
    (void)state;
    static const char schema[] =
        "hedgerow-schema: 1\nlabel: {name: y, kind: boolean}\nfeatures: [{name: x, kind: number, low: 0, "
        "high: 9, symbol: \"<\"}]\n",
                      table[] = "x,y\n<0.5,0\n< 2,1\n3,1\n";
    hr_schema *s = must_schema(schema);
    hr_data *data = must_parse(s, table, strlen(table), HR_FORMAT_CSV);
    const double *numbers = hr_data_numbers(data, 0);
    assert_true(numbers[0] == .5 && numbers[1] == 2 && numbers[2] == 3);
    hr_data_free(data);
    hr_schema_free(s);
}

/* Words with marks of numbers, and with decimal commas. */
static void test_words__stand_between_written_numbers(void **state) {
    (void)state;
    static const char *const words[] = {"k.A.", NULL};
    expect_recipe(&(proposal_recipe){"x", "%d,5 EUR", 90, 30, words, NULL},
                  "    kind: number\n    low: 1\n    high: 90\n    integer: false\n    decimal: \",\"\n  "
                  "  symbol: \"EUR\"\n");
    expect_recipe(&(proposal_recipe){"x", "%d,5", 90, 30, words, NULL}, "\nmissing: [\"k.A.\"]\n");
}

static void test_words__leave_dates_dates(void **state) {
    (void)state;
    static const char *const lists[][3] = {{"0000-00-00", NULL, NULL},
                                           {"-", NULL, NULL},
                                           {"unknown", NULL, NULL},
                                           {"9999-99-99", "00.00.0000", NULL},
                                           {"31.12.2024", NULL, NULL}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const proposal_recipe recipe = {"t", "20%02d-03-01", 24, 1500, lists[i], NULL};
        char text[100];
        expect_recipe(
            &recipe, "  - name: \"t\"\n    kind: date\n    from: 2000-03-01\n    to: 2023-03-01\n    parts:");
        snprintf(text, sizeof text, "missing: [\"%s\"", lists[i][0]);
        expect_recipe(&recipe, text);
    }
    /* 0 is a value of the column beside. */
    static const char *const zero[] = {"0", NULL};
    expect_recipe(&(proposal_recipe){"t", "20%02d-03-01", 24, 1500, zero, NULL},
                  "'missing' holds for all columns");
    expect_recipe(&(proposal_recipe){"t", "20%02d-03-01", 24, 1500, zero, "5"}, "\n    kind: date\n");
}

static void test_dates__are_seen_behind_one_of_another_format(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"2024/12/31", "-"}, {"31/12/2024", "/"}}; /* and a mark */
    for (size_t k = 0; k < 2; k++) {
        char table[4000], missing[40];
        size_t size = (size_t)sprintf(table, "t,y\n%s,a\n", cases[k][0]);
        for (int i = 0; i < 60; i++)
            size += (size_t)sprintf(table + size, "20%02d%s03%s01,%c\n", i % 30, cases[k][1], cases[k][1],
                                    i % 2 ? 'a' : 'b');
        expect_proposal(table, "  - name: \"t\"\n    kind: date\n    from: 2000-03-01\n    to: 2029-03-01\n");
        snprintf(missing, sizeof missing, "missing: [\"%s\"", cases[k][0]);
        expect_proposal(table, missing);
    }
}

/* Words are listed that come behind more numbers than are kept in mind, with digits in them or not. */
static void test_words__may_come_late(void **state) {
    (void)state;
    char table[10000] = "x,y\nunknown,a\n";
    size_t size = strlen(table);
    for (int i = 0; i < 800; i++)
        size += (size_t)sprintf(table + size, "%d,%c\n", i % 400, i % 2 ? 'a' : 'b');
    sprintf(table + size, "refused,a\nsee p. 9,b\n");
    expect_proposal(table, "  - name: \"x\"\n    kind: number\n");
    expect_proposal(table, "\"see p. 9\"");
    expect_proposal(table, "\"refused\"");
}

/* A word between numbers that is a class of the label cannot mean missing: that would empty the label. */
static void test_words__are_no_classes(void **state) {
    (void)state;
    char table[10000] = "x,y\n";
    size_t size = strlen(table);
    for (int i = 0; i < 500; i++) {
        char cell[20] = "N";
        if (i % 50) snprintf(cell, sizeof cell, "%d", i % 90);
        size += (size_t)sprintf(table + size, "%s,%s\n", cell, i % 2 ? "N" : "b");
    }
    expect_proposal(table, "label:\n  name: \"y\"\n  kind: classes\n  values: [\"N\", \"b\"]\n");
    expect_proposal(table, "most cells are numbers or dates, and between them are words; if they mean "
                           "missing, leave these cells "
                           "empty in the table: 'missing' holds for all columns");
    expect_proposal(table, "\nmissing: []\n");
}

/* Diagnoses: most are integers, and V57 and E909 stand between them. */
static void test_codes__are_categories(void **state) {
    (void)state;
    static const char *const icd[] = {"V57", "E909", "V58", NULL}, *const typo[] = {"l2", NULL};
    expect_recipe(&(proposal_recipe){"x", "%d", 200, 30, icd, NULL},
                  "    kind: category\n    values: [\"0\", \"1\", \"10\", ");
    expect_recipe(&(proposal_recipe){"x", "%d", 200, 30, icd, NULL},
                  "numbers that are codes, not quantities");
    expect_recipe(&(proposal_recipe){"x", "%d", 200, 30, typo, NULL}, "    kind: number\n");
    expect_recipe(&(proposal_recipe){"diag_1", "%d", 200, 0, NULL, NULL}, "    kind: category\n");
    expect_recipe(&(proposal_recipe){"zip", "98%03d", 200, 0, NULL, NULL}, "    kind: category\n");
    expect_recipe(&(proposal_recipe){"ward", "%d", 9, 0, NULL, NULL}, "    kind: category\n");
    expect_recipe(&(proposal_recipe){"ward", "-%d", 9, 0, NULL, NULL}, "    kind: number\n");
    expect_recipe(&(proposal_recipe){"warden", "%d", 9, 0, NULL, NULL}, "    kind: number\n");
    expect_recipe(&(proposal_recipe){"zip_income", "%d", 9, 0, NULL, NULL}, "    kind: number\n");
}

/* A list of hundreds is one, where each value has its cells. */
static void test_lists__may_be_long(void **state) {
    (void)state;
    expect_recipe(&(proposal_recipe){"Origin", "A%03d", 300, 0, NULL, NULL},
                  "    kind: category\n    values: [\"A000\", ");
    expect_recipe(&(proposal_recipe){"Origin", "A%03d", 300, 0, NULL, NULL},
                  "more than 254 values: training asks");
    expect_recipe(&(proposal_recipe){"Origin", "A%03d", 254, 0, NULL, NULL},
                  "    review: [kind, values]  # REVIEW: replace by");
    expect_recipe(&(proposal_recipe){"Origin", "A%03d", 1001, 0, NULL, NULL},
                  "    kind: unused\n    review: [kind]  # REVIEW: too many different values to list");
}

/* What a left-out column is described with. */
static void test_unused__say_what_brings_them_back(void **state) {
    (void)state;
    expect_recipe(&(proposal_recipe){"serial", "%d", PROPOSAL_ROWS, 0, NULL, NULL},
                  "as identifiers and running numbers do; delete the entry, or, to use the column, write "
                  "'kind: number' with 'low' "
                  "and 'high' in place of 'kind: unused', and the source in place of this line");
    expect_recipe(&(proposal_recipe){"Origin", "A%03d", 1001, 0, NULL, NULL},
                  "write 'kind: category' with 'values' in place of "
                  "'kind: unused'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__leave_numbers_numbers),
        cmocka_unit_test(test_words__are_known_where_they_are_common),
        cmocka_unit_test(test_words__are_listed_by_their_number),
        cmocka_unit_test(test_words__may_be_frequent_if_they_are_few),
        cmocka_unit_test(test_words__may_be_numbers_beyond_a_limit),
        cmocka_unit_test(test_words__beyond_a_limit_can_be_read_as_their_bound),
        cmocka_unit_test(test_words__stand_between_written_numbers),
        cmocka_unit_test(test_words__leave_dates_dates),
        cmocka_unit_test(test_dates__are_seen_behind_one_of_another_format),
        cmocka_unit_test(test_words__may_come_late),
        cmocka_unit_test(test_words__are_no_classes),
        cmocka_unit_test(test_codes__are_categories),
        cmocka_unit_test(test_lists__may_be_long),
        cmocka_unit_test(test_unused__say_what_brings_them_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
