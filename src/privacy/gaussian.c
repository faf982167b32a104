/* The discrete Gaussian mechanism: integer sums under zero-concentrated and under Gaussian differential
 * privacy. */
#include "privacy/mechanisms.h"

/* What a variance of 1 costs at sensitivity 1, in units, and the part of the variance that does not count:
 * under GDP the discrete Gaussian of variance sigma^2 is as good as the continuous one of variance sigma^2 -
 * 6 (Lemma 2 of the proof). */
typedef struct price {
    int log2_units;
    uint64_t idle;
} price;

static price price_in(hr_privacy_measure privacy_measure) {
    return privacy_measure == HR_PRIVACY_GDP ? (price){40, 6} : (price){39, 0};
}

/* sigma^2 = sensitivity^2 / (2 rho), or sensitivity^2 / mu^2 + 6, rounded up to a multiple of 2^-16, or to
 * the finest power of two that fits. */
bool hr_gaussian_scale(hr_release *release, hr_privacy_measure privacy_measure) {
    if (release->sensitivity > HR_SENSITIVITY_MAX || !release->cost) return false;
    const price p = price_in(privacy_measure);
    hr_u128 top = (hr_u128)(release->sensitivity * release->sensitivity) << p.log2_units;
    release->mechanism = HR_MECHANISM_DISCRETE_GAUSSIAN;
    for (int k = 16; k >= 0; k--) {
        hr_u128 num = ((top << k) + release->cost - 1) / release->cost + (p.idle << k);
        release->scale_num = (uint64_t)num;
        release->scale_den = (uint64_t)1 << k;
        if (num >> 63 == 0) return hr_gaussian_covers(release, privacy_measure);
    }
    return false;
}

bool hr_gaussian_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    if (privacy_measure != HR_PRIVACY_ZCDP && privacy_measure != HR_PRIVACY_GDP) return false;
    uint64_t num = release->scale_num, den = release->scale_den;
    if (!num || num >> 63 || !den || den > 1 << 16 || num / den > (uint64_t)1 << 60) return false;
    if (!release->sensitivity || release->sensitivity > HR_SENSITIVITY_MAX || release->cost > HR_UNITS_MAX)
        return false;
    const price p = price_in(privacy_measure);
    if (num <= p.idle * den) return false;
    hr_u128 square = (hr_u128)(release->sensitivity * release->sensitivity) << p.log2_units;
    return (hr_u128)release->cost * (num - p.idle * den) >=
           square * den; /* cost >= price of sensitivity^2 / (sigma^2 - idle) */
}
