/* Cuts between intervals of times that a fit releases first: what they cost, and the table that has them in
 * its schema as if they had always been public. */
#ifndef HR_FIT_CUTS_H
#define HR_FIT_CUTS_H

#include "base/buffer.h"
#include "methods/method.h"
#include "tables/bins/time_cuts.h"

#include <hedgerow/cluster.h>

/* The part of a fit's budget that goes to cuts; 0: the schema has them, or the method predicts nothing, and
 * needs none. schema: NULL for a plan that has none. */
double hr_cuts_share(const hr_method *method, const hr_schema *schema);
hr_units hr_cuts_cost(const hr_method *method, const hr_schema *schema, hr_units budget);

/* Whether the fit may and can release them; nothing to refuse if their share is 0. facts->schema may be NULL.
 * Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_cuts_check(const hr_fit_facts *facts, const hr_method *method, hr_units cost,
                                      hr_error *err);

/* How they are released. */
typedef struct hr_cuts_order {
    hr_gate *gate;
    hr_units cost;
    hr_cluster *cluster; /* whose ranks have parts of the table; NULL: this process has all of it */
} hr_cuts_order;

/* The same records under a schema with released cuts. Starts from {0}. */
typedef struct hr_cut_tables {
    hr_cut_table all, trained; /* the second is empty if all are trained on */
} hr_cut_tables;

/* Releases cuts of *trained, and puts tables that have them in the place of both, which may be one; so do the
 * other ranks, if there are any. Spends: at most order->cost. Owner: the caller calls hr_cut_tables_done in
 * either case. Fails: BUDGET, MEMORY, and as the ranks. */
HR_MUST_CHECK hr_status hr_cuts_release(const hr_data **data, const hr_data **trained,
                                        const hr_cuts_order *order, hr_cut_tables *out, hr_error *err);
void hr_cut_tables_done(hr_cut_tables *tables);

/* Adds to a model's statement what they cost, in parts of the budget. */
void hr_cuts_state(hr_units cost, hr_units budget, hr_buffer *statement);

#endif
