/* A node's records are summed by bins of four bytes, one feature after the other. */
#include "trees/records/wide_tree.h"

#include "base/fail.h"
#include "tables/data/columns.h"
#include "trees/stats/split_candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct wide_tree {
    const hr_wide_growth *in;
    size_t rows, candidates, node_count, subset_count;
    uint32_t *bins;          /* of every record, feature by feature */
    uint32_t *order, *right; /* records, node by node; right: room for those of one node */
    uint32_t *begins, *ends; /* of each node's records in `order` */
    hr_sum_word *cells;      /* of one node and feature */
    hr_exact *scores;
    hr_node *nodes;
    hr_bin_set *subsets;
} wide_tree;

/* ---- Bins ---- */

static uint32_t bin_of_value(const hr_feature_bins *feature, double value) {
    size_t low = 0, high = feature->bin_count - 2; /* the number of edges below the value is between them */
    if (isnan(value)) return 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (feature->edges[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

static void set_number_bins(const wide_tree *t, size_t f, uint32_t *bins) {
    double buffer[HR_DATA_BLOCK];
    for (size_t begin = 0; begin < t->rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, t->rows);
        const double *values = hr_data_number_block(t->in->records, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++)
            bins[begin + i] = bin_of_value(&t->in->binning->features[f], values[i]);
    }
}

static void set_category_bins(const wide_tree *t, size_t f, uint32_t *bins) {
    uint16_t buffer[HR_DATA_BLOCK];
    for (size_t begin = 0; begin < t->rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, t->rows);
        const uint16_t *codes = hr_data_code_block(t->in->records, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++)
            bins[begin + i] = hr_bin_of_code(&t->in->binning->features[f], codes[i]);
    }
}

static void set_bins(const wide_tree *t) {
    const hr_binning *binning = t->in->binning;
    for (size_t f = 0; f < binning->feature_count; f++)
        (binning->features[f].kind == HR_KIND_NUMBER ? set_number_bins
                                                     : set_category_bins)(t, f, t->bins + f * t->rows);
}

/* ---- Splits ---- */

/* The scores of all candidates for the records of a node. */
static void score_candidates(const wide_tree *t, const uint32_t *records, size_t count) {
    const hr_wide_growth *in = t->in;
    hr_exact *scores = t->scores;
    for (size_t f = 0; f < in->binning->feature_count; f++) {
        const hr_feature_bins *feature = &in->binning->features[f];
        const uint32_t *bins = t->bins + f * t->rows;
        hr_sum_word total = 0;
        memset(t->cells, 0, feature->bin_count * sizeof *t->cells);
        for (size_t i = 0; i < count; i++) {
            t->cells[bins[records[i]]] += in->gradients[records[i]];
            total += in->gradients[records[i]];
        }
        scores += hr_feature_scores(feature, in->packing, t->cells, total, scores);
    }
}

/* Makes node n the split at the candidate; returns its feature. */
static size_t set_split(wide_tree *t, size_t n, size_t candidate, uint32_t *bin) {
    const hr_binning *binning = t->in->binning;
    size_t f = 0;
    for (size_t of; candidate >= (of = hr_feature_candidates(&binning->features[f])); f++) candidate -= of;
    const hr_feature_bins *feature = &binning->features[f];
    hr_node *node = &t->nodes[n];
    *node = (hr_node){.left = (uint32_t)(2 * n + 1), .feature = (uint32_t)f};
    if (feature->kind == HR_KIND_NUMBER) {
        node->threshold = feature->edges[candidate];
        node->missing_left = true;
        *bin = (uint32_t)candidate + 1;
    } else {
        node->subset = (uint32_t)t->subset_count;
        hr_bin_set_add(&t->subsets[t->subset_count++], (uint8_t)candidate);
        *bin = (uint32_t)candidate;
    }
    return f;
}

/* The records of node n go to its children, in their order. */
static void divide_records(wide_tree *t, size_t n, size_t f, uint32_t bin) {
    const bool number = t->in->binning->features[f].kind == HR_KIND_NUMBER;
    const uint32_t *bins = t->bins + f * t->rows, begin = t->begins[n], end = t->ends[n];
    uint32_t left = begin, right = 0;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t record = t->order[i], of = bins[record];
        if (number ? of <= bin : of == bin)
            t->order[left++] = record;
        else
            t->right[right++] = record;
    }
    memcpy(t->order + left, t->right, right * sizeof *t->right);
    t->begins[2 * n + 1] = begin;
    t->ends[2 * n + 1] = t->begins[2 * n + 2] = left;
    t->ends[2 * n + 2] = end;
}

