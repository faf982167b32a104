#include "grow/depth_first.h"

#include "base/fail.h"
#include "random/bootstrap.h"
#include "random/sample.h"
#include "stats/label_sums.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 32, FEW_ROWS = 64, FIRST_NODES = 64, CLASS_SHIFT = 32, TOGETHER = 8 };

/* Records and their labels: the sum of a record's labels and how often it was taken, packed; or its class in
 * place of the sum. */
typedef struct record_array {
    uint32_t *rows;
    int64_t *packed;
} record_array;

typedef struct pending {
    uint32_t node;
    int level;
    size_t begin, count;
} pending;

struct hr_depth_first {
    const hr_depth_first_plan *plan;
    record_array taken, spare;
    size_t count;       /* of records taken */
    uint32_t *features; /* in any order */
    size_t together;    /* features that are summed together */
    hr_cell *cells;     /* of so many; 0 but while a node is divided */
    hr_cell *total, *left;
    pending waiting[HR_DEPTH_FIRST_LEVELS_MAX + 1];
    hr_node *nodes;
    hr_exact *stats;
    size_t node_count, node_room;
    hr_bin_set *subsets;
    size_t subset_count, subset_room;
};

static bool has_many_classes(const hr_depth_first_plan *plan) {
    return plan->labels->classes > 2;
}

/* Words of a sum of labels (label_sums.h). */
static size_t width_of(const hr_depth_first_plan *plan) {
    return has_many_classes(plan) ? plan->labels->classes : 1;
}

hr_status hr_depth_first_pack(size_t rows, size_t classes, hr_packing *packing, int *bits, hr_error *err) {
    int most = classes ? 0 : 30, least = classes ? 0 : 8;
    *packing = (hr_packing){.shift = CLASS_SHIFT, .gradient_scale = 1, .weight_scale = 1};
    *bits = 0;
    if (classes > 2) return HR_OK;
    for (*bits = most; *bits >= least; --*bits) {
        packing->gradient_bound = (int64_t)1 << *bits;
        packing->gradient_scale = (double)packing->gradient_bound;
        packing->shift = hr_packing_shift(rows, 1, packing->gradient_bound);
        if (packing->shift >= 0) return HR_OK;
    }
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                   "too many records for exact sums in 63 bits");
}

/* ---- Room ---- */

static bool records_init(record_array *r, size_t count) {
    r->rows = malloc((count + 1) * sizeof *r->rows);
    r->packed = malloc((count + 1) * sizeof *r->packed);
    return r->rows && r->packed;
}

