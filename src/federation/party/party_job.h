/* A job of a party, in memory. What the journal has of it is `record` and the events that its protocol was
 * fed. */
#ifndef HR_FEDERATION_PARTY_PARTY_JOB_H
#define HR_FEDERATION_PARTY_PARTY_JOB_H

#include "federation/machines/securesum.h"
#include "federation/party/party.h"
#include "federation/protocol/reorder_buffer.h"

enum { HR_WORKS_MAX = 2 * HR_QUESTIONS_MAX }; /* of one job of an owner's */

typedef struct hr_live_job {
    hr_journal_job record;
    char *coordinator;       /* its name; record.coordinator points to it */
    const hr_schema *schema; /* the party's */
    const hr_membership *membership;
    hr_bytes terms;
    Hedgerow__Terms *read; /* the terms; NULL before an owner has them */
    const hr_federated_method *method;
    hr_protocol *protocol; /* NULL, as the method, before an owner was offered the job */
    void *kept;            /* by the method */
    size_t member_count;
    hr_reorder_buffer *inboxes; /* by member */
    bool *cut;                  /* by member: it is not listened to any more */
    size_t *taken;              /* by member: bytes of its messages */
    uint64_t number;            /* of the party's jobs, in the order in which it heard of them */
    bool is_coordinator, noted; /* noted: in the journal */
    hr_action work;             /* kind 0: none */
    bool finished, failed;
    bool leaves;              /* it ends here, and the others are told so */
    bool begun[HR_WORKS_MAX]; /* works, by hr_party_job_number: none is begun twice */
    bool undecided;           /* it was offered, and not decided */
    int64_t asked;            /* when that was last decided on */
    bool news;                /* something happened since its work was last prepared */
    char why[HR_ACTION_TEXT]; /* it failed */
    int64_t heard;            /* when something last happened */
    int64_t shown;            /* when its progress was last noted */
    bool unshown;             /* something happened since */
} hr_live_job;

/* A coordinator's own jobs are those that it has terms of. Copies. Owner: the caller frees *out with
 * hr_party_job_free. Fails: FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_party_job_make(const hr_party_options *options, const hr_journal_job *record,
                                          hr_live_job **out, hr_error *err);
/* Starts the machine of a coordinator's own job; no effect at an owner, which begins with the offer. Fails:
 * FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_party_job_start(const hr_party_options *options, hr_live_job *job, hr_error *err);
void hr_party_job_free(hr_live_job *job);

/* What happens to the job, or is fed again after a crash. An owner's machine begins with the first message of
 * the coordinator's; another member that writes before it is cut off. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_party_job_feed(const hr_party_options *options, hr_live_job *job,
                                          const hr_event *event, hr_error *err);

/* Reads the terms once. Fails: FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_party_job_read(hr_live_job *job, const hr_bytes *terms, hr_error *err);

/* Of a tree to be trained or a vote to be given, below HR_WORKS_MAX. */
uint64_t hr_party_job_number(const hr_action *work);

hr_party_job hr_party_job_view(hr_live_job *job);

#endif
