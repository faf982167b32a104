/* The only wiring: a fit joins data, ledger, gate, method and model, in the order that keeps the promise:
 * check everything, reserve the budget durably, draw, and say in the model what was drawn. */
#include "base/buffer.h"
#include "base/fail.h"
#include "base/number.h"
#include "fit/budget.h"
#include "fit/settings.h"
#include "fit/start.h"
#include "fit/threads.h"
#include "schema/schema.h"
#include "stats/local_source.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256 };

/* What methods ask for beside their large tables. */
static const double MEMORY_MARGIN = 1.125;

/* What a fit holds while it runs. */
typedef struct fit_job {
    const hr_data *data;
    const hr_fit_options *options;
    const hr_method *method;
    hr_budget budget;
    hr_csprng *csprng;
    hr_gate *gate;
    hr_training training;
    int64_t entry; /* in the ledger; 0: none counts as spent */
    hr_settings settings;
    double *start_scores;            /* of the records; NULL: there is no start */
    char start_hash[HR_DIGEST_TEXT]; /* of its file */
} fit_job;

static bool claims_privacy(const fit_job *f) {
    return f->method->info.is_private && f->options->mode == HR_MODE_SOUND && !f->options->reproducible_noise;
}

static hr_status check_fit_ledger(const fit_job *f, hr_error *err) {
    if (!f->options->ledger || claims_privacy(f)) return HR_OK;
    const char *why = !f->method->info.is_private         ? "the method has no privacy guarantee"
                      : f->options->mode == HR_MODE_PAPER ? "the paper mode is not differentially private"
                                                          : "reproducible noise is not private";
    return hr_fail(err, HR_E_POLICY,
                   "use a private method in sound mode without reproducible noise, or no ledger",
                   "this fit cannot be charged to a ledger: %s", why);
}

static hr_status check_fit(const fit_job *f, hr_error *err) {
    const hr_schema *schema = hr_data_schema(f->data);
    if (f->options->threads < 0 || f->options->threads > THREADS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "0 means all processors", "threads must be 0..%d", THREADS_MAX);
    hr_status status = hr_options_check(f->method, f->options, err);
    if (!status) status = hr_schema_reviewed(schema, err);
    if (!status) status = hr_start_check(f->method, f->options, schema, err);
    if (!status) status = check_fit_ledger(f, err);
    if (status) return status;
    if (!hr_data_has_labels(f->data))
        return hr_fail(err, HR_E_SCHEMA, "train on data that have the label",
                       "the data have no label column");
    if (!hr_data_rows(f->data)) return hr_fail(err, HR_E_SCHEMA, "add records", "the data have no rows");
    if (!hr_schema_feature_count(schema))
        return hr_fail(err, HR_E_SCHEMA, "add a feature", "the schema has no features");
    return HR_OK;
}

/* Asks for as much at once and gives it back: better before the budget is spent than after. */
static hr_status check_memory(const fit_job *f, hr_error *err) {
    hr_fit_facts facts = {.options = f->options,
                          .schema = hr_data_schema(f->data),
                          .rows = hr_data_rows(f->data),
                          .threads = hr_threads_of(f->options->threads)};
    double bytes = f->method->memory ? MEMORY_MARGIN * f->method->memory(&facts) : 0;
    if (f->options->start) bytes += (double)facts.rows * (double)hr_facts_outputs(&facts) * sizeof(double);
    char *volatile probe = bytes < (double)(SIZE_MAX / 2) ? malloc((size_t)bytes + 1) : NULL;
    if (!probe)
        return hr_fail(err, HR_E_MEMORY, "use fewer rows, features or levels, or a machine with more memory",
                       "out of memory: the fit needs about %.3g MB", bytes / 1e6);
    free(probe);
    return HR_OK;
}

/* ---- The budget ---- */

static hr_status open_fit_gate(fit_job *f, hr_error *err) {
    hr_status status = f->options->reproducible_noise
                           ? hr_csprng_open_seeded(f->options->seed, &f->csprng, err)
                           : hr_csprng_open(&f->csprng, err);
    if (status) return status;
    return hr_gate_new(f->budget.privacy_measure, f->budget.units, f->csprng, &f->gate, err);
}

static hr_status reserve_budget(fit_job *f, hr_error *err) {
    if (!f->options->ledger) return HR_OK;
    char purpose[200];
    snprintf(purpose, sizeof purpose, "fit %s for %.120s", f->method->info.name,
             hr_schema_label(hr_data_schema(f->data))->name);
    return hr_ledger_reserve(f->options->ledger, f->budget.epsilon, f->budget.delta, purpose, &f->entry, err);
}

