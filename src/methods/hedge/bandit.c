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

void hr_bandit_free(hr_bandit *b) {
    if (!b) return;
    void *all[] = {b->usable, b->of_feature, b->weights,  b->roots, b->pairs,
                   b->tried,  b->untried,    b->partners, b->past};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(b);
}

hr_status hr_bandit_new(const bool *usable, size_t features, size_t rounds, hr_bandit **out, hr_error *err) {
    hr_bandit *b = calloc(1, sizeof *b);
    if (!b) return hr_fail_memory(err);
    b->features = features;
    b->usable = calloc(features + 1, sizeof *b->usable);
    b->of_feature = calloc(features + 1, sizeof *b->of_feature);
    b->weights = calloc(features + 1, sizeof *b->weights);
    b->roots = calloc(features + 1, sizeof *b->roots);
    b->pairs = calloc(rounds + 1, sizeof *b->pairs);
    b->tried = calloc(rounds + 1, sizeof *b->tried);
    b->untried = calloc(features + 1, sizeof *b->untried);
    b->partners = calloc(features + 1, sizeof *b->partners);
    b->past = calloc(rounds + 1, sizeof *b->past);
    bool gains = b->usable && b->of_feature && b->pairs && b->past;
    if (!gains || !b->weights || !b->roots || !b->tried || !b->untried || !b->partners) {
        hr_bandit_free(b);
        return hr_fail_memory(err);
    }
    for (size_t f = 0; f < features; f++) b->usable_count += b->usable[f] = usable[f];
    *out = b;
    return HR_OK;
}

double hr_bandit_memory(size_t features) {
    return (double)features * (sizeof(bool) + sizeof(arm) + 4 * sizeof(double));
}

static double root_gain(const arm *a) {
    return sqrt(a->gain > 0 ? a->gain : 0);
}

/* A pair that was not chosen counts like the mean of those that were. */
static void weigh_pairs(hr_bandit *b) {
    double mean = 0, sum = 0;
    for (size_t p = 0; p < b->pair_count; p++) mean += root_gain(&b->pairs[p].arm);
    mean = b->pair_count ? mean / (double)b->pair_count : 1;
    double floor = FLOOR * mean + 1e-12;

    for (size_t f = 0; f < b->features; f++) sum += b->roots[f] = sqrt(b->weights[f]);
    for (size_t f = 0; f < b->features; f++) b->untried[f] = sum - b->roots[f];
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

static void weigh_kinds(hr_bandit *b, bool warm) {
    double total = 0;
    bool all_tried = true;
    for (int k = 0; k < HR_TREE_KINDS; k++) {
        total += fmax(b->of_kind[k].gain, 0);
        all_tried = all_tried && b->of_kind[k].tried;
    }
    for (int k = 0; k < HR_TREE_KINDS; k++) {
        double part = total > 0 ? fmax(b->of_kind[k].gain, 0) / total : KIND_PRIOR[k];
        b->kinds[k] = warm && all_tried ? fmin(fmax(part, KIND_MIN), KIND_MAX) : KIND_PRIOR[k];
    }
    if (b->usable_count < 2) b->kinds[HR_TREE_PAIR] = 0;
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
    weigh_kinds(b, warm);
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
    memcpy(b->partners, b->roots, b->features * sizeof *b->partners);
    b->partners[first] = 0;
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

const double *hr_bandit_weights(const hr_bandit *b) {
    return b->weights;
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

static arm *arm_of_pair(hr_bandit *b, uint32_t high, uint32_t low) {
    for (size_t p = 0; p < b->pair_count; p++)
        if (b->pairs[p].high == high && b->pairs[p].low == low) return &b->pairs[p].arm;
    b->pairs[b->pair_count] = (pair_arm){.high = high, .low = low};
    return &b->pairs[b->pair_count++].arm;
}

void hr_bandit_learn(hr_bandit *b, hr_tree_kind kind, const uint32_t features[2], double gain) {
    for (size_t t = 0; t < b->rounds; t++) b->past[t] *= FADE;
    b->past[b->rounds++] = fmax(gain, 0);
    learn(&b->of_kind[kind], gain, KIND_RATE);
    if (kind == HR_TREE_ONE) learn(&b->of_feature[features[0]], gain, RATE);
    if (kind == HR_TREE_PAIR) learn(arm_of_pair(b, features[0], features[1]), gain, RATE);
}
