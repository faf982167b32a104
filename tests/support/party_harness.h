/* A coordinator and three owners whose journals and ledgers are files, over a loopback: parties that may die
 * at any moment and come back. What leaves them is read on the way, and kept for the end: nobody may ever say
 * two different things. */
#ifndef HR_TESTS_SUPPORT_PARTY_HARNESS_H
#define HR_TESTS_SUPPORT_PARTY_HARNESS_H

#include "federation/federated/terms.h"
#include "federation/transport/loopback.h"
#include "federation/work/coordinator_work.h"
#include "federation/work/owner_work.h"
#include "privacy/ledger/spend.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "tables/data/records.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { ANSWERS = 128 /* of an owner in a job of hedge or id3 */ };
enum { OWNERS = 3, PARTIES = OWNERS + 1, SLOTS = OWNERS * 8, RESEND = 100, PATH_ROOM = 160, IDLE_MAX = 4000 };

#define EPSILON .5
#define LIMIT 2.0
#define NEVER (INT64_MAX / 64)

/* A tree or a ballot, over all lives of its owner. Digests are 0 for nothing. */
typedef struct work_record {
    int draws;           /* how often it drew noise for it */
    uint64_t made, sent; /* what came of it, and what left it */
    bool none;           /* it has said that there is none */
} work_record;

/* Of an owner in a job of hedge or id3. */
typedef struct answer_record {
    work_record shares[ANSWERS], choices[ANSWERS]; /* by position */
    work_record prepared[ANSWERS];                 /* likewise: work without noise, and Ready */
    bool none[ANSWERS]; /* by question in the order that it heard them: it has said that it has no answer */
    work_record *of[ANSWERS]; /* by question: one of the above; NULL: it drew nothing for it */
} answer_record;

/* Shared with child processes, at the same address. */
typedef struct event_log {
    work_record trees[SLOTS], ballots[SLOTS];
    answer_record answers[OWNERS];
    uint64_t mask_keys[OWNERS]; /* that they published last */
    uint64_t model;
    size_t models;                                    /* how often it was made */
    size_t second_answers, unreserved, second_models; /* what must not be */
    size_t packets, pieces;
    size_t refused; /* packets, at the transport */
} event_log;

typedef struct harness harness;

typedef struct watched_transport {
    hr_transport transport;
    hr_transport *inner;
    hr_packet held; /* received, and not settled */
    struct harness_party *party;
} watched_transport;

typedef struct harness_party {
    union {
        hr_party_work work; /* first: a worker is a party */
        hr_owner_work owner;
        hr_coordinator_work coordinator;
    } as;
    hr_party_work real; /* without the watching */
    hr_log log;
    harness *harness;
    size_t index;
    char name[16], path[PATH_ROOM];
    hr_identity *identity;
    hr_party_view view;
    hr_data *records;
    /* Of one life; NULL when it is dead. */
    hr_ledger *ledger;
    hr_journal *journal;
    watched_transport watched;
    hr_party *party;
} harness_party;

struct harness {
    temp_dir *temp_dir;
    char model[PATH_ROOM], receipts[PATH_ROOM]; /* receipts: the coordinator's folder of them */
    table table;
    hr_job_file job;
    hr_policy policy;
    hr_membership membership;
    hr_member members[PARTIES];
    bool coordinators[PARTIES];
    bool serves_nobody[PARTIES]; /* by owner: its policy lists no coordinator of the harness */
    hr_federation_id
        federations[PARTIES]; /* by owner: its federation file; version 0: no owner compares it */
    hr_loopback *loopback;
    harness_party parties[PARTIES];
    size_t running; /* the index of the party whose step it is */
    int64_t now, date, deadline, lifetime;
    size_t quota;
    hr_clock (*clock)(void); /* of owners while they work; NULL: they are not asked */
    event_log *event_log;
    char said[1 << 15]; /* by the parties of this process, line by line */
    /* Whether it dies just before, or just after, what it is about to do; NULL: never. */
    bool (*dies)(const harness_party *p, bool after);
    /* Whether it has died in its last step. */
    bool (*died)(const harness_party *p);
};

bool dies(const harness_party *p, bool after);
hr_status watched_send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err);

/* From its files, with that end of a transport, which is its own from then on. */
hr_status party_start_with(harness_party *p, hr_transport *inner, hr_error *err);
void party_start(harness_party *p);

/* Only its files are left. */
void party_stop(harness_party *p);
hr_job_file harness_job(size_t rounds, hr_order order, bool votes);

/* With a vote after each of two rounds. */
hr_job_file harness_job_with_votes(hr_order order);

/* Of pure epsilon: the fewest rounds. */
hr_job_file harness_hedge_job(void);

/* Of pure epsilon. */
hr_job_file harness_id3_job(int depth);

/* Each owner trains one tree alone. */
hr_job_file harness_job_of_averages(void);

/* Everybody is dead at first. */
void harness_open(harness *l, hr_job_file job);
void harness_close(harness *l);

/* As `hedgerow coordinate` would, whenever it is started. */
hr_status harness_submit(harness *l, hr_error *err);
void party_restart(harness_party *p);
bool party_step(harness_party *p);
bool harness_is_idle(harness *l);
bool harness_step(harness *l);

/* All who live go on, one step each in turn; when nobody can, time passes. */
void harness_run_until(harness *l, bool (*over)(harness *l));
void harness_start(harness *l);
void check_query(const harness_party *p, const char *sql, const char *number);
void check_journal(const harness_party *p);
size_t trees_in_model(const harness *l);

/* For jobs in which all owners took part to the end. Returns how many trees and ballots, or answers, were
 * lost. A job of hedge or id3 may have ended without a model if three or more were. */
size_t check_end(harness *l);

#endif
