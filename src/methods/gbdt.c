/* Gradient boosted decision trees without privacy: the baseline of Li et al. 2020 (section 2.1, equations 1
 * to 4), and what the private methods are measured against.
 *
 * Square loss is the paper's: a record weighs 1 (equation 2 has the second derivative 1). With logistic loss
 * a record weighs its second derivative p (1 - p), as in Chen and Guestrin 2016; gains and leaves are then
 * the same formulas over weights. */
#include "base/fail.h"
#include "bins/edges.h"
#include "grow/exact_splitter.h"
#include "methods/boosting.h"

#include <math.h>

enum { WEIGHT_BITS = 10 };

/* The charges of a fit without privacy cost nothing; they are the model's list of what was released exactly.
 */
static hr_status charge_identity(hr_training *training, const char *what, hr_permit *permit, hr_error *err) {
    hr_charge exact = {.what = what, .tree = -1, .level = -1, .sensitivity = 1};
    return hr_gate_charge_sums(training->gate, &exact, permit, err);
}

static bool is_logistic(const hr_boosting *b) {
    return b->training->forest.link == HR_LINK_LOGISTIC;
}

/* F_0: the mean of the targets, or the log-odds of the classes. */
static hr_status set_base_gbdt(hr_boosting *b, hr_error *err) {
    hr_forest *forest = &b->training->forest;
    hr_exact sums[HR_BINS_MAX];
    hr_noisy paid[HR_BINS_MAX];
    hr_permit permit;
    bool classes = forest->link != HR_LINK_NUMBER;
    hr_status status = charge_identity(b->training, "base score", &permit, err);
    if (status) return status;
    status = b->source->ops->label_sums(b->source, sums, err);
    if (status) return status;
    hr_gate_sums(b->training->gate, permit, sums, !classes ? 1 : b->outputs == 1 ? 2 : b->outputs, paid);
    double n = (double)b->source->capacity;
    for (size_t k = 0; k < b->outputs; k++) {
        double in_class = (double)paid[b->outputs == 1 && classes ? 1 : k].paid;
        if (!classes)
            forest->base[k] = (double)paid[0].paid / 0x1p20 / n;
        else if (!is_logistic(b))
            forest->base[k] = 2 * in_class / n - 1;
        else if (b->outputs == 1)
            forest->base[k] = log((in_class + 1) / (n - in_class + 1));
        else
            forest->base[k] = log((in_class + 1) / (n + (double)b->outputs));
    }
    return b->source->ops->set_base(b->source, forest->base, err);
}

/* As many bits for a gradient as sums over all records leave; at most 30. */
static hr_status set_packing(hr_boosting *b, hr_error *err) {
    uint64_t weight_bound = is_logistic(b) ? 1 << (WEIGHT_BITS - 2) : 1;
    b->packing.weight_scale = is_logistic(b) ? 1 << WEIGHT_BITS : 1;
    hr_status status = HR_E_LIMIT;
    for (int bits = 30; status && bits >= 8; bits--) {
        b->packing.gradient_bound = (int64_t)1 << bits;
        status = hr_boosting_pack(b, weight_bound, bits > 8 ? NULL : err);
    }
    return status;
}

/* Gradients of square loss fill all bits; those of logistic loss are probabilities. */
static hr_status set_scale(hr_boosting *b, size_t output, hr_stats_round *round, hr_error *err) {
    *round = (hr_stats_round){.output = output, .loss = is_logistic(b) ? HR_STATS_LOGISTIC : HR_STATS_SQUARE};
    b->packing.gradient_scale = (double)b->packing.gradient_bound;
    if (is_logistic(b)) return HR_OK;
    hr_status status = b->source->ops->largest_residual(b->source, output, &round->bound, err);
    round->bound = fmax(round->bound, 0x1p-40);
    b->packing.gradient_scale /= round->bound;
    return status;
}

