/* Algorithm 1 of InPrivate Digging: a private regression tree on the residuals of the sum of the trees so
 * far.
 *
 * Residuals are 2y / (1 + exp(2yf)) for classes y = -1, 1 (equation 6), which is 2 (p - [y = 1]) with the
 * other sign, and y - f for numbers (equation 13). The gain E - E_L - E_R of a split is S_L^2/N_L + S_R^2/N_R
 * and a term that all splits of a node share, so the scores of split_candidates.h without lambda stand for
 * it. A leaf is the sum of residuals over that of |r| (2 - |r|), or over their number (equations 8, 14).
 *
 * Sound: candidates from public bounds or private quantiles, residuals clipped to +-R, splits of width 4 R^2
 * at a level's part of eps_1, and the published leaves with noise of the right scale (equations 11, 15), kept
 * away from a denominator near 0. */
#include "base/fail.h"
#include "methods/boosting/inprivate.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/grow/grow.h"
#include "trees/grow/private_splitter.h"
#include "trees/records/local_source.h"
#include "trees/records/wide_tree.h"
#include "trees/stats/gradient.h"
#include "trees/stats/split.h"
#include "trees/stats/split_candidates.h"

#include <math.h>
#include <stdlib.h>

/* In units of the noise of a leaf's sum. Chosen on development sets. */
static const double RIDGE = 1;

typedef struct inprivate_training inprivate_training;

/* What the modes do differently. */
typedef struct inprivate_rules {
    int bits;                                                      /* of a residual */
    hr_status (*candidates)(inprivate_training *d, hr_error *err); /* lines 3 and 4 */
    hr_status (*prepare)(inprivate_training *d, hr_error *err);
    hr_status (*charge)(inprivate_training *d, hr_permit *permits, hr_error *err); /* line 10 */
    hr_status (*grow)(inprivate_training *d, const hr_permit *permits, hr_tree *tree,
                      hr_error *err);                                         /* lines 5 to 11 */
    hr_status (*leaves)(inprivate_training *d, hr_tree *tree, hr_error *err); /* line 12 */
} inprivate_rules;

struct inprivate_training {
    const hr_inprivate_tree_job *job;
    const hr_fit_options *options;
    const inprivate_rules *rules;
    hr_gate *gate;
    hr_arena *arena;
    bool classes;
    hr_units budget; /* eps_1 + eps_2: without what the candidates cost */
    hr_binning binning;
    hr_stats_source *source;
    double *targets; /* paper: of the records */
    int64_t *packed; /* paper: the gradients of the records */
    hr_packing packing;
    double residual_bound; /* R: what packing.gradient_bound stands for */
    hr_grower *grower;
    hr_exact *sums, *counts; /* of leaves: residuals with the other sign, denominators */
    hr_noisy *noisy_sums, *noisy_counts;
    double *values;
    size_t leaves;
};

static size_t depth_of(const inprivate_training *d) {
    return (size_t)d->options->depth;
}

/* Line 2. */
static hr_units inprivate_leaf_budget(const inprivate_training *d) {
    return hr_units_share(d->budget, d->options->leaf_share);
}

/* eps_1 / (d - 1) of the proof of theorem 7, whose depth counts the leaves. */
static hr_units level_budget(const inprivate_training *d) {
    return (d->budget - inprivate_leaf_budget(d)) / depth_of(d);
}

/* ---- Residuals ---- */

static bool of_persons(const inprivate_training *d) {
    return d->job->unit == HR_PER_PERSON;
}

static hr_status pack_residuals(inprivate_training *d, hr_error *err) {
    d->packing.gradient_bound = (int64_t)1 << d->rules->bits;
    d->packing.weight_scale = 0; /* the least weight, 1 */
    d->packing.shift = hr_packing_shift(d->source->capacity, 1, d->packing.gradient_bound);
    if (d->packing.shift >= 0) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                   "too many records for exact sums in 63 bits");
}

