#include "methods/boosting.h"
#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 128 }; /* records whose tiles stay in the nearest cache while they take all trees; each is a line of 64 bytes */

static hr_status forest_init(hr_training *training, hr_link link, size_t outputs, size_t trees, hr_error *err) {
    bool number = hr_schema_task(hr_data_schema(training->data)) == HR_REGRESSION;
    hr_forest forest = {.link = number ? HR_LINK_NUMBER : link, .output_count = outputs};
    forest.base = hr_arena_alloc(training->arena, outputs, sizeof *forest.base);
    forest.trees = hr_arena_alloc(training->arena, trees, sizeof *forest.trees);
    if (!forest.base || !forest.trees) return hr_fail_memory(err);
    training->forest = forest;
    return HR_OK;
}

static hr_status buffers_init(hr_boosting *b, hr_error *err) {
    size_t leaves = (size_t)1 << b->training->options->depth;
    b->targets = malloc((b->rows + 1) * sizeof *b->targets);
    b->scores = calloc(b->rows * b->outputs + 1, sizeof *b->scores);
    b->offsets = malloc((b->binned->features + 1) * sizeof *b->offsets);
    b->leaf_gradients = malloc(leaves * sizeof *b->leaf_gradients);
    b->leaf_weights = malloc(leaves * sizeof *b->leaf_weights);
    b->noisy_gradients = malloc(leaves * sizeof *b->noisy_gradients);
    b->noisy_weights = malloc(leaves * sizeof *b->noisy_weights);
    b->values = malloc(leaves * sizeof *b->values);
    bool all = b->targets && b->scores && b->offsets && b->leaf_gradients && b->leaf_weights && b->noisy_gradients && b->noisy_weights &&
               b->values;
    return all ? HR_OK : hr_fail_memory(err);
}

hr_status hr_boosting_init(hr_boosting *b, hr_training *training, hr_link link, size_t trees, hr_error *err) {
    int depth = (int)training->options->depth;
    *b = (hr_boosting){.training = training, .rows = hr_data_rows(training->data), .outputs = hr_training_outputs(training->data)};
    hr_status status = forest_init(training, link, b->outputs, trees, err);
    b->scratch = hr_arena_new();
    b->walks = malloc((trees + 1) * sizeof *b->walks);
    if (!status && (!b->scratch || !b->walks)) status = hr_fail_memory(err);
    if (b->scratch) b->scratch_start = hr_arena_get_mark(b->scratch);
    if (!status) status = hr_binned_new(training->data, &training->binning, training->threads, &b->binned, err);
    if (!status) status = buffers_init(b, err);
    if (!status) status = hr_local_new(b->binned, b->rows, depth, training->threads, &b->local, err);
    if (!status) status = hr_grower_new(&training->binning, hr_histogram_size(b->binned), depth, &b->grower, err);
    if (status) {
        hr_boosting_done(b);
        return status;
    }
    b->packed = hr_local_packed(b->local);
    hr_targets_of(training->data, b->targets);
    for (size_t f = 0; f < b->binned->features; f++) b->offsets[f] = hr_binned_offset(b->binned, f);
    return HR_OK;
}

/* Bins by column and by record; targets, scores, and records twice with their gradients; the histograms of the last level. */
double hr_boosting_memory(const hr_fit_facts *facts, double rows) {
    double features = (double)hr_schema_feature_count(facts->schema), nodes = ldexp(1, (int)facts->options->depth - 1);
    double records = rows * (double)((hr_facts_outputs(facts) + 3) * sizeof(double) + 3 * sizeof(uint32_t));
    return 2 * rows * features + records + (features + HR_TILE) * HR_STRIDE * nodes * sizeof(hr_cell);
}

void hr_boosting_done(hr_boosting *b) {
    hr_binned_free(b->binned);
    hr_local_free(b->local);
    hr_grower_free(b->grower);
    hr_arena_free(b->scratch);
    void *buffers[] = {b->walks,        b->offsets,         b->targets,       b->scores, b->leaf_gradients,
                       b->leaf_weights, b->noisy_gradients, b->noisy_weights, b->values};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) free(buffers[i]);
    *b = (hr_boosting){0};
}

