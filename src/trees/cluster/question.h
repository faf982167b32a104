/* The questions of rank 0 to the other ranks, as bytes: a head of fixed size with the sizes of what is sent
 * and added up, and a body. All ranks run one build on one kind of machine, so numbers and plain structs are
 * sent as they are in memory; what a pointer leads to is sent behind. Readers check sizes, not what is in
 * them: a question comes from rank 0 of the same owner. */
#ifndef HR_TREES_CLUSTER_QUESTION_H
#define HR_TREES_CLUSTER_QUESTION_H

#include "base/arena.h"
#include "base/buffer.h"
#include "trees/records/stats_source.h"

typedef enum hr_rank_question {
    HR_RANKS_END,
    HR_RANKS_AGREE, /* something failed: which error it was */
    HR_RANKS_STEP,  /* of the fit (hr_rank_steps) */
    HR_RANKS_CELLS,
    HR_RANKS_PREPARE,
    HR_RANKS_SHARE_OUT,
    HR_RANKS_BEGIN,
    HR_RANKS_LABEL_SUMS,
    HR_RANKS_LARGEST,
    HR_RANKS_SET_BASE,
    HR_RANKS_ADD_TREES,
    HR_RANKS_SUM,
    HR_RANKS_SPLIT,
    HR_RANKS_HESSIANS,
    HR_RANKS_ASK,
    HR_RANKS_DIVIDE,
    HR_RANKS_DEAL, /* the blocks of hedge's records */
    HR_RANKS_TREE_SCORES,
    HR_RANKS_TREE_SUMS
} hr_rank_question;

typedef struct hr_rank_head {
    uint64_t kind;          /* hr_rank_question */
    uint64_t size;          /* bytes of the body */
    uint64_t pieces, words; /* the answer: so many sums, of so many integers each; no pieces: none */
    uint64_t scattered;     /* not 0: every rank is sent numbers, uint32_t, one or two for each of its
                               records; first their count, uint64_t */
} hr_rank_head;

/* ---- Writing: additions to a buffer, which is marked as failed if memory was short ---- */

void hr_rank_write(hr_buffer *to, const void *items, size_t count, size_t size);
void hr_rank_write_setup(hr_buffer *to, const hr_stats_setup *setup);
void hr_rank_write_trees(hr_buffer *to, const hr_tree *trees, size_t count);
void hr_rank_write_queries(hr_buffer *to, const hr_stats_query *queries, size_t count);
void hr_rank_write_forest(hr_buffer *to, const hr_forest *forest); /* NULL: none */
/* outputs: scores of a record. The binning goes along where the question is the first that has one. */
void hr_rank_write_hedge_question(hr_buffer *to, const hr_hedge_question *question, size_t outputs,
                                  bool with_binning);

/* ---- Reading: everything lives in the arena ---- */

typedef struct hr_rank_reader {
    const char *at;
    size_t left;
    hr_arena *arena;
    bool failed; /* memory was short, or the body does not fit its kind: what was read since is NULL or 0
                  */
} hr_rank_reader;

/* `*count` items of that size, as hr_rank_write had them. */
void *hr_rank_read(hr_rank_reader *from, size_t *count, size_t size);
/* One item; zeros after a failure. */
void hr_rank_read_one(hr_rank_reader *from, void *item, size_t size);
/* own: the weights of this rank's records, which out->weights are if the others' weigh; no weights are sent.
 */
void hr_rank_read_setup(hr_rank_reader *from, const uint32_t *own, hr_stats_setup *out);
hr_tree *hr_rank_read_trees(hr_rank_reader *from, size_t *count);
hr_stats_query *hr_rank_read_queries(hr_rank_reader *from, size_t *count);
/* NULL: none. Its calibration and its intervals are not for use. */
hr_forest *hr_rank_read_forest(hr_rank_reader *from);
/* out->binning is NULL where none went along. */
void hr_rank_read_hedge_question(hr_rank_reader *from, hr_hedge_question *out);

#endif
