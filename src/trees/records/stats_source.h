/* The statistics source: who answers every question about sums over records.
 *
 * A method has the questions; it sees no record. The source may be this process (local_source.h), processes
 * that share the records out, or owners who add their sums up. What crosses is a public choice (bins, parts,
 * splits), a released value (trees, base scores), or an integer sum over records, hr_exact or hr_sum_word
 * (two sums in one word, packing.h), on its way to the gate. Such sums add up over disjoint sets of records,
 * coordinate by coordinate, so a source can be made of sources. Two questions are no sums, as their comments
 * state; they are NOT PRIVATE.
 *
 * A method prepares the source once, shares the records out, and begins every tree with the part that trains
 * it. Nodes are named by their index in the tree; node 0, the root, holds all records of the part. Nothing
 * that a question points to is kept, unless its comment promises it. Thread: one at a time. Fails: MEMORY,
 * LIMIT, ARGUMENT (the source does not answer this question), and what a transport fails with. */
#ifndef HR_TREES_RECORDS_STATS_SOURCE_H
#define HR_TREES_RECORDS_STATS_SOURCE_H

#include "privacy/gate.h"
#include "trees/candidates/hedge_question.h"
#include "trees/stats/impurity.h"
#include "trees/stats/median_score.h"
#include "trees/stats/split.h"

typedef enum hr_stats_kind {
    HR_STATS_GRADIENTS, /* boosting: sums of gradients and weights */
    HR_STATS_LABELS,    /* forests: sums of labels */
    HR_STATS_HEDGE      /* hedge: the questions of hedge_question.h, but for bins, which are of `cells` */
} hr_stats_kind;

/* What the questions will be about. */
typedef struct hr_stats_setup {
    hr_stats_kind kind;
    const hr_binning *binning; /* public or released; borrowed while the source answers. hedge: NULL */
    size_t outputs;            /* gradients, hedge: scores of a record */
    size_t candidates;         /* hedge: trees of a question, at most */
    int depth;                 /* gradients: levels of splits, at most */
    const uint32_t *weights; /* of persons' records, in 2^-16 (hr_data_weights), borrowed; gradients: sums of
                                weights are apart then (packing.h); labels: hr_labels_add. NULL: none */
    bool sums_apart; /* gradients: packed sums have no room for all records; words are for HR_CHUNK_ROWS */
} hr_stats_setup;

/* Which records train which tree. */
typedef struct hr_stats_shares {
    const double *weights;   /* of the parts; NULL: one part, all records */
    const uint32_t *part_of; /* of every record, below count, where its owner assigns parts (weights are NULL
                                then): settled by this record and coins alone */
    size_t count;
    bool exact_sizes; /* NOT PRIVATE, as published: parts of floor(records * weight / sum); else every record
                         draws its part by itself */
} hr_stats_shares;

typedef enum hr_stats_loss { HR_STATS_SQUARE, HR_STATS_LOGISTIC } hr_stats_loss;

/* Counts over rounds. NOT PRIVATE. */
typedef struct hr_stats_left_out {
    size_t records, left_out; /* of the parts; of these, left out for their gradient */
} hr_stats_left_out;

/* What trains one tree. Of labels the part alone counts. */
typedef struct hr_stats_round {
    size_t part, output;
    hr_stats_loss loss;
    double bound;         /* square: of |score - target|; gradients beyond it are clipped */
    bool drop_beyond;     /* square: records beyond it are left out of the round instead */
    hr_packing packing;   /* the same for all who add up */
    const int64_t *added; /* NOT PRIVATE, of a source in this process: a word of packed gradients for every
                             record, which is added to its own (weighted gradients, SimFL); NULL: none */
    hr_stats_left_out *left_out; /* NOT PRIVATE, of a source in this process: the round's are added; NULL:
                                    nobody counts */
} hr_stats_round;

/* How the records of a node are divided among its children, by values. An hr_split (trees/stats/split.h)
 * sends bins left or right and nothing else: this may have a child for every bin, or a cut between two bins.
 */
typedef struct hr_child_rule {
    uint32_t feature;
    bool every_bin;    /* bin b goes to the first child + b; else two children, and: */
    double cut;        /* number: values up to it go left */
    bool missing_left; /* number */
    hr_bin_set left;   /* category: the bins that go left */
} hr_child_rule;

/* `width` is 2 for a label that is a number (the sum of labels, the number of records), else the number of
 * classes (hr_labels_width). */
typedef enum hr_stats_answer {
    HR_STATS_LEAVES, /* of all leaves of `tree`, in order of nodes: width numbers each */
    HR_STATS_BINS,   /* of the node's records in every bin of the feature: width numbers each */
    HR_STATS_SIDES,  /* of those that `division` sends left, then right: width numbers each; then the sum of
                        the labels' squares */
    HR_STATS_VALUES, /* how many of the node's records are in each bin of the feature */
    HR_STATS_CELLS   /* how many of the node's records are in each cell of `range`: HR_BALANCE_COUNTS numbers
                        (median_score.h) */
} hr_stats_answer;

typedef struct hr_stats_query {
    hr_stats_answer answer;
    uint32_t node, feature;
    const hr_tree *tree; /* LEAVES */
    bool walk; /* LEAVES: records walk down the tree; else they are where hr_stats_ops.divide sent them */
    hr_median_score_range range; /* CELLS */
    hr_child_rule division;
} hr_stats_query;

