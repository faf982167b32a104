/* The splitter of training without privacy: the largest gain of equation 3 (DPBoost), over every cut of every feature.
 *
 * Numbers are cut between bins with missing values on either side. Categories are ordered by their mean gradient and cut in that
 * order, which finds the best subset for a convex gain (Breiman et al. 1984, section 4.2); but means are taken as if lambda and ten
 * records without gradient were added to each, so that rare categories, whose means say little, do not stand at the ends. The
 * best of the features is chosen through the gate's identity. */
#ifndef HR_TREE_GREEDY_H
#define HR_TREE_GREEDY_H

#include "privacy/gate.h"
#include "tree/split.h"

typedef struct hr_greedy {
    hr_splitter splitter; /* first: a hr_greedy is a hr_splitter */
    const hr_binning *binning;
    const hr_packing *packing;
    hr_gate *gate;
    const hr_permit *permits; /* one a level */
    double lambda;            /* in units of the real weight */
    double least_weight;      /* smallest real weight of a child */
    int threads;
} hr_greedy;

void hr_greedy_init(hr_greedy *greedy);

#endif
