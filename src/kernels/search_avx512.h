/* Bins of numbers, eight at once, where the search has so few edges, at most three in a bucket, that
 * registers hold its tables. Gathers from memory, for more edges, are no faster than the loop. */
#ifndef HR_KERNELS_SEARCH_AVX512_H
#define HR_KERNELS_SEARCH_AVX512_H

#include "kernels/loops.h"

#ifdef __AVX512VBMI__
#include <immintrin.h>

enum {
    HR_NUMBER_LANES = 8,
    HR_BUCKET_LANES = 64,
    HR_HELD_BUCKETS = 2 * HR_BUCKET_LANES,
    HR_HELD_EDGES = 4 * HR_NUMBER_LANES,
    HR_HELD_STEPS = 2
};

typedef struct hr_avx512_scale {
    __m512d low, scale, last;
} hr_avx512_scale;

static inline hr_avx512_scale hr_avx512_scale_of(const hr_search *search) {
    return (hr_avx512_scale){_mm512_set1_pd(search->low), _mm512_set1_pd(search->scale),
                             _mm512_set1_pd((double)(search->buckets - 1))};
}

/* As hr_search_bucket: the bucket of NaN is 0. */
static inline __m512d hr_avx512_bucket(const hr_avx512_scale *s, __m512d x) {
    __m512d at = _mm512_mul_pd(_mm512_sub_pd(x, s->low), s->scale);
    return _mm512_min_pd(_mm512_max_pd(at, _mm512_setzero_pd()), s->last);
}

typedef struct hr_held_search {
    hr_avx512_scale scale;
    __m512i first[HR_HELD_BUCKETS / HR_BUCKET_LANES];
    __m512d edges[HR_HELD_EDGES / HR_NUMBER_LANES];
} hr_held_search;

/* Whether every edge that is compared with is among the first `held`. */
static inline int hr_avx512_compares_within(const hr_search *search, size_t held) {
    return search->count + (1u << search->steps) / 2 <= held;
}

static inline int hr_avx512_can_hold(const hr_search *search) {
    return search->buckets <= HR_HELD_BUCKETS && search->steps <= HR_HELD_STEPS &&
           hr_avx512_compares_within(search, HR_HELD_EDGES);
}

/* Those of `lanes` from `begin` on that are below `end`. */
static inline __mmask64 hr_avx512_lanes_from(size_t begin, size_t end, size_t lanes) {
    const size_t count = end > begin ? end - begin : 0;
    return count < lanes ? ((__mmask64)1 << count) - 1 : ~(__mmask64)0;
}

static inline hr_held_search hr_avx512_hold(const hr_search *search) {
    hr_held_search held = {.scale = hr_avx512_scale_of(search)};
    for (size_t t = 0; t < HR_HELD_BUCKETS / HR_BUCKET_LANES; t++) {
        const size_t begin = HR_BUCKET_LANES * t;
        const __mmask64 lanes = hr_avx512_lanes_from(begin, search->buckets, HR_BUCKET_LANES);
        held.first[t] =
            lanes ? _mm512_maskz_loadu_epi8(lanes, search->first + begin) : _mm512_setzero_si512();
    }
    for (size_t t = 0; t < HR_HELD_EDGES / HR_NUMBER_LANES; t++) {
        const size_t begin = HR_NUMBER_LANES * t;
        const __mmask8 lanes = (__mmask8)hr_avx512_lanes_from(begin, search->count, HR_NUMBER_LANES);
        const __m512d beyond = _mm512_set1_pd((double)INFINITY);
        held.edges[t] = lanes ? _mm512_mask_loadu_pd(beyond, lanes, search->padded + begin) : beyond;
    }
    return held;
}

static inline __m512d hr_avx512_lower_edges(const hr_held_search *s, __m512i index) {
    return _mm512_permutex2var_pd(s->edges[0], index, s->edges[1]);
}

static inline __m512d hr_avx512_all_edges(const hr_held_search *s, __m512i index) {
    const __m512d upper = _mm512_permutex2var_pd(s->edges[2], index, s->edges[3]);
    const __mmask8 is_upper = _mm512_test_epi64_mask(index, _mm512_set1_epi64(HR_HELD_EDGES / 2));
    return _mm512_mask_blend_pd(is_upper, hr_avx512_lower_edges(s, index), upper);
}

typedef __m512d hr_avx512_edges(const hr_held_search *s, __m512i index);

static inline __m128i hr_avx512_held_bins(const hr_held_search *s, unsigned steps, hr_avx512_edges *edges_at,
                                          __m512d x) {
    const __m512i bucket = _mm512_cvttpd_epi64(hr_avx512_bucket(&s->scale, x));
    __m512i at = _mm512_permutex2var_epi8(s->first[0], bucket, s->first[1]);
    for (unsigned step = steps; step-- > 0;) {
        const int64_t window = (int64_t)1 << step;
        const __m512i index = _mm512_add_epi64(at, _mm512_set1_epi64(window - 1));
        const __mmask8 is_less = _mm512_cmp_pd_mask(edges_at(s, index), x, _CMP_LT_OQ);
        at = _mm512_mask_add_epi64(at, is_less, at, _mm512_set1_epi64(window));
    }
    const __mmask8 is_number = _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q);
    return _mm512_cvtepi64_epi8(_mm512_maskz_add_epi64(is_number, at, _mm512_set1_epi64(1)));
}

typedef struct hr_avx512_numbers {
    const double *values;
    size_t rows;
    uint8_t *out;
} hr_avx512_numbers;

/* `steps` and `edges_at` are constants where this is inlined: no loop is left, and no call. */
static inline void hr_avx512_search(const hr_held_search *s, unsigned steps, hr_avx512_edges *edges_at,
                                    const hr_avx512_numbers *n) {
    size_t i = 0;
    for (; i + HR_NUMBER_LANES <= n->rows; i += HR_NUMBER_LANES) {
        const __m512d x = _mm512_loadu_pd(n->values + i);
        _mm_storel_epi64((__m128i *)(void *)(n->out + i), hr_avx512_held_bins(s, steps, edges_at, x));
    }
    const __mmask8 rest = (__mmask8)((1u << (n->rows - i)) - 1);
    const __m512d x = _mm512_maskz_loadu_pd(rest, n->values + i);
    _mm_mask_storeu_epi8(n->out + i, rest, hr_avx512_held_bins(s, steps, edges_at, x));
}

static void hr_avx512_bins_of_numbers(const hr_search *search, const double *values, size_t rows,
                                      uint8_t *out) {
    if (!hr_avx512_can_hold(search)) {
        hr_loop_bins_of_numbers(search, values, rows, out);
        return;
    }
    const hr_held_search held = hr_avx512_hold(search);
    const hr_avx512_numbers numbers = {values, rows, out};
    const int lower_suffice = hr_avx512_compares_within(search, HR_HELD_EDGES / 2);
    if (search->steps == HR_HELD_STEPS)
        lower_suffice ? hr_avx512_search(&held, HR_HELD_STEPS, hr_avx512_lower_edges, &numbers)
                      : hr_avx512_search(&held, HR_HELD_STEPS, hr_avx512_all_edges, &numbers);
    else
        lower_suffice ? hr_avx512_search(&held, 1, hr_avx512_lower_edges, &numbers)
                      : hr_avx512_search(&held, 1, hr_avx512_all_edges, &numbers);
}

#endif
#endif
