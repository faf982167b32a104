/* DiPriMe: forests of private median trees (Consul and Williamson 2020), as published and as they should be.
 *
 * Algorithm 2 shares the records out to the trees (private_forest.c). Algorithm 1 splits every node, down to
 * the same depth. Algorithm 3 finds a split: each of K random features is cut at a private median, and one of
 * these cuts is chosen by how well it explains the label.
 *
 * Sound: medians are chosen on a public grid, so that every cut has the same base weight whatever the records
 * are; K medians and the choice among them share a level's budget; the choice goes by the sum of squared
 * errors, of width R^2; leaves are noisy sums and counts. Published: the gap between two records is chosen
 * and a point drawn in it, medians share one budget, the choice goes by the mean squared error, and a leaf's
 * noise is divided by its exact number of records. */
#include "base/fail.h"
#include "methods/forests/private_forest.h"
#include "privacy/promise_words.h"
#include "tables/bins/edges.h"
#include "trees/stats/divisions.h"
#include "trees/stats/median_score.h"

#include <math.h>
#include <stdlib.h>

enum { DIVISIONS_MAX = 1024, DIVIDED_MAX = 11 }; /* 11 values have 2^10 - 1 divisions */

/* What a node's ancestors left of a feature (R_A). */
typedef struct range {
    double low, high;
    hr_bin_set values;
} range;

typedef struct diprime diprime;

/* What the modes do differently. */
typedef struct diprime_rules {
    hr_status (*charge)(diprime *d, hr_error *err); /* all splits of a tree */
    hr_status (*median)(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c, hr_error *err);
    hr_status (*division)(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c, hr_error *err);
    hr_exact (*score)(const hr_labels *labels, const hr_exact *sides);
    hr_status (*leaves)(hr_training *training, const hr_private_tree *tree, double *leaf_values,
                        hr_error *err);
} diprime_rules;

struct diprime {
    hr_tree_trainer trainer;
    hr_training *training;
    const diprime_rules *rules;
    hr_labels labels; /* their kind alone */
    size_t features, candidate_count, nodes_max;
    /* the tree that grows */
    const hr_release_scope *scope;
    hr_permit *medians, selections[HR_TREE_DEPTH_MAX]; /* level, candidate */
    range *ranges;                                     /* of the node at hand */
    uint32_t *picked;
    hr_child_rule *candidates;
    hr_stats_query *queries;
    hr_exact *scores, *sides, *counts,
        *gaps; /* sides: of all candidates; counts: of cells, or of categories */
    double *leaf_values;
    hr_node *nodes;
    hr_bin_set *subsets;
    size_t node_count, subset_count;
};

static bool is_number_diprime(const diprime *d, uint32_t feature) {
    return d->training->binning.features[feature].kind == HR_KIND_NUMBER;
}

static hr_csprng *csprng_of(const diprime *d) {
    return hr_gate_csprng(d->training->gate);
}

/* ---- Ranges ---- */

static size_t values_of(const hr_bin_set *set, uint8_t *values) {
    size_t count = 0;
    for (size_t bin = 1; bin < HR_BINS_MAX; bin++)
        if (hr_bin_set_has(set, (uint8_t)bin)) values[count++] = (uint8_t)bin;
    return count;
}

static bool can_split(const diprime *d, uint32_t feature) {
    uint8_t values[HR_BINS_MAX];
    const range *r = &d->ranges[feature];
    return is_number_diprime(d, feature) ? r->low < r->high : values_of(&r->values, values) > 1;
}

/* SplitRange, line 56. */
static range range_of_child(const diprime *d, const range *parent, const hr_child_rule *split, bool left) {
    range child = *parent;
    if (is_number_diprime(d, split->feature)) {
        *(left ? &child.high : &child.low) = fmin(fmax(split->cut, parent->low), parent->high);
        return child;
    }
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
        child.values.words[w] &= left ? split->left.words[w] : ~split->left.words[w];
    return child;
}

/* ---- Medians ---- */

static hr_stats_source *diprime_source_of(const diprime *d) {
    return d->training->source;
}

