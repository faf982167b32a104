/* Jobs of sums and choices: a coordinator, some owners and a member that is no owner. The method asks by the
 * number of the question alone, and what an owner has to add to a sum follows from its position and that
 * number. */
#ifndef HR_TESTS_SUPPORT_SUM_JOB_H
#define HR_TESTS_SUPPORT_SUM_JOB_H

#include "support/job_simulator.h"
#include "support/test_keys.h"

#include "federation/machines/ring.h"
#include "federation/protocol/beginning.h"

enum {
    SUM_COORDINATOR,
    SUM_OWNER,
    SUM_OWNERS_MAX = 7,
    SUM_OUTSIDER = SUM_OWNER + SUM_OWNERS_MAX,
    SUM_MEMBERS
};
enum { SUM_QUESTIONS_MAX = 64, SUM_VALUES_MAX = 40 };

#define SUM_RING UINT32_MAX

typedef struct sum_names {
    hr_identity *who[SUM_MEMBERS];
    hr_member members[SUM_MEMBERS];
    hr_membership membership;
    hr_party_view views[SUM_MEMBERS];
    uint8_t secrets[SUM_MEMBERS][32];
} sum_names;

int sum_names_setup(void **state);
int sum_names_teardown(void **state);
#define WITH_SUM_NAMES(test) cmocka_unit_test_setup_teardown(test, sum_names_setup, sum_names_teardown)

extern const hr_job_id sum_job_id;

/* Question q: a choice if q is divisible by `choice_every` (0: never), else a sum of as many values as
 * sum_size says. After `questions` the job is done. */
typedef struct sum_script {
    size_t owners, questions, choice_every, turns;
    uint32_t coalition; /* SUM_RING: the sums go along a ring (federation/machines/ring.h) */
} sum_script;

size_t sum_size(size_t question);
uint64_t sum_value(size_t owner, size_t question, size_t i);
uint32_t sum_index(size_t owner, size_t question);

typedef struct sum_job {
    simulator sim;
    const sum_names *names;
    const sum_script *script;
    bool prepares;                                 /* every sum, if it is set before the first question */
    uint8_t numbers[SUM_QUESTIONS_MAX];            /* of questions, by the position of their sum */
    bool asked[SUM_QUESTIONS_MAX][SUM_OWNERS_MAX]; /* by question and position: a sum is over that owner */
} sum_job;

hr_bytes sum_pack(const void *message);
hr_bytes sum_terms(const sum_script *script);
hr_protocol_setup sum_setup(const sum_names *names, size_t self, hr_bytes terms);
hr_protocol *sum_machine(const hr_protocol_setup *setup);
/* The number of a question, by its body. */
size_t sum_number(hr_bytes body);
/* An owner's answer to a question that its machine heard, or that it is ready for it, for WORKED. Owner: the
 * caller frees at. */
hr_bytes sum_answer(const hr_protocol *owner, size_t index);

simulator *sum_open(const sum_names *names, const sum_script *script, uint64_t seed);

/* Every sum that is not lost is the plain sum over those that were asked; every choice is that of its member.
 * Returns how many questions are lost. */
size_t sum_check_outcomes(const simulator *s);
/* Everybody's job has ended well, and nobody was cut off. */
void sum_check_over(const simulator *s);

#endif
