#include "models/model/conditions.h"

#include "base/fail.h"
#include "models/model/model.h"
#include "privacy/mechanisms.h"
#include "privacy/noise.h"

#include <hedgerow/amount.h>
#include <hedgerow/promise.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- What larger coalitions cost ---- */

/* What one owner's share of the noise is worth, if h were counted on: a sum that charges c has one of a
 * variance of at least HR_SHARE_VARIANCE_MIN, and costs (h s2 - 6) / (s2 - 6) times c with that alone,
 * whatever a coordinator requests (federated_hedge.proof.md, "Beyond t"). Laplace noise of one share protects
 * nothing. */
static hr_units worst_of(const hr_sums_grant *grant, uint64_t honest) {
    hr_units times = (HR_SHARE_VARIANCE_MIN * (hr_units)honest - 6) / (HR_SHARE_VARIANCE_MIN - 6);
    if (honest == 1) return grant->units;
    if (grant->privacy_measure == HR_PRIVACY_PURE) return HR_UNITS_MAX;
    return grant->units > HR_UNITS_MAX / times ? HR_UNITS_MAX : grant->units * times;
}

static double epsilon_of_grant(const hr_sums_grant *grant, hr_units units) {
    hr_guarantee made;
    hr_guarantee_of(units, grant->privacy_measure, grant->delta, &made);
    return units == grant->units ? grant->epsilon : made.epsilon;
}

/* The releases of a coordinator that kept to the protocol; never below what was granted, since how much is
 * left of that may depend on noisy values. */
hr_status hr_trust_of_sums(const hr_release *releases, size_t count, const hr_sums_grant *grant,
                           hr_trust *out, hr_error *err) {
    const uint64_t honest = hr_noise_shares(grant->owners, grant->coalition);
    hr_units alone = grant->units;
    hr_status status = honest == 1 ? HR_OK : hr_account_alone(releases, count, &alone, err);
    if (status) return status;
    hr_trust made = {.stated = {.shared_noise = true, .coalition = grant->coalition},
                     .owners = alone > grant->units ? alone : grant->units,
                     .everyone = worst_of(grant, honest)};
    if (made.owners > made.everyone) made.everyone = made.owners;
    made.stated.epsilon_owners = epsilon_of_grant(grant, made.owners);
    made.stated.epsilon_everyone = epsilon_of_grant(grant, made.everyone);
    *out = made;
    return HR_OK;
}

/* ---- In words ---- */

static void name_coalition(size_t owners, char *text, size_t size) {
    if (owners > 1)
        snprintf(text, size, "the coordinator, and any %zu owners with it", owners);
    else
        snprintf(text, size, owners ? "the coordinator, and any owner with it" : "the coordinator");
}

/* What is left if all other owners act together; "" if the coalition is all of them. */
static void name_larger(const hr_conditions *c, double epsilon, char *text, size_t size) {
    char owners[HR_AMOUNT_TEXT], everyone[HR_AMOUNT_TEXT];
    hr_spent_text(c->epsilon_owners, owners);
    hr_spent_text(c->epsilon_everyone, everyone);
    *text = '\0';
    if (c->epsilon_everyone <= epsilon) return;
    if (isinf(c->epsilon_owners))
        snprintf(text, size, "; nothing is promised if more owners act together");
    else if (isinf(c->epsilon_everyone))
        snprintf(text, size,
                 "; if all other owners act together, epsilon is %s, and nothing is promised if the "
                 "coordinator is with them",
                 owners);
    else
        snprintf(text, size,
                 "; if all other owners act together, epsilon is %s, and at most %s if the coordinator is "
                 "with them",
                 owners, everyone);
}

void hr_conditions_text(const hr_conditions *c, double epsilon, char text[HR_CONDITIONS_TEXT]) {
    char coalition[80], larger[200];
    *text = '\0';
    if (!c->shared_noise) return;
    name_coalition(c->coalition, coalition, sizeof coalition);
    name_larger(c, epsilon, larger, sizeof larger);
    snprintf(text, HR_CONDITIONS_TEXT,
             "against everybody, %s, whatever they do%s; as long as X25519, BLAKE2b, ChaCha20 and Ed25519 "
             "hold",
             coalition, larger);
}

