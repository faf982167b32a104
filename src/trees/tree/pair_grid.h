/* A tree that asks about one feature or two, as a table: bins that all of its splits treat alike share a row
 * or a column, and every cell of the table is the leaf that such records reach. */
#ifndef HR_TREES_TREE_PAIR_GRID_H
#define HR_TREES_TREE_PAIR_GRID_H

#include "base/kernels/kernels.h"
#include "trees/tree/tree.h"

typedef struct hr_pair_grid {
    size_t offsets[2];      /* where the bins of the two begin in a block */
    const uint16_t *rows;   /* of every bin of the first: where its row of cells begins */
    const uint8_t *columns; /* of every bin of the second */
    const uint8_t *cells;   /* numbers of leaves; NULL: there is no grid */
    const double *values;   /* of the leaves */
} hr_pair_grid;

/* Makes the grid of a tree of two-way splits in an arena; column c of a block begins at offsets[c]. There is
 * none for a tree that asks about more than two features, has more than 256 leaves, or would have more than
 * 2^14 cells: out->cells is NULL then. False when memory is short. */
bool hr_pair_grid_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                       hr_pair_grid *out);

/* Adds what the tree says to the scores of a block of HR_PLACES_BLOCK records. */
void hr_pair_grid_add(const hr_pair_grid *grid, const uint8_t *bins, double *scores);

#endif
