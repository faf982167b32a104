/* How far candidates are behind the best one, in whole steps of e: what the mechanisms that choose start
 * from, since most candidates are hopeless. For a scale num/den, gamma = (best score - score) num/den; a
 * candidate of bucket j has gamma >= j. */
#ifndef HR_PRIVACY_BUCKETS_H
#define HR_PRIVACY_BUCKETS_H

#include "privacy/exact.h"
#include "privacy/sample.h"

enum { HR_BUCKETS = 61, HR_LAST_BUCKET = HR_BUCKETS - 1 };

typedef struct hr_buckets {
    int64_t best;
    uint64_t num, den;
    uint64_t far;   /* from this distance on gamma >= HR_LAST_BUCKET */
    hr_u128 factor; /* floor(2^64 num/den) */
} hr_buckets;

/* count >= 1, |score| < 2^62, 1 <= num <= 2^60, den >= 1. */
static inline hr_buckets hr_buckets_of(const hr_exact *scores, size_t count, uint64_t num, uint64_t den) {
    int64_t best = scores[0].unpaid;
    for (size_t i = 1; i < count; i++) best = scores[i].unpaid > best ? scores[i].unpaid : best;
    hr_u128 far = ((hr_u128)HR_LAST_BUCKET * den + num - 1) / num;
    return (hr_buckets){best, num, den, far >> 64 ? UINT64_MAX : (uint64_t)far, ((hr_u128)num << 64) / den};
}

static inline uint64_t hr_bucket_distance(const hr_buckets *b, hr_exact score) {
    return (uint64_t)b->best - (uint64_t)score.unpaid;
}

/* floor(distance * factor / 2^64) <= gamma. */
static inline unsigned hr_bucket_of(const hr_buckets *b, hr_exact score) {
    uint64_t distance = hr_bucket_distance(b, score);
    return distance >= b->far ? HR_LAST_BUCKET : (unsigned)(b->factor * distance >> 64);
}

/* True with probability (2/e)^bucket. */
static inline bool hr_bucket_passes(hr_csprng *csprng, unsigned bucket) {
    unsigned passed = 0;
    while (passed < bucket && hr_bernoulli_two_over_e(csprng)) passed++;
    return passed == bucket;
}

/* True with probability exp(-(gamma - bucket)), for a score of this bucket. */
static inline bool hr_bucket_rest(const hr_buckets *b, hr_csprng *csprng, hr_exact score, unsigned bucket) {
    return hr_bernoulli_exp(csprng, (hr_u128)hr_bucket_distance(b, score) * b->num - (hr_u128)bucket * b->den,
                            b->den);
}

#endif
