/* The ranks beside rank 0: a loop that receives a question, lets this rank's records answer, and adds the
 * answer to the others'. It has no stream of random bits, no gate and no ledger, and nothing to write to.
 *
 * A failure is kept: the rank goes on taking part, adding nothing, so that no other rank waits for it for
 * ever, until rank 0 requests the failure. */
#include "base/fail.h"
#include "tables/data/records.h"
#include "trees/candidates/hedge_records.h"
#include "trees/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>

typedef struct worker {
    hr_cluster *cluster;
    const hr_rank_steps *steps;
    hr_local_stats_records records; /* that answer */
    hr_stats_source *local;
    hr_arena *kept, *passing; /* what a source borrows for long; what it forgets after the question */
    hr_arena_mark passing_start;
    const hr_binning *binning; /* hedge's */
    uint32_t *parts;           /* of the last question that was scattered: one a record */
    size_t part_count;
    int64_t *answer;
    double largest;
    hr_status status; /* what failed first, and how */
    hr_error err;
} worker;

typedef hr_status answering(worker *w, const hr_rank_head *head, hr_rank_reader *body);

static hr_exact *exact_answer(worker *w) {
    return (hr_exact *)(void *)w->answer;
}

/* ---- What the sums are about ---- */

/* From here on the records answer that there are now. */
static hr_status look_at_records(worker *w) {
    w->binning = NULL;
    return hr_local_stats_source_new(&w->records, &w->local, &w->err);
}

static hr_status answer_step(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    const hr_rank_step step = {.body = body,
                               .parts = head->scattered ? w->parts : NULL,
                               .part_count = w->part_count,
                               .answer = exact_answer(w),
                               .words = head->pieces * head->words};
    hr_stats_free(w->local); /* which borrows what a step may free */
    w->local = NULL;
    hr_status status = w->steps->take(w->steps->state, &step, &w->records, &w->err);
    free(w->parts);
    w->parts = NULL;
    return status ? status : look_at_records(w);
}

/* ---- All kinds ---- */

static hr_status answer_cells(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    uint64_t asked[2];
    hr_rank_read_one(body, asked, sizeof asked);
    if (body->failed || asked[1] != head->words) return HR_E_FORMAT;
    return w->local->ops->cells(w->local, asked[0], asked[1], exact_answer(w), &w->err);
}

static bool has_part_of_each(const worker *w) {
    return w->part_count == hr_data_rows(w->records.data);
}

static hr_status answer_prepare(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    hr_stats_setup setup;
    body->arena = w->kept;
    hr_rank_read_setup(body, hr_data_weights(w->records.data), &setup);
    return body->failed ? HR_E_FORMAT : w->local->ops->prepare(w->local, &setup, &w->err);
}

static hr_status answer_share_out(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    uint64_t count;
    hr_rank_read_one(body, &count, sizeof count);
    const hr_stats_shares shares = {.part_of = head->scattered ? w->parts : NULL, .count = count};
    if (body->failed || (head->scattered && !has_part_of_each(w))) return HR_E_FORMAT;
    return w->local->ops->share_out(w->local, &shares, NULL, &w->err);
}

static hr_status answer_begin(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    hr_stats_round round;
    hr_rank_read_one(body, &round, sizeof round);
    return body->failed ? HR_E_FORMAT : w->local->ops->begin(w->local, &round, &w->err);
}

/* ---- Gradients ---- */

static hr_status answer_label_sums(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head, (void)body;
    return w->local->ops->label_sums(w->local, exact_answer(w), &w->err);
}

static hr_status answer_largest(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    uint64_t output;
    hr_rank_read_one(body, &output, sizeof output);
    return body->failed ? HR_E_FORMAT
                        : w->local->ops->largest_residual(w->local, output, &w->largest, &w->err);
}

static hr_status answer_set_base(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    size_t outputs;
    const double *base = hr_rank_read(body, &outputs, sizeof *base);
    return body->failed ? HR_E_FORMAT : w->local->ops->set_base(w->local, base, &w->err);
}

/* Borrowed until all records have taken them. */
static hr_status answer_add_trees(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    size_t count;
    body->arena = w->kept;
    const hr_tree *trees = hr_rank_read_trees(body, &count);
    return body->failed ? HR_E_FORMAT : w->local->ops->add_trees(w->local, trees, count, &w->err);
}

static hr_status answer_sum(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    size_t count;
    const uint32_t *nodes = hr_rank_read(body, &count, sizeof *nodes);
    hr_sum_word **out = hr_arena_alloc(w->passing, count + 1, sizeof *out);
    if (body->failed || !out || count != head->pieces) return HR_E_FORMAT;
    for (size_t i = 0; i < count; i++) out[i] = w->answer + i * head->words;
    return w->local->ops->sum(w->local, nodes, out, count, &w->err);
}

