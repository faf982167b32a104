/* The coordinator's questions in a job of sums or choices, for every method (summed_job.h). It sees sums and
 * choices as they leave the protocol, never a record. A question that reached an owner is in the record of
 * what owners are charged, with as many shares of noise as its owners counted on, whether or not its sum was
 * learned; one that no owner was there for costs nothing, and is sent again. After a restart all outcomes
 * are taken again from the first. */
#ifndef HR_FEDERATION_SUMS_SUMMED_COORDINATOR_H
#define HR_FEDERATION_SUMS_SUMMED_COORDINATOR_H

#include "federation/sums/summed_job.h"

/* The next question. out->body borrows *body. Owner: the caller frees body->at. Fails: BUDGET, IO (the job
 * cannot go on), MEMORY. */
HR_MUST_CHECK hr_status hr_summed_next_question(const hr_job_view *job, hr_party_work *work,
                                                Hedgerow__Question *out, hr_bytes *body, hr_error *err);

/* For a method that needs every sum. The next question: fails if no owner was there for three in a row.
 * Fails: IO. */
HR_MUST_CHECK hr_status hr_summed_need_owners(const hr_summed_progress *progress, hr_error *err);
/* Its reply: fails if the sum was dropped, which was paid for, so that there is no second one. Fails: IO. */
HR_MUST_CHECK hr_status hr_summed_need_values(const hr_summed_reply *reply, hr_error *err);

/* The method's state after all outcomes so far, and the record of charges; both borrowed. Fails: as the
 * method's hooks, MEMORY. */
HR_MUST_CHECK hr_status hr_summed_result(const hr_job_view *job, void **state, const hr_gate **charges,
                                         hr_error *err);
/* The state as it is, for the position of a job: NULL at an owner, and before the first question. */
const void *hr_summed_coordinator_state(const hr_job_view *job);

/* The model holds how many owners there are and what coalition the job names, and lists what owners were
 * charged. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_summed_describe(const hr_job_view *job, const hr_gate *charges,
                                           hr_joint_model *model, hr_error *err);

#endif
