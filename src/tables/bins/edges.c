/* Private bin edges of the records of this process. Exact ones, which need sorting, are in edges_exact.c. */
#include "tables/bins/edges.h"
#include "base/fail.h"
#include "base/team.h"
#include "privacy/quantiles.h"
#include "tables/data/columns.h"
#include "tables/data/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts are paid for level by level, so their grid is coarser. */
enum { MEDIANS_BITS = 16, COUNTS_BITS = HR_EDGE_LEVELS, GRID_MAX = 1 << MEDIANS_BITS };

_Static_assert((int)HR_PERSON_UNIT == 1 << HR_PERSON_BITS, "weights of tables are what statistics expect");

enum { CELLS_TOGETHER = 64 };

/* cells[i]: of each value its cell, ceil((value - low) / width * grid) - 1 within 0 .. grid - 1; NaN: any of
 * them. Without branches and calls, so that it is a loop of vectors. */
static void find_cells(const hr_column *column, const double *values, size_t count, int32_t grid,
                       int32_t *cells) {
    const double low = column->low, width = column->high - low, whole = grid;
    for (size_t i = 0; i < count; i++) {
        const double at = (values[i] - low) / width * whole, above = at > 0 ? at : 0,
                     within = above < whole ? above : whole;
        const int32_t floor = (int32_t)within, cell = floor - ((double)floor >= within);
        cells[i] = cell > 0 ? cell : 0;
    }
}

void hr_edges_count_cells(const hr_column *column, const hr_edge_values *of, size_t grid, hr_exact *cells) {
    int32_t found[CELLS_TOGETHER];
    for (size_t begin = 0; begin < of->count; begin += CELLS_TOGETHER) {
        const size_t left = of->count - begin, count = left < CELLS_TOGETHER ? left : CELLS_TOGETHER;
        const double *values = of->values + begin;
        find_cells(column, values, count, (int32_t)grid, found);
        for (size_t i = 0; i < count; i++)
            if (!isnan(values[i])) cells[found[i]].unpaid += of->weights ? of->weights[begin + i] : 1;
    }
}

typedef struct column_count {
    const hr_data *data;
    size_t feature, grid;
    hr_exact *cells; /* member, cell */
} column_count;

static void count_rows(void *of, size_t member, size_t begin, size_t end) {
    const column_count *c = of;
    const hr_column *column = hr_schema_feature(hr_data_schema(c->data), c->feature);
    const uint32_t *weights = hr_data_weights(c->data);
    double buffer[HR_DATA_BLOCK];
    for (size_t at = begin; at < end; at += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(at, end);
        const hr_edge_values values = {hr_data_number_block(c->data, c->feature, at, count, buffer),
                                       weights ? weights + at : NULL, count};
        hr_edges_count_cells(column, &values, c->grid, c->cells + member * c->grid);
    }
}

hr_status hr_edges_count_column(const hr_edge_rows *of, size_t feature, size_t grid, hr_exact *cells,
                                hr_error *err) {
    const size_t rows = hr_data_rows(of->data), members = hr_team_worth(of->threads, rows, HR_TEAM_RECORDS);
    column_count count = {of->data, feature, grid, calloc(members * grid, sizeof *cells)};
    if (!count.cells) return hr_fail_memory(err);
    hr_team_share(members, rows, HR_TEAM_RECORDS, count_rows, &count);
    memcpy(cells, count.cells, grid * sizeof *cells);
    for (size_t i = grid; i < members * grid; i++) cells[i % grid].unpaid += count.cells[i].unpaid;
    free(count.cells);
    return HR_OK;
}

static hr_privacy_unit unit_of(const hr_data *data) {
    return hr_data_weights(data) ? HR_PER_PERSON : HR_PER_RECORD;
}

/* Counts the cells of each feature once for all of its parts, which stand together. */
hr_status hr_edges_count_nodes(const hr_data *data, uint32_t bins, const hr_edge_question *question,
                               hr_exact *out, hr_error *err) {
    const size_t grid = (size_t)1 << COUNTS_BITS;
    hr_status status = hr_edge_question_check(hr_data_schema(data), bins, question, err);
    if (status) return status;
    hr_exact *cells = malloc(3 * grid * sizeof *cells);
    if (!cells) return hr_fail_memory(err);
    hr_exact *nodes = cells + grid;
    for (size_t p = 0; !status && p < question->part_count; p++) {
        const hr_edge_nodes *part = &question->parts[p];
        if (!p || part->feature != part[-1].feature) {
            status = hr_edges_count_column(&(hr_edge_rows){data, 1}, part->feature, grid, cells, err);
            if (status) break;
            hr_quantiles_node_counts(&(hr_grid_counts){cells, COUNTS_BITS, unit_of(data)}, nodes);
        }
        for (size_t i = 0; i < part->count; i++) *out++ = nodes[part->nodes[i]];
    }
    free(cells);
    return status;
}

