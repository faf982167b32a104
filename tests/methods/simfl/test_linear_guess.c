/* Estimates of points from the cells that they are in: by hand, and where the cells say everything. */
#include "methods/simfl/linear_guess.h"
#include "support/check.h"
#include "support/random_numbers.h"

#include <math.h>

/* Means 0, variances 3 and 12, covariance 6 (the sums 9, 36, 18 of the products over count - 1 = 3). */
static const double hand_points[][2] = {{1.5, 3}, {-1.5, -3}, {1.5, 3}, {-1.5, -3}};

static void guess_at(const hr_planes *planes, const double *points, size_t count, const int16_t *cells,
                     double *out) {
    hr_arena *arena = hr_arena_new();
    hr_linear_guess *guess = NULL;
    assert_int_equal(hr_linear_guess_new(planes, points, count, arena, &guess, NULL), HR_OK);
    hr_linear_guess_point(guess, cells, out);
    hr_arena_free(arena);
}

/* a = (1, 0), b = 1, width 6: cell 1 is from 5 to 11 with the middle 8, and width^2/12 = 3. So the estimate
 * is (3, 6) (3 + 3)^-1 8 = (4, 8). */
static void test_guess__is_the_regression_on_one_table(void **state) {
    (void)state;
    const double normals[] = {1, 0}, offsets[] = {1};
    const hr_planes planes = {1, 2, 6, normals, offsets};
    double out[2];
    guess_at(&planes, hand_points[0], 4, (const int16_t[]){1}, out);
    assert_true(fabs(out[0] - 4) < 1e-12 && fabs(out[1] - 8) < 1e-12);
}

/* Both tables, a = (1, 0) and (0, 1), b = 0: with S = (3, 6; 6, 12) and the middles z = (3, 9), by hand
 * S (S + 3 I)^-1 z = S (15 z_1 - 6 z_2, -6 z_1 + 6 z_2) / 54 = S (-9, 36) / 54 = (3.5, 7). */
static void test_guess__weighs_two_tables(void **state) {
    (void)state;
    const double normals[] = {1, 0, 0, 1}, offsets[] = {0, 0};
    const hr_planes planes = {2, 2, 6, normals, offsets};
    double out[2];
    guess_at(&planes, hand_points[0], 4, (const int16_t[]){0, 1}, out);
    assert_true(fabs(out[0] - 3.5) < 1e-12 && fabs(out[1] - 7) < 1e-12);
}

/* The mean is where the estimate begins, and stays where the tables say nothing. */
static void test_guess__is_the_mean_across_the_planes(void **state) {
    (void)state;
    const double points[][2] = {{6, 1}, {6, 3}, {8, 1}, {8, 3}}, normals[] = {1, 0}, offsets[] = {0};
    const hr_planes planes = {1, 2, 1, normals, offsets};
    double out[2];
    guess_at(&planes, points[0], 4, (const int16_t[]){9}, out);
    assert_true(out[0] > 8 && out[0] < 9.5);
    assert_true(fabs(out[1] - 2) < 1e-12);
}

enum { EXACT_DIMENSIONS = 5, EXACT_POINTS = 200 };

/* As many tables as dimensions, along the axes, with narrow cells: every estimate is within the point's cell.
 */
static void test_guess__is_in_the_cell_of_narrow_tables_along_the_axes(void **state) {
    (void)state;
    enum { D = EXACT_DIMENSIONS };
    uint64_t seed = 1;
    double points[EXACT_POINTS][D], normals[D * D] = {0}, offsets[D], out[D];
    for (size_t i = 0; i < EXACT_POINTS * D; i++) points[i / D][i % D] = 20 * next_unit(&seed) - 10;
    for (size_t f = 0; f < D; f++) {
        normals[f * D + f] = 1;
        offsets[f] = .001 * next_unit(&seed);
    }
    const hr_planes planes = {D, D, .001, normals, offsets};
    hr_arena *arena = hr_arena_new();
    hr_linear_guess *guess = NULL;
    assert_int_equal(hr_linear_guess_new(&planes, points[0], EXACT_POINTS, arena, &guess, NULL), HR_OK);
    for (size_t i = 0; i < EXACT_POINTS; i++) {
        int16_t cells[D];
        for (size_t f = 0; f < D; f++) cells[f] = (int16_t)floor((points[i][f] + offsets[f]) / .001);
        hr_linear_guess_point(guess, cells, out);
        for (size_t f = 0; f < D; f++) assert_true(fabs(out[f] - points[i][f]) < .000501);
    }
    hr_arena_free(arena);
}

static void test_guess__refuses_what_doubles_cannot_tell(void **state) {
    (void)state;
    const double normals[] = {1e200, 0}, offsets[] = {0};
    const hr_planes planes = {1, 2, 1, normals, offsets};
    hr_arena *arena = hr_arena_new();
    hr_linear_guess *guess = NULL;
    hr_error err = {0};
    assert_int_equal(hr_linear_guess_new(&planes, hand_points[0], 4, arena, &guess, &err), HR_E_LIMIT);
    assert_true(guess == NULL && err.message[0] && err.remedy[0]);
    hr_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guess__is_the_regression_on_one_table),
        cmocka_unit_test(test_guess__weighs_two_tables),
        cmocka_unit_test(test_guess__is_the_mean_across_the_planes),
        cmocka_unit_test(test_guess__is_in_the_cell_of_narrow_tables_along_the_axes),
        cmocka_unit_test(test_guess__refuses_what_doubles_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
