/* An evaluation that may be published: exact sums over the test records, noise through the gate, figures from
 * what was released. The order is that of a fit: check everything, reserve the budget durably, draw. The
 * model is public; what its predictions depend on is not paid for here. Proof: evaluation.proof.md. */
#include "base/fail.h"
#include "base/sized.h"
#include "fit/budget.h"
#include "fit/measure/evaluation_figures.h"
#include "fit/threads.h"
#include "models/model/model.h"
#include "privacy/noise.h"
#include "privacy/quantiles.h"
#include "privacy/release.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "trees/candidates/evaluation_counts.h"

#include <hedgerow/amount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double EPSILON_MAX = 1e4, RECORDS_MAX = 4294967294; /* of a table */

/* ---- What is released ---- */

enum { STATISTICS_MAX = 3 };

/* One release: its values, their sensitivity and unit, and its part of the budget. */
typedef struct statistic {
    const char *what;
    void (*count)(const hr_judged *judged, hr_exact *sums);
    uint64_t sensitivity;
    double unit, share;
    size_t cells; /* in all, or for each class */
    bool each_class;
} statistic;

static const statistic number_statistics[] = {
    {"records", hr_judged_records, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .1, 1, false},
    {"squares of misses", hr_judged_squares, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, .7, 1, false},
    {"misses", hr_judged_misses, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, .2, 1, false},
};
static const statistic binary_statistics[] = {
    {"outcomes by class", hr_judged_outcomes, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .3, 2, true},
    {"losses", hr_judged_loss, HR_LOSS_SENSITIVITY, 1 << HR_LOSS_BITS, .3, 1, false},
    {"scores by class", hr_judged_scores, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .3, HR_SCORE_CELLS, false},
};
static const double EDGE_SHARE = .1; /* two classes: of the edges of score bins */
static const statistic class_statistics[] = {
    {"outcomes by class", hr_judged_outcomes, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .4, 2, true},
    {"losses", hr_judged_loss, HR_LOSS_SENSITIVITY, 1 << HR_LOSS_BITS, .6, 1, false},
};

/* What an evaluation holds while it runs. */
typedef struct evaluation_job {
    const hr_model *model;
    const hr_data *data;
    hr_evaluation_options options;
    const statistic *statistics;
    size_t count, classes;
    double range;
    hr_budget budget;
    hr_comparison comparison;
    hr_judged judged;
    uint32_t *decided, cuts[HR_SCORE_BINS];
    hr_exact *exact, *grid; /* of one release; of the scores */
    hr_noisy *noisy;
    double *sums[STATISTICS_MAX];
    hr_csprng *csprng;
    hr_gate *gate;
    int64_t entry; /* in the ledger; 0: none counts as spent */
} evaluation_job;

static size_t cells_of(const evaluation_job *job, size_t line) {
    return job->statistics[line].cells * (job->statistics[line].each_class ? job->classes : 1);
}

/* Releases cost their shares; each is in a group of its own, so that they add up. */
static hr_charge evaluation_charge(const evaluation_job *job, size_t line) {
    const hr_release_scope scope = {.tree = -1, .group = line};
    return hr_scope_charge(&scope, job->statistics[line].what, -1,
                           hr_units_share(job->budget.units, job->statistics[line].share),
                           job->statistics[line].sensitivity);
}

static hr_charge edge_charge(const evaluation_job *job) {
    const hr_release_scope scope = {.tree = -1, .group = STATISTICS_MAX};
    return hr_scope_charge(&scope, "score edges", -1, hr_units_share(job->budget.units, EDGE_SHARE),
                           HR_MEDIAN_SCORE_WIDTH);
}

static double line_noise(const evaluation_job *job, size_t line) {
    hr_charge charge = evaluation_charge(job, line);
    return hr_noise_deviation(job->budget.privacy_measure, charge.cost, (double)charge.sensitivity) /
           job->statistics[line].unit;
}

static void set_statistics(evaluation_job *job) {
    const hr_schema *schema = hr_model_schema(job->model);
    const hr_column *label = hr_schema_label(schema);
    hr_task task = hr_schema_task(schema);
    job->range = label->high - label->low;
    job->classes = hr_model_output_count(job->model);
    job->statistics = task == HR_TASK_REGRESSION ? number_statistics
                      : task == HR_TASK_BINARY   ? binary_statistics
                                                 : class_statistics;
    job->count = task == HR_TASK_MULTICLASS ? 2 : 3;
}

