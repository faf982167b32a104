/* Ratios of noisy sums. Their noise is that of the linear approximation around the released values; what has
 * a denominator that the noise may have made is not given. Figures are written as JSON, on a line of its own.
 */
#include "fit/measure/evaluation_figures.h"

#include "base/buffer.h"
#include "base/text/number.h"
#include "trees/candidates/evaluation_counts.h"

#include <hedgerow/amount.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Denominators are known if they are so many standard deviations of their noise above 0. */
static const double KNOWN = 4;

/* 95 % of normal noise is within so many standard deviations; and of Laplace noise within ln(20)/sqrt(2).
 * Sums of several Laplace noises are closer to normal ones. */
static const double NORMAL = 1.96, LAPLACE = 2.12;

bool hr_estimate_is_known(hr_estimate e) {
    return e.value > 0 && e.value >= KNOWN * e.noise;
}

static double within(double value, double low, double high) {
    return fmin(fmax(value, low), high);
}

void hr_evaluation_add_figure(const hr_evaluation_sums *sums, const char *name, hr_estimate e, double max,
                              hr_evaluation *out) {
    double factor = sums->privacy_measure == HR_PRIVACY_PURE ? LAPLACE : NORMAL;
    hr_figure figure = {"", e.value, e.noise, 0, max};
    snprintf(figure.name, sizeof figure.name, "%s", name);
    if (!isnan(e.value)) {
        figure.value = within(e.value, 0, max);
        figure.low = within(e.value - factor * e.noise, 0, max);
        figure.high = within(e.value + factor * e.noise, 0, max);
    }
    out->figures[out->figure_count++] = figure;
}

/* ---- Classes ---- */

static hr_estimate error_of(const hr_evaluation_sums *sums, hr_estimate all) {
    if (!hr_estimate_is_known(all)) return HR_ESTIMATE_UNKNOWN;
    double wrong = 0;
    for (size_t k = 0; k < sums->classes; k++) wrong += sums->outcomes[2 * k];
    double error = wrong / all.value;
    double slope = sqrt((double)sums->classes * ((1 - error) * (1 - error) + error * error));
    return (hr_estimate){error, slope * sums->outcome_noise / all.value};
}

hr_estimate hr_estimate_of_mean(double sum, double noise, hr_estimate records) {
    if (!hr_estimate_is_known(records)) return HR_ESTIMATE_UNKNOWN;
    double mean = sum / records.value;
    return (hr_estimate){mean, hypot(noise, mean * records.noise) / records.value};
}

/* Records of each class in the score bins. */
static void count_classes(const hr_evaluation_sums *sums, hr_estimate classes[2]) {
    for (size_t k = 0; k < 2; k++) {
        classes[k] = (hr_estimate){0, sums->score_noise * sqrt((double)sums->score_bins)};
        for (size_t b = 0; b < sums->score_bins; b++) classes[k].value += sums->scores[2 * b + k];
    }
}

/* The part of (negative, positive) pairs in which the positive record has the larger score, a tie of bins
 * counting half. Its derivative by a cell is (part of the other class that the cell beats - area)/records of
 * its class; to its noise comes that of the products of two noises. */
static hr_estimate area_of(const hr_evaluation_sums *sums) {
    hr_estimate classes[2];
    count_classes(sums, classes);
    if (!hr_estimate_is_known(classes[0]) || !hr_estimate_is_known(classes[1])) return HR_ESTIMATE_UNKNOWN;
    double below = 0, area = 0, wins[2 * HR_SCORE_BINS_MAX], negatives = classes[0].value,
           positives = classes[1].value, above = positives;
    for (size_t b = 0; b < sums->score_bins; b++) {
        double no = sums->scores[2 * b], yes = sums->scores[2 * b + 1];
        wins[2 * b] = (above - yes / 2) / positives;
        wins[2 * b + 1] = (below + no / 2) / negatives;
        area += yes / positives * wins[2 * b + 1];
        below += no;
        above -= yes;
    }
    double square = 0, noise = sums->score_noise, bins = (double)sums->score_bins;
    for (size_t c = 0; c < 2 * sums->score_bins; c++) {
        double slope = (wins[c] - area) / (c % 2 ? positives : negatives);
        square += slope * slope;
    }
    double pairs = bins * (bins - .5) / 2;
    square += pairs * noise * noise / (positives * positives * negatives * negatives);
    return (hr_estimate){area, noise * sqrt(square)};
}

static void class_figures(const hr_evaluation_sums *sums, hr_evaluation *out) {
    hr_estimate all = {0, sums->outcome_noise * sqrt(2 * (double)sums->classes)};
    for (size_t c = 0; c < 2 * sums->classes; c++) all.value += sums->outcomes[c];
    hr_evaluation_add_figure(sums, "records", all, HUGE_VAL, out);
    hr_evaluation_add_figure(sums, "error", error_of(sums, all), 1, out);
    if (sums->scores) hr_evaluation_add_figure(sums, "auc", area_of(sums), 1, out);
    hr_evaluation_add_figure(sums, "logloss", hr_estimate_of_mean(*sums->loss, sums->loss_noise, all),
                             HR_LOSS_MAX, out);
}

