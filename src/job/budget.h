/* What a fit may spend: the budget that its options ask for, in the units and the currency of its method. */
#ifndef HR_JOB_BUDGET_H
#define HR_JOB_BUDGET_H

#include "methods/method.h"

typedef struct hr_budget {
    double epsilon, delta; /* granted: whole units of the ledger, rounded down */
    hr_currency currency;
    hr_units units;
} hr_budget;

/* Fails: BUDGET (too small for any noise). */
HR_MUST_CHECK hr_status hr_budget_of(const hr_method *method, const hr_fit_options *options, hr_budget *out, hr_error *err);

#endif
