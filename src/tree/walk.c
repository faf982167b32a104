/* A step is a load of the node, of the record's bin and of one word of the node's set, then arithmetic: no branch depends on the
 * data. Steps of LANES records are independent, so that their loads overlap; measured by bench/bench_predict.c. */
#include "tree/walk.h"

enum { LANES = 8 };

static void lay_out_node(const hr_tree *tree, size_t n, const hr_binning *binning, const size_t *offsets, hr_walk_node *out) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) {
        *out = (hr_walk_node){.left = (uint32_t)n};
        return;
    }
    const hr_feature_bins *bins = &binning->features[node->feature];
    *out = (hr_walk_node){.left = node->left, .offset = offsets[node->feature]};
    for (unsigned bin = 0; bin < bins->bin_count; bin++)
        if (!hr_node_goes_left(tree, node, bins->kind, (uint8_t)bin)) hr_bin_set_add(&out->right, (uint8_t)bin);
}

/* Parents come before their children. */
static unsigned tree_depth(const hr_tree *tree, uint8_t *depths) {
    unsigned deepest = 0;
    depths[0] = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        if (depths[n] > deepest) deepest = depths[n];
        if (node->left) depths[node->left] = depths[node->left + 1] = (uint8_t)(depths[n] + 1);
    }
    return deepest;
}

bool hr_walk_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets, hr_walk_tree *out) {
    hr_walk_node *nodes = hr_arena_alloc(arena, tree->node_count, sizeof *nodes);
    double *values = hr_arena_alloc(arena, tree->node_count, sizeof *values);
    hr_arena_mark mark = hr_arena_get_mark(arena);
    uint8_t *depths = hr_arena_alloc(arena, tree->node_count, 1);
    if (!nodes || !values || !depths) return false;
    for (size_t n = 0; n < tree->node_count; n++) {
        lay_out_node(tree, n, binning, offsets, &nodes[n]);
        values[n] = tree->nodes[n].value;
    }
    *out = (hr_walk_tree){nodes, values, tree_depth(tree, depths), tree->output};
    hr_arena_rewind(arena, mark);
    return true;
}

static inline void walk_lanes(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, uint32_t *at) {
    const hr_walk_node *nodes = tree->nodes;
    for (size_t i = 0; i < LANES; i++) at[i] = 0;
    for (unsigned step = 0; step < tree->depth; step++) {
        for (size_t i = 0; i < LANES; i++) {
            const hr_walk_node *node = &nodes[at[i]];
            uint8_t bin = bins[node->offset + positions[i]];
            at[i] = node->left + (uint32_t)hr_bin_set_has(&node->right, bin);
        }
    }
}

/* Fewer than LANES records: the first stands in for the missing ones. */
static void walk_last(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, size_t count, uint32_t *at) {
    size_t filled[LANES];
    for (size_t k = 0; k < LANES; k++) filled[k] = positions[k < count ? k : 0];
    walk_lanes(tree, bins, filled, at);
}

void hr_walk_nodes(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, size_t count, uint32_t *nodes) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) walk_lanes(tree, bins, positions + i, nodes + i);
    uint32_t at[LANES];
    if (i < count) walk_last(tree, bins, positions + i, count - i, at);
    for (size_t k = 0; i + k < count; k++) nodes[i + k] = at[k];
}

void hr_walk(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, size_t count, double *values) {
    uint32_t at[LANES];
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        walk_lanes(tree, bins, positions + i, at);
        for (size_t k = 0; k < LANES; k++) values[i + k] = tree->values[at[k]];
    }
    if (i < count) walk_last(tree, bins, positions + i, count - i, at);
    for (size_t k = 0; i + k < count; k++) values[i + k] = tree->values[at[k]];
}
