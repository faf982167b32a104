/* Equal rows and groups, by hand and beside plain loops. */
#include "methods/simfl/row_groups.h"
#include "support/check.h"
#include "support/random_numbers.h"

static void test_rows__are_counted_by_hand(void **state) {
    (void)state;
    const int16_t rows[][2] = {{1, 2}, {2, 1}, {1, 2}, {1, 3}, {-1, 2}, {1, 2}, {2, 1}};
    hr_row_counts counts;
    assert_int_equal(hr_row_counts_of(rows, 7, sizeof *rows, &counts, NULL), HR_OK);
    assert_int_equal(counts.distinct, 4);
    assert_int_equal(counts.unique, 2);
    assert_int_equal(hr_row_counts_of(rows, 0, sizeof *rows, &counts, NULL), HR_OK);
    assert_true(counts.distinct == 0 && counts.unique == 0);
}

enum { GROUPED_RECORDS = 300, GROUPS = 120, GROUPED_BYTES = 3 };

static size_t equal_rows(uint8_t rows[][GROUPED_BYTES], size_t row, size_t count) {
    size_t equal = 0;
    for (size_t i = 0; i < count; i++) equal += !memcmp(rows[row], rows[i], GROUPED_BYTES);
    return equal;
}

static void test_rows__are_counted_as_by_a_plain_loop(void **state) {
    (void)state;
    uint64_t seed = 1;
    uint8_t rows[GROUPED_RECORDS][GROUPED_BYTES];
    for (size_t i = 0; i < GROUPED_RECORDS * GROUPED_BYTES; i++)
        rows[i / GROUPED_BYTES][i % GROUPED_BYTES] = (uint8_t)(next_random(&seed) % 6);
    size_t unique = 0, distinct = 0;
    for (size_t i = 0; i < GROUPED_RECORDS; i++) {
        unique += equal_rows(rows, i, GROUPED_RECORDS) == 1;
        distinct += equal_rows(rows, i, i) == 0;
    }
    hr_row_counts counts;
    assert_int_equal(hr_row_counts_of(rows, GROUPED_RECORDS, GROUPED_BYTES, &counts, NULL), HR_OK);
    assert_int_equal(counts.distinct, distinct);
    assert_int_equal(counts.unique, unique);
    assert_true(unique > 0 && unique < distinct && distinct < GROUPED_RECORDS);
}

/* Group 0: three records of one label; 1: two of different labels; 2: none; 3: one. */
static void test_groups__are_counted_by_hand(void **state) {
    (void)state;
    const uint32_t groups[] = {0, 1, 0, 3, 1, 0};
    const double labels[] = {1, 0, 1, 0, 1, 1};
    hr_group_counts counts;
    assert_int_equal(hr_group_counts_of(groups, labels, 6, 4, &counts, NULL), HR_OK);
    assert_true(counts.alone == 1 && counts.one_label == 4);
    assert_int_equal(hr_group_counts_of(groups, NULL, 6, 4, &counts, NULL), HR_OK);
    assert_true(counts.alone == 1 && counts.one_label == 0);
}

static void test_groups__are_counted_as_by_a_plain_loop(void **state) {
    (void)state;
    uint64_t seed = 1;
    uint32_t groups[GROUPED_RECORDS];
    double labels[GROUPED_RECORDS];
    for (size_t i = 0; i < GROUPED_RECORDS; i++) {
        groups[i] = (uint32_t)(next_random(&seed) % GROUPS);
        labels[i] = (double)(next_random(&seed) % 2);
    }
    size_t alone = 0, one_label = 0;
    for (size_t i = 0; i < GROUPED_RECORDS; i++) {
        size_t others = 0, differ = 0;
        for (size_t k = 0; k < GROUPED_RECORDS; k++) {
            others += k != i && groups[k] == groups[i];
            differ += groups[k] == groups[i] && labels[k] != labels[i];
        }
        alone += others == 0;
        one_label += differ == 0;
    }
    hr_group_counts counts;
    assert_int_equal(hr_group_counts_of(groups, labels, GROUPED_RECORDS, GROUPS, &counts, NULL), HR_OK);
    assert_int_equal(counts.alone, alone);
    assert_int_equal(counts.one_label, one_label);
    assert_true(alone > 0 && alone < one_label && one_label < GROUPED_RECORDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows__are_counted_by_hand),
        cmocka_unit_test(test_rows__are_counted_as_by_a_plain_loop),
        cmocka_unit_test(test_groups__are_counted_by_hand),
        cmocka_unit_test(test_groups__are_counted_as_by_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
