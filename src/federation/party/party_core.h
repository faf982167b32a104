/* What the files of a party share. */
#ifndef HR_FEDERATION_PARTY_PARTY_CORE_H
#define HR_FEDERATION_PARTY_PARTY_CORE_H

#include "federation/federated/federated_method.h"
#include "federation/machines/securesum.h"
#include "federation/party/party.h"
#include "federation/protocol/envelope.h"
#include "federation/protocol/reorder_buffer.h"
#include "privacy/crypto/csprng.h"

/* What one member may make a party hold (docs/how-to/federation.md, "Bounds"). */
enum {
    HR_PARTY_JOBS_MAX = 16,              /* open jobs of one coordinator */
    HR_PARTY_OFFERS_MAX = 4,             /* incomplete offers of one coordinator */
    HR_PARTY_UNDECIDED_MAX = 256,        /* offers that wait for a decision, of all coordinators */
    HR_PARTY_UNPAID_MAX = 256,           /* jobs of one coordinator that are over and reserved nothing */
    HR_PARTY_BUFFER_MAX = 16 << 20,      /* bytes of a member's incomplete messages */
    HR_PARTY_BUFFERS_MAX = 128 << 20,    /* bytes of all of them, above which each has an equal share */
    HR_PARTY_ROUND_MAX = HR_MESSAGE_MAX, /* bytes of a member's messages, for each round and once more */
    HR_PARTY_WINDOW = 6 /* unconfirmed packets of a job to one member, with which paced work waits */
};

struct hr_live_job;

/* ---- The outbox (outbox.c): packets that leave ----
 *
 * They are sealed and noted within a transaction of the journal, leave when it is committed, and are sent
 * again until they are confirmed: after some time without others that leave, then less and less often. Others
 * put that off a few times as long at most, so that a busy job does not keep a packet of another one. */

/* A packet that leaves when the transaction is committed. */
typedef struct hr_fresh_packet {
    size_t to; /* index of a member */
    hr_bytes packet;
} hr_fresh_packet;

typedef struct hr_outbox {
    const hr_party_view *view;
    hr_journal *journal;
    hr_transport *transport;
    int64_t pause; /* milliseconds before packets are sent again for the first time */
    hr_fresh_packet *fresh;
    size_t count, capacity;
    int64_t sent, patience; /* milliseconds, as hr_clock.now: when packets last left; and the pause after
                               that, 0: none */
    bool is_put_off;        /* packets left since any were last sent again, which puts off the next time */
    int64_t put_off_at;     /* the first of them: milliseconds, as hr_clock.now */
} hr_outbox;

void hr_outbox_done(hr_outbox *outbox);

/* Posts a message, in as many packets as it needs, which also confirm the receiver's messages. Within a
 * transaction. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_post(hr_outbox *outbox, const struct hr_live_job *job, size_t to,
                                       const hr_bytes *message, hr_error *err);

/* What was posted leaves, after the commit. What the transport does not take goes again later. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_outbox_send(hr_outbox *outbox, int64_t now, hr_error *err);

/* What was posted does not leave, since it was not committed. */
void hr_outbox_drop(hr_outbox *outbox);

/* Sends an ack alone, of what is on the disk. If the transport does not take it, the sender repeats its
 * packets. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_confirm(hr_outbox *outbox, const uint8_t *job, size_t to, uint64_t sequence,
                                          hr_error *err);

/* Sends the sender of an envelope word why this party takes no part in its job. It is not noted, nor sent
 * again: the sender's packets come again, and are answered again. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_decline(const hr_outbox *outbox, const hr_envelope_sender *sender,
                                          hr_error *err);

/* Sends an envelope as it is, noted nowhere and not sent again. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_answer(const hr_outbox *outbox, const hr_envelope *envelope, hr_error *err);

/* Sends unconfirmed packets again, oldest first, if it is time to. A full inbox does not delay the packets to
 * others. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_resend(hr_outbox *outbox, int64_t now, hr_error *err);

/* ---- Acks (outbox.c): which messages of a member in a job were acknowledged ---- */

typedef struct hr_ack_state {
    uint64_t taken;     /* the sequence of its last message in the journal, or in the open transaction */
    uint64_t acked;     /* of that, what was acknowledged last */
    int64_t since;      /* of the first message after that: milliseconds, as hr_clock.now */
    bool again;         /* a packet came again: its ack is due at once */
    uint64_t confirmed; /* what the member acknowledged last of the party's own messages */
} hr_ack_state;

