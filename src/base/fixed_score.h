/* Scores in fixed point: 32-bit integers, in units of 2^-HR_SCORE_BITS. Sums of them do not depend on their
 * order, so that all that add the same trees up have the same sums. */
#ifndef HR_BASE_FIXED_SCORE_H
#define HR_BASE_FIXED_SCORE_H

#include "base/round.h"

enum { HR_SCORE_BITS = 20 };

/* The nearest, of a score that is kept within +-512: below 2^29 in magnitude. NaN: -512. */
static inline int32_t hr_fixed_score(double score) {
    const double most = 512, above = score > -most ? score : -most;
    return (int32_t)hr_round((above < most ? above : most) * (1 << HR_SCORE_BITS));
}

static inline double hr_fixed_value(int32_t score) {
    return (double)score / (1 << HR_SCORE_BITS);
}

static inline int32_t hr_fixed_within(int32_t x, int32_t low, int32_t high) {
    int32_t above = x > low ? x : low;
    return above < high ? above : high;
}

/* Modulo 2^32, that is within +-2048. */
static inline int32_t hr_fixed_sum(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

#endif
