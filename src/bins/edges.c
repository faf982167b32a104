/* Public and private bin edges. Exact ones, which need sorting, are in edges_exact.c. */
#include "bins/edges.h"
#include "base/fail.h"
#include "privacy/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts are paid for level by level, so their grid is coarser: 14 levels tell bins apart in bounds 100 times
 * too wide. */
enum { MEDIANS_BITS = 16, COUNTS_BITS = 14, GRID_MAX = 1 << MEDIANS_BITS };

/* Integers between the bounds. */
static double integer_values(const hr_column *column) {
    return floor(column->high) - ceil(column->low) + 1;
}

static bool few_integer_values(const hr_column *column, uint32_t bins) {
    return column->kind == HR_NUMBER && column->integer && integer_values(column) >= 1 &&
           integer_values(column) <= bins;
}

static bool needs_quantiles(const hr_column *column, uint32_t bins) {
    return column->kind == HR_NUMBER && column->low < column->high && !few_integer_values(column, bins);
}

static hr_feature_bins category_bins(const hr_column *column) {
    return (hr_feature_bins){.kind = HR_CATEGORY, .bin_count = hr_category_bins(column)};
}

/* Drops edges that equal the one before: bounds may be so near each other that cuts between them coincide.
 * Returns how many stay. */
static uint32_t distinct_edges(double *edges, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || edges[i] > edges[kept - 1]) edges[kept++] = edges[i];
    return kept;
}

static hr_status even_bins(const hr_column *column, uint32_t bins, hr_arena *arena, hr_feature_bins *out,
                           hr_error *err) {
    bool whole = few_integer_values(column, bins);
    uint32_t count = whole ? (uint32_t)integer_values(column) : column->low < column->high ? bins : 1;
    double *edges = hr_arena_alloc(arena, count, sizeof *edges);
    if (!edges) return hr_fail_memory(err);
    double first = whole ? ceil(column->low) + .5 : 0, width = column->high - column->low;
    for (uint32_t i = 0; i + 1 < count; i++)
        edges[i] = whole ? first + i : column->low + width * ((i + 1.0) / count);
    *out = (hr_feature_bins){
        .kind = HR_NUMBER, .bin_count = distinct_edges(edges, count - 1) + 2, .edges = edges};
    return HR_OK;
}

static hr_status public_bins(const hr_column *column, uint32_t bins, hr_arena *arena, hr_feature_bins *out,
                             hr_error *err) {
    if (column->kind == HR_NUMBER) return even_bins(column, bins, arena, out, err);
    *out = category_bins(column);
    return HR_OK;
}

static hr_status begin_edges(const hr_schema *schema, hr_arena *arena, hr_binning *out, hr_error *err) {
    out->feature_count = hr_schema_feature_count(schema);
    out->features = hr_arena_alloc(arena, out->feature_count, sizeof *out->features);
    return out->features ? HR_OK : hr_fail_memory(err);
}

hr_status hr_edges_public(const hr_schema *schema, uint32_t bins, hr_arena *arena, hr_binning *out,
                          hr_error *err) {
    hr_binning made;
    hr_status status = begin_edges(schema, arena, &made, err);
    for (size_t f = 0; !status && f < made.feature_count; f++)
        status = public_bins(hr_schema_feature(schema, f), bins, arena, &made.features[f], err);
    if (!status) *out = made;
    return status;
}

bool hr_edges_need_quantiles(const hr_schema *schema, uint32_t bins) {
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++)
        if (needs_quantiles(hr_schema_feature(schema, f), bins)) return true;
    return false;
}

void hr_edges_count_cells(const hr_column *column, const double *values, size_t rows, size_t grid,
                          hr_exact *cells) {
    memset(cells, 0, grid * sizeof *cells);
    double width = column->high - column->low;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(values[i])) continue;
        double at = ceil((values[i] - column->low) / width * (double)grid) - 1;
        size_t cell = at <= 0 ? 0 : at >= (double)(grid - 1) ? grid - 1 : (size_t)at;
        cells[cell].unpaid++;
    }
}

static int log2_floor(uint32_t x) {
    int bits = 0;
    while (x >>= 1) bits++;
    return bits;
}

