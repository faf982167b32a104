/* Times to an event: what is predicted from scores, and how good that is. */
#include "models/model/survival.h"

#include "base/arena.h"
#include "base/fail.h"
#include "models/model/survival_metrics.h"
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

/* Room for what the measures read of the records; in an arena, NULL where memory was short. */
typedef struct compared_times {
    double *times, *risks, *survival, *brier, *weights;
    uint8_t *events;
} compared_times;

static bool take_times(const hr_column *label, const hr_comparison *c, hr_arena *arena, compared_times *t) {
    const size_t count = label->interval_count;
    t->times = hr_arena_alloc(arena, c->rows, sizeof *t->times);
    t->risks = hr_arena_alloc(arena, c->rows, sizeof *t->risks);
    t->survival = hr_arena_alloc(arena, c->rows * count, sizeof *t->survival);
    t->brier = hr_arena_alloc(arena, count, sizeof *t->brier);
    t->events = hr_arena_alloc(arena, c->rows, sizeof *t->events);
    t->weights = hr_arena_alloc(arena, c->rows, sizeof *t->weights);
    if (!t->weights || !t->times || !t->risks || !t->survival || !t->brier || !t->events) return false;
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

hr_status hr_survival_compare(const hr_column *label, const hr_comparison *c, hr_metrics *out,
                              hr_error *err) {
    const size_t count = label->interval_count;
    const double *cuts = label->intervals;
    hr_metrics m = {.rows = c->rows, .task = c->task};
    m.error = m.auc = m.ece = m.rmse = m.mae = m.r2 = m.deviance = (double)NAN;
    hr_arena *arena = hr_arena_new();
    compared_times t = {0};
    hr_status status = arena && take_times(label, c, arena, &t) ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_comparison_total(c, &m.weight, err);
    const hr_followed_records records = {
        .count = c->rows, .times = t.times, .events = t.events, .weights = t.weights};
    const hr_survival_curves curves = {cuts, count, t.survival};
    if (!status) status = hr_survival_log_loss(&records, &curves, &m.logloss, err);
    if (!status) status = hr_concordance(&records, t.risks, &m.concordance, err);
    if (!status) status = hr_concordance_uno(&records, t.risks, cuts[count - 1], &m.concordance_uno, err);
    if (!status) status = hr_brier_scores(&records, &curves, t.brier, err);
    if (!status) {
        m.brier = hr_brier_integrated(cuts, t.brier, count);
        *out = m;
    }
    hr_arena_free(arena);
    return status;
}
