/* Jobs of InPrivate between the machines of a coordinator and three owners: trees are leaves, ballots are
 * made up. */
#ifndef HR_TESTS_SUPPORT_INPRIVATE_JOB_H
#define HR_TESTS_SUPPORT_INPRIVATE_JOB_H

#include "support/job_simulator.h"
#include "support/message_samples.h"

/* Of mode paper. */
typedef struct exact_votes {
    bool rounds, trees;
} exact_votes;

typedef struct job_script {
    uint32_t rounds;
    bool broadcast;
    double vote_share, round_gain;
    size_t min_owners;
    uint32_t last_slots;
} job_script;

/* A job of either mode: of mode paper if it has exact votes. */
typedef struct voted_script {
    job_script script;
    exact_votes exact;
} voted_script;

enum { VOTED_SCRIPTS = 15 };
extern const voted_script voted_scripts[VOTED_SCRIPTS]; /* every kind of votes, along the chain and not */

/* What an owner finds, in units of 2^-10 records. */
typedef struct finding {
    int64_t gain, records, tails[HR_TAILS_MAX + 1]; /* one more than can be asked for */
} finding;

typedef struct inprivate_job {
    simulator sim;
    const test_members *f;
    const job_script *script;
    exact_votes exact;
    finding found[MEMBERS];
    bool names_false_sets[MEMBERS];
    int64_t gains[64]; /* by slot: what each owner finds of its tree, in jobs with exact_trees */
} inprivate_job;

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
hr_job_state simulated_state_of(const simulator *s, size_t self);

hr_bytes ballot_bytes(size_t round, size_t slot, finding found, size_t tails);
/* Of mode paper; tree: the slot that it is on, counted from 1; 0: the round. */
hr_bytes exact_ballot_bytes(size_t round, size_t tree, finding found);

simulator *inprivate_job_open(const test_members *f, const job_script *script, uint64_t seed);
/* In mode paper; the script has no votes that cost. */
simulator *exact_job_open(const test_members *f, const job_script *script, exact_votes exact, uint64_t seed);
/* With votes on each tree some trees do harm, by the seed. */
simulator *voted_job_open(const test_members *f, const voted_script *script, uint64_t seed);
size_t trees_of(const simulator *s);

#endif
