#include "methods/private_forest.h"

#include "base/fail.h"
#include "methods/parts.h"
#include "privacy/noise.h"
#include "tree/shrink.h"

#include <math.h>
#include <stdlib.h>

/* How strongly noise pulls a node towards its parent: records to each unit of its standard deviation. Means of numbers, mapped to
 * [-1, 1], differ less from node to node than shares of classes do, so that less noise drowns them. Chosen on development sets. */
static const double CLASS_RIDGE = 1, NUMBER_RIDGE = 4;

/* ---- Sharing records out --------------------------------------------------------------------------------------------- */

static hr_status share_out(const hr_training *t, size_t trees, hr_parts *parts, hr_error *err) {
    hr_stream *stream = hr_gate_stream(t->gate);
    size_t rows = hr_data_rows(t->data), count = t->options->by_name[HR_OPTION_PART] ? trees : 1;
    double *weights = malloc(count * sizeof *weights);
    if (!weights) return hr_fail_memory(err);
    for (size_t j = 0; j < count; j++) weights[j] = 1;
    hr_status status = (t->options->mode == HR_SOUND ? hr_parts_drawn : hr_parts_fixed)(stream, rows, weights, count, parts, err);
    free(weights);
    return status;
}

static hr_units tree_budget(const hr_fit_options *options, hr_units budget) {
    return budget / (options->by_name[HR_OPTION_PART] ? 1 : (hr_units)options->trees);
}

hr_units hr_facts_tree_budget(const hr_fit_facts *facts) {
    return tree_budget(facts->options, facts->budget);
}

double hr_private_forest_memory(const hr_fit_facts *facts) {
    return hr_facts_table(facts) + (double)facts->rows * 6 * sizeof(double);
}

uint64_t hr_facts_purity_width(const hr_fit_facts *facts) {
    const hr_labels kind = {.classes = hr_schema_task(facts->schema) == HR_REGRESSION ? 0 : 2};
    return hr_purity_width(&kind);
}

static hr_private_tree tree_of(const hr_training *t, const hr_parts *parts, size_t index) {
    bool part = t->options->by_name[HR_OPTION_PART];
    size_t j = part ? index : 0;
    return (hr_private_tree){.rows = hr_parts_rows(parts, j),
                             .count = hr_parts_size(parts, j),
                             .scope = {.tree = (int64_t)index,
                                       .group = t->next_group + (part ? 0 : index),
                                       .part = j,
                                       .budget = tree_budget(t->options, hr_gate_budget(t->gate))}};
}

hr_status hr_private_forest_train(hr_training *t, hr_tree_trainer *trainer, hr_error *err) {
    size_t trees = (size_t)t->options->trees;
    hr_parts parts = {0};
    hr_status status = hr_average_init(t, err);
    if (!status) status = share_out(t, trees, &parts, err);
    for (size_t i = 0; !status && i < trees; i++) {
        hr_private_tree tree = tree_of(t, &parts, i);
        status = trainer->train(trainer, &tree, err);
        if (!status) status = hr_training_progress(t, i + 1, trees, err);
    }
    hr_parts_done(&parts);
    return status;
}

void hr_draw_features(hr_stream *stream, uint32_t *features, size_t count, size_t wanted) {
    for (size_t k = 0; k < wanted; k++) {
        size_t other = k + hr_uniform(stream, count - k);
        uint32_t swap = features[k];
        features[k] = features[other];
        features[other] = swap;
    }
}

/* ---- Leaves ---------------------------------------------------------------------------------------------------------- */

/* Room for the statistics of one tree. */
typedef struct leaves {
    hr_exact *room, *exact_sums, *exact_counts;
    hr_noisy *sums, *counts;
    double *node_sums, *node_counts;
    size_t count;
} leaves;

