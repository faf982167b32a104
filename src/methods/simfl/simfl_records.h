/* What the records of one owner do in SimFL (Li, Wen, He: Practical Federated Gradient Boosting Decision
 * Trees. AAAI 2020): they know which record of every other owner is most like them, and add their gradients
 * up there. NOT PRIVATE: such a sum may be of one record, and then reveals its label. */
#ifndef HR_METHODS_SIMFL_SIMFL_RECORDS_H
#define HR_METHODS_SIMFL_SIMFL_RECORDS_H

#include "trees/records/stats_source.h"

typedef struct hr_simfl_records hr_simfl_records;

/* rows[i]: how many records owner i has, of `owners` in all. Borrows both. Owner: the caller frees *out.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_records_new(const hr_data *data, const uint32_t *rows, size_t owners,
                                             int threads, hr_simfl_records **out, hr_error *err);
void hr_simfl_records_free(hr_simfl_records *records);

/* The source of their own sums, for growing trees; its capacity is their number. Borrowed from the records.
 */
hr_stats_source *hr_simfl_records_source(hr_simfl_records *records);

/* Keeps similar[q] < rows[other]: the record of that owner that is most like record q (S of Algorithm 1,
 * line 12). Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_records_match(hr_simfl_records *records, size_t other,
                                               const uint32_t *similar, hr_error *err);

/* For each of the rows[other] records of another owner: the sums of g and of h over the own records that are
 * most like it (Algorithm 2, lines 2 to 6), in the integers of round->packing. The round is of all records
 * and one output; the owner was matched. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_records_gradients(hr_simfl_records *records, size_t other,
                                                   const hr_stats_round *round, hr_exact *gradients,
                                                   hr_exact *weights, hr_error *err);

/* Adds the tree of another owner, by its thresholds, to the scores of the records. The source must have taken
 * the own trees that were grown. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_records_add_tree(hr_simfl_records *records, const hr_tree *tree,
                                                  hr_error *err);

#endif
