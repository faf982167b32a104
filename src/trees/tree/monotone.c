#include "trees/tree/monotone.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

enum { WORDS = HR_BINS_MAX / 64, SWEEPS = 200, FIRST_ROOM = 64 };
static const double NEAR = 1e-6; /* of the values' spread: a projection that moves no value further is done */

/* ---- Ordered leaves ---- */

/* What the splits above leave of a feature: of a number above < x <= most, or missing. */
typedef struct reach {
    double above, most;
    bool missing;
    hr_bin_set bins; /* of a category */
} reach;

/* A way down from two children of a split by a monotone feature. */
typedef struct descent {
    const hr_tree *tree;
    const hr_schema *schema;
    reach *common;      /* by feature: what is left to both nodes */
    uint32_t feature;   /* the one that rises */
    reach below, above; /* what is left of it to either */
    bool failed;
    void (*ordered)(struct descent *descent, uint32_t below, uint32_t above); /* of two leaves */
    void *user;
} descent;

static reach all_of(const hr_column *column) {
    reach all = {.above = nextafter(column->low, -(double)INFINITY), .most = column->high, .missing = true};
    for (size_t bin = 0; column->kind == HR_KIND_CATEGORY && bin < hr_category_bins(column); bin++)
        hr_bin_set_add(&all.bins, (uint8_t)bin);
    return all;
}

static reach category_of_child(const hr_tree *tree, const hr_node *node, uint32_t child, reach r) {
    hr_bin_set only = {{0}};
    if (node->branches) hr_bin_set_add(&only, (uint8_t)child);
    for (int w = 0; w < WORDS; w++) {
        uint64_t left = node->branches ? 0 : tree->subsets[node->subset].words[w];
        r.bins.words[w] &= node->branches ? only.words[w] : child ? ~left : left;
    }
    return r;
}

/* Of a multiway split child 0 has what is missing, child i what thresholds i - 2 and i - 1 enclose. */
static reach number_of_child(const hr_tree *tree, const hr_node *node, uint32_t child, reach r) {
    if (!node->branches) {
        r.missing = r.missing && node->missing_left == !child;
        if (child)
            r.above = fmax(r.above, node->threshold);
        else
            r.most = fmin(r.most, node->threshold);
        return r;
    }
    const double *thresholds = tree->thresholds + node->first;
    r.missing = r.missing && !child;
    if (!child) r.most = -(double)INFINITY;
    if (child >= 2) r.above = fmax(r.above, thresholds[child - 2]);
    if (child && child + 1 < node->branches) r.most = fmin(r.most, thresholds[child - 1]);
    return r;
}

static reach of_child(const descent *d, const hr_node *node, uint32_t child, reach r) {
    bool is_number = hr_schema_feature(d->schema, node->feature)->kind == HR_KIND_NUMBER;
    return (is_number ? number_of_child : category_of_child)(d->tree, node, child, r);
}

static bool has_numbers(const reach *r) {
    return r->above < r->most;
}

static bool has_any(const descent *d, uint32_t feature, const reach *r) {
    uint64_t some = 0;
    if (hr_schema_feature(d->schema, feature)->kind == HR_KIND_NUMBER) return has_numbers(r) || r->missing;
    for (int w = 0; w < WORDS; w++) some |= r->bins.words[w];
    return some != 0;
}

/* All ordered leaves below two nodes, by splits of the one and then of the other. */
static void pair_leaves(descent *d, uint32_t below, uint32_t above) {
    const bool first = d->tree->nodes[below].left != 0;
    const hr_node *node = &d->tree->nodes[first ? below : above];
    if (!node->left) {
        d->ordered(d, below, above);
        return;
    }
    const bool rises = node->feature == d->feature;
    reach *r = !rises ? &d->common[node->feature] : first ? &d->below : &d->above;
    const reach before = *r;
    for (uint32_t i = 0; i < hr_node_child_count(node); i++) {
        *r = of_child(d, node, i, before);
        if (!(rises ? has_numbers(r) : has_any(d, node->feature, r))) continue;
        pair_leaves(d, first ? node->left + i : below, first ? above : node->left + i);
    }
    *r = before;
}

