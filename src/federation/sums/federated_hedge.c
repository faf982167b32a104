/* hedge over owners (docs/hedge.md): no party sees all records, and the coordinator sees none. The machine of
 * methods/hedge/hedge_machine.c runs at the coordinator. Its sums are secure sums: each owner adds a share of
 * the noise and a mask to its own, and only the total is learned. Trees are chosen in turns, each by one
 * owner on its own records. A sum that lacks an answer is lost, and was paid for all the same. */
#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/job_log.h"
#include "federation/federated/terms.h"
#include "federation/sums/hedge_question.h"
#include "federation/sums/summed_job.h"
#include "fit/budget.h"
#include "methods/hedge/hedge_machine.h"
#include "privacy/crypto/csprng.h"
#include "privacy/crypto/mask.h"
#include "privacy/noise.h"
#include "tables/bins/edges.h"
#include "trees/candidates/hedge_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES, FIRST_GROUP };             /* groups of the account: all choices, then one a line */
enum { LOST_MAX = 3, REPORTS_A_JOB = 10 }; /* sums in a row; lines of progress */
enum { LINES_MAX = 1 << 18 };              /* of an owner's gate in one job: it keeps them all in memory */

/* What a party keeps of a job, an owner or the coordinator: its first field. */
typedef struct kept {
    void (*forget)(struct kept *self);
} kept;

static hr_status budget_of(const hr_party_job *job, hr_fit_options *options, hr_budget *out, hr_error *err) {
    hr_status status = hr_options_of_terms(job->terms, 1, options, err);
    return status ? status : hr_budget_of(job->method->method, options, out, err);
}

static size_t outputs_of(const hr_schema *schema) {
    const hr_fit_facts facts = {.schema = schema};
    return hr_facts_outputs(&facts);
}

static bool is_logistic(const hr_schema *schema, const hr_fit_options *options) {
    return options->loss == HR_LOSS_LOGISTIC && hr_schema_task(schema) == HR_TASK_BINARY;
}

/* ==== An owner ==== */

typedef struct hedge_owner {
    kept kept; /* first */
    hr_arena *arena;
    hr_csprng *csprng;
    hr_gate *gate; /* holds what the job costs */
    hr_records *records;
    hr_hedge_hearer hearer;
    size_t heard; /* questions that it took in */
    uint64_t next_group;
} hedge_owner;

static void forget_hedge_owner(kept *self) {
    hedge_owner *o = (hedge_owner *)self;
    hr_records_free(o->records);
    hr_gate_free(o->gate);
    hr_csprng_close(o->csprng);
    hr_arena_free(o->arena);
    free(o);
}

static hr_status hedge_owner_init(hedge_owner *o, const hr_owner_turn *t, hr_error *err) {
    o->kept.forget = forget_hedge_owner;
    const hr_schema *schema = hr_data_schema(t->data);
    hr_fit_options options;
    hr_budget budget;
    hr_status status = budget_of(t->job, &options, &budget, err);
    if (!status && !(o->arena = hr_arena_new())) status = hr_fail_memory(err);
    if (!status) status = hr_csprng_open(&o->csprng, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, o->csprng, &o->gate, err);
    if (status) return status;
    o->hearer = (hr_hedge_hearer){.schema = schema,
                                  .bins = (uint32_t)options.bins,
                                  .outputs = outputs_of(schema),
                                  .logistic = is_logistic(schema, &options),
                                  .privacy_measure = budget.privacy_measure,
                                  .arena = o->arena};
    return hr_records_new(t->data, o->hearer.outputs, HR_HEDGE_CANDIDATES_OWNERS, t->threads, &o->records,
                          err);
}

static hr_status hedge_owner_of(const hr_owner_turn *t, hedge_owner **out, hr_error *err) {
    if (!*t->job->kept) {
        hedge_owner *made = calloc(1, sizeof *made);
        hr_status status = made ? hedge_owner_init(made, t, err) : hr_fail_memory(err);
        if (status) {
            if (made) forget_hedge_owner(&made->kept);
            return status;
        }
        *t->job->kept = made;
    }
    *out = *t->job->kept;
    return HR_OK;
}

/* One answer in the making. */
typedef struct answer {
    hedge_owner *owner;
    const hr_owner_turn *turn;
    hr_sum_question question;
    hr_hedge_question hedge;
    hr_arena *arena;
    hr_permit *permits; /* one a line */
    size_t *counts;     /* values of a line */
    size_t line_count;
} answer;

