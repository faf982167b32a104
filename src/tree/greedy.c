#include "tree/greedy.h"

#include <math.h>
#include <stdlib.h>

/* The best cut of one feature. */
typedef struct best {
    double gain; /* q(left) + q(right); -1: no cut */
    uint8_t cut;
    bool missing_left;
} best;

/* What the scan of one node needs, in integer units. */
typedef struct scan {
    const hr_packing *packing;
    double lambda, least;
    hr_cell total;
} scan;

/* S_L^2/(W_L + lambda) + S_R^2/(W_R + lambda), over one denominator. */
static inline double gain_of(const scan *s, hr_cell left_cell) {
    hr_sums left = hr_unpack(s->packing, left_cell), right = hr_unpack(s->packing, s->total - left_cell);
    double gl = (double)left.gradient.unpaid, gr = (double)right.gradient.unpaid;
    double wl = (double)left.weight.unpaid, wr = (double)right.weight.unpaid;
    if (wl < s->least || wr < s->least) return -1;
    double a = wl + s->lambda, b = wr + s->lambda;
    return (gl * gl * b + gr * gr * a) / (a * b);
}

static void scan_cuts(const scan *s, const hr_cell *cells, uint32_t bin_count, bool missing_left, best *out) {
    hr_cell left = missing_left ? cells[0] : 0;
    for (uint32_t cut = missing_left ? 0 : 1; cut + 1 < bin_count; cut++) {
        if (cut) {
            if (!cells[cut]) continue;
            left += cells[cut];
        }
        double gain = gain_of(s, left);
        if (gain > out->gain) *out = (best){gain, (uint8_t)cut, missing_left};
    }
}

static best best_number(const scan *s, const hr_cell *cells, uint32_t bin_count) {
    best found = {.gain = -1};
    scan_cuts(s, cells, bin_count, true, &found);
    if (cells[0]) scan_cuts(s, cells, bin_count, false, &found);
    return found;
}

typedef struct category {
    double mean;
    uint8_t bin;
} category;

static int by_mean(const void *a, const void *b) {
    const category *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
    return (int)x->bin - (int)y->bin;
}

/* The bins that occur, by mean gradient. Rare ones are drawn towards 0 by lambda and a few records' weight. */
static size_t order_categories(const scan *s, const hr_cell *cells, uint32_t bin_count, category *order) {
    size_t count = 0;
    double smooth = s->lambda + 10 * s->packing->weight_scale;
    for (uint32_t bin = 0; bin < bin_count; bin++) {
        if (!cells[bin]) continue;
        hr_sums sums = hr_unpack(s->packing, cells[bin]);
        order[count++] = (category){(double)sums.gradient.unpaid / ((double)sums.weight.unpaid + smooth), (uint8_t)bin};
    }
    qsort(order, count, sizeof *order, by_mean);
    return count;
}

static best best_category(const scan *s, const hr_cell *cells, uint32_t bin_count) {
    category order[HR_BINS_MAX];
    size_t count = order_categories(s, cells, bin_count, order);
    best found = {.gain = -1};
    hr_cell left = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        left += cells[order[i].bin];
        double gain = gain_of(s, left);
        if (gain > found.gain) found = (best){gain, (uint8_t)i, false};
    }
    return found;
}

static best best_of_feature(const scan *s, const hr_feature_bins *feature, const hr_cell *cells) {
    return feature->kind == HR_NUMBER ? best_number(s, cells, feature->bin_count) : best_category(s, cells, feature->bin_count);
}

static hr_split split_of(const scan *s, const hr_binning *binning, size_t f, const hr_cell *cells, best found) {
    const hr_feature_bins *feature = &binning->features[f];
    hr_split split = {.made = true, .feature = (uint32_t)f, .kind = feature->kind, .cut = found.cut, .missing_left = found.missing_left};
    if (feature->kind == HR_NUMBER) return split;
    category order[HR_BINS_MAX];
    order_categories(s, cells, feature->bin_count, order);
    for (size_t i = 0; i <= found.cut; i++) hr_bin_set_add(&split.left, order[i].bin);
    return split;
}

/* Gains as integers for the gate, in units of 2^-30 of the square of the largest gradient: a gain is at most one such square
 * a record (a weight is at least 1), and there are fewer than 2^31 records. */
static hr_exact score_of(const hr_packing *packing, double gain) {
    double bound = (double)packing->gradient_bound;
    return (hr_exact){gain < 0 ? -1 : (int64_t)(gain / (bound * bound) * 0x1p30)};
}

static void choose_one(const hr_greedy *g, const scan *s, hr_permit permit, const hr_cell *cells, const best *found, hr_exact *scores,
                       hr_split *out) {
    size_t features = g->binning->feature_count;
    for (size_t f = 0; f < features; f++) scores[f] = score_of(s->packing, found[f].gain);
    size_t f = hr_gate_choose(g->gate, permit, scores, features);
    hr_sums total = hr_unpack(s->packing, s->total);
    double whole = (double)total.gradient.unpaid, weight = (double)total.weight.unpaid + s->lambda;
    bool gains = found[f].gain > whole * whole / weight * (1 + 1e-12);
    *out = gains ? split_of(s, g->binning, f, cells + hr_histogram_at(f), found[f]) : (hr_split){.made = false};
}

static hr_status choose(hr_splitter *self, int level, hr_cell *const *cells, const hr_cell *totals, size_t count, hr_split *splits,
                        hr_error *err) {
    const hr_greedy *g = (const hr_greedy *)self;
    size_t features = g->binning->feature_count;
    best *found = malloc(count * features * sizeof *found);
    hr_exact *scores = malloc(features * sizeof *scores);
    if (!found || !scores) {
        free(found);
        free(scores);
        return hr_fail_memory(err);
    }
    scan s = {g->packing, g->lambda * g->packing->weight_scale, fmax(g->least_weight * g->packing->weight_scale, 1), 0};
#pragma omp parallel for num_threads(g->threads) firstprivate(s) schedule(dynamic, 16)
    for (size_t k = 0; k < count * features; k++) {
        size_t node = k / features, f = k % features;
        s.total = totals[node];
        found[k] = best_of_feature(&s, &g->binning->features[f], cells[node] + hr_histogram_at(f));
    }
    for (size_t node = 0; node < count; node++) {
        s.total = totals[node];
        choose_one(g, &s, g->permits[level], cells[node], found + node * features, scores, &splits[node]);
    }
    free(found);
    free(scores);
    return HR_OK;
}

void hr_greedy_init(hr_greedy *greedy) {
    greedy->splitter.choose = choose;
}
