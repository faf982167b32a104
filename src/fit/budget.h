/* What a fit may spend: the budget that its options name, in the units and the privacy measure of its
 * method. */
#ifndef HR_FIT_BUDGET_H
#define HR_FIT_BUDGET_H

#include "methods/method.h"

typedef struct hr_budget {
    double epsilon, delta; /* granted: whole units of the ledger, rounded down */
    hr_privacy_measure privacy_measure;
    hr_units whole; /* what epsilon and delta allow */
    hr_units units; /* of the gate: the same; if at most m records of a person are trained on, what one record
                       may cost, so that m cost `whole` at most */
    hr_units bounds, bounds_again; /* parts of it for private bounds, the second for those that noise hid the
                                      first time */
    hr_units cuts;                 /* for cuts of times; the method has the rest (hr_budget_check) */
} hr_budget;

/* Whether such amounts can be granted. Fails: ARGUMENT (epsilon outside 0 < E <= 10000, delta outside
 * 0 <= D < 1). */
HR_MUST_CHECK hr_status hr_budget_check_amounts(double epsilon, double delta, hr_error *err);

/* Whether a sum can be over so many owners. Fails: ARGUMENT (0, or more than 256). */
HR_MUST_CHECK hr_status hr_budget_check_owners(size_t owners, hr_error *err);

/* What epsilon and delta grant, in the privacy measure `with_delta`, or pure if delta is 0. Fails: BUDGET
 * (too small for any noise). */
HR_MUST_CHECK hr_status hr_budget_grant(double epsilon, double delta, hr_privacy_measure with_delta,
                                        hr_budget *out, hr_error *err);

/* The same for the options of a fit. Fails: BUDGET (too small for any noise), ARGUMENT (no such number of
 * records of a person). */
HR_MUST_CHECK hr_status hr_budget_of(const hr_method *method, const hr_fit_options *options, hr_budget *out,
                                     hr_error *err);

/* The same, and whether a fit of so many records can be done: whether the budget suffices for every release
 * that the method may make of any records, and whether there is room for their number. schema: NULL for a
 * plan that has none. What a fit and a plan refuse before anything is spent. Fails: BUDGET, LIMIT, ARGUMENT.
 */
HR_MUST_CHECK hr_status hr_budget_check(const hr_method *method, const hr_fit_options *options,
                                        const hr_schema *schema, size_t rows, hr_budget *out, hr_error *err);

/* What the promise adds to epsilon and delta (hr_promise): both 0 but for Gaussian privacy. */
void hr_budget_promise(const hr_budget *budget, double *odds_beyond, double *odds_beyond_gaussian);

/* A mechanism that publishes a record with probability delta passes: one in `rows` is too many. Fails:
 * POLICY.
 */
HR_MUST_CHECK hr_status hr_budget_check_delta(const hr_budget *budget, size_t rows, hr_error *err);

#endif
