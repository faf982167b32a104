/* One secure sum instead of the releases of evaluation.c. Bins of scores are even on the public grid, and
 * twice as many: medians would take a question for each level. */
#include "fit/measure/shared_evaluation.h"

#include "base/fail.h"
#include "fit/measure/evaluation_figures.h"
#include "models/model/model.h"
#include "privacy/noise.h"
#include "privacy/release.h"
#include "tables/schema/schema.h"
#include "trees/candidates/evaluation_counts.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 3, MEMBERS_MAX = 256, SHARED_BIN_BITS = 5, SHARED_BINS = 1 << SHARED_BIN_BITS };
_Static_assert((int)SHARED_BINS <= (int)HR_SCORE_BINS_MAX, "figures take so many bins");
static const double EPSILON_MAX = 1e4;

/* One line: its values, their sensitivity and unit, and its part of the budget. */
typedef struct shared_line {
    const char *what;
    void (*count)(const hr_judged *judged, hr_exact *sums);
    uint64_t sensitivity;
    double unit, share;
    size_t cells; /* in all, or for each class */
    bool each_class;
} shared_line;

static const shared_line number_lines[] = {
    {"records", hr_judged_records, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .1, 1, false},
    {"squares of misses", hr_judged_squares, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, .7, 1, false},
    {"misses", hr_judged_misses, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, .2, 1, false},
};
static const shared_line binary_lines[] = {
    {"outcomes by class", hr_judged_outcomes, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .35, 2, true},
    {"losses", hr_judged_loss, HR_LOSS_SENSITIVITY, 1 << HR_LOSS_BITS, .3, 1, false},
    {"scores by class", hr_judged_scores, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .35, 2 * SHARED_BINS, false},
};
static const shared_line class_lines[] = {
    {"outcomes by class", hr_judged_outcomes, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, .4, 2, true},
    {"losses", hr_judged_loss, HR_LOSS_SENSITIVITY, 1 << HR_LOSS_BITS, .6, 1, false},
};

typedef struct shared_lines {
    hr_task task;
    const shared_line *rows;
    size_t count, classes;
} shared_lines;

static shared_lines lines_of(const hr_schema *schema) {
    shared_lines lines = {hr_schema_task(schema), class_lines, 2, hr_schema_label(schema)->value_count};
    if (lines.task == HR_TASK_MULTICLASS) return lines;
    lines.rows = lines.task == HR_TASK_BINARY ? binary_lines : number_lines;
    lines.count = 3;
    return lines;
}

static size_t line_cells(const shared_lines *lines, size_t line) {
    return lines->rows[line].cells * (lines->rows[line].each_class ? lines->classes : 1);
}

size_t hr_shared_evaluation_values(const hr_schema *schema) {
    const shared_lines lines = lines_of(schema);
    size_t values = 0;
    for (size_t i = 0; i < lines.count; i++) values += line_cells(&lines, i);
    return values;
}

/* Each line is in a group of its own, so that they add up. */
static hr_charge line_charge(const shared_lines *lines, const hr_budget *budget, size_t line) {
    const hr_release_scope scope = {.tree = -1, .group = line};
    const shared_line *row = &lines->rows[line];
    return hr_scope_charge(&scope, row->what, -1, hr_units_share(budget->units, row->share),
                           row->sensitivity);
}

static uint64_t honest_shares(const hr_shared_evaluation *e) {
    return hr_noise_shares(e->members, e->coalition);
}

/* ---- Checks ---- */

static hr_status refuse_shared(const char *field, const char *range, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, "choose a number within the range", "it must be %s", range);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, field);
}

static hr_status check_amounts(const hr_shared_evaluation *e, hr_error *err) {
    if (!(e->epsilon > 0 && e->epsilon <= EPSILON_MAX))
        return refuse_shared("epsilon", "0 < E <= 10000", err);
    if (!(e->delta >= 0 && e->delta < 1)) return refuse_shared("delta", "0 <= D < 1", err);
    if (!e->members || e->members > MEMBERS_MAX) return refuse_shared("owners", "1 to 256", err);
    if (!e->model || !hr_unit_is_person(hr_model_guarantee(e->model)->unit)) return HR_OK;
    return hr_fail(err, HR_E_POLICY,
                   "evaluate a model whose schema names no unit, on tables with one record of each person",
                   "the model protects persons, but these figures would protect single records only");
}

