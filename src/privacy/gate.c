#include "privacy/gate.h"

#include "base/fail.h"
#include "privacy/mechanisms.h"

#include <assert.h>
#include <hedgerow/amount.h>
#include <stdlib.h>

struct hr_gate {
    hr_privacy_measure privacy_measure;
    hr_units budget, set_aside;
    hr_csprng *csprng;
    hr_release *releases;
    size_t count, capacity;
    hr_running_total running_total;
    hr_timings *timings; /* of the caller; NULL: none */
};

hr_status hr_gate_new(hr_privacy_measure privacy_measure, hr_units budget, hr_csprng *csprng, hr_gate **out,
                      hr_error *err) {
    hr_gate *gate = calloc(1, sizeof *gate);
    if (!gate) return hr_fail_memory(err);
    gate->privacy_measure = privacy_measure;
    gate->budget = budget < HR_UNITS_MAX ? budget : HR_UNITS_MAX;
    gate->csprng = csprng;
    *out = gate;
    return HR_OK;
}

void hr_gate_free(hr_gate *gate) {
    if (!gate) return;
    hr_running_total_done(&gate->running_total);
    free(gate->releases);
    free(gate);
}

hr_privacy_measure hr_gate_privacy_measure(const hr_gate *gate) {
    return gate->privacy_measure;
}

hr_units hr_gate_budget(const hr_gate *gate) {
    return gate->budget - gate->set_aside;
}

void hr_gate_set_aside(hr_gate *gate, hr_units units) {
    gate->set_aside = units < gate->budget ? units : gate->budget;
}

hr_csprng *hr_gate_csprng(hr_gate *gate) {
    return gate->csprng;
}

void hr_gate_set_timings(hr_gate *gate, hr_timings *timings) {
    gate->timings = timings;
}

hr_timings *hr_gate_timings(const hr_gate *gate) {
    return gate->timings;
}

/* ---- Charging ---- */

hr_charge hr_scope_charge(const hr_release_scope *scope, const char *what, int64_t level, hr_units cost,
                          uint64_t sensitivity) {
    return (hr_charge){.what = what,
                       .tree = scope->tree,
                       .level = level,
                       .group = scope->group,
                       .part = scope->part,
                       .cost = cost,
                       .sensitivity = sensitivity};
}

static hr_status refuse_scale(const hr_release *line, hr_error *err) {
    char cost[HR_AMOUNT_TEXT];
    uint64_t least = hr_mechanism_info_of(line->mechanism)->share_scale_min;
    hr_spent_text(hr_units_value(line->cost), cost);
    /* Shares of so little noise that nothing is proved of their sum. */
    if (line->scale_num && line->scale_num < least * line->scale_den)
        return hr_fail(
            err, HR_E_BUDGET, "lower epsilon, or let fewer owners take part",
            "'%s': a cost of %s is too large for a sensitivity of %llu if %llu owners share the noise",
            line->what, cost, (unsigned long long)line->sensitivity, (unsigned long long)line->shares);
    return hr_fail(err, HR_E_BUDGET, "raise epsilon, or use fewer trees, levels or private bin edges",
                   "'%s': a cost of %s is too small for a sensitivity of %llu", line->what, cost,
                   (unsigned long long)line->sensitivity);
}

static hr_status refuse_cost(const hr_gate *gate, const hr_release *line, hr_error *err) {
    static const char *const units[] = {"cost", "epsilon", "rho",
                                        "mu^2"}; /* in the order of hr_privacy_measure */
    char cost[HR_AMOUNT_TEXT], left[HR_AMOUNT_TEXT], budget[HR_AMOUNT_TEXT];
    hr_spent_text(hr_units_value(line->cost), cost);
    hr_epsilon_left_text(hr_units_value(gate->budget - gate->running_total.total), left);
    hr_epsilon_left_text(hr_units_value(gate->budget), budget);
    return hr_fail(err, HR_E_BUDGET, "raise epsilon, or use fewer trees, levels or private bin edges",
                   "'%s' needs %s %s, but %s of %s is left", line->what, units[gate->privacy_measure], cost,
                   left, budget);
}

static hr_status reserve_releases(hr_gate *gate, const hr_release *line, size_t lines, hr_error *err) {
    if (lines > gate->capacity - gate->count) {
        size_t capacity = 2 * gate->capacity + lines + 64;
        hr_release *releases = realloc(gate->releases, capacity * sizeof *releases);
        if (!releases) return hr_fail_memory(err);
        gate->releases = releases;
        gate->capacity = capacity;
    }
    hr_status status = hr_running_total_reserve(&gate->running_total, err);
    if (status) return status;
    if (line->cost > gate->budget ||
        hr_running_total_would_be(&gate->running_total, line->group, line->part, line->cost) > gate->budget)
        return refuse_cost(gate, line, err);
    return HR_OK;
}

