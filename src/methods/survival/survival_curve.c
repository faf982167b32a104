/* A private survival curve: how many records have each code is released once, with the whole budget
 * (curve_counts.h), and the curve with its bands is read off these counts (curve_model.h). */
#include "base/fail.h"
#include "methods/method.h"
#include "methods/survival/curve_counts.h"
#include "privacy/noise.h"
#include "privacy/promise_words.h"
#include "tables/data/records.h"

static hr_status train_survival_curve(hr_training *t, hr_error *err) {
    const hr_fit_facts facts = {.options = t->options, .schema = hr_data_schema(t->data)};
    hr_curve curve;
    hr_curve_made made;
    hr_status status = hr_curve_of(&facts, &curve, err);
    if (status) return status;
    const size_t count = hr_curve_counts(&curve);
    hr_charge charge = hr_curve_charge(&curve, hr_gate_budget(t->gate));
    hr_exact *exact = hr_arena_alloc(t->arena, count, sizeof *exact);
    hr_noisy *counts = hr_arena_alloc(t->arena, count, sizeof *counts);
    if (!exact || !counts) return hr_fail_memory(err);
    const double deviation =
        hr_noise_deviation(hr_gate_privacy_measure(t->gate), charge.cost, (double)charge.sensitivity);
    charge.group = t->next_group;
    status = hr_curve_count(&curve, t->source, hr_data_weights(t->data), exact, err);
    if (!status) status = hr_gate_release_sums(t->gate, &charge, exact, count, counts, err);
    if (!status) status = hr_curve_make(&curve, counts, deviation, t->arena, &made, err);
    if (status) return status;
    t->forest = made.forest;
    t->records = made.records;
    t->curves = made.curves;
    t->curve_count = made.curve_count;
    return HR_OK;
}

static hr_status check_survival_curve(const hr_fit_facts *facts, hr_error *err) {
    hr_status status = facts->schema ? hr_curve_check_schema(facts->schema, err) : HR_OK;
    if (status) return status;
    if (facts->options->private_bounds_count) {
        hr_fail(err, HR_E_ARGUMENT, "leave it out: the budget would pay for bounds that nothing uses",
                "survival-curve has no use for the bounds of features");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "private-bounds");
    }
    hr_curve curve;
    if (!status && facts->schema) status = hr_curve_of(facts, &curve, err);
    if (status) return status;
    return hr_facts_check_sums(facts, "interval counts", facts->budget,
                               hr_unit_of_counts(hr_facts_unit(facts)), err);
}

/* The binned table, the codes, and two lists of the records. */
static double survival_curve_memory(const hr_fit_facts *facts) {
    return hr_facts_table(facts) + (double)facts->rows * 4 * sizeof(double);
}

static void survival_curve_defaults(hr_fit_options *o) {
    o->delta = 1e-6;
}

static const char *const sound_options[] = {"epsilon", "delta", HR_GROUP_NAME, NULL};

const hr_method hr_method_survival_curve = {
    .info =
        {.name = "survival-curve",
         .summary = "the survival curve of all records, with bands: a life table of noisy counts",
         .paper =
             "Cutler, Ederer: Maximum utilization of the life table method in analyzing survival. Journal "
             "of Chronic Diseases 8(6), 1958",
         .is_private = true,
         .sound = HR_PROMISE_OF_METHOD(
             "one record",
             ". Of each interval, and each group, the numbers of records that had the event in it, and that "
             "were censored in it, and of those that survived all are released once; the "
             "curve and its bands follow from these numbers."),
         .flaws = ""},
    .persons = HR_PROMISE_OF_METHOD(
        "all records of one person",
        ": each of a person's m records weighs floor(2^16/m)/2^16 in the one count that it is in. Of each "
        "interval, and each group, the weights of the records that had the event in it, and that were "
        "censored "
        "in it, and of those that survived all are released once; curves and bands follow from these "
        "numbers."),
    .over_ranks = true,
    .times = true,
    .times_alone = true,
    .defaults = survival_curve_defaults,
    .sound_options = sound_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_survival_curve,
    .memory = survival_curve_memory,
    .train = train_survival_curve,
};
