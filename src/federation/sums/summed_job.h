/* Jobs whose owners add up sums over all their records: what a method of such a job is, and what it shares
 * with all others. A method keeps its questions; who answers them is one loop for all methods
 * (summed_owner.h), and who sends them is one loop, too (summed_coordinator.h). */
#ifndef HR_FEDERATION_SUMS_SUMMED_JOB_H
#define HR_FEDERATION_SUMS_SUMMED_JOB_H

#include "federation/federated/federated_method.h"
#include "federation/machines/securesum.h"
#include "fit/budget.h"
#include "privacy/gate.h"

/* A question as the method at either party understands it. It lives in the arena that it was made in. */
typedef struct hr_summed_question {
    bool choice; /* one owner chooses; else all owners of a set add up sums */
    bool
        spare; /* a sum that may be lost now and then: less is lost so than by preparing each (securesum.h) */
    bool
        held_out; /* a sum over records that no other question is about: its lines have a gate of their own */
    const hr_charge *lines; /* charged one by one; of a choice 1 */
    const size_t *counts; /* [line]: how many numbers it releases, one line's behind the other's; of a choice
                             the candidates */
    size_t line_count;
    const void *content; /* the method's own form of the question */
} hr_summed_question;

/* All numbers of the question. */
size_t hr_summed_values(const hr_summed_question *question);

/* What became of a question that reached an owner. */
typedef struct hr_summed_reply {
    const hr_noisy *values; /* the sums; NULL: dropped, since an answer is missing or they are not
                               possible; NULL of a choice, too */
    bool impossible;        /* `values` is NULL for the second reason */
    size_t index;           /* of a choice: any number below 2^32; 0 if it is dropped */
    size_t members, shares; /* of a sum: owners that it is over, shares of noise that it counts on */
    double noise_factor;    /* of a sum: standard deviation of its noise in that which its lines pay for */
    const hr_job_view *job; /* of the call */
} hr_summed_reply;

enum { HR_SUMMED_UNANSWERED_MAX = 3 }; /* questions in a row that no owner was there for */

/* How a job is at the coordinator, when its next question is looked for. */
typedef struct hr_summed_progress {
    const hr_job_view *job;
    const hr_party_work *work; /* for lines of progress (hr_job_log); NULL: the question was sent before */
    size_t unanswered;         /* questions in a row that no owner was there for */
    size_t dropped; /* sums in a row that were not learned: those, and those whose values are NULL */
} hr_summed_progress;

/* What a method does at an owner. `state` is its own, from open to close. */
typedef struct hr_summed_owner {
    bool choices; /* some of its questions are choices */
    /* Fails: LIMIT, MEMORY; `close` is called also then, if *state is set. */
    hr_status (*open)(const hr_owner_turn *turn, const hr_budget *budget, hr_arena *arena, void **state,
                      hr_error *err);
    void (*close)(void *state); /* NULL: the state is all in the arena */
    /* The next question of the job, each once, in order. Looks at no record. Fails: FORMAT (none that the
     * coordinator may send, or may repeat), ARGUMENT, BUDGET, POLICY, SCHEMA, LIMIT, MEMORY. */
    hr_status (*read)(void *state, const hr_owner_turn *turn, const hr_sum_question *received,
                      hr_arena *arena, hr_summed_question *out, hr_error *err);
    /* In place of count, of a question for others or of one that was answered before a restart: the records
     * take the step that it announces. NULL: they take none, and questions for others are not read. Fails:
     * MEMORY. */
    hr_status (*follow)(void *state, const hr_summed_question *question, hr_arena *arena, hr_error *err);
    /* The exact numbers of all lines: sums, or the scores of candidates. Fails: SCHEMA, LIMIT, MEMORY. */
    hr_status (*count)(void *state, const hr_owner_turn *turn, const hr_summed_question *question,
                       hr_exact *out, hr_error *err);
} hr_summed_owner;

