/* Discrete Laplace noise that several owners add to a sum, a share each: pure epsilon. */
#include "privacy/mechanisms.h"

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
