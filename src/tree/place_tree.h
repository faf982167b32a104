/* A tree laid out for predictions: its upper splits for blocks of records (kernels/places.h), all of it for
 * the walk of the records below them, and of single records (walk.h). */
#ifndef HR_TREE_PLACE_TREE_H
#define HR_TREE_PLACE_TREE_H

#include "kernels/places.h"
#include "tree/pair_grid.h"
#include "tree/walk.h"

typedef struct hr_place_tree {
    hr_places upper;
    const double *values;    /* HR_PLACES_MAX: what the places add; NULL: some of them are splits */
    const uint32_t *entries; /* the node of each place; NULL if there are values */
    unsigned steps_below;    /* that reach every leaf from there */
    hr_pair_grid grid;       /* instead of all this, if some of the places are splits */
    hr_walk_tree walk;
} hr_place_tree;

/* As hr_walk_tree_make: column c of a block begins at offsets[c]. False when memory is short. */
bool hr_place_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_place_tree *out);

/* Adds what the tree says to the scores of a block of HR_PLACES_BLOCK records. */
void hr_place_tree_add(const hr_place_tree *tree, const uint8_t *bins, double *scores);

/* Adds what trees say of one record, in their order, to its scores: that of output k is scores[k * stride].
 * Trees have offsets that are multiples of HR_PLACES_BLOCK; the column that begins at c * HR_PLACES_BLOCK has
 * the record's bin at bins[c * stride]. */
void hr_place_trees_add_to_one(const hr_place_tree *trees, size_t count, const uint8_t *bins, size_t stride,
                               double *scores);

#endif