static hr_status median_on_grid(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c,
                                hr_error *err) {
    const range *of = &d->ranges[c->feature];
    hr_exact scores[HR_MEDIAN_SCORE_CELLS - 1];
    hr_stats_query query = {
        .answer = HR_STATS_CELLS, .node = node, .feature = c->feature, .range = {of->low, of->high}};
    hr_status status = diprime_source_of(d)->ops->answer(diprime_source_of(d), &query, 1, d->counts, err);
    if (status) return status;
    hr_median_score_of_cuts(d->counts, c->missing_left, scores);
    c->cut = hr_median_score_cut(
        &query.range, 1 + hr_gate_choose(d->training->gate, permit, scores, HR_MEDIAN_SCORE_CELLS - 1));
    return HR_OK;
}

/* Lines 42 to 46: a gap between two values, and a point in it; where there is none, anywhere in the range. */
static hr_status median_of_gaps(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c,
                                hr_error *err) {
    const range *of = &d->ranges[c->feature];
    hr_stats_query query = {.node = node, .feature = c->feature};
    double at = (double)(hr_csprng_u64(csprng_of(d)) >> 11) * 0x1p-53, ends[2] = {of->low, of->high};
    size_t known;
    hr_status status = diprime_source_of(d)->ops->gap(diprime_source_of(d), &query, 0, &known, NULL, err);
    if (!status && known >= 2) {
        hr_median_score_of_gaps(known, d->gaps);
        size_t chosen = hr_gate_choose(d->training->gate, permit, d->gaps, known - 1);
        status = diprime_source_of(d)->ops->gap(diprime_source_of(d), &query, chosen, NULL, ends, err);
    }
    c->cut = ends[0] + at * (ends[1] - ends[0]);
    return status;
}

/* The bits of its number mark the values that go left. Numbers below 2^(count - 1) leave the last on the
 * right, so that none comes twice. */
static hr_bin_set nth_division(const uint8_t *values, size_t count, size_t number) {
    hr_bin_set left = {{0}};
    for (size_t i = 0; i < count; i++)
        if (number >> i & 1) hr_bin_set_add(&left, values[i]);
    return left;
}

static hr_bin_set random_division(hr_csprng *csprng, const hr_bin_set *set) {
    hr_bin_set left;
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++) left.words[w] = hr_csprng_u64(csprng) & set->words[w];
    return left;
}

/* Every division of the values in two; of many values, random ones. Missing goes to a random side. */
static size_t divisions_of(const diprime *d, const hr_bin_set *set, hr_bin_set *divisions) {
    uint8_t values[HR_BINS_MAX];
    size_t count = values_of(set, values);
    bool all = count <= DIVIDED_MAX;
    size_t made = all ? ((size_t)1 << (count - 1)) - 1 : DIVISIONS_MAX;
    for (size_t s = 0; s < made; s++) {
        divisions[s] = all ? nth_division(values, count, s + 1) : random_division(csprng_of(d), set);
        if (hr_uniform(csprng_of(d), 2)) hr_bin_set_add(&divisions[s], 0);
    }
    return made;
}

static hr_status division_of_list(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c,
                                  hr_error *err) {
    hr_bin_set divisions[DIVISIONS_MAX];
    hr_exact scores[DIVISIONS_MAX];
    hr_stats_query query = {.answer = HR_STATS_VALUES, .node = node, .feature = c->feature};
    size_t made = divisions_of(d, &d->ranges[c->feature].values, divisions);
    hr_status status = diprime_source_of(d)->ops->answer(diprime_source_of(d), &query, 1, d->counts, err);
    if (status) return status;
    hr_median_score_of_subsets(d->counts, d->training->binning.features[c->feature].bin_count, divisions,
                               made, scores);
    c->left = divisions[hr_gate_choose(d->training->gate, permit, scores, made)];
    return HR_OK;
}

/* Lines 35 to 40: of every division, however many there are. First how many records go left, then one of the
 * divisions that send so many. Missing goes to a random side. */
static hr_status division_of_all(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c,
                                 hr_error *err) {
    hr_stats_query query = {.answer = HR_STATS_VALUES, .node = node, .feature = c->feature};
    hr_divisions *all = NULL;
    const bool missing_left = hr_uniform(csprng_of(d), 2);
    hr_status status = diprime_source_of(d)->ops->answer(diprime_source_of(d), &query, 1, d->counts, err);
    if (!status) status = hr_divisions_new(d->counts, &d->ranges[c->feature].values, missing_left, &all, err);
    if (status) return status;
    size_t sum = hr_gate_choose_weighted(d->training->gate, permit, all->scores, all->ways, all->count);
    c->left = hr_divisions_draw(all, csprng_of(d), sum);
    if (missing_left) hr_bin_set_add(&c->left, 0);
    hr_divisions_free(all);
    return HR_OK;
}

