#include "federation/hedge/federated_interval.h"

#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/hedge/hedge_cuts.h"
#include "federation/machines/securesum.h"
#include "fit/budget.h"
#include "fit/cuts.h"
#include "methods/hedge/bandit.h"
#include "methods/hedge/hedge_objective.h"
#include "methods/hedge/hedge_plan.h"
#include "privacy/crypto/csprng.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edge_levels.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/random_tree.h"

#include <math.h>
#include <stdlib.h>

/* ---- What is drawn: candidates of a first round, over evenly spaced bins ---- */

/* What a tree of the job takes, on average. */
typedef struct tree_size {
    double bytes, leaves, nodes;
} tree_size;

typedef struct sample {
    hr_csprng *coins;
    hr_binning binning;
    hr_bandit *bandit;
    const hr_hedge_plan *made;
    hr_interactions interactions;
    hr_tree trees[HR_HEDGE_CANDIDATES_OWNERS];
} sample;

static hr_status draw_sample_tree(sample *s, hr_arena *arena, hr_tree *tree, hr_error *err) {
    const hr_hedge_plan *made = s->made;
    const int depths[HR_TREE_KINDS] = {made->depth_one, made->depth_pair, made->depth_all};
    const hr_tree_subject subject = hr_bandit_subject(s->bandit, s->coins);
    hr_random_plan plan = {.depth = depths[subject.kind], .centred = made->centred};
    hr_bandit_plan(s->bandit, &subject, &plan);
    size_t room = ((size_t)2 << plan.depth) - 1;
    hr_node *nodes = hr_arena_alloc(arena, room, sizeof *nodes);
    hr_bin_set *subsets = hr_arena_alloc(arena, room, sizeof *subsets);
    if (!nodes || !subsets) return hr_fail_memory(err);
    hr_random_tree(s->coins, &s->binning, &plan, nodes, subsets, tree);
    return HR_OK;
}

static hr_status sample_init(sample *s, const hr_schema *schema, hr_arena *arena,
                             const hr_fit_options *options, hr_error *err) {
    hr_status status = hr_edges_public(schema, (uint32_t)options->bins, arena, &s->binning, err);
    if (!status) status = hr_interactions_read(options->interactions, schema, arena, &s->interactions, err);
    if (!status) status = hr_csprng_open_seeded(1, &s->coins, err);
    if (status) return status;
    bool *usable = hr_arena_alloc(arena, s->binning.feature_count + 1, sizeof *usable);
    if (!usable) return hr_fail_memory(err);
    for (size_t f = 0; f < s->binning.feature_count; f++) usable[f] = true;
    status = hr_bandit_new(usable, s->binning.feature_count, &s->interactions, 1, &s->bandit, err);
    if (!status) hr_bandit_start_round(s->bandit, 0);
    for (size_t i = 0; !status && i < s->made->candidates; i++)
        status = draw_sample_tree(s, arena, &s->trees[i], err);
    return status;
}

/* From the size of a message that offers trees. */
static hr_status tree_size_of(const hr_hedge_plan *made, const hr_schema *schema,
                              const hr_fit_options *options, tree_size *out, hr_error *err) {
    sample *s = calloc(1, sizeof *s);
    hr_arena *arena = hr_arena_new();
    hr_bytes packed = {0};
    hr_status status = s && arena ? HR_OK : hr_fail_memory(err);
    if (!status) {
        s->made = made;
        status = sample_init(s, schema, arena, options, err);
        const hr_hedge_question question = {
            .kind = HR_HEDGE_CHOICE, .trees = s->trees, .tree_count = made->candidates};
        const hr_hedge_question_out offer = {.question = &question, .outputs = 1};
        if (!status) status = hr_hedge_question_pack(&offer, &packed, err);
        double nodes = 0, count = (double)made->candidates;
        for (size_t i = 0; !status && i < made->candidates; i++) nodes += (double)s->trees[i].node_count;
        *out = (tree_size){
            .bytes = (double)packed.size / count, .nodes = nodes / count, .leaves = (nodes / count + 1) / 2};
        hr_bandit_free(s->bandit);
        hr_csprng_close(s->coins);
    }
    free(packed.at);
    hr_arena_free(arena);
    free(s);
    return status;
}

/* ---- What is sent ---- */

/* Trees are random: questions of a job took 9 % more than planned, with a deviation of 4 %. */
static const double QUESTIONS_SPREAD = 1.25;

/* Bytes of a value, and of a bins' node in a question. */
enum { VALUE = 8, NODE = 2 };

