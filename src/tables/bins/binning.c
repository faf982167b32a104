#include "tables/bins/binning.h"

#include "base/kernels/kernels.h"

#include <math.h>

uint8_t hr_bin_of_number(const hr_feature_bins *feature, double value) {
    size_t below = 0, end = feature->bin_count - 2;
    while (below < end) {
        size_t middle = below + (end - below) / 2;
        if (feature->edges[middle] < value)
            below = middle + 1;
        else
            end = middle;
    }
    return isnan(value) ? 0 : (uint8_t)(1 + below);
}

uint8_t hr_bin_of_code(const hr_feature_bins *feature, uint16_t code) {
    uint32_t last = feature->bin_count - 1;
    return (uint8_t)(code < last ? code : last);
}

bool hr_bins_search(const hr_feature_bins *feature, hr_arena *arena, hr_search *out) {
    size_t count = feature->bin_count - 2;
    double *padded = hr_arena_alloc(arena, hr_search_padded_count(count), sizeof *padded);
    uint8_t *first = hr_arena_alloc(arena, hr_search_bucket_count(count), 1);
    if (!padded || !first) return false;
    *out = hr_search_make(feature->edges, count, first, padded);
    return true;
}

const hr_search *hr_binning_searches(const hr_binning *binning, hr_arena *arena) {
    hr_search *searches = arena ? hr_arena_alloc(arena, binning->feature_count, sizeof *searches) : NULL;
    for (size_t f = 0; searches && f < binning->feature_count; f++)
        if (binning->features[f].kind == HR_KIND_NUMBER &&
            !hr_bins_search(&binning->features[f], arena, &searches[f]))
            return NULL;
    return searches;
}

void hr_bins_of_numbers(const hr_search *search, const hr_number_block *numbers, uint8_t *out) {
    hr_kernels_get()->bins_of_numbers(search, numbers, out);
}

void hr_bins_of_codes(const hr_feature_bins *feature, const uint16_t *codes, size_t rows, uint8_t *out) {
    for (size_t i = 0; i < rows; i++) out[i] = hr_bin_of_code(feature, codes[i]);
}

double hr_bins_threshold(const hr_feature_bins *feature, uint32_t cut) {
    if (!cut) return -(double)INFINITY;
    return cut + 2 <= feature->bin_count ? feature->edges[cut - 1] : (double)INFINITY;
}
