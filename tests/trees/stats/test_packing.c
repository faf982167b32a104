#include "support/check.h"
#include "trees/stats/packing.h"

#include <math.h>

/* As many records as may be, all at one end of the range: the sums come out as they went in. */
static void check_extremes(size_t rows, uint64_t weight, int64_t gradient) {
    const hr_packing packing = {.shift = hr_packing_shift(rows, weight, gradient),
                                .gradient_bound = gradient};
    assert_true(packing.shift > 0);
    for (int sign = -1; sign <= 1; sign += 2) {
        hr_sum_word sum = 0;
        for (size_t i = 0; i < rows; i++) sum += hr_pack(&packing, sign * gradient, (int64_t)weight);
        hr_sums sums = hr_unpack(&packing, sum);
        assert_true(sums.gradient.unpaid == sign * gradient * (int64_t)rows &&
                    sums.weight.unpaid == (int64_t)(weight * rows));
    }
}

static void test_shift__leaves_room_for_the_largest_sums(void **state) {
    (void)state;
    check_extremes(1, 1, 1);
    check_extremes(1, 1, INT64_MAX >> 4);
    check_extremes(1000, 64, 4096);
    check_extremes(1023, 1, (1 << 20) - 1);
    check_extremes(1024, 1023, 1 << 20);
}

static void test_shift__says_where_63_bits_do_not_suffice(void **state) {
    (void)state;
    assert_int_equal(hr_packing_shift((size_t)1 << 20, 1, (int64_t)1 << 19), 22);
    assert_int_equal(hr_packing_shift((size_t)1 << 20, 1, (int64_t)1 << 20), -1);
    assert_int_equal(hr_packing_shift(SIZE_MAX, 1, 1), -1);
}

static void test_round__is_to_nearest_even(void **state) {
    (void)state;
    static const double values[] = {
        0, .5, 1.5, 2.5, -.5, -1.5, -2.5, .49999999999999994, 1e9 + .5, -1e15, 0x1p51 - 1, -0x1p51 + 1};
    for (size_t i = 0; i < COUNT(values); i++) assert_true(hr_round(values[i]) == (int64_t)rint(values[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shift__leaves_room_for_the_largest_sums),
        cmocka_unit_test(test_shift__says_where_63_bits_do_not_suffice),
        cmocka_unit_test(test_round__is_to_nearest_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
