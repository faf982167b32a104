/* Sets of thresholds against their definition: each distinct number once, and in order. */
#include "models/model/threshold_set.h"
#include "tables/synth/generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ADDED = 5000 };

static double draw_threshold(hr_dice *dice, uint64_t different) {
    static const double odd[] = {-INFINITY, INFINITY, 0., -0., 0x1p-1074, -0x1p-1074};
    if (!hr_dice_below(dice, 50)) return odd[hr_dice_below(dice, 6)];
    return ldexp((double)hr_dice_below(dice, different) - (double)different / 2,
                 (int)hr_dice_below(dice, 2) * 40);
}

static void check_set(uint64_t different) {
    hr_dice dice;
    hr_threshold_set set = {0};
    double *added = malloc(ADDED * sizeof *added);
    uint32_t *indices = malloc(ADDED * sizeof *indices);
    assert_true(added && indices);
    hr_dice_init(&dice, different);
    for (size_t i = 0; i < ADDED; i++) {
        const size_t before = set.count;
        added[i] = draw_threshold(&dice, different);
        assert_true(hr_threshold_set_add(&set, added[i], &indices[i]));
        assert_true(indices[i] <= before && set.thresholds[indices[i]] == added[i]);
    }
    assert_true(hr_threshold_set_sort(&set));
    for (size_t k = 1; k < set.count; k++) assert_true(set.thresholds[k - 1] < set.thresholds[k]);
    for (size_t i = 0; i < ADDED; i++) assert_true(set.thresholds[set.ranks[indices[i]]] == added[i]);
    hr_threshold_set_done(&set);
    free(added);
    free(indices);
}

static void test_threshold_set__has_each_number_once_and_in_order(void **state) {
    (void)state;
    check_set(1);
    check_set(100);
    check_set(1000000);
}

static void test_threshold_set__has_one_zero(void **state) {
    (void)state;
    hr_threshold_set set = {0};
    uint32_t index = 7;
    assert_true(hr_threshold_set_add(&set, -0., &index));
    assert_true(index == 0 && !signbit(set.thresholds[0]));
    assert_true(hr_threshold_set_add(&set, 0., &index));
    assert_true(index == 0 && set.count == 1);
    hr_threshold_set_done(&set);
}

/* A look-up takes as many steps as slots stand side by side that are taken: few, as half of them are free. */
static void check_longest_run(double step) {
    enum { MANY = 4000, RUN_MAX = 100 };
    hr_threshold_set set = {0};
    size_t run = 0, longest = 0;
    for (int i = 0; i < MANY; i++) {
        uint32_t index;
        assert_true(hr_threshold_set_add(&set, (i + .5) * step, &index));
    }
    for (size_t slot = 0; slot < 2 * set.room; slot++) {
        run = set.slots[slot] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < RUN_MAX);
    hr_threshold_set_done(&set);
}

static void test_threshold_set__finds_common_numbers_soon(void **state) {
    (void)state;
    static const double steps[] = {1, 2, .5, .1, .01, 1e-7, 1e5, 1. / 3};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) check_longest_run(steps[i]);
}

static void test_threshold_set__may_be_empty(void **state) {
    (void)state;
    hr_threshold_set set = {0};
    assert_true(hr_threshold_set_sort(&set));
    assert_int_equal(set.count, 0);
    hr_threshold_set_done(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threshold_set__has_each_number_once_and_in_order),
        cmocka_unit_test(test_threshold_set__has_one_zero),
        cmocka_unit_test(test_threshold_set__finds_common_numbers_soon),
        cmocka_unit_test(test_threshold_set__may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
