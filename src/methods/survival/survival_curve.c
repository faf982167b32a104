/* A private survival curve: how many records have each code (tables/schema/survival_code.h) is released once,
 * with the whole budget, and the curve with its bands is read off these counts (life_table.h). A record has
 * one code, so that it changes one count by 1. The model has no trees: it predicts the curve for everybody.
 */
#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "methods/method.h"
#include "methods/survival/life_table.h"
#include "privacy/noise.h"
#include "privacy/promise_words.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODES_MAX = 2 * HR_INTERVALS_MAX + 1 };

/* In units of 1/HR_COUNT_UNIT records. */
static void count_codes(const hr_data *data, hr_exact *counts) {
    const hr_column *label = hr_schema_label(hr_data_schema(data));
    const double *labels = hr_data_labels(data);
    memset(counts, 0, hr_survival_codes(label->interval_count) * sizeof *counts);
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        const size_t code = hr_survival_code(hr_label_time(labels[i]), hr_label_event(labels[i]),
                                             label->intervals, label->interval_count);
        counts[code].unpaid += HR_COUNT_UNIT;
    }
}

/* The scores are the log-odds of the intervals' hazards. */
static hr_status set_forest(hr_training *t, const hr_life_interval *curve, size_t intervals, hr_error *err) {
    static const double least = 1e-6;
    hr_status status = hr_training_forest_init(t, HR_LINK_HAZARD, 0, err);
    for (size_t k = 0; !status && k < intervals; k++) {
        const double before = k ? curve[k - 1].survival : 1,
                     hazard = before > 0 ? 1 - curve[k].survival / before : 1,
                     kept = fmin(fmax(hazard, least), 1 - least);
        t->forest.base[k] = log(kept / (1 - kept));
    }
    return status;
}

/* "30: 0.943 (0.931..0.955); 90: ...", for people who read the model's settings. */
static hr_status describe_curve(hr_training *t, const hr_life_interval *curve, hr_error *err) {
    const hr_column *label = hr_schema_label(hr_data_schema(t->data));
    hr_buffer text = {0};
    for (size_t k = 0; k < label->interval_count; k++) {
        char cut[HR_NUMBER_TEXT];
        hr_number_text(label->intervals[k], cut);
        hr_buffer_format(&text, "%s%s: %.4f (%.4f..%.4f)", k ? "; " : "", cut, curve[k].survival,
                         curve[k].low, curve[k].high);
    }
    char *made = NULL;
    hr_status status = hr_buffer_take(&text, &made, err);
    if (status) return status;
    t->curve = hr_arena_text(t->arena, made, strlen(made));
    free(made);
    return t->curve ? HR_OK : hr_fail_memory(err);
}

static hr_status train_survival_curve(hr_training *t, hr_error *err) {
    const size_t intervals = hr_schema_label(hr_data_schema(t->data))->interval_count,
                 codes = hr_survival_codes(intervals);
    const hr_charge charge = {.what = "interval counts",
                              .tree = -1,
                              .level = -1,
                              .group = t->next_group,
                              .cost = hr_gate_budget(t->gate),
                              .sensitivity = HR_COUNT_SENSITIVITY};
    hr_exact exact[CODES_MAX];
    hr_noisy noisy[CODES_MAX];
    double counts[CODES_MAX],
        deviation = hr_noise_deviation(hr_gate_privacy_measure(t->gate), charge.cost, HR_COUNT_SENSITIVITY);
    hr_life_interval curve[HR_INTERVALS_MAX];
    count_codes(t->data, exact);
    hr_status status = hr_gate_release_sums(t->gate, &charge, exact, codes, noisy, err);
    if (status) return status;
    for (size_t c = 0; c < codes; c++) t->records += counts[c] = (double)noisy[c].paid / HR_COUNT_UNIT;
    t->records = fmax(t->records, 1);
    hr_life_table(counts, intervals, deviation / HR_COUNT_UNIT, curve);
    status = describe_curve(t, curve, err);
    return status ? status : set_forest(t, curve, intervals, err);
}

static hr_status check_survival_curve(const hr_fit_facts *facts, hr_error *err) {
    if (facts->schema && hr_schema_task(facts->schema) != HR_TASK_SURVIVAL) {
        hr_fail(err, HR_E_ARGUMENT, "make the label 'kind: time', or use another method",
                "survival-curve learns times to an event alone");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_label(facts->schema)->name);
    }
    if (facts->options->private_bounds_count) {
        hr_fail(err, HR_E_ARGUMENT, "leave it out: the budget would pay for bounds that nothing uses",
                "survival-curve has no use for the bounds of features");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "private-bounds");
    }
    return hr_facts_check_sums(facts, "interval counts", facts->budget, HR_COUNT_SENSITIVITY, err);
}

static void survival_curve_defaults(hr_fit_options *o) {
    o->delta = 1e-6;
}

static const char *const sound_options[] = {"epsilon", "delta", NULL};

const hr_method hr_method_survival_curve = {
    .info =
        {.name = "survival-curve",
         .summary = "the survival curve of all records, with bands: a life table of noisy counts",
         .paper =
             "Cutler, Ederer: Maximum utilization of the life table method in analyzing survival. Journal "
             "of Chronic Diseases 8(6), 1958",
         .is_private = true,
         .sound = HR_PROMISE_OF_METHOD(
             "one record", ". Of each interval the numbers of records that had the event in it, and that "
                           "were censored in it, and of those that survived all are released once; the "
                           "curve and its bands follow from these numbers."),
         .flaws = ""},
    .times = true,
    .defaults = survival_curve_defaults,
    .sound_options = sound_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_survival_curve,
    .train = train_survival_curve,
};