void hr_depth_first_free(hr_depth_first *d) {
    if (!d) return;
    void *all[] = {d->taken.rows, d->taken.packed, d->spare.rows, d->spare.packed, d->features, d->cells,
                   d->total,      d->left,         d->nodes,      d->stats,        d->subsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(d);
}

hr_status hr_depth_first_new(const hr_depth_first_plan *plan, hr_depth_first **out, hr_error *err) {
    hr_depth_first *d = calloc(1, sizeof *d);
    size_t width = width_of(plan);
    if (!d) return hr_fail_memory(err);
    d->plan = plan;
    d->features = malloc((plan->binned->features + 1) * sizeof *d->features);
    d->together = width < TOGETHER ? TOGETHER / width : 1;
    d->cells = calloc(d->together * HR_STRIDE * width, sizeof *d->cells);
    d->total = malloc(width * sizeof *d->total);
    d->left = malloc(width * sizeof *d->left);
    bool all = d->features && d->cells && d->total && d->left;
    if (!all || !records_init(&d->taken, plan->binned->rows) ||
        !records_init(&d->spare, plan->binned->rows)) {
        hr_depth_first_free(d);
        return hr_fail_memory(err);
    }
    *out = d;
    return HR_OK;
}

static size_t doubled(size_t room, size_t wanted) {
    if (!room) room = FIRST_NODES;
    while (room < wanted) room *= 2;
    return room;
}

static bool make_room_for_nodes_depth_first(hr_depth_first *d, size_t count) {
    size_t room = doubled(d->node_room, count), width = hr_labels_width(d->plan->labels);
    if (count <= d->node_room) return true;
    hr_node *nodes = realloc(d->nodes, room * sizeof *nodes);
    if (nodes) d->nodes = nodes;
    hr_exact *stats = realloc(d->stats, room * width * sizeof *stats);
    if (stats) d->stats = stats;
    if (!nodes || !stats) return false;
    d->node_room = room;
    return true;
}

static bool make_room_for_subsets(hr_depth_first *d, size_t count) {
    size_t room = doubled(d->subset_room, count);
    if (count <= d->subset_room) return true;
    hr_bin_set *subsets = realloc(d->subsets, room * sizeof *subsets);
    if (!subsets) return false;
    d->subsets = subsets;
    d->subset_room = room;
    return true;
}

/* Adds leaves without records; false when memory is short. */
static bool add_nodes(hr_depth_first *d, size_t more) {
    size_t width = hr_labels_width(d->plan->labels);
    if (!make_room_for_nodes_depth_first(d, d->node_count + more)) return false;
    memset(&d->nodes[d->node_count], 0, more * sizeof *d->nodes);
    memset(&d->stats[d->node_count * width], 0, more * width * sizeof *d->stats);
    d->node_count += more;
    return true;
}

/* ---- The records ---- */

static void take_record_label(hr_depth_first *d, uint32_t row, uint32_t times) {
    int64_t label = d->plan->labels->values[row], weight = times;
    d->taken.rows[d->count] = row;
    d->taken.packed[d->count++] =
        hr_pack(&d->plan->packing, has_many_classes(d->plan) ? label : label * weight, weight);
}

void hr_depth_first_take_all(hr_depth_first *d, hr_csprng *csprng) {
    (void)csprng;
    d->count = 0;
    for (size_t i = 0; i < d->plan->binned->rows; i++) take_record_label(d, (uint32_t)i, 1);
}

void hr_depth_first_take_bootstrap(hr_depth_first *d, hr_csprng *csprng) {
    uint32_t *times = d->spare.rows;
    hr_bootstrap(csprng, d->plan->binned->rows, times);
    d->count = 0;
    for (size_t i = 0; i < d->plan->binned->rows; i++)
        if (times[i]) take_record_label(d, (uint32_t)i, times[i]);
}

static void sum_labels(hr_depth_first *d, const pending *at) {
    const int64_t *packed = d->taken.packed + at->begin;
    memset(d->total, 0, width_of(d->plan) * sizeof *d->total);
    if (has_many_classes(d->plan))
        for (size_t i = 0; i < at->count; i++) hr_label_add_class(&d->plan->packing, packed[i], d->total);
    else
        for (size_t i = 0; i < at->count; i++) d->total[0] += packed[i];
}

static int64_t count_records(const hr_depth_first *d) {
    return hr_label_records(&d->plan->packing, width_of(d->plan), d->total);
}

/* Whether all labels of a node are the same. */
static bool is_pure(const hr_depth_first *d, const pending *at) {
    const uint32_t *rows = d->taken.rows + at->begin;
    const int32_t *labels = d->plan->labels->values;
    for (size_t i = 1; i < at->count; i++)
        if (labels[rows[i]] != labels[rows[0]]) return false;
    return true;
}

/* ---- Candidates ---- */

/* Features whose labels are summed in one pass over a node's records. */
typedef struct group {
    size_t count;
    uint32_t features[TOGETHER];
    const uint8_t *bins[TOGETHER]; /* record i's is bins[j][i * HR_TILE] */
    hr_cell *cells[TOGETHER];
} group;

/* Draws up to `most` features more, without replacement; `drawn` were drawn before. */
static group draw_features(hr_depth_first *d, size_t drawn, size_t most, hr_csprng *csprng) {
    const hr_binned *binned = d->plan->binned;
    group g = {.count = 0};
    for (; g.count < most && g.count < d->together && drawn < binned->features; drawn++) {
        size_t j = drawn + hr_uniform(csprng, binned->features - drawn);
        uint32_t f = d->features[j];
        d->features[j] = d->features[drawn];
        d->features[drawn] = f;
        g.features[g.count] = f;
        g.bins[g.count] = binned->tiles + hr_binned_offset(binned, f);
        g.cells[g.count] = d->cells + g.count * HR_STRIDE * width_of(d->plan);
        g.count++;
    }
    return g;
}

/* A record's bins are in one cache line where there are no more than HR_TILE features: so it is read once for
 * all of the group. */
static void sum_packed(const record_array *r, size_t count, const group *g) {
    const size_t features = g->count;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) __builtin_prefetch(&g->bins[0][(size_t)r->rows[i + AHEAD] * HR_TILE]);
        size_t at = (size_t)r->rows[i] * HR_TILE;
        int64_t packed = r->packed[i];
        for (size_t j = 0; j < features; j++) g->cells[j][g->bins[j][at]] += packed;
    }
}

