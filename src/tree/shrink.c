#include "tree/shrink.h"

#include "tree/random_tree.h"

#include <math.h>

typedef struct shrinking {
    const hr_tree *tree;
    size_t outputs;
    double ridge, *sums, *counts, *values;
    double leaves[HR_RANDOM_NODES_MAX]; /* below a node */
} shrinking;

static void add_up(shrinking *s, size_t node) {
    size_t left = s->tree->nodes[node].left, right = left + 1;
    s->leaves[node] = left ? s->leaves[left] + s->leaves[right] : 1;
    if (!left) return;
    s->counts[node] = s->counts[left] + s->counts[right];
    for (size_t k = 0; k < s->outputs; k++)
        s->sums[node * s->outputs + k] = s->sums[left * s->outputs + k] + s->sums[right * s->outputs + k];
}

static void pull(shrinking *s, size_t node, const double *towards) {
    double weight = s->counts[node] + s->ridge * sqrt(s->leaves[node]);
    for (size_t k = 0; k < s->outputs; k++) {
        double start = towards ? towards[k] : 0;
        s->values[node * s->outputs + k] = start + (s->sums[node * s->outputs + k] - s->counts[node] * start) / weight;
    }
}

void hr_shrink(const hr_tree *tree, size_t outputs, double ridge, double *sums, double *counts, double *values) {
    shrinking s = {.tree = tree, .outputs = outputs, .ridge = ridge, .sums = sums, .counts = counts, .values = values};
    for (size_t n = tree->node_count; n-- > 0;) add_up(&s, n);
    pull(&s, 0, NULL);
    for (size_t n = 0; n < tree->node_count; n++) {
        size_t left = tree->nodes[n].left;
        if (!left) continue;
        pull(&s, left, values + n * outputs);
        pull(&s, left + 1, values + n * outputs);
    }
}
