#include "trees/candidates/evaluation_counts.h"

#include "tables/schema/survival_code.h"

#include <math.h>

void hr_scored_records(const hr_scored *scored, hr_exact *sum) {
    sum->unpaid = HR_COUNT_UNIT * (int64_t)scored->rows;
}

void hr_scored_outcomes(const hr_scored *scored, hr_exact *cells) {
    for (size_t c = 0; c < 2 * scored->outputs; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        size_t label = (size_t)scored->labels[i];
        cells[2 * label + (scored->decided[i] == label)].unpaid += HR_COUNT_UNIT;
    }
}

/* fmin and fmax return the number where the other operand is NaN: always a cell of the grid. */
static size_t grid_cell_of(double probability) {
    double odd = sqrt(probability), even = sqrt(1 - probability);
    double place = ldexp(odd / (odd + even), HR_SCORE_GRID_BITS);
    return (size_t)fmin(fmax(place, 0), (1 << HR_SCORE_GRID_BITS) - 1);
}

double hr_score_edge(uint32_t cell) {
    const double odd = ldexp(cell, -HR_SCORE_GRID_BITS), even = 1 - odd;
    return odd * odd / (odd * odd + even * even);
}

static double score_of(const hr_scored *scored, size_t i) {
    return scored->predicted[i * scored->outputs + (scored->intervals ? scored->interval_count - 1 : 1)];
}

void hr_scored_grid(const hr_scored *scored, hr_exact *cells) {
    for (size_t c = 0; c < (size_t)1 << HR_SCORE_GRID_BITS; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++)
        cells[grid_cell_of(score_of(scored, i))].unpaid += HR_RECORD_UNIT;
}

static size_t score_bin_of(const hr_scored *scored, size_t cell) {
    size_t b = 0;
    while (b < scored->cut_count && scored->cuts[b] <= cell) b++;
    return b;
}

void hr_scored_scores(const hr_scored *scored, hr_exact *cells) {
    for (size_t c = 0; c < 2 * scored->bins; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        size_t b = score_bin_of(scored, grid_cell_of(score_of(scored, i)));
        cells[2 * b + (scored->labels[i] > 0)].unpaid += HR_COUNT_UNIT;
    }
}

/* Always 0 to `max`, in units of 2^-bits, rounded. */
static int64_t bounded_term(double value, double max, int bits) {
    return (int64_t)(ldexp(fmin(fmax(value, 0), max), bits) + .5);
}

void hr_scored_loss(const hr_scored *scored, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        double probability = scored->predicted[i * scored->outputs + (size_t)scored->labels[i]];
        sum->unpaid += bounded_term(-log(probability), HR_LOSS_MAX, HR_LOSS_BITS);
    }
}

/* ---- Times ---- */

static size_t code_of(const hr_scored *scored, size_t i) {
    return hr_survival_code(hr_label_time(scored->labels[i]), hr_label_event(scored->labels[i]),
                            scored->intervals, scored->interval_count);
}

void hr_scored_codes(const hr_scored *scored, hr_exact *cells) {
    const size_t codes = hr_survival_codes(scored->interval_count);
    for (size_t c = 0; c < scored->bins * codes; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        const size_t b = score_bin_of(scored, grid_cell_of(score_of(scored, i)));
        cells[b * codes + code_of(scored, i)].unpaid += HR_COUNT_UNIT;
    }
}

void hr_scored_survival(const hr_scored *scored, hr_exact *cells) {
    for (size_t b = 0; b < scored->bins; b++) cells[b].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        const double score = score_of(scored, i);
        cells[score_bin_of(scored, grid_cell_of(score))].unpaid += bounded_term(score, 1, HR_MISS_BITS);
    }
}

void hr_scored_code_loss(const hr_scored *scored, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        const double *survival = scored->predicted + i * scored->outputs;
        const size_t code = code_of(scored, i), survived = hr_survival_survived(code);
        const double before = survived ? survival[survived - 1] : 1,
                     probability = hr_survival_event(code) ? before - survival[survived] : before;
        sum->unpaid += bounded_term(-log(probability), HR_LOSS_MAX, HR_LOSS_BITS);
    }
}

/* ---- Numbers ---- */

static double miss_of(const hr_scored *scored, size_t i) {
    return fmin(fabs(scored->predicted[i] - scored->labels[i]) / scored->range, 1);
}

void hr_scored_misses(const hr_scored *scored, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++)
        sum->unpaid += bounded_term(miss_of(scored, i), 1, HR_MISS_BITS);
}

void hr_scored_squares(const hr_scored *scored, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        double miss = miss_of(scored, i);
        sum->unpaid += bounded_term(miss * miss, 1, HR_MISS_BITS);
    }
}

