#include "methods/hedge/hedge_machine.h"

#include "base/fail.h"
#include "methods/hedge/bandit.h"
#include "methods/hedge/calibration.h"
#include "methods/hedge/hazards.h"
#include "privacy/gate.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/hierarchical_shrinkage.h"
#include "trees/tree/monotone.h"
#include "trees/tree/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 1 << HR_GRADIENT_BITS, VARY_PER_MILLE = 300, VARY_FROM = 5 };
static const double TAIL = .2, CLIP_RATE = .2, MIN_CLIP = .02;

typedef struct candidate {
    hr_tree_subject subject;
    hr_node nodes[HR_CANDIDATE_SCAN_NODES_MAX];
    hr_bin_set subsets[HR_CANDIDATE_SCAN_NODES_MAX];
} candidate;

typedef enum stage { TOTALS, BINS, CHOICE, LEAVES, RELIABILITY, DONE } stage;

struct hr_hedge {
    hr_hedge_setting setting;
    hr_interactions interactions;
    hr_hedge_start costs; /* of the questions that come once */
    hr_csprng *coins;
    hr_arena *arena;
    stage stage;
    uint64_t next_group;
    uint64_t choices_group; /* of as many rounds as there are blocks: each is a part */
    size_t outputs;
    hr_hedge_label label;
    const hr_schema *schema; /* whose features are monotone; NULL: none is */
    double records;          /* n-hat */
    double least, most;      /* of it; most 0: any */
    double *base;
    double *information; /* times: hr_hazard_base */
    const hr_binning *binning;
    hr_hedge_plan plan; /* from here on: once there are bins */
    size_t round;
    hr_bandit *bandit;
    candidate *candidates;
    hr_tree *trees; /* of the candidates */
    size_t chosen, leaf_count;
    double *node_sums, *node_counts, *values; /* node, output */
    double *node_noise;                       /* node: that of a value, in that of a leaf's sum */
    bool has_step;                            /* the round before has a tree, and `values` are its */
    double published;                         /* times `values`: what the forest has */
    hr_tree_subject *past;                    /* of the trees of the forest */
    hr_hedge_scores scores;
    hr_candidate_scan_loss loss;
    hr_forest forest;
};

/* What 1 is in released counts, and in released sums of gradients. */
static uint64_t hedge_count_unit(const hr_hedge *h) {
    return hr_unit_of_counts(h->setting.unit);
}

static double hedge_sum_unit(const hr_hedge *h) {
    return (double)(UNIT * hr_unit_fineness(h->setting.unit));
}

static bool has_classes(const hr_hedge *h) {
    return hr_objective_has_classes(h->loss.objective, h->outputs);
}

static double released_count(const hr_hedge *h, hr_noisy value) {
    return (double)value.paid / (double)hedge_count_unit(h);
}

static bool is_hazard(const hr_hedge *h) {
    return h->loss.objective == HR_OBJECTIVE_HAZARD;
}

/* ---- Questions ---- */

static void add_line_hedge_machine(hr_hedge_question *question, const hr_charge *charge, size_t count) {
    question->lines[question->line_count] = *charge;
    question->lines[question->line_count].group += question->line_count;
    question->counts[question->line_count++] = count;
}

/* Of the next group; add_line_hedge_machine counts on. */
static hr_charge hedge_machine_charge_of(const hr_hedge *h, const char *what, hr_units cost,
                                         uint64_t sensitivity) {
    bool in_round = h->stage == CHOICE || h->stage == LEAVES;
    hr_release_scope scope = {.tree = in_round ? (int64_t)h->round : -1, .group = h->next_group};
    return hr_scope_charge(&scope, what, -1, cost, sensitivity);
}

static void ask_totals(const hr_hedge *h, hr_hedge_question *question) {
    const size_t classes = hr_hedge_classes(h->loss.objective, h->outputs);
    const hr_charge count =
        hedge_machine_charge_of(h, hr_hedge_totals_name(h->setting.task, h->setting.unit),
                                h->costs.count + (classes ? h->costs.base : 0), hedge_count_unit(h));
    add_line_hedge_machine(question, &count, classes ? classes : 1);
    if (classes || !h->costs.base) return;
    hr_charge sum =
        hedge_machine_charge_of(h, "base score", h->costs.base, hr_unit_label_sensitivity(h->setting.unit));
    add_line_hedge_machine(question, &sum, 1);
}

