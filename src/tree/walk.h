/* Trees laid out for speed, and the walk of records down them, over bins. Nothing else in here: a vector kernel can stand in.
 *
 * Every kind of split is a set of bins that go right. A leaf sends all of them back to itself, so that every record takes the
 * same number of steps. */
#ifndef HR_TREE_WALK_H
#define HR_TREE_WALK_H

#include "tree/tree.h"

typedef struct hr_walk_node {
    hr_bin_set right;
    uint32_t left; /* the right child follows it */
    size_t offset; /* where its feature's bins begin */
} hr_walk_node;

typedef struct hr_walk_tree {
    const hr_walk_node *nodes;
    const double *values;
    unsigned depth; /* steps that reach every leaf */
    size_t output;
} hr_walk_tree;

/* Lays a tree out in an arena. offsets: one per feature; the bin of feature f of the record at position p will be
 * bins[offsets[f] + p]. False when memory is short. */
bool hr_walk_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets, hr_walk_tree *out);

/* Writes the leaves, as nodes, of the records at positions[0..count). */
void hr_walk_nodes(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, size_t count, uint32_t *nodes);

/* Writes the leaf values of the records at positions[0..count). */
void hr_walk(const hr_walk_tree *tree, const uint8_t *bins, const size_t *positions, size_t count, double *values);

#endif
