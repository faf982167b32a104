/* What is said of noise is what the gate draws. */
#include "privacy/noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Of the discrete Laplace distribution of scale t. */
static double laplace_deviation(double t) {
    double q = exp(-1 / t);
    return sqrt(2 * q) / (1 - q);
}

static void test_noise__of_pure_releases_is_that_of_discrete_laplace(void **state) {
    (void)state;
    for (double epsilon = .01; epsilon < 4; epsilon *= 3) {
        double said = hr_noise_deviation(HR_PRIVACY_PURE, hr_units_up(epsilon), 64),
               drawn = laplace_deviation(64 / epsilon);
        assert_true(said >= drawn && said < drawn * 1.001);
    }
}

static void test_noise__of_gaussian_releases_is_their_sigma(void **state) {
    (void)state;
    assert_true(fabs(hr_noise_deviation(HR_PRIVACY_ZCDP, HR_UNIT / 2, 100) - 100) < 1e-9);
    assert_true(fabs(hr_noise_deviation(HR_PRIVACY_ZCDP, HR_UNIT / 8, 100) - 200) < 1e-9);
    assert_true(fabs(hr_noise_deviation(HR_PRIVACY_GDP, HR_UNIT, 100) - sqrt(10006)) < 1e-9);
    assert_true(fabs(hr_noise_deviation(HR_PRIVACY_GDP, HR_UNIT / 4, 100) - sqrt(40006)) < 1e-9);
}

static void test_noise__is_none_without_privacy(void **state) {
    (void)state;
    assert_true(hr_noise_deviation(HR_PRIVACY_NONE, 0, 100) == 0);
}

/* All but those who may add none, and one's own in any case. */
static void test_noise_shares__are_those_that_are_surely_there(void **state) {
    (void)state;
    assert_true(hr_noise_shares(1, 0) == 1 && hr_noise_shares(10, 4) == 6 && hr_noise_shares(3, 1) == 2);
    assert_true(hr_noise_shares(2, 1) == 1 && hr_noise_shares(2, 2) == 1 && hr_noise_shares(2, 5) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise__of_pure_releases_is_that_of_discrete_laplace),
        cmocka_unit_test(test_noise__of_gaussian_releases_is_their_sigma),
        cmocka_unit_test(test_noise__is_none_without_privacy),
        cmocka_unit_test(test_noise_shares__are_those_that_are_surely_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