static void ask_bins(const hr_hedge *h, hr_hedge_question *question) {
    hr_charge edges = hedge_machine_charge_of(h, "bin edges", h->costs.bins, HR_RECORD_SENSITIVITY);
    add_line_hedge_machine(question, &edges, 0);
}

static void ask_choice(const hr_hedge *h, hr_hedge_question *question) {
    hr_charge choice = hedge_machine_charge_of(h, "choice of tree", h->plan.choice,
                                               hr_unit_leaf_score_width(h->setting.unit, h->loss.bound));
    choice.group = h->choices_group;
    choice.part = question->block;
    add_line_hedge_machine(question, &choice, 0);
    question->schema = h->schema;
    question->threshold =
        (int64_t)(h->plan.threshold * (double)hr_unit_gradient_sensitivity(h->setting.unit, h->loss.bound));
}

static uint64_t sum_sensitivity(const hr_hedge *h) {
    return hr_hedge_sum_sensitivity(&h->setting, h->loss.bound, h->outputs);
}

/* Regression with a clip that adapts: how many gradients are within it. */
static void hedge_machine_ask_leaves(const hr_hedge *h, hr_hedge_question *question) {
    hr_charge sums = hedge_machine_charge_of(h, "leaf sum", h->plan.sums, sum_sensitivity(h));
    hr_charge counts = hedge_machine_charge_of(h, "leaf count", h->plan.counts, hedge_count_unit(h));
    hr_charge within = hedge_machine_charge_of(h, "clip count", h->plan.within, hedge_count_unit(h));
    add_line_hedge_machine(question, &sums, h->leaf_count * h->outputs);
    add_line_hedge_machine(question, &counts, h->leaf_count);
    if (h->plan.within) add_line_hedge_machine(question, &within, 1);
}

static void ask_reliability(const hr_hedge *h, hr_hedge_question *question) {
    hr_charge cells =
        hedge_machine_charge_of(h, "calibration count", h->costs.calibration, hedge_count_unit(h));
    add_line_hedge_machine(question, &cells, HR_RELIABILITY_CELLS);
}

bool hr_hedge_next(const hr_hedge *h, hr_hedge_question *out) {
    static void (*const questions[])(const hr_hedge *, hr_hedge_question *) = {
        ask_totals, ask_bins, ask_choice, hedge_machine_ask_leaves, ask_reliability};
    static const hr_hedge_question_kind kinds[] = {HR_HEDGE_TOTALS, HR_HEDGE_BINS, HR_HEDGE_CHOICE,
                                                   HR_HEDGE_LEAVES, HR_HEDGE_RELIABILITY};
    if (h->stage == DONE) return false;
    hr_hedge_question question = {.kind = kinds[h->stage]};
    if (h->stage > BINS) {
        question.binning = h->binning;
        question.base = h->base;
        question.forest = &h->forest;
        question.trees = h->trees;
        question.tree_count = h->plan.candidates;
        question.tree = h->chosen;
        question.loss = h->loss;
        question.step = h->has_step ? h->values : NULL;
        question.published = h->costs.calibration ? h->published : 0;
        question.blocks = h->plan.blocks;
        question.block = h->round % h->plan.blocks;
    }
    questions[h->stage](h, &question);
    *out = question;
    return true;
}

/* ---- Before the rounds ---- */

/* What is lost was paid for all the same; after too much of it the rounds would have nothing left. */
hr_status hr_hedge_drop_sum(hr_hedge *h, hr_units cost, hr_error *err) {
    h->setting.dropped += cost;
    if (h->setting.dropped <= h->setting.budget / 4) return HR_OK;
    return hr_fail(err, HR_E_BUDGET, "start again when the owners can be reached",
                   "the number of records, or the bins, were asked for and lost too often");
}

void hr_hedge_bound_records(hr_hedge *h, double least, double most) {
    h->least = least;
    h->most = most;
}

