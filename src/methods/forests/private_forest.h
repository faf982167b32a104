/* What private forests share: which records train which tree, at what budget, and leaves that hold what was
 * released of them. */
#ifndef HR_METHODS_FORESTS_PRIVATE_FOREST_H
#define HR_METHODS_FORESTS_PRIVATE_FOREST_H

#include "methods/forests/average.h"
#include "privacy/gate.h"
#include "trees/records/stats_source.h"

/* Who trains a tree: adds it to the forest (average.h), and spends at most scope->budget in its group and
 * part. training->source has begun the tree: its root holds the records of that part. */
typedef struct hr_tree_trainer hr_tree_trainer;
struct hr_tree_trainer {
    hr_status (*train)(hr_tree_trainer *self, const hr_release_scope *scope, hr_error *err);
};

/* Prepares the source for training->binning and trains options->trees trees. HR_OPTION_PART: every record
 * draws one of them by itself, and each tree has the whole budget (paper mode: a random partition into parts
 * whose sizes differ by one record at the most); else all records train every tree, at a part of the budget.
 * Fails: MEMORY, CANCELLED, and what the source and the trainer fail with. */
HR_MUST_CHECK hr_status hr_private_forest_train(hr_training *training, hr_tree_trainer *trainer,
                                                hr_error *err);

/* hr_method.memory: the binned table, and numbers of every record. */
double hr_private_forest_memory(const hr_fit_facts *facts);

/* The kind of the labels of what is trained, and the unit of their statistics: no values, nothing to free. */
hr_labels hr_training_labels(const hr_training *training);

/* For hr_method.check: what a tree may spend, the width of choices by purity at `nodes` disjoint nodes
 * (hr_purity_width), and whether a budget is enough for leaves. Fails: BUDGET. */
hr_units hr_facts_tree_budget(const hr_fit_facts *facts);
uint64_t hr_facts_purity_width(const hr_fit_facts *facts, uint64_t nodes);
HR_MUST_CHECK hr_status hr_facts_check_leaves(const hr_fit_facts *facts, hr_units budget, hr_error *err);

/* A tree that has grown. */
typedef struct hr_private_tree {
    const hr_tree *tree;
    bool walk; /* its records walk down to the leaves; else they are where they were divided (stats_source.h)
                */
    const hr_release_scope *scope;
    hr_units leaf_budget;
} hr_private_tree;

/* Releases the leaves: noisy class counts; or noisy sums of labels and noisy counts, options->count_share of
 * the budget. Every node's answer is pulled towards its parent's (trees/tree/hierarchical_shrinkage.h), so
 * that small leaves have the values of their neighbourhood. leaf_values: as in average.h, and of inner nodes,
 * too. Spends: tree->leaf_budget. Fails: BUDGET, MEMORY, and as the source. */
HR_MUST_CHECK hr_status hr_private_leaves(hr_training *training, const hr_private_tree *tree,
                                          double *leaf_values, hr_error *err);

/* Leaves as DiPriMe publishes them (Algorithm 1, line 15): class counts + Lap(1/eps); or means + Lap(R/(N_i
 * eps)), N_i exact, and where there are no records a random number. Takes the same. */
HR_MUST_CHECK hr_status hr_published_leaves(hr_training *training, const hr_private_tree *tree,
                                            double *leaf_values, hr_error *err);

#endif
