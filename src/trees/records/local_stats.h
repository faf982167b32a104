/* Sums of packed gradients by node, over records in this process: every node's records are one run of one of
 * two arrays; a split writes those that go left to the other one, and closes up the rest where they are. */
#ifndef HR_TREES_RECORDS_LOCAL_STATS_H
#define HR_TREES_RECORDS_LOCAL_STATS_H

#include "tables/bins/binned.h"
#include "trees/stats/gradient.h"
#include "trees/stats/split.h"

typedef struct hr_local_stats hr_local_stats;

/* Room for trees of at most `rows` records and `depth` levels of splits. Borrows `binned`. Owner: the caller
 * frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_new(const hr_binned *binned, size_t rows, int depth, int threads,
                                           hr_local_stats **out, hr_error *err);
void hr_local_stats_free(hr_local_stats *local);

/* Where the caller writes the packed gradients of the records of the next tree, one each, before it starts
 * it. */
int64_t *hr_local_stats_packed(hr_local_stats *local);

/* Starts a tree. hr_local_stats_packed()[i] belongs to the i-th record: row rows[i], or row i if `rows` is
 * NULL (all rows); rows are borrowed until the next start. */
void hr_local_stats_start(hr_local_stats *local, const uint32_t *rows, size_t count);

/* Writes the histograms of `count` nodes to out[0..count). */
void hr_local_stats_sum(hr_local_stats *local, const uint32_t *nodes, hr_sum_word *const *out, size_t count);

/* Sends the records of nodes[i] to the nodes left[i] and left[i] + 1. Overwrites
 * hr_local_stats_packed(). */
void hr_local_stats_split(hr_local_stats *local, const uint32_t *nodes, const hr_split *splits,
                          const uint32_t *left, size_t count);

/* Adds the leaf value of every record that the tree was trained on to scores[row * stride]. The tree: as it
 * was grown from these sums, two-way. */
void hr_local_stats_add_tree(const hr_local_stats *local, const hr_tree *tree, double *scores, size_t stride);

/* The sums of hr_hessian over the leaves of such a tree, in order of their nodes, from the gradients where
 * its growth left them: each record's own, in one leaf. `sums` has room for node_count. A record changes one
 * sum by at most 2^12 (a person, all of them together by at most 2^18). */
void hr_local_stats_hessians(const hr_local_stats *local, const hr_tree *tree, const hr_hessian_rule *rule,
                             hr_exact *sums);

#endif
