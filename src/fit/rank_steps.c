#include "fit/rank_steps.h"

#include "base/fail.h"
#include "fit/bounds.h"
#include "fit/conformal.h"
#include "fit/weights.h"
#include "models/model/interval.h"
#include "models/model/model.h"
#include "tables/bins/time_cuts.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "trees/cluster/cluster.h"

#include <stdlib.h>

/* What is sent with each stands where rank 0 sends it. */
typedef enum step_kind {
    STEP_BEGIN,
    STEP_SAMPLE,
    STEP_START,
    STEP_COUNT,
    STEP_CLIP,
    STEP_EVENTS,
    STEP_CUT,
    STEP_WEIGH,
    STEP_HOLD_OUT,
    STEP_LEVELS
} step_kind;

/* ---- Rank 0 ---- */

static hr_buffer step_body(step_kind which) {
    hr_buffer body = {0};
    const uint64_t sent = which;
    hr_rank_write(&body, &sent, 1, sizeof sent);
    return body;
}

static hr_status send_step(hr_cluster *cluster, hr_buffer *body, hr_error *err) {
    return hr_cluster_send(cluster, (hr_rank_head){.kind = HR_RANKS_STEP}, body, err);
}

hr_status hr_ranks_begin(hr_cluster *cluster, hr_error *err) {
    hr_cluster_hold_nothing_out(cluster);
    hr_buffer body = step_body(STEP_BEGIN);
    return send_step(cluster, &body, err);
}

hr_status hr_ranks_sample(hr_cluster *cluster, const hr_data *data, const uint64_t *keys, size_t most,
                          hr_person_sample *out, hr_error *err) {
    const size_t size = hr_cluster_size(cluster);
    const uint64_t sent = most;
    const hr_rank_head head = {.kind = HR_RANKS_STEP, .pieces = 1, .words = size, .scattered = 1};
    int64_t *counts = calloc(size, sizeof *counts); /* of the records that each rank keeps */
    hr_buffer body = step_body(STEP_SAMPLE);
    hr_rank_write(&body, &sent, 1, sizeof sent);
    body.failed = body.failed || !counts;
    hr_status status = hr_cluster_send(cluster, head, &body, err);
    if (!status) status = hr_cluster_scatter(cluster, cluster->begin, keys, sizeof *keys, err);
    if (!status) {
        status = hr_person_sample_keep(data, keys, most, out, err);
        if (!status) counts[0] = (int64_t)hr_data_rows(out->data);
        status = hr_cluster_add_up(cluster, status, (hr_exact *)(void *)counts, size, err);
    }
    if (!status) status = hr_cluster_set_trained(cluster, counts, err);
    free(counts);
    return status;
}

hr_status hr_ranks_start(hr_cluster *cluster, const hr_forest *forest, hr_error *err) {
    hr_buffer body = step_body(STEP_START);
    hr_rank_write_forest(&body, forest);
    return send_step(cluster, &body, err);
}

hr_status hr_ranks_count(hr_cluster *cluster, const hr_data *data, const hr_bounds_question *question,
                         hr_exact *cells, hr_error *err) {
    hr_buffer body = step_body(STEP_COUNT);
    hr_rank_write(&body, question, 1, sizeof *question);
    const hr_rank_head head = {.kind = HR_RANKS_STEP, .pieces = 1, .words = question->cells};
    hr_status status = hr_cluster_send(cluster, head, &body, err);
    if (status) return status;
    hr_bounds_count(data, question, cells);
    return hr_cluster_add_up(cluster, HR_OK, cells, question->cells, err);
}

hr_status hr_ranks_clip(hr_cluster *cluster, const hr_bounds_columns *columns,
                        const hr_bounds_search *searches, hr_error *err) {
    hr_buffer body = step_body(STEP_CLIP);
    hr_rank_write(&body, columns->at, columns->count, sizeof *columns->at);
    hr_rank_write(&body, searches, columns->count, sizeof *searches);
    return send_step(cluster, &body, err);
}

hr_status hr_ranks_count_events(hr_cluster *cluster, const hr_data *data, hr_exact *cells, hr_error *err) {
    hr_buffer body = step_body(STEP_EVENTS);
    const size_t count = (size_t)1 << HR_TIME_CUTS_BITS;
    const hr_rank_head head = {.kind = HR_RANKS_STEP, .pieces = 1, .words = count};
    hr_status status = hr_cluster_send(cluster, head, &body, err);
    if (status) return status;
    hr_time_cuts_count(data, cells);
    return hr_cluster_add_up(cluster, HR_OK, cells, count, err);
}

