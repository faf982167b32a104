/* id3 over owners (docs/federation.md): no party sees all records, and the coordinator sees none. The machine
 * of methods/forests/id3_machine.c runs at the coordinator. Each level of the tree is one secure sum: the
 * counts of classes by the bins of all features that its nodes are asked about; the leaves are the last one.
 * Each owner adds a share of the noise and a mask to its own counts, and only the total is learned.
 *
 * A sum that lacks an answer is lost, and was paid for all the same. One level of a job is asked once more,
 * from a reserve that costs as much as a level; if nothing is lost the leaves get it. */
#include "base/fail.h"
#include "federation/federated/job_log.h"
#include "federation/sums/federated_id3_kept.h"
#include "federation/sums/summed_job.h"
#include "methods/forests/average.h"
#include "trees/records/stats_source.h"

#include <math.h>
#include <stdlib.h>

enum { UNHEARD_MAX = 3 }; /* questions in a row that no owner was there for */

/* ==== An owner ==== */

typedef struct id3_owner {
    hr_kept_id3 kept; /* first */
    hr_stats_source *source;
    hr_id3_hearer *hearer;
    size_t heard; /* questions that it took in */
    bool refused; /* one of them, and with it all that follow */
} id3_owner;

static void forget_id3_owner(hr_kept_id3 *self) {
    id3_owner *o = (id3_owner *)self;
    hr_id3_hearer_free(o->hearer);
    hr_stats_free(o->source);
    hr_kept_id3_done(self);
}

static hr_status id3_owner_of(const hr_owner_turn *t, id3_owner **out, hr_error *err) {
    if (*t->job->kept) {
        *out = *t->job->kept;
        return HR_OK;
    }
    id3_owner *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    made->kept.forget = forget_id3_owner;
    hr_status status = hr_kept_id3_init(&made->kept, t->job, true, err);
    if (!status) status = hr_id3_owner_records(&made->kept, t, &made->source, err);
    if (!status) status = hr_id3_hearer_new(&made->kept.terms, &made->hearer, err);
    if (status) {
        forget_id3_owner(&made->kept);
        return status;
    }
    *t->job->kept = *out = made;
    return HR_OK;
}

/* One answer in the making. */
typedef struct id3_answer {
    id3_owner *owner;
    const hr_owner_turn *turn;
    hr_sum_question question;
    hr_id3_ask ask;
    hr_arena *arena;
    hr_permit permit;
} id3_answer;

/* What it costs: always before an exact count is looked at. Each question has a group of its own. */
static hr_status charge_id3_question(id3_answer *a, hr_error *err) {
    if (!a->question.here) return HR_OK;
    hr_charge line = a->ask.line;
    line.group = a->owner->heard;
    return hr_gate_charge_share(a->owner->kept.gate, &line,
                                hr_summed_shares(a->turn->job, a->question.members), &a->permit, err);
}

static hr_status give_counts(id3_answer *a, hr_bytes *out, hr_error *err) {
    const size_t values = a->ask.count;
    hr_exact *exact = hr_arena_alloc(a->arena, values, sizeof *exact);
    uint64_t *share = hr_arena_alloc(a->arena, values, sizeof *share);
    hr_mask *mask = NULL;
    hr_status status =
        exact && share ? hr_id3_records_answer(a->owner->source, &a->ask, exact, err) : hr_fail_memory(err);
    if (!status) status = hr_securesum_mask(a->turn->job->protocol, a->turn->slot, &mask, err);
    if (status) return status;
    hr_gate_share(a->owner->kept.gate, a->permit, exact, mask, values, share);
    hr_mask_free(mask);
    return hr_securesum_pack_share(&a->question, share, values, out, err);
}

/* A sum of others, or one that it answered before: the records follow the splits that it tells of. */
static hr_status follow_splits(id3_answer *a, hr_error *err) {
    hr_id3_ask splits = a->ask;
    splits.query_count = splits.count = 0;
    return hr_id3_records_answer(a->owner->source, &splits, NULL, err);
}

/* The next question that was heard; it is answered if it is the one of the turn. What was asked of this owner
 * before is charged again where it is heard again: after a crash the gate knows nothing. */
static hr_status take_id3_question(id3_owner *o, const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    id3_answer a = {.owner = o, .turn = t};
    hr_securesum_question(t->job->protocol, o->heard, &a.question);
    if (a.question.choice || o->refused)
        return hr_fail(err, HR_E_FORMAT, "", "a question of id3 after one that was refused, or a choice");
    if (!(a.arena = hr_arena_new())) return hr_fail_memory(err);
    hr_status status = hr_id3_question_read(o->hearer, &a.question.body, a.arena, &a.ask, err);
    if (!status) status = charge_id3_question(&a, err);
    if (!status) status = o->heard < t->slot ? follow_splits(&a, err) : give_counts(&a, out, err);
    hr_arena_free(a.arena);
    return status;
}

static hr_status answer_federated_id3(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    id3_owner *o = NULL;
    hr_status status = id3_owner_of(t, &o, err);
    for (; !status && o->heard <= t->slot; o->heard++) {
        status = take_id3_question(o, t, out, err);
        if (status) o->refused = true;
    }
    return status;
}

/* ==== The coordinator ==== */

typedef struct id3_coordinator {
    hr_kept_id3 kept; /* first */
    hr_id3 *id3;
    size_t heard;   /* outcomes */
    size_t told;    /* sums that were not lost */
    size_t unheard; /* questions in a row that no owner was there for */
    bool lost;      /* the last question */
} id3_coordinator;

static void forget_id3_coordinator(hr_kept_id3 *self) {
    hr_id3_free(((id3_coordinator *)self)->id3);
    hr_kept_id3_done(self);
}