/* Weights of persons' records are summed apart. Returns the cells of a histogram. */
static size_t pack_persons(inprivate_training *d) {
    const size_t cells = hr_histogram_cells(d->binning.feature_count);
    if (!of_persons(d)) return cells;
    d->packing.shift = 0;
    d->packing.gradient_bound = HR_PERSON_GRADIENT_BOUND;
    d->packing.weight_cells = cells;
    return 2 * cells;
}

/* Equations 6 and 13, with the other sign, rounded and clipped to +-R; every record weighs 1, or its part of
 * its person. */
static hr_stats_round residuals(inprivate_training *d) {
    d->packing.gradient_scale = (double)d->packing.gradient_bound / d->residual_bound *
                                (d->classes ? 2 : 1); /* r = 2 (p - [y = 1]) */
    return (hr_stats_round){.loss = d->classes ? HR_STATS_LOGISTIC : HR_STATS_SQUARE,
                            .bound = d->residual_bound,
                            .packing = d->packing};
}

/* ---- Splits ---- */

static hr_status grow_sound_tree(inprivate_training *d, const hr_permit *permits, hr_tree *tree,
                                 hr_error *err) {
    hr_stats_round round = residuals(d);
    hr_private_splitter splitter = {
        .binning = &d->binning, .packing = &d->packing, .gate = d->gate, .permits = permits, .lambda = 0};
    hr_growth growth = {d->source, &splitter.splitter, &d->packing, d->arena, hr_gate_timings(d->gate)};
    const hr_sums *sums;
    hr_private_splitter_init(&splitter);
    hr_status status = d->source->ops->begin(d->source, &round, err);
    if (!status) status = hr_grow(d->grower, &growth, tree, &sums, err);
    if (status) return status;
    d->leaves = hr_leaves_of(tree, sums, d->sums, d->counts);
    return d->classes ? d->source->ops->hessians(d->source, tree, d->counts, err) : HR_OK;
}

/* ---- Leaves ---- */

/* What 1 is among the denominators, and their sensitivity. */
static uint64_t denominator_of_one(bool classes, hr_privacy_unit unit) {
    if (classes) return HR_HESSIAN_SENSITIVITY * hr_unit_fineness(unit);
    return unit == HR_PER_PERSON ? HR_PERSON_UNIT : HR_RECORD_SENSITIVITY;
}

static double count_of(const inprivate_training *d, hr_noisy denominator) {
    return (double)denominator.paid / (double)denominator_of_one(d->classes, d->job->unit);
}

/* Sums and denominators of all leaves. */
static hr_status release_inprivate_leaves(inprivate_training *d, hr_units sum_cost, uint64_t sum_sensitivity,
                                          hr_units count_cost, hr_error *err) {
    const hr_release_scope *scope = &d->job->scope;
    hr_charge sums = hr_scope_charge(scope, "leaf sum", -1, sum_cost, sum_sensitivity);
    hr_charge counts =
        hr_scope_charge(scope, "leaf count", -1, count_cost, denominator_of_one(d->classes, d->job->unit));
    hr_status status = hr_gate_release_sums(d->gate, &sums, d->sums, d->leaves, d->noisy_sums, err);
    if (status) return status;
    return hr_gate_release_sums(d->gate, &counts, d->counts, d->leaves, d->noisy_counts, err);
}

/* Of one record or person whose residuals are R: what its gradients add up to. */
static uint64_t largest_sum(hr_privacy_unit unit, int64_t gradient_bound) {
    return hr_weighted_gradient_sensitivity(unit == HR_PER_PERSON ? HR_PERSON_UNIT : 1, gradient_bound);
}

static double residual_of(const inprivate_training *d, hr_noisy gradients) {
    return -(double)gradients.paid * d->residual_bound /
           (double)largest_sum(d->job->unit, d->packing.gradient_bound);
}

/* gamma to what the model adds up. */
static double inprivate_score_of(const inprivate_training *d, double gamma) {
    return d->options->learning_rate * (d->classes ? 2 * gamma : gamma);
}

/* ---- Sound ---- */

