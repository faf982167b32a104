/* Times to an event: what is predicted from scores, and how good that is. */
#include "models/model/survival.h"

#include "tables/schema/survival_code.h"

#include <math.h>

static const double MIN_PROBABILITY = 1e-15;

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

hr_status hr_survival_compare(const hr_column *label, const hr_comparison *c, hr_metrics *out,
                              hr_error *err) {
    const size_t count = label->interval_count;
    double loss = 0;
    (void)err; /* measures that sort records need memory */
    for (size_t i = 0; i < c->rows; i++) {
        const double *survival = c->predicted + i * c->outputs;
        const size_t code = hr_survival_code(hr_label_time(c->labels[i]), hr_label_event(c->labels[i]),
                                             label->intervals, count),
                     survived = hr_survival_survived(code);
        const double before = survived ? survival[survived - 1] : 1;
        const double likelihood = hr_survival_event(code) ? before - survival[survived] : before;
        loss -= log(fmin(fmax(likelihood, MIN_PROBABILITY), 1));
    }
    hr_metrics m = {.rows = c->rows, .task = c->task, .logloss = loss / (double)c->rows};
    m.error = m.auc = m.ece = m.rmse = m.mae = m.r2 = m.deviance = (double)NAN;
    *out = m;
    return HR_OK;
}
