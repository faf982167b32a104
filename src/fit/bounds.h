/* Private bounds before a fit: which columns, what they cost, and the table with the bounds that were
 * released. */
#ifndef HR_FIT_BOUNDS_H
#define HR_FIT_BOUNDS_H

#include "fit/settings.h"
#include "tables/bins/private_bounds.h"

/* The part of a fit's budget that goes to bounds; 0: the options have none, or a share that
 * hr_bounds_check_fit refuses. */
hr_units hr_bounds_cost(const hr_fit_options *options, hr_units budget);

/* Whether the fit may and can release them; nothing to refuse if the options have none. `cost` is
 * hr_bounds_cost. schema: NULL for a plan that has none. Fails: ARGUMENT (the method, the mode, the share, a
 * start; no such column, or no number), BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_check_fit(const hr_fit_facts *facts, const hr_method *method, hr_units cost,
                                            hr_error *err);

/* The same records within released bounds, and the schema that holds them. */
typedef struct hr_bounded_table {
    hr_schema *schema;
    hr_data *data;
} hr_bounded_table;

void hr_bounded_table_done(hr_bounded_table *table);

/* Spends: cost. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_release(const hr_data *data, const hr_fit_options *options, hr_gate *gate,
                                          hr_units cost, hr_bounded_table *out, hr_error *err);

/* The columns of these names, which are numbers, in that order; at: room for `count`. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_bounds_find(const hr_schema *schema, const char *const *names, size_t count,
                                       size_t *at, hr_error *err);

/* The schema with these bounds, one a column, instead of its own. Owner: the caller. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_schema(const hr_schema *schema, const hr_bounds_columns *columns,
                                         const hr_bounds *bounds, hr_schema **out, hr_error *err);

/* What the model holds of it. */
void hr_bounds_add_settings(hr_settings *settings, const hr_fit_options *options);

#endif
