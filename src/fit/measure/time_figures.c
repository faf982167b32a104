/* Figures of times of events from released counts: groups of records by predicted survival, and in each how
 * many had their event, were censored or survived by intervals. Noise is that of the linear approximation
 * around the released values. */
#include "fit/measure/evaluation_figures.h"
#include "fit/measure/statistics.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/evaluation_counts.h"

static const char *const predicted_names[HR_TIME_GROUPS] = {"predicted_1", "predicted_2", "predicted_3",
                                                            "predicted_4", "predicted_5", "predicted_6",
                                                            "predicted_7", "predicted_8"};
static const char *const observed_names[HR_TIME_GROUPS] = {"observed_1", "observed_2", "observed_3",
                                                           "observed_4", "observed_5", "observed_6",
                                                           "observed_7", "observed_8"};

static size_t codes_of(const hr_evaluation_sums *sums) {
    return hr_survival_codes(sums->intervals);
}

/* ---- Concordance ---- */

/* By group and interval: who had the event there, and who is known to have survived it. */
typedef struct known_order {
    double events[HR_TIME_GROUPS][HR_INTERVALS_MAX], later[HR_TIME_GROUPS][HR_INTERVALS_MAX];
} known_order;

static void find_order(const hr_evaluation_sums *sums, known_order *out) {
    for (size_t g = 0; g < sums->score_bins; g++) {
        const double *counts = sums->codes + g * codes_of(sums);
        double later = counts[2 * sums->intervals];
        for (size_t k = sums->intervals; k-- > 0;) {
            out->events[g][k] = counts[2 * k + 1];
            out->later[g][k] = later;
            later += counts[2 * k] + counts[2 * k + 1];
        }
    }
}

/* What pairs win, and how many there are. */
typedef struct pair_sums {
    double won, all;
} pair_sums;

/* Of an event in group g, interval k, with those that survived it; a pair of one group is half won. */
static pair_sums pairs_before(const known_order *o, size_t groups, size_t g, size_t k) {
    pair_sums p = {0, 0};
    for (size_t h = 0; h < groups; h++) {
        p.won += (h > g ? 1 : h == g ? .5 : 0) * o->later[h][k];
        p.all += o->later[h][k];
    }
    return p;
}

/* Of a record of group h that survived interval k, with the events there. */
static pair_sums pairs_after(const known_order *o, size_t groups, size_t h, size_t k) {
    pair_sums p = {0, 0};
    for (size_t g = 0; g < groups; g++) {
        p.won += (h > g ? 1 : h == g ? .5 : 0) * o->events[g][k];
        p.all += o->events[g][k];
    }
    return p;
}

/* What one record more of that group and code adds. */
static pair_sums slope_of(const known_order *o, const hr_evaluation_sums *sums, size_t g, size_t code) {
    pair_sums slope = {0, 0};
    for (size_t k = 0; k < hr_survival_at_risk(code); k++) {
        const bool is_event = hr_survival_event(code) && k == hr_survival_survived(code);
        const pair_sums p =
            is_event ? pairs_before(o, sums->score_bins, g, k) : pairs_after(o, sums->score_bins, g, k);
        slope.won += p.won;
        slope.all += p.all;
    }
    return slope;
}

/* Of pairs of which the intervals tell whose event came first: the part in which that record is in a group of
 * lower predicted survival; one group counts half. To its noise comes that of the products of two noises. */
static hr_estimate concordance_of(const hr_evaluation_sums *sums) {
    known_order order;
    pair_sums pairs = {0, 0};
    double square = 0, square_of_all = 0, products = 0;
    find_order(sums, &order);
    for (size_t g = 0; g < sums->score_bins; g++)
        for (size_t k = 0; k < sums->intervals; k++) {
            const pair_sums p = pairs_before(&order, sums->score_bins, g, k);
            pairs.won += order.events[g][k] * p.won;
            pairs.all += order.events[g][k] * p.all;
            products += (double)(sums->score_bins * (codes_of(sums) - 2 * k - 2));
        }
    const double part = pairs.won / pairs.all;
    for (size_t g = 0; g < sums->score_bins; g++)
        for (size_t code = 0; code < codes_of(sums); code++) {
            const pair_sums slope = slope_of(&order, sums, g, code);
            square += (slope.won - part * slope.all) * (slope.won - part * slope.all);
            square_of_all += slope.all * slope.all;
        }
    const double noise = sums->code_noise, twice = noise * noise * sqrt(products);
    if (!hr_estimate_is_known((hr_estimate){pairs.all, hypot(noise * sqrt(square_of_all), twice)}))
        return HR_ESTIMATE_UNKNOWN;
    return (hr_estimate){part, hypot(noise * sqrt(square), twice / 2) / pairs.all};
}

