#include "trees/candidates/leaf_scores.h"

#include <math.h>
#include <stdlib.h>

int64_t hr_whole_root(hr_u128 x) {
    uint64_t root = (uint64_t)sqrt((double)x);
    while ((hr_u128)root * root > x) root--;
    while ((hr_u128)(root + 1) * (root + 1) <= x) root++;
    return (int64_t)root;
}

static int64_t length_of_sums(const hr_exact *sums, size_t outputs) {
    if (outputs == 1) return llabs(sums[0].unpaid);
    hr_u128 square = 0;
    for (size_t k = 0; k < outputs; k++) square += (hr_u128)((hr_i128)sums[k].unpaid * sums[k].unpaid);
    return hr_whole_root(square);
}

void hr_leaf_scores(const hr_exact *sums, const hr_tree *trees, size_t count, const hr_leaf_score_rule *rule,
                    hr_exact *scores) {
    for (size_t t = 0; t < count; t++) {
        scores[t].unpaid = 0;
        for (size_t leaves = hr_tree_leaves(&trees[t]); leaves > 0; leaves--, sums += rule->outputs) {
            const int64_t over = length_of_sums(sums, rule->outputs) - rule->threshold;
            if (over > 0) scores[t].unpaid += over;
        }
    }
}