static void leaves_done(leaves *l) {
    void *all[] = {l->room, l->exact_sums, l->exact_counts, l->sums, l->counts, l->node_sums, l->node_counts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static hr_status leaves_init(leaves *l, size_t nodes, size_t width, hr_error *err) {
    l->room = malloc(nodes * width * sizeof *l->room);
    l->exact_sums = malloc(nodes * sizeof *l->exact_sums);
    l->exact_counts = malloc(nodes * width * sizeof *l->exact_counts);
    l->sums = malloc(nodes * sizeof *l->sums);
    l->counts = malloc(nodes * width * sizeof *l->counts);
    l->node_sums = malloc(nodes * width * sizeof *l->node_sums);
    l->node_counts = malloc(nodes * sizeof *l->node_counts);
    bool room = l->room && l->exact_sums && l->exact_counts && l->sums && l->counts && l->node_sums && l->node_counts;
    return room ? HR_OK : hr_fail_memory(err);
}

static double records(hr_noisy count) {
    return fmax((double)count.paid / HR_COUNT_UNITS, 0);
}

/* Sums of (label's unit vector - 1/classes), so that nothing known means that all classes are alike. */
static void read_classes(leaves *l, const hr_tree *tree, size_t classes) {
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        const hr_noisy *counts = l->counts + leaf++ * classes;
        double all = 0;
        for (size_t k = 0; k < classes; k++) all += records(counts[k]);
        for (size_t k = 0; k < classes; k++) l->node_sums[n * classes + k] = records(counts[k]) - all / (double)classes;
        l->node_counts[n] = all;
    }
}

/* From distances from 1/classes to probabilities. */
static void to_probabilities(double *said, size_t classes) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) sum += said[k] = fmax(said[k] + 1 / (double)classes, 0);
    for (size_t k = 0; k < classes; k++) said[k] /= sum;
}

static hr_status release_classes(hr_training *t, const hr_private_tree *private_tree, size_t classes, hr_units budget, leaves *l,
                                 hr_error *err) {
    hr_charge charge = hr_scope_charge(&private_tree->scope, "leaf class count", -1, budget, HR_COUNT_UNITS);
    return hr_gate_release_sums(t->gate, &charge, l->exact_counts, l->count * classes, l->counts, err);
}

static hr_status classes_of(hr_training *t, const hr_private_tree *private_tree, const hr_tree *tree, size_t classes, hr_units budget,
                            leaves *l, double *said, hr_error *err) {
    hr_status status = release_classes(t, private_tree, classes, budget, l, err);
    if (status) return status;
    double noise = hr_noise_deviation(hr_gate_currency(t->gate), budget, HR_COUNT_UNITS) / HR_COUNT_UNITS;
    read_classes(l, tree, classes);
    hr_shrink(tree, classes, CLASS_RIDGE * noise, l->node_sums, l->node_counts, said);
    for (size_t n = 0; n < tree->node_count; n++) to_probabilities(said + n * classes, classes);
    return HR_OK;
}

static void read_numbers(leaves *l, const hr_tree *tree) {
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        l->node_sums[n] = (double)l->sums[leaf].paid / (1 << HR_LABEL_BITS);
        l->node_counts[n] = records(l->counts[leaf++]);
    }
}

static hr_status numbers_of(hr_training *t, const hr_private_tree *private_tree, const hr_tree *tree, hr_units budget, leaves *l,
                            double *said, hr_error *err) {
    hr_units count_cost = hr_units_share(budget, t->options->count_share), sum_cost = budget - count_cost;
    hr_charge sums = hr_scope_charge(&private_tree->scope, "leaf sum", -1, sum_cost, 1 << HR_LABEL_BITS);
    hr_charge counts = hr_scope_charge(&private_tree->scope, "leaf count", -1, count_cost, HR_COUNT_UNITS);
    hr_status status = hr_gate_release_sums(t->gate, &sums, l->exact_sums, l->count, l->sums, err);
    if (!status) status = hr_gate_release_sums(t->gate, &counts, l->exact_counts, l->count, l->counts, err);
    if (status) return status;
    double noise = hr_noise_deviation(hr_gate_currency(t->gate), sum_cost, 1 << HR_LABEL_BITS) / (1 << HR_LABEL_BITS);
    read_numbers(l, tree);
    hr_shrink(tree, 1, NUMBER_RIDGE * noise, l->node_sums, l->node_counts, said);
    for (size_t n = 0; n < tree->node_count; n++) said[n] = fmin(fmax(said[n], -1), 1);
    return HR_OK;
}

