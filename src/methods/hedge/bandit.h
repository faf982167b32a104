/* What hedge learns from its own noisy gains: which features, pairs of features and kinds of trees are worth
 * a candidate, and which trees are worth varying. It reads released values only. */
#ifndef HR_METHODS_HEDGE_BANDIT_H
#define HR_METHODS_HEDGE_BANDIT_H

#include "privacy/crypto/csprng.h"

#include <stdbool.h>

typedef enum hr_tree_kind { HR_TREE_ONE, HR_TREE_PAIR, HR_TREE_ALL, HR_TREE_KINDS } hr_tree_kind;

typedef struct hr_bandit hr_bandit;

/* usable[f]: the feature has more than one bin. rounds: how many gains it may accept. Owner: the caller frees
 * *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_bandit_new(const bool *usable, size_t features, size_t rounds, hr_bandit **out,
                                      hr_error *err);
void hr_bandit_free(hr_bandit *bandit);
/* Bytes of what grows with the features. */
double hr_bandit_memory(size_t features);

/* Sets the probabilities of round t from the gains so far. */
void hr_bandit_start_round(hr_bandit *bandit, size_t t);

hr_tree_kind hr_bandit_kind(const hr_bandit *bandit, hr_csprng *csprng);
uint32_t hr_bandit_feature(const hr_bandit *bandit, hr_csprng *csprng);
void hr_bandit_pair(const hr_bandit *bandit, hr_csprng *csprng, uint32_t pair[2]);
/* One weight a feature, for trees over all of them. */
const double *hr_bandit_weights(const hr_bandit *bandit);

/* An earlier round, with probability proportional to its tree's gain times .95^age; false if none gained. */
bool hr_bandit_past(const hr_bandit *bandit, hr_csprng *csprng, size_t *round);

/* Accepts the gain of the round's tree: kind, and its feature (ONE) or pair (PAIR). */
void hr_bandit_learn(hr_bandit *bandit, hr_tree_kind kind, const uint32_t features[2], double gain);

#endif
