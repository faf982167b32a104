/* id3 over owners (docs/how-to/federation.md): no party sees all records, and the coordinator sees none. The
 * machine of methods/forests/id3_machine.c runs at the coordinator. Each level of the tree is one sum over
 * owners: the counts of classes by the bins of all features that its nodes may split by; the leaves are the
 * last one. Each owner adds a share of the noise and a mask to its own counts, and only the total is learned.
 * As published the same questions go along a ring, which is NOT PRIVATE (last section).
 *
 * A sum that lacks an answer is dropped, and was paid for all the same. One level of a job is repeated
 * once, from a reserve that costs as much as a level; if nothing is dropped the leaves get it. */
#include "federation/sums/federated_id3.h"

#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/machines/ring.h"
#include "federation/sums/sum_checks.h"
#include "federation/sums/summed_coordinator.h"
#include "federation/sums/summed_owner.h"
#include "fit/budget.h"
#include "methods/forests/average.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "trees/records/local_source.h"
#include "trees/records/stats_source.h"

#include <math.h>
#include <stdio.h>

/* ---- The terms, and what such a job would do by public facts ---- */

enum { RESERVE = 1 }; /* levels of a job that may be repeated */

static hr_id3_terms terms_of_id3(const Hedgerow__Terms *terms, const hr_schema *schema,
                                 const hr_fit_options *options, const hr_binning *binning) {
    return (hr_id3_terms){.binning = binning,
                          .classes = hr_schema_label(schema)->value_count,
                          .depth = (size_t)options->depth,
                          .leaf_share = options->leaf_share,
                          .published = terms->paper,
                          .reserve = terms->paper ? 0 : RESERVE,
                          .shares = hr_noise_shares(terms->n_owners, terms->coalition)};
}

/* The terms with their budget, checked; *binning lives in the arena. */
static hr_status read_id3_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_arena *arena,
                                hr_binning *binning, hr_id3_terms *out, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) status = hr_budget_check(&hr_method_id3, &options, schema, 1, &budget, err);
    if (!status) status = hr_edges_public(schema, (uint32_t)options.bins, arena, binning, err);
    if (status) return status;
    *out = terms_of_id3(terms, schema, &options, binning);
    out->privacy_measure = budget.privacy_measure;
    out->budget = budget.units;
    status = hr_id3_check(out, err);
    return status == HR_E_BUDGET ? hr_fail_at(err, status, NULL, 0, 0, "epsilon") : status;
}

static hr_status check_id3(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    hr_binning binning;
    hr_id3_terms read;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = read_id3_terms(terms, schema, arena, &binning, &read, err);
    hr_arena_free(arena);
    return status;
}

/* ---- The plan ---- */

/* Of a tree of so many levels. */
static double level_noise(const hr_id3_terms *t, size_t level, size_t levels, double noise_factor) {
    const hr_charge charge = hr_id3_level_charge(t->privacy_measure, t->binning->feature_count, level,
                                                 hr_id3_level_cost(t, levels));
    return noise_factor * hr_id3_count_noise(t, &charge);
}

/* Bins of a feature, on average; `filled` are those of values that the schema lists. */
typedef struct mean_bins {
    double all, filled;
} mean_bins;

static mean_bins mean_bins_of(const hr_binning *binning) {
    double all = 0;
    for (size_t f = 0; f < binning->feature_count; f++) all += (double)binning->features[f].bin_count;
    all /= (double)binning->feature_count;
    return (mean_bins){all, fmax(all - 1, 1)};
}

