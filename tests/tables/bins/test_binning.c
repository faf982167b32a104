#include "tables/bins/binning.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint8_t bin_by_counting(const hr_feature_bins *feature, double value) {
    if (isnan(value)) return 0;
    unsigned below = 0;
    for (uint32_t e = 0; e < feature->bin_count - 2; e++) below += feature->edges[e] < value;
    return (uint8_t)(1 + below);
}

static void test_number__counts_the_edges_below(void **state) {
    (void)state;
    double edges[254];
    for (int e = 0; e < 254; e++) edges[e] = e * 0.5 - 20;
    for (uint32_t bin_count = 2; bin_count <= 256; bin_count++) {
        hr_feature_bins feature = {HR_KIND_NUMBER, bin_count, edges};
        for (int i = -4; i < 1060; i++) {
            double value = i * 0.125 - 20;
            assert_int_equal(hr_bin_of_number(&feature, value), bin_by_counting(&feature, value));
        }
    }
}

static void test_number__on_an_edge_stays_left_of_it(void **state) {
    (void)state;
    const double edges[] = {1, 2, 3};
    const hr_feature_bins feature = {HR_KIND_NUMBER, 5, edges};
    assert_int_equal(hr_bin_of_number(&feature, 2), 2);
    assert_int_equal(hr_bin_of_number(&feature, nextafter(2, 3)), 3);
    assert_int_equal(hr_bin_of_number(&feature, -INFINITY), 1);
    assert_int_equal(hr_bin_of_number(&feature, INFINITY), 4);
}

static void test_number__missing_is_bin_zero(void **state) {
    (void)state;
    const double edges[] = {1, 2, 3};
    for (uint32_t bin_count = 2; bin_count <= 5; bin_count++) {
        const hr_feature_bins feature = {HR_KIND_NUMBER, bin_count, edges};
        assert_int_equal(hr_bin_of_number(&feature, (double)NAN), 0);
    }
}

static void test_number__without_edges_is_bin_one(void **state) {
    (void)state;
    const hr_feature_bins feature = {HR_KIND_NUMBER, 2, NULL};
    assert_int_equal(hr_bin_of_number(&feature, 5), 1);
}

static void test_code__beyond_the_last_bin_shares_it(void **state) {
    (void)state;
    const hr_feature_bins few = {HR_KIND_CATEGORY, 4, NULL};
    assert_int_equal(hr_bin_of_code(&few, 0), 0);
    assert_int_equal(hr_bin_of_code(&few, 2), 2);
    assert_int_equal(hr_bin_of_code(&few, 3), 3);
    assert_int_equal(hr_bin_of_code(&few, 4), 3);
    const hr_feature_bins many = {HR_KIND_CATEGORY, 256, NULL};
    assert_int_equal(hr_bin_of_code(&many, 255), 255);
    assert_int_equal(hr_bin_of_code(&many, 256), 255);
    assert_int_equal(hr_bin_of_code(&many, UINT16_MAX), 255);
}

static void test_columns__equal_their_single_values(void **state) {
    (void)state;
    const double edges[] = {-1, 0, 0.5};
    const hr_feature_bins numbers = {HR_KIND_NUMBER, 5, edges}, codes = {HR_KIND_CATEGORY, 3, NULL};
    const double values[] = {-2, -1, -0.5, 0, 0.25, (double)NAN, 7};
    const uint16_t categories[] = {0, 1, 2, 3, 4, 0, 900};
    uint8_t of_numbers[7], of_codes[7];
    hr_arena *arena = hr_arena_new();
    hr_search search;
    assert_true(hr_bins_search(&numbers, arena, &search));
    hr_bins_of_numbers(&search, &(hr_number_block){values, 7, NULL}, of_numbers);
    hr_arena_free(arena);
    hr_bins_of_codes(&codes, categories, 7, of_codes);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(of_numbers[i], hr_bin_of_number(&numbers, values[i]));
        assert_int_equal(of_codes[i], hr_bin_of_code(&codes, categories[i]));
    }
}

/* A number is not beyond the threshold of a cut exactly if it is in one of the bins that the cut sends left.
 */
static void test_threshold__divides_numbers_as_the_cut_does_bins(void **state) {
    (void)state;
    static const double edges[] = {-1, 2.5}, values[] = {-1e300, -1, -.999, 2.5, 2.5000001, 1e300};
    const hr_feature_bins number = {HR_KIND_NUMBER, 4, edges}, whole = {HR_KIND_NUMBER, 2, NULL};
    for (uint32_t cut = 0; cut < 4; cut++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            assert_true((values[i] <= hr_bins_threshold(&number, cut)) ==
                        (hr_bin_of_number(&number, values[i]) <= cut));
    assert_true(hr_bins_threshold(&whole, 0) == -(double)INFINITY &&
                hr_bins_threshold(&whole, 1) == (double)INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number__counts_the_edges_below),
        cmocka_unit_test(test_number__on_an_edge_stays_left_of_it),
        cmocka_unit_test(test_number__missing_is_bin_zero),
        cmocka_unit_test(test_number__without_edges_is_bin_one),
        cmocka_unit_test(test_code__beyond_the_last_bin_shares_it),
        cmocka_unit_test(test_columns__equal_their_single_values),
        cmocka_unit_test(test_threshold__divides_numbers_as_the_cut_does_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