hr_status hr_boosting_pack(hr_boosting *b, uint64_t weight_bound, hr_error *err) {
    b->packing.shift = hr_packing_shift(b->rows, weight_bound, b->packing.gradient_bound);
    if (b->packing.shift >= 0) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records", "too many records for exact sums in 63 bits");
}

hr_gradient_input hr_boosting_input(const hr_boosting *b, size_t output, const uint32_t *rows, size_t count) {
    return (hr_gradient_input){b->targets, b->scores, b->outputs, output, rows, count, b->training->threads};
}

hr_status hr_boosting_grow(hr_boosting *b, hr_splitter *splitter, size_t output, const uint32_t *rows, size_t count, hr_tree **tree,
                           size_t *leaves, hr_error *err) {
    hr_forest *forest = &b->training->forest;
    hr_tree *made = &forest->trees[forest->tree_count];
    const hr_sums *sums;
    b->grew_on_all = !rows;
    hr_local_start(b->local, rows, count);
    hr_status status = hr_grow(b->grower, hr_local_source(b->local), splitter, &b->packing, b->training->arena, made, &sums, err);
    if (status) return status;
    made->output = output;
    forest->tree_count++;
    *leaves = hr_leaves_of(made, sums, b->leaf_gradients, b->leaf_weights);
    *tree = made;
    return HR_OK;
}

/* A tree is laid out when it is first needed, and kept: every part of an ensemble walks down all trees before it. */
static hr_status lay_out(hr_boosting *b, hr_error *err) {
    const hr_training *training = b->training;
    while (b->walk_first + b->walk_count < training->forest.tree_count) {
        const hr_tree *tree = &training->forest.trees[b->walk_first + b->walk_count];
        if (!hr_walk_tree_make(b->scratch, tree, &training->binning, b->offsets, &b->walks[b->walk_count])) return hr_fail_memory(err);
        b->walk_count++;
    }
    return HR_OK;
}

/* A block of records takes all trees, one after the other, while its bins are in the nearest cache. */
static void add_block(hr_boosting *b, const hr_walk_tree *walks, size_t walk_count, const uint32_t *rows, size_t first, size_t count) {
    size_t row[BLOCK], positions[BLOCK];
    double values[BLOCK];
    for (size_t i = 0; i < count; i++) {
        row[i] = rows ? rows[first + i] : first + i;
        positions[i] = row[i] * HR_TILE;
    }
    for (size_t t = 0; t < walk_count; t++) {
        hr_walk(&walks[t], b->binned->tiles, positions, count, values);
        double *scores = b->scores + walks[t].output;
        for (size_t i = 0; i < count; i++) scores[row[i] * b->outputs] += values[i];
    }
}

hr_status hr_boosting_add_trees(hr_boosting *b, size_t first, const uint32_t *rows, size_t count, hr_error *err) {
    hr_status status = lay_out(b, err);
    if (status) return status;
    const hr_walk_tree *walks = b->walks + (first - b->walk_first);
    size_t trees = b->training->forest.tree_count - first;
#pragma omp parallel for num_threads(b->training->threads) schedule(static)
    for (size_t begin = 0; begin < count; begin += BLOCK)
        add_block(b, walks, trees, rows, begin, count - begin < BLOCK ? count - begin : BLOCK);
    return HR_OK;
}

void hr_boosting_forget(hr_boosting *b) {
    hr_arena_rewind(b->scratch, b->scratch_start);
    b->walk_first = b->training->forest.tree_count;
    b->walk_count = 0;
}

/* The records of a tree that was trained on all of them are still where its growth left them, by leaf. */
hr_status hr_boosting_add_round(hr_boosting *b, size_t first, hr_error *err) {
    const hr_forest *forest = &b->training->forest;
    hr_status status = HR_OK;
    if (b->outputs == 1 && b->grew_on_all)
        hr_local_add_tree(b->local, &forest->trees[first], b->scores, 1);
    else
        status = hr_boosting_add_trees(b, first, NULL, b->rows, err);
    hr_boosting_forget(b);
    return status;
}
