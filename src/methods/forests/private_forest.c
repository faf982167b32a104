#include "methods/forests/private_forest.h"

#include "base/fail.h"
#include "methods/forests/class_leaves.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/data/records.h"
#include "trees/tree/hierarchical_shrinkage.h"

#include <math.h>
#include <stdlib.h>

/* How strongly noise pulls a node towards its parent: records to each unit of its standard deviation. Means
 * of numbers, mapped to [-1, 1], differ less from node to node than shares of classes do (class_leaves.c), so
 * that less noise hides them. Chosen on development sets. */
static const double NUMBER_RIDGE = 4;

/* ---- Sharing records out ---- */

static bool trains_on_parts(const hr_fit_options *options) {
    return options->by_name[HR_OPTION_PART] != 0;
}

/* DiPriMe's Algorithm 2, line 12: every record is in one part; their sizes differ by one at the most. NOT
 * PRIVATE. */
static hr_status partition_records(const hr_training *t, size_t trees, hr_error *err) {
    const size_t rows = hr_data_rows(t->data);
    uint32_t *order = malloc((rows + 1) * sizeof *order), *part_of = malloc((rows + 1) * sizeof *part_of);
    hr_status status = order && part_of ? HR_OK : hr_fail_memory(err);
    if (!status) {
        for (size_t i = 0; i < rows; i++) order[i] = (uint32_t)i;
        hr_draw_items(hr_gate_csprng(t->gate), order, rows, rows);
        for (size_t i = 0; i < rows; i++) part_of[order[i]] = (uint32_t)(i % trees);
        status = t->source->ops->share_out(t->source, &(hr_stats_shares){.part_of = part_of, .count = trees},
                                           NULL, err);
    }
    free(order);
    free(part_of);
    return status;
}

static hr_status share_out_records(const hr_training *t, size_t trees, hr_error *err) {
    if (t->options->mode == HR_MODE_PAPER && trains_on_parts(t->options))
        return partition_records(t, trees, err);
    size_t count = trains_on_parts(t->options) ? trees : 1;
    double *weights = malloc(count * sizeof *weights);
    if (!weights) return hr_fail_memory(err);
    for (size_t j = 0; j < count; j++) weights[j] = 1;
    hr_stats_shares shares = {.weights = weights, .count = count};
    hr_status status = t->source->ops->share_out(t->source, &shares, NULL, err);
    free(weights);
    return status;
}

static hr_units tree_budget(const hr_fit_options *options, hr_units budget) {
    return budget / (trains_on_parts(options) ? 1 : (hr_units)options->trees);
}

hr_units hr_facts_tree_budget(const hr_fit_facts *facts) {
    return tree_budget(facts->options, facts->budget);
}

double hr_private_forest_memory(const hr_fit_facts *facts) {
    return hr_facts_table(facts) + (double)facts->rows * 6 * sizeof(double);
}

uint64_t hr_facts_purity_width(const hr_fit_facts *facts, uint64_t nodes) {
    const hr_labels kind = {.classes = hr_schema_task(facts->schema) == HR_TASK_REGRESSION ? 0 : 2,
                            .unit = hr_facts_unit(facts)};
    return hr_purity_width(&kind, nodes);
}

hr_labels hr_training_labels(const hr_training *training) {
    hr_labels labels = hr_labels_kind(hr_data_schema(training->data));
    labels.unit = training->unit;
    return labels;
}

static hr_status train_tree_private_forest(hr_training *t, hr_tree_trainer *trainer, size_t index,
                                           hr_error *err) {
    bool part = trains_on_parts(t->options);
    hr_release_scope scope = {.tree = (int64_t)index,
                              .group = t->next_group + (part ? 0 : index),
                              .part = part ? index : 0,
                              .budget = tree_budget(t->options, hr_gate_budget(t->gate))};
    hr_stats_round round = {.part = (size_t)scope.part};
    hr_status status = t->source->ops->begin(t->source, &round, err);
    return status ? status : trainer->train(trainer, &scope, err);
}

hr_status hr_private_forest_train(hr_training *t, hr_tree_trainer *trainer, hr_error *err) {
    size_t trees = (size_t)t->options->trees;
    hr_stats_setup setup = {.kind = HR_STATS_LABELS,
                            .binning = &t->binning,
                            .weights = t->unit == HR_PER_PERSON ? hr_data_weights(t->data) : NULL};
    hr_status status = t->source->ops->prepare(t->source, &setup, err);
    if (!status) status = hr_average_init(t, err);
    if (!status) status = share_out_records(t, trees, err);
    for (size_t i = 0; !status && i < trees; i++) {
        status = train_tree_private_forest(t, trainer, i, err);
        if (!status) status = hr_training_progress(t, i + 1, trees, err);
    }
    return status;
}

