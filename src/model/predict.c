/* Predictions: records are cut into blocks, a block's bins are looked up and walked through all trees
 * (predictor.h), and its scores become labels or probabilities. Every record is treated by itself, so the
 * number of threads changes nothing. */
#include "base/fail.h"
#include "model/model.h"
#include "schema/schema.h"
#include "tree/link.h"

#include <hedgerow/data.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1024, BLOCK = HR_PREDICTOR_BLOCK };

/* What all workers share. */
typedef struct prediction_task prediction_task;
struct prediction_task {
    const hr_model *model;
    const hr_data *data;
    size_t positions[BLOCK];   /* 0, 1, 2, ...: where the records of a block are in a column */
    size_t rows, output_count; /* of `out` */
    double *out;
    void (*write)(const prediction_task *t, const double *scores, double *out); /* of one record */
    size_t workers;
    uint8_t *bins; /* per worker: columns of BLOCK */
    double *scores;
};

static double clip_prediction(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
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

static void copy_scores(const prediction_task *t, const double *scores, double *out) {
    for (size_t k = 0; k < t->output_count; k++) out[k] = scores[k * BLOCK];
}

static void predict_block(const prediction_task *t, size_t first, uint8_t *bins, double *scores) {
    const hr_forest *forest = &t->model->forest;
    size_t rows = t->rows - first < BLOCK ? t->rows - first : BLOCK;
    hr_predictor_bins(&t->model->predictor, t->data, first, rows, bins);
    for (size_t k = 0; k < forest->output_count; k++)
        for (size_t i = 0; i < BLOCK; i++) scores[k * BLOCK + i] = forest->base[k];
    for (size_t k = 0; k < forest->tree_count; k++) {
        const hr_walk_tree *tree = &t->model->predictor.trees[k];
        double values[BLOCK], *column = scores + tree->output * BLOCK;
        hr_walk(tree, bins, t->positions, rows, values);
        for (size_t i = 0; i < rows; i++) column[i] += values[i];
    }
    for (size_t i = 0; i < rows; i++) t->write(t, scores + i, t->out + (first + i) * t->output_count);
}

/* Worker w predicts the blocks w, w + workers, ... */
static void run_prediction_task(const prediction_task *t, size_t w) {
    uint8_t *bins = t->bins + w * t->model->predictor.column_count * BLOCK;
    double *scores = t->scores + w * t->model->forest.output_count * BLOCK;
    for (size_t first = w * BLOCK; first < t->rows; first += t->workers * BLOCK)
        predict_block(t, first, bins, scores);
}

static size_t count_workers(int threads, size_t rows) {
    long asked = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    size_t workers = asked < 1 ? 1 : asked > THREADS_MAX ? THREADS_MAX : (size_t)asked;
    size_t blocks = (rows + BLOCK - 1) / BLOCK;
    return workers < blocks ? workers : blocks ? blocks : 1;
}

static bool prepare_prediction(prediction_task *t, hr_arena *arena) {
    const hr_model *m = t->model;
    if (!arena) return false;
    for (size_t i = 0; i < BLOCK; i++) t->positions[i] = i;
    t->bins = hr_arena_alloc(arena, t->workers * m->predictor.column_count, BLOCK);
    t->scores = hr_arena_alloc(arena, t->workers * m->forest.output_count, BLOCK * sizeof *t->scores);
    return t->bins && t->scores;
}

static hr_status predict_all(prediction_task *t, int threads, hr_error *err) {
    if (!hr_schema_same(t->model->schema, hr_data_schema(t->data)))
        return hr_fail(err, HR_E_SCHEMA, "read the data with the model's schema",
                       "the data have another schema than the model");
    t->rows = hr_data_rows(t->data);
    t->workers = count_workers(threads, t->rows);
    hr_arena *arena = hr_arena_new();
    bool ready = prepare_prediction(t, arena);
    if (ready) {
#pragma omp parallel for num_threads((int)t->workers) schedule(static, 1)
        for (size_t w = 0; w < t->workers; w++) run_prediction_task(t, w);
    }
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}

hr_status hr_model_predict(const hr_model *model, const hr_data *data, int threads, double *out,
                           hr_error *err) {
    prediction_task t = {.model = model,
                         .data = data,
                         .output_count = hr_model_output_count(model),
                         .out = out,
                         .write = apply_link};
    return predict_all(&t, threads, err);
}

hr_status hr_model_scores(const hr_model *model, const hr_data *data, int threads, double *out,
                          hr_error *err) {
    prediction_task t = {.model = model,
                         .data = data,
                         .output_count = model->forest.output_count,
                         .out = out,
                         .write = copy_scores};
    return predict_all(&t, threads, err);
}

size_t hr_predicted_class(const double *probabilities, size_t count) {
    return hr_link_largest(probabilities, count);
}
