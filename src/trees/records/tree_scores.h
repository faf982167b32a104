/* What released trees add to the scores of the records that they are trained on: the records' bins, a block
 * of records at a time, go through all trees (trees/tree/place_tree.h), as they do in predictions. A function
 * of the records and of what was released. */
#ifndef HR_TREES_RECORDS_TREE_SCORES_H
#define HR_TREES_RECORDS_TREE_SCORES_H

#include "tables/bins/binned.h"
#include "trees/tree/tree.h"

typedef struct hr_tree_scores hr_tree_scores;

/* Borrows the matrix. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_tree_scores_new(const hr_binned *binned, size_t outputs, int threads,
                                           hr_tree_scores **out, hr_error *err);
/* NULL is allowed. */
void hr_tree_scores_free(hr_tree_scores *scores);

/* Trees of two-way splits, kept in order; borrowed until they are forgotten. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_tree_scores_keep(hr_tree_scores *scores, const hr_tree *trees, size_t count,
                                            hr_error *err);
size_t hr_tree_scores_count(const hr_tree_scores *scores);
const hr_tree *hr_tree_scores_tree(const hr_tree_scores *scores, size_t index);
void hr_tree_scores_forget(hr_tree_scores *scores);

/* Adds the values of the trees from `from` on for rows[0..count), for which the matrix has tiles, or of the
 * first `count` records if rows is NULL: output k of record i is out[i * outputs + k]. Trees add in their
 * order. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_tree_scores_add(hr_tree_scores *scores, size_t from, const uint32_t *rows,
                                           size_t count, double *out, hr_error *err);

#endif
