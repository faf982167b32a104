/* Splits of a node, and the sums of leaves on their way to the gate. */
#ifndef HR_TREES_STATS_SPLIT_H
#define HR_TREES_STATS_SPLIT_H

#include "privacy/sensitivity.h"
#include "trees/stats/packing.h"
#include "trees/tree/tree.h"

/* ---- Splits of a node ---- */

typedef struct hr_split {
    bool made; /* false: the node stays a leaf */
    uint32_t feature;
    hr_kind kind;
    uint8_t cut;       /* HR_KIND_NUMBER: bins 1..cut go left */
    bool missing_left; /* HR_KIND_NUMBER */
    hr_bin_set left;   /* HR_KIND_CATEGORY: the bins that go left */
} hr_split;

static inline bool hr_split_goes_left(const hr_split *split, uint8_t bin) {
    if (split->kind == HR_KIND_CATEGORY) return hr_bin_set_has(&split->left, bin);
    return bin ? bin <= split->cut : split->missing_left;
}

/* Which bins of a number occur. */
typedef struct hr_bin_range {
    uint8_t low, high; /* the lowest and the highest but for bin 0; low > high: there is none */
    bool missing;      /* bin 0 occurs */
} hr_bin_range;

/* Which bins of a number go left: 1..bin, and bin 0 if missing_left; not all of HR_BINS_MAX. */
typedef struct hr_cut {
    uint8_t bin;
    bool missing_left;
} hr_cut;

/* Whether each bin of the split's feature goes left, one byte a bin: turns any split into one load. */
void hr_split_left_table(const hr_split *split, const hr_binning *binning, uint8_t table[HR_BINS_MAX]);

/* A category of a node and what it is ordered by. */
typedef struct hr_ordered_bin {
    double mean;
    uint8_t bin;
} hr_ordered_bin;

/* Orders categories by their means, equal ones by their bins. */
void hr_order_bins(hr_ordered_bin *bins, size_t count);

/* Sum of the cells that a split sends left. */
hr_sum_word hr_split_left_sum(const hr_split *split, const hr_binning *binning, const hr_sum_word *cells);

/* The sum of a node over all bins of its first feature. */
hr_sum_word hr_histogram_total(const hr_binning *binning, const hr_sum_word *cells);

/* What `cells`, a node's histogram, has of weights; itself where they are packed. */
static inline const hr_sum_word *hr_weights_in(const hr_packing *packing, const hr_sum_word *cells) {
    return cells + packing->weight_cells;
}

/* Whether the left side weighs at most as much as the right one: decides which child is summed, and must
 * decide nothing else. The order in which nodes are split, hence their numbers in the tree, is a part of what
 * is published. */
bool hr_left_is_smaller(const hr_sums *left, const hr_sums *right);

/* ---- The leaves of a tree ---- */

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
