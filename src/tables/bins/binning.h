/* How the values of every feature become bins: 0 = missing (or a category that the schema does not list),
 * then 1, 2, ...
 *
 * A binning is public: its edges are evenly spaced between public bounds, or were released by the gate (or,
 * without privacy, are exact quantiles). It is part of the model. */
#ifndef HR_TABLES_BINS_BINNING_H
#define HR_TABLES_BINS_BINNING_H

#include "base/arena.h"
#include "base/kernels/search.h"

#include <hedgerow/schema.h>

enum { HR_BINS_MAX = 256 };

typedef struct hr_feature_bins {
    hr_kind kind;
    uint32_t bin_count; /* bin 0 included; 2..HR_BINS_MAX */
    const double
        *edges; /* HR_KIND_NUMBER: bin_count - 2 ascending edges; x is in the bin 1 + (number of edges < x) */
} hr_feature_bins;

typedef struct hr_binning {
    size_t feature_count;
    hr_feature_bins *features;
    const size_t
        *cells_at; /* where a feature's cells begin in a histogram that has no others, and behind the
                      last where they end (trees/stats/histogram.h); NULL: in one with room for all */
} hr_binning;

/* The bins of a category: one a public value and one for missing; values past the 255th share the last. */
static inline uint32_t hr_category_bins(const hr_column *column) {
    return (uint32_t)(column->value_count < HR_BINS_MAX - 1 ? column->value_count : HR_BINS_MAX - 1) + 1;
}

/* The bin of a number (NaN: 0), and of a category code (code c > 0: min(c, bin_count - 1)). */
uint8_t hr_bin_of_number(const hr_feature_bins *feature, double value);
uint8_t hr_bin_of_code(const hr_feature_bins *feature, uint16_t code);

/* How a column of numbers is searched (base/kernels/search.h), made once for all of its values; it lives in
 * the arena. False when memory is short. */
bool hr_bins_search(const hr_feature_bins *feature, hr_arena *arena, hr_search *out);
/* One a feature; those of categories count for nothing. NULL when memory is short. */
const hr_search *hr_binning_searches(const hr_binning *binning, hr_arena *arena);

/* The same for whole columns. */
void hr_bins_of_numbers(const hr_search *search, const hr_number_block *numbers, uint8_t *out);
void hr_bins_of_codes(const hr_feature_bins *feature, const uint16_t *codes, size_t rows, uint8_t *out);

/* The threshold t of a cut of a number: x <= t exactly if x is in the bins 1..cut. -infinity and infinity for
 * none and all of them; no number is infinite. cut < bin_count. */
double hr_bins_threshold(const hr_feature_bins *feature, uint32_t cut);

#endif
