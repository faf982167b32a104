/* Algorithm 1 of InPrivate Digging: a private regression tree on the residuals of what the trees so far say.
 *
 * Residuals are 2y / (1 + exp(2yf)) for classes y = -1, 1 (equation 6), which is 2 (p - [y = 1]) with the other sign, and y - f for numbers
 * (equation 13). The gain E - E_L - E_R of a split is S_L^2/N_L + S_R^2/N_R and a term that all splits of a node share, so the scores of
 * noisy.h without lambda stand for it. A leaf is the sum of residuals over that of |r| (2 - |r|), or over their number (equations 8, 14).
 *
 * Sound: candidates from public bounds or private quantiles, residuals clipped to +-R, splits of width 4 R^2 at a level's part of eps_1,
 * and the published leaves with noise of the right scale (equations 11, 15), kept away from a denominator near 0. */
#include "base/fail.h"
#include "bins/edges.h"
#include "methods/inprivate.h"
#include "privacy/noise.h"
#include "tree/curvature.h"
#include "tree/gradient.h"
#include "tree/grow.h"
#include "tree/leaf.h"
#include "tree/local.h"
#include "tree/noisy.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH_MAX = 16 };

/* In units of the noise of a leaf's sum. Chosen on development sets. */
static const double RIDGE = 1;

typedef struct digging digging;

/* What the modes do differently. */
typedef struct rules {
    int bits;                                           /* of a residual */
    hr_status (*candidates)(digging *d, hr_error *err); /* lines 3 and 4 */
    void (*bound)(digging *d);
    hr_status (*charge)(digging *d, hr_permit *permits, hr_error *err); /* line 10 */
    hr_status (*leaves)(digging *d, hr_tree *tree, hr_error *err);      /* line 12 */
} rules;

struct digging {
    const hr_inprivate_tree_job *job;
    const hr_fit_options *options;
    const rules *rules;
    hr_gate *gate;
    int threads;
    hr_arena *arena;
    bool classes;
    double *targets;
    hr_units budget; /* eps_1 + eps_2: without what the candidates cost */
    hr_binning binning;
    hr_binned *binned;
    hr_packing packing;
    double residual_bound; /* R: what packing.gradient_bound stands for */
    hr_local *local;
    hr_grower *grower;
    hr_exact *sums, *counts; /* of leaves: residuals with the other sign, denominators */
    hr_noisy *noisy_sums, *noisy_counts;
    double *values;
    size_t leaves;
};

static size_t depth_of(const digging *d) {
    return (size_t)d->options->depth;
}

static hr_charge charge_of(const digging *d, const char *what, int64_t level, hr_units cost, uint64_t sensitivity) {
    return (hr_charge){.what = what,
                       .tree = (int64_t)d->job->index,
                       .level = level,
                       .group = d->job->group,
                       .part = d->job->part,
                       .cost = cost,
                       .sensitivity = sensitivity};
}

/* Line 2. */
static hr_units leaf_budget(const digging *d) {
    return hr_units_share(d->budget, d->options->leaf_share);
}

/* eps_1 / (d - 1) of the proof of theorem 7, whose depth counts the leaves. */
static hr_units level_budget(const digging *d) {
    return (d->budget - leaf_budget(d)) / depth_of(d);
}

/* ---- Residuals ----------------------------------------------------------------------------------------------------------- */

static hr_gradient_input input_of(const digging *d) {
    return (hr_gradient_input){d->targets, d->job->scores, 1, 0, NULL, hr_data_rows(d->job->records), d->threads};
}

/* Equations 6 and 13, with the other sign, rounded and clipped to +-R; every record weighs 1. */
static void find_residuals(digging *d) {
    hr_gradient_input in = input_of(d);
    if (d->classes)
        hr_gradients_logistic(&in, &d->packing, hr_local_packed(d->local));
    else
        hr_gradients_square(&in, d->residual_bound, &d->packing, hr_local_packed(d->local));
}

