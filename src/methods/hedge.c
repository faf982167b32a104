/* hedge: boosting of random trees, chosen and filled in privately. The method of this project.
 *
 * Every round draws candidate trees from public coins, lets the gate choose the one whose leaves hold the largest
 * gradient sums, and adds its leaves, from noisy sums and counts over all records, with a small step. Adding a record changes one
 * leaf sum of every candidate by at most G: the choice costs no more for deep trees, many candidates or many features. What is
 * learned about features, pairs and kinds of trees, the clip, the schedule and the final average follow from released values.
 *
 * Composition: Gaussian differential privacy with delta > 0, pure epsilon with delta = 0; every release is charged in a group of
 * its own, so that all of them add up. The theorem is docs/hedge.md. */
#include "base/fail.h"
#include "bins/edges.h"
#include "methods/bandit.h"
#include "methods/calibration.h"
#include "methods/hedge_plan.h"
#include "methods/method.h"
#include "privacy/noise.h"
#include "tree/gradient.h"
#include "tree/random_tree.h"
#include "tree/scan.h"
#include "tree/shrink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_UNITS = HR_HEDGE_COUNT_UNITS, UNIT = HR_HEDGE_SUM_UNIT, VARY_PER_MILLE = 300, VARY_FROM = 5 };
static const double TAIL = .2, CLIP_QUANTILE = .95, CLIP_RATE = .2, CLIP_LEAST = .02;

/* What a tree asks about: what the bandits need to know of it. */
typedef struct subject {
    hr_tree_kind kind;
    uint32_t features[2];
} subject;

typedef struct candidate {
    subject subject;
    hr_node nodes[HR_SCAN_NODES_MAX];
    hr_bin_set subsets[HR_SCAN_NODES_MAX];
} candidate;

typedef struct hedge {
    hr_training *training;
    hr_gate *gate;
    hr_hedge_setting setting;
    hr_hedge_plan plan;
    hr_binned *binned;
    size_t outputs;
    double *targets, records; /* n-hat */
    double *base;
    hr_scan *scan;
    hr_bandit *bandit;
    candidate *candidates;
    hr_tree *trees; /* of the candidates */
    hr_exact *exact_sums, *exact_counts, *scores;
    hr_noisy *sums, *counts;
    double *node_sums, *node_counts, *values; /* node, output */
    subject *past;                            /* of the trees chosen so far */
    hr_scan_loss loss;
} hedge;

/* ---- Releases ------------------------------------------------------------------------------------------------------- */

static hr_charge charge_of(hedge *h, const char *what, int64_t round, hr_units cost, uint64_t sensitivity) {
    return (hr_charge){
        .what = what, .tree = round, .level = -1, .group = h->training->next_group++, .cost = cost, .sensitivity = sensitivity};
}

static hr_status release_sums(hedge *h, const hr_charge *charge, const hr_exact *in, size_t count, hr_noisy *out, hr_error *err) {
    hr_permit permit;
    hr_status status = hr_gate_charge_sums(h->gate, charge, &permit, err);
    if (!status) hr_gate_sums(h->gate, permit, in, count, out);
    return status;
}

/* ---- Before the rounds ----------------------------------------------------------------------------------------------- */

static hr_status make_bins(hedge *h, hr_units cost, hr_error *err) {
    hr_training *t = h->training;
    hr_charge charge = {.what = "bin edges", .tree = -1, .level = -1, .group = t->next_group, .cost = cost, .sensitivity = 1};
    uint64_t groups = 0;
    hr_status status = h->setting.has_quantiles
                           ? hr_edges_private(t->data, (uint32_t)t->options->bins, h->gate, &charge, t->arena, &t->binning, &groups, err)
                           : hr_edges_public(hr_data_schema(t->data), (uint32_t)t->options->bins, t->arena, &t->binning, err);
    t->next_group += groups;
    return status;
}