static int log2_floor(uint32_t x) {
    int bits = 0;
    while (x >>= 1) bits++;
    return bits;
}

static bool are_by_counts(hr_privacy_measure privacy_measure) {
    return privacy_measure == HR_PRIVACY_ZCDP || privacy_measure == HR_PRIVACY_GDP;
}

hr_status hr_edges_check_private(const hr_edges_wanted *wanted, hr_privacy_measure privacy_measure,
                                 const hr_charge *charge, hr_error *err) {
    hr_charge column = *charge;
    hr_units columns = hr_edges_columns(wanted->schema, wanted->bins);
    if (!columns) return HR_OK;
    column.cost = charge->cost / columns;
    return are_by_counts(privacy_measure)
               ? hr_quantiles_check_counts(privacy_measure, &column, COUNTS_BITS, wanted->unit, err)
               : hr_quantiles_check_medians(privacy_measure, &column, log2_floor(wanted->bins), wanted->unit,
                                            err);
}

/* Every level of a column is a line. */
double hr_edges_memory(const hr_schema *schema, uint32_t bins, hr_privacy_measure privacy_measure) {
    int lines = are_by_counts(privacy_measure) ? COUNTS_BITS : log2_floor(bins);
    return (double)hr_schema_feature_count(schema) * (bins + 3) * sizeof(double) +
           (double)hr_edges_columns(schema, bins) * 3 * lines * sizeof(hr_release);
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

/* Counts and cuts one column after the other; all of them together cost release->charge. */
static hr_status accept_columns(const hr_edge_counter *counter, const hr_edges_release *release,
                                size_t columns, hr_edges_machine *machine, hr_error *err) {
    const hr_charge *charge = release->charge;
    hr_charge column_charge = *charge;
    const hr_edges_release of_column = {release->bins, release->gate, &column_charge};
    uint32_t at[HR_BINS_MAX];
    size_t f;
    column_charge.cost = charge->cost / columns;
    hr_status status = hr_gate_covers(release->gate, charge, columns, err);
    if (status) return status;
    hr_exact *cells = malloc(GRID_MAX * sizeof *cells);
    if (!cells) return hr_fail_memory(err);
    const hr_grid_counts counts = {cells, grid_bits(release), counter->unit};
    while (!status && hr_edges_next(machine, &f)) {
        hr_cuts cuts = {at, 0};
        status = counter->count(counter->user, f, (size_t)1 << counts.bits, cells, err);
        if (!status) status = private_cuts(&of_column, &counts, &cuts, err);
        if (!status) status = hr_edges_accept(machine, &cuts, counts.bits, err);
    }
    free(cells);
    return status;
}

hr_status hr_edges_release_counted(const hr_edge_counter *counter, const hr_edges_release *release,
                                   hr_arena *arena, hr_binning *out, uint64_t *groups, hr_error *err) {
    size_t columns = hr_edges_columns(counter->schema, release->bins);
    hr_edges_machine machine;
    hr_status status = hr_edges_begin(&machine, counter->schema, release->bins, arena, err);
    if (!status && columns) status = accept_columns(counter, release, columns, &machine, err);
    if (status) return status;
    *out = machine.binning;
    *groups = columns > 0;
    return HR_OK;
}

static hr_status count_table_column(void *user, size_t feature, size_t grid, hr_exact *cells, hr_error *err) {
    return hr_edges_count_column(&(hr_edge_rows){*(const hr_data *const *)user, 1}, feature, grid, cells,
                                 err);
}

hr_status hr_edges_private(const hr_data *data, const hr_edges_release *release, hr_arena *arena,
                           hr_binning *out, uint64_t *groups, hr_error *err) {
    const hr_edge_counter counter = {hr_data_schema(data), unit_of(data), count_table_column, &data};
    return hr_edges_release_counted(&counter, release, arena, out, groups, err);
}
