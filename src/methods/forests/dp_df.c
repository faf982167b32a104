/* A private decision forest (Fletcher and Islam 2015). Of a few features drawn for a node one is chosen by
 * the Gini index and splits it into all of its values, numbers being cut into five even parts of their public
 * range; a path splits by a feature once.
 *
 * Where records are of persons, every statistic is weighted, and a choice's width is that of all nodes of a
 * level, where a person may be (impurity.proof.md).
 *
 * The published choice goes by a local sensitivity of the index, which depends on the records. Here the index
 * is summed over the records, which gives it a width that holds for all of them (impurity.proof.md); a label
 * that is a number takes squared errors in its place. */
#include "base/fail.h"
#include "methods/forests/private_forest.h"
#include "privacy/promise_words.h"
#include "tables/bins/edges.h"
#include "trees/tree/multiway.h"

#include <stdlib.h>

/* A split that would make a tree larger than NODES_MAX is not made: a public rule, since splits are made in
 * order of nodes, which were released. Five values and the missing one leave room for all nodes of four
 * levels. */
enum { VALUES = 5, NODES_MAX = 1 << 12 };

typedef struct dp_df_forest {
    hr_tree_trainer trainer;
    hr_training *training;
    hr_labels labels; /* their kind alone */
    size_t features, candidate_count;
    hr_multiway multiway;
    /* the tree that grows */
    hr_permit permits[HR_TREE_DEPTH_MAX]; /* of the choices of a level */
    uint32_t *candidates;
    hr_exact *scores, *stats; /* stats: of all candidates */
    hr_stats_query *queries;
    hr_node *nodes;
    uint32_t *parents;
    size_t node_count;
    double *leaf_values;
} dp_df_forest;

static size_t bin_count_of(const dp_df_forest *f, uint32_t feature) {
    return f->training->binning.features[feature].bin_count;
}

/* ---- Splits ---- */

/* The Gini index, or squared errors, of the node divided by each candidate. */
static hr_status dp_df_score_candidates(dp_df_forest *f, uint32_t node, size_t candidates, hr_error *err) {
    hr_stats_source *source = f->training->source;
    const hr_exact *stats = f->stats;
    for (size_t k = 0; k < candidates; k++)
        f->queries[k] = (hr_stats_query){.answer = HR_STATS_BINS, .node = node, .feature = f->candidates[k]};
    hr_status status = source->ops->answer(source, f->queries, candidates, f->stats, err);
    for (size_t k = 0; !status && k < candidates; k++) {
        f->scores[k] = hr_bins_score(&f->labels, bin_count_of(f, f->candidates[k]), stats);
        stats += bin_count_of(f, f->candidates[k]) * hr_labels_width(&f->labels);
    }
    return status;
}

/* Chooses among some of the features that may split a node, drawn at random; made: false if there is none. */
static hr_status choose_feature(dp_df_forest *f, uint32_t node, size_t level, uint32_t *feature, bool *made,
                                hr_error *err) {
    size_t count = 0, chosen = 0;
    for (uint32_t k = 0; k < f->features; k++)
        if (!hr_multiway_is_asked_above(f->nodes, f->parents, node, k) &&
            f->node_count + bin_count_of(f, k) <= NODES_MAX)
            f->candidates[count++] = k;
    size_t candidates = count < f->candidate_count ? count : f->candidate_count;
    hr_draw_items(hr_gate_csprng(f->training->gate), f->candidates, count, candidates);
    *made = candidates > 0;
    if (candidates > 1) {
        hr_status status = dp_df_score_candidates(f, node, candidates, err);
        if (status) return status;
        chosen = hr_gate_choose(f->training->gate, f->permits[level], f->scores, candidates);
    }
    if (*made) *feature = f->candidates[chosen];
    return HR_OK;
}

/* ---- Trees ---- */

static hr_status grow_node(dp_df_forest *f, uint32_t node, size_t level, hr_error *err) {
    uint32_t feature;
    bool made;
    hr_status status = choose_feature(f, node, level, &feature, &made, err);
    if (status || !made) return status;
    hr_stats_source *source = f->training->source;
    uint32_t first = (uint32_t)f->node_count;
    hr_child_rule division = {.feature = feature, .every_bin = true};
    f->node_count = hr_multiway_split(&f->multiway, f->nodes, first, node, feature);
    for (size_t n = first; n < f->node_count; n++) f->parents[n] = node;
    return source->ops->divide(source, &node, &division, &first, 1, err);
}

/* Levels at which there is more than one feature to choose from: each level has one less. */
static size_t choices_of(const hr_fit_options *options, size_t features) {
    size_t depth = (size_t)options->depth,
           levels = hr_candidate_features(options, features) > 1 ? features - 1 : 0;
    return levels < depth ? levels : depth;
}

static hr_units dp_df_leaf_budget(const hr_fit_options *options, size_t features, hr_units budget) {
    return choices_of(options, features) ? hr_units_share(budget, options->leaf_share) : budget;
}

static hr_status charge_choices(dp_df_forest *f, const hr_release_scope *scope, hr_units budget,
                                hr_error *err) {
    size_t levels = choices_of(f->training->options, f->features);
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < levels; level++) {
        hr_charge charge = hr_scope_charge(scope, "choice of feature", (int64_t)level, budget / levels,
                                           hr_purity_width(&f->labels, NODES_MAX));
        status = hr_gate_charge_choice(f->training->gate, &charge, &f->permits[level], err);
    }
    return status;
}

