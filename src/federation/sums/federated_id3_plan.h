/* What the terms of a job of id3 over owners say: the machine's terms, whether they can be paid for, and what
 * such a job would do, told from public facts. */
#ifndef HR_FEDERATION_SUMS_FEDERATED_ID3_PLAN_H
#define HR_FEDERATION_SUMS_FEDERATED_ID3_PLAN_H

#include "federation/federated/federated_method.h"
#include "methods/forests/id3_machine.h"

/* Of all but the budget and its measure, which are 0. The binning is borrowed. */
hr_id3_terms hr_federated_id3_terms(const Hedgerow__Terms *terms, const hr_schema *schema,
                                    const hr_fit_options *options, const hr_binning *binning);

/* hr_federated_method.check_terms. */
HR_MUST_CHECK hr_status hr_federated_id3_check(const Hedgerow__Terms *terms, const hr_schema *schema,
                                               hr_error *err);

/* hr_federated_method.plan. */
HR_MUST_CHECK hr_status hr_federated_id3_plan(const hr_planned_job *job, hr_job_plan_info *out,
                                              hr_error *err);

#endif