hr_status hr_shared_evaluation_check(const hr_shared_evaluation *e, hr_budget *out, hr_error *err) {
    hr_status status = check_amounts(e, err);
    if (!status) status = hr_budget_grant(e->epsilon, e->delta, HR_PRIVACY_GDP, out, err);
    const shared_lines lines = lines_of(e->schema);
    for (size_t i = 0; i < lines.count && !status; i++) {
        hr_charge charge = line_charge(&lines, out, i);
        status = hr_charge_check_share(out->privacy_measure, &charge, honest_shares(e), err);
    }
    return status;
}

static hr_status charge_lines(const hr_shared_evaluation *e, const hr_budget *budget, hr_gate *gate,
                              hr_permit permits[LINES_MAX], hr_error *err) {
    const shared_lines lines = lines_of(e->schema);
    hr_status status = HR_OK;
    for (size_t i = 0; i < lines.count && !status; i++) {
        hr_charge charge = line_charge(&lines, budget, i);
        status = hr_gate_charge_share(gate, &charge, honest_shares(e), &permits[i], err);
    }
    return status;
}

/* ---- An owner ---- */

/* One answer in the making. */
typedef struct shared_answer {
    hr_comparison comparison;
    uint32_t *decided, cuts[SHARED_BINS];
    hr_exact *exact;
    hr_judged judged;
} shared_answer;

static void free_answer(shared_answer *a) {
    hr_comparison_free(&a->comparison);
    free(a->decided);
    free(a->exact);
}

static void judge(shared_answer *a, const hr_schema *schema) {
    const hr_comparison *c = &a->comparison;
    const hr_column *label = hr_schema_label(schema);
    for (size_t i = 0; i < c->rows && c->task != HR_TASK_REGRESSION; i++)
        a->decided[i] = (uint32_t)hr_decide(NULL, c->predicted + i * c->outputs, c->outputs);
    for (uint32_t b = 1; b < SHARED_BINS; b++) a->cuts[b - 1] = b << (HR_SCORE_GRID_BITS - SHARED_BIN_BITS);
    a->judged = (hr_judged){.rows = c->rows,
                            .outputs = c->outputs,
                            .predicted = c->predicted,
                            .labels = c->labels,
                            .decided = a->decided,
                            .cuts = a->cuts,
                            .cut_count = SHARED_BINS - 1,
                            .bins = SHARED_BINS,
                            .range = label->high - label->low};
}

static hr_status prepare_answer(shared_answer *a, const hr_shared_evaluation *e, const hr_data *data,
                                hr_error *err) {
    const bool any = hr_data_rows(data) > 0;
    hr_status status = any ? hr_comparison_make(e->model, data, 0, &a->comparison, err) : HR_OK;
    if (status) return status;
    a->decided = calloc(a->comparison.rows + 1, sizeof *a->decided);
    a->exact = calloc(hr_shared_evaluation_values(e->schema), sizeof *a->exact);
    if (!a->decided || !a->exact) return hr_fail_memory(err);
    judge(a, e->schema);
    return HR_OK;
}

hr_status hr_shared_evaluation_answer(const hr_shared_evaluation *e, const hr_data *data, hr_gate *gate,
                                      hr_mask *mask, uint64_t *out, hr_error *err) {
    shared_answer a = {0};
    hr_budget budget;
    hr_permit permits[LINES_MAX];
    hr_status status = hr_shared_evaluation_check(e, &budget, err);
    if (!status) status = prepare_answer(&a, e, data, err);
    if (!status) status = charge_lines(e, &budget, gate, permits, err);
    const shared_lines lines = lines_of(e->schema);
    for (size_t i = 0, at = 0; i < lines.count && !status; at += line_cells(&lines, i++)) {
        lines.rows[i].count(&a.judged, a.exact + at);
        hr_gate_share(gate, permits[i], a.exact + at, mask, line_cells(&lines, i), out + at);
    }
    free_answer(&a);
    return status;
}

/* ---- The sum of all answers ---- */

/* Sums in records, losses, or parts of the label's range, and the noise of each line. */
typedef struct shared_sums {
    double *values, *of[LINES_MAX], noise[LINES_MAX];
} shared_sums;

