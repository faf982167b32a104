/* Bin edges of a schema's features from public facts and from released cuts: no record and no exact statistic
 * is seen here. Who counts the records, and how cuts are released, is up to the caller: one process
 * (edges.h), or many that add their counts up.
 *
 * Edges from cuts: hr_edges_begin; then, while hr_edges_next names a feature, hr_edges_accept its cuts; then
 * `binning` is whole. At most `bins` value bins a feature (bin 0, missing, comes on top). Categories always
 * get one bin a public value (the last bin is shared by all values past the 255th); so do integers with at
 * most `bins` public values. Thread: one at a time. */
#ifndef HR_TABLES_BINS_EDGE_MACHINE_H
#define HR_TABLES_BINS_EDGE_MACHINE_H

#include "privacy/quantile_machine.h"
#include "tables/bins/binning.h"

/* Evenly spaced between the public bounds. Spends nothing. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edges_public(const hr_schema *schema, uint32_t bins, hr_arena *arena,
                                        hr_binning *out, hr_error *err);

/* Whether a feature would need quantiles, how many do, and whether any does: public facts. */
bool hr_edges_is_cut(const hr_column *column, uint32_t bins);
size_t hr_edges_columns(const hr_schema *schema, uint32_t bins);
bool hr_edges_need_quantiles(const hr_schema *schema, uint32_t bins);

typedef struct hr_edges_machine {
    const hr_schema *schema;
    uint32_t bins;
    hr_arena *arena;
    hr_binning binning;
    size_t feature; /* the feature whose cuts are accepted next */
} hr_edges_machine;

/* Makes the bins of the features that need no quantiles. Borrows the schema and the arena, which the binning
 * is made in. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edges_begin(hr_edges_machine *machine, const hr_schema *schema, uint32_t bins,
                                       hr_arena *arena, hr_error *err);
/* The next feature, a number, whose cuts are wanted, as often as it is called. False: there is none. */
bool hr_edges_next(hr_edges_machine *machine, size_t *feature);
/* Its edges themselves, as another party's machine made them of cuts. Copies. Fails: FORMAT (more than bins -
 * 1, not ascending, or outside of the bounds), MEMORY. */
HR_MUST_CHECK hr_status hr_edges_take(hr_edges_machine *machine, const double *edges, size_t count,
                                      hr_error *err);
/* Its cuts: of 2^bits even cells between the column's bounds, fewer than `bins` of them. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edges_accept(hr_edges_machine *machine, const hr_cuts *cuts, int bits,
                                        hr_error *err);

#endif
