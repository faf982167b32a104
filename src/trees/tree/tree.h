/* Trees and forests: released values only. A tree is published by its thresholds and sets of categories; it
 * needs no bins to be read, sent or walked. Bins belong to training and to the predictor, which compare
 * bytes: a node's `cut` is its threshold among the bins that the tree was grown with, and means nothing
 * elsewhere. */
#ifndef HR_TREES_TREE_TREE_H
#define HR_TREES_TREE_TREE_H

#include "base/arena.h"
#include "tables/bins/binning.h"

#include <hedgerow/data.h>

/* Levels of splits of a tree, at most; forests without privacy may grow deeper (trees/grow/depth_first.h). */
enum { HR_TREE_DEPTH_MAX = 12 };

/* A set of bins, one bit each. Of a category, code c is bin min(c, 255), and 0 is missing. */
typedef struct hr_bin_set {
    uint64_t words[HR_BINS_MAX / 64];
} hr_bin_set;

/* A node is a leaf if left == 0; else its children are `left`, `left + 1` and so on, all larger than its own
 * index. A two-way split has two. A multiway split has one for every bin; training grows none but where its
 * header allows it. Of a category its bins are those of hr_category_bins. Of a number they are divided by
 * `branches - 2` ascending thresholds of the tree, from `first` on: missing numbers go to `left`, x goes to
 * `left + 1 + (how many of them are < x)`. */
typedef struct hr_node {
    uint32_t left;
    uint32_t feature;
    union {
        uint32_t subset; /* two-way, HR_KIND_CATEGORY: index of the set of bins that go left */
        uint32_t first;  /* multiway, HR_KIND_NUMBER: index of its first threshold */
    };
    uint8_t cut; /* two-way, HR_KIND_NUMBER: bins 1..cut go left. 0 in trees that were read or received */
    bool missing_left; /* two-way, HR_KIND_NUMBER */
    uint16_t branches; /* 0: a leaf or a two-way split; else the number of children */
    double threshold;  /* two-way, HR_KIND_NUMBER: x <= threshold goes left; may be infinite */
    double value;      /* leaf: what it adds to its output's score */
} hr_node;

typedef struct hr_tree {
    hr_node *nodes; /* nodes[0] is the root */
    size_t node_count;
    hr_bin_set *subsets;
    size_t subset_count;
    double *thresholds; /* of multiway splits of numbers */
    size_t threshold_count;
    double *counts;   /* one a node: how many records it has, as it was released; NULL: it was not */
    double deviation; /* the standard deviation of the noise of each leaf's sum; 0: it is not known */
    double *noise;    /* one a node: the standard deviation that noise gives the value of a leaf, the counts
                         being as they are; 0 of a split. NULL: it is not known */
    size_t output;    /* which score it adds to */
} hr_tree;

/* What a sum of scores means. */
typedef enum hr_link {
    HR_LINK_NUMBER,   /* one score, the label mapped to [-1, 1] */
    HR_LINK_SIGNED,   /* one score for two classes, or one a class: the probability mapped to [-1, 1] */
    HR_LINK_LOGISTIC, /* one score for two classes (log-odds), or one a class (softmax) */
    HR_LINK_HAZARD,   /* one score an interval of time: the log-odds of the event in it, of records at risk */
    HR_LINK_LOG       /* one score: the logarithm of the mean of a count, as a part of the label's high */
} hr_link;

/* The setting of a model that holds a released survival curve: "30: 0.943 (0.931..0.955); 90: ...", the
 * survival at each cut, and its band; with a group's name behind it, of a group. */
#define HR_CURVE_SETTING "curve"
/* What the settings that hold released statistics of columns are called, or begin with, and the words in
 * their texts (methods/statistics/overview_figures.h, models/model/statistics.c). */
#define HR_STATISTIC_SETTING "statistics"
#define HR_STATISTIC_RECORDS_WORD "records"
#define HR_STATISTIC_MISSING_WORD "missing"
#define HR_STATISTIC_MEAN_WORD "mean"
#define HR_STATISTIC_DEVIATION_WORD "deviation"
#define HR_STATISTIC_BIN_WORD "to "
#define HR_STATISTIC_VALUE_WORD "value "
#define HR_STATISTIC_GROUP_GAP " | "

/* How the probabilities of classes are corrected (trees/tree/link.h). */
typedef struct hr_calibration {
    bool made; /* false: they are left as they are */
    double intercept, slope;
} hr_calibration;

/* How the interval between two quantiles is corrected (models/model/interval.h). */
typedef struct hr_conformal {
    bool made;         /* false: it is left as it is */
    double coverage;   /* the part of the labels that it is to cover */
    double correction; /* each end moves outwards by this part of the interval's width */
    double shortfall;  /* by so many held-out records, on average, noise may take away from it at most */
    double held_out;   /* how many there were, if that was released; 0: a quarter of those that trained */
    size_t ends[2];    /* which quantiles it is between; follows from the coverage */
} hr_conformal;

typedef struct hr_forest {
    hr_link link;
    size_t output_count; /* scores per record */
    double *base;        /* output_count starting scores */
    hr_tree *trees;
    size_t tree_count;
    hr_calibration calibration; /* of classes; a label that is a number has none */
    hr_conformal conformal;     /* of quantiles */
} hr_forest;

static inline bool hr_bin_set_has(const hr_bin_set *set, uint8_t bin) {
    return set->words[bin / 64] >> (bin % 64) & 1;
}

static inline void hr_bin_set_add(hr_bin_set *set, uint8_t bin) {
    set->words[bin / 64] |= (uint64_t)1 << (bin % 64);
}

/* Whether a record whose node feature has this bin goes left at a two-way split. */
static inline bool hr_node_goes_left(const hr_tree *tree, const hr_node *node, hr_kind kind, uint8_t bin) {
    if (kind == HR_KIND_CATEGORY) return hr_bin_set_has(&tree->subsets[node->subset], bin);
    return bin ? bin <= node->cut : node->missing_left;
}

/* 0 of a leaf. */
static inline uint32_t hr_node_child_count(const hr_node *node) {
    if (!node->left) return 0;
    return node->branches ? node->branches : 2;
}

static inline size_t hr_tree_leaves(const hr_tree *tree) {
    size_t leaves = 0;
    for (size_t n = 0; n < tree->node_count; n++) leaves += !tree->nodes[n].left;
    return leaves;
}

/* The child that a record goes to whose node feature has this bin. */
static inline uint32_t hr_node_child(const hr_tree *tree, const hr_node *node, hr_kind kind, uint8_t bin) {
    if (node->branches) return node->left + bin;
    return node->left + !hr_node_goes_left(tree, node, kind, bin);
}

/* ---- Values ---- */

/* The child that a number (NaN: missing), or a category's code, goes to at a split. */
uint32_t hr_node_child_of_number(const hr_tree *tree, const hr_node *node, double x);
uint32_t hr_node_child_of_code(const hr_tree *tree, const hr_node *node, uint16_t code);

/* The leaf of a record, by its values. */
uint32_t hr_tree_leaf(const hr_tree *tree, const hr_data *data, size_t row);

/* scores[i] += the value of the tree for record i. `data` follows the schema of the tree. */
void hr_tree_add(const hr_tree *tree, const hr_data *data, double *scores);

/* A deep copy in the arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_tree_copy(const hr_tree *tree, hr_arena *arena, hr_tree *out, hr_error *err);

#endif
