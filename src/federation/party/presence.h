/* Who is there: hellos that this member's program sends, and those that it takes of others
 * (docs/how-to/federation.md, "Presence"). An owner sends hellos to its coordinators; a coordinator requests
 * them and notes whose come. Nothing but the time that a member is waited for depends on it.
 * Times without a unit of their own are milliseconds of a clock that does not go back. Thread: one at a time.
 */
#ifndef HR_FEDERATION_PARTY_PRESENCE_H
#define HR_FEDERATION_PARTY_PRESENCE_H

#include "base/log.h"
#include "federation/protocol/hello.h"
#include "federation/transport/transport.h"

enum {
    HR_HELLO_PERIOD = 30,        /* seconds between an owner's hellos, unless its file has another number */
    HR_HELLO_PERIODS = 3,        /* after so many without a hello a member is away */
    HR_HELLO_DATES = 90 * 1000,  /* by which a date may differ from the receiver's clock */
    HR_HELLO_PAUSE = 1000,       /* between hellos of one member, however often they are requested */
    HR_PRESENCE_GRACE = 5 * 1000 /* for an owner that does not answer a request at once */
};

/* A time that never comes. */
#define HR_PRESENCE_NEVER INT64_MAX

typedef struct hr_presence hr_presence;

typedef struct hr_presence_options {
    const hr_party_view *view;
    hr_transport *transport; /* one with presence */
    uint64_t version;        /* of the federation file */
    const char *fingerprint; /* of it; "": not known */
    const bool *listens;     /* by member: whom it listens to; copied */
    bool requests;           /* it requests hellos, and sends none of its own */
    uint32_t period;         /* seconds between hellos of its own: 1..HR_HELLO_PERIOD_MAX */
    int64_t (*date)(void);   /* milliseconds since 1970 began */
    const hr_log *log;       /* may be NULL */
} hr_presence_options;

/* Everything else that the options name outlives it. Owner: the caller frees *out with hr_presence_close.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_presence_open(const hr_presence_options *options, hr_presence **out,
                                         hr_error *err);
void hr_presence_close(hr_presence *presence);

/* Sends a hello, or a request, if it is time to, and whenever the connection is back; takes the hellos that
 * came. A transport that fails is tried again; one that refuses is left alone from then on, which is logged.
 * No effect on NULL. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_presence_step(hr_presence *presence, int64_t now, hr_error *err);

/* Sends a hello of leaving, since this program ends. No effect on NULL. */
void hr_presence_leave(hr_presence *presence);

/* A message of the member came, which is as good as a hello at that time: of one whose clock is far off no
 * hello counts. Only of messages that are new, or who repeats packets could make a member present. No effect
 * on NULL, of a member that has left, or if it requests no hellos. */
void hr_presence_note_message(hr_presence *presence, size_t member, int64_t now);

/* When it last sent a hello: seconds since 1970 began; 0: never. 0 of NULL. */
int64_t hr_presence_last_sent(const hr_presence *presence);

/* What is known of a member that is listened to. Dates are seconds since 1970 began, of this member's clock;
 * 0: no hello came yet. */
typedef struct hr_member_presence {
    bool present;
    int64_t since, seen; /* the first hello of its present program, and its last one; or messages */
} hr_member_presence;

/* False: it is not listened to. */
bool hr_presence_of(const hr_presence *presence, size_t member, hr_member_presence *out);

/* Counts members that came or went, since the opening. 0 of NULL. */
uint64_t hr_presence_changes(const hr_presence *presence);

/* Until when a member is waited for that has not answered since `begun`; HR_PRESENCE_NEVER: as long as the
 * deadline allows, since it is present, or nothing is known of it. offered: the job has not started: who is
 * not there gets a short grace; later one of three of its periods. */
int64_t hr_presence_patience(const hr_presence *presence, size_t member, bool offered, int64_t begun);

#endif
