/* One party of a federation at work: its jobs, its journal, its transport.
 *
 * Whatever happens to a job is one transaction of the journal: what came, what it led to, and the sealed
 * packets that go out because of it. Only then is the packet acknowledged, and only then do packets
 * leave. Work that draws noise has two: the first notes that it begins and reserves the budget, the second
 * holds its outcome; once a job has paid, the first is that of the packets that brought the work. After a
 * crash the party continues from the journal: packets go out again byte for byte, work that had begun and has
 * no outcome is lost, and what was reserved for it stays spent. */
#ifndef HR_FEDERATION_PARTY_PARTY_H
#define HR_FEDERATION_PARTY_PARTY_H

#include "federation/federated/party_work.h"
#include "federation/party/presence.h"
#include "federation/transport/transport.h"
#include "privacy/ledger/journal_status.h"

typedef struct hr_party hr_party;

/* What time it is. */
typedef struct hr_clock {
    int64_t now;  /* milliseconds, of any clock that does not go back */
    int64_t date; /* seconds since 1970 began, of the clock that the calendar follows */
} hr_clock;

typedef struct hr_party_options {
    const hr_party_view *view;
    hr_journal *journal;
    hr_transport *transport;
    hr_party_work *work;
    const hr_schema *schema;
    const bool *coordinators; /* by member: which may offer it jobs; NULL: none */
    size_t min_owners;        /* owner */
    bool wants_model;         /* owner: coordinators send it their models */
    int64_t lifetime;  /* seconds by the calendar after which an owner's job is over, whatever became of it,
                          and  what the journal holds of a job that is over is deleted; 0: never */
    size_t quota;      /* packets that one member may send in a minute; more are dropped. 0: any number */
    double round_gain; /* coordinator */
    int64_t deadline;  /* coordinator: milliseconds within which an owner must answer */
    hr_presence *presence;  /* who is there; NULL: not known */
    bool waits_for_present; /* coordinator: the deadline is not waited for if all who are awaited are away */
    hr_clock (*clock)(
        void);      /* owner: what time it is while it works, so that a job can end then; NULL: not asked */
    int64_t resend; /* milliseconds after which packets that are not confirmed are sent again; doubles up to
                       32 times as long */
} hr_party_options;

/* Takes up the jobs that the journal holds. Everything named in the options outlives the party. Owner: the
 * caller frees *out with hr_party_close. Fails: IO, FORMAT (the journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_open(const hr_party_options *options, hr_party **out, hr_error *err);
void hr_party_close(hr_party *party);

/* A job that a coordinator offers. */
typedef struct hr_new_job {
    const uint8_t *id; /* HR_JOURNAL_ID random bytes, of no job before; NULL: they are drawn */
    hr_blob terms;
    int64_t date; /* see hr_clock */
} hr_new_job;

/* Coordinator: offers a job. Fails: IO, FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_party_submit(hr_party *party, const hr_new_job *job, hr_error *err);

/* Takes one step: takes in a packet, waiting for one at most `wait` milliseconds if no work is due, else
 * works; and sends again. Work that is due is done after a bounded number of packets, whatever comes. *busy:
 * whether there was something to do. Fails: IO (journal; a transport that fails is tried
 * again), MEMORY. What has not been noted by then did not happen. */
HR_MUST_CHECK hr_status hr_party_step(hr_party *party, hr_clock clock, int wait, bool *busy, hr_error *err);

/* Notes how long its jobs have waited, as of its last step, before it is closed and opened again. A party
 * that is closed without it loses up to 15 seconds of each wait. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_rest(hr_party *party, hr_error *err);

/* Takes one step of a party that only leaves jobs, which hr_party_open ended: takes in an acknowledgement,
 * waiting for one at most `wait` milliseconds, and sends again. Any other packet is left for the next start
 * and counted. Fails: IO (journal), MEMORY, and as the transport's receive. */
HR_MUST_CHECK hr_status hr_party_step_leaving(hr_party *party, hr_clock clock, int wait, size_t *unread,
                                              hr_error *err);

/* Shows the jobs that are not over and whose terms are known, in no transaction, as of the last step; view
 * and progress are valid during the call. */
typedef void hr_party_progress_visit(void *user, const hr_job_view *view,
                                     const hr_journal_progress *progress);
void hr_party_each_progress(hr_party *party, hr_party_progress_visit *visit, void *user);

/* Why a packet is refused. */
typedef enum hr_refusal {
    HR_REFUSAL_UNREADABLE, /* no member sealed it for this party */
    HR_REFUSAL_QUOTA,      /* above the quota */
    HR_REFUSAL_OFFER,      /* it offers a job while too many of its sender are open */
    HR_REFUSALS
} hr_refusal;

/* How many packets were refused since the opening, by hr_refusal. Borrowed. */
const uint64_t *hr_party_refused(const hr_party *party);

/* Whether the party has a job with this id that is not over. */
bool hr_party_has_job(hr_party *party, const uint8_t *id);
/* Jobs that are not over; and whether any packet has not been confirmed. */
size_t hr_party_jobs(const hr_party *party);
HR_MUST_CHECK hr_status hr_party_owes(hr_party *party, bool *owes, hr_error *err);

#endif