/* ---- Leaves ---- */

/* The statistics of one tree's leaves, and what becomes of them. */
typedef struct private_forest_leaves {
    hr_training *training;
    const hr_private_tree *private_tree;
    const hr_tree *tree;
    hr_labels labels; /* their kind alone */
    hr_exact *room, *exact_sums, *exact_counts;
    hr_noisy *sums, *counts;
    double *node_sums, *node_counts;
    size_t count;
} private_forest_leaves;

static hr_status leaves_init(private_forest_leaves *l, hr_error *err) {
    size_t nodes = l->tree->node_count, width = hr_labels_width(&l->labels);
    l->room = malloc(nodes * width * sizeof *l->room);
    l->exact_sums = malloc(nodes * sizeof *l->exact_sums);
    l->exact_counts = malloc(nodes * width * sizeof *l->exact_counts);
    l->sums = malloc(nodes * sizeof *l->sums);
    l->counts = malloc(nodes * width * sizeof *l->counts);
    l->node_sums = malloc(nodes * width * sizeof *l->node_sums);
    l->node_counts = malloc(nodes * sizeof *l->node_counts);
    bool room =
        l->room && l->exact_sums && l->exact_counts && l->sums && l->counts && l->node_sums && l->node_counts;
    return room ? HR_OK : hr_fail_memory(err);
}

static hr_charge private_forest_charge_of(const private_forest_leaves *l, const char *what, hr_units cost,
                                          uint64_t sensitivity) {
    return hr_scope_charge(l->private_tree->scope, what, -1, cost, sensitivity);
}

/* In records, or persons. */
static double part_records(const private_forest_leaves *l, hr_noisy count) {
    return fmax((double)count.paid / (double)hr_unit_of_counts(l->training->unit), 0);
}

static void read_classes_private_forest(private_forest_leaves *l, const hr_tree *tree, size_t classes) {
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        for (size_t k = 0; k < classes; k++)
            l->node_sums[n * classes + k] = part_records(l, l->counts[leaf * classes + k]);
        leaf++;
    }
}

static hr_status release_classes(private_forest_leaves *l, hr_error *err) {
    hr_charge charge = private_forest_charge_of(l, "leaf class count", l->private_tree->leaf_budget,
                                                hr_unit_of_counts(l->training->unit));
    return hr_gate_release_sums(l->training->gate, &charge, l->exact_counts, l->count * l->labels.classes,
                                l->counts, err);
}

/* The deviation of the noise of a sum. */
static double noise_of(const private_forest_leaves *l, hr_units cost, uint64_t sensitivity) {
    return hr_noise_deviation(hr_gate_privacy_measure(l->training->gate), cost, (double)sensitivity);
}

static hr_status private_classes(private_forest_leaves *l, double *leaf_values, hr_error *err) {
    size_t classes = l->labels.classes;
    hr_status status = release_classes(l, err);
    if (status) return status;
    const uint64_t one = hr_unit_of_counts(l->training->unit);
    double noise = noise_of(l, l->private_tree->leaf_budget, one) / (double)one;
    read_classes_private_forest(l, l->tree, classes);
    hr_class_leaves(l->tree, classes, noise, l->node_sums, l->node_counts, leaf_values);
    return HR_OK;
}

/* 1 in sums of labels. */
static double unit_of_labels(const private_forest_leaves *l) {
    return (double)(hr_unit_fineness(l->training->unit) << HR_LABEL_BITS);
}

static void read_numbers(private_forest_leaves *l, const hr_tree *tree) {
    size_t leaf = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        l->node_sums[n] = (double)l->sums[leaf].paid / unit_of_labels(l);
        l->node_counts[n] = part_records(l, l->counts[leaf++]);
    }
}

static hr_status private_numbers(private_forest_leaves *l, double *leaf_values, hr_error *err) {
    hr_gate *gate = l->training->gate;
    hr_units budget = l->private_tree->leaf_budget;
    hr_units count_cost = hr_units_share(budget, l->training->options->count_share),
             sum_cost = budget - count_cost;
    const uint64_t label = hr_unit_label_sensitivity(l->training->unit);
    hr_charge sums = private_forest_charge_of(l, "leaf sum", sum_cost, label);
    hr_charge counts =
        private_forest_charge_of(l, "leaf count", count_cost, hr_unit_of_counts(l->training->unit));
    hr_status status = hr_gate_release_sums(gate, &sums, l->exact_sums, l->count, l->sums, err);
    if (!status) status = hr_gate_release_sums(gate, &counts, l->exact_counts, l->count, l->counts, err);
    if (status) return status;
    double noise = noise_of(l, sum_cost, label) / unit_of_labels(l);
    read_numbers(l, l->tree);
    hr_hierarchical_shrinkage(l->tree, 1, NUMBER_RIDGE * noise, l->node_sums, l->node_counts, leaf_values);
    for (size_t n = 0; n < l->tree->node_count; n++) leaf_values[n] = fmin(fmax(leaf_values[n], -1), 1);
    return HR_OK;
}

