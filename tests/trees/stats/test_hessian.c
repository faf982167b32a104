/* Denominators of leaves for two classes: |r| (2 - |r|), in the range that is charged for. */
#include "trees/stats/gradient.h"

#include "support/check.h"

#include <math.h>

static void test_hessian__is_the_equations_and_in_range(void **state) {
    (void)state;
    static const double bounds[] = {.01, .5, 1, 1.7, 2};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (int bits = 12; bits <= 16; bits += 4) {
            const hr_packing packing = {.gradient_bound = (int64_t)1 << bits};
            for (int64_t g = -packing.gradient_bound; g <= packing.gradient_bound; g++) {
                double r = fabs((double)g) * bounds[b] / (double)packing.gradient_bound;
                int64_t made = hr_hessian(&(hr_hessian_rule){&packing, bounds[b], NULL}, 0, g);
                assert_true(made >= 0 && made <= 1 << HR_HESSIAN_BITS);
                assert_true(fabs((double)made - r * (2 - r) * 4096) <= .5 + 1e-9);
            }
        }
}

/* Beyond 2, where a published bound may be a power of two above it, none is negative. */
static void test_hessian__is_never_negative(void **state) {
    (void)state;
    const hr_packing packing = {.gradient_bound = 1 << 12};
    for (int64_t g = -(1 << 12); g <= 1 << 12; g++)
        assert_true(hr_hessian(&(hr_hessian_rule){&packing, 8, NULL}, 0, g) >= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hessian__is_the_equations_and_in_range),
        cmocka_unit_test(test_hessian__is_never_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
