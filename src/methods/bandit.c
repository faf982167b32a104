#include "methods/bandit.h"
#include "base/fail.h"
#include "tree/random_tree.h"

#include <math.h>
#include <stdlib.h>

/* Constants of the specification. */
static const double FLOOR = .3, RATE = .4, KIND_RATE = .07, KIND_LEAST = .15, KIND_MOST = .85, FADE = .95;
static const double KIND_PRIOR[HR_TREE_KINDS] = {.4, .3, .3};
enum { WARM_ROUNDS = 2 }; /* times the number of features */

/* A running mean of gains. */
typedef struct arm {
    double gain;
    bool tried;
} arm;

struct hr_bandit {
    size_t features, usable_count;
    bool *usable;
    arm *of_feature, *of_pair; /* pair (a, b), a > b, at a (a - 1) / 2 + b */
    arm of_kind[HR_TREE_KINDS];
    double *weights, *pair_weights;
    double kinds[HR_TREE_KINDS];
    double *past; /* a round's gain, 0 if negative, times FADE^age */
    size_t rounds;
};

static size_t pair_count(size_t features) {
    return features * (features - 1) / 2;
}

void hr_bandit_free(hr_bandit *b) {
    if (!b) return;
    free(b->usable);
    free(b->of_feature);
    free(b->of_pair);
    free(b->weights);
    free(b->pair_weights);
    free(b->past);
    free(b);
}

hr_status hr_bandit_new(const bool *usable, size_t features, size_t rounds, hr_bandit **out, hr_error *err) {
    hr_bandit *b = calloc(1, sizeof *b);
    if (!b) return hr_fail_memory(err);
    b->features = features;
    b->usable = calloc(features + 1, sizeof *b->usable);
    b->of_feature = calloc(features + 1, sizeof *b->of_feature);
    b->of_pair = calloc(pair_count(features) + 1, sizeof *b->of_pair);
    b->weights = calloc(features + 1, sizeof *b->weights);
    b->pair_weights = calloc(pair_count(features) + 1, sizeof *b->pair_weights);
    b->past = calloc(rounds + 1, sizeof *b->past);
    if (!b->past || !b->usable || !b->of_feature || !b->of_pair || !b->weights || !b->pair_weights) {
        hr_bandit_free(b);
        return hr_fail_memory(err);
    }
    for (size_t f = 0; f < features; f++) b->usable_count += b->usable[f] = usable[f];
    *out = b;
    return HR_OK;
}

static double root_gain(const arm *a) {
    return sqrt(a->gain > 0 ? a->gain : 0);
}

static void weigh_features(hr_bandit *b, bool warm) {
    double mean = 0;
    for (size_t f = 0; f < b->features; f++) mean += root_gain(&b->of_feature[f]) / (double)b->features;
    for (size_t f = 0; f < b->features; f++) {
        double weight = warm ? root_gain(&b->of_feature[f]) + FLOOR * mean + 1e-12 : 1;
        b->weights[f] = b->usable[f] ? weight : 0;
    }
}

/* An untried pair counts like the mean of the tried ones. */
static void weigh_pairs(hr_bandit *b) {
    size_t pairs = pair_count(b->features), tried = 0;
    double mean = 0;
    for (size_t p = 0; p < pairs; p++) {
        if (!b->of_pair[p].tried) continue;
        mean += root_gain(&b->of_pair[p]);
        tried++;
    }
    mean = tried ? mean / (double)tried : 1;
    size_t p = 0;
    for (size_t f = 1; f < b->features; f++)
        for (size_t g = 0; g < f; g++, p++) {
            double gain = b->of_pair[p].tried ? root_gain(&b->of_pair[p]) : mean;
            b->pair_weights[p] = (gain + FLOOR * mean + 1e-12) * sqrt(b->weights[f] * b->weights[g]);
        }
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
        b->kinds[k] = warm && all_tried ? fmin(fmax(part, KIND_LEAST), KIND_MOST) : KIND_PRIOR[k];
    }
    if (b->usable_count < 2) b->kinds[HR_TREE_PAIR] = 0;
}

void hr_bandit_start_round(hr_bandit *b, size_t t) {
    bool warm = t >= WARM_ROUNDS * b->features;
    weigh_features(b, warm);
    weigh_pairs(b);
    weigh_kinds(b, warm);
}

hr_tree_kind hr_bandit_kind(const hr_bandit *b, hr_stream *stream) {
    return (hr_tree_kind)hr_pick(stream, b->kinds, HR_TREE_KINDS);
}

uint32_t hr_bandit_feature(const hr_bandit *b, hr_stream *stream) {
    return (uint32_t)hr_pick(stream, b->weights, b->features);
}

void hr_bandit_pair(const hr_bandit *b, hr_stream *stream, uint32_t pair[2]) {
    size_t p = hr_pick(stream, b->pair_weights, pair_count(b->features)), high = 1;
    while (pair_count(high + 1) <= p) high++;
    pair[0] = (uint32_t)high;
    pair[1] = (uint32_t)(p - pair_count(high));
}

const double *hr_bandit_weights(const hr_bandit *b) {
    return b->weights;
}

static void learn(arm *a, double gain, double rate) {
    a->gain = a->tried ? a->gain + rate * (gain - a->gain) : gain;
    a->tried = true;
}

bool hr_bandit_past(const hr_bandit *b, hr_stream *stream, size_t *round) {
    double sum = 0;
    for (size_t t = 0; t < b->rounds; t++) sum += b->past[t];
    if (sum > 0) *round = hr_pick(stream, b->past, b->rounds);
    return sum > 0;
}

void hr_bandit_learn(hr_bandit *b, hr_tree_kind kind, const uint32_t features[2], double gain) {
    for (size_t t = 0; t < b->rounds; t++) b->past[t] *= FADE;
    b->past[b->rounds++] = fmax(gain, 0);
    learn(&b->of_kind[kind], gain, KIND_RATE);
    if (kind == HR_TREE_ONE) learn(&b->of_feature[features[0]], gain, RATE);
    if (kind == HR_TREE_PAIR) learn(&b->of_pair[pair_count(features[0]) + features[1]], gain, RATE);
}
