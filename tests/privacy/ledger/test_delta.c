/* Units of delta: exact, and never to the owner's loss. */
#include "privacy/ledger/delta.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_delta__encloses_its_value(void **state) {
    (void)state;
    static const double values[] = {1e-6, 1e-5, 1e-9, 0.1, 1.0 / 3, 0.999999, 1e-18, 2e-19};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        hr_delta_units up = hr_delta_up(values[i]), down = hr_delta_down(values[i]);
        assert_true(up - down <= 1);
        assert_true(hr_delta_value(up) >= values[i]);
        assert_true(hr_delta_value(down) <= values[i]);
    }
    assert_int_equal(hr_delta_up(1e-6), 4611686018428);
    assert_int_equal(hr_delta_down(1e-6), 4611686018427);
}

static void test_delta__keeps_multiples_of_the_unit(void **state) {
    (void)state;
    for (int power = 0; power <= 62; power++) {
        double value = ldexp(1, -power);
        assert_int_equal(hr_delta_up(value), HR_DELTA_UNIT >> power);
        assert_int_equal(hr_delta_down(value), HR_DELTA_UNIT >> power);
    }
    hr_delta_units units = hr_delta_down(1e-6);
    assert_int_equal(hr_delta_up(hr_delta_value(units)), units);
    assert_int_equal(hr_delta_up(0), 0);
    assert_int_equal(hr_delta_down(0), 0);
}

/* 2^61 + 1 units lie between two doubles. */
static void test_delta_value__is_rounded_to_the_side_that_it_is_asked_for(void **state) {
    (void)state;
    const hr_delta_units half = HR_DELTA_UNIT / 2;
    assert_true(hr_delta_value(half) == .5 && hr_delta_value_below(half) == .5);
    assert_true(hr_delta_value(half + 1) == nextafter(.5, 1) && hr_delta_value_below(half + 1) == .5);
    assert_true(hr_delta_value(2 * half - 1) == 1 && hr_delta_value_below(2 * half - 1) == nextafter(1, 0));
    assert_true(hr_delta_value(4611686018427) == hr_delta_value_below(4611686018427));
    assert_true(hr_delta_value_below(UINT64_MAX) < 4 && hr_delta_value(0) == 0 &&
                hr_delta_value_below(0) == 0);
}

static void test_delta__never_spends_nothing(void **state) {
    (void)state;
    assert_int_equal(hr_delta_up(1e-300), 1);
    assert_int_equal(hr_delta_up(4.9e-324), 1);
    assert_int_equal(hr_delta_down(1e-300), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta__encloses_its_value),
        cmocka_unit_test(test_delta__keeps_multiples_of_the_unit),
        cmocka_unit_test(test_delta_value__is_rounded_to_the_side_that_it_is_asked_for),
        cmocka_unit_test(test_delta__never_spends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
