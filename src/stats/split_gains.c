#include "stats/split_gains.h"

/* The best division that was found: q(left) + q(right), or -1 if there is none. */
typedef struct best {
    double gain;
    uint8_t cut;
    bool missing_left;
} best;

/* What the scan of one node needs. */
typedef struct split_gains_scan {
    const hr_gain_rule *rule;
    hr_cell total;
} split_gains_scan;

/* S_L^2/(W_L + lambda) + S_R^2/(W_R + lambda), over one denominator. */
static inline double split_gains_gain_of(const split_gains_scan *s, hr_cell left_cell) {
    hr_sums left = hr_unpack(s->rule->packing, left_cell),
            right = hr_unpack(s->rule->packing, s->total - left_cell);
    double gl = (double)left.gradient.unpaid, gr = (double)right.gradient.unpaid;
    double wl = (double)left.weight.unpaid, wr = (double)right.weight.unpaid;
    if (wl < s->rule->min_weight || wr < s->rule->min_weight) return -1;
    double a = wl + s->rule->lambda, b = wr + s->rule->lambda;
    return (gl * gl * b + gr * gr * a) / (a * b);
}

static void scan_cuts(const split_gains_scan *s, const hr_cell *cells, uint32_t bin_count, bool missing_left,
                      best *out) {
    hr_cell left = missing_left ? cells[0] : 0;
    for (uint32_t cut = missing_left ? 0 : 1; cut + 1 < bin_count; cut++) {
        if (cut) {
            if (!cells[cut]) continue;
            left += cells[cut];
        }
        double gain = split_gains_gain_of(s, left);
        if (gain > out->gain) *out = (best){gain, (uint8_t)cut, missing_left};
    }
}

static best best_number(const split_gains_scan *s, const hr_cell *cells, uint32_t bin_count) {
    best found = {.gain = -1};
    scan_cuts(s, cells, bin_count, true, &found);
    if (cells[0]) scan_cuts(s, cells, bin_count, false, &found);
    return found;
}

/* The bins that occur, by mean gradient. Rare ones are drawn towards 0 by lambda and a few records' weight.
 */
static size_t order_categories(const hr_gain_rule *rule, const hr_cell *cells, uint32_t bin_count,
                               hr_ordered_bin *order) {
    size_t count = 0;
    double smooth = rule->lambda + 10 * rule->packing->weight_scale;
    for (uint32_t bin = 0; bin < bin_count; bin++) {
        if (!cells[bin]) continue;
        hr_sums sums = hr_unpack(rule->packing, cells[bin]);
        order[count++] = (hr_ordered_bin){
            (double)sums.gradient.unpaid / ((double)sums.weight.unpaid + smooth), (uint8_t)bin};
    }
    hr_order_bins(order, count);
    return count;
}

static best best_category(const split_gains_scan *s, const hr_cell *cells, uint32_t bin_count) {
    hr_ordered_bin order[HR_BINS_MAX];
    size_t count = order_categories(s->rule, cells, bin_count, order);
    best found = {.gain = -1};
    hr_cell left = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        left += cells[order[i].bin];
        double gain = split_gains_gain_of(s, left);
        if (gain > found.gain) found = (best){gain, (uint8_t)i, false};
    }
    return found;
}

static best best_of_feature(const split_gains_scan *s, const hr_feature_bins *feature, const hr_cell *cells) {
    return feature->kind == HR_KIND_NUMBER ? best_number(s, cells, feature->bin_count)
                                           : best_category(s, cells, feature->bin_count);
}

/* Gains as integers for the gate, in units of 2^-30 of the square of the largest gradient: a gain is at most
 * one such square a record (a weight is at least 1), and there are fewer than 2^31 records. */
static hr_exact split_gains_score_of(const hr_packing *packing, double gain) {
    double bound = (double)packing->gradient_bound;
    return (hr_exact){gain < 0 ? -1 : (int64_t)(gain / (bound * bound) * 0x1p30)};
}

/* Whether the sides are worth more than the node undivided, rounding aside. */
static bool is_gain(const split_gains_scan *s, double gain) {
    hr_sums all = hr_unpack(s->rule->packing, s->total);
    double sum = (double)all.gradient.unpaid, weight = (double)all.weight.unpaid + s->rule->lambda;
    return gain > sum * sum / weight * (1 + 1e-12);
}

hr_best_division hr_best_division_of(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                     const hr_cell *cells, hr_cell total) {
    const split_gains_scan s = {rule, total};
    best found = best_of_feature(&s, feature, cells);
    return (hr_best_division){split_gains_score_of(rule->packing, found.gain), is_gain(&s, found.gain),
                              found.missing_left, found.cut};
}

hr_split hr_best_division_split(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                const hr_cell *cells, const hr_best_division *division) {
    hr_split split = {
        .made = true, .kind = feature->kind, .cut = division->last, .missing_left = division->missing_left};
    if (feature->kind == HR_KIND_NUMBER) return split;
    hr_ordered_bin order[HR_BINS_MAX];
    order_categories(rule, cells, feature->bin_count, order);
    for (size_t i = 0; i <= division->last; i++) hr_bin_set_add(&split.left, order[i].bin);
    return split;
}
