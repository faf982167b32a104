/* Trees with multiway splits as trees without, so that a walk has one kind of step. */
#ifndef HR_TREES_TREE_BINARIZE_H
#define HR_TREES_TREE_BINARIZE_H

#include "trees/tree/tree.h"

/* A tree of two-way splits that gives every record the same leaf value: a multiway split of b bins becomes b
 * - 1 splits that halve its bins, at most ceil(log2 b) one below the other. A tree without multiway splits is
 * handed on as it is, its nodes in their places. Owner: new nodes and subsets live in the arena, the others
 * are `tree`'s. False when memory is short, or if there would be 2^32 nodes. */
bool hr_binarize(hr_arena *arena, const hr_tree *tree, const hr_schema *schema, hr_tree *out);

#endif
