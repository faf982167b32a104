/* Trees over values, not bins: what owners whose bins differ can send each other. A tree that came from somebody else is believed only
 * after hr_value_tree_check. */
#ifndef HR_TREE_VALUE_TREE_H
#define HR_TREE_VALUE_TREE_H

#include "tree/tree.h"

#include <hedgerow/data.h>

/* A node is a leaf if left == 0; else records go to `left` or to `left + 1`. */
typedef struct hr_value_node {
    uint32_t left;
    uint32_t feature;
    uint32_t subset;   /* HR_CATEGORY: index of the set of bins that go left; code c is bin min(c, 255) */
    bool missing_left; /* HR_NUMBER */
    double cut;        /* HR_NUMBER: x <= cut goes left */
    double value;      /* leaf: what it adds to the score */
} hr_value_node;

typedef struct hr_value_tree {
    hr_value_node *nodes; /* nodes[0] is the root */
    size_t node_count;
    hr_bin_set *subsets;
    size_t subset_count;
} hr_value_tree;

/* The same tree over values. `tree` has two-way splits only, and cuts numbers at an edge: cut >= 1, cut <= bin_count - 2. Everything made
 * is in `arena`. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_value_tree_of(const hr_tree *tree, const hr_binning *binning, hr_arena *arena, hr_value_tree *out,
                                         hr_error *err);

/* scores[i] += what the tree says of record i. The tree: made by hr_value_tree_of, or checked against the schema of `data`. */
void hr_value_tree_add(const hr_value_tree *tree, const hr_data *data, double *scores);

/* Whether a tree of arbitrary content can be used: every node but the root is the child of one node before it; splits are about features
 * of the schema, with cuts between their bounds and subsets of their bins; no path has more than `depth_max` splits, no leaf is beyond
 * +-value_max. The arrays hold as many entries as their counts say. Fails: FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_value_tree_check(const hr_value_tree *tree, const hr_schema *schema, size_t depth_max, double value_max,
                                            hr_error *err);

#endif
