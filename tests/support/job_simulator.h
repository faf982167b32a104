/* A job between the machines of its members: letters between two members keep their order, as reorder buffers
 * see to it; all else comes in an order that dice choose. Whatever is fed to a machine is kept, to be fed
 * again. What a protocol adds is in inprivate_job.h, simfl_job.h, sum_job.h and test_oneshot.c. */
#ifndef HR_TESTS_SUPPORT_JOB_SIMULATOR_H
#define HR_TESTS_SUPPORT_JOB_SIMULATOR_H

#include "support/check.h"

#include "federation/protocol/protocol.h"
#include "tables/synth/generate.h"

/* Member 0 is the coordinator, in every federation of these tests. */
enum { SIMULATED_MEMBERS = 9, SIMULATED_WORKS = 128 };

typedef struct byte_log {
    uint8_t *at;
    size_t size;
} byte_log;

typedef struct simulated_party {
    bool away, refuses, failed, cut[SIMULATED_MEMBERS];
    unsigned loses; /* so many of 100 works come to nothing */
    hr_protocol_setup setup;
    hr_protocol *machine; /* NULL: a member that is not in the job */
    hr_event *events;
    size_t event_count, ends, trained[SIMULATED_WORKS]; /* trained: by slot, at most once each */
    byte_log actions;                                   /* all that it did, as bytes */
    hr_action work;                                     /* kind 0: none */
    char why[HR_ACTION_TEXT];                           /* its job ended without a model */
} simulated_party;

static inline bool has_finished(const simulated_party *p) {
    return p->ends && !p->failed;
}

typedef struct letter {
    size_t from, to;
    hr_bytes bytes;
} letter;

typedef struct simulator simulator;

/* What differs from one protocol to the next. */
typedef struct simulated_protocol {
    hr_protocol *(*machine)(const hr_protocol_setup *setup);
    /* What comes of TRAIN and VOTE, or the next question. Owner: the caller frees at. */
    hr_bytes (*work)(simulator *s, size_t who, const hr_action *work);
    void (*sent)(simulator *s, size_t who, const hr_action *action); /* of every SEND; NULL: nothing */
} simulated_protocol;

/* The first member of a protocol's own struct. */
struct simulator {
    const simulated_protocol *protocol;
    hr_dice dice;
    bool in_order; /* no dice: letters as they were sent, then work in order of members */
    hr_bytes terms;
    simulated_party parties[SIMULATED_MEMBERS];
    letter *letters;
    size_t letter_count, letter_room, aways, cuts;
    char last_cut[HR_ACTION_TEXT + 60];
    char said[1 << 14]; /* by the coordinator: its log, a line each, as far as it fits */
    /* Changes a letter that is about to be delivered; one without bytes is lost. NULL: nobody cheats. */
    void (*tamper)(simulator *s, letter *l);
};

/* A zeroed struct of `size` bytes that begins with a simulator. Owner: simulator_close. */
simulator *simulator_new(size_t size, const simulated_protocol *protocol, uint64_t seed);
/* Adds the machines of members 0 .. count - 1, each by its setup; the terms become the simulator's. */
void simulator_start(simulator *s, hr_bytes terms, const hr_protocol_setup *setups, size_t count);
void simulator_close(simulator *s);

/* The event's bytes are gone after this, as they may be. */
void feed(simulator *s, size_t who, hr_event event);
void feed_message(simulator *s, size_t from, size_t to, const void *at, size_t size);
void send_message(simulator *s, size_t from, size_t to, const Hedgerow__Message *message);
void send_content(simulator *s, size_t from, size_t to, Hedgerow__Message__KindCase kind,
                  const void *content);
/* A member with a machine takes no part, or no longer. */
void send_decline(simulator *s, size_t from, hr_decline_code code, const char *text);
/* The message in a letter or an action. Owner: the caller, with hr_message_unpacked_free. */
Hedgerow__Message *message_in(hr_bytes bytes);
Hedgerow__Message message_of_content(Hedgerow__Message__KindCase kind, const void *content);

void deliver(simulator *s, size_t index);
/* Every letter to a member that is not away, and those that follow from them. */
void deliver_all(simulator *s);
/* Does what a party is to do: decides, works, or lets the method choose the next question. */
void do_work(simulator *s, size_t who);
/* One thing that can happen happens; false: nothing can. */
bool simulator_step(simulator *s);
/* Until nobody waits for anybody. Whenever nothing can happen, the coordinator's deadline is over. */
void simulator_run(simulator *s, void (*meanwhile)(simulator *s));
void all_return(simulator *s);

/* How many lines of the coordinator's log hold a text. */
size_t lines_with(const simulator *s, const char *text);
/* Everybody's job is over; nobody was cut off. */
void check_over(const simulator *s);
/* A new machine that is fed the same events takes the same actions, byte for byte. */
void check_replay(const simulator *s);

#endif