/* A message is taken, in the transaction that is open or begins next. */
void hr_ack_due(hr_ack_state *ack, uint64_t sequence, int64_t now);
/* What a packet acknowledges that leaves after that transaction. */
uint64_t hr_ack_next(hr_ack_state *ack);

/* ---- The quota (party_mail.c): how many packets of each member are taken in ----
 *
 * Time is divided into periods. A packet above the quota is dropped unread: an honest sender sends it again
 * later, since it was not acknowledged. */

enum {
    HR_QUOTA_PERIOD = 60 * 1000, /* milliseconds */
    HR_QUOTA_DECLINES = 64       /* answers to packets that cannot be taken, to all senders in a period */
};

typedef struct hr_packet_quota {
    size_t max;                         /* packets of one member in a period; 0: any number */
    int64_t begun;                      /* of the period; milliseconds, by the caller's clock */
    size_t taken[HR_MEMBERS_MAX];       /* by member: packets in this period */
    size_t refused[HR_MEMBERS_MAX + 1]; /* by member, the last of unknown senders: packets in this period */
    uint64_t all[HR_REFUSALS];          /* by reason: packets since the party was opened */
    size_t declines;                    /* to packets that cannot be taken, in this period */
} hr_packet_quota;

/* Counts a packet of a member. False: it is above the quota. */
bool hr_packet_quota_take(hr_packet_quota *quota, size_t member);

/* Counts a refused packet; member HR_NO_MEMBER: of an unknown sender. True: the first of that sender in this
 * period, which is to be logged; the others are logged as a number. */
bool hr_packet_quota_refuse(hr_packet_quota *quota, size_t member, hr_refusal why);

/* Begins a new period when the last one is over, and logs how many packets were refused in it without a
 * line. */
void hr_packet_quota_renew(hr_packet_quota *quota, const hr_membership *membership, int64_t now,
                           const hr_log *log);

/* ---- A job (live_job.c) in memory ----
 *
 * What the journal has of it is `record` and the events that its protocol was fed. */

enum { HR_WORKS_MAX = 1 << 25 }; /* of one job of an owner's */

typedef struct hr_live_job {
    hr_journal_job record;
    char *coordinator;                 /* name; record.coordinator points to it */
    const hr_schema *schema;           /* the party's, or `offered` if that is a part of it */
    hr_schema *offered;                /* hr_job_view.offered */
    bool is_part;                      /* the job has fewer features than the owner */
    struct hr_data *part;              /* hr_job_view.part */
    hr_job_settings own;               /* of a coordinator's own job; `schema` is its schema */
    const hr_membership *membership;   /* the party's */
    hr_bytes terms;                    /* packed; empty but of a coordinator's own job */
    Hedgerow__Terms *read;             /* the terms; NULL before an owner has them */
    const hr_federated_method *method; /* NULL before an owner was offered the job */
    hr_protocol *protocol;             /* the method's machine; NULL before an owner was offered the job */
    void *state;                       /* of the method, from one work or question to the next */
    size_t member_count;
    hr_reorder_buffer *inboxes; /* by member: its incomplete messages */
    bool *cut;                  /* by member: it was cut off, or has declined, and its messages are dropped */
    hr_ack_state *acks;         /* by member */
    size_t *taken;              /* by member: bytes of its messages */
    uint64_t number;            /* counts the party's jobs from 0, in the order of their first packets */
    bool is_coordinator, noted; /* noted: the journal holds the job */
    int noted_kind;             /* of its note in the journal (hr_party_note); 0: none, or an old one */
    hr_action work;             /* due; kind 0: none */
    bool held;                  /* the work waits until packets are confirmed */
    uint64_t started; /* 1 + the number of the work of which this process has noted that it begins, and no
                         outcome yet; 0: none */
    hr_job_ending ending;
    bool leaves; /* it ended at this party alone, which the other members learn by a message */
    bool *begun; /* by hr_live_job_work_number, below begun_count: no work is begun twice */
    size_t begun_count;
    bool undecided;           /* the job was offered, and there is no decision yet */
    int64_t decided_at;       /* when a decision was last tried; milliseconds, as hr_clock.now */
    bool news;                /* an event came since its work was last prepared */
    char why[HR_ACTION_TEXT]; /* of a job that is over: what stands beside the word of its ending; or "" */
    int64_t waited;           /* of its deadline, in earlier processes: milliseconds */
    int64_t longer;           /* what was added to its deadline when this process began: milliseconds */
    int64_t active_at;        /* when its deadline began; milliseconds, as hr_clock.now */
    int64_t shown_at;         /* when its progress was last noted for people; milliseconds, as hr_clock.now */
    bool unshown;             /* there was a transaction since shown_at */
} hr_live_job;

