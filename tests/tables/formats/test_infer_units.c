/* Columns that identify persons: by their names in several languages, and by their values. */
#include "support/reader_checks.h"

#include "base/buffer.h"

#include <stdio.h>
#include <unistd.h>

enum { PERSONS = 900, STAYS_MAX = 6 };

static uint64_t next_of(uint64_t *random) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* Hospital stays of persons who have one to six: `who` is the format of a person's number. */
static char *stays(const char *name, const char *who, unsigned first, unsigned step) {
    hr_buffer b = {0};
    char *text = NULL;
    uint64_t random = 5;
    hr_buffer_format(&b, "%s,sex,born,ward,days,weight,y\n", name);
    for (unsigned p = 0; p < PERSONS; p++) {
        const unsigned count = 1 + (unsigned)(next_of(&random) % STAYS_MAX), born = 1930 + p * 7 % 80;
        for (unsigned k = 0; k < count; k++) {
            char number[40];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(number, sizeof number, who, first + (p * 7919 % PERSONS) * step);
#pragma GCC diagnostic pop
            hr_buffer_format(&b, "%s,%s,%u,w%u,%u,%u,%s\n", number, p % 2 ? "f" : "m", born,
                             (unsigned)(next_of(&random) % 6), (unsigned)(next_of(&random) % 30),
                             (unsigned)(20000 + next_of(&random) % 1200 * 777),
                             next_of(&random) % 2 ? "yes" : "no");
        }
    }
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    return text;
}

static char *propose(const char *table, char **notes) {
    char path[] = "units-XXXXXX", *yaml = NULL;
    const char *const paths[] = {path};
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    hr_error err = {0};
    options.label = "y";
    options.notes = notes;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, table, strlen(table)) != (ssize_t)strlen(table)) abort();
    close(fd);
    if (hr_schema_infer_all(paths, 1, &options, &yaml, &err)) fail_msg("%s: %s", err.field, err.message);
    unlink(path);
    return yaml;
}

/* Whether the proposal has the column as a feature, and as the unit. */
static void expect(const char *table, const char *name, bool is_feature, bool is_unit) {
    char line[100], *yaml = propose(table, NULL);
    hr_schema *s = must_schema(yaml);
    bool found = false;
    for (size_t f = 0; f < hr_schema_feature_count(s); f++)
        found |= strcmp(hr_schema_feature(s, f)->name, name) == 0;
    snprintf(line, sizeof line, "\nunit: \"%s\"\nreview: [missing, unit]", name);
    if (found != is_feature || (strstr(yaml, line) != NULL) != is_unit)
        fail_msg("'%s' is %s, in\n%s", name, found ? "a feature" : "no feature", yaml);
    hr_schema_free(s);
    hr_text_free(yaml);
}

static void test_units__are_found_by_name(void **state) {
    (void)state;
    static const char *const names[] = {"patient_nbr",  "pat_nr",     "Patientennummer", "SVNR",
                                        "insurance_no", "account_no", "acctNum",         "Konto"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *table = stays(names[i], "%u", 135, 210555);
        expect(table, names[i], false, true);
        hr_text_free(table);
    }
}

/* The name says nothing: sex and year of birth do not change where a value stands again. */
static void test_units__are_found_by_values(void **state) {
    (void)state;
    static const struct {
        const char *name, *who;
        bool is_unit;
    } cases[] = {
        {"x1", "%u", true},      {"case_no", "%u", true},
        {"key", "P-%05u", true}, {"zip", "%u", false}, /* many have the same one */
        {"town", "T %u", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *table = stays(cases[i].name, cases[i].who, 135, 210);
        if (cases[i].is_unit) expect(table, cases[i].name, false, true);
        char *yaml = propose(table, NULL);
        assert_int_equal(strstr(yaml, "\nunit:") != NULL, cases[i].is_unit);
        hr_text_free(yaml);
        hr_text_free(table);
    }
}

/* Wide integers that repeat by chance, such as amounts and weights, are features. */
static void test_units__are_no_quantities(void **state) {
    (void)state;
    char *table = stays("patient_id", "%u", 1, 1);
    expect(table, "weight", true, false);
    expect(table, "born", true, false);
    hr_text_free(table);
}

static void test_units__are_counted_for_the_owner_alone(void **state) {
    (void)state;
    char *table = stays("patient_nbr", "%u", 135, 210555), *notes = NULL, *yaml = propose(table, &notes);
    assert_non_null(strstr(notes, "patient_nbr: about "));
    assert_non_null(strstr(notes, "the same in all records of a value: sex, born"));
    assert_null(strstr(yaml, "about "));
    hr_text_free(notes);
    hr_text_free(yaml);
    hr_text_free(table);
}

/* A column that is left out for its values, in a table without another identifier. */
static void test_identifiers__are_no_features(void **state) {
    (void)state;
    static const struct {
        const char *name, *cell;
        unsigned modulo;
        bool is_feature;
    } cases[] = {
        {"phone", "49170%06u", 990, false}, {"name", "Smith %u", 99, false}, {"nom", "Durand %u", 99, false},
        {"drug_name", "drug %u", 99, true}, {"token", "73%08u", 990, false}, {"Origin", "A%u", 250, true},
        {"phone", "%u", 3, true},           {"name", "kind %u", 9, true},    {"amount", "%u000", 990, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_buffer b = {0};
        char *table = NULL, cell[60];
        hr_buffer_format(&b, "%s,a,y\n", cases[i].name);
        for (unsigned row = 0; row < 2000; row++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(cell, sizeof cell, cases[i].cell, row * 7919 % cases[i].modulo);
#pragma GCC diagnostic pop
            hr_buffer_format(&b, "%s,%u,%s\n", cell, row % 7, row % 2 ? "yes" : "no");
        }
        assert_int_equal(hr_buffer_take(&b, &table, NULL), HR_OK);
        char *yaml = propose(table, NULL);
        hr_schema *s = must_schema(yaml);
        if ((hr_schema_feature_count(s) == 2) != cases[i].is_feature)
            fail_msg("case %zu: '%s' in\n%s", i, cases[i].name, yaml);
        hr_schema_free(s);
        hr_text_free(yaml);
        hr_text_free(table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units__are_found_by_name),
        cmocka_unit_test(test_units__are_found_by_values),
        cmocka_unit_test(test_units__are_no_quantities),
        cmocka_unit_test(test_units__are_counted_for_the_owner_alone),
        cmocka_unit_test(test_identifiers__are_no_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
