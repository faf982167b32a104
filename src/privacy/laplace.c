/* The discrete Laplace mechanism: integer sums under pure epsilon, with noise of one owner or in shares of
 * several. */
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

int64_t hr_laplace_add(hr_csprng *csprng, const hr_release *release, int64_t exact) {
    return hr_clamp_sum(hr_clamp_sum(exact) +
                        hr_discrete_laplace(csprng, release->scale_num, release->scale_den));
}

/* ---- Shares of several owners, which add up to the noise of a sum ---- */

/* t = sensitivity / epsilon of all shares together, exactly: no rounding. */
bool hr_shared_laplace_scale(hr_release *release, hr_privacy_measure privacy_measure) {
    bool scaled = hr_laplace_scale(release, privacy_measure);
    release->mechanism = HR_MECHANISM_SHARED_DISCRETE_LAPLACE;
    return scaled && hr_shares_fit(release);
}

bool hr_shared_laplace_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    return hr_shares_fit(release) && hr_laplace_covers(release, privacy_measure);
}

/* A Polya variable of shape 1/shares: of a geometric number of elements, those in the cycles of a random
 * permutation that one of `shares` equally likely owners gets. */
static hr_u128 draw_polya(hr_csprng *csprng, const hr_release *release) {
    hr_u128 left = hr_geometric(csprng, release->scale_num, release->scale_den), taken = 0;
    while (left) {
        hr_u128 cycle = 1 + hr_uniform_wide(csprng, left);
        if (hr_uniform(csprng, release->shares) == 0) taken += cycle;
        left -= cycle;
    }
    return taken;
}

uint64_t hr_shared_laplace_draw(hr_csprng *csprng, const hr_release *release) {
    hr_u128 up = draw_polya(csprng, release), down = draw_polya(csprng, release);
    return (uint64_t)(up - down);
}
