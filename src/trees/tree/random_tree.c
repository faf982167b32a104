#include "trees/tree/random_tree.h"
#include "privacy/sample.h"

#include <math.h>
#include <string.h>

/* A varied cut moves by at most this part of the node's range. */
static const double MOVE = .4;

enum { FEATURE_TRIES = 5, SUBSET_TRIES = 8, WORDS = HR_BINS_MAX / 64 };

/* Value bins of a number that can still reach a node. */
typedef struct value_range {
    uint32_t low, high;
} value_range;

/* What is kept of a node while the tree is drawn. */
typedef struct drawn {
    uint32_t parent;
    uint32_t origin;   /* the model's node + 1; 0: none */
    value_range range; /* of the number that it splits by */
} drawn;

typedef struct drawing {
    hr_csprng *csprng;
    const hr_binning *binning;
    const hr_random_plan *plan;
    double weight_sum; /* of the plan's, if it has no features */
    hr_tree *tree;
    drawn *nodes;
} drawing;

static double uniform_bin(hr_csprng *csprng) {
    return (double)(hr_csprng_u64(csprng) >> 11) * 0x1p-53;
}

static double sum_of(const double *weights, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += weights[i];
    return sum;
}

static size_t pick_by_sum(hr_csprng *csprng, const double *weights, double sum, size_t count) {
    double at = uniform_bin(csprng) * sum;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] > 0)) continue;
        last = i;
        at -= weights[i];
        if (at < 0) break;
    }
    return last;
}

size_t hr_pick(hr_csprng *csprng, const double *weights, size_t count) {
    return pick_by_sum(csprng, weights, sum_of(weights, count), count);
}

static bool is_left(const drawing *d, uint32_t child) {
    return d->tree->nodes[d->nodes[child].parent].left == child;
}

/* What the node's ancestors left of a number: what the nearest one that splits by it had, and left to its
 * side. */
static value_range range_left(const drawing *d, uint32_t node, uint32_t feature) {
    uint32_t child = node;
    while (child && d->tree->nodes[d->nodes[child].parent].feature != feature) child = d->nodes[child].parent;
    if (!child) return (value_range){1, d->binning->features[feature].bin_count - 1};
    const uint32_t parent = d->nodes[child].parent, cut = d->tree->nodes[parent].cut;
    const value_range range = d->nodes[parent].range;
    return is_left(d, child) ? (value_range){range.low, cut} : (value_range){cut + 1, range.high};
}

static void keep_only(hr_bin_set *set, const hr_bin_set *left, bool is_inside) {
    for (int w = 0; w < WORDS; w++) set->words[w] &= is_inside ? left->words[w] : ~left->words[w];
}

/* What they left of a category. */
static hr_bin_set set_left(const drawing *d, uint32_t node, uint32_t feature) {
    hr_bin_set set = {{0}};
    for (uint32_t bin = 0; bin < d->binning->features[feature].bin_count; bin++)
        hr_bin_set_add(&set, (uint8_t)bin);
    for (uint32_t child = node; child; child = d->nodes[child].parent) {
        const hr_node *parent = &d->tree->nodes[d->nodes[child].parent];
        if (parent->feature == feature) keep_only(&set, &d->tree->subsets[parent->subset], is_left(d, child));
    }
    return set;
}

static uint32_t draw_feature(const drawing *d) {
    const hr_random_plan *plan = d->plan;
    if (plan->feature_count) return plan->features[hr_uniform(d->csprng, plan->feature_count)];
    return (uint32_t)pick_by_sum(d->csprng, plan->weights, d->weight_sum, d->binning->feature_count);
}

/* low <= cut < high. origin: the node that is varied, or NULL. */
static uint32_t draw_cut(const drawing *d, uint32_t low, uint32_t high, const hr_node *origin) {
    double range = high - low, cut = low;
    if (origin)
        cut = round(origin->cut + MOVE * range * (2 * uniform_bin(d->csprng) - 1));
    else
        for (int i = 0; i < d->plan->centred; i++) cut += range * uniform_bin(d->csprng) / d->plan->centred;
    return (uint32_t)fmin(fmax(cut, low), high - 1);
}