/* Of bins: nodes whose records are counted: all of the first six levels, then what is below those that stand
 * out from the noise. How many do depends on the records; the line is fitted to real tables. */
static void add_bins(const hr_hedge_setting *s, const hr_planned_job *job, uint32_t bins, hr_job_traffic *t) {
    enum { QUESTIONS = 4, FIRST_NODES = 126, NEXT_LEVEL = 128, LEVELS_LEFT = HR_EDGE_LEVELS - 6 };
    enum { VALUES = 1 << 14 };
    double features = (double)hr_edges_columns(job->schema, bins),
           lines = (double)hr_edge_levels_lines(job->schema, bins), one = (double)hr_unit_of_counts(s->unit);
    if (!s->has_private_edges) return;
    hr_units cost = hr_hedge_start_of(s).bins / (hr_units)lines;
    double noise = hr_hedge_noise_factor(s) * hr_noise_deviation(s->privacy_measure, cost, one) / one,
           wanted = features * fmin(fmax(.17 * job->records / noise - 1, 0), NEXT_LEVEL), below = 1;
    for (int depth = 1; depth < LEVELS_LEFT && wanted * (2 * below + 1) <= VALUES; depth++)
        below = 2 * below + 1;
    double nodes = features * FIRST_NODES + wanted * below;
    hr_job_traffic_add_prepared(t, QUESTIONS, nodes * NODE / QUESTIONS, nodes * VALUE / QUESTIONS);
    t->received += features * (double)bins * VALUE;
}

static double forest_bytes(const hr_hedge_plan *made, const tree_size *tree, size_t outputs) {
    return (double)made->rounds * (tree->bytes + tree->leaves * (double)outputs * VALUE);
}

static hr_job_traffic traffic_of(const hr_hedge_setting *s, const hr_planned_job *job,
                                 const hr_hedge_plan *made, const tree_size *tree, size_t outputs) {
    hr_job_traffic t;
    double rounds = (double)made->rounds, owners = (double)job->terms->n_owners,
           step = tree->nodes * (double)outputs * VALUE,
           leaf_values = tree->leaves * (double)(outputs + 1) + (made->within > 0);
    hr_job_traffic_begin(&t, job->terms);
    const size_t totals =
        s->task == HR_TASK_SURVIVAL ? hr_hedge_classes(HR_OBJECTIVE_HAZARD, outputs) : outputs + 1;
    hr_job_traffic_add_prepared(&t, 1, 0, (double)totals * VALUE);
    hr_job_traffic_add(&t, rounds / owners, (double)made->candidates * tree->bytes + step, 0);
    hr_job_traffic_add(&t, rounds, tree->bytes + step, leaf_values * VALUE);
    const double forest = forest_bytes(made, tree, outputs);
    if (hr_task_has_classes(s->task) && forest <= HR_MESSAGE_MAX)
        hr_job_traffic_add_prepared(&t, 1, forest, HR_RELIABILITY_CELLS * VALUE);
    return t;
}

/* ---- What a budget is enough for ---- */

/* A sum of any owners: as many honest ones as there can be, or one. */
static hr_status check_shared(const hr_hedge_setting *s, const hr_charge *line, hr_error *err) {
    hr_status status = hr_charge_check_share(s->privacy_measure, line, s->honest, err);
    return status ? status : hr_charge_check_share(s->privacy_measure, line, 1, err);
}

/* Of bins one process would draw medians, or pairs of counts; owners add up counts, at every level of every
 * feature. Of counts much noise is no matter: each costs as much as in one process. A share of little noise
 * is refused. */
static hr_status check_summed_counts(const hr_hedge_setting *s, const hr_fit_facts *facts, hr_error *err) {
    const hr_hedge_start start = hr_hedge_start_of(s);
    const bool classes = s->task == HR_TASK_SURVIVAL || s->task == HR_TASK_MULTICLASS;
    const uint64_t one = hr_unit_of_counts(s->unit);
    const hr_charge lines[] = {
        {.what = hr_hedge_totals_name(s->task, s->unit),
         .cost = start.count + (classes ? start.base : 0),
         .sensitivity = one},
        {.what = "leaf count", .cost = hr_hedge_plan_of(s, 1).counts, .sensitivity = one},
        {.what = "calibration count", .cost = start.calibration, .sensitivity = one}};
    const size_t bin_lines = hr_edge_levels_lines(facts->schema, (uint32_t)facts->options->bins);
    const hr_charge bins = {.what = "bin edges", .tree = -1, .cost = start.bins};
    hr_status status = HR_OK;
    if (bin_lines) {
        const hr_charge line = hr_edge_levels_charge(&bins, bin_lines, 1, s->unit);
        status = check_shared(s, &line, err);
    }
    for (size_t i = 0; !status && i < sizeof lines / sizeof *lines; i++)
        if (lines[i].cost) status = check_shared(s, &lines[i], err);
    return status;
}

