#include "trees/records/local_source.h"

#include "base/fail.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/candidates/hedge_records.h"
#include "trees/records/local_gradients.h"
#include "trees/records/local_labels.h"
#include "trees/records/local_stats.h"
#include "trees/records/timed_source.h"

#include <stdlib.h>

typedef struct local_source {
    hr_stats_source source; /* first: a local_source is an hr_stats_source */
    hr_local_stats_records records;
    hr_parts parts;
    hr_local_stats_gradients *gradients; /* one of these, once it is prepared */
    hr_local_stats_labels *labels;
    hr_records *hedge;
} local_source;

static hr_status prepare_hedge_records(local_source *s, const hr_stats_setup *setup, hr_error *err) {
    hr_status status = hr_records_new(s->records.data, setup->outputs, setup->candidates, s->records.threads,
                                      &s->hedge, err);
    if (status) return status;
    if (s->records.csprng) hr_records_set_coins(s->hedge, s->records.csprng);
    if (s->records.scores) hr_records_start(s->hedge, s->records.scores);
    return HR_OK;
}

static hr_status prepare_local_source(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err) {
    local_source *s = (local_source *)self;
    if (setup->kind == HR_STATS_HEDGE) return prepare_hedge_records(s, setup, err);
    if (setup->kind == HR_STATS_LABELS) return hr_local_stats_labels_new(&s->records, setup, &s->labels, err);
    return hr_local_stats_gradients_new(&s->records, setup, &s->parts, &s->gradients, err);
}

static hr_status count_cells_local_source(hr_stats_source *self, size_t feature, size_t grid, hr_exact *cells,
                                          hr_error *err) {
    const hr_local_stats_records *records = &((local_source *)self)->records;
    return hr_edges_count_column(&(hr_edge_rows){records->data, records->threads}, feature, grid, cells, err);
}

/* ---- Parts ---- */

static hr_status draw_parts(local_source *s, const hr_stats_shares *shares, hr_error *err) {
    size_t rows = hr_data_rows(s->records.data);
    hr_parts_done(&s->parts);
    if (shares->part_of) return hr_parts_given(shares->part_of, rows, shares->count, &s->parts, err);
    if (!shares->weights) return hr_parts_whole(rows, &s->parts, err);
    const hr_person_rows of = {s->records.data->persons, rows};
    if (of.persons && !shares->exact_sizes)
        return hr_parts_drawn_by_persons(s->records.csprng, &of, shares->weights, shares->count, &s->parts,
                                         err);
    return (shares->exact_sizes ? hr_parts_fixed : hr_parts_drawn)(s->records.csprng, rows, shares->weights,
                                                                   shares->count, &s->parts, err);
}

static size_t count_filled(const hr_parts *parts) {
    size_t j = 0;
    while (j < parts->count && hr_parts_size(parts, j)) j++;
    return j;
}

static hr_status share_out_local_source(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                                        hr_error *err) {
    local_source *s = (local_source *)self;
    hr_status status = s->gradients ? hr_local_stats_gradients_catch_up(s->gradients, err) : HR_OK;
    if (!status) status = draw_parts(s, shares, err);
    if (!status && s->gradients) status = hr_local_stats_gradients_share(s->gradients, err);
    if (!status && filled) *filled = count_filled(&s->parts);
    return status;
}

static hr_status begin_local_source(hr_stats_source *self, const hr_stats_round *round, hr_error *err) {
    local_source *s = (local_source *)self;
    if (s->gradients) return hr_local_stats_gradients_begin(s->gradients, round, err);
    return hr_local_stats_labels_begin(s->labels, hr_parts_rows(&s->parts, round->part),
                                       hr_parts_size(&s->parts, round->part), err);
}

/* ---- Gradients ---- */

static hr_local_stats_gradients *gradients_of(hr_stats_source *self) {
    return ((local_source *)self)->gradients;
}

static hr_status label_sums(hr_stats_source *self, hr_exact *sums, hr_error *err) {
    (void)err;
    hr_local_stats_gradients_label_sums(gradients_of(self), sums);
    return HR_OK;
}

static hr_status largest_residual(hr_stats_source *self, size_t output, double *out, hr_error *err) {
    hr_status status = hr_local_stats_gradients_catch_up(gradients_of(self), err);
    if (!status) *out = hr_local_stats_gradients_largest(gradients_of(self), output);
    return status;
}

