#include "tables/bins/sparse_bins.h"

#include "base/fail.h"
#include "tables/data/sparse.h"

#include <stdlib.h>
#include <string.h>

void hr_sparse_bins_done(hr_sparse_bins *bins) {
    free(bins->begins);
    free(bins->features);
    free(bins->bins);
    free(bins->absent);
    *bins = (hr_sparse_bins){0};
}

static uint8_t bin_of_cell(const hr_feature_bins *feature, double value) {
    return feature->kind == HR_KIND_NUMBER ? hr_bin_of_number(feature, value)
                                           : hr_bin_of_code(feature, (uint16_t)value);
}

hr_status hr_sparse_bins_init(hr_sparse_bins *bins, const hr_data *data, const hr_binning *binning,
                              hr_error *err) {
    const hr_entries *columns = &data->sparse->columns;
    const size_t rows = data->rows, features = columns->lines, count = columns->begins[features];
    *bins = (hr_sparse_bins){.begins = calloc(rows + 1, sizeof *bins->begins),
                             .features = malloc((count + 1) * sizeof *bins->features),
                             .bins = malloc(count + 1),
                             .absent = malloc(features + 1)};
    if (!bins->begins || !bins->features || !bins->bins || !bins->absent) return hr_fail_memory(err);
    size_t *next = bins->begins;
    for (size_t e = 0; e < count; e++) next[columns->across[e] + 1]++;
    for (size_t i = 0; i < rows; i++) next[i + 1] += next[i];
    for (size_t f = 0; f < features; f++) {
        const hr_feature_bins *feature = &binning->features[f];
        bins->absent[f] = bin_of_cell(feature, data->sparse->absent[f]);
        for (size_t e = columns->begins[f]; e < columns->begins[f + 1]; e++) {
            const size_t at = next[columns->across[e]]++;
            bins->features[at] = (uint32_t)f;
            bins->bins[at] = bin_of_cell(feature, columns->values[e]);
        }
    }
    memmove(next + 1, next, rows * sizeof *next);
    next[0] = 0;
    return HR_OK;
}
