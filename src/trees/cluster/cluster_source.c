/* Rank 0: a statistics source made of the ranks' sources. A question goes to the others first, then its own
 * records answer, and integer sums are added up; so the answer is that of one table with all records, in
 * whatever order they are added. Coins that share records out are drawn here, for all records of the table in
 * its order, and each rank is sent those of its own: they come from the fit's stream as if there were one
 * process, and no other rank has a stream. */
#include "base/fail.h"
#include "tables/data/records.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/candidates/hedge_records.h"
#include "trees/cluster/cluster.h"
#include "trees/tree/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cluster_source {
    hr_stats_source source; /* first: a cluster_source is an hr_stats_source */
    hr_cluster *cluster;
    const size_t *begin; /* of the records that it is about: rank r has begin[r] to begin[r + 1] */
    hr_local_stats_records records;
    hr_stats_source *local; /* this rank's part */
    hr_labels labels;       /* their kind */
    const hr_binning *binning;
    size_t outputs;
    size_t weight_cells; /* of the round's histograms (packing.h) */
    uint32_t *block_of;  /* of this rank's records; NULL: not dealt */
    bool sent_binning;   /* the others know hedge's bins */
} cluster_source;

/* ---- Records shared out by coins ---- */

/* Of the records that the source is about, or of the persons that they are of: each draws a part. */
static const size_t *begins_of(const cluster_source *s) {
    return s->records.data->persons ? s->cluster->persons : s->begin;
}

/* part_of[i] for each of these. NULL: memory is short. */
static uint32_t *parts_of_all(const cluster_source *s, const double *weights, size_t count, hr_error *err) {
    const hr_cluster_draw draw = {begins_of(s), s->records.csprng, weights, count};
    return hr_cluster_parts(s->cluster, &draw, err);
}

/* The parts of this rank's records take the place of those of all. False: memory is short. */
static bool keep_own_parts(const cluster_source *s, uint32_t **part_of) {
    const hr_data *data = s->records.data;
    uint32_t *own = data->persons ? malloc((data->rows + 1) * sizeof *own) : *part_of;
    for (size_t i = 0; own && data->persons && i < data->rows; i++) own[i] = (*part_of)[data->persons[i]];
    if (!own) return false;
    if (own != *part_of) free(*part_of);
    *part_of = own;
    return true;
}

static hr_status share_out_parts(cluster_source *s, const hr_stats_shares *shares, hr_error *err) {
    hr_buffer body = {0};
    const uint64_t count = shares->count;
    uint32_t *part_of = parts_of_all(s, shares->weights, shares->count, err);
    if (!part_of) return hr_fail_memory(err);
    hr_rank_write(&body, &count, 1, sizeof count);
    hr_status status =
        hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_SHARE_OUT, .scattered = 1}, &body, err);
    if (!status) status = hr_cluster_scatter(s->cluster, begins_of(s), part_of, sizeof *part_of, err);
    if (!status && !keep_own_parts(s, &part_of)) status = hr_fail_memory(err);
    if (!status) {
        const hr_stats_shares given = {.part_of = part_of, .count = shares->count};
        status = s->local->ops->share_out(s->local, &given, NULL, err);
    }
    free(part_of);
    return status;
}

static hr_status share_out_cluster(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                                   hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    const uint64_t count = 0;
    if (filled || shares->part_of || shares->exact_sizes)
        return hr_fail(err, HR_E_ARGUMENT, "train in one process",
                       "ranks do not share records out like this");
    if (shares->weights) return share_out_parts(s, shares, err);
    hr_rank_write(&body, &count, 1, sizeof count);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_SHARE_OUT}, &body, err);
    return status ? status : s->local->ops->share_out(s->local, shares, NULL, err);
}

/* Every record's block, for a choice on one of them. Before the first such question. */
static hr_status deal_blocks(cluster_source *s, size_t blocks, hr_error *err) {
    hr_buffer body = {0};
    double *equal = malloc(blocks * sizeof *equal);
    for (size_t b = 0; equal && b < blocks; b++) equal[b] = 1;
    s->block_of = equal ? parts_of_all(s, equal, blocks, err) : NULL;
    free(equal);
    if (!s->block_of) return hr_fail_memory(err);
    hr_status status =
        hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_DEAL, .scattered = 1}, &body, err);
    if (!status) status = hr_cluster_scatter(s->cluster, begins_of(s), s->block_of, sizeof *s->block_of, err);
    if (!status && !keep_own_parts(s, &s->block_of)) status = hr_fail_memory(err);
    if (status) return status;
    hr_records_set_blocks(hr_local_stats_source_hedge(s->local), s->block_of);
    return HR_OK;
}

/* ---- All kinds ---- */

static hr_status prepare_cluster(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    s->binning = setup->binning;
    s->outputs = setup->outputs;
    hr_rank_write_setup(&body, setup);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_PREPARE}, &body, err);
    return status ? status : s->local->ops->prepare(s->local, setup, err);
}