/* Equation 4, shrunk: V = -eta S / (W + lambda). */
static void set_leaves(hr_boosting *b, hr_tree *tree, size_t leaves, hr_permit permit) {
    const hr_fit_options *options = b->training->options;
    hr_gate_sums(b->training->gate, permit, b->leaf_gradients, leaves, b->noisy_gradients);
    hr_gate_sums(b->training->gate, permit, b->leaf_weights, leaves, b->noisy_weights);
    for (size_t l = 0; l < leaves; l++) {
        double sum = (double)b->noisy_gradients[l].paid / b->packing.gradient_scale;
        double weight = (double)b->noisy_weights[l].paid / b->packing.weight_scale + options->lambda;
        b->values[l] = weight > 0 ? -options->learning_rate * sum / weight : 0;
    }
    hr_leaves_set(tree, b->values);
}

static hr_status boost_gbdt(hr_boosting *b, hr_exact_splitter *greedy, hr_permit leaves_permit,
                            hr_error *err) {
    size_t trees = (size_t)b->training->options->trees;
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < trees; t++) {
        size_t first = b->training->forest.tree_count;
        for (size_t k = 0; !status && k < b->outputs; k++) {
            hr_stats_round round;
            hr_tree *tree;
            size_t leaves;
            status = set_scale(b, k, &round, err);
            if (!status) status = hr_boosting_grow(b, &greedy->splitter, &round, &tree, &leaves, err);
            if (!status) set_leaves(b, tree, leaves, leaves_permit);
        }
        /* Softmax gradients of a round share its starting scores: its trees are added up when it is over. */
        if (!status) status = hr_boosting_add_trees(b, first, err);
        if (!status) status = hr_training_progress(b->training, t + 1, trees, err);
    }
    return status;
}

static hr_status train_gbdt(hr_training *training, hr_error *err) {
    const hr_fit_options *options = training->options;
    hr_boosting b;
    hr_permit splits, leaves, levels[HR_TREE_DEPTH_MAX];
    hr_status status = hr_gate_charge_exact(training->gate, "bin edges", err);
    if (!status)
        status = hr_edges_exact(training->data, (uint32_t)options->bins, training->threads, training->arena,
                                &training->binning, err);
    if (!status) status = charge_identity(training, "splits", &splits, err);
    if (!status) status = charge_identity(training, "leaf sums", &leaves, err);
    if (status) return status;
    hr_link link = options->loss == HR_LOSS_LOGISTIC ? HR_LINK_LOGISTIC : HR_LINK_SIGNED;
    size_t outputs = hr_training_outputs(training->data);
    status = hr_boosting_init(&b, training, link, (size_t)options->trees * outputs, err);
    if (status) return status;
    for (int level = 0; level < HR_TREE_DEPTH_MAX; level++) levels[level] = splits;
    hr_exact_splitter greedy = {.binning = &training->binning,
                                .packing = &b.packing,
                                .gate = training->gate,
                                .permits = levels,
                                .lambda = options->lambda,
                                .min_child_weight = options->by_name[HR_OPTION_MIN_CHILD_WEIGHT],
                                .threads = training->threads};
    hr_exact_splitter_init(&greedy);
    status = set_base_gbdt(&b, err);
    if (!status) status = set_packing(&b, err);
    if (!status) status = boost_gbdt(&b, &greedy, leaves, err);
    hr_boosting_done(&b);
    return status;
}

static void gbdt_defaults(hr_fit_options *o) {
    o->trees = 100;
    o->depth = 6;
    o->bins = 255;
    o->learning_rate = .1;
    o->lambda = 1;
    o->loss = HR_LOSS_LOGISTIC;
    o->by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 1;
    o->edges = HR_EDGES_EXACT;
}

static const char *const options[] = {"trees", "depth", "learning-rate",    "lambda",
                                      "bins",  "loss",  "min-child-weight", NULL};

const hr_method hr_method_gbdt = {
    .info =
        {.name = "gbdt",
         .summary = "gradient boosted decision trees, without privacy",
         .paper = "Li, Wu, Wen, He: Privacy-Preserving Gradient Boosting Decision Trees. AAAI 2020, section "
                  "2.1 (the baseline NP)",
         .is_private = false,
         .sound = "",
         .flaws =
             "It has no privacy at all: splits, leaves and bin edges are exact statistics of the records."},
    .defaults = gbdt_defaults,
    .sound_options = options,
    .paper_options = options,
    .check = hr_facts_check_classes,
    .train = train_gbdt,
};
