/* Algorithm 1 of DPBoost (Li et al. 2020), TrainSingleTree, which dpboost, seq and para share: as published, and with its
 * sensitivities and leaves corrected. Both train one private tree on records that the caller has chosen. */
#ifndef HR_METHODS_SINGLE_TREE_H
#define HR_METHODS_SINGLE_TREE_H

#include "methods/boosting.h"

typedef struct hr_single_tree {
    const uint32_t *rows; /* I: the records it is trained on; scores must be up to date for them */
    size_t count;
    hr_units budget; /* eps_t (or rho_t) */
    size_t index;    /* t, for the list of releases */
    size_t output;
    uint64_t group, part;    /* composition */
    double leaf_clip;        /* published only: GLC's threshold on |V| */
    double leaf_sensitivity; /* published only: Delta V */
} hr_single_tree;

/* Bins as options->edges says (published methods: exact quantiles), and what is left of the budget for trees.
 * Spends: bin_share of the budget if the edges are private. */
HR_MUST_CHECK hr_status hr_single_tree_bins(hr_training *training, hr_units *budget, hr_error *err);

/* The largest shift for integer gradients of +-4096 (g* = 4096). Call once after hr_boosting_init. Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_single_tree_pack(hr_boosting *boosting, hr_error *err);

/* Sound: gradients clipped to +-g* (or records beyond it left out), splits by the exponential mechanism of width 4 g*^2, leaves
 * from noisy sums and noisy counts. Appends the tree to the forest, leaf values shrunk by eta.
 * Spends: tree->budget in its group and part. */
HR_MUST_CHECK hr_status hr_single_tree_sound(hr_boosting *boosting, const hr_single_tree *tree, hr_error *err);

/* As published: the split's sensitivity of Lemma 1, Laplace noise on the leaf value. Charges what the authors claim. */
HR_MUST_CHECK hr_status hr_single_tree_paper(hr_boosting *boosting, const hr_single_tree *tree, hr_error *err);

#endif
