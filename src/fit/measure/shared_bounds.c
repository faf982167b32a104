#include "fit/measure/shared_bounds.h"

#include "base/fail.h"
#include "privacy/noise.h"
#include "tables/schema/schema.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns ---- */

hr_status hr_shared_bounds_find(const hr_schema *schema, const char *const *names, size_t count, size_t *at,
                                hr_error *err) {
    if (!count || count > HR_SHARED_BOUNDS_MAX)
        return hr_fail(err, HR_E_LIMIT, "name 1 to 256 columns", "%zu columns", count);
    hr_status status = hr_bounds_find(schema, names, count, at, err);
    for (size_t i = 0; !status && i + 1 < count; i++)
        if (at[i] == hr_schema_feature_count(schema)) {
            memmove(at + i, at + i + 1, (count - i - 1) * sizeof *at);
            at[count - 1] = hr_schema_feature_count(schema);
        }
    return status;
}

bool hr_shared_bounds_has_label(const hr_shared_bounds *b) {
    return b->columns.at[b->columns.count - 1] == hr_schema_feature_count(b->schema);
}

size_t hr_shared_bounds_values(const hr_shared_bounds *b) {
    return b->within ? HR_BOUNDS_EVEN_CELLS : b->columns.count * HR_BOUNDS_CELLS;
}

/* ---- Checks ---- */

static uint64_t honest_owners(const hr_shared_bounds *b) {
    return hr_noise_shares(b->members, b->coalition);
}

static hr_charge charge_of(const hr_budget *budget) {
    return (hr_charge){.what = "bounds", .tree = -1, .level = -1, .cost = budget->units};
}

hr_status hr_shared_bounds_check(const hr_shared_bounds *b, hr_budget *out, hr_error *err) {
    hr_status status = hr_budget_check_amounts(b->epsilon, b->delta, err);
    if (!status) status = hr_budget_check_owners(b->members, err);
    if (!status) status = hr_budget_grant(b->epsilon, b->delta, HR_PRIVACY_GDP, out, err);
    if (status) return status;
    const hr_charge charge = charge_of(out);
    for (size_t i = 0; !status && i < b->columns.count; i++) {
        const hr_bounds_question question = hr_bounds_magnitudes(b->schema, &b->columns, &charge, i);
        status = hr_charge_check_share(out->privacy_measure, &question.line, honest_owners(b), err);
    }
    return status;
}

/* ---- An owner ---- */

size_t hr_shared_bounds_histograms(const hr_shared_bounds *b, const hr_budget *budget,
                                   hr_bounds_question out[HR_SHARED_BOUNDS_MAX]) {
    const hr_charge charge = charge_of(budget);
    const size_t last = b->columns.count - 1;
    if (b->within) {
        out[0] = hr_bounds_even(b->schema, &b->columns, &charge, last, b->within);
        return 1;
    }
    for (size_t i = 0; i <= last; i++) out[i] = hr_bounds_magnitudes(b->schema, &b->columns, &charge, i);
    return last + 1;
}

/* ---- The sum of all answers ---- */

hr_status hr_shared_bounds_take(const hr_shared_bounds *b, const hr_noisy *sums, hr_bounds *out,
                                hr_error *err) {
    const double noise_factor = sqrt((double)b->members / (double)honest_owners(b));
    hr_bounds_machine machine;
    hr_budget budget;
    hr_status status = hr_shared_bounds_check(b, &budget, err);
    if (status) return status;
    const hr_charge charge = charge_of(&budget);
    hr_bounds_begin(&machine, b->schema, &b->columns, budget.privacy_measure, &charge, out);
    if (b->within) {
        machine.at = b->columns.count - 1;
        machine.even = true;
        out[machine.at] = *b->within;
        hr_bounds_take(&machine, sums, noise_factor);
        return HR_OK;
    }
    for (size_t i = 0; i < b->columns.count; i++)
        hr_bounds_take(&machine, sums + i * HR_BOUNDS_CELLS, noise_factor);
    return HR_OK;
}

hr_status hr_shared_bounds_state(const hr_shared_bounds *b, char out[HR_SHARED_BOUNDS_STATEMENT],
                                 hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_budget budget;
    hr_status status = hr_shared_bounds_check(b, &budget, err);
    if (status) return status;
    hr_spent_text(budget.epsilon, epsilon);
    hr_spent_text(budget.delta, delta);
    snprintf(
        out, HR_SHARED_BOUNDS_STATEMENT,
        "The bounds are (%s, %s)-differentially private for adding or removing one record of one of the %zu "
        "owners, also if %zu of the owners add no noise and tell what they know, as long as X25519, BLAKE2b, "
        "ChaCha20 and Ed25519 hold. A person with records at two owners pays at both.",
        epsilon, delta, b->members, b->members - (size_t)honest_owners(b));
    return HR_OK;
}
