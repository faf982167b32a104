/* The mechanisms as the gate and the accountant see them: how sensitivity and cost become a scale, whether a
 * line's scale justifies its cost, and the draw. One file and one proof each. */
#ifndef HR_PRIVACY_MECHANISMS_H
#define HR_PRIVACY_MECHANISMS_H

#include "privacy/accountant.h"
#include "privacy/exact.h"
#include "privacy/sample.h"

#include <stdbool.h>

/* Sensitivities of sums, and widths of scores. */
#define HR_SENSITIVITY_MAX ((uint64_t)1 << 22)
#define HR_WIDTH_MAX ((uint64_t)1 << 60)

/* Noise of several owners that adds up: over how many it is shared out, and what variance a share of discrete
 * Gaussian noise has at least (gaussian.proof.md). */
enum { HR_SHARES_MAX = 256, HR_SHARE_VARIANCE_MIN = 12 };

/* What the gate, the accountant and the formats know of a mechanism. A new mechanism is a file, a proof and a
 * row of the table. */
typedef struct hr_mechanism_info {
    const char *name; /* in model files */
    /* The scale that `release->cost` pays for at `release->sensitivity`, rounded to the private side. False:
     * too little is paid for noise that the samplers can draw, or the privacy measure is none of the
     * mechanism's. */
    bool (*set_scale)(hr_release *release, hr_privacy_measure privacy_measure);
    /* Whether scale and sensitivity of any line, however it came about, are within the ranges and cost no
     * more than it says. */
    bool (*covers)(const hr_release *release, hr_privacy_measure privacy_measure);
    /* One of these: a sum with noise (of any integer; within +-2^61 unless nothing is added); a choice by
     * scores, which it overwrites; an owner's share of the noise of a sum, modulo 2^64. NULL: nothing of this
     * kind is released. */
    int64_t (*add_noise)(hr_csprng *csprng, const hr_release *release, int64_t exact);
    size_t (*choose)(hr_csprng *csprng, const hr_release *release, hr_exact *scores, size_t count);
    uint64_t (*draw_share)(hr_csprng *csprng, const hr_release *release);
} hr_mechanism_info;

/* NULL if there is none of that number. */
const hr_mechanism_info *hr_mechanism_info_of(uint32_t mechanism);

/* Whether the line has shares of noise, 1 to HR_SHARES_MAX, just where its mechanism is one of shared noise.
 */
bool hr_shares_fit(const hr_release *release);

HR_MUST_CHECK bool hr_laplace_scale(hr_release *release, hr_privacy_measure privacy_measure);
HR_MUST_CHECK bool hr_gaussian_scale(hr_release *release, hr_privacy_measure privacy_measure);
HR_MUST_CHECK bool hr_exponential_scale(hr_release *release, hr_privacy_measure privacy_measure);
HR_MUST_CHECK bool hr_permute_and_flip_scale(hr_release *release, hr_privacy_measure privacy_measure);
HR_MUST_CHECK bool hr_shared_gaussian_scale(hr_release *release, hr_privacy_measure privacy_measure);
HR_MUST_CHECK bool hr_shared_laplace_scale(hr_release *release, hr_privacy_measure privacy_measure);

bool hr_laplace_covers(const hr_release *release, hr_privacy_measure privacy_measure);
bool hr_gaussian_covers(const hr_release *release, hr_privacy_measure privacy_measure);
bool hr_exponential_covers(const hr_release *release, hr_privacy_measure privacy_measure);
bool hr_permute_and_flip_covers(const hr_release *release, hr_privacy_measure privacy_measure);
bool hr_shared_gaussian_covers(const hr_release *release, hr_privacy_measure privacy_measure);
bool hr_shared_laplace_covers(const hr_release *release, hr_privacy_measure privacy_measure);

/* One owner's share of the noise of a sum, of which `release->shares` add up to what its cost pays for. */
uint64_t hr_shared_gaussian_draw(hr_csprng *csprng, const hr_release *release);
uint64_t hr_shared_laplace_draw(hr_csprng *csprng, const hr_release *release);

/* Pr(r) proportional to exp(scores[r] num/den); count >= 1, |score| < 2^62, num <= 2^60, den >= 1. */
size_t hr_exponential_choose(hr_csprng *csprng, const hr_exact *scores, size_t count, uint64_t num,
                             uint64_t den);

/* In a random order each r is taken with probability exp(-(largest score - scores[r]) num/den); the first
 * that is. Same ranges; scores are overwritten. Pure epsilon only: its range is not bounded as zCDP and GDP
 * want it. */
size_t hr_permute_and_flip_choose(hr_csprng *csprng, hr_exact *scores, size_t count, uint64_t num,
                                  uint64_t den);

#endif
