/* Sums of packed gradients by node, over records that stay where they are: each has the number of its node.
 *
 * For tables that are larger than memory, whose columns are mapped: every pass reads them in order, and a
 * record takes 10 bytes here. For tables with too many records for packed words, too: words of a chunk of
 * records are unpacked into sums of gradients and of weights apart (packing.h). local_stats.h, which puts the
 * records of a node together, needs tiles in memory. */
#ifndef HR_TREES_RECORDS_PLACED_STATS_H
#define HR_TREES_RECORDS_PLACED_STATS_H

#include "tables/bins/binned.h"
#include "trees/stats/split.h"

typedef struct hr_placed_stats hr_placed_stats;

/* Trees of all records, and of at most `depth` levels of splits. Borrows `binned`. Owner: the caller frees
 * *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_placed_stats_new(const hr_binned *binned, int depth, int threads,
                                            hr_placed_stats **out, hr_error *err);
void hr_placed_stats_free(hr_placed_stats *placed);

/* Where the caller writes the packed gradient of every record, before it starts a tree. */
int64_t *hr_placed_stats_packed(hr_placed_stats *placed);
/* Starts a tree: all records are in node 0. */
void hr_placed_stats_start(hr_placed_stats *placed);

/* Writes the histograms of `count` nodes to out[0..count): packed, or apart where packing->weight_cells is
 * not 0; packing->shift then has room for HR_CHUNK_ROWS records. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_placed_stats_sum(hr_placed_stats *placed, const hr_packing *packing,
                                            const uint32_t *nodes, hr_sum_word *const *out, size_t count,
                                            hr_error *err);

/* Sends the records of nodes[i] to the nodes left[i] and left[i] + 1. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_placed_stats_split(hr_placed_stats *placed, const uint32_t *nodes,
                                              const hr_split *splits, const uint32_t *left, size_t count,
                                              hr_error *err);

/* Adds the leaf value of every record to scores[row * stride]. The tree: as it was grown from these sums,
 * two-way. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_placed_stats_add_tree(const hr_placed_stats *placed, const hr_tree *tree,
                                                 double *scores, size_t stride, hr_error *err);

#endif
