/* Splits of a node, and who chooses them. */
#ifndef HR_TREE_SPLIT_H
#define HR_TREE_SPLIT_H

#include "base/fail.h"
#include "tree/packing.h"
#include "tree/tree.h"

typedef struct hr_split {
    bool made; /* false: the node stays a leaf */
    uint32_t feature;
    hr_kind kind;
    uint8_t cut;       /* HR_NUMBER: bins 1..cut go left */
    bool missing_left; /* HR_NUMBER */
    hr_bin_set left;   /* HR_CATEGORY: the bins that go left */
} hr_split;

static inline bool hr_split_goes_left(const hr_split *split, uint8_t bin) {
    if (split->kind == HR_CATEGORY) return hr_bin_set_has(&split->left, bin);
    return bin ? bin <= split->cut : split->missing_left;
}

/* Chooses the splits of the nodes of one level from their histograms. */
typedef struct hr_splitter hr_splitter;
struct hr_splitter {
    /* cells[i]: the histogram of node i; totals[i]: its sum. Writes splits[i]. */
    hr_status (*choose)(hr_splitter *self, int level, hr_cell *const *cells, const hr_cell *totals, size_t count, hr_split *splits,
                        hr_error *err);
};

/* Sum of the cells that a split sends left. */
hr_cell hr_split_left_sum(const hr_split *split, const hr_binning *binning, const hr_cell *cells);

#endif