static bool are_by_counts(hr_privacy_measure privacy_measure) {
    return privacy_measure == HR_ZCDP || privacy_measure == HR_GDP;
}

/* Columns that share the cost of private edges. */
static hr_units quantile_columns(const hr_schema *schema, uint32_t bins) {
    hr_units columns = 0;
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++)
        columns += needs_quantiles(hr_schema_feature(schema, f), bins);
    return columns;
}

hr_status hr_edges_check_private(const hr_schema *schema, uint32_t bins, hr_privacy_measure privacy_measure,
                                 const hr_charge *charge, hr_error *err) {
    hr_charge column = *charge;
    hr_units columns = quantile_columns(schema, bins);
    if (!columns) return HR_OK;
    column.cost = charge->cost / columns;
    return are_by_counts(privacy_measure)
               ? hr_quantiles_check_counts(privacy_measure, &column, COUNTS_BITS, err)
               : hr_quantiles_check_medians(privacy_measure, &column, log2_floor(bins), err);
}

static int grid_bits(const hr_edges_release *release) {
    return are_by_counts(hr_gate_privacy_measure(release->gate)) ? COUNTS_BITS : MEDIANS_BITS;
}

static hr_status private_cuts(const hr_edges_release *release, const hr_grid_counts *counts, hr_cuts *out,
                              hr_error *err) {
    if (are_by_counts(hr_gate_privacy_measure(release->gate)))
        return hr_quantiles_by_counts(release->gate, release->charge, counts, release->bins, out, err);
    return hr_quantiles_by_medians(release->gate, release->charge, counts, log2_floor(release->bins), out,
                                   err);
}

/* The private quantiles of one column, as edges. release->charge: of this column. */
static hr_status private_bins(const hr_edges_release *release, const hr_column *column,
                              const hr_grid_counts *counts, hr_arena *arena, hr_feature_bins *out,
                              hr_error *err) {
    uint32_t room[HR_BINS_MAX];
    hr_cuts cuts = {room, 0};
    hr_status status = private_cuts(release, counts, &cuts, err);
    if (status) return status;
    double *edges = hr_arena_alloc(arena, cuts.count + 1, sizeof *edges);
    if (!edges) return hr_fail_memory(err);
    double grid = (double)((size_t)1 << counts->bits);
    for (size_t i = 0; i < cuts.count; i++)
        edges[i] = column->low + (column->high - column->low) * ((double)cuts.at[i] / grid);
    *out = (hr_feature_bins){
        .kind = HR_NUMBER, .bin_count = distinct_edges(edges, (uint32_t)cuts.count) + 2, .edges = edges};
    return HR_OK;
}

hr_status hr_edges_private(const hr_data *data, const hr_edges_release *release, hr_arena *arena,
                           hr_binning *out, uint64_t *groups, hr_error *err) {
    const hr_schema *schema = hr_data_schema(data);
    const hr_charge *charge = release->charge;
    hr_binning made;
    hr_charge column_charge = *charge;
    const hr_edges_release of_column = {release->bins, release->gate, &column_charge};
    hr_units columns = quantile_columns(schema, release->bins);
    hr_exact *cells = NULL;
    hr_status status = begin_edges(schema, arena, &made, err);
    if (status) return status;
    if (columns) {
        column_charge.cost = charge->cost / columns;
        status = hr_gate_covers(release->gate, charge, columns, err);
        if (status) return status;
        cells = malloc(GRID_MAX * sizeof *cells);
        if (!cells) return hr_fail_memory(err);
    }
    const hr_grid_counts counts = {cells, grid_bits(release)};
    for (size_t f = 0; !status && f < made.feature_count; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        if (!needs_quantiles(column, release->bins)) {
            status = public_bins(column, release->bins, arena, &made.features[f], err);
            continue;
        }
        hr_edges_count_cells(column, hr_data_numbers(data, f), hr_data_rows(data), (size_t)1 << counts.bits,
                             cells);
        status = private_bins(&of_column, column, &counts, arena, &made.features[f], err);
    }
    free(cells);
    if (status) return status;
    *out = made;
    *groups = columns > 0;
    return HR_OK;
}
