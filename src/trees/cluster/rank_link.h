/* What ranks do together over a link. Every rank makes the same calls in the same order. The first failure of
 * the link is kept: every later call fails with it at once, so that no rank waits for what nobody sends. NULL
 * for bytes or words takes part without looking: what comes is dropped, what is added is 0. Thread: that of
 * hr_rank_link_new. */
#ifndef HR_TREES_CLUSTER_RANK_LINK_H
#define HR_TREES_CLUSTER_RANK_LINK_H

#include "base/fail.h"

#include <hedgerow/cluster.h>

typedef struct hr_rank_link hr_rank_link;

/* Joins the other ranks. The table is closed with the link, or here where this fails. Owner: the caller ends
 * *out with hr_rank_link_close. Fails: ARGUMENT, MEMORY, as the table. */
HR_MUST_CHECK hr_status hr_rank_link_new(const hr_cluster_link *table, hr_rank_link **out, hr_error *err);
/* NULL is allowed. */
void hr_rank_link_close(hr_rank_link *link);

size_t hr_rank_link_rank(const hr_rank_link *link);
size_t hr_rank_link_size(const hr_rank_link *link);

/* From `root` to all. */
HR_MUST_CHECK hr_status hr_rank_link_broadcast(hr_rank_link *link, size_t root, void *bytes, size_t size,
                                               hr_error *err);
/* From rank 0 to one other: both call it. */
HR_MUST_CHECK hr_status hr_rank_link_send(hr_rank_link *link, size_t to, const void *bytes, size_t size,
                                          hr_error *err);
HR_MUST_CHECK hr_status hr_rank_link_receive(hr_rank_link *link, void *bytes, size_t size, hr_error *err);

/* Adds integers up, in place at rank 0; the other ranks' are left alone. The sums must have room. */
HR_MUST_CHECK hr_status hr_rank_link_sum(hr_rank_link *link, int64_t *words, size_t count, hr_error *err);
/* The same, in place at every rank. */
HR_MUST_CHECK hr_status hr_rank_link_sum_everywhere(hr_rank_link *link, int64_t *words, size_t count,
                                                    hr_error *err);
/* The least, at every rank; the largest, at every rank: in place. */
HR_MUST_CHECK hr_status hr_rank_link_least(hr_rank_link *link, int64_t *value, hr_error *err);
HR_MUST_CHECK hr_status hr_rank_link_largest(hr_rank_link *link, double *value, hr_error *err);

/* The table of the ranks that MPI started: once in a process. Owner: the caller closes the table. Fails:
 * ABSENT, MEMORY. */
HR_MUST_CHECK hr_status hr_mpi_link_open(hr_cluster_link *out, hr_error *err);

#endif
