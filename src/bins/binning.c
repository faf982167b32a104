/* Bins are looked up for every value that is trained on or predicted: the search has no branch that depends
 * on a value, and works on several values at once. */
#include "bins/binning.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

/* The largest k such that 2^k is not above n; n >= 1. */
static unsigned power_below(size_t n) {
    unsigned k = 0;
    while (n >>= 1) k++;
    return k;
}

/* How many of `count` ascending edges are less than each of LANES values (NaN: 0). Every step adds a shifted
 * comparison, never chooses, so compilers make no branch of it; the lanes' loads overlap. The first step
 * picks one of two overlapping windows of 2^k - 1 edges; each other step halves the window. */
static void count_below(const double *edges, size_t count, const double *values, size_t *at) {
    for (size_t i = 0; i < LANES; i++) at[i] = 0;
    if (!count) return;
    unsigned power = power_below(count);
    size_t window = ((size_t)1 << power) - 1;
    for (size_t i = 0; i < LANES; i++) at[i] = (edges[window] < values[i]) * (count - window);
    while (power--) {
        size_t middle = ((size_t)1 << power) - 1;
        for (size_t i = 0; i < LANES; i++) at[i] += (size_t)(edges[at[i] + middle] < values[i]) << power;
    }
}

static void bin_lanes(const hr_feature_bins *feature, const double *values, uint8_t *out) {
    size_t below[LANES];
    count_below(feature->edges, feature->bin_count - 2, values, below);
    for (size_t i = 0; i < LANES; i++) out[i] = isnan(values[i]) ? 0 : (uint8_t)(1 + below[i]);
}

uint8_t hr_bin_of_number(const hr_feature_bins *feature, double value) {
    uint8_t bin;
    hr_bins_of_numbers(feature, &value, 1, &bin);
    return bin;
}

uint8_t hr_bin_of_code(const hr_feature_bins *feature, uint16_t code) {
    uint32_t last = feature->bin_count - 1;
    return (uint8_t)(code < last ? code : last);
}

void hr_bins_of_numbers(const hr_feature_bins *feature, const double *values, size_t rows, uint8_t *out) {
    size_t i = 0;
    for (; i + LANES <= rows; i += LANES) bin_lanes(feature, values + i, out + i);
    if (i == rows) return;
    double last[LANES] = {0};
    uint8_t bins[LANES];
    memcpy(last, values + i, (rows - i) * sizeof *last);
    bin_lanes(feature, last, bins);
    memcpy(out + i, bins, rows - i);
}

void hr_bins_of_codes(const hr_feature_bins *feature, const uint16_t *codes, size_t rows, uint8_t *out) {
    for (size_t i = 0; i < rows; i++) out[i] = hr_bin_of_code(feature, codes[i]);
}

double hr_bins_threshold(const hr_feature_bins *feature, uint32_t cut) {
    if (!cut) return -(double)INFINITY;
    return cut + 2 <= feature->bin_count ? feature->edges[cut - 1] : (double)INFINITY;
}
