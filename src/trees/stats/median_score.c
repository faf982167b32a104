#include "trees/stats/median_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST = HR_MEDIAN_SCORE_CELLS - 1, MISSING = HR_MEDIAN_SCORE_CELLS };

double hr_median_score_cut(const hr_median_score_range *range, size_t c) {
    return range->low + (range->high - range->low) * ((double)c / HR_MEDIAN_SCORE_CELLS);
}

/* Cell c lies between the cuts c and c + 1, its upper end included: what is in cells 0 to c - 1 is what cut c
 * sends left. Division is off by little, so a few comparisons decide. */
static size_t cell_of_value(const hr_median_score_range *range, double value) {
    double at = (value - range->low) / (range->high - range->low) * HR_MEDIAN_SCORE_CELLS;
    size_t cell = at >= LAST ? LAST : at > 0 ? (size_t)at : 0;
    while (cell > 0 && value <= hr_median_score_cut(range, cell)) cell--;
    while (cell < LAST && value > hr_median_score_cut(range, cell + 1)) cell++;
    return cell;
}

static hr_exact score_of_halves(int64_t left, int64_t count) {
    return (hr_exact){-llabs(2 * left - count)};
}

void hr_median_score_count(const hr_median_score_range *range, const double *values, const uint32_t *weights,
                           size_t count, hr_exact *cells) {
    for (size_t i = 0; i < count; i++)
        cells[isnan(values[i]) ? MISSING : cell_of_value(range, values[i])].unpaid +=
            weights ? weights[i] : 1;
}

static int64_t sum_of(const hr_exact *counts, size_t count) {
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += counts[i].unpaid;
    return sum;
}

void hr_median_score_of_cuts(const hr_exact *cells, bool missing_left, hr_exact *scores) {
    int64_t count = sum_of(cells, HR_BALANCE_COUNTS), left = missing_left ? cells[MISSING].unpaid : 0;
    for (size_t c = 1; c < HR_MEDIAN_SCORE_CELLS; c++) {
        left += cells[c - 1].unpaid;
        scores[c - 1] = score_of_halves(left, count);
    }
}

static int64_t records_in(const hr_bin_set *set, const hr_exact *records, size_t bin_count) {
    int64_t sum = 0;
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
        for (uint64_t left = set->words[w]; left; left &= left - 1) {
            size_t bin = 64 * w + (size_t)__builtin_ctzll(left);
            if (bin < bin_count) sum += records[bin].unpaid;
        }
    return sum;
}

void hr_median_score_of_subsets(const hr_exact *records, size_t bin_count, const hr_bin_set *subsets,
                                size_t subset_count, hr_exact *scores) {
    int64_t count = sum_of(records, bin_count);
    for (size_t s = 0; s < subset_count; s++)
        scores[s] = score_of_halves(records_in(&subsets[s], records, bin_count), count);
}

void hr_median_score_of_gaps(size_t count, hr_exact *scores) {
    for (size_t j = 1; j < count; j++) scores[j - 1] = score_of_halves((int64_t)j, (int64_t)count);
}
