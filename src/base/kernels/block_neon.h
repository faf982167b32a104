/* The walk of a block (block_avx512.h) in vectors of NEON, 16 records each. A table lookup takes 64 nodes of
 * a level at once. */
#ifndef HR_BASE_KERNELS_BLOCK_NEON_H
#define HR_BASE_KERNELS_BLOCK_NEON_H

#include "base/kernels/kernels.h"

#ifdef __aarch64__
#include <arm_neon.h>

enum {
    HR_NEON_ROWS = 16,
    HR_NEON_VECTORS = HR_VECTOR_ROWS / HR_NEON_ROWS,
    HR_NEON_FEW_NODES = 16,
    HR_NEON_NODES = 64
};

/* A lookup gives 0 beyond its table. */
static inline uint8x16_t hr_neon_by_place(const uint8_t *bytes, size_t node_count, uint8x16_t places) {
    uint8x16_t found = vdupq_n_u8(0);
    if (node_count <= HR_NEON_FEW_NODES) return vqtbl1q_u8(vld1q_u8(bytes), places);
    for (size_t first = 0; first < node_count; first += HR_NEON_NODES)
        found = vorrq_u8(
            found, vqtbl4q_u8(vld1q_u8_x4(bytes + first), vsubq_u8(places, vdupq_n_u8((uint8_t)first))));
    return found;
}

/* 255 for each of 16 bins that is in a set. */
static inline uint8x16_t hr_neon_in_set(const uint64_t *set, uint8x16_t bins) {
    const uint8x16x2_t bytes = vld1q_u8_x2((const uint8_t *)set);
    const int8x16_t bit_number = vreinterpretq_s8_u8(vandq_u8(bins, vdupq_n_u8(7)));
    return vtstq_u8(vqtbl2q_u8(bytes, vshrq_n_u8(bins, 3)), vshlq_u8(vdupq_n_u8(1), bit_number));
}

static inline uint8x16_t hr_neon_right_by_sets(const hr_level *level, const uint8_t *bins,
                                               uint8x16_t places) {
    uint8x16_t right = vdupq_n_u8(0);
    for (size_t me = 0; me < level->node_count; me++) {
        const hr_level_node *node = &level->nodes[me];
        if (!node->is_set) continue;
        const uint8x16_t here = vceqq_u8(places, vdupq_n_u8((uint8_t)me));
        right = vorrq_u8(right, vandq_u8(here, hr_neon_in_set(node->right, vld1q_u8(bins + node->offset))));
    }
    return right;
}

/* The bins that HR_VECTOR_ROWS records have of the features that their nodes split by. */
static inline void hr_neon_choose_bins(const hr_level *level, const uint8_t *bins, const uint8x16_t *places,
                                       uint8x16_t *chosen) {
    uint8x16_t columns[HR_NEON_VECTORS];
    for (size_t v = 0; v < HR_NEON_VECTORS; v++) {
        columns[v] = hr_neon_by_place(level->bytes->column, level->node_count, places[v]);
        chosen[v] = vld1q_u8(bins + level->offsets[0] + v * HR_NEON_ROWS);
    }
    for (size_t c = 1; c < level->offset_count; c++) {
        const uint8x16_t column = vdupq_n_u8((uint8_t)c);
        const uint8_t *from = bins + level->offsets[c];
        for (size_t v = 0; v < HR_NEON_VECTORS; v++)
            chosen[v] = vbslq_u8(vceqq_u8(columns[v], column), vld1q_u8(from + v * HR_NEON_ROWS), chosen[v]);
    }
}

/* `right` is 255 for a step to the right, which is -1. */
static inline void hr_neon_walk_vectors(const hr_level *levels, size_t depth, const uint8_t *bins,
                                        uint8_t *at) {
    uint8x16_t places[HR_NEON_VECTORS], chosen[HR_NEON_VECTORS];
    for (size_t v = 0; v < HR_NEON_VECTORS; v++) places[v] = vdupq_n_u8(0);
    for (const hr_level *level = levels; level < levels + depth; level++) {
        hr_neon_choose_bins(level, bins, places, chosen);
        for (size_t v = 0; v < HR_NEON_VECTORS; v++) {
            const uint8x16_t low = hr_neon_by_place(level->bytes->low, level->node_count, places[v]);
            const uint8x16_t width = hr_neon_by_place(level->bytes->width, level->node_count, places[v]);
            uint8x16_t right = vcgtq_u8(vsubq_u8(chosen[v], low), width);
            if (level->has_sets)
                right = vorrq_u8(right, hr_neon_right_by_sets(level, bins + v * HR_NEON_ROWS, places[v]));
            places[v] = vsubq_u8(vaddq_u8(places[v], places[v]), right);
        }
    }
    for (size_t v = 0; v < HR_NEON_VECTORS; v++) vst1q_u8(at + v * HR_NEON_ROWS, places[v]);
}

static inline void hr_neon_walk_block(const hr_level *levels, size_t depth, const uint8_t *bins, size_t count,
                                      uint8_t *at) {
    for (size_t i = 0; i < count; i += HR_VECTOR_ROWS) hr_neon_walk_vectors(levels, depth, bins + i, at + i);
}

#endif
#endif
