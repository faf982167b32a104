/* Times to an event: what is predicted from scores, and how good that is. */
#include "models/model/survival.h"

#include "base/arena.h"
#include "base/fail.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <string.h>

/* ln(1 + exp(x)): -ln(1 - h) of a hazard with log-odds x. */
static double soft_plus(double x) {
    return x > 40 ? x : log1p(exp(x));
}

void hr_survival_write(const hr_column *label, const double *scores, size_t stride, double *out) {
    const size_t count = label->interval_count;
    double cumulative = 0, before = 1, from = 0, median = (double)INFINITY, mean = 0, risk = 0;
    for (size_t k = 0; k < count; k++) {
        const double width = label->intervals[k] - from;
        risk += cumulative += soft_plus(scores[k * stride]);
        const double survival = out[k] = exp(-cumulative);
        if (before > .5 && survival <= .5) median = from + width * (before - .5) / (before - survival);
        mean += width * (before + survival) / 2;
        before = survival;
        from = label->intervals[k];
    }
    out[count] = median;
    out[count + 1] = mean;
    out[count + 2] = risk;
}

/* What the measures read of the records; in an arena, NULL where memory was short. */
typedef struct compared_times {
    double *times, *risks, *survival, *weights;
    uint8_t *events;
} compared_times;

static bool take_times(const hr_column *label, const hr_comparison *c, hr_arena *arena, compared_times *t) {
    const size_t count = label->interval_count;
    t->times = hr_arena_alloc(arena, c->rows, sizeof *t->times);
    t->risks = hr_arena_alloc(arena, c->rows, sizeof *t->risks);
    t->survival = hr_arena_alloc(arena, c->rows * count, sizeof *t->survival);
    t->events = hr_arena_alloc(arena, c->rows, sizeof *t->events);
    t->weights = hr_arena_alloc(arena, c->rows, sizeof *t->weights);
    if (!t->weights || !t->times || !t->risks || !t->survival || !t->events) return false;
    for (size_t i = 0; i < c->rows; i++) {
        const double *predicted = c->predicted + i * c->outputs;
        t->times[i] = hr_label_time(c->labels[i]);
        t->events[i] = hr_label_event(c->labels[i]);
        t->risks[i] = predicted[c->outputs - 1];
        t->weights[i] = hr_comparison_weight(c, i);
        memcpy(t->survival + i * count, predicted, count * sizeof *predicted);
    }
    return true;
}

/* Of the groups whose observed survival is known; NaN: none is. */
static double calibration_error(const hr_survival_group *groups) {
    double sum = 0, weight = 0;
    for (size_t g = 0; g < HR_SURVIVAL_GROUPS; g++) {
        if (!(groups[g].weight > 0) || isnan(groups[g].observed)) continue;
        sum += groups[g].weight * fabs(groups[g].predicted - groups[g].observed);
        weight += groups[g].weight;
    }
    return sum / weight;
}

static hr_status measure_times(const hr_followed_records *records, const hr_survival_curves *curves,
                               const double *risks, size_t cut, hr_survival_evaluation *out, hr_error *err) {
    const double *cuts = curves->cuts, last = cuts[curves->cut_count - 1];
    hr_metrics *m = &out->metrics;
    hr_status status = hr_survival_log_loss(records, curves, &m->logloss, err);
    if (!status) status = hr_concordance(records, risks, &m->concordance, err);
    if (!status) status = hr_concordance_uno(records, risks, last, &m->concordance_uno, err);
    if (!status) status = hr_brier_scores(records, curves, out->brier, err);
    if (!status) status = hr_survival_calibration(records, curves, cut, HR_SURVIVAL_GROUPS, out->groups, err);
    if (status) return status;
    m->brier = hr_brier_integrated(cuts, out->brier, curves->cut_count);
    m->ece = calibration_error(out->groups);
    return HR_OK;
}

/* Calibration is at the cut of that index. */
static hr_status compare_times(const hr_column *label, const hr_comparison *c, size_t cut,
                               hr_survival_evaluation *out, hr_error *err) {
    hr_survival_evaluation made = {.metrics = {.rows = c->rows, .task = c->task},
                                   .cut_count = label->interval_count,
                                   .horizon = label->intervals[cut]};
    hr_metrics *m = &made.metrics;
    m->error = m->auc = m->rmse = m->mae = m->r2 = m->deviance = (double)NAN;
    hr_metrics_add_quantiles(NULL, c, m);
    hr_arena *arena = hr_arena_new();
    compared_times t = {0};
    hr_status status = arena && take_times(label, c, arena, &t) ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_comparison_total(c, &m->weight, err);
    if (!status) {
        const hr_followed_records records = {c->rows, t.times, t.events, t.weights};
        const hr_survival_curves curves = {label->intervals, label->interval_count, t.survival};
        status = measure_times(&records, &curves, t.risks, cut, &made, err);
    }
    if (!status) *out = made;
    hr_arena_free(arena);
    return status;
}

/* The index of a cut; 0 stands for the last one. */
static hr_status find_horizon(const hr_column *label, double horizon, size_t *cut, hr_error *err) {
    if (!label->event)
        return hr_fail(err, HR_E_ARGUMENT, "leave the horizon out",
                       "the model predicts no times of an event: there is no survival at a horizon");
    const size_t count = label->interval_count;
    while (*cut < count && label->intervals[*cut] != horizon) ++*cut;
    if (*cut == count && horizon == 0) --*cut;
    if (*cut < count) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "choose the end of one of the model's intervals, which 'show' lists",
                   "the model says nothing of survival until %g", horizon);
}

hr_status hr_evaluate_survival(const hr_model *model, const hr_data *data, double horizon, int threads,
                               hr_survival_evaluation *out, hr_error *err) {
    const hr_column *label = hr_schema_label(hr_model_schema(model));
    hr_comparison made = {0};
    size_t cut = 0;
    hr_status status = find_horizon(label, horizon, &cut, err);
    if (!status) status = hr_comparison_make(model, data, threads, &made, err);
    if (!status) status = compare_times(label, &made, cut, out, err);
    hr_comparison_free(&made);
    return status;
}
