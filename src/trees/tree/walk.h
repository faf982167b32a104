/* Trees laid out for walks over bins, split by split: a step is a load of the node and of the record's bin,
 * then arithmetic, and no branch depends on the data (place_tree.h).
 *
 * A leaf sends all bins back to itself, so that every record takes the same number of steps. Where every
 * split sends one range of bins left (all cuts of numbers, one category against the rest), a node is 16 bytes
 * and a step takes two loads; other trees keep the set of bins that go right in every node. */
#ifndef HR_TREES_TREE_WALK_H
#define HR_TREES_TREE_WALK_H

#include "trees/tree/tree.h"

/* Bins low .. low + width go left. */
typedef struct hr_range_node {
    size_t offset; /* where its feature's bins begin */
    uint32_t left; /* the right child follows it */
    uint8_t low, width;
} hr_range_node;

typedef struct hr_set_node {
    hr_bin_set right;
    size_t offset;
    uint32_t left;
} hr_set_node;

typedef struct hr_walk_tree {
    const hr_range_node *ranges; /* NULL: the tree has `sets` */
    const hr_set_node *sets;
    const double *values;
    unsigned depth; /* steps that reach every leaf */
    size_t output;
} hr_walk_tree;

/* The bins that a two-way split sends left as one range: low and width. False if they are none, or not one
 * range. */
bool hr_walk_range(const hr_tree *tree, const hr_node *node, const hr_feature_bins *bins, hr_range_node *out);

/* Lays a tree of two-way splits out in an arena; nodes keep their places. offsets: one per feature, where its
 * bins begin. False when memory is short. */
bool hr_walk_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning, const size_t *offsets,
                       hr_walk_tree *out);

#endif
