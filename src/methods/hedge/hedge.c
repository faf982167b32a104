/* hedge: boosting of random trees, chosen and filled in privately. The method of this project.
 *
 * Every round draws candidate trees from public coins, lets the gate choose the one whose leaves hold the
 * largest gradient sums, and adds its leaves, from noisy sums and counts over all records, with a small step.
 * Adding a record changes one leaf sum of every candidate by at most G: the choice costs no more for deep
 * trees, many candidates or many features. What is learned about features, pairs and kinds of trees, the
 * clip, the schedule and the final average follow from released values.
 *
 * The algorithm is hedge_machine.c, which sees released values only; the statistics source answers its
 * questions (trees/candidates/hedge_records.c). Here the two meet, with the gate between them.
 *
 * Composition: Gaussian differential privacy with delta > 0, pure epsilon with delta = 0; every release is
 * charged in a group of its own, so that all of them add up. The theorem is docs/explanation/hedge.md. */
#include "base/fail.h"
#include "methods/hedge/hedge_machine.h"
#include "privacy/crypto/csprng.h"
#include "privacy/gate.h"
#include "privacy/promise_words.h"
#include "tables/bins/edges.h"
#include "trees/candidates/hedge_records.h"
#include "trees/candidates/reliability.h"
#include "trees/records/stats_source.h"

#include <math.h>
#include <stdlib.h>

/* The machine, and the source that answers its questions. */
typedef struct hedge_run {
    hr_training *training;
    hr_timings *timings;
    hr_stats_source *source; /* the training's */
    hr_csprng *coins;
    hr_hedge *hedge;
    hr_exact *exact;
    hr_noisy *noisy;
} hedge_run;

static hr_status answer_bins(hedge_run *s, const hr_hedge_question *question, hr_error *err) {
    hr_training *t = s->training;
    hr_edges_release release = {(uint32_t)t->options->bins, t->gate, &question->lines[0]};
    uint64_t groups;
    hr_timings_enter(s->timings, HR_PHASE_BINS);
    hr_status status =
        t->options->edges == HR_EDGES_PUBLIC
            ? hr_edges_public(hr_data_schema(t->data), release.bins, t->arena, &t->binning, err)
            : hr_training_private_edges(t, &release, &groups, err);
    hr_timings_leave(s->timings);
    return status ? status : hr_hedge_bins(s->hedge, &t->binning, err);
}

static hr_status answer_choice(hedge_run *s, const hr_hedge_question *question, hr_error *err) {
    hr_permit permit;
    hr_status status = hr_gate_charge_choice_now(s->training->gate, &question->lines[0], &permit, err);
    if (!status) status = s->source->ops->tree_scores(s->source, question, s->exact, err);
    if (!status)
        hr_hedge_choice(s->hedge, hr_gate_choose(s->training->gate, permit, s->exact, question->tree_count));
    return status;
}

static hr_status answer_sums(hedge_run *s, const hr_hedge_question *question, hr_error *err) {
    hr_status status = s->source->ops->tree_sums(s->source, question, s->exact, err);
    for (size_t i = 0, at = 0; !status && i < question->line_count; at += question->counts[i++])
        status = hr_gate_release_sums(s->training->gate, &question->lines[i], s->exact + at,
                                      question->counts[i], s->noisy + at, err);
    return status ? status : hr_hedge_sums(s->hedge, s->noisy, 1, err);
}

static hr_status hedge_answer(hedge_run *s, const hr_hedge_question *question, hr_error *err) {
    if (question->kind == HR_HEDGE_BINS) return answer_bins(s, question, err);
    if (question->kind == HR_HEDGE_CHOICE) return answer_choice(s, question, err);
    hr_status status = answer_sums(s, question, err);
    if (status || question->kind != HR_HEDGE_LEAVES) return status;
    size_t total, done = hr_hedge_rounds(s->hedge, &total);
    return hr_training_progress(s->training, done, total, err);
}

/* All but the interactions. */
static hr_hedge_terms terms_of(const hr_training *t) {
    const hr_schema *schema = hr_data_schema(t->data);
    hr_hedge_terms terms = {.outputs = hr_training_outputs(t->data), .first_group = t->next_group};
    terms.setting = (hr_hedge_setting){.privacy_measure = hr_gate_privacy_measure(t->gate),
                                       .unit = t->unit,
                                       .budget = hr_gate_budget(t->gate),
                                       .task = hr_schema_task(schema),
                                       .has_private_edges = hr_hedge_has_private_edges(t->options, schema),
                                       .has_start = t->start != NULL};
    terms.objective = hr_hedge_objective(t->options, terms.setting.task);
    terms.schema = schema;
    return terms;
}

/* Room for the most values that a question has. The coins are public: what noise is drawn from is no part of
 * them but 64 bits that nothing else is drawn from. */
