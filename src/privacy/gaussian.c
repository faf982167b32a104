/* The discrete Gaussian mechanism: integer sums under zero-concentrated and under Gaussian differential
 * privacy; under the latter also with noise in shares of several owners. */
#include "privacy/mechanisms.h"

/* Under GDP the discrete Gaussian of variance sigma^2 is as good as the continuous one of variance sigma^2 -
 * 6; so is a sum of shares whose variances add up to sigma^2 (Lemma 2 of the proof). */
enum { IDLE_VARIANCE = 6 };

/* What a variance of 1 costs at sensitivity 1, in units, and the part of the variance that does not count. */
typedef struct price {
    int log2_units;
    uint64_t idle;
} price;

static price price_in(hr_privacy_measure privacy_measure) {
    return privacy_measure == HR_PRIVACY_GDP ? (price){40, IDLE_VARIANCE} : (price){39, 0};
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

int64_t hr_gaussian_add(hr_csprng *csprng, const hr_release *release, int64_t exact) {
    return hr_clamp_sum(hr_clamp_sum(exact) +
                        hr_discrete_gaussian(csprng, release->scale_num, release->scale_den));
}

/* ---- Shares of several owners, which add up to the noise of a sum ---- */

/* sigma^2 of a share = (sensitivity^2 / mu^2 + 6) / shares, rounded up to a multiple of 2^-16, or to the
 * finest power of two that fits. */
bool hr_shared_gaussian_scale(hr_release *release, hr_privacy_measure privacy_measure) {
    release->mechanism = HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN;
    if (release->sensitivity > HR_SENSITIVITY_MAX || !release->cost || !hr_shares_fit(release)) return false;
    hr_u128 top = (hr_u128)(release->sensitivity * release->sensitivity) << 40;
    for (int k = 16; k >= 0; k--) {
        hr_u128 all = ((top << k) + release->cost - 1) / release->cost + ((hr_u128)IDLE_VARIANCE << k);
        hr_u128 num = (all + release->shares - 1) / release->shares;
        if ((num * release->shares) >> 63) continue;
        release->scale_num = (uint64_t)num;
        release->scale_den = (uint64_t)1 << k;
        return hr_shared_gaussian_covers(release, privacy_measure);
    }
    return false;
}

bool hr_shared_gaussian_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    if (privacy_measure != HR_PRIVACY_GDP || !hr_shares_fit(release)) return false;
    uint64_t num = release->scale_num, den = release->scale_den;
    hr_u128 all = (hr_u128)num * release->shares;
    if (all >> 63 || !den || den > 1 << 16 || num / den > (uint64_t)1 << 60) return false;
    if (num < HR_SHARE_VARIANCE_MIN * den) return false;
    if (!release->sensitivity || release->sensitivity > HR_SENSITIVITY_MAX || release->cost > HR_UNITS_MAX)
        return false;
    hr_u128 square = (hr_u128)(release->sensitivity * release->sensitivity) << 40;
    return (hr_u128)release->cost * (all - IDLE_VARIANCE * den) >=
           square * den; /* cost >= sensitivity^2 / (shares sigma^2 - 6) */
}

uint64_t hr_shared_gaussian_draw(hr_csprng *csprng, const hr_release *release) {
    return (uint64_t)hr_discrete_gaussian(csprng, release->scale_num, release->scale_den);
}

/* sensitivity^2 / (sigma^2 - 6) of the one share, rounded up. */
hr_units hr_shared_gaussian_cost_of_one(const hr_release *release) {
    const hr_u128 idle = IDLE_VARIANCE * (hr_u128)release->scale_den;
    if (release->scale_num <= idle) return HR_UNITS_MAX;
    hr_u128 noise = release->scale_num - idle,
            square = (hr_u128)release->sensitivity * release->sensitivity * HR_UNIT,
            cost = (square * release->scale_den + noise - 1) / noise;
    return cost < HR_UNITS_MAX ? (hr_units)cost : HR_UNITS_MAX;
}
