/* Private quantiles of one numeric column, as cut points on a public grid. Proof: quantiles.proof.md. */
#ifndef HR_PRIVACY_QUANTILES_H
#define HR_PRIVACY_QUANTILES_H

#include "privacy/gate.h"
#include "privacy/quantile_machine.h"
#include "privacy/sensitivity.h"

#include <stdint.h>

/* The exact numbers of records whose value lies in cell i of 2^bits; a record is in at most one cell. Per
 * person: the sums of their weights, in units of 1/HR_PERSON_UNIT. */
typedef struct hr_grid_counts {
    const hr_exact *cells;
    int bits;
    hr_privacy_unit unit;
} hr_grid_counts;

/* Recursive medians by private choices: about 2^levels parts of equal weight, each level at a growing part of
 * `cost`. Score of cut c in [a, b): -| records left - records right |, width 2. charge: what, tree, level,
 * group, part and the total cost of this column; sensitivity is ignored. cuts: room for 2^levels - 1.
 * Spends: charge->cost. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_quantiles_by_medians(hr_gate *gate, const hr_charge *charge,
                                                const hr_grid_counts *column, int levels, hr_cuts *cuts,
                                                hr_error *err);

/* counts[i], 1 <= i < 2^(bits + 1): hr_unit_of_counts times the records, or persons, in the cells of node i
 * (quantile_machine.h). A record more adds HR_COUNT_UNIT to one node of a level; a person more adds at most
 * HR_PERSON_UNIT to all of them together. */
void hr_quantiles_node_counts(const hr_grid_counts *column, hr_exact *counts);

/* Noisy dyadic counts (one node per record and level, `bits` levels, drawn when first visited and kept), then
 * quantiles as post-processing. `parts` is the wanted number of parts; cuts: room for parts - 1. Spends:
 * charge->cost. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_quantiles_by_counts(hr_gate *gate, const hr_charge *charge,
                                               const hr_grid_counts *column, size_t parts, hr_cuts *cuts,
                                               hr_error *err);

/* Whether the charge's cost is enough for either, in that privacy measure: a public fact. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_quantiles_check_medians(hr_privacy_measure privacy_measure,
                                                   const hr_charge *charge, int levels, hr_privacy_unit unit,
                                                   hr_error *err);
HR_MUST_CHECK hr_status hr_quantiles_check_counts(hr_privacy_measure privacy_measure, const hr_charge *charge,
                                                  int bits, hr_privacy_unit unit, hr_error *err);

#endif