/* As if every node that has more records than a count has noise were split, into bins that are alike. */
static void add_sums(const hr_id3_terms *t, const hr_planned_job *job, const hr_job_plan_info *plan,
                     hr_job_traffic *traffic) {
    enum { NODE = 2, SPLIT = 3, VALUE = 8, FRAME = 16 };
    const mean_bins bins = mean_bins_of(t->binning);
    const double classes = (double)t->classes, features = (double)t->binning->feature_count;
    double open = 1, leaves = 1, splits = 0;
    if (hr_id3_records_cost(t)) hr_job_traffic_add_prepared(traffic, 1, FRAME, classes * VALUE);
    for (size_t level = 0; level < plan->levels; level++) {
        double counts =
            fmin(open * (features - (double)level) * bins.all * classes, (double)hr_id3_values_max(t));
        hr_job_traffic_add_prepared(traffic, 1, FRAME + open * NODE + splits * SPLIT, counts * VALUE);
        splits = open;
        leaves = fmin(leaves + open * (bins.all - 1), HR_ID3_NODES_MAX);
        double next = level_noise(t, level + 1 < t->binning->feature_count ? level + 1 : level, plan->levels,
                                  plan->noise_factor);
        open = fmin(open * bins.filled, fmin(job->records / fmax(next, 1), (double)HR_ID3_NODES_MAX));
    }
    hr_job_traffic_add_prepared(traffic, 1, FRAME + splits * SPLIT, leaves * classes * VALUE);
}

static void describe_id3_plan(const hr_id3_terms *t, const hr_planned_job *job, hr_job_plan_info *out) {
    const double budget = (double)t->budget, records = (double)hr_id3_records_cost(t);
    out->levels = hr_id3_depth_of_records(t, job->records, out->noise_factor);
    const hr_units level = hr_id3_level_cost(t, out->levels);
    const hr_charge leaves = hr_id3_leaf_charge(t->budget - hr_id3_records_cost(t) - out->levels * level);
    hr_job_traffic traffic;
    out->repeats = t->reserve;
    out->share_level = (double)level / budget;
    out->share_records = records / budget;
    out->share_leaves = 1 - out->share_records - (double)(out->levels + out->repeats) * out->share_level;
    out->level_noise = level_noise(t, 0, out->levels, out->noise_factor);
    out->leaf_noise = out->noise_factor * hr_id3_count_noise(t, &leaves);
    hr_job_traffic_begin(&traffic, job->terms);
    add_sums(t, job, out, &traffic);
    hr_job_traffic_describe(&traffic, out);
}

static hr_status plan_id3(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    hr_binning binning;
    hr_id3_terms terms;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = read_id3_terms(job->terms, job->schema, arena, &binning, &terms, err);
    if (!status) {
        out->plan.epsilon = hr_terms_cost(job->terms);
        out->plan.delta = hr_terms_delta(job->terms);
        describe_id3_plan(&terms, job, out);
    }
    hr_arena_free(arena);
    return status;
}

static hr_status id3_job_budget(const hr_job_view *job, hr_budget *out, hr_error *err) {
    hr_fit_options options;
    hr_status status = check_id3(job->terms, job->schema, err);
    if (!status) status = hr_options_of_terms(job->terms, 1, &options, err);
    return status ? status : hr_budget_of(&hr_method_id3, &options, out, err);
}

/* What both sides know from the terms. It points into itself: it stays where it is. */
typedef struct id3_job {
    hr_binning binning;
    hr_id3_terms terms;
} id3_job;

static hr_status open_id3_job(id3_job *j, const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                              hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_options_of_terms(job->terms, 1, &options, err);
    if (!status) status = hr_edges_public(job->schema, (uint32_t)options.bins, arena, &j->binning, err);
    if (status) return status;
    j->terms = terms_of_id3(job->terms, job->schema, &options, &j->binning);
    j->terms.privacy_measure = budget->privacy_measure;
    j->terms.budget = budget->units;
    return HR_OK;
}

/* As published all questions are charged as one release, with the first. */
static hr_status list_counts(const id3_job *j, const hr_id3_question *question, hr_arena *arena,
                             hr_summed_question *out, hr_error *err) {
    hr_charge *line = hr_arena_alloc(arena, 1, sizeof *line);
    if (!line) return hr_fail_memory(err);
    *line = j->terms.published ? hr_id3_published_charge(&j->terms) : question->line;
    *out =
        (hr_summed_question){.lines = line, .counts = &question->count, .line_count = 1, .content = question};
    return HR_OK;
}

