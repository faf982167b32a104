/* Noise that is drawn with floating-point numbers betrays the data through its low-order bits. These samplers
 * compute with integers alone, so the guarantee proved on paper is the one that the machine gives. */
#include "privacy/sample.h"

#include <assert.h>

uint64_t hr_uniform(hr_csprng *csprng, uint64_t m) {
    assert(m >= 1);
    if (m == 1) return 0;
    /* The high word of x * m is uniform on 0..m-1 if the low words are counted in whole rounds of m: the
     * first 2^64 mod m low words are left out. */
    hr_u128 product = (hr_u128)hr_csprng_u64(csprng) * m;
    if ((uint64_t)product < m) {
        uint64_t left_out = (0 - m) % m;
        while ((uint64_t)product < left_out) product = (hr_u128)hr_csprng_u64(csprng) * m;
    }
    return (uint64_t)(product >> 64);
}

hr_u128 hr_uniform_wide(hr_csprng *csprng, hr_u128 m) {
    if (m >> 64 == 0) return hr_uniform(csprng, (uint64_t)m);
    uint64_t mask = UINT64_MAX >> __builtin_clzll((uint64_t)(m >> 64));
    for (;;) {
        hr_u128 x = (hr_u128)(hr_csprng_u64(csprng) & mask) << 64 | hr_csprng_u64(csprng);
        if (x < m) return x;
    }
}

void hr_draw_items(hr_csprng *csprng, uint32_t *items, size_t count, size_t wanted) {
    for (size_t k = 0; k < wanted; k++) {
        size_t other = k + hr_uniform(csprng, count - k);
        uint32_t swap = items[k];
        items[k] = items[other];
        items[other] = swap;
    }
}

bool hr_bernoulli(hr_csprng *csprng, hr_u128 a, hr_u128 b) {
    assert(b >= 1 && a <= b);
    return hr_uniform_wide(csprng, b) < a;
}

/* exp(-a/b) for a <= b, as the alternating series sum of (-a/b)^k / k!: after k-1 successes the next trial
 * succeeds with probability (a/b)/k, made of two trials so that no product can overflow. */
static bool bernoulli_exp_below_one(hr_csprng *csprng, hr_u128 a, hr_u128 b) {
    uint64_t k = 1;
    while (hr_uniform(csprng, k) == 0 && hr_bernoulli(csprng, a, b)) k++;
    return k & 1;
}

static bool bernoulli_one_over_e(hr_csprng *csprng) {
    uint64_t k = 2; /* the first trial of the series succeeds surely */
    while (hr_uniform(csprng, k) == 0) k++;
    return k & 1;
}

bool hr_bernoulli_exp(hr_csprng *csprng, hr_u128 a, hr_u128 b) {
    assert(b >= 1 && b >> 120 == 0 && a >> 127 == 0);
    for (; a > b; a -= b)
        if (!bernoulli_one_over_e(csprng)) return false;
    return bernoulli_exp_below_one(csprng, a, b);
}

bool hr_bernoulli_two_over_e(hr_csprng *csprng) {
    uint64_t k = 1; /* 2/e = 1 - 1/3 + 1/(3*4) - 1/(3*4*5) + ... */
    while (hr_uniform(csprng, k + 2) == 0) k++;
    return k & 1;
}

typedef struct wide_int {
    bool negative;
    hr_u128 size;
} wide_int;

static int64_t saturate(wide_int x) {
    int64_t size = x.size < HR_NOISE_MAX ? (int64_t)x.size : HR_NOISE_MAX;
    return x.negative ? -size : size;
}

hr_u128 hr_geometric(hr_csprng *csprng, uint64_t s, uint64_t u) {
    assert(s >= 1 && u >= 1 && s >> 63 == 0 && u >> 63 == 0);
    uint64_t part = hr_uniform(csprng, s), whole = 0;
    while (!hr_bernoulli_exp(csprng, part, s)) part = hr_uniform(csprng, s);
    while (bernoulli_one_over_e(csprng)) whole++;
    return ((hr_u128)s * whole + part) / u;
}

static wide_int draw_laplace(hr_csprng *csprng, uint64_t s, uint64_t u) {
    for (;;) {
        hr_u128 size = hr_geometric(csprng, s, u);
        wide_int x = {hr_csprng_u64(csprng) & 1, size};
        if (!x.negative || x.size) return x; /* else 0 would come with both signs */
    }
}

int64_t hr_discrete_laplace(hr_csprng *csprng, uint64_t s, uint64_t u) {
    assert(s >= 1 && u >= 1 && s >> 63 == 0 && u >> 63 == 0 && s / u < (uint64_t)1 << 50);
    return saturate(draw_laplace(csprng, s, u));
}

/* The largest r with r * r <= x; x <= 2^60. */
static uint64_t integer_square_root(uint64_t x) {
    uint64_t r = 0;
    for (uint64_t bit = (uint64_t)1 << 30; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= x) r |= bit;
    return r;
}

/* True with probability exp(-d^2 a/b); a <= 2^16, b < 2^120, d < 2^100. */
static bool bernoulli_exp_square(hr_csprng *csprng, hr_u128 d, hr_u128 a, hr_u128 b) {
    if (d >> 55 == 0) return hr_bernoulli_exp(csprng, d * d * a, b);
    for (hr_u128 i = 0; i < d; i++)
        if (!hr_bernoulli_exp(csprng, d * a, b)) return false;
    return true;
}

/* A discrete Laplace y of scale t, accepted with probability exp(-(|y| - sigma^2/t)^2 / (2 sigma^2)), has
 * probability proportional to exp(-y^2 / (2 sigma^2)), whatever t is. */
static wide_int draw_gaussian_above_one(hr_csprng *csprng, uint64_t num, uint64_t den) {
    uint64_t m =
        integer_square_root(num / den); /* t = sigma^2/m, near sigma, keeps the products below 2^127 */
    for (;;) {
        wide_int y = draw_laplace(csprng, num, den * m);
        hr_u128 d = y.size > m ? y.size - m : m - y.size;
        if (bernoulli_exp_square(csprng, d, den, (hr_u128)2 * num)) return y;
    }
}

static wide_int draw_gaussian_below_one(hr_csprng *csprng, uint64_t num, uint64_t den) {
    for (;;) {
        wide_int y = draw_laplace(csprng, 1, 1); /* t = 1 */
        hr_u128 scaled = y.size * den;
        hr_u128 d = scaled > num ? scaled - num : num - scaled;
        if (bernoulli_exp_square(csprng, d, 1, (hr_u128)2 * num * den)) return y;
    }
}

int64_t hr_discrete_gaussian(hr_csprng *csprng, uint64_t num, uint64_t den) {
    assert(num >= 1 && num >> 63 == 0 && den >= 1 && den <= 1 << 16 && num / den <= (uint64_t)1 << 60);
    return saturate(num >= den ? draw_gaussian_above_one(csprng, num, den)
                               : draw_gaussian_below_one(csprng, num, den));
}

int64_t hr_clamp_sum(int64_t sum) {
    const int64_t max = (int64_t)1 << 61;
    return sum > max ? max : sum < -max ? -max : sum;
}

size_t hr_categorical(hr_csprng *csprng, const uint64_t *weights, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += weights[i];
    assert(sum >= 1);
    uint64_t at = hr_uniform(csprng, sum);
    size_t i = 0;
    while (at >= weights[i]) at -= weights[i++];
    return i;
}
