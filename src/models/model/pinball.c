/* What tells of predicted quantiles. */
#include "models/model/model.h"

#include <math.h>

/* Which part of the labels is between two quantiles, and the mean distance of these. */
static void add_interval(const hr_comparison *c, const size_t ends[2], double weights, double *coverage,
                         double *width) {
    *coverage = *width = 0;
    for (size_t i = 0; i < c->rows; i++) {
        const double low = c->predicted[i * c->outputs + ends[0]], y = c->labels[i],
                     high = c->predicted[i * c->outputs + ends[1]], weight = hr_comparison_weight(c, i);
        *coverage += low <= y && y <= high ? weight : 0;
        *width += weight * (high - low);
    }
    *coverage /= weights;
    *width /= weights;
}

void hr_metrics_add_quantiles(const double *quantiles, const hr_comparison *c, hr_metrics *out) {
    const size_t last = c->outputs - 1;
    for (size_t k = 0; k < HR_QUANTILES_MAX; k++) out->pinball[k] = (double)NAN;
    out->coverage = out->width = out->interval_coverage = out->interval_width = (double)NAN;
    if (!quantiles) return;
    for (size_t k = 0; k <= last; k++) out->pinball[k] = 0;
    for (size_t i = 0; i < c->rows; i++) {
        const double *p = c->predicted + i * c->outputs, y = c->labels[i],
                     weight = hr_comparison_weight(c, i);
        for (size_t k = 0; k <= last; k++)
            out->pinball[k] +=
                weight * fmax(quantiles[k] * (y - p[k]), (quantiles[k] - 1) * (y - p[k])) / out->weight;
    }
    if (last) add_interval(c, (const size_t[]){0, last}, out->weight, &out->coverage, &out->width);
}

void hr_metrics_add_interval(const hr_conformal *conformal, const hr_comparison *c, hr_metrics *out) {
    const size_t *ends = conformal->ends;
    if (!conformal->made || (ends[0] == 0 && ends[1] + 1 == c->outputs)) return;
    add_interval(c, ends, out->weight, &out->interval_coverage, &out->interval_width);
}
