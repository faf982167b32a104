/* DiPriMe: forests of private median trees (Consul and Williamson 2020), as published and as they should have been.
 *
 * Algorithm 2 shares the records out to the trees (private_forest.c). Algorithm 1 splits every node, down to the same depth. Algorithm 3
 * finds a split: each of K random features is cut at a private median, and one of these cuts is chosen by how well it explains the label.
 *
 * Sound: medians are chosen on a public grid, so that every cut has the same base weight whatever the records are; K medians and the
 * choice among them share a level's budget; the choice goes by the sum of squared errors, of width R^2; leaves are noisy sums and
 * counts. Published: the gap between two records is chosen and a point drawn in it, medians share one budget, the choice goes by the mean
 * squared error, and a leaf's noise is divided by its exact number of records. */
#include "base/fail.h"
#include "bins/binned.h"
#include "bins/edges.h"
#include "methods/private_forest.h"
#include "tree/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 12, DIVISIONS_MAX = 1024, DIVIDED_MAX = 11 }; /* 11 values have 2^10 - 1 divisions */

/* What a node's ancestors left of a feature (R_A). */
typedef struct range {
    double low, high;
    hr_bin_set values;
} range;

typedef struct candidate {
    uint32_t feature;
    double cut; /* of numbers */
    bool missing_left;
    hr_bin_set left; /* of categories */
} candidate;

typedef struct diprime diprime;

/* What the modes do differently. */
typedef struct rules {
    hr_status (*charge)(diprime *d, hr_error *err); /* all splits of a tree */
    double (*median)(diprime *d, const range *of, hr_permit permit, candidate *c, const uint32_t *rows, size_t count);
    hr_exact (*score)(const diprime *d, const uint32_t *rows, size_t count);
    hr_status (*leaves)(diprime *d, const hr_private_tree *grown, const hr_tree *tree, hr_error *err);
} rules;

struct diprime {
    hr_tree_trainer trainer;
    hr_training *training;
    const rules *rules;
    hr_binned *binned; /* of categories */
    hr_labels labels;
    size_t features, candidate_count, nodes_max;
    /* the tree that grows */
    const hr_private_tree *tree;
    hr_permit *medians, selections[DEPTH_MAX]; /* level, candidate */
    range *ranges;                             /* of the node at hand */
    uint32_t *picked;
    candidate *candidates;
    hr_exact *scores, *stats, *gaps;
    double *sorted, *said;
    uint32_t *rows, *others, *node_of; /* others: room for a partition */
    uint8_t *left;
    hr_node *nodes;
    hr_bin_set *subsets;
    size_t node_count, subset_count;
};

static bool is_number(const diprime *d, uint32_t feature) {
    return d->training->binning.features[feature].kind == HR_NUMBER;
}

static hr_stream *stream_of(const diprime *d) {
    return hr_gate_stream(d->training->gate);
}

/* ---- Ranges ---------------------------------------------------------------------------------------------------------- */

static void start_ranges(diprime *d) {
    const hr_schema *schema = hr_data_schema(d->training->data);
    for (size_t f = 0; f < d->features; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        d->ranges[f] = (range){.low = column->low, .high = column->high};
        for (uint32_t bin = 1; bin < d->training->binning.features[f].bin_count; bin++) hr_bin_set_add(&d->ranges[f].values, (uint8_t)bin);
    }
}

static size_t values_of(const hr_bin_set *set, uint8_t *values) {
    size_t count = 0;
    for (size_t bin = 1; bin < HR_BINS_MAX; bin++)
        if (hr_bin_set_has(set, (uint8_t)bin)) values[count++] = (uint8_t)bin;
    return count;
}

static bool can_split(const diprime *d, uint32_t feature) {
    uint8_t values[HR_BINS_MAX];
    const range *r = &d->ranges[feature];
    return is_number(d, feature) ? r->low < r->high : values_of(&r->values, values) > 1;
}

/* SplitRange, line 56. */
static range range_of_child(const diprime *d, const range *parent, const candidate *split, bool left) {
    range child = *parent;
    if (is_number(d, split->feature)) {
        *(left ? &child.high : &child.low) = fmin(fmax(split->cut, parent->low), parent->high);
        return child;
    }
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++) child.values.words[w] &= left ? split->left.words[w] : ~split->left.words[w];
    return child;
}

/* ---- Medians --------------------------------------------------------------------------------------------------------- */

static double uniform(hr_stream *stream) {
    return (double)(hr_stream_u64(stream) >> 11) * 0x1p-53;
}

