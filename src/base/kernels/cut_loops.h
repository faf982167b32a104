/* The best cut of a node, in C that compilers make vectors of. */
#ifndef HR_BASE_KERNELS_CUT_LOOPS_H
#define HR_BASE_KERNELS_CUT_LOOPS_H

#include "base/kernels/kernels.h"

enum { HR_GAIN_LANES = 8 };

/* Both terms of the gain (kernels.h) over one denominator. */
static inline void hr_loop_gains_of_cuts(const hr_cut_node *node, const int64_t *restrict gradients,
                                         const int64_t *restrict weights, size_t count,
                                         double *restrict gains) {
    const int64_t gradient = node->gradient, weight = node->weight;
    const double lambda = node->lambda, min_weight = node->min_weight;
    for (size_t i = 0; i < count; i++) {
        double gl = (double)gradients[i], gr = (double)(gradient - gradients[i]);
        double wl = (double)weights[i], wr = (double)(weight - weights[i]);
        double a = wl + lambda, b = wr + lambda, gain = (gl * gl * b + gr * gr * a) / (a * b);
        double lighter = wl < wr ? wl : wr;
        gains[i] = lighter < min_weight ? -1 : gain;
    }
}

/* gains: room for a multiple of HR_GAIN_LANES. */
static inline double hr_loop_most(double *gains, size_t count) {
    double most[HR_GAIN_LANES];
    for (size_t i = count; i % HR_GAIN_LANES; i++) gains[i] = -1;
    for (size_t k = 0; k < HR_GAIN_LANES; k++) most[k] = -1;
    for (size_t i = 0; i < count; i += HR_GAIN_LANES)
        for (size_t k = 0; k < HR_GAIN_LANES; k++) most[k] = gains[i + k] > most[k] ? gains[i + k] : most[k];
    for (size_t k = 1; k < HR_GAIN_LANES; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
    return most[0];
}

static inline size_t hr_loop_best_cut(const hr_cut_node *node, const int64_t *gradients,
                                      const int64_t *weights, size_t count, double *gain) {
    double gains[HR_CUTS_MAX];
    size_t best = 0;
    hr_loop_gains_of_cuts(node, gradients, weights, count, gains);
    *gain = hr_loop_most(gains, count);
    while (best < count && gains[best] < *gain) best++;
    return best;
}

#endif