/* ---- Of a model ---- */

static double epsilon_of_units(const hr_model *model, hr_units units) {
    hr_guarantee made;
    hr_guarantee_of(units, model->privacy_measure, model->guarantee.delta, &made);
    return made.epsilon;
}

hr_units hr_model_granted(const hr_model *model) {
    const hr_guarantee *g = &model->guarantee;
    hr_privacy_measure measure = model->privacy_measure;
    hr_units units = measure == HR_PRIVACY_PURE   ? hr_units_up(g->epsilon)
                     : measure == HR_PRIVACY_ZCDP ? hr_zcdp_rho(g->epsilon, g->delta)
                                                  : hr_gdp_budget(g->epsilon, g->delta);
    for (hr_units step = 1; units < HR_UNITS_MAX / 4 && epsilon_of_units(model, units) < g->epsilon;
         step *= 2)
        units += step;
    return units;
}

static bool has_shares(const hr_model *model) {
    for (size_t i = 0; i < model->release_count; i++)
        if (model->releases[i].shares) return true;
    return false;
}

hr_status hr_model_trust(const hr_model *model, hr_trust *out, hr_error *err) {
    *out = (hr_trust){.stated.shared_noise = false};
    if (!model->guarantee.is_private || !has_shares(model)) return HR_OK;
    const hr_sums_grant grant = {.privacy_measure = model->privacy_measure,
                                 .units = hr_model_granted(model),
                                 .epsilon = model->guarantee.epsilon,
                                 .delta = model->guarantee.delta,
                                 .owners = (size_t)hr_model_job_setting(model, HR_OWNERS_SETTING),
                                 .coalition = (size_t)hr_model_job_setting(model, HR_COALITION_SETTING)};
    return hr_trust_of_sums(model->releases, model->release_count, &grant, out, err);
}

static const char *text_of_promise(hr_model *model, hr_units units, const hr_promise *amounts, bool is_gdp) {
    char text[HR_PROMISE_TEXT];
    hr_promise promise = *amounts;
    if (is_gdp) {
        promise.odds_beyond = hr_gdp_beyond(units, promise.epsilon);
        promise.odds_beyond_gaussian = hr_gdp_beyond_gaussian(units, promise.epsilon);
    }
    hr_promise_text(&promise, model->guarantee.unit, text);
    return hr_arena_text(model->arena, text, strlen(text));
}

static const char *text_of_conditions(hr_model *model, const hr_conditions *conditions, double epsilon) {
    char text[HR_CONDITIONS_TEXT];
    hr_conditions_text(conditions, epsilon, text);
    return hr_arena_text(model->arena, text, strlen(text));
}

static hr_status state_own(hr_model *model, hr_error *err) {
    hr_guarantee *g = &model->guarantee;
    const hr_promise amounts = {.epsilon = g->epsilon, .delta = g->delta};
    hr_trust trust;
    hr_status status = hr_model_trust(model, &trust, err);
    if (status) return status;
    g->conditions = trust.stated;
    g->conditions.text = text_of_conditions(model, &trust.stated, g->epsilon);
    g->promise = g->is_private ? text_of_promise(model, hr_model_granted(model), &amounts,
                                                 model->privacy_measure == HR_PRIVACY_GDP)
                               : "";
    return g->conditions.text && g->promise ? HR_OK : hr_fail_memory(err);
}

hr_status hr_model_state(hr_model *model, hr_error *err) {
    hr_start_guarantee *both = &model->start_guarantee;
    const hr_promise amounts = {.epsilon = both->epsilon, .delta = both->delta};
    hr_status status = state_own(model, err);
    if (status || !both->given) return status;
    both->trust.stated.text = text_of_conditions(model, &both->trust.stated, both->epsilon);
    both->promise = text_of_promise(model, both->units, &amounts, both->privacy_measure == HR_PRIVACY_GDP);
    return both->trust.stated.text && both->promise ? HR_OK : hr_fail_memory(err);
}
