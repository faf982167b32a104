/* Declines: why an owner takes no part in a job, or ends it, for its coordinator. A decline is signed by
 * itself, for one job and one coordinator, so that it means the same whatever carries it: the answer of an
 * owner that knows the job, or an envelope of one that cannot read the offer (docs/reference/protocol.md). */
#ifndef HR_FEDERATION_PROTOCOL_DECLINE_H
#define HR_FEDERATION_PROTOCOL_DECLINE_H

#include "federation/protocol/ending.h"
#include "federation/protocol/message.h"

/* Bytes of the number of a job; and of a decline's text. */
enum { HR_JOB_BYTES = 16, HR_DECLINE_TEXT = 200 };

typedef struct hr_job_id {
    uint8_t bytes[HR_JOB_BYTES];
} hr_job_id;

typedef Hedgerow__Decline__Code hr_decline_code;

/* A decline in the making: the message points into it. */
typedef struct hr_decline {
    Hedgerow__Decline wire;
    char text[HR_DECLINE_TEXT + 1];
    uint8_t signature[HR_SIGNATURE_SIZE];
} hr_decline;

/* Signs a decline of a job of the coordinator with that key. Of a longer text the beginning is used, and none
 * of one that is not fit to be shown. out->wire points into *out, which is not copied. */
void hr_decline_make(const hr_identity *owner, const hr_job_id *job, const hr_public_key *coordinator,
                     hr_decline_code code, const char *text, hr_decline *out);

/* Whether a decline that came is that owner's, of this job of this coordinator, and its text may be shown.
 * Fails: POLICY (why not). */
HR_MUST_CHECK hr_status hr_decline_check(const Hedgerow__Decline *wire, const hr_member *owner,
                                         const hr_job_id *job, const hr_public_key *coordinator,
                                         hr_error *err);

/* How a job ends at the owner that declines it; and the code of an owner whose part has ended so. */
hr_job_ending hr_decline_ending(hr_decline_code code);
hr_decline_code hr_decline_of(hr_job_ending ending);

/* What a code means, for people; never NULL. */
const char *hr_decline_meaning(hr_decline_code code);

/* A decline as the message of an owner that knows the job: an Answer. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_decline_answer(const Hedgerow__Decline *wire, hr_bytes *out, hr_error *err);

#endif
