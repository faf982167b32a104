/* A private decision forest (Fletcher and Islam 2015). Of a few features drawn for a node one is chosen by the Gini index and splits it
 * into all of its values, numbers being cut into five even parts of their public range; a path asks about a feature once.
 *
 * The published choice goes by a local sensitivity of the index, which depends on the records. Here the index is summed over the records,
 * which gives it a width that holds for all of them (impurity.proof.md); a label that is a number takes squared errors in its place.
 */
#include "base/fail.h"
#include "bins/binned.h"
#include "bins/edges.h"
#include "methods/private_forest.h"

#include <stdlib.h>
#include <string.h>

/* A split that would make a tree larger than NODES_MAX is not made: a public rule, since splits are made in order of nodes, which were
 * released. Five values and the missing one leave room for all nodes of four levels. */
enum { DEPTH_MAX = 12, VALUES = 5, NODES_MAX = 1 << 12 };

/* What is kept of a node while its tree grows: which of the tree's records it has. */
typedef struct grown {
    uint32_t parent;
    size_t begin, count;
} grown;

typedef struct forest {
    hr_tree_trainer trainer;
    hr_training *training;
    hr_binned *binned;
    hr_labels labels;
    size_t features, candidate_count;
    double *edges; /* of all numbers */
    uint32_t *first_edge;
    size_t edge_count;
    /* the tree that grows */
    hr_permit permits[DEPTH_MAX]; /* of the choices of a level */
    uint32_t *candidates;
    hr_exact *scores, *stats;
    uint32_t *rows, *others, *leaf_of; /* others: room for a partition */
    hr_node *nodes;
    grown *grown;
    size_t node_count;
    double *said;
} forest;

static size_t bin_count_of(const forest *f, uint32_t feature) {
    return f->training->binning.features[feature].bin_count;
}

/* ---- Splits ---------------------------------------------------------------------------------------------------------- */

static bool is_asked_above(const forest *f, size_t node, uint32_t feature) {
    while (node) {
        node = f->grown[node].parent;
        if (f->nodes[node].feature == feature) return true;
    }
    return false;
}

/* Draws some of the features that may split a node. */
static size_t draw_candidates(forest *f, size_t node) {
    size_t count = 0;
    for (uint32_t k = 0; k < f->features; k++)
        if (!is_asked_above(f, node, k) && f->node_count + bin_count_of(f, k) <= NODES_MAX) f->candidates[count++] = k;
    size_t wanted = count < f->candidate_count ? count : f->candidate_count;
    hr_draw_features(hr_gate_stream(f->training->gate), f->candidates, count, wanted);
    return wanted;
}

/* False if no feature may split the node. */
static bool choose_feature(forest *f, size_t node, size_t level, uint32_t *feature) {
    const uint32_t *rows = f->rows + f->grown[node].begin;
    size_t candidates = draw_candidates(f, node), chosen = 0;
    if (!candidates) return false;
    for (size_t k = 0; k < candidates; k++)
        f->scores[k] = hr_bins_score(&f->labels, hr_binned_column(f->binned, f->candidates[k]), bin_count_of(f, f->candidates[k]), rows,
                                     f->grown[node].count, f->stats);
    if (candidates > 1) chosen = hr_gate_choose(f->training->gate, f->permits[level], f->scores, candidates);
    *feature = f->candidates[chosen];
    return true;
}

/* Sorts the records of a node by their bin, and tells its children which they have. */
static void share_out(forest *f, size_t node, const uint8_t *bins) {
    const grown *from = &f->grown[node];
    grown *children = &f->grown[f->nodes[node].left];
    uint32_t *rows = f->rows + from->begin;
    size_t next[HR_BINS_MAX] = {0}, begin = 0;
    for (size_t i = 0; i < from->count; i++) next[bins[rows[i]]]++;
    for (size_t b = 0; b < f->nodes[node].branches; b++) {
        children[b] = (grown){.parent = (uint32_t)node, .begin = from->begin + begin, .count = next[b]};
        next[b] = begin;
        begin += children[b].count;
    }
    for (size_t i = 0; i < from->count; i++) f->others[next[bins[rows[i]]]++] = rows[i];
    memcpy(rows, f->others, from->count * sizeof *rows);
}

