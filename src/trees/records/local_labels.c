#include "trees/records/local_labels.h"

#include "base/fail.h"
#include "base/team.h"
#include "tables/bins/binned.h"
#include "tables/data/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The records of a node: a run of `rows`. */
typedef struct node_rows {
    size_t begin, count;
} node_rows;

struct hr_local_stats_labels {
    const hr_local_stats_records *records;
    hr_binned *binned; /* columns */
    hr_labels labels;
    uint32_t *rows, *others; /* others: room for a partition, or for the node of every record */
    uint32_t *leaf_of;       /* of the nodes of a tree: which leaf, of leaf_count */
    uint32_t leaf_count;
    uint8_t *left;  /* of the records of the node at hand: whether they go left */
    double *sorted; /* NULL until hr_local_stats_labels_gap */
    uint32_t sorted_node, sorted_feature;
    size_t known;
    bool is_sorted;
    node_rows *nodes;
    size_t node_room;
};

/* ---- Room ---- */

void hr_local_stats_labels_free(hr_local_stats_labels *l) {
    if (!l) return;
    void *all[] = {l->rows, l->others, l->leaf_of, l->left, l->sorted, l->nodes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_labels_done(&l->labels);
    hr_binned_free(l->binned);
    free(l);
}

static hr_status make_room_for_nodes_local_labels(hr_local_stats_labels *l, size_t count, hr_error *err) {
    size_t room = l->node_room ? l->node_room : 64;
    while (room < count) room *= 2;
    if (count <= l->node_room) return HR_OK;
    node_rows *nodes = realloc(l->nodes, room * sizeof *nodes);
    if (!nodes) return hr_fail_memory(err);
    memset(nodes + l->node_room, 0, (room - l->node_room) * sizeof *nodes);
    l->nodes = nodes;
    l->node_room = room;
    return HR_OK;
}

hr_status hr_local_stats_labels_new(const hr_local_stats_records *records, const hr_stats_setup *setup,
                                    hr_local_stats_labels **out, hr_error *err) {
    hr_local_stats_labels *l = calloc(1, sizeof *l);
    if (!l) return hr_fail_memory(err);
    l->records = records;
    hr_status status = hr_labels_of(records->data, &l->labels, err);
    l->labels.weights = setup->weights;
    l->labels.unit = setup->weights ? HR_PER_PERSON : HR_PER_RECORD;
    if (!status) status = hr_binned_columns(records->data, setup->binning, records->threads, &l->binned, err);
    size_t rows = hr_data_rows(records->data);
    l->rows = malloc((rows + 1) * sizeof *l->rows);
    l->others = malloc((rows + 1) * sizeof *l->others);
    l->left = malloc(rows + 1);
    if (!status && !(l->rows && l->others && l->left)) status = hr_fail_memory(err);
    if (status) {
        hr_local_stats_labels_free(l);
        return status;
    }
    *out = l;
    return HR_OK;
}

hr_status hr_local_stats_labels_begin(hr_local_stats_labels *l, const uint32_t *rows, size_t count,
                                      hr_error *err) {
    hr_status status = make_room_for_nodes_local_labels(l, 1, err);
    if (status) return status;
    for (size_t i = 0; i < count; i++) l->rows[i] = rows ? rows[i] : (uint32_t)i;
    memset(l->nodes, 0, l->node_room * sizeof *l->nodes);
    l->nodes[0].count = count;
    l->is_sorted = false;
    return HR_OK;
}

/* ---- Sides ---- */

/* l->left[i]: whether rows[i] goes left. */
static void find_sides(hr_local_stats_labels *l, const hr_child_rule *d, const uint32_t *rows, size_t count) {
    if (l->binned->binning->features[d->feature].kind != HR_KIND_NUMBER) {
        const uint8_t *bins = hr_binned_column(l->binned, d->feature);
        for (size_t i = 0; i < count; i++) l->left[i] = hr_bin_set_has(&d->left, bins[rows[i]]);
        return;
    }
    double values[HR_DATA_BLOCK];
    for (size_t begin = 0; begin < count; begin += HR_DATA_BLOCK) {
        const size_t block = hr_data_block_size(begin, count);
        hr_data_numbers_at(l->records->data, d->feature, rows + begin, block, values);
        for (size_t i = 0; i < block; i++)
            l->left[begin + i] = isnan(values[i]) ? d->missing_left : values[i] <= d->cut;
    }
}

/* Sorts the records of a node by their bin, counting first. */
static void divide_by_bin(hr_local_stats_labels *l, node_rows from, uint32_t feature, node_rows *children) {
    const uint8_t *bins = hr_binned_column(l->binned, feature);
    uint32_t *rows = l->rows + from.begin;
    size_t next[HR_BINS_MAX] = {0}, begin = 0;
    for (size_t i = 0; i < from.count; i++) next[bins[rows[i]]]++;
    for (size_t b = 0; b < l->binned->binning->features[feature].bin_count; b++) {
        children[b] = (node_rows){from.begin + begin, next[b]};
        next[b] = begin;
        begin += children[b].count;
    }
    for (size_t i = 0; i < from.count; i++) l->others[next[bins[rows[i]]]++] = rows[i];
    memcpy(rows, l->others, from.count * sizeof *rows);
}

hr_status hr_local_stats_labels_divide(hr_local_stats_labels *l, uint32_t node, const hr_child_rule *division,
                                       uint32_t first, hr_error *err) {
    size_t children = division->every_bin ? l->binned->binning->features[division->feature].bin_count : 2;
    hr_status status = make_room_for_nodes_local_labels(l, first + children, err);
    if (status) return status;
    l->is_sorted = false;
    const node_rows from = l->nodes[node];
    if (division->every_bin) {
        divide_by_bin(l, from, division->feature, l->nodes + first);
        return HR_OK;
    }

    /* Those that go left first, in order. */
    uint32_t *rows = l->rows + from.begin;
    size_t left = 0, right = 0;
    find_sides(l, division, rows, from.count);
    for (size_t i = 0; i < from.count; i++) {
        if (l->left[i])
            rows[left++] = rows[i];
        else
            l->others[right++] = rows[i];
    }
    memcpy(rows + left, l->others, right * sizeof *rows);
    l->nodes[first] = (node_rows){from.begin, left};
    l->nodes[first + 1] = (node_rows){from.begin + left, right};
    return HR_OK;
}

/* ---- Answers ---- */

typedef struct leaf_walk {
    hr_local_stats_labels *labels;
    const hr_tree *tree;
    const uint32_t *leaf_of; /* node */
} leaf_walk;

static void walk_to_leaves(void *of, size_t member, size_t begin, size_t end) {
    const leaf_walk *walk = of;
    const hr_local_stats_labels *l = walk->labels;
    const hr_tree *tree = walk->tree;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        uint32_t n = 0;
        while (tree->nodes[n].left) {
            const hr_node *node = &tree->nodes[n];
            hr_kind kind = l->binned->binning->features[node->feature].kind;
            n = hr_node_child(tree, node, kind, hr_binned_column(l->binned, node->feature)[l->rows[i]]);
        }
        l->others[i] = walk->leaf_of[n];
    }
}

