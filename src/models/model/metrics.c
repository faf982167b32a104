/* How good predictions are, in the definitions that scikit-learn uses: AUC with midranks for ties, logarithms
 * of probabilities clipped at 1e-15; and how far probabilities can be taken at their word (expected
 * calibration error). What cannot be defined (AUC of one class, R^2 of a constant label) is NaN. */
#include "base/fail.h"
#include "models/model/survival.h"
#include "trees/tree/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MIN_PROBABILITY = 1e-15;
enum { CALIBRATION_BINS = 10 };

typedef struct ranked {
    double score;
    bool positive;
} ranked;

static int by_score(const void *a, const void *b) {
    double x = ((const ranked *)a)->score, y = ((const ranked *)b)->score;
    return (x > y) - (x < y);
}

/* Twice the number of (negative, positive) pairs in which the positive has the larger score, a tie counting
 * half. Exact. */
static uint64_t twice_the_wins(const ranked *sorted, size_t rows, uint64_t *positives, uint64_t *negatives) {
    uint64_t wins = 0;
    *positives = *negatives = 0;
    for (size_t i = 0; i < rows;) {
        uint64_t here[2] = {0, 0};
        size_t end = i;
        while (end < rows && sorted[end].score == sorted[i].score) here[sorted[end++].positive]++;
        wins += here[1] * (2 * *negatives + here[0]);
        *negatives += here[0];
        *positives += here[1];
        i = end;
    }
    return wins;
}

static hr_status area_under_curve(const double *probabilities, const double *labels, size_t rows, double *out,
                                  hr_error *err) {
    ranked *all = rows <= SIZE_MAX / sizeof *all ? malloc(rows * sizeof *all) : NULL;
    if (!all) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) all[i] = (ranked){probabilities[2 * i + 1], labels[i] > 0};
    qsort(all, rows, sizeof *all, by_score);
    uint64_t positives, negatives, wins = twice_the_wins(all, rows, &positives, &negatives);
    free(all);
    *out = positives && negatives ? (double)wins / 2 / ((double)positives * (double)negatives) : (double)NAN;
    return HR_OK;
}

static double calibration_error(const double *probabilities, const double *labels, size_t rows,
                                size_t classes) {
    double expected[CALIBRATION_BINS] = {0}, met[CALIBRATION_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < rows; i++) {
        const double *p = probabilities + i * classes;
        size_t spoken_of = hr_link_spoken_of(p, classes);
        size_t bin = (size_t)fmin(fmax(CALIBRATION_BINS * p[spoken_of], 0), CALIBRATION_BINS - 1);
        expected[bin] += p[spoken_of];
        met[bin] += (size_t)labels[i] == spoken_of;
    }
    for (size_t b = 0; b < CALIBRATION_BINS; b++) sum += fabs(expected[b] - met[b]);
    return sum / (double)rows;
}

static void compare_classes(const hr_comparison *c, hr_metrics *out) {
    size_t classes = c->outputs;
    double wrong = 0, loss = 0;
    for (size_t i = 0; i < out->rows; i++) {
        const double *p = c->predicted + i * classes;
        size_t truth = (size_t)c->labels[i];
        wrong += hr_decide(c->decision, p, classes) != truth;
        loss -= log(fmin(fmax(p[truth], MIN_PROBABILITY), 1 - MIN_PROBABILITY));
    }
    out->error = wrong / (double)out->rows;
    out->logloss = loss / (double)out->rows;
    out->ece = calibration_error(c->predicted, c->labels, out->rows, classes);
}

static void compare_scores(const double *predicted, const double *labels, hr_metrics *out) {
    double rows = (double)out->rows, sum = 0, squares = 0, distances = 0, spread = 0, deviance = 0;
    for (size_t i = 0; i < out->rows; i++) {
        double miss = predicted[i] - labels[i];
        squares += miss * miss;
        distances += fabs(miss);
        /* Of a mean of 0 that of a count above it would be infinite. */
        const double mean = fmax(predicted[i], MIN_PROBABILITY);
        deviance += (labels[i] > 0 ? labels[i] * log(labels[i] / mean) : 0) - labels[i] + mean;
        sum += labels[i];
    }
    for (size_t i = 0; i < out->rows; i++) spread += (labels[i] - sum / rows) * (labels[i] - sum / rows);
    out->rmse = sqrt(squares / rows);
    out->mae = distances / rows;
    if (out->task == HR_TASK_COUNT) out->deviance = 2 * deviance / rows;
    out->r2 = spread > 0 ? 1 - squares / spread : (double)NAN;
}

hr_status hr_metrics_compare(const hr_comparison *c, hr_metrics *out, hr_error *err) {
    hr_metrics m = {.rows = c->rows, .task = c->task};
    m.error = m.auc = m.logloss = m.ece = m.rmse = m.mae = m.r2 = m.deviance = (double)NAN;
    hr_status status = HR_OK;
    if (!hr_task_has_classes(c->task)) {
        compare_scores(c->predicted, c->labels, &m);
    } else {
        compare_classes(c, &m);
        if (c->task == HR_TASK_BINARY)
            status = area_under_curve(c->predicted, c->labels, c->rows, &m.auc, err);
    }
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
    hr_comparison comparison = {0};
    hr_status status = hr_comparison_make(model, data, threads, &comparison, err);
    if (status) return status;
    status = comparison.task == HR_TASK_SURVIVAL
                 ? hr_survival_compare(hr_schema_label(model->schema), &comparison, out, err)
                 : hr_metrics_compare(&comparison, out, err);
    hr_comparison_free(&comparison);
    return status;
}

/* ---- Decisions ---- */

/* Mean cost of a record's decision; NaN without costs. */
static double count_decisions(const hr_comparison *c, uint64_t *counts) {
    const double *costs = c->decision->costs;
    double cost = 0;
    for (size_t i = 0; i < c->rows; i++) {
        size_t cell = (size_t)c->labels[i] * c->outputs +
                      hr_decide(c->decision, c->predicted + i * c->outputs, c->outputs);
        if (counts) counts[cell]++;
        if (costs) cost += costs[cell];
    }
    return costs ? cost / (double)c->rows : (double)NAN;
}

hr_status hr_evaluate_decisions(const hr_model *model, const hr_data *data, const hr_decision_rule *decision,
                                int threads, hr_decided *out, hr_error *err) {
    size_t classes = hr_model_output_count(model);
    if (!hr_task_has_classes(hr_schema_task(hr_model_schema(model))))
        return hr_fail(err, HR_E_ARGUMENT, "evaluate without decisions",
                       "the model predicts a number: there is no class to decide on");
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
