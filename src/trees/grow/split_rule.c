#include "trees/grow/split_rule.h"

#include "privacy/sample.h"
#include "trees/stats/label_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hr_split_proposal none = {.purity = -1};

static inline double purity_of_sums(const hr_values *v, hr_sum_word left) {
    return hr_label_purity_packed(v->packing, left, v->total[0], v->min_records);
}

static double purity_of_class_split(const hr_values *v, const hr_sum_word *left) {
    return hr_label_purity_classes(v->width, left, v->total, v->min_records);
}

static void add_bin(const hr_values *v, unsigned bin) {
    for (size_t k = 0; k < v->width; k++) v->left[k] += v->cells[bin * v->width + k];
}

/* Sums the first `count` values, and the missing ones if they go left, into v->left. */
static void sum_left(const hr_values *v, size_t count, bool missing_left) {
    if (v->width == 1) {
        hr_sum_word left = missing_left ? v->cells[0] : 0;
        for (size_t i = 0; i < count; i++) left += v->cells[v->bins[i]];
        v->left[0] = left;
        return;
    }
    memset(v->left, 0, v->width * sizeof *v->left);
    if (missing_left) add_bin(v, 0);
    for (size_t i = 0; i < count; i++) add_bin(v, v->bins[i]);
}

double hr_left_purity(const hr_values *v) {
    return v->width == 1 ? purity_of_sums(v, v->left[0]) : purity_of_class_split(v, v->left);
}

static double purity_of(const hr_values *v, size_t count, bool missing_left) {
    sum_left(v, count, missing_left);
    return hr_left_purity(v);
}

static int64_t split_rule_records_of(const hr_values *v, const hr_sum_word *words) {
    return hr_label_records(v->packing, v->width, words);
}

/* ---- The best ---- */

static void scan_sums(const hr_values *v, bool missing_left, hr_split_proposal *best) {
    hr_sum_word left = missing_left ? v->cells[0] : 0;
    for (size_t i = 0;; i++) {
        double purity = purity_of_sums(v, left);
        if (purity > best->purity)
            *best = (hr_split_proposal){.purity = purity, .left = i, .missing_left = missing_left};
        if (i == v->count) break;
        left += v->cells[v->bins[i]];
    }
}

static void scan_classes(const hr_values *v, bool missing_left, hr_split_proposal *best) {
    sum_left(v, 0, missing_left);
    for (size_t i = 0;; i++) {
        double purity = purity_of_class_split(v, v->left);
        if (purity > best->purity)
            *best = (hr_split_proposal){.purity = purity, .left = i, .missing_left = missing_left};
        if (i == v->count) break;
        add_bin(v, v->bins[i]);
    }
}

/* The best of all runs of values from the first on; those that leave a side empty count as too small. */
static void scan_cuts_of_feature(const hr_values *v, bool missing_left, hr_split_proposal *best) {
    (v->width == 1 ? scan_sums : scan_classes)(v, missing_left, best);
}

