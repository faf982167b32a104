#include "trees/stats/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Splits of a node ---- */

hr_sum_word hr_split_left_sum(const hr_split *split, const hr_binning *binning, const hr_sum_word *cells) {
    const hr_sum_word *feature = cells + hr_histogram_of(binning, split->feature);
    hr_sum_word sum = 0;
    for (uint32_t bin = 0; bin < binning->features[split->feature].bin_count; bin++)
        if (hr_split_goes_left(split, (uint8_t)bin)) sum += feature[bin];
    return sum;
}

hr_sum_word hr_histogram_total(const hr_binning *binning, const hr_sum_word *cells) {
    hr_sum_word total = 0;
    for (uint32_t bin = 0; bin < binning->features[0].bin_count; bin++) total += cells[bin];
    return total;
}

void hr_split_left_table(const hr_split *split, const hr_binning *binning, uint8_t table[HR_BINS_MAX]) {
    if (split->kind == HR_KIND_NUMBER) {
        memset(table, 1, split->cut + 1u);
        memset(table + split->cut + 1, 0, HR_BINS_MAX - 1u - split->cut);
        table[0] = split->missing_left;
        return;
    }
    for (uint32_t bin = 0; bin < binning->features[split->feature].bin_count; bin++)
        table[bin] = hr_bin_set_has(&split->left, (uint8_t)bin);
}

static int by_mean_then_bin(const void *a, const void *b) {
    const hr_ordered_bin *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
    return (int)x->bin - (int)y->bin;
}

void hr_order_bins(hr_ordered_bin *bins, size_t count) {
    qsort(bins, count, sizeof *bins, by_mean_then_bin);
}

bool hr_left_is_smaller(const hr_sums *left, const hr_sums *right) {
    return left->weight.unpaid <= right->weight.unpaid;
}

/* ---- The leaves of a tree ---- */

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