/* Adds a line whose mechanism and scale are known. */
static hr_status add_line_gate(hr_gate *gate, const hr_release *line, hr_permit *out, hr_error *err) {
    hr_status status = reserve_releases(gate, line, 1, err);
    if (status) return status;
    hr_running_total_add(&gate->running_total, line->group, line->part, line->cost);
    gate->releases[gate->count] = *line;
    out->line = gate->count++;
    return HR_OK;
}

/* Without the mechanism and its scale. */
static hr_release line_of(hr_privacy_measure privacy_measure, const hr_charge *charge) {
    return (hr_release){.what = charge->what,
                        .tree = charge->tree,
                        .level = charge->level,
                        .group = charge->group,
                        .part = charge->part,
                        .cost = privacy_measure == HR_PRIVACY_NONE ? 0 : charge->cost,
                        .sensitivity = charge->sensitivity,
                        .scale_num = 0,
                        .scale_den = 1,
                        .draws = 0,
                        .shares = 0};
}

/* The mechanism and scale of a line whose other fields are set. Fails: BUDGET. */
static hr_status scale_line(hr_release_kind kind, hr_privacy_measure privacy_measure, hr_release *line,
                            hr_error *err) {
    const hr_mechanism_info *info = hr_mechanism_info_of(hr_mechanism_for(kind, privacy_measure));
    return info->set_scale(line, privacy_measure) ? HR_OK : refuse_scale(line, err);
}

/* The line that a charge writes. shares: of HR_RELEASE_SHARE, of other kinds 0. Fails: BUDGET. */
static hr_status make_line(hr_release_kind kind, hr_privacy_measure privacy_measure, const hr_charge *charge,
                           uint64_t shares, hr_release *out, hr_error *err) {
    *out = line_of(privacy_measure, charge);
    if (hr_mechanism_info_of(hr_mechanism_for(kind, privacy_measure))->shared) out->shares = shares;
    return scale_line(kind, privacy_measure, out, err);
}

static hr_status add_charge(hr_gate *gate, hr_release_kind kind, const hr_charge *charge, uint64_t shares,
                            hr_permit *out, hr_error *err) {
    hr_release line;
    hr_status status = make_line(kind, gate->privacy_measure, charge, shares, &line, err);
    return status ? status : add_line_gate(gate, &line, out, err);
}

hr_status hr_gate_charge_sums(hr_gate *gate, const hr_charge *charge, hr_permit *out, hr_error *err) {
    return add_charge(gate, HR_RELEASE_SUMS, charge, 0, out, err);
}

hr_status hr_gate_charge_exponential(hr_gate *gate, const hr_charge *charge, hr_permit *out, hr_error *err) {
    return add_charge(gate, HR_RELEASE_PUBLISHED_CHOICE, charge, 0, out, err);
}

hr_status hr_gate_charge_choice(hr_gate *gate, const hr_charge *charge, hr_permit *out, hr_error *err) {
    return add_charge(gate, HR_RELEASE_CHOICE, charge, 0, out, err);
}

hr_status hr_gate_charge_share(hr_gate *gate, const hr_charge *charge, uint64_t shares, hr_permit *out,
                               hr_error *err) {
    return add_charge(gate, HR_RELEASE_SHARE, charge, shares, out, err);
}

/* What later lines may cost, after a line of the charge. */
static hr_units rest_after(const hr_gate *gate, const hr_charge *charge) {
    hr_units cost = charge->cost < gate->budget ? charge->cost : gate->budget;
    hr_units total = hr_running_total_would_be(&gate->running_total, charge->group, charge->part, cost);
    return total < gate->budget ? gate->budget - total : 0;
}

hr_status hr_gate_charge_choice_now(hr_gate *gate, const hr_charge *charge, hr_permit *out, hr_error *err) {
    hr_release line = line_of(gate->privacy_measure, charge);
    if (gate->privacy_measure == HR_PRIVACY_GDP) line.rest = rest_after(gate, charge);
    hr_status status = scale_line(HR_RELEASE_CHOICE, gate->privacy_measure, &line, err);
    return status ? status : add_line_gate(gate, &line, out, err);
}

hr_status hr_gate_spend_rest(hr_gate *gate, hr_error *err) {
    hr_charge charge = {.what = "rest of the budget",
                        .tree = -1,
                        .level = -1,
                        .cost = gate->budget - gate->running_total.total,
                        .sensitivity = 1};
    hr_permit unused;
    if (gate->privacy_measure != HR_PRIVACY_GDP || !charge.cost) return HR_OK;
    for (size_t i = 0; i < gate->count; i++)
        if (gate->releases[i].group >= charge.group) charge.group = gate->releases[i].group + 1;
    return hr_gate_charge_sums(gate, &charge, &unused, err);
}

