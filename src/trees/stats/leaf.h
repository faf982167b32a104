/* Leaf sums on their way to the gate. */
#ifndef HR_TREES_STATS_LEAF_H
#define HR_TREES_STATS_LEAF_H

#include "privacy/sensitivity.h"
#include "trees/stats/packing.h"
#include "trees/tree/tree.h"

/* Splits the sums of a tree's leaves, in order of their nodes, into two arrays for the gate; returns how many
 * leaves. `sums` has one entry a node; both outputs have room for node_count. */
size_t hr_leaves_of(const hr_tree *tree, const hr_sums *sums, hr_exact *gradients, hr_exact *weights);

/* Gives the leaves, in the same order, their values. */
void hr_leaves_set(hr_tree *tree, const double *values);

/* Equation 4 of DPBoost, clipped: round(2^20 * clip(-S/(N + lambda), +-clip)), as an integer for a mechanism
 * that adds noise to the value itself. Only the published methods do; the sound ones release sums and counts.
 */
hr_exact hr_leaf_value(const hr_packing *packing, hr_exact gradient, hr_exact weight, double lambda,
                       double clip);

#endif
