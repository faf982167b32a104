/* The splitter of training without privacy: of every feature the best division (split_gains.h), and of those the best, which is
 * chosen through the gate's identity. */
#ifndef HR_TREE_GREEDY_H
#define HR_TREE_GREEDY_H

#include "privacy/gate.h"
#include "tree/splitter.h"

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