/* ---- Splits (Algorithm 3) ---- */

/* Line 32: K of the features that can be split, or all. */
static size_t pick_features(diprime *d) {
    size_t count = 0;
    for (uint32_t f = 0; f < d->features; f++)
        if (can_split(d, f)) d->picked[count++] = f;
    size_t wanted = count < d->candidate_count ? count : d->candidate_count;
    hr_draw_items(csprng_of(d), d->picked, count, wanted);
    return wanted;
}

static hr_status draw_split_candidate(diprime *d, uint32_t node, hr_permit permit, hr_child_rule *c,
                                      hr_error *err) {
    if (!is_number_diprime(d, c->feature)) return d->rules->division(d, node, permit, c, err);
    c->missing_left = hr_uniform(csprng_of(d), 2);
    return d->rules->median(d, node, permit, c, err);
}

/* How well the candidates explain the labels of a node. */
static hr_status diprime_score_candidates(diprime *d, uint32_t node, size_t candidates, hr_error *err) {
    size_t width = hr_sides_width(hr_labels_width(&d->labels));
    for (size_t k = 0; k < candidates; k++)
        d->queries[k] =
            (hr_stats_query){.answer = HR_STATS_SIDES, .node = node, .division = d->candidates[k]};
    hr_status status =
        diprime_source_of(d)->ops->answer(diprime_source_of(d), d->queries, candidates, d->sides, err);
    for (size_t k = 0; !status && k < candidates; k++)
        d->scores[k] = d->rules->score(&d->labels, d->sides + k * width);
    return status;
}

/* made: false where no feature can be split. */
static hr_status find_split(diprime *d, uint32_t node, size_t level, hr_child_rule *split, bool *made,
                            hr_error *err) {
    size_t candidates = pick_features(d), chosen = 0;
    hr_status status = HR_OK;
    *made = candidates > 0;
    for (size_t k = 0; !status && k < candidates; k++) {
        d->candidates[k] = (hr_child_rule){.feature = d->picked[k]};
        status =
            draw_split_candidate(d, node, d->medians[level * d->candidate_count + k], &d->candidates[k], err);
    }
    if (!status && candidates > 1) {
        status = diprime_score_candidates(d, node, candidates, err);
        if (!status) chosen = hr_gate_choose(d->training->gate, d->selections[level], d->scores, candidates);
    }
    if (status || !*made) return status;
    *split = d->candidates[chosen];
    return HR_OK;
}

/* ---- Trees (Algorithm 1) ---- */

static void make_children(diprime *d, size_t node, const hr_child_rule *split) {
    d->nodes[node] = (hr_node){
        .left = (uint32_t)d->node_count, .feature = split->feature, .missing_left = split->missing_left};
    if (is_number_diprime(d, split->feature)) {
        d->nodes[node].threshold = split->cut;
    } else {
        d->nodes[node].subset = (uint32_t)d->subset_count;
        d->subsets[d->subset_count++] = split->left;
    }
    for (int side = 0; side < 2; side++) d->nodes[d->node_count++] = (hr_node){0};
}

/* FitTree. */
static hr_status fit_tree(diprime *d, uint32_t node, size_t level, hr_error *err) {
    hr_child_rule split;
    bool made = false;
    hr_status status = HR_OK;
    if (level < (size_t)d->training->options->depth) status = find_split(d, node, level, &split, &made, err);
    if (status || !made) return status;
    make_children(d, node, &split);
    uint32_t child = d->nodes[node].left;
    status = diprime_source_of(d)->ops->divide(diprime_source_of(d), &node, &split, &child, 1, err);
    range *of = &d->ranges[split.feature], parent = *of;
    for (uint32_t side = 0; !status && side < 2; side++) {
        *of = range_of_child(d, &parent, &split, side == 0);
        status = fit_tree(d, child + side, level + 1, err);
    }
    *of = parent;
    return status;
}

