/* Intervals whose coverage is promised: a secret coin keeps a fifth of the records, or of the persons, out of
 * the table that the method sees, and the correction of the interval is chosen by these, in a gate of their
 * own. Proof: conformal.proof.md. */
#ifndef HR_FIT_CONFORMAL_H
#define HR_FIT_CONFORMAL_H

#include "base/buffer.h"
#include "fit/budget.h"
#include "trees/tree/parts.h"

/* What part of the labels the interval is to cover; 0: no correction is wanted. */
static inline double hr_conformal_coverage(const hr_fit_options *options) {
    return options->conformal;
}

/* A table in two, and what was released of both. Starts from {0}. */
typedef struct hr_conformal_parts {
    hr_data *trained, *held_out; /* NULL: nothing is kept apart */
    hr_release *releases;
    size_t release_count;
} hr_conformal_parts;

void hr_conformal_parts_done(hr_conformal_parts *parts);

/* Whether the label has the two quantiles that an interval for such a part of it lies between. schema: NULL
 * for a plan that has none. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_conformal_check_label(const hr_schema *schema, double coverage, hr_error *err);

/* Whether a fit of such a table can correct its interval; HR_OK if none is wanted. schema: NULL for a plan
 * that has none. is_binned: the table is a binned cache. Fails: ARGUMENT (the schema has not the two
 * quantiles; a start, private bounds, records of persons, a binned cache), BUDGET. */
HR_MUST_CHECK hr_status hr_conformal_check(const hr_fit_options *options, const hr_schema *schema,
                                           bool is_binned, const hr_budget *budget, hr_error *err);

/* How many of so many records train, about. */
double hr_conformal_trained(const hr_fit_options *options, double records);

/* Shows in the plan of plan->records what is held out, and what is promised of it; nothing if no correction
 * is wanted. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_conformal_plan(const hr_fit_options *options, const hr_budget *budget,
                                          hr_plan_info *plan, hr_error *err);

/* The same of options that go with a job of owners: none. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_conformal_refuse(const hr_fit_options *options, const char *what, hr_error *err);

/* Divides *data, which it leaves alone, by coins of the stream, and sets *data to the part that trains; over
 * ranks the parts of all of them; nothing if no correction is wanted. Owner: the caller calls
 * hr_conformal_parts_done in either case. Fails: MEMORY, and as the ranks. */
HR_MUST_CHECK hr_status hr_conformal_divide(const hr_fit_options *options, hr_csprng *csprng,
                                            const hr_data **data, hr_conformal_parts *out, hr_error *err);

/* As hr_conformal_divide, by sides that are given: record i trains if sides[i] is 0, and is held out if it
 * is 1. */
HR_MUST_CHECK hr_status hr_conformal_divide_by(const uint32_t *sides, const hr_data **data,
                                               hr_conformal_parts *out, hr_error *err);

/* Parts *data in two: the records of side 0, which train and which *data is afterwards, and those of side 1.
 * A record weighs there what it did. Owner: as hr_conformal_divide. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_conformal_take_sides(const hr_data **data, const hr_parts *sides,
                                                hr_conformal_parts *out, hr_error *err);

/* Held-out records, beside the interval between two outputs of a forest. */
typedef struct hr_held_out {
    const hr_data *data;
    const hr_forest *forest;
    const size_t *ends;
    int threads;
} hr_held_out;
/* What they weigh, by the least of the HR_INTERVAL_LEVELS levels that covers each. Fails: MEMORY, SCHEMA. */
HR_MUST_CHECK hr_status hr_conformal_count_levels(const hr_held_out *records, hr_exact *weights,
                                                  hr_error *err);

/* Corrects the interval of the trained forest by the records that were kept apart; nothing if none were.
 * Spends: budget->units, of these records alone. Fails: BUDGET, MEMORY, SCHEMA. */
HR_MUST_CHECK hr_status hr_conformal_release(hr_conformal_parts *parts, hr_training *training,
                                             const hr_budget *budget, hr_error *err);

/* What was released in all; of the gate alone if nothing was kept apart. Borrowed. */
const hr_release *hr_conformal_releases(const hr_conformal_parts *parts, const hr_gate *gate, size_t *count);

/* Adds to a model's statement how records were divided; nothing if they were not. */
void hr_conformal_state(const hr_conformal_parts *parts, hr_buffer *statement);

#endif
