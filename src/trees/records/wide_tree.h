/* Growing one tree from bins without a limit: a byte tells 256 bins apart (tables/bins/binning.h), and
 * InPrivate Digging as published has |d|/3 candidates for a number with |d| values (lines 4 to 11 of its
 * Algorithm 1). Such bins are exact statistics: for mode paper alone, NOT PRIVATE. */
#ifndef HR_TREES_RECORDS_WIDE_TREE_H
#define HR_TREES_RECORDS_WIDE_TREE_H

#include "privacy/gate.h"
#include "trees/stats/gradient.h"
#include "trees/tree/tree.h"

/* What a tree is grown from; all of it is borrowed. */
typedef struct hr_wide_growth {
    const hr_data *records;
    const hr_binning *binning; /* of hr_edges_triple_means */
    const hr_packing *packing;
    const int64_t *gradients;       /* packed, one a record */
    const hr_hessian_rule *hessian; /* of the denominators of leaves; NULL: the number of records */
    hr_gate *gate;
    const hr_permit *permits; /* one a level, charged with a width */
    size_t depth;             /* levels of splits; 1 .. HR_TREE_DEPTH_MAX */
    hr_arena *arena;          /* of the tree */
} hr_wide_growth;

/* Every node of a level is split at a candidate that the gate chooses by the scores of split_candidates.h
 * without lambda, so that the tree is full; without a candidate it is one leaf. Leaf values are 0. sums,
 * denominators: one a leaf, in order of nodes, room for 2^depth: of gradients, and as `hessian` has it.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_wide_grow(const hr_wide_growth *growth, hr_tree *out, hr_exact *sums,
                                     hr_exact *denominators, hr_error *err);

#endif
