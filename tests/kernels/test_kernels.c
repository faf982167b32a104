/* Every set of kernels gives the same bytes. A set that the processor lacks is named and left out. */
#include "kernels/kernels.h"

#include <hedgerow/hedgerow.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS_MAX = 200, EDGES_MAX = HR_SEARCH_EDGES_MAX, PADDED_MAX = 512 };

/* Calls a check with each set that runs here. */
static void with_each_set(void (*check)(const hr_kernels *set)) {
    const hr_kernels *set;
    for (size_t i = 0; (set = hr_kernels_at(i)); i++) {
        if (hr_kernels_run_here(set))
            check(set);
        else
            print_message("[  SKIPPED ] %s: not on this processor\n", set->name);
    }
}

static void test_sets__begin_with_portable_c(void **state) {
    (void)state;
    assert_string_equal(hr_kernels_at(0)->name, "portable");
    assert_true(hr_kernels_run_here(hr_kernels_at(0)));
    assert_true(hr_kernels_run_here(hr_kernels_get()));
}

static void test_use__takes_the_named_set(void **state) {
    (void)state;
    const char *best = hr_kernels_name();
    assert_int_equal(hr_use_kernels("portable", NULL), HR_OK);
    assert_string_equal(hr_kernels_name(), "portable");
    hr_error err = {0};
    assert_int_equal(hr_use_kernels("mmx", &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "this build has no kernels \"mmx\"");
    assert_string_equal(hr_kernels_name(), "portable");
    assert_int_equal(hr_use_kernels(best, NULL), HR_OK);
}

static double odd_value(size_t i, const double *edges, size_t count) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0., -0.};
    if (i % 7 == 0) return odd[i / 7 % 5];
    if (count && i % 3 == 0) return edges[i % count];
    return (double)(i * 37 % 1000) / 10 - 50;
}

/* Edges as they come, and as they are hard to deal to buckets. */
static void make_edges(size_t shape, size_t count, double *edges) {
    for (size_t e = 0; e < count; e++) {
        double x = (double)e;
        edges[e] = shape == 0   ? x / 3 - 40
                   : shape == 1 ? ldexp(1, (int)e * 8 - 1000) /* all but the last are close together */
                   : shape == 2 ? (x + 1 - (double)count) * 0x1p-1074
                                : (x - (double)count / 2) * (DBL_MAX / (double)EDGES_MAX * 2);
    }
    if (shape == 2 && count > 2) edges[0] = -INFINITY, edges[count - 1] = INFINITY;
}

static uint8_t bin_by_definition(const double *edges, size_t count, double x) {
    size_t less = 0;
    for (size_t e = 0; e < count; e++) less += edges[e] < x;
    return isnan(x) ? 0 : (uint8_t)(1 + less);
}

static void check_bins_of_block(const hr_kernels *set, const hr_search *search, const double *edges,
                                size_t count, size_t rows) {
    double values[ROWS_MAX];
    uint8_t expected[ROWS_MAX + 1], got[ROWS_MAX + 1];
    for (size_t i = 0; i < rows; i++) values[i] = odd_value(i + count, edges, count);
    memset(expected, 255, sizeof expected);
    memset(got, 255, sizeof got);
    for (size_t i = 0; i < rows; i++) {
        expected[i] = bin_by_definition(edges, count, values[i]);
        assert_int_equal(hr_search_bin(search, values[i]), expected[i]);
    }
    set->bins_of_numbers(search, values, rows, got);
    assert_memory_equal(expected, got, sizeof got);
}

static void check_bins_of_numbers(const hr_kernels *set) {
    double edges[EDGES_MAX], padded[PADDED_MAX];
    uint8_t first[HR_SEARCH_BUCKETS_MAX];
    for (size_t shape = 0; shape < 4; shape++)
        for (size_t count = 0; count <= EDGES_MAX; count++) {
            make_edges(shape, count, edges);
            const hr_search search = hr_search_make(edges, count, first, padded);
            assert_true(hr_search_bucket_count(count) <= HR_SEARCH_BUCKETS_MAX);
            assert_true(hr_search_padded_count(count) <= PADDED_MAX);
            for (size_t rows = 0; rows <= ROWS_MAX; rows += rows < 40 ? 1 : 53)
                check_bins_of_block(set, &search, edges, count, rows);
        }
}

static void test_bins_of_numbers__are_as_defined_in_every_set(void **state) {
    (void)state;
    with_each_set(check_bins_of_numbers);
}

/* Edges that are dealt evenly leave one comparison, where a search by halves has eight. */
static void test_search__has_few_edges_in_a_bucket(void **state) {
    (void)state;
    double edges[EDGES_MAX], padded[PADDED_MAX];
    uint8_t first[HR_SEARCH_BUCKETS_MAX];
    make_edges(0, EDGES_MAX, edges);
    assert_int_equal(hr_search_make(edges, EDGES_MAX, first, padded).steps, 1);
    make_edges(1, EDGES_MAX, edges);
    assert_int_equal(hr_search_make(edges, EDGES_MAX, first, padded).steps, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets__begin_with_portable_c),
        cmocka_unit_test(test_use__takes_the_named_set),
        cmocka_unit_test(test_bins_of_numbers__are_as_defined_in_every_set),
        cmocka_unit_test(test_search__has_few_edges_in_a_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
