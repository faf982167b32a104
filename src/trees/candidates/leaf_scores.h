/* What hedge's choice makes of leaf sums: the scores of candidate trees, in integers. Sums come from one
 * table (candidate_scan.h), or are those of several added up; a score is no sum, so it is made once they are.
 */
#ifndef HR_TREES_CANDIDATES_LEAF_SCORES_H
#define HR_TREES_CANDIDATES_LEAF_SCORES_H

#include "privacy/exact.h"
#include "privacy/sample.h"
#include "trees/tree/tree.h"

/* floor(sqrt(x)), exactly. */
int64_t hr_whole_root(hr_u128 x);

/* What a score leaves out of account. */
typedef struct hr_leaf_score_rule {
    size_t outputs;
    int64_t threshold; /* taken off the length of every leaf's sum, down to 0 */
} hr_leaf_score_rule;

/* scores[t]: the sum over the leaves of trees[t] of the length of each one's sums (|S| of one output,
 * floor(|S|_2) of more), less the threshold where that is positive. sums: of all trees, leaf by leaf, in the
 * order of hr_candidate_scan_leaves. The same as hr_candidate_scan_scores of such a scan. */
void hr_leaf_scores(const hr_exact *sums, const hr_tree *trees, size_t count, const hr_leaf_score_rule *rule,
                    hr_exact *scores);

#endif