static hr_status pack(digging *d, hr_error *err) {
    d->packing.gradient_bound = (int64_t)1 << d->rules->bits;
    d->packing.gradient_scale = (double)d->packing.gradient_bound / d->residual_bound * (d->classes ? 2 : 1); /* r = 2 (p - [y = 1]) */
    d->packing.weight_scale = 0;                                                                              /* the least weight, 1 */
    d->packing.shift = hr_packing_shift(hr_data_rows(d->job->records), 1, d->packing.gradient_bound);
    if (d->packing.shift >= 0) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records", "too many records for exact sums in 63 bits");
}

/* ---- Splits -------------------------------------------------------------------------------------------------------------- */

/* Lines 5 to 11. */
static hr_status grow(digging *d, const hr_permit *permits, hr_tree *tree, hr_error *err) {
    hr_noisy_splitter splitter = {.binning = &d->binning, .packing = &d->packing, .gate = d->gate, .permits = permits, .lambda = 0};
    const hr_sums *sums;
    hr_noisy_splitter_init(&splitter);
    hr_local_start(d->local, NULL, hr_data_rows(d->job->records));
    hr_status status = hr_grow(d->grower, hr_local_source(d->local), &splitter.splitter, &d->packing, d->arena, tree, &sums, err);
    if (status) return status;
    d->leaves = hr_leaves_of(tree, sums, d->sums, d->counts);
    if (d->classes) hr_curvature_sums(tree, d->binned, &d->packing, d->residual_bound, hr_local_packed(d->local), d->counts);
    return HR_OK;
}

/* ---- Leaves -------------------------------------------------------------------------------------------------------------- */

/* What 1 is among the denominators. */
static uint64_t count_unit(bool classes) {
    return classes ? 1 << HR_CURVATURE_BITS : 1;
}

static hr_status release(digging *d, const char *what, hr_units cost, uint64_t sensitivity, const hr_exact *in, hr_noisy *out,
                         hr_error *err) {
    hr_charge charge = charge_of(d, what, -1, cost, sensitivity);
    hr_permit permit;
    hr_status status = hr_gate_charge_sums(d->gate, &charge, &permit, err);
    if (!status) hr_gate_sums(d->gate, permit, in, d->leaves, out);
    return status;
}

static double residual_of(const digging *d, int64_t gradient) {
    return -(double)gradient * d->residual_bound / (double)d->packing.gradient_bound;
}

/* gamma to what the model adds up. */
static double score_of(const digging *d, double gamma) {
    return d->options->learning_rate * (d->classes ? 2 * gamma : gamma);
}

/* ---- Sound --------------------------------------------------------------------------------------------------------------- */

static hr_status sound_candidates(digging *d, hr_error *err) {
    const hr_schema *schema = hr_data_schema(d->job->records);
    uint32_t bins = (uint32_t)d->options->bins;
    if (d->options->edges == HR_EDGES_PUBLIC) return hr_edges_public(schema, bins, d->arena, &d->binning, err);
    uint64_t groups;
    hr_charge charge = charge_of(d, "bin edges", -1, hr_units_share(d->budget, d->options->bin_share), 1);
    hr_status status = hr_edges_private(d->job->records, bins, d->gate, &charge, d->arena, &d->binning, &groups, err);
    if (!status && groups) d->budget -= charge.cost;
    return status;
}

static void sound_bound(digging *d) {
    d->residual_bound = d->options->gradient_bound;
}

static hr_status sound_charge(digging *d, hr_permit *permits, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth_of(d); level++) {
        hr_charge charge = charge_of(d, "split", (int64_t)level, level_budget(d), HR_GAIN_WIDTH);
        status = hr_gate_charge_choice(d->gate, &charge, &permits[level], err);
    }
    return status;
}

/* Equations 11 and 15 on released sums: the denominator is kept away from 0 by the noise of the sum. */
static void set_sound_leaves(digging *d, hr_tree *tree, double noise) {
    double most = d->classes ? 2 : 1;
    for (size_t l = 0; l < d->leaves; l++) {
        double sum = residual_of(d, d->noisy_sums[l].paid),
               count = fmax((double)d->noisy_counts[l].paid / (double)count_unit(d->classes), 0);
        double gamma = sum / (count + RIDGE * noise);
        d->values[l] = score_of(d, fmin(fmax(gamma, -most), most));
    }
    hr_leaves_set(tree, d->values);
}

