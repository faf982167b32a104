/* Private bounds before a fit: which columns, what they cost, and the table with the bounds that were
 * released. */
#ifndef HR_FIT_BOUNDS_H
#define HR_FIT_BOUNDS_H

#include "base/buffer.h"
#include "fit/budget.h"
#include "fit/settings.h"
#include "tables/bins/private_bounds.h"

/* The part of a fit's budget that goes to bounds, and what goes to those that noise hid, once more; 0: the
 * options have none, or a share that hr_bounds_check_fit refuses. */
hr_units hr_bounds_cost(const hr_fit_options *options, hr_units budget);
hr_units hr_bounds_cost_again(const hr_fit_options *options, hr_units budget);

/* Whether the fit may and can release them; nothing to refuse if the options have none. `cost` is
 * hr_bounds_cost. schema: NULL for a plan that has none. Fails: ARGUMENT (the method, the mode, the share, a
 * start; no such column, or no number), BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_check_fit(const hr_fit_facts *facts, const hr_method *method, hr_units cost,
                                            hr_error *err);

/* What bounds are to cost a fit of so many records: budget->bounds, or with budget->bounds_again. Looks at no
 * record. Fails: BUDGET (noise would hide the values of a column either way), MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_plan(const hr_fit_options *options, const hr_schema *schema, size_t records,
                                       const hr_budget *budget, hr_units *cost, hr_error *err);

/* The same records within released bounds, and the schema that holds them. */
typedef struct hr_bounded_table {
    hr_schema *schema;
    hr_data *data;
    hr_units spent;
    size_t hidden; /* features that noise hides: their bounds are the public limits */
    char *hidden_names;
} hr_bounded_table;

void hr_bounded_table_done(hr_bounded_table *table);

/* Spends: budget->bounds, and budget->bounds_again for the columns that noise hid, if there are any:
 * out->spent. Fails: BUDGET (also where noise hides the values of the label: both were spent then), MEMORY.
 */
HR_MUST_CHECK hr_status hr_bounds_release(const hr_data *data, const hr_fit_options *options, hr_gate *gate,
                                          const hr_budget *budget, hr_bounded_table *out, hr_error *err);

/* The columns of these names, which are numbers, in that order; at: room for `count`. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_bounds_find(const hr_schema *schema, const char *const *names, size_t count,
                                       size_t *at, hr_error *err);

/* The schema with the bounds of these searches, one a column, instead of its own. Owner: the caller. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_bounds_schema(const hr_schema *schema, const hr_bounds_columns *columns,
                                         const hr_bounds_search *searches, hr_schema **out, hr_error *err);

/* What the statement and the settings of the model hold of it; nothing if the options name no columns.
 * budget: of the fit. */
void hr_bounds_state(const hr_bounded_table *table, const hr_fit_options *options, hr_units budget,
                     hr_buffer *statement);
void hr_bounds_add_settings(hr_settings *settings, const hr_fit_options *options);

#endif