/* ---- Checks ---- */

static hr_status refuse_amount(const char *field, const char *range, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, "choose a number within the range", "it must be %s", range);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, field);
}

/* A record is all that the sensitivities are about. */
static hr_status check_unit(const evaluation_job *job, hr_error *err) {
    if (!hr_unit_is_person(hr_model_guarantee(job->model)->unit)) return HR_OK;
    return hr_fail(err, HR_E_POLICY,
                   "evaluate a model whose schema names no unit, on a table with one record of each person",
                   "the model protects persons, but these figures would protect single records only");
}

static hr_status check_rule(const evaluation_job *job, hr_error *err) {
    if (!job->options.decision) return HR_OK;
    if (job->statistics == number_statistics)
        return hr_fail(err, HR_E_ARGUMENT, "evaluate without decisions",
                       "the model predicts a number: there is no class to decide on");
    return hr_decision_rule_check(job->options.decision, job->classes, err);
}

static hr_status check_evaluation(evaluation_job *job, const hr_evaluation_options *given, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_evaluation_options), offsetof(hr_evaluation_options, delta),
                                  "begin with HR_EVALUATION_OPTIONS_INIT"};
    job->options = (hr_evaluation_options)HR_EVALUATION_OPTIONS_INIT;
    hr_status status = hr_sized_take(&kind, given, &job->options, err);
    if (status) return status;
    double epsilon = job->options.epsilon, delta = job->options.delta;
    if (!(epsilon > 0 && epsilon <= EPSILON_MAX)) return refuse_amount("epsilon", "0 < E <= 10000", err);
    if (!(delta >= 0 && delta < 1)) return refuse_amount("delta", "0 <= D < 1", err);
    set_statistics(job);
    status = check_unit(job, err);
    if (!status) status = check_rule(job, err);
    if (!status) status = hr_budget_grant(epsilon, delta, HR_PRIVACY_GDP, &job->budget, err);
    for (size_t i = 0; i < job->count && !status; i++) {
        hr_charge charge = evaluation_charge(job, i);
        status = hr_charge_check_sums(job->budget.privacy_measure, &charge, err);
    }
    hr_charge edges = edge_charge(job);
    if (status || job->statistics != binary_statistics) return status;
    return hr_quantiles_check_medians(job->budget.privacy_measure, &edges, HR_SCORE_LEVELS, HR_PER_RECORD,
                                      err);
}

/* ---- Exact sums, and their release ---- */

static hr_status allocate_sums(evaluation_job *job, hr_error *err) {
    size_t most = 0;
    for (size_t i = 0; i < job->count; i++) {
        size_t cells = cells_of(job, i);
        most = cells > most ? cells : most;
        job->sums[i] = calloc(cells, sizeof *job->sums[i]);
        if (!job->sums[i]) return hr_fail_memory(err);
    }
    job->exact = calloc(most, sizeof *job->exact);
    job->noisy = calloc(most, sizeof *job->noisy);
    job->grid = calloc((size_t)1 << HR_SCORE_GRID_BITS, sizeof *job->grid);
    return job->exact && job->noisy && job->grid ? HR_OK : hr_fail_memory(err);
}

static hr_status decide_records(evaluation_job *job, hr_error *err) {
    const hr_comparison *c = &job->comparison;
    if (c->task == HR_TASK_REGRESSION) return HR_OK;
    job->decided = calloc(c->rows, sizeof *job->decided);
    if (!job->decided) return hr_fail_memory(err);
    for (size_t i = 0; i < c->rows; i++)
        job->decided[i] =
            (uint32_t)hr_decide(job->options.decision, c->predicted + i * c->outputs, c->outputs);
    return HR_OK;
}

static void set_judged(evaluation_job *job) {
    job->judged = (hr_judged){.rows = job->comparison.rows,
                              .bins = HR_SCORE_BINS,
                              .outputs = job->comparison.outputs,
                              .predicted = job->comparison.predicted,
                              .labels = job->comparison.labels,
                              .decided = job->decided,
                              .cuts = job->cuts,
                              .range = job->range};
}

