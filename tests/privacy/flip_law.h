/* The exact law of permute-and-flip, by a formula of its own: candidate r, taken with probability p_r, is the one that is returned
 * with probability p_r E[1/(1 + others that are taken)] = p_r * integral over x in [0, 1] of the product of the others' 1 - p_s (1 - x). */
#ifndef HR_TESTS_PRIVACY_FLIP_LAW_H
#define HR_TESTS_PRIVACY_FLIP_LAW_H

#include <math.h>
#include <stddef.h>

/* out[r] for scores in any unit and p_r = exp(-c (largest - scores[r])). Gauss's rule of 5 points on 200 pieces: good to 1e-12 while
 * fewer than a hundred candidates are likely to be taken. */
static inline void flip_law(const double *scores, size_t count, double c, double *out) {
    enum { PIECES = 200, POINTS = 5 };
    static const double at[POINTS] = {-.906179845938664, -.538469310105683, 0, .538469310105683, .906179845938664};
    static const double weight[POINTS] = {.236926885056189, .478628670499366, .568888888888889, .478628670499366, .236926885056189};
    double best = scores[0];
    for (size_t r = 1; r < count; r++) best = fmax(best, scores[r]);
    for (size_t r = 0; r < count; r++) out[r] = 0;
    for (int i = 0; i < PIECES * POINTS; i++) {
        double x = (i / POINTS + (1 + at[i % POINTS]) / 2) / PIECES, all = weight[i % POINTS] / 2 / PIECES;
        for (size_t r = 0; r < count; r++) all *= 1 - exp(c * (scores[r] - best)) * (1 - x);
        for (size_t r = 0; r < count; r++) {
            double p = exp(c * (scores[r] - best));
            out[r] += p * all / (1 - p * (1 - x));
        }
    }
}

#endif