static void scale_sums(const hr_shared_evaluation *e, const hr_budget *budget, const hr_noisy *sums,
                       shared_sums *s) {
    const shared_lines lines = lines_of(e->schema);
    double more = sqrt((double)e->members / (double)honest_shares(e));
    for (size_t i = 0, at = 0; i < lines.count; at += line_cells(&lines, i++)) {
        hr_charge charge = line_charge(&lines, budget, i);
        double unit = lines.rows[i].unit;
        s->of[i] = s->values + at;
        for (size_t c = 0; c < line_cells(&lines, i); c++) s->of[i][c] = (double)sums[at + c].paid / unit;
        s->noise[i] = more / unit *
                      hr_noise_deviation(budget->privacy_measure, charge.cost, (double)charge.sensitivity);
    }
}

static void make_shared_figures(const hr_shared_evaluation *e, const hr_budget *budget, const shared_sums *s,
                                hr_evaluation *out) {
    const hr_column *label = hr_schema_label(e->schema);
    const shared_lines lines = lines_of(e->schema);
    hr_evaluation_sums sums = {.task = lines.task,
                               .classes = lines.classes,
                               .range = label->high - label->low,
                               .privacy_measure = budget->privacy_measure};
    if (lines.task == HR_TASK_REGRESSION) {
        sums.records = s->of[0], sums.record_noise = s->noise[0];
        sums.squares = s->of[1], sums.square_noise = s->noise[1];
        sums.misses = s->of[2], sums.miss_noise = s->noise[2];
    } else {
        sums.outcomes = s->of[0], sums.outcome_noise = s->noise[0];
        sums.loss = s->of[1], sums.loss_noise = s->noise[1];
    }
    if (lines.task == HR_TASK_BINARY)
        sums.scores = s->of[2], sums.score_noise = s->noise[2], sums.score_bins = SHARED_BINS;
    hr_evaluation_figures(&sums, out);
}

static void state_shared(const hr_shared_evaluation *e, const hr_budget *budget, hr_evaluation *out) {
    hr_guarantee guarantee;
    char amounts[4][HR_AMOUNT_TEXT];
    hr_guarantee_of(budget->units, budget->privacy_measure, budget->delta, &guarantee);
    out->epsilon = budget->epsilon;
    out->delta = budget->delta;
    out->epsilon_replace = guarantee.epsilon_replace;
    out->delta_replace = guarantee.delta_replace;
    hr_spent_text(out->epsilon, amounts[0]);
    hr_spent_text(out->delta, amounts[1]);
    hr_spent_text(out->epsilon_replace, amounts[2]);
    hr_spent_text(out->delta_replace, amounts[3]);
    snprintf(
        out->statement, sizeof out->statement,
        "The figures are (%s, %s)-differentially private for adding or removing one record of one of the "
        "%zu owners' tables (%s, %s for replacing one), also if %zu of the owners add no noise and tell "
        "what they know, as long as X25519, BLAKE2b, ChaCha20 and Ed25519 hold. A person with records at two "
        "owners pays at both. What the model says of "
        "records that it was trained on is spent by the model.",
        amounts[0], amounts[1], e->members, amounts[2], amounts[3], e->members - (size_t)honest_shares(e));
}

static void list_lines(const hr_gate *account, hr_evaluation *out) {
    const hr_release *releases = hr_gate_releases(account, &out->release_count);
    for (size_t i = 0; i < out->release_count; i++) out->releases[i] = hr_release_info_of(&releases[i]);
}

hr_status hr_shared_evaluation_result(const hr_shared_evaluation *e, const hr_noisy *sums, hr_gate *account,
                                      hr_evaluation *out, hr_error *err) {
    hr_budget budget;
    hr_permit unused[LINES_MAX];
    hr_evaluation made = {0};
    shared_sums scaled = {0};
    hr_status status = hr_shared_evaluation_check(e, &budget, err);
    if (status) return status;
    scaled.values = calloc(hr_shared_evaluation_values(e->schema), sizeof *scaled.values);
    status = scaled.values ? charge_lines(e, &budget, account, unused, err) : hr_fail_memory(err);
    if (!status) {
        scale_sums(e, &budget, sums, &scaled);
        make_shared_figures(e, &budget, &scaled, &made);
        state_shared(e, &budget, &made);
        list_lines(account, &made);
        *out = made;
    }
    free(scaled.values);
    return status;
}
