#include "trees/grow/depth_first.h"

#include "base/arena.h"
#include "base/fail.h"
#include "privacy/sample.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_NODES = 64 };

typedef struct pending {
    uint32_t node;
    int level;
    hr_forest_run run;
} pending;

struct hr_depth_first {
    hr_arena *arena; /* of all that has one size; its cache lines are no other thread's */
    const hr_depth_first_plan *plan;
    hr_forest_records *records;
    size_t width, statistic_width;
    uint32_t *features; /* in any order */
    size_t together;    /* features that are summed together */
    hr_sum_word *cells; /* of so many; 0 but while a node is divided */
    hr_sum_word *total;
    hr_sum_word *left; /* of so many features: what their cuts send left */
    pending waiting[HR_DEPTH_FIRST_LEVELS_MAX + 1];
    hr_node *nodes;
    hr_exact *stats;
    size_t node_count, node_room;
    hr_bin_set *subsets;
    size_t subset_count, subset_room;
};

/* ---- Room ---- */

void hr_depth_first_free(hr_depth_first *d) {
    if (!d) return;
    free(d->nodes);
    free(d->stats);
    free(d->subsets);
    hr_arena_free(d->arena);
}

hr_status hr_depth_first_new(const hr_depth_first_plan *plan, hr_forest_records *records,
                             hr_depth_first **out, hr_error *err) {
    hr_arena *arena = hr_arena_new();
    hr_depth_first *d = arena ? hr_arena_alloc(arena, 1, sizeof *d) : NULL;
    if (!d) {
        hr_arena_free(arena);
        return hr_fail_memory(err);
    }
    *d = (hr_depth_first){.arena = arena,
                          .plan = plan,
                          .records = records,
                          .width = hr_forest_records_width(records),
                          .statistic_width = hr_forest_records_statistic_width(records),
                          .together = hr_forest_records_together(records)};
    d->features = hr_arena_alloc(arena, plan->binning->feature_count, sizeof *d->features);
    d->cells = hr_arena_alloc(arena, d->together * hr_forest_records_cells(records), sizeof *d->cells);
    d->total = hr_arena_alloc(arena, d->width, sizeof *d->total);
    d->left = hr_arena_alloc(arena, d->together * d->width, sizeof *d->left);
    if (!d->features || !d->cells || !d->total || !d->left) {
        hr_arena_free(arena);
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

/* Adds leaves without records; false when memory is short. */
static bool add_nodes(hr_depth_first *d, size_t more) {
    size_t width = d->statistic_width, count = d->node_count + more;
    if (count > d->node_room) {
        size_t room = doubled(d->node_room, count);
        hr_node *nodes = realloc(d->nodes, room * sizeof *nodes);
        if (nodes) d->nodes = nodes;
        hr_exact *stats = realloc(d->stats, room * width * sizeof *stats);
        if (stats) d->stats = stats;
        if (!nodes || !stats) return false;
        d->node_room = room;
    }
    memset(&d->nodes[d->node_count], 0, more * sizeof *d->nodes);
    memset(&d->stats[d->node_count * width], 0, more * width * sizeof *d->stats);
    d->node_count = count;
    return true;
}

/* ---- Candidates ---- */

/* The purest division of a node so far. */
typedef struct search {
    hr_forest_run run;
    hr_values values;
    double purity;
    hr_split split;
} search;

static bool improves(search *s, double purity) {
    if (!(purity > s->purity)) return false;
    s->purity = purity;
    return true;
}

/* Features that are tried together. */
typedef struct feature_group {
    const uint32_t *features;
    size_t count;
} feature_group;

/* Lets the rule divide the records by a feature whose labels were summed; leaves its cells 0: only those that
 * were touched are written. */
static void try_sums(const hr_depth_first *d, search *s, uint32_t feature, hr_bin_set seen,
                     hr_sum_word *cells, hr_csprng *csprng) {
    hr_values *v = &s->values;
    hr_split_proposal division;
    v->of = &d->plan->midpoints[feature];
    v->cells = cells;
    bool numbers = v->of->feature->kind == HR_KIND_NUMBER;
    v->missing = numbers && hr_bin_set_has(&seen, 0);
    if (numbers) seen.words[0] &= ~UINT64_C(1);
    v->count = 0;
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
        for (uint64_t bits = seen.words[w]; bits; bits &= bits - 1)
            v->bins[v->count++] = (uint8_t)(w * 64 + (size_t)__builtin_ctzll(bits));

    if (v->count + v->missing > 1) {
        d->plan->rule->by_sums(v, csprng, &division);
        if (improves(s, division.purity)) {
            s->split = hr_split_proposal_split(v, &division);
            s->split.feature = feature;
        }
    }

    for (size_t k = 0; k < v->width; k++) cells[k] = 0; /* missing */
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->width; k++) cells[v->bins[i] * v->width + k] = 0;
}

static void try_by_sums(hr_depth_first *d, search *s, feature_group group, hr_csprng *csprng) {
    hr_bin_set seen[HR_FOREST_TOGETHER_MAX];
    size_t cells = hr_forest_records_cells(d->records);
    hr_forest_records_sum_bins(d->records, s->run, group.features, group.count, d->cells, seen);
    for (size_t j = 0; j < group.count; j++)
        try_sums(d, s, group.features[j], seen[j], d->cells + j * cells, csprng);
}

/* Tries categories by their sums, and numbers by their ranges: the rule cuts between two different values
 * (missing is one); without them none goes left. */
static void try_by_ranges(hr_depth_first *d, search *s, feature_group group, hr_csprng *csprng) {
    hr_bin_range ranges[HR_FOREST_TOGETHER_MAX];
    hr_cut cuts[HR_FOREST_TOGETHER_MAX] = {{0, false}};
    hr_forest_records_look(d->records, s->run, group.features, group.count, ranges);
    for (size_t j = 0; j < group.count; j++) {
        const uint32_t f = group.features[j];
        const hr_bin_range *range = &ranges[j];
        bool differ = range->low < range->high || (range->low == range->high && range->missing);
        if (d->plan->binning->features[f].kind != HR_KIND_NUMBER)
            try_by_sums(d, s, (feature_group){&group.features[j], 1}, csprng);
        else if (differ)
            cuts[j] = d->plan->rule->by_range(&d->plan->midpoints[f], range, csprng);
    }
    hr_forest_records_sum_left(d->records, s->run, cuts, group.count, d->left);
    for (size_t j = 0; j < group.count; j++) {
        s->values.left = d->left + j * d->width;
        if (!improves(s, hr_left_purity(&s->values))) continue;
        s->split = hr_cut_split(&s->values, cuts[j], ranges[j].missing);
        s->split.feature = group.features[j];
    }
    s->values.left = d->left;
}

/* The purest division by `candidates` features, drawn without replacement, and by more while none of them
 * divides the records. */
static hr_split choose_split(hr_depth_first *d, const pending *at, hr_csprng *csprng) {
    size_t candidates = d->plan->candidates, features = d->plan->binning->feature_count, count;
    search s; /* values.bins, 256 bytes, is not cleared for every node */
    s.run = at->run;
    s.purity = -1;
    s.split = (hr_split){.made = false};
    s.values.packing = hr_forest_records_packing(d->records);
    s.values.width = d->width;
    s.values.min_records = d->plan->min_records;
    s.values.majority = 0;
    for (size_t k = 1; k < d->width; k++)
        if (d->total[k] > d->total[s.values.majority]) s.values.majority = k;
    s.values.total = d->total;
    s.values.left = d->left;
    for (size_t drawn = 0; drawn < features && (drawn < candidates || !s.split.made); drawn += count) {
        size_t most = drawn < candidates ? candidates - drawn : 1;
        count = features - drawn < most ? features - drawn : most;
        if (count > d->together) count = d->together;
        hr_draw_items(csprng, d->features + drawn, features - drawn, count);
        const feature_group group = {d->features + drawn, count};
        (d->plan->rule->by_range ? try_by_ranges : try_by_sums)(d, &s, group, csprng);
    }
    return s.split;
}

/* ---- Growing ---- */

/* Gives the node its two children, leaves so far; false when memory is short. */
static bool add_depth_first_children(hr_depth_first *d, uint32_t index, const hr_split *split) {
    size_t left = d->node_count;
    if (!add_nodes(d, 2)) return false;
    hr_node *node = &d->nodes[index];
    *node = (hr_node){.left = (uint32_t)left,
                      .feature = split->feature,
                      .cut = split->cut,
                      .missing_left = split->missing_left};
    if (split->kind == HR_KIND_NUMBER) {
        node->threshold = hr_bins_threshold(&d->plan->binning->features[split->feature], split->cut);
        return true;
    }
    if (d->subset_count == d->subset_room) {
        size_t room = doubled(d->subset_room, d->subset_count + 1);
        hr_bin_set *subsets = realloc(d->subsets, room * sizeof *subsets);
        if (!subsets) return false;
        d->subsets = subsets;
        d->subset_room = room;
    }
    node->subset = (uint32_t)d->subset_count;
    d->subsets[d->subset_count++] = split->left;
    return true;
}

/* Splits a node and lets its children wait, the left one on top; or makes it a leaf. False when memory is
 * short. */
static bool visit(hr_depth_first *d, pending at, hr_csprng *csprng, size_t *waiting) {
    hr_split split = {.made = false};
    hr_forest_run sides[2];
    hr_forest_records_sum(d->records, at.run, d->total);
    bool may_split = at.level < d->plan->depth &&
                     hr_forest_records_count(d->records, d->total) >= 2 * d->plan->min_records &&
                     !hr_forest_records_are_pure(d->records, at.run, d->total);
    if (may_split) split = choose_split(d, &at, csprng);
    if (!split.made) {
        hr_forest_records_statistic(d->records, d->total, d->stats + at.node * d->statistic_width);
        return true;
    }
    if (!add_depth_first_children(d, at.node, &split)) return false;
    hr_forest_records_divide(d->records, at.run, &split, sides);
    uint32_t child = d->nodes[at.node].left;
    d->waiting[(*waiting)++] = (pending){child + 1, at.level + 1, sides[1]};
    d->waiting[(*waiting)++] = (pending){child, at.level + 1, sides[0]};
    return true;
}

hr_status hr_depth_first_grow(hr_depth_first *d, hr_csprng *csprng, hr_tree *out, const hr_exact **stats,
                              hr_error *err) {
    size_t waiting = 1;
    d->node_count = d->subset_count = 0;
    d->waiting[0] = (pending){0, 0, hr_forest_records_root(d->records)};
    for (size_t f = 0; f < d->plan->binning->feature_count; f++) d->features[f] = (uint32_t)f;
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