/* False unless there are two values. */
static bool split_number(drawing *d, uint32_t index, const hr_node *origin) {
    hr_node *node = &d->tree->nodes[index];
    value_range range = range_left(d, index, node->feature);
    if (range.low >= range.high) return false;
    d->nodes[index].range = range;
    node->cut = (uint8_t)draw_cut(d, range.low, range.high, origin);
    node->threshold = hr_bins_threshold(&d->binning->features[node->feature], node->cut);
    node->missing_left = origin ? origin->missing_left : hr_uniform(d->csprng, 2);
    return true;
}

/* Whether a side has a value: of two bins or fewer the missing one counts as such. */
static bool has_value(const hr_bin_set *set, uint32_t bin_count) {
    uint64_t some = set->words[0] & (bin_count > 2 ? ~UINT64_C(1) : ~UINT64_C(0));
    for (int w = 1; w < WORDS; w++) some |= set->words[w];
    return some;
}

/* False unless both sides have a value. */
static bool split_subset(drawing *d, const hr_bin_set *allowed, const hr_bin_set *left, hr_node *node) {
    uint32_t bin_count = d->binning->features[node->feature].bin_count;
    hr_bin_set inside = *allowed, outside = *allowed;
    keep_only(&inside, left, true);
    keep_only(&outside, left, false);
    if (!has_value(&inside, bin_count) || !has_value(&outside, bin_count)) return false;
    node->subset = (uint32_t)d->tree->subset_count;
    d->tree->subsets[d->tree->subset_count++] = inside;
    return true;
}

static bool split_category(drawing *d, uint32_t index, const hr_node *origin) {
    hr_node *node = &d->tree->nodes[index];
    hr_bin_set allowed = set_left(d, index, node->feature);
    if (origin) return split_subset(d, &allowed, &d->plan->model->subsets[origin->subset], node);
    for (int attempt = 0; attempt < SUBSET_TRIES; attempt++) {
        hr_bin_set left;
        for (int w = 0; w < WORDS; w++) left.words[w] = hr_csprng_u64(d->csprng);
        if (split_subset(d, &allowed, &left, node)) return true;
    }
    return false;
}

static bool split_on(drawing *d, uint32_t index, uint32_t feature, const hr_node *origin) {
    d->tree->nodes[index].feature = feature;
    return (d->binning->features[feature].kind == HR_KIND_NUMBER ? split_number : split_category)(d, index,
                                                                                                  origin);
}

static bool vary(drawing *d, uint32_t index) {
    uint32_t origin = d->nodes[index].origin;
    if (!origin) return false;
    const hr_node *old = &d->plan->model->nodes[origin - 1];
    return old->left && split_on(d, index, old->feature, old);
}

/* Splits a node on a feature that still has something to split; false: it stays a leaf. */
static bool split_random_node(drawing *d, uint32_t index) {
    if (vary(d, index)) return true;
    d->nodes[index].origin = 0;
    for (int attempt = 0; attempt < FEATURE_TRIES; attempt++)
        if (split_on(d, index, draw_feature(d), NULL)) return true;
    return false;
}

static void add_random_children(drawing *d, uint32_t index) {
    hr_tree *tree = d->tree;
    uint32_t origin = d->nodes[index].origin;
    tree->nodes[index].left = (uint32_t)tree->node_count;
    for (uint32_t side = 0; side < 2; side++) {
        tree->nodes[tree->node_count] = (hr_node){0};
        d->nodes[tree->node_count++] = (drawn){
            .parent = index, .origin = origin ? d->plan->model->nodes[origin - 1].left + side + 1 : 0};
    }
}

void hr_random_tree(hr_csprng *csprng, const hr_binning *binning, const hr_random_plan *plan, hr_node *nodes,
                    hr_bin_set *subsets, hr_tree *out) {
    *out = (hr_tree){.nodes = nodes, .node_count = 1, .subsets = subsets};
    drawn drawn_nodes[HR_RANDOM_NODES_MAX]; /* filled as nodes are added: most trees are far smaller */
    drawing d = {.csprng = csprng, .binning = binning, .plan = plan, .tree = out, .nodes = drawn_nodes};
    if (!plan->feature_count) d.weight_sum = sum_of(plan->weights, binning->feature_count);
    nodes[0] = (hr_node){0};
    drawn_nodes[0].origin = plan->model != NULL;
    size_t begin = 0;
    for (int level = 0; level < plan->depth; level++) {
        size_t end = out->node_count;
        for (size_t n = begin; n < end; n++)
            if (split_random_node(&d, (uint32_t)n)) add_random_children(&d, (uint32_t)n);
        begin = end;
    }
}
