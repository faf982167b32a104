/* Private statistics of chosen columns: all their counts and sums are released once, with the whole budget
 * (overview.h), and the figures follow from these (overview_figures.h). */
#include "base/fail.h"
#include "methods/statistics/overview_counts.h"
#include "methods/statistics/overview_figures.h"
#include "privacy/promise_words.h"
#include "tables/data/records.h"

enum { BINS = 16 };

/* Line by line: each is charged, and then drawn. */
static hr_status release_overview(const hr_training *t, const hr_overview_release *r, const size_t *counts,
                                  size_t lines, hr_noisy *out, hr_error *err) {
    const size_t values = hr_overview_values(r->overview);
    hr_exact *exact = hr_arena_alloc(t->arena, values, sizeof *exact);
    if (!exact) return hr_fail_memory(err);
    hr_overview_count(r->overview, t->data, exact);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < lines; exact += counts[i], out += counts[i], i++)
        status = hr_gate_release_sums(t->gate, &r->lines[i], exact, counts[i], out, err);
    return status;
}

static hr_status train_statistics(hr_training *t, hr_error *err) {
    const hr_fit_facts facts = {.options = t->options, .schema = hr_data_schema(t->data)};
    hr_overview *overview = hr_arena_alloc(t->arena, 1, sizeof *overview);
    hr_charge *lines = hr_arena_alloc(t->arena, HR_OVERVIEW_LINES_MAX, sizeof *lines);
    size_t counts[HR_OVERVIEW_LINES_MAX];
    if (!overview || !lines) return hr_fail_memory(err);
    hr_status status = hr_overview_of(&facts, t->arena, overview, err);
    if (status) return status;
    const size_t line_count =
        hr_overview_lines(overview, hr_gate_budget(t->gate), t->next_group, lines, counts);
    hr_noisy *values = hr_arena_alloc(t->arena, hr_overview_values(overview), sizeof *values);
    if (!values) return hr_fail_memory(err);
    const hr_overview_release release = {.overview = overview,
                                         .values = values,
                                         .lines = lines,
                                         .privacy_measure = hr_gate_privacy_measure(t->gate),
                                         .noise_factor = 1};
    hr_overview_made made;
    status = release_overview(t, &release, counts, line_count, values, err);
    if (!status) status = hr_overview_make(&release, t->arena, &made, err);
    if (status) return status;
    t->forest = made.forest;
    t->records = made.records;
    t->curves = made.texts;
    t->curve_count = overview->column_count + 1;
    return HR_OK;
}

static hr_status check_lines(const hr_fit_facts *facts, const hr_overview *overview, hr_error *err) {
    hr_charge lines[HR_OVERVIEW_LINES_MAX];
    size_t counts[HR_OVERVIEW_LINES_MAX];
    const size_t count = hr_overview_lines(overview, facts->budget, 0, lines, counts);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = hr_charge_check_sums(facts->privacy_measure, &lines[i], err);
    return status;
}

static hr_status check_statistics(const hr_fit_facts *facts, hr_error *err) {
    if (!facts->schema) return HR_OK;
    hr_arena *arena = hr_arena_new();
    hr_overview *overview = arena ? hr_arena_alloc(arena, 1, sizeof *overview) : NULL;
    hr_status status = overview ? hr_overview_of(facts, arena, overview, err) : hr_fail_memory(err);
    if (!status) status = check_lines(facts, overview, err);
    hr_arena_free(arena);
    return status;
}

/* The labels of the table, and no more than a few MB. */
static double statistics_memory(const hr_fit_facts *facts) {
    return (double)facts->rows * sizeof(double);
}

static void statistics_defaults(hr_fit_options *o) {
    o->delta = 1e-6;
    o->bins = BINS;
}

static const char *const sound_options[] = {"epsilon", "delta", HR_COLUMNS_NAME, "bins", HR_BY_NAME, NULL};

#define HR_OF_STATISTICS                                                                                     \
    " Of the records, of each value or bin of each chosen column, and of those that lack it, the number is " \
    "released once; of a number also the sum of its values and that of their squares, within the schema's "  \
    "bounds. All figures and their intervals follow from these."

const hr_method hr_method_statistics = {
    .info = {.name = "statistics",
             .summary = "statistics of columns: missing, counts, histograms, means, deviations; no model",
             .paper = "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data "
                      "analysis. TCC 2006",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD("one record", "." HR_OF_STATISTICS),
             .flaws = ""},
    .persons =
        HR_PROMISE_OF_METHOD("all records of one person",
                             ": each of a person's m records weighs floor(2^16/m)/2^16 in all numbers, "
                             "which are of weights." HR_OF_STATISTICS),
    .predicts_nothing = true,
    .defaults = statistics_defaults,
    .sound_options = sound_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_statistics,
    .memory = statistics_memory,
    .train = train_statistics,
};