static hr_units diprime_leaf_budget(const diprime *d) {
    return hr_units_share(d->scope->budget, d->training->options->leaf_share);
}

static hr_status train_diprime_tree(hr_tree_trainer *self, const hr_release_scope *scope, hr_error *err) {
    diprime *d = (diprime *)self;
    d->scope = scope;
    hr_status status = d->rules->charge(d, err);
    if (status) return status;
    const hr_schema *schema = hr_data_schema(d->training->data);
    for (size_t f = 0; f < d->features; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        d->ranges[f] = (range){.low = column->low, .high = column->high};
        for (uint32_t bin = 1; bin < d->training->binning.features[f].bin_count; bin++)
            hr_bin_set_add(&d->ranges[f].values, (uint8_t)bin);
    }
    d->nodes[0] = (hr_node){0};
    d->node_count = 1;
    d->subset_count = 0;
    status = fit_tree(d, 0, 0, err);
    if (status) return status;
    hr_tree grown = {.nodes = d->nodes,
                     .node_count = d->node_count,
                     .subsets = d->subsets,
                     .subset_count = d->subset_count};
    hr_private_tree tree = {.tree = &grown, .scope = scope, .leaf_budget = diprime_leaf_budget(d)};
    status = d->rules->leaves(d->training, &tree, d->leaf_values, err);
    return status ? status : hr_average_add(d->training, &grown, d->leaf_values, err);
}

/* ---- Budgets: sound ---- */

/* What the questions of a level cost each. */
typedef struct level_costs {
    hr_units median, selection; /* selection 0: there is nothing to choose from */
} level_costs;

/* K medians and one choice are K + 1 questions about the same records. */
static level_costs share_level(hr_units level, size_t candidates) {
    hr_units selection = candidates > 1 ? level / 2 : 0;
    return (level_costs){(level - selection) / candidates, selection};
}

static hr_status charge_diprime(diprime *d, hr_charge choice, hr_permit *out, hr_error *err) {
    bool sound = d->training->options->mode == HR_MODE_SOUND;
    return (sound ? hr_gate_charge_choice : hr_gate_charge_exponential)(d->training->gate, &choice, out, err);
}

static hr_charge median_charge(const diprime *d, size_t level, hr_units cost, uint64_t width) {
    return hr_scope_charge(d->scope, "median", (int64_t)level, cost, width);
}

static hr_charge selection_charge(const diprime *d, size_t level, hr_units cost, uint64_t width) {
    return hr_scope_charge(d->scope, "choice of feature", (int64_t)level, cost, width);
}

static hr_status charge_sound(diprime *d, hr_error *err) {
    size_t depth = (size_t)d->training->options->depth, candidates = d->candidate_count;
    level_costs cost = share_level((d->scope->budget - diprime_leaf_budget(d)) / depth, candidates);
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth; level++) {
        for (size_t k = 0; !status && k < candidates; k++)
            status = charge_diprime(
                d, median_charge(d, level, cost.median, hr_unit_median_width(d->training->unit)),
                &d->medians[level * candidates + k], err);
        /* A level has at most 2^level nodes. */
        uint64_t width = hr_purity_width(&d->labels, (uint64_t)1 << level);
        if (!status && cost.selection)
            status = charge_diprime(d, selection_charge(d, level, cost.selection, width),
                                    &d->selections[level], err);
    }
    return status;
}

/* ---- Budgets: as published ---- */

/* What is claimed, in one line for all medians of a level. Algorithm 1, line 12, and 3: Pr(j) ~ exp(-eps1/2
 * |N - 2j|), eps1 = eps rho / (2 d_max), and Pr(a) ~ exp(-eps1/(8 B^2) MSE). Section 3: eps1 = eps rho /
 * d_max, of which each gets a half, with the same Pr(j), and N_i MSE. Labels in [0, 1] have B = 1: a quarter
 * of the unit of their squares here; as 0 and 1, two classes have half of that of unit vectors. */
