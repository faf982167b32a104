/* Predictions: records are cut into blocks, a block's bins are looked up and walked through all trees, and its scores become
 * labels or probabilities. Every record is treated by itself, so the number of threads changes nothing. */
#include "base/fail.h"
#include "model/model.h"
#include "schema/schema.h"
#include "tree/link.h"
#include "tree/walk.h"

#include <hedgerow/data.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records are treated in blocks of this many; their bins stay in the nearest cache. */
enum { THREADS_MAX = 1024, BLOCK = 512 };

/* What all workers share. */
typedef struct prediction_task {
    const hr_model *model;
    const hr_data *data;
    size_t *features; /* column -> feature: only features that a tree asks about have a column */
    size_t column_count;
    hr_walk_tree *trees;
    size_t positions[BLOCK];   /* 0, 1, 2, ...: where the records of a block are in a column */
    size_t rows, output_count; /* of `out` */
    double *out;
    size_t workers;
    uint8_t *bins; /* per worker: columns of BLOCK */
    double *scores;
} prediction_task;

static double clip_prediction(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static void fill_bins(const prediction_task *t, size_t first, size_t rows, uint8_t *bins) {
    for (size_t c = 0; c < t->column_count; c++) {
        size_t f = t->features[c];
        const hr_feature_bins *feature = &t->model->binning.features[f];
        uint8_t *column = bins + c * BLOCK;
        if (feature->kind == HR_NUMBER) {
            hr_bins_of_numbers(feature, hr_data_numbers(t->data, f) + first, rows, column);
        } else {
            hr_bins_of_codes(feature, hr_data_codes(t->data, f) + first, rows, column);
        }
    }
}

static void label_of_score(const hr_column *label, double score, double *out) {
    double part = (clip_prediction(score, -1, 1) + 1) / 2;
    *out = clip_prediction(label->low + part * (label->high - label->low), label->low, label->high);
}

static void apply_link(const prediction_task *t, const double *scores, double *out) {
    const hr_forest *forest = &t->model->forest;
    if (forest->link == HR_LINK_NUMBER) {
        label_of_score(hr_schema_label(t->model->schema), scores[0], out);
    } else {
        size_t classes = hr_link_classes(forest, scores, BLOCK, out);
        hr_link_calibrate(&forest->calibration, out, classes);
    }
}

static void predict_block(const prediction_task *t, size_t first, uint8_t *bins, double *scores) {
    const hr_forest *forest = &t->model->forest;
    size_t rows = t->rows - first < BLOCK ? t->rows - first : BLOCK;
    fill_bins(t, first, rows, bins);
    for (size_t k = 0; k < forest->output_count; k++)
        for (size_t i = 0; i < BLOCK; i++) scores[k * BLOCK + i] = forest->base[k];
    for (size_t k = 0; k < forest->tree_count; k++) {
        double values[BLOCK], *column = scores + t->trees[k].output * BLOCK;
        hr_walk(&t->trees[k], bins, t->positions, rows, values);
        for (size_t i = 0; i < rows; i++) column[i] += values[i];
    }
    for (size_t i = 0; i < rows; i++) apply_link(t, scores + i, t->out + (first + i) * t->output_count);
}

/* Worker w predicts the blocks w, w + workers, ... */
static void run_prediction_task(const prediction_task *t, size_t w) {
    uint8_t *bins = t->bins + w * t->column_count * BLOCK;
    double *scores = t->scores + w * t->model->forest.output_count * BLOCK;
    for (size_t first = w * BLOCK; first < t->rows; first += t->workers * BLOCK) predict_block(t, first, bins, scores);
}

static size_t count_workers(int threads, size_t rows) {
    long asked = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    size_t workers = asked < 1 ? 1 : asked > THREADS_MAX ? THREADS_MAX : (size_t)asked;
    size_t blocks = (rows + BLOCK - 1) / BLOCK;
    return workers < blocks ? workers : blocks ? blocks : 1;
}

/* Gives every feature that a tree asks about a column; offsets: where it begins among the bins of a block. */
static bool make_columns(prediction_task *t, hr_arena *arena, size_t *offsets) {
    const hr_forest *forest = &t->model->forest;
    size_t feature_count = t->model->binning.feature_count;
    t->features = hr_arena_alloc(arena, feature_count, sizeof *t->features);
    if (!t->features) return false;
    for (size_t k = 0; k < forest->tree_count; k++)
        for (size_t n = 0; n < forest->trees[k].node_count; n++)
            if (forest->trees[k].nodes[n].left) offsets[forest->trees[k].nodes[n].feature] = 1;
    for (size_t f = 0; f < feature_count; f++) {
        if (!offsets[f]) continue;
        offsets[f] = t->column_count * BLOCK;
        t->features[t->column_count++] = f;
    }
    return true;
}

static bool lay_out_trees(prediction_task *t, hr_arena *arena, const size_t *offsets) {
    const hr_model *m = t->model;
    t->trees = hr_arena_alloc(arena, m->forest.tree_count, sizeof *t->trees);
    for (size_t k = 0; t->trees && k < m->forest.tree_count; k++)
        if (!hr_walk_tree_make(arena, &m->forest.trees[k], &m->binning, offsets, &t->trees[k])) return false;
    return t->trees;
}

static bool prepare_prediction(prediction_task *t, hr_arena *arena) {
    const hr_model *m = t->model;
    size_t *offsets = arena ? hr_arena_alloc(arena, m->binning.feature_count, sizeof *offsets) : NULL;
    if (!offsets || !make_columns(t, arena, offsets) || !lay_out_trees(t, arena, offsets)) return false;
    for (size_t i = 0; i < BLOCK; i++) t->positions[i] = i;
    t->bins = hr_arena_alloc(arena, t->workers * t->column_count, BLOCK);
    t->scores = hr_arena_alloc(arena, t->workers * m->forest.output_count, BLOCK * sizeof *t->scores);
    return t->bins && t->scores;
}

hr_status hr_model_predict(const hr_model *model, const hr_data *data, int threads, double *out, hr_error *err) {
    if (!hr_schema_same(model->schema, hr_data_schema(data)))
        return hr_fail(err, HR_E_SCHEMA, "read the data with the model's schema", "the data have another schema than the model");
    prediction_task t = {
        .model = model, .data = data, .rows = hr_data_rows(data), .output_count = hr_model_output_count(model), .out = out};
    t.workers = count_workers(threads, t.rows);
    hr_arena *arena = hr_arena_new();
    bool ready = prepare_prediction(&t, arena);
    if (ready) {
#pragma omp parallel for num_threads((int)t.workers) schedule(static, 1)
        for (size_t w = 0; w < t.workers; w++) run_prediction_task(&t, w);
    }
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}

size_t hr_predicted_class(const double *probabilities, size_t count) {
    return hr_link_largest(probabilities, count);
}
