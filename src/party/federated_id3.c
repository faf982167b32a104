/* id3 over owners (docs/federation.md): no party sees all records, and the coordinator sees none. The machine
 * of methods/id3_machine.c runs at the coordinator. Each level of the tree is one secure sum: the counts of
 * classes by the bins of all features that its nodes are asked about; the leaves are the last one. Each owner
 * adds a share of the noise and a mask to its own counts, and only the total is learned.
 *
 * A sum that lacks an answer is lost, and was paid for all the same. One level of a job is asked once more,
 * from a reserve that costs as much as a level; if nothing is lost the leaves get it. */
#include "base/fail.h"
#include "bins/edges.h"
#include "fit/budget.h"
#include "methods/average.h"
#include "party/federated_id3_plan.h"
#include "party/federated_method.h"
#include "party/id3_question.h"
#include "party/job_log.h"
#include "party/summed_job.h"
#include "party/terms.h"
#include "random/csprng.h"
#include "stats/id3_records.h"
#include "stats/local_source.h"

#include <math.h>
#include <stdlib.h>

enum { UNHEARD_MAX = 3 }; /* questions in a row that no owner was there for */

/* What a party keeps of a job, an owner or the coordinator: its first field. */
typedef struct kept_id3 {
    void (*forget)(struct kept_id3 *self);
    hr_arena *arena;
    hr_csprng *csprng; /* an owner's noise; nothing is drawn from the coordinator's */
    hr_gate *gate;     /* an owner: holds what the job costs; coordinator: what each owner is charged */
    hr_binning binning;
    hr_id3_terms terms;
} kept_id3;

static void forget_common(kept_id3 *k) {
    hr_gate_free(k->gate);
    hr_csprng_close(k->csprng);
    hr_arena_free(k->arena);
    free(k);
}

static hr_status open_stream(kept_id3 *k, bool draws, hr_error *err) {
    return draws ? hr_csprng_open(&k->csprng, err) : hr_csprng_open_seeded(0, &k->csprng, err);
}

/* What both sides know from the terms; an owner draws. */
static hr_status kept_init(kept_id3 *k, const hr_party_job *job, bool draws, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_federated_id3_check(job->terms, job->schema, err);
    if (!status) status = hr_options_of_terms(job->terms, 1, &options, err);
    if (!status) status = hr_budget_of(&hr_method_id3, &options, &budget, err);
    if (!status && !(k->arena = hr_arena_new())) status = hr_fail_memory(err);
    if (!status) status = open_stream(k, draws, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, k->csprng, &k->gate, err);
    if (!status) status = hr_edges_public(job->schema, (uint32_t)options.bins, k->arena, &k->binning, err);
    if (status) return status;
    k->terms = hr_federated_id3_terms(job->terms, job->schema, &options, &k->binning);
    k->terms.privacy_measure = budget.privacy_measure;
    k->terms.budget = budget.units;
    return HR_OK;
}

/* ==== An owner ==== */

typedef struct id3_owner {
    kept_id3 kept; /* first */
    hr_stats_source *source;
    hr_id3_hearer *hearer;
    size_t heard; /* questions that it took in */
    bool refused; /* one of them, and with it all that follow */
} id3_owner;

static void forget_id3_owner(kept_id3 *self) {
    id3_owner *o = (id3_owner *)self;
    hr_id3_hearer_free(o->hearer);
    hr_stats_free(o->source);
    forget_common(self);
}

/* All records of the owner, in the root. */
static hr_status open_records(id3_owner *o, const hr_owner_turn *t, hr_error *err) {
    const hr_local_stats_records records = {.data = t->data, .threads = t->threads};
    const hr_stats_setup setup = {.kind = HR_STATS_LABELS, .binning = &o->kept.binning};
    const hr_stats_round round = {.part = 0};
    hr_status status = hr_local_stats_source_new(&records, &o->source, err);
    if (!status) status = o->source->ops->prepare(o->source, &setup, err);
    return status ? status : o->source->ops->begin(o->source, &round, err);
}

static hr_status id3_owner_of(const hr_owner_turn *t, id3_owner **out, hr_error *err) {
    if (*t->job->kept) {
        *out = *t->job->kept;
        return HR_OK;
    }
    id3_owner *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    made->kept.forget = forget_id3_owner;
    hr_status status = kept_init(&made->kept, t->job, true, err);
    if (!status) status = open_records(made, t, err);
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
    kept_id3 kept; /* first */
    hr_id3 *id3;
    size_t heard;   /* outcomes */
    size_t told;    /* sums that were not lost */
    size_t unheard; /* questions in a row that no owner was there for */
    bool lost;      /* the last question */
} id3_coordinator;

static void forget_id3_coordinator(kept_id3 *self) {
    hr_id3_free(((id3_coordinator *)self)->id3);
    forget_common(self);
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
    hr_status status = kept_init(&made->kept, job, false, err);
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

static void set_id3_defaults(hr_fit_options *options) {
    if (options->mode == HR_MODE_SOUND) options->delta = 1e-6;
}

static hr_status check_id3_schema(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) != HR_TASK_REGRESSION) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "write 'method: hedge'",
                   "id3 supports labels that are classes; this label is a number");
}

static void forget_federated_id3(void *self) {
    if (self) ((kept_id3 *)self)->forget(self);
}

const hr_federated_method hr_federated_id3 = {
    .method = &hr_method_id3,
    .owner = hr_securesum_owner,
    .coordinator = hr_securesum_coordinator,
    .no_paper = "id3 over owners has no mode paper: on the ring of its paper the two neighbours of an owner "
                "and the adder read its counts with its own part of the noise alone",
    .defaults = set_id3_defaults,
    .check_schema = check_id3_schema,
    .check_terms = hr_federated_id3_check,
    .plan = hr_federated_id3_plan,
    .answer = answer_federated_id3,
    .ask = ask_federated_id3,
    .forget = forget_federated_id3,
    .part = hr_securesum_part,
    .assemble = assemble_federated_id3,
};
