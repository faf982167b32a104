#include "methods/survival/life_table.h"

#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdbool.h>

static const double NORMAL_95 = 1.959963984540054;

/* Of one interval: who was at risk and who had the event. A record that was censored in it counts half: on
 * average it was followed for half of it. */
typedef struct life_row {
    double at_risk, events;
    bool known;
} life_row;

static bool is_event_in(size_t code, size_t interval) {
    return hr_survival_event(code) && hr_survival_survived(code) == interval;
}

static life_row row_of(const double *counts, size_t intervals, double deviation, size_t interval) {
    double at_risk = 0, squares = 0;
    for (size_t code = 0; code < hr_survival_codes(intervals); code++) {
        const double part = hr_survival_part_at_risk(code, interval);
        at_risk += part * counts[code];
        squares += part * part;
    }
    const double noise = deviation * sqrt(squares);
    return (life_row){at_risk, counts[2 * interval + 1], at_risk >= fmax(1, 2 * noise)};
}

/* Variance of the logarithm of the curve at the end of the last of `rows`: Greenwood's, and that of the
 * noise, by the first derivatives with respect to the counts. */
static double log_variance(const life_row *rows, size_t last, size_t intervals, double deviation) {
    double sampling = 0, noise = 0;
    for (size_t k = 0; k <= last; k++)
        sampling += rows[k].events / (rows[k].at_risk * (rows[k].at_risk - rows[k].events));
    for (size_t code = 0; code < hr_survival_codes(intervals); code++) {
        double slope = 0;
        for (size_t k = 0; k <= last; k++) {
            const double part = hr_survival_part_at_risk(code, k), survived = part - is_event_in(code, k);
            slope += survived / (rows[k].at_risk - rows[k].events) - part / rows[k].at_risk;
        }
        noise += slope * slope;
    }
    return sampling + deviation * deviation * noise;
}

/* The nearest values that do not increase, by least squares: no farther from a curve than they were, since no
 * curve increases (pools of adjacent violators). */
static void pool(double *values, size_t count) {
    size_t sizes[HR_INTERVALS_MAX], pools = 0;
    double means[HR_INTERVALS_MAX];
    for (size_t k = 0; k < count; k++) {
        means[pools] = values[k];
        sizes[pools++] = 1;
        for (; pools > 1 && means[pools - 1] > means[pools - 2]; pools--) {
            const size_t both = sizes[pools - 2] + sizes[pools - 1];
            means[pools - 2] =
                (means[pools - 2] * (double)sizes[pools - 2] + means[pools - 1] * (double)sizes[pools - 1]) /
                (double)both;
            sizes[pools - 2] = both;
        }
    }
    for (size_t p = 0, k = 0; p < pools; p++)
        for (size_t i = 0; i < sizes[p]; i++) values[k++] = means[p];
}

static double within(double value) {
    return fmin(fmax(value, 0), 1);
}

size_t hr_life_table(const double *counts, size_t intervals, double deviation, hr_life_interval *out) {
    double raw = 1, curve[HR_INTERVALS_MAX], likely = 1;
    life_row rows[HR_INTERVALS_MAX];
    size_t told = 0;
    for (size_t k = 0; k < intervals; k++) {
        rows[k] = row_of(counts, intervals, deviation, k);
        const bool known = told == k && rows[k].known;
        told += known;
        if (known) raw *= fmax(1 - rows[k].events / rows[k].at_risk, 0);
        curve[k] = raw;
        if (!known) {
            out[k] = (hr_life_interval){.low = 0, .high = k ? out[k - 1].high : 1};
            continue;
        }
        /* At least one survives, so that a band is left at its end. */
        rows[k].events = fmin(fmax(rows[k].events, 0), rows[k].at_risk - 1);
        likely *= 1 - rows[k].events / rows[k].at_risk;
        const double half = NORMAL_95 * likely * sqrt(log_variance(rows, k, intervals, deviation));
        out[k] = (hr_life_interval){.low = within(raw - half), .high = within(raw + half)};
    }
    pool(curve, intervals);
    for (size_t k = 0; k < intervals; k++) {
        out[k].survival = within(curve[k]);
        out[k].low = fmin(out[k].low, out[k].survival);
        out[k].high = fmax(out[k].high, out[k].survival);
    }
    return told;
}
