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

/* ---- Checks ---- */

static uint64_t honest_owners(const hr_shared_bounds *b) {
    return hr_noise_shares(b->members, b->coalition);
}

/* All shares of the members add up to more noise than what honest owners' are counted on for. */
static hr_bounds_setup setup_of(const hr_shared_bounds *b, const hr_budget *budget) {
    return (hr_bounds_setup){.schema = b->schema,
                             .columns = b->columns,
                             .privacy_measure = budget->privacy_measure,
                             .charge = {.what = "bounds", .tree = -1, .level = -1, .cost = budget->units},
                             .noise_factor = sqrt((double)b->members / (double)honest_owners(b)),
                             .odds = HR_BOUNDS_ODDS};
}

hr_status hr_shared_bounds_check(const hr_shared_bounds *b, hr_budget *out, hr_error *err) {
    hr_status status = hr_budget_check_amounts(b->epsilon, b->delta, err);
    if (!status) status = hr_budget_check_owners(b->members, err);
    if (!status) status = hr_budget_grant(b->epsilon, b->delta, HR_PRIVACY_GDP, out, err);
    if (status) return status;
    const hr_bounds_setup setup = setup_of(b, out);
    const hr_bounds_search cheapest = {.next = HR_BOUNDS_ZOOM_STEP};
    for (size_t i = 0; !status && i < b->columns.count; i++) {
        const hr_bounds_question question = hr_bounds_next_question(&setup, i, &cheapest);
        status = hr_charge_check_share(out->privacy_measure, &question.line, honest_owners(b), err);
    }
    return status;
}

/* ---- An owner ---- */

size_t hr_shared_bounds_histograms(const hr_shared_bounds *b, const hr_budget *budget,
                                   hr_bounds_question out[HR_SHARED_BOUNDS_MAX]) {
    const hr_bounds_setup setup = setup_of(b, budget);
    size_t count = 0;
    for (size_t i = 0; i < b->columns.count; i++)
        if (b->searches[i].next != HR_BOUNDS_DONE)
            out[count++] = hr_bounds_next_question(&setup, i, &b->searches[i]);
    return count;
}

/* ---- The sum of all answers ---- */

hr_status hr_shared_bounds_take(const hr_shared_bounds *b, const hr_noisy *sums, hr_bounds_search *searches,
                                hr_error *err) {
    hr_budget budget;
    hr_status status = hr_shared_bounds_check(b, &budget, err);
    if (status) return status;
    const hr_bounds_setup setup = setup_of(b, &budget);
    for (size_t i = 0; i < b->columns.count; i++) {
        if (searches[i].next == HR_BOUNDS_DONE) continue;
        const size_t cells = hr_bounds_next_question(&setup, i, &searches[i]).cells;
        hr_bounds_accept(&setup, i, sums, &searches[i]);
        sums += cells;
    }
    return HR_OK;
}

static size_t count_hidden(const hr_shared_bounds *b) {
    size_t hidden = 0;
    for (size_t i = 0; i < b->columns.count; i++) hidden += !b->searches[i].seen;
    return hidden;
}

hr_status hr_shared_bounds_state(const hr_shared_bounds *b, char out[HR_SHARED_BOUNDS_STATEMENT],
                                 hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_budget budget;
    hr_status status = hr_shared_bounds_check(b, &budget, err);
    if (status) return status;
    hr_spent_text(budget.epsilon, epsilon);
    hr_spent_text(budget.delta, delta);
    const int length = snprintf(
        out, HR_SHARED_BOUNDS_STATEMENT,
        "The bounds are (%s, %s)-differentially private for adding or removing one record of one of the %zu "
        "owners, also if %zu of the owners add no noise and tell what they know, as long as X25519, BLAKE2b, "
        "ChaCha20 and Ed25519 hold. A person with records at two owners pays at both.",
        epsilon, delta, b->members, b->members - (size_t)honest_owners(b));
    const size_t hidden = count_hidden(b);
    if (hidden && length > 0 && length < HR_SHARED_BOUNDS_STATEMENT)
        snprintf(out + length, HR_SHARED_BOUNDS_STATEMENT - (size_t)length,
                 " Noise hides the values of %zu of the %zu columns: their limits are as before.", hidden,
                 b->columns.count);
    return HR_OK;
}
