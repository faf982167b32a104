/* Loops over a block of records in C: the walk down a tree, steps of scores, gradients as integers. Loops
 * over bytes hold 0 or 255 for false or true, so that gcc and clang make vectors of them. */
#ifndef HR_BASE_KERNELS_BLOCK_LOOPS_H
#define HR_BASE_KERNELS_BLOCK_LOOPS_H

#include "base/kernels/kernels.h"

#include <math.h>
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

/* A comparison with NaN is false: it becomes `low`. */
static inline double hr_loop_within(double x, double low, double high) {
    double above = x > low ? x : low;
    return above < high ? above : high;
}

static inline void hr_loop_cells_of_pair(const uint8_t *restrict first, const uint8_t *restrict second,
                                         uint16_t width, size_t count, uint16_t *restrict cells) {
    for (size_t i = 0; i < count; i++) cells[i] = (uint16_t)(first[i] * width + second[i]);
}

static inline void hr_loop_add_steps(const double *restrict steps, const uint8_t *restrict places,
                                     size_t count, double limit, double *restrict scores) {
    for (size_t i = 0; i < count; i++)
        scores[i] = hr_loop_within(scores[i] + steps[places[i]], -limit, limit);
}

/* Adding and taking away 1.5 * 2^52 rounds to the nearest integer, ties to even. */
static inline int64_t hr_loop_words_of(const hr_word_rule *rule, const double *restrict scores,
                                       const double *restrict targets, size_t count,
                                       int64_t *restrict words) {
    const double magic = 0x1.8p52, clip = rule->clip, scale = rule->scale, bound = rule->bound;
    const int shift = rule->shift;
    int64_t within = 0;
    for (size_t i = 0; i < count; i++) {
        double g = scores[i] - targets[i];
        within += fabs(g) <= clip;
        double whole = hr_loop_within(g, -clip, clip) * scale + magic - magic;
        int32_t clipped = (int32_t)hr_loop_within(whole, -bound, bound);
        words[i] = (int64_t)((uint64_t)(int64_t)clipped << shift) + 1;
    }
    return within;
}

#endif