static hr_status cells_cluster(hr_stats_source *self, size_t feature, size_t grid, hr_exact *cells,
                               hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    const uint64_t asked[] = {feature, grid};
    hr_rank_write(&body, asked, 1, sizeof asked);
    const hr_rank_head head = {.kind = HR_RANKS_CELLS, .pieces = 1, .words = grid};
    hr_status status = hr_cluster_send(s->cluster, head, &body, err);
    if (status) return status;
    status = s->local->ops->cells(s->local, feature, grid, cells, err);
    return hr_cluster_add_up(s->cluster, status, cells, grid, err);
}

static hr_status begin_cluster(hr_stats_source *self, const hr_stats_round *round, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    if (round->added)
        return hr_fail(err, HR_E_ARGUMENT, "train in one process", "ranks add nothing to single records");
    s->weight_cells = round->packing.weight_cells;
    hr_rank_write(&body, round, 1, sizeof *round);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_BEGIN}, &body, err);
    return status ? status : s->local->ops->begin(s->local, round, err);
}

/* ---- Gradients ---- */

static hr_status label_sums_cluster(hr_stats_source *self, hr_exact *sums, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    const size_t count = s->labels.classes ? s->labels.classes : 1;
    const hr_rank_head head = {.kind = HR_RANKS_LABEL_SUMS, .pieces = 1, .words = count};
    hr_status status = hr_cluster_send(s->cluster, head, &body, err);
    if (status) return status;
    return hr_cluster_add_up(s->cluster, s->local->ops->label_sums(s->local, sums, err), sums, count, err);
}

static hr_status largest_residual_cluster(hr_stats_source *self, size_t output, double *out, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    const uint64_t asked = output;
    double largest = 0;
    hr_rank_write(&body, &asked, 1, sizeof asked);
    hr_status status =
        hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_LARGEST, .pieces = 1}, &body, err);
    if (status) return status;
    status = s->local->ops->largest_residual(s->local, output, &largest, err);
    const hr_status lost = hr_rank_link_largest(s->cluster->link, &largest, status ? NULL : err);
    status = hr_cluster_receive_failures(s->cluster, status ? status : lost, err);
    if (!status) *out = largest;
    return status;
}

static hr_status set_base_cluster(hr_stats_source *self, const double *base, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    hr_rank_write(&body, base, s->outputs, sizeof *base);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_SET_BASE}, &body, err);
    return status ? status : s->local->ops->set_base(s->local, base, err);
}

static hr_status add_trees_cluster(hr_stats_source *self, const hr_tree *trees, size_t count, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    hr_rank_write_trees(&body, trees, count);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_ADD_TREES}, &body, err);
    return status ? status : s->local->ops->add_trees(s->local, trees, count, err);
}

static hr_status sum_cluster(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out,
                             size_t count, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    const size_t cells = hr_histogram_cells(s->binning->feature_count) + s->weight_cells;
    hr_rank_write(&body, nodes, count, sizeof *nodes);
    const hr_rank_head head = {.kind = HR_RANKS_SUM, .pieces = count, .words = cells};
    hr_status status = hr_cluster_send(s->cluster, head, &body, err);
    if (status) return status;
    status = s->local->ops->sum(s->local, nodes, out, count, err);
    hr_status lost = HR_OK;
    for (size_t i = 0; i < count && !lost; i++)
        lost = hr_rank_link_sum(s->cluster->link, status ? NULL : out[i], cells, status ? NULL : err);
    return hr_cluster_receive_failures(s->cluster, status ? status : lost, err);
}

static hr_status split_cluster(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                               const uint32_t *left, size_t count, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    hr_rank_write(&body, nodes, count, sizeof *nodes);
    hr_rank_write(&body, splits, count, sizeof *splits);
    hr_rank_write(&body, left, count, sizeof *left);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_SPLIT}, &body, err);
    return status ? status : s->local->ops->split(s->local, nodes, splits, left, count, err);
}

static hr_status hessians_cluster(hr_stats_source *self, const hr_tree *tree, hr_exact *sums, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    const size_t leaves = hr_tree_leaves(tree);
    hr_rank_write_trees(&body, tree, 1);
    const hr_rank_head head = {.kind = HR_RANKS_HESSIANS, .pieces = 1, .words = leaves};
    hr_status status = hr_cluster_send(s->cluster, head, &body, err);
    if (status) return status;
    return hr_cluster_add_up(s->cluster, s->local->ops->hessians(s->local, tree, sums, err), sums, leaves,
                             err);
}

/* ---- Labels ---- */

static hr_status answer_cluster(hr_stats_source *self, const hr_stats_query *queries, size_t count,
                                hr_exact *out, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    size_t width = 0;
    for (size_t i = 0; i < count; i++)
        width += hr_stats_width(s->binning, hr_labels_width(&s->labels), &queries[i]);
    hr_rank_write_queries(&body, queries, count);
    const hr_rank_head head = {.kind = HR_RANKS_ASK, .pieces = 1, .words = width};
    hr_status status = hr_cluster_send(s->cluster, head, &body, err);
    if (status) return status;
    return hr_cluster_add_up(s->cluster, s->local->ops->answer(s->local, queries, count, out, err), out,
                             width, err);
}