static void split(forest *f, size_t node, uint32_t feature) {
    size_t branches = bin_count_of(f, feature);
    f->nodes[node] =
        (hr_node){.left = (uint32_t)f->node_count, .feature = feature, .first = f->first_edge[feature], .branches = (uint16_t)branches};
    for (size_t b = 0; b < branches; b++) f->nodes[f->node_count++] = (hr_node){0};
    share_out(f, node, hr_binned_column(f->binned, feature));
}

/* ---- Trees ----------------------------------------------------------------------------------------------------------- */

static void grow(forest *f, const hr_private_tree *tree) {
    size_t depth = (size_t)f->training->options->depth, begin = 0;
    memcpy(f->rows, tree->rows, tree->count * sizeof *f->rows);
    f->nodes[0] = (hr_node){0};
    f->grown[0] = (grown){.count = tree->count};
    f->node_count = 1;
    for (size_t level = 0; level < depth; level++) {
        size_t end = f->node_count;
        uint32_t feature;
        for (; begin < end; begin++)
            if (choose_feature(f, begin, level, &feature)) split(f, begin, feature);
    }
}

static void find_leaves(forest *f) {
    for (size_t n = 0; n < f->node_count; n++)
        for (size_t i = 0; !f->nodes[n].left && i < f->grown[n].count; i++) f->leaf_of[f->grown[n].begin + i] = (uint32_t)n;
}

/* Levels at which there is more than one feature to choose from: each level has one less. */
static size_t choices_of(const hr_fit_options *options, size_t features) {
    size_t depth = (size_t)options->depth, levels = hr_candidate_features(options, features) > 1 ? features - 1 : 0;
    return levels < depth ? levels : depth;
}

static hr_units leaf_budget(const hr_fit_options *options, size_t features, hr_units budget) {
    return choices_of(options, features) ? hr_units_share(budget, options->leaf_share) : budget;
}

static hr_status charge_choices(forest *f, const hr_private_tree *tree, hr_units budget, hr_error *err) {
    size_t levels = choices_of(f->training->options, f->features);
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < levels; level++) {
        hr_charge charge = hr_private_tree_charge(tree, "choice of feature", (int64_t)level, budget / levels, hr_purity_width(&f->labels));
        status = hr_gate_charge_choice(f->training->gate, &charge, &f->permits[level], err);
    }
    return status;
}

static hr_status train_tree(hr_tree_trainer *self, const hr_private_tree *tree, hr_error *err) {
    forest *f = (forest *)self;
    hr_training *t = f->training;
    hr_units leaves = leaf_budget(t->options, f->features, tree->budget);
    hr_status status = charge_choices(f, tree, tree->budget - leaves, err);
    if (status) return status;
    grow(f, tree);
    find_leaves(f);
    hr_private_tree regrouped = *tree;
    regrouped.rows = f->rows;
    hr_tree made = {.nodes = f->nodes, .node_count = f->node_count, .thresholds = f->edges, .threshold_count = f->edge_count};
    status = hr_private_leaves(t, &f->labels, &regrouped, &made, f->leaf_of, leaves, f->said, err);
    return status ? status : hr_average_add(t, &made, f->said, err);
}

/* ---- Forests --------------------------------------------------------------------------------------------------------- */

static void forest_done(forest *f) {
    void *all[] = {f->candidates, f->scores, f->stats, f->rows,  f->others,    f->leaf_of,
                   f->nodes,      f->grown,  f->said,  f->edges, f->first_edge};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_binned_free(f->binned);
    hr_labels_done(&f->labels);
}

