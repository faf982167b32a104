/* The walk of a block in vectors of 64 records. What a level's nodes split by is looked up by the records'
 * places with byte permutations; their bins are chosen among the level's columns, one column after the other:
 * so a level takes time by its different features, not by its nodes. Loops over vectors are unrolled, or
 * their vectors would stand in memory. */
#ifndef HR_BASE_KERNELS_BLOCK_AVX512_H
#define HR_BASE_KERNELS_BLOCK_AVX512_H

#include "base/kernels/kernels.h"

#ifdef __AVX512VBMI__
#include <immintrin.h>

enum { HR_WIDE_VECTORS = 4 };

static inline __m512i hr_avx512_by_place(const uint8_t *bytes, size_t node_count, __m512i places) {
    __m512i low = _mm512_loadu_si512(bytes);
    if (node_count <= HR_VECTOR_ROWS) return _mm512_permutexvar_epi8(places, low);
    return _mm512_permutex2var_epi8(low, places, _mm512_loadu_si512(bytes + HR_VECTOR_ROWS));
}

/* Which of 64 bins are in a set. */
static inline __mmask64 hr_avx512_in_set(const uint64_t *set, __m512i bins) {
    const __m512i bit_of = _mm512_set1_epi64((int64_t)0x8040201008040201), low_bits = _mm512_set1_epi8(7);
    __m512i bytes = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)set));
    __m512i byte_of = _mm512_and_si512(_mm512_srli_epi16(bins, 3), _mm512_set1_epi8(31));
    return _mm512_test_epi8_mask(_mm512_permutexvar_epi8(byte_of, bytes),
                                 _mm512_shuffle_epi8(bit_of, _mm512_and_si512(bins, low_bits)));
}

static inline __mmask64 hr_avx512_right_by_sets(const hr_level *level, const uint8_t *bins, __m512i places) {
    __mmask64 right = 0;
    for (size_t me = 0; me < level->node_count; me++) {
        const hr_level_node *node = &level->nodes[me];
        if (!node->is_set) continue;
        __mmask64 here = _mm512_cmpeq_epi8_mask(places, _mm512_set1_epi8((char)me));
        right |= here & hr_avx512_in_set(node->right, _mm512_loadu_si512(bins + node->offset));
    }
    return right;
}

/* The bins that `count` vectors of records have of the features that their nodes split by. */
static inline __attribute__((always_inline)) void hr_avx512_choose_bins(const hr_level *level,
                                                                        const uint8_t *bins, size_t count,
                                                                        const __m512i *places,
                                                                        __m512i *chosen) {
    __m512i columns[HR_WIDE_VECTORS];
#pragma GCC unroll 4
    for (size_t v = 0; v < count; v++) {
        columns[v] = hr_avx512_by_place(level->bytes->column, level->node_count, places[v]);
        chosen[v] = _mm512_loadu_si512(bins + level->offsets[0] + v * HR_VECTOR_ROWS);
    }
    for (size_t c = 1; c < level->offset_count; c++) {
        const __m512i column = _mm512_set1_epi8((char)c);
        const uint8_t *from = bins + level->offsets[c];
#pragma GCC unroll 4
        for (size_t v = 0; v < count; v++)
            chosen[v] = _mm512_mask_loadu_epi8(chosen[v], _mm512_cmpeq_epi8_mask(columns[v], column),
                                               from + v * HR_VECTOR_ROWS);
    }
}

static inline __attribute__((always_inline)) void
hr_avx512_walk_vectors(const hr_level *levels, size_t depth, const uint8_t *bins, size_t count, uint8_t *at) {
    __m512i places[HR_WIDE_VECTORS], chosen[HR_WIDE_VECTORS];
#pragma GCC unroll 4
    for (size_t v = 0; v < count; v++) places[v] = _mm512_setzero_si512();
    for (const hr_level *level = levels; level < levels + depth; level++) {
        hr_avx512_choose_bins(level, bins, count, places, chosen);
#pragma GCC unroll 4
        for (size_t v = 0; v < count; v++) {
            __m512i low = hr_avx512_by_place(level->bytes->low, level->node_count, places[v]);
            __m512i width = hr_avx512_by_place(level->bytes->width, level->node_count, places[v]);
            __mmask64 right = _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(chosen[v], low), width);
            if (level->has_sets)
                right |= hr_avx512_right_by_sets(level, bins + v * HR_VECTOR_ROWS, places[v]);
            places[v] = _mm512_add_epi8(places[v], places[v]);
            places[v] = _mm512_mask_add_epi8(places[v], right, places[v], _mm512_set1_epi8(1));
        }
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < count; v++) _mm512_storeu_si512(at + v * HR_VECTOR_ROWS, places[v]);
}

static inline void hr_avx512_walk_block(const hr_level *levels, size_t depth, const uint8_t *bins,
                                        size_t count, uint8_t *at) {
    const size_t wide = HR_WIDE_VECTORS * HR_VECTOR_ROWS;
    size_t i = 0;
    for (; i + wide <= count; i += wide)
        hr_avx512_walk_vectors(levels, depth, bins + i, HR_WIDE_VECTORS, at + i);
    for (; i < count; i += HR_VECTOR_ROWS) hr_avx512_walk_vectors(levels, depth, bins + i, 1, at + i);
}

#endif

#endif