/* n-hat and the mean label; or the class counts, whose sum is n-hat. */
static hr_status release_base(hedge *h, const hr_hedge_start *start, hr_error *err) {
    hr_exact count, labels[HR_BINS_MAX];
    hr_noisy paid_count, paid[HR_BINS_MAX];
    hr_scan_totals(h->targets, hr_data_rows(h->training->data), h->outputs, &count, labels);
    if (h->outputs > 1) {
        hr_charge classes = charge_of(h, "class counts", -1, start->count + start->base, COUNT_UNITS);
        hr_status status = release_sums(h, &classes, labels, h->outputs, paid, err);
        for (size_t k = 0; !status && k < h->outputs; k++) h->records += h->base[k] = fmax((double)paid[k].paid / COUNT_UNITS, 1);
        for (size_t k = 0; !status && k < h->outputs; k++) h->base[k] /= h->records;
        return status;
    }
    hr_charge records = charge_of(h, "record count", -1, start->count, COUNT_UNITS),
              sum = charge_of(h, "base score", -1, start->base, UNIT);
    hr_status status = release_sums(h, &records, &count, 1, &paid_count, err);
    if (!status) status = release_sums(h, &sum, labels, 1, paid, err);
    if (status) return status;
    h->records = fmax((double)paid_count.paid / COUNT_UNITS, 1);
    double mean = fmin(fmax((double)paid[0].paid / UNIT / h->records, -1), 1);
    h->base[0] = h->loss.logistic ? .5 * log(fmax(1 + mean, .02) / fmax(1 - mean, .02)) : mean;
    return HR_OK;
}

/* ---- Candidates ------------------------------------------------------------------------------------------------------ */

static subject draw_subject(const hedge *h, hr_stream *stream) {
    subject s = {.kind = hr_bandit_kind(h->bandit, stream)};
    if (s.kind == HR_TREE_ONE) s.features[0] = hr_bandit_feature(h->bandit, stream);
    if (s.kind == HR_TREE_PAIR) hr_bandit_pair(h->bandit, stream, s.features);
    return s;
}

/* A new tree, or a variation of one that was chosen before. */
static void draw_candidate(hedge *h, size_t round, candidate *c, hr_tree *tree) {
    hr_stream *stream = hr_gate_stream(h->gate);
    hr_random_plan plan = {.weights = hr_bandit_weights(h->bandit), .centred = h->plan.centred};
    size_t past;
    if (round >= VARY_FROM && hr_uniform(stream, 1000) < VARY_PER_MILLE && hr_bandit_past(h->bandit, stream, &past)) {
        c->subject = h->past[past];
        plan.model = &h->training->forest.trees[past * h->outputs];
    } else {
        c->subject = draw_subject(h, stream);
    }
    const int depths[HR_TREE_KINDS] = {h->plan.depth_one, h->plan.depth_pair, h->plan.depth_all};
    static const size_t counts[HR_TREE_KINDS] = {1, 2, 0};
    plan.depth = depths[c->subject.kind];
    plan.feature_count = counts[c->subject.kind];
    memcpy(plan.features, c->subject.features, sizeof plan.features);
    hr_random_tree(stream, &h->training->binning, &plan, c->nodes, c->subsets, tree);
}

static hr_status choose(hedge *h, size_t round, size_t *chosen, hr_error *err) {
    hr_charge charge = charge_of(h, "choice of tree", (int64_t)round, h->plan.choice, 2 * (uint64_t)h->loss.bound);
    hr_permit permit;
    hr_status status = hr_gate_charge_choice(h->gate, &charge, &permit, err);
    if (status) return status;
    int64_t threshold = h->setting.currency == HR_PURE ? (int64_t)((double)h->loss.bound / hr_units_value(h->plan.sums)) : 0;
    hr_scan_scores(h->scan, h->trees, h->plan.candidates, threshold, h->scores);
    *chosen = hr_gate_choose(h->gate, permit, h->scores, h->plan.candidates);
    return HR_OK;
}

/* ---- Leaves ---------------------------------------------------------------------------------------------------------- */

static uint64_t sum_sensitivity(const hedge *h) {
    return hr_hedge_sum_sensitivity(&h->setting, h->loss.bound, h->outputs);
}

static hr_status release_leaves(hedge *h, size_t round, size_t chosen, size_t *leaves, hr_error *err) {
    *leaves = hr_scan_leaves(h->scan, h->trees, chosen, h->exact_sums, h->exact_counts);
    hr_charge sums = charge_of(h, "leaf sum", (int64_t)round, h->plan.sums, sum_sensitivity(h));
    hr_charge counts = charge_of(h, "leaf count", (int64_t)round, h->plan.counts, COUNT_UNITS);
    hr_status status = release_sums(h, &sums, h->exact_sums, *leaves * h->outputs, h->sums, err);
    if (!status) status = release_sums(h, &counts, h->exact_counts, *leaves, h->counts, err);
    return status;
}

