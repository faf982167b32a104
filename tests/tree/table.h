/* What the tests of trees share: random tables of which every bin is known, and random splits. */
#ifndef HR_TESTS_TREE_TABLE_H
#define HR_TESTS_TREE_TABLE_H

#include "bins/binned.h"
#include "data/generate.h"
#include "data/schema.h"
#include "tree/split.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct table {
    hr_arena *arena;
    hr_schema *schema;
    hr_data *data;
    hr_binning binning;
    hr_binned *binned;
    size_t rows;
    uint8_t *bins; /* rows x features */
} table;

static inline void *room(hr_arena *arena, size_t count, size_t size) {
    void *got = hr_arena_alloc(arena, count ? count : 1, size);
    assert_non_null(got);
    return got;
}

static inline uint8_t bin_at(const table *t, size_t row, size_t feature) {
    return t->bins[row * t->binning.feature_count + feature];
}

/* Number v is in bin v + 1. Every third feature is a category. */
static inline void describe_feature(table *t, size_t feature, uint32_t bin_count, hr_column *column) {
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"};
    char *name = room(t->arena, 8, 1);
    for (size_t i = 0, f = feature; i < 4; i++, f /= 16) name[i] = digits[f % 16][0];
    double *edges = room(t->arena, bin_count, sizeof *edges);
    for (uint32_t e = 0; e + 2 < bin_count; e++) edges[e] = e + .5;
    hr_kind kind = feature % 3 == 2 ? HR_CATEGORY : HR_NUMBER;
    *column = (hr_column){.name = name, .kind = kind, .low = 0, .high = 255};
    if (kind == HR_CATEGORY) {
        const char **values = room(t->arena, bin_count, sizeof *values);
        for (uint32_t v = 0; v + 1 < bin_count; v++) {
            char *text = room(t->arena, 8, 1);
            text[0] = 'v', text[1] = digits[v / 16][0], text[2] = digits[v % 16][0];
            values[v] = text;
        }
        column->value_count = bin_count - 1;
        column->values = values;
    }
    t->binning.features[feature] = (hr_feature_bins){kind, bin_count, kind == HR_NUMBER ? edges : NULL};
}

/* bin_counts[f % kinds] bins for feature f; a third of the features leaves most records in one bin. */
static inline table table_new(hr_dice *dice, size_t rows, size_t features, const uint32_t *bin_counts, size_t kinds) {
    table t = {.arena = hr_arena_new(), .rows = rows};
    assert_non_null(t.arena);
    t.binning = (hr_binning){features, room(t.arena, features, sizeof *t.binning.features)};
    t.bins = room(t.arena, rows * features, 1);
    hr_column *columns = room(t.arena, features, sizeof *columns), label = {.name = "label", .kind = HR_NUMBER, .low = 0, .high = 1};
    double **values = room(t.arena, features, sizeof *values);
    for (size_t f = 0; f < features; f++) {
        uint32_t bins = bin_counts[f % kinds];
        describe_feature(&t, f, bins, &columns[f]);
        values[f] = room(t.arena, rows, sizeof **values);
        for (size_t i = 0; i < rows; i++) {
            uint8_t bin = (uint8_t)hr_dice_below(dice, bins);
            if (f % 3 == 1 && hr_dice_below(dice, 20)) bin = (uint8_t)(bins / 2);
            t.bins[i * features + f] = bin;
            values[f][i] = columns[f].kind == HR_CATEGORY ? bin : bin ? bin - 1 : (double)NAN;
        }
    }
    assert_int_equal(hr_schema_make(&label, columns, features, NULL, 0, &t.schema, NULL), HR_OK);
    assert_int_equal(hr_data_from_arrays(t.schema, rows, (const double *const *)values, NULL, &t.data, NULL), HR_OK);
    return t;
}

/* The binning's address must not move any more. */
static inline void table_bin(table *t) {
    assert_int_equal(hr_binned_new(t->data, &t->binning, 2, &t->binned, NULL), HR_OK);
}

static inline void table_done(table *t) {
    hr_binned_free(t->binned);
    hr_data_free(t->data);
    hr_schema_free(t->schema);
    hr_arena_free(t->arena);
}

/* Any split of any feature, with cuts at the ends and subsets that are empty or full among them. */
static inline hr_split random_split(hr_dice *dice, const hr_binning *binning) {
    hr_split split = {.made = true, .feature = (uint32_t)hr_dice_below(dice, binning->feature_count)};
    const hr_feature_bins *feature = &binning->features[split.feature];
    split.kind = feature->kind;
    split.missing_left = hr_dice_below(dice, 2);
    split.cut = (uint8_t)hr_dice_below(dice, feature->bin_count);
    uint64_t most = hr_dice_below(dice, 5);
    for (uint32_t b = 0; b < feature->bin_count; b++)
        if (hr_dice_below(dice, 4) < most) hr_bin_set_add(&split.left, (uint8_t)b);
    return split;
}

/* Random packed gradients for a packing with a gradient_bound and weights up to weight_bound. */
static inline int64_t *random_packed(hr_dice *dice, hr_arena *arena, const hr_packing *packing, int64_t weight_bound, size_t rows) {
    int64_t *packed = room(arena, rows, sizeof *packed);
    for (size_t i = 0; i < rows; i++) {
        int64_t gradient = (int64_t)hr_dice_below(dice, (uint64_t)(2 * packing->gradient_bound + 1)) - packing->gradient_bound;
        packed[i] = hr_pack(packing, gradient, 1 + (int64_t)hr_dice_below(dice, (uint64_t)weight_bound));
    }
    return packed;
}

#endif
