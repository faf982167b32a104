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

enum {
    NONE = 1 << HR_PRIVACY_NONE,
    PURE = 1 << HR_PRIVACY_PURE,
    ZCDP = 1 << HR_PRIVACY_ZCDP,
    GDP = 1 << HR_PRIVACY_GDP
};

static const hr_mechanism_info table[] = {
    [HR_MECHANISM_IDENTITY] = {.name = "identity",
                               .measures = {[HR_RELEASE_SUMS] = NONE,
                                            [HR_RELEASE_CHOICE] = NONE,
                                            [HR_RELEASE_PUBLISHED_CHOICE] = NONE,
                                            [HR_RELEASE_SHARE] = NONE},
                               .exact = true,
                               .set_scale = scale_identity,
                               .covers = identity_covers,
                               .add_noise = add_nothing,
                               .choose = first_of_largest,
                               .draw_share = share_nothing},
    [HR_MECHANISM_DISCRETE_LAPLACE] = {.name = "discrete laplace",
                                       .measures = {[HR_RELEASE_SUMS] = PURE},
                                       .set_scale = hr_laplace_scale,
                                       .covers = hr_laplace_covers,
                                       .add_noise = hr_laplace_add},
    [HR_MECHANISM_DISCRETE_GAUSSIAN] = {.name = "discrete gaussian",
                                        .measures = {[HR_RELEASE_SUMS] = ZCDP | GDP},
                                        .set_scale = hr_gaussian_scale,
                                        .covers = hr_gaussian_covers,
                                        .add_noise = hr_gaussian_add},
    [HR_MECHANISM_EXPONENTIAL] =
        {.name = "exponential",
         .measures = {[HR_RELEASE_CHOICE] = ZCDP | GDP, [HR_RELEASE_PUBLISHED_CHOICE] = PURE | ZCDP | GDP},
         .set_scale = hr_exponential_scale,
         .covers = hr_exponential_covers,
         .choose = hr_exponential_choose,
         .choose_weighted = hr_exponential_choose_weighted},
    [HR_MECHANISM_PERMUTE_AND_FLIP] = {.name = "permute-and-flip",
                                       .measures = {[HR_RELEASE_CHOICE] = PURE},
                                       .set_scale = hr_permute_and_flip_scale,
                                       .covers = hr_permute_and_flip_covers,
                                       .choose = hr_permute_and_flip_choose},
    /* In zCDP its scale refuses every line: no noise in shares is proved there. */
    [HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN] = {.name = "shared discrete gaussian",
                                               .measures = {[HR_RELEASE_SHARE] = ZCDP | GDP},
                                               .shared = true,
                                               .share_scale_min = HR_SHARE_VARIANCE_MIN,
                                               .set_scale = hr_shared_gaussian_scale,
                                               .covers = hr_shared_gaussian_covers,
                                               .draw_share = hr_shared_gaussian_draw,
                                               .cost_of_one_share = hr_shared_gaussian_cost_of_one},
    [HR_MECHANISM_SHARED_DISCRETE_LAPLACE] = {.name = "shared discrete laplace",
                                              .measures = {[HR_RELEASE_SHARE] = PURE},
                                              .shared = true,
                                              .set_scale = hr_shared_laplace_scale,
                                              .covers = hr_shared_laplace_covers,
                                              .draw_share = hr_shared_laplace_draw},
};

enum { MECHANISMS = sizeof table / sizeof *table };

const hr_mechanism_info *hr_mechanism_info_of(uint32_t mechanism) {
    return mechanism < MECHANISMS ? &table[mechanism] : NULL;
}

hr_mechanism hr_mechanism_for(hr_release_kind kind, hr_privacy_measure privacy_measure) {
    for (uint32_t m = 0; m < MECHANISMS; m++)
        if (table[m].measures[kind] >> privacy_measure & 1) return (hr_mechanism)m;
    return HR_MECHANISM_IDENTITY; /* which a gate with privacy refuses */
}

bool hr_mechanism_is_exact(uint32_t mechanism) {
    const hr_mechanism_info *info = hr_mechanism_info_of(mechanism);
    return info && info->exact;
}

bool hr_shares_fit(const hr_release *release) {
    const hr_mechanism_info *info = hr_mechanism_info_of(release->mechanism);
    return info && info->shared ? release->shares >= 1 && release->shares <= HR_SHARES_MAX : !release->shares;
}

const char *hr_mechanism_text(hr_mechanism mechanism) {
    const hr_mechanism_info *info = hr_mechanism_info_of(mechanism);
    return info ? info->name : "unknown";
}
