/* hedge over owners (docs/explanation/hedge.md): no party sees all records, and the coordinator sees none.
 * The machine of methods/hedge/hedge_machine.c runs at the coordinator. Its sums are secure sums: each owner
 * adds a share of the noise and a mask to its own, and only the total is learned. Trees are chosen in turns,
 * each by one owner on its own records. A sum that lacks an answer is dropped, and was paid for all the
 * same. */
#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/hedge/federated_interval.h"
#include "federation/hedge/hedge_cuts.h"
#include "federation/hedge/hedge_question_wire.h"
#include "federation/sums/sum_checks.h"
#include "federation/sums/summed_coordinator.h"
#include "fit/budget.h"
#include "fit/cuts.h"
#include "methods/hedge/hedge_machine.h"
#include "privacy/crypto/csprng.h"
#include "privacy/noise.h"
#include "tables/bins/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES, FIRST_GROUP };                /* groups of the charges: all choices, then one a line */
enum { DROPPED_MAX = 3, REPORTS_A_JOB = 10 }; /* sums in a row; lines of progress */

static hr_status options_of(const hr_job_view *job, hr_fit_options *options, hr_error *err) {
    return hr_options_of_terms(job->terms, 1, options, err);
}

static hr_status hedge_budget(const hr_job_view *job, hr_budget *out, hr_error *err) {
    hr_fit_options options;
    hr_status status = options_of(job, &options, err);
    return status ? status : hr_budget_of(job->method->method, &options, out, err);
}

/* ---- The coordinator ---- */

typedef struct hedge_coordinator {
    hr_arena *arena; /* of the job; borrowed */
    hr_csprng *public_random;
    hr_hedge_cuts cuts; /* of times; the machine has what they leave of the budget */
    hr_units budget;
    hr_hedge *hedge; /* NULL: there are no cuts yet */
    hr_edge_levels *levels;
    hr_privacy_measure privacy_measure;
    uint32_t bins;
    size_t outputs;
    hr_sum_checks checks;
    size_t members, shares; /* of the last sum */
    double noise_factor;    /* of the last sum */
    uint64_t next_group;
    hr_federated_interval interval;
} hedge_coordinator;

static void close_hedge_coordinator(void *state) {
    hedge_coordinator *c = state;
    hr_hedge_free(c->hedge);
    hr_edge_levels_free(c->levels);
    hr_schema_free(c->cuts.schema);
    hr_csprng_close(c->public_random);
}

static hr_status open_machine(hedge_coordinator *c, const hr_job_view *job, hr_error *err) {
    const hr_schema *schema = c->cuts.schema ? c->cuts.schema : job->schema;
    hr_fit_options options;
    hr_interactions interactions;
    hr_status status = options_of(job, &options, err);
    if (!status) status = hr_interactions_read(options.interactions, schema, c->arena, &interactions, err);
    if (status) return status;
    c->outputs = hr_hedge_outputs(schema);
    const hr_hedge_terms terms = {.setting = {.privacy_measure = c->privacy_measure,
                                              .unit = hr_hedge_unit_of(schema),
                                              .budget = c->budget,
                                              .dropped = c->cuts.dropped,
                                              .task = hr_schema_task(schema),
                                              .has_private_edges = hr_edges_need_quantiles(schema, c->bins)},
                                  .outputs = c->outputs,
                                  .objective = hr_hedge_objective(&options, hr_schema_task(schema)),
                                  .interactions = interactions,
                                  .schema = schema};
    return hr_hedge_new(&terms, c->public_random, c->arena, &c->hedge, err);
}