/* The account has a line for each that the owners' gates have. */
static hr_status note_question(id3_coordinator *c, hr_charge line, size_t shares, hr_error *err) {
    hr_permit unused;
    return hr_gate_charge_share(c->kept.gate, &line, shares, &unused, err);
}

static hr_status tell_counts(id3_coordinator *c, const hr_sum_outcome *outcome, double noise_factor,
                             hr_error *err) {
    if (outcome->lost) return hr_id3_tell(c->id3, NULL, noise_factor, err);
    hr_noisy *values = NULL;
    hr_status status = hr_summed_values(outcome, &values, err);
    if (status) return status;
    status = hr_id3_tell(c->id3, values, noise_factor, err);
    free(values);
    c->told++;
    return status;
}

/* A question that nobody was there for was not heard: it costs nothing, and is asked again. */
static hr_status take_outcome(id3_coordinator *c, const hr_party_job *job, const hr_sum_outcome *outcome,
                              const hr_id3_ask *ask, hr_error *err) {
    c->lost = outcome->lost;
    if (!outcome->members) {
        c->unheard++;
        return HR_OK;
    }
    c->unheard = 0;
    const size_t shares = hr_summed_shares(job, outcome->members);
    hr_status status = note_question(c, ask->line, shares, err);
    return status ? status : tell_counts(c, outcome, sqrt((double)outcome->members / (double)shares), err);
}

static hr_status make_id3_coordinator(const hr_party_job *job, hr_error *err) {
    id3_coordinator *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    made->kept.forget = forget_id3_coordinator;
    hr_status status = hr_kept_id3_init(&made->kept, job, false, err);
    if (!status) status = hr_id3_new(&made->kept.terms, &made->id3, err);
    if (status)
        forget_id3_coordinator(&made->kept);
    else
        *job->kept = made;
    return status;
}

/* With what became of all questions so far. */
static hr_status id3_coordinator_of(const hr_party_job *job, id3_coordinator **out, hr_error *err) {
    hr_sum_outcome outcome;
    hr_id3_ask ask;
    hr_status status = *job->kept ? HR_OK : make_id3_coordinator(job, err);
    if (status) return status;
    id3_coordinator *c = *out = *job->kept;
    while (!status && hr_securesum_outcome(job->protocol, c->heard, &outcome) && hr_id3_next(c->id3, &ask)) {
        status = take_outcome(c, job, &outcome, &ask, err);
        c->heard++;
    }
    return status;
}

/* ---- What is asked ---- */

static void log_question(const id3_coordinator *c, const hr_id3_ask *ask, const hr_party_job *job,
                         const hr_party_work *work) {
    size_t total;
    hr_id3_levels(c->id3, &total);
    if (c->lost)
        hr_job_log(work, job->record, HR_LOG_WARNING, "a sum was lost, since an owner's answer is missing");
    if (ask->queries[0].answer == HR_STATS_LEAVES)
        hr_job_log(work, job->record, HR_LOG_INFO, "asks for the classes of %zu leaves",
                   ask->count / c->kept.terms.classes);
    else
        hr_job_log(work, job->record, HR_LOG_INFO, "level %d of %zu", (int)ask->line.level + 1, total);
}

/* What is not answered any more is lost. */
static hr_status end_early(id3_coordinator *c, hr_error *err) {
    hr_id3_ask ask;
    hr_status status = HR_OK;
    while (!status && hr_id3_next(c->id3, &ask)) status = hr_id3_tell(c->id3, NULL, 1, err);
    return status;
}

static hr_status ask_federated_id3(const hr_party_job *job, hr_party_work *work, Hedgerow__Question *out,
                                   hr_bytes *body, hr_error *err) {
    id3_coordinator *c = NULL;
    hr_id3_ask ask;
    hr_status status = id3_coordinator_of(job, &c, err);
    if (!status && c->unheard >= UNHEARD_MAX) status = end_early(c, err);
    if (status) return status;
    out->done = !hr_id3_next(c->id3, &ask);
    if (out->done && !c->told)
        return hr_fail(err, HR_E_IO, "start again when the owners can be reached", "every sum was lost");
    if (out->done) return HR_OK;
    log_question(c, &ask, job, work);
    status = hr_id3_question_pack(&ask, body, err);
    out->values = (uint32_t)ask.count;
    out->body = hr_data_of(body->at, body->size);
    return status;
}

/* ---- The model ---- */

static hr_status assemble_federated_id3(const hr_party_job *job, hr_joint_model *m, hr_error *err) {
    const double *said;
    id3_coordinator *c = NULL;
    hr_status status = id3_coordinator_of(job, &c, err);
    if (!status) status = end_early(c, err);
    if (!status) status = hr_summed_describe(job, c->kept.gate, m, err);
    if (status) return status;
    const hr_tree tree = hr_id3_tree(c->id3, &said);
    return hr_average_of_one(job->schema, &tree, said, m->arena, &m->forest, err);
}

/* ==== The method ==== */

const hr_federated_method hr_federated_id3 = {
    .method = &hr_method_id3,
    .owner = hr_securesum_owner,
    .coordinator = hr_securesum_coordinator,
    .paper = &hr_federated_id3_ring,
    .defaults = hr_kept_id3_defaults,
    .check_schema = hr_kept_id3_check_schema,
    .check_terms = hr_federated_id3_check,
    .plan = hr_federated_id3_plan,
    .answer = answer_federated_id3,
    .ask = ask_federated_id3,
    .model = hr_securesum_model,
    .forget = hr_kept_id3_forget,
    .part = hr_securesum_part,
    .assemble = assemble_federated_id3,
};
