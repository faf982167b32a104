#include "methods/boosting/single_tree.h"
#include "base/fail.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "trees/grow/private_splitter.h"
#include "trees/stats/split_candidates.h"

#include <math.h>

static hr_status private_edges(hr_training *training, hr_units *budget, hr_error *err) {
    const hr_fit_options *options = training->options;
    hr_release_scope scope = {.tree = -1, .group = training->next_group};
    hr_charge charge = hr_scope_charge(&scope, "bin edges", -1, hr_units_share(*budget, options->bin_share),
                                       HR_RECORD_SENSITIVITY);
    hr_edges_release release = {(uint32_t)options->bins, training->gate, &charge};
    uint64_t groups;
    hr_status status = hr_training_private_edges(training, &release, &groups, err);
    if (status) return status;
    training->next_group += groups;
    if (groups) *budget -= charge.cost;
    return HR_OK;
}

hr_status hr_single_tree_bins(hr_training *training, hr_units *budget, hr_error *err) {
    const hr_fit_options *options = training->options;
    const uint32_t bins = (uint32_t)options->bins;
    hr_timings *timings = hr_gate_timings(training->gate);
    hr_status status = HR_OK;
    *budget = hr_gate_budget(training->gate);
    hr_timings_enter(timings, HR_PHASE_BINS);
    switch (options->edges) {
    case HR_EDGES_PRIVATE: status = private_edges(training, budget, err); break;
    case HR_EDGES_EXACT:
        status = hr_gate_charge_exact(training->gate, "bin edges", err);
        if (!status)
            status = hr_edges_exact(training->data, bins, training->threads, training->arena,
                                    &training->binning, err);
        break;
    case HR_EDGES_PUBLIC:
        status =
            hr_edges_public(hr_data_schema(training->data), bins, training->arena, &training->binning, err);
        break;
    }
    hr_timings_leave(timings);
    return status;
}

uint64_t hr_single_tree_weight_bound(int64_t weight_max) {
    return weight_max > 1 ? (uint64_t)weight_max * HR_WEIGHT_UNIT : HR_RECORD_UNIT;
}

/* The largest integer gradient of a record, weighted, is at most 4096; g* of a weight of 1: 4096 over all
 * weights. Of persons: weights of up to 2^16, and gradients of up to 2^12 finer by HR_PERSON_FINE_BITS. Sums
 * are words of their own, so that as many records have room as without weights. */
hr_status hr_single_tree_pack(hr_boosting *b, int64_t weight_max, hr_error *err) {
    if (b->training->unit == HR_PER_PERSON) {
        hr_status status = hr_boosting_pack(b, HR_RECORD_UNIT, 1 << HR_GRADIENT_BITS, err);
        b->packing.shift = 0;
        b->packing.gradient_bound = HR_PERSON_GRADIENT_BOUND;
        b->packing.gradient_scale = HR_PERSON_GRADIENT_BOUND / b->training->options->gradient_bound;
        b->packing.weight_scale = HR_PERSON_UNIT;
        b->weight_bound = HR_PERSON_UNIT;
        return status;
    }
    int64_t bound = (int64_t)hr_single_tree_weight_bound(weight_max);
    b->packing.gradient_bound = (1 << HR_GRADIENT_BITS) / bound;
    b->packing.gradient_scale = (double)b->packing.gradient_bound / b->training->options->gradient_bound;
    b->packing.weight_scale = weight_max > 1 ? HR_WEIGHT_UNIT : HR_RECORD_UNIT;
    return hr_boosting_pack(b, (uint64_t)bound, 1 << HR_GRADIENT_BITS, err);
}

hr_status hr_single_tree_train(hr_training *training, hr_single_tree_boost *boost, hr_error *err) {
    hr_boosting b;
    hr_units budget;
    hr_status status = hr_single_tree_bins(training, &budget, err);
    size_t trees = (size_t)training->options->trees * hr_training_outputs(training->data);
    if (!status) status = hr_boosting_init(&b, training, HR_LINK_SIGNED, trees, err);
    if (status) return status;
    status = hr_single_tree_pack(&b, 1, err);
    const bool paper = training->options->mode == HR_MODE_PAPER;
    if (!status && paper) status = hr_single_tree_list_paper(&b, err);
    if (!status) status = boost(&b, budget, err);
    if (!status && paper) status = hr_single_tree_remark(&b, err);
    hr_boosting_done(&b);
    return status;
}

const char *const hr_single_tree_sound_options[] = {
    "epsilon", "delta",     "trees",    "depth",          "learning-rate", "lambda",      "bins",
    "edges",   "bin-share", "bounding", "gradient-bound", "leaf-share",    "count-share", NULL};
const char *const hr_single_tree_paper_options[] = {"epsilon",     "trees", "depth", "learning-rate",
                                                    "lambda",      "bins",  "gdf",   "gradient-bound",
                                                    "leaf-budget", NULL};

