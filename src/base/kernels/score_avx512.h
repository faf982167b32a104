/* Steps of scores for 64 records at once. The bytes of the steps stand in planes: the k-th bytes of all
 * places are a table that byte permutations look up by the records' places. The four bytes of each record are
 * put together by interleaving, which keeps to quarters of a vector: so the places are dealt to the quarters
 * first. */
#ifndef HR_BASE_KERNELS_SCORE_AVX512_H
#define HR_BASE_KERNELS_SCORE_AVX512_H

#include "base/kernels/score_loops.h"

#ifdef __AVX512VBMI__
#include <immintrin.h>

enum { HR_STEP_BYTES = 4, HR_STEP_GROUP = 16, HR_STEP_VECTOR = 64, HR_STEP_GROUPS = 4 };

/* The bytes of a part of the steps, by place. */
typedef uint8_t hr_step_planes[HR_STEP_BYTES][HR_LEVEL_PLACES_MAX];

/* Of 16 places from `place` on. */
static inline void hr_avx512_spread_steps(__m512i values, size_t place, hr_step_planes planes) {
    const __m512i by_byte =
        _mm512_set_epi8(63, 59, 55, 51, 47, 43, 39, 35, 31, 27, 23, 19, 15, 11, 7, 3, 62, 58, 54, 50, 46, 42,
                        38, 34, 30, 26, 22, 18, 14, 10, 6, 2, 61, 57, 53, 49, 45, 41, 37, 33, 29, 25, 21, 17,
                        13, 9, 5, 1, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0);
    uint8_t bytes[HR_STEP_VECTOR];
    _mm512_storeu_si512(bytes, _mm512_permutexvar_epi8(by_byte, values));
    for (size_t k = 0; k < HR_STEP_BYTES; k++)
        memcpy(planes[k] + place, bytes + k * HR_STEP_GROUP, HR_STEP_GROUP);
}

static inline void hr_avx512_make_planes(const hr_fixed_steps *steps, hr_step_planes held,
                                         hr_step_planes published) {
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    for (size_t p = 0; p < steps->count; p += HR_STEP_GROUP) {
        const __m512i first = _mm512_loadu_si512(steps->of_place + p),
                      second = _mm512_loadu_si512(steps->of_place + p + HR_STEP_GROUP / 2);
        hr_avx512_spread_steps(_mm512_permutex2var_epi32(first, even, second), p, held);
        hr_avx512_spread_steps(_mm512_permutex2var_epi32(first, odd, second), p, published);
    }
}

/* One byte of each of 64 records' values. */
static inline __m512i hr_avx512_step_byte(const uint8_t *plane, size_t count, __m512i places) {
    const __m512i first = _mm512_loadu_si512(plane);
    if (count <= HR_STEP_VECTOR) return _mm512_permutexvar_epi8(places, first);
    const __m512i below = _mm512_permutex2var_epi8(first, places, _mm512_loadu_si512(plane + HR_STEP_VECTOR));
    if (count <= 2 * HR_STEP_VECTOR) return below;
    const __m512i above = _mm512_permutex2var_epi8(_mm512_loadu_si512(plane + 2 * HR_STEP_VECTOR), places,
                                                   _mm512_loadu_si512(plane + 3 * HR_STEP_VECTOR));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(places), below, above);
}

/* values[g]: of records 16 g .. 16 g + 15 of the 64. */
static inline void hr_avx512_step_values(hr_step_planes planes, size_t count, __m512i places,
                                         __m512i values[HR_STEP_GROUPS]) {
    const __m512i a = hr_avx512_step_byte(planes[0], count, places),
                  b = hr_avx512_step_byte(planes[1], count, places),
                  c = hr_avx512_step_byte(planes[2], count, places),
                  d = hr_avx512_step_byte(planes[3], count, places);
    const __m512i low_ab = _mm512_unpacklo_epi8(a, b), high_ab = _mm512_unpackhi_epi8(a, b),
                  low_cd = _mm512_unpacklo_epi8(c, d), high_cd = _mm512_unpackhi_epi8(c, d);
    values[0] = _mm512_unpacklo_epi16(low_ab, low_cd);
    values[1] = _mm512_unpackhi_epi16(low_ab, low_cd);
    values[2] = _mm512_unpacklo_epi16(high_ab, high_cd);
    values[3] = _mm512_unpackhi_epi16(high_ab, high_cd);
}

static inline void hr_avx512_add_held(const __m512i values[HR_STEP_GROUPS], int32_t limit, int32_t *held) {
    const __m512i high = _mm512_set1_epi32(limit), low = _mm512_set1_epi32(-limit);
    for (size_t g = 0; g < HR_STEP_GROUPS; g++, held += HR_STEP_GROUP) {
        const __m512i sums = _mm512_add_epi32(_mm512_loadu_si512(held), values[g]);
        _mm512_storeu_si512(held, _mm512_min_epi32(_mm512_max_epi32(sums, low), high));
    }
}

static inline void hr_avx512_add_published(const __m512i values[HR_STEP_GROUPS], int32_t *published) {
    for (size_t g = 0; g < HR_STEP_GROUPS; g++, published += HR_STEP_GROUP)
        _mm512_storeu_si512(published, _mm512_add_epi32(_mm512_loadu_si512(published), values[g]));
}

static inline void hr_avx512_step_scores(const hr_fixed_steps *steps, const uint8_t *places, size_t count,
                                         int32_t limit, const hr_fixed_scores *scores) {
    const __m512i dealt = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    hr_step_planes held, published;
    __m512i values[HR_STEP_GROUPS];
    size_t i = 0;
    hr_avx512_make_planes(steps, held, published);
    for (; i + HR_STEP_VECTOR <= count; i += HR_STEP_VECTOR) {
        const __m512i of = _mm512_permutexvar_epi32(dealt, _mm512_loadu_si512(places + i));
        hr_avx512_step_values(held, steps->count, of, values);
        hr_avx512_add_held(values, limit, scores->held + i);
        if (!scores->published) continue;
        hr_avx512_step_values(published, steps->count, of, values);
        hr_avx512_add_published(values, scores->published + i);
    }
    const hr_fixed_scores rest = {scores->held + i, scores->published ? scores->published + i : NULL};
    hr_loop_step_scores(steps, places + i, count - i, limit, &rest);
}

#endif

#endif
