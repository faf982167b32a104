/* Median trees without privacy: every tree on all records; each of K features drawn for a node is cut at the
 * median of the node's records, and the best of these cuts splits it. A reference of DiPriMe's tables 1
 * and 2.
 *
 * Every level halves the nodes, so that depth 10 leaves a thousandth of the records in a leaf; trees differ
 * by their features alone. */
#include "methods/forests/plain_forest.h"

static hr_status train_median(hr_training *training, hr_error *err) {
    return hr_plain_forest_train(training, hr_forest_take_all, &hr_split_rule_median, err);
}

static void median_defaults(hr_fit_options *o) {
    hr_plain_forest_defaults(o);
    o->depth = 10;
}

const hr_method hr_method_median = {
    .info = {.name = "median",
             .summary = "forest of trees cut at medians, without privacy",
             .paper = "Breiman: Consistency for a simple model of random forests. Technical Report 670, "
                      "Statistics Department, University of California at Berkeley, 2004; as in Consul, "
                      "Williamson: Differentially private median forests for regression and classification",
             .is_private = false,
             .sound = "",
             .flaws = HR_PLAIN_FOREST_FLAWS},
    .defaults = median_defaults,
    .sound_options = hr_plain_forest_options,
    .bounds = hr_plain_forest_bounds,
    .train = train_median,
};
