/* The private splitter: of the candidates of every node (split_candidates.h), one is chosen through the gate by its score. */
#ifndef HR_TREE_NOISY_H
#define HR_TREE_NOISY_H

#include "privacy/gate.h"
#include "tree/splitter.h"

typedef struct hr_noisy_splitter {
    hr_splitter splitter; /* first: a hr_noisy_splitter is a hr_splitter */
    const hr_binning *binning;
    const hr_packing *packing;
    hr_gate *gate;
    const hr_permit *permits; /* one a level, charged with a width */
    double lambda;
} hr_noisy_splitter;

void hr_noisy_splitter_init(hr_noisy_splitter *splitter);

#endif
