/* Predictions: records are cut into stretches of some blocks, whose bins are looked up; each block is walked
 * through all trees (predictor.h), and its scores become labels or probabilities. Every record is treated by
 * itself, so the number of threads changes nothing. */
#include "base/fail.h"
#include "base/team.h"
#include "base/threads.h"
#include "models/model/interval.h"
#include "models/model/model.h"
#include "models/model/survival.h"
#include "tables/data/columns.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"
#include "trees/tree/link.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS_MAX = 1024, BLOCK = HR_PREDICTOR_BLOCK };

/* A column is read faster if a stretch of it has several pages (16 kB here); the bins of a stretch have to
 * fit in the second cache. Measured by bench/bench_predict.c with 28 and 400 features. */
enum { STRETCH_BLOCKS_MAX = 4, STRETCH_BYTES_MAX = 1 << 20 };

/* What all workers share. */
typedef struct prediction_task prediction_task;
struct prediction_task {
    const hr_predictor *predictor;
    const hr_data *data;
    const double *exposures;   /* that the predicted means are of; NULL: the largest */
    size_t rows, output_count; /* of `out` */
    double *out;
    /* Of one record; the score of output k is scores[k * stride]. */
    void (*write)(const hr_predictor *predictor, const double *scores, size_t stride, double *out);
    size_t workers, stretch; /* records, a multiple of BLOCK */
    uint8_t *bins;           /* per worker: of a stretch */
    double *scores;          /* per worker: of a block */
};

static double clip_prediction(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

/* Quantiles never cross: in their order they are nowhere farther from the true ones. */
static void sort_quantiles(double *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const double less = values[k];
            values[k] = values[k - 1];
            values[k - 1] = less;
        }
}

static void write_linked(const hr_predictor *predictor, const double *scores, size_t stride, double *out) {
    const hr_forest *forest = predictor->forest;
    if (forest->link == HR_LINK_NUMBER) {
        const hr_column *label = hr_schema_label(predictor->schema);
        for (size_t k = 0; k < forest->output_count; k++) {
            double part = (clip_prediction(scores[k * stride], -1, 1) + 1) / 2;
            out[k] = clip_prediction(label->low + part * (label->high - label->low), label->low, label->high);
        }
        sort_quantiles(out, forest->output_count);
        if (forest->conformal.made) hr_interval_correct(label, &forest->conformal, out);
    } else if (forest->link == HR_LINK_HAZARD) {
        hr_survival_write(hr_schema_label(predictor->schema), scores, stride, out);
    } else if (forest->link == HR_LINK_LOG) {
        const hr_column *label = hr_schema_label(predictor->schema);
        *out = clip_prediction(label->high * exp(fmin(scores[0], 0)), label->low, label->high);
    } else {
        size_t classes = hr_link_classes(forest, scores, stride, out);
        hr_link_calibrate(&forest->calibration, out, classes);
    }
}

static void write_scores(const hr_predictor *predictor, const double *scores, size_t stride, double *out) {
    for (size_t k = 0; k < predictor->forest->output_count; k++) out[k] = scores[k * stride];
}

/* ---- Tables ---- */

/* One stretch. */
static void predict_stretch(void *of, size_t w, size_t first, size_t end) {
    const prediction_task *t = of;
    uint8_t *bins = t->bins + w * t->predictor->column_count * t->stretch;
    double *scores = t->scores + w * t->predictor->forest->output_count * BLOCK;
    const size_t rows = end - first;
    hr_predictor_bins(t->predictor, t->data, first, rows, bins);
    for (size_t begin = 0; begin < rows; begin += BLOCK) {
        const size_t count = rows - begin < BLOCK ? rows - begin : BLOCK;
        hr_predictor_scores(t->predictor, bins + begin * t->predictor->column_count, count, scores);
        for (size_t i = 0; t->exposures && i < count; i++) scores[i] += log(t->exposures[first + begin + i]);
        for (size_t i = 0; i < count; i++)
            t->write(t->predictor, scores + i, BLOCK, t->out + (first + begin + i) * t->output_count);
    }
}

hr_status hr_prediction_workers(int threads, size_t blocks, size_t *workers, hr_error *err) {
    int asked = 1;
    const hr_status status = blocks > 1 ? hr_threads_of(threads, &asked, err) : HR_OK;
    if (status) return status;
    const size_t most = asked > THREADS_MAX ? THREADS_MAX : (size_t)asked;
    *workers = most < blocks ? most : blocks ? blocks : 1;
    return HR_OK;
}

static hr_status refuse_schema(const prediction_task *t, hr_error *err) {
    const hr_schema_sides sides = {"in the data's", "in the model's"};
    char difference[HR_SCHEMA_DIFFERENCE] = "";
    (void)hr_schema_difference(hr_data_schema(t->data), t->predictor->schema, &sides, difference);
    return hr_fail(err, HR_E_SCHEMA, "read the data with the model's schema",
                   "the data have another schema than the model: %s", difference);
}

