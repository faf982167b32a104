/* What tells of predicted quantiles. */
#include "models/model/model.h"

#include <math.h>

void hr_metrics_add_quantiles(const double *quantiles, const hr_comparison *c, hr_metrics *out) {
    const size_t last = c->outputs - 1;
    double inside = 0, width = 0;
    for (size_t k = 0; k < HR_QUANTILES_MAX; k++) out->pinball[k] = (double)NAN;
    out->coverage = out->width = (double)NAN;
    if (!quantiles) return;
    for (size_t k = 0; k <= last; k++) out->pinball[k] = 0;
    for (size_t i = 0; i < c->rows; i++) {
        const double *p = c->predicted + i * c->outputs, y = c->labels[i],
                     weight = hr_comparison_weight(c, i);
        for (size_t k = 0; k <= last; k++)
            out->pinball[k] +=
                weight * fmax(quantiles[k] * (y - p[k]), (quantiles[k] - 1) * (y - p[k])) / out->weight;
        inside += p[0] <= y && y <= p[last] ? weight : 0;
        width += weight * (p[last] - p[0]);
    }
    if (!last) return;
    out->coverage = inside / out->weight;
    out->width = width / out->weight;
}
