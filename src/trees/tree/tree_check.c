#include "trees/tree/tree_check.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

enum { OF_NODE = -1, OF_LEFT, OF_FEATURE, OF_SPLIT, OF_VALUE = OF_LEFT };

typedef struct tree_check_check {
    const hr_tree *tree;
    const hr_tree_limits *limits;
    uint8_t *depths; /* 1 of the root; 0: no parent has named the node yet */
    hr_tree_fault *fault;
} tree_check_check;

static bool blame(const tree_check_check *c, size_t node, int entry, const char *what) {
    *c->fault = (hr_tree_fault){.what = what, .of_node = true, .node = node, .entry = entry};
    return false;
}

static bool check_threshold(const tree_check_check *c, size_t n, const hr_column *column) {
    double threshold = c->tree->nodes[n].threshold;
    if (isnan(threshold)) return blame(c, n, OF_SPLIT, "the threshold is not a number");
    if (c->limits->within_bounds && !(threshold >= column->low && threshold <= column->high))
        return blame(c, n, OF_SPLIT, "the threshold is outside the public bounds of its feature");
    return true;
}

static bool check_subset(const tree_check_check *c, size_t n, const hr_column *column) {
    const hr_node *node = &c->tree->nodes[n];
    if (node->subset >= c->tree->subset_count) return blame(c, n, OF_SPLIT, "the subset does not exist");
    for (size_t bin = hr_category_bins(column); bin < HR_BINS_MAX; bin++)
        if (hr_bin_set_has(&c->tree->subsets[node->subset], (uint8_t)bin))
            return blame(c, n, OF_SPLIT, "the subset has a bin that the feature does not have");
    return true;
}

static bool check_multiway(const tree_check_check *c, size_t n, const hr_column *column) {
    const hr_tree *tree = c->tree;
    const hr_node *node = &tree->nodes[n];
    if (column->kind == HR_KIND_CATEGORY)
        return node->branches == hr_category_bins(column) ||
               blame(c, n, OF_NODE, "a multiway split has one child for every bin of the feature");
    if (node->branches < 2 || (size_t)node->first + node->branches - 2 > tree->threshold_count)
        return blame(c, n, OF_SPLIT, "a threshold is missing");
    for (size_t i = 0; i + 2 < node->branches; i++) {
        double threshold = tree->thresholds[node->first + i];
        if (!isfinite(threshold)) return blame(c, n, OF_SPLIT, "the threshold is not finite");
        if (i && threshold <= tree->thresholds[node->first + i - 1])
            return blame(c, n, OF_SPLIT, "thresholds must ascend");
    }
    return true;
}

static bool check_question(const tree_check_check *c, size_t n) {
    const hr_node *node = &c->tree->nodes[n];
    if (node->feature >= hr_schema_feature_count(c->limits->schema))
        return blame(c, n, OF_FEATURE, "the feature does not exist");
    const hr_column *column = hr_schema_feature(c->limits->schema, node->feature);
    if (node->branches) return check_multiway(c, n, column);
    return (column->kind == HR_KIND_NUMBER ? check_threshold : check_subset)(c, n, column);
}

static bool name_children(const tree_check_check *c, size_t n) {
    const hr_node *node = &c->tree->nodes[n];
    size_t end = (size_t)node->left + hr_node_child_count(node);
    if (node->left <= n) return blame(c, n, OF_LEFT, "children must come after their parent");
    if (end > c->tree->node_count) return blame(c, n, OF_LEFT, "a child is missing");
    if (c->depths[n] > c->limits->depth_max || c->depths[n] == UINT8_MAX)
        return blame(c, n, OF_NODE, "the tree is too deep");
    for (size_t child = node->left; child < end; child++) {
        if (c->depths[child]) return blame(c, n, OF_LEFT, "a child has two parents");
        c->depths[child] = (uint8_t)(c->depths[n] + 1);
    }
    return true;
}

static bool check_node(const tree_check_check *c, size_t n) {
    const hr_node *node = &c->tree->nodes[n];
    if (!c->depths[n]) return blame(c, n, OF_NODE, "the node has no parent");
    if (node->left) return name_children(c, n) && check_question(c, n);
    return fabs(node->value) <= c->limits->value_max ||
           blame(c, n, OF_VALUE, "the leaf's value is out of bounds");
}

hr_status hr_tree_check(const hr_tree *tree, const hr_tree_limits *limits, hr_tree_fault *fault,
                        hr_error *err) {
    tree_check_check c = {.tree = tree, .limits = limits, .fault = fault};
    *fault = (hr_tree_fault){.what = NULL};
    if (!tree->node_count || tree->node_count > UINT32_MAX) {
        fault->what = "a tree has one node or more";
        return hr_fail(err, HR_E_FORMAT, "", "%s", fault->what);
    }
    c.depths = calloc(tree->node_count, 1);
    if (!c.depths) return hr_fail_memory(err);
    bool sound = true;
    c.depths[0] = 1;
    for (size_t n = 0; sound && n < tree->node_count; n++) sound = check_node(&c, n);
    free(c.depths);
    return sound ? HR_OK : hr_fail(err, HR_E_FORMAT, "", "%s", fault->what);
}
