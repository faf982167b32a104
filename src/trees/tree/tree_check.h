/* Whether a tree of arbitrary content can be used. A tree that came from elsewhere, in a file or a message,
 * is believed only after this. */
#ifndef HR_TREES_TREE_TREE_CHECK_H
#define HR_TREES_TREE_TREE_CHECK_H

#include "trees/tree/tree.h"

#include <hedgerow/status.h>

/* What a tree may be. */
typedef struct hr_tree_limits {
    const hr_schema *schema;
    size_t depth_max;   /* splits from the root to a leaf; 254 if more */
    double value_max;   /* the largest magnitude of a leaf */
    bool within_bounds; /* thresholds of two-way splits lie within the public bounds of their features */
} hr_tree_limits;

/* Where a tree is at fault: an entry of a node as model files have it (docs/reference/formats.md), or the
 * node; or, without a node, the tree. */
typedef struct hr_tree_fault {
    const char *what; /* NULL: nowhere */
    bool of_node;
    size_t node;
    int entry; /* -1: the node */
} hr_tree_fault;

/* Every node but the root is the child of one node before it; splits are about features of the schema, by
 * thresholds that are numbers (of a multiway split: finite and ascending) and by subsets of their bins; depth
 * and leaves are within the limits. The arrays hold as many entries as their counts. Fails: FORMAT
 * (fault->what has the reason; the message of `err` is the caller's), MEMORY. */
HR_MUST_CHECK hr_status hr_tree_check(const hr_tree *tree, const hr_tree_limits *limits, hr_tree_fault *fault,
                                      hr_error *err);

#endif
