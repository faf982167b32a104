/* The exact law of permute-and-flip, by a formula of its own: candidate r, taken with probability p_r, is the
 * one that is returned with probability p_r E[1/(1 + others that are taken)] = p_r * integral over x in [0,
 * 1] of the product of the others' 1 - p_s (1 - x). */
#ifndef HR_TESTS_SUPPORT_FLIP_LAW_H
#define HR_TESTS_SUPPORT_FLIP_LAW_H

#include <math.h>
#include <stddef.h>

/* out[r] for scores in any unit and p_r = exp(-c (largest - scores[r])). Gauss's rule of 5 points on 200
 * pieces: good to 1e-12 while fewer than a hundred candidates are likely to be taken. */
void flip_law(const double *scores, size_t count, double c, double *out);

#endif
