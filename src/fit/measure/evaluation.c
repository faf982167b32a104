/* An evaluation that may be published: exact sums over the test records, noise through the gate, figures from
 * what was released. The order is that of a fit: check everything, reserve the budget durably, draw. The
 * model is public; what its predictions depend on is not paid for here. Proof: evaluation.proof.md. */
#include "base/fail.h"
#include "fit/budget.h"
#include "fit/measure/evaluation_figures.h"
#include "fit/measure/statistics.h"
#include "fit/settings.h"
#include "models/model/model.h"
#include "privacy/gate.h"
#include "privacy/quantiles.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"

#include <stdio.h>
#include <stdlib.h>

static const double RECORDS_MAX = 4294967294; /* of a table */

/* ---- What is released ---- */

static const hr_statistic_shares shares = {.numbers = {.1, .7, .2},
                                           .two_classes = {.3, .3, .3},
                                           .classes = {.4, .6},
                                           .times = {.6, .1, .2},
                                           .quantiles = {.3, .5, .2},
                                           .one_quantile = {.1, .9}};
static const double EDGE_SHARE = .1; /* two classes, times: of the edges of score bins */

/* What an evaluation holds while it runs. */
typedef struct evaluation_job {
    const hr_model *model;
    const hr_data *data;
    hr_evaluation_options options;
    hr_statistics statistics;
    hr_budget budget;
    hr_comparison comparison;
    hr_scored scored;
    uint32_t *decided, cuts[HR_SCORE_BINS];
    hr_exact *exact, *grid; /* of one release; of the scores */
    hr_noisy *noisy;
    hr_statistic_sums sums;
    hr_csprng *csprng;
    hr_gate *gate;
    int64_t entry; /* in the ledger; 0: none counts as spent */
} evaluation_job;

/* In a group of its own, beside those of the statistics. */
static hr_charge edge_charge(const evaluation_job *job) {
    const hr_release_scope scope = {.tree = -1, .group = HR_STATISTICS_MAX};
    return hr_scope_charge(&scope, "score edges", -1, hr_units_share(job->budget.units, EDGE_SHARE),
                           HR_MEDIAN_SCORE_WIDTH);
}

/* Scores are cut into 2 to the power of it bins. */
static int score_levels(const evaluation_job *job) {
    const bool are_times = hr_schema_task(hr_model_schema(job->model)) == HR_TASK_SURVIVAL;
    return are_times ? HR_TIME_LEVELS : HR_SCORE_LEVELS;
}

/* ---- Checks ---- */

static hr_status check_evaluation(evaluation_job *job, const hr_evaluation_options *given, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_evaluation_options), offsetof(hr_evaluation_options, delta),
                                  "begin with HR_EVALUATION_OPTIONS_INIT"};
    job->options = (hr_evaluation_options)HR_EVALUATION_OPTIONS_INIT;
    hr_status status = hr_sized_take(&kind, given, &job->options, err);
    if (status) return status;
    double epsilon = job->options.epsilon, delta = job->options.delta;
    status = hr_budget_check_amounts(epsilon, delta, err);
    if (status) return status;
    job->statistics = hr_statistics_of(hr_model_schema(job->model), (size_t)1 << score_levels(job), &shares);
    /* A record is all that the sensitivities are about. */
    if (hr_unit_is_person(hr_model_guarantee(job->model)->unit))
        return hr_fail(
            err, HR_E_POLICY,
            "evaluate a model whose schema names no unit, on a table with one record of each person",
            "the model protects persons, but these figures would protect single records only");
    if (job->options.ledger && !job->options.single_records &&
        !hr_schema_single_records(hr_model_schema(job->model))) {
        hr_fail(err, HR_E_POLICY,
                "if each person has one record in this table, say --unit record (single_records); else "
                "keep one record of each person, or publish no figures",
                "neither the model nor the command says whether a person has one record or several");
        return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "unit");
    }
    const hr_decision_rule *rule = job->options.decision;
    if (rule && !hr_task_has_classes(job->statistics.task))
        return hr_fail(err, HR_E_ARGUMENT, "evaluate without decisions",
                       "the model predicts %s: there is no class to decide on",
                       hr_task_text(job->statistics.task));
    if (rule) status = hr_decision_rule_check(rule, job->statistics.classes, err);
    if (!status) status = hr_budget_grant(epsilon, delta, HR_PRIVACY_GDP, &job->budget, err);
    for (size_t i = 0; i < job->statistics.count && !status; i++) {
        hr_charge charge = hr_statistics_charge(&job->statistics, &job->budget, i);
        status = hr_charge_check_sums(job->budget.privacy_measure, &charge, err);
    }
    hr_charge edges = edge_charge(job);
    if (status || !hr_statistics_has_scores(&job->statistics)) return status;
    return hr_quantiles_check_medians(job->budget.privacy_measure, &edges, score_levels(job), HR_PER_RECORD,
                                      err);
}

