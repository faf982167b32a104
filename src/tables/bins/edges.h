/* Where bin edges come from: public bounds, the gate, or (without privacy) the data themselves.
 *
 * Every function makes the whole binning of a data set, of the bins that edge_machine.h describes; public
 * edges are made there. */
#ifndef HR_TABLES_BINS_EDGES_H
#define HR_TABLES_BINS_EDGES_H

#include "privacy/gate.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edge_levels.h"

#include <hedgerow/data.h>

/* Values of a number, and what their records weigh; weights NULL: 1 each. */
typedef struct hr_edge_values {
    const double *values;
    const uint32_t *weights;
    size_t count;
} hr_edge_values;

/* Adds to each of `grid` even cells between the bounds, low < high, the weight of the values that lie in
 * it. A cell holds the values above its lower end up to its upper end, as a bin does: a value that equals
 * a cut counts left of it. What is outside of the bounds counts in the nearest cell, NaN in none. So a record
 * more adds its weight to one cell, or nothing. Proof: edges.proof.md. */
void hr_edges_count_cells(const hr_column *column, const hr_edge_values *values, size_t grid,
                          hr_exact *cells);

/* A table, and on how many threads its records are counted. */
typedef struct hr_edge_rows {
    const hr_data *data;
    int threads;
} hr_edge_rows;

/* The same of all records of a table, for one numeric feature; cells hold nothing else. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edges_count_column(const hr_edge_rows *rows, size_t feature, size_t grid,
                                              hr_exact *cells, hr_error *err);

/* What records answer to a question of edge_levels.h: HR_COUNT_UNIT times the number of records in each node,
 * question->values of them, in the order of the parts and their nodes. A record more adds HR_COUNT_UNIT to at
 * most one node of a part. Of data with weights: the sums of the weights, in units of 1/HR_PERSON_UNIT; a
 * person more adds at most HR_PERSON_UNIT to all nodes of a part together. The question may come from
 * anywhere: it is checked first. Fails: FORMAT, MEMORY.
 */
HR_MUST_CHECK hr_status hr_edges_count_nodes(const hr_data *data, uint32_t bins,
                                             const hr_edge_question *question, hr_exact *out, hr_error *err);

/* How private edges are released. */
typedef struct hr_edges_release {
    uint32_t bins; /* a feature, at most */
    hr_gate *gate;
    const hr_charge *charge; /* of all features together */
} hr_edges_release;

/* Who counts the cells of a numeric feature: a table in this process, or another that adds up the counts of
 * several. They are those of hr_edges_count_column over all records. */
typedef struct hr_edge_counter {
    const hr_schema *schema;
    hr_privacy_unit unit; /* HR_PER_PERSON exactly if records have weights */
    hr_status (*count)(void *user, size_t feature, size_t grid, hr_exact *cells, hr_error *err);
    void *user;
} hr_edge_counter;

/* Private quantiles of every numeric feature with more than `bins` public values, on a grid of 2^16 cells
 * (zCDP and GDP: 2^14) between its bounds. Spends: at most charge->cost in all, in charge->group and part;
 * `groups`: 1, or 0 where nothing is charged. Pure budgets use recursive medians, zCDP noisy dyadic counts.
 * Fails: BUDGET, MEMORY, and as the counter. */
HR_MUST_CHECK hr_status hr_edges_release_counted(const hr_edge_counter *counter,
                                                 const hr_edges_release *release, hr_arena *arena,
                                                 hr_binning *out, uint64_t *groups, hr_error *err);
/* The same of a table. */
HR_MUST_CHECK hr_status hr_edges_private(const hr_data *data, const hr_edges_release *release,
                                         hr_arena *arena, hr_binning *out, uint64_t *groups, hr_error *err);

/* Whose edges: what is known before a record is looked at. */
typedef struct hr_edges_wanted {
    const hr_schema *schema;
    uint32_t bins; /* a feature, at most */
    hr_privacy_unit unit;
} hr_edges_wanted;

/* Whether hr_edges_private could spend charge->cost so, in that privacy measure: a public fact. Fails:
 * BUDGET. */
HR_MUST_CHECK hr_status hr_edges_check_private(const hr_edges_wanted *wanted,
                                               hr_privacy_measure privacy_measure, const hr_charge *charge,
                                               hr_error *err);

/* Bytes that hr_edges_private takes, at most: of the edges, and of the lines about their release, in the
 * gate's list, in the model's, and while they are added up. */
double hr_edges_memory(const hr_schema *schema, uint32_t bins, hr_privacy_measure privacy_measure);

/* Quantiles of the data: NOT PRIVATE. At most `bins` different numbers get a bin each, whole or not. The
 * edges do not depend on the order of the rows. Above 2^18 rows they are taken from the rows whose hash falls
 * below a threshold. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edges_exact(const hr_data *data, uint32_t bins, int threads, hr_arena *arena,
                                       hr_binning *out, hr_error *err);

/* At the averages of every three of a number's different values in ascending order, as InPrivate Digging has
 * it: NOT PRIVATE. Values below an average are left of its edge. Values left over at the upper end make none;
 * of two different values the second is taken for an average. A number may have more bins than HR_BINS_MAX:
 * for trees/records/wide_tree.h alone. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edges_triple_means(const hr_data *data, hr_arena *arena, hr_binning *out,
                                              hr_error *err);

#endif
