/* What is counted for a survival curve: how many records have each code (tables/schema/survival_code.h),
 * once; for groups, how many of each value of a category have each. A record has one value and one code, so
 * that it changes one count by 1, as a record counts in (privacy/sensitivity.h). What becomes of the counts:
 * curve_model.h. */
#ifndef HR_METHODS_SURVIVAL_CURVE_COUNTS_H
#define HR_METHODS_SURVIVAL_CURVE_COUNTS_H

#include "methods/method.h"
#include "methods/survival/curve_model.h"
#include "trees/records/stats_source.h"

/* Whether the label is a time. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_curve_check_schema(const hr_schema *schema, hr_error *err);

/* The curve of a fit whose label is a time. It borrows the schema. Fails: ARGUMENT (the option `group` names
 * no category of the schema, or one of too many values). */
HR_MUST_CHECK hr_status hr_curve_of(const hr_fit_facts *facts, hr_curve *out, hr_error *err);

/* The one line, of all counts together. */
hr_charge hr_curve_charge(const hr_curve *curve, hr_units cost);

/* The exact counts, hr_curve_counts of them, of all records of the source, which was not prepared. weights:
 * of the records of this process (hr_data_weights), where the curve's unit is a person. Fails: MEMORY, and as
 * the source. */
HR_MUST_CHECK hr_status hr_curve_count(const hr_curve *curve, hr_stats_source *source,
                                       const uint32_t *weights, hr_exact *out, hr_error *err);

#endif