static hr_status sound_leaves(digging *d, hr_tree *tree, hr_error *err) {
    uint64_t bound = (uint64_t)d->packing.gradient_bound;
    hr_units all = leaf_budget(d), count_cost = hr_units_share(all, d->options->count_share), sum_cost = all - count_cost;
    hr_status status = release(d, "leaf sum", sum_cost, bound, d->sums, d->noisy_sums, err);
    if (!status) status = release(d, "leaf count", count_cost, count_unit(d->classes), d->counts, d->noisy_counts, err);
    if (!status) set_sound_leaves(d, tree, hr_noise_deviation(hr_gate_currency(d->gate), sum_cost, d->residual_bound));
    return status;
}

/* ---- As published -------------------------------------------------------------------------------------------------------- */

static hr_status paper_candidates(digging *d, hr_error *err) {
    hr_status status = hr_gate_charge_exact(d->gate, "averages of every three values", err);
    if (status) return status;
    return hr_edges_thirds(d->job->records, (uint32_t)d->options->bins, d->arena, &d->binning, err);
}

/* Nothing is clipped: a power of two above all residuals, so that 1 is a whole number of units. */
static void paper_bound(digging *d) {
    hr_gradient_input in = input_of(d);
    double largest = d->classes ? 2 : hr_gradients_square_bound(&in);
    d->residual_bound = 1;
    while (d->residual_bound < largest && d->residual_bound < 1 << d->rules->bits) d->residual_bound *= 2;
}

/* Equation 10: Pr ~ exp(eps_1 gain / (2 Delta)), Delta = 4, with eps_1 at every level as Algorithm 1 says, or eps_1/(d - 1) as the proof
 * of theorem 7. */
static hr_status paper_charge(digging *d, hr_permit *permits, hr_error *err) {
    double levels = d->options->split_budget == HR_SPLIT_ALGORITHM ? (double)depth_of(d) : 1;
    double width = 8 * (1 << HR_GAIN_BITS) / (d->residual_bound * d->residual_bound) / levels;
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth_of(d); level++) {
        hr_charge charge = charge_of(d, "split", (int64_t)level, level_budget(d), (uint64_t)ceil(width));
        status = hr_gate_charge_exponential(d->gate, &charge, &permits[level], err);
    }
    return status;
}

/* Equations 11 and 15: Lap(1/(eps_2/2)) on both. A leaf whose denominator is 0 says nothing. */
static hr_status paper_leaves(digging *d, hr_tree *tree, hr_error *err) {
    uint64_t one = (uint64_t)((double)d->packing.gradient_bound / d->residual_bound);
    hr_units cost = leaf_budget(d) / 2;
    hr_status status = release(d, "leaf sum", cost, one, d->sums, d->noisy_sums, err);
    if (!status) status = release(d, "leaf count", cost, count_unit(d->classes), d->counts, d->noisy_counts, err);
    if (status) return status;
    for (size_t l = 0; l < d->leaves; l++) {
        double sum = residual_of(d, d->noisy_sums[l].paid), count = (double)d->noisy_counts[l].paid / (double)count_unit(d->classes);
        d->values[l] = score_of(d, count != 0 ? sum / count : 0);
    }
    hr_leaves_set(tree, d->values);
    return HR_OK;
}

/* ---- The tree ------------------------------------------------------------------------------------------------------------ */

static const rules sound = {12, sound_candidates, sound_bound, sound_charge, sound_leaves};
static const rules paper = {16, paper_candidates, paper_bound, paper_charge, paper_leaves};

