/* The private splitter: of the candidates of every node (split_candidates.h), one is chosen through the gate
 * by its score. */
#ifndef HR_TREES_GROW_PRIVATE_SPLITTER_H
#define HR_TREES_GROW_PRIVATE_SPLITTER_H

#include "privacy/gate.h"
#include "trees/grow/splitter.h"

typedef struct hr_private_splitter {
    hr_splitter splitter; /* first: a hr_private_splitter is a hr_splitter */
    const hr_binning *binning;
    const hr_packing *packing;
    hr_gate *gate;
    const hr_permit *permits; /* one a level, charged with a width */
    double lambda;
} hr_private_splitter;

void hr_private_splitter_init(hr_private_splitter *splitter);

#endif