static double median_on_grid(diprime *d, const range *of, hr_permit permit, candidate *c, const uint32_t *rows, size_t count) {
    hr_exact scores[HR_BALANCE_CELLS - 1];
    hr_balance_range grid = {hr_data_numbers(d->training->data, c->feature), of->low, of->high, c->missing_left};
    hr_balance_of_cuts(&grid, rows, count, scores);
    return hr_balance_cut(&grid, 1 + hr_gate_choose(d->training->gate, permit, scores, HR_BALANCE_CELLS - 1));
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lines 42 to 46: a gap between two values, and a point in it; where there is none, anywhere in the range. */
static double median_of_gaps(diprime *d, const range *of, hr_permit permit, candidate *c, const uint32_t *rows, size_t count) {
    const double *values = hr_data_numbers(d->training->data, c->feature);
    double at = uniform(stream_of(d));
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[rows[i]])) d->sorted[known++] = values[rows[i]];
    if (known < 2) return of->low + at * (of->high - of->low);
    qsort(d->sorted, known, sizeof *d->sorted, by_value);
    hr_balance_of_gaps(known, d->gaps);
    size_t j = hr_gate_choose(d->training->gate, permit, d->gaps, known - 1);
    return d->sorted[j] + at * (d->sorted[j + 1] - d->sorted[j]);
}

/* The bits of its number say which values go left. Numbers below 2^(count - 1) leave the last on the right, so that none comes twice. */
static hr_bin_set nth_division(const uint8_t *values, size_t count, size_t number) {
    hr_bin_set left = {{0}};
    for (size_t i = 0; i < count; i++)
        if (number >> i & 1) hr_bin_set_add(&left, values[i]);
    return left;
}

static hr_bin_set random_division(hr_stream *stream, const hr_bin_set *set) {
    hr_bin_set left;
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++) left.words[w] = hr_stream_u64(stream) & set->words[w];
    return left;
}

/* Line 35: every division of the values in two; of many values, random ones. Missing goes to a random side. */
static size_t divisions_of(const diprime *d, const hr_bin_set *set, hr_bin_set *divisions) {
    uint8_t values[HR_BINS_MAX];
    size_t count = values_of(set, values);
    bool all = count <= DIVIDED_MAX;
    size_t made = all ? ((size_t)1 << (count - 1)) - 1 : DIVISIONS_MAX;
    for (size_t s = 0; s < made; s++) {
        divisions[s] = all ? nth_division(values, count, s + 1) : random_division(stream_of(d), set);
        if (hr_uniform(stream_of(d), 2)) hr_bin_set_add(&divisions[s], 0);
    }
    return made;
}

/* Line 40. */
static void draw_division(const diprime *d, hr_permit permit, candidate *c, const uint32_t *rows, size_t count) {
    hr_bin_set divisions[DIVISIONS_MAX];
    hr_exact scores[DIVISIONS_MAX];
    size_t made = divisions_of(d, &d->ranges[c->feature].values, divisions);
    hr_balance_of_subsets(hr_binned_column(d->binned, c->feature), rows, count, divisions, made, scores);
    c->left = divisions[hr_gate_choose(d->training->gate, permit, scores, made)];
}

/* ---- Splits (Algorithm 3) -------------------------------------------------------------------------------------------- */

/* Line 32: K of the features that can be split, or all. */
static size_t pick_features(diprime *d) {
    size_t count = 0;
    for (uint32_t f = 0; f < d->features; f++)
        if (can_split(d, f)) d->picked[count++] = f;
    size_t wanted = count < d->candidate_count ? count : d->candidate_count;
    hr_draw_features(stream_of(d), d->picked, count, wanted);
    return wanted;
}

/* left[i]: whether rows[i] goes left. */
static void find_sides(const diprime *d, const candidate *c, const uint32_t *rows, size_t count) {
    if (!is_number(d, c->feature)) {
        const uint8_t *bins = hr_binned_column(d->binned, c->feature);
        for (size_t i = 0; i < count; i++) d->left[i] = hr_bin_set_has(&c->left, bins[rows[i]]);
        return;
    }
    const double *values = hr_data_numbers(d->training->data, c->feature);
    for (size_t i = 0; i < count; i++) d->left[i] = isnan(values[rows[i]]) ? c->missing_left : values[rows[i]] <= c->cut;
}

static candidate draw_candidate(diprime *d, uint32_t feature, hr_permit permit, const uint32_t *rows, size_t count) {
    candidate c = {.feature = feature};
    if (!is_number(d, feature)) {
        draw_division(d, permit, &c, rows, count);
        return c;
    }
    c.missing_left = hr_uniform(stream_of(d), 2);
    c.cut = d->rules->median(d, &d->ranges[feature], permit, &c, rows, count);
    return c;
}

