/* What a party of a federation must not forget: its jobs, what happened to them, and what it has sent that
 * nobody has confirmed.
 *
 * An owner's journal is kept in the file of its ledger, so that a message and the spending behind it are one
 * transaction. Events of a job are fed again to its protocol after a crash; packets that were posted are sent
 * again, byte for byte, until their receiver has them. Everything between hr_journal_begin and
 * hr_journal_commit is on the disk, flushed, or not there at all. Parties are known by name. A journal in a
 * file is open once (file_lock.h): two processes that served one would answer a question twice. Thread: one
 * at a time. */
#ifndef HR_PRIVACY_LEDGER_JOURNAL_H
#define HR_PRIVACY_LEDGER_JOURNAL_H

#include <hedgerow/ledger.h>
#include <stdbool.h>

enum { HR_JOURNAL_ID = 16, HR_JOURNAL_KEY = 32 };

typedef struct hr_journal hr_journal;

/* Bytes of the journal's: valid during the call that shows them. */
typedef struct hr_blob {
    const uint8_t *at;
    size_t size;
} hr_blob;

typedef struct hr_journal_job {
    uint8_t id[HR_JOURNAL_ID];
    const char *coordinator;
    hr_blob terms;               /* coordinator: what it offered; owner: empty */
    uint8_t key[HR_JOURNAL_KEY]; /* a secret of the job's, drawn when it was added */
    int64_t entry;               /* in the ledger; 0: nothing was reserved */
    int64_t date;                /* when it was first known: seconds since 1970 began */
    double round_gain;           /* as it was noted last */
    bool cancelled;              /* somebody requested its end (hr_journal_cancel) */
} hr_journal_job;

/* What people are shown of a job. */
typedef struct hr_journal_note {
    const char *name, *state, *awaits;
    double epsilon, round_gain; /* round_gain: a coordinator's; 0: none */
} hr_journal_note;

typedef struct hr_journal_event {
    int kind;
    const char *from;  /* "" unless it is a message */
    uint64_t sequence; /* of a message */
    uint64_t number;
    hr_blob bytes;
} hr_journal_event;

/* In the ledger's file, which is prepared for it if it has no journal. The ledger must outlive it. Fails: IO
 * (also: it is open already), FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_of_ledger(hr_ledger *ledger, hr_journal **out, hr_error *err);
/* In a file of its own, which is made if it does not exist. Fails: IO (also: it is open already), FORMAT
 * (another kind of file, or damaged), MEMORY. */
HR_MUST_CHECK hr_status hr_journal_open(const char *path, hr_journal **out, hr_error *err);
/* In memory: for a simulation, which has no crash to survive. It keeps packets and sequences, and no events.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_journal_in_memory(hr_journal **out, hr_error *err);
/* Sets what is called when another process keeps the file locked, instead of waiting ten seconds: it waits
 * for a while, and returns whether to try again. `tries`: how often it was called before about this lock. */
void hr_journal_wait(hr_journal *journal, bool (*again)(void *user, int tries), void *user);
/* What was not committed is gone. NULL is allowed. */
void hr_journal_close(hr_journal *journal);

HR_MUST_CHECK hr_status hr_journal_begin(hr_journal *journal, hr_error *err);
HR_MUST_CHECK hr_status hr_journal_commit(hr_journal *journal, hr_error *err);
void hr_journal_roll_back(hr_journal *journal);

/* ---- Jobs ---- */

HR_MUST_CHECK hr_status hr_journal_add_job(hr_journal *journal, const hr_journal_job *job, hr_error *err);
/* Spends in the ledger, for the job, inside of the transaction; a journal without a ledger counts nothing.
 * Fails: BUDGET, POLICY, IO. */
HR_MUST_CHECK hr_status hr_journal_reserve(hr_journal *journal, hr_journal_job *job, double epsilon,
                                           double delta, const char *purpose, hr_error *err);
/* job->entry: what the file holds of the job's reservation, 0 if there is none. Within a transaction, whose
 * commit then settles it: the commit that made it may have failed after it was written, when the witness of
 * the ledger could not be. Fails: FORMAT, IO. */
