/* Which features a model leans on, told from its published trees alone: no count of private records enters.
 *
 * Send a fair coin down a tree: at every split it goes left or right with equal chance. The variance of the leaf value that it
 * reaches is, by the law of total variance, the sum over all splits of
 *     2^-level * ((mean of the left side) - (mean of the right side))^2 / 4,
 * where the mean of a side is what the coin expects from there. A feature's importance is its share of that sum over all trees. */
#include "model/model.h"

#include <math.h>
#include <string.h>

/* What the coin expects from node n on; adds to `spread` what the splits from there on account for. Trees are at most
 * HR_MODEL_DEPTH_MAX deep. */
static double expect_from(const hr_tree *tree, size_t n, int level, double *spread) {
    const hr_node *node = &tree->nodes[n];
    if (!node->left) return node->value;
    double left = expect_from(tree, node->left, level + 1, spread);
    double right = expect_from(tree, (size_t)node->left + 1, level + 1, spread);
    double half = (left - right) / 2;
    spread[node->feature] += ldexp(half * half, -level);
    return (left + right) / 2;
}

void hr_model_importance(const hr_model *model, double *out) {
    size_t features = model->binning.feature_count;
    memset(out, 0, features * sizeof *out);
    for (size_t t = 0; t < model->forest.tree_count; t++) expect_from(&model->forest.trees[t], 0, 0, out);
    double sum = 0;
    for (size_t f = 0; f < features; f++) sum += out[f];
    for (size_t f = 0; f < features && sum > 0; f++) out[f] /= sum;
}
