#include "trees/tree/walk.h"

static void range_of_cut(const hr_node *node, hr_range_node *out) {
    out->low = !node->missing_left;
    out->width = (uint8_t)(node->cut - out->low);
}

bool hr_walk_range(const hr_tree *tree, const hr_node *node, const hr_feature_bins *bins,
                   hr_range_node *out) {
    if (bins->kind == HR_KIND_NUMBER) {
        if (node->cut || node->missing_left) range_of_cut(node, out);
        return node->cut || node->missing_left;
    }
    unsigned first = bins->bin_count, last = 0, count = 0;
    for (unsigned bin = 0; bin < bins->bin_count; bin++) {
        if (!hr_node_goes_left(tree, node, bins->kind, (uint8_t)bin)) continue;
        if (!count++) first = bin;
        last = bin;
    }
    if (!count || count != last - first + 1) return false;
    out->low = (uint8_t)first;
    out->width = (uint8_t)(last - first);
    return true;
}

/* False if some split is not one range. */
static bool lay_out_ranges(const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                           hr_range_node *out) {
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        out[n] = (hr_range_node){.left = (uint32_t)n, .low = 0, .width = UINT8_MAX};
        if (!node->left) continue;
        out[n].left = node->left;
        out[n].offset = offsets[node->feature];
        if (!hr_walk_range(tree, node, &binning->features[node->feature], &out[n])) return false;
    }
    return true;
}

static void lay_out_sets(const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                         hr_set_node *out) {
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        out[n] = (hr_set_node){.left = (uint32_t)n};
        if (!node->left) continue;
        out[n].left = node->left;
        out[n].offset = offsets[node->feature];
        const hr_feature_bins *bins = &binning->features[node->feature];
        for (unsigned bin = 0; bin < bins->bin_count; bin++)
            if (!hr_node_goes_left(tree, node, bins->kind, (uint8_t)bin))
                hr_bin_set_add(&out[n].right, (uint8_t)bin);
    }
}

/* Parents come before their children. */
static unsigned tree_depth(const hr_tree *tree, uint16_t *depths) {
    unsigned deepest = 0;
    depths[0] = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        if (depths[n] > deepest) deepest = depths[n];
        if (node->left) depths[node->left] = depths[node->left + 1] = (uint16_t)(depths[n] + 1);
    }
    return deepest;
}

bool hr_walk_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                       hr_walk_tree *out) {
    double *values = hr_arena_alloc(arena, tree->node_count, sizeof *values);
    uint16_t *depths = hr_arena_alloc(arena, tree->node_count, sizeof *depths);
    hr_range_node *ranges = hr_arena_alloc(arena, tree->node_count, sizeof *ranges);
    if (!values || !depths || !ranges) return false;
    for (size_t n = 0; n < tree->node_count; n++) values[n] = tree->nodes[n].value;
    *out = (hr_walk_tree){
        .ranges = ranges, .values = values, .depth = tree_depth(tree, depths), .output = tree->output};
    if (lay_out_ranges(tree, binning, offsets, ranges)) return true;
    hr_set_node *sets = hr_arena_alloc(arena, tree->node_count, sizeof *sets);
    if (!sets) return false;
    lay_out_sets(tree, binning, offsets, sets);
    out->ranges = NULL;
    out->sets = sets;
    return true;
}