static hr_status hedge_run_init(hedge_run *s, hr_error *err) {
    hr_training *t = s->training;
    const hr_schema *schema = hr_data_schema(t->data);
    hr_hedge_terms terms = terms_of(t);
    size_t values = HR_CANDIDATE_SCAN_NODES_MAX * (terms.outputs + 1);
    s->exact = malloc(values * sizeof *s->exact);
    s->noisy = malloc(values * sizeof *s->noisy);
    if (!s->exact || !s->noisy) return hr_fail_memory(err);
    hr_status status = hr_csprng_open_seeded(hr_csprng_u64(hr_gate_csprng(t->gate)), &s->coins, err);
    const hr_stats_setup setup = {
        .kind = HR_STATS_HEDGE, .outputs = terms.outputs, .candidates = HR_HEDGE_CANDIDATES};
    if (!status)
        status = hr_interactions_read(t->options->interactions, schema, t->arena, &terms.interactions, err);
    if (!status) status = s->source->ops->prepare(s->source, &setup, err);
    return status ? status : hr_hedge_new(&terms, s->coins, t->arena, &s->hedge, err);
}

static hr_link hedge_link(const hr_fit_options *options, hr_task task) {
    return hr_hedge_link(hr_hedge_objective(options, task), task);
}

/* The finished forest; behind the start's trees, if there is a start. */
static hr_status take_forest(hr_training *t, const hr_forest *made, hr_error *err) {
    hr_forest *forest = &t->forest;
    if (!t->start) {
        *forest = *made;
        return HR_OK;
    }
    hr_status status = hr_training_forest_init(t, made->link, made->tree_count, err);
    if (status) return status;
    for (size_t i = 0; i < made->tree_count; i++) forest->trees[forest->tree_count++] = made->trees[i];
    forest->calibration = made->calibration;
    return HR_OK;
}

static hr_status train_hedge(hr_training *training, hr_error *err) {
    hedge_run s = {
        .training = training, .timings = hr_gate_timings(training->gate), .source = training->source};
    hr_hedge_question question;
    hr_status status = hedge_run_init(&s, err);
    hr_timings_enter(s.timings, HR_PHASE_CANDIDATES);
    while (!status && hr_hedge_next(s.hedge, &question)) status = hedge_answer(&s, &question, err);
    hr_timings_leave(s.timings);
    if (!status) status = hr_gate_spend_rest(training->gate, err);
    if (!status) status = take_forest(training, hr_hedge_forest(s.hedge), err);
    if (!status) training->records = hr_hedge_record_count(s.hedge);
    hr_hedge_free(s.hedge);
    hr_csprng_close(s.coins);
    free(s.exact);
    free(s.noisy);
    return status;
}

/* The forest is that of the schedule that so many records have, and some more where their noisy number turns
 * out larger: the trees, one an output, and their layouts while records are counted for the calibration. */
static double hedge_memory(const hr_fit_facts *facts) {
    size_t outputs = hr_facts_outputs(facts), features = hr_schema_feature_count(facts->schema);
    const hr_hedge_setting setting = hr_hedge_setting_of(facts);
    const hr_hedge_plan plan = hr_hedge_plan_of(&setting, fmax(1.1 * (double)facts->rows, 1));
    const size_t nodes = ((size_t)2 << hr_hedge_depth(&plan)) - 1, trees = plan.rounds * outputs;
    double forest = (double)trees * (double)nodes * (sizeof(hr_node) + sizeof(hr_bin_set)) +
                    (double)plan.rounds * (double)nodes * 2 * sizeof(double) + hr_reliability_memory(trees);
    return hr_hedge_memory(features, outputs) + forest +
           hr_edges_memory(facts->schema, (uint32_t)facts->options->bins, facts->privacy_measure) +
           hr_records_memory(facts->rows, features, outputs + (hr_facts_unit(facts) == HR_PER_PERSON),
                             HR_HEDGE_CANDIDATES, facts->threads);
}

static void hedge_defaults(hr_fit_options *o) {
    o->delta = 1e-6;
    o->bins = 32;
    o->loss = HR_LOSS_SQUARE;
    o->edges = HR_EDGES_PRIVATE;
}

static const char *const sound_options[] = {"epsilon", "delta",        "bins",      "edges",
                                            "loss",    "interactions", "conformal", NULL};

const hr_method hr_method_hedge = {
    .info = {.name = "hedge",
             .summary =
                 "boosting of random trees, chosen and released privately: the best accuracy for a budget",
             .paper = "a method of this project (docs/explanation/hedge.md)",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record", ". Trees are drawn by public coins and chosen by the exponential mechanism "
                               "(pure epsilon: permute-and-flip) of width 2 G; leaves: noisy sums and counts "
                               "over all records; bins are public or paid for; count, base score and "
                               "calibration are paid for; everything else follows from released values."),
             .flaws = ""},
    .over_ranks = true,
    .defaults = hedge_defaults,
    .sound_options = sound_options,
    .paper_options = NULL,
    .with_delta = HR_PRIVACY_GDP,
    .persons = HR_PROMISE_OF_METHOD(
        "all records of one person",
        ": each of a person's m records weighs floor(2^16/m)/2^16 in every sum, count and score. Trees are "
        "drawn by public coins and chosen by the exponential mechanism (pure epsilon: permute-and-flip); "
        "bins are public or paid for; count, base score and calibration are paid for; everything else "
        "follows from released values."),
    .weighed = " Sums of records with weights are rounded: the width of a choice of trees is 2 G + 2^-9.",
    .cells = true,
    .counts = true,
    .times = true,
    .quantiles = true,
    .monotone = true,
    .check = hr_hedge_check,
    .memory = hedge_memory,
    .train = train_hedge,
    .link = hedge_link,
    .plan = hr_hedge_describe,
};
