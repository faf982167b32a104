/* The best cut of a node, in C that compilers make vectors of. */
#ifndef HR_BASE_KERNELS_CUT_LOOPS_H
#define HR_BASE_KERNELS_CUT_LOOPS_H

#include "base/kernels/kernels.h"

#include <string.h>

enum { HR_GAIN_LANES = 8 };

static inline double hr_double_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* (double)x, in vectors. Intel's processors before AVX-512 have no instruction for it. There the upper half
 * of x is put into the fraction of 2^84 and the lower half into that of 2^52: both doubles are exact, as
 * both halves, the upper one plus 2^31, are from 0 to 2^32 - 1. The difference of the first and 2^84 + 2^63 +
 * 2^52 is upper * 2^32 - 2^52, a multiple of 2^32 of at most 2^63 + 2^52: exact, too. So the last addition
 * alone rounds, and it rounds x: the same double as the conversion's, for every x. */
static inline double hr_loop_double_of(int64_t x) {
#if defined(__x86_64__) && !defined(__AVX512DQ__)
    const uint64_t upper = ((uint64_t)x >> 32) ^ 0x4530000080000000, /* 2^84 + (upper + 2^31) * 2^32 */
        lower = ((uint64_t)x & UINT32_MAX) | 0x4330000000000000;     /* 2^52 + lower */
    return (hr_double_of_bits(upper) - 0x1.00000801p84) + hr_double_of_bits(lower);
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

static inline size_t hr_loop_best_gain(double *gains, size_t count, double *gain) {
    size_t best = 0;
    *gain = hr_loop_most(gains, count);
    while (best < count && gains[best] < *gain) best++;
    return best;
}

static inline size_t hr_loop_best_cut(const hr_cut_node *node, const int64_t *gradients,
                                      const int64_t *weights, size_t count, double *gain) {
    double gains[HR_CUTS_MAX];
    hr_loop_gains_of_cuts(node, gradients, weights, count, gains);
    return hr_loop_best_gain(gains, count, gain);
}

/* ---- Packed sums ---- */

/* With these shifts both parts of a word are below 2^52: the lower bits of a double from 2^52 to 2^53, of
 * which 2^52 is taken off, and of the gradient the 2^(63 - shift) that makes it positive. That is exact, and
 * so are differences of such doubles: every gain is the same as that of the integers. */
enum { HR_WORD_SHIFT_MIN = 12, HR_WORD_SHIFT_MAX = 51 };

static inline void hr_loop_gains_of_exact_words(const hr_cut_node *node, int shift,
                                                const int64_t *restrict words, size_t count,
                                                double *restrict gains) {
    const uint64_t exponent = 0x4330000000000000, low_bits = ((uint64_t)1 << shift) - 1,
                   gradient_bits = exponent | (uint64_t)1 << (63 - shift);
    const double gradient = hr_loop_double_of(node->gradient), weight = hr_loop_double_of(node->weight),
                 gradient_offset = hr_double_of_bits(gradient_bits), lambda = node->lambda,
                 min_weight = node->min_weight;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = (uint64_t)words[i];
        const double gl = hr_double_of_bits((word >> shift) ^ gradient_bits) - gradient_offset,
                     gr = gradient - gl;
        const double wl = hr_double_of_bits((word & low_bits) | exponent) - 0x1p52, wr = weight - wl;
        const double a = wl + lambda, b = wr + lambda, gain = (gl * gl * b + gr * gr * a) / (a * b);
        const double lighter = wl < wr ? wl : wr;
        gains[i] = lighter < min_weight ? -1 : gain;
    }
}

static inline void hr_loop_gains_of_words(const hr_cut_node *node, int shift, const int64_t *words,
                                          size_t count, double *gains) {
    int64_t gradients[HR_CUTS_MAX], weights[HR_CUTS_MAX];
    if (shift >= HR_WORD_SHIFT_MIN && shift <= HR_WORD_SHIFT_MAX) {
        hr_loop_gains_of_exact_words(node, shift, words, count, gains);
        return;
    }
    hr_loop_sums_of_words(shift, words, count, gradients, weights);
    hr_loop_gains_of_cuts(node, gradients, weights, count, gains);
}

static inline size_t hr_loop_best_cut_of_words(const hr_cut_node *node, int shift, const int64_t *words,
                                               size_t count, double *gain) {
    double gains[HR_CUTS_MAX];
    hr_loop_gains_of_words(node, shift, words, count, gains);
    return hr_loop_best_gain(gains, count, gain);
}

/* A bin without records is written, too, and then written over: no branch depends on the records. */
static inline size_t hr_loop_sums_up_to(const int64_t *words, size_t count, int64_t *sums, uint8_t *bins) {
    size_t found = 0;
    int64_t sum = 0;
    for (size_t bin = 0; bin < count; bin++) {
        sums[found] = sum += words[bin];
        bins[found] = (uint8_t)bin;
        found += words[bin] != 0;
    }
    return found;
}

#endif
