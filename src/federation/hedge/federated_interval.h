/* The interval between two quantiles of hedge over owners: each owner keeps a fifth of its records out of all
 * other sums, by coins of its own, and one more sum over these corrects it. Proof:
 * federated_interval.proof.md. */
#ifndef HR_FEDERATION_HEDGE_FEDERATED_INTERVAL_H
#define HR_FEDERATION_HEDGE_FEDERATED_INTERVAL_H

#include "federation/hedge/hedge_question_wire.h"
#include "federation/sums/sum_checks.h"
#include "fit/conformal.h"
#include "fit/level_sums.h"

/* hr_federated_method.check_options: whether the label has such an interval. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_federated_interval_check_options(const hr_fit_options *options,
                                                            const hr_schema *schema, hr_error *err);
/* Whether the budget pays for the sum, of owners of whom so many are counted on. Fails: ARGUMENT, BUDGET. */
HR_MUST_CHECK hr_status hr_federated_interval_check(const hr_fit_options *options, const hr_schema *schema,
                                                    const hr_budget *budget, size_t honest, hr_error *err);
/* Shows in a plan of plan->records what is held out, and what is promised of it. noise_factor: of a sum. */
void hr_federated_interval_plan(const hr_fit_options *options, const hr_schema *schema,
                                const hr_budget *budget, double noise_factor, hr_plan_info *plan);

/* ---- An owner ---- */

/* *data: the records of the turn that train, *parts all of them in two; nothing is kept apart if no
 * correction is wanted. The same in all lives of the owner. Owner: the caller calls hr_conformal_parts_done.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_federated_interval_divide(const hr_owner_turn *turn, const hr_fit_options *options,
                                                     const hr_data **data, hr_conformal_parts *parts,
                                                     hr_error *err);
/* The owner's numbers of HR_HEDGE_LEVELS. Fails: MEMORY, SCHEMA. */
HR_MUST_CHECK hr_status hr_federated_interval_count(const hr_owner_turn *turn, const hr_data *held_out,
                                                    const hr_forest *forest, const hr_level_terms *terms,
                                                    hr_exact *out, hr_error *err);

/* ---- The coordinator ---- */

typedef struct hr_federated_interval {
    hr_level_terms terms; /* of coverage 0: none is corrected */
    bool wanted;          /* its sum is still to come */
    hr_conformal made;
} hr_federated_interval;

void hr_federated_interval_open(hr_federated_interval *interval, const hr_fit_options *options,
                                const hr_schema *schema, const hr_budget *budget);
/* The question about the finished forest, which is borrowed; false: there is none. */
bool hr_federated_interval_next(const hr_federated_interval *interval, const hr_forest *forest,
                                hr_hedge_question *out);
/* hr_summed_coordinator.possible: of other records than the job has counted. */
bool hr_federated_interval_possible(hr_sum_checks *checks, const hr_summed_question *question,
                                    const hr_summed_reply *reply);
/* There is no second sum: where this one is lost the interval stays as it is. */
void hr_federated_interval_accept(hr_federated_interval *interval, const hr_summed_reply *reply);

#endif
