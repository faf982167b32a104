#include "tree/random_tree.h"
#include "random/sample.h"

#include <string.h>

enum { FEATURE_TRIES = 5, SUBSET_TRIES = 8, WORDS = HR_BINS_MAX / 64 };

/* What a node's ancestors left it: kept per node while the tree is drawn. */
typedef struct drawn {
    uint32_t parent;
    bool is_left;
    hr_bin_set left, right; /* of its own feature, once split */
} drawn;

typedef struct drawing {
    hr_stream *stream;
    const hr_binning *binning;
    const hr_random_plan *plan;
    hr_tree *tree;
    drawn *nodes;
} drawing;

static double uniform(hr_stream *stream) {
    return (double)(hr_stream_u64(stream) >> 11) * 0x1p-53;
}

size_t hr_pick(hr_stream *stream, const double *weights, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += weights[i];
    double at = uniform(stream) * sum;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] > 0)) continue;
        last = i;
        at -= weights[i];
        if (at < 0) break;
    }
    return last;
}

static hr_bin_set bins_between(uint32_t first, uint32_t last) {
    hr_bin_set set = {{0}};
    for (uint32_t bin = first; bin <= last; bin++) hr_bin_set_add(&set, (uint8_t)bin);
    return set;
}

/* The bins of a feature that can still reach the node. */
static hr_bin_set allowed(const drawing *d, uint32_t node, uint32_t feature) {
    for (uint32_t child = node; child;) {
        const drawn *c = &d->nodes[child];
        if (d->tree->nodes[c->parent].feature == feature) return c->is_left ? d->nodes[c->parent].left : d->nodes[c->parent].right;
        child = c->parent;
    }
    return bins_between(0, d->binning->features[feature].bin_count - 1);
}

static uint32_t draw_feature(const drawing *d) {
    const hr_random_plan *plan = d->plan;
    if (plan->feature_count) return plan->features[hr_uniform(d->stream, plan->feature_count)];
    return (uint32_t)hr_pick(d->stream, plan->weights, d->binning->feature_count);
}

/* The lowest and highest value bins (not the missing one) of a set; false if there are fewer than two. */
static bool value_range(const hr_bin_set *set, uint32_t bin_count, uint32_t *low, uint32_t *high) {
    *low = *high = 0;
    for (uint32_t bin = 1; bin < bin_count; bin++) {
        if (!hr_bin_set_has(set, (uint8_t)bin)) continue;
        if (!*low) *low = bin;
        *high = bin;
    }
    return *low < *high;
}

static bool split_number(drawing *d, const hr_bin_set *allowed_set, uint32_t feature, hr_node *node, drawn *out) {
    uint32_t low, high;
    if (!value_range(allowed_set, d->binning->features[feature].bin_count, &low, &high)) return false;
    double mean = 0;
    for (int i = 0; i < d->plan->centred; i++) mean += uniform(d->stream) / d->plan->centred;
    uint32_t cut = low + (uint32_t)(mean * (high - low));
    node->cut = (uint8_t)(cut < high ? cut : high - 1);
    node->missing_left = hr_uniform(d->stream, 2);
    out->left = bins_between(low, node->cut);
    out->right = bins_between(node->cut + 1u, high);
    if (hr_bin_set_has(allowed_set, 0)) hr_bin_set_add(node->missing_left ? &out->left : &out->right, 0);
    return true;
}

static bool split_category(drawing *d, const hr_bin_set *allowed_set, hr_node *node, drawn *out) {
    for (int attempt = 0; attempt < SUBSET_TRIES; attempt++) {
        uint64_t some_left = 0, some_right = 0;
        for (int w = 0; w < WORDS; w++) {
            out->left.words[w] = allowed_set->words[w] & hr_stream_u64(d->stream);
            out->right.words[w] = allowed_set->words[w] & ~out->left.words[w];
            some_left |= out->left.words[w];
            some_right |= out->right.words[w];
        }
        if (!some_left || !some_right) continue;
        node->subset = (uint32_t)d->tree->subset_count;
        d->tree->subsets[d->tree->subset_count++] = out->left;
        return true;
    }
    return false;
}

/* Splits a node on a feature that still has something to split; false: it stays a leaf. */
static bool split(drawing *d, uint32_t index) {
    hr_node *node = &d->tree->nodes[index];
    for (int attempt = 0; attempt < FEATURE_TRIES; attempt++) {
        uint32_t feature = draw_feature(d);
        hr_bin_set set = allowed(d, index, feature);
        drawn *out = &d->nodes[index];
        bool number = d->binning->features[feature].kind == HR_NUMBER;
        if (!(number ? split_number(d, &set, feature, node, out) : split_category(d, &set, node, out))) continue;
        node->feature = feature;
        return true;
    }
    return false;
}

static void add_children(drawing *d, uint32_t index) {
    hr_tree *tree = d->tree;
    tree->nodes[index].left = (uint32_t)tree->node_count;
    for (int side = 0; side < 2; side++) {
        tree->nodes[tree->node_count] = (hr_node){0};
        d->nodes[tree->node_count++] = (drawn){.parent = index, .is_left = !side};
    }
}

void hr_random_tree(hr_stream *stream, const hr_binning *binning, const hr_random_plan *plan, hr_node *nodes, hr_bin_set *subsets,
                    hr_tree *out) {
    *out = (hr_tree){.nodes = nodes, .node_count = 1, .subsets = subsets};
    drawn drawn_nodes[HR_RANDOM_NODES_MAX]; /* filled as nodes are added: most trees are far smaller */
    drawing d = {.stream = stream, .binning = binning, .plan = plan, .tree = out, .nodes = drawn_nodes};
    nodes[0] = (hr_node){0};
    size_t begin = 0;
    for (int level = 0; level < plan->depth; level++) {
        size_t end = out->node_count;
        for (size_t n = begin; n < end; n++)
            if (split(&d, (uint32_t)n)) add_children(&d, (uint32_t)n);
        begin = end;
    }
}
