/* The discrete Laplace mechanism: integer sums under pure epsilon. */
#include "privacy/mechanisms.h"

/* t = sensitivity / epsilon, exactly: no rounding. */
bool hr_laplace_scale(hr_release *release, hr_privacy_measure privacy_measure) {
    if (release->sensitivity > HR_SENSITIVITY_MAX || !release->cost) return false;
    release->mechanism = HR_MECHANISM_DISCRETE_LAPLACE;
    release->scale_num = release->sensitivity << 40;
    release->scale_den = release->cost;
    return hr_laplace_covers(release, privacy_measure);
}

bool hr_laplace_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    if (privacy_measure != HR_PRIVACY_PURE) return false;
    uint64_t s = release->scale_num, u = release->scale_den;
    if (!s || !u || s >> 63 || u >> 63 || s / u >= (uint64_t)1 << 50) return false;
    if (!release->sensitivity || release->sensitivity > HR_SENSITIVITY_MAX || release->cost > HR_UNITS_MAX)
        return false;
    return (hr_u128)release->cost * s >=
           (hr_u128)(release->sensitivity << 40) * u; /* epsilon >= sensitivity / t */
}