static double bounded_records(const hr_hedge *h, double records) {
    const double bounded = h->most > 0 ? fmin(fmax(records, h->least), h->most) : records;
    return fmax(bounded, 1);
}

/* Of times: the numbers of codes, whose sum is n-hat. */
static void on_codes(hr_hedge *h, const hr_noisy *values, double noise_factor) {
    double counts[2 * HR_INTERVALS_MAX + 1];
    const double unit = (double)hedge_count_unit(h),
                 noise = noise_factor *
                         hr_noise_deviation(h->setting.privacy_measure, h->costs.count + h->costs.base, unit);
    for (size_t c = 0; c < hr_survival_codes(h->outputs); c++)
        h->records += counts[c] = released_count(h, values[c]);
    h->records = bounded_records(h, h->records);
    hr_hazard_base(counts, h->outputs, noise / unit, h->base, h->information);
}

/* n-hat and the mean label, with a start the first alone; of more classes their counts, whose sum is n-hat.
 */
static hr_status on_totals(hr_hedge *h, const hr_noisy *values, double noise_factor, hr_error *err) {
    if (!values) return hr_hedge_drop_sum(h, h->costs.count + h->costs.base, err);
    h->stage = BINS;
    if (is_hazard(h)) {
        on_codes(h, values, noise_factor);
        return HR_OK;
    }
    if (has_classes(h)) {
        for (size_t k = 0; k < h->outputs; k++)
            h->records += h->base[k] = fmax(released_count(h, values[k]), 1);
        for (size_t k = 0; k < h->outputs; k++) h->base[k] /= h->records;
        h->records = bounded_records(h, h->records);
        return HR_OK;
    }

    h->records = bounded_records(h, released_count(h, values[0]));
    if (!h->costs.base) return HR_OK;
    double label_unit = (double)(hr_unit_fineness(h->setting.unit) << HR_LABEL_BITS);
    double mean = (double)values[1].paid / label_unit / h->records;
    double noise = noise_factor *
                   hr_noise_deviation(h->setting.privacy_measure, h->costs.base,
                                      (double)hr_unit_label_sensitivity(h->setting.unit)) /
                   label_unit / h->records;
    for (size_t k = 0; k < h->outputs; k++)
        h->base[k] = hr_hedge_base(h->loss.objective, &h->label, mean, noise);
    return HR_OK;
}

static hr_status hedge_machine_forest_init(hr_hedge *h, hr_error *err) {
    h->forest =
        (hr_forest){.link = hr_hedge_link(h->loss.objective, h->setting.task), .output_count = h->outputs};
    h->forest.base = hr_arena_alloc(h->arena, h->outputs, sizeof *h->forest.base);
    h->forest.trees = hr_arena_alloc(h->arena, h->plan.rounds * h->outputs, sizeof *h->forest.trees);
    if (!h->forest.base || !h->forest.trees) return hr_fail_memory(err);
    for (size_t k = 0; k < h->outputs; k++)
        h->forest.base[k] = hr_hedge_published_base(h->loss.objective, h->outputs, h->base[k]);
    return HR_OK;
}

/* ---- Candidates ---- */

/* A new tree, or a variation of one that was chosen before. */
static void draw_candidate_hedge_machine(hr_hedge *h, candidate *c, hr_tree *tree) {
    hr_random_plan plan = {.centred = h->plan.centred};
    size_t past;
    bool may_vary = h->round >= VARY_FROM && hr_uniform(h->coins, 1000) < VARY_PER_MILLE;
    if (may_vary && hr_bandit_past(h->bandit, h->coins, &past)) {
        c->subject = h->past[past];
        plan.model = &h->forest.trees[past * h->outputs];
    } else {
        c->subject = hr_bandit_subject(h->bandit, h->coins);
    }
    const int depths[HR_TREE_KINDS] = {h->plan.depth_one, h->plan.depth_pair, h->plan.depth_all};
    plan.depth = depths[c->subject.kind];
    hr_bandit_plan(h->bandit, &c->subject, &plan);
    hr_random_tree(h->coins, h->binning, &plan, c->nodes, c->subsets, tree);
}

