/* The walk of a block (block_avx512.h) in vectors of AVX2, 32 records each. A byte shuffle looks up 16 nodes
 * of a level at once. Loops over vectors are unrolled: else gcc keeps these in memory. */
#ifndef HR_BASE_KERNELS_BLOCK_AVX2_H
#define HR_BASE_KERNELS_BLOCK_AVX2_H

#include "base/kernels/kernels.h"

#ifdef __AVX2__
#include <immintrin.h>

enum {
    HR_AVX2_ROWS = 32,
    HR_AVX2_NODES = 16,
    HR_AVX2_WIDE = 4,
    HR_AVX2_NARROW = HR_VECTOR_ROWS / HR_AVX2_ROWS
};

static inline __m256i hr_avx2_load(const void *from) {
    return _mm256_loadu_si256((const __m256i *)from);
}

/* Sixteen bytes, in each half. */
static inline __m256i hr_avx2_load_table(const void *from) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

/* Of two tables, by bit 4 of the place; blends look at the highest bit of a byte. */
static inline __m256i hr_avx2_of_two_tables(const uint8_t *bytes, __m256i low_bits, __m256i bit_4) {
    return _mm256_blendv_epi8(_mm256_shuffle_epi8(hr_avx2_load_table(bytes), low_bits),
                              _mm256_shuffle_epi8(hr_avx2_load_table(bytes + HR_AVX2_NODES), low_bits),
                              bit_4);
}

/* The byte at each of 32 places. A shuffle looks at the low four bits of a place below 128. */
static inline __m256i hr_avx2_by_place(const uint8_t *bytes, size_t node_count, __m256i places) {
    if (node_count <= HR_AVX2_NODES) return _mm256_shuffle_epi8(hr_avx2_load_table(bytes), places);
    const __m256i bit_4 = _mm256_slli_epi16(places, 3), bit_5 = _mm256_slli_epi16(places, 2),
                  bit_6 = _mm256_slli_epi16(places, 1);
    const uint8_t *second = bytes + 2 * HR_AVX2_NODES, *third = second + 2 * HR_AVX2_NODES,
                  *fourth = third + 2 * HR_AVX2_NODES;
    __m256i of_32 = hr_avx2_of_two_tables(bytes, places, bit_4);
    if (node_count <= 2 * HR_AVX2_NODES) return of_32;
    __m256i of_64 = _mm256_blendv_epi8(of_32, hr_avx2_of_two_tables(second, places, bit_4), bit_5);
    if (node_count <= 4 * HR_AVX2_NODES) return of_64;
    __m256i above = _mm256_blendv_epi8(hr_avx2_of_two_tables(third, places, bit_4),
                                       hr_avx2_of_two_tables(fourth, places, bit_4), bit_5);
    return _mm256_blendv_epi8(of_64, above, bit_6);
}

/* 255 for each of 32 bins that is in a set. */
static inline __m256i hr_avx2_in_set(const uint64_t *set, __m256i bins) {
    const __m256i bit_of = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    const __m256i byte_of = _mm256_and_si256(_mm256_srli_epi16(bins, 3), _mm256_set1_epi8(15));
    const __m256i byte = _mm256_blendv_epi8(_mm256_shuffle_epi8(hr_avx2_load_table(set), byte_of),
                                            _mm256_shuffle_epi8(hr_avx2_load_table(set + 2), byte_of), bins);
    const __m256i bit = _mm256_shuffle_epi8(bit_of, _mm256_and_si256(bins, _mm256_set1_epi8(7)));
    return _mm256_cmpeq_epi8(_mm256_and_si256(byte, bit), bit);
}

static inline __m256i hr_avx2_right_by_sets(const hr_level *level, const uint8_t *bins, __m256i places) {
    __m256i right = _mm256_setzero_si256();
    for (size_t me = 0; me < level->node_count; me++) {
        const hr_level_node *node = &level->nodes[me];
        if (!node->is_set) continue;
        const __m256i here = _mm256_cmpeq_epi8(places, _mm256_set1_epi8((char)me));
        const __m256i in_set = hr_avx2_in_set(node->right, hr_avx2_load(bins + node->offset));
        right = _mm256_or_si256(right, _mm256_and_si256(here, in_set));
    }
    return right;
}

/* The bins that `count` vectors of records have of the features that their nodes split by. */
static inline __attribute__((always_inline)) void hr_avx2_choose_bins(const hr_level *level,
                                                                      const uint8_t *bins, size_t count,
                                                                      const __m256i *places,
                                                                      __m256i *chosen) {
    __m256i columns[HR_AVX2_WIDE];
#pragma GCC unroll 4
    for (size_t v = 0; v < count; v++) {
        columns[v] = hr_avx2_by_place(level->bytes->column, level->node_count, places[v]);
        chosen[v] = _mm256_setzero_si256();
    }
    for (size_t c = 0; c < level->offset_count; c++) {
        const __m256i column = _mm256_set1_epi8((char)c);
        const uint8_t *from = bins + level->offsets[c];
#pragma GCC unroll 4
        for (size_t v = 0; v < count; v++) {
            const __m256i here = _mm256_cmpeq_epi8(columns[v], column);
            chosen[v] = _mm256_blendv_epi8(chosen[v], hr_avx2_load(from + v * HR_AVX2_ROWS), here);
        }
    }
}

/* A bin is not beyond `width` if the larger of both is `width`. */
static inline __attribute__((always_inline)) void
hr_avx2_walk_vectors(const hr_level *levels, size_t depth, const uint8_t *bins, size_t count, uint8_t *at) {
    const __m256i one = _mm256_set1_epi8(1);
    __m256i places[HR_AVX2_WIDE], chosen[HR_AVX2_WIDE];
#pragma GCC unroll 4
    for (size_t v = 0; v < count; v++) places[v] = _mm256_setzero_si256();
    for (const hr_level *level = levels; level < levels + depth; level++) {
        hr_avx2_choose_bins(level, bins, count, places, chosen);
#pragma GCC unroll 4
        for (size_t v = 0; v < count; v++) {
            const __m256i low = hr_avx2_by_place(level->bytes->low, level->node_count, places[v]);
            const __m256i width = hr_avx2_by_place(level->bytes->width, level->node_count, places[v]);
            const __m256i beyond = _mm256_sub_epi8(chosen[v], low);
            __m256i left = _mm256_cmpeq_epi8(_mm256_max_epu8(beyond, width), width);
            if (level->has_sets)
                left = _mm256_andnot_si256(hr_avx2_right_by_sets(level, bins + v * HR_AVX2_ROWS, places[v]),
                                           left);
            const __m256i step = _mm256_add_epi8(one, left); /* 1: to the right */
            places[v] = _mm256_add_epi8(_mm256_add_epi8(places[v], places[v]), step);
        }
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < count; v++)
        _mm256_storeu_si256((__m256i *)(void *)(at + v * HR_AVX2_ROWS), places[v]);
}

static inline void hr_avx2_walk_block(const hr_level *levels, size_t depth, const uint8_t *bins, size_t count,
                                      uint8_t *at) {
    const size_t wide = HR_AVX2_WIDE * HR_AVX2_ROWS;
    size_t i = 0;
    for (; i + wide <= count; i += wide) hr_avx2_walk_vectors(levels, depth, bins + i, HR_AVX2_WIDE, at + i);
    for (; i < count; i += HR_VECTOR_ROWS)
        hr_avx2_walk_vectors(levels, depth, bins + i, HR_AVX2_NARROW, at + i);
}

#endif

#endif