static hr_status train_dp_df_tree(hr_tree_trainer *self, const hr_release_scope *scope, hr_error *err) {
    dp_df_forest *f = (dp_df_forest *)self;
    hr_training *t = f->training;
    hr_units leaves = dp_df_leaf_budget(t->options, f->features, scope->budget);
    hr_status status = charge_choices(f, scope, scope->budget - leaves, err);
    if (status) return status;

    uint32_t node = 0;
    f->nodes[0] = (hr_node){0};
    f->node_count = 1;
    for (size_t level = 0; level < (size_t)t->options->depth; level++)
        for (size_t end = f->node_count; !status && node < end; node++)
            status = grow_node(f, node, level, err);
    if (status) return status;

    hr_tree made = {.nodes = f->nodes,
                    .node_count = f->node_count,
                    .thresholds = f->multiway.edges,
                    .threshold_count = f->multiway.edge_count};
    hr_private_tree tree = {.tree = &made, .scope = scope, .leaf_budget = leaves};
    status = hr_private_leaves(t, &tree, f->leaf_values, err);
    return status ? status : hr_average_add(t, &made, f->leaf_values, err);
}

/* ---- Forests ---- */

static hr_status dp_df_forest_init(dp_df_forest *f, hr_error *err) {
    hr_training *t = f->training;
    f->features = hr_schema_feature_count(hr_data_schema(t->data));
    f->candidate_count = hr_candidate_features(t->options, f->features);
    f->labels = hr_training_labels(t);
    hr_status status = hr_edges_public(hr_data_schema(t->data), VALUES, t->arena, &t->binning, err);
    if (!status) status = hr_multiway_init(&f->multiway, &t->binning, err);
    if (status) return status;

    size_t width = hr_labels_width(&f->labels), bins = 0;
    for (uint32_t k = 0; k < f->features; k++) bins = bin_count_of(f, k) > bins ? bin_count_of(f, k) : bins;
    f->candidates = malloc(f->features * sizeof *f->candidates);
    f->scores = malloc(f->candidate_count * sizeof *f->scores);
    f->stats = malloc(f->candidate_count * bins * width * sizeof *f->stats);
    f->queries = malloc(f->candidate_count * sizeof *f->queries);
    f->nodes = malloc(NODES_MAX * sizeof *f->nodes);
    f->parents = calloc(NODES_MAX, sizeof *f->parents);
    f->leaf_values = malloc(NODES_MAX * width * sizeof *f->leaf_values);
    bool split = f->candidates && f->scores && f->stats && f->queries;
    return split && f->nodes && f->parents && f->leaf_values ? HR_OK : hr_fail_memory(err);
}

static hr_status check_dp_df(const hr_fit_facts *facts, hr_error *err) {
    size_t features = hr_schema_feature_count(facts->schema), levels = choices_of(facts->options, features);
    hr_units budget = hr_facts_tree_budget(facts),
             leaves = dp_df_leaf_budget(facts->options, features, budget);
    hr_status status = HR_OK;
    if (levels)
        status = hr_facts_check_choice(facts, "choice of feature", (budget - leaves) / levels,
                                       hr_facts_purity_width(facts, NODES_MAX), err);
    return status ? status : hr_facts_check_leaves(facts, leaves, err);
}

static hr_status train_dp_df(hr_training *training, hr_error *err) {
    dp_df_forest f = {.trainer = {train_dp_df_tree}, .training = training};
    hr_status status = dp_df_forest_init(&f, err);
    if (!status) status = hr_private_forest_train(training, &f.trainer, err);
    void *all[] = {f.candidates, f.scores, f.stats, f.queries, f.nodes, f.parents, f.leaf_values};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_multiway_done(&f.multiway);
    return status;
}

static void dp_df_defaults(hr_fit_options *o) {
    o->trees = 5;
    o->depth = 4;
    o->by_name[HR_OPTION_MAX_FEATURES] = 0;
    o->by_name[HR_OPTION_PART] = true;
    o->leaf_share = .65;
    o->count_share = .3;
}

static const char *const sound_options[] = {"epsilon", "delta",      "trees",       "depth", "max-features",
                                            "part",    "leaf-share", "count-share", NULL};

const hr_method hr_method_dp_df = {
    .info = {.name = "dp-df",
             .summary = "a forest of trees that split a feature into all of its values",
             .paper = "Fletcher, Islam: A Differentially Private Decision Forest. AusDM 2015",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record", ". Features: exponential mechanism (pure epsilon: permute-and-flip) by the "
                               "Gini index summed over records, width 2, or by squared errors, width R^2; "
                               "leaves: noisy class counts, or noisy sums and counts. Trees share the "
                               "budget; or, with part, the records, each of which draws its tree by itself."),
             .flaws = ""},
    .weighed = HR_WEIGHED_SCORES("3 2^-8", "3 2^-12"),
    .persons = HR_PROMISE_OF_METHOD(
        "all records of one person",
        ": each of a person's m records weighs floor(2^16/m)/2^16 in every sum, score and count. Features: "
        "exponential mechanism (pure epsilon: permute-and-flip) by the Gini index summed over records, or by "
        "squared errors; what a person changes at all nodes of a level adds up to the width for one record. "
        "Leaves: noisy class counts, or noisy sums and counts. Trees share the budget; or, with part, the "
        "persons, each of whom draws its tree by itself."),
    .over_ranks = true,
    .defaults = dp_df_defaults,
    .sound_options = sound_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_dp_df,
    .memory = hr_private_forest_memory,
    .train = train_dp_df,
};
