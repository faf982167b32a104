/* Trees and forests as the model keeps them: released values only. */
#ifndef HR_TREE_TREE_H
#define HR_TREE_TREE_H

#include "base/arena.h"
#include "bins/binning.h"

/* A set of bins, one bit each. */
typedef struct hr_bin_set {
    uint64_t words[HR_BINS_MAX / 64];
} hr_bin_set;

/* A node is a leaf if left == 0; else its children are `left`, `left + 1` and so on, all larger than its own index. A two-way split has
 * two. A multiway split has one for every bin of its feature; training grows none unless its header says so. */
typedef struct hr_node {
    uint32_t left;
    uint32_t feature;
    uint32_t subset;   /* HR_CATEGORY: index of the set of bins that go left */
    uint8_t cut;       /* HR_NUMBER: bins 1..cut go left */
    bool missing_left; /* HR_NUMBER: where bin 0 goes */
    uint16_t branches; /* 0: a leaf or a two-way split; else the bins of the feature: bin b goes to `left + b`, whatever its kind */
    double value;      /* leaf: what it adds to its output's score */
} hr_node;

typedef struct hr_tree {
    hr_node *nodes; /* nodes[0] is the root */
    size_t node_count;
    hr_bin_set *subsets;
    size_t subset_count;
    size_t output; /* which score it adds to */
} hr_tree;

/* What a sum of scores means. */
typedef enum hr_link {
    HR_LINK_NUMBER,  /* one score, the label mapped to [-1, 1] */
    HR_LINK_SIGNED,  /* one score for two classes, or one a class: the probability mapped to [-1, 1] */
    HR_LINK_LOGISTIC /* one score for two classes (log-odds), or one a class (softmax) */
} hr_link;

/* How the probabilities of classes are corrected (tree/link.h). */
typedef struct hr_calibration {
    bool made; /* false: they are left as they are */
    double intercept, slope;
} hr_calibration;

typedef struct hr_forest {
    hr_link link;
    size_t output_count; /* scores per record */
    double *base;        /* output_count starting scores */
    hr_tree *trees;
    size_t tree_count;
    hr_calibration calibration; /* of classes; a label that is a number has none */
} hr_forest;

/* A copy of nodes and subsets in the arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_tree_copy(const hr_tree *tree, hr_arena *arena, hr_tree *out, hr_error *err);

static inline bool hr_bin_set_has(const hr_bin_set *set, uint8_t bin) {
    return set->words[bin / 64] >> (bin % 64) & 1;
}

static inline void hr_bin_set_add(hr_bin_set *set, uint8_t bin) {
    set->words[bin / 64] |= (uint64_t)1 << (bin % 64);
}

/* Whether a record whose node feature has this bin goes left at a two-way split. */
static inline bool hr_node_goes_left(const hr_tree *tree, const hr_node *node, hr_kind kind, uint8_t bin) {
    if (kind == HR_CATEGORY) return hr_bin_set_has(&tree->subsets[node->subset], bin);
    return bin ? bin <= node->cut : node->missing_left;
}

/* 0 of a leaf. */
static inline uint32_t hr_node_child_count(const hr_node *node) {
    if (!node->left) return 0;
    return node->branches ? node->branches : 2;
}

/* The child that a record goes to whose node feature has this bin. */
static inline uint32_t hr_node_child(const hr_tree *tree, const hr_node *node, hr_kind kind, uint8_t bin) {
    if (node->branches) return node->left + bin;
    return node->left + !hr_node_goes_left(tree, node, kind, bin);
}

#endif
