/* How a job ends at a party: one table for logs, states, metrics and exit codes. */
#ifndef HR_FEDERATION_PROTOCOL_ENDING_H
#define HR_FEDERATION_PROTOCOL_ENDING_H

#include <hedgerow/federation.h>
#include <stdint.h>

/* Whether the job went as it should: DONE or SENT. */
bool hr_ending_is_fine(hr_job_ending ending);
/* The ending that a member gave a number of, or a journal; FAILED of a number that is none. */
hr_job_ending hr_ending_by_number(uint64_t number);
/* The ending of a job whose method cannot go on at the coordinator: POLICY is IMPOSSIBLE, IO and JOB are
 * NO_ANSWER, all others FAILED. */
hr_job_ending hr_ending_by_status(hr_status status);
/* The ending that the state of a job begins with, "WORD" or "WORD: detail"; OPEN: none. */
hr_job_ending hr_ending_by_state(const char *state);

#endif
