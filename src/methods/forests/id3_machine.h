/* ID3 as a machine over released values: it names the counts that it needs next, and accepts the noisy
 * answer. It never sees a record or an exact count, so what it makes of the answers costs nothing.
 *
 * A level of the tree is one question: of each open node and each feature that no node above it splits by,
 * how many records of every class are in every bin; bins and classes in their order, features in the
 * schema's, nodes in the tree's. A record is in one node of a level, and in one bin of every feature that is
 * counted there: in m - l tables of level l, of m features. The last question is of the classes of all
 * leaves. hr_id3_next gives the question as often as it is called; hr_id3_accept accepts its answer, once.
 *
 * All levels cost the same: what the leaves leave of the budget is divided by levels + reserve. What is left
 * of these at the end goes to the leaves. Thread: one at a time. */
#ifndef HR_METHODS_FORESTS_ID3_MACHINE_H
#define HR_METHODS_FORESTS_ID3_MACHINE_H

#include "trees/records/stats_source.h"

typedef struct hr_id3 hr_id3;

/* What is public before the first release. */
typedef struct hr_id3_terms {
    hr_privacy_measure privacy_measure;
    hr_units budget;
    const hr_binning *binning; /* public; borrowed */
    size_t classes;
    size_t depth;         /* levels of splits, at most; a path splits by a feature once */
    double leaf_share;    /* part of the budget for the leaves; they get what levels leave, too */
    bool published;       /* as the paper has it: bins have counts of their own, noise is not weighed, and all
                             questions are charged as one release */
    uint64_t first_group; /* composition: each question has a group of its own from here on */
    size_t reserve;       /* levels that may be counted once more where their answer is lost */
    uint64_t shares;      /* answers are secure sums, whose noise comes in this many shares at most, and which
                             are half as long; 0: one party holds all records */
} hr_id3_terms;

enum { HR_ID3_NODES_MAX = 1 << 12 }; /* of a tree */

/* What a level at this depth costs: of `features` features it has features - level tables a node. Group 0. */
hr_charge hr_id3_level_charge(hr_privacy_measure privacy_measure, size_t features, size_t level,
                              hr_units cost);
hr_charge hr_id3_leaf_charge(hr_units cost);
/* Where terms are published: of all questions together, as if they were for one count. */
hr_charge hr_id3_published_charge(const hr_id3_terms *terms);

/* What each level costs, and each of the reserve. */
hr_units hr_id3_level_cost(const hr_id3_terms *terms);
/* How many levels of splits the terms allow, and how many numbers one question has, at most. */
size_t hr_id3_depth(const hr_id3_terms *terms);
size_t hr_id3_values_max(const hr_id3_terms *terms);

/* Whether all questions that may come fit their limits and the budget. Fails: BUDGET, LIMIT. */
HR_MUST_CHECK hr_status hr_id3_check(const hr_id3_terms *terms, hr_error *err);

/* Terms that were checked. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_new(const hr_id3_terms *terms, hr_id3 **out, hr_error *err);
void hr_id3_free(hr_id3 *id3);

/* The next question. False: the tree is finished, and *out is left alone. */
bool hr_id3_next(const hr_id3 *id3, hr_id3_question *out);

/* The released counts of the question, in its order. noise_factor: their noise's standard deviation in that
 * of one release at the line's cost; 1 where one party holds all records. values NULL: the answer is lost. A
 * level is counted once more, at its cost, as long as there is a reserve; else its nodes stay leaves. Lost
 * leaves have the values that the levels gave. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_accept(hr_id3 *id3, const hr_noisy *values, double noise_factor,
                                      hr_error *err);

/* How often levels were counted; *total: how many levels there are, at most. */
size_t hr_id3_levels(const hr_id3 *id3, size_t *total);

/* The finished tree, and the values of its nodes: probabilities, (*leaf_values)[node * classes + k]. Of the
 * machine. */
hr_tree hr_id3_tree(const hr_id3 *id3, const double **leaf_values);

#endif