/* Midway between the values that the cut divides, but never the larger one. `left` 0: there is no cut. */
static double midway(const hr_values *v, size_t left) {
    if (!left) return -INFINITY;
    if (left == v->count) return INFINITY;
    double low = v->of->midpoints[v->bins[left - 1]], high = v->of->midpoints[v->bins[left]],
           middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

static void order_by_mean(hr_values *v) {
    hr_ordered_bin order[HR_BINS_MAX];
    for (size_t i = 0; i < v->count; i++) {
        double mean = hr_label_mean(v->packing, v->width, &v->cells[v->bins[i] * v->width], v->majority);
        order[i] = (hr_ordered_bin){mean, v->bins[i]};
    }
    hr_order_bins(order, v->count);
    for (size_t i = 0; i < v->count; i++) v->bins[i] = order[i].bin;
}

static void bring_to_front(hr_values *v, size_t i) {
    uint8_t bin = v->bins[i];
    memmove(v->bins + 1, v->bins, i);
    v->bins[0] = bin;
}

/* Every value against the rest; keeps the one that is better than `best` in front. */
static void scan_single_values(hr_values *v, hr_split_proposal *best) {
    size_t found = v->count;
    for (size_t i = 0; i < v->count; i++) {
        double purity = purity_of_class_split(v, &v->cells[v->bins[i] * v->width]);
        if (purity <= best->purity) continue;
        *best = (hr_split_proposal){.purity = purity, .left = 1};
        found = i;
    }
    if (found < v->count) bring_to_front(v, found);
}

static void divide_best(hr_values *v, hr_csprng *csprng, hr_split_proposal *out) {
    (void)csprng;
    *out = none;
    if (v->of->feature->kind == HR_KIND_CATEGORY) {
        order_by_mean(v);
        scan_cuts_of_feature(v, false, out);
        if (v->width > 1) scan_single_values(v, out);
        return;
    }
    scan_cuts_of_feature(v, false, out);
    if (v->missing) scan_cuts_of_feature(v, true, out);
    out->cut = midway(v, out->left);
}

const hr_split_rule hr_split_rule_best = {.by_sums = divide_best};

/* ---- Random ---- */

static void swap(uint8_t *a, uint8_t *b) {
    uint8_t old = *a;
    *a = *b;
    *b = old;
}

/* Every subset that is neither empty nor full is drawn with the same probability; it comes first. */
static size_t draw_subset(hr_values *v, hr_csprng *csprng) {
    size_t left = 0;
    while (left == 0 || left == v->count) {
        left = 0;
        for (size_t i = 0; i < v->count; i++)
            if (hr_uniform(csprng, 2)) swap(&v->bins[i], &v->bins[left++]);
    }
    return left;
}

/* low <= x < high, or low if rounding leaves nothing between. */
static double draw_between(hr_csprng *csprng, double low, double high) {
    double x = low + (high - low) * ((double)(hr_csprng_u64(csprng) >> 11) * 0x1p-53);
    return x < high ? x : low;
}

static void divide_random_categories(hr_values *v, hr_csprng *csprng, hr_split_proposal *out) {
    *out = (hr_split_proposal){.left = draw_subset(v, csprng)};
    out->purity = purity_of(v, out->left, false);
}

static bool draw_side(bool missing, hr_csprng *csprng) {
    return missing && hr_uniform(csprng, 2);
}

/* Where one value and missing ones are all there is, these are separated. */
static hr_cut cut_at_random(const hr_bin_midpoints *of, const hr_bin_range *range, hr_csprng *csprng) {
    if (range->low == range->high) return (hr_cut){.bin = (uint8_t)(of->feature->bin_count - 1)};
    double at = draw_between(csprng, of->midpoints[range->low], of->midpoints[range->high]);
    return (hr_cut){hr_search_bin(&of->search, at), draw_side(range->missing, csprng)};
}

const hr_split_rule hr_split_rule_random = {.by_sums = divide_random_categories, .by_range = cut_at_random};

/* ---- The median ---- */

static void shuffle_categories(hr_values *v, hr_csprng *csprng) {
    for (size_t i = v->count; i > 1; i--) swap(&v->bins[i - 1], &v->bins[hr_uniform(csprng, i)]);
}

/* How many values from the first on hold the number of records that is nearest to half; the first of equals.
 */
static size_t nearest_half(const hr_values *v) {
    int64_t all = 0, left = 0, nearest = INT64_MAX;
    size_t found = 0;
    for (size_t i = 0; i < v->count; i++) all += split_rule_records_of(v, &v->cells[v->bins[i] * v->width]);
    for (size_t i = 0; i + 1 < v->count; i++) {
        left += split_rule_records_of(v, &v->cells[v->bins[i] * v->width]);
        int64_t away = llabs(all - 2 * left);
        if (away >= nearest) continue;
        nearest = away;
        found = i + 1;
    }
    return found;
}

/* One value and missing ones are all there is to separate. */
static void divide_missing(const hr_values *v, hr_split_proposal *out) {
    *out = (hr_split_proposal){.left = v->count, .cut = INFINITY};
    out->purity = purity_of(v, out->left, false);
}

static void divide_at_median(hr_values *v, hr_csprng *csprng, hr_split_proposal *out) {
    if (v->count < 2) {
        divide_missing(v, out);
        return;
    }
    *out = none;
    if (v->of->feature->kind == HR_KIND_CATEGORY) shuffle_categories(v, csprng);
    out->left = nearest_half(v);
    if (v->of->feature->kind == HR_KIND_NUMBER) {
        out->cut = midway(v, out->left);
        out->missing_left = draw_side(v->missing, csprng);
    }
    out->purity = purity_of(v, out->left, out->missing_left);
}

const hr_split_rule hr_split_rule_median = {.by_sums = divide_at_median};

/* ---- The split ---- */

static hr_bin_set left_set(const hr_values *v, size_t left, bool others_left) {
    hr_bin_set set = {{0}}, seen = {{0}};
    for (size_t i = 0; i < v->count; i++) {
        hr_bin_set_add(&seen, v->bins[i]);
        if (i < left) hr_bin_set_add(&set, v->bins[i]);
    }
    for (uint32_t bin = 0; others_left && bin < v->of->feature->bin_count; bin++)
        if (!hr_bin_set_has(&seen, (uint8_t)bin)) hr_bin_set_add(&set, (uint8_t)bin);
    return set;
}

static bool left_is_larger(const hr_values *v) {
    return 2 * split_rule_records_of(v, v->left) > split_rule_records_of(v, v->total);
}

hr_split hr_cut_split(const hr_values *v, hr_cut cut, bool has_missing) {
    return (hr_split){.made = true,
                      .kind = HR_KIND_NUMBER,
                      .cut = cut.bin,
                      .missing_left = has_missing ? cut.missing_left : left_is_larger(v)};
}

hr_split hr_split_proposal_split(const hr_values *v, const hr_split_proposal *division) {
    hr_split split = {.made = true, .kind = v->of->feature->kind};
    sum_left(v, division->left, division->missing_left);
    if (split.kind == HR_KIND_CATEGORY) {
        split.left = left_set(v, division->left, left_is_larger(v));
    } else {
        split.cut = hr_search_bin(&v->of->search, division->cut);
        split.missing_left = v->missing ? division->missing_left : left_is_larger(v);
    }
    return split;
}
