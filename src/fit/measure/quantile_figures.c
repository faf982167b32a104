/* Figures of quantiles from released sums: the pinball loss of each, and of intervals between two of them
 * which part of the labels is in it and how wide it is. */
#include "fit/measure/evaluation_figures.h"
#include "fit/measure/statistics.h"
#include "trees/candidates/evaluation_counts.h"

#include <stdio.h>

/* A record is in one of `cells` counts; the last `inside` of them are of labels in the interval. */
static hr_estimate part_inside(const hr_evaluation_sums *sums, size_t cells, size_t inside,
                               hr_estimate records) {
    if (!hr_estimate_is_known(records)) return HR_ESTIMATE_UNKNOWN;
    double sum = 0;
    for (size_t d = cells - inside; d < cells; d++) sum += sums->covered[d];
    const double part = sum / records.value, in = (double)inside, out = (double)(cells - inside);
    const double slope = sqrt(in * (1 - part) * (1 - part) + out * part * part);
    return (hr_estimate){part, slope * sums->cover_noise / records.value};
}

static hr_estimate in_range(hr_estimate e, double range) {
    return (hr_estimate){range * e.value, range * e.noise};
}

/* The outer one has plain names, others that of what they are to cover. */
static void name_figure(const hr_column *label, const size_t ends[2], const char *what, bool is_outer,
                        char name[HR_FIGURE_NAME]) {
    const double covers = label->quantiles[ends[1]] - label->quantiles[ends[0]];
    if (is_outer)
        snprintf(name, HR_FIGURE_NAME, "%s", what);
    else
        snprintf(name, HR_FIGURE_NAME, "%s_%.10g", what, covers);
}

void hr_quantile_figures(const hr_evaluation_sums *sums, hr_evaluation *out) {
    const hr_column *label = sums->label;
    const hr_covered covered = hr_covered_of(label);
    const size_t cells = covered.count + 1;
    char name[HR_FIGURE_NAME];
    hr_estimate records = {0, sums->cover_noise * sqrt((double)cells)};
    for (size_t d = 0; d < cells; d++) records.value += sums->covered[d];
    hr_evaluation_add_figure(sums, "records", records, HUGE_VAL, out);
    for (size_t k = 0; k < label->quantile_count; k++) {
        const double q = label->quantiles[k];
        char of[HR_QUANTILE_NAME];
        hr_quantile_name(q, of);
        snprintf(name, sizeof name, "pinball_%s", of);
        const hr_estimate loss = hr_estimate_of_mean(sums->pinball[k], sums->pinball_noise, records);
        hr_evaluation_add_figure(sums, name, in_range(loss, sums->range), sums->range * fmax(q, 1 - q), out);
    }
    for (size_t k = 0; k < covered.count; k++) {
        const hr_estimate width = hr_estimate_of_mean(sums->widths[k], sums->width_noise, records);
        name_figure(label, covered.ends[k], "coverage", k == 0, name);
        hr_evaluation_add_figure(sums, name, part_inside(sums, cells, covered.count - k, records), 1, out);
        name_figure(label, covered.ends[k], "width", k == 0, name);
        hr_evaluation_add_figure(sums, name, in_range(width, sums->range), sums->range, out);
    }
}

/* Intervals cover what they are to, and are as wide in the label's range; losses are a twentieth of it. */
void hr_quantiles_invent(const hr_statistics *s, double records, hr_statistic_sums *sums) {
    const hr_column *label = hr_schema_label(s->schema);
    const hr_covered covered = hr_covered_of(label);
    double rest = records;
    for (size_t k = covered.count; k-- > 0;) {
        const size_t *ends = covered.ends[k];
        sums->of[2][k] = records * (label->quantiles[ends[1]] - label->quantiles[ends[0]]);
        sums->of[0][k + 1] = fmax(sums->of[2][k] - (records - rest), 0);
        rest -= sums->of[0][k + 1];
    }
    sums->of[0][0] = rest;
    for (size_t k = 0; k < label->quantile_count; k++) sums->of[1][k] = .05 * records;
}