/* ---- Quantiles ---- */

static bool are_symmetric(double low, double high) {
    return fabs(low + high - 1) < 1e-9;
}

hr_covered hr_covered_of(const hr_column *label) {
    hr_covered covered = {.count = 0};
    const size_t count = label->quantile_count;
    if (count < 2) return covered;
    covered.ends[0][0] = 0;
    covered.ends[0][1] = count - 1;
    covered.count = 1;
    for (size_t low = 0, high = count - 1; low < high;) {
        const double *q = label->quantiles;
        const bool is_outer = low == 0 && high == count - 1;
        if (!are_symmetric(q[low], q[high])) {
            if (q[low] + q[high] < 1)
                low++;
            else
                high--;
            continue;
        }
        if (!is_outer) {
            covered.ends[covered.count][0] = low;
            covered.ends[covered.count++][1] = high;
        }
        low++;
        high--;
    }
    return covered;
}

void hr_scored_covered(const hr_scored *scored, hr_exact *cells) {
    const hr_covered *covered = &scored->covered;
    for (size_t d = 0; d <= covered->count; d++) cells[d].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        const double *p = scored->predicted + i * scored->outputs, y = scored->labels[i];
        size_t depth = 0;
        for (size_t k = 0; k < covered->count; k++)
            depth += p[covered->ends[k][0]] <= y && y <= p[covered->ends[k][1]];
        cells[depth].unpaid += HR_COUNT_UNIT;
    }
}

/* Of a pinball loss, which is that part of the label's range at most. */
static double steeper(double quantile) {
    return fmax(quantile, 1 - quantile);
}

void hr_scored_pinball(const hr_scored *scored, hr_exact *sums) {
    for (size_t k = 0; k < scored->outputs; k++) sums[k].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++)
        for (size_t k = 0; k < scored->outputs; k++) {
            const double q = scored->quantiles[k],
                         miss =
                             (scored->labels[i] - scored->predicted[i * scored->outputs + k]) / scored->range;
            sums[k].unpaid += bounded_term(fmax(q * miss, (q - 1) * miss), steeper(q), HR_MISS_BITS);
        }
}

void hr_scored_widths(const hr_scored *scored, hr_exact *sums) {
    const hr_covered *covered = &scored->covered;
    for (size_t k = 0; k < covered->count; k++) sums[k].unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        const double *p = scored->predicted + i * scored->outputs;
        for (size_t k = 0; k < covered->count; k++)
            sums[k].unpaid += bounded_term((p[covered->ends[k][1]] - p[covered->ends[k][0]]) / scored->range,
                                           1, HR_MISS_BITS);
    }
}

/* Sums of squares are whole and below 2^53, and a root is rounded by less than the one that is added. */
static uint64_t size_of_terms(double sum, double squares, bool length) {
    return (uint64_t)(length ? floor(sqrt(squares)) + 1 : sum);
}

uint64_t hr_scored_pinball_sensitivity(const hr_column *label, bool length) {
    double sum = 0, squares = 0;
    for (size_t k = 0; k < label->quantile_count; k++) {
        const double most = (double)bounded_term(1, steeper(label->quantiles[k]), HR_MISS_BITS);
        sum += most;
        squares += most * most;
    }
    return size_of_terms(sum, squares, length);
}

uint64_t hr_scored_width_sensitivity(const hr_column *label, bool length) {
    const double count = (double)hr_covered_of(label).count, most = HR_MISS_SENSITIVITY;
    return size_of_terms(count * most, count * most * most, length);
}

/* ---- What models are compared by ---- */

static double class_loss_of(const hr_scored *scored, size_t i) {
    const double *probabilities = scored->predicted + i * scored->outputs;
    double sum = 0;
    for (size_t k = 0; k < scored->outputs; k++) {
        double miss = probabilities[k] - (k == (size_t)scored->labels[i]);
        sum += miss * miss;
    }
    return sum / 2;
}

static double number_loss_of(const hr_scored *scored, size_t i) {
    double miss = 4 * miss_of(scored, i);
    return miss * miss;
}

void hr_scored_total(const hr_scored *scored, const uint32_t *weights, hr_exact *sum) {
    double (*loss_of)(const hr_scored *, size_t) = scored->outputs == 1 ? number_loss_of : class_loss_of;
    sum->unpaid = 0;
    for (size_t i = 0; i < scored->rows; i++) {
        int64_t loss = bounded_term(loss_of(scored, i), 1, HR_SCORE_LOSS_BITS);
        sum->unpaid -= weights ? loss * weights[i] >> 16 : loss;
    }
}
