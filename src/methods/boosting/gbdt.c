/* Gradient boosted decision trees without privacy: the baseline of Li et al. 2020 (section 2.1, equations 1
 * to 4), and what the private methods are measured against.
 *
 * Square loss is the paper's: a record weighs 1 (equation 2 has the second derivative 1). With logistic loss
 * a record weighs its second derivative p (1 - p), as in Chen and Guestrin 2016; gains and leaves are then
 * the same formulas over weights. */
#include "methods/boosting/exact_boosting.h"

#include <math.h>

/* F_0: the mean of the targets, or the log-odds of the classes; or the scores of the start. */
static hr_status set_base_gbdt(hr_exact_boosting *e, hr_error *err) {
    if (e->boosting.training->start) return HR_OK;
    hr_noisy sums[HR_BINS_MAX];
    hr_status status = hr_exact_boosting_label_sums(e, sums, err);
    if (status) return status;
    return hr_exact_boosting_set_base(e, sums, (double)e->boosting.source->capacity, err);
}

/* Square loss: the largest residual of the round has all bits. */
static hr_status begin_gbdt(hr_exact_boosting *e, size_t output, hr_stats_round *round, hr_error *err) {
    hr_stats_source *source = e->boosting.source;
    double bound = 0;
    hr_status status = HR_OK;
    if (!hr_exact_boosting_is_logistic(e))
        status = source->ops->largest_residual(source, output, &bound, err);
    *round = hr_exact_boosting_round(e, output, fmax(bound, 0x1p-40));
    return status;
}

static hr_status boost_gbdt(hr_exact_boosting *e, hr_error *err) {
    hr_training *training = e->boosting.training;
    size_t trees = (size_t)training->options->trees;
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < trees; t++) {
        size_t first = training->forest.tree_count;
        for (size_t k = 0; !status && k < e->boosting.outputs; k++) {
            hr_stats_round round;
            status = begin_gbdt(e, k, &round, err);
            if (!status) status = hr_exact_boosting_tree(e, &round, err);
        }
        /* Softmax gradients of a round share its starting scores: its trees are added up when it is over. */
        if (!status) status = hr_boosting_add_trees(&e->boosting, first, err);
        if (!status) status = hr_training_progress(training, t + 1, trees, err);
    }
    return status;
}

static bool is_logistic_gbdt(const hr_training *training) {
    const hr_task task = hr_schema_task(hr_data_schema(training->data));
    return hr_boosting_link(training->options, task) == HR_LINK_LOGISTIC;
}

static hr_status train_gbdt(hr_training *training, hr_error *err) {
    hr_exact_boosting e;
    hr_exact_permits permits;
    size_t trees = (size_t)training->options->trees * hr_training_outputs(training->data);
    hr_status status = hr_exact_boosting_charge(training->gate, training->options->edges, &permits, err);
    training->sums_apart = hr_exact_sums_apart(is_logistic_gbdt(training), training->source->capacity);
    if (!status)
        status = hr_exact_boosting_init(&e, training, &permits, trees, training->source->capacity, err);
    if (status) return status;
    status = set_base_gbdt(&e, err);
    if (!status) status = boost_gbdt(&e, err);
    hr_exact_boosting_done(&e);
    return status;
}

static void gbdt_defaults(hr_fit_options *o) {
    o->trees = 100;
    o->depth = 6;
    o->bins = 255;
    o->learning_rate = .1;
    o->lambda = 1;
    o->loss = HR_LOSS_LOGISTIC;
    o->by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 1;
    o->edges = HR_EDGES_EXACT;
}

static const char *const options[] = {"trees", "depth", "learning-rate",    "lambda", "bins",
                                      "edges", "loss",  "min-child-weight", NULL};
static const hr_bound bounds[] = {
    {"edges", 0, 0, "public|exact", "bins from public bounds, or quantiles of the records"}, {0}};

const hr_method hr_method_gbdt = {
    .info =
        {.name = "gbdt",
         .summary = "gradient boosted decision trees, without privacy",
         .paper = "Li, Wu, Wen, He: Privacy-Preserving Gradient Boosting Decision Trees. AAAI 2020, section "
                  "2.1 (the baseline NP)",
         .is_private = false,
         .sound = "",
         .flaws =
             "It has no privacy at all: splits, leaves and, unless public, bin edges are exact statistics of "
             "the records."},
    .over_ranks = true,
    .defaults = gbdt_defaults,
    .sound_options = options,
    .paper_options = options,
    .bounds = bounds,
    .cells = true,
    .check = hr_facts_check_classes,
    .train = train_gbdt,
    .link = hr_boosting_link,
};
