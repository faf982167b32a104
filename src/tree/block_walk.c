/* The loops over bytes are functions of their own, over a whole block and with 0 or 255 for false or true: so
 * gcc and clang make vectors of them. Measured by bench/bench_hedge.c. */
#include "tree/block_walk.h"

#include <string.h>

enum { LANES = 8, BLOCK = HR_WALK_BLOCK, PLACES = HR_UPPER_PLACES };

static bool set_upper(hr_arena *arena, const hr_tree *tree, const hr_node *node, const hr_feature_bins *bins,
                      hr_upper_node *out) {
    hr_range_node range;
    if (hr_walk_range(tree, node, bins, &range)) {
        out->low = range.low;
        out->width = range.width;
        return true;
    }
    uint8_t *right = hr_arena_alloc(arena, HR_BINS_MAX, 1);
    if (!right) return false;
    for (unsigned bin = 0; bin < bins->bin_count; bin++)
        right[bin] = hr_node_goes_left(tree, node, bins->kind, (uint8_t)bin) ? 0 : UINT8_MAX;
    out->right = right;
    return true;
}

/* A leaf above the last upper level stays on the left all the way down. */
static bool lay_out_upper(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                          const size_t *offsets, hr_block_tree *out) {
    uint32_t nodes[2 * PLACES] = {0};
    for (size_t i = 1; i < (size_t)1 << out->upper_depth; i++) {
        const hr_node *node = &tree->nodes[nodes[i]];
        hr_upper_node *upper = &out->upper[i];
        *upper = (hr_upper_node){.low = 0, .width = UINT8_MAX};
        nodes[2 * i] = node->left ? node->left : nodes[i];
        nodes[2 * i + 1] = node->left ? node->left + 1 : nodes[i];
        if (!node->left) continue;
        upper->offset = offsets[node->feature];
        if (!set_upper(arena, tree, node, &binning->features[node->feature], upper)) return false;
    }
    memcpy(out->entries, nodes + ((size_t)1 << out->upper_depth), sizeof *nodes << out->upper_depth);
    return true;
}

bool hr_block_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_block_tree *out) {
    if (!hr_walk_tree_make(arena, tree, binning, offsets, &out->walk)) return false;
    out->upper_depth = out->walk.depth < HR_UPPER_LEVELS ? out->walk.depth : HR_UPPER_LEVELS;
    return lay_out_upper(arena, tree, binning, offsets, out);
}

/* ---- Upper levels ---- */

static void turn_by_range(const uint8_t *restrict bins, uint8_t low, uint8_t width,
                          const uint8_t *restrict at, uint8_t me, uint8_t *restrict right) {
    for (size_t i = 0; i < BLOCK; i++) {
        uint8_t beyond = (uint8_t)(bins[i] - low) > width ? UINT8_MAX : 0;
        uint8_t here = at[i] == me ? UINT8_MAX : 0;
        right[i] |= beyond & here;
    }
}

static void go_down(const uint8_t *restrict right, uint8_t *restrict at) {
    for (size_t i = 0; i < BLOCK; i++) at[i] = (uint8_t)(2 * at[i] + (right[i] & 1));
}

static void look_up(const uint8_t *restrict bins, const uint8_t *restrict table, uint8_t *restrict out) {
    for (size_t i = 0; i < BLOCK; i++) out[i] = table[bins[i]];
}

/* Fewer records than a block: zeros stand in for the missing ones. */
static const uint8_t *whole_block(const uint8_t *column, size_t count, uint8_t *part) {
    if (count == BLOCK) return column;
    memset(part + count, 0, BLOCK - count);
    return memcpy(part, column, count);
}

/* at[i]: the place of record i among the nodes of the last upper level. */
static void walk_upper(const hr_block_tree *tree, const uint8_t *bins, size_t count, uint8_t *at) {
    uint8_t part[BLOCK], looked_up[BLOCK], right[BLOCK];
    memset(at, 0, BLOCK);
    for (unsigned level = 0; level < tree->upper_depth; level++) {
        memset(right, 0, sizeof right);
        for (unsigned me = 0; me < 1u << level; me++) {
            const hr_upper_node *node = &tree->upper[(1u << level) + me];
            const uint8_t *column = whole_block(bins + node->offset, count, part);
            if (node->right) {
                look_up(column, node->right, looked_up);
                turn_by_range(looked_up, 0, 0, at, (uint8_t)me, right);
            } else {
                turn_by_range(column, node->low, node->width, at, (uint8_t)me, right);
            }
        }
        go_down(right, at);
    }
}

/* ---- Lower levels ---- */

/* The next `lanes` records, whose steps do not wait for each other, from their places down. */
static inline void walk_block_lanes(const hr_block_tree *tree, const uint8_t *bins, const uint8_t *places,
                                    size_t lanes, uint16_t *nodes) {
    const hr_range_node *ranges = tree->walk.ranges;
    const hr_set_node *sets = tree->walk.sets;
    uint32_t at[LANES];
    for (size_t i = 0; i < lanes; i++) at[i] = tree->entries[places[i]];
    for (unsigned level = tree->upper_depth; level < tree->walk.depth; level++)
        for (size_t i = 0; i < lanes; i++) {
            if (ranges) {
                const hr_range_node *node = &ranges[at[i]];
                uint8_t above_low = (uint8_t)(bins[node->offset + i] - node->low);
                at[i] = node->left + (above_low > node->width);
            } else {
                const hr_set_node *node = &sets[at[i]];
                at[i] = node->left + (uint32_t)hr_bin_set_has(&node->right, bins[node->offset + i]);
            }
        }
    for (size_t i = 0; i < lanes; i++) nodes[i] = (uint16_t)at[i];
}

void hr_block_walk(const hr_block_tree *tree, const uint8_t *bins, size_t begin, size_t count,
                   uint16_t *nodes) {
    uint8_t places[BLOCK];
    walk_upper(tree, bins + begin, count, places);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        walk_block_lanes(tree, bins + begin + i, places + i, LANES, nodes + i);
    for (; i < count; i++) walk_block_lanes(tree, bins + begin + i, places + i, 1, nodes + i);
}