/* What a method does at the coordinator. `state` is its own, from open to close. */
typedef struct hr_summed_coordinator {
    /* Fails: BUDGET, LIMIT, MEMORY; `close` is called also then, if *state is set. */
    hr_status (*open)(const hr_job_view *job, const hr_budget *budget, hr_arena *arena, void **state,
                      hr_error *err);
    void (*close)(void *state); /* NULL: the state is all in the arena */
    /* The next question, the same until it is answered. False in *more: there is none. Fails:
     * ARGUMENT, BUDGET, IO (the job cannot go on), MEMORY. */
    hr_status (*next)(void *state, const hr_summed_progress *progress, hr_arena *arena,
                      hr_summed_question *out, bool *more, hr_error *err);
    /* Notes in the state which checks fail that sums of owners that follow the protocol pass. False: the sums
     * are of no use, and dropped. NULL: any. */
    bool (*possible)(void *state, const hr_summed_question *question, const hr_summed_reply *reply);
    /* The checks that `possible` notes; NULL: it has none. Borrowed. */
    const struct hr_sum_checks *(*checks)(const void *state);
    /* Fails: BUDGET, IO (the job cannot go on), MEMORY. */
    hr_status (*accept)(void *state, const hr_summed_question *question, const hr_summed_reply *reply,
                        hr_error *err);
    /* The question as bytes, and of a choice out->turns; or out->done, if it cannot be sent. Logs what is
     * asked. Owner: the caller frees body->at. Fails: IO, LIMIT, MEMORY. */
    hr_status (*pack)(void *state, const hr_summed_progress *progress, const hr_summed_question *question,
                      Hedgerow__Question *out, hr_bytes *body, hr_error *err);
} hr_summed_coordinator;

/* Questions, masks and outcomes of the protocol: those of securesum.h, or those of ring.h. */
typedef struct hr_summed_protocol {
    bool (*question)(const hr_protocol *owner, size_t index, hr_sum_question *out);
    hr_status (*mask)(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err);
    bool (*outcome)(const hr_protocol *coordinator, size_t index, hr_sum_outcome *out);
} hr_summed_protocol;

extern const hr_summed_protocol hr_summed_securesum;
/* hr_federated_method.machines, of secure sums. */
extern const hr_job_machines hr_summed_machines;

struct hr_summed_method {
    const hr_summed_protocol *protocol;
    const hr_summed_owner *owner;
    const hr_summed_coordinator *coordinator;
    /* What the terms grant each owner. Fails: BUDGET, LIMIT, ARGUMENT. */
    hr_status (*budget)(const hr_job_view *job, hr_budget *out, hr_error *err);
    bool charged_once; /* NOT PRIVATE: the lines of the first question pay for all that follow */
};

/* What a party keeps of a job, in *job->state: either kind begins with this. */
typedef struct hr_summed_party {
    hr_arena *arena;
    hr_arena *prepared; /* of an owner's question that is prepared; NULL: none is */
    hr_csprng *csprng;  /* an owner's noise; nothing is drawn from the coordinator's */
    hr_gate *gate; /* an owner's: holds what the job costs. The coordinator's: the record of what each owner
                      is charged */
    hr_gate *held_out; /* the same of questions about records that are held out */
    hr_budget budget;  /* what either gate holds */
    void *state;
    void (*close)(void *state);
    size_t taken; /* questions, or their outcomes */
} hr_summed_party;

/* Opens all but the state, into zeros of `size` bytes; takes over the stream, also on failure. *out is set to
 * what the caller frees with hr_summed_free, also on failure. Fails: BUDGET, LIMIT, ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_summed_open(const hr_job_view *job, size_t size, hr_csprng *csprng,
                                       hr_summed_party **out, hr_error *err);
/* hr_federated_method.free_state. */
void hr_summed_free(void *party);
/* Whose lines are charged there. */
hr_gate *hr_summed_gate(const hr_summed_party *party, const hr_summed_question *question);

/* How many shares of noise a sum over so many owners counts on: without those of a coalition; at least 1. */
size_t hr_summed_shares(const hr_job_view *job, size_t members);

/* hr_federated_method.round: the number of the question. */
void hr_summed_round(const hr_job_view *job, hr_job_position *out);

#endif