hr_status hr_ranks_cut(hr_cluster *cluster, const hr_time_cuts *cuts, hr_error *err) {
    hr_buffer body = step_body(STEP_CUT);
    hr_rank_write(&body, cuts->at, cuts->count, sizeof *cuts->at);
    return send_step(cluster, &body, err);
}

hr_status hr_ranks_weigh(hr_cluster *cluster, const hr_fit_options *options, hr_error *err) {
    hr_buffer body = step_body(STEP_WEIGH);
    hr_rank_write(&body, options->class_weights, options->class_weight_count, sizeof(double));
    return send_step(cluster, &body, err);
}

hr_status hr_ranks_hold_out(hr_cluster *cluster, const uint32_t *side_of, hr_error *err) {
    hr_buffer body = step_body(STEP_HOLD_OUT);
    const hr_rank_head head = {.kind = HR_RANKS_STEP, .scattered = 1};
    hr_status status = hr_cluster_send(cluster, head, &body, err);
    return status ? status : hr_cluster_scatter(cluster, cluster->begin, side_of, sizeof *side_of, err);
}

hr_status hr_ranks_count_levels(hr_cluster *cluster, const hr_held_out *records, hr_exact *weights,
                                hr_error *err) {
    hr_buffer body = step_body(STEP_LEVELS);
    hr_rank_write_forest(&body, records->forest);
    hr_rank_write(&body, records->ends, 1, 2 * sizeof *records->ends);
    const hr_rank_head head = {.kind = HR_RANKS_STEP, .pieces = 1, .words = HR_INTERVAL_LEVELS};
    hr_status status = hr_cluster_send(cluster, head, &body, err);
    if (status) return status;
    status = hr_conformal_count_levels(records, weights, err);
    return hr_cluster_add_up(cluster, status, weights, HR_INTERVAL_LEVELS, err);
}

/* ---- The other ranks ---- */

/* The records of a rank, and what was made of them. */
typedef struct rank_table {
    const hr_cluster *cluster;
    const hr_data *data; /* as they were read */
    hr_person_sample sample;
    hr_bounded_table bounded;
    hr_cut_table cut;
    hr_weighted weighted;
    hr_conformal_parts parts;
    double *scores;
} rank_table;

static void forget_steps(rank_table *t) {
    hr_conformal_parts_done(&t->parts);
    hr_weighted_done(&t->weighted);
    hr_cut_table_done(&t->cut);
    hr_bounded_table_done(&t->bounded);
    hr_person_sample_done(&t->sample);
    free(t->scores);
    t->scores = NULL;
}

static hr_status take_begin(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                            hr_error *err) {
    (void)step, (void)err;
    records->data = t->data;
    records->scores = NULL;
    forget_steps(t);
    return HR_OK;
}

/* The answer has a word for each rank: how many records it keeps. */
static hr_status take_sample(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                             hr_error *err) {
    uint64_t most;
    hr_rank_read_one(step->body, &most, sizeof most);
    const uint64_t *keys = (const void *)step->parts;
    const size_t rank = hr_cluster_rank(t->cluster);
    if (step->body->failed || !most || !keys || step->part_count != 2 * hr_data_rows(records->data) ||
        rank >= step->words)
        return HR_E_FORMAT;
    hr_status status = hr_person_sample_keep(records->data, keys, most, &t->sample, err);
    if (status) return status;
    records->data = t->sample.data;
    ((int64_t *)(void *)step->answer)[rank] = (int64_t)hr_data_rows(records->data);
    return HR_OK;
}

static hr_status take_start(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                            hr_error *err) {
    hr_rank_reader *body = step->body;
    hr_model start = {0};
    const hr_forest *forest = hr_rank_read_forest(body);
    const hr_schema *schema = hr_data_schema(records->data);
    if (!forest) return HR_E_FORMAT;
    start.forest = *forest;
    t->scores = malloc((hr_data_rows(records->data) * forest->output_count + 1) * sizeof *t->scores);
    if (!t->scores) return hr_fail_memory(err);
    hr_status status = hr_predictor_make(&start.forest, schema, body->arena, &start.predictor, err);
    if (!status) status = hr_model_scores(&start, records->data, records->threads, t->scores, err);
    records->scores = t->scores;
    return status;
}

