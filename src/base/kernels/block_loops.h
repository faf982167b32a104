/* Loops over a block of records in C: the walk down a tree. Loops over bytes hold 0 or 255 for false or true,
 * so that gcc and clang make vectors of them. */
#ifndef HR_BASE_KERNELS_BLOCK_LOOPS_H
#define HR_BASE_KERNELS_BLOCK_LOOPS_H

#include "base/kernels/kernels.h"

#include <string.h>

/* Every record is held against each node of a level with so few of them. */
enum { HR_LOOP_NODES = 16 };

static inline void hr_loop_turn_by_range(const hr_level_node *node, const uint8_t *restrict bins,
                                         const uint8_t *restrict at, uint8_t me, size_t count,
                                         uint8_t *restrict right) {
    const uint8_t low = node->low, width = node->width;
    for (size_t i = 0; i < count; i++) {
        uint8_t beyond = (uint8_t)(bins[i] - low) > width ? UINT8_MAX : 0;
        uint8_t here = at[i] == me ? UINT8_MAX : 0;
        right[i] |= beyond & here;
    }
}

static inline void hr_loop_turn_by_set(const hr_level_node *node, const uint8_t *restrict bins,
                                       const uint8_t *restrict at, uint8_t me, size_t count,
                                       uint8_t *restrict right) {
    uint8_t table[UINT8_MAX + 1];
    for (unsigned bin = 0; bin <= UINT8_MAX; bin++)
        table[bin] = (uint8_t)(node->right[bin / 64] >> (bin % 64) & 1);
    for (size_t i = 0; i < count; i++) right[i] |= (uint8_t)(table[bins[i]] & (at[i] == me));
}

static inline void hr_loop_walk_few(const hr_level *level, const uint8_t *bins, size_t count, uint8_t *at) {
    uint8_t right[HR_BLOCK_ROWS] = {0};
    for (size_t me = 0; me < level->node_count; me++) {
        const hr_level_node *node = &level->nodes[me];
        if (node->is_set)
            hr_loop_turn_by_set(node, bins + node->offset, at, (uint8_t)me, count, right);
        else
            hr_loop_turn_by_range(node, bins + node->offset, at, (uint8_t)me, count, right);
    }
    for (size_t i = 0; i < count; i++) at[i] = (uint8_t)(2 * at[i] + (right[i] & 1));
}

static inline void hr_loop_walk_many(const hr_level *level, const uint8_t *bins, size_t count, uint8_t *at) {
    if (level->has_sets)
        for (size_t i = 0; i < count; i++) {
            const hr_level_node *node = &level->nodes[at[i]];
            uint8_t bin = bins[node->offset + i];
            at[i] = (uint8_t)(2 * at[i] + (node->right[bin / 64] >> (bin % 64) & 1));
        }
    else
        for (size_t i = 0; i < count; i++) {
            const hr_level_node *node = &level->nodes[at[i]];
            at[i] = (uint8_t)(2 * at[i] + ((uint8_t)(bins[node->offset + i] - node->low) > node->width));
        }
}

static inline void hr_loop_walk_block(const hr_level *levels, size_t depth, const uint8_t *bins, size_t count,
                                      uint8_t *at) {
    memset(at, 0, count);
    for (const hr_level *level = levels; level < levels + depth; level++)
        (level->node_count <= HR_LOOP_NODES ? hr_loop_walk_few : hr_loop_walk_many)(level, bins, count, at);
}

static inline void hr_loop_cells_of_pair(const uint8_t *restrict first, const uint8_t *restrict second,
                                         uint16_t width, size_t count, uint16_t *restrict cells) {
    for (size_t i = 0; i < count; i++) cells[i] = (uint16_t)(first[i] * width + second[i]);
}

#endif