/* ---- What it costs: always before an exact statistic is looked at ---- */

static hr_status charge_line(answer *a, hr_charge line, size_t count, hr_error *err) {
    size_t shares = hr_summed_shares(a->turn->job, a->question.members), lines;
    hr_gate_releases(a->owner->gate, &lines);
    if (lines == LINES_MAX) return hr_fail(err, HR_E_LIMIT, "", "a job of more than %d releases", LINES_MAX);
    line.group = a->owner->next_group;
    a->counts[a->line_count] = count;
    return hr_gate_charge_share(a->owner->gate, &line, shares, &a->permits[a->line_count++], err);
}

static hr_status charge_bins(answer *a, hr_error *err) {
    const hr_hedge_hearer *h = &a->owner->hearer;
    const hr_edge_question *bins = &a->hedge.bins;
    hr_status status = hr_edge_question_check(h->schema, h->bins, bins, err);
    for (size_t i = 0; !status && i < bins->part_count; i++)
        status = charge_line(a, hr_hedge_question_part(h, &a->hedge, i), bins->parts[i].count, err);
    return status;
}

static hr_status charge_sums(answer *a, hr_error *err) {
    const hr_ask *ask = &a->hedge.ask;
    size_t lines = ask->kind == HR_ASK_BINS ? a->hedge.bins.part_count : ask->line_count;
    a->permits = hr_arena_alloc(a->arena, lines + 1, sizeof *a->permits);
    a->counts = hr_arena_alloc(a->arena, lines + 1, sizeof *a->counts);
    if (!a->permits || !a->counts) return hr_fail_memory(err);
    if (ask->kind == HR_ASK_BINS) return charge_bins(a, err);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < lines; i++) {
        status = charge_line(a, ask->lines[i], ask->counts[i], err);
        a->owner->next_group++;
    }
    return status;
}

static hr_status charge_question(answer *a, hr_permit *choice, hr_error *err) {
    hr_charge line = a->hedge.ask.lines[0];
    if (a->question.choice != (a->hedge.ask.kind == HR_ASK_CHOICE))
        return hr_fail(err, HR_E_FORMAT, "", "a question of hedge that is not asked so");
    line.group = a->owner->next_group++;
    if (a->question.choice) return hr_gate_charge_choice(a->owner->gate, &line, choice, err);
    return a->question.here ? charge_sums(a, err) : HR_OK;
}

/* ---- Answers ---- */

static hr_status exact_sums(answer *a, hr_exact *out, hr_error *err) {
    if (a->hedge.ask.kind == HR_ASK_BINS)
        return hr_edges_count_nodes(a->turn->data, a->owner->hearer.bins, &a->hedge.bins, out, err);
    return hr_records_sums(a->owner->records, &a->hedge.ask, out, err);
}

static hr_status give_share(answer *a, hr_bytes *out, hr_error *err) {
    size_t values = hr_ask_values(&a->hedge.ask);
    hr_exact *exact = hr_arena_alloc(a->arena, values + 1, sizeof *exact);
    uint64_t *share = hr_arena_alloc(a->arena, values + 1, sizeof *share);
    hr_mask *mask = NULL;
    hr_status status = exact && share ? exact_sums(a, exact, err) : hr_fail_memory(err);
    if (!status) status = hr_securesum_mask(a->turn->job->protocol, a->turn->slot, &mask, err);
    if (status) return status;
    for (size_t i = 0, at = 0; i < a->line_count; at += a->counts[i++])
        hr_gate_share(a->owner->gate, a->permits[i], exact + at, mask, a->counts[i], share + at);
    hr_mask_free(mask);
    return hr_securesum_pack_share(&a->question, share, values, out, err);
}

static hr_status give_choice(answer *a, hr_permit permit, hr_bytes *out, hr_error *err) {
    const hr_ask *ask = &a->hedge.ask;
    hr_exact *scores = hr_arena_alloc(a->arena, ask->tree_count, sizeof *scores);
    hr_status status = scores ? hr_records_scores(a->owner->records, ask, scores, err) : hr_fail_memory(err);
    if (status) return status;
    size_t chosen = hr_gate_choose(a->owner->gate, permit, scores, ask->tree_count);
    return hr_securesum_pack_choice(&a->question, (uint32_t)chosen, out, err);
}

