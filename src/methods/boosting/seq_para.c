/* The two baselines of DPBoost's section 4, which compose in one way each. SEQ (after Liu et al. 2018) boosts
 * by sequential composition alone: every tree is trained on all records, at eps/T. PARA (after Zhao et al.
 * 2018) boosts by parallel composition alone: every tree takes half of the records that no tree has used yet,
 * at the full eps. */
#include "base/fail.h"
#include "methods/boosting/single_tree.h"

#include <math.h>
#include <stdlib.h>

/* One tree an output, on a part of the records. */
static hr_status train_round(hr_boosting *b, size_t t, size_t part, hr_units budget, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    bool sound = options->mode == HR_MODE_SOUND;
    size_t first = b->training->forest.tree_count;
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < b->outputs; k++) {
        hr_single_tree tree = {.scope = {(int64_t)t, b->training->next_group, part, budget / b->outputs},
                               .output = k,
                               .leaf_clip = HUGE_VAL};
        status = (sound ? hr_single_tree_sound : hr_single_tree_paper)(b, &tree, err);
    }
    return status ? status : hr_boosting_add_trees(b, first, err);
}

/* ---- SEQ ---- */

static hr_status boost_seq(hr_boosting *b, hr_units budget, hr_error *err) {
    size_t trees = (size_t)b->training->options->trees;
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < trees; t++) {
        status = train_round(b, t, 0, budget / trees, err);
        b->training->next_group++;
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
             .flaws =
                 "Lemma 1 understates the sensitivity of the gain (the true bound is 3 g*^2, its width "
                 "4 g*^2); bin edges, and with gdf=off the largest gradients, are exact statistics of the "
                 "records."},
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

/* ---- PARA ---- */

/* Half, a quarter, ...; sound: the last tree gets all that is left, published: nobody does. filled: of exact
 * sizes. */
static hr_status share_out_rounds(const hr_boosting *b, size_t trees, size_t *filled, hr_error *err) {
    bool sound = b->training->options->mode == HR_MODE_SOUND;
    double *weights = malloc((trees + 1) * sizeof *weights);
    if (!weights) return hr_fail_memory(err);
    for (size_t t = 0; t <= trees; t++)
        weights[t] = ldexp(1, -(int)(t + 1 < trees || !sound ? t + 1 : trees - 1));
    if (!sound) weights[trees] = weights[trees - 1];
    hr_stats_shares shares = {.weights = weights, .count = sound ? trees : trees + 1, .exact_sizes = !sound};
    hr_status status = b->source->ops->share_out(b->source, &shares, sound ? NULL : filled, err);
    free(weights);
    return status;
}

static hr_status boost_para(hr_boosting *b, hr_units budget, hr_error *err) {
    size_t trees = (size_t)b->training->options->trees, filled = trees;
    hr_status status = share_out_rounds(b, trees, &filled, err);
    /* As published: it ends when no unused record is left. The sound one may not look. */
    for (size_t t = 0; !status && t < trees && t < filled; t++) {
        status = train_round(b, t, t, budget, err);
        if (!status) status = hr_training_progress(b->training, t + 1, trees, err);
    }
    return status;
}

static hr_status check_para(const hr_fit_facts *facts, hr_error *err) {
    return hr_single_tree_check(facts, 1, err);
}

static hr_status train_para(hr_training *training, hr_error *err) {
    return hr_single_tree_train(training, boost_para, err);
}

static void para_defaults(hr_fit_options *o) {
    hr_single_tree_defaults(o);
    if (o->mode == HR_MODE_PAPER) return;
    o->trees = 4;
    o->depth = 4;
    o->learning_rate = 0.7;
}

const hr_method hr_method_para = {
    .info =
        {.name = "para",
         .summary = "boosting by parallel composition alone: every tree on half of the unused records",
         .paper =
             "the baseline PARA of Li et al., AAAI 2020, after Zhao et al.: InPrivate Digging. INFOCOM 2018",
         .is_private = true,
         .sound = "As dpboost, with every record drawing one of T trees by itself, with probabilities 1/2, "
                  "1/4, ...",
         .flaws = "Lemma 1 understates the sensitivity of the gain (the true bound is 3 g*^2, its width 4 "
                  "g*^2); halves of fixed size shift when a record is added; bin edges, and with "
                  "gdf=off the largest gradients, are exact statistics of the records."},
    .over_ranks = true,
    .defaults = para_defaults,
    .sound_options = hr_single_tree_sound_options,
    .paper_options = hr_single_tree_paper_options,
    .with_delta = HR_PRIVACY_ZCDP,
    .check = check_para,
    .memory = hr_single_tree_memory,
    .train = train_para,
    .link = hr_boosting_link,
};
