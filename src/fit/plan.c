/* A fit computed in advance: from public numbers alone, by the code that the fit itself uses. */
#include "base/fail.h"
#include "fit/bounds.h"
#include "fit/conformal.h"
#include "fit/cuts.h"
#include "fit/start.h"
#include "fit/table_checks.h"
#include "fit/weights.h"

#include <stdio.h>

static const double RECORDS_MAX = 4294967294; /* of a table */

static hr_status refuse_plan_method(const hr_method *method, hr_error *err) {
    char follow[160];
    snprintf(follow, sizeof follow, "method %s has a plan; the others follow their options",
             hr_default_method());
    const char *remedy = method->predicts_nothing
                             ? "docs/how-to/statistics.md has a table of errors, by epsilon and records"
                             : follow;
    return hr_fail(err, HR_E_ARGUMENT, remedy, "method %s has no plan that depends on the budget",
                   method->info.name);
}

hr_status hr_fit_plan(const hr_fit_options *options, double records, const hr_schema *schema,
                      hr_plan_info *out, hr_error *err) {
    hr_fit_options taken;
    hr_budget budget;
    hr_units bounds;
    hr_status status = hr_options_taken(options, &taken, err);
    if (status) return status;
    const hr_method *method = hr_method_named(taken.method);
    if (schema) status = hr_method_check_label(method, taken.mode, schema, err);
    if (status) return status;
    if (!method->plan) return refuse_plan_method(method, err);
    if (!(records >= 1 && records <= RECORDS_MAX))
        return hr_fail(err, HR_E_ARGUMENT, "it is from 1 to 4294967294", "no plan is made for %g records",
                       records);
    status = hr_options_check(method, &taken, err);
    if (!status && schema && !hr_schema_reviewed(schema, NULL)) status = hr_schema_public(schema, err);
    if (!status) status = hr_start_check(method, &taken, schema, err);
    if (!status && schema) status = hr_fit_check_monotone(method, &taken, schema, err);
    if (!status && schema) status = hr_class_weights_check(method, &taken, schema, err);
    if (!status && schema) status = hr_schema_weight_check(method, &taken, schema, err);
    if (!status) status = hr_budget_check(method, &taken, schema, (size_t)records, &budget, err);
    if (!status) status = hr_conformal_check(&taken, schema, false, &budget, err);
    if (!status) status = hr_bounds_plan(&taken, schema, (size_t)records, &budget, &bounds, err);
    if (status) return status;
    hr_plan_info plan = {.epsilon = budget.epsilon,
                         .delta = budget.delta,
                         .records = hr_conformal_trained(&taken, records),
                         .cuts_share = hr_cuts_share(method, schema)};
    method->plan(&taken, schema, budget.privacy_measure, budget.units - bounds - budget.cuts, &plan);
    hr_interval_info interval;
    if (taken.start && hr_model_interval(taken.start, &interval)) plan.start_coverage = interval.coverage;
    hr_budget_promise(&budget, &plan.odds_beyond, &plan.odds_beyond_gaussian);
    plan.records = records;
    status = hr_conformal_plan(&taken, &budget, &plan, err);
    if (!status) *out = plan;
    return status;
}