static hr_status divide_cluster(hr_stats_source *self, const uint32_t *nodes, const hr_child_rule *divisions,
                                const uint32_t *first, size_t count, hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    hr_buffer body = {0};
    hr_rank_write(&body, nodes, count, sizeof *nodes);
    hr_rank_write(&body, divisions, count, sizeof *divisions);
    hr_rank_write(&body, first, count, sizeof *first);
    hr_status status = hr_cluster_send(s->cluster, (hr_rank_head){.kind = HR_RANKS_DIVIDE}, &body, err);
    return status ? status : s->local->ops->divide(s->local, nodes, divisions, first, count, err);
}

static hr_status gap_cluster(hr_stats_source *self, const hr_stats_query *query, size_t index, size_t *known,
                             double around[2], hr_error *err) {
    (void)self, (void)query, (void)index, (void)known, (void)around;
    return hr_fail(err, HR_E_ARGUMENT, "train in one process", "ranks do not look at single values");
}

/* ---- Hedge ---- */

static hr_status ask_hedge(cluster_source *s, hr_rank_question kind, const hr_hedge_question *question,
                           size_t words, hr_error *err) {
    hr_buffer body = {0};
    const bool sends_binning = question->binning && !s->sent_binning;
    hr_rank_write_hedge_question(&body, question, s->outputs, sends_binning);
    hr_status status =
        hr_cluster_send(s->cluster, (hr_rank_head){.kind = kind, .pieces = 1, .words = words}, &body, err);
    if (!status && sends_binning) s->sent_binning = true;
    return status;
}

static hr_status tree_scores_cluster(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                                     hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    size_t count = 0;
    hr_status status = question->blocks > 1 && !s->block_of ? deal_blocks(s, question->blocks, err) : HR_OK;
    if (status) return status;
    for (size_t t = 0; t < question->tree_count; t++)
        count += hr_tree_leaves(&question->trees[t]) * s->outputs;
    hr_exact *sums = malloc((count + 1) * sizeof *sums);
    status = sums ? ask_hedge(s, HR_RANKS_TREE_SCORES, question, count, err) : hr_fail_memory(err);
    if (!status) {
        status = hr_records_leaf_sums(hr_local_stats_source_hedge(s->local), question, sums, err);
        status = hr_cluster_add_up(s->cluster, status, sums, count, err);
    }
    const hr_leaf_score_rule rule = {s->outputs, question->threshold, question->schema};
    if (!status) hr_leaf_scores(sums, question->trees, question->tree_count, &rule, out);
    free(sums);
    return status;
}

static hr_status tree_sums_cluster(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                                   hr_error *err) {
    cluster_source *s = (cluster_source *)self;
    const size_t count = hr_hedge_question_values(question);
    hr_status status = ask_hedge(s, HR_RANKS_TREE_SUMS, question, count, err);
    if (status) return status;
    return hr_cluster_add_up(s->cluster, s->local->ops->tree_sums(s->local, question, out, err), out, count,
                             err);
}

/* ---- The source ---- */

static void free_cluster_source(hr_stats_source *self) {
    cluster_source *s = (cluster_source *)self;
    hr_stats_free(s->local);
    free(s->block_of);
    free(s);
}

static const hr_stats_ops ops = {.free = free_cluster_source,
                                 .prepare = prepare_cluster,
                                 .cells = cells_cluster,
                                 .share_out = share_out_cluster,
                                 .begin = begin_cluster,
                                 .label_sums = label_sums_cluster,
                                 .largest_residual = largest_residual_cluster,
                                 .set_base = set_base_cluster,
                                 .add_trees = add_trees_cluster,
                                 .sum = sum_cluster,
                                 .split = split_cluster,
                                 .hessians = hessians_cluster,
                                 .answer = answer_cluster,
                                 .divide = divide_cluster,
                                 .gap = gap_cluster,
                                 .tree_scores = tree_scores_cluster,
                                 .tree_sums = tree_sums_cluster};

hr_status hr_cluster_source_new(hr_cluster *cluster, const hr_local_stats_records *records,
                                hr_stats_source **out, hr_error *err) {
    cluster_source *s = calloc(1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    s->cluster = cluster;
    s->begin = cluster->trained ? cluster->trained : cluster->begin;
    s->source = (hr_stats_source){&ops, s->begin[hr_cluster_size(cluster)]};
    s->records = *records;
    s->labels = hr_labels_kind(hr_data_schema(records->data));
    hr_local_stats_records own = *records;
    own.csprng = NULL; /* its records are shared out by the cluster */
    hr_status status = hr_local_stats_source_new(&own, &s->local, err);
    if (status) {
        free_cluster_source(&s->source);
        return status;
    }
    *out = &s->source;
    return HR_OK;
}
