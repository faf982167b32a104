/* Choosing among settings of a training privately: one budget pays for trial trainings, for the choice, and
 * for the model.
 *
 *     const hr_fit_options *settings[2] = {&shallow, &deep};
 *     hr_tune_options options = HR_TUNE_OPTIONS_INIT;
 *     options.epsilon = 1;
 *     hr_tuned tuned;
 *     if (hr_tune(data, settings, 2, &options, &tuned, &err)) ...
 *
 * Each setting trains once, with its part of `share` of the budget. One setting is chosen by how well these
 * models predict the records, by a private choice. A model is trained with it for the rest of the budget, and
 * is the result. A default that is good as it is needs no choice, and loses `share` by it. */
#ifndef HEDGEROW_TUNE_H
#define HEDGEROW_TUNE_H

#include <hedgerow/fit.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HR_TUNE_SETTINGS_MAX = 64 };

typedef struct hr_tune_options {
    size_t size;       /* sizeof(hr_tune_options) */
    double epsilon;    /* of trials, choice and model together; 0 < epsilon <= 10000 */
    double delta;      /* 0: pure epsilon; at most 1/rows */
    double share;      /* part of the budget for trials and choice, 0.01 to 0.9 */
    hr_ledger *ledger; /* NULL: no durable budget. Borrowed */
    int64_t *entry; /* NULL, or where the number of the ledger's entry goes, also if the call fails; 0: none
                       stays reserved or committed */
    /* As in hr_fit_options, over all trainings. May be NULL. */
    bool (*progress)(void *user, size_t done, size_t total);
    void *user;
} hr_tune_options;
#define HR_TUNE_OPTIONS_INIT                                                                                 \
    { sizeof(hr_tune_options), 1, 1e-6, 0.1, NULL, NULL, NULL, NULL }

typedef struct hr_tuned {
    hr_model *model;      /* its guarantee, statement and releases are of trials, choice and model together */
    size_t chosen;        /* index of the setting that it was trained with; covered by the guarantee */
    double epsilon_trial; /* of the training of one trial */
    double epsilon_fit;   /* of the training of the model */
} hr_tuned;

/* Chooses and trains. What epsilon, delta, ledger, entry and progress of a setting are is not looked at. A
 * trial is scored by the mean of a loss between 0 and 1 of each record: classes: half the squared distance
 * between the probabilities and the record's class (Brier); numbers: the square of the miss, where a quarter
 * of the label's range or more counts as 1. Where the schema has a unit each record of a person counts a
 * part. Private bounds are released once, for their share of the budget, before all trials.
 * Spends: (epsilon, delta), reserved in the ledger before any noise is drawn. Owner: the caller frees
 * out->model with hr_model_free. Thread: as hr_fit. Fails, with nothing spent: ARGUMENT (fewer than 2
 * settings or more than HR_TUNE_SETTINGS_MAX; amounts out of range; a setting that cannot take part, the
 * field is settings[I]: a method or mode that is not private, methods that count their budgets in different
 * measures, a start, records_per_person, other private bounds than those of the first one, a leak, a cluster,
 * or other noise than that of the first one), and as hr_fit for each setting at the budget of a trial and of
 * the model. MEMORY and CANCELLED may come later: then what was reserved stays spent; as FORMAT of hr_fit. */
HR_API HR_MUST_CHECK hr_status hr_tune(const hr_data *data, const hr_fit_options *const *settings,
                                       size_t count, const hr_tune_options *options, hr_tuned *out,
                                       hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
