/* Private cuts between the intervals of times to an event: quantiles of the times at which events came, up to
 * the last cut, which is public. Proof: time_cuts.proof.md. */
#ifndef HR_TABLES_BINS_TIME_CUTS_H
#define HR_TABLES_BINS_TIME_CUTS_H

#include "privacy/quantiles.h"

#include <hedgerow/data.h>

/* Times lie on a grid of 2^HR_TIME_CUTS_BITS even cells from 0 to the last cut. Nodes: of its dyadic tree,
 * all but the root, level after level (quantile_machine.h). */
enum { HR_TIME_CUTS_BITS = 10, HR_TIME_CUTS_NODES = (2 << HR_TIME_CUTS_BITS) - 2 };

/* Found cuts; the last is the label's last one. */
typedef struct hr_time_cuts {
    double at[HR_INTERVALS_MAX]; /* ascending, from above 0 */
    size_t count;                /* at most as many as the label has */
} hr_time_cuts;

/* cells: 2^HR_TIME_CUTS_BITS numbers, which need not be 0 before: how many records, or of data with weights
 * what weight, had their event in each. A record adds to one cell; to none if its event came behind the last
 * cut, or had not come when it was censored. */
void hr_time_cuts_count(const hr_data *data, hr_exact *cells);

/* Whether hr_time_cuts_release could spend charge->cost so: a public fact. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_time_cuts_check(const hr_column *label, hr_privacy_measure privacy_measure,
                                           const hr_charge *charge, hr_privacy_unit unit, hr_error *err);

/* Cuts between intervals of about equal numbers of events, rounded to three digits: as many as the label has,
 * or fewer where noise or rounding makes them one; under pure epsilon the greatest power of two that is no
 * more. The label of the data has quantile_cuts. Spends: at most charge->cost, in charge->group and part.
 * Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_time_cuts_release(const hr_data *data, hr_gate *gate, const hr_charge *charge,
                                             hr_time_cuts *out, hr_error *err);
/* The same of what hr_time_cuts_count gives of all records of a label, 2^HR_TIME_CUTS_BITS cells. */
HR_MUST_CHECK hr_status hr_time_cuts_release_counted(const hr_column *label, const hr_grid_counts *events,
                                                     hr_gate *gate, const hr_charge *charge,
                                                     hr_time_cuts *out, hr_error *err);

/* ---- Cuts of several tables, whose counts are added up by others ---- */

/* HR_COUNT_UNIT times the number of events in each node, HR_TIME_CUTS_NODES of them; of data with weights
 * their sums, in units of 1/HR_PERSON_UNIT. A record more adds to one node of a level, a person more at most
 * HR_PERSON_UNIT to all of a level together. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_time_cuts_count_nodes(const hr_data *data, hr_exact *out, hr_error *err);
/* The charge of a level, 1 .. HR_TIME_CUTS_BITS, of 2^level nodes, out of that of all. */
hr_charge hr_time_cuts_level(const hr_charge *whole, int level, hr_privacy_unit unit);
/* The cuts of released nodes, whose noise has that standard deviation. Without noise they are those that
 * hr_time_cuts_release finds of all records by counts. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_time_cuts_of_nodes(const hr_column *label, const hr_noisy *nodes, double noise,
                                              hr_time_cuts *out, hr_error *err);

/* ---- What cuts become ---- */

/* The same schema with those cuts. Owner: the caller frees *out. Fails: FORMAT (they cannot be a schema's),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_time_cuts_schema(const hr_schema *schema, const double *cuts, size_t count,
                                            hr_schema **out, hr_error *err);

/* The same records under a schema that has those cuts as if they had always been public. Starts from {0}. */
typedef struct hr_cut_table {
    hr_schema *schema;
    hr_data *data; /* has the columns of the table that it was made of, which must outlive it */
} hr_cut_table;

/* Owner: the caller calls hr_cut_table_done in either case. Fails: FORMAT (such cuts cannot be a schema's),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_cut_table_make(const hr_data *data, const double *cuts, size_t count,
                                          hr_cut_table *out, hr_error *err);
void hr_cut_table_done(hr_cut_table *table);

#endif
