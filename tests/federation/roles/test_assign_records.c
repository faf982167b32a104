/* Which owner gets which records of one file. Coins are fixed. */
#include "federation/work/simulation.h"

#include "support/person_tables.h"
#include "support/tables.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdlib.h>

enum { OWNERS = 4 };

static hr_parts assigned(const hr_data *data, uint64_t seed) {
    hr_csprng *csprng = NULL;
    hr_parts parts = {0};
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    assert_int_equal(hr_assign_records(data, OWNERS, csprng, &parts, NULL), HR_OK);
    hr_csprng_close(csprng);
    return parts;
}

static void test_assign_records__gives_every_record_to_one_owner(void **state) {
    (void)state;
    table t = table_of_steps(500, 2, 2, 1);
    hr_parts parts = assigned(t.data, 7);
    size_t met[500] = {0}, all = 0;
    for (size_t o = 0; o < OWNERS; o++)
        for (size_t i = 0; i < hr_parts_size(&parts, o); i++, all++) met[hr_parts_rows(&parts, o)[i]]++;
    assert_int_equal(all, 500);
    for (size_t i = 0; i < 500; i++) assert_int_equal(met[i], 1);
    hr_parts_done(&parts);
    table_close(&t);
}

static void test_assign_records__keeps_the_records_of_a_person_together(void **state) {
    (void)state;
    person_tables t;
    person_tables_open(&t, 2, &(person_canary){50, true}, 3);
    for (uint64_t seed = 0; seed < 20; seed++) {
        hr_parts parts = assigned(t.with, seed);
        int owner_of[64];
        size_t all = 0;
        for (size_t p = 0; p < 64; p++) owner_of[p] = -1;
        for (size_t o = 0; o < OWNERS; o++)
            for (size_t i = 0; i < hr_parts_size(&parts, o); i++, all++) {
                const uint32_t person = t.with->persons[hr_parts_rows(&parts, o)[i]];
                assert_true(person < 64);
                if (owner_of[person] < 0) owner_of[person] = (int)o;
                assert_int_equal(owner_of[person], o);
            }
        assert_int_equal(all, hr_data_rows(t.with));
        hr_parts_done(&parts);
    }
    person_tables_close(&t);
}

/* Of 41 persons and 400 deals each owner has a quarter: of 16400 draws the deviation is 55. */
static void test_assign_records__gives_all_owners_as_many_persons(void **state) {
    (void)state;
    enum { DEALS = 400, PERSONS = 41 };
    person_tables t;
    size_t counts[OWNERS] = {0};
    person_tables_open(&t, 2, &(person_canary){50, true}, 3);
    for (uint64_t seed = 0; seed < DEALS; seed++) {
        hr_parts parts = assigned(t.with, 100 + seed);
        for (size_t o = 0; o < OWNERS; o++) {
            bool met[64] = {false};
            for (size_t i = 0; i < hr_parts_size(&parts, o); i++) {
                const uint32_t person = t.with->persons[hr_parts_rows(&parts, o)[i]];
                counts[o] += !met[person];
                met[person] = true;
            }
        }
        hr_parts_done(&parts);
    }
    for (size_t o = 0; o < OWNERS; o++) assert_in_range(counts[o], 4100 - 275, 4100 + 275);
    assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3], DEALS * PERSONS);
    person_tables_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assign_records__gives_every_record_to_one_owner),
        cmocka_unit_test(test_assign_records__keeps_the_records_of_a_person_together),
        cmocka_unit_test(test_assign_records__gives_all_owners_as_many_persons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
