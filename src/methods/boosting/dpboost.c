/* DPBoost: Li, Wu, Wen, He: Privacy-Preserving Gradient Boosting Decision Trees. AAAI 2020. Algorithm 2, an
 * ensemble of ensembles: T trees in ensembles of T_e; the trees of an ensemble share out the records
 * (parallel composition), ensembles follow each other (sequential composition), each at eps/N_e. Algorithm 1,
 * the single tree, is in single_tree.c.
 *
 * Sound differs where the paper errs: every record draws its tree by itself, bin edges are public or paid
 * for, and the single tree has the corrected sensitivities. Scores start at 0, a public number. */
#include "base/fail.h"
#include "methods/boosting/single_tree.h"
#include "privacy/promise_words.h"

#include <math.h>
#include <stdlib.h>

typedef hr_status single_tree(hr_boosting *boosting, const hr_single_tree *tree, hr_error *err);

/* Line 8: the part of the records that tree t_e gets, proportional to its leaf sensitivity (1 - eta)^t_e, or
 * equal. */
static void share_out_ensemble(const hr_fit_options *options, size_t te, double *weights) {
    double left = options->by_name[HR_OPTION_SHARES] == HR_SHARES_EQUAL ? 1 : 1 - options->learning_rate,
           weight = 1;
    for (size_t j = 0; j < te; j++, weight *= left) weights[j] = weight;
}

/* GLC: g* (1 - eta)^(t - 1), t being counted from 1 in the ensemble, or in the model. */
static double leaf_clip(const hr_fit_options *options, size_t t, size_t te) {
    if (!(bool)options->by_name[HR_OPTION_GLC]) return HUGE_VAL;
    size_t before = (int)options->by_name[HR_OPTION_GLC_EXPONENT] == HR_GLC_ITERATION ? t : te;
    return options->gradient_bound * pow(1 - options->learning_rate, (double)before);
}

/* The trees of one round: one, or one a class; those see the same records, so they share the round's budget.
 */
static hr_status train_dpboost_round(hr_boosting *b, single_tree *train_tree, size_t t, size_t te,
                                     hr_units budget, hr_error *err) {
    size_t first = b->training->forest.tree_count;
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < b->outputs; k++) {
        hr_single_tree tree = {.scope = {(int64_t)t, b->training->next_group, te, budget / b->outputs},
                               .output = k,
                               .leaf_clip = leaf_clip(b->training->options, t, te)};
        status = train_tree(b, &tree, err);
    }
    return status ? status : hr_boosting_add_trees(b, first, err);
}

static hr_status train_ensemble(hr_boosting *b, single_tree *train_tree, size_t t, size_t trees,
                                hr_units budget, hr_error *err) {
    size_t all = (size_t)b->training->options->trees;
    hr_status status = HR_OK;
    for (size_t te = 0; !status && te < trees; te++) {
        status = train_dpboost_round(b, train_tree, t + te, te, budget, err);
        if (!status) status = hr_training_progress(b->training, t + te + 1, all, err);
    }
    b->training->next_group++;
    return status;
}

/* T_e. Fewer trees in all than that would leave records to trees that are never trained: sound ensembles are
 * no larger. */
static size_t ensemble_size(const hr_fit_options *options) {
    int64_t ensemble = (int64_t)options->by_name[HR_OPTION_ENSEMBLE];
    return (size_t)(options->mode == HR_MODE_SOUND && options->trees < ensemble ? options->trees : ensemble);
}

static size_t ensemble_count(const hr_fit_options *options) {
    size_t trees = (size_t)options->trees, te = ensemble_size(options);
    return (trees + te - 1) / te;
}

static hr_status boost_dpboost(hr_boosting *b, hr_units budget, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    bool sound = options->mode == HR_MODE_SOUND;
    size_t trees = (size_t)options->trees, te = ensemble_size(options), ensembles = ensemble_count(options);
    double *weights = malloc(te * sizeof *weights);
    if (!weights) return hr_fail_memory(err);
    share_out_ensemble(options, te, weights);
    hr_stats_shares shares = {.weights = te > 1 ? weights : NULL, .count = te, .exact_sizes = !sound};
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < trees; t += te) {
        size_t now = trees - t < te ? trees - t : te;
        status = b->source->ops->share_out(b->source, &shares, NULL, err);
        if (!status)
            status = train_ensemble(b, sound ? hr_single_tree_sound : hr_single_tree_paper, t, now,
                                    budget / ensembles, err);
    }
    free(weights);
    return status;
}

static hr_status check_dpboost(const hr_fit_facts *facts, hr_error *err) {
    return hr_single_tree_check(facts, ensemble_count(facts->options), err);
}

static hr_status train_dpboost(hr_training *training, hr_error *err) {
    return hr_single_tree_train(training, boost_dpboost, err);
}

static void dpboost_defaults(hr_fit_options *o) {
    hr_single_tree_defaults(o);
    if (o->mode == HR_MODE_PAPER) return;
    o->trees = 5;
    o->by_name[HR_OPTION_ENSEMBLE] = 5;
    o->depth = 4;
    o->learning_rate = 0.5;
}

static const char *const sound_options[] = {
    "epsilon", "delta",     "trees",  "ensemble", "depth",          "learning-rate", "lambda",      "bins",
    "edges",   "bin-share", "shares", "bounding", "gradient-bound", "leaf-share",    "count-share", NULL};
static const char *const paper_options[] = {
    "epsilon", "trees", "ensemble", "depth",        "learning-rate",  "lambda",      "bins",
    "shares",  "gdf",   "glc",      "glc-exponent", "gradient-bound", "leaf-budget", NULL};

const hr_method hr_method_dpboost = {
    .info = {.name = "dpboost",
             .summary = "boosting with an ensemble of ensembles (pure epsilon, or zCDP with --delta)",
             .paper = "Li, Wu, Wen, He: Privacy-Preserving Gradient Boosting Decision Trees. AAAI 2020",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record",
                 ". Splits: exponential mechanism (pure epsilon: permute-and-flip) of width 4 g*^2; leaves: "
                 "noisy sums and counts; every record draws its tree by itself; bins public or paid for."),
             .flaws =
                 "Lemma 1 understates the sensitivity of the gain (the true bound is 3 g*^2, its width 4 "
                 "g*^2); subsets of fixed size shift when a record is added, so that trees do not compose "
                 "in parallel; bin edges, and with gdf=off the largest gradients, are exact statistics of "
                 "the records."},
    .over_ranks = true,
    .defaults = dpboost_defaults,
    .sound_options = sound_options,
    .paper_options = paper_options,
    .with_delta = HR_PRIVACY_ZCDP,
    .weighed = " Gains of records with weights are rounded: the width of the splits of a level of n nodes is "
               "(4 + (3 n + 6) 2^-16) g*^2.",
    .persons =
        HR_PROMISE_OF_METHOD("all records of one person",
                             ": each of a person's m records weighs floor(2^16/m)/2^16 in every sum and "
                             "count. Splits: exponential mechanism (pure epsilon: permute-and-flip) of width "
                             "4 g*^2 for all nodes of a level together; leaves: noisy sums and counts; every "
                             "person draws the tree of all its records; bins public or paid for."),
    .cells = true,
    .check = check_dpboost,
    .memory = hr_single_tree_memory,
    .train = train_dpboost,
    .link = hr_boosting_link,
};
