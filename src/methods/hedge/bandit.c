#include "methods/hedge/bandit.h"
#include "base/fail.h"
#include "trees/tree/random_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constants of the specification. */
static const double FLOOR = .3, RATE = .4, KIND_RATE = .07, KIND_MIN = .15, KIND_MAX = .85, FADE = .95;
static const double KIND_PRIOR[HR_TREE_KINDS] = {.4, .3, .3};
enum { WARM_ROUNDS = 2 }; /* times the number of features */

/* A running mean of gains. */
typedef struct arm {
    double gain;
    bool tried;
} arm;

/* A pair of features that was chosen before. */
typedef struct pair_arm {
    uint32_t high, low;
    arm arm;
} pair_arm;

/* A pair's weight is (root of its gain + a floor) sqrt(w_high w_low). Pairs that were never chosen have one
 * mean in the place of that root, so that their law is a product: only pairs that were chosen, at most one a
 * round, need room of their own. */
struct hr_bandit {
    size_t features, usable_count;
    bool *usable;
    hr_interactions interactions;
    bool allowed[HR_TREE_KINDS];
    double *group_weights;  /* one a group */
    double *weights_within; /* `weights`, 0 of features that are not in one group */
    arm *of_feature;
    arm of_kind[HR_TREE_KINDS];
    double *weights, *roots; /* roots[f] = sqrt(weights[f]) */
    pair_arm *pairs;
    size_t pair_count;
    double *tried, tried_weight;     /* the weights of pairs that were chosen, and their sum */
    double *untried, untried_weight; /* the others, by feature: the sum of root products of those that hold
                                        it; the weight of them all */
    double *partners;                /* room for one draw */
    double kinds[HR_TREE_KINDS];
    double *past; /* a round's gain, 0 if negative, times FADE^age */
    size_t rounds;
};

hr_status hr_bandit_of_bins(const hr_binning *binning, const hr_interactions *interactions, size_t rounds,
                            hr_bandit **out, hr_error *err) {
    const size_t features = binning->feature_count;
    bool *usable = calloc(features, sizeof *usable);
    if (!usable) return hr_fail_memory(err);
    for (size_t f = 0; f < features; f++) {
        const uint32_t least = binning->features[f].kind == HR_KIND_NUMBER ? 3 : 2;
        usable[f] = binning->features[f].bin_count >= least;
    }
    const hr_status status = hr_bandit_new(usable, features, interactions, rounds, out, err);
    free(usable);
    return status;
}

void hr_bandit_free(hr_bandit *b) {
    if (!b) return;
    void *all[] = {b->usable,  b->of_feature, b->weights, b->roots,         b->pairs,         b->tried,
                   b->untried, b->partners,   b->past,    b->group_weights, b->weights_within};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(b);
}

static size_t usable_in(const hr_bandit *b, const hr_feature_group *group) {
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) count += b->usable[group->features[i]];
    return count;
}

hr_status hr_bandit_new(const bool *usable, size_t features, const hr_interactions *interactions,
                        size_t rounds, hr_bandit **out, hr_error *err) {
    hr_bandit *b = calloc(1, sizeof *b);
    if (!b) return hr_fail_memory(err);
    b->features = features;
    if (interactions) b->interactions = *interactions;
    b->usable = calloc(features + 1, sizeof *b->usable);
    b->of_feature = calloc(features + 1, sizeof *b->of_feature);
    b->weights = calloc(features + 1, sizeof *b->weights);
    b->roots = calloc(features + 1, sizeof *b->roots);
    b->pairs = calloc(rounds + 1, sizeof *b->pairs);
    b->tried = calloc(rounds + 1, sizeof *b->tried);
    b->untried = calloc(features + 1, sizeof *b->untried);
    b->partners = calloc(features + 1, sizeof *b->partners);
    b->past = calloc(rounds + 1, sizeof *b->past);
    b->group_weights = calloc(b->interactions.group_count + 1, sizeof *b->group_weights);
    b->weights_within = calloc(features + 1, sizeof *b->weights_within);
    bool gains = b->usable && b->of_feature && b->pairs && b->past && b->group_weights && b->weights_within;
    if (!gains || !b->weights || !b->roots || !b->tried || !b->untried || !b->partners) {
        hr_bandit_free(b);
        return hr_fail_memory(err);
    }
    for (size_t f = 0; f < features; f++) b->usable_count += b->usable[f] = usable[f];
    const hr_interaction_rule rule = b->interactions.rule;
    bool meet = rule == HR_INTERACTIONS_ALL || rule == HR_INTERACTIONS_PAIRS;
    for (size_t g = 0; g < b->interactions.group_count; g++)
        meet = meet || usable_in(b, &b->interactions.groups[g]) > 1;
    b->allowed[HR_TREE_ONE] = true;
    b->allowed[HR_TREE_PAIR] = meet;
    b->allowed[HR_TREE_ALL] = meet && rule != HR_INTERACTIONS_PAIRS;
    *out = b;
    return HR_OK;
}