/* False where no feature can be split. */
static bool find_split(diprime *d, size_t level, const uint32_t *rows, size_t count, candidate *split) {
    size_t candidates = pick_features(d);
    if (!candidates) return false;
    for (size_t k = 0; k < candidates; k++) {
        d->candidates[k] = draw_candidate(d, d->picked[k], d->medians[level * d->candidate_count + k], rows, count);
        find_sides(d, &d->candidates[k], rows, count);
        d->scores[k] = d->rules->score(d, rows, count);
    }
    size_t chosen = candidates > 1 ? hr_gate_choose(d->training->gate, d->selections[level], d->scores, candidates) : 0;
    *split = d->candidates[chosen];
    find_sides(d, split, rows, count);
    return true;
}

static hr_exact score_by_sum(const diprime *d, const uint32_t *rows, size_t count) {
    return hr_division_score(&d->labels, rows, d->left, count, d->stats);
}

static hr_exact score_by_mean(const diprime *d, const uint32_t *rows, size_t count) {
    return hr_division_score_per_record(&d->labels, rows, d->left, count, d->stats);
}

/* ---- Trees (Algorithm 1) --------------------------------------------------------------------------------------------- */

/* Those that go left first, in order; returns how many. */
static size_t partition(diprime *d, uint32_t *rows, size_t count) {
    size_t left = 0, right = 0;
    for (size_t i = 0; i < count; i++) {
        if (d->left[i])
            rows[left++] = rows[i];
        else
            d->others[right++] = rows[i];
    }
    memcpy(rows + left, d->others, right * sizeof *rows);
    return left;
}

static void make_children(diprime *d, size_t node, const candidate *split) {
    d->nodes[node] = (hr_node){.left = (uint32_t)d->node_count, .feature = split->feature, .missing_left = split->missing_left};
    if (is_number(d, split->feature)) {
        d->nodes[node].threshold = split->cut;
    } else {
        d->nodes[node].subset = (uint32_t)d->subset_count;
        d->subsets[d->subset_count++] = split->left;
    }
    for (int side = 0; side < 2; side++) d->nodes[d->node_count++] = (hr_node){0};
}

/* FitTree: rows begin .. begin + count - 1 are in the node. */
static void fit_tree(diprime *d, size_t node, size_t level, size_t begin, size_t count) {
    candidate split;
    if (level == (size_t)d->training->options->depth || !find_split(d, level, d->rows + begin, count, &split)) {
        for (size_t i = 0; i < count; i++) d->node_of[begin + i] = (uint32_t)node;
        return;
    }
    size_t left = partition(d, d->rows + begin, count);
    make_children(d, node, &split);
    size_t child = d->nodes[node].left;
    range *of = &d->ranges[split.feature], parent = *of;
    *of = range_of_child(d, &parent, &split, true);
    fit_tree(d, child, level + 1, begin, left);
    *of = range_of_child(d, &parent, &split, false);
    fit_tree(d, child + 1, level + 1, begin + left, count - left);
    *of = parent;
}

static hr_status train_tree(hr_tree_trainer *self, const hr_private_tree *tree, hr_error *err) {
    diprime *d = (diprime *)self;
    d->tree = tree;
    hr_status status = d->rules->charge(d, err);
    if (status) return status;
    memcpy(d->rows, tree->rows, tree->count * sizeof *d->rows);
    start_ranges(d);
    d->nodes[0] = (hr_node){0};
    d->node_count = 1;
    d->subset_count = 0;
    fit_tree(d, 0, 0, 0, tree->count);
    hr_tree grown = {.nodes = d->nodes, .node_count = d->node_count, .subsets = d->subsets, .subset_count = d->subset_count};
    hr_private_tree regrouped = *tree;
    regrouped.rows = d->rows;
    status = d->rules->leaves(d, &regrouped, &grown, err);
    return status ? status : hr_average_add(d->training, &grown, d->said, err);
}

/* ---- Budgets and leaves: sound ---------------------------------------------------------------------------------------- */

static hr_units leaf_budget(const diprime *d) {
    return hr_units_share(d->tree->budget, d->training->options->leaf_share);
}

/* What the questions of a level cost each. */
typedef struct level_costs {
    hr_units median, selection; /* selection 0: there is nothing to choose from */
} level_costs;

