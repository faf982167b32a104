/* The splitter of training without privacy: of every feature the best division (split_gains.h), and of those
 * the best, which is chosen through the gate's identity. */
#ifndef HR_TREES_GROW_EXACT_SPLITTER_H
#define HR_TREES_GROW_EXACT_SPLITTER_H

#include "privacy/gate.h"
#include "trees/grow/splitter.h"

typedef struct hr_exact_splitter {
    hr_splitter splitter; /* first: a hr_exact_splitter is a hr_splitter */
    const hr_binning *binning;
    const hr_packing *packing;
    hr_gate *gate;
    const hr_permit *permits; /* one a level */
    double lambda;            /* in units of the real weight */
    double min_child_weight;  /* smallest real weight of a child */
    double gamma;             /* what a split must gain (equation 3 of SimFL), in real units: 1/2 g^2 / h */
    int threads;
} hr_exact_splitter;

void hr_exact_splitter_init(hr_exact_splitter *splitter);

#endif