/* ---- An owner ---- */

typedef struct id3_owner {
    id3_job job;
    hr_stats_source *source;
    hr_id3_question_reader *reader;
} id3_owner;

static void close_id3_owner(void *state) {
    id3_owner *o = state;
    hr_id3_question_reader_free(o->reader);
    hr_stats_free(o->source);
}

/* All records of the owner are in the root. */
static hr_status open_id3_owner(const hr_owner_turn *t, const hr_budget *budget, hr_arena *arena,
                                void **state, hr_error *err) {
    const hr_local_stats_records records = {.data = t->data, .threads = t->threads};
    const hr_stats_round round = {.part = 0};
    id3_owner *o = *state = hr_arena_alloc(arena, 1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    const hr_stats_setup setup = {.kind = HR_STATS_LABELS, .binning = &o->job.binning};
    hr_status status = open_id3_job(&o->job, t->job, budget, arena, err);
    if (!status) status = hr_local_stats_source_new(&records, &o->source, err);
    if (!status) status = o->source->ops->prepare(o->source, &setup, err);
    if (!status) status = o->source->ops->begin(o->source, &round, err);
    return status ? status : hr_id3_question_reader_new(&o->job.terms, &o->reader, err);
}

static hr_status read_id3_question(void *state, const hr_owner_turn *turn, const hr_sum_question *received,
                                   hr_arena *arena, hr_summed_question *out, hr_error *err) {
    (void)turn;
    id3_owner *o = state;
    hr_id3_question *question = hr_arena_alloc(arena, 1, sizeof *question);
    if (!question) return hr_fail_memory(err);
    hr_status status = hr_id3_question_read(o->reader, &received->body, arena, question, err);
    if (!status && o->job.terms.published && question->line.cost != o->job.terms.budget)
        status = hr_fail(err, HR_E_FORMAT, "", "a question of id3 whose cost is not that of the whole job");
    return status ? status : list_counts(&o->job, question, arena, out, err);
}

static hr_status count_id3_question(void *state, const hr_owner_turn *turn, const hr_summed_question *q,
                                    hr_exact *out, hr_error *err) {
    (void)turn;
    return hr_id3_records_answer(((id3_owner *)state)->source, q->content, out, err);
}

/* The records follow the splits that the question announces. */
static hr_status follow_id3_splits(void *state, const hr_summed_question *q, hr_arena *arena, hr_error *err) {
    (void)arena;
    hr_id3_question splits = *(const hr_id3_question *)q->content;
    splits.query_count = splits.count = 0;
    return hr_id3_records_answer(((id3_owner *)state)->source, &splits, NULL, err);
}

static const hr_summed_owner id3_owner_rules = {.open = open_id3_owner,
                                                .close = close_id3_owner,
                                                .read = read_id3_question,
                                                .follow = follow_id3_splits,
                                                .count = count_id3_question};

/* ---- The coordinator ---- */

typedef struct id3_coordinator {
    id3_job job;
    hr_id3 *id3;
    size_t learned; /* sums */
    hr_sum_checks checks;
} id3_coordinator;

static void close_id3_coordinator(void *state) {
    hr_id3_free(((id3_coordinator *)state)->id3);
}

static hr_status open_id3_coordinator(const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                                      void **state, hr_error *err) {
    id3_coordinator *c = *state = hr_arena_alloc(arena, 1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    hr_status status = open_id3_job(&c->job, job, budget, arena, err);
    c->checks = (hr_sum_checks){.privacy_measure = budget->privacy_measure, .unit = HR_PER_RECORD};
    return status ? status : hr_id3_new(&c->job.terms, &c->id3, err);
}

/* What is not answered any more is dropped. */
static hr_status end_early(id3_coordinator *c, hr_error *err) {
    hr_id3_question question;
    hr_status status = HR_OK;
    while (!status && hr_id3_next(c->id3, &question)) status = hr_id3_accept(c->id3, NULL, 1, err);
    return status;
}

static hr_status next_id3_question(void *state, const hr_summed_progress *progress, hr_arena *arena,
                                   hr_summed_question *out, bool *more, hr_error *err) {
    id3_coordinator *c = state;
    hr_id3_question *question = hr_arena_alloc(arena, 1, sizeof *question);
    hr_status status = question ? HR_OK : hr_fail_memory(err);
    if (!status && progress->unanswered >= HR_SUMMED_UNANSWERED_MAX) status = end_early(c, err);
    if (status) return status;
    *more = hr_id3_next(c->id3, question);
    if (!*more && !c->learned)
        return hr_fail(err, HR_E_IO, "start again when the owners can be reached", "every sum was lost");
    return *more ? list_counts(&c->job, question, arena, out, err) : HR_OK;
}

/* The records by class are counted first, and the classes of all leaves last; the tables of a level hold each
 * record more than once. As published the noise is not that of a gate, and nothing is checked. */
static bool are_possible_counts(void *state, const hr_summed_question *q, const hr_summed_reply *reply) {
    id3_coordinator *c = state;
    const hr_id3_question *question = q->content;
    const hr_counted_line line = {
        .line = q->lines, .values = reply->values, .count = q->counts[0], .all = true};
    size_t total;
    if (c->job.terms.published) return true;
    const bool leaves = question->queries[0].answer == HR_STATS_LEAVES,
               first = leaves && !hr_id3_levels(c->id3, &total);
    if (first) hr_sum_checks_total(&c->checks, &line, reply);
    if (!hr_sum_checks_values(&c->checks, q, reply)) return false;
    if (leaves && !first) hr_sum_checks_counts(&c->checks, &line, reply);
    return true;
}

static const hr_sum_checks *checks_of_id3(const void *state) {
    return &((const id3_coordinator *)state)->checks;
}

static hr_status accept_id3_counts(void *state, const hr_summed_question *q, const hr_summed_reply *reply,
                                   hr_error *err) {
    (void)q;
    id3_coordinator *c = state;
    c->learned += reply->values != NULL;
    return hr_id3_accept(c->id3, reply->values, reply->noise_factor, err);
}

static hr_status pack_id3_question(void *state, const hr_summed_progress *progress,
                                   const hr_summed_question *q, Hedgerow__Question *out, hr_bytes *body,
                                   hr_error *err) {
    (void)out;
    const id3_coordinator *c = state;
    const hr_id3_question *question = q->content;
    const hr_journal_job *record = progress->job->record;
    const bool published = c->job.terms.published;
    size_t total, levels = hr_id3_levels(c->id3, &total);
    const bool leaves = question->queries[0].answer == HR_STATS_LEAVES;
    if (leaves && !levels)
        hr_job_log(progress->work, record, HR_LOG_INFO, "asks for the records by class");
    else if (leaves)
        hr_job_log(progress->work, record, HR_LOG_INFO, "asks %sfor the classes of %zu leaves",
                   published ? "along the ring " : "", question->count / c->job.terms.classes);
    else if (published)
        hr_job_log(progress->work, record, HR_LOG_INFO, "asks along the ring for the counts of level %zu",
                   levels + 1);
    else
        hr_job_log(progress->work, record, HR_LOG_INFO, "level %d of %zu", (int)question->line.level + 1,
                   total);
    return hr_id3_question_pack(question, body, err);
}

static const hr_summed_coordinator id3_coordinator_rules = {.open = open_id3_coordinator,
                                                            .close = close_id3_coordinator,
                                                            .next = next_id3_question,
                                                            .possible = are_possible_counts,
                                                            .checks = checks_of_id3,
                                                            .accept = accept_id3_counts,
                                                            .pack = pack_id3_question};

static hr_status assemble_id3(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    const double *leaf_values;
    void *state = NULL;
    const hr_gate *charges = NULL;
    hr_status status = hr_summed_result(job, &state, &charges, err);
    id3_coordinator *c = state;
    if (!status) status = end_early(c, err);
    if (!status) status = hr_summed_describe(job, charges, m, err);
    if (status) return status;
    const hr_tree tree = hr_id3_tree(c->id3, &leaf_values);
    return hr_average_of_one(job->schema, &tree, leaf_values, m->arena, &m->forest, err);
}

/* ---- The method ---- */

static void set_id3_defaults(hr_fit_options *options) {
    if (options->mode == HR_MODE_SOUND) options->delta = 1e-6;
}

static hr_status check_id3_schema(const hr_schema *schema, hr_error *err) {
    if (hr_task_has_classes(hr_schema_task(schema))) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "write 'method: hedge'",
                   "id3 supports labels that are classes; this label is a number");
}

static const hr_summed_method id3_summed = {.protocol = &hr_summed_securesum,
                                            .owner = &id3_owner_rules,
                                            .coordinator = &id3_coordinator_rules,
                                            .budget = id3_job_budget};

const hr_federated_method hr_federated_id3 = {
    .method = &hr_method_id3,
    .machines = &hr_summed_machines,
    .paper = &hr_federated_id3_ring,
    .defaults = set_id3_defaults,
    .check_schema = check_id3_schema,
    .check_terms = check_id3,
    .plan = plan_id3,
    .summed = &id3_summed,
    .free_state = hr_summed_free,
    .assemble = assemble_id3,
};

/* ---- As published ----
 *
 * The noise lambda (ln r_x - ln r_y) of a count is a difference of two halves; owner i adds its part of each,
 * a Polya variable of shape 1/n where the paper has real numbers, so that the parts of all n owners make up
 * one discrete Laplace variable. All counts have the noise of one count at the whole epsilon: one line is
 * charged, with the first question, and all that follow draw from it.
 *
 * No ledger pays, since there is nothing to pay for; an owner takes part if its policy lists id3 under
 * 'unprotected'. */

static const hr_job_machines ring_machines = {
    .owner = hr_ring_owner, .coordinator = hr_ring_coordinator, .part = hr_ring_part};
static const hr_summed_protocol ring_protocol = {
    .question = hr_ring_question, .mask = hr_ring_mask, .outcome = hr_ring_outcome};

static const hr_summed_method id3_on_ring = {.protocol = &ring_protocol,
                                             .owner = &id3_owner_rules,
                                             .coordinator = &id3_coordinator_rules,
                                             .budget = id3_job_budget,
                                             .charged_once = true};

/* One owner has no neighbours, and its counts have the whole noise. */
static void list_ring_flaws(const hr_job_view *job, const hr_joint_model *model, char *text, size_t size) {
    (void)model;
    const size_t owners = job->terms->n_owners;
    const char *neighbours = owners < 2 ? ""
                             : owners == 2
                                 ? " On its ring, the coordinator with the other owner reads an "
                                   "owner's counts amid that owner's own part of the noise alone."
                                 : " On its ring, the coordinator with the neighbours of an owner "
                                   "reads its counts amid that owner's own part of the noise alone.";
    snprintf(text, size, "%s%s", hr_method_id3.info.flaws, neighbours);
}

static hr_status refuse_ring_plan(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    (void)job;
    (void)out;
    hr_fail(err, HR_E_ARGUMENT, "write 'mode: sound'",
            "a job of id3 in mode paper has no plan: it is not private, so that there is no promise to tell");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "mode");
}

const hr_federated_method hr_federated_id3_ring = {
    .method = &hr_method_id3,
    .machines = &ring_machines,
    .flaws_of = list_ring_flaws,
    .defaults = set_id3_defaults,
    .check_schema = check_id3_schema,
    .check_terms = check_id3,
    .plan = refuse_ring_plan,
    .summed = &id3_on_ring,
    .free_state = hr_summed_free,
    .assemble = assemble_id3,
};