/* K medians and one choice are K + 1 questions about the same records. */
static level_costs share_level(hr_units level, size_t candidates) {
    hr_units selection = candidates > 1 ? level / 2 : 0;
    return (level_costs){(level - selection) / candidates, selection};
}

static hr_status charge(diprime *d, const char *what, size_t level, hr_units cost, uint64_t width, hr_permit *out, hr_error *err) {
    bool sound = d->training->options->mode == HR_SOUND;
    hr_charge line = hr_private_tree_charge(d->tree, what, (int64_t)level, cost, width);
    return (sound ? hr_gate_charge_choice : hr_gate_charge_exponential)(d->training->gate, &line, out, err);
}

static hr_status charge_sound(diprime *d, hr_error *err) {
    size_t depth = (size_t)d->training->options->depth, candidates = d->candidate_count;
    level_costs cost = share_level((d->tree->budget - leaf_budget(d)) / depth, candidates);
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth; level++) {
        for (size_t k = 0; !status && k < candidates; k++)
            status = charge(d, "median", level, cost.median, HR_BALANCE_WIDTH, &d->medians[level * candidates + k], err);
        if (!status && cost.selection)
            status = charge(d, "choice of feature", level, cost.selection, hr_purity_width(&d->labels), &d->selections[level], err);
    }
    return status;
}

static hr_status leaves_sound(diprime *d, const hr_private_tree *grown, const hr_tree *tree, hr_error *err) {
    return hr_private_leaves(d->training, &d->labels, grown, tree, d->node_of, leaf_budget(d), d->said, err);
}

/* ---- Budgets and leaves: as published --------------------------------------------------------------------------------- */

/* What is claimed, in one line for all medians of a level. Algorithm 1, line 12, and 3: Pr(j) ~ exp(-eps1/2 |N - 2j|), eps1 = eps rho / (2
 * d_max), and Pr(a) ~ exp(-eps1/(8 B^2) MSE). Section 3: eps1 = eps rho / d_max, of which each gets a half, with the same Pr(j), and N_i
 * MSE. Labels in [0, 1] have B = 1: a quarter of the unit of their squares here; as 0 and 1, two classes have half of that of unit vectors.
 */
static hr_status charge_published(diprime *d, hr_error *err) {
    size_t depth = (size_t)d->training->options->depth;
    bool text = d->training->options->split_budget == HR_SPLIT_TEXT;
    hr_units cost = (d->tree->budget - leaf_budget(d)) / (2 * depth);
    uint64_t square = d->labels.classes ? UINT64_C(2) << HR_CLASS_BITS : UINT64_C(4) << (2 * HR_LABEL_BITS);
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < depth; level++) {
        hr_permit median;
        status = charge(d, "median", level, cost, text ? 1 : 2, &median, err);
        if (!status) status = charge(d, "choice of feature", level, cost, (text ? 4 : 8) * square, &d->selections[level], err);
        for (size_t k = 0; k < d->candidate_count; k++) d->medians[level * d->candidate_count + k] = median;
    }
    return status;
}

static hr_status leaves_published(diprime *d, const hr_private_tree *grown, const hr_tree *tree, hr_error *err) {
    return hr_published_leaves(d->training, &d->labels, grown, tree, d->node_of, leaf_budget(d), d->said, err);
}

/* ---- Forests (Algorithm 2) ------------------------------------------------------------------------------------------- */

