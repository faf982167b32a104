/* The ranks of a cluster, as this rank sees them. */
#ifndef HR_TREES_CLUSTER_CLUSTER_H
#define HR_TREES_CLUSTER_CLUSTER_H

#include "privacy/crypto/prf.h"
#include "trees/cluster/question.h"
#include "trees/cluster/rank_link.h"
#include "trees/records/local_source.h"
#include "trees/tree/parts.h"

#include <hedgerow/cluster.h>

struct hr_cluster {
    hr_rank_link *link;
    size_t
        *begin; /* size + 1 numbers, once the table was read: rank r has its rows begin[r] to begin[r + 1] */
    size_t *trained; /* rank 0: the same of the records that train; NULL: all do */
    size_t *persons; /* the same of persons, who are counted in the order of their first records; NULL: the
                        schema names no unit */
    bool serving;    /* the others wait for questions */
};

/* Rank 0: sends the others the head of a question and the body, which is left as it is. Fails: as
 * the link. */
HR_MUST_CHECK hr_status hr_cluster_send_question(hr_cluster *cluster, const hr_rank_head *head, void *body,
                                                 hr_error *err);
/* Rank 0: the same, with the size of the body, which is freed. Fails: MEMORY (of the body; nothing was sent),
 * as the link.
 */
HR_MUST_CHECK hr_status hr_cluster_send(hr_cluster *cluster, hr_rank_head head, hr_buffer *body,
                                        hr_error *err);
/* Rank 0, after its own records answered with the status `mine`: whether any rank failed, and then with what.
 */
HR_MUST_CHECK hr_status hr_cluster_receive_failures(hr_cluster *cluster, hr_status mine, hr_error *err);
/* Rank 0: adds the others' sums to its own, and receives their failures. */
HR_MUST_CHECK hr_status hr_cluster_add_up(hr_cluster *cluster, hr_status mine, hr_exact *sums, size_t count,
                                          hr_error *err);

/* A part for every record of `begin`'s table, in its order, by the coins that one process would draw. */
typedef struct hr_cluster_draw {
    const size_t *begin;
    hr_csprng *csprng;
    const double *weights; /* of the parts */
    size_t count;
} hr_cluster_draw;
/* Rank 0. Owner: the caller frees it. NULL: memory is short. */
uint32_t *hr_cluster_parts(const hr_cluster *cluster, const hr_cluster_draw *draw, hr_error *err);
/* Rank 0, after a question that says so: every other rank is sent the numbers of its records; size: bytes a
 * record, 4 or 8. Fails: as the link. */
HR_MUST_CHECK hr_status hr_cluster_scatter(hr_cluster *cluster, const size_t *begin, const void *numbers,
                                           size_t size, hr_error *err);

/* Rank 0: every record of the table draws a side, 0 with probability weights[0] and 1 with weights[1];
 * sources are about the records of side 0 from here on, at the others once they have their sides, too.
 * Returns the sides of all. Owner: the caller frees them. NULL: memory is short. */
uint32_t *hr_cluster_hold_out(hr_cluster *cluster, hr_csprng *csprng, const double weights[2], hr_error *err);
/* Rank 0: sources are about so many records of each rank from here on. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_cluster_set_trained(hr_cluster *cluster, const int64_t *counts, hr_error *err);
/* Rank 0: sources are about all records again. */
void hr_cluster_hold_nothing_out(hr_cluster *cluster);

/* Rank 0: the statistics source over the records of all ranks; those of this one are `records`, whose coins,
 * if there are any, share out the records of all. It sends questions to the others, who serve, and adds their
 * sums up. Borrows both. Owner: the caller frees *out with hr_stats_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_cluster_source_new(hr_cluster *cluster, const hr_local_stats_records *records,
                                              hr_stats_source **out, hr_error *err);

/* Before the table is read: a key for hashes of persons, which rank 0 draws. Every rank calls it. Fails: as
 * the link, and where there are no random bits. */
HR_MUST_CHECK hr_status hr_rank_persons_key(hr_cluster *cluster, uint8_t key[HR_PRF_KEY], hr_error *err);
/* Every rank calls it with its part of a table of persons: numbers them from 0 on, and finds whether each has
 * all of its records at one rank: cluster->persons. Frees the hashes. Fails, at every rank alike: ARGUMENT
 * (one has not), MEMORY, as the link. */
HR_MUST_CHECK hr_status hr_rank_persons_share(hr_cluster *cluster, hr_data *data, hr_error *err);

/* A step, as the other ranks receive it (HR_RANKS_STEP). */
typedef struct hr_rank_step {
    hr_rank_reader *body;
    const uint32_t *parts; /* part_count of them, one or two a record; NULL: none were sent */
    size_t part_count;
    hr_exact *answer; /* of so many words */
    size_t words;
} hr_rank_step;

/* What a fit does with the records beside training a method on them: steps that rank 0 takes with its own,
 * and sends to the others, in one order. */
typedef struct hr_rank_steps {
    /* Takes a step, of which `records` may become others. Fails: MEMORY, FORMAT, SCHEMA. */
    hr_status (*take)(void *state, const hr_rank_step *step, hr_local_stats_records *records, hr_error *err);
    void *state;
} hr_rank_steps;

/* The other ranks: answers the questions of rank 0 until it ends. records: this rank's, without coins. Fails:
 * with what answering came to, as the link. */
HR_MUST_CHECK hr_status hr_cluster_answer(hr_cluster *cluster, const hr_local_stats_records *records,
                                          const hr_rank_steps *steps, hr_error *err);

#endif