hr_status hr_facts_check_leaves(const hr_fit_facts *facts, hr_units budget, hr_error *err) {
    const hr_privacy_unit unit = hr_facts_unit(facts);
    const uint64_t count = hr_unit_of_counts(unit), label = hr_unit_label_sensitivity(unit);
    if (hr_schema_task(facts->schema) != HR_TASK_REGRESSION)
        return hr_facts_check_sums(facts, "leaf class count", budget, count, err);
    hr_units counts = hr_units_share(budget, facts->options->count_share);
    hr_status status = hr_facts_check_sums(facts, "leaf sum", budget - counts, label, err);
    return status ? status : hr_facts_check_sums(facts, "leaf count", counts, count, err);
}

static hr_status published_classes(private_forest_leaves *l, double *leaf_values, hr_error *err) {
    size_t classes = l->labels.classes;
    hr_status status = release_classes(l, err);
    if (status) return status;
    read_classes_private_forest(l, l->tree, classes);
    for (size_t n = 0; n < l->tree->node_count; n++) {
        double all = 0, *counts = l->node_sums + n * classes;
        if (l->tree->nodes[n].left) continue;
        for (size_t k = 0; k < classes; k++) all += counts[k];
        for (size_t k = 0; k < classes; k++)
            leaf_values[n * classes + k] = all > 0 ? (counts[k] - all / (double)classes) / all : 0;
        hr_class_probabilities(leaf_values + n * classes, classes);
    }
    return HR_OK;
}

static hr_status published_numbers(private_forest_leaves *l, double *leaf_values, hr_error *err) {
    hr_gate *gate = l->training->gate;
    hr_charge charge =
        private_forest_charge_of(l, "leaf mean", l->private_tree->leaf_budget, 2 * HR_LABEL_SENSITIVITY);
    hr_status status = hr_gate_charge_exact(gate, "leaf counts", err);
    if (!status) status = hr_gate_release_sums(gate, &charge, l->exact_sums, l->count, l->sums, err);
    if (status) return status;
    size_t leaf = 0;
    for (size_t n = 0; n < l->tree->node_count; n++) {
        if (l->tree->nodes[n].left) continue;
        leaf_values[n] = hr_mean_as_published(l->sums[leaf], l->exact_counts[leaf]);
        if (isnan(leaf_values[n]))
            leaf_values[n] = (double)(hr_csprng_u64(hr_gate_csprng(gate)) >> 11) * 0x1p-52 - 1;
        leaf++;
    }
    return HR_OK;
}

static hr_status private_forest_ask_leaves(private_forest_leaves *l, hr_error *err) {
    hr_stats_source *source = l->training->source;
    hr_stats_query query = {.answer = HR_STATS_LEAVES, .tree = l->tree, .walk = l->private_tree->walk};
    hr_status status = source->ops->answer(source, &query, 1, l->room, err);
    l->count = hr_tree_leaves(l->tree);
    if (!status) hr_labels_of_leaves(&l->labels, l->room, l->count, l->exact_sums, l->exact_counts);
    return status;
}

typedef hr_status set_leaf_values(private_forest_leaves *l, double *leaf_values, hr_error *err);

static hr_status release_leaves(hr_training *t, const hr_private_tree *tree, set_leaf_values *of_classes,
                                set_leaf_values *of_numbers, double *leaf_values, hr_error *err) {
    private_forest_leaves l = {
        .training = t, .private_tree = tree, .tree = tree->tree, .labels = hr_training_labels(t)};
    hr_status status = leaves_init(&l, err);
    if (!status) status = private_forest_ask_leaves(&l, err);
    if (!status) status = (l.labels.classes ? of_classes : of_numbers)(&l, leaf_values, err);
    void *all[] = {l.room, l.exact_sums, l.exact_counts, l.sums, l.counts, l.node_sums, l.node_counts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return status;
}

hr_status hr_private_leaves(hr_training *t, const hr_private_tree *tree, double *leaf_values, hr_error *err) {
    return release_leaves(t, tree, private_classes, private_numbers, leaf_values, err);
}

hr_status hr_published_leaves(hr_training *t, const hr_private_tree *tree, double *leaf_values,
                              hr_error *err) {
    return release_leaves(t, tree, published_classes, published_numbers, leaf_values, err);
}
