/* A step is a load of the node, of the record's bin and of one word of the node's set, then arithmetic: no branch depends on the
 * data. Steps of LANES records are independent, so that their loads overlap; measured by bench/bench_predict.c. */
#include "model/walk.h"

#include <string.h>

enum { LANES = 8 };

static void lay_out_node(const hr_tree *tree, size_t n, const hr_binning *binning, const uint32_t *columns, hr_walk_node *out) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) {
        *out = (hr_walk_node){.left = (uint32_t)n};
        return;
    }
    const hr_feature_bins *bins = &binning->features[node->feature];
    *out = (hr_walk_node){.left = node->left, .offset = columns[node->feature] * HR_WALK_ROWS};
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

static bool lay_out_tree(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const uint32_t *columns, hr_walk_tree *out) {
    hr_walk_node *nodes = hr_arena_alloc(arena, tree->node_count, sizeof *nodes);
    double *values = hr_arena_alloc(arena, tree->node_count, sizeof *values);
    hr_arena_mark mark = hr_arena_get_mark(arena);
    uint8_t *depths = hr_arena_alloc(arena, tree->node_count, 1);
    if (!nodes || !values || !depths) return false;
    for (size_t n = 0; n < tree->node_count; n++) {
        lay_out_node(tree, n, binning, columns, &nodes[n]);
        values[n] = tree->nodes[n].value;
    }
    *out = (hr_walk_tree){nodes, values, tree_depth(tree, depths), tree->output};
    hr_arena_rewind(arena, mark);
    return true;
}

/* Numbers the features that a tree asks about. */
static bool make_columns(hr_arena *arena, const hr_forest *forest, size_t feature_count, uint32_t *columns, hr_walk *out) {
    for (size_t t = 0; t < forest->tree_count; t++)
        for (size_t n = 0; n < forest->trees[t].node_count; n++)
            if (forest->trees[t].nodes[n].left) columns[forest->trees[t].nodes[n].feature] = 1;
    out->features = hr_arena_alloc(arena, feature_count, sizeof *out->features);
    if (!out->features) return false;
    for (size_t f = 0; f < feature_count; f++) {
        if (!columns[f]) continue;
        columns[f] = (uint32_t)out->column_count;
        out->features[out->column_count++] = f;
    }
    return true;
}

bool hr_walk_make(hr_arena *arena, const hr_forest *forest, const hr_binning *binning, hr_walk *out) {
    hr_walk walk = {.tree_count = forest->tree_count};
    uint32_t *columns = hr_arena_alloc(arena, binning->feature_count, sizeof *columns);
    walk.trees = hr_arena_alloc(arena, forest->tree_count, sizeof *walk.trees);
    if (!columns || !walk.trees || !make_columns(arena, forest, binning->feature_count, columns, &walk)) return false;
    for (size_t t = 0; t < forest->tree_count; t++)
        if (!lay_out_tree(arena, &forest->trees[t], binning, columns, &walk.trees[t])) return false;
    *out = walk;
    return true;
}

static void walk_lanes(const hr_walk_tree *tree, const uint8_t *bins, double *scores) {
    uint32_t at[LANES] = {0};
    for (unsigned step = 0; step < tree->depth; step++) {
        for (size_t i = 0; i < LANES; i++) {
            const hr_walk_node *node = &tree->nodes[at[i]];
            uint8_t bin = bins[node->offset + i];
            at[i] = node->left + (uint32_t)hr_bin_set_has(&node->right, bin);
        }
    }
    for (size_t i = 0; i < LANES; i++) scores[i] += tree->values[at[i]];
}

void hr_walk_trees(const hr_walk *walk, const uint8_t *bins, size_t rows, double *scores) {
    for (size_t t = 0; t < walk->tree_count; t++) {
        const hr_walk_tree *tree = &walk->trees[t];
        double *of_output = scores + tree->output * HR_WALK_ROWS;
        for (size_t row = 0; row < rows; row += LANES) walk_lanes(tree, bins + row, of_output + row);
    }
}