static hr_status sound_candidates(inprivate_training *d, hr_error *err) {
    const hr_schema *schema = hr_data_schema(d->job->records);
    uint32_t bins = (uint32_t)d->options->bins;
    if (d->options->edges == HR_EDGES_PUBLIC)
        return hr_edges_public(schema, bins, d->arena, &d->binning, err);
    uint64_t groups;
    hr_charge charge =
        hr_scope_charge(&d->job->scope, "bin edges", -1, hr_units_share(d->budget, d->options->bin_share),
                        HR_RECORD_SENSITIVITY);
    hr_edges_release release = {bins, d->gate, &charge};
    hr_status status = hr_edges_private(d->job->records, &release, d->arena, &d->binning, &groups, err);
    if (!status && groups) d->budget -= charge.cost;
    return status;
}

static hr_status sound_prepare(inprivate_training *d, hr_error *err) {
    const int depth = (int)depth_of(d);
    hr_stats_setup setup = {.kind = HR_STATS_GRADIENTS,
                            .binning = &d->binning,
                            .outputs = 1,
                            .depth = depth,
                            .weights = of_persons(d) ? hr_data_weights(d->job->records) : NULL};
    d->residual_bound = d->options->gradient_bound;
    hr_timings *timings = hr_gate_timings(d->gate);
    hr_timings_enter(timings, HR_PHASE_BINS);
    hr_status status = d->source->ops->prepare(d->source, &setup, err);
    hr_timings_leave(timings);
    return status ? status : hr_grower_new(&d->binning, pack_persons(d), depth, &d->grower, err);
}

static hr_status sound_charge(inprivate_training *d, hr_permit *permits, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth_of(d); level++) {
        hr_charge charge = hr_scope_charge(&d->job->scope, "split", (int64_t)level, level_budget(d),
                                           hr_unit_gain_width(d->job->unit, (uint64_t)1 << level));
        status = hr_gate_charge_choice(d->gate, &charge, &permits[level], err);
    }
    return status;
}

/* Equations 11 and 15 on released sums: the denominator is kept away from 0 by the noise of the sum. */
static void set_inprivate_leaves(inprivate_training *d, hr_tree *tree, double noise) {
    double most = d->classes ? 2 : 1;
    for (size_t l = 0; l < d->leaves; l++) {
        double sum = residual_of(d, d->noisy_sums[l]), count = fmax(count_of(d, d->noisy_counts[l]), 0);
        double gamma = sum / (count + RIDGE * noise);
        d->values[l] = inprivate_score_of(d, fmin(fmax(gamma, -most), most));
    }
    hr_leaves_set(tree, d->values);
}

static hr_status inprivate_sound_leaves(inprivate_training *d, hr_tree *tree, hr_error *err) {
    uint64_t sensitivity = largest_sum(d->job->unit, d->packing.gradient_bound);
    hr_units all = inprivate_leaf_budget(d), count_cost = hr_units_share(all, d->options->count_share),
             sum_cost = all - count_cost;
    hr_status status = release_inprivate_leaves(d, sum_cost, sensitivity, count_cost, err);
    if (!status)
        set_inprivate_leaves(
            d, tree, hr_noise_deviation(hr_gate_privacy_measure(d->gate), sum_cost, d->residual_bound));
    return status;
}

/* ---- As published ---- */

static hr_status paper_candidates(inprivate_training *d, hr_error *err) {
    hr_status status = hr_gate_charge_exact(d->gate, "averages of every three values", err);
    if (status) return status;
    return hr_edges_triple_means(d->job->records, d->arena, &d->binning, err);
}

static hr_gradient_input gradient_input(const inprivate_training *d) {
    return (hr_gradient_input){.targets = d->targets,
                               .scores = d->job->scores,
                               .outputs = 1,
                               .count = hr_data_rows(d->job->records),
                               .threads = d->job->threads};
}