static void diprime_done(diprime *d) {
    void *all[] = {d->medians, d->ranges, d->picked, d->candidates, d->scores, d->stats, d->gaps,   d->sorted,
                   d->said,    d->rows,   d->others, d->node_of,    d->left,   d->nodes, d->subsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_binned_free(d->binned);
    hr_labels_done(&d->labels);
}

static hr_status room(diprime *d, size_t rows, hr_error *err) {
    size_t width = hr_labels_width(&d->labels);
    d->medians = malloc((size_t)d->training->options->depth * d->candidate_count * sizeof *d->medians);
    d->ranges = malloc(d->features * sizeof *d->ranges);
    d->picked = malloc(d->features * sizeof *d->picked);
    d->candidates = malloc(d->candidate_count * sizeof *d->candidates);
    d->scores = malloc(d->candidate_count * sizeof *d->scores);
    d->stats = malloc(2 * width * sizeof *d->stats);
    d->gaps = malloc((rows + 1) * sizeof *d->gaps);
    d->sorted = malloc((rows + 1) * sizeof *d->sorted);
    d->said = malloc(d->nodes_max * width * sizeof *d->said);
    d->rows = malloc((rows + 1) * sizeof *d->rows);
    d->others = malloc((rows + 1) * sizeof *d->others);
    d->node_of = malloc((rows + 1) * sizeof *d->node_of);
    d->left = malloc(rows + 1);
    d->nodes = malloc(d->nodes_max * sizeof *d->nodes);
    d->subsets = malloc(d->nodes_max * sizeof *d->subsets);
    bool split = d->medians && d->ranges && d->picked && d->candidates && d->scores && d->stats && d->gaps && d->sorted;
    bool tree = d->said && d->rows && d->others && d->node_of && d->left && d->nodes && d->subsets;
    return split && tree ? HR_OK : hr_fail_memory(err);
}

static hr_status diprime_init(diprime *d, hr_error *err) {
    hr_training *t = d->training;
    d->features = hr_schema_feature_count(hr_data_schema(t->data));
    d->candidate_count = hr_candidate_features(t->options, d->features);
    d->nodes_max = ((size_t)2 << t->options->depth) - 1;
    hr_status status = hr_labels_of(t->data, &d->labels, err);
    if (!status) status = hr_edges_public(hr_data_schema(t->data), 2, t->arena, &t->binning, err);
    if (!status) status = hr_binned_columns(t->data, &t->binning, t->threads, &d->binned, err);
    return status ? status : room(d, hr_data_rows(t->data), err);
}

static const rules sound = {charge_sound, median_on_grid, score_by_sum, leaves_sound};
static const rules algorithm = {charge_published, median_of_gaps, score_by_mean, leaves_published};
static const rules text = {charge_published, median_of_gaps, score_by_sum, leaves_published};

static const rules *rules_of(const hr_fit_options *options) {
    if (options->mode == HR_SOUND) return &sound;
    return options->split_budget == HR_SPLIT_TEXT ? &text : &algorithm;
}

static hr_status check(const hr_fit_facts *facts, hr_error *err) {
    const hr_fit_options *options = facts->options;
    if (options->mode == HR_PAPER) return HR_OK;
    size_t candidates = hr_candidate_features(options, hr_schema_feature_count(facts->schema));
    hr_units budget = hr_facts_tree_budget(facts), leaves = hr_units_share(budget, options->leaf_share);
    level_costs cost = share_level((budget - leaves) / (hr_units)options->depth, candidates);
    hr_status status = hr_facts_check_choice(facts, "median", cost.median, HR_BALANCE_WIDTH, err);
    if (!status && candidates > 1)
        status = hr_facts_check_choice(facts, "choice of feature", cost.selection, hr_facts_purity_width(facts), err);
    return status ? status : hr_facts_check_leaves(facts, leaves, err);
}

static hr_status train(hr_training *training, hr_error *err) {
    diprime d = {.trainer = {train_tree}, .training = training, .rules = rules_of(training->options)};
    hr_status status = diprime_init(&d, err);
    if (!status) status = hr_private_forest_train(training, &d.trainer, err);
    diprime_done(&d);
    return status;
}

static void defaults(hr_fit_options *o) {
    bool is_sound = o->mode == HR_SOUND;
    o->trees = is_sound ? 5 : 10;
    o->depth = is_sound ? 7 : 5;
    o->features = is_sound ? 5 : 10;
    o->part = HR_PART_TRUE;
    o->leaf_share = is_sound ? .4 : .5;
    o->count_share = .3;
}

static const char *const sound_options[] = {"epsilon", "delta", "trees", "depth", "features", "part", "leaf-share", "count-share", NULL};
static const char *const paper_options[] = {"epsilon", "trees", "depth", "features", "part", "leaf-share", "split-budget", NULL};

const hr_method hr_method_diprime = {
    .info = {.name = "diprime",
             .summary = "a forest of trees that split at private medians",
             .paper = "Consul, Williamson: Differentially Private Median Forests for Regression and Classification. 2020",
             .is_private = true,
             .sound =
                 "Adding or removing one record changes the probability of any model by at most e^epsilon (plus delta). Medians: chosen on "
                 "a public grid, width 2; features: by the sum of squared errors, width R^2; leaves: noisy sums and counts. K medians and "
                 "a choice share a level's budget; every record draws its tree by itself.",
             .flaws = "The point drawn between two records tells where they are; a leaf's noise is scaled by its exact number of records, "
                      "and empty leaves stand out; K medians are K queries at the price of one; parts of equal size shift when a record "
                      "is added."},
    .defaults = defaults,
    .sound_options = sound_options,
    .paper_options = paper_options,
    .with_delta = HR_GDP,
    .check = check,
    .memory = hr_private_forest_memory,
    .train = train,
};
