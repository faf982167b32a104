/* What the tests of edges share: data sets of a few columns, and what holds of any bins. */
#ifndef HR_TESTS_BINS_COLUMNS_H
#define HR_TESTS_BINS_COLUMNS_H

#include "bins/edges.h"
#include "data/generate.h"
#include "data/schema.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    hr_arena *arena;
    hr_schema *schema;
    hr_data *data;
} fixture;

static const hr_column label = {.name = "y", .kind = HR_NUMBER, .low = 0, .high = 1};

static inline fixture set_up(const hr_column *features, size_t feature_count, size_t rows, const double *const *columns) {
    fixture f = {.arena = hr_arena_new()};
    assert_non_null(f.arena);
    assert_int_equal(hr_schema_make(&label, features, feature_count, NULL, 0, &f.schema, NULL), HR_OK);
    if (columns) assert_int_equal(hr_data_from_arrays(f.schema, rows, columns, NULL, &f.data, NULL), HR_OK);
    return f;
}

static inline void tear_down(fixture f) {
    hr_data_free(f.data);
    hr_schema_free(f.schema);
    hr_arena_free(f.arena);
}

static inline hr_column number(double low, double high, bool whole) {
    return (hr_column){.name = "x", .kind = HR_NUMBER, .low = low, .high = high, .whole = whole};
}

/* What holds of the bins of every number, wherever its edges come from. */
static inline void check_number(const hr_feature_bins *feature, const hr_column *column, uint32_t bins) {
    assert_int_equal(feature->kind, HR_NUMBER);
    assert_true(feature->bin_count >= 2 && feature->bin_count <= bins + 1);
    for (uint32_t e = 0; e + 2 < feature->bin_count; e++) {
        assert_true(feature->edges[e] >= column->low && feature->edges[e] <= column->high);
        assert_true(e == 0 || feature->edges[e] > feature->edges[e - 1]);
    }
}

static inline void check_same(const hr_feature_bins *a, const hr_feature_bins *b) {
    assert_int_equal(a->bin_count, b->bin_count);
    if (a->bin_count > 2) assert_memory_equal(a->edges, b->edges, (a->bin_count - 2) * sizeof *a->edges);
}

static inline double *column_new(size_t rows) {
    double *column = malloc(rows * sizeof *column);
    assert_non_null(column);
    return column;
}

#endif
