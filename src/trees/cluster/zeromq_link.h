/* Ranks over ZeroMQ: a star with rank 0 in its middle. What zeromq_open.c, zeromq_join.c and zeromq_link.c,
 * the calls, share.
 *
 * A message is two frames: its kind, and what it carries. Ranks wait for each other in every sum, so no more
 * than one message of a rank waits at rank 0. */
#ifndef HR_TREES_CLUSTER_ZEROMQ_LINK_H
#define HR_TREES_CLUSTER_ZEROMQ_LINK_H

#include "base/fail.h"
#include "privacy/crypto/digest.h"

#include <hedgerow/cluster.h>

#include <stdbool.h>
#include <zmq.h>

enum { HR_ZEROMQ_ID = 16, HR_ZEROMQ_NAME = 128, HR_ZEROMQ_KEY = 32, HR_ZEROMQ_ATTEMPT_MS = 200 };

typedef enum hr_zeromq_kind {
    HR_ZEROMQ_NOTHING,
    HR_ZEROMQ_JOIN,  /* of a rank that wants to take part */
    HR_ZEROMQ_READY, /* of rank 0: all are there */
    HR_ZEROMQ_PART,  /* a piece of what a call sends */
    HR_ZEROMQ_END    /* of rank 0: the link has failed; why, as text */
} hr_zeromq_kind;

/* What a router calls a connection. */
typedef struct hr_zeromq_id {
    unsigned char bytes[HR_ZEROMQ_ID];
    size_t size;
} hr_zeromq_id;

/* Another rank, as rank 0 sees it. */
typedef struct hr_zeromq_peer {
    hr_zeromq_id id;
    uint32_t connection; /* the number that its end is reported under */
    char name[HR_ZEROMQ_NAME];
    bool joined, has_sent; /* has_sent: its part of the sum that is being made */
} hr_zeromq_peer;

typedef struct hr_zeromq_link {
    void *context, *socket, *monitor;
    size_t rank, size;
    hr_zeromq_peer *peers; /* of rank 0: `size`; the first is not used */
    char address[HR_ZEROMQ_NAME];
    hr_digest proof; /* that a process has the job's key */
    int64_t join_ms, silence_ms;
    bool (*should_continue)(void *user); /* NULL: it does */
    void *user;
    size_t gone;       /* the rank whose connection ended; SIZE_MAX: none */
    bool has_met;      /* another rank than 0: its connection to rank 0 has been made */
    bool has_mistaken; /* some connection did not get through the handshake: another key */
} hr_zeromq_link;

typedef struct hr_zeromq_message {
    hr_zeromq_kind kind;
    hr_zeromq_id id; /* at rank 0: of the sender */
    size_t from;     /* its rank; SIZE_MAX: none that has joined */
    zmq_msg_t body;  /* initialised with the message, closed by hr_zeromq_message_done */
} hr_zeromq_message;

void hr_zeromq_message_init(hr_zeromq_message *m);
void hr_zeromq_message_done(hr_zeromq_message *m);

/* Milliseconds of a clock that only goes on. */
int64_t hr_zeromq_clock(void);

/* The next message, or at the time `until` (-1: never) one of kind NOTHING. Fails: IO (a rank is gone; rank 0
 * has ended the link). */
HR_MUST_CHECK hr_status hr_zeromq_await(hr_zeromq_link *link, int64_t until, hr_zeromq_message *m,
                                        hr_error *err);

/* At rank 0 to the rank `to`; elsewhere to rank 0. Fails: IO (it is gone). */
HR_MUST_CHECK hr_status hr_zeromq_post(hr_zeromq_link *link, size_t to, hr_zeromq_kind kind,
                                       const void *bytes, size_t size, hr_error *err);

/* At rank 0: ends a process that has not joined, with a reason. One that cannot be reached is not. */
void hr_zeromq_refuse(hr_zeromq_link *link, const hr_zeromq_id *id, const char *reason);
/* Fails for a reason that the others are to know, too: rank 0 tells them. err: not NULL. */
hr_status hr_zeromq_end(hr_zeromq_link *link, hr_status status, hr_error *err);

/* The calls, of which `close` frees the link, whatever it has. */
hr_cluster_link hr_zeromq_table(hr_zeromq_link *link);

/* The call `join` of the table: waits until all ranks are there. */
hr_status hr_zeromq_join(void *state, hr_error *err);

#endif
