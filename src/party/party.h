/* One party of a federation at work: its jobs, its journal, its transport.
 *
 * Whatever happens to a job is one transaction of the journal: what came, what it led to, and the sealed
 * packets that go out because of it. Only then is the packet acknowledged, and only then do packets
 * leave. Work that draws noise has two: the first says that it has begun and reserves the budget, the second
 * holds its outcome. After a crash the party continues from the journal: packets go out again byte for
 * byte, work that had begun and has no outcome is lost, and what was reserved for it stays spent. */
#ifndef HR_PARTY_PARTY_H
#define HR_PARTY_PARTY_H

#include "base/log.h"
#include "ledger/journal.h"
#include "protocol/protocol.h"
#include "transport/transport.h"

typedef struct hr_party hr_party;
typedef struct hr_party_work hr_party_work;
typedef struct hr_federated_method hr_federated_method;

/* A job as the work functions see it. */
typedef struct hr_party_job {
    const hr_journal_job *record;
    const hr_federated_method *method; /* NULL before the job was offered, and so are protocol and terms */
    const hr_protocol *protocol;       /* the method's machine of this party */
    const Hedgerow__Terms *terms;
    const hr_schema *schema; /* the party's */
    const hr_membership *membership;
    bool is_coordinator;
    void **kept; /* what the method keeps from one work or question to the next; NULL at first */
} hr_party_job;

/* A job that an owner was offered. */
typedef struct hr_party_offer {
    const hr_journal_job *record;
    const Hedgerow__Terms *terms;
    int64_t date; /* of the party's clock */
} hr_party_offer;

typedef enum hr_verdict { HR_VERDICT_DECLINED, HR_VERDICT_ACCEPTED, HR_VERDICT_UNDECIDED } hr_verdict;

typedef struct hr_decision {
    hr_verdict verdict;
    char reason[HR_ACTION_TEXT]; /* to decline; sent to the coordinator */
} hr_decision;

/* What a party does besides talking. The first field of the worker's own structure. */
struct hr_party_work {
    /* Owner: whether it takes part. Called within the journal's transaction that holds the decision; while it
     * is undecided, again after a second. */
    hr_status (*decide)(hr_party_work *self, const hr_party_offer *offer, hr_decision *out, hr_error *err);
    /* Owner: a Tree, or a Ballot, as bytes. Any failure but MEMORY means that it has none to give. */
    hr_status (*train)(hr_party_work *self, const hr_party_job *job, size_t slot, hr_bytes *out,
                       hr_error *err);
    hr_status (*vote)(hr_party_work *self, const hr_party_job *job, size_t slot, hr_bytes *out,
                      hr_error *err);
    /* Coordinator: what is asked next, a Question as bytes. Called within the journal's transaction; draws
     * nothing that the journal does not hold. Any failure but MEMORY ends the job. */
    hr_status (*ask)(hr_party_work *self, const hr_party_job *job, hr_bytes *out, hr_error *err);
    /* Owner, may be NULL: something came of a job and there is time to make use of it. Must not draw noise:
     * it is not in the journal. Any failure but MEMORY shows again when the work is due. */
    hr_status (*prepare)(hr_party_work *self, const hr_party_job *job, hr_error *err);
    /* The job is done. Coordinator: makes the model. Repeated after a crash before it is noted. */
    hr_status (*finish)(hr_party_work *self, const hr_party_job *job, hr_error *err);
    /* The job has ended without a model. */
    void (*fail)(hr_party_work *self, const hr_party_job *job, const char *why);
    const hr_log *log; /* where lines for people go (party/job_log.h); NULL: nowhere */
};

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
    bool wants_model;         /* owner: it asks coordinators for their models */
    int64_t lifetime;  /* seconds by the calendar after which an owner's job is over, whatever became of it,
                          and  what the journal holds of a job that is over is deleted; 0: never */
    size_t quota;      /* packets that one member may send in a minute; more are dropped. 0: any number */
    double round_gain; /* coordinator */
    int64_t deadline;  /* coordinator: milliseconds within which an owner must answer */
    int64_t resend; /* milliseconds after which packets that are not confirmed are sent again; doubles up to
                       32 times as long */
} hr_party_options;

/* Takes up the jobs that the journal holds. Everything named in the options outlives the party. Owner: the
 * caller frees *out with hr_party_close. Fails: IO, FORMAT (the journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_open(const hr_party_options *options, hr_party **out, hr_error *err);
void hr_party_close(hr_party *party);

/* Coordinator: offers a job, unless the journal holds one already. `date`: see hr_clock. Fails: IO, FORMAT
 * (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_party_submit(hr_party *party, hr_blob terms, int64_t date, hr_error *err);

/* Takes one step: takes in a packet, waiting for one at most `wait` milliseconds if no work is due, else
 * works; and sends again. Work that is due is done after a bounded number of packets, whatever comes. *busy:
 * whether there was something to do. Fails: IO (journal; a transport that fails is tried
 * again), MEMORY. What has not been noted by then did not happen. */
HR_MUST_CHECK hr_status hr_party_step(hr_party *party, hr_clock clock, int wait, bool *busy, hr_error *err);

/* Takes one step of a party that only leaves jobs, which hr_party_open ended: takes in an acknowledgement,
 * waiting for one at most `wait` milliseconds, and sends again. Any other packet is left for the next start
 * and counted. Fails: IO (journal), MEMORY, and as the transport's receive. */
HR_MUST_CHECK hr_status hr_party_step_leaving(hr_party *party, hr_clock clock, int wait, size_t *unread,
                                              hr_error *err);

/* How many packets were refused since the opening, by hr_refusal (party/packet_quota.h). Borrowed. */
const uint64_t *hr_party_refused(const hr_party *party);

/* Jobs that are not over; and whether any packet has not been confirmed. */
size_t hr_party_jobs(const hr_party *party);
HR_MUST_CHECK hr_status hr_party_owes(hr_party *party, bool *owes, hr_error *err);

#endif
