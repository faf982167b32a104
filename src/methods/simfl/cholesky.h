/* Systems of linear equations with a symmetric, positive definite matrix: the Cholesky decomposition. */
#ifndef HR_METHODS_SIMFL_CHOLESKY_H
#define HR_METHODS_SIMFL_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces the lower triangle, diagonal included, of the size x size matrix (row by row) by that of its
 * factor F, F F' = matrix; what is above the diagonal is not read. Returns false if the matrix is not
 * positive definite, as far as doubles tell; its content is lost then. */
bool hr_cholesky_factor(double *matrix, size_t size);

/* Replaces the right side of F F' x = values by the solution x. */
void hr_cholesky_solve(const double *factor, size_t size, double *values);

#endif