static void start_round(hr_hedge *h) {
    bool over = h->round == h->plan.rounds;
    h->stage = !over ? CHOICE : h->costs.calibration ? RELIABILITY : DONE;
    if (over) return;
    if (h->round % h->plan.blocks == 0) h->choices_group = h->next_group++;
    hr_bandit_start_round(h->bandit, h->round);
    for (size_t c = 0; c < h->plan.candidates; c++)
        draw_candidate_hedge_machine(h, &h->candidates[c], &h->trees[c]);
}

void hr_hedge_set_owners(hr_hedge *h, size_t owners, size_t honest) {
    h->setting.owners = owners;
    h->setting.honest = honest;
}

/* Of quantiles, whose mean gradient is 1/2 at that distance from y, over the reach. */
static void set_width(hr_hedge *h, double width) {
    h->loss.width = width;
    h->scores.gradient_unit =
        hr_hedge_scores_of(HR_OBJECTIVE_QUANTILES).gradient_unit * width * h->label.reach;
}

hr_status hr_hedge_bins(hr_hedge *h, const hr_binning *binning, hr_error *err) {
    h->binning = binning;
    h->plan = hr_hedge_plan_of(&h->setting, h->records);
    h->loss.bound = (int64_t)(h->plan.clip * UNIT);
    h->loss.clip = h->plan.clip;
    h->loss.count_unit = hr_hedge_count_unit(h->base[0], h->label.high);
    h->loss.score_limit = h->scores.limit;
    if (h->label.reach > 0) set_width(h, HR_QUANTILE_WIDTH_FIRST);
    hr_status status = hr_bandit_of_bins(binning, &h->interactions, h->plan.rounds, &h->bandit, err);
    if (status) return status;

    size_t m = h->plan.candidates, nodes = HR_CANDIDATE_SCAN_NODES_MAX * h->outputs;
    h->candidates = malloc(m * sizeof *h->candidates);
    h->trees = calloc(m, sizeof *h->trees);
    h->node_sums = malloc(nodes * sizeof *h->node_sums);
    h->node_counts = malloc(nodes * sizeof *h->node_counts);
    h->values = calloc(nodes, sizeof *h->values);
    h->node_noise = malloc(HR_CANDIDATE_SCAN_NODES_MAX * sizeof *h->node_noise);
    h->past = malloc(h->plan.rounds * sizeof *h->past);
    bool has_nodes = h->node_sums && h->node_counts && h->values && h->node_noise;
    if (!h->candidates || !h->trees || !has_nodes || !h->past) return hr_fail_memory(err);

    status = hedge_machine_forest_init(h, err);
    if (status) return status;
    if (h->setting.has_private_edges) h->next_group++;
    start_round(h);
    return HR_OK;
}

void hr_hedge_choice(hr_hedge *h, size_t index) {
    h->chosen = index;
    h->leaf_count = hr_tree_leaves(&h->trees[index]);
    h->stage = LEAVES;
}

/* ---- Leaves ---- */

/* The released sums and counts, by node. With several classes the mean over them is taken off: the true
 * gradients of a record add up to 0. */
static void read_leaves(hr_hedge *h, const hr_tree *tree, const hr_noisy *values) {
    const hr_noisy *counts = values + h->leaf_count * h->outputs;
    size_t leaf = 0, outputs = h->outputs;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        const hr_noisy *sums = values + leaf * outputs;
        double mean = 0;
        for (size_t k = 0; has_classes(h) && k < outputs; k++)
            mean += (double)sums[k].paid / hedge_sum_unit(h) / (double)outputs;
        for (size_t k = 0; k < outputs; k++)
            h->node_sums[n * outputs + k] = (double)sums[k].paid / hedge_sum_unit(h) - mean;
        h->node_counts[n] = fmax(released_count(h, counts[leaf]), 0);
        leaf++;
    }
}

/* With several classes the mean over them is taken off a leaf's sums: so much is left of their noise, as a
 * variance. */
static double noise_left(const hr_hedge *h) {
    const double outputs = (double)h->outputs;
    return has_classes(h) ? (outputs - 1) / outputs : 1;
}

/* Sets the leaf values; returns the gain: the sum over leaves of S^2/(N + ridge), less what noise alone adds
 * to it. */