static hr_status take_clip(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                           hr_error *err) {
    hr_rank_reader *body = step->body;
    size_t count, found;
    const size_t *at = hr_rank_read(body, &count, sizeof *at);
    const hr_bounds_search *searches = hr_rank_read(body, &found, sizeof *searches);
    if (body->failed || found != count) return HR_E_FORMAT;
    const hr_bounds_columns columns = {at, count};
    hr_status status =
        hr_bounds_schema(hr_data_schema(records->data), &columns, searches, &t->bounded.schema, err);
    if (status) return status;
    t->bounded.data = hr_data_clip(records->data, t->bounded.schema);
    if (!t->bounded.data) return hr_fail_memory(err);
    records->data = t->bounded.data;
    return HR_OK;
}

static hr_status take_cut(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                          hr_error *err) {
    hr_rank_reader *body = step->body;
    size_t count;
    const double *cuts = hr_rank_read(body, &count, sizeof *cuts);
    if (body->failed) return HR_E_FORMAT;
    hr_status status = hr_cut_table_make(records->data, cuts, count, &t->cut, err);
    if (!status) records->data = t->cut.data;
    return status;
}

static hr_status take_weigh(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                            hr_error *err) {
    hr_rank_reader *body = step->body;
    size_t count;
    const double *weights = hr_rank_read(body, &count, sizeof *weights);
    const hr_fit_options options = {.class_weights = weights, .class_weight_count = count};
    if (body->failed || count != hr_schema_label(hr_data_schema(records->data))->value_count)
        return HR_E_FORMAT;
    hr_status status = hr_weights_apply(records->data, &options, &t->weighted, err);
    if (!status) records->data = t->weighted.data;
    return status;
}

static hr_status take_hold_out(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                               hr_error *err) {
    const size_t rows = hr_data_rows(records->data);
    hr_parts sides = {0};
    if (!step->parts || step->part_count != rows) return HR_E_FORMAT;
    hr_status status = hr_parts_given(step->parts, rows, 2, &sides, err);
    if (!status) status = hr_conformal_take_sides(&records->data, &sides, &t->parts, err);
    hr_parts_done(&sides);
    return status;
}

static hr_status take_count(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                            hr_error *err) {
    (void)t, (void)err;
    hr_bounds_question question;
    hr_rank_read_one(step->body, &question, sizeof question);
    if (step->body->failed || question.cells != step->words) return HR_E_FORMAT;
    hr_bounds_count(records->data, &question, step->answer);
    return HR_OK;
}

static hr_status take_events(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                             hr_error *err) {
    (void)t, (void)err;
    if (step->words != (size_t)1 << HR_TIME_CUTS_BITS) return HR_E_FORMAT;
    hr_time_cuts_count(records->data, step->answer);
    return HR_OK;
}

static hr_status take_levels(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                             hr_error *err) {
    size_t ends[2];
    const hr_held_out held_out = {t->parts.held_out, hr_rank_read_forest(step->body), ends, records->threads};
    hr_rank_read_one(step->body, ends, sizeof ends);
    if (step->body->failed || !held_out.forest || !t->parts.held_out || step->words != HR_INTERVAL_LEVELS)
        return HR_E_FORMAT;
    return hr_conformal_count_levels(&held_out, step->answer, err);
}

typedef hr_status taking(rank_table *t, const hr_rank_step *step, hr_local_stats_records *records,
                         hr_error *err);

static taking *const takes[] = {
    [STEP_BEGIN] = take_begin,  [STEP_SAMPLE] = take_sample, [STEP_START] = take_start,
    [STEP_COUNT] = take_count,  [STEP_CLIP] = take_clip,     [STEP_EVENTS] = take_events,
    [STEP_CUT] = take_cut,      [STEP_WEIGH] = take_weigh,   [STEP_HOLD_OUT] = take_hold_out,
    [STEP_LEVELS] = take_levels};

static hr_status take_step(void *state, const hr_rank_step *step, hr_local_stats_records *records,
                           hr_error *err) {
    uint64_t which;
    hr_rank_read_one(step->body, &which, sizeof which);
    if (step->body->failed || which >= sizeof takes / sizeof *takes) return HR_E_FORMAT;
    return takes[which](state, step, records, err);
}

hr_status hr_ranks_serve(hr_cluster *cluster, const hr_data *data, int threads, hr_error *err) {
    rank_table table = {.cluster = cluster, .data = data};
    const hr_local_stats_records records = {.data = data, .threads = threads};
    const hr_rank_steps steps = {take_step, &table};
    const hr_status status = hr_cluster_answer(cluster, &records, &steps, err);
    forget_steps(&table);
    return status;
}
