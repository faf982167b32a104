/* What the tests of trees share: random tables of which every bin is known, and random splits. */
#ifndef HR_TESTS_SUPPORT_BINNED_TABLE_H
#define HR_TESTS_SUPPORT_BINNED_TABLE_H

#include "support/check.h"
#include "tables/bins/binned.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"
#include "trees/stats/split.h"

#include <math.h>

typedef struct binned_table {
    hr_arena *arena;
    hr_schema *schema;
    hr_data *data;
    hr_binning binning;
    hr_binned *binned;
    size_t rows;
    uint8_t *bins; /* rows x features */
} binned_table;

void *arena_room(hr_arena *arena, size_t count, size_t size);
uint8_t bin_at(const binned_table *t, size_t row, size_t feature);

/* bin_counts[f % kinds] bins for feature f; a third of the features leaves most records in one bin. */
binned_table binned_table_new(hr_dice *dice, size_t rows, size_t features, const uint32_t *bin_counts,
                              size_t kinds);

/* The binning's address must not move any more. */
void binned_table_bin(binned_table *t);
void binned_table_close(binned_table *t);

/* Any split of any feature, with cuts at the ends and subsets that are empty or full among them. */
hr_split random_split(hr_dice *dice, const hr_binning *binning);

/* Random packed gradients for a packing with a gradient_bound and weights up to weight_bound. */
int64_t *random_packed(hr_dice *dice, hr_arena *arena, const hr_packing *packing, int64_t weight_bound,
                       size_t rows);

#endif
