/* Whole units of the ledger, rounded down: so a ledger that grants 0.1 pays for 0.1, though neither has an
 * exact binary form, and ten times 0.1 do not exceed 1. A fit and a plan of it must not differ in this. */
#include "fit/budget.h"

#include "base/fail.h"
#include "fit/bounds.h"
#include "fit/cuts.h"
#include "models/model/model.h"
#include "privacy/ledger/delta.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>

static const double EPSILON_MAX = 1e4;
enum { OWNERS_MAX = 256 }; /* of one sum */

static hr_units units_of(const hr_budget *budget) {
    switch (budget->privacy_measure) {
    case HR_PRIVACY_PURE: return hr_units_down(budget->epsilon);
    case HR_PRIVACY_ZCDP: return hr_zcdp_rho(budget->epsilon, budget->delta);
    case HR_PRIVACY_GDP: return hr_gdp_budget(budget->epsilon, budget->delta);
    case HR_PRIVACY_NONE: break;
    }
    return 0;
}

static hr_status refuse_amount(const char *field, const char *range, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, "choose a number within the range", "it must be %s", range);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, field);
}

hr_status hr_budget_check_amounts(double epsilon, double delta, hr_error *err) {
    if (!(epsilon > 0 && epsilon <= EPSILON_MAX)) return refuse_amount("epsilon", "0 < E <= 10000", err);
    if (!(delta >= 0 && delta < 1)) return refuse_amount("delta", "0 <= D < 1", err);
    return HR_OK;
}

hr_status hr_budget_check_owners(size_t owners, hr_error *err) {
    return owners && owners <= OWNERS_MAX ? HR_OK : refuse_amount("owners", "1 to 256", err);
}

static hr_units factor_of_group(const hr_budget *budget, const hr_fit_options *options) {
    hr_units m = options->records_per_person > 0 ? (hr_units)options->records_per_person : 1;
    return hr_group_factor(budget->privacy_measure, m);
}

/* Its square must not overflow. */
static hr_status check_records_per_person(const hr_fit_options *options, hr_error *err) {
    if (options->records_per_person >= 0 && options->records_per_person <= HR_RECORDS_PER_PERSON_MAX)
        return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "it is from 1 to 65536", "no such number of records of a person");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "records-per-person");
}

static hr_status refuse_budget(double epsilon, hr_error *err) {
    char text[HR_AMOUNT_TEXT];
    hr_spent_text(epsilon, text);
    hr_status status =
        hr_fail(err, HR_E_BUDGET, "raise epsilon", "epsilon %s is too small for any noise", text);
    return hr_fail_at(err, status, NULL, 0, 0, "epsilon");
}

hr_status hr_budget_grant(double epsilon, double delta, hr_privacy_measure with_delta, hr_budget *out,
                          hr_error *err) {
    hr_budget budget = {.epsilon = hr_units_value(hr_units_down(epsilon)),
                        .delta = hr_delta_value(hr_delta_down(delta))};
    budget.privacy_measure = budget.delta > 0 ? with_delta : HR_PRIVACY_PURE;
    if (budget.epsilon > 0) budget.whole = units_of(&budget);
    budget.units = budget.whole;
    if (!budget.units) return refuse_budget(epsilon, err);
    *out = budget;
    return HR_OK;
}

hr_status hr_budget_of(const hr_method *method, const hr_fit_options *options, hr_budget *out,
                       hr_error *err) {
    hr_status status = check_records_per_person(options, err);
    if (status) return status;
    if (method->info.is_private) {
        status = hr_budget_grant(options->epsilon, options->delta, method->with_delta, out, err);
        if (status) return status;
        out->units = out->whole / factor_of_group(out, options);
        return out->units ? HR_OK : refuse_budget(options->epsilon, err);
    }
    *out = (hr_budget){.epsilon = hr_units_value(hr_units_down(options->epsilon)),
                       .delta = hr_delta_value(hr_delta_down(options->delta)),
                       .privacy_measure = HR_PRIVACY_NONE};
    return HR_OK;
}

void hr_budget_promise(const hr_budget *budget, double *odds_beyond, double *odds_beyond_gaussian) {
    bool known = budget->privacy_measure == HR_PRIVACY_GDP;
    *odds_beyond = known ? hr_gdp_beyond(budget->whole, budget->epsilon) : 0;
    *odds_beyond_gaussian = known ? hr_gdp_beyond_gaussian(budget->whole, budget->epsilon) : 0;
}

hr_status hr_budget_check_delta(const hr_budget *budget, size_t rows, hr_error *err) {
    double most = 1 / (double)rows;
    if (budget->delta <= most) return HR_OK;
    char remedy[160], delta[HR_AMOUNT_TEXT], largest[HR_AMOUNT_TEXT];
    hr_spent_text(budget->delta, delta);
    hr_delta_left_text(most, largest);
    snprintf(remedy, sizeof remedy, "choose it far below %s, such as %.1g, or 0 for pure epsilon", largest,
             fmin(1e-6, most / 100));
    hr_status status = hr_fail(
        err, HR_E_POLICY, remedy,
        "delta %s must be at most 1/%zu, one over the number of records: a mechanism that publishes one "
        "of them would pass",
        delta, rows);
    return hr_fail_at(err, status, NULL, 0, 0, "delta");
}

hr_status hr_budget_check(const hr_method *method, const hr_fit_options *options, const hr_schema *schema,
                          size_t rows, hr_budget *out, hr_error *err) {
    hr_budget budget;
    hr_status status = hr_budget_of(method, options, &budget, err);
    if (status) return status;
    budget.bounds = hr_bounds_cost(options, budget.units);
    budget.bounds_again = hr_bounds_cost_again(options, budget.units);
    budget.cuts = hr_cuts_cost(method, schema, budget.units);
    hr_fit_facts facts = {.options = options,
                          .schema = schema,
                          .rows = rows,
                          .privacy_measure = budget.privacy_measure,
                          .budget = budget.units - budget.bounds - budget.bounds_again - budget.cuts};
    status = hr_bounds_check_fit(&facts, method, budget.bounds, err);
    if (!status) status = hr_cuts_check(&facts, method, budget.cuts, err);
    if (!status && method->check) status = method->check(&facts, err);
    if (status == HR_E_BUDGET) return hr_fail_at(err, status, NULL, 0, 0, "epsilon");
    if (!status) *out = budget;
    return status;
}