static hr_status answer_split(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    size_t count, splits_count, left_count;
    const uint32_t *nodes = hr_rank_read(body, &count, sizeof *nodes);
    const hr_split *splits = hr_rank_read(body, &splits_count, sizeof *splits);
    const uint32_t *left = hr_rank_read(body, &left_count, sizeof *left);
    if (body->failed || splits_count != count || left_count != count) return HR_E_FORMAT;
    return w->local->ops->split(w->local, nodes, splits, left, count, &w->err);
}

static hr_status answer_hessians(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    size_t count;
    const hr_tree *tree = hr_rank_read_trees(body, &count);
    if (body->failed || count != 1 || hr_tree_leaves(tree) != head->words) return HR_E_FORMAT;
    hr_exact *sums = hr_arena_alloc(w->passing, tree->node_count, sizeof *sums);
    hr_status status = sums ? w->local->ops->hessians(w->local, tree, sums, &w->err) : HR_E_MEMORY;
    for (size_t i = 0; !status && i < head->words; i++) exact_answer(w)[i] = sums[i];
    return status;
}

/* ---- Labels ---- */

static hr_status answer_ask(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    size_t count;
    const hr_stats_query *queries = hr_rank_read_queries(body, &count);
    return body->failed ? HR_E_FORMAT
                        : w->local->ops->answer(w->local, queries, count, exact_answer(w), &w->err);
}

static hr_status answer_divide(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    size_t count, divisions_count, first_count;
    const uint32_t *nodes = hr_rank_read(body, &count, sizeof *nodes);
    const hr_child_rule *divisions = hr_rank_read(body, &divisions_count, sizeof *divisions);
    const uint32_t *first = hr_rank_read(body, &first_count, sizeof *first);
    if (body->failed || divisions_count != count || first_count != count) return HR_E_FORMAT;
    return w->local->ops->divide(w->local, nodes, divisions, first, count, &w->err);
}

/* ---- Hedge ---- */

/* Blocks are dealt once: the parts stay. */
static hr_status answer_deal(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head, (void)body;
    if (!has_part_of_each(w)) return HR_E_FORMAT;
    hr_records_set_blocks(hr_local_stats_source_hedge(w->local), w->parts);
    return HR_OK;
}

/* The bins, which come with the first question that has any, are kept. */
static bool read_hedge_question(worker *w, hr_rank_reader *body, hr_hedge_question *out) {
    if (!w->binning) body->arena = w->kept;
    hr_rank_read_hedge_question(body, out);
    if (!w->binning) w->binning = out->binning;
    out->binning = w->binning;
    return !body->failed;
}

static hr_status answer_tree_scores(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    hr_hedge_question question;
    if (!read_hedge_question(w, body, &question)) return HR_E_FORMAT;
    return hr_records_leaf_sums(hr_local_stats_source_hedge(w->local), &question, exact_answer(w), &w->err);
}

static hr_status answer_tree_sums(worker *w, const hr_rank_head *head, hr_rank_reader *body) {
    (void)head;
    hr_hedge_question question;
    if (!read_hedge_question(w, body, &question)) return HR_E_FORMAT;
    return w->local->ops->tree_sums(w->local, &question, exact_answer(w), &w->err);
}

/* ---- The loop ---- */

static answering *const answers[] = {[HR_RANKS_STEP] = answer_step,
                                     [HR_RANKS_CELLS] = answer_cells,
                                     [HR_RANKS_PREPARE] = answer_prepare,
                                     [HR_RANKS_SHARE_OUT] = answer_share_out,
                                     [HR_RANKS_BEGIN] = answer_begin,
                                     [HR_RANKS_LABEL_SUMS] = answer_label_sums,
                                     [HR_RANKS_LARGEST] = answer_largest,
                                     [HR_RANKS_SET_BASE] = answer_set_base,
                                     [HR_RANKS_ADD_TREES] = answer_add_trees,
                                     [HR_RANKS_SUM] = answer_sum,
                                     [HR_RANKS_SPLIT] = answer_split,
                                     [HR_RANKS_HESSIANS] = answer_hessians,
                                     [HR_RANKS_ASK] = answer_ask,
                                     [HR_RANKS_DIVIDE] = answer_divide,
                                     [HR_RANKS_DEAL] = answer_deal,
                                     [HR_RANKS_TREE_SCORES] = answer_tree_scores,
                                     [HR_RANKS_TREE_SUMS] = answer_tree_sums};

static void fail_worker(worker *w, hr_status status) {
    if (w->status) return;
    w->status = status;
    if (w->err.status) return;
    if (status == HR_E_MEMORY)
        (void)hr_fail_memory(&w->err);
    else
        (void)hr_fail(&w->err, status, "please report this error of the library",
                      "a rank does not understand what rank 0 asks");
}

