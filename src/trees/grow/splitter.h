/* Who chooses the splits of nodes, from statistics that it does not open. */
#ifndef HR_TREES_GROW_SPLITTER_H
#define HR_TREES_GROW_SPLITTER_H

#include "base/fail.h"
#include "trees/stats/split.h"

/* The nodes of one level of a tree, 0: the root's. */
typedef struct hr_level_nodes {
    int level;
    size_t count;
    hr_sum_word *const *cells; /* cells[i]: the histogram of node i */
    const hr_sum_word *totals; /* totals[i]: its sum */
} hr_level_nodes;

/* Chooses the splits of the nodes of one level from their histograms. */
typedef struct hr_splitter hr_splitter;
struct hr_splitter {
    /* Writes splits[i] of node i. */
    hr_status (*choose)(hr_splitter *self, const hr_level_nodes *nodes, hr_split *splits, hr_error *err);
};

#endif
