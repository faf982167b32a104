/* Algorithm 1 of DPBoost (Li et al. 2020), TrainSingleTree, which dpboost, seq and para share: as published,
 * and with its sensitivities and leaves corrected. Both train one private tree on a part of the records. */
#ifndef HR_METHODS_BOOSTING_SINGLE_TREE_H
#define HR_METHODS_BOOSTING_SINGLE_TREE_H

#include "methods/boosting/boosting.h"
#include "privacy/gate.h"

typedef struct hr_single_tree {
    hr_release_scope scope; /* tree: t; budget: eps_t (or rho_t); part: I, the part of the source's records
                               that it is trained on */
    size_t output;
    double leaf_clip; /* published only: GLC's threshold on |V|; HUGE_VAL: none */
} hr_single_tree;

/* How a method boosts such trees with what the bins have left of the budget. */
typedef hr_status hr_single_tree_boost(hr_boosting *boosting, hr_units budget, hr_error *err);

/* The frame of such a method: bins of the kind options->edges (published: exact quantiles), room for the
 * trees, then `boost`. Spends: bin_share of the budget if the edges are private; and what `boost` spends. */
HR_MUST_CHECK hr_status hr_single_tree_train(hr_training *training, hr_single_tree_boost *boost,
                                             hr_error *err);

/* Its parts. Bins: *budget is what they leave of the gate's. Pack: integer gradients, of weighted records if
 * weight_max, the largest weight, is above 1. */
HR_MUST_CHECK hr_status hr_single_tree_bins(hr_training *training, hr_units *budget, hr_error *err);
HR_MUST_CHECK hr_status hr_single_tree_pack(hr_boosting *boosting, int64_t weight_max, hr_error *err);

/* The largest integer weight of a record: 1, or weight_max in units of HR_WEIGHT_UNIT. */
uint64_t hr_single_tree_weight_bound(int64_t weight_max);

/* The options of those that add none of their own, ended by NULL. */
extern const char *const hr_single_tree_sound_options[], *const hr_single_tree_paper_options[];

/* For hr_method.check: whether a tree at one of `shares` equal parts of what bins leave of the budget, times
 * one of the outputs, can pay for its releases. Paper modes have no budget to keep. Fails: BUDGET, LIMIT. */
HR_MUST_CHECK hr_status hr_single_tree_check(const hr_fit_facts *facts, size_t shares, hr_error *err);

/* Its parts, in sound mode: *budget is what the bins leave of the facts'; a tree of `budget`. */
HR_MUST_CHECK hr_status hr_single_tree_check_bins(const hr_fit_facts *facts, hr_units *budget, hr_error *err);
HR_MUST_CHECK hr_status hr_single_tree_check_tree(const hr_fit_facts *facts, int64_t weight_max,
                                                  hr_units budget, hr_error *err);

/* hr_method.memory. */
double hr_single_tree_memory(const hr_fit_facts *facts);

/* Defaults that such methods share: of the paper (section 4) in paper mode, else all but trees, depth and
 * learning rate. */
void hr_single_tree_defaults(hr_fit_options *options);

/* Sound: gradients clipped to +-g* (or records beyond it left out), splits chosen through the gate with width
 * 4 g*^2, leaves from noisy sums and noisy counts. Appends the tree to the forest, leaf values shrunk by eta.
 * Spends: tree->scope.budget in its group and part. */
HR_MUST_CHECK hr_status hr_single_tree_sound(hr_boosting *boosting, const hr_single_tree *tree,
                                             hr_error *err);

/* What both share: the round of a tree, without filtering; and lines 3 to 10, a tree of full depth whose
 * splits the gate chooses. `split`: what the splits of every level are charged. */
hr_stats_round hr_single_tree_round(const hr_single_tree *tree, double bound);
HR_MUST_CHECK hr_status hr_single_tree_grow(hr_boosting *boosting, const hr_stats_round *round,
                                            const hr_charge *split, hr_tree **tree, size_t *leaves,
                                            hr_error *err);

/* Paper mode, before the trees: lists the exact statistics that the options need. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_single_tree_list_paper(hr_boosting *boosting, hr_error *err);
/* After them, for the owner's screen: how many records GDF left out (options->remark). Fails: CANCELLED. */
HR_MUST_CHECK hr_status hr_single_tree_remark(const hr_boosting *boosting, hr_error *err);

/* As published: the split's sensitivity of Lemma 1, Laplace noise of min(g* / (1 + lambda), 2 leaf_clip) on
 * the leaf value. Without GDF g* is the largest gradient of all records, and the leaf value is not bounded:
 * fails: LIMIT, when noise has made gradients too large for the units. Charges what the authors claim. */
HR_MUST_CHECK hr_status hr_single_tree_paper(hr_boosting *boosting, const hr_single_tree *tree,
                                             hr_error *err);

#endif
