/* The table of endings: the word of one is the same wherever people read of it. */
#include "federation/protocol/ending.h"

#include <string.h>

static const hr_job_ending_info endings[HR_JOB_ENDINGS] = {
    [HR_JOB_OPEN] = {"", 0, ""},
    [HR_JOB_DONE] = {"done", 0, "the coordinator has the result"},
    [HR_JOB_SENT] = {"sent", 0, "an owner's model was sent; what becomes of the average is not awaited"},
    [HR_JOB_DECLINED] = {"declined", 3, "by an owner's policy or a person; at a coordinator by every owner"},
    [HR_JOB_FAILED] = {"failed", 1,
                       "for none of the other reasons, such as a budget too small for the method"},
    [HR_JOB_CANCELLED] = {"cancelled", 10, "by `hedgerow jobs cancel`"},
    [HR_JOB_NOT_BEGUN] = {"not begun", 11, "no owner, or fewer than an owner's policy requires, took part"},
    [HR_JOB_TIMED_OUT] = {"timed out", 12, "an owner without which the job cannot go on missed the deadline"},
    [HR_JOB_NO_ANSWER] = {"no answer", 13,
                          "such an owner ended its part or had no answer, or no owner had one"},
    [HR_JOB_VIOLATED] = {"violated", 14, "a member broke the protocol, and the job cannot go on without it"},
    [HR_JOB_IMPOSSIBLE] = {"impossible", 15, "no records have the total that the owners sent"},
    [HR_JOB_REMOVED] = {"removed", 16, "a member is no longer in the federation file"},
    [HR_JOB_LEFT_OUT] = {"left out", 0, "the job ran without this owner"},
    [HR_JOB_REPLACED] = {"replaced", 0, "newer offers took the place of one that nobody had decided on"},
    [HR_JOB_EXPIRED] = {"expired", 0, "the job is older than the policy's days"},
};

const hr_job_ending_info *hr_job_ending_of(hr_job_ending ending) {
    return (unsigned)ending < HR_JOB_ENDINGS ? &endings[ending] : NULL;
}

bool hr_ending_is_fine(hr_job_ending ending) {
    return ending == HR_JOB_DONE || ending == HR_JOB_SENT;
}

hr_job_ending hr_ending_by_number(uint64_t number) {
    return number && number < HR_JOB_ENDINGS ? (hr_job_ending)number : HR_JOB_FAILED;
}

hr_job_ending hr_ending_by_status(hr_status status) {
    if (status == HR_E_POLICY) return HR_JOB_IMPOSSIBLE;
    return status == HR_E_IO || status == HR_E_JOB ? HR_JOB_NO_ANSWER : HR_JOB_FAILED;
}

hr_job_ending hr_ending_by_state(const char *state) {
    const size_t size = strcspn(state, ":");
    for (int e = HR_JOB_DONE; e < HR_JOB_ENDINGS; e++)
        if (strlen(endings[e].word) == size && !memcmp(endings[e].word, state, size)) return (hr_job_ending)e;
    return HR_JOB_OPEN;
}
