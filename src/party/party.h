/* One party of a federation at work: its jobs, its journal, its transport.
 *
 * Whatever happens to a job is one transaction of the journal: what came, what it led to, and the sealed
 * packets that go out because of it. Only then is the packet acknowledged, and only then do packets
 * leave. Work that draws noise has two: the first says that it has begun and reserves the budget, the second
 * holds its outcome. After a crash the party continues from the journal: packets go out again byte for
 * byte, work that had begun and has no outcome is lost, and what was reserved for it stays spent. */
#ifndef HR_PARTY_PARTY_H
#define HR_PARTY_PARTY_H

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
    void **kept;             /* owner: what the method keeps from one work to the next; NULL at first */
} hr_party_job;

/* What a party does besides talking. The first field of the worker's own structure. */
struct hr_party_work {
    /* Owner: whether it takes part; the reason to decline is sent to the coordinator. */
    hr_status (*decide)(hr_party_work *self, const char *coordinator, const Hedgerow__Terms *terms,
                        bool *accepted, char reason[HR_ACTION_TEXT], hr_error *err);
    /* Owner: a Tree, or a Ballot, as bytes. Any failure but MEMORY means that it has none to give. */
    hr_status (*train)(hr_party_work *self, const hr_party_job *job, size_t slot, hr_bytes *out,
                       hr_error *err);
    hr_status (*vote)(hr_party_work *self, const hr_party_job *job, size_t slot, hr_bytes *out,
                      hr_error *err);
    /* Owner, may be NULL: something came of a job and there is time to make use of it. Must not draw noise:
     * it is not in the journal. Any failure but MEMORY shows again when the work is due. */
    hr_status (*prepare)(hr_party_work *self, const hr_party_job *job, hr_error *err);
    /* The job is done. Coordinator: makes the model. Repeated after a crash before it is noted. */
    hr_status (*finish)(hr_party_work *self, const hr_party_job *job, hr_error *err);
    /* The job has ended without a model. */
    void (*fail)(hr_party_work *self, const hr_party_job *job, const char *why);
    /* A line for people. */
    void (*log_line)(hr_party_work *self, const char *line);
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
    int64_t lifetime;  /* owner: seconds by the calendar after which a job is over, whatever became of it; 0:
                          never */
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

/* Takes one step: takes in a packet, waiting for one at most `wait` milliseconds, else works; and sends
 * again. *busy: whether there was something to do. Fails: IO (journal; a transport that fails is tried
 * again), MEMORY. What has not been noted by then did not happen. */
HR_MUST_CHECK hr_status hr_party_step(hr_party *party, hr_clock clock, int wait, bool *busy, hr_error *err);

/* Jobs that are not over; and whether any packet has not been confirmed. */
size_t hr_party_jobs(const hr_party *party);
HR_MUST_CHECK hr_status hr_party_owes(hr_party *party, bool *owes, hr_error *err);

#endif
