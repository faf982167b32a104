/* The trees of a model laid out for speed, and the walk of a block of records through all of them. Nothing else in here: a
 * vector kernel can stand in for it. */
#ifndef HR_MODEL_WALK_H
#define HR_MODEL_WALK_H

#include "tree/tree.h"

/* Records walk in blocks of this many; their bins stay in the nearest cache. */
enum { HR_WALK_ROWS = 512 };

/* Every kind of split is a set of bins that go right. A leaf sends all of them back to itself, so that every record takes the
 * same number of steps. */
typedef struct hr_walk_node {
    hr_bin_set right;
    uint32_t left;   /* the right child follows it */
    uint32_t offset; /* of its column among the bins of a block */
} hr_walk_node;

typedef struct hr_walk_tree {
    const hr_walk_node *nodes;
    const double *values;
    unsigned depth; /* steps that reach every leaf */
    size_t output;
} hr_walk_tree;

typedef struct hr_walk {
    size_t *features; /* column -> feature: only features that a tree asks about have a column */
    size_t column_count;
    hr_walk_tree *trees;
    size_t tree_count;
} hr_walk;

/* Lays the trees out in an arena. False when memory is short. */
bool hr_walk_make(hr_arena *arena, const hr_forest *forest, const hr_binning *binning, hr_walk *out);

/* Adds every tree's value to the scores, tree after tree.
 * bins: column_count columns of HR_WALK_ROWS bins; scores: one column of HR_WALK_ROWS per output. Records beyond `rows` may be
 * walked too; their bins must be 0 or valid. */
void hr_walk_trees(const hr_walk *walk, const uint8_t *bins, size_t rows, double *scores);

#endif