static bool has_drawn(const fit_job *f) {
    size_t count;
    const hr_release *releases = hr_gate_releases(f->gate, &count);
    for (size_t i = 0; i < count; i++)
        if (releases[i].draws) return true;
    return false;
}

/* A fit that failed before its first draw has published nothing. Where the ledger cannot be written, the
 * entry stays spent. */
static void give_back_reservation(fit_job *f) {
    hr_error unused;
    if (!f->entry || has_drawn(f)) return;
    if (!hr_ledger_void(f->options->ledger, f->entry, &unused)) f->entry = 0;
}

/* ---- The model ---- */

static void add_records(fit_job *f) {
    char text[HR_NUMBER_TEXT];
    if (f->training.records <= 0) return;
    hr_number_render(f->training.records, text);
    hr_settings_add(&f->settings, HR_RECORDS_SETTING, text);
}

/* The budget that was granted, and charged to the ledger, not the sum of the releases: how much of the budget
 * these leave unspent may depend on a noisy count. */
static hr_status guarantee_granted(const fit_job *f, hr_guarantee *out, hr_error *err) {
    size_t count;
    const hr_release *releases = hr_gate_releases(f->gate, &count);
    hr_guarantee used, granted;
    hr_status status =
        hr_model_account(releases, count, f->budget.privacy_measure, f->budget.delta, &used, err);
    if (status) return status;
    hr_guarantee_of(f->budget.units, f->budget.privacy_measure, f->budget.delta, &granted);
    granted.epsilon = f->budget.epsilon;
    if (!used.is_private || used.epsilon > granted.epsilon || used.epsilon_replace > granted.epsilon_replace)
        return hr_fail(err, HR_E_POLICY, "please report this error of the library; the budget stays spent",
                       "the releases cost more than the budget that was granted");
    *out = granted;
    return HR_OK;
}

/* What a record pays that is in the data of the start, too. */
static void state_start(const fit_job *f, const hr_start_guarantee *both, hr_buffer *text) {
    if (!f->options->start) return;
    hr_buffer_format(text, " It starts from the model with the SHA-256 %s", f->start_hash);
    if (!both->given) {
        hr_buffer_text(text, f->options->start_is_public
                                 ? ", which is said to be public: nothing is charged for it."
                                 : ".");
        return;
    }
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], epsilon_replace[HR_AMOUNT_TEXT],
        delta_replace[HR_AMOUNT_TEXT];
    hr_spent_text(both->epsilon, epsilon);
    hr_spent_text(both->delta, delta);
    hr_spent_text(both->epsilon_replace, epsilon_replace);
    hr_spent_text(both->delta_replace, delta_replace);
    hr_buffer_format(text, ". A record that is also in the data of that model has (%s, %s) for both together",
                     epsilon, delta);
    hr_buffer_format(text, " (%s, %s for replacing it)", epsilon_replace, delta_replace);
    hr_buffer_text(text, both->privacy_measure == HR_PRIVACY_NONE
                             ? ": the two are of different kinds, so epsilons and deltas add up."
                             : ".");
}

static hr_status state_sound(const fit_job *f, hr_guarantee *g, hr_buffer *text, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], epsilon_replace[HR_AMOUNT_TEXT],
        delta_replace[HR_AMOUNT_TEXT];
    hr_status status = guarantee_granted(f, g, err);
    if (status) return status;
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->delta, delta);
    hr_spent_text(g->epsilon_replace, epsilon_replace);
    hr_spent_text(g->delta_replace, delta_replace);
    hr_buffer_format(text, "(%s, %s)-differentially private for adding or removing one record", epsilon,
                     delta);
    hr_buffer_format(text, " (%s, %s for replacing one). %s", epsilon_replace, delta_replace,
                     f->method->info.sound);
    return HR_OK;
}

static void state_unsound(const fit_job *f, hr_guarantee *g, hr_buffer *text) {
    char epsilon[HR_AMOUNT_TEXT];
    hr_spent_text(f->options->epsilon, epsilon);
    g->is_private = false;
    g->epsilon = g->epsilon_replace = INFINITY;
    g->delta = g->delta_replace = 0;
    hr_buffer_text(text, "NOT DIFFERENTIALLY PRIVATE. ");
    if (f->method->info.is_private && f->options->reproducible_noise)
        hr_buffer_text(text, "The noise was drawn from a seed that others may know or find. ");
    if (!f->method->info.is_private || f->options->mode == HR_MODE_PAPER)
        hr_buffer_text(text, f->method->info.flaws);
    if (f->method->info.is_private && f->options->mode == HR_MODE_PAPER)
        hr_buffer_format(text, " The authors claim epsilon = %s.", epsilon);
}

