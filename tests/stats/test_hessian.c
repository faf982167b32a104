/* Denominators of leaves for two classes: |r| (2 - |r|), in the range that is charged for, summed where the
 * records are. */
#include "stats/hessian.h"

#include "support/binned_table.h"

static void test_hessian__is_the_equations_and_in_range(void **state) {
    (void)state;
    static const double bounds[] = {.01, .5, 1, 1.7, 2};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (int bits = 12; bits <= 16; bits += 4) {
            const hr_packing packing = {.gradient_bound = (int64_t)1 << bits};
            for (int64_t g = -packing.gradient_bound; g <= packing.gradient_bound; g++) {
                double r = fabs((double)g) * bounds[b] / (double)packing.gradient_bound;
                int64_t made = hr_hessian(&packing, bounds[b], g);
                assert_true(made >= 0 && made <= 1 << HR_HESSIAN_BITS);
                assert_true(fabs((double)made - r * (2 - r) * 4096) <= .5 + 1e-9);
            }
        }
}

/* Beyond 2, where a published bound may be a power of two above it, none is negative. */
static void test_hessian__is_never_negative(void **state) {
    (void)state;
    const hr_packing packing = {.gradient_bound = 1 << 12};
    for (int64_t g = -(1 << 12); g <= 1 << 12; g++) assert_true(hr_hessian(&packing, 8, g) >= 0);
}

/* Three leaves by a number's cut and a category's subset. */
static void test_hessian_sums__are_over_the_leaves_in_order(void **state) {
    (void)state;
    enum { ROWS = 500 };
    static const uint32_t shapes[] = {5, 5, 4};
    hr_dice dice;
    hr_dice_init(&dice, 3);
    binned_table t = binned_table_new(&dice, ROWS, 3, shapes, 3);
    binned_table_bin(&t);
    hr_node nodes[] = {{.left = 1, .feature = 0, .cut = 2}, {.left = 3, .feature = 2}, {0}, {0}, {0}};
    hr_bin_set subsets[] = {{{5}}};
    hr_tree tree = {.nodes = nodes, .node_count = 5, .subsets = subsets, .subset_count = 1};
    hr_packing packing = {.shift = 20, .gradient_bound = 4096};
    int64_t *packed = random_packed(&dice, t.arena, &packing, 1, ROWS), wanted[3] = {0};
    hr_exact sums[5];
    hr_hessian_sums(&tree, t.binned, &packing, 2, packed, sums);
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t x = bin_at(&t, i, 0), c = bin_at(&t, i, 2);
        size_t leaf = x == 0 || x > 2 ? 0 : c == 0 || c == 2 ? 1 : 2;
        wanted[leaf] += hr_hessian(&packing, 2, hr_unpack(&packing, packed[i]).gradient.unpaid);
    }
    for (size_t l = 0; l < 3; l++) assert_true(wanted[l] > 0 && sums[l].unpaid == wanted[l]);
    binned_table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hessian__is_the_equations_and_in_range),
        cmocka_unit_test(test_hessian__is_never_negative),
        cmocka_unit_test(test_hessian_sums__are_over_the_leaves_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
