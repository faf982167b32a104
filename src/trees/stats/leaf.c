#include "trees/stats/leaf.h"

#include <math.h>

size_t hr_leaves_of(const hr_tree *tree, const hr_sums *sums, hr_exact *gradients, hr_exact *weights) {
    size_t count = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        gradients[count] = sums[n].gradient;
        weights[count++] = sums[n].weight;
    }
    return count;
}

void hr_leaves_set(hr_tree *tree, const double *values) {
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) tree->nodes[n].value = *values++;
}

hr_exact hr_leaf_value(const hr_packing *packing, hr_exact gradient, hr_exact weight, double lambda,
                       double clip) {
    double denominator = (double)weight.unpaid / packing->weight_scale + lambda;
    double value = denominator > 0 ? -((double)gradient.unpaid / packing->gradient_scale) / denominator : 0;
    return (hr_exact){(int64_t)rint(fmin(fmax(value, -clip), clip) * (1 << HR_VALUE_BITS))};
}