/* Each record is in the part of its person. */
static void give_parts_of_persons(worker *w) {
    const hr_data *data = w->records.data;
    uint32_t *own = malloc((data->rows + 1) * sizeof *own);
    for (size_t i = 0; own && i < data->rows; i++) own[i] = w->parts[data->persons[i]];
    free(w->parts);
    w->parts = own;
    w->part_count = data->rows;
    if (!own) fail_worker(w, HR_E_MEMORY);
}

/* What is sent is received, whether there is memory for it or not. *body is NULL where there is none. */
static hr_status receive_body(worker *w, const hr_rank_head *head, char **body, hr_error *err) {
    *body = malloc(head->size + 1);
    hr_status status = hr_rank_link_broadcast(w->cluster->link, 0, *body, head->size, err);
    if (status || !head->scattered) return status;
    free(w->parts);
    w->parts = NULL;
    uint64_t count;
    status = hr_rank_link_receive(w->cluster->link, &count, sizeof count, err);
    if (status) return status;
    w->part_count = count;
    w->parts = malloc((count + 1) * sizeof *w->parts);
    if (!w->parts) fail_worker(w, HR_E_MEMORY);
    status = hr_rank_link_receive(w->cluster->link, w->parts, count * sizeof *w->parts, err);
    const hr_data *data = w->records.data;
    const size_t rank = hr_cluster_rank(w->cluster), *begin = data->persons ? w->cluster->persons : NULL;
    if (!status && w->parts && begin && count == begin[rank + 1] - begin[rank]) give_parts_of_persons(w);
    return status;
}

static void answer_question(worker *w, const hr_rank_head *head, const char *body) {
    w->answer = calloc(head->pieces * head->words + 1, sizeof *w->answer);
    if (!body || !w->answer) fail_worker(w, HR_E_MEMORY);
    if (w->status) return;
    hr_rank_reader reader = {body, head->size, w->passing, false};
    const hr_status status = answers[head->kind](w, head, &reader);
    if (status) fail_worker(w, status);
    hr_arena_rewind(w->passing, w->passing_start);
}

static hr_status add_answer(worker *w, const hr_rank_head *head, hr_error *err) {
    hr_rank_link *link = w->cluster->link;
    hr_status status = HR_OK;
    int64_t failed = w->status != HR_OK;
    if (head->kind == HR_RANKS_LARGEST) {
        if (failed) w->largest = -(double)INFINITY;
        status = hr_rank_link_largest(link, &w->largest, err);
    }
    for (size_t i = 0; i < head->pieces && !status; i++)
        status = hr_rank_link_sum(link, failed ? NULL : w->answer + i * head->words, head->words, err);
    return status || !head->pieces ? status : hr_rank_link_sum(link, &failed, 1, err);
}

static hr_status answer_next(worker *w, const hr_rank_head *head, hr_error *err) {
    char *body = NULL;
    if (head->kind == HR_RANKS_AGREE) {
        hr_error shared = w->err;
        (void)!hr_cluster_agree(w->cluster, w->status, &shared);
        return HR_OK; /* a link that failed does so with the next question */
    }
    hr_status status = receive_body(w, head, &body, err);
    if (!status) answer_question(w, head, body);
    free(body);
    if (!status) status = add_answer(w, head, err);
    free(w->answer);
    w->answer = NULL;
    return status;
}

static hr_status answer_until_end(worker *w, hr_error *err) {
    for (;;) {
        hr_rank_head head;
        hr_status status = hr_rank_link_broadcast(w->cluster->link, 0, &head, sizeof head, err);
        if (status || head.kind == HR_RANKS_END) return status;
        status = answer_next(w, &head, err);
        if (status) return status;
    }
}

hr_status hr_cluster_answer(hr_cluster *cluster, const hr_local_stats_records *records,
                            const hr_rank_steps *steps, hr_error *err) {
    worker w = {.cluster = cluster,
                .steps = steps,
                .records = *records,
                .kept = hr_arena_new(),
                .passing = hr_arena_new()};
    if (!w.kept || !w.passing)
        fail_worker(&w, HR_E_MEMORY);
    else
        w.passing_start = hr_arena_get_mark(w.passing);
    if (!w.status) w.status = hr_data_check_exposures(records->data, &w.err);
    if (!w.status) w.status = look_at_records(&w);
    hr_status status = answer_until_end(&w, err);
    if (!status && w.status) {
        status = w.status;
        if (err) *err = w.err;
    }
    hr_stats_free(w.local);
    hr_arena_free(w.kept);
    hr_arena_free(w.passing);
    free(w.parts);
    return status;
}
