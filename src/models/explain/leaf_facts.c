#include "models/explain/leaf_facts.h"

#include <string.h>

static bool is_same_split(const hr_node *a, const hr_node *b) {
    return a->left == b->left && a->feature == b->feature && a->branches == b->branches &&
           a->missing_left == b->missing_left && !(a->threshold < b->threshold) &&
           !(a->threshold > b->threshold);
}

static bool has_same_splits(const hr_tree *a, const hr_tree *b) {
    if (a->node_count != b->node_count || a->subset_count != b->subset_count) return false;
    for (size_t n = 0; n < a->node_count; n++)
        if (!is_same_split(&a->nodes[n], &b->nodes[n])) return false;
    return !a->subset_count || !memcmp(a->subsets, b->subsets, a->subset_count * sizeof *a->subsets);
}

/* The tree of output 0 that stands before this one, with one tree for each output between them; itself if
 * there is none. */
static const hr_tree *first_with_leaves(const hr_forest *forest, size_t t) {
    const hr_tree *tree = &forest->trees[t];
    if (tree->output > t) return tree;
    const hr_tree *first = tree - tree->output;
    for (size_t k = 0; k < tree->output; k++)
        if (first[k].output != k) return tree;
    return has_same_splits(first, tree) ? first : tree;
}

const double *hr_forest_counts(const hr_forest *forest, size_t t) {
    const hr_tree *tree = &forest->trees[t];
    return tree->counts ? tree->counts : first_with_leaves(forest, t)->counts;
}

const double *hr_forest_noise(const hr_forest *forest, size_t t) {
    const hr_tree *tree = &forest->trees[t];
    return tree->noise ? tree->noise : first_with_leaves(forest, t)->noise;
}
