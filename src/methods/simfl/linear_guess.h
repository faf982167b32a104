/* What a reader of p-stable hashes makes of them: the best linear estimate of a point from the cells that it
 * is in, by mean and covariance of points of the reader's own. */
#ifndef HR_METHODS_SIMFL_LINEAR_GUESS_H
#define HR_METHODS_SIMFL_LINEAR_GUESS_H

#include "base/arena.h"

#include <hedgerow/status.h>

#include <stdbool.h>

/* ---- The estimate ---- */

/* The hash functions, which every party knows: table j puts point x into the cell floor((a_j x + b_j) /
 * width). */
typedef struct hr_planes {
    size_t tables, dimensions;
    double width;
    const double *normals; /* a_j: tables x dimensions */
    const double *offsets; /* b_j */
} hr_planes;

typedef struct hr_linear_guess hr_linear_guess;

/* With the mean m and the covariance S of `count` points (count x dimensions, at least two), and A the
 * planes' normals, the estimate is m + S A' (A S A' + width^2/12 I)^-1 (z - A m), z_j = width (cell_j + 1/2)
 * - b_j: the position of a point in its cell counts as uniform. Owner: the arena, which `planes` must
 * outlive. Fails: LIMIT (values too large for doubles), MEMORY. */
HR_MUST_CHECK hr_status hr_linear_guess_new(const hr_planes *planes, const double *points, size_t count,
                                            hr_arena *arena, hr_linear_guess **out, hr_error *err);

/* The mean of the reader's own points: its estimate without any hash. */
const double *hr_linear_guess_mean(const hr_linear_guess *guess);

/* Estimates the point that is in these cells, one a table. */
void hr_linear_guess_point(hr_linear_guess *guess, const int16_t *cells, double *out);

/* ---- Linear equations with a symmetric, positive definite matrix: the Cholesky decomposition ---- */

/* Replaces the lower triangle, diagonal included, of the size x size matrix (row by row) by that of its
 * factor F, F F' = matrix; what is above the diagonal is not read. Returns false if the matrix is not
 * positive definite, in the precision of doubles; its content is lost then. */
bool hr_cholesky_factor(double *matrix, size_t size);

/* Replaces the right side of F F' x = values by the solution x. */
void hr_cholesky_solve(const double *factor, size_t size, double *values);

#endif