/* Two leaves part at one split, and are ordered in its feature or not at all. */
static void pair_below(descent *d, uint32_t n) {
    const hr_node *node = &d->tree->nodes[n];
    const uint32_t children = hr_node_child_count(node);
    if (!children) return;
    reach *r = &d->common[node->feature];
    const reach before = *r;
    const bool monotone = hr_schema_feature(d->schema, node->feature)->monotone != HR_MONOTONE_NONE;
    for (uint32_t i = 0; monotone && i < children; i++) {
        for (uint32_t k = i + 1; k < children; k++) {
            d->feature = node->feature;
            d->below = of_child(d, node, i, before);
            d->above = of_child(d, node, k, before);
            if (has_numbers(&d->below) && has_numbers(&d->above))
                pair_leaves(d, node->left + i, node->left + k);
        }
    }
    for (uint32_t i = 0; i < children; i++) {
        *r = of_child(d, node, i, before);
        if (has_any(d, node->feature, r)) pair_below(d, node->left + i);
    }
    *r = before;
}

/* Calls d->ordered for every two ordered leaves. */
static hr_status each_ordered(descent *d, hr_error *err) {
    const size_t features = hr_schema_feature_count(d->schema);
    d->common = malloc((features + 1) * sizeof *d->common);
    if (!d->common) return hr_fail_memory(err);
    for (size_t f = 0; f < features; f++) d->common[f] = all_of(hr_schema_feature(d->schema, f));
    pair_below(d, 0);
    free(d->common);
    return d->failed ? hr_fail_memory(err) : HR_OK;
}

static bool falls(const descent *d) {
    return hr_schema_feature(d->schema, d->feature)->monotone == HR_MONOTONE_DECREASING;
}

/* ---- Whether a tree is monotone ---- */

static void compare_leaves(descent *d, uint32_t below, uint32_t above) {
    const uint32_t low = falls(d) ? above : below, high = falls(d) ? below : above;
    hr_monotone_fault *fault = d->user;
    if (d->tree->nodes[low].value <= d->tree->nodes[high].value) return;
    fault->feature = d->feature;
    fault->below = below;
    fault->above = above;
}

hr_status hr_monotone_check(const hr_forest *forest, const hr_schema *schema, bool *monotone,
                            hr_monotone_fault *fault, hr_error *err) {
    hr_monotone_fault found = {0};
    hr_status status = HR_OK;
    *monotone = true;
    if (!hr_schema_is_monotone(schema)) return HR_OK;
    for (size_t t = 0; !status && *monotone && t < forest->tree_count; t++) {
        descent d = {.tree = &forest->trees[t], .schema = schema, .ordered = compare_leaves, .user = &found};
        status = each_ordered(&d, err);
        *monotone = found.below == found.above; /* a leaf is not ordered with itself */
        found.tree = t;
    }
    if (!*monotone) *fault = found;
    return status;
}

/* ---- The nearest monotone values ---- */

/* Two leaves: value[low] <= value[high] is to hold. `pull` is what was needed for that so far, in the pair's
 * multiplier of the constraint. */
typedef struct leaf_pair {
    uint32_t low, high; /* places of leaves: low < high */
    double pull;
} leaf_pair;

typedef struct projection {
    uint32_t *leaves,
        *places; /* leaves in an order that all pairs follow; the place of each node among them */
    size_t leaf_count;
    double *values, *shares; /* by place; how easily a value moves: 1 by its weight */
    leaf_pair *pairs;
    size_t pair_count, room;
} projection;

