/* Importances as those of src/models/model/importance.c, with the background's chances in place of equal
 * ones: walk from the root to a leaf as the background does; a feature's importance is the part of the
 * variance of the leaf value that its splits account for. */
#include "base/arena.h"
#include "base/fail.h"
#include "models/explain/shares.h"

#include <hedgerow/explain.h>
#include <string.h>

/* What is expected from node n on, which is reached with this chance; adds to `spread` what the splits from
 * there on account for. Trees are at most HR_MODEL_DEPTH_MAX deep. */
static double expect_weighted(const hr_tree *tree, const double *shares, size_t n, double chance,
                              double *spread) {
    const hr_node *node = &tree->nodes[n];
    size_t children = hr_node_child_count(node);
    if (!children) return node->value;
    double seen = 0, mean = 0, squares = 0;
    for (size_t i = node->left; i < node->left + children; i++) {
        double child = expect_weighted(tree, shares, i, chance * shares[i], spread), off = child - mean;
        if (shares[i] == 0) continue;
        seen += shares[i];
        mean += off * shares[i] / seen;
        squares += shares[i] * off * (child - mean);
    }
    spread[node->feature] += chance * squares;
    return mean;
}

hr_status hr_weighted_importance(const hr_model *model, double *out, size_t *counted_trees, hr_error *err) {
    size_t features = hr_schema_feature_count(model->schema), counted = 0;
    hr_arena *arena = hr_arena_new();
    double *spread = arena ? hr_arena_alloc(arena, features, sizeof *spread) : NULL, sum = 0;
    bool ready = spread != NULL;
    for (size_t t = 0; ready && t < model->forest.tree_count; t++) {
        const hr_tree *tree = &model->forest.trees[t];
        hr_arena_mark mark = hr_arena_get_mark(arena);
        double *shares = hr_arena_alloc(arena, tree->node_count, sizeof *shares);
        ready = shares != NULL;
        if (ready) {
            counted += hr_shares_of_model(model, t, shares);
            expect_weighted(tree, shares, 0, 1, spread);
        }
        hr_arena_rewind(arena, mark);
    }
    for (size_t f = 0; ready && f < features; f++) sum += spread[f];
    for (size_t f = 0; ready && f < features; f++) out[f] = sum > 0 ? spread[f] / sum : 0;
    if (ready) *counted_trees = counted;
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}
