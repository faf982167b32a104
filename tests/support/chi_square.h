/* Pearson's test against exact probabilities: two-sided (a fit that is too good is suspicious as well),
 * false-alarm rate 1e-6. */
#ifndef HR_TESTS_SUPPORT_CHI_SQUARE_H
#define HR_TESTS_SUPPORT_CHI_SQUARE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define FALSE_ALARM 1e-6

typedef struct chi_square_cell {
    double seen, expected;
} chi_square_cell;

/* Whether counts agree with probabilities (which may sum to less than 1: the rest is a cell of its own).
 * Neighbouring cells are lumped together until 10 counts are expected. */
int chi_square_fits(const uint64_t *seen, const double *probability, size_t cells, uint64_t draws);

#endif
