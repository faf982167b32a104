/* What a job of hedge over owners would do, told from public facts. */
#ifndef HR_FEDERATION_SUMS_FEDERATED_HEDGE_PLAN_H
#define HR_FEDERATION_SUMS_FEDERATED_HEDGE_PLAN_H

#include "federation/federated/federated_method.h"

/* hr_federated_method.check_terms. */
HR_MUST_CHECK hr_status hr_federated_hedge_check(const Hedgerow__Terms *terms, const hr_schema *schema,
                                                 hr_error *err);
/* hr_federated_method.plan. */
HR_MUST_CHECK hr_status hr_federated_hedge_plan(const hr_planned_job *job, hr_job_plan_info *out,
                                                hr_error *err);

#endif
