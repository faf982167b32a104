#include "bins/bin_midpoints.h"

#include "data/columns.h"

#include <math.h>

static double middle(double low, double high) {
    return low < high ? low / 2 + high / 2 : low;
}

typedef struct bin_ranges {
    double low[HR_BINS_MAX], high[HR_BINS_MAX];
} bin_ranges;

static void widen_ranges(bin_ranges *r, const double *values, const uint8_t *bins, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t bin = bins[i];
        r->low[bin] = values[i] < r->low[bin] ? values[i] : r->low[bin]; /* missing: neither */
        r->high[bin] = values[i] > r->high[bin] ? values[i] : r->high[bin];
    }
}

static void find_ranges(const hr_data *data, const hr_binned *binned, size_t f, bin_ranges *out) {
    double buffer[HR_DATA_BLOCK];
    for (uint32_t bin = 0; bin < HR_BINS_MAX; bin++) out->low[bin] = INFINITY, out->high[bin] = -INFINITY;
    for (size_t begin = 0; begin < binned->rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, binned->rows);
        widen_ranges(out, hr_data_number_block(data, f, begin, count, buffer),
                     hr_binned_column(binned, f) + begin, count);
    }
}

static void middles_of_ranges(const bin_ranges *r, uint32_t bin_count, double *out) {
    double before = 0;
    for (uint32_t bin = bin_count - 1; bin; bin--)
        if (r->low[bin] <= r->high[bin]) before = middle(r->low[bin], r->high[bin]);
    for (uint32_t bin = 1; bin < bin_count; bin++) {
        if (r->low[bin] <= r->high[bin]) before = middle(r->low[bin], r->high[bin]);
        out[bin] = before;
    }
}

void hr_bin_midpoints(const hr_data *data, const hr_binned *binned, int threads, double *out) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t f = 0; f < binned->features; f++) {
        const hr_feature_bins *feature = &binned->binning->features[f];
        double *midpoints = out + f * HR_BINS_MAX;
        for (uint32_t bin = 0; bin < HR_BINS_MAX; bin++) midpoints[bin] = 0;
        if (feature->kind == HR_KIND_CATEGORY) continue;
        bin_ranges ranges;
        find_ranges(data, binned, f, &ranges);
        middles_of_ranges(&ranges, feature->bin_count, midpoints);
    }
}
