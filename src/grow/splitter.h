/* Who chooses the splits of nodes, from statistics that it does not open. */
#ifndef HR_GROW_SPLITTER_H
#define HR_GROW_SPLITTER_H

#include "base/fail.h"
#include "stats/split.h"

/* Chooses the splits of the nodes of one level from their histograms. */
typedef struct hr_splitter hr_splitter;
struct hr_splitter {
    /* cells[i]: the histogram of node i; totals[i]: its sum. Writes splits[i]. */
    hr_status (*choose)(hr_splitter *self, int level, hr_cell *const *cells, const hr_cell *totals,
                        size_t count, hr_split *splits, hr_error *err);
};

#endif
