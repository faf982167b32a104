/* Exact samplers: every probability below is met exactly, given uniform bits (laplace.proof.md; Canonne,
 * Kamath, Steinke 2020). Integer arithmetic only; loops end with probability 1. */
#ifndef HR_PRIVACY_SAMPLE_H
#define HR_PRIVACY_SAMPLE_H

#include "privacy/crypto/csprng.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 hr_u128;
__extension__ typedef __int128 hr_i128;

/* Noise beyond is returned as +-HR_NOISE_MAX. A sum of it and a value within +-2^61, clamped to +-2^61, is
 * what it would be without this end: so nothing of the law is lost (laplace.proof.md). */
#define HR_NOISE_MAX ((int64_t)1 << 62)

/* What noise is added to, and what comes out, is cut off at +-2^61. */
int64_t hr_clamp_sum(int64_t sum);

/* Uniform on 0..m-1; m >= 1. */
uint64_t hr_uniform(hr_csprng *csprng, uint64_t m);
hr_u128 hr_uniform_wide(hr_csprng *csprng, hr_u128 m);
/* Reorders `count` items so that the first `wanted` are a uniform draw without replacement. */
void hr_draw_items(hr_csprng *csprng, uint32_t *items, size_t count, size_t wanted);

/* True with probability a/b; a <= b, b >= 1. */
bool hr_bernoulli(hr_csprng *csprng, hr_u128 a, hr_u128 b);

/* True with probability exp(-a/b); 1 <= b < 2^120, a < 2^127. */
bool hr_bernoulli_exp(hr_csprng *csprng, hr_u128 a, hr_u128 b);

/* True with probability 2/e. */
bool hr_bernoulli_two_over_e(hr_csprng *csprng);

/* Pr(x) = (1 - q) q^x, x >= 0, q = exp(-u/s). 1 <= s, u < 2^63. Below 2^127. */
hr_u128 hr_geometric(hr_csprng *csprng, uint64_t s, uint64_t u);

/* Pr(x) proportional to exp(-|x| u/s): scale t = s/u. 1 <= s, u < 2^63, t < 2^50. */
int64_t hr_discrete_laplace(hr_csprng *csprng, uint64_t s, uint64_t u);

/* Pr(x) proportional to exp(-x^2 / (2 num/den)). 1 <= num < 2^63, 1 <= den <= 2^16, num/den <= 2^60. */
int64_t hr_discrete_gaussian(hr_csprng *csprng, uint64_t num, uint64_t den);

/* Pr(i) = weights[i] / sum of weights; the sum is >= 1 and fits in 64 bits. */
size_t hr_categorical(hr_csprng *csprng, const uint64_t *weights, size_t count);

#endif