/* A coordinator's own jobs are those that it has terms of. Copies. Owner: the caller frees *out with
 * hr_live_job_free. Fails: FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_make(const hr_party_options *options, const hr_journal_job *record,
                                         hr_live_job **out, hr_error *err);
/* Starts the machine of a coordinator's own job; no effect at an owner, which begins with the offer. Fails:
 * FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_start(const hr_party_options *options, hr_live_job *job, hr_error *err);
void hr_live_job_free(hr_live_job *job);

/* What happens to the job, or is fed again after a crash. An owner's machine begins with the first message of
 * the coordinator's; another member that writes before it is cut off. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_feed(const hr_party_options *options, hr_live_job *job,
                                         const hr_event *event, hr_error *err);

/* Reads the terms once. Fails: FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_read_terms(hr_live_job *job, const hr_bytes *terms, hr_error *err);

/* Numbers the trees and votes of a job from 0, below HR_WORKS_MAX. */
uint64_t hr_live_job_work_number(const hr_action *work);
/* Whether the work that is due was begun before, or has a number beyond HR_WORKS_MAX: it is not begun. */
bool hr_live_job_has_begun(const hr_live_job *job);

hr_job_view hr_live_job_view(hr_live_job *job);

/* For how long after active_at others are waited for, in milliseconds. */
int64_t hr_live_job_patience(const hr_live_job *job);

/* Whether a job of a coordinator that waits for present owners waits for others alone, of whom none is waited
 * for any longer; never while no owner of the job is present. And the line about it; none if that is not so.
 */
bool hr_party_awaits_absent(const hr_party *party, const hr_live_job *job);
void hr_party_log_absent(hr_party *party, const hr_live_job *job);

/* Within a transaction: who is there, for people. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_note_presence(const hr_party *party, hr_error *err);

/* What an action means to the job, whether it is taken for the first time or fed again. Fails: FORMAT, LIMIT,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_remember(hr_live_job *job, const hr_action *action, hr_error *err);
bool hr_live_job_is_over(const hr_live_job *job);
/* The job ends at this party alone; hr_party_end is due. No effect on one that is over. The coordinator reads
 * the text, which is a function of the terms, of what came and of the owner's configuration. */
void hr_live_job_leave(hr_live_job *job, hr_job_ending ending, const char *format, ...) HR_PRINTF(3, 4);
/* By a person's will. */
void hr_live_job_cancel(hr_live_job *job);

/* "running", "accepted", or of a job that is over "WORD" or "WORD: detail" (hr_ending_by_state). */
void hr_live_job_state(const hr_live_job *job, char text[HR_STATE_TEXT]);

/* ---- The party ---- */

struct hr_party {
    hr_party_options o;
    hr_live_job **jobs;
    size_t job_count, job_capacity;
    uint64_t jobs_made;
    hr_outbox outbox;
    hr_csprng *csprng;
    hr_packet_quota quota;
    bool refused;    /* the packet that is being taken in */
    bool open;       /* a transaction of the journal */
    bool gathers;    /* the transaction goes on with the next packet */
    size_t in_a_row; /* packets that came while work was due */
    int64_t looked;  /* when marks of cancelled jobs were last looked for */
    int64_t expired; /* the date of the last look for jobs that expired */
    bool awake;      /* it has taken a step, so that the clock is set */
    int64_t woke;    /* when */
    hr_clock clock;  /* of that step */
    /* What is noted for people (party_show.c). */
    int64_t begun, contact;   /* dates: of the first step, and when it last had a connection to the broker */
    int64_t shown, link_seen; /* when the party was last noted, and the connection looked at */
    hr_link_info link;
    bool unnoted;      /* the last try failed */
    uint64_t presence; /* hr_presence_changes, as noted last */
};

const char *hr_party_member_name(const hr_party *party, size_t member);

/* NULL: it has no such job that is not over. */
hr_live_job *hr_party_find(hr_party *party, const uint8_t *id);

void hr_party_remove(hr_party *party, const hr_live_job *job);

/* Makes a job of a record of the journal's, or of one that is not yet in it. *out belongs to the party.
 * Fails: as hr_live_job_make. */
HR_MUST_CHECK hr_status hr_party_add(hr_party *party, const hr_journal_job *record, hr_live_job **out,
                                     hr_error *err);

