#include "federation/sums/summed_job.h"

#include "base/fail.h"
#include "privacy/crypto/csprng.h"
#include "privacy/noise.h"

#include <stdlib.h>

const hr_summed_protocol hr_summed_securesum = {
    .question = hr_securesum_question, .mask = hr_securesum_mask, .outcome = hr_securesum_outcome};

const hr_job_machines hr_summed_machines = {.owner = hr_securesum_owner,
                                            .coordinator = hr_securesum_coordinator,
                                            .part = hr_securesum_part,
                                            .model = hr_securesum_model};

size_t hr_summed_values(const hr_summed_question *q) {
    size_t count = 0;
    for (size_t i = 0; i < q->line_count; i++) count += q->counts[i];
    return count;
}

size_t hr_summed_shares(const hr_job_view *job, size_t members) {
    return (size_t)hr_noise_shares(members, job->terms->coalition);
}

void hr_summed_round(const hr_job_view *job, hr_job_position *out) {
    *out = (hr_job_position){.unit = "question"};
    if (!hr_securesum_owners(job->protocol, &(const size_t *){NULL})) return;
    out->step =
        job->is_coordinator ? hr_securesum_outcomes(job->protocol) + 1 : hr_securesum_received(job->protocol);
}

hr_status hr_summed_open(const hr_job_view *job, size_t size, hr_csprng *csprng, hr_summed_party **out,
                         hr_error *err) {
    hr_summed_party *p = *out = calloc(1, size);
    if (!p) {
        hr_csprng_close(csprng);
        return hr_fail_memory(err);
    }
    p->csprng = csprng;
    if (!(p->arena = hr_arena_new())) return hr_fail_memory(err);
    hr_status status = job->method->summed->budget(job, &p->budget, err);
    if (status) return status;
    status = hr_gate_new(p->budget.privacy_measure, p->budget.units, p->csprng, &p->gate, err);
    if (status) return status;
    return hr_gate_new(p->budget.privacy_measure, p->budget.units, p->csprng, &p->held_out, err);
}

hr_gate *hr_summed_gate(const hr_summed_party *p, const hr_summed_question *question) {
    return question->held_out ? p->held_out : p->gate;
}

void hr_summed_free(void *party) {
    hr_summed_party *p = party;
    if (!p) return;
    if (p->close && p->state) p->close(p->state);
    hr_gate_free(p->gate);
    hr_gate_free(p->held_out);
    hr_csprng_close(p->csprng);
    hr_arena_free(p->prepared);
    hr_arena_free(p->arena);
    free(p);
}