static hr_status sum_walked(hr_local_stats_labels *l, const hr_tree *tree, hr_exact *out, hr_error *err) {
    size_t count = l->nodes[0].count;
    uint32_t *leaf_of = realloc(l->leaf_of, (tree->node_count + 1) * sizeof *leaf_of);
    if (!leaf_of) return hr_fail_memory(err);
    l->leaf_of = leaf_of;
    l->leaf_count = 0;
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) leaf_of[n] = l->leaf_count++;

    leaf_walk walk = {l, tree, leaf_of};
    hr_team_share((size_t)l->records->threads, count, HR_TEAM_RECORDS, walk_to_leaves, &walk);
    hr_labels_sum(&l->labels, l->rows, l->others, count, l->leaf_count, out);
    return HR_OK;
}

static uint32_t weight_of(const hr_local_stats_labels *l, uint32_t row) {
    return l->labels.weights ? l->labels.weights[row] : 1;
}

static void count_cells(const hr_local_stats_labels *l, const hr_stats_query *query, hr_exact *out) {
    const node_rows *at = &l->nodes[query->node];
    double values[HR_DATA_BLOCK];
    uint32_t weights[HR_DATA_BLOCK];
    memset(out, 0, HR_BALANCE_COUNTS * sizeof *out);
    for (size_t begin = 0; begin < at->count; begin += HR_DATA_BLOCK) {
        const size_t block = hr_data_block_size(begin, at->count);
        const uint32_t *rows = l->rows + at->begin + begin;
        hr_data_numbers_at(l->records->data, query->feature, rows, block, values);
        for (size_t i = 0; i < block; i++) weights[i] = weight_of(l, rows[i]);
        hr_median_score_count(&query->range, values, weights, block, out);
    }
}

