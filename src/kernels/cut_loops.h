/* The best cut of a node, in C that compilers make vectors of. */
#ifndef HR_KERNELS_CUT_LOOPS_H
#define HR_KERNELS_CUT_LOOPS_H

#include "kernels/cuts.h"

enum { HR_LOOP_GAINS = 8 };

/* Both terms over one denominator. */
static inline void hr_loop_gains_of_cuts(const hr_cut_rule *rule, const int64_t *restrict gradients,
                                         const int64_t *restrict weights, size_t count,
                                         double *restrict gains) {
    const int64_t gradient = rule->gradient, weight = rule->weight;
    const double lambda = rule->lambda, min_weight = rule->min_weight;
    for (size_t i = 0; i < count; i++) {
        double gl = (double)gradients[i], gr = (double)(gradient - gradients[i]);
        double wl = (double)weights[i], wr = (double)(weight - weights[i]);
        double a = wl + lambda, b = wr + lambda, gain = (gl * gl * b + gr * gr * a) / (a * b);
        double lighter = wl < wr ? wl : wr;
        gains[i] = lighter < min_weight ? -1 : gain;
    }
}

/* gains: room for a multiple of HR_LOOP_GAINS. */
static inline double hr_loop_most(double *gains, size_t count) {
    double most[HR_LOOP_GAINS];
    for (size_t i = count; i % HR_LOOP_GAINS; i++) gains[i] = -1;
    for (size_t k = 0; k < HR_LOOP_GAINS; k++) most[k] = -1;
    for (size_t i = 0; i < count; i += HR_LOOP_GAINS)
        for (size_t k = 0; k < HR_LOOP_GAINS; k++) most[k] = gains[i + k] > most[k] ? gains[i + k] : most[k];
    for (size_t k = 1; k < HR_LOOP_GAINS; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
    return most[0];
}

static inline size_t hr_loop_best_cut(const hr_cut_rule *rule, const int64_t *gradients,
                                      const int64_t *weights, size_t count, double *gain) {
    double gains[HR_CUTS_MAX];
    size_t best = 0;
    hr_loop_gains_of_cuts(rule, gradients, weights, count, gains);
    *gain = hr_loop_most(gains, count);
    while (best < count && gains[best] < *gain) best++;
    return best;
}

#endif
