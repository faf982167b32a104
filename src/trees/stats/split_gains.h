/* The best division of a node by one feature, by the exact gain of equation 3 (DPBoost): for training without
 * privacy.
 *
 * Numbers are cut between bins with missing values on either side. Categories are ordered by their mean
 * gradient and cut in that order, which finds the best subset for a convex gain (Breiman et al. 1984, section
 * 4.2); but means are taken as if lambda and ten records without gradient were added to each, so that rare
 * categories, whose means are uncertain, do not stand at the ends. Thread: any. */
#ifndef HR_TREES_STATS_SPLIT_GAINS_H
#define HR_TREES_STATS_SPLIT_GAINS_H

#include "trees/stats/split.h"

/* What divisions are judged by, in integer units of the weight (packing.h). */
typedef struct hr_gain_rule {
    const hr_packing *packing;
    double lambda;
    double min_weight; /* of a child, 1 or more */
    double least; /* what a split must gain, more than the sides' worth over the node's: g^2 / (h + lambda) */
} hr_gain_rule;

typedef struct hr_best_division {
    hr_exact score;    /* the gain of the two sides; -1: no division is allowed */
    bool gains;        /* the sides are worth more than the node undivided and `least` */
    bool missing_left; /* numbers */
    uint8_t last;      /* numbers: the cut; categories: the last that goes left, in their order */
} hr_best_division;

/* `cells`: the feature's part of the node's histogram. */
hr_best_division hr_best_division_of(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                     const hr_sum_word *cells);

/* The division as a split; the caller sets its feature. `rule` and `cells` as above. */
hr_split hr_best_division_split(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                const hr_sum_word *cells, const hr_best_division *division);

#endif