static hr_status prepare_evaluation(evaluation_job *job, hr_error *err) {
    hr_status status = hr_comparison_make(job->model, job->data, job->options.threads, &job->comparison, err);
    if (!status) status = hr_budget_check_delta(&job->budget, hr_data_rows(job->data), err);
    if (!status) status = allocate_sums(job, err);
    if (!status) status = decide_records(job, err);
    if (status) return status;
    set_judged(job);
    status = hr_csprng_open(&job->csprng, err);
    if (!status)
        status = hr_gate_new(job->budget.privacy_measure, job->budget.units, job->csprng, &job->gate, err);
    return status;
}

static hr_status reserve_evaluation(evaluation_job *job, hr_error *err) {
    if (!job->options.ledger) return HR_OK;
    char purpose[200];
    snprintf(purpose, sizeof purpose, "evaluate %s for %.120s", hr_model_method(job->model),
             hr_schema_label(hr_model_schema(job->model))->name);
    hr_status status = hr_ledger_set_unit(job->options.ledger, NULL, err);
    if (status) return status;
    return hr_ledger_reserve(job->options.ledger, job->budget.epsilon, job->budget.delta, purpose,
                             &job->entry, err);
}

/* Where the bins of scores begin: bins of about the same number of records. */
static hr_status release_edges(evaluation_job *job, hr_error *err) {
    const hr_grid_counts grid = {job->grid, HR_SCORE_GRID_BITS, HR_PER_RECORD};
    hr_charge charge = edge_charge(job);
    hr_cuts cuts = {job->cuts, 0};
    hr_judged_score_grid(&job->judged, job->grid);
    hr_status status = hr_quantiles_by_medians(job->gate, &charge, &grid, HR_SCORE_LEVELS, &cuts, err);
    if (!status) job->judged.cut_count = cuts.count;
    return status;
}

static hr_status release_judged(evaluation_job *job, hr_error *err) {
    hr_status status = job->statistics == binary_statistics ? release_edges(job, err) : HR_OK;
    for (size_t i = 0; i < job->count && !status; i++) {
        hr_charge charge = evaluation_charge(job, i);
        size_t cells = cells_of(job, i);
        job->statistics[i].count(&job->judged, job->exact);
        status = hr_gate_release_sums(job->gate, &charge, job->exact, cells, job->noisy, err);
        for (size_t c = 0; c < cells && !status; c++)
            job->sums[i][c] = (double)job->noisy[c].paid / job->statistics[i].unit;
    }
    return status;
}

/* What failed before its first draw has published nothing. Where the ledger cannot be written, the entry
 * stays spent. */
static void give_back_evaluation(evaluation_job *job) {
    hr_error unused;
    size_t lines;
    hr_gate_releases(job->gate, &lines);
    if (!job->entry || lines) return;
    if (!hr_ledger_void(job->options.ledger, job->entry, &unused)) job->entry = 0;
}

/* ---- The result ---- */

static void make_figures(const evaluation_job *job, hr_evaluation *out) {
    hr_evaluation_sums sums = {.task = hr_schema_task(hr_model_schema(job->model)),
                               .classes = job->classes,
                               .range = job->range,
                               .privacy_measure = job->budget.privacy_measure};
    if (sums.task == HR_TASK_REGRESSION) {
        sums.records = job->sums[0], sums.record_noise = line_noise(job, 0);
        sums.squares = job->sums[1], sums.square_noise = line_noise(job, 1);
        sums.misses = job->sums[2], sums.miss_noise = line_noise(job, 2);
    } else {
        sums.outcomes = job->sums[0], sums.outcome_noise = line_noise(job, 0);
        sums.loss = job->sums[1], sums.loss_noise = line_noise(job, 1);
    }
    if (sums.task == HR_TASK_BINARY)
        sums.scores = job->sums[2], sums.score_noise = line_noise(job, 2),
        sums.score_bins = job->judged.cut_count + 1;
    hr_evaluation_figures(&sums, out);
}

