/* A method that owners train together. A new one is a file that defines a row, and the row's line in
 * federated_method.c; its two state machines stand in federation/machines/. Nothing else depends
 * on the method. */
#ifndef HR_FEDERATION_FEDERATED_FEDERATED_METHOD_H
#define HR_FEDERATION_FEDERATED_FEDERATED_METHOD_H

#include "federation/config/job_file.h"
#include "federation/federated/party_work.h"
#include "fit/settings.h"
#include "methods/method.h"

#include <hedgerow/evaluation.h>
#include <hedgerow/federation.h>

/* One piece of an owner's work that draws noise: a tree, or a vote. */
typedef struct hr_owner_turn {
    const hr_job_view *job;
    size_t slot;
    const hr_data *data; /* the owner's */
    int threads;
    hr_fit_options options; /* those of the terms; epsilon is the share that the work may spend */
    hr_gate *gate;          /* holds that share */
    hr_arena *arena;
    hr_party_work *work; /* for lines of progress: hr_job_log */
    const char *unread;  /* where the text goes of an outcome that cannot be read back; NULL: nowhere */
} hr_owner_turn;

/* What a method makes of a finished job; all of it lives in the arena, which the model takes over. */
typedef struct hr_joint_model {
    hr_arena *arena;
    hr_forest forest;
    const hr_schema *schema; /* the job's with the cuts that were found, borrowed; NULL: the job's */
    hr_release *releases;    /* of all trees and votes, also of trees that the model leaves out */
    size_t release_count;
    hr_settings settings; /* the options of the terms; the method adds its own */
} hr_joint_model;

/* A job of which only public facts are known. */
typedef struct hr_planned_job {
    const Hedgerow__Terms *terms;
    const hr_schema *schema;
    double records; /* of all owners together */
} hr_planned_job;

typedef struct hr_summed_method hr_summed_method;

/* How far a job is, for people. Numbers count from 1; 0: not known. */
typedef struct hr_job_position {
    size_t round, rounds, step;
    const char *unit; /* a literal: what steps are */
} hr_job_position;

/* The two state machines of a job, and what they know of it. */
typedef struct hr_job_machines {
    hr_protocol_make *owner, *coordinator;
    /* Coordinator: what became of a member. False: it had no offer. */
    bool (*part)(const hr_protocol *protocol, size_t member, hr_part_info *out);
    /* Owner: what the coordinator sent as the job's model; of size 0 if nothing. Borrowed. NULL, and in a job
     * that makes none: it sends none. */
    hr_bytes (*model)(const hr_protocol *protocol);
} hr_job_machines;

/* Owners' work of which each piece draws its noise by itself, from the gate of its turn: trees and votes, or
 * whole models. */
typedef struct hr_turn_job {
    /* The outcome as bytes for the owner's machine. Owner: the caller frees out->at. Spends: the turn's gate.
     * Fails: BUDGET, LIMIT, MEMORY. */
    hr_status (*train)(const hr_owner_turn *turn, hr_bytes *out, hr_error *err);
    hr_status (*vote)(const hr_owner_turn *turn, hr_bytes *out, hr_error *err); /* NULL: there are no votes */
    /* Does what it can of the work to come, without noise, and keeps it in *job->state. NULL: nothing. Fails:
     * MEMORY. */
    hr_status (*prepare)(const hr_job_view *job, const hr_data *data, hr_error *err);
} hr_turn_job;

/* NOT PRIVATE: owners' work that no budget pays for; the turn has no gate. */
typedef struct hr_unprotected_job {
    /* As hr_turn_job.train. */
    hr_status (*work)(const hr_owner_turn *turn, hr_bytes *out, hr_error *err);
    /* Whether it can train on these records of an owner, which otherwise declines, with the reason. Fails:
     * LIMIT. */
    hr_status (*check_records)(const hr_data *data, hr_error *err);
} hr_unprotected_job;

struct hr_federated_method {
    const hr_method *method; /* its name and options: as those of one owner alone; where it averages its name,
                                and nothing else (hr_terms_trained) */
    const hr_job_machines *machines;
    /* The row of its mode paper, if owners go by another protocol there; NULL: this one. */
    const hr_federated_method *paper;
    /* In mode paper: what breaks in this model, from what the job did. NULL: what the method lists. */
    void (*flaws_of)(const hr_job_view *job, const hr_joint_model *model, char *text, size_t size);
    const char *no_sound;        /* why owners cannot train it in mode sound; NULL: they can */
    const char *instead_sound;   /* what to do then; NULL: they can */
    const hr_left_out *left_out; /* ended by a NULL name; NULL: it has all of the method's options */
    bool averages;               /* each owner trains a whole model, by a method that the terms name */
    bool tests;                  /* its owners' records are those of their test tables */
    bool finds_cuts;             /* of times, where the schema leaves them to it */
    bool persons;                /* in mode sound it protects whole persons, if the schema names a unit */
    bool corrects; /* its owners hold records out that correct an interval, where the terms want one */
    /* Sets the options in which a job's defaults differ from the method's. NULL: none. */
    void (*defaults)(hr_fit_options *options);
    /* Whether it can train on records of this schema. NULL: of any. Fails: ARGUMENT. */
    hr_status (*check_schema)(const hr_schema *schema, hr_error *err);
    /* Whether a job's options go with its schema, before it is offered. NULL: any do. Fails: ARGUMENT. */
    hr_status (*check_options)(const hr_fit_options *options, const hr_schema *schema, hr_error *err);
    /* Whether the budget that the terms grant an owner pays for all that it releases. Depends on the terms
     * and the schema only, not on the records. Fails: BUDGET, LIMIT, ARGUMENT. */
    hr_status (*check_terms)(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err);
    /* What such a job would do: the plan but for its epsilon, delta and records, turns and bytes; the rest of
     * *out is set. NULL: the method has no plan. Fails: BUDGET, LIMIT, ARGUMENT, MEMORY. */
    hr_status (*plan)(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err);

