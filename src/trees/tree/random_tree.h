/* Random trees: structures drawn from public coins, without a look at the records.
 *
 * A cut is drawn inside what its node's ancestors left of the feature's bins, so that no leaf is empty by
 * contradiction; it is the mean of several uniform numbers, so that leaves are balanced. Missing numbers go
 * to a side drawn at random. A tree may also be drawn as a variation of an earlier one, whose structure is
 * public then. */
#ifndef HR_TREES_TREE_RANDOM_TREE_H
#define HR_TREES_TREE_RANDOM_TREE_H

#include "privacy/crypto/csprng.h"
#include "trees/tree/tree.h"

enum { HR_RANDOM_NODES_MAX = (2 << HR_TREE_DEPTH_MAX) - 1 };

/* Which features the nodes of a tree may split by. */
typedef struct hr_random_plan {
    int depth;            /* 1..HR_TREE_DEPTH_MAX */
    size_t feature_count; /* 1 or 2: uniformly one of `features`; 0: any, with probability proportional to
                             weights[f] */
    uint32_t features[2];
    const double *weights; /* one a feature, >= 0, not all 0 */
    int centred;           /* how many uniform numbers a cut is the mean of */
    const hr_tree *model;  /* NULL, or a two-way tree to vary: nodes split by the features of its nodes, and
                              cuts are moved a little */
} hr_random_plan;

/* Draws a tree into caller's storage: `nodes` and `subsets` have room for 2^(depth + 1) - 1. Leaf values are
 * 0. */
void hr_random_tree(hr_csprng *csprng, const hr_binning *binning, const hr_random_plan *plan, hr_node *nodes,
                    hr_bin_set *subsets, hr_tree *out);

/* Index i with probability weights[i] / sum (to double precision: a public coin). */
size_t hr_pick(hr_csprng *csprng, const double *weights, size_t count);

#endif