static hr_status set_base_local_source(hr_stats_source *self, const double *base, hr_error *err) {
    (void)err;
    hr_local_stats_gradients_set_base(gradients_of(self), base);
    return HR_OK;
}

static hr_status add_trees(hr_stats_source *self, const hr_tree *trees, size_t count, hr_error *err) {
    return hr_local_stats_gradients_add(gradients_of(self), trees, count, err);
}

static hr_status sum(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out, size_t count,
                     hr_error *err) {
    return hr_local_stats_gradients_sum(gradients_of(self), nodes, out, count, err);
}

static hr_status split_local_source(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                                    const uint32_t *left, size_t count, hr_error *err) {
    return hr_local_stats_gradients_split(gradients_of(self), nodes, splits, left, count, err);
}

static hr_status hessians(hr_stats_source *self, const hr_tree *tree, hr_exact *sums, hr_error *err) {
    (void)err;
    hr_local_stats_gradients_hessians(gradients_of(self), tree, sums);
    return HR_OK;
}

/* ---- Labels ---- */

static hr_status answer_local_source(hr_stats_source *self, const hr_stats_query *queries, size_t count,
                                     hr_exact *out, hr_error *err) {
    return hr_local_stats_labels_answer(((local_source *)self)->labels, queries, count, out, err);
}

static hr_status divide_local_source(hr_stats_source *self, const uint32_t *nodes,
                                     const hr_child_rule *divisions, const uint32_t *first, size_t count,
                                     hr_error *err) {
    local_source *s = (local_source *)self;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = hr_local_stats_labels_divide(s->labels, nodes[i], &divisions[i], first[i], err);
    return status;
}

static hr_status gap(hr_stats_source *self, const hr_stats_query *query, size_t index, size_t *known,
                     double around[2], hr_error *err) {
    return hr_local_stats_labels_gap(((local_source *)self)->labels, query, index, known, around, err);
}

/* ---- Hedge ---- */

static hr_status tree_scores_local_source(hr_stats_source *self, const hr_hedge_question *question,
                                          hr_exact *out, hr_error *err) {
    return hr_records_scores(((local_source *)self)->hedge, question, out, err);
}

static hr_status tree_sums_local_source(hr_stats_source *self, const hr_hedge_question *question,
                                        hr_exact *out, hr_error *err) {
    return hr_records_sums(((local_source *)self)->hedge, question, out, err);
}

hr_records *hr_local_stats_source_hedge(hr_stats_source *source) {
    return ((local_source *)source)->hedge;
}

/* ---- The source ---- */

static void free_source(hr_stats_source *self) {
    local_source *s = (local_source *)self;
    hr_local_stats_gradients_free(s->gradients);
    hr_local_stats_labels_free(s->labels);
    hr_records_free(s->hedge);
    hr_parts_done(&s->parts);
    free(s);
}

static const hr_stats_ops ops = {free_source,
                                 prepare_local_source,
                                 count_cells_local_source,
                                 share_out_local_source,
                                 begin_local_source,
                                 label_sums,
                                 largest_residual,
                                 set_base_local_source,
                                 add_trees,
                                 sum,
                                 split_local_source,
                                 hessians,
                                 answer_local_source,
                                 divide_local_source,
                                 gap,
                                 tree_scores_local_source,
                                 tree_sums_local_source};

hr_status hr_local_stats_source_new(const hr_local_stats_records *records, hr_stats_source **out,
                                    hr_error *err) {
    size_t rows = hr_data_rows(records->data);
    local_source *s = calloc(1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    s->source = (hr_stats_source){&ops, rows};
    s->records = *records;
    hr_status status = hr_parts_whole(rows, &s->parts, err);
    if (status) {
        free_source(&s->source);
        return status;
    }
    return hr_timed_source_new(&s->source, records->timings, out, err);
}

hr_status hr_local_stats_source_gradients(hr_stats_source *source, const hr_stats_round *round,
                                          int64_t *packed, hr_error *err) {
    return hr_local_stats_gradients_of_records(gradients_of(source), round, packed, err);
}

hr_status hr_local_stats_source_add_other(hr_stats_source *source, const hr_tree *tree, hr_error *err) {
    return hr_local_stats_gradients_add_other(gradients_of(source), tree, err);
}