/* The released sums and counts, by node. With several outputs the mean over them is taken off: the true gradients of a record add
 * up to 0. */
static void read_leaves(hedge *h, const hr_tree *tree) {
    size_t leaf = 0, outputs = h->outputs;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        const hr_noisy *sums = h->sums + leaf * outputs;
        double mean = 0;
        for (size_t k = 0; outputs > 1 && k < outputs; k++) mean += (double)sums[k].paid / UNIT / (double)outputs;
        for (size_t k = 0; k < outputs; k++) h->node_sums[n * outputs + k] = (double)sums[k].paid / UNIT - mean;
        h->node_counts[n] = fmax((double)h->counts[leaf].paid / COUNT_UNITS, 0);
        leaf++;
    }
}

/* The sum over leaves of S^2/(N + ridge), less what noise alone adds to it. */
static double gain_of(const hedge *h, const hr_tree *tree, double noise, double ridge) {
    double gain = 0, outputs = (double)h->outputs, left = h->outputs > 1 ? (outputs - 1) / outputs : 1; /* of the noise */
    for (size_t n = 0; n < tree->node_count; n++) {
        for (size_t k = 0; !tree->nodes[n].left && k < h->outputs; k++) {
            double sum = h->node_sums[n * h->outputs + k];
            gain += (sum * sum - noise * noise * left) / (h->node_counts[n] + ridge);
        }
    }
    return gain;
}

/* The standard deviation of the noise of a leaf's sum. */
static double sum_noise(const hedge *h) {
    return hr_noise_deviation(h->setting.currency, h->plan.sums, (double)sum_sensitivity(h)) / UNIT;
}

/* Sets the leaf values; returns the gain. */
static double set_values(hedge *h, const hr_tree *tree) {
    double noise = sum_noise(h);
    double ridge = h->plan.ridge * noise / h->loss.clip, most = h->loss.logistic ? 3 : 1;
    read_leaves(h, tree);
    double gain = gain_of(h, tree, noise, ridge);
    hr_shrink(tree, h->outputs, ridge, h->node_sums, h->node_counts, h->values);
    for (size_t i = 0; i < tree->node_count * h->outputs; i++) h->values[i] = -h->plan.step * fmin(fmax(h->values[i], -most), most);
    return gain;
}

/* Adds the chosen tree to the forest, once per output. `part`: how much of it the average of the last iterates keeps. */
static hr_status keep_tree(hedge *h, const hr_tree *chosen, double part, hr_error *err) {
    hr_tree tree = *chosen;
    tree.counts = h->node_counts;
    tree.deviation = sum_noise(h);
    hr_forest *forest = &h->training->forest;
    double scale = part * (h->outputs > 1 || h->loss.logistic ? 2 : 1);
    for (size_t k = 0; k < h->outputs; k++) {
        hr_tree *kept = &forest->trees[forest->tree_count];
        if (!hr_tree_copy(h->training->arena, &tree, kept)) return hr_fail_memory(err);
        for (size_t n = 0; n < tree.node_count; n++)
            if (!kept->nodes[n].left) kept->nodes[n].value = scale * h->values[n * h->outputs + k];
        kept->output = k;
        forest->tree_count++;
        tree.counts = NULL; /* the same for all outputs: the first tells them */
    }
    return HR_OK;
}

/* Regression: the clip follows a high quantile of the residuals. */
static hr_status adapt_clip(hedge *h, size_t round, hr_error *err) {
    if (!h->plan.within) return HR_OK;
    hr_exact within = hr_scan_within(h->scan);
    hr_noisy paid;
    hr_charge charge = charge_of(h, "clip count", (int64_t)round, h->plan.within, COUNT_UNITS);
    hr_status status = release_sums(h, &charge, &within, 1, &paid, err);
    if (status) return status;
    double part = fmin(fmax((double)paid.paid / COUNT_UNITS / h->records, 0), 1);
    double clip = h->loss.clip * exp(-CLIP_RATE * (part - CLIP_QUANTILE));
    h->loss.bound = (int64_t)(fmin(fmax(clip, CLIP_LEAST), 1) * UNIT);
    h->loss.clip = (double)h->loss.bound / UNIT;
    return HR_OK;
}

/* ---- The rounds ------------------------------------------------------------------------------------------------------ */

