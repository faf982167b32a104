/* Bins of numbers where the edges are so few that registers hold them: sixteen numbers at once as floats, or
 * eight by their buckets. Gathers from memory, for more edges, are no faster than the loop. */
#ifndef HR_BASE_KERNELS_SEARCH_AVX512_H
#define HR_BASE_KERNELS_SEARCH_AVX512_H

#include "base/kernels/search_vectors.h"

#ifdef __AVX512VBMI__
#include <immintrin.h>

enum {
    HR_NUMBER_LANES = 8,
    HR_BUCKET_LANES = 64,
    HR_HELD_BUCKETS = 2 * HR_BUCKET_LANES,
    HR_HELD_EDGES = 4 * HR_NUMBER_LANES,
    HR_HELD_STEPS = 2
};

/* ---- Buckets ---- */

typedef struct hr_avx512_scale {
    __m512d low, scale, last;
} hr_avx512_scale;

static inline hr_avx512_scale hr_avx512_scale_of(const hr_search *search) {
    return (hr_avx512_scale){_mm512_set1_pd(search->low), _mm512_set1_pd(search->scale),
                             _mm512_set1_pd(search->last)};
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

/* `steps` and `edges_at` are constants where this is inlined: no loop is left, and no call. */
static inline void hr_avx512_search(const hr_held_search *s, unsigned steps, hr_avx512_edges *edges_at,
                                    const hr_number_block *n, uint8_t *out) {
    size_t i = 0;
    for (; i + HR_NUMBER_LANES <= n->count; i += HR_NUMBER_LANES) {
        hr_ask_ahead(n, i);
        const __m512d x = _mm512_loadu_pd(n->values + i);
        _mm_storel_epi64((__m128i *)(void *)(out + i), hr_avx512_held_bins(s, steps, edges_at, x));
    }
    const __mmask8 rest = (__mmask8)((1u << (n->count - i)) - 1);
    const __m512d x = _mm512_maskz_loadu_pd(rest, n->values + i);
    _mm_mask_storeu_epi8(out + i, rest, hr_avx512_held_bins(s, steps, edges_at, x));
}

/* ---- Floats ---- */

/* Sixteen numbers at once, as floats, and so are the edges: all are rounded down. Where two floats differ,
 * they are in the order of their numbers. A number whose float is that of an edge is not beyond that edge if
 * the float is the number itself; if it is not, the floats do not decide. */
enum { HR_FLOAT_LANES = 16, HR_FLOAT_EDGES = 2 * HR_FLOAT_LANES - 1, HR_FLOAT_LEVELS = 5 };

/* Table l is read in level l, which goes 16 >> l edges on or not: at [bin], the edge in the way. */
typedef struct hr_float_search {
    __m512 lower[HR_FLOAT_LEVELS], upper[HR_FLOAT_LEVELS];
} hr_float_search;

static inline __m256 hr_avx512_floats(__m512d x) {
    return _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

static inline __m512 hr_avx512_two_of_floats(__m512d a, __m512d b) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(hr_avx512_floats(a)), hr_avx512_floats(b), 1);
}

/* edge[bin] is the first that is not less than the numbers of a bin. */
static inline hr_float_search hr_avx512_float_search(const hr_search *search) {
    float edge[1 + HR_FLOAT_EDGES + HR_FLOAT_LANES];
    hr_float_search s;
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) edge[i] = INFINITY;
    for (size_t i = 0; i < search->count; i += HR_NUMBER_LANES) {
        const __mmask8 lanes = (__mmask8)hr_avx512_lanes_from(i, search->count, HR_NUMBER_LANES);
        const __m256 edges = hr_avx512_floats(_mm512_maskz_loadu_pd(lanes, search->padded + i));
        _mm256_mask_storeu_ps(edge + 1 + i, lanes, edges);
    }
    for (size_t l = 0; l < HR_FLOAT_LEVELS; l++) {
        const float *from = edge + (HR_FLOAT_LANES >> l) - 1;
        s.lower[l] = _mm512_loadu_ps(from);
        s.upper[l] = _mm512_loadu_ps(from + HR_FLOAT_LANES);
    }
    return s;
}

typedef __m512 hr_avx512_float_edges(const hr_float_search *s, size_t level, __m512i bin);