void hr_single_tree_defaults(hr_fit_options *o) {
    bool sound = o->mode == HR_MODE_SOUND;
    o->trees = 50;
    o->by_name[HR_OPTION_ENSEMBLE] = 50;
    o->depth = 6;
    o->learning_rate = .1;
    o->lambda = sound ? 1 : .1;
    o->bins = sound ? 32 : 64;
    o->by_name[HR_OPTION_SHARES] = sound ? HR_SHARES_EQUAL : HR_SHARES_GEOMETRIC;
    o->by_name[HR_OPTION_BOUNDING] = sound ? HR_BOUNDING_CLIP : HR_BOUNDING_FILTER;
    o->by_name[HR_OPTION_GDF] = o->by_name[HR_OPTION_GLC] = 1;
    o->edges = sound ? HR_EDGES_PRIVATE : HR_EDGES_EXACT;
    o->bin_share = .1;
    o->leaf_share = .3;
    o->count_share = .3;
}

/* Of the choices of a level: a person may be in all its nodes. */
static uint64_t person_gain_width(int level) {
    return hr_unit_gain_width(HR_PER_PERSON, (uint64_t)1 << level);
}

/* ---- What a budget is enough for ---- */

hr_status hr_single_tree_check_tree(const hr_fit_facts *facts, int64_t weight_max, hr_units budget,
                                    hr_error *err) {
    const hr_fit_options *options = facts->options;
    bool persons = hr_facts_unit(facts) == HR_PER_PERSON;
    uint64_t weight_bound = persons ? HR_PERSON_UNIT : hr_single_tree_weight_bound(weight_max);
    int64_t gradient_bound =
        persons ? HR_PERSON_GRADIENT_BOUND : (1 << HR_GRADIENT_BITS) / (int64_t)weight_bound;
    hr_units leaves = hr_units_share(budget, options->leaf_share),
             counts = hr_units_share(leaves, options->count_share);
    uint64_t width =
        persons ? person_gain_width((int)options->depth - 1) : hr_weighted_gain_width(weight_bound);
    hr_status status =
        hr_facts_check_choice(facts, "split", (budget - leaves) / (hr_units)options->depth, width, err);
    if (!status)
        status = hr_facts_check_sums(facts, "leaf sum", leaves - counts,
                                     hr_weighted_gradient_sensitivity(weight_bound, gradient_bound), err);
    return status
               ? status
               : hr_facts_check_sums(facts, "leaf count", counts, hr_weight_sensitivity(weight_bound), err);
}

hr_status hr_single_tree_check_bins(const hr_fit_facts *facts, hr_units *budget, hr_error *err) {
    const hr_fit_options *options = facts->options;
    *budget = facts->budget;
    if (options->edges != HR_EDGES_PRIVATE ||
        !hr_edges_need_quantiles(facts->schema, (uint32_t)options->bins))
        return HR_OK;
    hr_units bins = hr_units_share(*budget, options->bin_share);
    *budget -= bins;
    return hr_facts_check_edges(facts, bins, err);
}

hr_status hr_single_tree_check(const hr_fit_facts *facts, size_t shares, hr_error *err) {
    hr_units budget;
    hr_status status = hr_facts_check_rows(facts, HR_RECORD_UNIT, 1 << HR_GRADIENT_BITS, err);
    if (status || facts->options->mode == HR_MODE_PAPER) return status;
    status = hr_single_tree_check_bins(facts, &budget, err);
    if (status) return status;
    return hr_single_tree_check_tree(facts, 1, budget / shares / hr_facts_outputs(facts), err);
}

double hr_single_tree_memory(const hr_fit_facts *facts) {
    return hr_boosting_memory(facts, (double)facts->rows) +
           hr_boosting_persons_memory(facts, (double)facts->rows);
}

/* ---- The tree ---- */

hr_stats_round hr_single_tree_round(const hr_single_tree *t, double bound) {
    return (hr_stats_round){
        .part = (size_t)t->scope.part, .output = t->output, .loss = HR_STATS_SQUARE, .bound = bound};
}

hr_status hr_single_tree_grow(hr_boosting *b, const hr_stats_round *round, const hr_charge *split,
                              hr_tree **tree, size_t *leaves, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    bool paper = options->mode == HR_MODE_PAPER; /* the publication names the exponential mechanism */
    hr_permit permits[HR_TREE_DEPTH_MAX];
    for (int level = 0; level < options->depth; level++) {
        hr_charge charge = *split;
        charge.level = level;
        if (b->training->unit == HR_PER_PERSON) charge.sensitivity = person_gain_width(level);
        hr_status status = (paper ? hr_gate_charge_exponential
                                  : hr_gate_charge_choice)(b->training->gate, &charge, &permits[level], err);
        if (status) return status;
    }
    hr_private_splitter splitter = {.binning = &b->training->binning,
                                    .packing = &b->packing,
                                    .gate = b->training->gate,
                                    .permits = permits,
                                    .lambda = options->lambda * b->packing.weight_scale};
    hr_private_splitter_init(&splitter);
    return hr_boosting_grow(b, &splitter.splitter, round, tree, leaves, err);
}

