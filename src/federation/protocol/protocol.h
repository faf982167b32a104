/* Protocols as state machines without I/O: events go in, actions come out.
 *
 * A machine depends on its events alone: fed the same events again it takes the same actions. So a journal of
 * events is all that a party needs to continue after a crash (federation/party/party.h): the events are fed
 * again, and actions that were carried out before are dropped. Whatever another party sends is at worst an
 * action HR_ACT_CUT_OFF, never an error: errors are for want of memory. */
#ifndef HR_FEDERATION_PROTOCOL_PROTOCOL_H
#define HR_FEDERATION_PROTOCOL_PROTOCOL_H

#include "base/fail.h"
#include "federation/protocol/ending.h"
#include "federation/protocol/envelope.h"

#include <hedgerow/schema.h>

/* Journals hold these numbers: a number is never given to another event. */
typedef enum hr_event_kind {
    HR_EVENT_MESSAGE = 1, /* from: a member; bytes: a Message */
    HR_EVENT_DECIDED =
        2, /* owner: number: HR_DECIDED_ACCEPTS, or twice the code of its decline; bytes: why */
    HR_EVENT_WORK_STARTED = 3, /* work has begun: budget is reserved, noise may have been drawn */
    HR_EVENT_WORK_DONE = 4, /* bytes: the Tree, Ballot, Share or Choice; none: the work was lost, or failed */
    HR_EVENT_TIMEOUT = 5,   /* coordinator: nothing that is awaited has come within the deadline */
    HR_EVENT_NEXT_QUESTION = 6 /* coordinator: bytes: a Question; none: the method cannot go on, number: the
                                  ending */
} hr_event_kind;

enum { HR_DECIDED_ACCEPTS = 1 };

typedef struct hr_event {
    hr_event_kind kind;
    size_t from;
    uint64_t number;
    const uint8_t *bytes;
    size_t size;
} hr_event;

typedef enum hr_action_kind {
    HR_ACT_SEND = 1, /* member: the receiver; bytes: a Message */
    HR_ACT_DECIDE,   /* owner: bytes: the Terms; answered by HR_EVENT_DECIDED */
    HR_ACT_TRAIN,    /* owner: train the tree of `slot`, or answer the question of that index (securesum.h);
                        answered by WORK_STARTED, then WORK_DONE */
    HR_ACT_VOTE,     /* owner: vote on the round that ends before `slot`; answered likewise */
    HR_ACT_CUT_OFF,  /* member broke the protocol: its messages are dropped from now on; text: why */
    HR_ACT_LOG,      /* text: progress, for people */
    HR_ACT_WARN,     /* text: what the job goes on without, for people */
    HR_ACT_FINISH,   /* the job is done, or this owner's part sent; coordinator: make the model */
    HR_ACT_FAIL,     /* the job has ended otherwise; text: why */
    HR_ACT_NEXT_QUESTION, /* coordinator: let the method decide on the next question; answered by
                             HR_EVENT_NEXT_QUESTION */
    HR_ACT_IGNORE,        /* coordinator: member has declined: its messages are dropped from now on */
    HR_ACT_RECEIPT        /* coordinator: member's ledger was charged; bytes: a Receipt that it signed */
} hr_action_kind;

enum { HR_ACTION_TEXT = 240 };

typedef struct hr_action {
    hr_action_kind kind;
    size_t member, slot;
    hr_job_ending ending; /* FINISH and FAIL */
    bool paced;           /* TRAIN: it begins once few packets of the job to any member are unconfirmed */
    hr_bytes bytes;
    char text[HR_ACTION_TEXT];
} hr_action;

/* What became of an owner that had the coordinator's offer. */
typedef enum hr_part_state {
    HR_PART_SILENT,   /* it has not answered */
    HR_PART_DECLINED, /* or withdrew */
    HR_PART_TAKEN,
    HR_PART_CUT_OFF, /* it broke the protocol */
    HR_PART_ACCEPTED /* the job started without it, or not at all */
} hr_part_state;

typedef struct hr_part_info {
    hr_part_state state;
    bool awaited;             /* the machine waits for it */
    bool blocks;              /* what is awaited may have to come by way of it */
    size_t trees, skipped;    /* its slots that have a tree, and those that were left empty */
    char why[HR_ACTION_TEXT]; /* of DECLINED, CUT_OFF and ACCEPTED */
} hr_part_info;

typedef struct hr_protocol hr_protocol;

/* The party and the job of a machine. Everything outlives the machine. */
typedef struct hr_protocol_setup {
    const hr_party_view *view;
    hr_job_id job;
    const hr_schema *schema; /* the party's own */
    size_t coordinator;      /* member */
    size_t min_owners;       /* owner: it declines a job of fewer */
    hr_bytes terms;          /* coordinator: what it offers (Terms) */
    double round_gain;     /* coordinator: a round gain below it ends the job; used if the terms have votes */
    const uint8_t *secret; /* 32 random bytes of this job alone; used by owners whose answers are masked */
    bool wants_model;      /* owner: it requests the model */
} hr_protocol_setup;

/* Makes a machine. Owner: the caller frees *out with hr_protocol_free. Fails: FORMAT (coordinator: terms),
 * MEMORY. */
typedef hr_status hr_protocol_make(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err);

/* Fails: MEMORY; the machine is of no use then. */
HR_MUST_CHECK hr_status hr_protocol_feed(hr_protocol *protocol, const hr_event *event, hr_error *err);
/* The next action, oldest first; false: none, as of NULL. Its bytes are the caller's to free. */
bool hr_protocol_next(hr_protocol *protocol, hr_action *out);
/* Whether the machine waits for a member, so that an AWAY event has an effect. */
bool hr_protocol_waits(const hr_protocol *protocol);
void hr_protocol_free(hr_protocol *protocol);

/* ---- To implement one ---- */

struct hr_protocol {
    hr_status (*feed)(hr_protocol *self, const hr_event *event, hr_error *err);
    bool (*waits)(const hr_protocol *self);
    void (*free)(hr_protocol *self);
    const struct hr_start *start; /* who takes part (beginning.h), of the machine's job */
    /* Coordinator: the deadline begins anew whenever it grows. It counts awaited answers, steps that began,
     * and deadlines that passed: as often as the job's owners and questions allow, whatever members send. */
    uint64_t advances;
    void *common; /* of a protocol whose two machines hold something alike; else NULL */
    hr_action *actions;
    size_t first, count, capacity;
};

/* Queues an action, and owns its bytes from then on, even on failure. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_protocol_act(hr_protocol *protocol, hr_action action, hr_error *err);
/* Queues a message; `content` is of the type of its kind. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_protocol_send(hr_protocol *protocol, size_t to, Hedgerow__Message__KindCase kind,
                                         const void *content, hr_error *err);
/* Queues an action that is a line of text. */
HR_MUST_CHECK hr_status hr_protocol_emit(hr_protocol *protocol, hr_action_kind kind, size_t member,
                                         hr_error *err, const char *format, ...) HR_PRINTF(5, 6);
/* Queues the end of the job: FINISH if it is DONE or SENT, else FAIL. */
HR_MUST_CHECK hr_status hr_protocol_end(hr_protocol *protocol, hr_job_ending ending, hr_error *err,
                                        const char *format, ...) HR_PRINTF(4, 5);
/* The sender of a message broke the protocol: POLICY, of which the machine makes an action HR_ACT_CUT_OFF. */
HR_MUST_CHECK hr_status hr_protocol_refuse(const char *why, hr_error *err);

#endif
