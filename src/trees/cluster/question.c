#include "trees/cluster/question.h"

#include <string.h>

/* ---- Writing ---- */

void hr_rank_write(hr_buffer *to, const void *items, size_t count, size_t size) {
    const uint64_t sent = count;
    hr_buffer_add(to, &sent, sizeof sent);
    if (count) hr_buffer_add(to, items, count * size);
}

static void write_binning(hr_buffer *to, const hr_binning *binning) {
    const size_t features = binning ? binning->feature_count : 0;
    hr_rank_write(to, binning ? binning->features : NULL, features, sizeof *binning->features);
    for (size_t f = 0; f < features; f++) {
        const hr_feature_bins *bins = &binning->features[f];
        const bool number = bins->kind == HR_KIND_NUMBER;
        hr_rank_write(to, bins->edges, number ? bins->bin_count - 2 : 0, sizeof *bins->edges);
    }
}

void hr_rank_write_setup(hr_buffer *to, const hr_stats_setup *setup) {
    hr_rank_write(to, setup, 1, sizeof *setup);
    write_binning(to, setup->binning);
}

void hr_rank_write_trees(hr_buffer *to, const hr_tree *trees, size_t count) {
    hr_rank_write(to, trees, count, sizeof *trees);
    for (size_t t = 0; t < count; t++) {
        hr_rank_write(to, trees[t].nodes, trees[t].node_count, sizeof *trees[t].nodes);
        hr_rank_write(to, trees[t].subsets, trees[t].subset_count, sizeof *trees[t].subsets);
        hr_rank_write(to, trees[t].thresholds, trees[t].threshold_count, sizeof *trees[t].thresholds);
    }
}

void hr_rank_write_queries(hr_buffer *to, const hr_stats_query *queries, size_t count) {
    hr_rank_write(to, queries, count, sizeof *queries);
    for (size_t i = 0; i < count; i++)
        hr_rank_write_trees(to, queries[i].tree, queries[i].answer == HR_STATS_LEAVES);
}

void hr_rank_write_forest(hr_buffer *to, const hr_forest *forest) {
    hr_rank_write(to, forest, forest != NULL, sizeof *forest);
    if (!forest) return;
    hr_rank_write(to, forest->base, forest->output_count, sizeof *forest->base);
    hr_rank_write_trees(to, forest->trees, forest->tree_count);
}

void hr_rank_write_hedge_question(hr_buffer *to, const hr_hedge_question *question, size_t outputs,
                                  bool with_binning) {
    const bool trees = question->kind == HR_HEDGE_CHOICE || question->kind == HR_HEDGE_LEAVES;
    const size_t steps = question->step ? outputs * HR_CANDIDATE_SCAN_NODES_MAX : 0;
    hr_rank_write(to, question, 1, sizeof *question);
    write_binning(to, with_binning ? question->binning : NULL);
    hr_rank_write(to, question->base, trees && question->base ? outputs : 0, sizeof *question->base);
    hr_rank_write(to, question->step, steps, sizeof *question->step);
    hr_rank_write_trees(to, question->trees, trees ? question->tree_count : 0);
    hr_rank_write_forest(to, question->kind == HR_HEDGE_RELIABILITY ? question->forest : NULL);
}

/* ---- Reading ---- */

static void take_bytes(hr_rank_reader *from, void *to, size_t size) {
    from->failed = from->failed || from->left < size;
    if (from->failed) return;
    memcpy(to, from->at, size);
    from->at += size;
    from->left -= size;
}

void *hr_rank_read(hr_rank_reader *from, size_t *count, size_t size) {
    uint64_t sent = 0;
    take_bytes(from, &sent, sizeof sent);
    *count = 0;
    if (from->failed || sent > from->left / size) {
        from->failed = true;
        return NULL;
    }
    void *items = hr_arena_alloc(from->arena, (size_t)sent + 1, size);
    from->failed = !items;
    if (!items) return NULL;
    take_bytes(from, items, (size_t)sent * size);
    *count = (size_t)sent;
    return items;
}

/* What has to be there `wanted` times. */
static void *read_exactly(hr_rank_reader *from, size_t wanted, size_t size) {
    size_t count;
    void *items = hr_rank_read(from, &count, size);
    from->failed = from->failed || count != wanted;
    return from->failed ? NULL : items;
}

void hr_rank_read_one(hr_rank_reader *from, void *item, size_t size) {
    const void *sent = read_exactly(from, 1, size);
    if (sent)
        memcpy(item, sent, size);
    else
        memset(item, 0, size);
}

/* NULL: none went along. */
static const hr_binning *read_binning(hr_rank_reader *from) {
    size_t features;
    hr_feature_bins *bins = hr_rank_read(from, &features, sizeof *bins);
    hr_binning *binning = features ? hr_arena_alloc(from->arena, 1, sizeof *binning) : NULL;
    if (!features) return NULL;
    for (size_t f = 0; f < features; f++)
        bins[f].edges = read_exactly(from, bins[f].kind == HR_KIND_NUMBER ? bins[f].bin_count - 2 : 0,
                                     sizeof *bins[f].edges);
    from->failed = from->failed || !binning;
    if (from->failed) return NULL;
    *binning = (hr_binning){features, bins, NULL};
    return binning;
}

void hr_rank_read_setup(hr_rank_reader *from, const uint32_t *own, hr_stats_setup *out) {
    hr_rank_read_one(from, out, sizeof *out);
    out->binning = read_binning(from);
    out->weights = out->weights ? own : NULL;
}

hr_tree *hr_rank_read_trees(hr_rank_reader *from, size_t *count) {
    hr_tree *trees = hr_rank_read(from, count, sizeof *trees);
    for (size_t t = 0; !from->failed && t < *count; t++) {
        trees[t].nodes = read_exactly(from, trees[t].node_count, sizeof *trees[t].nodes);
        trees[t].subsets = read_exactly(from, trees[t].subset_count, sizeof *trees[t].subsets);
        trees[t].thresholds = read_exactly(from, trees[t].threshold_count, sizeof *trees[t].thresholds);
        trees[t].counts = trees[t].noise = NULL;
    }
    if (from->failed) *count = 0;
    return from->failed ? NULL : trees;
}

hr_stats_query *hr_rank_read_queries(hr_rank_reader *from, size_t *count) {
    hr_stats_query *queries = hr_rank_read(from, count, sizeof *queries);
    for (size_t i = 0; !from->failed && i < *count; i++) {
        size_t trees;
        queries[i].tree = hr_rank_read_trees(from, &trees);
        from->failed = from->failed || trees != (queries[i].answer == HR_STATS_LEAVES);
    }
    if (from->failed) *count = 0;
    return from->failed ? NULL : queries;
}

hr_forest *hr_rank_read_forest(hr_rank_reader *from) {
    size_t count;
    hr_forest *forest = hr_rank_read(from, &count, sizeof *forest);
    if (from->failed || !count) return NULL;
    forest->base = read_exactly(from, forest->output_count, sizeof *forest->base);
    forest->trees = hr_rank_read_trees(from, &forest->tree_count);
    return from->failed ? NULL : forest;
}

void hr_rank_read_hedge_question(hr_rank_reader *from, hr_hedge_question *out) {
    size_t count;
    hr_rank_read_one(from, out, sizeof *out);
    out->binning = read_binning(from);
    const double *base = hr_rank_read(from, &count, sizeof *base);
    out->base = count ? base : NULL;
    const double *step = hr_rank_read(from, &count, sizeof *step);
    out->step = count ? step : NULL;
    out->trees = hr_rank_read_trees(from, &out->tree_count);
    out->forest = hr_rank_read_forest(from);
}