/* Gradients as integers, of a record of weight 1. */
static double gradient_unit(const hr_boosting *b) {
    return b->packing.gradient_scale * b->packing.weight_scale;
}

/* Of weighted records: the sum of their weights. */
static double released_count(const hr_boosting *b, size_t leaf) {
    return fmax((double)b->noisy_weights[leaf].paid / b->packing.weight_scale, 0);
}

/* Noise of a sum, given in integers, by that which one record can add. */
static double noise_in_records(const hr_boosting *b, double deviation) {
    return deviation / ((double)b->packing.gradient_bound * b->packing.weight_scale);
}

/* What was released of the leaves goes into the model; a split has the records of its children, which come
 * after it. A leaf's value has the noise of its sum, at most: its limits take from it. */
static hr_status keep_released(hr_boosting *b, hr_tree *tree, size_t leaves, double deviation,
                               hr_error *err) {
    const hr_fit_options *options = b->training->options;
    double *counts = hr_arena_alloc(b->training->arena, tree->node_count, sizeof *counts),
           *noise = hr_arena_alloc(b->training->arena, tree->node_count, sizeof *noise);
    if (!counts || !noise) return hr_fail_memory(err);
    tree->deviation = deviation / gradient_unit(b);
    for (size_t n = tree->node_count; n-- > 0;) {
        size_t left = tree->nodes[n].left;
        counts[n] = left ? counts[left] + counts[left + 1] : released_count(b, --leaves);
        double weight = counts[n] + options->lambda + noise_in_records(b, deviation);
        noise[n] = left ? 0 : options->learning_rate * tree->deviation / weight;
    }
    tree->counts = counts;
    tree->noise = noise;
    return HR_OK;
}

/* V = -eta S~ / (max(N~, 0) + lambda + noise of S~), clipped to +-1: equation 4 on released sums, with a
 * denominator that noise cannot make small. */
static hr_status single_tree_sound_leaves(hr_boosting *b, const hr_single_tree *t, hr_tree *tree,
                                          size_t leaves, hr_units budget, hr_error *err) {
    hr_gate *gate = b->training->gate;
    const hr_fit_options *options = b->training->options;
    hr_units count_cost = hr_units_share(budget, options->count_share), sum_cost = budget - count_cost;
    uint64_t sensitivity = hr_weighted_gradient_sensitivity(b->weight_bound, b->packing.gradient_bound);
    hr_charge sums = hr_scope_charge(&t->scope, "leaf sum", -1, sum_cost, sensitivity);
    hr_charge counts =
        hr_scope_charge(&t->scope, "leaf count", -1, count_cost, hr_weight_sensitivity(b->weight_bound));
    hr_status status = hr_gate_release_sums(gate, &sums, b->leaf_gradients, leaves, b->noisy_gradients, err);
    if (!status) status = hr_gate_release_sums(gate, &counts, b->leaf_weights, leaves, b->noisy_weights, err);
    if (status) return status;
    double deviation = hr_noise_deviation(hr_gate_privacy_measure(gate), sum_cost, (double)sensitivity);

    const double noise = noise_in_records(b, deviation);
    for (size_t l = 0; l < leaves; l++) {
        double sum = (double)b->noisy_gradients[l].paid / gradient_unit(b);
        double weight = released_count(b, l) + options->lambda + noise;
        b->values[l] = options->learning_rate * fmin(fmax(-sum / weight, -1), 1);
    }
    hr_leaves_set(tree, b->values);
    return keep_released(b, tree, leaves, deviation, err);
}

hr_status hr_single_tree_sound(hr_boosting *b, const hr_single_tree *t, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    hr_units leaf_budget = hr_units_share(t->scope.budget, options->leaf_share);
    hr_units level_cost = (t->scope.budget - leaf_budget) / (hr_units)options->depth;
    hr_charge split =
        hr_scope_charge(&t->scope, "split", 0, level_cost, hr_weighted_gain_width(b->weight_bound));
    hr_stats_round round = hr_single_tree_round(t, options->gradient_bound);
    round.drop_beyond = options->by_name[HR_OPTION_BOUNDING] == HR_BOUNDING_FILTER;
    size_t leaves;
    hr_tree *tree;
    hr_status status = hr_single_tree_grow(b, &round, &split, &tree, &leaves, err);
    return status ? status : single_tree_sound_leaves(b, t, tree, leaves, leaf_budget, err);
}
