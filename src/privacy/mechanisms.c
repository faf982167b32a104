/* The table of mechanisms. */
#include "privacy/mechanisms.h"

static bool scale_identity(hr_release *release, hr_privacy_measure privacy_measure) {
    release->mechanism = HR_MECHANISM_IDENTITY;
    return privacy_measure == HR_PRIVACY_NONE;
}

static bool identity_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    (void)release;
    return privacy_measure == HR_PRIVACY_NONE;
}

static int64_t add_nothing(hr_csprng *csprng, const hr_release *release, int64_t exact) {
    (void)csprng;
    (void)release;
    return exact;
}

static uint64_t share_nothing(hr_csprng *csprng, const hr_release *release) {
    (void)csprng;
    (void)release;
    return 0;
}

static size_t first_of_largest(hr_csprng *csprng, const hr_release *release, hr_exact *scores, size_t count) {
    size_t best = 0;
    (void)csprng;
    (void)release;
    for (size_t i = 1; i < count; i++)
        if (scores[i].unpaid > scores[best].unpaid) best = i;
    return best;
}

#define SUM_MAX ((int64_t)1 << 61)

static int64_t mechanisms_clamp(int64_t x) {
    return x > SUM_MAX ? SUM_MAX : x < -SUM_MAX ? -SUM_MAX : x;
}

static int64_t add_laplace(hr_csprng *csprng, const hr_release *release, int64_t exact) {
    return mechanisms_clamp(mechanisms_clamp(exact) +
                            hr_discrete_laplace(csprng, release->scale_num, release->scale_den));
}

static int64_t add_gaussian(hr_csprng *csprng, const hr_release *release, int64_t exact) {
    return mechanisms_clamp(mechanisms_clamp(exact) +
                            hr_discrete_gaussian(csprng, release->scale_num, release->scale_den));
}

static size_t choose_exponential(hr_csprng *csprng, const hr_release *release, hr_exact *scores,
                                 size_t count) {
    return hr_exponential_choose(csprng, scores, count, release->scale_num, release->scale_den);
}

static size_t choose_permute_and_flip(hr_csprng *csprng, const hr_release *release, hr_exact *scores,
                                      size_t count) {
    return hr_permute_and_flip_choose(csprng, scores, count, release->scale_num, release->scale_den);
}

static const hr_mechanism_info table[] = {
    [HR_MECHANISM_IDENTITY] = {"identity", scale_identity, identity_covers, add_nothing, first_of_largest,
                               share_nothing},
    [HR_MECHANISM_DISCRETE_LAPLACE] = {"discrete laplace", hr_laplace_scale, hr_laplace_covers, add_laplace,
                                       NULL, NULL},
    [HR_MECHANISM_DISCRETE_GAUSSIAN] = {"discrete gaussian", hr_gaussian_scale, hr_gaussian_covers,
                                        add_gaussian, NULL, NULL},
    [HR_MECHANISM_EXPONENTIAL] = {"exponential", hr_exponential_scale, hr_exponential_covers, NULL,
                                  choose_exponential, NULL},
    [HR_MECHANISM_PERMUTE_AND_FLIP] = {"permute-and-flip", hr_permute_and_flip_scale,
                                       hr_permute_and_flip_covers, NULL, choose_permute_and_flip, NULL},
    [HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN] = {"shared discrete gaussian", hr_shared_gaussian_scale,
                                               hr_shared_gaussian_covers, NULL, NULL,
                                               hr_shared_gaussian_draw},
    [HR_MECHANISM_SHARED_DISCRETE_LAPLACE] = {"shared discrete laplace", hr_shared_laplace_scale,
                                              hr_shared_laplace_covers, NULL, NULL, hr_shared_laplace_draw},
};

const hr_mechanism_info *hr_mechanism_info_of(uint32_t mechanism) {
    return mechanism < sizeof table / sizeof *table ? &table[mechanism] : NULL;
}

bool hr_shares_fit(const hr_release *release) {
    bool shared = release->mechanism == HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN ||
                  release->mechanism == HR_MECHANISM_SHARED_DISCRETE_LAPLACE;
    return shared ? release->shares >= 1 && release->shares <= HR_SHARES_MAX : !release->shares;
}

const char *hr_mechanism_text(hr_mechanism mechanism) {
    const hr_mechanism_info *info = hr_mechanism_info_of(mechanism);
    return info ? info->name : "unknown";
}