static double part_kept(const hedge *h, size_t round) {
    double last = TAIL * (double)h->plan.rounds, left = (double)(h->plan.rounds - round);
    return left >= last ? 1 : left / last;
}

static hr_status train_round(hedge *h, size_t round, hr_error *err) {
    size_t chosen = 0, leaves;
    hr_bandit_start_round(h->bandit, round);
    for (size_t c = 0; c < h->plan.candidates; c++) draw_candidate(h, round, &h->candidates[c], &h->trees[c]);
    hr_status status = hr_scan_round(h->scan, h->trees, h->plan.candidates, &h->loss, err);
    if (!status) status = choose(h, round, &chosen, err);
    if (!status) status = release_leaves(h, round, chosen, &leaves, err);
    if (status) return status;
    const hr_tree *tree = &h->trees[chosen];
    h->past[round] = h->candidates[chosen].subject;
    hr_bandit_learn(h->bandit, h->past[round].kind, h->past[round].features, set_values(h, tree));
    hr_scan_set_step(h->scan, chosen, h->values);
    status = keep_tree(h, tree, part_kept(h, round), err);
    return status ? status : adapt_clip(h, round, err);
}

static hr_status boost(hedge *h, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < h->plan.rounds; t++) {
        status = train_round(h, t, err);
        if (!status) status = hr_training_progress(h->training, t + 1, h->plan.rounds, err);
    }
    return status;
}

/* ---- Setting up ------------------------------------------------------------------------------------------------------ */

static hr_status buffers_init(hedge *h, hr_error *err) {
    size_t m = h->plan.candidates, nodes = HR_SCAN_NODES_MAX * h->outputs;
    h->candidates = malloc(m * sizeof *h->candidates);
    h->trees = calloc(m, sizeof *h->trees);
    h->scores = malloc(m * sizeof *h->scores);
    h->exact_sums = malloc(nodes * sizeof *h->exact_sums);
    h->exact_counts = malloc(nodes * sizeof *h->exact_counts);
    h->sums = malloc(nodes * sizeof *h->sums);
    h->counts = malloc(nodes * sizeof *h->counts);
    h->node_sums = malloc(nodes * sizeof *h->node_sums);
    h->node_counts = malloc(nodes * sizeof *h->node_counts);
    h->values = calloc(nodes, sizeof *h->values);
    h->past = malloc(h->plan.rounds * sizeof *h->past);
    bool exact = h->scores && h->exact_sums && h->exact_counts, released = h->sums && h->counts && h->node_sums && h->node_counts;
    return h->candidates && h->trees && exact && released && h->values && h->past ? HR_OK : hr_fail_memory(err);
}

