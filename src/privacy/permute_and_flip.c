/* Permute-and-flip over integer scores (McKenna and Sheldon 2020): under pure epsilon as private as the
 * exponential mechanism, and never worse. Most candidates are hopeless: how many of a bucket get past a first
 * coin is drawn for all of them at once, and only those are visited, whichever they are. */
#include "privacy/buckets.h"
#include "privacy/mechanisms.h"

#include <assert.h>

/* The same arithmetic as for the exponential mechanism under pure epsilon: e = scale * width <= cost. */
bool hr_permute_and_flip_scale(hr_release *release, hr_privacy_measure privacy_measure) {
    bool covered = privacy_measure == HR_PRIVACY_PURE && hr_exponential_scale(release, HR_PRIVACY_PURE);
    release->mechanism = HR_MECHANISM_PERMUTE_AND_FLIP;
    return covered;
}

bool hr_permute_and_flip_covers(const hr_release *release, hr_privacy_measure privacy_measure) {
    return privacy_measure == HR_PRIVACY_PURE && hr_exponential_covers(release, HR_PRIVACY_PURE);
}

/* The score of a candidate that was not taken; others are above. */
#define VISITED INT64_MIN

/* How many of n fair coins show heads. */
static uint64_t heads(hr_csprng *csprng, uint64_t n) {
    uint64_t sum = 0;
    for (; n >= 64; n -= 64) sum += (uint64_t)__builtin_popcountll(hr_csprng_u64(csprng));
    return n ? sum + (uint64_t)__builtin_popcountll(hr_csprng_u64(csprng) >> (64 - n)) : sum;
}

/* How many of n coins show heads whose probability is e^-bucket = 2^-bucket (2/e)^bucket. */
static uint64_t draw_pool(hr_csprng *csprng, uint64_t n, unsigned bucket) {
    for (unsigned halvings = 0; halvings < bucket && n; halvings++) n = heads(csprng, n);
    uint64_t pool = 0;
    for (; n; n--) pool += hr_bucket_passes(csprng, bucket);
    return pool;
}

static size_t find_flip_member(const hr_buckets *b, const hr_exact *scores, unsigned bucket, uint64_t rank) {
    size_t i = 0;
    while (scores[i].unpaid == VISITED || hr_bucket_of(b, scores[i]) != bucket || rank--) i++;
    return i;
}

size_t hr_permute_and_flip_choose(hr_csprng *csprng, const hr_release *release, hr_exact *scores,
                                  size_t count) {
    const uint64_t num = release->scale_num, den = release->scale_den;
    assert(count >= 1 && num >= 1 && num <= HR_UNITS_MAX && den >= 1);
    hr_buckets b = hr_buckets_of(scores, count, num, den);
    uint64_t sizes[HR_BUCKETS] = {0}, pools[HR_BUCKETS];
    for (size_t i = 0; i < count; i++) sizes[hr_bucket_of(&b, scores[i])]++;
    for (unsigned j = 0; j < HR_BUCKETS; j++) pools[j] = draw_pool(csprng, sizes[j], j);
    for (;;) {
        unsigned j = (unsigned)hr_categorical(csprng, pools, HR_BUCKETS);
        size_t i = find_flip_member(&b, scores, j, hr_uniform(csprng, sizes[j]));
        if (hr_bucket_rest(&b, csprng, scores[i], j)) return i;
        scores[i].unpaid = VISITED;
        pools[j]--;
        sizes[j]--;
    }
}
