/* id3 over owners as published (docs/federation.md): NOT PRIVATE. Sums go along the ring of the paper
 * (federation/machines/ring.h) between owners that the coordinator's machine (methods/forests/id3_machine.c)
 * asks, as in federated_id3.c. The noise lambda (ln r_x - ln r_y) of a count is a difference of two halves;
 * owner i adds its part of each, a Polya variable of shape 1/n where the paper has real numbers, so that the
 * parts of all n owners make up one discrete Laplace variable. All counts have the noise of one count at the
 * whole epsilon: one line is charged, with the first question, and all that follow draw from it.
 *
 * No ledger pays, since there is nothing to pay for; an owner takes part if its policy lists id3 under
 * 'unprotected'. */
#include "base/fail.h"
#include "federation/federated/job_log.h"
#include "federation/machines/ring.h"
#include "federation/sums/federated_id3_kept.h"
#include "federation/sums/summed_job.h"
#include "methods/forests/average.h"
#include "trees/records/stats_source.h"

#include <stdlib.h>

/* ==== An owner ==== */

typedef struct ring_owner {
    hr_kept_id3 kept; /* first */
    hr_stats_source *source;
    hr_id3_hearer *hearer;
    hr_permit permit; /* of all questions */
    size_t heard;     /* questions that it took in */
} ring_owner;

static void forget_ring_owner(hr_kept_id3 *self) {
    ring_owner *o = (ring_owner *)self;
    hr_id3_hearer_free(o->hearer);
    hr_stats_free(o->source);
    hr_kept_id3_done(self);
}

static hr_status charge_published(ring_owner *o, const hr_party_job *job, hr_error *err) {
    const hr_charge line = hr_id3_published_charge(&o->kept.terms);
    const size_t *members;
    const size_t owners = hr_securesum_owners(job->protocol, &members);
    return hr_gate_charge_share(o->kept.gate, &line, hr_summed_shares(job, owners), &o->permit, err);
}

static hr_status ring_owner_of(const hr_owner_turn *t, ring_owner **out, hr_error *err) {
    if (*t->job->kept) {
        *out = *t->job->kept;
        return HR_OK;
    }
    ring_owner *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    made->kept.forget = forget_ring_owner;
    hr_status status = hr_kept_id3_init(&made->kept, t->job, true, err);
    if (!status) status = charge_published(made, t->job, err);
    if (!status) status = hr_id3_owner_records(&made->kept, t, &made->source, err);
    if (!status) status = hr_id3_hearer_new(&made->kept.terms, &made->hearer, err);
    if (status) {
        forget_ring_owner(&made->kept);
        return status;
    }
    *t->job->kept = *out = made;
    return HR_OK;
}

/* The share that it passes on, for its machine. */
static hr_status pack_split(const hr_owner_turn *t, const uint64_t *values, size_t count, hr_bytes *out,
                            hr_error *err) {
    const hr_sum_question question = {.position = t->slot};
    return hr_securesum_pack_share(&question, values, count, out, err);
}

static hr_status split_counts(ring_owner *o, const hr_owner_turn *t, const hr_id3_ask *ask, hr_arena *arena,
                              hr_bytes *out, hr_error *err) {
    hr_exact *exact = hr_arena_alloc(arena, ask->count, sizeof *exact);
    uint64_t *share = hr_arena_alloc(arena, ask->count, sizeof *share);
    hr_mask *mask = NULL;
    hr_status status =
        exact && share ? hr_id3_records_answer(o->source, ask, exact, err) : hr_fail_memory(err);
    if (!status) status = hr_ring_mask(t->job->protocol, t->slot, &mask, err);
    if (status) return status;
    hr_gate_share(o->kept.gate, o->permit, exact, mask, ask->count, share);
    hr_mask_free(mask);
    return pack_split(t, share, ask->count, out, err);
}

/* A sum that it answered before a crash: its records follow the splits that it tells of. */
static hr_status follow_splits_of(ring_owner *o, const hr_id3_ask *ask, hr_error *err) {
    hr_id3_ask splits = *ask;
    splits.query_count = splits.count = 0;
    return hr_id3_records_answer(o->source, &splits, NULL, err);
}

static hr_status take_ring_question(ring_owner *o, const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    hr_sum_question question;
    hr_id3_ask ask;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = hr_ring_question(t->job->protocol, o->heard, &question)
                           ? hr_id3_question_read(o->hearer, &question.body, arena, &ask, err)
                           : hr_fail(err, HR_E_ARGUMENT, "", "there is no question %zu", o->heard);
    if (!status && ask.line.cost != o->kept.terms.budget)
        status = hr_fail(err, HR_E_FORMAT, "", "a question of id3 whose cost is not that of the whole job");
    if (!status)
        status =
            o->heard < t->slot ? follow_splits_of(o, &ask, err) : split_counts(o, t, &ask, arena, out, err);
    hr_arena_free(arena);
    return status;
}