typedef struct hr_stats_source hr_stats_source;

typedef struct hr_stats_ops {
    void (*free)(hr_stats_source *self);
    hr_status (*prepare)(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err);
    /* What private bin edges are made of, before `prepare`: hr_edges_count_column over all records. */
    hr_status (*cells)(hr_stats_source *self, size_t feature, size_t grid, hr_exact *cells, hr_error *err);
    /* Shares the records out anew. filled: how many parts come before the first that is empty, NOT PRIVATE;
     * NULL: not needed. */
    hr_status (*share_out)(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                           hr_error *err);
    /* Begins a tree on the records of one part, all of them in node 0. */
    hr_status (*begin)(hr_stats_source *self, const hr_stats_round *round, hr_error *err);

    /* ---- Gradients ---- */

    /* Records of every class; or the one sum of targets, in units of 2^-20. */
    hr_status (*label_sums)(hr_stats_source *self, hr_exact *sums, hr_error *err);
    /* The largest |score - target|. NOT PRIVATE, and a maximum: for methods and modes without privacy. */
    hr_status (*largest_residual)(hr_stats_source *self, size_t output, double *out, hr_error *err);
    /* base: one released score an output, where all records start; 0 until then. */
    hr_status (*set_base)(hr_stats_source *self, const double *base, hr_error *err);
    /* Adds released trees to the scores: those that were grown since the last call, all of them, in order.
     * Borrows them. */
    hr_status (*add_trees)(hr_stats_source *self, const hr_tree *trees, size_t count, hr_error *err);
    /* Writes the histograms of nodes to out[0..count), hr_histogram_cells each, and as many weights behind
     * them where these are apart. */
    hr_status (*sum)(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out, size_t count,
                     hr_error *err);
    /* Sends the records of nodes[i] to the nodes left[i] (those that splits[i] sends left) and left[i] + 1.
     */
    hr_status (*split)(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                       const uint32_t *left, size_t count, hr_error *err);
    /* Sums of hr_hessian over the leaves of the tree that was grown since the last `begin`, in order of
     * nodes, over the records of that round. sums: room for node_count. */
    hr_status (*hessians)(hr_stats_source *self, const hr_tree *tree, hr_exact *sums, hr_error *err);

    /* ---- Labels ---- */

    /* Answers `count` queries, one after the other in `out`: hr_stats_width numbers each. */
    hr_status (*answer)(hr_stats_source *self, const hr_stats_query *queries, size_t count, hr_exact *out,
                        hr_error *err);
    /* Sends the records of nodes[i] to the nodes from first[i] on. */
    hr_status (*divide)(hr_stats_source *self, const uint32_t *nodes, const hr_child_rule *divisions,
                        const uint32_t *first, size_t count, hr_error *err);
    /* As published, NOT PRIVATE and no sums: how many known values of a numeric feature the node's records
     * have, and, of these in order, the two around gap `gap` (0 .. known - 2). Either out may be NULL. */
    hr_status (*gap)(hr_stats_source *self, const hr_stats_query *query, size_t gap, size_t *known,
                     double around[2], hr_error *err);

    /* ---- Hedge ---- */

    /* CHOICE: a score for each of the question's trees, as hr_records_scores. */
    hr_status (*tree_scores)(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                             hr_error *err);
    /* TOTALS, LEAVES, RELIABILITY: hr_hedge_question_values(question) sums, as hr_records_sums. */
    hr_status (*tree_sums)(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                           hr_error *err);
} hr_stats_ops;

struct hr_stats_source {
    const hr_stats_ops *ops;
    size_t capacity; /* at least the number of records, for the room of sums and buffers alone; of methods
                        without privacy that number */
};

/* How many numbers the answer to a query has. */
size_t hr_stats_width(const hr_binning *binning, size_t label_width, const hr_stats_query *query);

static inline void hr_stats_free(hr_stats_source *source) {
    if (source) source->ops->free(source);
}

/* ---- The questions of ID3 ---- */

/* The next question of ID3 to the records: counts of classes, and what their answer is charged as. Everything
 * in it is public or released. Pointers are borrowed: they hold until the answer is accepted. */
typedef struct hr_id3_question {
    hr_charge line;
    /* First the splits that were made since the last question: records of node divided[i] go to the nodes
     * from first[i] on. */
    const uint32_t *divided, *first;
    const hr_child_rule *divisions;
    size_t divided_count;
    /* Then these, whose answers stand one behind the other: `count` numbers, in units of 1/HR_COUNT_UNIT of a
     * record. */
    const hr_stats_query *queries;
    size_t query_count, count;
} hr_id3_question;

/* What records answer to ID3: exact counts, for the gate. Divides the records by the divisions of the
 * question and writes question->count counts to `out`. A record more changes them by a vector of length at
 * most question->line.sensitivity (id3_records.proof.md). Questions come in the order of the machine
 * (id3_machine.h), which the source was prepared and begun for. Fails: as the source. */
HR_MUST_CHECK hr_status hr_id3_records_answer(hr_stats_source *source, const hr_id3_question *question,
                                              hr_exact *out, hr_error *err);

#endif
