#include "privacy/running_total.h"
#include "support/check.h"
#include "support/random_numbers.h"

enum { CHARGES = 3000 };

/* Each charge of a random list, in few and in many groups, against the accountant's sum of the list so far.
 */
static void check_against_account(uint64_t groups, uint64_t parts) {
    static hr_release list[CHARGES];
    uint64_t random = groups * 100 + parts;
    hr_running_total running_total = {0};
    for (size_t i = 0; i < CHARGES; i++) {
        list[i] = (hr_release){.group = next_random(&random) % groups,
                               .part = next_random(&random) % parts,
                               .mechanism = HR_MECHANISM_DISCRETE_LAPLACE};
        list[i].cost = (hr_units)(next_random(&random) % 1000);
        assert_int_equal(hr_running_total_reserve(&running_total, NULL), HR_OK);
        hr_units told = hr_running_total_would_be(&running_total, list[i].group, list[i].part, list[i].cost),
                 total;
        hr_running_total_add(&running_total, list[i].group, list[i].part, list[i].cost);
        assert_true(running_total.total == told);
        if (i % 50) continue;
        assert_int_equal(hr_account(list, i + 1, &total, NULL), HR_OK);
        assert_true(running_total.total == total);
    }
    hr_running_total_done(&running_total);
    assert_true(running_total.total == 0);
}

static void test_total__is_what_the_accountant_says(void **state) {
    (void)state;
    check_against_account(1, 1);
    check_against_account(1, 100);
    check_against_account(100, 1);
    check_against_account(30, 30);
    check_against_account(UINT64_MAX, UINT64_MAX);
}

static void test_total__of_parts_is_the_costliest_and_of_groups_the_sum(void **state) {
    (void)state;
    hr_running_total running_total = {0};
    static const struct {
        uint64_t group, part;
        hr_units cost, total;
    } charges[] = {{0, 0, 5, 5}, {0, 1, 3, 5}, {0, 1, 4, 7}, {9, 0, 2, 9}, {0, 0, 1, 9}, {0, 0, 2, 10}};
    for (size_t i = 0; i < COUNT(charges); i++) {
        assert_int_equal(hr_running_total_reserve(&running_total, NULL), HR_OK);
        hr_running_total_add(&running_total, charges[i].group, charges[i].part, charges[i].cost);
        assert_true(running_total.total == charges[i].total);
    }
    hr_running_total_done(&running_total);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_total__is_what_the_accountant_says),
        cmocka_unit_test(test_total__of_parts_is_the_costliest_and_of_groups_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
