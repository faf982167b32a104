#include "support/bin_fixture.h"

const hr_column unit_label = {.name = "y", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};

fixture fixture_open(const hr_column *features, size_t feature_count, size_t rows,
                     const double *const *columns) {
    fixture f = {.arena = hr_arena_new()};
    assert_non_null(f.arena);
    assert_int_equal(
        hr_schema_make(
            &(hr_schema_parts){.label = unit_label, .features = features, .feature_count = feature_count},
            &f.schema, NULL),
        HR_OK);
    if (columns) assert_int_equal(hr_data_from_arrays(f.schema, rows, columns, NULL, &f.data, NULL), HR_OK);
    return f;
}

void fixture_close(fixture f) {
    hr_data_free(f.data);
    hr_schema_free(f.schema);
    hr_arena_free(f.arena);
}

hr_column bounded_number(double low, double high, bool whole) {
    return (hr_column){.name = "x", .kind = HR_KIND_NUMBER, .low = low, .high = high, .integer = whole};
}

void check_number_bins(const hr_feature_bins *feature, const hr_column *column, uint32_t bins) {
    assert_int_equal(feature->kind, HR_KIND_NUMBER);
    assert_true(feature->bin_count >= 2 && feature->bin_count <= bins + 1);
    for (uint32_t e = 0; e + 2 < feature->bin_count; e++) {
        assert_true(feature->edges[e] >= column->low && feature->edges[e] <= column->high);
        assert_true(e == 0 || feature->edges[e] > feature->edges[e - 1]);
    }
}

void check_same_bins(const hr_feature_bins *a, const hr_feature_bins *b) {
    assert_int_equal(a->bin_count, b->bin_count);
    if (a->bin_count > 2) assert_memory_equal(a->edges, b->edges, (a->bin_count - 2) * sizeof *a->edges);
}

double *column_new(size_t rows) {
    double *column = malloc(rows * sizeof *column);
    assert_non_null(column);
    return column;
}
