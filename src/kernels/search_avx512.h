/* Bins of numbers, eight at once, where the search has so few edges that registers hold its tables. Gathers
 * from memory, for more edges, are no faster than the loop. */
#ifndef HR_KERNELS_SEARCH_AVX512_H
#define HR_KERNELS_SEARCH_AVX512_H

#include "kernels/loops.h"

#ifdef __AVX512VBMI__
#include <immintrin.h>
#include <limits.h>

enum {
    HR_NUMBERS = 8,
    HR_HELD_BUCKETS = 128,
    HR_HELD_EDGES = 32,
    HR_HELD_TABLES = HR_HELD_EDGES / HR_NUMBERS
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
    __m512i first[2];
    __m512d edges[HR_HELD_TABLES];
} hr_held_search;

/* The last edge that is compared with is among those held. */
static inline int hr_avx512_can_hold(const hr_search *search) {
    return search->buckets <= HR_HELD_BUCKETS && search->count + (1u << search->steps) / 2 <= HR_HELD_EDGES;
}

static inline __mmask64 hr_avx512_lanes_from(size_t begin, size_t end, size_t lanes) {
    size_t count = end > begin ? end - begin : 0;
    return count < lanes ? ((__mmask64)1 << count) - 1 : ~(__mmask64)0;
}

static inline hr_held_search hr_avx512_hold(const hr_search *search) {
    hr_held_search held = {.scale = hr_avx512_scale_of(search)};
    for (size_t t = 0; t < 2; t++) {
        const __mmask64 lanes = hr_avx512_lanes_from(64 * t, search->buckets, 64);
        held.first[t] = _mm512_maskz_loadu_epi8(lanes, search->first + 64 * t);
    }
    for (size_t t = 0; t < HR_HELD_TABLES; t++) {
        const __mmask64 lanes = hr_avx512_lanes_from(HR_NUMBERS * t, search->count, HR_NUMBERS);
        held.edges[t] = _mm512_mask_loadu_pd(_mm512_set1_pd((double)INFINITY), (__mmask8)lanes,
                                             search->padded + HR_NUMBERS * t);
    }
    return held;
}

static inline __m128i hr_avx512_held_bins(const hr_held_search *s, unsigned steps, __m512d x) {
    const __m512i bucket = _mm512_cvttpd_epi64(hr_avx512_bucket(&s->scale, x));
    __m512i at = _mm512_permutex2var_epi8(s->first[0], bucket, s->first[1]);
    for (unsigned step = steps; step-- > 0;) {
        const int64_t window = (int64_t)1 << step;
        __m512i index = _mm512_add_epi64(at, _mm512_set1_epi64(window - 1));
        __m512d low = _mm512_permutex2var_pd(s->edges[0], index, s->edges[1]),
                high = _mm512_permutex2var_pd(s->edges[2], index, s->edges[3]);
        __mmask8 is_high = _mm512_test_epi64_mask(index, _mm512_set1_epi64(HR_HELD_EDGES / 2));
        __mmask8 is_less = _mm512_cmp_pd_mask(_mm512_mask_blend_pd(is_high, low, high), x, _CMP_LT_OQ);
        at = _mm512_mask_add_epi64(at, is_less, at, _mm512_set1_epi64(window));
    }
    const __mmask8 is_number = _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q);
    return _mm512_cvtepi64_epi8(_mm512_maskz_add_epi64(is_number, at, _mm512_set1_epi64(1)));
}

/* Steps are a constant where this is inlined, so that there is no loop over them. */
static inline void hr_avx512_held_numbers(const hr_held_search *s, unsigned steps, const double *values,
                                          size_t rows, uint8_t *out) {
    size_t i = 0;
    for (; i + HR_NUMBERS <= rows; i += HR_NUMBERS)
        _mm_storel_epi64((__m128i *)(void *)(out + i),
                         hr_avx512_held_bins(s, steps, _mm512_loadu_pd(values + i)));
    const __mmask8 rest = (__mmask8)((1u << (rows - i)) - 1);
    __m512d x = _mm512_maskz_loadu_pd(rest, values + i);
    _mm_mask_storeu_epi8(out + i, rest, hr_avx512_held_bins(s, steps, x));
}

static void hr_avx512_bins_of_numbers(const hr_search *search, const double *values, size_t rows,
                                      uint8_t *out) {
    const hr_held_search held = hr_avx512_hold(search);
    switch (hr_avx512_can_hold(search) ? search->steps : UINT_MAX) {
    case 0: hr_avx512_held_numbers(&held, 0, values, rows, out); break;
    case 1: hr_avx512_held_numbers(&held, 1, values, rows, out); break;
    case 2: hr_avx512_held_numbers(&held, 2, values, rows, out); break;
    default: hr_loop_bins_of_numbers(search, values, rows, out);
    }
}

#endif
#endif
