/* The best cut of a node, in C that compilers make vectors of. */
#ifndef HR_BASE_KERNELS_CUT_LOOPS_H
#define HR_BASE_KERNELS_CUT_LOOPS_H

#include "base/kernels/kernels.h"

#include <string.h>

enum { HR_GAIN_LANES = 8 };

/* (double)x, in vectors. Intel's processors before AVX-512 have no instruction for it. There the upper half
 * of x is put into the fraction of 2^84 and the lower half into that of 2^52: both doubles are exact, as
 * both halves, the upper one plus 2^31, are from 0 to 2^32 - 1. The difference of the first and 2^84 + 2^63 +
 * 2^52 is upper * 2^32 - 2^52, a multiple of 2^32 of at most 2^63 + 2^52: exact, too. So the last addition
 * alone rounds, and it rounds x: the same double as the conversion's, for every x. */
static inline double hr_loop_double_of(int64_t x) {
#if defined(__x86_64__) && !defined(__AVX512DQ__)
    const uint64_t upper = ((uint64_t)x >> 32) ^ 0x4530000080000000, /* 2^84 + (upper + 2^31) * 2^32 */
        lower = ((uint64_t)x & UINT32_MAX) | 0x4330000000000000;     /* 2^52 + lower */
    double high, low;
    memcpy(&high, &upper, sizeof high);
    memcpy(&low, &lower, sizeof low);
    return (high - 0x1.00000801p84) + low;
#else
    return (double)x;
#endif
}

/* An arithmetic shift, in two steps that every set has for vectors. */
static inline void hr_loop_sums_of_words(int shift, const int64_t *restrict words, size_t count,
                                         int64_t *restrict gradients, int64_t *restrict weights) {
    const uint64_t low_bits = ((uint64_t)1 << shift) - 1, sign = (uint64_t)1 << (63 - shift);
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = (uint64_t)words[i];
        weights[i] = (int64_t)(word & low_bits);
        gradients[i] = (int64_t)(((word >> shift) ^ sign) - sign);
    }
}

/* Both terms of the gain (kernels.h) over one denominator. */
static inline void hr_loop_gains_of_cuts(const hr_cut_node *node, const int64_t *restrict gradients,
                                         const int64_t *restrict weights, size_t count,
                                         double *restrict gains) {
    const int64_t gradient = node->gradient, weight = node->weight;
    const double lambda = node->lambda, min_weight = node->min_weight;
    for (size_t i = 0; i < count; i++) {
        double gl = hr_loop_double_of(gradients[i]), gr = hr_loop_double_of(gradient - gradients[i]);
        double wl = hr_loop_double_of(weights[i]), wr = hr_loop_double_of(weight - weights[i]);
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
