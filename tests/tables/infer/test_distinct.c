/* Estimates of how many texts differ: deterministic, so that the figures here are exact bounds. */
#include "tables/infer/infer_column.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double estimate(int different, int times) {
    hr_distinct *distinct = calloc(1, sizeof *distinct);
    char text[32];
    assert_non_null(distinct);
    for (int t = 0; t < times; t++)
        for (int i = 0; i < different; i++)
            hr_distinct_add(distinct, text, (size_t)snprintf(text, sizeof text, "value %d", i));
    const double count = hr_distinct_count(distinct);
    free(distinct);
    return count;
}

/* Four standard errors of 2.3 % each. */
static void test_count__is_near(void **state) {
    (void)state;
    static const int counts[] = {1, 10, 255, 1000, 5000, 5200, 20000, 300000};
    assert_true(estimate(0, 1) == 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const double count = estimate(counts[i], 1);
        if (fabs(count - counts[i]) > .092 * counts[i] + .01) fail_msg("%d: %g", counts[i], count);
    }
}

static void test_count__does_not_count_twice(void **state) {
    (void)state;
    assert_true(estimate(700, 1) == estimate(700, 5));
}

/* Of every size of text, whatever stands behind it. */
static void test_hash__is_the_same_of_cells(void **state) {
    (void)state;
    char text[80], other[80];
    for (size_t size = 0; size <= 40; size++) {
        for (size_t i = 0; i < sizeof text; i++) {
            text[i] = (char)(i * 37 + 200);
            other[i] = i < size ? text[i] : (char)(i * 11 + size);
        }
        const uint64_t hash = hr_text_hash(text, size);
        assert_true(hr_cell_hash(text, size) == hash);
        assert_true(hr_cell_hash(other, size) == hash);
        for (size_t i = 0; i < size; i++) {
            other[i] = (char)(other[i] ^ 1);
            assert_true(hr_cell_hash(other, size) != hash);
            other[i] = text[i];
        }
        assert_true(hr_text_hash(text, size + 1) != hash);
    }
    assert_true(hr_text_hash("\0\0\0", 2) != hr_text_hash("\0\0\0", 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count__is_near),
        cmocka_unit_test(test_count__does_not_count_twice),
        cmocka_unit_test(test_hash__is_the_same_of_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