static void sum_classes(const hr_packing *packing, size_t width, const record_array *r, size_t count,
                        const group *g, size_t feature) {
    const uint8_t *bins = g->bins[feature];
    hr_cell *cells = g->cells[feature];
    for (size_t i = 0; i < count; i++)
        hr_label_add_class(packing, r->packed[i], &cells[bins[(size_t)r->rows[i] * HR_TILE] * width]);
}

static void sum_bins(hr_depth_first *d, const pending *at, const group *g) {
    record_array r = {d->taken.rows + at->begin, d->taken.packed + at->begin};
    if (!has_many_classes(d->plan)) sum_packed(&r, at->count, g);
    for (size_t j = 0; has_many_classes(d->plan) && j < g->count; j++)
        sum_classes(&d->plan->packing, width_of(d->plan), &r, at->count, g, j);
}

/* The bins of a node's records, a bit each. */
static void mark_rows(const uint8_t *bins, const uint32_t *rows, size_t count, hr_bin_set *seen) {
    for (size_t i = 0; i < count; i++) hr_bin_set_add(seen, bins[(size_t)rows[i] * HR_TILE]);
}

/* Cells of bins that the feature has not are 0, too. */
static void mark_cells(const hr_cell *cells, hr_bin_set *seen) {
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
        for (size_t b = 0; b < 64; b++) seen->words[w] |= (uint64_t)(cells[w * 64 + b] != 0) << b;
}

/* Lists the bins that occur, without a look at all of them if the node has few records. */
static void list_bins(const hr_depth_first *d, const pending *at, const uint8_t *bins, hr_values *v) {
    hr_bin_set seen = {{0}};
    if (v->width > 1 || at->count <= FEW_ROWS)
        mark_rows(bins, d->taken.rows + at->begin, at->count, &seen);
    else
        mark_cells(v->cells, &seen);
    bool numbers = v->feature->kind == HR_NUMBER;
    v->missing = numbers && hr_bin_set_has(&seen, 0);
    if (numbers) seen.words[0] &= ~UINT64_C(1);
    v->count = 0;
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
        for (uint64_t bits = seen.words[w]; bits; bits &= bits - 1)
            v->bins[v->count++] = (uint8_t)(w * 64 + (size_t)__builtin_ctzll(bits));
}

/* Leaves all cells 0 again: only those that were touched are written. */
static void clear_cells(const hr_values *v, hr_cell *cells) {
    for (size_t k = 0; k < v->width; k++) cells[k] = 0; /* missing */
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->width; k++) cells[v->bins[i] * v->width + k] = 0;
}

static size_t majority_of(const hr_depth_first *d) {
    size_t largest = 0;
    for (size_t k = 1; k < width_of(d->plan); k++)
        if (d->total[k] > d->total[largest]) largest = k;
    return largest;
}

/* The purest division of a node so far. */
typedef struct purest {
    double purity;
    hr_split split;
} purest;

/* Lets the rule divide the records by each feature of the group; keeps the division that is purer than
 * `best`. */
static void divide_node(hr_depth_first *d, const pending *at, const group *g, hr_values *v, hr_csprng *csprng,
                        purest *best) {
    for (size_t j = 0; j < g->count; j++) {
        hr_split_proposal division;
        v->feature = &d->plan->binned->binning->features[g->features[j]];
        v->midpoints = d->plan->midpoints + (size_t)g->features[j] * HR_BINS_MAX;
        v->cells = g->cells[j];
        list_bins(d, at, g->bins[j], v);
        if (v->count + v->missing > 1) {
            d->plan->rule(v, csprng, &division);
            if (division.purity > best->purity) {
                *best = (purest){division.purity, hr_split_proposal_split(v, &division)};
                best->split.feature = g->features[j];
            }
        }
        clear_cells(v, g->cells[j]);
    }
}

/* The purest division by `candidates` features, and by more while none of them divides the records. */
static hr_split choose_split(hr_depth_first *d, const pending *at, hr_csprng *csprng) {
    const hr_depth_first_plan *plan = d->plan;
    purest best = {.purity = -1};
    hr_values v = {.packing = &plan->packing,
                   .width = width_of(plan),
                   .min_records = plan->min_records,
                   .majority = majority_of(d),
                   .total = d->total,
                   .left = d->left};
    for (size_t drawn = 0;
         drawn < plan->binned->features && (drawn < plan->candidates || !best.split.made);) {
        group g = draw_features(d, drawn, drawn < plan->candidates ? plan->candidates - drawn : 1, csprng);
        sum_bins(d, at, &g);
        divide_node(d, at, &g, &v, csprng, &best);
        drawn += g.count;
    }
    return best.split;
}

