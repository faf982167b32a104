/* How the values of every feature become bins: 0 = missing (or a category that the schema does not list), then 1, 2, ...
 *
 * A binning is public: its edges are evenly spaced between public bounds, or were released by the gate (or, without privacy,
 * are exact quantiles). It is part of the model. */
#ifndef HR_BINS_BINNING_H
#define HR_BINS_BINNING_H

#include "base/arena.h"

#include <hedgerow/schema.h>

enum { HR_BINS_MAX = 256 };

typedef struct hr_feature_bins {
    hr_kind kind;
    uint32_t bin_count;  /* bin 0 included; 2..HR_BINS_MAX */
    const double *edges; /* HR_NUMBER: bin_count - 2 ascending edges; x is in the bin 1 + (number of edges < x) */
} hr_feature_bins;

typedef struct hr_binning {
    size_t feature_count;
    hr_feature_bins *features;
} hr_binning;

/* The bin of a number (NaN: 0), and of a category code (code c > 0: min(c, bin_count - 1)). */
uint8_t hr_bin_of_number(const hr_feature_bins *feature, double value);
uint8_t hr_bin_of_code(const hr_feature_bins *feature, uint16_t code);

/* The same for whole columns. */
void hr_bins_of_numbers(const hr_feature_bins *feature, const double *values, size_t rows, uint8_t *out);
void hr_bins_of_codes(const hr_feature_bins *feature, const uint16_t *codes, size_t rows, uint8_t *out);

/* A deep copy into an arena. NULL when memory is short. */
hr_feature_bins *hr_binning_copy(hr_arena *arena, const hr_binning *binning);

#endif