HR_MUST_CHECK hr_status hr_journal_find_charge(hr_journal *journal, hr_journal_job *job, hr_error *err);
/* What was reserved for the job was used. Again: no effect. */
HR_MUST_CHECK hr_status hr_journal_spend(hr_journal *journal, const hr_journal_job *job, hr_error *err);
/* Replaces what people are shown of the job. */
HR_MUST_CHECK hr_status hr_journal_note_job(hr_journal *journal, const uint8_t *id,
                                            const hr_journal_note *note, hr_error *err);
/* The job is over: its events are forgotten, and it is not shown again. Its packets are sent until they are
 * received. */
HR_MUST_CHECK hr_status hr_journal_end_job(hr_journal *journal, const uint8_t *id, hr_error *err);
/* Jobs that are over, and were first known before that date (seconds since 1970 began), are deleted with
 * their sequences and the packets that nobody confirmed. What they spent stays in the ledger. */
HR_MUST_CHECK hr_status hr_journal_expire(hr_journal *journal, int64_t before, hr_error *err);
/* Deletes a coordinator's jobs that are over and reserved nothing, all but the newest `kept`, with all that
 * hr_journal_expire deletes. They have spent nothing, so one may be offered again. */
HR_MUST_CHECK hr_status hr_journal_forget_unpaid(hr_journal *journal, const char *coordinator, int kept,
                                                 hr_error *err);
/* The space of what was deleted goes back to the file system. Not within a transaction. */
HR_MUST_CHECK hr_status hr_journal_shrink(hr_journal *journal, hr_error *err);
/* Whether a job is known, over or not; one that expired is not. */
HR_MUST_CHECK hr_status hr_journal_knows(hr_journal *journal, const uint8_t *id, bool *out, hr_error *err);
/* Jobs that are not over, oldest first. */
HR_MUST_CHECK hr_status hr_journal_each_job(hr_journal *journal,
                                            hr_status (*visit)(void *user, const hr_journal_job *job),
                                            void *user, hr_error *err);

/* ---- The federation ---- */

/* The version of the federation that the party used last; 0: none. *same: whether it had this fingerprint. */
HR_MUST_CHECK hr_status hr_journal_federation(hr_journal *journal, const char *name, const char *fingerprint,
                                              int64_t *version, bool *same, hr_error *err);
HR_MUST_CHECK hr_status hr_journal_note_federation(hr_journal *journal, const char *name,
                                                   const char *fingerprint, int64_t version, hr_error *err);

/* ---- Events ---- */

HR_MUST_CHECK hr_status hr_journal_add_event(hr_journal *journal, const uint8_t *id,
                                             const hr_journal_event *event, hr_error *err);
typedef hr_status hr_event_visit(void *user, const hr_journal_event *event);
HR_MUST_CHECK hr_status hr_journal_each_event(hr_journal *journal, const uint8_t *id, hr_event_visit *visit,
                                              void *user, hr_error *err);

/* ---- Packets ---- */

/* The sequence of the last message of the job that came from a party; 0: none. It outlives the job's events.
 */
HR_MUST_CHECK hr_status hr_journal_taken(hr_journal *journal, const uint8_t *id, const char *from,
                                         uint64_t *out, hr_error *err);
/* The sequence of the last packet of the job that was posted to a party; 0: none. */
HR_MUST_CHECK hr_status hr_journal_posted(hr_journal *journal, const uint8_t *id, const char *to,
                                          uint64_t *out, hr_error *err);
HR_MUST_CHECK hr_status hr_journal_post(hr_journal *journal, const uint8_t *id, const char *to,
                                        uint64_t sequence, hr_blob packet, hr_error *err);
/* The party has all packets up to that one: they are forgotten. */
HR_MUST_CHECK hr_status hr_journal_received(hr_journal *journal, const uint8_t *id, const char *to,
                                            uint64_t sequence, hr_error *err);
/* How many packets of the job are not confirmed by the party that has most of them to confirm. */
HR_MUST_CHECK hr_status hr_journal_unconfirmed(hr_journal *journal, const uint8_t *id, uint64_t *out,
                                               hr_error *err);
/* Whether any packet is not confirmed. */
HR_MUST_CHECK hr_status hr_journal_owes(hr_journal *journal, bool *out, hr_error *err);
/* Packets that are not confirmed, oldest first. */
typedef hr_status hr_packet_visit(void *user, const char *to, uint64_t sequence, hr_blob packet);
HR_MUST_CHECK hr_status hr_journal_each_packet(hr_journal *journal, hr_packet_visit *visit, void *user,
                                               hr_error *err);

#endif
