/* Where bins are: the middle of their smallest and largest numbers, whatever the order of the records. */
#include "support/bin_fixture.h"
#include "tables/bins/bin_midpoints.h"

#include <math.h>

enum { ROWS = 9 };

/* The last bin whose midpoint is x or less, but 1 at least. */
static void check_search(const hr_search *search, const double *midpoints, uint32_t bin_count, double x) {
    uint32_t last = 1;
    for (uint32_t b = 2; b < bin_count; b++)
        if (midpoints[b] <= x) last = b;
    assert_int_equal(hr_search_bin(search, x), last);
}

static void check(const double *column, size_t rows, const double *edges, uint32_t bin_count,
                  const double *wanted) {
    hr_column x = bounded_number(-10, 10, false);
    const double *columns[] = {column};
    fixture f = fixture_open(&x, 1, rows, columns);
    hr_feature_bins feature = {HR_KIND_NUMBER, bin_count, edges};
    hr_binning binning = {1, &feature, NULL};
    hr_binned *binned = NULL;
    hr_bin_midpoints *found;
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    assert_int_equal(hr_binned_columns(f.data, &binning, 1, &binned, NULL), HR_OK);
    assert_int_equal(hr_bin_midpoints_find(f.data, binned, 2, arena, &found, NULL), HR_OK);
    for (uint32_t b = 0; b < HR_BINS_MAX; b++)
        assert_true(found->midpoints[b] == (b < bin_count ? wanted[b] : 0));
    for (uint32_t b = 1; b < bin_count; b++) {
        check_search(&found->search, wanted, bin_count, wanted[b]);
        check_search(&found->search, wanted, bin_count, nextafter(wanted[b], -INFINITY));
        check_search(&found->search, wanted, bin_count, nextafter(wanted[b], INFINITY));
    }
    hr_arena_free(arena);
    hr_binned_free(binned);
    fixture_close(f);
}

static void test_midpoints__are_the_middles_of_bins(void **state) {
    (void)state;
    static const double edges[] = {-2, 0, 3};
    static const double x[ROWS] = {5, -8, NAN, .5, -1, -2, 2.5, 9, 1}, wanted[] = {0, -5, -1, 1.5, 7};
    double reversed[ROWS];
    for (size_t i = 0; i < ROWS; i++) reversed[i] = x[ROWS - 1 - i];
    check(x, ROWS, edges, 5, wanted);
    check(reversed, ROWS, edges, 5, wanted);
}

static void test_midpoints__of_empty_bins_are_those_before(void **state) {
    (void)state;
    static const double edges[] = {-2, 0, 3, 4}, x[] = {1, 2, 8, NAN}, wanted[] = {0, 1.5, 1.5, 1.5, 1.5, 8},
                        none[] = {0, 0};
    static const double missing[] = {NAN, NAN};
    check(x, 4, edges, 6, wanted);
    check(missing, 2, NULL, 2, none);
}

/* A number with a bin of its own stands for itself, to the last bit. */
static void test_midpoints__of_single_numbers_are_exact(void **state) {
    (void)state;
    static const double edges[] = {.15, .25}, x[] = {.1, .2, .3, .1}, wanted[] = {0, .1, .2, .3};
    check(x, 4, edges, 4, wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_midpoints__are_the_middles_of_bins),
        cmocka_unit_test(test_midpoints__of_empty_bins_are_those_before),
        cmocka_unit_test(test_midpoints__of_single_numbers_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