static hr_status open_hedge_coordinator(const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                                        void **state, hr_error *err) {
    hr_fit_options options;
    uint64_t seed;
    hedge_coordinator *c = *state = hr_arena_alloc(arena, 1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    *c = (hedge_coordinator){.arena = arena, .next_group = FIRST_GROUP};
    memcpy(&seed, hr_securesum_start(job->protocol)->bytes, sizeof seed);
    hr_status status = options_of(job, &options, err);
    if (!status) status = hr_csprng_open_seeded(seed, &c->public_random, err);
    if (status) return status;
    c->privacy_measure = budget->privacy_measure;
    c->cuts.cost = hr_cuts_cost(&hr_method_hedge, job->schema, budget->units);
    c->budget = budget->units - c->cuts.cost;
    c->checks = (hr_sum_checks){.privacy_measure = budget->privacy_measure,
                                .unit = hr_hedge_unit_of(job->schema),
                                .exposed = hr_schema_exposure(job->schema, NULL),
                                .held_out = hr_conformal_coverage(&options) > 0};
    hr_federated_interval_open(&c->interval, &options, job->schema, budget);
    c->bins = (uint32_t)options.bins;
    return c->cuts.cost ? HR_OK : open_machine(c, job, err);
}

/* ---- The next question ---- */

static hr_status open_levels(hedge_coordinator *c, const hr_job_view *job, const hr_charge *whole,
                             hr_error *err) {
    size_t lines = hr_edge_levels_lines(job->schema, c->bins);
    hr_edge_levels_setup setup = {.schema = job->schema, .bins = c->bins, .arena = c->arena};
    if (lines) {
        const hr_charge line = hr_edge_levels_charge(whole, lines, 1, hr_hedge_unit_of(job->schema));
        setup.noise =
            c->noise_factor * hr_noise_deviation(c->privacy_measure, line.cost, (double)line.sensitivity);
    }
    return hr_edge_levels_new(&setup, &c->levels, err);
}

/* The bins are whole once no question about them is left. */
static hr_status settle_bins(hedge_coordinator *c, const hr_job_view *job, hr_error *err) {
    hr_hedge_question question;
    if (!c->hedge || !hr_hedge_next(c->hedge, &question) || question.kind != HR_HEDGE_BINS) return HR_OK;
    hr_status status = c->levels ? HR_OK : open_levels(c, job, &question.lines[0], err);
    const hr_binning *whole = status ? NULL : hr_edge_levels_binning(c->levels);
    if (!whole) return status;
    hr_hedge_set_owners(c->hedge, c->members, c->shares);
    c->next_group++;
    return hr_hedge_bins(c->hedge, whole, err);
}

/* The next question, as the coordinator has it. */
typedef struct hedge_request {
    hr_hedge_question question;
    hr_edge_question bins; /* of HR_HEDGE_BINS */
} hedge_request;

/* All lines about bins are in one group. */
static hr_status list_bins_request(const hedge_coordinator *c, const hr_job_view *job, const hedge_request *r,
                                   hr_arena *arena, hr_summed_question *out, hr_error *err) {
    const size_t parts = r->bins.part_count, levels = hr_edge_levels_lines(job->schema, c->bins);
    hr_charge *lines = hr_arena_alloc(arena, parts + 1, sizeof *lines);
    size_t *counts = hr_arena_alloc(arena, parts + 1, sizeof *counts);
    if (!lines || !counts) return hr_fail_memory(err);
    for (size_t i = 0; i < parts; i++) {
        lines[i] = hr_edge_levels_charge(&r->question.lines[0], levels, r->bins.parts[i].level,
                                         hr_hedge_unit_of(job->schema));
        lines[i].group = c->next_group;
        counts[i] = r->bins.parts[i].count;
    }
    out->lines = lines;
    out->counts = counts;
    out->line_count = parts;
    return HR_OK;
}

static hr_status list_cuts_request(const hedge_coordinator *c, const hr_job_view *job, hedge_request *r,
                                   hr_arena *arena, hr_summed_question *out, hr_error *err) {
    r->question = (hr_hedge_question){.kind = HR_HEDGE_CUTS,
                                      .lines = {hr_hedge_cuts_charge(&c->cuts, c->next_group)},
                                      .counts = {HR_TIME_CUTS_NODES},
                                      .line_count = 1};
    out->content = r;
    return hr_hedge_cuts_list(&r->question.lines[0], hr_hedge_unit_of(job->schema), arena, out, err);
}

/* After the first round a job whose owners do not answer ends with the trees that there are. */
static hr_status end_early(const hedge_coordinator *c, bool *more, hr_error *err) {
    char suspect[HR_SUSPECT_TEXT];
    hr_sum_checks_text(&c->checks, suspect);
    const size_t trees = c->hedge ? hr_hedge_forest(c->hedge)->tree_count : 0;
    if (!trees && *suspect)
        return hr_fail(err, HR_E_POLICY, "ask the owners for their numbers of records",
                       "%d sums in a row were not usable; checks that failed: %s", DROPPED_MAX, suspect);
    if (!trees)
        return hr_fail(err, HR_E_IO, "start again when the owners can be reached",
                       "%d sums in a row were lost", DROPPED_MAX);
    *more = false;
    return HR_OK;
}

static hr_status next_hedge_question(void *state, const hr_summed_progress *progress, hr_arena *arena,
                                     hr_summed_question *out, bool *more, hr_error *err) {
    hedge_coordinator *c = state;
    hedge_request *r = hr_arena_alloc(arena, 1, sizeof *r);
    hr_status status = r ? settle_bins(c, progress->job, err) : hr_fail_memory(err);
    if (status) return status;
    if (progress->dropped >= DROPPED_MAX) return end_early(c, more, err);
    if (!c->hedge) return list_cuts_request(c, progress->job, r, arena, out, err);
    *more = hr_hedge_next(c->hedge, &r->question) ||
            hr_federated_interval_next(&c->interval, hr_hedge_forest(c->hedge), &r->question);
    if (!*more) return HR_OK;
    out->content = r;
    if (r->question.kind == HR_HEDGE_BINS) {
        hr_edge_levels_next(c->levels, &r->bins);
        return list_bins_request(c, progress->job, r, arena, out, err);
    }
    hr_hedge_question_list(&r->question, out);
    out->spare = r->question.kind == HR_HEDGE_LEAVES;
    for (size_t i = 0; i < out->line_count; i++)
        r->question.lines[i].group = out->choice ? CHOICES : c->next_group + i;
    return HR_OK;
}

static size_t rounds_of(const hedge_coordinator *c, size_t *total) {
    *total = 0;
    return c->hedge ? hr_hedge_rounds(c->hedge, total) : 0;
}

static bool is_reported(size_t round, size_t total) {
    return round * REPORTS_A_JOB / total != (round + 1) * REPORTS_A_JOB / total;
}

static void log_request(const hedge_coordinator *c, const hr_hedge_question *question,
                        const hr_summed_progress *progress) {
    static const char *const questions[] = {[HR_HEDGE_TOTALS] = "the number of records",
                                            [HR_HEDGE_BINS] = "the bins of numeric features",
                                            [HR_HEDGE_RELIABILITY] = "the calibration",
                                            [HR_HEDGE_CUTS] = "the cuts of times",

                                            [HR_HEDGE_LEVELS] = "the correction of the interval"};
    const hr_journal_job *record = progress->job->record;
    size_t total, round = rounds_of(c, &total);
    if (question->kind == HR_HEDGE_LEAVES)
        hr_job_log(progress->work, record, is_reported(round, total) ? HR_LOG_INFO : HR_LOG_DEBUG,
                   "round %zu of %zu", round + 1, total);
    else if (question->kind != HR_HEDGE_CHOICE)
        hr_job_log(progress->work, record, HR_LOG_INFO, "asks for %s", questions[question->kind]);
}

/* The last question holds the whole forest. */
static hr_status end_uncorrected(const hr_summed_progress *progress, const char *what,
                                 Hedgerow__Question *out) {
    hr_job_log(progress->work, progress->job->record, HR_LOG_WARNING,
               "%s: the forest is too long for a message", what);
    out->done = true;
    return HR_OK;
}

static hr_status pack_hedge_question(void *state, const hr_summed_progress *progress,
                                     const hr_summed_question *q, Hedgerow__Question *out, hr_bytes *body,
                                     hr_error *err) {
    const hedge_coordinator *c = state;
    const hedge_request *r = q->content;
    const hr_column *found = c->cuts.schema ? hr_schema_label(c->cuts.schema) : NULL;
    size_t total, round = rounds_of(c, &total);
    const hr_hedge_question_out asked = {.question = &r->question,
                                         .bins = r->question.kind == HR_HEDGE_BINS ? &r->bins : NULL,
                                         .outputs = c->outputs,
                                         .first = round == 0,
                                         .cuts = found ? found->intervals : NULL,
                                         .cut_count = found ? found->interval_count : 0};
    log_request(c, &r->question, progress);
    if (q->choice) {
        const size_t turns = hr_hedge_turns(c->hedge);
        out->turns = (uint32_t)(turns ? turns : total);
    }
    hr_status status = hr_hedge_question_pack(&asked, body, err);
    if (status == HR_E_LIMIT && r->question.kind == HR_HEDGE_RELIABILITY)
        return end_uncorrected(progress, "probabilities are not calibrated", out);
    if (status == HR_E_LIMIT && r->question.kind == HR_HEDGE_LEVELS)
        return end_uncorrected(progress, "the interval is not corrected", out);
    return status;
}

/* An owner receives questions, and not which round they are of. After a restart the coordinator knows the
 * round when it sends the next question. */
static void find_hedge_round(const hr_job_view *job, hr_job_position *out) {
    const hedge_coordinator *c = hr_summed_coordinator_state(job);
    hr_summed_round(job, out);
    if (!out->step || !c) return;
    const size_t round = rounds_of(c, &out->rounds);
    if (!out->rounds) return;
    out->round = round < out->rounds ? round + 1 : out->rounds;
}

/* ---- What became of it ---- */

/* The lines of a question whose numbers are counts of disjoint sets of records, or sums over leaves. */
static void check_sets(hedge_coordinator *c, const hr_summed_question *q, const hr_summed_reply *reply) {
    const hr_hedge_question *question = &((const hedge_request *)q->content)->question;
    const bool leaves = question->kind == HR_HEDGE_LEAVES,
               nodes = question->kind == HR_HEDGE_BINS || question->kind == HR_HEDGE_CUTS;
    size_t at = 0;
    for (size_t i = 0; i < q->line_count; at += q->counts[i++]) {
        const hr_counted_line line = {.line = &q->lines[i],
                                      .values = reply->values + at,
                                      .count = q->counts[i],
                                      .all = !nodes && i < 2,
                                      .bins = nodes};
        if (leaves && i == 0)
            hr_sum_checks_sets(&c->checks, &line, c->outputs, reply);
        else
            hr_sum_checks_counts(&c->checks, &line, reply);
    }
}

/* The total is not dropped: its bounds take its place, and cost nothing. */
static bool are_possible(void *state, const hr_summed_question *q, const hr_summed_reply *reply) {
    hedge_coordinator *c = state;
    const hr_hedge_question_kind kind = ((const hedge_request *)q->content)->question.kind;
    const hr_counted_line total = {.line = q->lines, .values = reply->values, .count = q->counts[0]};
    if (kind == HR_HEDGE_TOTALS) {
        const hr_total_bounds bounds = hr_total_bounds_of(&c->checks, reply->job->terms, reply->members);
        hr_sum_checks_total(&c->checks, &total, reply);
        hr_hedge_bound_records(c->hedge, bounds.least, bounds.most);
        return true;
    }
    if (kind == HR_HEDGE_LEVELS) return hr_federated_interval_possible(&c->checks, q, reply);
    if (!hr_sum_checks_values(&c->checks, q, reply)) return false;
    check_sets(c, q, reply);
    return true;
}

static const hr_sum_checks *checks_of_hedge(const void *state) {
    return &((const hedge_coordinator *)state)->checks;
}

static hr_status accept_bins(hedge_coordinator *c, const hr_summed_question *q, const hr_summed_reply *reply,
                             hr_error *err) {
    hr_units cost = 0;
    for (size_t i = 0; i < q->line_count; i++) cost += q->lines[i].cost;
    return reply->values ? hr_edge_levels_accept(c->levels, reply->values, err)
                         : hr_hedge_drop_sum(c->hedge, cost, err);
}

static hr_status accept_hedge_answer(void *state, const hr_summed_question *q, const hr_summed_reply *reply,
                                     hr_error *err) {
    hedge_coordinator *c = state;
    const hr_hedge_question *question = &((const hedge_request *)q->content)->question;
    if (q->choice) {
        hr_hedge_choice(c->hedge, reply->index < question->tree_count ? reply->index : 0);
        return HR_OK;
    }
    c->members = reply->members;
    c->shares = reply->shares;
    c->noise_factor = reply->noise_factor;
    if (question->kind == HR_HEDGE_BINS) return accept_bins(c, q, reply, err);
    if (question->kind == HR_HEDGE_CUTS) {
        hr_status status = hr_hedge_cuts_accept(&c->cuts, q, reply, c->privacy_measure, err);
        if (status || !c->cuts.schema) return status;
        c->next_group++;
        return open_machine(c, reply->job, err);
    }
    if (question->kind == HR_HEDGE_LEVELS) {
        hr_federated_interval_accept(&c->interval, reply);
        return HR_OK;
    }
    c->next_group += q->line_count;
    return hr_hedge_sums(c->hedge, reply->values, reply->noise_factor, err);
}

static const hr_summed_coordinator hedge_coordinator_rules = {.open = open_hedge_coordinator,
                                                              .close = close_hedge_coordinator,
                                                              .next = next_hedge_question,
                                                              .possible = are_possible,
                                                              .checks = checks_of_hedge,
                                                              .accept = accept_hedge_answer,
                                                              .pack = pack_hedge_question};

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

static hr_status assemble_federated_hedge(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    void *state = NULL;
    const hr_gate *charges = NULL;
    hr_status status = hr_summed_result(job, &state, &charges, err);
    if (!status) status = hr_summed_describe(job, charges, m, err);
    const hedge_coordinator *c = state;
    if (!status) status = copy_forest(hr_hedge_forest(c->hedge), m, err);
    if (status) return status;
    m->forest.conformal = c->interval.made;
    m->schema = c->cuts.schema;
    return HR_OK;
}

/* ---- The method ---- */

static void set_federated_defaults(hr_fit_options *options) {
    options->delta = 1e-6;
}

/* Where the bounds are known and the records are not, quantiles are worth their cost. */
static const hr_left_out hedge_left_out[] = {{"edges", "remove it: bins over owners are released privately"},
                                             {0}};

static const hr_summed_method hedge_summed = {.protocol = &hr_summed_securesum,
                                              .owner = &hr_hedge_owner_rules,
                                              .coordinator = &hedge_coordinator_rules,
                                              .budget = hedge_budget};

const hr_federated_method hr_federated_hedge = {
    .method = &hr_method_hedge,
    .left_out = hedge_left_out,
    .machines = &hr_summed_machines,
    .persons = true,
    .finds_cuts = true,
    .corrects = true,
    .defaults = set_federated_defaults,
    .check_options = hr_federated_interval_check_options,
    .check_terms = hr_federated_hedge_check,
    .plan = hr_federated_hedge_plan,
    .summed = &hedge_summed,
    .free_state = hr_summed_free,
    .round = find_hedge_round,
    .assemble = assemble_federated_hedge,
};
