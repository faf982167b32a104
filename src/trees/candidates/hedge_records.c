#include "trees/candidates/hedge_records.h"

#include "tables/data/cell_file.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/reliability.h"
#include "trees/stats/gradient.h"
#include "trees/tree/parts.h"

#include <stdlib.h>
#include <string.h>

struct hr_records {
    const hr_data *data;
    const double *quantiles; /* of the label; NULL: none */
    size_t outputs, trees;
    size_t classes; /* that records are counted by, or codes of times; 0: none */
    int threads;
    double *targets;
    const double *start; /* NULL: the base */
    hr_csprng *coins;
    const uint32_t *block_of;     /* drawn by others; NULL: by the coins */
    hr_parts blocks;              /* no rows: one block, in the order of the data */
    double *labels, *dealt_start; /* class indices and `start` in the blocks' order; NULL without blocks */
    uint32_t *weights;            /* the same; NULL also if all records count 1 */
    double *exposures;            /* the same; NULL also without any */
    hr_binned *binned;            /* from the first question that has bins */
    hr_candidate_scan *scan;
    size_t scanned;   /* this round: the trees of the question about scores */
    bool has_leaves;  /* some tree's leaves were summed: until then no step can have been taken */
    size_t step_tree; /* in the last scan: the tree whose leaves were summed last */
    size_t published; /* steps with a published part */
};

hr_status hr_records_new(const hr_data *data, size_t outputs, size_t trees, int threads, hr_records **out,
                         hr_error *err) {
    hr_records *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    r->data = data;
    r->quantiles = hr_schema_label(hr_data_schema(data))->quantiles;
    r->outputs = outputs;
    const hr_task task = hr_schema_task(hr_data_schema(data));
    r->classes = task == HR_TASK_SURVIVAL     ? hr_survival_codes(outputs)
                 : task == HR_TASK_MULTICLASS ? outputs
                                              : 0;
    r->trees = trees;
    r->threads = threads;
    r->targets = malloc((hr_data_rows(data) + 1) * sizeof *r->targets);
    if (!r->targets) {
        hr_records_free(r);
        return hr_fail_memory(err);
    }
    hr_targets_of(data, r->targets);
    *out = r;
    return HR_OK;
}

void hr_records_free(hr_records *r) {
    if (!r) return;
    hr_candidate_scan_free(r->scan);
    hr_binned_free(r->binned);
    hr_parts_done(&r->blocks);
    free(r->targets);
    free(r->labels);
    free(r->dealt_start);
    free(r->weights);
    free(r->exposures);
    free(r);
}

void hr_records_start(hr_records *r, const double *scores) {
    r->start = scores;
}

void hr_records_set_coins(hr_records *r, hr_csprng *coins) {
    r->coins = coins;
}

void hr_records_set_blocks(hr_records *r, const uint32_t *block_of) {
    r->block_of = block_of;
}

double hr_records_memory(size_t rows, size_t features, size_t outputs, size_t trees, int threads) {
    double dealt = sizeof(uint32_t) + sizeof(double) * (3 + (double)outputs);
    return (double)rows * ((double)features + sizeof(double) + dealt) +
           hr_candidate_scan_memory(rows, outputs, trees, threads);
}

/* ---- Blocks ---- */

/* A copy in the blocks' order of `width` numbers a record. NULL when memory is short. */
static double *reorder_numbers(const hr_records *r, const double *from, size_t width) {
    size_t rows = r->binned->rows;
    double *to = malloc((rows * width + 1) * sizeof *to);
    for (size_t i = 0; to && i < rows; i++)
        memcpy(to + i * width, from + r->blocks.rows[i] * width, width * sizeof *to);
    return to;
}

