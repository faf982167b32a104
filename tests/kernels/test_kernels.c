/* Every set of kernels gives the bytes of portable C. A set that the processor lacks is named and left out.
 */
#include "kernels/kernels.h"

#include <hedgerow/hedgerow.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS_MAX = 200, EDGES_MAX = 254 };

/* Calls a check with portable C and each other set that runs here. */
static void with_each_set(void (*check)(const hr_kernels *portable, const hr_kernels *other)) {
    const hr_kernels *set;
    for (size_t i = 1; (set = hr_kernels_at(i)); i++) {
        if (hr_kernels_run_here(set))
            check(hr_kernels_at(0), set);
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

static void check_bins_of_numbers(const hr_kernels *portable, const hr_kernels *other) {
    double edges[EDGES_MAX], values[ROWS_MAX];
    uint8_t expected[ROWS_MAX + 1], got[ROWS_MAX + 1];
    for (size_t e = 0; e < EDGES_MAX; e++) edges[e] = (double)e / 3 - 40;
    for (size_t count = 0; count <= EDGES_MAX; count++)
        for (size_t rows = 0; rows <= ROWS_MAX; rows += rows < 70 ? 1 : 13) {
            for (size_t i = 0; i < rows; i++) values[i] = odd_value(i + count, edges, count);
            memset(expected, 255, sizeof expected);
            memset(got, 255, sizeof got);
            portable->bins_of_numbers(edges, count, values, rows, expected);
            other->bins_of_numbers(edges, count, values, rows, got);
            assert_memory_equal(expected, got, sizeof got);
        }
}

static void test_bins_of_numbers__same_in_every_set(void **state) {
    (void)state;
    with_each_set(check_bins_of_numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets__begin_with_portable_c),
        cmocka_unit_test(test_use__takes_the_named_set),
        cmocka_unit_test(test_bins_of_numbers__same_in_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