/* ---- Numbers ---- */

static double root_of(double square) {
    return sqrt(fmax(square, 0));
}

/* The interval is that of the mean square; so is the noise, where the root is near 0. */
static void add_root(const hr_evaluation_sums *sums, hr_estimate square, hr_evaluation *out) {
    hr_figure *figure = &out->figures[out->figure_count];
    hr_evaluation_add_figure(sums, "rmse", square, 1, out);
    figure->noise = sums->range * square.noise / (2 * root_of(fmax(square.value, square.noise)));
    if (!isnan(figure->value)) figure->value = sums->range * root_of(figure->value);
    figure->low = sums->range * root_of(figure->low);
    figure->high = sums->range * root_of(figure->high);
}

static void number_figures(const hr_evaluation_sums *sums, hr_evaluation *out) {
    hr_estimate records = {*sums->records, sums->record_noise};
    hr_estimate miss = hr_estimate_of_mean(*sums->misses, sums->miss_noise, records);
    hr_evaluation_add_figure(sums, "records", records, HUGE_VAL, out);
    add_root(sums, hr_estimate_of_mean(*sums->squares, sums->square_noise, records), out);
    hr_evaluation_add_figure(sums, "mae", (hr_estimate){sums->range * miss.value, sums->range * miss.noise},
                             sums->range, out);
}

void hr_evaluation_figures(const hr_evaluation_sums *sums, hr_evaluation *out) {
    out->task = sums->task;
    out->figure_count = 0;
    if (sums->task == HR_TASK_SURVIVAL)
        hr_time_figures(sums, out);
    else if (sums->task == HR_TASK_QUANTILES)
        hr_quantile_figures(sums, out);
    else
        (hr_task_has_classes(sums->task) ? class_figures : number_figures)(sums, out);
}

/* ---- As JSON ---- */

typedef struct json_member {
    const char *name;
    double value;
} json_member;

/* JSON has no NaN: null stands for it. */
static void write_members(hr_buffer *b, const json_member *members, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[HR_NUMBER_TEXT] = "null";
        if (isfinite(members[i].value)) hr_number_text(members[i].value, text);
        hr_buffer_format(b, "%s\"%s\": %s", i ? ", " : "", members[i].name, text);
    }
}

static void write_figure(hr_buffer *b, const hr_figure *figure) {
    const json_member members[] = {
        {"value", figure->value}, {"noise", figure->noise}, {"low", figure->low}, {"high", figure->high}};
    hr_buffer_format(b, "\"%s\": {", figure->name);
    write_members(b, members, 4);
    hr_buffer_text(b, "}");
}

static void write_release(hr_buffer *b, const hr_release_info *release) {
    hr_buffer_format(b, "{\"what\": \"%s\", \"mechanism\": \"%s\", \"sensitivity\": %" PRIu64 ", ",
                     release->what, release->mechanism, release->sensitivity);
    write_members(b, (json_member[]){{"scale", release->scale}, {"cost", release->cost}}, 2);
    hr_buffer_format(b, ", \"draws\": %" PRIu64 "}", release->draws);
}

/* Names, what was released and the statement are texts of this program: nothing in them needs escaping. */
hr_status hr_evaluation_render(const hr_evaluation *e, char **text, hr_error *err) {
    hr_buffer b = {0};
    hr_buffer_text(&b, "{\"exact\": false, \"figures\": {");
    for (size_t i = 0; i < e->figure_count; i++) {
        if (i) hr_buffer_text(&b, ", ");
        write_figure(&b, &e->figures[i]);
    }
    hr_buffer_text(&b, "}, ");
    for (size_t i = 0; i < e->edge_count; i++) {
        char edge[HR_NUMBER_TEXT];
        hr_number_text(e->edges[i], edge);
        hr_buffer_format(&b, "%s%s%s", i ? ", " : "\"edges\": [", edge, i + 1 < e->edge_count ? "" : "], ");
    }
    char delta[HR_AMOUNT_TEXT], delta_replace[HR_AMOUNT_TEXT];
    hr_spent_text(e->delta, delta);
    hr_spent_text(e->delta_replace, delta_replace);
    const json_member budget[] = {{"epsilon", e->epsilon}, {"epsilon_replace", e->epsilon_replace}};
    write_members(&b, budget, 2);
    hr_buffer_format(&b, ", \"delta\": %s, \"delta_replace\": %s", delta, delta_replace);
    hr_buffer_format(&b, ", \"statement\": \"%s\", \"releases\": [", e->statement);
    for (size_t i = 0; i < e->release_count; i++) {
        if (i) hr_buffer_text(&b, ", ");
        write_release(&b, &e->releases[i]);
    }
    hr_buffer_text(&b, "]}\n");
    return hr_buffer_take(&b, text, err);
}
