/* The sensitivities are those that evaluation_counts.proof.md proves. */
#include "fit/measure/statistics.h"

#include "base/fail.h"
#include "fit/measure/evaluation_figures.h"
#include "models/model/model.h"
#include "privacy/gate.h"
#include "privacy/noise.h"
#include "tables/schema/schema.h"
#include "tables/schema/survival_code.h"

/* ---- The table ---- */

static const hr_statistic number_rows[] = {
    {"records", hr_scored_records, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, HR_CELLS_ONE},
    {"squares of misses", hr_scored_squares, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, HR_CELLS_ONE},
    {"misses", hr_scored_misses, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, HR_CELLS_ONE},
};
/* More than two classes: without the last row. */
static const hr_statistic class_rows[] = {
    {"outcomes by class", hr_scored_outcomes, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, HR_CELLS_BY_CLASS},
    {"losses", hr_scored_loss, HR_LOSS_SENSITIVITY, 1 << HR_LOSS_BITS, HR_CELLS_ONE},
    {"scores by class", hr_scored_scores, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, HR_CELLS_BY_BIN},
};

static const hr_statistic time_rows[] = {
    {"times by group", hr_scored_codes, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, HR_CELLS_BY_CODE},
    {"survival by group", hr_scored_survival, HR_MISS_SENSITIVITY, 1 << HR_MISS_BITS, HR_CELLS_BY_GROUP},
    {"losses", hr_scored_code_loss, HR_LOSS_SENSITIVITY, 1 << HR_LOSS_BITS, HR_CELLS_ONE},
};

/* Of one quantile: without the last row. */
static const hr_statistic quantile_rows[] = {
    {"labels by intervals", hr_scored_covered, HR_COUNT_SENSITIVITY, HR_COUNT_UNIT, HR_CELLS_BY_COVER},
    {"pinball losses", hr_scored_pinball, 0, 1 << HR_MISS_BITS, HR_CELLS_BY_QUANTILE},
    {"widths", hr_scored_widths, 0, 1 << HR_MISS_BITS, HR_CELLS_BY_INTERVAL},
};

hr_status hr_statistics_check_shared(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) != HR_TASK_SURVIVAL) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "evaluate at each owner, for its own eyes or with its own budget",
            "owners release no figures of times to an event together");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_label(schema)->name);
}

hr_statistics hr_statistics_of(const hr_schema *schema, size_t bins, const hr_statistic_shares *shares) {
    hr_statistics s = {.schema = schema,
                       .task = hr_schema_task(schema),
                       .classes = hr_schema_label(schema)->value_count,
                       .codes = hr_survival_codes(hr_schema_label(schema)->interval_count),
                       .bins = bins,
                       .rows = class_rows,
                       .shares = shares->classes,
                       .count = 2};
    if (s.task == HR_TASK_BINARY) s.shares = shares->two_classes, s.count = 3;
    if (!hr_task_has_classes(s.task)) s.rows = number_rows, s.shares = shares->numbers, s.count = 3;
    if (s.task == HR_TASK_SURVIVAL) s.rows = time_rows, s.shares = shares->times;
    if (s.task == HR_TASK_QUANTILES) {
        s.rows = quantile_rows, s.shares = shares->quantiles;
        s.covered = hr_covered_of(hr_schema_label(schema)).count;
        if (!s.covered) s.shares = shares->one_quantile, s.count = 2;
    }
    return s;
}

bool hr_statistics_has_scores(const hr_statistics *s) {
    return s->task == HR_TASK_BINARY || s->task == HR_TASK_SURVIVAL;
}

size_t hr_statistics_cells(const hr_statistics *s, size_t row) {
    switch (s->rows[row].cells) {
    case HR_CELLS_BY_CLASS: return 2 * s->classes;
    case HR_CELLS_BY_BIN: return 2 * s->bins;
    case HR_CELLS_BY_CODE: return s->codes * s->bins;
    case HR_CELLS_BY_GROUP: return s->bins;
    case HR_CELLS_BY_COVER: return s->covered + 1;
    case HR_CELLS_BY_QUANTILE: return hr_schema_label(s->schema)->quantile_count;
    case HR_CELLS_BY_INTERVAL: return s->covered;
    case HR_CELLS_ONE: break;
    }
    return 1;
}