/* ---- Observed survival ---- */

/* Until the last cut, by the life table; noise: of each count. */
static hr_estimate observed_survival(const double *counts, size_t intervals, double noise) {
    const size_t codes = hr_survival_codes(intervals);
    double survival = 1, slopes[2 * HR_INTERVALS_MAX + 1] = {0}, square = 0;
    for (size_t k = 0; k < intervals; k++) {
        double at_risk = 0, squares = 0;
        for (size_t c = 0; c < codes; c++) {
            at_risk += hr_survival_part_at_risk(c, k) * counts[c];
            squares += hr_survival_part_at_risk(c, k) * hr_survival_part_at_risk(c, k);
        }
        const double left = at_risk - counts[2 * k + 1];
        if (!hr_estimate_is_known((hr_estimate){at_risk, noise * sqrt(squares)}) || !(left > 0))
            return HR_ESTIMATE_UNKNOWN;
        survival *= left / at_risk;
        for (size_t c = 0; c < codes; c++)
            slopes[c] += (hr_survival_part_at_risk(c, k) - (c == 2 * k + 1)) / left -
                         hr_survival_part_at_risk(c, k) / at_risk;
    }
    for (size_t c = 0; c < codes; c++) square += slopes[c] * slopes[c];
    return (hr_estimate){survival, survival * noise * sqrt(square)};
}

/* ---- All of them ---- */

static hr_estimate records_in(const double *counts, size_t codes, double noise) {
    hr_estimate e = {0, noise * sqrt((double)codes)};
    for (size_t c = 0; c < codes; c++) e.value += counts[c];
    return e;
}

void hr_time_figures(const hr_evaluation_sums *sums, hr_evaluation *out) {
    const size_t codes = codes_of(sums), groups = sums->score_bins;
    double all[2 * HR_INTERVALS_MAX + 1] = {0}, predicted = 0;
    const double root = sqrt((double)groups);
    for (size_t g = 0; g < groups; g++) {
        for (size_t c = 0; c < codes; c++) all[c] += sums->codes[g * codes + c];
        predicted += sums->survival[g];
    }
    const hr_estimate records = records_in(all, codes, root * sums->code_noise);
    hr_evaluation_add_figure(sums, "records", records, HUGE_VAL, out);
    hr_evaluation_add_figure(sums, "interval_concordance", concordance_of(sums), 1, out);
    hr_evaluation_add_figure(sums, "logloss", hr_estimate_of_mean(*sums->loss, sums->loss_noise, records),
                             HR_LOSS_MAX, out);
    hr_evaluation_add_figure(sums, "predicted",
                             hr_estimate_of_mean(predicted, root * sums->survival_noise, records), 1, out);
    hr_evaluation_add_figure(sums, "observed",
                             observed_survival(all, sums->intervals, root * sums->code_noise), 1, out);
    for (size_t g = 0; g < groups; g++) {
        const double *counts = sums->codes + g * codes;
        const hr_estimate of_group = records_in(counts, codes, sums->code_noise);
        hr_evaluation_add_figure(sums, predicted_names[g],
                                 hr_estimate_of_mean(sums->survival[g], sums->survival_noise, of_group), 1,
                                 out);
        hr_evaluation_add_figure(sums, observed_names[g],
                                 observed_survival(counts, sums->intervals, sums->code_noise), 1, out);
    }
}

/* Survivals evenly between 0 and 1; events in all intervals alike, and nobody is censored. */
void hr_times_invent(const hr_statistics *s, double records, hr_statistic_sums *sums) {
    const size_t intervals = s->codes / 2;
    const double in_group = records / (double)s->bins;
    for (size_t g = 0; g < s->bins; g++) {
        const double survival = ((double)g + .5) / (double)s->bins;
        double *codes = sums->of[0] + g * s->codes;
        for (size_t k = 0; k < intervals; k++)
            codes[2 * k + 1] = in_group * (1 - survival) / (double)intervals;
        codes[2 * intervals] = in_group * survival;
        sums->of[1][g] = in_group * survival;
    }
    sums->of[2][0] = records;
}