static hr_hedge_setting setting_of(const Hedgerow__Terms *terms, const hr_fit_facts *facts) {
    hr_hedge_setting setting = hr_hedge_setting_of(facts);
    setting.owners = terms->n_owners;
    setting.honest = (size_t)hr_noise_shares(terms->n_owners, terms->coalition);
    return setting;
}

static hr_fit_facts facts_of(const hr_fit_options *options, const hr_schema *schema,
                             const hr_budget *budget) {
    return (hr_fit_facts){.options = options,
                          .schema = schema,
                          .privacy_measure = budget->privacy_measure,
                          .budget = budget->units - budget->cuts};
}

/* What one process could spend so, its owners may not. */
static hr_status check_budget(const Hedgerow__Terms *terms, const hr_schema *schema, size_t records,
                              hr_fit_options *options, hr_budget *budget, hr_error *err) {
    hr_status status = hr_options_of_terms(terms, 1, options, err);
    if (!status) status = hr_budget_check(&hr_method_hedge, options, schema, records, budget, err);
    if (status) return status;
    const hr_fit_facts facts = facts_of(options, schema, budget);
    const hr_hedge_setting setting = setting_of(terms, &facts);
    status = check_summed_counts(&setting, &facts, err);
    if (!status && budget->cuts)
        status =
            hr_hedge_cuts_check(budget->cuts, setting.privacy_measure, setting.unit, setting.honest, err);
    if (!status) status = hr_federated_interval_check(options, schema, budget, setting.honest, err);
    return status == HR_E_BUDGET ? hr_fail_at(err, status, NULL, 0, 0, "epsilon") : status;
}

hr_status hr_federated_hedge_check(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    return check_budget(terms, schema, 1, &options, &budget, err);
}

/* ---- The plan ---- */

hr_status hr_federated_hedge_plan(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = check_budget(job->terms, job->schema, (size_t)job->records, &options, &budget, err);
    if (status) return status;
    const hr_fit_facts facts = facts_of(&options, job->schema, &budget);
    hr_hedge_setting setting = setting_of(job->terms, &facts);
    hr_hedge_plan made = hr_hedge_plan_of(&setting, hr_conformal_trained(&options, job->records));
    tree_size tree = {0};
    status = tree_size_of(&made, job->schema, &options, &tree, err);
    if (status) return status;
    out->plan.epsilon = budget.epsilon;
    out->plan.delta = budget.delta;
    out->plan.cuts_share = hr_cuts_share(&hr_method_hedge, job->schema);
    out->plan.records = hr_conformal_trained(&options, job->records);
    hr_hedge_describe_setting(&setting, job->schema, &out->plan);
    out->plan.records = job->records;
    hr_federated_interval_plan(&options, job->schema, &budget, out->noise_factor, &out->plan);
    out->turns = made.turns ? made.turns : made.rounds;
    hr_job_traffic t = traffic_of(&setting, job, &made, &tree, hr_facts_outputs(&facts));
    if (out->plan.coverage > 0)
        hr_job_traffic_add_prepared(&t, 1, forest_bytes(&made, &tree, hr_facts_outputs(&facts)),
                                    HR_INTERVAL_LEVELS * VALUE);
    add_bins(&setting, job, (uint32_t)options.bins, &t);
    if (budget.cuts) hr_job_traffic_add_prepared(&t, 1, 0, HR_TIME_CUTS_NODES * VALUE);

    /* Owners cut off a coordinator that sends more questions: then the job ends, and its budget is spent. */
    const double bytes = t.questions * QUESTIONS_SPREAD;
    if (!(bytes <= HR_QUESTION_BYTES_MAX))
        return hr_fail(err, HR_E_LIMIT,
                       "use a label of fewer classes, or write 'method: average'; with more owners each is "
                       "asked for fewer choices",
                       "the questions of this job may take %.0f MB, and an owner takes at most %.0f MB",
                       bytes / 1e6, HR_QUESTION_BYTES_MAX / 1e6);
    hr_job_traffic_describe(&t, out);
    return HR_OK;
}