static void make_statement(const evaluation_job *job, hr_evaluation *out) {
    hr_guarantee guarantee;
    char amounts[4][HR_AMOUNT_TEXT];
    hr_guarantee_of(job->budget.units, job->budget.privacy_measure, job->budget.delta, &guarantee);
    out->epsilon = job->budget.epsilon;
    out->delta = job->budget.delta;
    out->epsilon_replace = guarantee.epsilon_replace;
    out->delta_replace = guarantee.delta_replace;
    hr_spent_text(out->epsilon, amounts[0]);
    hr_spent_text(out->delta, amounts[1]);
    hr_spent_text(out->epsilon_replace, amounts[2]);
    hr_spent_text(out->delta_replace, amounts[3]);
    snprintf(
        out->statement, sizeof out->statement,
        "The figures are (%s, %s)-differentially private for adding or removing one record of this table "
        "(%s, %s for replacing one). What the "
        "model says of records that it was trained on is spent by the model: a record that is in both "
        "tables pays for both.",
        amounts[0], amounts[1], amounts[2], amounts[3]);
}

static void list_releases(const evaluation_job *job, hr_evaluation *out) {
    const hr_release *releases = hr_gate_releases(job->gate, &out->release_count);
    for (size_t i = 0; i < out->release_count; i++) out->releases[i] = hr_release_info_of(&releases[i]);
}

static void close_evaluation(evaluation_job *job) {
    hr_comparison_free(&job->comparison);
    for (size_t i = 0; i < STATISTICS_MAX; i++) free(job->sums[i]);
    free(job->exact);
    free(job->grid);
    free(job->noisy);
    free(job->decided);
    hr_gate_free(job->gate);
    hr_csprng_close(job->csprng);
}

static hr_status run_evaluation(evaluation_job *job, hr_evaluation *out, hr_error *err) {
    hr_status status = prepare_evaluation(job, err);
    if (!status) status = reserve_evaluation(job, err);
    if (status) return status;
    status = release_judged(job, err);
    if (!status && job->entry) status = hr_ledger_commit(job->options.ledger, job->entry, err);
    if (status) {
        give_back_evaluation(job);
        return status;
    }
    hr_evaluation made = {0};
    make_figures(job, &made);
    make_statement(job, &made);
    list_releases(job, &made);
    *out = made;
    return HR_OK;
}

hr_status hr_evaluate_private(const hr_model *model, const hr_data *data,
                              const hr_evaluation_options *options, hr_evaluation *out, hr_error *err) {
    evaluation_job job = {.model = model, .data = data};
    hr_status status = check_evaluation(&job, options, err);
    if (!status) status = hr_data_refuse_repeats(data, err);
    if (!status) status = run_evaluation(&job, out, err);
    if (job.options.entry) *job.options.entry = job.entry;
    close_evaluation(&job);
    return status;
}

/* ---- The plan ---- */

/* Scores that order a pair rightly in three of four cases: over the bins, x = 0 to 1, the classes have
 * densities of 1 - 1.5 (x - 1/2) and 1 + 1.5 (x - 1/2). */
static double invented_score(size_t cell, double records) {
    double x = ((double)(cell / 2) + .5) / HR_SCORE_BINS, slope = cell % 2 ? 1 : -1;
    return records / 2 * (1 + 1.5 * slope * (x - .5)) / HR_SCORE_BINS;
}

static void invent_sums(evaluation_job *job, double records) {
    if (job->statistics == number_statistics) {
        job->sums[0][0] = records;
        job->sums[1][0] = .01 * records;
        job->sums[2][0] = .1 * records;
        return;
    }
    for (size_t c = 0; c < 2 * job->classes; c++)
        job->sums[0][c] = records / (double)job->classes * (c % 2 ? .75 : .25);
    job->sums[1][0] = .5 * records;
    job->judged.cut_count = HR_SCORE_BINS - 1;
    for (size_t c = 0; c < HR_SCORE_CELLS && job->statistics == binary_statistics; c++)
        job->sums[2][c] = invented_score(c, records);
}

hr_status hr_evaluation_plan(const hr_model *model, double records, const hr_evaluation_options *options,
                             hr_evaluation *out, hr_error *err) {
    if (!(records >= 1 && records <= RECORDS_MAX))
        return hr_fail(err, HR_E_ARGUMENT, "it is from 1 to 4294967294", "no plan is made for %g records",
                       records);
    evaluation_job job = {.model = model};
    hr_status status = check_evaluation(&job, options, err);
    if (!status) status = allocate_sums(&job, err);
    if (!status) {
        hr_evaluation made = {0};
        invent_sums(&job, records);
        make_figures(&job, &made);
        make_statement(&job, &made);
        *out = made;
    }
    close_evaluation(&job);
    return status;
}
