#include "trees/candidates/evaluation_counts.h"

#include <math.h>

void hr_judged_records(const hr_judged *judged, hr_exact *sum) {
    sum->unpaid = HR_COUNT_UNIT * (int64_t)judged->rows;
}

void hr_judged_outcomes(const hr_judged *judged, hr_exact *cells) {
    for (size_t c = 0; c < 2 * judged->outputs; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < judged->rows; i++) {
        size_t label = (size_t)judged->labels[i];
        cells[2 * label + (judged->decided[i] == label)].unpaid += HR_COUNT_UNIT;
    }
}

/* fmin and fmax return the number where the other operand is NaN: always a cell of the grid. */
static size_t grid_cell_of(double probability) {
    double odd = sqrt(probability), even = sqrt(1 - probability);
    double place = ldexp(odd / (odd + even), HR_SCORE_GRID_BITS);
    return (size_t)fmin(fmax(place, 0), (1 << HR_SCORE_GRID_BITS) - 1);
}

void hr_judged_score_grid(const hr_judged *judged, hr_exact *cells) {
    for (size_t c = 0; c < (size_t)1 << HR_SCORE_GRID_BITS; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < judged->rows; i++)
        cells[grid_cell_of(judged->predicted[2 * i + 1])].unpaid += HR_RECORD_UNIT;
}

static size_t score_bin_of(const hr_judged *judged, size_t cell) {
    size_t b = 0;
    while (b < judged->cut_count && judged->cuts[b] <= cell) b++;
    return b;
}

void hr_judged_scores(const hr_judged *judged, hr_exact *cells) {
    for (size_t c = 0; c < 2 * judged->bins; c++) cells[c].unpaid = 0;
    for (size_t i = 0; i < judged->rows; i++) {
        size_t b = score_bin_of(judged, grid_cell_of(judged->predicted[2 * i + 1]));
        cells[2 * b + (judged->labels[i] > 0)].unpaid += HR_COUNT_UNIT;
    }
}

/* Always 0 to `max`, in units of 2^-bits, rounded. */
static int64_t bounded_term(double value, double max, int bits) {
    return (int64_t)(ldexp(fmin(fmax(value, 0), max), bits) + .5);
}

void hr_judged_loss(const hr_judged *judged, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < judged->rows; i++) {
        double probability = judged->predicted[i * judged->outputs + (size_t)judged->labels[i]];
        sum->unpaid += bounded_term(-log(probability), HR_LOSS_MAX, HR_LOSS_BITS);
    }
}

static double miss_of(const hr_judged *judged, size_t i) {
    return fmin(fabs(judged->predicted[i] - judged->labels[i]) / judged->range, 1);
}

void hr_judged_misses(const hr_judged *judged, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < judged->rows; i++)
        sum->unpaid += bounded_term(miss_of(judged, i), 1, HR_MISS_BITS);
}

void hr_judged_squares(const hr_judged *judged, hr_exact *sum) {
    sum->unpaid = 0;
    for (size_t i = 0; i < judged->rows; i++) {
        double miss = miss_of(judged, i);
        sum->unpaid += bounded_term(miss * miss, 1, HR_MISS_BITS);
    }
}