/* Every record, or every person with its records, draws its block by itself, or has drawn it. */
static hr_status deal_hedge_records(hr_records *r, size_t count, hr_error *err) {
    if (r->block_of) return hr_parts_given(r->block_of, hr_data_rows(r->data), count, &r->blocks, err);
    double *equal = malloc(count * sizeof *equal);
    if (!equal) return hr_fail_memory(err);
    for (size_t b = 0; b < count; b++) equal[b] = 1;
    const hr_person_rows of = {r->data->persons, hr_data_rows(r->data)};
    hr_status status = of.persons ? hr_parts_drawn_by_persons(r->coins, &of, equal, count, &r->blocks, err)
                                  : hr_parts_drawn(r->coins, of.rows, equal, count, &r->blocks, err);
    free(equal);
    return status;
}

/* Bins, targets, labels, weights and scores of records stand in the order of their blocks from here on. */
static hr_status reorder_records(hr_records *r, hr_error *err) {
    hr_status status = hr_binned_reorder(r->binned, r->blocks.rows, r->threads, err);
    if (status) return status;
    double *targets = reorder_numbers(r, r->targets, 1);
    r->labels = reorder_numbers(r, hr_data_labels(r->data), 1);
    if (r->start) r->dealt_start = reorder_numbers(r, r->start, r->outputs);
    const uint32_t *from = r->binned->weights;
    if (from) r->weights = malloc((r->binned->rows + 1) * sizeof *r->weights);
    if (r->binned->exposures) r->exposures = reorder_numbers(r, r->binned->exposures, 1);
    if (!targets || !r->labels || (r->start && !r->dealt_start) || (from && !r->weights) ||
        (r->binned->exposures && !r->exposures)) {
        free(targets);
        return hr_fail_memory(err);
    }
    if (from) {
        for (size_t i = 0; i < r->binned->rows; i++) r->weights[i] = from[r->blocks.rows[i]];
        r->binned->weights = r->weights;
        r->binned->exposures = r->exposures;
    }
    free(r->targets);
    r->targets = targets;
    if (r->binned->mapped) hr_cell_file_release(r->binned->mapped);
    r->start = r->dealt_start;
    return HR_OK;
}

static hr_status need_bins(hr_records *r, const hr_hedge_question *question, hr_error *err) {
    if (r->binned) return HR_OK;
    hr_status status = hr_binned_columns(r->data, question->binning, r->threads, &r->binned, err);
    if (status || question->blocks <= 1) return status;
    status = deal_hedge_records(r, question->blocks, err);
    return status ? status : reorder_records(r, err);
}

static bool has_blocks(const hr_records *r) {
    return r->blocks.rows != NULL;
}

/* ---- Rounds ---- */

/* The step of the round before, unless an earlier pass of the round took it. */
static void set_step_of(hr_records *r, const hr_hedge_question *question) {
    if (!question->step || !r->has_leaves || r->scanned) return;
    hr_candidate_scan_set_step(r->scan, r->step_tree, question->step, question->published);
    r->published += question->published != 0;
}

/* One pass: the step of the round before, unless an earlier pass of the round took it, and the sums of some
 * trees. */
static hr_status scan_hedge_records(hr_records *r, const hr_hedge_question *question, const hr_tree *trees,
                                    size_t count, hr_error *err) {
    hr_status status = need_bins(r, question, err);
    if (!status && !r->scan) {
        const hr_candidate_scan_setup setup = {.targets = r->targets,
                                               .outputs = r->outputs,
                                               .objective = question->loss.objective,
                                               .base = question->base,
                                               .trees = r->trees,
                                               .threads = r->threads,
                                               .publishes = question->published != 0,
                                               .quantiles = r->quantiles};
        status = hr_candidate_scan_new(r->binned, &setup, &r->scan, err);
        if (!status && r->start) hr_candidate_scan_start(r->scan, r->start, &question->loss);
    }
    if (status) return status;
    set_step_of(r, question);
    if (!has_blocks(r) || question->kind != HR_HEDGE_CHOICE)
        return hr_candidate_scan_round(r->scan, trees, count, &question->loss, err);
    const hr_row_range rows = {r->blocks.begin[question->block], r->blocks.begin[question->block + 1]};
    return hr_candidate_scan_part(r->scan, rows, trees, count, &question->loss, err);
}