/* A sum of others, or one that it answered before: the records take the step that it tells of. */
static hr_status follow(answer *a, hr_error *err) {
    if (a->hedge.ask.kind != HR_ASK_LEAVES) return HR_OK;
    hr_exact *ignored = hr_arena_alloc(a->arena, hr_ask_values(&a->hedge.ask) + 1, sizeof *ignored);
    return ignored ? hr_records_sums(a->owner->records, &a->hedge.ask, ignored, err) : hr_fail_memory(err);
}

/* Question `index`; it is answered if it is the one of the turn. What was asked of this owner before is
 * charged again where it is heard again: after a crash the gate knows nothing. */
static hr_status take_question(hedge_owner *o, const hr_owner_turn *t, size_t index, hr_bytes *out,
                               hr_error *err) {
    answer a = {.owner = o, .turn = t, .arena = hr_arena_new()};
    hr_permit choice = {0};
    if (!a.arena) return hr_fail_memory(err);
    hr_securesum_question(t->job->protocol, index, &a.question);
    hr_status status = hr_hedge_question_read(&o->hearer, &a.question.body, a.arena, &a.hedge, err);
    if (!status) status = charge_question(&a, &choice, err);
    if (!status && index < t->slot)
        status = follow(&a, err);
    else if (!status)
        status = a.question.choice ? give_choice(&a, choice, out, err) : give_share(&a, out, err);
    hr_arena_free(a.arena);
    return status;
}

static hr_status answer_federated_hedge(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    hedge_owner *o = NULL;
    hr_status status = hedge_owner_of(t, &o, err);
    for (; !status && o->heard <= t->slot; o->heard++) status = take_question(o, t, o->heard, out, err);
    return status;
}

/* ==== The coordinator ==== */

typedef struct hedge_coordinator {
    kept kept; /* first */
    hr_arena *arena;
    hr_csprng *coins, *unused; /* nothing is drawn from the second: the account draws no noise */
    hr_gate *account;          /* what each owner is charged */
    hr_hedge *hedge;
    hr_edge_levels *levels;
    uint32_t bins;
    size_t outputs, told; /* told: outcomes */
    size_t lost_in_a_row;
    size_t members, honest; /* of the last sum */
    uint64_t next_group;
} hedge_coordinator;

static void forget_hedge_coordinator(kept *self) {
    hedge_coordinator *c = (hedge_coordinator *)self;
    hr_hedge_free(c->hedge);
    hr_edge_levels_free(c->levels);
    hr_gate_free(c->account);
    hr_csprng_close(c->coins);
    hr_csprng_close(c->unused);
    hr_arena_free(c->arena);
    free(c);
}

static uint64_t coins_of(const hr_party_job *job) {
    uint64_t seed;
    memcpy(&seed, hr_securesum_start(job->protocol)->bytes, sizeof seed);
    return seed;
}

static hr_status hedge_coordinator_init(hedge_coordinator *c, const hr_party_job *job, hr_error *err) {
    c->kept.forget = forget_hedge_coordinator;
    hr_fit_options options;
    hr_budget budget;
    hr_status status = budget_of(job, &options, &budget, err);
    if (!status && !(c->arena = hr_arena_new())) status = hr_fail_memory(err);
    if (!status) status = hr_csprng_open_seeded(coins_of(job), &c->coins, err);
    if (!status) status = hr_csprng_open_seeded(0, &c->unused, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, c->unused, &c->account, err);
    if (status) return status;
    c->bins = (uint32_t)options.bins;
    c->outputs = outputs_of(job->schema);
    c->next_group = FIRST_GROUP;
    const hr_hedge_terms terms = {.setting = {.privacy_measure = budget.privacy_measure,
                                              .unit = hr_hedge_unit_of(job->schema),
                                              .budget = budget.units,
                                              .task = hr_schema_task(job->schema),
                                              .has_quantiles = hr_edges_need_quantiles(job->schema, c->bins)},
                                  .outputs = c->outputs,
                                  .logistic = is_logistic(job->schema, &options)};
    return hr_hedge_new(&terms, c->coins, c->arena, &c->hedge, err);
}

/* ---- What was told ---- */

static double noise_factor(const hedge_coordinator *c) {
    return sqrt((double)c->members / (double)c->honest);
}

/* The account has a line for each that the owners' gates have. */
static hr_status note_line(hedge_coordinator *c, hr_charge line, hr_error *err) {
    hr_permit unused;
    line.group = c->next_group;
    return hr_gate_charge_share(c->account, &line, c->honest, &unused, err);
}

static hr_status note_sums(hedge_coordinator *c, const hr_ask *ask, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < ask->line_count; i++) {
        status = note_line(c, ask->lines[i], err);
        c->next_group++;
    }
    return status;
}

