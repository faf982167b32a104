#include "trees/tree/tree.h"

#include "base/fail.h"

#include <math.h>
#include <string.h>

uint32_t hr_node_child_of_number(const hr_tree *tree, const hr_node *node, double x) {
    uint32_t less = 0;
    if (!node->branches) return node->left + !(isnan(x) ? node->missing_left : x <= node->threshold);
    if (isnan(x)) return node->left;
    while (less + 2 < node->branches && tree->thresholds[node->first + less] < x) less++;
    return node->left + 1 + less;
}

uint32_t hr_node_child_of_code(const hr_tree *tree, const hr_node *node, uint16_t code) {
    uint8_t bin = (uint8_t)(code < HR_BINS_MAX - 1 ? code : HR_BINS_MAX - 1);
    return hr_node_child(tree, node, HR_KIND_CATEGORY, bin);
}

static uint32_t child_of(const hr_tree *tree, const hr_node *node, const hr_data *data, size_t row) {
    double number;
    uint16_t code;
    if (hr_schema_feature(hr_data_schema(data), node->feature)->kind == HR_KIND_NUMBER)
        return hr_node_child_of_number(tree, node,
                                       *hr_data_number_block(data, node->feature, row, 1, &number));
    return hr_node_child_of_code(tree, node, *hr_data_code_block(data, node->feature, row, 1, &code));
}

uint32_t hr_tree_leaf(const hr_tree *tree, const hr_data *data, size_t row) {
    uint32_t n = 0;
    while (tree->nodes[n].left) n = child_of(tree, &tree->nodes[n], data, row);
    return n;
}

void hr_tree_add(const hr_tree *tree, const hr_data *data, double *scores) {
    for (size_t i = 0; i < hr_data_rows(data); i++)
        scores[i] += tree->nodes[hr_tree_leaf(tree, data, i)].value;
}

static void *copy_array(hr_arena *arena, const void *from, size_t count, size_t size) {
    void *to = hr_arena_alloc(arena, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

hr_status hr_tree_copy(const hr_tree *tree, hr_arena *arena, hr_tree *out, hr_error *err) {
    hr_tree copy = *tree;
    copy.nodes = copy_array(arena, tree->nodes, tree->node_count, sizeof *tree->nodes);
    copy.subsets = copy_array(arena, tree->subsets, tree->subset_count, sizeof *tree->subsets);
    copy.thresholds = copy_array(arena, tree->thresholds, tree->threshold_count, sizeof *tree->thresholds);
    if (tree->counts) copy.counts = copy_array(arena, tree->counts, tree->node_count, sizeof *tree->counts);
    if (tree->noise) copy.noise = copy_array(arena, tree->noise, tree->node_count, sizeof *tree->noise);
    if (!copy.nodes || !copy.subsets || !copy.thresholds || (tree->counts && !copy.counts) ||
        (tree->noise && !copy.noise))
        return hr_fail_memory(err);
    *out = copy;
    return HR_OK;
}
