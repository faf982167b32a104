/* hedge's questions as bytes: from the coordinator's machine, which sees released values only, to owners,
 * which know nothing of it but these questions. An owner believes none of them: its charges have the
 * sensitivities of its own code, gradients are clipped to what it allows, and trees are checked. */
#ifndef HR_FEDERATION_HEDGE_HEDGE_QUESTION_WIRE_H
#define HR_FEDERATION_HEDGE_HEDGE_QUESTION_WIRE_H

#include "federation/federated/federated_method.h"
#include "federation/protocol/message.h"
#include "federation/sums/summed_job.h"
#include "fit/level_sums.h"
#include "tables/bins/edge_levels.h"
#include "trees/candidates/hedge_question.h"
#include "trees/tree/interactions.h"

enum {
    HR_HEDGE_QUESTION_MAX = HR_MESSAGE_MAX - 4096, /* bytes: what an `Ask` adds to it is less */
    HR_HEDGE_BOUND_MAX = 1 << 13                   /* the clip of gradients, in units of 2^-12 */
};

/* ---- The coordinator's ---- */

typedef struct hr_hedge_question_out {
    const hr_hedge_question *question;
    const hr_edge_question *bins; /* of HR_HEDGE_BINS: which nodes; NULL: another kind */
    size_t outputs;
    bool first;         /* the first round: owners have not received the bins and the base */
    const double *cuts; /* of HR_HEDGE_TOTALS: between intervals of times, that were found; NULL: none were */
    size_t cut_count;
} hr_hedge_question_out;

/* Owner: the caller frees out->at. Fails: LIMIT (longer than a message), MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_question_pack(const hr_hedge_question_out *asked, hr_bytes *out,
                                               hr_error *err);

/* ---- The owner's ---- */

/* What an owner keeps from one question to the next. */
typedef struct hr_hedge_question_reader {
    const hr_schema *schema;
    const hr_schema *monotone; /* the job's, if features are monotone in it; NULL: none is */
    uint32_t bins;
    size_t outputs;
    hr_objective objective;
    hr_privacy_measure privacy_measure;
    hr_interactions interactions; /* of the job, in the arena */
    double coverage;              /* of the interval that held-out records correct; 0: none are held out */
    hr_arena *arena;              /* the caller's */
    hr_binning binning;
    double *base;       /* NULL: the first round has not come */
    bool tried;         /* to read the first round */
    const double *cuts; /* between intervals of times, as they came with the totals, in the arena. NULL: not
                           yet, or the schema has them */
    size_t cut_count;
} hr_hedge_question_reader;

typedef struct hr_hedge_question_in {
    hr_hedge_question question; /* its lines have group 0; of HR_HEDGE_BINS the one line is that of all bins,
                                   of all questions, and of HR_HEDGE_CUTS that of all levels */
    hr_edge_question bins;
    hr_forest forest;
} hr_hedge_question_in;

/* Scores of a record. */
size_t hr_hedge_outputs(const hr_schema *schema);
/* The question's lines, or its choice, for the protocol; borrowed. */
void hr_hedge_question_list(const hr_hedge_question *question, hr_summed_question *out);

/* Whom an owner of that schema protects, whatever a question contains. */
hr_privacy_unit hr_hedge_unit_of(const hr_schema *schema);

/* *out lives in `arena`; binning and base in the reader. Fails: FORMAT (not such a question, or one that an
 * owner does not answer), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_question_read(hr_hedge_question_reader *reader, const hr_bytes *body,
                                               hr_arena *arena, hr_hedge_question_in *out, hr_error *err);
/* What HR_HEDGE_LEVELS is about at that owner, but for its cost. */
hr_level_terms hr_hedge_question_levels(const hr_hedge_question_reader *reader);
/* What a part of question->bins is charged at that owner. */
hr_charge hr_hedge_question_part(const hr_hedge_question_reader *reader, const hr_hedge_question_in *question,
                                 size_t part);

/* What an owner does with them (federated_hedge_owner.c). */
extern const hr_summed_owner hr_hedge_owner_rules;

/* ---- What such a job would do by public facts (federated_hedge_plan.c) ---- */

/* hr_federated_method.check_terms. */
HR_MUST_CHECK hr_status hr_federated_hedge_check(const Hedgerow__Terms *terms, const hr_schema *schema,
                                                 hr_error *err);
/* hr_federated_method.plan. */
HR_MUST_CHECK hr_status hr_federated_hedge_plan(const hr_planned_job *job, hr_job_plan_info *out,
                                                hr_error *err);

#endif