static hr_status note_bins(hedge_coordinator *c, const hr_party_job *job, const hr_charge *whole,
                           const hr_edge_question *question, hr_units *cost, hr_error *err) {
    size_t lines = hr_edge_levels_lines(job->schema, c->bins);
    const hr_privacy_unit unit = hr_hedge_unit_of(job->schema);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < question->part_count; i++) {
        hr_charge line = hr_edge_levels_charge(whole, lines, question->parts[i].level, unit);
        *cost += line.cost;
        status = note_line(c, line, err);
    }
    return status;
}

/* The records of one owner pay for its turns alone: it is a part of the group of all choices. */
static hr_status tell_choice(hedge_coordinator *c, const hr_ask *ask, const hr_sum_outcome *outcome,
                             hr_error *err) {
    hr_charge line = ask->lines[0];
    hr_permit unused;
    hr_status status = HR_OK;
    line.group = CHOICES;
    line.part = outcome->member;
    if (outcome->member != HR_NO_MEMBER) status = hr_gate_charge_choice(c->account, &line, &unused, err);
    if (!status) hr_hedge_choice(c->hedge, outcome->index < ask->tree_count ? outcome->index : 0);
    return status;
}

/* The largest that a sum can be whose owners follow the protocol, but for 8 standard deviations of noise. */
static bool are_possible(const hedge_coordinator *c, const hr_ask *ask, const hr_noisy *values) {
    double records = hr_hedge_record_count(c->hedge);
    size_t at = 0;
    if (ask->kind == HR_ASK_TOTALS) return true;
    for (size_t i = 0; i < ask->line_count; i++) {
        const hr_charge *line = &ask->lines[i];
        double reach = (double)line->sensitivity,
               most = records * reach +
                      8 * noise_factor(c) *
                          hr_noise_deviation(hr_gate_privacy_measure(c->account), line->cost, reach);
        for (size_t v = 0; v < ask->counts[i]; v++, at++)
            if (fabs((double)values[at].paid) > 2 * most) return false;
    }
    return true;
}

/* NULL: lost. */
static hr_status values_of(const hedge_coordinator *c, const hr_sum_outcome *outcome, const hr_ask *ask,
                           hr_noisy **out, hr_error *err) {
    *out = NULL;
    hr_status status = outcome->lost ? HR_OK : hr_summed_values(outcome, out, err);
    if (!*out || ask->kind == HR_ASK_BINS || are_possible(c, ask, *out)) return status;
    free(*out);
    *out = NULL;
    return HR_OK;
}

static hr_status tell_sums(hedge_coordinator *c, const hr_ask *ask, const hr_noisy *values, hr_error *err) {
    hr_status status = note_sums(c, ask, err);
    return status ? status : hr_hedge_sums(c->hedge, values, noise_factor(c), err);
}

static hr_status tell_bins(hedge_coordinator *c, const hr_party_job *job, const hr_ask *ask,
                           const hr_noisy *values, hr_error *err) {
    hr_edge_question question;
    hr_units cost = 0;
    hr_edge_levels_ask(c->levels, &question);
    hr_status status = note_bins(c, job, &ask->lines[0], &question, &cost, err);
    if (status) return status;
    return values ? hr_edge_levels_tell(c->levels, values, err) : hr_hedge_lose(c->hedge, cost, err);
}

static hr_status tell_outcome(hedge_coordinator *c, const hr_party_job *job, const hr_sum_outcome *outcome,
                              const hr_ask *ask, hr_error *err) {
    hr_noisy *values = NULL;
    if (ask->kind == HR_ASK_CHOICE) return tell_choice(c, ask, outcome, err);
    if (!outcome->members) { /* nobody heard it: it costs nothing, and is asked again */
        c->lost_in_a_row++;
        return HR_OK;
    }
    c->members = outcome->members;
    c->honest = hr_summed_shares(job, outcome->members);
    hr_status status = values_of(c, outcome, ask, &values, err);
    if (status) return status;
    c->lost_in_a_row = values ? 0 : c->lost_in_a_row + 1;
    status = ask->kind == HR_ASK_BINS ? tell_bins(c, job, ask, values, err) : tell_sums(c, ask, values, err);
    free(values);
    return status;
}

/* ---- What is asked ---- */