static void hedge_done(hedge *h) {
    hr_binned_free(h->binned);
    hr_scan_free(h->scan);
    hr_bandit_free(h->bandit);
    void *all[] = {h->targets, h->candidates, h->trees,     h->scores,      h->exact_sums, h->exact_counts, h->sums,
                   h->counts,  h->base,       h->node_sums, h->node_counts, h->values,     h->past};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static hr_status make_bandit(hedge *h, hr_error *err) {
    const hr_binning *binning = &h->training->binning;
    bool *usable = calloc(binning->feature_count, sizeof *usable);
    if (!usable) return hr_fail_memory(err);
    for (size_t f = 0; f < binning->feature_count; f++) {
        uint32_t least = binning->features[f].kind == HR_NUMBER ? 3 : 2;
        usable[f] = binning->features[f].bin_count >= least;
    }
    hr_status status = hr_bandit_new(usable, binning->feature_count, h->plan.rounds, &h->bandit, err);
    free(usable);
    return status;
}

static hr_status forest_init(hedge *h, hr_error *err) {
    hr_training *t = h->training;
    bool number = hr_schema_task(hr_data_schema(t->data)) == HR_REGRESSION;
    hr_link link = number ? HR_LINK_NUMBER : h->loss.logistic ? HR_LINK_LOGISTIC : HR_LINK_SIGNED;
    t->forest = (hr_forest){.link = link, .output_count = h->outputs};
    t->forest.base = hr_arena_alloc(t->arena, h->outputs, sizeof *t->forest.base);
    t->forest.trees = hr_arena_alloc(t->arena, h->plan.rounds * h->outputs, sizeof *t->forest.trees);
    if (!t->forest.base || !t->forest.trees) return hr_fail_memory(err);
    for (size_t k = 0; k < h->outputs; k++)
        t->forest.base[k] = h->outputs > 1 ? 2 * h->base[k] - 1 : h->loss.logistic ? 2 * h->base[0] : h->base[0];
    return HR_OK;
}

static hr_status start(hedge *h, hr_error *err) {
    hr_training *t = h->training;
    hr_hedge_start cost = hr_hedge_start_of(&h->setting);
    h->targets = malloc((hr_data_rows(t->data) + 1) * sizeof *h->targets);
    h->base = calloc(h->outputs, sizeof *h->base);
    if (!h->targets || !h->base) return hr_fail_memory(err);
    hr_targets_of(t->data, h->targets);
    hr_status status = release_base(h, &cost, err);
    if (!status) status = make_bins(h, cost.bins, err);
    if (status) return status;
    t->records = h->records;
    h->plan = hr_hedge_plan_of(&h->setting, h->records);
    h->loss.bound = (int64_t)(h->plan.clip * UNIT);
    h->loss.clip = h->plan.clip;
    h->loss.score_limit = h->loss.logistic ? 20 : 1;
    status = hr_binned_columns(t->data, &t->binning, t->threads, &h->binned, err);
    if (!status) status = hr_scan_new(h->binned, h->targets, h->outputs, h->base, h->plan.candidates, t->threads, &h->scan, err);
    if (!status) status = make_bandit(h, err);
    if (!status) status = buffers_init(h, err);
    return status ? status : forest_init(h, err);
}

static hr_status train(hr_training *training, hr_error *err) {
    const hr_schema *schema = hr_data_schema(training->data);
    hedge h = {.training = training, .gate = training->gate, .outputs = hr_training_outputs(training->data)};
    h.setting = (hr_hedge_setting){.currency = hr_gate_currency(training->gate),
                                   .budget = hr_gate_budget(training->gate),
                                   .task = hr_schema_task(schema),
                                   .has_quantiles = hr_edges_need_quantiles(schema, (uint32_t)training->options->bins)};
    h.loss.logistic = training->options->loss == HR_LOSS_LOGISTIC && h.setting.task == HR_BINARY;
    hr_status status = start(&h, err);
    if (!status) status = boost(&h, err);
    if (!status) status = hr_calibrate(training, h.binned, hr_hedge_start_of(&h.setting).calibration, err);
    hedge_done(&h);
    return status;
}

/* The binned table; targets; edges and gains of features; candidates and their sums. The forest grows with the rounds, and is not in it. */
static double memory(const hr_fit_facts *facts) {
    size_t outputs = hr_facts_outputs(facts), trees = HR_HEDGE_CANDIDATES;
    double edges = (double)hr_schema_feature_count(facts->schema) * (double)(facts->options->bins + 16) * sizeof(double);
    double candidates = (double)trees * sizeof(candidate) + 7. * (double)outputs * HR_SCAN_NODES_MAX * sizeof(double);
    return hr_facts_table(facts) + (double)facts->rows * sizeof(double) + edges + candidates +
           hr_scan_memory(facts->rows, outputs, trees, facts->threads);
}

static void defaults(hr_fit_options *o) {
    o->delta = 1e-6;
    o->bins = 32;
    o->loss = HR_LOSS_SQUARE;
    o->edges = HR_EDGES_PRIVATE;
}

static const char *const sound_options[] = {"epsilon", "delta", "bins", "loss", NULL};

const hr_method hr_method_hedge = {
    .info = {.name = "hedge",
             .summary = "random trees, chosen and filled in privately: the best accuracy for a budget",
             .paper = "a method of this project (docs/hedge.md)",
             .is_private = true,
             .sound =
                 "Adding or removing one record changes the probability of any model by at most e^epsilon, plus delta. Trees are drawn "
                 "by public coins and chosen by the exponential mechanism (pure epsilon: permute-and-flip) of width 2 G; leaves: noisy "
                 "sums and counts over all records; bins, count, base score and calibration are paid for; everything else follows from "
                 "released values.",
             .flaws = ""},
    .defaults = defaults,
    .sound_options = sound_options,
    .paper_options = NULL,
    .with_delta = HR_GDP,
    .check = hr_hedge_check,
    .memory = memory,
    .train = train,
    .plan = hr_hedge_tell,
};