static hr_status room(digging *d, hr_error *err) {
    size_t leaves = (size_t)1 << d->options->depth, nodes = 2 * leaves;
    d->sums = malloc(leaves * sizeof *d->sums);
    d->counts = malloc(nodes * sizeof *d->counts);
    d->noisy_sums = malloc(leaves * sizeof *d->noisy_sums);
    d->noisy_counts = malloc(leaves * sizeof *d->noisy_counts);
    d->values = malloc(leaves * sizeof *d->values);
    return d->sums && d->counts && d->noisy_sums && d->noisy_counts && d->values ? HR_OK : hr_fail_memory(err);
}

static hr_status digging_init(digging *d, hr_error *err) {
    const hr_data *records = d->job->records;
    size_t rows = hr_data_rows(records);
    d->targets = malloc((rows + 1) * sizeof *d->targets);
    if (!d->targets) return hr_fail_memory(err);
    hr_targets_of(records, d->targets);
    d->rules->bound(d);
    hr_status status = pack(d, err);
    if (!status) status = d->rules->candidates(d, err);
    if (!status) status = hr_binned_new(records, &d->binning, d->threads, &d->binned, err);
    if (!status) status = hr_local_new(d->binned, rows, (int)depth_of(d), d->threads, &d->local, err);
    if (!status) status = hr_grower_new(&d->binning, hr_histogram_size(d->binned), (int)depth_of(d), &d->grower, err);
    return status ? status : room(d, err);
}

static void digging_done(digging *d) {
    void *buffers[] = {d->targets, d->sums, d->counts, d->noisy_sums, d->noisy_counts, d->values};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) free(buffers[i]);
    hr_grower_free(d->grower);
    hr_local_free(d->local);
    hr_binned_free(d->binned);
}

static hr_status dig(digging *d, hr_tree *out, hr_error *err) {
    hr_permit permits[DEPTH_MAX];
    hr_status status = digging_init(d, err);
    if (!status) status = d->rules->charge(d, permits, err);
    if (status) return status;
    find_residuals(d);
    status = grow(d, permits, out, err);
    return status ? status : d->rules->leaves(d, out, err);
}

hr_status hr_inprivate_tree(const hr_inprivate_tree_job *job, const hr_fit_options *options, hr_gate *gate, int threads, hr_arena *arena,
                            hr_tree *out, hr_error *err) {
    digging d = {.job = job,
                 .options = options,
                 .rules = options->mode == HR_SOUND ? &sound : &paper,
                 .gate = gate,
                 .threads = threads,
                 .arena = arena,
                 .classes = hr_schema_task(hr_data_schema(job->records)) != HR_REGRESSION,
                 .budget = job->budget};
    hr_status status = dig(&d, out, err);
    digging_done(&d);
    return status;
}

hr_status hr_inprivate_tree_check(const hr_fit_facts *facts, hr_error *err) {
    const hr_fit_options *options = facts->options;
    hr_units budget = facts->budget;
    hr_status status = hr_facts_check_rows(facts, (int64_t)1 << (options->mode == HR_SOUND ? sound : paper).bits, err);
    if (status || options->mode == HR_PAPER) return status;
    if (options->edges == HR_EDGES_PRIVATE && hr_edges_need_quantiles(facts->schema, (uint32_t)options->bins)) {
        hr_units bins = hr_units_share(budget, options->bin_share);
        status = hr_facts_check_edges(facts, bins, err);
        budget -= bins;
    }
    hr_units leaves = hr_units_share(budget, options->leaf_share), counts = hr_units_share(leaves, options->count_share);
    bool classes = hr_schema_task(facts->schema) != HR_REGRESSION;
    if (!status) status = hr_facts_check_choice(facts, "split", (budget - leaves) / (hr_units)options->depth, HR_GAIN_WIDTH, err);
    if (!status) status = hr_facts_check_sums(facts, "leaf sum", leaves - counts, UINT64_C(1) << sound.bits, err);
    return status ? status : hr_facts_check_sums(facts, "leaf count", counts, count_unit(classes), err);
}

double hr_inprivate_value_max(const hr_schema *schema, const hr_fit_options *options) {
    return options->learning_rate * (hr_schema_task(schema) == HR_REGRESSION ? 1 : 4);
}
