#include "trees/stats/split_gains.h"

#include "base/kernels/kernels.h"

#include <string.h>

_Static_assert((int)HR_BINS_MAX <= (int)HR_CUTS_MAX, "a cut lies between two bins");

/* What the records of every bin add up to, or those up to and with it. */
typedef struct bin_sums {
    int64_t gradients[HR_BINS_MAX], weights[HR_BINS_MAX];
} bin_sums;

static void unpack_bins(const hr_packing *packing, const hr_sum_word *cells, uint32_t bin_count,
                        bin_sums *out) {
    if (packing->weight_cells) {
        memcpy(out->gradients, cells, bin_count * sizeof *cells);
        memcpy(out->weights, hr_weights_in(packing, cells), bin_count * sizeof *cells);
        return;
    }
    for (uint32_t bin = 0; bin < bin_count; bin++) {
        const hr_sums sums = hr_unpack(packing, cells[bin]);
        out->gradients[bin] = sums.gradient.unpaid;
        out->weights[bin] = sums.weight.unpaid;
    }
}

/* Sums of bins become sums up to and with each; returns what cuts between them are judged by. */
static hr_cut_node accumulate(const hr_gain_rule *rule, bin_sums *sums, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        sums->gradients[i] += sums->gradients[i - 1];
        sums->weights[i] += sums->weights[i - 1];
    }
    return (hr_cut_node){sums->gradients[count - 1], sums->weights[count - 1], rule->lambda,
                         rule->min_weight};
}

/* Gains as integers for the gate, in units of 2^-30 of the square of the largest gradient: a gain is at most
 * one such square a record (a weight is at least 1), and there are fewer than 2^32 records. */
static hr_exact split_gains_score_of(const hr_packing *packing, double gain) {
    double bound = (double)packing->gradient_bound;
    return (hr_exact){gain < 0 ? -1 : (int64_t)(gain / (bound * bound) * 0x1p30)};
}

/* Whether the sides are worth more than the node undivided and what a split must gain, rounding aside. */
static bool is_gain(const hr_gain_rule *rule, const hr_cut_node *node, double gain) {
    double sum = (double)node->gradient, weight = (double)node->weight + node->lambda;
    return gain > (sum * sum / weight + rule->least) * (1 + 1e-12);
}

static hr_best_division division_at(const hr_gain_rule *rule, const hr_cut_node *node, double gain,
                                    size_t last) {
    return (hr_best_division){.score = split_gains_score_of(rule->packing, gain),
                              .gains = is_gain(rule, node, gain),
                              .last = (uint8_t)last};
}

/* Missing values are bin 0: on the left of every cut, then, if there are some, on the right. */
static hr_best_division best_number(const hr_gain_rule *rule, bin_sums *sums, uint32_t bin_count) {
    const hr_kernels *kernels = hr_kernels_get();
    const int64_t missing_gradient = sums->gradients[0], missing_weight = sums->weights[0];
    const hr_cut_node node = accumulate(rule, sums, bin_count);
    double gain, gain_right = -1;
    size_t cut = kernels->best_cut(&node, sums->gradients, sums->weights, bin_count - 1, &gain),
           cut_right = 0;
    if (missing_weight) {
        for (uint32_t bin = 0; bin < bin_count; bin++) {
            sums->gradients[bin] -= missing_gradient;
            sums->weights[bin] -= missing_weight;
        }
        cut_right = kernels->best_cut(&node, sums->gradients, sums->weights, bin_count - 1, &gain_right);
    }
    if (gain_right > gain) return division_at(rule, &node, gain_right, cut_right);
    hr_best_division best = division_at(rule, &node, gain, cut);
    best.missing_left = true;
    return best;
}

/* The bins that occur, by mean gradient. Rare ones are drawn towards 0 by lambda and a few records' weight.
 */
static uint32_t order_categories(const hr_gain_rule *rule, const bin_sums *sums, uint32_t bin_count,
                                 hr_ordered_bin *order) {
    uint32_t count = 0;
    double smooth = rule->lambda + 10 * rule->packing->weight_scale;
    for (uint32_t bin = 0; bin < bin_count; bin++) {
        if (!sums->weights[bin]) continue;
        order[count++] = (hr_ordered_bin){
            (double)sums->gradients[bin] / ((double)sums->weights[bin] + smooth), (uint8_t)bin};
    }
    hr_order_bins(order, count);
    return count;
}

static hr_best_division best_category(const hr_gain_rule *rule, const bin_sums *sums, uint32_t bin_count) {
    hr_ordered_bin order[HR_BINS_MAX];
    bin_sums upto;
    uint32_t count = order_categories(rule, sums, bin_count, order);
    if (!count) return (hr_best_division){.score = {-1}};
    for (uint32_t i = 0; i < count; i++) {
        upto.gradients[i] = sums->gradients[order[i].bin];
        upto.weights[i] = sums->weights[order[i].bin];
    }
    const hr_cut_node node = accumulate(rule, &upto, count);
    double gain;
    size_t last = hr_kernels_get()->best_cut(&node, upto.gradients, upto.weights, count - 1, &gain);
    return division_at(rule, &node, gain, last);
}

hr_best_division hr_best_division_of(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                     const hr_sum_word *cells) {
    bin_sums sums;
    unpack_bins(rule->packing, cells, feature->bin_count, &sums);
    return feature->kind == HR_KIND_NUMBER ? best_number(rule, &sums, feature->bin_count)
                                           : best_category(rule, &sums, feature->bin_count);
}

hr_split hr_best_division_split(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                const hr_sum_word *cells, const hr_best_division *division) {
    hr_split split = {
        .made = true, .kind = feature->kind, .cut = division->last, .missing_left = division->missing_left};
    if (feature->kind == HR_KIND_NUMBER) return split;
    bin_sums sums;
    hr_ordered_bin order[HR_BINS_MAX];
    unpack_bins(rule->packing, cells, feature->bin_count, &sums);
    order_categories(rule, &sums, feature->bin_count, order);
    for (size_t i = 0; i <= division->last; i++) hr_bin_set_add(&split.left, order[i].bin);
    return split;
}
