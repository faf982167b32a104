/* Random forests (Breiman 2001) without privacy: every tree on a bootstrap of the records, every node the
 * best split among K features drawn for it. A reference of DiPriMe's tables 1 and 2. */
#include "methods/forests/plain_forest.h"

static hr_status train_rf(hr_training *training, hr_error *err) {
    return hr_plain_forest_train(training, hr_forest_take_bootstrap, &hr_split_rule_best, err);
}

const hr_method hr_method_rf = {
    .info = {.name = "rf",
             .summary = "random forest, without privacy",
             .paper = "Breiman: Random forests. Machine Learning 45(1), 2001",
             .is_private = false,
             .sound = "",
             .flaws = HR_PLAIN_FOREST_FLAWS},
    .defaults = hr_plain_forest_defaults,
    .sound_options = hr_plain_forest_options,
    .bounds = hr_plain_forest_bounds,
    .train = train_rf,
};