/* A question that is refused ends the job, so none follows it. */
static hr_status answer_on_ring(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    ring_owner *o = NULL;
    hr_status status = ring_owner_of(t, &o, err);
    for (; !status && o->heard <= t->slot; o->heard++) status = take_ring_question(o, t, out, err);
    return status;
}

/* ==== The coordinator ==== */

typedef struct ring_adder {
    hr_kept_id3 kept; /* first */
    hr_id3 *id3;
    size_t heard; /* outcomes */
} ring_adder;

static void forget_ring_adder(hr_kept_id3 *self) {
    hr_id3_free(((ring_adder *)self)->id3);
    hr_kept_id3_done(self);
}

static hr_status make_ring_adder(const hr_party_job *job, hr_error *err) {
    ring_adder *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    made->kept.forget = forget_ring_adder;
    hr_status status = hr_kept_id3_init(&made->kept, job, false, err);
    if (!status) status = hr_id3_new(&made->kept.terms, &made->id3, err);
    if (status)
        forget_ring_adder(&made->kept);
    else
        *job->kept = made;
    return status;
}

/* The account has the one line that the owners' gates have. */
static hr_status note_published(ring_adder *c, const hr_party_job *job, const hr_sum_outcome *outcome,
                                hr_error *err) {
    const hr_charge line = hr_id3_published_charge(&c->kept.terms);
    hr_permit unused;
    if (c->heard) return HR_OK;
    return hr_gate_charge_share(c->kept.gate, &line, hr_summed_shares(job, outcome->members), &unused, err);
}

static hr_status tell_outcome(ring_adder *c, const hr_party_job *job, const hr_sum_outcome *outcome,
                              hr_error *err) {
    hr_noisy *values = NULL;
    hr_status status = note_published(c, job, outcome, err);
    if (!status) status = hr_summed_values(outcome, &values, err);
    if (!status) status = hr_id3_tell(c->id3, values, 1, err);
    free(values);
    return status;
}

/* With what became of all questions so far. */
static hr_status ring_adder_of(const hr_party_job *job, ring_adder **out, hr_error *err) {
    hr_sum_outcome outcome;
    hr_status status = *job->kept ? HR_OK : make_ring_adder(job, err);
    if (status) return status;
    ring_adder *c = *out = *job->kept;
    while (!status && hr_ring_outcome(job->protocol, c->heard, &outcome)) {
        status = tell_outcome(c, job, &outcome, err);
        c->heard++;
    }
    return status;
}

static hr_status ask_on_ring(const hr_party_job *job, hr_party_work *work, Hedgerow__Question *out,
                             hr_bytes *body, hr_error *err) {
    ring_adder *c = NULL;
    hr_id3_ask ask;
    hr_status status = ring_adder_of(job, &c, err);
    if (status) return status;
    out->done = !hr_id3_next(c->id3, &ask);
    if (out->done) return HR_OK;
    if (ask.queries[0].answer == HR_STATS_LEAVES)
        hr_job_log(work, job->record, HR_LOG_INFO, "asks along the ring for the classes of %zu leaves",
                   ask.count / c->kept.terms.classes);
    else
        hr_job_log(work, job->record, HR_LOG_INFO, "asks along the ring for the counts of level %zu",
                   c->heard + 1);
    status = hr_id3_question_pack(&ask, body, err);
    out->values = (uint32_t)ask.count;
    out->body = hr_data_of(body->at, body->size);
    return status;
}

static hr_status assemble_on_ring(const hr_party_job *job, hr_joint_model *m, hr_error *err) {
    const double *said;
    ring_adder *c = NULL;
    hr_status status = ring_adder_of(job, &c, err);
    if (!status) status = hr_summed_describe(job, c->kept.gate, m, err);
    if (status) return status;
    const hr_tree tree = hr_id3_tree(c->id3, &said);
    return hr_average_of_one(job->schema, &tree, said, m->arena, &m->forest, err);
}

/* ==== The method ==== */

static hr_status refuse_ring_plan(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    (void)job;
    (void)out;
    hr_fail(err, HR_E_ARGUMENT, "write 'mode: sound'",
            "a job of id3 in mode paper has no plan: it is not private, so that there is no promise to tell");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "mode");
}

const hr_federated_method hr_federated_id3_ring = {
    .method = &hr_method_id3,
    .owner = hr_ring_owner,
    .coordinator = hr_ring_coordinator,
    .flaws = "On its ring, the two owners beside an owner read its counts amid that owner's own part of the "
             "noise alone, if they act with the coordinator.",
    .defaults = hr_kept_id3_defaults,
    .check_schema = hr_kept_id3_check_schema,
    .check_terms = hr_federated_id3_check,
    .plan = refuse_ring_plan,
    .answer = answer_on_ring,
    .ask = ask_on_ring,
    .forget = hr_kept_id3_forget,
    .part = hr_ring_part,
    .assemble = assemble_on_ring,
};
