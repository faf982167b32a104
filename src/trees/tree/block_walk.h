/* The walk of consecutive records down one tree, a block at a time, in vectors: a record's place among the
 * nodes of a level is kept in one byte (base/kernels/kernels.h). Measured by bench/bench_hedge.c. */
#ifndef HR_TREES_TREE_BLOCK_WALK_H
#define HR_TREES_TREE_BLOCK_WALK_H

#include "base/kernels/kernels.h"
#include "trees/tree/tree.h"

enum {
    HR_WALK_BLOCK = HR_BLOCK_ROWS,
    HR_WALK_DEPTH_MAX = HR_LEVELS_MAX,
    HR_WALK_PLACES_MAX = HR_LEVEL_PLACES_MAX
};

typedef struct hr_block_tree {
    const hr_kernels *kernels;
    unsigned depth;
    hr_level levels[HR_WALK_DEPTH_MAX];
    const uint32_t *leaves; /* 2^depth: the leaf, as a node, of the records that end at a place. A leaf above
                               the last level has its records at the first of its places */
} hr_block_tree;

/* Lays out a tree of two-way splits, at most HR_WALK_DEPTH_MAX deep, in an arena. offsets: one per feature;
 * the bin of feature f of the record at position p will be bins[offsets[f] + p]. False when memory is short.
 */
bool hr_block_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_block_tree *out);

/* The values of the leaves of a tree that was laid out, 2^depth of them by place, then 0 up to HR_PLACES_MAX,
 * in an arena. NULL when memory is short. */
double *hr_block_tree_values(hr_arena *arena, const hr_tree *tree, const hr_block_tree *laid_out);

/* Bytes in the arena of a tree, at most. */
double hr_block_tree_memory(void);

/* Writes the places of the records at positions begin .. begin + count - 1; count <= HR_WALK_BLOCK. Reads
 * bins, and writes places, of up to HR_VECTOR_ROWS - 1 records more: there must be room for them. */
void hr_block_walk(const hr_block_tree *tree, const uint8_t *bins, size_t begin, size_t count,
                   uint8_t *places);

#endif
