/* What the tests of edges share: data sets of a few columns, and what holds of any bins. */
#ifndef HR_TESTS_SUPPORT_BIN_FIXTURE_H
#define HR_TESTS_SUPPORT_BIN_FIXTURE_H

#include "support/check.h"
#include "tables/bins/edges.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"

#include <float.h>
#include <math.h>

typedef struct fixture {
    hr_arena *arena;
    hr_schema *schema;
    hr_data *data;
} fixture;

extern const hr_column unit_label;

fixture fixture_open(const hr_column *features, size_t feature_count, size_t rows,
                     const double *const *columns);
void fixture_close(fixture f);
hr_column bounded_number(double low, double high, bool whole);

/* What holds of the bins of every number, wherever its edges come from. */
void check_number_bins(const hr_feature_bins *feature, const hr_column *column, uint32_t bins);
void check_same_bins(const hr_feature_bins *a, const hr_feature_bins *b);
double *column_new(size_t rows);

#endif
