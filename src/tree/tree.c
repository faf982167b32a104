#include "tree/tree.h"

#include "base/fail.h"

#include <string.h>

hr_status hr_tree_copy(const hr_tree *tree, hr_arena *arena, hr_tree *out, hr_error *err) {
    hr_tree copy = *tree;
    copy.nodes = hr_arena_alloc(arena, tree->node_count, sizeof *copy.nodes);
    copy.subsets = hr_arena_alloc(arena, tree->subset_count + 1, sizeof *copy.subsets);
    if (!copy.nodes || !copy.subsets) return hr_fail_memory(err);
    memcpy(copy.nodes, tree->nodes, tree->node_count * sizeof *copy.nodes);
    if (tree->subset_count) memcpy(copy.subsets, tree->subsets, tree->subset_count * sizeof *copy.subsets);
    *out = copy;
    return HR_OK;
}