static hr_status local_labels_answer(hr_local_stats_labels *l, const hr_stats_query *query, hr_exact *out,
                                     hr_error *err) {
    const uint32_t feature = query->feature, *rows = l->rows + l->nodes[query->node].begin;
    const size_t count = l->nodes[query->node].count, width = hr_labels_width(&l->labels),
                 bin_count = l->binned->binning->features[feature].bin_count;
    const uint8_t *bins = hr_binned_column(l->binned, feature);
    switch (query->answer) {
    case HR_STATS_LEAVES:
        if (query->walk) return sum_walked(l, query->tree, out, err);
        for (uint32_t n = 0; n < query->tree->node_count; n++) {
            if (query->tree->nodes[n].left) continue;
            const node_rows *at = &l->nodes[n];
            memset(out, 0, width * sizeof *out);
            for (size_t i = 0; i < at->count; i++) hr_labels_add(&l->labels, l->rows[at->begin + i], out);
            out += width;
        }
        return HR_OK;
    case HR_STATS_BINS: hr_bins_sum(&l->labels, bins, bin_count, rows, count, out); return HR_OK;
    case HR_STATS_SIDES:
        find_sides(l, &query->division, rows, count);
        hr_sides_sum(&l->labels, rows, l->left, count, out);
        return HR_OK;
    case HR_STATS_VALUES:
        memset(out, 0, bin_count * sizeof *out);
        for (size_t i = 0; i < count; i++) out[bins[rows[i]]].unpaid += weight_of(l, rows[i]);
        return HR_OK;
    case HR_STATS_CELLS: break;
    }
    count_cells(l, query, out);
    return HR_OK;
}

hr_status hr_local_stats_labels_answer(hr_local_stats_labels *l, const hr_stats_query *queries, size_t count,
                                       hr_exact *out, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = local_labels_answer(l, &queries[i], out, err);
        out += hr_stats_width(l->binned->binning, hr_labels_width(&l->labels), &queries[i]);
    }
    return status;
}

/* ---- As published ---- */

static int by_value_local_labels(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values stay sorted until the node, the feature or the records change. */
hr_status hr_local_stats_labels_gap(hr_local_stats_labels *l, const hr_stats_query *query, size_t gap,
                                    size_t *known, double around[2], hr_error *err) {
    bool again = l->is_sorted && l->sorted_node == query->node && l->sorted_feature == query->feature;
    if (!again) {
        const node_rows *at = &l->nodes[query->node];
        if (!l->sorted) l->sorted = malloc((hr_data_rows(l->records->data) + 1) * sizeof *l->sorted);
        if (!l->sorted) return hr_fail_memory(err);
        l->known = 0;
        hr_data_numbers_at(l->records->data, query->feature, l->rows + at->begin, at->count, l->sorted);
        for (size_t i = 0; i < at->count; i++)
            if (!isnan(l->sorted[i])) l->sorted[l->known++] = l->sorted[i];
        qsort(l->sorted, l->known, sizeof *l->sorted, by_value_local_labels);
    }
    l->is_sorted = true;
    l->sorted_node = query->node;
    l->sorted_feature = query->feature;
    if (known) *known = l->known;
    if (around) memcpy(around, l->sorted + gap, 2 * sizeof *around);
    return HR_OK;
}