static hr_status charge_published(diprime *d, hr_error *err) {
    size_t depth = (size_t)d->training->options->depth;
    bool text = d->training->options->by_name[HR_OPTION_SPLIT_BUDGET] == HR_SPLIT_BUDGET_TEXT;
    hr_units cost = (d->scope->budget - diprime_leaf_budget(d)) / (2 * depth);
    uint64_t square = hr_purity_width(&d->labels, 1);
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth; level++) {
        hr_permit median;
        status = charge_diprime(d, median_charge(d, level, cost, text ? 1 : 2), &median, err);
        if (!status)
            status = charge_diprime(d, selection_charge(d, level, cost, (text ? 4 : 8) * square),
                                    &d->selections[level], err);
        for (size_t k = 0; k < d->candidate_count; k++) d->medians[level * d->candidate_count + k] = median;
    }
    return status;
}

/* ---- Forests (Algorithm 2) ---- */

static hr_status diprime_init(diprime *d, hr_error *err) {
    hr_training *t = d->training;
    d->features = hr_schema_feature_count(hr_data_schema(t->data));
    d->candidate_count = hr_candidate_features(t->options, d->features);
    d->nodes_max = ((size_t)2 << t->options->depth) - 1;
    d->labels = hr_training_labels(t);
    hr_status status = hr_edges_public(hr_data_schema(t->data), 2, t->arena, &t->binning, err);
    if (status) return status;

    size_t width = hr_labels_width(&d->labels);
    d->medians = malloc((size_t)t->options->depth * d->candidate_count * sizeof *d->medians);
    d->ranges = malloc(d->features * sizeof *d->ranges);
    d->picked = malloc(d->features * sizeof *d->picked);
    d->candidates = malloc(d->candidate_count * sizeof *d->candidates);
    d->queries = malloc(d->candidate_count * sizeof *d->queries);
    d->scores = malloc(d->candidate_count * sizeof *d->scores);
    d->sides = malloc(d->candidate_count * hr_sides_width(width) * sizeof *d->sides);
    d->counts = malloc(HR_BALANCE_COUNTS * sizeof *d->counts);
    d->gaps = malloc((t->source->capacity + 1) * sizeof *d->gaps);
    d->leaf_values = malloc(d->nodes_max * width * sizeof *d->leaf_values);
    d->nodes = malloc(d->nodes_max * sizeof *d->nodes);
    d->subsets = malloc(d->nodes_max * sizeof *d->subsets);
    bool split = d->medians && d->ranges && d->picked && d->candidates && d->queries && d->scores &&
                 d->sides && d->counts && d->gaps;
    return split && d->leaf_values && d->nodes && d->subsets ? HR_OK : hr_fail_memory(err);
}

static const diprime_rules sound = {charge_sound, median_on_grid, division_of_list, hr_division_score,
                                    hr_private_leaves};
static const diprime_rules algorithm = {charge_published, median_of_gaps, division_of_all,
                                        hr_division_score_per_record, hr_published_leaves};
static const diprime_rules text = {charge_published, median_of_gaps, division_of_all, hr_division_score,
                                   hr_published_leaves};

static const diprime_rules *rules_of(const hr_fit_options *options) {
    if (options->mode == HR_MODE_SOUND) return &sound;
    return options->by_name[HR_OPTION_SPLIT_BUDGET] == HR_SPLIT_BUDGET_TEXT ? &text : &algorithm;
}

static size_t records_of_root(const hr_fit_facts *facts) {
    return facts->rows / (facts->options->by_name[HR_OPTION_PART] > 0 ? (size_t)facts->options->trees : 1);
}

/* Numbers that counting all divisions takes at a root, at the most, and of which feature; 0: of none. */
static double most_room(const hr_fit_facts *facts, const hr_column **widest) {
    double most = 0;
    for (size_t f = 0; facts->schema && f < hr_schema_feature_count(facts->schema); f++) {
        const hr_column *column = hr_schema_feature(facts->schema, f);
        if (column->kind == HR_KIND_NUMBER) continue;
        double room = hr_divisions_room((double)column->value_count, (double)records_of_root(facts));
        if (room > most) *widest = column;
        most = fmax(most, room);
    }
    return most;
}

static hr_status check_divisions(const hr_fit_facts *facts, hr_error *err) {
    const hr_column *widest;
    if (most_room(facts, &widest) <= HR_DIVISIONS_ROOM) return HR_OK;
    return hr_fail(err, HR_E_LIMIT,
                   "merge rare values in the schema, use more trees with part: true, or use mode sound",
                   "feature '%s': all divisions of its %zu values among the %zu records of a tree are too "
                   "many to count",
                   widest->name, (size_t)widest->value_count, records_of_root(facts));
}

