/* How good predictions are, in the definitions that scikit-learn uses: AUC with midranks for ties, logarithms
 * of probabilities clipped at 1e-15; and how far probabilities can be taken at their word (expected
 * calibration error). What cannot be defined (AUC of one class, R^2 of a constant label) is NaN. Where
 * records have weights, sums are of these: what sample_weight does there. */
#include "base/fail.h"
#include "models/model/model.h"
#include "tables/data/records.h"
#include "trees/tree/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MIN_PROBABILITY = 1e-15;
enum { CALIBRATION_BINS = 10 };

double hr_comparison_weight(const hr_comparison *c, size_t row) {
    return c->weights ? ldexp(c->weights[row], -HR_PERSON_BITS) : 1;
}

hr_status hr_comparison_total(const hr_comparison *c, double *out, hr_error *err) {
    *out = 0;
    for (size_t i = 0; i < c->rows; i++) *out += hr_comparison_weight(c, i);
    if (*out > 0) return HR_OK;
    return hr_fail(err, HR_E_SCHEMA, "give records of which some have a weight above 0",
                   "predictions cannot be compared: all records weigh 0");
}

typedef struct ranked {
    double score, weight;
    bool positive;
} ranked;

static int by_score(const void *a, const void *b) {
    double x = ((const ranked *)a)->score, y = ((const ranked *)b)->score;
    return (x > y) - (x < y);
}

/* Twice the number of (negative, positive) pairs in which the positive has the larger score, a tie counting
 * half; a pair counts the product of its weights. totals: the weight of the negatives, and of the positives.
 * Exact where all weigh 1 and there are fewer than 2^52 pairs. */
static double twice_the_wins(const ranked *sorted, size_t rows, double totals[2]) {
    double wins = 0;
    totals[0] = totals[1] = 0;
    for (size_t i = 0; i < rows;) {
        double here[2] = {0, 0};
        size_t end = i;
        for (; end < rows && sorted[end].score == sorted[i].score; end++)
            here[sorted[end].positive] += sorted[end].weight;
        wins += here[1] * (2 * totals[0] + here[0]);
        for (size_t k = 0; k < 2; k++) totals[k] += here[k];
        i = end;
    }
    return wins;
}

static hr_status area_under_curve(const hr_comparison *c, double *out, hr_error *err) {
    ranked *all = c->rows <= SIZE_MAX / sizeof *all ? malloc(c->rows * sizeof *all) : NULL;
    if (!all) return hr_fail_memory(err);
    for (size_t i = 0; i < c->rows; i++)
        all[i] = (ranked){c->predicted[2 * i + 1], hr_comparison_weight(c, i), c->labels[i] > 0};
    qsort(all, c->rows, sizeof *all, by_score);
    double totals[2], wins = twice_the_wins(all, c->rows, totals);
    free(all);
    *out = totals[0] > 0 && totals[1] > 0 ? wins / 2 / (totals[0] * totals[1]) : (double)NAN;
    return HR_OK;
}

/* The sum over all rows. */
static double calibration_errors(const hr_comparison *c) {
    double expected[CALIBRATION_BINS] = {0}, met[CALIBRATION_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < c->rows; i++) {
        const double *p = c->predicted + i * c->outputs, weight = hr_comparison_weight(c, i);
        size_t spoken_of = hr_link_spoken_of(p, c->outputs);
        size_t bin = (size_t)fmin(fmax(CALIBRATION_BINS * p[spoken_of], 0), CALIBRATION_BINS - 1);
        expected[bin] += weight * p[spoken_of];
        met[bin] += (size_t)c->labels[i] == spoken_of ? weight : 0;
    }
    for (size_t b = 0; b < CALIBRATION_BINS; b++) sum += fabs(expected[b] - met[b]);
    return sum;
}

static void compare_classes(const hr_comparison *c, hr_metrics *out) {
    size_t classes = c->outputs;
    double wrong = 0, loss = 0;
    for (size_t i = 0; i < out->rows; i++) {
        const double *p = c->predicted + i * classes, weight = hr_comparison_weight(c, i);
        size_t truth = (size_t)c->labels[i];
        wrong += hr_decide(c->decision, p, classes) != truth ? weight : 0;
        loss -= weight * log(fmin(fmax(p[truth], MIN_PROBABILITY), 1 - MIN_PROBABILITY));
    }
    out->error = wrong / out->weight;
    out->logloss = loss / out->weight;
    out->ece = calibration_errors(c) / out->weight;
}

static void compare_scores(const hr_comparison *c, hr_metrics *out) {
    double all = out->weight, sum = 0, squares = 0, distances = 0, spread = 0, deviance = 0;
    for (size_t i = 0; i < out->rows; i++) {
        double label = c->labels[i], miss = c->predicted[i] - label, weight = hr_comparison_weight(c, i);
        squares += weight * miss * miss;
        distances += weight * fabs(miss);
        /* Of a mean of 0 that of a count above it would be infinite. */
        const double mean = fmax(c->predicted[i], MIN_PROBABILITY);
        deviance += weight * ((label > 0 ? label * log(label / mean) : 0) - label + mean);
        sum += weight * label;
    }
    for (size_t i = 0; i < out->rows; i++)
        spread += hr_comparison_weight(c, i) * (c->labels[i] - sum / all) * (c->labels[i] - sum / all);
    out->rmse = sqrt(squares / all);
    out->mae = distances / all;
    if (out->task == HR_TASK_COUNT) out->deviance = 2 * deviance / all;
    out->r2 = spread > 0 ? 1 - squares / spread : (double)NAN;
}

