/* The exponential mechanism over integer scores: which split, which cut. A node of a tree has thousands of
 * candidates, most of them hopeless; proposals therefore come from a law close to the wanted one, in powers
 * of two that integers draw exactly. */
#include "privacy/buckets.h"
#include "privacy/mechanisms.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The largest e with e^2 <= x. */
static uint64_t exponential_square_root(hr_u128 x) {
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 63; bit; bit >>= 1)
        if ((hr_u128)(root | bit) * (root | bit) <= x) root |= bit;
    return root;
}

/* In a GDP gate: the square of the epsilon that the cost pays for, in units^2. By itself a choice costs
 * pi/8 epsilon^2, where pi/8 < 355/904. Before releases that may cost `rest` in all it costs v with
 * 1/v + 1/rest = 4/epsilon^2, if v is at most rest, and at most 6. */
static hr_u128 affordable_square_gdp(hr_units cost, hr_units rest) {
    hr_u128 alone = ((hr_u128)cost << 40) * 904 / 355;
    if (cost >= rest || cost > 6 * HR_UNIT) return alone;
    hr_u128 sum = (hr_u128)rest + cost;
    hr_u128 before = ((hr_u128)cost << 42) - (((hr_u128)cost * cost << 42) + sum - 1) / sum;
    return before > alone ? before : alone;
}

/* Epsilon that the cost pays for: a mechanism of bounded range epsilon is epsilon^2/8-zCDP. */
static hr_units affordable_epsilon(const hr_release *release, hr_privacy_measure privacy_measure) {
    switch (privacy_measure) {
    case HR_PRIVACY_ZCDP: return exponential_square_root((hr_u128)release->cost << 43);
    case HR_PRIVACY_GDP: return exponential_square_root(affordable_square_gdp(release->cost, release->rest));
    case HR_PRIVACY_PURE: return release->cost;
    case HR_PRIVACY_NONE: break;
    }
    return 0;
}

bool hr_exponential_scale(hr_release *release, hr_privacy_measure privacy_measure) {
    if (!release->sensitivity || release->sensitivity > HR_WIDTH_MAX) return false;
    int k = 40; /* the scale is (epsilon / 2^(40-k)) / (width * 2^k): low bits of epsilon go if the width
                   needs the room */
    while (release->sensitivity >> (64 - k)) k--;
    release->mechanism = HR_MECHANISM_EXPONENTIAL;
    release->scale_num = affordable_epsilon(release, privacy_measure) >> (40 - k);
    release->scale_den = release->sensitivity << k;
    return hr_exponential_covers(release, privacy_measure);
}

bool hr_exponential_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    uint64_t num = release->scale_num, den = release->scale_den, width = release->sensitivity;
    if (!num || !den || !width || width > HR_WIDTH_MAX || den % width || release->cost > HR_UNITS_MAX)
        return false;
    uint64_t part = den / width;
    if (part & (part - 1) || part > HR_UNIT) return false;
    hr_u128 epsilon = (hr_u128)num * (HR_UNIT / part);
    return epsilon <= HR_UNITS_MAX && epsilon <= affordable_epsilon(release, privacy_measure);
}

/* A bucket j with probability proportional to sizes[j] 2^-j. */
static unsigned propose_bucket(hr_csprng *csprng, const uint64_t sizes[HR_BUCKETS]) {
    hr_u128 total = 0;
    for (unsigned j = 0; j < HR_BUCKETS; j++) total += (hr_u128)sizes[j] << (HR_LAST_BUCKET - j);
    hr_u128 at = hr_uniform_wide(csprng, total);
    unsigned j = 0;
    for (; at >= (hr_u128)sizes[j] << (HR_LAST_BUCKET - j); j++)
        at -= (hr_u128)sizes[j] << (HR_LAST_BUCKET - j);
    return j;
}

/* A bucket j with probability proportional to sizes[j] e^-j = sizes[j] 2^-j (2/e)^j. */
static unsigned draw_bucket(hr_csprng *csprng, const uint64_t sizes[HR_BUCKETS]) {
    for (;;) {
        unsigned j = propose_bucket(csprng, sizes);
        if (hr_bucket_passes(csprng, j)) return j;
    }
}

static size_t find_exponential_member(const hr_buckets *b, const hr_exact *scores, unsigned bucket,
                                      uint64_t rank) {
    size_t i = 0;
    while (hr_bucket_of(b, scores[i]) != bucket || rank--) i++;
    return i;
}

/* A point between 0 and the sum of weights e^-gamma, and the candidate whose part of the sum it falls in. */
size_t hr_exponential_choose_weighted(hr_csprng *csprng, const hr_release *release, const hr_exact *scores,
                                      const double *weights, size_t count) {
    const double scale = (double)release->scale_num / (double)release->scale_den;
    int64_t best = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0 && scores[i].unpaid > best) best = scores[i].unpaid;
    double total = 0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] > 0) total += weights[i] * exp(-scale * (double)(best - scores[i].unpaid));
    double at = total * ((double)(hr_csprng_u64(csprng) >> 11) * 0x1p-53);
    size_t chosen = 0;
    for (size_t i = 0; i < count && at >= 0; i++) {
        if (!(weights[i] > 0)) continue;
        chosen = i;
        at -= weights[i] * exp(-scale * (double)(best - scores[i].unpaid));
    }
    return chosen;
}

size_t hr_exponential_choose(hr_csprng *csprng, const hr_release *release, hr_exact *scores, size_t count) {
    const uint64_t num = release->scale_num, den = release->scale_den;
    assert(count >= 1 && num >= 1 && num <= HR_UNITS_MAX && den >= 1);
    hr_buckets b = hr_buckets_of(scores, count, num, den);
    uint64_t sizes[HR_BUCKETS] = {0};
    for (size_t i = 0; i < count; i++) sizes[hr_bucket_of(&b, scores[i])]++;
    for (;;) {
        unsigned j = draw_bucket(csprng, sizes);
        size_t i = find_exponential_member(&b, scores, j, hr_uniform(csprng, sizes[j]));
        if (hr_bucket_rest(&b, csprng, scores[i], j)) return i;
    }
}
