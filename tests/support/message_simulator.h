/* A switchboard between the machines of a job: letters between two members keep their order, as reorder
 * bufferes see to it; all else comes in an order that dice choose. Whatever is fed to a machine is kept, to
 * be fed again. */
#ifndef HR_TESTS_SUPPORT_MESSAGE_SIMULATOR_H
#define HR_TESTS_SUPPORT_MESSAGE_SIMULATOR_H

#include "support/message_samples.h"

enum { EVENTS_MAX = 1024, LETTERS_MAX = 2048 };

typedef struct byte_log {
    uint8_t *at;
    size_t size;
} byte_log;

typedef struct simulated_party {
    bool away, refuses, cut[MEMBERS], names_false_sets;
    unsigned loses; /* so many of 100 works come to nothing */
    hr_protocol_setup setup;
    hr_protocol *machine;
    hr_event events[EVENTS_MAX];
    size_t event_count, ends, trained[64];
    byte_log actions;
    hr_action work;           /* kind 0: none */
    char why[HR_ACTION_TEXT]; /* its job ended without a model */
} simulated_party;

typedef struct letter {
    size_t from, to;
    hr_bytes bytes;
} letter;

typedef struct job_script {
    uint32_t rounds;
    bool broadcast;
    double vote_share, round_gain;
    size_t min_owners;
    uint32_t last_slots;
} job_script;

/* What an owner finds, in units of 2^-10 records. */
typedef struct finding {
    int64_t gain, records, tails[HR_TAILS_MAX + 1]; /* one more than can be asked for */
} finding;

typedef struct simulator simulator;
struct simulator {
    const test_members *f;
    hr_dice dice;
    hr_bytes terms;
    simulated_party parties[MEMBERS];
    letter letters[LETTERS_MAX];
    const job_script *script;
    finding found[MEMBERS];
    size_t letter_count, aways, cuts;
    char why[HR_ACTION_TEXT + 40];           /* somebody was cut off last */
    char said[1 << 14];                      /* by the coordinator: its log, a line each, as far as it fits */
    void (*tamper)(simulator *b, letter *l); /* NULL: nobody cheats */
};

extern const finding found_half;

hr_bytes terms_of(const job_script *s);
hr_protocol *machine_of(const hr_protocol_setup *setup);
hr_protocol_setup setup_of(const test_members *f, size_t self, const job_script *s, hr_bytes terms);

/* By which a member accepts the terms of a setup. */
typedef struct acceptance {
    uint8_t bytes[HR_SIGNATURE_SIZE];
} acceptance;
acceptance acceptance_by(const test_members *f, const hr_protocol_setup *setup, size_t member);

/* A job state with the start of a job, in which all owners take part. */
hr_job_state started_state_of(const test_members *f, const hr_protocol_setup *setup, size_t self);
hr_job_state simulated_state_of(const simulator *b, size_t self);

hr_bytes ballot_bytes(size_t round, size_t slot, finding found, size_t tails);

/* The event's bytes are gone after this, as they may be. */
void feed(simulator *b, size_t who, hr_event event);
void feed_message(simulator *b, size_t from, size_t to, const void *at, size_t size);
void send_message(simulator *b, size_t from, size_t to, const Hedgerow__Message *message);
simulator *simulator_open(const test_members *f, const job_script *s, uint64_t seed);
void simulator_close(simulator *b);
void deliver(simulator *b, size_t index);
void do_work(simulator *b, size_t who);

/* One thing that can happen happens; false: nothing can. */
bool simulator_step(simulator *b);

/* Until nobody waits for anybody. Whenever nothing can happen, the coordinator loses its patience. */
void simulator_run(simulator *b, void (*meanwhile)(simulator *b));
void all_return(simulator *b);

/* How many lines of the coordinator's log hold a text. */
size_t lines_with(const simulator *b, const char *text);

/* Everybody's job is over; nobody honest was cut off. */
void check_over(const simulator *b);

/* A new machine that is fed the same events takes the same actions, byte for byte. */
void check_replay(const simulator *b);
size_t trees_of(const simulator *b);

#endif
