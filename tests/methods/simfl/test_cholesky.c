/* Solutions of linear equations: by hand, and put back into random systems. */
#include "methods/simfl/linear_guess.h"
#include "support/check.h"
#include "support/random_numbers.h"

#include <math.h>

enum { SIZE_MAX_CHOLESKY = 64 };

/* [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2], and [4 2; 2 5] [1; 2] = [8; 12]. */
static void test_cholesky__solves_two_equations_by_hand(void **state) {
    (void)state;
    double matrix[] = {4, NAN, 2, 5}, values[] = {8, 12};
    assert_true(hr_cholesky_factor(matrix, 2));
    assert_true(matrix[0] == 2 && matrix[2] == 1 && matrix[3] == 2);
    hr_cholesky_solve(matrix, 2, values);
    assert_true(values[0] == 1 && values[1] == 2);
}

/* A matrix B B' + I with B of numbers in [0, 1): what was multiplied by it comes back. */
static void check_random_system(size_t size, uint64_t *state) {
    double factor[SIZE_MAX_CHOLESKY][SIZE_MAX_CHOLESKY], *matrix = calloc(size * size, sizeof *matrix);
    double solution[SIZE_MAX_CHOLESKY], values[SIZE_MAX_CHOLESKY] = {0};
    for (size_t i = 0; i < size; i++) {
        solution[i] = next_unit(state) - .5;
        for (size_t k = 0; k < size; k++) factor[i][k] = next_unit(state);
    }
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double sum = i == j;
            for (size_t k = 0; k < size; k++) sum += factor[i][k] * factor[j][k];
            matrix[i * size + j] = sum;
            values[i] += sum * solution[j];
        }
    }
    assert_true(hr_cholesky_factor(matrix, size));
    hr_cholesky_solve(matrix, size, values);
    for (size_t i = 0; i < size; i++) assert_true(fabs(values[i] - solution[i]) < 1e-9);
    free(matrix);
}

static void test_cholesky__solves_systems_of_every_size(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (size_t size = 1; size <= SIZE_MAX_CHOLESKY; size++) check_random_system(size, &seed);
}

static void test_cholesky__refuses_what_is_not_positive_definite(void **state) {
    (void)state;
    double singular[] = {1, 1, 1, 1}, negative[] = {-1}, no_number[] = {NAN}, infinite[] = {INFINITY};
    assert_false(hr_cholesky_factor(singular, 2));
    assert_false(hr_cholesky_factor(negative, 1));
    assert_false(hr_cholesky_factor(no_number, 1));
    assert_false(hr_cholesky_factor(infinite, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky__solves_two_equations_by_hand),
        cmocka_unit_test(test_cholesky__solves_systems_of_every_size),
        cmocka_unit_test(test_cholesky__refuses_what_is_not_positive_definite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
