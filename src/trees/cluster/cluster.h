/* The ranks of a cluster, as this rank sees them. */
#ifndef HR_TREES_CLUSTER_CLUSTER_H
#define HR_TREES_CLUSTER_CLUSTER_H

#include "tables/bins/time_cuts.h"
#include "trees/cluster/question.h"
#include "trees/cluster/rank_link.h"
#include "trees/records/local_source.h"

#include <hedgerow/cluster.h>

struct hr_cluster {
    hr_rank_link *link;
    size_t
        *begin; /* size + 1 numbers, once the table was read: rank r has its rows begin[r] to begin[r + 1] */
    bool serving; /* the others wait for questions */
};

/* Rank 0: sends the others the head of a question and the body, which is left as it is. */
void hr_cluster_send_question(hr_cluster *cluster, const hr_rank_head *head, void *body);

/* Rank 0: the statistics source over the records of all ranks; those of this one are `records`, whose coins,
 * if there are any, share out the records of all. It sends questions to the others, who serve, and adds their
 * sums up. Borrows both. Owner: the caller frees *out with hr_stats_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_cluster_source_new(hr_cluster *cluster, const hr_local_stats_records *records,
                                              hr_stats_source **out, hr_error *err);

/* Rank 0, before a source is made: hr_time_cuts_count of the records of all ranks, of which those of this one
 * are `data`; and the others go on with the cuts as if their schema had always had them. Fails: MEMORY, and
 * the first as the others. */
HR_MUST_CHECK hr_status hr_cluster_count_events(hr_cluster *cluster, const hr_data *data, hr_exact *cells,
                                                hr_error *err);
HR_MUST_CHECK hr_status hr_cluster_set_cuts(hr_cluster *cluster, const hr_time_cuts *cuts, hr_error *err);

/* The other ranks: answers the questions of rank 0 until it ends. threads: at least 1. */
void hr_cluster_answer(hr_cluster *cluster, const hr_data *data, int threads);

#endif