/* Lower sides of splits come first, upper ones where the feature is decreasing: so every pair's low does. */
static void order_leaves(projection *p, const hr_tree *tree, const hr_schema *schema, uint32_t n) {
    const hr_node *node = &tree->nodes[n];
    const uint32_t children = hr_node_child_count(node);
    if (!children) {
        p->places[n] = (uint32_t)p->leaf_count;
        p->leaves[p->leaf_count++] = n;
        return;
    }
    const bool back = hr_schema_feature(schema, node->feature)->monotone == HR_MONOTONE_DECREASING;
    for (uint32_t i = 0; i < children; i++)
        order_leaves(p, tree, schema, node->left + (back ? children - 1 - i : i));
}

static void add_pair(descent *d, uint32_t below, uint32_t above) {
    projection *p = d->user;
    if (p->pair_count == p->room) {
        const size_t room = p->room ? 2 * p->room : FIRST_ROOM;
        leaf_pair *pairs = realloc(p->pairs, room * sizeof *pairs);
        d->failed |= !pairs;
        if (!pairs) return;
        p->pairs = pairs;
        p->room = room;
    }
    p->pairs[p->pair_count++] =
        (leaf_pair){.low = p->places[falls(d) ? above : below], .high = p->places[falls(d) ? below : above]};
}

static int by_low(const void *a, const void *b) {
    const leaf_pair *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

/* Hildreth's method: each pair in turn is brought into order by as little as that takes, less what it was
 * moved by before. Returns the largest movement. */
static double sweep(projection *p) {
    double most = 0;
    for (size_t i = 0; i < p->pair_count; i++) {
        leaf_pair *pair = &p->pairs[i];
        double *low = &p->values[pair->low], *high = &p->values[pair->high];
        const double a = p->shares[pair->low], b = p->shares[pair->high];
        const double pull = fmax(pair->pull + (*low - *high) / (a + b), 0), move = pull - pair->pull;
        *low -= move * a;
        *high += move * b;
        pair->pull = pull;
        most = fmax(most, fabs(move) * fmax(a, b));
    }
    return most;
}

/* Pairs follow the order of their lower leaves, whose values are settled when their turn comes. */
static void settle(projection *p) {
    for (size_t i = 0; i < p->pair_count; i++) {
        const leaf_pair *pair = &p->pairs[i];
        p->values[pair->high] = fmax(p->values[pair->high], p->values[pair->low]);
    }
}

static void project(projection *p) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (size_t i = 0; i < p->leaf_count; i++) {
        low = fmin(low, p->values[i]);
        high = fmax(high, p->values[i]);
    }
    for (int i = 0; i < SWEEPS; i++)
        if (sweep(p) <= NEAR * (high - low)) break;
    settle(p);
}

hr_status hr_monotone_project(const hr_tree *tree, const hr_schema *schema, const double *weights,
                              double *values, hr_error *err) {
    const size_t leaves = hr_tree_leaves(tree);
    projection p = {.leaves = malloc(leaves * sizeof *p.leaves),
                    .places = malloc(tree->node_count * sizeof *p.places),
                    .values = malloc(leaves * sizeof *p.values),
                    .shares = malloc(leaves * sizeof *p.shares)};
    descent d = {.tree = tree, .schema = schema, .ordered = add_pair, .user = &p};
    hr_status status = p.leaves && p.places && p.values && p.shares ? HR_OK : hr_fail_memory(err);
    if (!status) order_leaves(&p, tree, schema, 0);
    if (!status) status = each_ordered(&d, err);
    for (size_t i = 0; !status && i < leaves; i++) {
        p.values[i] = values[p.leaves[i]];
        p.shares[i] = 1 / weights[p.leaves[i]];
    }
    if (!status && p.pair_count) {
        qsort(p.pairs, p.pair_count, sizeof *p.pairs, by_low);
        project(&p);
    }
    for (size_t i = 0; !status && i < leaves; i++) values[p.leaves[i]] = p.values[i];
    void *all[] = {p.leaves, p.places, p.values, p.shares, p.pairs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return status;
}
