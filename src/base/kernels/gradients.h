/* Gradients and hessians of logistic loss, as words (trees/stats/packing.h). */
#ifndef HR_BASE_KERNELS_GRADIENTS_H
#define HR_BASE_KERNELS_GRADIENTS_H

#include "base/round.h"

#include <stddef.h>
#include <string.h>

/* How gradients become words: in units of 1/scale, within `bound` (an integer), rounded to the nearest
 * integer and shifted to the left, plus the weight: the hessian in units of 1/weight_scale, 1 at least. */
typedef struct hr_gradient_rule {
    double scale, bound, weight_scale;
    int shift;
} hr_gradient_rule;

/* Within +-bound, also if x is NaN. */
static inline double hr_bounded(double x, double bound) {
    double above = x > -bound ? x : -bound;
    return above < bound ? above : bound;
}

/* exp(x) for |x| <= 700, to about 1e-15, without branches, tables or library calls: loops over it vectorise,
 * and every compiler computes the same bits. x = k ln 2 + r, |r| <= 0.35; the polynomial is Taylor's. */
static inline double hr_exp(double x) {
    const double log2e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fee00000p-1,
                 ln2_low = 0x1.a39ef35793c76p-33;
    int64_t k = hr_round(x * log2e);
    double kd = (x * log2e + 0x1.8p52) - 0x1.8p52, r = (x - kd * ln2_high) - kd * ln2_low,
           p = 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/* p: the probability of the class; is_class: 1 if the record is of it, else 0. */
static inline int64_t hr_probability_word(const hr_gradient_rule *rule, double p, double is_class) {
    double g = hr_bounded((p - is_class) * rule->scale, rule->bound);
    double weight = p * (1 - p) * rule->weight_scale;
    return (int64_t)((uint64_t)hr_round(g) << rule->shift) + hr_round(weight < 1 ? 1 : weight);
}

/* score: the log-odds; target: 1 or -1. */
static inline int64_t hr_logistic_word(const hr_gradient_rule *rule, double score, double target) {
    return hr_probability_word(rule, 1 / (1 + hr_exp(-hr_bounded(score, 40))), (target + 1) / 2);
}

static inline void hr_loop_logistic_words(const hr_gradient_rule *rule, const double *restrict scores,
                                          const double *restrict targets, size_t count,
                                          int64_t *restrict words) {
    const hr_gradient_rule r = *rule;
    for (size_t i = 0; i < count; i++) words[i] = hr_logistic_word(&r, scores[i], targets[i]);
}

#endif
