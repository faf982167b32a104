/* One secure sum instead of the releases of evaluation.c. Bins of scores are even on the public grid, and
 * twice as many: medians would take a question for each level. */
#include "fit/measure/shared_evaluation.h"

#include "base/fail.h"
#include "models/model/model.h"
#include "privacy/noise.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_BIN_BITS = 5, SHARED_BINS = 1 << SHARED_BIN_BITS };
_Static_assert((int)SHARED_BINS <= (int)HR_SCORE_BINS_MAX, "figures take so many bins");

static const hr_statistic_shares shares = {.numbers = {.1, .7, .2},
                                           .two_classes = {.35, .3, .35},
                                           .classes = {.4, .6},
                                           .quantiles = {.3, .5, .2},
                                           .one_quantile = {.1, .9}};

static hr_statistics statistics_of(const hr_schema *schema) {
    return hr_statistics_of(schema, SHARED_BINS, &shares);
}

size_t hr_shared_evaluation_values(const hr_schema *schema) {
    const hr_statistics lines = statistics_of(schema);
    size_t values = 0;
    for (size_t i = 0; i < lines.count; i++) values += hr_statistics_cells(&lines, i);
    return values;
}

static uint64_t honest_shares(const hr_shared_evaluation *e) {
    return hr_noise_shares(e->members, e->coalition);
}

/* ---- Checks ---- */

static hr_status check_amounts(const hr_shared_evaluation *e, hr_error *err) {
    hr_status status = hr_budget_check_amounts(e->epsilon, e->delta, err);
    if (!status) status = hr_budget_check_owners(e->members, err);
    if (status) return status;
    if (!e->model || !hr_unit_is_person(hr_model_guarantee(e->model)->unit)) return HR_OK;
    return hr_fail(err, HR_E_POLICY,
                   "evaluate a model whose schema names no unit, on tables with one record of each person",
                   "the model protects persons, but these figures would protect single records only");
}

hr_status hr_shared_evaluation_check(const hr_shared_evaluation *e, hr_budget *out, hr_error *err) {
    hr_status status = check_amounts(e, err);
    if (!status) status = hr_statistics_check_shared(e->schema, err);
    if (!status) status = hr_budget_grant(e->epsilon, e->delta, HR_PRIVACY_GDP, out, err);
    const hr_statistics lines = statistics_of(e->schema);
    for (size_t i = 0; i < lines.count && !status; i++) {
        hr_charge charge = hr_statistics_charge(&lines, out, i);
        status = hr_charge_check_share(out->privacy_measure, &charge, honest_shares(e), err);
    }
    return status;
}

size_t hr_shared_evaluation_lines(const hr_shared_evaluation *e, const hr_budget *budget,
                                  hr_charge charges[HR_STATISTICS_MAX], size_t counts[HR_STATISTICS_MAX]) {
    const hr_statistics lines = statistics_of(e->schema);
    for (size_t i = 0; i < lines.count; i++) {
        charges[i] = hr_statistics_charge(&lines, budget, i);
        counts[i] = hr_statistics_cells(&lines, i);
    }
    return lines.count;
}

/* ---- An owner ---- */

hr_status hr_shared_evaluation_count(const hr_shared_evaluation *e, const hr_data *data, hr_exact *out,
                                     hr_error *err) {
    hr_comparison c = {0};
    uint32_t cuts[SHARED_BINS];
    const hr_column *label = hr_schema_label(e->schema);
    const hr_statistics lines = statistics_of(e->schema);
    c.outputs = hr_model_output_count(e->model);
    hr_status status = hr_data_rows(data) > 0 ? hr_comparison_make(e->model, data, 0, &c, err) : HR_OK;
    if (status) return status;
    uint32_t *decided;
    status = hr_comparison_decide(&c, NULL, &decided, err);
    for (uint32_t b = 1; b < SHARED_BINS; b++) cuts[b - 1] = b << (HR_SCORE_GRID_BITS - SHARED_BIN_BITS);
    const hr_scored scored = {.rows = c.rows,
                              .outputs = c.outputs,
                              .predicted = c.predicted,
                              .labels = c.labels,
                              .decided = decided,
                              .cuts = cuts,
                              .cut_count = SHARED_BINS - 1,
                              .bins = SHARED_BINS,
                              .range = label->high - label->low,
                              .quantiles = label->quantiles,
                              .covered = hr_covered_of(label)};
    for (size_t i = 0, at = 0; i < lines.count && !status; at += hr_statistics_cells(&lines, i++))
        lines.rows[i].count(&scored, out + at);
    hr_comparison_free(&c);
    free(decided);
    return status;
}

/* ---- The sum of all answers ---- */

/* The noise is that of all owners' shares. */
static void scale_sums(const hr_shared_evaluation *e, const hr_budget *budget, const hr_noisy *sums,
                       double *values, hr_statistic_sums *out) {
    const hr_statistics lines = statistics_of(e->schema);
    double more = sqrt((double)e->members / (double)honest_shares(e));
    out->bins = lines.bins;
    for (size_t i = 0, at = 0; i < lines.count; at += hr_statistics_cells(&lines, i++)) {
        out->of[i] = values + at;
        for (size_t c = 0; c < hr_statistics_cells(&lines, i); c++)
            out->of[i][c] = (double)sums[at + c].paid / lines.rows[i].unit;
        out->noise[i] = more * hr_statistics_noise(&lines, budget, i);
    }
}

static void state_shared(const hr_shared_evaluation *e, const hr_budget *budget, hr_evaluation *out) {
    char amounts[4][HR_AMOUNT_TEXT];
    hr_statistics_state(budget, out, amounts);
    snprintf(
        out->statement, sizeof out->statement,
        "The figures are (%s, %s)-differentially private for adding or removing one record of one of the "
        "%zu owners' tables (%s, %s for replacing one), also if %zu of the owners add no noise and tell "
        "what they know, as long as X25519, BLAKE2b, ChaCha20 and Ed25519 hold. A person with records at two "
        "owners pays at both. What the model says of "
        "records that it was trained on is spent by the model.",
        amounts[0], amounts[1], e->members, amounts[2], amounts[3], e->members - (size_t)honest_shares(e));
}

hr_status hr_shared_evaluation_result(const hr_shared_evaluation *e, const hr_noisy *sums,
                                      const hr_gate *charges, hr_evaluation *out, hr_error *err) {
    hr_budget budget;
    hr_evaluation made = {0};
    const hr_statistics lines = statistics_of(e->schema);
    hr_statistic_sums scaled = {0};
    hr_status status = hr_shared_evaluation_check(e, &budget, err);
    if (status) return status;
    double *values = calloc(hr_shared_evaluation_values(e->schema), sizeof *values);
    if (!values) return hr_fail_memory(err);
    scale_sums(e, &budget, sums, values, &scaled);
    hr_statistics_figures(&lines, &budget, &scaled, &made);
    state_shared(e, &budget, &made);
    hr_statistics_list(charges, &made);
    *out = made;
    free(values);
    return HR_OK;
}
