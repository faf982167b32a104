/* Octets (octets.h) in vectors of AVX2. */
#ifndef HR_BASE_KERNELS_OCTET_VECTORS_H
#define HR_BASE_KERNELS_OCTET_VECTORS_H

#include "base/kernels/octet_loops.h"

#include <immintrin.h>

/* Each half of a tile gives the bytes that are in it, and 0 for those of the other. */
static inline void hr_vector_octets_of_rows(const uint8_t *tiles, const uint8_t *picks, const uint32_t *rows,
                                            size_t count, uint8_t *octets) {
    enum { HALF = HR_OCTET_TILE / 2 };
    const __m128i pick = _mm_loadu_si64(picks), half = _mm_set1_epi8(HALF),
                  is_second = _mm_cmpgt_epi8(pick, _mm_set1_epi8(HALF - 1)),
                  first = _mm_or_si128(pick, is_second),
                  second =
                      _mm_or_si128(_mm_sub_epi8(pick, half), _mm_xor_si128(is_second, _mm_set1_epi8(-1)));
    for (size_t i = 0; i < count; i++) {
        const uint8_t *tile = tiles + (size_t)rows[i] * HR_OCTET_TILE;
        hr_ask_row_ahead(tiles, rows, i, count);
        __m128i low = _mm_shuffle_epi8(_mm_loadu_si128((const void *)tile), first),
                high = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(tile + HALF)), second);
        _mm_storeu_si64(octets + i * HR_OCTET, _mm_or_si128(low, high));
    }
}

/* The least, or largest, of two octets side by side, in the first. */
static inline __m128i hr_fold_least(__m128i a) {
    return _mm_min_epu8(a, _mm_unpackhi_epi64(a, a));
}

static inline __m128i hr_fold_largest(__m128i a) {
    return _mm_max_epu8(a, _mm_unpackhi_epi64(a, a));
}

static inline void hr_vector_ranges_of_octets(const uint8_t *octets, size_t count, hr_octet_ranges *out) {
    const __m128i all = _mm_set1_epi8(-1);
    __m128i least = all, before = all, largest = _mm_setzero_si128();
    for (size_t i = 0; i < count; i += 2) {
        const uint8_t *at = octets + i * HR_OCTET;
        __m128i bins =
            i + 1 < count ? _mm_loadu_si128((const void *)at) : _mm_broadcastq_epi64(_mm_loadu_si64(at));
        least = _mm_min_epu8(least, bins);
        before = _mm_min_epu8(before, _mm_add_epi8(bins, all));
        largest = _mm_max_epu8(largest, bins);
    }
    _mm_storeu_si64(out->least, hr_fold_least(least));
    _mm_storeu_si64(out->before, hr_fold_least(before));
    _mm_storeu_si64(out->largest, hr_fold_largest(largest));
}

/* A byte is not below `count` if it is the maximum of both. */
static inline void hr_vector_sums_of_octets(const hr_octet_cuts *cuts, const uint8_t *octets,
                                            const int64_t *values, size_t count, int64_t *sums) {
    const __m128i first = _mm_loadu_si64(cuts->first), counts = _mm_loadu_si64(cuts->count);
    __m256i low = _mm256_setzero_si256(), high = low;
    for (size_t i = 0; i < count; i++) {
        const __m256i value = _mm256_set1_epi64x(values[i]);
        __m128i at = _mm_sub_epi8(_mm_loadu_si64(octets + i * HR_OCTET), first),
                others = _mm_cmpeq_epi8(_mm_max_epu8(at, counts), at);
        low = _mm256_add_epi64(low, _mm256_andnot_si256(_mm256_cvtepi8_epi64(others), value));
        others = _mm_srli_si128(others, HR_OCTET / 2);
        high = _mm256_add_epi64(high, _mm256_andnot_si256(_mm256_cvtepi8_epi64(others), value));
    }
    _mm256_storeu_si256((void *)sums, low);
    _mm256_storeu_si256((void *)(sums + HR_OCTET / 2), high);
}

#endif
