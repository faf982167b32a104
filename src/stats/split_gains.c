#include "stats/split_gains.h"

/* The best division that was found: q(left) + q(right), or -1 if there is none. */
typedef struct best {
    double gain;
    uint8_t cut;
    bool missing_left;
} best;

/* A sum of cells: packed in the first, or apart. */
typedef struct two_cells {
    hr_cell gradient, weight;
} two_cells;

/* What the scan of one node needs. */
typedef struct split_gains_scan {
    const hr_gain_rule *rule;
    two_cells total;
} split_gains_scan;

static inline two_cells cells_of_bin(const hr_packing *packing, const hr_cell *cells, uint32_t bin) {
    return (two_cells){cells[bin], packing->weight_cells ? hr_weights_in(packing, cells)[bin] : 0};
}

/* Every record weighs something. */
static inline bool is_empty_bin(const hr_packing *packing, const hr_cell *cells, uint32_t bin) {
    return !hr_weights_in(packing, cells)[bin];
}

static inline void add_bin(two_cells *sum, const hr_packing *packing, const hr_cell *cells, uint32_t bin) {
    const two_cells of = cells_of_bin(packing, cells, bin);
    sum->gradient += of.gradient;
    sum->weight += of.weight;
}

/* S_L^2/(W_L + lambda) + S_R^2/(W_R + lambda), over one denominator. */
static inline double split_gains_gain_of(const split_gains_scan *s, two_cells of) {
    const hr_packing *packing = s->rule->packing;
    hr_sums left = hr_unpack_apart(packing, of.gradient, of.weight),
            right = hr_unpack_apart(packing, s->total.gradient - of.gradient, s->total.weight - of.weight);
    double gl = (double)left.gradient.unpaid, gr = (double)right.gradient.unpaid;
    double wl = (double)left.weight.unpaid, wr = (double)right.weight.unpaid;
    if (wl < s->rule->min_weight || wr < s->rule->min_weight) return -1;
    double a = wl + s->rule->lambda, b = wr + s->rule->lambda;
    return (gl * gl * b + gr * gr * a) / (a * b);
}

static void scan_cuts(const split_gains_scan *s, const hr_cell *cells, uint32_t bin_count, bool missing_left,
                      best *out) {
    const hr_packing *packing = s->rule->packing;
    two_cells left = missing_left ? cells_of_bin(packing, cells, 0) : (two_cells){0, 0};
    for (uint32_t cut = missing_left ? 0 : 1; cut + 1 < bin_count; cut++) {
        if (cut) {
            if (is_empty_bin(packing, cells, cut)) continue;
            add_bin(&left, packing, cells, cut);
        }
        double gain = split_gains_gain_of(s, left);
        if (gain > out->gain) *out = (best){gain, (uint8_t)cut, missing_left};
    }
}

static best best_number(const split_gains_scan *s, const hr_cell *cells, uint32_t bin_count) {
    best found = {.gain = -1};
    scan_cuts(s, cells, bin_count, true, &found);
    if (!is_empty_bin(s->rule->packing, cells, 0)) scan_cuts(s, cells, bin_count, false, &found);
    return found;
}

/* The bins that occur, by mean gradient. Rare ones are drawn towards 0 by lambda and a few records' weight.
 */
static size_t order_categories(const hr_gain_rule *rule, const hr_cell *cells, uint32_t bin_count,
                               hr_ordered_bin *order) {
    size_t count = 0;
    double smooth = rule->lambda + 10 * rule->packing->weight_scale;
    for (uint32_t bin = 0; bin < bin_count; bin++) {
        if (is_empty_bin(rule->packing, cells, bin)) continue;
        const two_cells of = cells_of_bin(rule->packing, cells, bin);
        hr_sums sums = hr_unpack_apart(rule->packing, of.gradient, of.weight);
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
    two_cells left = {0, 0};
    for (size_t i = 0; i + 1 < count; i++) {
        add_bin(&left, s->rule->packing, cells, order[i].bin);
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
 * one such square a record (a weight is at least 1), and there are fewer than 2^32 records. */
static hr_exact split_gains_score_of(const hr_packing *packing, double gain) {
    double bound = (double)packing->gradient_bound;
    return (hr_exact){gain < 0 ? -1 : (int64_t)(gain / (bound * bound) * 0x1p30)};
}

/* Whether the sides are worth more than the node undivided, rounding aside. */
static bool is_gain(const split_gains_scan *s, double gain) {
    hr_sums all = hr_unpack_apart(s->rule->packing, s->total.gradient, s->total.weight);
    double sum = (double)all.gradient.unpaid, weight = (double)all.weight.unpaid + s->rule->lambda;
    return gain > sum * sum / weight * (1 + 1e-12);
}

hr_best_division hr_best_division_of(const hr_gain_rule *rule, const hr_feature_bins *feature,
                                     const hr_cell *cells, hr_cell total) {
    split_gains_scan s = {rule, {total, 0}};
    for (uint32_t bin = 0; rule->packing->weight_cells && bin < feature->bin_count; bin++)
        s.total.weight += hr_weights_in(rule->packing, cells)[bin];
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
