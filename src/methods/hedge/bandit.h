/* What hedge learns from its own noisy gains: which features, pairs of features and kinds of trees are worth
 * a candidate, and which trees are worth varying. It reads released values only. */
#ifndef HR_METHODS_HEDGE_BANDIT_H
#define HR_METHODS_HEDGE_BANDIT_H

#include "trees/tree/interactions.h"
#include "trees/tree/random_tree.h"

#include <stdbool.h>

/* How many features a tree splits by: one, two, or any number; where interactions are in groups, of one. */
typedef enum hr_tree_kind { HR_TREE_ONE, HR_TREE_PAIR, HR_TREE_ALL, HR_TREE_KINDS } hr_tree_kind;

/* What a tree splits by. */
typedef struct hr_tree_subject {
    hr_tree_kind kind;
    uint32_t features[2]; /* ONE: the first of them; PAIR: both, the larger one first; ALL in groups: the
                             first is the group */
} hr_tree_subject;

typedef struct hr_bandit hr_bandit;

/* usable[f]: the feature has more than one bin. interactions: borrowed; NULL: all. rounds: how many gains it
 * may accept. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_bandit_new(const bool *usable, size_t features,
                                      const hr_interactions *interactions, size_t rounds, hr_bandit **out,
                                      hr_error *err);
/* The same: a feature is usable that these bins leave something to split by, missing values apart. */
HR_MUST_CHECK hr_status hr_bandit_of_bins(const hr_binning *binning, const hr_interactions *interactions,
                                          size_t rounds, hr_bandit **out, hr_error *err);
void hr_bandit_free(hr_bandit *bandit);
/* Bytes of what grows with the features. */
double hr_bandit_memory(size_t features);

/* Sets the probabilities of round t from the gains so far. */
void hr_bandit_start_round(hr_bandit *bandit, size_t t);

hr_tree_kind hr_bandit_kind(const hr_bandit *bandit, hr_csprng *csprng);
uint32_t hr_bandit_feature(const hr_bandit *bandit, hr_csprng *csprng);
void hr_bandit_pair(const hr_bandit *bandit, hr_csprng *csprng, uint32_t pair[2]);
/* A group with two usable features or more; only where there are groups, and one has them. */
uint32_t hr_bandit_group(const hr_bandit *bandit, hr_csprng *csprng);
/* One weight a feature, for trees over all of them. */
const double *hr_bandit_weights(const hr_bandit *bandit);

/* A kind, and then what such a tree splits by. */
hr_tree_subject hr_bandit_subject(const hr_bandit *bandit, hr_csprng *csprng);
/* Sets what the nodes of such a tree may split by. plan->weights are the bandit's, until the next call. */
void hr_bandit_plan(hr_bandit *bandit, const hr_tree_subject *subject, hr_random_plan *plan);

/* An earlier round, with probability proportional to its tree's gain times .95^age; false if none gained. */
bool hr_bandit_past(const hr_bandit *bandit, hr_csprng *csprng, size_t *round);

/* Accepts the gain of the round's tree. */
void hr_bandit_learn(hr_bandit *bandit, const hr_tree_subject *subject, double gain);

#endif
