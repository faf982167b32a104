/* Starting from a released model: which models a fit may continue, and what both cost together. */
#ifndef HR_FIT_START_H
#define HR_FIT_START_H

#include "fit/budget.h"
#include "models/model/model.h"

/* Whether the fit may continue options->start; nothing to refuse if there is none. schema: NULL for a plan
 * that has none. Looks at no record. Fails: ARGUMENT, SCHEMA, POLICY, as hr_fit says. */
HR_MUST_CHECK hr_status hr_start_check(const hr_method *method, const hr_fit_options *options,
                                       const hr_schema *schema, hr_error *err);

/* What a record that is in the data of both pays: the start's cost (with those that it continues), and the
 * `granted` budget; under the start's conditions, against each coalition by itself. Equal measures: their
 * units add up, and become epsilon at the delta of the new model. Else epsilons and deltas add up. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_start_compose(const hr_model *start, const hr_budget *granted,
                                         hr_start_guarantee *out, hr_error *err);

#endif
