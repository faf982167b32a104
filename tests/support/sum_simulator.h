/* Jobs of sums and choices: a coordinator, some owners and a member who is no owner, between whose machines
 * letters travel; letters between two members keep their order. The method asks by the number of the question
 * alone, and what an owner has to add to a sum follows from its position and that number. */
#ifndef HR_TESTS_SUPPORT_SUM_SIMULATOR_H
#define HR_TESTS_SUPPORT_SUM_SIMULATOR_H

#include "support/test_keys.h"

#include "federation/machines/ring.h"
#include "federation/protocol/beginning.h"
#include "tables/synth/generate.h"

enum {
    SUM_COORDINATOR,
    SUM_OWNER,
    SUM_OWNERS_MAX = 7,
    SUM_OUTSIDER = SUM_OWNER + SUM_OWNERS_MAX,
    SUM_MEMBERS
};
enum { SUM_EVENTS_MAX = 4096, SUM_LETTERS_MAX = 1024, SUM_QUESTIONS_MAX = 64, SUM_VALUES_MAX = 40 };

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

typedef struct sum_letter {
    size_t from, to;
    hr_bytes bytes;
} sum_letter;

typedef struct sum_party {
    bool away, refuses, cut[SUM_MEMBERS];
    size_t loses; /* so many of 100 answers come to nothing */
    hr_protocol_setup setup;
    hr_protocol *machine;
    hr_event events[SUM_EVENTS_MAX];
    size_t event_count, ends, answered[2 * SUM_QUESTIONS_MAX];
    uint8_t *actions; /* all it did, as bytes */
    size_t action_size;
    hr_action work; /* kind 0: none */
    bool failed;
    char why[HR_ACTION_TEXT];
} sum_party;

typedef struct sum_sim sum_sim;
struct sum_sim {
    const sum_names *names;
    const sum_script *script;
    hr_dice dice;
    hr_bytes terms;
    sum_party parties[SUM_MEMBERS];
    sum_letter letters[SUM_LETTERS_MAX];
    size_t letter_count, aways, cuts;
    bool asked[SUM_QUESTIONS_MAX][SUM_OWNERS_MAX]; /* by question and position: a sum is over that owner */
    char last_cut[HR_ACTION_TEXT + 60];
    void (*tamper)(sum_sim *s, sum_letter *letter); /* NULL: nobody cheats */
};

Hedgerow__Message sum_message(Hedgerow__Message__KindCase kind, const void *content);
hr_bytes sum_pack(const void *message);
hr_bytes sum_terms(const sum_script *script);
hr_protocol_setup sum_setup(const sum_names *names, size_t self, hr_bytes terms);
hr_protocol *sum_machine(const hr_protocol_setup *setup);
/* The number of a question, by its body. */
size_t sum_number(hr_bytes body);
/* An owner's answer to a question that its machine heard, for WORKED. Owner: the caller frees at. */
hr_bytes sum_answer(const hr_protocol *owner, size_t index);

sum_sim *sum_open(const sum_names *names, const sum_script *script, uint64_t seed);
void sum_close(sum_sim *s);
/* The event's bytes are gone after this, as they may be. */
void sum_feed(sum_sim *s, size_t who, hr_event event);
void sum_feed_message(sum_sim *s, size_t from, size_t to, Hedgerow__Message__KindCase kind,
                      const void *content);
void sum_deliver(sum_sim *s, size_t letter);
/* Does what a party is to do: decides, answers, or asks the method. */
void sum_work(sum_sim *s, size_t who);
/* One thing that can happen happens; false: nothing can. */
bool sum_step(sum_sim *s);
/* Until nobody waits for anybody. Whenever nothing can happen, the coordinator's deadline is over. */
void sum_run(sum_sim *s, void (*meanwhile)(sum_sim *s));

/* Every sum that is not lost is the plain sum over those that were asked; every choice is that of its member.
 * Returns how many questions are lost. */
size_t sum_check_outcomes(const sum_sim *s);
/* Everybody's job has ended well, and nobody was cut off. */
void sum_check_over(const sum_sim *s);
/* New machines that are fed the same events take the same actions, byte for byte. */
void sum_check_replay(const sum_sim *s);

#endif