static hr_status make_model(fit_job *f, hr_model **out, hr_error *err) {
    hr_status status = HR_OK;
    hr_buffer statement = {0};
    hr_model parts = {.method = f->method->info.name,
                      .mode = f->options->mode,
                      .arena = f->training.arena,
                      .forest = f->training.forest,
                      .privacy_measure = hr_gate_privacy_measure(f->gate)};
    if (f->options->start) parts.start_model = f->start_hash;
    if (f->options->start && !f->options->start_is_public && claims_privacy(f))
        parts.start_guarantee = hr_start_compose(f->options->start, &f->budget);
    f->settings.arena = f->training.arena;
    hr_settings_add_options(&f->settings, f->method, f->options);
    add_records(f);
    if (f->settings.lost) return hr_fail_memory(err);
    if (claims_privacy(f))
        status = state_sound(f, &parts.guarantee, &statement, err);
    else
        state_unsound(f, &parts.guarantee, &statement);
    if (status) return status;
    state_start(f, &parts.start_guarantee, &statement);
    parts.settings = f->settings.items;
    parts.setting_count = f->settings.count;
    parts.releases = (hr_release *)hr_gate_releases(f->gate, &parts.release_count);
    char *text = NULL;
    status = hr_buffer_take(&statement, &text, err);
    if (status) return status;
    parts.guarantee.statement = text;
    status = hr_schema_copy(hr_data_schema(f->data), &parts.schema, err);
    if (!status) status = hr_model_make(&parts, out, err);
    f->training.arena = parts.arena;
    hr_schema_free(parts.schema);
    free(text);
    return status;
}

/* ---- The fit ---- */

/* What the start says of the records. */
static hr_status score_by_start(fit_job *f, hr_error *err) {
    const hr_model *start = f->options->start;
    if (!start) return HR_OK;
    hr_status status = hr_model_file_hash(start, f->start_hash, err);
    f->start_scores = malloc((hr_data_rows(f->data) * start->forest.output_count + 1) * sizeof(double));
    if (!status && !f->start_scores) status = hr_fail_memory(err);
    if (!status) status = hr_model_scores(start, f->data, f->training.threads, f->start_scores, err);
    f->training.start = &start->forest;
    f->training.start_scores = f->start_scores;
    return status;
}

static hr_status open_source(fit_job *f, hr_error *err) {
    hr_local_stats_records records = {
        .data = f->data, .scores = f->start_scores, .csprng = f->csprng, .threads = f->training.threads};
    return hr_local_stats_source_new(&records, &f->training.source, err);
}

static hr_status prepare_fit(fit_job *f, hr_error *err) {
    hr_status status = check_fit(f, err);
    if (!status)
        status = hr_budget_check(f->method, f->options, hr_data_schema(f->data), hr_data_rows(f->data),
                                 &f->budget, err);
    if (!status) status = hr_budget_check_delta(&f->budget, hr_data_rows(f->data), err);
    if (!status) status = check_memory(f, err);
    if (!status) status = open_fit_gate(f, err);
    f->training = (hr_training){.data = f->data,
                                .options = f->options,
                                .gate = f->gate,
                                .threads = hr_threads_of(f->options->threads),
                                .arena = hr_arena_new()};
    if (!status && !f->training.arena) status = hr_fail_memory(err);
    if (!status) status = score_by_start(f, err);
    if (!status) status = open_source(f, err);
    return status ? status : reserve_budget(f, err);
}

static hr_status run_fit(fit_job *f, hr_model **out, hr_error *err) {
    hr_model *model = NULL;
    hr_status status = prepare_fit(f, err);
    if (!status) status = f->method->train(&f->training, err);
    if (!status) status = make_model(f, &model, err);
    if (!status && f->options->ledger) status = hr_ledger_commit(f->options->ledger, f->entry, err);
    if (status) {
        give_back_reservation(f);
        hr_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

hr_status hr_fit(const hr_data *data, const hr_fit_options *options, hr_model **out, hr_error *err) {
    hr_fit_options taken;
    hr_status status = hr_options_taken(options, &taken, err);
    if (status) return status;
    fit_job f = {.data = data, .options = &taken, .method = hr_method_named(taken.method)};
    status = run_fit(&f, out, err);
    hr_stats_free(f.training.source);
    hr_arena_free(f.training.arena);
    hr_gate_free(f.gate);
    hr_csprng_close(f.csprng);
    free(f.start_scores);
    if (taken.entry) *taken.entry = f.entry;
    return status;
}