/* What happens to a job, what it costs and what it leads to, as one transaction; `event` may be NULL. A
 * failure after the job was fed leaves it in memory ahead of the journal: the party is of no use any more, as
 * if the process had died. Fails: BUDGET, POLICY (nothing was reserved), FORMAT (ledger, its witness or
 * journal is damaged), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_transact(hr_party *party, hr_live_job *job, const hr_event *event,
                                          uint64_t sequence, hr_error *err);

/* Within a transaction, after the packets of a batch: notes that the work which is due begins, so that one
 * commit is for both. Not that of a job which has still to pay: it begins in a transaction of its own, which
 * may fail alone. Fails: as hr_party_transact. */
HR_MUST_CHECK hr_status hr_party_start_work(hr_party *party, hr_error *err);

/* A job that is over: makes the model or logs why there is none, sends a message if it ends only here, and
 * removes it. Fails: IO, MEMORY, and as the worker's `finish`. */
HR_MUST_CHECK hr_status hr_party_end(hr_party *party, hr_live_job *job, hr_error *err);

/* Within a transaction: posts to the owners, or to the coordinator, that the job ended here alone. Fails: IO,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_party_leave(hr_party *party, const hr_live_job *job, hr_error *err);

/* Cancels the open jobs that are marked in the journal (hr_journal_cancel). Fails: IO, FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_party_look_for_cancelled(hr_party *party, hr_error *err);

/* Within a transaction: what people are shown of the job, if it is another than was noted. Whom the job waits
 * for is noted with its progress. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_note(hr_party *party, hr_live_job *job, hr_error *err);

/* Within a transaction: how far the job is, for people; once a second at most, else at the next
 * hr_party_show. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_show_job(hr_party *party, hr_live_job *job, hr_error *err);

/* Notes for people how the party is, and jobs that were left out, if it is time. A disk that cannot be
 * written is logged. Fails: MEMORY, FORMAT (the journal). */
HR_MUST_CHECK hr_status hr_party_show(hr_party *party, hr_error *err);

/* Begins a transaction, or goes on with the one that gathers packets. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_begin(hr_party *party, hr_error *err);
/* Ends a transaction, successful so far if `status` is HR_OK: all of it is on the disk, and what was posted
 * leaves; or nothing. One that gathers packets stays open instead, unless it failed. Fails: with `status`;
 * IO, MEMORY. */
HR_MUST_CHECK hr_status hr_party_commit(hr_party *party, hr_status status, hr_error *err);

/* Of HR_PARTY_UNDECIDED_MAX, what one of so many coordinators may have. 1..HR_PARTY_JOBS_MAX. */
size_t hr_party_offer_share(size_t coordinators);

/* Commits what was gathered, before a packet leaves that is in no transaction; the batch ends with it. Fails:
 * as hr_party_commit. */
HR_MUST_CHECK hr_status hr_party_commit_batch(hr_party *party, hr_error *err);

/* Takes in the packets that are there, at most `max`, as one transaction, and settles them; waits for the
 * first one at most so many milliseconds. The batch ends early with a job. Fails: IO (journal; then none was
 * taken in), MEMORY. */
HR_MUST_CHECK hr_status hr_party_take_packets(hr_party *party, size_t max, int wait, size_t *count,
                                              hr_error *err);

/* Takes in a packet that came; what is wrong with it is logged. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_take_packet(hr_party *party, const hr_packet *packet, hr_error *err);

/* What came of no job: an owner answers an inquiry of a coordinator of its own. Fails: IO (journal), MEMORY.
 */
HR_MUST_CHECK hr_status hr_party_take_aside(hr_party *party, const hr_envelope *envelope, hr_error *err);
/* A decline for an owner's job: it ends, if its coordinator signed that it does not know the job any more.
 * Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_take_disowned(hr_party *party, hr_live_job *job, const hr_envelope *envelope,
                                               hr_error *err);

/* Takes in what a packet acknowledges, and no message; *taken: it has none. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_party_take_ack(hr_party *party, const hr_packet *packet, bool *taken,
                                          hr_error *err);

/* Sends the acks that are due. Not within a transaction. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_party_confirm(hr_party *party, hr_error *err);

/* What an action means to the job, whether it is taken for the first time or fed again. Fails: FORMAT, LIMIT,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_live_job_remember(hr_live_job *job, const hr_action *action, hr_error *err);
bool hr_live_job_is_over(const hr_live_job *job);

#endif