static double set_values(hr_hedge *h, const hr_tree *tree, double noise) {
    double ridge = h->plan.ridge * noise / h->loss.clip, limit = h->scores.value_limit;
    double gain = 0, left = noise_left(h);
    for (size_t n = 0; n < tree->node_count; n++) {
        for (size_t k = 0; !tree->nodes[n].left && k < h->outputs; k++) {
            double sum = h->node_sums[n * h->outputs + k];
            gain += (sum * sum - noise * noise * left) / (h->node_counts[n] + ridge);
        }
    }

    hr_hierarchical_shrinkage(tree, h->outputs, ridge, h->node_sums, h->node_counts, h->values);
    if (is_hazard(h)) {
        const hr_hazard_leaves leaves = {tree,         h->outputs,     h->information,
                                         h->node_sums, h->node_counts, noise};
        hr_hazard_values(&leaves, h->values);
    }
    hr_shrinkage_noise(tree, ridge, h->node_counts, h->node_noise);
    for (size_t i = 0; i < tree->node_count * h->outputs; i++)
        h->values[i] = -h->plan.step * fmin(fmax(h->values[i] * h->scores.gradient_unit, -limit), limit);
    return gain;
}

/* Leaves weigh what they were shrunk by: their released counts, and the ridge. */
static hr_status make_monotone(hr_hedge *h, const hr_tree *tree, double noise, hr_error *err) {
    double weights[HR_CANDIDATE_SCAN_NODES_MAX];
    if (!h->schema) return HR_OK;
    for (size_t n = 0; n < tree->node_count; n++)
        weights[n] = h->node_counts[n] + h->plan.ridge * noise / h->loss.clip;
    return hr_monotone_project(tree, h->schema, weights, h->values, err);
}

/* Adds the chosen tree to the forest, once per output; noise: the standard deviation of a leaf's sum. */
static hr_status keep_tree(hr_hedge *h, const hr_tree *chosen, double noise, hr_error *err) {
    hr_tree tree = *chosen;
    tree.counts = h->node_counts;
    tree.deviation = noise;
    double last = TAIL * (double)h->plan.rounds, left = (double)(h->plan.rounds - h->round);
    double kept_part = left >= last ? 1 : left / last; /* in the average of the last iterates */
    double scale = h->published = kept_part * hr_hedge_published_unit(h->loss.objective, h->outputs);

    /* What a leaf's value has of the noise, at most: the limit of values takes from it. */
    const double of_value = scale * h->scores.gradient_unit * h->plan.step * noise * sqrt(noise_left(h));
    for (size_t n = 0; n < tree.node_count; n++) h->node_noise[n] *= of_value;
    tree.noise = is_hazard(h) ? NULL : h->node_noise; /* of times it differs by output */

    for (size_t k = 0; k < h->outputs; k++) {
        hr_tree *kept = &h->forest.trees[h->forest.tree_count];
        hr_status status = hr_tree_copy(&tree, h->arena, kept, err);
        if (status) return status;
        kept->output = k;
        for (size_t n = 0; n < kept->node_count; n++)
            if (!kept->nodes[n].left) kept->nodes[n].value = scale * h->values[n * h->outputs + k];
        h->forest.tree_count++;
        tree.counts = tree.noise = NULL; /* the same for all outputs: the first has them */
    }
    return HR_OK;
}

/* The clip follows a high quantile of the residuals, and the width of quantiles a lower one. */
static void adapt_clip(hr_hedge *h, hr_noisy within) {
    double part = fmin(fmax(released_count(h, within) / h->records, 0), 1);
    if (h->label.reach > 0) {
        set_width(h, hr_hedge_next_width(h->loss.width, part));
        return;
    }
    double clip = h->loss.clip * exp(-CLIP_RATE * (part - h->scores.clip_quantile));
    h->loss.bound = (int64_t)(fmin(fmax(clip, MIN_CLIP), hr_hedge_largest_clip(&h->setting)) * UNIT);
    h->loss.clip = (double)h->loss.bound / UNIT;
}

