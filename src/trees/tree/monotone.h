/* Trees that are monotone in features of their schema (hr_column.monotone): as such a feature rises, and all
 * others stay, the value never falls (increasing), or never rises (decreasing).
 *
 * Two leaves are *ordered* if a record can move from one to the other as one monotone feature rises alone:
 * what the tree's splits leave of every other feature has something in common, be it that it is missing, and
 * what they leave of this one lies below in the one and above in the other. A tree is monotone if and only if
 * no two ordered leaves have values in the wrong order; and so is a forest if all of its trees are. Where the
 * feature itself is missing, nothing is promised. */
#ifndef HR_TREES_TREE_MONOTONE_H
#define HR_TREES_TREE_MONOTONE_H

#include "trees/tree/tree.h"

/* Where a forest is not monotone: a record moves from one leaf of a tree to another as the feature rises. */
typedef struct hr_monotone_fault {
    size_t tree;
    uint32_t feature, below, above;
} hr_monotone_fault;

/* Whether all trees of a forest, which are sound (tree_check.h), are monotone in all numbers within the
 * features' bounds. False: *fault is an example. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_monotone_check(const hr_forest *forest, const hr_schema *schema, bool *monotone,
                                          hr_monotone_fault *fault, hr_error *err);

/* Makes values[n] of the leaves monotone, by about as little as that takes: the sum of squares of what
 * changes, times weights[n] > 0, is near the least possible. The order of the result holds exactly, and
 * survives a multiplication by a positive number. Values of other nodes are left alone. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_monotone_project(const hr_tree *tree, const hr_schema *schema,
                                            const double *weights, double *values, hr_error *err);

#endif
