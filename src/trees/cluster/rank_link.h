/* What ranks do together: the calls of MPI that are used, and no more. Every rank makes the same calls in the
 * same order; a rank that dies ends them all, so that none of these fails. NULL for bytes or words takes part
 * without looking: what comes is dropped, what is added is 0. Thread: that of hr_rank_link_open. */
#ifndef HR_TREES_CLUSTER_RANK_LINK_H
#define HR_TREES_CLUSTER_RANK_LINK_H

#include "base/fail.h"

typedef struct hr_rank_link hr_rank_link;

/* Once in a process. Owner: the caller ends it with hr_rank_link_close. Fails: ABSENT, MEMORY, IO. */
HR_MUST_CHECK hr_status hr_rank_link_open(hr_rank_link **out, hr_error *err);
/* Waits for all ranks. NULL is allowed. */
void hr_rank_link_close(hr_rank_link *link);

size_t hr_rank_link_rank(const hr_rank_link *link);
size_t hr_rank_link_size(const hr_rank_link *link);

/* From `root` to all. */
void hr_rank_link_broadcast(hr_rank_link *link, size_t root, void *bytes, size_t size);
/* From rank 0 to one other: both call it. */
void hr_rank_link_send(hr_rank_link *link, size_t to, const void *bytes, size_t size);
void hr_rank_link_receive(hr_rank_link *link, void *bytes, size_t size);

/* Adds integers up, in place at rank 0; the other ranks' are left alone. The sums must have room. */
void hr_rank_link_sum(hr_rank_link *link, int64_t *words, size_t count);
/* The same, in place at every rank. */
void hr_rank_link_sum_everywhere(hr_rank_link *link, int64_t *words, size_t count);
/* The least, at every rank; the largest, at every rank. */
int64_t hr_rank_link_least(hr_rank_link *link, int64_t mine);
double hr_rank_link_largest(hr_rank_link *link, double mine);

#endif