/* Nothing is clipped: a power of two above all residuals, so that 1 is an integer of units. */
static hr_status paper_prepare(inprivate_training *d, hr_error *err) {
    const size_t rows = hr_data_rows(d->job->records);
    d->targets = malloc((rows + 1) * sizeof *d->targets);
    d->packed = malloc((rows + 1) * sizeof *d->packed);
    if (!d->targets || !d->packed) return hr_fail_memory(err);
    hr_targets_of(d->job->records, d->targets);
    const hr_gradient_input in = gradient_input(d);
    const double largest = d->classes ? 2 : hr_gradients_square_bound(&in);
    d->residual_bound = 1;
    while (d->residual_bound < largest && d->residual_bound < 1 << d->rules->bits) d->residual_bound *= 2;
    return HR_OK;
}

/* Equation 10: Pr ~ exp(eps_1 gain / (2 Delta)), Delta = 4, with eps_1 at every level as in Algorithm 1, or
 * eps_1/(d - 1) as the proof of theorem 7. */
static hr_status paper_charge(inprivate_training *d, hr_permit *permits, hr_error *err) {
    double levels =
        d->options->by_name[HR_OPTION_SPLIT_BUDGET] == HR_SPLIT_BUDGET_ALGORITHM ? (double)depth_of(d) : 1;
    double width = 8 * (1 << HR_GAIN_BITS) / (d->residual_bound * d->residual_bound) / levels;
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth_of(d); level++) {
        hr_charge charge =
            hr_scope_charge(&d->job->scope, "split", (int64_t)level, level_budget(d), (uint64_t)ceil(width));
        status = hr_gate_charge_exponential(d->gate, &charge, &permits[level], err);
    }
    return status;
}

static hr_status grow_paper_tree(inprivate_training *d, const hr_permit *permits, hr_tree *tree,
                                 hr_error *err) {
    const hr_stats_round round = residuals(d);
    const hr_gradient_input in = gradient_input(d);
    const hr_hessian_rule hessian = {&d->packing, d->residual_bound, NULL};
    if (d->classes)
        hr_gradients_logistic(&in, &d->packing, d->packed);
    else
        hr_gradients_square(&in, round.bound, &d->packing, d->packed);
    const hr_wide_growth growth = {.records = d->job->records,
                                   .binning = &d->binning,
                                   .packing = &d->packing,
                                   .gradients = d->packed,
                                   .hessian = d->classes ? &hessian : NULL,
                                   .gate = d->gate,
                                   .permits = permits,
                                   .depth = depth_of(d),
                                   .arena = d->arena};
    hr_timings *timings = hr_gate_timings(d->gate);
    hr_timings_enter(timings, HR_PHASE_CHOOSE);
    hr_status status = hr_wide_grow(&growth, tree, d->sums, d->counts, err);
    hr_timings_leave(timings);
    d->leaves = status ? 0 : tree->node_count / 2 + 1;
    return status;
}

/* Equations 11 and 15: Lap(1/(eps_2/2)) on both. A leaf whose denominator is 0 gets the score of mean 0. */
static hr_status inprivate_paper_leaves(inprivate_training *d, hr_tree *tree, hr_error *err) {
    uint64_t one = (uint64_t)((double)d->packing.gradient_bound / d->residual_bound);
    hr_units cost = inprivate_leaf_budget(d) / 2;
    hr_status status = release_inprivate_leaves(d, cost, one, cost, err);
    if (status) return status;
    for (size_t l = 0; l < d->leaves; l++) {
        double sum = residual_of(d, d->noisy_sums[l]), count = count_of(d, d->noisy_counts[l]);
        d->values[l] = inprivate_score_of(d, count != 0 ? sum / count : 0);
    }
    hr_leaves_set(tree, d->values);
    return HR_OK;
}

/* ---- The tree ---- */

static const inprivate_rules sound = {HR_GRADIENT_BITS, sound_candidates, sound_prepare,
                                      sound_charge,     grow_sound_tree,  inprivate_sound_leaves};
static const inprivate_rules paper = {16,           paper_candidates, paper_prepare,
                                      paper_charge, grow_paper_tree,  inprivate_paper_leaves};

