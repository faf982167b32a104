#include "trees/stats/split_gains.h"

#include "base/kernels/kernels.h"

#include <string.h>

_Static_assert((int)HR_BINS_MAX <= (int)HR_CUTS_MAX, "a cut lies between two bins");

/* What the records of each bin add up to, or of all bins up to one. */
typedef struct bin_sums {
    int64_t gradients[HR_BINS_MAX], weights[HR_BINS_MAX];
} bin_sums;

static void unpack_bins(const hr_packing *packing, const hr_sum_word *cells, uint32_t bin_count,
                        bin_sums *out) {
    if (!packing->weight_cells) {
        hr_kernels_get()->sums_of_words(packing->shift, cells, bin_count, out->gradients, out->weights);
        return;
    }
    memcpy(out->gradients, cells, bin_count * sizeof *cells);
    memcpy(out->weights, hr_weights_in(packing, cells), bin_count * sizeof *cells);
}

/* The cuts of a number, a cut behind each bin that has records: the others divide them as the cut before
 * does. */
typedef struct number_cuts {
    int64_t sums[HR_BINS_MAX];    /* of all bins up to the cut: packed, or gradients */
    int64_t weights[HR_BINS_MAX]; /* of those that are apart */
    uint8_t bins[HR_BINS_MAX];
    size_t count;
} number_cuts;

/* A bin without records is written, too, and then written over: no branch depends on the records. */
static size_t find_cuts_apart(const hr_sum_word *gradients, const hr_sum_word *weights, uint32_t bin_count,
                              number_cuts *out) {
    size_t count = 0;
    int64_t gradient = 0, weight = 0;
    for (uint32_t bin = 0; bin < bin_count; bin++) {
        out->sums[count] = gradient += gradients[bin];
        out->weights[count] = weight += weights[bin];
        out->bins[count] = (uint8_t)bin;
        count += weights[bin] != 0;
    }
    return count;
}

static void find_cuts(const hr_packing *packing, const hr_sum_word *cells, uint32_t bin_count,
                      number_cuts *out) {
    if (packing->weight_cells)
        out->count = find_cuts_apart(cells, hr_weights_in(packing, cells), bin_count, out);
    else
        out->count = hr_kernels_get()->sums_up_to(cells, bin_count, out->sums, out->bins);
}

/* The last cut has no records on its right. */
static size_t best_of_cuts(const hr_packing *packing, const hr_cut_node *node, const number_cuts *cuts,
                           double *gain) {
    const hr_kernels *kernels = hr_kernels_get();
    if (packing->weight_cells)
        return kernels->best_cut(node, cuts->sums, cuts->weights, cuts->count - 1, gain);
    return kernels->best_cut_of_words(node, packing->shift, cuts->sums, cuts->count - 1, gain);
}

static void take_off_first(number_cuts *cuts, bool are_apart) {
    const int64_t sum = cuts->sums[0], weight = are_apart ? cuts->weights[0] : 0;
    for (size_t i = 0; i < cuts->count; i++) cuts->sums[i] -= sum;
    for (size_t i = 0; are_apart && i < cuts->count; i++) cuts->weights[i] -= weight;
}

/* Sums of bins become sums up to and with each. */
static void accumulate(bin_sums *sums, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        sums->gradients[i] += sums->gradients[i - 1];
        sums->weights[i] += sums->weights[i - 1];
    }
}

/* What cuts are judged by: the sum of all records. */
static hr_cut_node node_of(const hr_gain_rule *rule, int64_t gradient, int64_t weight) {
    return (hr_cut_node){gradient, weight, rule->lambda, rule->min_weight};
}

static hr_cut_node node_of_cuts(const hr_gain_rule *rule, const number_cuts *cuts) {
    const size_t last = cuts->count - 1;
    const hr_sums all = hr_unpack_apart(rule->packing, cuts->sums[last],
                                        rule->packing->weight_cells ? cuts->weights[last] : 0);
    return node_of(rule, all.gradient.unpaid, all.weight.unpaid);
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
static hr_best_division best_number(const hr_gain_rule *rule, const hr_sum_word *cells, uint32_t bin_count) {
    const hr_packing *packing = rule->packing;
    number_cuts cuts;
    find_cuts(packing, cells, bin_count, &cuts);
    if (!cuts.count) return (hr_best_division){.score = {-1}, .missing_left = true};
    const hr_cut_node node = node_of_cuts(rule, &cuts);
    double gain, gain_right = -1;
    size_t cut = best_of_cuts(packing, &node, &cuts, &gain), cut_right = 0;
    if (!cuts.bins[0]) {
        take_off_first(&cuts, packing->weight_cells != 0);
        cut_right = best_of_cuts(packing, &node, &cuts, &gain_right);
    }
    if (gain_right > gain) return division_at(rule, &node, gain_right, cuts.bins[cut_right]);
    hr_best_division best = division_at(rule, &node, gain, cuts.bins[cut]);
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
    accumulate(&upto, count);
    const hr_cut_node node = node_of(rule, upto.gradients[count - 1], upto.weights[count - 1]);
    double gain;
    size_t last = hr_kernels_get()->best_cut(&node, upto.gradients, upto.weights, count - 1, &gain);
    return division_at(rule, &node, gain, last);
}

hr_best_division hr_best_division_of(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                     const hr_sum_word *cells) {
    if (feature->kind == HR_KIND_NUMBER) return best_number(rule, cells, feature->bin_count);
    bin_sums sums;
    unpack_bins(rule->packing, cells, feature->bin_count, &sums);
    return best_category(rule, &sums, feature->bin_count);
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
