/* The discrete Gaussian mechanism: integer sums under zero-concentrated differential privacy. */
#include "privacy/mechanisms.h"

/* sigma^2 = sensitivity^2 / (2 rho), rounded up to a multiple of 2^-16, or to the finest power of two that fits. */
bool hr_gaussian_scale(hr_release *release) {
    if (release->sensitivity > HR_SENSITIVITY_MAX || !release->cost) return false;
    hr_u128 top = (hr_u128)(release->sensitivity * release->sensitivity) << 39;
    release->mechanism = HR_DISCRETE_GAUSSIAN;
    for (int k = 16; k >= 0; k--) {
        hr_u128 num = ((top << k) + release->cost - 1) / release->cost;
        release->scale_num = (uint64_t)num;
        release->scale_den = (uint64_t)1 << k;
        if (num >> 63 == 0) return hr_gaussian_covers(release);
    }
    return false;
}

bool hr_gaussian_covers(const hr_release *release) {
    uint64_t num = release->scale_num, den = release->scale_den;
    if (!num || num >> 63 || !den || den > 1 << 16 || num / den > (uint64_t)1 << 60) return false;
    if (!release->sensitivity || release->sensitivity > HR_SENSITIVITY_MAX || release->cost > HR_UNITS_MAX) return false;
    hr_u128 square = (hr_u128)(release->sensitivity * release->sensitivity) << 39;
    return (hr_u128)release->cost * num >= square * den; /* rho >= sensitivity^2 / (2 sigma^2) */
}
