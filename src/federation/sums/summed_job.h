/* What all methods share whose owners add sums up (federation/machines/securesum.h), whatever they ask. */
#ifndef HR_FEDERATION_SUMS_SUMMED_JOB_H
#define HR_FEDERATION_SUMS_SUMMED_JOB_H

#include "federation/federated/federated_method.h"
#include "federation/machines/securesum.h"
#include "privacy/gate.h"

/* How many shares of noise a sum over so many owners counts on: without those of a coalition; at least 1. */
size_t hr_summed_shares(const hr_party_job *job, size_t members);

/* hr_federated_method.round: the number of the question. */
void hr_summed_round(const hr_party_job *job, hr_job_position *out);

/* Sums modulo 2^64, as integers with a sign; of an outcome that is not lost. Owner: the caller frees *out.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_summed_values(const hr_sum_outcome *outcome, hr_noisy **out, hr_error *err);

/* The model says how many owners there are and what coalition the job names, and lists what the coordinator's
 * account has. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_summed_describe(const hr_party_job *job, const hr_gate *account,
                                           hr_joint_model *model, hr_error *err);

#endif