static hr_status room(forest *f, hr_error *err) {
    size_t rows = hr_data_rows(f->training->data), width = hr_labels_width(&f->labels);
    f->candidates = malloc(f->features * sizeof *f->candidates);
    f->scores = malloc(f->candidate_count * sizeof *f->scores);
    f->stats = malloc(HR_BINS_MAX * width * sizeof *f->stats);
    f->rows = malloc((rows + 1) * sizeof *f->rows);
    f->others = malloc((rows + 1) * sizeof *f->others);
    f->leaf_of = malloc((rows + 1) * sizeof *f->leaf_of);
    f->nodes = malloc(NODES_MAX * sizeof *f->nodes);
    f->grown = malloc(NODES_MAX * sizeof *f->grown);
    f->said = malloc(NODES_MAX * width * sizeof *f->said);
    bool split = f->candidates && f->scores && f->stats && f->rows && f->others;
    return split && f->leaf_of && f->nodes && f->grown && f->said ? HR_OK : hr_fail_memory(err);
}

/* All trees ask about the same edges. */
static hr_status gather_edges(forest *f, hr_error *err) {
    const hr_binning *binning = &f->training->binning;
    f->edges = malloc(f->features * (VALUES - 1) * sizeof *f->edges);
    f->first_edge = calloc(f->features, sizeof *f->first_edge);
    if (!f->edges || !f->first_edge) return hr_fail_memory(err);
    for (size_t k = 0; k < f->features; k++) {
        const hr_feature_bins *bins = &binning->features[k];
        f->first_edge[k] = (uint32_t)f->edge_count;
        if (bins->kind == HR_CATEGORY) continue;
        memcpy(f->edges + f->edge_count, bins->edges, (bins->bin_count - 2) * sizeof *f->edges);
        f->edge_count += bins->bin_count - 2;
    }
    return HR_OK;
}

static hr_status forest_init(forest *f, hr_error *err) {
    hr_training *t = f->training;
    f->features = hr_schema_feature_count(hr_data_schema(t->data));
    f->candidate_count = hr_candidate_features(t->options, f->features);
    hr_status status = hr_labels_of(t->data, &f->labels, err);
    if (!status) status = hr_edges_public(hr_data_schema(t->data), VALUES, t->arena, &t->binning, err);
    if (!status) status = hr_binned_columns(t->data, &t->binning, t->threads, &f->binned, err);
    if (!status) status = gather_edges(f, err);
    return status ? status : room(f, err);
}

static hr_status check(const hr_fit_facts *facts, hr_error *err) {
    size_t features = hr_schema_feature_count(facts->schema), levels = choices_of(facts->options, features);
    hr_units budget = hr_facts_tree_budget(facts), leaves = leaf_budget(facts->options, features, budget);
    hr_status status = HR_OK;
    if (levels) status = hr_facts_check_choice(facts, "choice of feature", (budget - leaves) / levels, hr_facts_purity_width(facts), err);
    return status ? status : hr_facts_check_leaves(facts, leaves, err);
}

static hr_status train(hr_training *training, hr_error *err) {
    forest f = {.trainer = {train_tree}, .training = training};
    hr_status status = forest_init(&f, err);
    if (!status) status = hr_private_forest_train(training, &f.trainer, err);
    forest_done(&f);
    return status;
}

static void defaults(hr_fit_options *o) {
    o->trees = 5;
    o->depth = 4;
    o->features = 0;
    o->part = HR_PART_TRUE;
    o->leaf_share = .65;
    o->count_share = .3;
}

static const char *const sound_options[] = {"epsilon", "delta", "trees", "depth", "features", "part", "leaf-share", "count-share", NULL};

const hr_method hr_method_dp_df = {
    .info = {.name = "dp-df",
             .summary = "a forest of trees that split a feature into all of its values",
             .paper = "Fletcher, Islam: A Differentially Private Decision Forest. AusDM 2015",
             .is_private = true,
             .sound =
                 "Adding or removing one record changes the probability of any model by at most e^epsilon (plus delta). Features: "
                 "exponential mechanism (pure epsilon: permute-and-flip) by the Gini index summed over records, width 2, or by squared "
                 "errors, width R^2; leaves: noisy class counts, or noisy sums and counts. Trees share the budget; or, with part, the "
                 "records, each of which draws its tree by itself.",
             .flaws = ""},
    .defaults = defaults,
    .sound_options = sound_options,
    .with_delta = HR_GDP,
    .check = check,
    .memory = hr_private_forest_memory,
    .train = train,
};
