#include "bins/bin_midpoints.h"

#include <math.h>

static double middle(double low, double high) {
    return low < high ? low / 2 + high / 2 : low;
}

static void midpoints_of_numbers(const double *values, const uint8_t *bins, size_t rows, uint32_t bin_count,
                                 double *out) {
    double low[HR_BINS_MAX], high[HR_BINS_MAX], before = 0;
    for (uint32_t bin = 0; bin < bin_count; bin++) low[bin] = INFINITY, high[bin] = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        uint8_t bin = bins[i];
        low[bin] = values[i] < low[bin] ? values[i] : low[bin]; /* missing: neither */
        high[bin] = values[i] > high[bin] ? values[i] : high[bin];
    }
    for (uint32_t bin = bin_count - 1; bin; bin--)
        if (low[bin] <= high[bin]) before = middle(low[bin], high[bin]);
    for (uint32_t bin = 1; bin < bin_count; bin++) {
        if (low[bin] <= high[bin]) before = middle(low[bin], high[bin]);
        out[bin] = before;
    }
}

void hr_bin_midpoints(const hr_data *data, const hr_binned *binned, int threads, double *out) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t f = 0; f < binned->features; f++) {
        const hr_feature_bins *feature = &binned->binning->features[f];
        double *midpoints = out + f * HR_BINS_MAX;
        for (uint32_t bin = 0; bin < HR_BINS_MAX; bin++) midpoints[bin] = 0;
        if (feature->kind == HR_CATEGORY) continue;
        midpoints_of_numbers(hr_data_numbers(data, f), hr_binned_column(binned, f), binned->rows,
                             feature->bin_count, midpoints);
    }
}
