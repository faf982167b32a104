#include "tree/value_tree.h"

#include "base/fail.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 30 }; /* deeper trees than that are refused, whatever the caller allows */

/* ---- From bins ----------------------------------------------------------------------------------------------------------- */

static hr_value_node node_of(const hr_node *node, const hr_binning *binning) {
    hr_value_node made = {.left = node->left, .value = node->value};
    if (!node->left) return made;
    const hr_feature_bins *bins = &binning->features[node->feature];
    assert(!node->branches);
    made.feature = node->feature;
    made.subset = node->subset;
    made.missing_left = node->missing_left;
    made.value = 0;
    if (bins->kind == HR_NUMBER) {
        assert(node->cut >= 1 && node->cut + 2u <= bins->bin_count);
        made.cut = bins->edges[node->cut - 1];
    }
    return made;
}

hr_status hr_value_tree_of(const hr_tree *tree, const hr_binning *binning, hr_arena *arena, hr_value_tree *out, hr_error *err) {
    hr_value_node *nodes = hr_arena_alloc(arena, tree->node_count, sizeof *nodes);
    hr_bin_set *subsets = hr_arena_alloc(arena, tree->subset_count + 1, sizeof *subsets);
    if (!nodes || !subsets) return hr_fail_memory(err);
    for (size_t n = 0; n < tree->node_count; n++) nodes[n] = node_of(&tree->nodes[n], binning);
    if (tree->subset_count) memcpy(subsets, tree->subsets, tree->subset_count * sizeof *subsets);
    *out = (hr_value_tree){nodes, tree->node_count, subsets, tree->subset_count};
    return HR_OK;
}

/* ---- Records ------------------------------------------------------------------------------------------------------------- */

static bool number_goes_left(const hr_value_node *node, double x) {
    return isnan(x) ? node->missing_left : x <= node->cut;
}

static bool code_goes_left(const hr_value_tree *tree, const hr_value_node *node, uint16_t code) {
    return hr_bin_set_has(&tree->subsets[node->subset], (uint8_t)(code < HR_BINS_MAX - 1 ? code : HR_BINS_MAX - 1));
}

static double value_of_node(const hr_value_tree *tree, const hr_data *data, size_t row) {
    const hr_value_node *node = &tree->nodes[0];
    while (node->left) {
        const double *numbers = hr_data_numbers(data, node->feature);
        bool left = numbers ? number_goes_left(node, numbers[row]) : code_goes_left(tree, node, hr_data_codes(data, node->feature)[row]);
        node = &tree->nodes[node->left + !left];
    }
    return node->value;
}

void hr_value_tree_add(const hr_value_tree *tree, const hr_data *data, double *scores) {
    for (size_t i = 0; i < hr_data_rows(data); i++) scores[i] += value_of_node(tree, data, i);
}

/* ---- Checking ------------------------------------------------------------------------------------------------------------ */

typedef struct value_tree_check {
    const hr_value_tree *tree;
    const hr_schema *schema;
    size_t depth_max;
    double value_max;
    uint8_t *depths; /* 1 of the root; 0: no parent has named the node yet */
    hr_error *err;
} value_tree_check;

static hr_status refuse_value_tree(const value_tree_check *c, const char *what, size_t node) {
    return hr_fail(c->err, HR_E_FORMAT, "ask its owner for the tree again", "node %zu of a tree: %s", node, what);
}

static hr_status check_subset(const value_tree_check *c, size_t n, const hr_column *column) {
    const hr_value_node *node = &c->tree->nodes[n];
    if (node->subset >= c->tree->subset_count) return refuse_value_tree(c, "the subset does not exist", n);
    for (size_t bin = column->value_count + 1; bin < HR_BINS_MAX; bin++)
        if (hr_bin_set_has(&c->tree->subsets[node->subset], (uint8_t)bin))
            return refuse_value_tree(c, "the subset has a bin that the feature does not have", n);
    return HR_OK;
}

static hr_status check_question(const value_tree_check *c, size_t n) {
    const hr_value_node *node = &c->tree->nodes[n];
    if (node->feature >= hr_schema_feature_count(c->schema)) return refuse_value_tree(c, "the feature does not exist", n);
    const hr_column *column = hr_schema_feature(c->schema, node->feature);
    if (column->kind == HR_CATEGORY) return check_subset(c, n, column);
    bool inside = node->cut >= column->low && node->cut <= column->high;
    return inside ? HR_OK : refuse_value_tree(c, "the cut is outside the public bounds of its feature", n);
}

static hr_status name_children(const value_tree_check *c, size_t n) {
    size_t left = c->tree->nodes[n].left;
    if (left <= n) return refuse_value_tree(c, "children must come after their parent", n);
    if (left + 1 >= c->tree->node_count) return refuse_value_tree(c, "a child is missing", n);
    if (c->depths[n] > c->depth_max) return refuse_value_tree(c, "the tree is too deep", n);
    for (size_t child = left; child <= left + 1; child++) {
        if (c->depths[child]) return refuse_value_tree(c, "a child has two parents", n);
        c->depths[child] = (uint8_t)(c->depths[n] + 1);
    }
    return HR_OK;
}

static hr_status check_value_node(const value_tree_check *c, size_t n) {
    const hr_value_node *node = &c->tree->nodes[n];
    if (!c->depths[n]) return refuse_value_tree(c, "the node has no parent", n);
    if (!node->left) return fabs(node->value) <= c->value_max ? HR_OK : refuse_value_tree(c, "the leaf's value is out of bounds", n);
    hr_status status = name_children(c, n);
    return status ? status : check_question(c, n);
}

hr_status hr_value_tree_check(const hr_value_tree *tree, const hr_schema *schema, size_t depth_max, double value_max, hr_error *err) {
    value_tree_check c = {tree, schema, depth_max < DEPTH_MAX ? depth_max : DEPTH_MAX, value_max, NULL, err};
    if (!tree->node_count) return refuse_value_tree(&c, "a tree has one node or more", 0);
    /* Before memory is asked for. */
    if (tree->node_count > ((size_t)2 << c.depth_max) - 1) return refuse_value_tree(&c, "the tree has more nodes than its depth allows", 0);
    c.depths = calloc(tree->node_count, 1);
    if (!c.depths) return hr_fail_memory(err);
    c.depths[0] = 1;
    hr_status status = HR_OK;
    for (size_t n = 0; !status && n < tree->node_count; n++) status = check_value_node(&c, n);
    free(c.depths);
    return status;
}
