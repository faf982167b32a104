/* Rounding in loops. */
#ifndef HR_BASE_ROUND_H
#define HR_BASE_ROUND_H

#include <stdint.h>

/* Rounds to the nearest integer, ties to even; |x| < 2^51. Branch-free, so that loops over it vectorise. */
static inline int64_t hr_round(double x) {
    const double magic = 0x1.8p52;
    double shifted = x + magic;
    int64_t bits, base;
    __builtin_memcpy(&bits, &shifted, sizeof bits);
    __builtin_memcpy(&base, &magic, sizeof base);
    return bits - base;
}

#endif
