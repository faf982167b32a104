/* What names say of columns. */
#include "tables/infer/infer_column.h"

#include "support/check.h"

#include <string.h>

typedef struct name_case {
    const char *name;
    hr_name_meaning meaning;
} name_case;

static void check_names(const name_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (hr_name_means(cases[i].name) != cases[i].meaning)
            fail_msg("'%s': %d", cases[i].name, (int)hr_name_means(cases[i].name));
}

static void test_name_means__knows_identifiers(void **state) {
    (void)state;
    static const name_case cases[] = {
        {"patient_id", HR_NAME_PERSON},
        {"PatientID", HR_NAME_PERSON},
        {"patientid", HR_NAME_PERSON},
        {"id of user", HR_NAME_PERSON},
        {"Customer No", HR_NAME_PERSON},
        {"SSN", HR_NAME_PERSON},
        {"phone", HR_NAME_CONTACT},
        {"home.address", HR_NAME_CONTACT},
        {"lastName", HR_NAME_CONTACT},
        {"id", HR_NAME_RECORD},
        {"ID", HR_NAME_RECORD},
        {"store-id", HR_NAME_RECORD},
        {"UUID", HR_NAME_RECORD},
        {"subject#", HR_NAME_PERSON},
        {"customer", HR_NAME_GROUP},
        {"customer type", HR_NAME_PLAIN},
        {"acid", HR_NAME_PLAIN},
        {"idle", HR_NAME_PLAIN},
        {"", HR_NAME_PLAIN},
        {"###", HR_NAME_PLAIN},
        {"persons_in_flat", HR_NAME_PLAIN},
        {"\xc3\xa4"
         "id",
         HR_NAME_PLAIN},
    };
    check_names(cases, COUNT(cases));
}

static void test_name_means__knows_other_languages(void **state) {
    (void)state;
    static const name_case cases[] = {
        {"pat_nr", HR_NAME_PERSON},
        {"patient_nbr", HR_NAME_PERSON},
        {"Patientennummer", HR_NAME_PERSON},
        {"SVNR", HR_NAME_PERSON},
        {"Sozialversicherungsnummer", HR_NAME_PERSON},
        {"insurance_no", HR_NAME_PERSON},
        {"account_no", HR_NAME_PERSON},
        {"acctNbr", HR_NAME_PERSON},
        {"Kontonr", HR_NAME_PERSON},
        {"numero paciente", HR_NAME_PERSON},
        {"Kunden-Nr.", HR_NAME_PERSON},
        {"konto", HR_NAME_GROUP},
        {"mail", HR_NAME_CONTACT},
        {"Vorname", HR_NAME_CONTACT},
        {"patient name", HR_NAME_CONTACT},
        {"name", HR_NAME_OF_ONE},
        {"Nom", HR_NAME_OF_ONE},
        {"case_no", HR_NAME_NUMBER},
        {"Fallnummer", HR_NAME_PLAIN},
        {"zip", HR_NAME_SHARED},
        {"zip code", HR_NAME_SHARED},
        {"flight", HR_NAME_SHARED},
        {"account_length", HR_NAME_PLAIN},
        {"insurance_code", HR_NAME_SHARED},
        {"drug name", HR_NAME_PLAIN},
        {"num_lab_procedures", HR_NAME_PLAIN},
        {"number_of_visits", HR_NAME_PLAIN},
        {"nominal", HR_NAME_PLAIN},
        {"casino", HR_NAME_PLAIN},
        {"renumbered", HR_NAME_PLAIN},
        {"pattern", HR_NAME_PLAIN},
        {"kontostand", HR_NAME_PLAIN},
        {"number", HR_NAME_NUMBER},
    };
    check_names(cases, COUNT(cases));
}

static void test_name_bounds__wants_whole_words(void **state) {
    (void)state;
    static const char *const known[] = {"age",      "AGE", "AgeAtVisit", "mean age", "hours-per-week",
                                        "dep_hour", "lat", "pct.free"},
                             *const unknown[] = {"",     "_",      "wage",   "agent", "day_charge",
                                                 "late", "longer", "ageing", "flat",  "hourly"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!hr_name_bounds(known[i])) fail_msg("'%s' is not known", known[i]);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (hr_name_bounds(unknown[i])) fail_msg("'%s' is known", unknown[i]);
    assert_true(hr_name_bounds("day_of_week")->high == 7 && hr_name_bounds("birth day")->high == 31);
    for (const char *const *name = known; name < known + sizeof known / sizeof *known; name++)
        assert_true(hr_name_bounds(*name)->low < hr_name_bounds(*name)->high);
}

static void test_names__may_have_any_length(void **state) {
    (void)state;
    char name[2000];
    for (size_t size = 0; size < sizeof name; size++) {
        memset(name, size % 3 ? 'A' : '_', size);
        name[size] = '\0';
        assert_int_equal(hr_name_means(name), HR_NAME_PLAIN);
        assert_null(hr_name_bounds(name));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_means__knows_identifiers),
        cmocka_unit_test(test_name_means__knows_other_languages),
        cmocka_unit_test(test_name_bounds__wants_whole_words),
        cmocka_unit_test(test_names__may_have_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
