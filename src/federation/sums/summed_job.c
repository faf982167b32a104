#include "federation/sums/summed_job.h"

#include "base/fail.h"
#include "privacy/noise.h"

#include <stdlib.h>
#include <string.h>

size_t hr_summed_shares(const hr_party_job *job, size_t members) {
    return (size_t)hr_noise_shares(members, job->terms->coalition);
}

void hr_summed_round(const hr_party_job *job, hr_job_position *out) {
    *out = (hr_job_position){.unit = "question"};
    if (!hr_securesum_owners(job->protocol, &(const size_t *){NULL})) return;
    out->step =
        job->is_coordinator ? hr_securesum_outcomes(job->protocol) + 1 : hr_securesum_heard(job->protocol);
}

hr_status hr_summed_values(const hr_sum_outcome *outcome, hr_noisy **out, hr_error *err) {
    hr_noisy *values = malloc((outcome->count + 1) * sizeof *values);
    if (!values) return hr_fail_memory(err);
    for (size_t i = 0; i < outcome->count; i++) values[i] = hr_noisy_of_answers(outcome->sums[i]);
    *out = values;
    return HR_OK;
}

hr_status hr_summed_describe(const hr_party_job *job, const hr_gate *account, hr_joint_model *m,
                             hr_error *err) {
    const size_t *members;
    const hr_release *releases = hr_gate_releases(account, &m->release_count);
    hr_settings_add_count(&m->settings, HR_OWNERS_SETTING, hr_securesum_owners(job->protocol, &members));
    hr_settings_add_count(&m->settings, HR_COALITION_SETTING, job->terms->coalition);
    m->releases = hr_arena_alloc(m->arena, m->release_count + 1, sizeof *m->releases);
    if (!m->releases) return hr_fail_memory(err);
    memcpy(m->releases, releases, m->release_count * sizeof *releases);
    return HR_OK;
}
