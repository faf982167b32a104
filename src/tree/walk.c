/* A step is a load of the node, of the record's bin and of one word of the node's set, then arithmetic: no branch depends on the
 * data. Steps of LANES records are independent, so that their loads overlap; measured by bench/bench_predict.c. */
#include "tree/walk.h"

#include <string.h>

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

static inline void walk_lanes(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, double *values) {
    const hr_walk_node *nodes = tree->nodes;
    uint32_t at[LANES] = {0};
    for (unsigned step = 0; step < tree->depth; step++) {
        for (size_t i = 0; i < LANES; i++) {
            const hr_walk_node *node = &nodes[at[i]];
            uint8_t bin = bins[node->offset + positions[i]];
            at[i] = node->left + (uint32_t)hr_bin_set_has(&node->right, bin);
        }
    }
    for (size_t i = 0; i < LANES; i++) values[i] = tree->values[at[i]];
}

void hr_walk(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, size_t count, double *values) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) walk_lanes(tree, bins, positions + i, values + i);
    if (i == count) return;
    size_t last[LANES];
    double last_values[LANES];
    for (size_t k = 0; k < LANES; k++) last[k] = positions[i + k < count ? i + k : i];
    walk_lanes(tree, bins, last, last_values);
    memcpy(values + i, last_values, (count - i) * sizeof *values);
}