hr_status hr_metrics_compare(const hr_comparison *c, hr_metrics *out, hr_error *err) {
    hr_metrics m = {.rows = c->rows, .task = c->task};
    m.error = m.auc = m.logloss = m.ece = m.rmse = m.mae = m.r2 = m.deviance = (double)NAN;
    m.concordance = m.concordance_uno = m.brier = (double)NAN;
    hr_metrics_add_quantiles(NULL, c, &m);
    hr_status status = hr_comparison_total(c, &m.weight, err);
    if (status) return status;
    if (c->task == HR_TASK_REGRESSION || c->task == HR_TASK_COUNT) compare_scores(c, &m);
    if (hr_task_has_classes(c->task)) compare_classes(c, &m);
    if (c->task == HR_TASK_BINARY) status = area_under_curve(c, &m.auc, err);
    if (!status) *out = m;
    return status;
}

hr_status hr_comparison_make(const hr_model *model, const hr_data *data, int threads, hr_comparison *out,
                             hr_error *err) {
    size_t outputs = hr_model_output_count(model), rows = hr_data_rows(data);
    if (!hr_data_has_labels(data))
        return hr_fail(err, HR_E_SCHEMA, "give data with the label's column",
                       "predictions cannot be compared: the data have no labels");
    if (!rows)
        return hr_fail(err, HR_E_SCHEMA, "give at least one record",
                       "predictions cannot be compared: the data have no records");
    if (hr_schema_exposure(hr_model_schema(model), NULL) && !data->exposures)
        return hr_fail(err, HR_E_SCHEMA, "give the exposures of the records",
                       "predictions cannot be compared: the data have no exposures");
    double *predicted =
        rows <= SIZE_MAX / sizeof *predicted / outputs ? malloc(rows * outputs * sizeof *predicted) : NULL;
    if (!predicted) return hr_fail_memory(err);
    hr_status status = hr_model_predict(model, data, threads, predicted, err);
    if (status) {
        free(predicted);
        return status;
    }
    *out = (hr_comparison){.task = hr_schema_task(hr_model_schema(model)),
                           .predicted = predicted,
                           .labels = hr_data_labels(data),
                           .weights = data->own_weights,
                           .rows = rows,
                           .outputs = outputs};
    return HR_OK;
}

hr_status hr_comparison_decide(const hr_comparison *c, const hr_decision_rule *rule, uint32_t **out,
                               hr_error *err) {
    *out = NULL;
    if (!hr_task_has_classes(c->task)) return HR_OK;
    uint32_t *decided = *out = calloc(c->rows + 1, sizeof *decided);
    if (!decided) return hr_fail_memory(err);
    for (size_t i = 0; i < c->rows; i++)
        decided[i] = (uint32_t)hr_decide(rule, c->predicted + i * c->outputs, c->outputs);
    return HR_OK;
}

void hr_comparison_free(hr_comparison *comparison) {
    free((double *)comparison->predicted);
}

hr_status hr_evaluate(const hr_model *model, const hr_data *data, int threads, hr_metrics *out,
                      hr_error *err) {
    const hr_column *label = hr_schema_label(model->schema);
    if (label->event) {
        hr_survival_evaluation times;
        hr_status status = hr_evaluate_survival(model, data, 0, threads, &times, err);
        if (!status) *out = times.metrics;
        return status;
    }
    hr_comparison made = {0};
    hr_status status = hr_comparison_make(model, data, threads, &made, err);
    if (status) return status;
    status = hr_metrics_compare(&made, out, err);
    if (!status) hr_metrics_add_quantiles(label->quantiles, &made, out);
    if (!status) hr_metrics_add_interval(&model->forest.conformal, &made, out);
    hr_comparison_free(&made);
    return status;
}

/* ---- Decisions ---- */

/* Mean cost of a record's decision; NaN without costs. */
static double count_decisions(const hr_comparison *c, uint64_t *counts) {
    const double *costs = c->decision->costs;
    double cost = 0, all = 0;
    for (size_t i = 0; i < c->rows; i++) {
        size_t cell = (size_t)c->labels[i] * c->outputs +
                      hr_decide(c->decision, c->predicted + i * c->outputs, c->outputs);
        if (counts) counts[cell]++;
        if (costs) cost += hr_comparison_weight(c, i) * costs[cell];
        all += hr_comparison_weight(c, i);
    }
    return costs ? cost / all : (double)NAN;
}

hr_status hr_evaluate_decisions(const hr_model *model, const hr_data *data, const hr_decision_rule *decision,
                                int threads, hr_decided *out, hr_error *err) {
    size_t classes = hr_model_output_count(model);
    const hr_task task = hr_schema_task(hr_model_schema(model));
    if (!hr_task_has_classes(task))
        return hr_fail(err, HR_E_ARGUMENT, "evaluate without decisions",
                       "the model predicts %s: there is no class to decide on", hr_task_text(task));
    hr_status status = hr_decision_rule_check(decision, classes, err);
    hr_comparison comparison;
    if (!status) status = hr_comparison_make(model, data, threads, &comparison, err);
    if (status) return status;
    comparison.decision = decision;
    status = hr_metrics_compare(&comparison, &out->metrics, err);
    if (!status) {
        if (out->counts) memset(out->counts, 0, classes * classes * sizeof *out->counts);
        out->cost = count_decisions(&comparison, out->counts);
    }
    hr_comparison_free(&comparison);
    return status;
}
