/* The mechanisms as the gate and the accountant see them: how sensitivity and cost become a scale, whether a
 * line's scale justifies its cost, the draw, and where it is used. One file and one proof each; nothing else
 * names one of them. */
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

/* What a gate releases. */
typedef enum hr_release_kind {
    HR_RELEASE_SUMS,
    HR_RELEASE_CHOICE,
    HR_RELEASE_PUBLISHED_CHOICE, /* of a method that must do as published */
    HR_RELEASE_SHARE,            /* one owner's part of a sum over several owners */
    HR_RELEASE_KINDS
} hr_release_kind;

/* What the gate, the accountant and the formats know of a mechanism. A new mechanism is a file, a proof, a
 * number (hr_mechanism) and a row of the table. */
typedef struct hr_mechanism_info {
    const char *name; /* in model files */
    /* By kind: the privacy measures in which a gate releases by this mechanism, 1 << measure each. For each
     * kind and measure there is one mechanism; its scale may refuse the measure. */
    uint8_t measures[HR_RELEASE_KINDS];
    bool exact;               /* nothing is added, and nothing protected */
    bool shared;              /* the noise is that of several owners: a line has their number */
    uint64_t share_scale_min; /* of shared noise: nothing is proved of shares with less; 0: no least scale */
    /* The scale that `release->cost` pays for at `release->sensitivity`, rounded to the private side. False:
     * too little is paid for noise that the samplers can draw, or the privacy measure is none of the
     * mechanism's. */
    bool (*set_scale)(hr_release *release, hr_privacy_measure privacy_measure);
    /* Whether scale and sensitivity of any line, however it came about, are within the ranges and cost no
     * more than it says. */
    bool (*covers)(const hr_release *release, hr_privacy_measure privacy_measure);
    /* One of these: a sum with noise (of any integer; within +-2^61 unless nothing is added); a choice by
     * scores, which it overwrites; one of candidates that stand for several; an owner's share of the noise of
     * a sum, modulo 2^64. NULL: nothing of this kind is released. */
    int64_t (*add_noise)(hr_csprng *csprng, const hr_release *release, int64_t exact);
    size_t (*choose)(hr_csprng *csprng, const hr_release *release, hr_exact *scores, size_t count);
    size_t (*choose_weighted)(hr_csprng *csprng, const hr_release *release, const hr_exact *scores,
                              const double *weights, size_t count);
    uint64_t (*draw_share)(hr_csprng *csprng, const hr_release *release);
    /* Of shared noise: what a line costs if one share alone counts; at most HR_UNITS_MAX. NULL: one share
     * protects nothing. */
    hr_units (*cost_of_one_share)(const hr_release *release);
} hr_mechanism_info;

/* NULL if there is none of that number. */
const hr_mechanism_info *hr_mechanism_info_of(uint32_t mechanism);

/* The mechanism by which a gate of that privacy measure releases. */
hr_mechanism hr_mechanism_for(hr_release_kind kind, hr_privacy_measure privacy_measure);

/* Whether it is a mechanism that adds nothing. */
bool hr_mechanism_is_exact(uint32_t mechanism);

/* Whether the line has shares of noise, 1 to HR_SHARES_MAX, just where its mechanism is one of shared noise.
 */
bool hr_shares_fit(const hr_release *release);

/* ---- Their functions: for the table, and for mechanisms that are made of others ---- */

HR_MUST_CHECK bool hr_laplace_scale(hr_release *release, hr_privacy_measure privacy_measure);
bool hr_laplace_covers(const hr_release *release, hr_privacy_measure privacy_measure);
int64_t hr_laplace_add(hr_csprng *csprng, const hr_release *release, int64_t exact);

HR_MUST_CHECK bool hr_shared_laplace_scale(hr_release *release, hr_privacy_measure privacy_measure);
bool hr_shared_laplace_covers(const hr_release *release, hr_privacy_measure privacy_measure);
uint64_t hr_shared_laplace_draw(hr_csprng *csprng, const hr_release *release);

HR_MUST_CHECK bool hr_gaussian_scale(hr_release *release, hr_privacy_measure privacy_measure);
bool hr_gaussian_covers(const hr_release *release, hr_privacy_measure privacy_measure);
int64_t hr_gaussian_add(hr_csprng *csprng, const hr_release *release, int64_t exact);

HR_MUST_CHECK bool hr_shared_gaussian_scale(hr_release *release, hr_privacy_measure privacy_measure);
bool hr_shared_gaussian_covers(const hr_release *release, hr_privacy_measure privacy_measure);
uint64_t hr_shared_gaussian_draw(hr_csprng *csprng, const hr_release *release);
hr_units hr_shared_gaussian_cost_of_one(const hr_release *release);

HR_MUST_CHECK bool hr_exponential_scale(hr_release *release, hr_privacy_measure privacy_measure);
bool hr_exponential_covers(const hr_release *release, hr_privacy_measure privacy_measure);
/* Pr(r) proportional to exp(scores[r] num/den), num/den the line's scale; count >= 1, |score| < 2^62, num <=
 * 2^60, den >= 1. */
size_t hr_exponential_choose(hr_csprng *csprng, const hr_release *release, hr_exact *scores, size_t count);
/* Pr(r) proportional to weights[r] exp(scores[r] num/den), by floating point, good to 1e-12: for modes that
 * are not private. weights >= 0, their sum positive and finite. */
size_t hr_exponential_choose_weighted(hr_csprng *csprng, const hr_release *release, const hr_exact *scores,
                                      const double *weights, size_t count);

HR_MUST_CHECK bool hr_permute_and_flip_scale(hr_release *release, hr_privacy_measure privacy_measure);
bool hr_permute_and_flip_covers(const hr_release *release, hr_privacy_measure privacy_measure);
/* In a random order each r is taken with probability exp(-(largest score - scores[r]) num/den); the first
 * that is. Same ranges; scores are overwritten. Pure epsilon only: its range is not bounded as zCDP and GDP
 * want it. */
size_t hr_permute_and_flip_choose(hr_csprng *csprng, const hr_release *release, hr_exact *scores,
                                  size_t count);

#endif