    /* ---- What its owners do: one of these, the others are NULL ---- */
    const hr_turn_job *turns;
    const hr_summed_method *summed; /* answers to sums and choices (federation/sums/summed_job.h) */
    const hr_unprotected_job *unprotected;

    /* The most bytes that a member may send a party in a job. NULL: by its rounds. */
    size_t (*bytes_max)(const Hedgerow__Terms *terms);
    /* How far the job is, at either party. NULL: its slots. */
    void (*round)(const hr_job_view *job, hr_job_position *out);
    /* Frees *job->state, if there is one. NULL: nothing ever is. */
    void (*free_state)(void *state);

    /* ---- What the coordinator makes: one of these, the others are NULL ---- */
    /* A model. Fails: MEMORY. */
    hr_status (*assemble)(const hr_job_view *job, hr_joint_model *model, hr_error *err);
    /* The figures of a model. Fails: BUDGET, MEMORY. */
    hr_status (*evaluate)(const hr_job_view *job, hr_evaluation *out, hr_error *err);
    /* A schema. Owner: the caller frees out->schema. Fails: BUDGET, MEMORY. */
    hr_status (*bound)(const hr_job_view *job, hr_joint_schema *out, hr_error *err);
};

/* ---- The methods ---- */

extern const hr_federated_method hr_federated_average, hr_federated_bounds, hr_federated_evaluation,
    hr_federated_hedge, hr_federated_id3, hr_federated_id3_ring, hr_federated_inprivate, hr_federated_simfl,
    hr_federated_survival_curve, hr_federated_statistics;

/* hr_method_check_label of the method, unless it trains no model. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_federated_check_label(const hr_federated_method *method, bool paper,
                                                 const hr_schema *schema, hr_error *err);

/* Refuses monotone features in the same way. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_federated_check_monotone(const hr_federated_method *method, bool paper,
                                                    const hr_schema *schema, hr_error *err);

/* Whether a job of the method can protect what the schema names. Fails: POLICY (whole persons, whom the
 * method does not protect). */
HR_MUST_CHECK hr_status hr_federated_check_unit(const hr_federated_method *method, bool paper,
                                                const hr_schema *schema, hr_error *err);

/* Whose machines read what is offered of no method that is known. */
extern const hr_federated_method *const hr_federated_unknown;

/* Those that have it, for the remedy of an error: "hedge, id3 or simfl in mode paper". */
void hr_federated_list(bool (*has)(const hr_federated_method *method), char out[HR_METHODS_TEXT]);

/* The row of a method and of a mode. NULL if there is none of that name, which need not end with NUL. */
const hr_federated_method *hr_federated_method_named(const void *name, size_t size, hr_mode mode);
/* hr_job_rules: nothing is set, and none is left out, of a method that owners cannot train together. */
hr_job_rules hr_federated_job_rules;

/* ---- What the methods share ---- */

/* Writes a line for people about a job to work->log, as hr_log_format; job NULL: about no job. */
void hr_job_log(const hr_party_work *work, const hr_journal_job *job, hr_log_level level, const char *format,
                ...) HR_PRINTF(4, 5);

/* About how many bytes a job of secure sums sends, from its plan: those of one owner, without envelopes. */
typedef struct hr_job_traffic {
    double received, sent;            /* bytes that the owner receives and sends */
    double questions;                 /* bytes of questions, among those that it receives */
    double messages_in, messages_out; /* messages that hold these bytes */
} hr_job_traffic;

/* Sets the messages of every job: the offer and its answer, the start, and the end. */
void hr_job_traffic_begin(hr_job_traffic *traffic, const Hedgerow__Terms *terms);
/* Adds `count` questions and their answers, of so many bytes each; one of 0 bytes is a message, too. */
void hr_job_traffic_add(hr_job_traffic *traffic, double count, double question, double answer);
/* Of sums that are prepared, with the messages that prepare them. */
void hr_job_traffic_add_prepared(hr_job_traffic *traffic, double count, double question, double answer);
/* Sets the bytes of all parties, with envelopes and acks, for the owners that *out counts. */
void hr_job_traffic_describe(const hr_job_traffic *traffic, hr_job_plan_info *out);

#endif