/* ---- Exact sums, and their release ---- */

static hr_status allocate_sums(evaluation_job *job, hr_error *err) {
    size_t most = 0;
    for (size_t i = 0; i < job->statistics.count; i++) {
        size_t cells = hr_statistics_cells(&job->statistics, i);
        most = cells > most ? cells : most;
        job->sums.of[i] = calloc(cells, sizeof *job->sums.of[i]);
        if (!job->sums.of[i]) return hr_fail_memory(err);
    }
    job->exact = calloc(most, sizeof *job->exact);
    job->noisy = calloc(most, sizeof *job->noisy);
    job->grid = calloc((size_t)1 << HR_SCORE_GRID_BITS, sizeof *job->grid);
    return job->exact && job->noisy && job->grid ? HR_OK : hr_fail_memory(err);
}

static hr_status prepare_evaluation(evaluation_job *job, hr_error *err) {
    const hr_comparison *c = &job->comparison;
    hr_status status = hr_comparison_make(job->model, job->data, job->options.threads, &job->comparison, err);
    if (!status) status = hr_budget_check_delta(&job->budget, hr_data_rows(job->data), err);
    if (!status) status = allocate_sums(job, err);
    if (!status) status = hr_comparison_decide(c, job->options.decision, &job->decided, err);
    if (status) return status;
    const hr_column *label = hr_schema_label(hr_model_schema(job->model));
    job->scored = (hr_scored){.rows = c->rows,
                              .bins = job->statistics.bins,
                              .outputs = c->outputs,
                              .predicted = c->predicted,
                              .labels = c->labels,
                              .decided = job->decided,
                              .cuts = job->cuts,
                              .range = label->high - label->low,
                              .intervals = label->intervals,
                              .interval_count = label->interval_count,
                              .quantiles = label->quantiles,
                              .covered = hr_covered_of(label)};
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

static hr_status release_scored(evaluation_job *job, hr_error *err) {
    hr_status status = HR_OK;
    if (hr_statistics_has_scores(&job->statistics)) {
        /* Where the bins of scores begin: bins of about the same number of records. */
        const hr_grid_counts grid = {job->grid, HR_SCORE_GRID_BITS, HR_PER_RECORD};
        hr_charge charge = edge_charge(job);
        hr_cuts cuts = {job->cuts, 0};
        hr_scored_grid(&job->scored, job->grid);
        status = hr_quantiles_by_medians(job->gate, &charge, &grid, score_levels(job), &cuts, err);
        if (!status) job->scored.cut_count = cuts.count;
    }
    for (size_t i = 0; i < job->statistics.count && !status; i++) {
        hr_charge charge = hr_statistics_charge(&job->statistics, &job->budget, i);
        size_t cells = hr_statistics_cells(&job->statistics, i);
        job->statistics.rows[i].count(&job->scored, job->exact);
        status = hr_gate_release_sums(job->gate, &charge, job->exact, cells, job->noisy, err);
        for (size_t c = 0; c < cells && !status; c++)
            job->sums.of[i][c] = (double)job->noisy[c].paid / job->statistics.rows[i].unit;
    }
    return status;
}

/* ---- The result ---- */

static void make_figures(evaluation_job *job, hr_evaluation *out) {
    for (size_t i = 0; i < job->statistics.count; i++)
        job->sums.noise[i] = hr_statistics_noise(&job->statistics, &job->budget, i);
    job->sums.bins = job->scored.cut_count + 1;
    hr_statistics_figures(&job->statistics, &job->budget, &job->sums, out);

    /* The edges of groups, of which times have figures, were released for them; a plan has none. */
    if (!job->data || job->statistics.task != HR_TASK_SURVIVAL) return;
    out->edge_count = job->scored.cut_count;
    for (size_t i = 0; i < out->edge_count; i++) out->edges[i] = hr_score_edge(job->cuts[i]);
}

static void make_statement(const evaluation_job *job, hr_evaluation *out) {
    char amounts[4][HR_AMOUNT_TEXT];
    hr_statistics_state(&job->budget, out, amounts);
    snprintf(
        out->statement, sizeof out->statement,
        "The figures are (%s, %s)-differentially private for adding or removing one record of this table "
        "(%s, %s for replacing one). What the "
        "model says of records that it was trained on is spent by the model: a record that is in both "
        "tables pays for both.%s",
        amounts[0], amounts[1], amounts[2], amounts[3],
        job->data && hr_data_declares_equal(job->data) ? HR_EQUAL_FILES : "");
}

static void close_evaluation(evaluation_job *job) {
    hr_comparison_free(&job->comparison);
    for (size_t i = 0; i < HR_STATISTICS_MAX; i++) free(job->sums.of[i]);
    free(job->exact);
    free(job->grid);
    free(job->noisy);
    free(job->decided);
    hr_gate_free(job->gate);
    hr_csprng_close(job->csprng);
}

static hr_status run_evaluation(evaluation_job *job, hr_evaluation *out, hr_error *err) {
    hr_evaluation made = {0};
    hr_status status = prepare_evaluation(job, err);
    if (!status) status = reserve_evaluation(job, err);
    if (status) return status;
    status = release_scored(job, err);
    if (!status) {
        make_figures(job, &made);
        make_statement(job, &made);
        hr_statistics_list(job->gate, &made);
        status = hr_paid_commit(&hr_paid_evaluation, &made, job->options.ledger, job->entry, err);
    }
    if (status) {
        /* What failed before its first draw has published nothing. Where the ledger cannot be written, the
         * entry stays spent. */
        hr_error unused;
        size_t lines;
        hr_gate_releases(job->gate, &lines);
        if (job->entry && !lines && !hr_ledger_void(job->options.ledger, job->entry, &unused)) job->entry = 0;
        return status;
    }
    *out = made;
    return HR_OK;
}

hr_status hr_evaluate_private(const hr_model *model, const hr_data *data,
                              const hr_evaluation_options *options, hr_evaluation *out, hr_error *err) {
    evaluation_job job = {.model = model, .data = data};
    hr_status status = check_evaluation(&job, options, err);
    if (!status && hr_schema_weight(hr_data_schema(data), NULL))
        status = hr_schema_refuse_weight(hr_data_schema(data), "a release of figures", err);
    if (!status) status = hr_data_refuse_repeats(data, err);
    if (!status) status = run_evaluation(&job, out, err);
    if (job.options.entry) *job.options.entry = job.entry;
    close_evaluation(&job);
    return status;
}

/* ---- The plan ---- */

static void invent_sums(evaluation_job *job, double records) {
    if (job->statistics.task == HR_TASK_SURVIVAL) {
        hr_times_invent(&job->statistics, records, &job->sums);
        job->scored.cut_count = job->statistics.bins - 1;
        return;
    }
    if (job->statistics.task == HR_TASK_QUANTILES) {
        hr_quantiles_invent(&job->statistics, records, &job->sums);
        return;
    }
    if (!hr_task_has_classes(job->statistics.task)) {
        job->sums.of[0][0] = records;
        job->sums.of[1][0] = .01 * records;
        job->sums.of[2][0] = .1 * records;
        return;
    }
    for (size_t c = 0; c < 2 * job->statistics.classes; c++)
        job->sums.of[0][c] = records / (double)job->statistics.classes * (c % 2 ? .75 : .25);
    job->sums.of[1][0] = .5 * records;
    job->scored.cut_count = HR_SCORE_BINS - 1;
    if (job->statistics.task != HR_TASK_BINARY) return;

    /* These scores order a pair rightly in three of four cases: over the bins, x = 0 to 1, the classes have
     * densities of 1 - 1.5 (x - 1/2) and 1 + 1.5 (x - 1/2). */
    for (size_t c = 0; c < HR_SCORE_CELLS; c++) {
        double x = ((double)(c / 2) + .5) / HR_SCORE_BINS, slope = c % 2 ? 1 : -1;
        job->sums.of[2][c] = records / 2 * (1 + 1.5 * slope * (x - .5)) / HR_SCORE_BINS;
    }
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
