/* Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) without privacy: every tree on all records; of K
 * features drawn for a node one uniformly random cut each, and the best of these. A reference of DiPriMe's
 * tables 1 and 2. */
#include "methods/forests/plain_forest.h"

static hr_status train_ert(hr_training *training, hr_error *err) {
    return hr_plain_forest_train(training, hr_forest_take_all, &hr_split_rule_random, err);
}

const hr_method hr_method_ert = {
    .info = {.name = "ert",
             .summary = "extremely randomised trees, without privacy",
             .paper = "Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 63(1), 2006",
             .is_private = false,
             .sound = "",
             .flaws = HR_PLAIN_FOREST_FLAWS},
    .defaults = hr_plain_forest_defaults,
    .sound_options = hr_plain_forest_options,
    .bounds = hr_plain_forest_bounds,
    .train = train_ert,
};
