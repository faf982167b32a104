#include "tree/balance.h"

#include <math.h>
#include <stdlib.h>

enum { LAST = HR_BALANCE_CELLS - 1 };

double hr_balance_cut(const hr_balance_range *range, size_t c) {
    return range->low + (range->high - range->low) * ((double)c / HR_BALANCE_CELLS);
}

/* Cell c lies between the cuts c and c + 1, its upper end included: what is in cells 0 to c - 1 is what cut c sends left. Division is off
 * by little, so a few comparisons decide. */
static size_t cell_of(const hr_balance_range *range, double value) {
    double at = (value - range->low) / (range->high - range->low) * HR_BALANCE_CELLS;
    size_t cell = at >= LAST ? LAST : at > 0 ? (size_t)at : 0;
    while (cell > 0 && value <= hr_balance_cut(range, cell)) cell--;
    while (cell < LAST && value > hr_balance_cut(range, cell + 1)) cell++;
    return cell;
}

static hr_exact score_of(int64_t left, int64_t count) {
    return (hr_exact){-llabs(2 * left - count)};
}

void hr_balance_of_cuts(const hr_balance_range *range, const uint32_t *rows, size_t count, hr_exact *scores) {
    int64_t cells[HR_BALANCE_CELLS] = {0}, left = 0;
    for (size_t i = 0; i < count; i++) {
        double value = range->values[rows[i]];
        if (!isnan(value))
            cells[cell_of(range, value)]++;
        else
            left += range->missing_left;
    }
    for (size_t c = 1; c < HR_BALANCE_CELLS; c++) {
        left += cells[c - 1];
        scores[c - 1] = score_of(left, (int64_t)count);
    }
}

static int64_t records_in(const hr_bin_set *set, const int64_t *records) {
    int64_t sum = 0;
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
        for (uint64_t left = set->words[w]; left; left &= left - 1) sum += records[64 * w + (size_t)__builtin_ctzll(left)];
    return sum;
}

void hr_balance_of_subsets(const uint8_t *bins, const uint32_t *rows, size_t count, const hr_bin_set *subsets, size_t subset_count,
                           hr_exact *scores) {
    int64_t records[HR_BINS_MAX] = {0};
    for (size_t i = 0; i < count; i++) records[bins[rows[i]]]++;
    for (size_t s = 0; s < subset_count; s++) scores[s] = score_of(records_in(&subsets[s], records), (int64_t)count);
}

void hr_balance_of_gaps(size_t count, hr_exact *scores) {
    for (size_t j = 1; j < count; j++) scores[j - 1] = score_of((int64_t)j, (int64_t)count);
}
