/* Columns that give the label away are remarked. */
#include "support/proposal_checks.h"

static const char adds_up[] =
    "it adds up to the label \"y\"; leave it out if it is not known when predicting",
                  is_label[] = "it has one value for each value of the label";

/* A table of `rows` records; i is the number of the record. Owner: the caller. */
static char *make_records(int rows, const char *header, void (*record)(int i, char *line)) {
    char *table = must_alloc((size_t)rows * 64 + 100), line[64];
    size_t size = (size_t)sprintf(table, "%s\n", header);
    for (int i = 0; i < rows; i++) {
        record(i, line);
        size += (size_t)sprintf(table + size, "%s\n", line);
    }
    return table;
}

static void expect_records(int rows, const char *header, void (*record)(int i, char *line),
                           const char *text) {
    char *table = make_records(rows, header, record);
    expect_proposal(table, text);
    free(table);
}

static void expect_no_records(int rows, const char *header, void (*record)(int i, char *line),
                              const char *text) {
    char *table = make_records(rows, header, record);
    expect_no_proposal(table, text);
    free(table);
}

static int casual(int i) {
    return i * 37 % 101;
}

static int registered(int i) {
    return i * 53 % 211;
}

static void sums(int i, char *line) {
    sprintf(line, "%d,%d,%d,%d", casual(i), registered(i), i % 7, casual(i) + registered(i));
}

static void fractions(int i, char *line) {
    sprintf(line, "%d.1,%d.2,%d,%d.3", casual(i), registered(i), i % 7, casual(i) + registered(i));
}

static void differences(int i, char *line) {
    sprintf(line, "%d,%d,%d,%d", casual(i) + registered(i), registered(i), i % 7, casual(i));
}

static void almost(int i, char *line) {
    sprintf(line, "%d,%d,%d,%d", casual(i), registered(i), i % 7, casual(i) + registered(i) + (i == 25));
}

static void zeros(int i, char *line) {
    sprintf(line, "%d,0,%d,%d", casual(i), i % 7, casual(i) + 1);
}

static void test_sums__are_remarked(void **state) {
    (void)state;
    static const char header[] = "casual,registered,z,y";
    expect_records(300, header, sums, "with the column \"registered\" it adds up to the label \"y\"");
    expect_records(300, header, sums, "with the column \"casual\" it adds up to the label \"y\"");
    expect_records(300, header, fractions, adds_up);
    expect_records(300, header, differences, adds_up);
    expect_no_records(300, header, almost, adds_up);
    expect_no_records(300, header, zeros, adds_up);
    expect_records(20, header, sums, adds_up);
    expect_no_records(19, header, sums, adds_up);
    expect_records(3000, header, sums, adds_up);
}

static void renamed(int i, char *line) {
    sprintf(line, "%s,%d,%s", i * 7 % 3 ? ">50K" : "<=50K", i % 5, i * 7 % 3 ? "1" : "0");
}

static void copied(int i, char *line) {
    sprintf(line, "%d.0,%d,%d", casual(i), i % 5, casual(i));
}

static void numbered(int i, char *line) {
    sprintf(line, "n%d,%d,m%d", i % 50, i % 5, i % 50);
}

static void finer(int i, char *line) {
    sprintf(line, "%d,%d,%d", i % 6, i % 5, i % 2);
}

static void test_copies__are_remarked(void **state) {
    (void)state;
    expect_records(300, "grade,z,y", renamed, is_label);
    expect_records(300, "grade,z,y", copied, is_label);
    expect_no_records(300, "grade,z,y", finer, is_label);
    expect_no_records(60, "grade,z,y", numbered, is_label); /* values that hardly repeat prove nothing */
    expect_records(300, "grade,z,y", numbered, is_label);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums__are_remarked),
        cmocka_unit_test(test_copies__are_remarked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