/* Nodes are numbered level by level: 2n + 1 and 2n + 2 are the children of n. */
static void split_levels(wide_tree *t) {
    for (size_t level = 0; level < t->in->depth; level++)
        for (size_t n = ((size_t)1 << level) - 1; n < ((size_t)2 << level) - 1; n++) {
            uint32_t bin = 0;
            score_candidates(t, t->order + t->begins[n], t->ends[n] - t->begins[n]);
            const size_t candidate =
                hr_gate_choose(t->in->gate, t->in->permits[level], t->scores, t->candidates);
            const size_t f = set_split(t, n, candidate, &bin);
            divide_records(t, n, f, bin);
        }
}

/* ---- The tree ---- */

static hr_status wide_tree_init(wide_tree *t, hr_error *err) {
    const hr_binning *binning = t->in->binning;
    size_t widest = 1, depth = t->candidates ? t->in->depth : 0;
    for (size_t f = 0; f < binning->feature_count; f++)
        if (binning->features[f].bin_count > widest) widest = binning->features[f].bin_count;
    t->node_count = ((size_t)2 << depth) - 1;
    t->bins = malloc((t->rows * binning->feature_count + 1) * sizeof *t->bins);
    t->order = malloc((t->rows + 1) * sizeof *t->order);
    t->right = malloc((t->rows + 1) * sizeof *t->right);
    t->begins = calloc(t->node_count, sizeof *t->begins);
    t->ends = calloc(t->node_count, sizeof *t->ends);
    t->cells = malloc(widest * sizeof *t->cells);
    t->scores = malloc((t->candidates + 1) * sizeof *t->scores);
    t->nodes = calloc(t->node_count, sizeof *t->nodes);
    t->subsets = calloc(t->node_count, sizeof *t->subsets);
    bool records = t->bins && t->order && t->right && t->begins && t->ends;
    if (!records || !t->cells || !t->scores || !t->nodes || !t->subsets) return hr_fail_memory(err);
    for (size_t i = 0; i < t->rows; i++) t->order[i] = (uint32_t)i;
    t->ends[0] = (uint32_t)t->rows;
    return HR_OK;
}

static void sum_leaves(const wide_tree *t, hr_exact *sums, hr_exact *denominators) {
    const hr_wide_growth *in = t->in;
    const size_t first = t->node_count / 2; /* the tree is full */
    for (size_t n = first; n < t->node_count; n++) {
        int64_t sum = 0, denominator = 0;
        for (uint32_t i = t->begins[n]; i < t->ends[n]; i++) {
            const int64_t gradient = hr_unpack(in->packing, in->gradients[t->order[i]]).gradient.unpaid;
            sum += gradient;
            denominator += in->hessian ? hr_hessian(in->hessian, t->order[i], gradient) : 1;
        }
        sums[n - first].unpaid = sum;
        denominators[n - first].unpaid = denominator;
    }
}

hr_status hr_wide_grow(const hr_wide_growth *growth, hr_tree *out, hr_exact *sums, hr_exact *denominators,
                       hr_error *err) {
    wide_tree t = {.in = growth,
                   .rows = hr_data_rows(growth->records),
                   .candidates = hr_candidate_count(growth->binning)};
    hr_status status = wide_tree_init(&t, err);
    if (!status) {
        set_bins(&t);
        if (t.candidates) split_levels(&t);
        sum_leaves(&t, sums, denominators);
        const hr_tree grown = {.nodes = t.nodes,
                               .node_count = t.node_count,
                               .subsets = t.subsets,
                               .subset_count = t.subset_count};
        status = hr_tree_copy(&grown, growth->arena, out, err);
    }
    void *all[] = {t.bins, t.order, t.right, t.begins, t.ends, t.cells, t.scores, t.nodes, t.subsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return status;
}
