/* Bins must follow the data, and their edges are published: so they are released like everything else, by one
 * of two ways. The cells, the intervals and the number of draws at a level are public or released; the counts
 * are not. */
#include "privacy/quantiles.h"

#include "base/fail.h"
#include "privacy/noise.h"
#include "privacy/quantile_machine.h"
#include "privacy/sensitivity.h"

#include <math.h>
#include <stdlib.h>

/* Noisy counts are in units of 1/HR_COUNT_UNIT of a record, or 1/HR_PERSON_UNIT of a person: beside a
 * variance in such units the 6 that discrete noise costs under GDP is nothing. */
enum { LEVELS_MAX = HR_QUANTILE_BITS_MAX };

/* What the levels of a column are charged: a line each. */
typedef struct level_lines {
    const hr_units *costs; /* sum to the cost of the column; the smallest comes first */
    int count;
    uint64_t sensitivity;
    hr_status (*charge)(hr_gate *gate, const hr_charge *line, hr_permit *out, hr_error *err);
} level_lines;

/* Charges all lines, or nothing at all. */
static hr_status charge_levels(hr_gate *gate, const hr_charge *charge, const level_lines *lines,
                               hr_permit *permits, hr_error *err) {
    hr_status status = hr_gate_covers(gate, charge, (size_t)lines->count, err);
    for (int level = 0; level < lines->count && status == HR_OK; level++) {
        hr_charge line = *charge;
        line.level = level;
        line.cost = lines->costs[level];
        line.sensitivity = lines->sensitivity;
        status = lines->charge(gate, &line, &permits[level], err);
    }
    return status;
}

/* ---- Recursive medians ---- */

/* Deeper levels have fewer records in a node, so they get more: level l a part proportional to 1.4^l. */
static void share_out_levels(hr_units cost, int levels, hr_units *costs) {
    double sum = 0;
    for (int l = 0; l < levels; l++) sum += pow(1.4, l);
    hr_units rest = cost;
    for (int l = 0; l + 1 < levels; l++) rest -= costs[l] = hr_units_share(cost, pow(1.4, l) / sum);
    costs[levels - 1] = rest;
}

hr_status hr_quantiles_check_medians(hr_privacy_measure privacy_measure, const hr_charge *charge, int levels,
                                     hr_privacy_unit unit, hr_error *err) {
    hr_units costs[LEVELS_MAX];
    hr_charge first = *charge;
    share_out_levels(charge->cost, levels, costs);
    first.cost = costs[0];
    first.sensitivity = hr_unit_median_width(unit);
    return hr_charge_check_choice(privacy_measure, &first, err);
}

/* Scores of the cuts in an interval. left_of[c]: records in the cells 0..c-1. */
static size_t score_cuts(const hr_median_interval *of, const hr_exact *left_of, hr_exact *scores) {
    int64_t from = left_of[of->low].unpaid, to = left_of[of->high].unpaid;
    for (uint32_t c = of->low + 1; c < of->high; c++) {
        int64_t at = left_of[c].unpaid, excess = (at - from) - (to - at);
        scores[c - of->low - 1].unpaid = excess < 0 ? excess : -excess;
    }
    return of->high - of->low - 1;
}

hr_status hr_quantiles_by_medians(hr_gate *gate, const hr_charge *charge, const hr_grid_counts *column,
                                  int levels, hr_cuts *cuts, hr_error *err) {
    uint32_t cell_count = (uint32_t)1 << column->bits;
    hr_quantile_medians machine;
    hr_median_interval of;
    hr_permit permits[LEVELS_MAX];
    hr_units costs[LEVELS_MAX];
    const level_lines lines = {costs, levels, hr_unit_median_width(column->unit), hr_gate_charge_choice};
    hr_quantile_medians_init(&machine, column->bits, levels, cuts->at);
    hr_exact *left_of = calloc(cell_count + 1, sizeof *left_of), *scores = calloc(cell_count, sizeof *scores);
    hr_status status = left_of && scores ? HR_OK : hr_fail_memory(err);
    share_out_levels(charge->cost, levels, costs);
    if (!status) status = charge_levels(gate, charge, &lines, permits, err);
    if (status) goto out;
    for (uint32_t i = 0; i < cell_count; i++)
        left_of[i + 1].unpaid = left_of[i].unpaid + column->cells[i].unpaid;
    while (hr_quantile_medians_next(&machine, &of)) {
        size_t count = score_cuts(&of, left_of, scores);
        hr_quantile_medians_accept(
            &machine, of.low + 1 + (uint32_t)hr_gate_choose(gate, permits[of.level], scores, count));
    }
    cuts->count = machine.cut_count;
out:
    free(left_of);
    free(scores);
    return status;
}

/* ---- Noisy dyadic counts ---- */

void hr_quantiles_node_counts(const hr_grid_counts *column, hr_exact *counts) {
    size_t cell_count = (size_t)1 << column->bits;
    int64_t unit = column->unit == HR_PER_PERSON ? 1 : HR_COUNT_UNIT;
    for (size_t i = 0; i < cell_count; i++) counts[cell_count + i].unpaid = column->cells[i].unpaid * unit;
    for (size_t i = cell_count - 1; i > 0; i--)
        counts[i].unpaid = counts[2 * i].unpaid + counts[2 * i + 1].unpaid;
}

hr_status hr_quantiles_check_counts(hr_privacy_measure privacy_measure, const hr_charge *charge, int bits,
                                    hr_privacy_unit unit, hr_error *err) {
    hr_charge level = *charge;
    level.cost = charge->cost / (hr_units)bits;
    level.sensitivity = hr_unit_of_counts(unit);
    return hr_charge_check_sums(privacy_measure, &level, err);
}

/* Nodes are drawn when they are first wanted. */
static void release_counts(hr_gate *gate, const hr_permit *permits, const hr_exact *counts,
                           hr_quantile_counts *machine) {
    size_t node;
    int level;
    while (hr_quantile_counts_next(machine, &node, &level)) {
        hr_noisy pair[2];
        hr_gate_sums(gate, permits[level - 1], counts + node, 2, pair);
        for (size_t i = 0; i < 2; i++) hr_quantile_counts_accept(machine, node + i, pair[i]);
    }
}

hr_status hr_quantiles_by_counts(hr_gate *gate, const hr_charge *charge, const hr_grid_counts *column,
                                 size_t parts, hr_cuts *cuts, hr_error *err) {
    int bits = column->bits;
    hr_quantile_counts *machine = NULL;
    hr_permit permits[LEVELS_MAX]; /* of the levels 1..bits below the root */
    hr_units costs[LEVELS_MAX];
    const uint64_t sensitivity = hr_unit_of_counts(column->unit);
    const level_lines lines = {costs, bits, sensitivity, hr_gate_charge_sums};
    for (int l = 0; l < bits; l++) costs[l] = charge->cost / (hr_units)bits;
    double noise = hr_noise_deviation(hr_gate_privacy_measure(gate), costs[0], (double)sensitivity);
    hr_exact *counts = calloc((size_t)2 << bits, sizeof *counts);
    hr_status status = counts ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_quantile_counts_new(bits, parts, noise, &machine, err);
    if (!status) status = charge_levels(gate, charge, &lines, permits, err);
    if (!status) {
        hr_quantiles_node_counts(column, counts);
        release_counts(gate, permits, counts, machine);
        cuts->count = hr_quantile_counts_cuts(machine, cuts->at);
    }
    hr_quantile_counts_free(machine);
    free(counts);
    return status;
}
