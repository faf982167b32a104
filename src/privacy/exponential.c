/* The exponential mechanism over integer scores: which split, which cut. A node of a tree has thousands of candidates, most of
 * them hopeless; proposals therefore come from a law close to the wanted one, in powers of two that integers draw exactly. */
#include "privacy/mechanisms.h"

#include <assert.h>
#include <string.h>

/* The largest e with e^2 <= x. */
static uint64_t square_root(hr_u128 x) {
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 63; bit; bit >>= 1)
        if ((hr_u128)(root | bit) * (root | bit) <= x) root |= bit;
    return root;
}

/* Epsilon that the cost pays for: a mechanism of bounded range epsilon is epsilon^2/8-zCDP, and sqrt(pi/8) epsilon-GDP, where
 * pi/8 < 355/904. */
static hr_units affordable_epsilon(hr_units cost, hr_currency currency) {
    switch (currency) {
    case HR_ZCDP: return square_root((hr_u128)cost << 43);
    case HR_GDP: return square_root(((hr_u128)cost << 40) * 904 / 355);
    case HR_PURE: return cost;
    case HR_NO_PRIVACY: break;
    }
    return 0;
}

bool hr_exponential_scale(hr_release *release, hr_currency currency) {
    if (!release->sensitivity || release->sensitivity > HR_WIDTH_MAX) return false;
    int k = 40; /* the scale is (epsilon / 2^(40-k)) / (width * 2^k): low bits of epsilon go if the width needs the room */
    while (release->sensitivity >> (64 - k)) k--;
    release->mechanism = HR_EXPONENTIAL;
    release->scale_num = affordable_epsilon(release->cost, currency) >> (40 - k);
    release->scale_den = release->sensitivity << k;
    return hr_exponential_covers(release, currency);
}

bool hr_exponential_covers(const hr_release *release, hr_currency currency) {
    uint64_t num = release->scale_num, den = release->scale_den, width = release->sensitivity;
    if (!num || !den || !width || width > HR_WIDTH_MAX || den % width || release->cost > HR_UNITS_MAX) return false;
    uint64_t part = den / width;
    if (part & (part - 1) || part > HR_UNIT) return false;
    hr_u128 epsilon = (hr_u128)num * (HR_UNIT / part);
    return epsilon <= HR_UNITS_MAX && epsilon <= affordable_epsilon(release->cost, currency);
}

/* Bucket j holds candidates whose gamma = (best - score) num/den is at least j. */
enum { BUCKETS = 61, LAST = BUCKETS - 1 };

typedef struct bucketing {
    int64_t best;
    uint64_t far;   /* from this distance on gamma >= LAST */
    hr_u128 factor; /* floor(2^64 num/den) */
} bucketing;

static bucketing make_bucketing(const hr_exact *scores, size_t count, uint64_t num, uint64_t den) {
    int64_t best = scores[0].unpaid;
    for (size_t i = 1; i < count; i++) best = scores[i].unpaid > best ? scores[i].unpaid : best;
    hr_u128 far = ((hr_u128)LAST * den + num - 1) / num;
    return (bucketing){best, far >> 64 ? UINT64_MAX : (uint64_t)far, ((hr_u128)num << 64) / den};
}

static inline uint64_t distance_of(const bucketing *b, hr_exact score) {
    return (uint64_t)b->best - (uint64_t)score.unpaid;
}

/* floor(distance * factor / 2^64) <= gamma. */
static inline unsigned bucket_of(const bucketing *b, hr_exact score) {
    uint64_t distance = distance_of(b, score);
    return distance >= b->far ? LAST : (unsigned)(b->factor * distance >> 64);
}

/* A bucket j with probability proportional to sizes[j] 2^-j. */
static unsigned propose_bucket(hr_stream *stream, const uint64_t sizes[BUCKETS]) {
    hr_u128 total = 0;
    for (unsigned j = 0; j < BUCKETS; j++) total += (hr_u128)sizes[j] << (LAST - j);
    hr_u128 at = hr_uniform_wide(stream, total);
    unsigned j = 0;
    for (; at >= (hr_u128)sizes[j] << (LAST - j); j++) at -= (hr_u128)sizes[j] << (LAST - j);
    return j;
}

/* A bucket j with probability proportional to sizes[j] e^-j = sizes[j] 2^-j (2/e)^j. */
static unsigned draw_bucket(hr_stream *stream, const uint64_t sizes[BUCKETS]) {
    for (;;) {
        unsigned j = propose_bucket(stream, sizes);
        unsigned passed = 0;
        while (passed < j && hr_bernoulli_two_over_e(stream)) passed++;
        if (passed == j) return j;
    }
}

static size_t find_member(const bucketing *b, const hr_exact *scores, unsigned bucket, uint64_t rank) {
    size_t i = 0;
    while (bucket_of(b, scores[i]) != bucket || rank--) i++;
    return i;
}

size_t hr_exponential_choose(hr_stream *stream, const hr_exact *scores, size_t count, uint64_t num, uint64_t den) {
    assert(count >= 1 && num >= 1 && num <= HR_UNITS_MAX && den >= 1);
    bucketing b = make_bucketing(scores, count, num, den);
    uint64_t sizes[BUCKETS] = {0};
    for (size_t i = 0; i < count; i++) sizes[bucket_of(&b, scores[i])]++;
    for (;;) {
        unsigned j = draw_bucket(stream, sizes);
        size_t i = find_member(&b, scores, j, hr_uniform(stream, sizes[j]));
        hr_u128 rest = (hr_u128)distance_of(&b, scores[i]) * num - (hr_u128)j * den; /* (gamma - j) den */
        if (hr_bernoulli_exp(stream, rest, den)) return i;
    }
}