static hr_status open_levels(hedge_coordinator *c, const hr_party_job *job, const hr_charge *whole,
                             hr_error *err) {
    size_t lines = hr_edge_levels_lines(job->schema, c->bins);
    hr_edge_levels_setup setup = {.schema = job->schema, .bins = c->bins, .arena = c->arena};
    if (lines) {
        const hr_charge line = hr_edge_levels_charge(whole, lines, 1, hr_hedge_unit_of(job->schema));
        setup.noise = noise_factor(c) * hr_noise_deviation(hr_gate_privacy_measure(c->account), line.cost,
                                                           (double)line.sensitivity);
    }
    return hr_edge_levels_new(&setup, &c->levels, err);
}

/* The bins are whole once nothing more is asked about them. */
static hr_status settle_bins(hedge_coordinator *c, const hr_party_job *job, hr_error *err) {
    hr_ask ask;
    hr_edge_question question;
    if (!hr_hedge_ask(c->hedge, &ask) || ask.kind != HR_ASK_BINS) return HR_OK;
    hr_status status = c->levels ? HR_OK : open_levels(c, job, &ask.lines[0], err);
    if (status || hr_edge_levels_ask(c->levels, &question)) return status;
    hr_hedge_set_owners(c->hedge, c->members, c->honest);
    c->next_group++;
    return hr_hedge_bins(c->hedge, hr_edge_levels_binning(c->levels), err);
}

/* What became of the questions that are not told yet. */
static hr_status hear_outcomes(hedge_coordinator *c, const hr_party_job *job, hr_error *err) {
    hr_sum_outcome outcome;
    hr_ask ask;
    hr_status status = settle_bins(c, job, err);
    while (!status && hr_securesum_outcome(job->protocol, c->told, &outcome) &&
           hr_hedge_ask(c->hedge, &ask)) {
        status = tell_outcome(c, job, &outcome, &ask, err);
        c->told++;
        if (!status) status = settle_bins(c, job, err);
    }
    return status;
}

static hr_status hedge_coordinator_of(const hr_party_job *job, hedge_coordinator **out, hr_error *err) {
    if (!*job->kept) {
        hedge_coordinator *made = calloc(1, sizeof *made);
        hr_status status = made ? hedge_coordinator_init(made, job, err) : hr_fail_memory(err);
        if (status) {
            if (made) forget_hedge_coordinator(&made->kept);
            return status;
        }
        *job->kept = made;
    }
    *out = *job->kept;
    return hear_outcomes(*out, job, err);
}

static hr_status pack_hedge_ask(const hedge_coordinator *c, const hr_ask *ask, Hedgerow__Question *out,
                                hr_bytes *body, hr_error *err) {
    hr_edge_question bins = {0};
    size_t total, round = hr_hedge_rounds(c->hedge, &total), turns = hr_hedge_turns(c->hedge);
    const hr_hedge_asked asked = {.ask = ask,
                                  .bins = ask->kind == HR_ASK_BINS ? &bins : NULL,
                                  .outputs = c->outputs,
                                  .first = round == 0};
    if (ask->kind == HR_ASK_BINS) hr_edge_levels_ask(c->levels, &bins);
    hr_status status = hr_hedge_question_pack(&asked, body, err);
    if (status) return status;
    out->body = hr_data_of(body->at, body->size);
    if (ask->kind == HR_ASK_CHOICE)
        out->turns = (uint32_t)(turns ? turns : total);
    else
        out->values = (uint32_t)(ask->kind == HR_ASK_BINS ? bins.values : hr_ask_values(ask));
    return HR_OK;
}

static bool is_reported(size_t round, size_t total) {
    return round * REPORTS_A_JOB / total != (round + 1) * REPORTS_A_JOB / total;
}

static void tell_progress(const hedge_coordinator *c, const hr_ask *ask, const hr_party_job *job,
                          const hr_party_work *work) {
    static const char *const questions[] = {[HR_ASK_TOTALS] = "the number of records",
                                            [HR_ASK_BINS] = "the bins of numeric features",
                                            [HR_ASK_RELIABILITY] = "the calibration"};
    size_t total, round = hr_hedge_rounds(c->hedge, &total);
    if (c->lost_in_a_row && ask->kind != HR_ASK_CHOICE)
        hr_job_log(work, job->record, HR_LOG_WARNING, "a sum was lost, since an owner's answer is missing");
    if (ask->kind == HR_ASK_LEAVES)
        hr_job_log(work, job->record, is_reported(round, total) ? HR_LOG_INFO : HR_LOG_DEBUG,
                   "round %zu of %zu", round + 1, total);
    else if (ask->kind != HR_ASK_CHOICE)
        hr_job_log(work, job->record, HR_LOG_INFO, "asks for %s", questions[ask->kind]);
}