hr_status hr_records_scores(hr_records *r, const hr_hedge_question *question, hr_exact *out, hr_error *err) {
    hr_status status = scan_hedge_records(r, question, question->trees, question->tree_count, err);
    if (status) return status;
    const hr_leaf_score_rule rule = {r->outputs, question->threshold, question->schema};
    hr_candidate_scan_scores(r->scan, question->trees, question->tree_count, &rule, out);
    r->scanned = question->tree_count;
    return HR_OK;
}

hr_status hr_records_leaf_sums(hr_records *r, const hr_hedge_question *question, hr_exact *out,
                               hr_error *err) {
    hr_exact counts[HR_CANDIDATE_SCAN_NODES_MAX];
    hr_status status = scan_hedge_records(r, question, question->trees, question->tree_count, err);
    if (status) return status;
    for (size_t t = 0; t < question->tree_count; t++)
        out += r->outputs * hr_candidate_scan_leaves(r->scan, question->trees, t, out, counts);
    r->scanned = question->tree_count;
    return HR_OK;
}

/* A tree that is named alone is scanned, whatever was offered before: another party may have offered another
 * tree, or the same with another clip. */
static hr_status leaves_hedge_records(hr_records *r, const hr_hedge_question *question, hr_exact *out,
                                      hr_error *err) {
    bool scanned = question->tree_count > 1 && r->scanned == question->tree_count && !has_blocks(r);
    size_t tree = scanned ? question->tree : 0;
    const hr_tree *trees = scanned ? question->trees : question->trees + question->tree;
    hr_status status = scanned ? HR_OK : scan_hedge_records(r, question, trees, 1, err);
    if (status) return status;
    r->scanned = 0;
    r->has_leaves = true;
    r->step_tree = tree;
    hr_candidate_scan_leaves(r->scan, trees, tree, out, out + question->counts[0]);
    if (question->line_count > 2)
        out[question->counts[0] + question->counts[1]] = hr_candidate_scan_within(r->scan);
    return HR_OK;
}

/* Where every tree of the forest was told as a step, records have the sum of what it says of them. */
static hr_status count_hedge_records(hr_records *r, const hr_hedge_question *question, hr_exact *out,
                                     hr_error *err) {
    hr_status status = need_bins(r, question, err);
    if (status) return status;
    hr_reliability_records records = {.binned = r->binned,
                                      .labels = has_blocks(r) ? r->labels : hr_data_labels(r->data),
                                      .start = r->start};
    if (question->published != 0) set_step_of(r, question);
    if (r->published && r->published * r->outputs == question->forest->tree_count) {
        records.published = hr_candidate_scan_published(r->scan, &question->loss);
        if (!records.published) return hr_fail_memory(err);
    }
    return hr_reliability_count(question->forest, &records, r->threads, out, err);
}

hr_status hr_records_sums(hr_records *r, const hr_hedge_question *question, hr_exact *out, hr_error *err) {
    if (question->kind == HR_HEDGE_LEAVES) return leaves_hedge_records(r, question, out, err);
    if (question->kind == HR_HEDGE_TOTALS) {
        /* The count stands before the sum, or alone; of classes, or codes, the counts are all. */
        hr_exact count, sum, *labels = r->classes ? out : &sum;
        const hr_scan_records records = {r->targets, hr_data_weights(r->data), r->data->exposures,
                                         hr_data_rows(r->data)};
        hr_candidate_scan_totals(&records, r->classes ? r->classes : 1, &count, labels);
        if (r->classes) return HR_OK;
        out[0] = count;
        if (question->line_count > 1) out[1] = sum;
        return HR_OK;
    }
    if (question->kind != HR_HEDGE_RELIABILITY)
        return hr_fail(err, HR_E_ARGUMENT, "", "this question is not answered by sums");
    return count_hedge_records(r, question, out, err);
}
