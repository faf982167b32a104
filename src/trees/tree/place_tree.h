/* A tree laid out for predictions, and for the scores of records that are trained on: for blocks of records
 * its levels, or its upper splits (base/kernels/kernels.h) and the walk of records below them; for single
 * records all of it (walk.h). */
#ifndef HR_TREES_TREE_PLACE_TREE_H
#define HR_TREES_TREE_PLACE_TREE_H

#include "base/kernels/kernels.h"
#include "trees/tree/block_walk.h"
#include "trees/tree/tree.h"
#include "trees/tree/walk.h"

/* ---- Trees over one feature or two ---- */

/* A tree that splits by one feature or two, as a table: bins that all of its splits treat alike share a row
 * or a column, and every cell of the table is the leaf that such records reach. */
typedef struct hr_pair_grid {
    size_t offsets[2];      /* where the bins of the two begin in a block */
    const uint16_t *rows;   /* of every bin of the first: where its row of cells begins */
    const uint8_t *columns; /* of every bin of the second */
    const uint8_t *cells;   /* numbers of leaves; NULL: there is no grid */
    const double *values;   /* of the leaves */
} hr_pair_grid;

/* Makes the grid of a tree of two-way splits in an arena; column c of a block begins at offsets[c]. There is
 * none for a tree that splits by more than two features, has more than 256 leaves, or would have more than
 * 2^14 cells: out->cells is NULL then. False when memory is short. */
bool hr_pair_grid_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                       hr_pair_grid *out);

/* Adds the values of the tree to the scores of a block of HR_PLACES_BLOCK records. */
void hr_pair_grid_add(const hr_pair_grid *grid, const uint8_t *bins, double *scores);

/* ---- Any tree ---- */

/* Blocks of records are walked by one of three layouts: a grid, levels, or the upper splits. */
typedef struct hr_place_tree {
    hr_pair_grid grid;           /* of a tree of many splits by two features */
    const hr_block_tree *levels; /* of another one whose levels are few and full; NULL: none */
    const double *level_values;  /* what its leaves add, by place; HR_PLACES_MAX or more */
    hr_places upper;             /* of all other trees */
    const double *values;        /* HR_PLACES_MAX: what the places add; NULL: some of them are splits */
    const uint32_t *entries;     /* the node of each place; NULL if there are values */
    unsigned steps_below;        /* that reach every leaf from there */
    hr_walk_tree walk;
} hr_place_tree;

/* As hr_walk_tree_make: column c of a block begins at offsets[c]. False when memory is short. */
bool hr_place_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_place_tree *out);

/* Adds the values of trees, in their order, to the scores of the first `count` records of a block of
 * HR_PLACES_BLOCK: output k of record i is scores[k * HR_PLACES_BLOCK + i]. Offsets of the trees are
 * multiples of HR_PLACES_BLOCK. What `bins` and `scores` have beyond the records counts for nothing, but is
 * initialised. */
void hr_place_trees_add(const hr_place_tree *trees, size_t tree_count, const uint8_t *bins, size_t count,
                        double *scores);

/* The same of one record: the column that begins at c * HR_PLACES_BLOCK has its bin at bins[c * stride], and
 * output k its score at scores[k * stride]. */
void hr_place_trees_add_to_one(const hr_place_tree *trees, size_t tree_count, const uint8_t *bins,
                               size_t stride, double *scores);

#endif