hr_status hr_facts_check_leaves(const hr_fit_facts *facts, hr_units budget, hr_error *err) {
    if (hr_schema_task(facts->schema) != HR_REGRESSION) return hr_facts_check_sums(facts, "leaf class count", budget, HR_COUNT_UNITS, err);
    hr_units counts = hr_units_share(budget, facts->options->count_share);
    hr_status status = hr_facts_check_sums(facts, "leaf sum", budget - counts, 1 << HR_LABEL_BITS, err);
    return status ? status : hr_facts_check_sums(facts, "leaf count", counts, HR_COUNT_UNITS, err);
}

typedef hr_status answer(hr_training *t, const hr_labels *labels, const hr_private_tree *private_tree, const hr_tree *tree, hr_units budget,
                         leaves *l, double *said, hr_error *err);

static hr_status answer_soundly(hr_training *t, const hr_labels *labels, const hr_private_tree *private_tree, const hr_tree *tree,
                                hr_units budget, leaves *l, double *said, hr_error *err) {
    return labels->classes ? classes_of(t, private_tree, tree, labels->classes, budget, l, said, err)
                           : numbers_of(t, private_tree, tree, budget, l, said, err);
}

static hr_status published_classes(hr_training *t, const hr_private_tree *private_tree, const hr_tree *tree, size_t classes,
                                   hr_units budget, leaves *l, double *said, hr_error *err) {
    hr_status status = release_classes(t, private_tree, classes, budget, l, err);
    if (status) return status;
    read_classes(l, tree, classes);
    for (size_t n = 0; n < tree->node_count; n++) {
        double all = l->node_counts[n];
        if (tree->nodes[n].left) continue;
        for (size_t k = 0; k < classes; k++) said[n * classes + k] = all > 0 ? l->node_sums[n * classes + k] / all : 0;
        to_probabilities(said + n * classes, classes);
    }
    return HR_OK;
}

static hr_status published_numbers(hr_training *t, const hr_private_tree *private_tree, const hr_tree *tree, hr_units budget, leaves *l,
                                   double *said, hr_error *err) {
    hr_charge charge = hr_scope_charge(&private_tree->scope, "leaf mean", -1, budget, 2 << HR_LABEL_BITS);
    hr_status status = hr_gate_charge_exact(t->gate, "leaf counts", err);
    if (!status) status = hr_gate_release_sums(t->gate, &charge, l->exact_sums, l->count, l->sums, err);
    if (status) return status;
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        said[n] = hr_mean_as_published(l->sums[leaf], l->exact_counts[leaf]);
        if (isnan(said[n])) said[n] = (double)(hr_stream_u64(hr_gate_stream(t->gate)) >> 11) * 0x1p-52 - 1;
        leaf++;
    }
    return HR_OK;
}

static hr_status answer_as_published(hr_training *t, const hr_labels *labels, const hr_private_tree *private_tree, const hr_tree *tree,
                                     hr_units budget, leaves *l, double *said, hr_error *err) {
    return labels->classes ? published_classes(t, private_tree, tree, labels->classes, budget, l, said, err)
                           : published_numbers(t, private_tree, tree, budget, l, said, err);
}

static hr_status answer_leaves(answer *how, hr_training *t, const hr_labels *labels, const hr_private_tree *private_tree,
                               const hr_tree *tree, const uint32_t *node_of, hr_units budget, double *said, hr_error *err) {
    leaves l = {0};
    hr_status status = leaves_init(&l, tree->node_count, hr_labels_width(labels), err);
    if (!status) {
        l.count = hr_labels_of_leaves(labels, tree, private_tree->rows, node_of, private_tree->count, l.room, l.exact_sums, l.exact_counts);
        status = how(t, labels, private_tree, tree, budget, &l, said, err);
    }
    leaves_done(&l);
    return status;
}

hr_status hr_private_leaves(hr_training *t, const hr_labels *labels, const hr_private_tree *private_tree, const hr_tree *tree,
                            const uint32_t *node_of, hr_units budget, double *said, hr_error *err) {
    return answer_leaves(answer_soundly, t, labels, private_tree, tree, node_of, budget, said, err);
}

hr_status hr_published_leaves(hr_training *t, const hr_labels *labels, const hr_private_tree *private_tree, const hr_tree *tree,
                              const uint32_t *node_of, hr_units budget, double *said, hr_error *err) {
    return answer_leaves(answer_as_published, t, labels, private_tree, tree, node_of, budget, said, err);
}