static inline __m512 hr_avx512_few_float_edges(const hr_float_search *s, size_t level, __m512i bin) {
    return _mm512_permutexvar_ps(bin, s->lower[level]);
}

static inline __m512 hr_avx512_all_float_edges(const hr_float_search *s, size_t level, __m512i bin) {
    return _mm512_permutex2var_ps(s->lower[level], bin, s->upper[level]);
}

static inline __mmask16 hr_avx512_inexact(__m512 x, __m512d a, __m512d b) {
    const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(x)),
                  high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
    return (__mmask16)(_mm512_cmp_pd_mask(low, a, _CMP_NEQ_OQ) | _mm512_cmp_pd_mask(high, b, _CMP_NEQ_OQ)
                                                                     << HR_NUMBER_LANES);
}

/* Returns how many records are done: the next sixteen, if there are so many, hold one that floats do not
 * tell. `level` and `edges_at` are constants where this is inlined. */
static inline size_t hr_avx512_search_floats(const hr_float_search *s, size_t level,
                                             hr_avx512_float_edges *edges_at, const hr_number_block *n,
                                             uint8_t *out) {
    size_t i = 0;
    for (; i + HR_FLOAT_LANES <= n->count; i += HR_FLOAT_LANES) {
        hr_ask_ahead(n, i);
        hr_ask_ahead(n, i + HR_NUMBERS_A_LINE);
        const __m512d a = _mm512_loadu_pd(n->values + i),
                      b = _mm512_loadu_pd(n->values + i + HR_NUMBER_LANES);
        const __m512 x = hr_avx512_two_of_floats(a, b);
        __m512i bin = _mm512_set1_epi32(1);
        for (size_t l = level; l < HR_FLOAT_LEVELS; l++) {
            const __mmask16 is_less = _mm512_cmp_ps_mask(edges_at(s, l, bin), x, _CMP_LT_OQ);
            bin = _mm512_mask_add_epi32(bin, is_less, bin, _mm512_set1_epi32(HR_FLOAT_LANES >> l));
        }
        const __mmask16 at_edge = _mm512_cmp_ps_mask(edges_at(s, HR_FLOAT_LEVELS - 1, bin), x, _CMP_EQ_OQ);
        if (at_edge && (at_edge & hr_avx512_inexact(x, a, b))) break;
        const __mmask16 is_number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
        _mm_storeu_si128((__m128i *)(void *)(out + i), _mm512_maskz_cvtepi32_epi8(is_number, bin));
    }
    return i;
}

static inline size_t hr_avx512_bins_by_floats(const hr_search *search, const hr_number_block *n,
                                              uint8_t *out) {
    if (search->count > HR_FLOAT_EDGES || n->count < HR_FLOAT_LANES) return 0;
    const hr_float_search s = hr_avx512_float_search(search);
    return search->count < HR_FLOAT_LANES ? hr_avx512_search_floats(&s, 1, hr_avx512_few_float_edges, n, out)
                                          : hr_avx512_search_floats(&s, 0, hr_avx512_all_float_edges, n, out);
}

static inline void hr_avx512_bins_by_buckets(const hr_search *search, const hr_number_block *n,
                                             uint8_t *out) {
    const hr_held_search held = hr_avx512_hold(search);
    const int lower_suffice = hr_avx512_compares_within(search, HR_HELD_EDGES / 2);
    if (search->steps == HR_HELD_STEPS)
        lower_suffice ? hr_avx512_search(&held, HR_HELD_STEPS, hr_avx512_lower_edges, n, out)
                      : hr_avx512_search(&held, HR_HELD_STEPS, hr_avx512_all_edges, n, out);
    else
        lower_suffice ? hr_avx512_search(&held, 1, hr_avx512_lower_edges, n, out)
                      : hr_avx512_search(&held, 1, hr_avx512_all_edges, n, out);
}

/* By floats as far as these decide. */
static void hr_avx512_bins_of_numbers(const hr_search *search, const hr_number_block *n, uint8_t *out) {
    const size_t done = hr_avx512_bins_by_floats(search, n, out);
    const hr_number_block rest = {n->values + done, n->count - done, n->ahead ? n->ahead + done : NULL};
    if (!rest.count) return;
    (hr_avx512_can_hold(search) ? hr_avx512_bins_by_buckets : hr_vector_bins_of_numbers)(search, &rest,
                                                                                         out + done);
}

#endif
#endif
