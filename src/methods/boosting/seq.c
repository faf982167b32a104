/* SEQ, the first baseline of DPBoost's section 4: boosting by sequential composition alone (after Liu et al.
 * 2018). Every tree is trained on all records, at eps/T. */
#include "methods/boosting/single_tree.h"

#include <math.h>

static hr_status train_seq_round(hr_boosting *b, size_t t, hr_units budget, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    bool sound = options->mode == HR_MODE_SOUND;
    size_t first = b->training->forest.tree_count;
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < b->outputs; k++) {
        hr_single_tree tree = {.scope = {(int64_t)t, b->training->next_group, 0, budget / b->outputs},
                               .output = k,
                               .leaf_clip = HUGE_VAL,
                               .leaf_sensitivity = options->gradient_bound / (1 + options->lambda)};
        status = (sound ? hr_single_tree_sound : hr_single_tree_paper)(b, &tree, err);
    }
    b->training->next_group++;
    return status ? status : hr_boosting_add_trees(b, first, err);
}

static hr_status boost_seq(hr_boosting *b, hr_units budget, hr_error *err) {
    size_t trees = (size_t)b->training->options->trees;
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < trees; t++) {
        status = train_seq_round(b, t, budget / trees, err);
        if (!status) status = hr_training_progress(b->training, t + 1, trees, err);
    }
    return status;
}

static hr_status check_seq(const hr_fit_facts *facts, hr_error *err) {
    return hr_single_tree_check(facts, (size_t)facts->options->trees, err);
}

static hr_status train_seq(hr_training *training, hr_error *err) {
    return hr_single_tree_train(training, boost_seq, err);
}

static void seq_defaults(hr_fit_options *o) {
    hr_single_tree_defaults(o);
    if (o->mode == HR_MODE_PAPER) return;
    o->trees = 5;
    o->depth = 3;
    o->learning_rate = 0.5;
}

const hr_method hr_method_seq = {
    .info = {.name = "seq",
             .summary = "boosting by sequential composition alone: every tree on all records",
             .paper = "the baseline SEQ of Li et al., AAAI 2020, after Liu, Li, Li, Chen: Differentially "
                      "private classification with decision tree ensemble. Applied Soft Computing 62, 2018",
             .is_private = true,
             .sound = "As dpboost, with every tree on all records at epsilon/T.",
             .flaws = "Lemma 1 understates the sensitivity of the gain (the true bound is 3 g*^2, its width "
                      "4 g*^2); bin edges are exact statistics of the records."},
    .over_ranks = true,
    .defaults = seq_defaults,
    .sound_options = hr_single_tree_sound_options,
    .paper_options = hr_single_tree_paper_options,
    .with_delta = HR_PRIVACY_ZCDP,
    .check = check_seq,
    .memory = hr_single_tree_memory,
    .train = train_seq,
    .link = hr_boosting_link,
};