hr_status hr_charge_check_sums(hr_privacy_measure privacy_measure, const hr_charge *charge, hr_error *err) {
    hr_release unused;
    return make_line(HR_RELEASE_SUMS, privacy_measure, charge, 0, &unused, err);
}

hr_status hr_charge_check_choice(hr_privacy_measure privacy_measure, const hr_charge *charge, hr_error *err) {
    hr_release unused;
    return make_line(HR_RELEASE_CHOICE, privacy_measure, charge, 0, &unused, err);
}

hr_status hr_charge_check_share(hr_privacy_measure privacy_measure, const hr_charge *charge, uint64_t shares,
                                hr_error *err) {
    hr_release unused;
    return make_line(HR_RELEASE_SHARE, privacy_measure, charge, shares, &unused, err);
}

hr_status hr_gate_charge_exact(hr_gate *gate, const char *what, hr_error *err) {
    hr_permit unused;
    hr_release line = {.what = what,
                       .tree = -1,
                       .level = -1,
                       .sensitivity = 1,
                       .mechanism = hr_mechanism_for(HR_RELEASE_SUMS, HR_PRIVACY_NONE),
                       .scale_den = 1,
                       .draws = 1};
    return add_line_gate(gate, &line, &unused, err);
}

hr_status hr_gate_covers(hr_gate *gate, const hr_charge *charge, size_t lines, hr_error *err) {
    hr_release line = line_of(gate->privacy_measure, charge);
    return reserve_releases(gate, &line, lines, err);
}

/* ---- Releasing ---- */

/* Without privacy there is no noise. */
static hr_timings *timings_of_noise(const hr_gate *gate) {
    return gate->privacy_measure == HR_PRIVACY_NONE ? NULL : gate->timings;
}

/* Under a permit for choices nothing was paid for sums: the answer does not depend on the records. */
static int64_t release_sum(hr_csprng *csprng, const hr_release *line, int64_t exact) {
    const hr_mechanism_info *info = hr_mechanism_info_of(line->mechanism);
    return info->add_noise ? info->add_noise(csprng, line, exact) : 0;
}

void hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out) {
    assert(permit.line < gate->count);
    hr_release *line = &gate->releases[permit.line];
    hr_timings_enter(timings_of_noise(gate), HR_PHASE_NOISE);
    for (size_t i = 0; i < count; i++) out[i].paid = release_sum(gate->csprng, line, in[i].unpaid);
    line->draws += count;
    hr_timings_leave(timings_of_noise(gate));
}

/* Under a permit for anything else nothing was paid for a share. */
static uint64_t release_share(hr_csprng *csprng, const hr_release *line, int64_t exact) {
    const hr_mechanism_info *info = hr_mechanism_info_of(line->mechanism);
    return info->draw_share ? (uint64_t)exact + info->draw_share(csprng, line) : 0;
}

void hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                   uint64_t *out) {
    assert(permit.line < gate->count && mask);
    hr_release *line = &gate->releases[permit.line];
    hr_timings_enter(timings_of_noise(gate), HR_PHASE_NOISE);
    for (size_t i = 0; i < count; i++) out[i] = release_share(gate->csprng, line, in[i].unpaid);
    hr_timings_leave(timings_of_noise(gate));
    hr_mask_add(mask, out, count);
    line->draws += count;
}

/* Under a permit for sums nothing was paid for a choice; under one that counts on what comes after it,
 * nothing once another line was charged. */
size_t hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count) {
    assert(permit.line < gate->count && count >= 1);
    hr_release *line = &gate->releases[permit.line];
    const hr_mechanism_info *info = hr_mechanism_info_of(line->mechanism);
    line->draws++;
    hr_timings_enter(gate->timings, HR_PHASE_CHOOSE);
    const bool paid = info->choose && (!line->rest || permit.line + 1 == gate->count);
    size_t chosen = paid ? info->choose(gate->csprng, line, scores, count) : 0;
    hr_timings_leave(gate->timings);
    return chosen;
}

size_t hr_gate_choose_weighted(hr_gate *gate, hr_permit permit, const hr_exact *scores, const double *weights,
                               size_t count) {
    assert(permit.line < gate->count && count >= 1);
    hr_release *line = &gate->releases[permit.line];
    const hr_mechanism_info *info = hr_mechanism_info_of(line->mechanism);
    line->draws++;
    hr_timings_enter(gate->timings, HR_PHASE_CHOOSE);
    size_t chosen =
        info->choose_weighted ? info->choose_weighted(gate->csprng, line, scores, weights, count) : 0;
    hr_timings_leave(gate->timings);
    return chosen;
}

const hr_release *hr_gate_releases(const hr_gate *gate, size_t *count) {
    *count = gate->count;
    return gate->releases;
}
