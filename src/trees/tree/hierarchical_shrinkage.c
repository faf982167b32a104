#include "trees/tree/hierarchical_shrinkage.h"

#include <math.h>

typedef struct shrinking {
    const hr_tree *tree;
    size_t outputs;
    double ridge, *sums, *counts, *values;
} shrinking;

/* The number of leaves below a node waits in the place of its first value: it is needed no more when that is
 * known. */
static double *leaves_below(const shrinking *s, size_t node) {
    return &s->values[node * s->outputs];
}

static void add_child(shrinking *s, size_t node, size_t child) {
    *leaves_below(s, node) += *leaves_below(s, child);
    s->counts[node] += s->counts[child];
    for (size_t k = 0; k < s->outputs; k++) s->sums[node * s->outputs + k] += s->sums[child * s->outputs + k];
}

static void add_up(shrinking *s, size_t node) {
    const hr_node *split = &s->tree->nodes[node];
    size_t children = hr_node_child_count(split);
    *leaves_below(s, node) = children ? 0 : 1;
    if (!children) return;
    s->counts[node] = 0;
    for (size_t k = 0; k < s->outputs; k++) s->sums[node * s->outputs + k] = 0;
    for (size_t i = 0; i < children; i++) add_child(s, node, split->left + i);
}

static void pull(shrinking *s, size_t node, const double *towards) {
    double weight = s->counts[node] + s->ridge * sqrt(*leaves_below(s, node));
    for (size_t k = 0; k < s->outputs; k++) {
        double start = towards ? towards[k] : 0;
        s->values[node * s->outputs + k] =
            start + (s->sums[node * s->outputs + k] - s->counts[node] * start) / weight;
    }
}

void hr_hierarchical_shrinkage(const hr_tree *tree, size_t outputs, double ridge, double *sums,
                               double *counts, double *values) {
    shrinking s = {
        .tree = tree, .outputs = outputs, .ridge = ridge, .sums = sums, .counts = counts, .values = values};
    for (size_t n = tree->node_count; n-- > 0;) add_up(&s, n);
    pull(&s, 0, NULL);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        for (size_t i = 0; i < hr_node_child_count(node); i++) pull(&s, node->left + i, values + n * outputs);
    }
}

/* How the value of a node depends on the leaves' sums: by `own` on those of each of its leaves, and by
 * weights whose squares add up to `others` on the others. */
typedef struct dependence {
    size_t leaves;
    double own, others;
} dependence;

static size_t count_leaves_below(const hr_tree *tree, size_t n) {
    size_t children = hr_node_child_count(&tree->nodes[n]), leaves = !children;
    for (size_t i = 0; i < children; i++) leaves += count_leaves_below(tree, tree->nodes[n].left + i);
    return leaves;
}

/* v = v_parent (1 - N/W) + S/W, W = N + r sqrt(L): what the parent depends on by `own` and what stands beside
 * this node counts among the others now. */
static void pass_noise(const hr_tree *tree, double ridge, const double *counts, size_t n,
                       const dependence *parent, double *noise) {
    dependence d = {.leaves = count_leaves_below(tree, n)};
    double weight = counts[n] + ridge * sqrt((double)d.leaves), kept = 1 - counts[n] / weight;
    d.own = kept * parent->own + 1 / weight;
    if (parent->leaves)
        d.others =
            kept * kept * (parent->others + (double)(parent->leaves - d.leaves) * parent->own * parent->own);
    size_t children = hr_node_child_count(&tree->nodes[n]);
    noise[n] = children ? 0 : sqrt(d.others + d.own * d.own);
    for (size_t i = 0; i < children; i++) pass_noise(tree, ridge, counts, tree->nodes[n].left + i, &d, noise);
}

void hr_shrinkage_noise(const hr_tree *tree, double ridge, const double *counts, double *noise) {
    pass_noise(tree, ridge, counts, 0, &(dependence){0}, noise);
}