static hr_status inprivate_training_init(inprivate_training *d, hr_error *err) {
    hr_timings *timings = hr_gate_timings(d->gate);
    hr_status status = pack_residuals(d, err);
    hr_timings_enter(timings, HR_PHASE_BINS);
    if (!status) status = d->rules->candidates(d, err);
    hr_timings_leave(timings);
    if (!status) status = d->rules->prepare(d, err);
    if (status) return status;

    size_t leaves = (size_t)1 << depth_of(d), nodes = 2 * leaves;
    d->sums = malloc(leaves * sizeof *d->sums);
    d->counts = malloc(nodes * sizeof *d->counts);
    d->noisy_sums = malloc(leaves * sizeof *d->noisy_sums);
    d->noisy_counts = malloc(leaves * sizeof *d->noisy_counts);
    d->values = malloc(leaves * sizeof *d->values);
    bool all = d->sums && d->counts && d->noisy_sums && d->noisy_counts && d->values;
    return all ? HR_OK : hr_fail_memory(err);
}

static hr_status train_inprivate_tree(inprivate_training *d, hr_tree *out, hr_error *err) {
    hr_permit permits[HR_TREE_DEPTH_MAX];
    hr_status status = inprivate_training_init(d, err);
    if (!status) status = d->rules->charge(d, permits, err);
    if (status) return status;
    status = d->rules->grow(d, permits, out, err);
    return status ? status : d->rules->leaves(d, out, err);
}

hr_status hr_inprivate_tree(const hr_inprivate_tree_job *job, const hr_fit_options *options, hr_arena *arena,
                            hr_tree *out, hr_error *err) {
    inprivate_training d = {.job = job,
                            .options = options,
                            .rules = options->mode == HR_MODE_SOUND ? &sound : &paper,
                            .gate = job->gate,
                            .arena = arena,
                            .classes = hr_schema_task(hr_data_schema(job->records)) != HR_TASK_REGRESSION,
                            .budget = job->scope.budget};
    hr_local_stats_records records = {.data = job->records,
                                      .scores = job->scores,
                                      .threads = job->threads,
                                      .timings = hr_gate_timings(job->gate)};
    d.source = job->source;
    hr_status status = job->source ? HR_OK : hr_local_stats_source_new(&records, &d.source, err);
    if (!status) status = train_inprivate_tree(&d, out, err);
    void *buffers[] = {d.sums, d.counts, d.noisy_sums, d.noisy_counts, d.values, d.targets, d.packed};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) free(buffers[i]);
    hr_grower_free(d.grower);
    if (!job->source) hr_stats_free(d.source);
    return status;
}

hr_status hr_inprivate_tree_check(const hr_fit_facts *facts, hr_error *err) {
    const hr_fit_options *options = facts->options;
    hr_units budget = facts->budget;
    hr_status status = hr_facts_check_rows(
        facts, 1, (int64_t)1 << (options->mode == HR_MODE_SOUND ? sound : paper).bits, err);
    if (status || options->mode == HR_MODE_PAPER) return status;
    if (options->edges == HR_EDGES_PRIVATE &&
        hr_edges_need_quantiles(facts->schema, (uint32_t)options->bins)) {
        hr_units bins = hr_units_share(budget, options->bin_share);
        status = hr_facts_check_edges(facts, bins, err);
        budget -= bins;
    }
    hr_units leaves = hr_units_share(budget, options->leaf_share),
             counts = hr_units_share(leaves, options->count_share);
    const hr_privacy_unit unit = hr_facts_unit(facts);
    const bool classes = hr_schema_task(facts->schema) != HR_TASK_REGRESSION, persons = unit == HR_PER_PERSON;
    const uint64_t most = largest_sum(unit, persons ? HR_PERSON_GRADIENT_BOUND : (int64_t)1 << sound.bits);
    if (!status)
        status = hr_facts_check_choice(facts, "split", (budget - leaves) / (hr_units)options->depth,
                                       hr_unit_gain_width(unit, (uint64_t)1 << (options->depth - 1)), err);
    if (!status) status = hr_facts_check_sums(facts, "leaf sum", leaves - counts, most, err);
    return status ? status
                  : hr_facts_check_sums(facts, "leaf count", counts, denominator_of_one(classes, unit), err);
}