/* Counts of divisions, and a score and a number by their sums. */
static double diprime_memory(const hr_fit_facts *facts) {
    const hr_column *widest;
    const bool paper = facts->options->mode == HR_MODE_PAPER;
    double numbers = paper ? most_room(facts, &widest) + 2 * (double)records_of_root(facts) : 0;
    return hr_private_forest_memory(facts) + numbers * sizeof(double);
}

static hr_status check_diprime(const hr_fit_facts *facts, hr_error *err) {
    const hr_fit_options *options = facts->options;
    if (options->mode == HR_MODE_PAPER) return check_divisions(facts, err);
    size_t candidates = hr_candidate_features(options, hr_schema_feature_count(facts->schema));
    hr_units budget = hr_facts_tree_budget(facts), leaves = hr_units_share(budget, options->leaf_share);
    level_costs cost = share_level((budget - leaves) / (hr_units)options->depth, candidates);
    hr_status status =
        hr_facts_check_choice(facts, "median", cost.median, hr_unit_median_width(hr_facts_unit(facts)), err);
    if (!status && candidates > 1)
        status =
            hr_facts_check_choice(facts, "choice of feature", cost.selection,
                                  hr_facts_purity_width(facts, (uint64_t)1 << (options->depth - 1)), err);
    return status ? status : hr_facts_check_leaves(facts, leaves, err);
}

static hr_status train_diprime(hr_training *training, hr_error *err) {
    diprime d = {.trainer = {train_diprime_tree}, .training = training, .rules = rules_of(training->options)};
    hr_status status = diprime_init(&d, err);
    if (!status) status = hr_private_forest_train(training, &d.trainer, err);
    void *all[] = {d.medians, d.ranges, d.picked, d.candidates,  d.queries, d.scores,
                   d.sides,   d.counts, d.gaps,   d.leaf_values, d.nodes,   d.subsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return status;
}

static void diprime_defaults(hr_fit_options *o) {
    bool is_sound = o->mode == HR_MODE_SOUND;
    o->trees = is_sound ? 5 : 10;
    o->depth = is_sound ? 7 : 5;
    o->by_name[HR_OPTION_MAX_FEATURES] = is_sound ? 5 : 10;
    o->by_name[HR_OPTION_PART] = true;
    o->leaf_share = is_sound ? .4 : .5;
    o->count_share = .3;
}

static const char *const sound_options[] = {"epsilon", "delta",      "trees",       "depth", "max-features",
                                            "part",    "leaf-share", "count-share", NULL};
static const char *const paper_options[] = {"epsilon", "trees",      "depth",        "max-features",
                                            "part",    "leaf-share", "split-budget", NULL};

const hr_method hr_method_diprime = {
    .info = {.name = "diprime",
             .summary = "a forest of trees that split at private medians",
             .paper = "Consul, Williamson: Differentially Private Median Forests for Regression and "
                      "Classification. 2020",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record", ". Medians: chosen on a public grid, width 2; features: by the sum of squared "
                               "errors, width R^2; leaves: noisy sums and counts. K medians and a choice "
                               "share a level's budget; every record draws its tree by itself."),
             .flaws = "The point drawn between two records reveals where they are; a leaf's noise is scaled "
                      "by its exact number of records, and empty leaves are visible; K medians are K queries "
                      "but only one is charged; parts of equal size shift when a record is added."},
    .weighed = HR_WEIGHED_SCORES("3 n 2^-20", "3 n 2^-24, n the nodes of the level"),
    .persons = HR_PROMISE_OF_METHOD(
        "all records of one person",
        ": each of a person's m records weighs floor(2^16/m)/2^16 in every sum, score and count. Medians: "
        "chosen on a public grid; features: by the sum of squared errors; what a person changes at all nodes "
        "of a level adds up to the width for one record. Leaves: noisy sums and counts. K medians and a "
        "choice share a level's budget; every person draws its tree by itself."),
    .over_ranks = true,
    .defaults = diprime_defaults,
    .sound_options = sound_options,
    .paper_options = paper_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_diprime,
    .memory = diprime_memory,
    .train = train_diprime,
};
