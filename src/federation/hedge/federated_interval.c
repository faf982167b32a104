#include "federation/hedge/federated_interval.h"

#include "base/fail.h"
#include "federation/federated/record_sides.h"
#include "federation/machines/securesum.h"
#include "tables/data/records.h"

#include <stdlib.h>

/* ---- What is public ---- */

static hr_level_terms terms_of(const hr_fit_options *options, const hr_schema *schema,
                               const hr_budget *budget) {
    return (hr_level_terms){.privacy_measure = budget->privacy_measure,
                            .weighs = hr_hedge_unit_of(schema) == HR_PER_PERSON,
                            .coverage = hr_conformal_coverage(options),
                            .cost = budget->units};
}

hr_status hr_federated_interval_check_options(const hr_fit_options *options, const hr_schema *schema,
                                              hr_error *err) {
    const double coverage = hr_conformal_coverage(options);
    return coverage > 0 ? hr_conformal_check_label(schema, coverage, err) : HR_OK;
}

/* A sum of any owners: as many honest ones as there can be, or one. */
hr_status hr_federated_interval_check(const hr_fit_options *options, const hr_schema *schema,
                                      const hr_budget *budget, size_t honest, hr_error *err) {
    const hr_level_terms terms = terms_of(options, schema, budget);
    const hr_charge line = hr_level_sums_charge(&terms);
    if (terms.coverage == 0) return HR_OK;
    hr_status status = hr_federated_interval_check_options(options, schema, err);
    if (!status) status = hr_charge_check_share(budget->privacy_measure, &line, honest, err);
    return status ? status : hr_charge_check_share(budget->privacy_measure, &line, 1, err);
}

void hr_federated_interval_plan(const hr_fit_options *options, const hr_schema *schema,
                                const hr_budget *budget, double noise_factor, hr_plan_info *plan) {
    const hr_level_terms terms = terms_of(options, schema, budget);
    if (terms.coverage == 0) return;
    plan->coverage = terms.coverage;
    plan->held_out = plan->records - hr_conformal_trained(options, plan->records);
    plan->short_by = hr_level_sums_shortfall(&terms, noise_factor) / (plan->held_out + 1);
}

/* ---- An owner ---- */

hr_status hr_federated_interval_divide(const hr_owner_turn *t, const hr_fit_options *options,
                                       const hr_data **data, hr_conformal_parts *parts, hr_error *err) {
    *data = t->data;
    if (hr_conformal_coverage(options) == 0) return HR_OK;
    const hr_digest key = hr_securesum_key(t->job->protocol);
    uint32_t *sides = malloc((hr_data_rows(t->data) + 1) * sizeof *sides);
    hr_status status = sides ? hr_record_sides(t->data, key.bytes, sides, err) : hr_fail_memory(err);
    if (!status) status = hr_conformal_divide_by(sides, data, parts, err);
    free(sides);
    return status;
}

hr_status hr_federated_interval_count(const hr_owner_turn *t, const hr_data *held_out,
                                      const hr_forest *forest, const hr_level_terms *terms, hr_exact *out,
                                      hr_error *err) {
    hr_exact weights[HR_INTERVAL_LEVELS];
    size_t ends[2] = {0, 0};
    const hr_held_out records = {held_out, forest, ends, t->threads};
    hr_interval_ends(hr_schema_label(hr_data_schema(held_out)), terms->coverage, ends);
    hr_status status = hr_conformal_count_levels(&records, weights, err);
    if (!status) hr_level_sums_of(terms, weights, out);
    return status;
}

/* ---- The coordinator ---- */

void hr_federated_interval_open(hr_federated_interval *i, const hr_fit_options *options,
                                const hr_schema *schema, const hr_budget *budget) {
    *i = (hr_federated_interval){.terms = terms_of(options, schema, budget)};
    i->wanted = i->terms.coverage > 0;
}

bool hr_federated_interval_next(const hr_federated_interval *i, const hr_forest *forest,
                                hr_hedge_question *out) {
    if (!i->wanted) return false;
    *out = (hr_hedge_question){.kind = HR_HEDGE_LEVELS,
                               .lines = {hr_level_sums_charge(&i->terms)},
                               .counts = {HR_INTERVAL_LEVELS},
                               .line_count = 1,
                               .forest = forest};
    return true;
}

bool hr_federated_interval_possible(hr_sum_checks *checks, const hr_summed_question *question,
                                    const hr_summed_reply *reply) {
    const size_t members = checks->members;
    checks->members = 0;
    const bool usable = hr_sum_checks_values(checks, question, reply);
    checks->members = members;
    return usable;
}

void hr_federated_interval_accept(hr_federated_interval *i, const hr_summed_reply *reply) {
    i->wanted = false;
    if (!reply->values) return;
    i->made = (hr_conformal){.made = true, .coverage = i->terms.coverage};
    hr_interval_ends(hr_schema_label(reply->job->schema), i->made.coverage, i->made.ends);
    hr_level_sums_find(&i->terms, reply->values, reply->noise_factor, &i->made);
}
