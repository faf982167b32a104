#include "tables/bins/edge_machine.h"

#include "base/fail.h"

#include <math.h>

/* Integers between the bounds. */
static double integer_values(const hr_column *column) {
    return floor(column->high) - ceil(column->low) + 1;
}

static bool few_integer_values(const hr_column *column, uint32_t bins) {
    return column->kind == HR_KIND_NUMBER && column->integer && integer_values(column) >= 1 &&
           integer_values(column) <= bins;
}

bool hr_edges_is_cut(const hr_column *column, uint32_t bins) {
    return column->kind == HR_KIND_NUMBER && column->low < column->high && !few_integer_values(column, bins);
}

static hr_feature_bins category_bins(const hr_column *column) {
    return (hr_feature_bins){.kind = HR_KIND_CATEGORY, .bin_count = hr_category_bins(column)};
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
        .kind = HR_KIND_NUMBER, .bin_count = distinct_edges(edges, count - 1) + 2, .edges = edges};
    return HR_OK;
}

static hr_status public_bins(const hr_column *column, uint32_t bins, hr_arena *arena, hr_feature_bins *out,
                             hr_error *err) {
    if (column->kind == HR_KIND_NUMBER) return even_bins(column, bins, arena, out, err);
    *out = category_bins(column);
    return HR_OK;
}

static hr_status binning_init(const hr_schema *schema, hr_arena *arena, hr_binning *out, hr_error *err) {
    *out = (hr_binning){.feature_count = hr_schema_feature_count(schema)};
    out->features = hr_arena_alloc(arena, out->feature_count, sizeof *out->features);
    return out->features ? HR_OK : hr_fail_memory(err);
}

hr_status hr_edges_public(const hr_schema *schema, uint32_t bins, hr_arena *arena, hr_binning *out,
                          hr_error *err) {
    hr_binning made;
    hr_status status = binning_init(schema, arena, &made, err);
    for (size_t f = 0; !status && f < made.feature_count; f++)
        status = public_bins(hr_schema_feature(schema, f), bins, arena, &made.features[f], err);
    if (!status) *out = made;
    return status;
}

size_t hr_edges_columns(const hr_schema *schema, uint32_t bins) {
    size_t columns = 0;
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++)
        columns += hr_edges_is_cut(hr_schema_feature(schema, f), bins);
    return columns;
}

bool hr_edges_need_quantiles(const hr_schema *schema, uint32_t bins) {
    return hr_edges_columns(schema, bins) > 0;
}

hr_status hr_edges_begin(hr_edges_machine *m, const hr_schema *schema, uint32_t bins, hr_arena *arena,
                         hr_error *err) {
    *m = (hr_edges_machine){.schema = schema, .bins = bins, .arena = arena};
    hr_status status = binning_init(schema, arena, &m->binning, err);
    for (size_t f = 0; !status && f < m->binning.feature_count; f++)
        if (!hr_edges_is_cut(hr_schema_feature(schema, f), bins))
            status = public_bins(hr_schema_feature(schema, f), bins, arena, &m->binning.features[f], err);
    return status;
}

bool hr_edges_next(hr_edges_machine *m, size_t *feature) {
    while (m->feature < m->binning.feature_count &&
           !hr_edges_is_cut(hr_schema_feature(m->schema, m->feature), m->bins))
        m->feature++;
    *feature = m->feature;
    return m->feature < m->binning.feature_count;
}

hr_status hr_edges_accept(hr_edges_machine *m, const hr_cuts *cuts, int bits, hr_error *err) {
    const hr_column *column = hr_schema_feature(m->schema, m->feature);
    double *edges = hr_arena_alloc(m->arena, cuts->count + 1, sizeof *edges);
    if (!edges) return hr_fail_memory(err);
    double grid = (double)((size_t)1 << bits);
    for (size_t i = 0; i < cuts->count; i++)
        edges[i] = column->low + (column->high - column->low) * ((double)cuts->at[i] / grid);
    m->binning.features[m->feature++] =
        (hr_feature_bins){.kind = HR_KIND_NUMBER,
                          .bin_count = distinct_edges(edges, (uint32_t)cuts->count) + 2,
                          .edges = edges};
    return HR_OK;
}

static bool are_edges(const hr_column *column, const double *edges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(edges[i] >= column->low && edges[i] <= column->high) || (i && !(edges[i] > edges[i - 1])))
            return false;
    return true;
}

hr_status hr_edges_take(hr_edges_machine *m, const double *edges, size_t count, hr_error *err) {
    const hr_column *column = hr_schema_feature(m->schema, m->feature);
    if (count >= m->bins || !are_edges(column, edges, count))
        return hr_fail(err, HR_E_FORMAT, "",
                       "bin edges that are too many, or not ascending within the bounds");
    double *copy = hr_arena_alloc(m->arena, count + 1, sizeof *copy);
    if (!copy) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) copy[i] = edges[i];
    m->binning.features[m->feature++] =
        (hr_feature_bins){.kind = HR_KIND_NUMBER, .bin_count = (uint32_t)count + 2, .edges = copy};
    return HR_OK;
}
