#include "tables/bins/time_cuts.h"

#include "base/fail.h"
#include "tables/bins/edges.h"
#include "tables/data/columns.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << HR_TIME_CUTS_BITS, DIGITS = 3 };

static double last_cut(const hr_column *label) {
    return label->intervals[label->interval_count - 1];
}

/* ---- The records ---- */

void hr_time_cuts_count(const hr_data *data, hr_exact *cells) {
    const hr_column grid = {.low = 0, .high = last_cut(hr_schema_label(hr_data_schema(data)))};
    const uint32_t *weights = hr_data_weights(data);
    double values[HR_DATA_BLOCK];
    memset(cells, 0, CELLS * sizeof *cells);
    for (size_t begin = 0; begin < hr_data_rows(data); begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, hr_data_rows(data));
        for (size_t i = 0; i < count; i++) {
            const double label = hr_data_labels(data)[begin + i], time = hr_label_time(label);
            values[i] = hr_label_event(label) && time <= grid.high ? time : (double)NAN;
        }
        const hr_edge_values events = {values, weights ? weights + begin : NULL, count};
        hr_edges_count_cells(&grid, &events, CELLS, cells);
    }
}

static hr_privacy_unit unit_of(const hr_data *data) {
    return hr_data_weights(data) ? HR_PER_PERSON : HR_PER_RECORD;
}

/* ---- The release ---- */

static bool are_by_medians(hr_privacy_measure privacy_measure) {
    return privacy_measure == HR_PRIVACY_PURE || privacy_measure == HR_PRIVACY_NONE;
}

static int levels_of(const hr_column *label) {
    int levels = 0;
    while (label->interval_count >> (levels + 1)) levels++;
    return levels;
}

hr_status hr_time_cuts_check(const hr_column *label, hr_privacy_measure privacy_measure,
                             const hr_charge *charge, hr_privacy_unit unit, hr_error *err) {
    return are_by_medians(privacy_measure)
               ? hr_quantiles_check_medians(privacy_measure, charge, levels_of(label), unit, err)
               : hr_quantiles_check_counts(privacy_measure, charge, HR_TIME_CUTS_BITS, unit, err);
}

/* To DIGITS significant digits; cut > 0. */
static double rounded_cut(double cut) {
    const int places = DIGITS - 1 - (int)floor(log10(cut));
    const double unit = pow(10, abs(places));
    return places > 0 ? nearbyint(cut * unit) / unit : nearbyint(cut / unit) * unit;
}

static void read_cuts(const hr_column *label, const hr_cuts *cuts, hr_time_cuts *out) {
    const double high = last_cut(label);
    double before = 0;
    out->count = 0;
    for (size_t i = 0; i < cuts->count; i++) {
        const double cut = rounded_cut(high * ldexp((double)cuts->at[i], -HR_TIME_CUTS_BITS));
        if (cut > before && cut < high) before = out->at[out->count++] = cut;
    }
    out->at[out->count++] = high;
}

hr_status hr_time_cuts_release_counted(const hr_column *label, const hr_grid_counts *events, hr_gate *gate,
                                       const hr_charge *charge, hr_time_cuts *out, hr_error *err) {
    uint32_t at[HR_INTERVALS_MAX];
    hr_cuts cuts = {at, 0};
    hr_status status = are_by_medians(hr_gate_privacy_measure(gate))
                           ? hr_quantiles_by_medians(gate, charge, events, levels_of(label), &cuts, err)
                           : hr_quantiles_by_counts(gate, charge, events, label->interval_count, &cuts, err);
    if (!status) read_cuts(label, &cuts, out);
    return status;
}

hr_status hr_time_cuts_release(const hr_data *data, hr_gate *gate, const hr_charge *charge, hr_time_cuts *out,
                               hr_error *err) {
    hr_exact *cells = malloc(CELLS * sizeof *cells);
    if (!cells) return hr_fail_memory(err);
    const hr_grid_counts events = {cells, HR_TIME_CUTS_BITS, unit_of(data)};
    hr_time_cuts_count(data, cells);
    hr_status status =
        hr_time_cuts_release_counted(hr_schema_label(hr_data_schema(data)), &events, gate, charge, out, err);
    free(cells);
    return status;
}

/* ---- Several tables ---- */

hr_status hr_time_cuts_count_nodes(const hr_data *data, hr_exact *out, hr_error *err) {
    hr_exact *cells = malloc(CELLS * sizeof *cells), *nodes = malloc((size_t)2 * CELLS * sizeof *nodes);
    const hr_grid_counts events = {cells, HR_TIME_CUTS_BITS, unit_of(data)};
    if (cells && nodes) {
        hr_time_cuts_count(data, cells);
        hr_quantiles_node_counts(&events, nodes);
        memcpy(out, nodes + 2, HR_TIME_CUTS_NODES * sizeof *out);
    }
    const bool counted = cells && nodes;
    free(cells);
    free(nodes);
    return counted ? HR_OK : hr_fail_memory(err);
}

hr_charge hr_time_cuts_level(const hr_charge *whole, int level, hr_privacy_unit unit) {
    hr_charge line = *whole;
    line.level = level - 1;
    line.cost = whole->cost / HR_TIME_CUTS_BITS;
    line.sensitivity = hr_unit_of_counts(unit);
    return line;
}

hr_status hr_time_cuts_of_nodes(const hr_column *label, const hr_noisy *nodes, double noise,
                                hr_time_cuts *out, hr_error *err) {
    uint32_t at[HR_INTERVALS_MAX];
    hr_cuts cuts = {at, 0};
    hr_quantile_counts *machine = NULL;
    size_t node;
    int level;
    hr_status status = hr_quantile_counts_new(HR_TIME_CUTS_BITS, label->interval_count, noise, &machine, err);
    if (status) return status;
    for (size_t i = 0; i < HR_TIME_CUTS_NODES; i++) hr_quantile_counts_accept(machine, i + 2, nodes[i]);
    if (!hr_quantile_counts_next(machine, &node, &level)) cuts.count = hr_quantile_counts_cuts(machine, at);
    hr_quantile_counts_free(machine);
    read_cuts(label, &cuts, out);
    return HR_OK;
}

/* ---- What they become ---- */

hr_status hr_time_cuts_schema(const hr_schema *schema, const double *cuts, size_t count, hr_schema **out,
                              hr_error *err) {
    hr_schema_parts parts = *hr_schema_parts_of(schema);
    parts.label.intervals = cuts;
    parts.label.interval_count = count;
    parts.label.quantile_cuts = false;
    return hr_schema_make(&parts, out, err);
}

hr_status hr_cut_table_make(const hr_data *data, const double *cuts, size_t count, hr_cut_table *out,
                            hr_error *err) {
    const size_t feature_count = hr_schema_feature_count(hr_data_schema(data));
    size_t *features = malloc((feature_count + 1) * sizeof *features);
    if (!features) return hr_fail_memory(err);
    for (size_t f = 0; f < feature_count; f++) features[f] = f;
    hr_status status = hr_time_cuts_schema(hr_data_schema(data), cuts, count, &out->schema, err);
    if (!status) out->data = hr_data_part(data, out->schema, features);
    free(features);
    return status || out->data ? status : hr_fail_memory(err);
}

void hr_cut_table_done(hr_cut_table *table) {
    hr_data_free(table->data);
    hr_schema_free(table->schema);
    *table = (hr_cut_table){0};
}