/* ---- Cost and noise ---- */

/* A record of quantiles adds to all sums of a row. */
static uint64_t sensitivity_of(const hr_statistics *s, const hr_budget *budget, size_t row) {
    const hr_column *label = hr_schema_label(s->schema);
    const bool length = budget->privacy_measure != HR_PRIVACY_PURE;
    if (s->rows[row].sensitivity) return s->rows[row].sensitivity;
    return (s->rows[row].cells == HR_CELLS_BY_QUANTILE ? hr_scored_pinball_sensitivity
                                                       : hr_scored_width_sensitivity)(label, length);
}

hr_charge hr_statistics_charge(const hr_statistics *s, const hr_budget *budget, size_t row) {
    const hr_release_scope scope = {.tree = -1, .group = row};
    return hr_scope_charge(&scope, s->rows[row].what, -1, hr_units_share(budget->units, s->shares[row]),
                           sensitivity_of(s, budget, row));
}

double hr_statistics_noise(const hr_statistics *s, const hr_budget *budget, size_t row) {
    hr_charge charge = hr_statistics_charge(s, budget, row);
    return hr_noise_deviation(budget->privacy_measure, charge.cost, (double)charge.sensitivity) /
           s->rows[row].unit;
}

/* ---- The result ---- */

void hr_statistics_figures(const hr_statistics *s, const hr_budget *budget, const hr_statistic_sums *released,
                           hr_evaluation *out) {
    const hr_column *label = hr_schema_label(s->schema);
    double *const *of = released->of;
    const double *noise = released->noise;
    hr_evaluation_sums sums = {.task = s->task,
                               .classes = s->classes,
                               .range = label->high - label->low,
                               .privacy_measure = budget->privacy_measure};
    if (s->task == HR_TASK_SURVIVAL) {
        sums.intervals = label->interval_count;
        sums.codes = of[0], sums.code_noise = noise[0];
        sums.survival = of[1], sums.survival_noise = noise[1];
        sums.loss = of[2], sums.loss_noise = noise[2];
        sums.score_bins = released->bins;
    } else if (s->task == HR_TASK_QUANTILES) {
        sums.label = label;
        sums.covered = of[0], sums.cover_noise = noise[0];
        sums.pinball = of[1], sums.pinball_noise = noise[1];
        sums.widths = of[2], sums.width_noise = noise[2];
    } else if (!hr_task_has_classes(s->task)) {
        sums.records = of[0], sums.record_noise = noise[0];
        sums.squares = of[1], sums.square_noise = noise[1];
        sums.misses = of[2], sums.miss_noise = noise[2];
    } else {
        sums.outcomes = of[0], sums.outcome_noise = noise[0];
        sums.loss = of[1], sums.loss_noise = noise[1];
    }
    if (s->task == HR_TASK_BINARY)
        sums.scores = of[2], sums.score_noise = noise[2], sums.score_bins = released->bins;
    hr_evaluation_figures(&sums, out);
}

void hr_statistics_state(const hr_budget *budget, hr_evaluation *out, char amounts[4][HR_AMOUNT_TEXT]) {
    hr_guarantee guarantee;
    hr_guarantee_of(budget->units, budget->privacy_measure, budget->delta, &guarantee);
    out->epsilon = budget->epsilon;
    out->delta = budget->delta;
    out->epsilon_replace = guarantee.epsilon_replace;
    out->delta_replace = guarantee.delta_replace;
    hr_spent_text(out->epsilon, amounts[0]);
    hr_spent_text(out->delta, amounts[1]);
    hr_spent_text(out->epsilon_replace, amounts[2]);
    hr_spent_text(out->delta_replace, amounts[3]);
}

void hr_statistics_list(const hr_gate *gate, hr_evaluation *out) {
    const hr_release *releases = hr_gate_releases(gate, &out->release_count);
    for (size_t i = 0; i < out->release_count; i++) out->releases[i] = hr_release_info_of(&releases[i]);
}