double hr_bandit_memory(size_t features) {
    return (double)features * (sizeof(bool) + sizeof(arm) + 5 * sizeof(double));
}

static double root_gain(const arm *a) {
    return sqrt(a->gain > 0 ? a->gain : 0);
}

/* partners[g] = roots[g] of the features that share a group with f, which is 0 of all before; returns their
 * sum. */
static double set_group_partners(const hr_bandit *b, uint32_t f) {
    double sum = 0;
    for (size_t g = 0; g < b->interactions.group_count; g++) {
        const hr_feature_group *group = &b->interactions.groups[g];
        const bool has = hr_group_has(group, f);
        for (size_t i = 0; has && i < group->count; i++) {
            const uint32_t other = group->features[i];
            if (other == f || b->partners[other] > 0) continue;
            sum += b->partners[other] = b->roots[other];
        }
    }
    return sum;
}

/* untried[f] = the sum of the roots of the features that may be in a pair with it. */
static void add_up_partners(hr_bandit *b) {
    double sum = 0;
    for (size_t f = 0; f < b->features; f++) sum += b->roots[f];
    if (b->interactions.rule != HR_INTERACTIONS_GROUPS) {
        for (size_t f = 0; f < b->features; f++) b->untried[f] = sum - b->roots[f];
        return;
    }
    memset(b->untried, 0, b->features * sizeof *b->untried);
    memset(b->partners, 0, b->features * sizeof *b->partners);
    for (size_t g = 0; g < b->interactions.group_count; g++) {
        const hr_feature_group *group = &b->interactions.groups[g];
        for (size_t i = 0; i < group->count; i++) {
            b->untried[group->features[i]] = set_group_partners(b, group->features[i]);
            memset(b->partners, 0, b->features * sizeof *b->partners);
        }
    }
}

/* A pair that was not chosen counts like the mean of those that were. */
static void weigh_pairs(hr_bandit *b) {
    double mean = 0;
    for (size_t p = 0; p < b->pair_count; p++) mean += root_gain(&b->pairs[p].arm);
    mean = b->pair_count ? mean / (double)b->pair_count : 1;
    double floor = FLOOR * mean + 1e-12;

    for (size_t f = 0; f < b->features; f++) b->roots[f] = sqrt(b->weights[f]);
    add_up_partners(b);
    b->tried_weight = 0;
    for (size_t p = 0; p < b->pair_count; p++) {
        const pair_arm *pair = &b->pairs[p];
        b->untried[pair->high] -= b->roots[pair->low];
        b->untried[pair->low] -= b->roots[pair->high];
        b->tried[p] = (root_gain(&pair->arm) + floor) * b->roots[pair->high] * b->roots[pair->low];
        b->tried_weight += b->tried[p];
    }
    b->untried_weight = 0;
    for (size_t f = 0; f < b->features; f++)
        b->untried_weight += (b->untried[f] = fmax(b->untried[f], 0) * b->roots[f]) / 2;
    b->untried_weight *= mean + floor;
}

void hr_bandit_start_round(hr_bandit *b, size_t t) {
    bool warm = t >= WARM_ROUNDS * b->features;
    double mean = 0;
    for (size_t f = 0; f < b->features; f++) mean += root_gain(&b->of_feature[f]) / (double)b->features;
    for (size_t f = 0; f < b->features; f++) {
        double weight = warm ? root_gain(&b->of_feature[f]) + FLOOR * mean + 1e-12 : 1;
        b->weights[f] = b->usable[f] ? weight : 0;
    }
    weigh_pairs(b);

    /* A group weighs what its features do, if two of them or more can be split. */
    for (size_t g = 0; g < b->interactions.group_count; g++) {
        const hr_feature_group *group = &b->interactions.groups[g];
        const bool meets = usable_in(b, group) > 1;
        b->group_weights[g] = 0;
        for (size_t i = 0; meets && i < group->count; i++)
            b->group_weights[g] += b->weights[group->features[i]];
    }

    double total = 0;
    bool all_tried = true;
    for (int k = 0; k < HR_TREE_KINDS; k++) {
        total += fmax(b->of_kind[k].gain, 0);
        all_tried = all_tried && (b->of_kind[k].tried || !b->allowed[k]);
    }
    for (int k = 0; k < HR_TREE_KINDS; k++) {
        double part = total > 0 ? fmax(b->of_kind[k].gain, 0) / total : KIND_PRIOR[k];
        b->kinds[k] = warm && all_tried ? fmin(fmax(part, KIND_MIN), KIND_MAX) : KIND_PRIOR[k];
        if (!b->allowed[k]) b->kinds[k] = 0;
    }
    if (b->usable_count < 2) b->kinds[HR_TREE_PAIR] = 0;
}

