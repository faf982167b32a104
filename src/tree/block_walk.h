/* The walk of consecutive records down one tree, a block at a time.
 *
 * The upper levels have few nodes: every record is held against each of them, sixteen or more at once in
 * vectors of bytes, and its place among the nodes of a level is kept in one byte. Below, where there would be
 * too many, records walk as in walk.h. */
#ifndef HR_TREE_BLOCK_WALK_H
#define HR_TREE_BLOCK_WALK_H

#include "tree/walk.h"

enum { HR_WALK_BLOCK = 512, HR_UPPER_LEVELS = 4, HR_UPPER_PLACES = 1 << HR_UPPER_LEVELS };

/* Bins low .. low + width go left; or, if there is a table, those that it gives 0. */
typedef struct hr_upper_node {
    size_t offset;
    const uint8_t *right; /* 0 or 255 for every bin; NULL: a range */
    uint8_t low, width;
} hr_upper_node;

typedef struct hr_block_tree {
    hr_walk_tree walk;
    unsigned upper_depth;                 /* levels that are walked in vectors */
    hr_upper_node upper[HR_UPPER_PLACES]; /* the root at 1, the children of i at 2 i and 2 i + 1 */
    uint32_t entries[HR_UPPER_PLACES];    /* nodes below the upper levels, from left to right */
} hr_block_tree;

/* As hr_walk_tree_make; the tree has at most 2^16 nodes, all two-way. */
bool hr_block_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_block_tree *out);

/* Writes the leaves, as nodes, of the records at positions begin .. begin + count - 1; count <=
 * HR_WALK_BLOCK. */
void hr_block_walk(const hr_block_tree *tree, const uint8_t *bins, size_t begin, size_t count,
                   uint16_t *nodes);

#endif
