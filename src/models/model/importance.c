/* The importance of features, from the published trees alone: no count of private records enters.
 *
 * Walk from the root and choose each child of a split with equal probability. By the law of total variance,
 * the variance of the leaf value at the end is the sum over all splits of
 *     (probability to reach the split) * (variance of the expected leaf value over its children).
 * Of two children with expectations L and R the latter is (L - R)^2 / 4. A feature's importance is its share
 * of that sum over all trees. */
#include "models/model/model.h"

#include <string.h>

/* What is expected from node n on, which is reached with this chance; adds to `spread` what the splits from
 * there on account for. Mean and squares are taken as the children come (Welford). Trees are at most
 * HR_MODEL_DEPTH_MAX deep. */
static double expect_from(const hr_tree *tree, size_t n, double chance, double *spread) {
    const hr_node *node = &tree->nodes[n];
    size_t children = hr_node_child_count(node);
    if (!children) return node->value;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < children; i++) {
        double child = expect_from(tree, node->left + i, chance / (double)children, spread),
               off = child - mean;
        mean += off / (double)(i + 1);
        squares += off * (child - mean);
    }
    spread[node->feature] += chance * squares / (double)children;
    return mean;
}

void hr_tree_spread(const hr_tree *tree, double *spread) {
    expect_from(tree, 0, 1, spread);
}

void hr_model_importance(const hr_model *model, double *out) {
    size_t features = hr_schema_feature_count(model->schema);
    memset(out, 0, features * sizeof *out);
    for (size_t t = 0; t < model->forest.tree_count; t++) hr_tree_spread(&model->forest.trees[t], out);
    double sum = 0;
    for (size_t f = 0; f < features; f++) sum += out[f];
    for (size_t f = 0; f < features && sum > 0; f++) out[f] /= sum;
}
