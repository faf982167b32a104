#include "methods/boosting/boosting.h"
#include "base/fail.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdlib.h>

hr_link hr_boosting_link(const hr_fit_options *options, hr_task task) {
    if (task == HR_TASK_REGRESSION) return HR_LINK_NUMBER;
    return options->loss == HR_LOSS_LOGISTIC ? HR_LINK_LOGISTIC : HR_LINK_SIGNED;
}

static hr_status boosting_buffers_init(hr_boosting *b, hr_error *err) {
    size_t leaves = (size_t)1 << b->training->options->depth;
    b->leaf_gradients = malloc(leaves * sizeof *b->leaf_gradients);
    b->leaf_weights = malloc(leaves * sizeof *b->leaf_weights);
    b->noisy_gradients = malloc(leaves * sizeof *b->noisy_gradients);
    b->noisy_weights = malloc(leaves * sizeof *b->noisy_weights);
    b->values = malloc(leaves * sizeof *b->values);
    bool all = b->leaf_gradients && b->leaf_weights && b->noisy_gradients && b->noisy_weights && b->values;
    return all ? HR_OK : hr_fail_memory(err);
}

/* Weights and sums that are apart are added up of columns of bins; and every rank of a cluster has columns.
 */
static bool can_be_sparse(const hr_training *training) {
    return training->data->sparse && training->unit != HR_PER_PERSON && !training->sums_apart &&
           !training->data->whole.rows;
}

hr_status hr_boosting_init(hr_boosting *b, hr_training *training, hr_link link, size_t trees, hr_error *err) {
    hr_binning *binning = &training->binning;
    int depth = (int)training->options->depth;
    *b = (hr_boosting){
        .training = training, .source = training->source, .outputs = hr_training_outputs(training->data)};
    hr_stats_setup setup = {
        .kind = HR_STATS_GRADIENTS, .binning = binning, .outputs = b->outputs, .depth = depth};
    if (can_be_sparse(training) && !hr_histogram_narrow(binning, training->arena)) return hr_fail_memory(err);
    size_t cells = hr_histogram_size(binning);
    if (training->unit == HR_PER_PERSON) setup.weights = hr_data_weights(training->data);
    setup.sums_apart = training->sums_apart;
    if (training->unit == HR_PER_PERSON || training->sums_apart) {
        b->packing.weight_cells = cells;
        cells *= 2;
    }
    bool number = hr_schema_task(hr_data_schema(training->data)) == HR_TASK_REGRESSION;
    hr_status status = hr_training_forest_init(training, number ? HR_LINK_NUMBER : link, trees, err);
    if (!status) status = b->source->ops->prepare(b->source, &setup, err);
    if (!status) status = boosting_buffers_init(b, err);
    if (!status) status = hr_grower_new(binning, cells, depth, &b->grower, err);
    if (status) hr_boosting_done(b);
    return status;
}

/* Bins by column and by record; targets, scores, and records twice with their gradients; the histograms of
 * the last level. */
double hr_boosting_memory(const hr_fit_facts *facts, double rows) {
    double features = (double)hr_schema_feature_count(facts->schema),
           nodes = ldexp(1, (int)facts->options->depth - 1);
    double records = rows * (double)((hr_facts_outputs(facts) + 3) * sizeof(double) + 3 * sizeof(uint32_t));
    return 2 * rows * features + records + (features + HR_TILE) * HR_STRIDE * nodes * sizeof(hr_sum_word);
}

double hr_boosting_persons_memory(const hr_fit_facts *facts, double rows) {
    double features = (double)hr_schema_feature_count(facts->schema),
           nodes = ldexp(1, (int)facts->options->depth - 1);
    if (hr_facts_unit(facts) == HR_PER_RECORD) return 0;
    return rows * 2 * (sizeof(int64_t) + sizeof(uint32_t)) +
           (features + HR_TILE) * HR_STRIDE * nodes * sizeof(hr_sum_word);
}

void hr_boosting_done(hr_boosting *b) {
    hr_grower_free(b->grower);
    void *buffers[] = {b->leaf_gradients, b->leaf_weights, b->noisy_gradients, b->noisy_weights, b->values};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) free(buffers[i]);
    *b = (hr_boosting){0};
}

hr_status hr_boosting_pack(hr_boosting *b, uint64_t weight_bound, int64_t gradient_bound, hr_error *err) {
    b->weight_bound = weight_bound;
    b->packing.shift = hr_packing_shift(b->source->capacity, weight_bound, gradient_bound);
    if (b->packing.shift >= 0) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                   "too many records for exact sums in 63 bits");
}

hr_status hr_boosting_grow(hr_boosting *b, hr_splitter *splitter, const hr_stats_round *round, hr_tree **tree,
                           size_t *leaves, hr_error *err) {
    hr_forest *forest = &b->training->forest;
    hr_tree *made = &forest->trees[forest->tree_count];
    hr_stats_round packed = *round;
    hr_growth growth = {b->source, splitter, &b->packing, b->training->arena,
                        hr_gate_timings(b->training->gate)};
    const hr_sums *sums;
    packed.packing = b->packing;
    hr_status status = b->source->ops->begin(b->source, &packed, err);
    if (!status) status = hr_grow(b->grower, &growth, made, &sums, err);
    if (status) return status;
    made->output = round->output;
    forest->tree_count++;
    *leaves = hr_leaves_of(made, sums, b->leaf_gradients, b->leaf_weights);
    *tree = made;
    return HR_OK;
}

hr_status hr_boosting_add_trees(hr_boosting *b, size_t first, hr_error *err) {
    const hr_forest *forest = &b->training->forest;
    return b->source->ops->add_trees(b->source, forest->trees + first, forest->tree_count - first, err);
}
