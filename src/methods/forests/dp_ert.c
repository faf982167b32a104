/* Private extremely randomised trees (Bojarski, Choromanska, Choromanski, LeCun 2014). A node splits by a
 * feature drawn at random and cuts it anywhere within its public bounds, so that nothing is paid for splits:
 * all of the budget is left for the leaves. */
#include "base/fail.h"
#include "methods/forests/private_forest.h"
#include "privacy/promise_words.h"
#include "tables/bins/edges.h"
#include "trees/tree/random_tree.h"

#include <stdlib.h>

typedef struct dp_ert_forest {
    hr_tree_trainer trainer;
    hr_training *training;
    hr_random_plan plan;
    double *weights, *leaf_values;
    hr_node *nodes;
    hr_bin_set *subsets;
} dp_ert_forest;

static hr_status train_dp_ert_tree(hr_tree_trainer *self, const hr_release_scope *scope, hr_error *err) {
    dp_ert_forest *f = (dp_ert_forest *)self;
    hr_training *t = f->training;
    hr_tree drawn;
    hr_random_tree(hr_gate_csprng(t->gate), &t->binning, &f->plan, f->nodes, f->subsets, &drawn);
    hr_private_tree tree = {.tree = &drawn, .walk = true, .scope = scope, .leaf_budget = scope->budget};
    hr_status status = hr_private_leaves(t, &tree, f->leaf_values, err);
    return status ? status : hr_average_add(t, &drawn, f->leaf_values, err);
}

static hr_status dp_ert_forest_init(dp_ert_forest *f, hr_error *err) {
    hr_training *t = f->training;
    hr_status status = hr_edges_public(hr_data_schema(t->data), HR_BINS_MAX - 1, t->arena, &t->binning, err);
    if (status) return status;

    size_t features = t->binning.feature_count, nodes = ((size_t)2 << f->plan.depth) - 1;
    f->weights = malloc(features * sizeof *f->weights);
    f->leaf_values = malloc(nodes * hr_average_width(t->data) * sizeof *f->leaf_values);
    f->nodes = malloc(nodes * sizeof *f->nodes);
    f->subsets = malloc(nodes * sizeof *f->subsets);
    if (!f->weights || !f->leaf_values || !f->nodes || !f->subsets) return hr_fail_memory(err);
    for (size_t k = 0; k < features; k++) f->weights[k] = 1;
    f->plan.weights = f->weights;
    return HR_OK;
}

static hr_status check_dp_ert(const hr_fit_facts *facts, hr_error *err) {
    return hr_facts_check_leaves(facts, hr_facts_tree_budget(facts), err);
}

static hr_status train_dp_ert(hr_training *training, hr_error *err) {
    dp_ert_forest f = {.trainer = {train_dp_ert_tree},
                       .training = training,
                       .plan = {.depth = (int)training->options->depth, .centred = 1}};
    hr_status status = dp_ert_forest_init(&f, err);
    if (!status) status = hr_private_forest_train(training, &f.trainer, err);
    void *all[] = {f.weights, f.leaf_values, f.nodes, f.subsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return status;
}

static void dp_ert_defaults(hr_fit_options *o) {
    o->trees = 10;
    o->depth = 12;
    o->by_name[HR_OPTION_PART] = false;
    o->count_share = .3;
}

static const char *const sound_options[] = {"epsilon", "delta",       "trees", "depth",
                                            "part",    "count-share", NULL};

const hr_method hr_method_dp_ert = {
    .info = {.name = "dp-ert",
             .summary = "a forest of completely random trees with noisy leaves",
             .paper = "Bojarski, Choromanska, Choromanski, LeCun: Differentially- and "
                      "non-differentially-private random decision trees. arXiv:1410.6973, 2014",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record", ". Trees are drawn by public coins within public bounds; leaves: noisy class "
                               "counts, or noisy sums and counts. Trees share the budget; or, with part, the "
                               "records, each of which draws its tree by itself."),
             .flaws = ""},
    .persons = HR_PROMISE_OF_METHOD(
        "all records of one person",
        ": each of a person's m records weighs floor(2^16/m)/2^16 in every sum and count. Trees are drawn by "
        "public coins within public bounds; leaves: noisy class counts, or noisy sums and counts. Trees "
        "share the budget; or, with part, the persons, each of whom draws its tree by itself."),
    .over_ranks = true,
    .defaults = dp_ert_defaults,
    .sound_options = sound_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_dp_ert,
    .memory = hr_private_forest_memory,
    .train = train_dp_ert,
};