hr_tree_kind hr_bandit_kind(const hr_bandit *b, hr_csprng *csprng) {
    return (hr_tree_kind)hr_pick(csprng, b->kinds, HR_TREE_KINDS);
}

uint32_t hr_bandit_feature(const hr_bandit *b, hr_csprng *csprng) {
    return (uint32_t)hr_pick(csprng, b->weights, b->features);
}

/* False where the feature was chosen with all others, and rounding alone left it a chance (about 2^-50). */
static bool draw_untried(const hr_bandit *b, hr_csprng *csprng, uint32_t pair[2]) {
    uint32_t first = (uint32_t)hr_pick(csprng, b->untried, b->features);
    if (b->interactions.rule == HR_INTERACTIONS_GROUPS) {
        memset(b->partners, 0, b->features * sizeof *b->partners);
        set_group_partners(b, first);
    } else {
        memcpy(b->partners, b->roots, b->features * sizeof *b->partners);
        b->partners[first] = 0;
    }
    for (size_t p = 0; p < b->pair_count; p++) {
        if (b->pairs[p].high == first) b->partners[b->pairs[p].low] = 0;
        if (b->pairs[p].low == first) b->partners[b->pairs[p].high] = 0;
    }
    double sum = 0;
    for (size_t f = 0; f < b->features; f++) sum += b->partners[f];
    if (sum <= 0) return false;
    uint32_t second = (uint32_t)hr_pick(csprng, b->partners, b->features);
    pair[0] = first > second ? first : second;
    pair[1] = first > second ? second : first;
    return true;
}

void hr_bandit_pair(const hr_bandit *b, hr_csprng *csprng, uint32_t pair[2]) {
    const double weights[] = {b->untried_weight, b->tried_weight};
    if (hr_pick(csprng, weights, 2) == 0 && draw_untried(b, csprng, pair)) return;
    const pair_arm *drawn = &b->pairs[hr_pick(csprng, b->tried, b->pair_count)];
    pair[0] = drawn->high;
    pair[1] = drawn->low;
}

uint32_t hr_bandit_group(const hr_bandit *b, hr_csprng *csprng) {
    return (uint32_t)hr_pick(csprng, b->group_weights, b->interactions.group_count);
}

const double *hr_bandit_weights(const hr_bandit *b) {
    return b->weights;
}

hr_tree_subject hr_bandit_subject(const hr_bandit *b, hr_csprng *csprng) {
    hr_tree_subject s = {.kind = hr_bandit_kind(b, csprng)};
    if (s.kind == HR_TREE_ONE) s.features[0] = hr_bandit_feature(b, csprng);
    if (s.kind == HR_TREE_PAIR) hr_bandit_pair(b, csprng, s.features);
    if (s.kind == HR_TREE_ALL && b->interactions.group_count) s.features[0] = hr_bandit_group(b, csprng);
    return s;
}

void hr_bandit_plan(hr_bandit *b, const hr_tree_subject *subject, hr_random_plan *plan) {
    static const size_t counts[HR_TREE_KINDS] = {1, 2, 0};
    plan->feature_count = counts[subject->kind];
    memcpy(plan->features, subject->features, sizeof plan->features);
    plan->weights = b->weights;
    if (subject->kind != HR_TREE_ALL || !b->interactions.group_count) return;
    const hr_feature_group *group = &b->interactions.groups[subject->features[0]];
    memset(b->weights_within, 0, b->features * sizeof *b->weights_within);
    for (size_t i = 0; i < group->count; i++)
        b->weights_within[group->features[i]] = b->weights[group->features[i]];
    plan->weights = b->weights_within;
}

static void learn(arm *a, double gain, double rate) {
    a->gain = a->tried ? a->gain + rate * (gain - a->gain) : gain;
    a->tried = true;
}

bool hr_bandit_past(const hr_bandit *b, hr_csprng *csprng, size_t *round) {
    double sum = 0;
    for (size_t t = 0; t < b->rounds; t++) sum += b->past[t];
    if (sum > 0) *round = hr_pick(csprng, b->past, b->rounds);
    return sum > 0;
}

void hr_bandit_learn(hr_bandit *b, const hr_tree_subject *subject, double gain) {
    const uint32_t *features = subject->features;
    for (size_t t = 0; t < b->rounds; t++) b->past[t] *= FADE;
    b->past[b->rounds++] = fmax(gain, 0);
    learn(&b->of_kind[subject->kind], gain, KIND_RATE);
    if (subject->kind == HR_TREE_ONE) learn(&b->of_feature[features[0]], gain, RATE);
    if (subject->kind != HR_TREE_PAIR) return;
    size_t p = 0;
    while (p < b->pair_count && (b->pairs[p].high != features[0] || b->pairs[p].low != features[1])) p++;
    if (p == b->pair_count) b->pairs[b->pair_count++] = (pair_arm){.high = features[0], .low = features[1]};
    learn(&b->pairs[p].arm, gain, RATE);
}
