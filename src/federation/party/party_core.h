/* What the files of a party share. */
#ifndef HR_FEDERATION_PARTY_PARTY_CORE_H
#define HR_FEDERATION_PARTY_PARTY_CORE_H

#include "federation/federated/federated_method.h"
#include "federation/party/outbox.h"
#include "federation/party/packet_quota.h"
#include "federation/party/party_job.h"
#include "privacy/crypto/csprng.h"

/* What one member may make a party hold (docs/federation.md, "Bounds"). */
enum {
    HR_PARTY_JOBS_MAX = 16,             /* open jobs of one coordinator */
    HR_PARTY_OFFERS_MAX = 4,            /* incomplete offers of one coordinator */
    HR_PARTY_UNDECIDED_MAX = 256,       /* offers that wait for a decision, of all coordinators */
    HR_PARTY_UNPAID_MAX = 256,          /* jobs of one coordinator that are over and reserved nothing */
    HR_PARTY_BUFFER_MAX = 16 << 20,     /* bytes of a member's incomplete messages */
    HR_PARTY_BUFFERS_MAX = 128 << 20,   /* bytes of all of them, above which each has an equal share */
    HR_PARTY_ROUND_MAX = HR_MESSAGE_MAX /* bytes of a member's messages, for each round and once more */
};

struct hr_party {
    hr_party_options o;
    hr_live_job **jobs;
    size_t job_count, job_capacity;
    uint64_t jobs_made;
    hr_outbox outbox;
    hr_csprng *csprng;
    hr_packet_quota quota;
    size_t in_a_row; /* packets that came while work was due */
    int64_t looked;  /* when marks of cancelled jobs were last looked for */
    int64_t expired; /* the date of the last look for jobs that expired */
    bool awake;      /* it has taken a step, so that the clock is set */
    hr_clock clock;  /* of that step */
    /* What is noted for people (party_show.c). */
    int64_t begun, contact;   /* dates: of the first step, and when it last had a connection to the broker */
    int64_t shown, link_seen; /* when the party was last noted, and the connection looked at */
    hr_link_info link;
    bool unnoted; /* the last try failed */
};

const char *hr_party_member_name(const hr_party *party, size_t member);

/* NULL: it has no such job that is not over. */
hr_live_job *hr_party_find(hr_party *party, const uint8_t *id);

void hr_party_remove(hr_party *party, const hr_live_job *job);

/* Makes a job of a record of the journal's, or of one that is not yet in it. *out belongs to the party.
 * Fails: as hr_party_job_make. */
HR_MUST_CHECK hr_status hr_party_add(hr_party *party, const hr_journal_job *record, hr_live_job **out,
                                     hr_error *err);

/* What happens to a job, what it costs and what it leads to, as one transaction; `event` may be NULL. A
 * failure after the job was fed leaves it in memory ahead of the journal: the party is of no use any more, as
 * if the process had died. Fails: BUDGET, POLICY (nothing was reserved), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_transact(hr_party *party, hr_live_job *job, const hr_event *event,
                                          uint64_t sequence, hr_error *err);

/* A job that is over: makes the model or logs why there is none, tells the others if it ends only here, and
 * removes it. Fails: IO, MEMORY, and as the worker's `finish`. */
HR_MUST_CHECK hr_status hr_party_end(hr_party *party, hr_live_job *job, hr_error *err);

/* The job ends here, since somebody asked for it; hr_party_end is due. */
void hr_live_job_cancel(hr_live_job *job);

/* Within a transaction: posts to the owners, or to the coordinator, that the job ended here. Fails: IO,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_party_leave(hr_party *party, const hr_live_job *job, hr_error *err);

/* Cancels the open jobs that are marked in the journal (hr_journal_cancel). Fails: IO, FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_party_look_for_cancelled(hr_party *party, hr_error *err);

/* Within a transaction: what people are shown of the job. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_note(hr_party *party, const hr_live_job *job, hr_error *err);

/* Within a transaction: how far the job is, for people; once a second at most, else at the next
 * hr_party_show. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_show_job(hr_party *party, hr_live_job *job, hr_error *err);

/* Notes for people how the party is, and jobs that were left out, if it is time. A disk that cannot be
 * written is logged. Fails: MEMORY, FORMAT (the journal). */
HR_MUST_CHECK hr_status hr_party_show(hr_party *party, hr_error *err);

/* Ends a transaction, successful so far if `status` is HR_OK: all of it is on the disk, or nothing. */
HR_MUST_CHECK hr_status hr_party_commit(hr_party *party, hr_status status, hr_error *err);

/* Of HR_PARTY_UNDECIDED_MAX, what one of so many coordinators may have. 1..HR_PARTY_JOBS_MAX. */
size_t hr_party_offer_share(size_t coordinators);

/* Takes in a packet that came; what is wrong with it is logged. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_take_packet(hr_party *party, const hr_packet *packet, hr_error *err);

/* The same of an acknowledgement alone. *taken: it was one. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_take_ack(hr_party *party, const hr_packet *packet, bool *taken,
                                          hr_error *err);

/* What an action means to the job, whether it is taken for the first time or fed again. Fails: FORMAT, LIMIT,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_remember(hr_live_job *job, const hr_action *action, hr_error *err);
bool hr_live_job_is_over(const hr_live_job *job);

#endif