/* An owner hears questions, and not which round they are of. After a restart the coordinator knows the round
 * when the next question is asked. */
static void find_hedge_round(const hr_party_job *job, hr_job_position *out) {
    const hedge_coordinator *c = job->is_coordinator ? *job->kept : NULL;
    hr_summed_round(job, out);
    if (!out->step || !c || !c->hedge) return;
    const size_t round = hr_hedge_rounds(c->hedge, &out->rounds);
    out->round = round < out->rounds ? round + 1 : out->rounds;
}

/* After the first round a job whose owners do not answer ends with the trees that there are. */
static hr_status give_up_or_end(const hedge_coordinator *c, Hedgerow__Question *out, hr_error *err) {
    if (!hr_hedge_forest(c->hedge)->tree_count)
        return hr_fail(err, HR_E_IO, "start again when the owners can be reached",
                       "%d sums in a row were lost", LOST_MAX);
    out->done = true;
    return HR_OK;
}

/* The last question holds the whole forest. */
static hr_status end_uncalibrated(const hr_party_job *job, const hr_party_work *work,
                                  Hedgerow__Question *out) {
    hr_job_log(work, job->record, HR_LOG_WARNING,
               "probabilities are not calibrated: the forest is too long for a message");
    out->done = true;
    return HR_OK;
}

static hr_status ask_federated_hedge(const hr_party_job *job, hr_party_work *work, Hedgerow__Question *out,
                                     hr_bytes *body, hr_error *err) {
    hedge_coordinator *c = NULL;
    hr_ask ask;
    hr_status status = hedge_coordinator_of(job, &c, err);
    if (status) return status;
    if (c->lost_in_a_row >= LOST_MAX) return give_up_or_end(c, out, err);
    out->done = !hr_hedge_ask(c->hedge, &ask);
    if (out->done) return HR_OK;
    tell_progress(c, &ask, job, work);
    status = pack_hedge_ask(c, &ask, out, body, err);
    return status == HR_E_LIMIT && ask.kind == HR_ASK_RELIABILITY ? end_uncalibrated(job, work, out) : status;
}

/* ---- The model ---- */

static hr_status copy_forest(const hr_forest *from, hr_joint_model *m, hr_error *err) {
    hr_forest *to = &m->forest;
    *to = *from;
    to->base = hr_arena_alloc(m->arena, from->output_count, sizeof *to->base);
    to->trees = hr_arena_alloc(m->arena, from->tree_count + 1, sizeof *to->trees);
    if (!to->base || !to->trees) return hr_fail_memory(err);
    memcpy(to->base, from->base, from->output_count * sizeof *to->base);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < from->tree_count; i++) {
        status = hr_tree_copy(&from->trees[i], m->arena, &to->trees[i], err);
        to->trees[i].output = from->trees[i].output;
    }
    return status;
}

static hr_status assemble_federated_hedge(const hr_party_job *job, hr_joint_model *m, hr_error *err) {
    hedge_coordinator *c = NULL;
    hr_status status = hedge_coordinator_of(job, &c, err);
    if (!status) status = hr_summed_describe(job, c->account, m, err);
    return status ? status : copy_forest(hr_hedge_forest(c->hedge), m, err);
}

/* ==== The method ==== */

static void set_federated_defaults(hr_fit_options *options) {
    options->delta = 1e-6;
}

static hr_status check_federated_schema(const hr_schema *schema, hr_error *err) {
    (void)schema, (void)err;
    return HR_OK;
}

static void forget_federated_hedge(void *self) {
    if (self) ((kept *)self)->forget(self);
}

/* Where the bounds are known and the records are not, quantiles are worth their cost. */
static const char *const hedge_left_out[] = {"edges", NULL};

const hr_federated_method hr_federated_hedge = {
    .method = &hr_method_hedge,
    .left_out = hedge_left_out,
    .owner = hr_securesum_owner,
    .coordinator = hr_securesum_coordinator,
    .persons = true,
    .defaults = set_federated_defaults,
    .check_schema = check_federated_schema,
    .check_terms = hr_federated_hedge_check,
    .plan = hr_federated_hedge_plan,
    .answer = answer_federated_hedge,
    .model = hr_securesum_model,
    .ask = ask_federated_hedge,
    .forget = forget_federated_hedge,
    .part = hr_securesum_part,
    .round = find_hedge_round,
    .assemble = assemble_federated_hedge,
};