/* ---- Growing ---- */

static void set_leaf(hr_depth_first *d, const pending *at) {
    hr_exact *stat = d->stats + at->node * hr_labels_width(d->plan->labels);
    hr_label_statistic(&d->plan->packing, d->plan->labels, d->total, stat);
}

/* Deals the records of a node out in order, without a branch on them: those that go left stay in the array.
 * Returns how many. */
static size_t deal_node_records(hr_depth_first *d, const pending *at, const hr_split *split) {
    uint8_t table[HR_BINS_MAX];
    const uint8_t *bins = hr_binned_column(d->plan->binned, split->feature);
    record_array taken = {d->taken.rows + at->begin, d->taken.packed + at->begin}, spare = d->spare;
    size_t left = 0, right = 0;
    hr_split_left_table(split, d->plan->binned->binning, table);
    for (size_t i = 0, count = at->count; i < count; i++) {
        if (i + AHEAD < count) __builtin_prefetch(&bins[taken.rows[i + AHEAD]]);
        uint32_t row = taken.rows[i];
        int64_t packed = taken.packed[i];
        size_t goes_left = table[bins[row]];
        taken.rows[left] = spare.rows[right] = row;
        taken.packed[left] = spare.packed[right] = packed;
        left += goes_left;
        right += 1 - goes_left;
    }
    memcpy(taken.rows + left, spare.rows, right * sizeof *spare.rows);
    memcpy(taken.packed + left, spare.packed, right * sizeof *spare.packed);
    return left;
}

/* Gives the node its two children, leaves so far; false when memory is short. */
static bool add_depth_first_children(hr_depth_first *d, uint32_t index, const hr_split *split) {
    size_t left = d->node_count, subset = d->subset_count;
    if (!add_nodes(d, 2)) return false;
    hr_node *node = &d->nodes[index];
    *node = (hr_node){.left = (uint32_t)left,
                      .feature = split->feature,
                      .cut = split->cut,
                      .missing_left = split->missing_left};
    if (split->kind == HR_NUMBER) {
        node->threshold = hr_bins_threshold(&d->plan->binned->binning->features[split->feature], split->cut);
        return true;
    }
    if (!make_room_for_subsets(d, subset + 1)) return false;
    node->subset = (uint32_t)subset;
    d->subsets[d->subset_count++] = split->left;
    return true;
}

/* Whether the node should be split: it is not as deep as it may be, and has records enough, which differ. */
static bool may_split(const hr_depth_first *d, const pending *at) {
    return at->level < d->plan->depth && count_records(d) >= 2 * d->plan->min_records && !is_pure(d, at);
}

/* Splits a node and lets its children wait, the left one on top; or makes it a leaf. False when memory is
 * short. */
static bool visit(hr_depth_first *d, pending at, hr_csprng *csprng, size_t *waiting) {
    hr_split split = {.made = false};
    sum_labels(d, &at);
    if (may_split(d, &at)) split = choose_split(d, &at, csprng);
    if (!split.made) {
        set_leaf(d, &at);
        return true;
    }
    if (!add_depth_first_children(d, at.node, &split)) return false;
    size_t left = deal_node_records(d, &at, &split);
    uint32_t child = d->nodes[at.node].left;
    d->waiting[(*waiting)++] = (pending){child + 1, at.level + 1, at.begin + left, at.count - left};
    d->waiting[(*waiting)++] = (pending){child, at.level + 1, at.begin, left};
    return true;
}

hr_status hr_depth_first_grow(hr_depth_first *d, hr_csprng *csprng, hr_tree *out, const hr_exact **stats,
                              hr_error *err) {
    size_t waiting = 1;
    d->node_count = d->subset_count = 0;
    d->waiting[0] = (pending){0, 0, 0, d->count};
    for (size_t f = 0; f < d->plan->binned->features; f++) d->features[f] = (uint32_t)f;
    if (!add_nodes(d, 1)) return hr_fail_memory(err);
    while (waiting) {
        pending at = d->waiting[--waiting];
        if (!visit(d, at, csprng, &waiting)) return hr_fail_memory(err);
    }
    *out = (hr_tree){.nodes = d->nodes,
                     .node_count = d->node_count,
                     .subsets = d->subsets,
                     .subset_count = d->subset_count};
    *stats = d->stats;
    return HR_OK;
}
