/* What the local source knows of gradients: targets and scores of the records, and the sums of a tree that
 * grows. */
#ifndef HR_TREES_RECORDS_LOCAL_GRADIENTS_H
#define HR_TREES_RECORDS_LOCAL_GRADIENTS_H

#include "trees/records/local_source.h"
#include "trees/records/local_stats.h"
#include "trees/tree/parts.h"

typedef struct hr_local_stats_gradients hr_local_stats_gradients;

/* Borrows both, and `parts`, which the caller may change between hr_local_stats_gradients_catch_up and
 * hr_local_stats_gradients_share. Owner: the caller frees *out with hr_local_stats_gradients_free. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_gradients_new(const hr_local_stats_records *records,
                                                     const hr_stats_setup *setup, const hr_parts *parts,
                                                     hr_local_stats_gradients **out, hr_error *err);
void hr_local_stats_gradients_free(hr_local_stats_gradients *gradients);

/* Brings the scores of all records up to date. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_gradients_catch_up(hr_local_stats_gradients *gradients, hr_error *err);
/* Takes note that `parts` are new. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_gradients_share(hr_local_stats_gradients *gradients, hr_error *err);

/* As hr_stats_ops of these names. */
void hr_local_stats_gradients_label_sums(const hr_local_stats_gradients *gradients, hr_exact *sums);
double hr_local_stats_gradients_largest(const hr_local_stats_gradients *gradients, size_t output);
void hr_local_stats_gradients_set_base(hr_local_stats_gradients *gradients, const double *base);
HR_MUST_CHECK hr_status hr_local_stats_gradients_add(hr_local_stats_gradients *gradients,
                                                     const hr_tree *trees, size_t count, hr_error *err);
HR_MUST_CHECK hr_status hr_local_stats_gradients_begin(hr_local_stats_gradients *gradients,
                                                       const hr_stats_round *round, hr_error *err);
void hr_local_stats_gradients_hessians(const hr_local_stats_gradients *gradients, const hr_tree *tree,
                                       hr_exact *sums);

/* As hr_local_stats_source_gradients and hr_local_stats_source_add_other. */
HR_MUST_CHECK hr_status hr_local_stats_gradients_of_records(hr_local_stats_gradients *gradients,
                                                            const hr_stats_round *round, int64_t *packed,
                                                            hr_error *err);
HR_MUST_CHECK hr_status hr_local_stats_gradients_add_other(hr_local_stats_gradients *gradients,
                                                           const hr_tree *tree, hr_error *err);

/* The sums of the tree that grows. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_gradients_sum(hr_local_stats_gradients *gradients,
                                                     const uint32_t *nodes, hr_sum_word *const *out,
                                                     size_t count, hr_error *err);
HR_MUST_CHECK hr_status hr_local_stats_gradients_split(hr_local_stats_gradients *gradients,
                                                       const uint32_t *nodes, const hr_split *splits,
                                                       const uint32_t *left, size_t count, hr_error *err);

#endif