static hr_status add_tree_hedge_machine(hr_hedge *h, const hr_noisy *values, double noise_factor,
                                        hr_error *err) {
    const hr_tree *tree = &h->trees[h->chosen];
    double noise = noise_factor *
                   hr_noise_deviation(h->setting.privacy_measure, h->plan.sums, (double)sum_sensitivity(h)) /
                   hedge_sum_unit(h);
    hr_tree_subject *about = &h->past[h->forest.tree_count / h->outputs];
    *about = h->candidates[h->chosen].subject;
    read_leaves(h, tree, values);
    hr_bandit_learn(h->bandit, about, set_values(h, tree, noise));
    hr_status status = make_monotone(h, tree, noise, err);
    if (!status) status = keep_tree(h, tree, noise, err);
    if (!status && h->plan.within) adapt_clip(h, values[h->leaf_count * (h->outputs + 1)]);
    return status;
}

/* ---- The machine ---- */

hr_status hr_hedge_sums(hr_hedge *h, const hr_noisy *values, double noise_factor, hr_error *err) {
    hr_hedge_question question;
    if (!hr_hedge_next(h, &question)) return HR_OK;
    h->next_group += question.line_count;
    if (h->stage == TOTALS) return on_totals(h, values, noise_factor, err);
    if (h->stage == LEAVES) {
        hr_status status = values ? add_tree_hedge_machine(h, values, noise_factor, err) : HR_OK;
        if (status) return status;
        h->has_step = values != NULL; /* a lost round is over without a tree, with the same clip */
        h->round++;
        start_round(h);
    } else if (h->stage == RELIABILITY) {
        double unit = (double)hedge_count_unit(h);
        double noise = hr_noise_deviation(h->setting.privacy_measure, h->costs.calibration, unit) / unit;
        if (values) h->forest.calibration = hr_calibration_fit(values, unit, noise_factor * noise);
        h->stage = DONE;
    }
    return HR_OK;
}

hr_status hr_hedge_new(const hr_hedge_terms *terms, hr_csprng *coins, hr_arena *arena, hr_hedge **out,
                       hr_error *err) {
    hr_hedge *h = calloc(1, sizeof *h);
    if (!h) return hr_fail_memory(err);
    h->setting = terms->setting;
    h->costs = hr_hedge_start_of(&terms->setting);
    h->interactions = terms->interactions;
    h->setting.interactions = terms->interactions.rule;
    h->coins = coins;
    h->arena = arena;
    h->next_group = terms->first_group;
    h->outputs = terms->outputs;
    h->loss.objective = terms->objective;
    h->label = hr_hedge_label_of(terms->schema, h->outputs);
    if (terms->schema && h->outputs == 1 && hr_schema_is_monotone(terms->schema)) h->schema = terms->schema;
    h->scores = hr_hedge_scores_of(terms->objective);
    h->published = hr_hedge_published_unit(terms->objective, h->outputs);
    h->base = calloc(h->outputs, sizeof *h->base);
    h->information = calloc(h->outputs, sizeof *h->information);
    if (!h->base || !h->information) {
        hr_hedge_free(h);
        return hr_fail_memory(err);
    }
    *out = h;
    return HR_OK;
}

void hr_hedge_free(hr_hedge *h) {
    if (!h) return;
    hr_bandit_free(h->bandit);
    void *all[] = {h->base,        h->information, h->candidates, h->trees, h->node_sums,
                   h->node_counts, h->values,      h->node_noise, h->past};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(h);
}

size_t hr_hedge_turns(const hr_hedge *h) {
    return h->plan.turns;
}

size_t hr_hedge_rounds(const hr_hedge *h, size_t *total) {
    *total = h->plan.rounds;
    return h->round;
}

double hr_hedge_record_count(const hr_hedge *h) {
    return h->records;
}

const hr_forest *hr_hedge_forest(const hr_hedge *h) {
    return &h->forest;
}

double hr_hedge_memory(size_t features, size_t outputs) {
    double nodes = (double)outputs * HR_CANDIDATE_SCAN_NODES_MAX;
    return hr_bandit_memory(features) + (double)HR_HEDGE_CANDIDATES * sizeof(candidate) +
           8 * nodes * sizeof(double);
}
