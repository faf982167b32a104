/* Algorithm 1 of DPBoost as published: gradient-based data filtering (GDF), the exponential mechanism with
 * the sensitivity of Lemma 1, and geometric leaf clipping (GLC) before Laplace noise. */
#include "base/fail.h"
#include "methods/boosting/single_tree.h"
#include "privacy/sensitivity.h"

#include <math.h>

/* Without GDF: a million times the largest label. */
#define LARGEST_GRADIENT 0x1p20

static bool filters(const hr_boosting *b) {
    return b->training->options->by_name[HR_OPTION_GDF] > 0;
}

hr_status hr_single_tree_list_paper(hr_boosting *b, hr_error *err) {
    return filters(b) ? HR_OK : hr_gate_charge_exact(b->training->gate, "largest gradients", err);
}

hr_status hr_single_tree_remark(const hr_boosting *b, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    hr_remark remark = {.kind = HR_REMARK_LEFT_OUT, .level = HR_REMARK_NOTE};
    const size_t records = b->left_out.records, left_out = b->left_out.left_out;
    if (!records || !options->remark) return HR_OK;
    hr_status refused = hr_fail(&remark.what, HR_E_CANCELLED, "",
                                "gradient-based data filtering left %zu of %zu records out of their trees "
                                "(%.2f %%), counted once for each tree that they were to train",
                                left_out, records, 100 * (double)left_out / (double)records);
    if (options->remark(options->user, &remark)) return HR_OK;
    *err = remark.what;
    return refused;
}

/* The round of a tree as published. GDF, line 3, leaves out the records whose gradient exceeds g*. Without it
 * g* is that of Lemmas 1 and 2, the largest gradient of all records, in whose units gradients are from here
 * on. */
static hr_status begin_paper(hr_boosting *b, const hr_single_tree *t, hr_stats_round *round, hr_error *err) {
    double bound = b->training->options->gradient_bound;
    *round = hr_single_tree_round(t, bound);
    round->drop_beyond = true;
    round->left_out = &b->left_out;
    if (filters(b)) return HR_OK;
    hr_status status = b->source->ops->largest_residual(b->source, t->output, &bound, err);
    if (status) return status;
    bound = fmax(bound, 0x1p-40);
    b->packing.gradient_scale = (double)b->packing.gradient_bound / bound;
    *round = hr_single_tree_round(t, bound);
    return HR_OK;
}

/* Delta V as in Corollaries 1 and 2. */
static hr_charge paper_leaf_charge(const hr_boosting *b, const hr_single_tree *t, double bound,
                                   hr_units cost) {
    double delta_v = fmin(bound / (1 + b->training->options->lambda), 2 * t->leaf_clip);
    uint64_t sensitivity = (uint64_t)ceil(delta_v * (1 << HR_VALUE_BITS));
    return hr_scope_charge(&t->scope, "leaf value", -1, cost, sensitivity ? sensitivity : 1);
}

/* Whether there is noise for leaves of a g* above those that labels and options have. */
static hr_status check_growth(const hr_boosting *b, double bound, const hr_charge *leaves, hr_error *err) {
    const hr_privacy_measure measure = hr_gate_privacy_measure(b->training->gate);
    if (bound <= 2 || (bound <= LARGEST_GRADIENT && !hr_charge_check_sums(measure, leaves, NULL)))
        return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "use gdf=on, a larger epsilon, or fewer trees",
                   "without gradient-based data filtering gradients grew with the noise, to %.3g", bound);
}

/* Lines 11 to 14: V_i + Lap(0, Delta V / eps), V_i clipped by GLC. */
static hr_status paper_leaves(hr_boosting *b, const hr_single_tree *t, const hr_charge *charge, hr_tree *tree,
                              size_t leaves, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    for (size_t l = 0; l < leaves; l++)
        b->leaf_gradients[l] = hr_leaf_value(&b->packing, b->leaf_gradients[l], b->leaf_weights[l],
                                             options->lambda, t->leaf_clip);
    hr_status status =
        hr_gate_release_sums(b->training->gate, charge, b->leaf_gradients, leaves, b->noisy_gradients, err);
    if (status) return status;
    for (size_t l = 0; l < leaves; l++)
        b->values[l] = options->learning_rate * (double)b->noisy_gradients[l].paid / (1 << HR_VALUE_BITS);
    hr_leaves_set(tree, b->values);
    return HR_OK;
}

hr_status hr_single_tree_paper(hr_boosting *b, const hr_single_tree *t, hr_error *err) {
    const hr_fit_options *options = b->training->options;
    double lambda = options->lambda, delta_g = (3 * lambda + 2) / ((lambda + 1) * (lambda + 2));
    hr_units leaf_budget = t->scope.budget / 2,
             level_cost = (t->scope.budget - leaf_budget) / (hr_units)options->depth;
    uint64_t width = (uint64_t)ceil(2 * delta_g * (1 << HR_GAIN_BITS));
    hr_charge split = hr_scope_charge(&t->scope, "split", 0, level_cost, width);
    if (options->by_name[HR_OPTION_LEAF_BUDGET] == HR_LEAF_BUDGET_LITERAL) leaf_budget = level_cost;
    hr_stats_round round;
    size_t leaves;
    hr_tree *tree;
    hr_status status = begin_paper(b, t, &round, err);
    if (status) return status;
    hr_charge charge = paper_leaf_charge(b, t, round.bound, leaf_budget);
    status = check_growth(b, round.bound, &charge, err);
    if (!status) status = hr_single_tree_grow(b, &round, &split, &tree, &leaves, err);
    return status ? status : paper_leaves(b, t, &charge, tree, leaves, err);
}