static hr_status predict_all(prediction_task *t, int threads, hr_error *err) {
    if (!hr_schema_fits_model(hr_data_schema(t->data), t->predictor->schema)) return refuse_schema(t, err);
    t->rows = hr_data_rows(t->data);
    const size_t blocks = (t->rows + BLOCK - 1) / BLOCK, columns = t->predictor->column_count;
    hr_status status = hr_data_check_values(t->data, err);
    if (!status) status = hr_prediction_workers(threads, blocks, &t->workers, err);
    if (status) return status;

    /* Each worker takes several stretches, so that all end at about the same time. */
    enum { STRETCHES_A_WORKER = 4 };
    size_t of_stretch = STRETCH_BLOCKS_MAX; /* blocks */
    while (of_stretch > 1 && (of_stretch * columns * BLOCK > STRETCH_BYTES_MAX ||
                              of_stretch * t->workers * STRETCHES_A_WORKER > blocks))
        of_stretch--;
    t->stretch = BLOCK * of_stretch;

    hr_arena *arena = hr_arena_new();
    if (arena) {
        t->bins = hr_arena_alloc(arena, t->workers * columns, t->stretch);
        t->scores =
            hr_arena_alloc(arena, t->workers * t->predictor->forest->output_count, BLOCK * sizeof *t->scores);
    }
    bool ready = t->bins && t->scores;
    if (ready) hr_team_share(t->workers, t->rows, t->stretch, predict_stretch, t);
    hr_arena_free(arena);
    return ready ? HR_OK : hr_fail_memory(err);
}

hr_status hr_predict_data(const hr_predictor *predictor, const hr_data *data, int threads, double *out,
                          hr_error *err) {
    prediction_task t = {.predictor = predictor,
                         .data = data,
                         .exposures = data->exposures,
                         .output_count = hr_predictor_output_count(predictor),
                         .out = out,
                         .write = write_linked};
    return predict_all(&t, threads, err);
}

hr_status hr_model_predict(const hr_model *model, const hr_data *data, int threads, double *out,
                           hr_error *err) {
    const hr_status status = hr_model_check_predicts(model, err);
    return status ? status : hr_predict_data(&model->predictor, data, threads, out, err);
}

hr_status hr_model_scores(const hr_model *model, const hr_data *data, int threads, double *out,
                          hr_error *err) {
    prediction_task t = {.predictor = &model->predictor,
                         .data = data,
                         .output_count = model->forest.output_count,
                         .out = out,
                         .write = write_scores};
    const hr_status status = hr_model_check_predicts(model, err);
    return status ? status : predict_all(&t, threads, err);
}

/* ---- One record ---- */

/* Room on the stack for the bytes and the scores of most models. */
enum { COLUMNS_AT_HAND = 2048, SCORES_AT_HAND = 64 };

/* A NaN is missing. */
static hr_status bin_row(const hr_predictor *p, const double *values, uint8_t *bins, hr_error *err) {
    for (size_t c = 0; c < p->column_count; c++) {
        const hr_predictor_column *column = &p->columns[c];
        const hr_column *feature = hr_schema_feature(p->schema, column->feature);
        double value = values[column->feature];
        if (column->bins.kind == HR_KIND_NUMBER) {
            bins[c] = hr_search_bin(&column->search, hr_clip_number(feature, value));
            continue;
        }
        double code = value == value ? value : HR_CODE_MISSING;
        if (!(code >= 0 && code <= (double)feature->value_count && !hr_is_fraction(code))) {
            hr_fail(err, HR_E_SCHEMA, "codes are 0 (missing) and the places of the schema's values, from 1",
                    "%g is no code of a category with %zu values", value, (size_t)feature->value_count);
            return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, feature->name);
        }
        bins[c] = hr_bin_of_code(&column->bins, (uint16_t)code);
    }
    return HR_OK;
}

hr_status hr_predict_row(const hr_predictor *predictor, const double *values, double *out, hr_error *err) {
    uint8_t bins_at_hand[COLUMNS_AT_HAND], *bins = bins_at_hand;
    double scores_at_hand[SCORES_AT_HAND], *scores = scores_at_hand;
    hr_status status = HR_OK;
    if (predictor->column_count > COLUMNS_AT_HAND) bins = malloc(predictor->column_count);
    if (predictor->forest->output_count > SCORES_AT_HAND)
        scores = malloc(predictor->forest->output_count * sizeof *scores);
    if (!bins || !scores) status = hr_fail_memory(err);
    if (!status) status = bin_row(predictor, values, bins, err);
    if (!status) {
        for (size_t k = 0; k < predictor->forest->output_count; k++) scores[k] = predictor->forest->base[k];
        hr_place_trees_add_to_one(predictor->trees, predictor->forest->tree_count, bins, 1, scores);
        write_linked(predictor, scores, 1, out);
    }
    if (bins != bins_at_hand) free(bins);
    if (scores != scores_at_hand) free(scores);
    return status;
}

/* ---- Facts ---- */

size_t hr_predictor_output_count(const hr_predictor *predictor) {
    const hr_column *label = hr_schema_label(predictor->schema);
    if (label->event) return hr_survival_outputs(label);
    if (label->quantiles) return label->quantile_count;
    return label->kind == HR_KIND_CATEGORY ? label->value_count : 1;
}

size_t hr_predictor_feature_count(const hr_predictor *predictor) {
    return hr_schema_feature_count(predictor->schema);
}

size_t hr_predicted_class(const double *probabilities, size_t count) {
    return hr_link_largest(probabilities, count);
}
