#include "stats/hessian.h"

#include <math.h>

int64_t hr_hessian(const hr_packing *packing, double bound, int64_t gradient) {
    double r = fmin(fabs((double)gradient) * bound / (double)packing->gradient_bound, 2);
    return hr_round(r * (2 - r) * (1 << HR_HESSIAN_BITS));
}

static size_t leaf_of(const hr_tree *tree, const hr_binned *binned, size_t row) {
    size_t n = 0;
    while (tree->nodes[n].left) {
        const hr_node *node = &tree->nodes[n];
        n = hr_node_child(tree, node, binned->binning->features[node->feature].kind,
                          hr_binned_column(binned, node->feature)[row]);
    }
    return n;
}

/* Sums of all nodes first, then those of inner nodes, which are 0, are left out. */
void hr_hessian_sums(const hr_tree *tree, const hr_binned *binned, const hr_packing *packing, double bound,
                     const int64_t *packed, hr_exact *sums) {
    for (size_t n = 0; n < tree->node_count; n++) sums[n].unpaid = 0;
    for (size_t i = 0; i < binned->rows; i++)
        sums[leaf_of(tree, binned, i)].unpaid +=
            hr_hessian(packing, bound, hr_unpack(packing, packed[i]).gradient.unpaid);
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) sums[leaf++] = sums[n];
}
