/* id3 over owners as published (docs/federation.md): NOT PRIVATE. The questions of federated_id3.c go along
 * the ring of the paper (federation/machines/ring.h). The noise lambda (ln r_x - ln r_y) of a count is a
 * difference of two halves; owner i adds its part of each, a Polya variable of shape 1/n where the paper has
 * real numbers, so that the parts of all n owners make up one discrete Laplace variable. All counts have the
 * noise of one count at the whole epsilon: one line is charged, with the first question, and all that follow
 * draw from it.
 *
 * No ledger pays, since there is nothing to pay for; an owner takes part if its policy lists id3 under
 * 'unprotected'. */
#include "base/fail.h"
#include "federation/machines/ring.h"
#include "federation/sums/federated_id3.h"
#include "federation/sums/summed_owner.h"

static const hr_summed_protocol ring_protocol = {
    .question = hr_ring_question, .mask = hr_ring_mask, .outcome = hr_ring_outcome};

static const hr_summed_method id3_on_ring = {.protocol = &ring_protocol,
                                             .owner = &hr_id3_owner_rules,
                                             .coordinator = &hr_id3_coordinator_rules,
                                             .budget = hr_id3_job_budget,
                                             .charged_once = true};

static hr_status refuse_ring_plan(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    (void)job;
    (void)out;
    hr_fail(err, HR_E_ARGUMENT, "write 'mode: sound'",
            "a job of id3 in mode paper has no plan: it is not private, so that there is no promise to tell");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "mode");
}

const hr_federated_method hr_federated_id3_ring = {
    .method = &hr_method_id3,
    .owner = hr_ring_owner,
    .coordinator = hr_ring_coordinator,
    .flaws = "On its ring, the two owners beside an owner read its counts amid that owner's own part of the "
             "noise alone, if they act with the coordinator.",
    .defaults = hr_id3_job_defaults,
    .check_schema = hr_id3_job_check_schema,
    .check_terms = hr_federated_id3_check,
    .plan = refuse_ring_plan,
    .summed = &id3_on_ring,
    .answer = hr_summed_answer,
    .ask = hr_summed_ask,
    .forget = hr_summed_free,
    .part = hr_ring_part,
    .assemble = hr_id3_job_assemble,
};
