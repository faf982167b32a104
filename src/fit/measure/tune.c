/* Several fits and one choice for one budget: trials of all settings, a private choice by their scores, and a
 * fit with the chosen setting. The order is that of a fit: check everything, reserve the whole budget, draw.
 * Proof: tune.proof.md. */
#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "fit/bounds.h"
#include "fit/budget.h"
#include "fit/fit.h"
#include "fit/measure/statistics.h"
#include "fit/paid.h"
#include "fit/settings.h"
#include "fit/table_checks.h"
#include "models/model/model.h"
#include "privacy/gate.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "trees/candidates/evaluation_counts.h"

#include <hedgerow/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CHOICE_SHARE = .25; /* of what trials and choice cost */
static const double SHARE_MIN = .01, SHARE_MAX = .9;
enum { PROGRESS_OF_FIT = 1000 };

/* What a selection holds while it runs. */
typedef struct tune_job {
    const hr_data *data;
    size_t count;
    hr_tune_options options;
    hr_fit_options settings[HR_TUNE_SETTINGS_MAX]; /* as they were taken; the budget of each is set here */
    hr_fit_options with_bounds;                    /* the first setting, with its private bounds */
    hr_bounded_table bounded;                      /* the records within them; empty: the schema has them */
    hr_budget whole, trial, rest;                  /* of everything, of one trial, of the last fit */
    hr_units choice, selection;                    /* the choice; it and all trials */
    hr_exact *scores;
    hr_arena *texts;      /* of `releases` */
    hr_release *releases; /* of trials and choice, in the order in which they were drawn */
    size_t release_count;
    uint64_t next_group;
    size_t fits, chosen; /* fits: that were begun */
    hr_model *model;
    int64_t entry; /* in the ledger; 0: none counts as spent */
} tune_job;

/* ---- Checks ---- */

static hr_status refuse_setting(size_t i, hr_status status, hr_error *err) {
    char field[128];
    snprintf(field, sizeof field, "settings[%zu]%s%.40s", i, err && *err->field ? "." : "",
             err ? err->field : "");
    return hr_fail_at(err, status, NULL, 0, 0, field);
}

static bool same_bounds(const hr_fit_options *a, const hr_fit_options *b) {
    bool same = a->private_bounds_count == b->private_bounds_count &&
                (!a->private_bounds_count || a->bounds_share == b->bounds_share);
    for (size_t i = 0; i < a->private_bounds_count && same; i++)
        same = strcmp(a->private_bounds[i], b->private_bounds[i]) == 0;
    return same;
}

/* Why a setting cannot take part; NULL: it can. `first` is the first setting. */
static const char *why_not(const hr_fit_options *setting, const hr_fit_options *first) {
    const hr_method *method = hr_method_named(setting->method);
    if (!method->info.is_private || setting->mode != HR_MODE_SOUND)
        return "the method has no guarantee in this mode";
    if (setting->start) return "a start is not supported";
    if (!same_bounds(setting, first)) return "its private bounds are not those of the first setting";
    if (setting->records_per_person) return "records-per-person is not supported";
    if (setting->leak) return "part of the schema was read off the records";
    if (setting->cluster) return "ranks are not supported";
    if (setting->record_weights) return "weights of records are not supported";
    if (setting->reproducible_noise != first->reproducible_noise || setting->seed != first->seed)
        return "its noise is not that of the first setting";
    return NULL;
}

static hr_status take_setting(tune_job *job, const hr_fit_options *given, size_t i, hr_error *err) {
    hr_fit_options *setting = &job->settings[i];
    hr_status status = hr_options_taken(given, setting, err);
    if (status) return refuse_setting(i, status, err);
    if (i == 0) job->with_bounds = *setting;
    const char *why = why_not(setting, &job->with_bounds);
    if (why) {
        hr_fail(err, HR_E_ARGUMENT, "leave this setting out, or change it", "it cannot take part: %s", why);
        return refuse_setting(i, HR_E_ARGUMENT, err);
    }
    setting->ledger = NULL;
    setting->entry = NULL;
    setting->progress = NULL;
    setting->remark = NULL; /* the first setting's is called once, for all */
    setting->delta = job->options.delta;
    setting->private_bounds_count = 0; /* they are released once, for all */
    return HR_OK;
}

static hr_status check_measures(const tune_job *job, hr_error *err) {
    const hr_method *first = hr_method_named(job->settings[0].method);
    for (size_t i = 1; i < job->count && job->options.delta > 0; i++) {
        const hr_method *method = hr_method_named(job->settings[i].method);
        if (method->with_delta == first->with_delta) continue;
        hr_fail(err, HR_E_ARGUMENT, "choose delta 0, where both count in epsilon, or settings of one method",
                "with delta %s and %s count their budgets in different measures", first->info.name,
                method->info.name);
        return refuse_setting(i, HR_E_ARGUMENT, err);
    }
    return HR_OK;
}

/* The largest epsilon that a fit can have which costs no more than so many units. */
static hr_status budget_within(const tune_job *job, hr_units units, hr_budget *out, hr_error *err) {
    hr_units low = 0, high = hr_units_down(job->whole.epsilon) + 1;
    hr_budget made;
    while (high - low > 1) {
        const hr_units middle = low + (high - low) / 2;
        const hr_status status = hr_budget_grant(hr_units_value(middle), job->options.delta,
                                                 job->whole.privacy_measure, &made, NULL);
        if (status != HR_OK && status != HR_E_BUDGET) return status;
        if (status == HR_E_BUDGET || made.whole <= units)
            low = middle;
        else
            high = middle;
    }
    return hr_budget_grant(hr_units_value(low), job->options.delta, job->whole.privacy_measure, out, err);
}

static hr_charge choice_charge(const tune_job *job) {
    const hr_release_scope scope = {.tree = -1};
    return hr_scope_charge(&scope, "choice of a setting", -1, job->choice, HR_TOTAL_WIDTH);
}

static hr_units bounds_at_most(const tune_job *job) {
    return job->whole.bounds + job->whole.bounds_again;
}

static hr_status divide_budget(tune_job *job, hr_error *err) {
    const hr_method *method = hr_method_named(job->settings[0].method);
    job->with_bounds.epsilon = job->options.epsilon;
    job->with_bounds.delta = job->options.delta;
    hr_status status = hr_budget_check(method, &job->with_bounds, hr_data_schema(job->data),
                                       hr_data_rows(job->data), &job->whole, err);
    if (status) return status;
    const hr_units left = job->whole.whole - bounds_at_most(job);
    job->selection = hr_units_share(left, job->options.share);
    job->choice = hr_units_share(job->selection, CHOICE_SHARE);
    status = budget_within(job, (job->selection - job->choice) / job->count, &job->trial, err);
    if (!status) status = budget_within(job, left - job->selection, &job->rest, err);
    const hr_charge charge = choice_charge(job);
    if (!status) status = hr_charge_check_choice(job->whole.privacy_measure, &charge, err);
    return status == HR_E_BUDGET ? hr_fail_at(err, status, NULL, 0, 0, "epsilon") : status;
}

static hr_status check_amounts(const tune_job *job, hr_error *err) {
    const double share = job->options.share;
    if (job->count < 2 || job->count > HR_TUNE_SETTINGS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "give 2 to 64 settings", "there are %zu settings", job->count);
    if (!(share >= SHARE_MIN && share <= SHARE_MAX)) {
        hr_fail(err, HR_E_ARGUMENT, "choose a number within the range", "it must be 0.01 to 0.9");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "share");
    }
    return hr_budget_check_amounts(job->options.epsilon, job->options.delta, err);
}

/* What a fit of each setting would refuse at either of its budgets. */
static hr_status check_fits(tune_job *job, hr_error *err) {
    const double epsilons[] = {job->trial.epsilon, job->rest.epsilon};
    for (size_t i = 0; i < job->count; i++)
        for (size_t k = 0; k < 2; k++) {
            job->settings[i].epsilon = epsilons[k];
            const hr_status status = hr_fit_check(job->data, &job->settings[i], err);
            if (status) return refuse_setting(i, status, err);
        }
    return HR_OK;
}

static hr_status check_tune(tune_job *job, const hr_fit_options *const *settings,
                            const hr_tune_options *given, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_tune_options), offsetof(hr_tune_options, share),
                                  "begin with HR_TUNE_OPTIONS_INIT"};
    const hr_schema *schema = hr_data_schema(job->data);
    job->options = (hr_tune_options)HR_TUNE_OPTIONS_INIT;
    hr_status status = hr_sized_take(&kind, given, &job->options, err);
    if (!status) status = check_amounts(job, err);
    const hr_task task = hr_schema_task(schema);
    if (!status && (task == HR_TASK_SURVIVAL || task == HR_TASK_QUANTILES)) {
        status = hr_fail(err, HR_E_ARGUMENT, "train with one setting",
                         "settings are compared by a loss with noise, and models of %s have none",
                         hr_task_text(task));
        return hr_fail_at(err, status, NULL, 0, 0, hr_schema_label(schema)->name);
    }
    for (size_t i = 0; i < job->count && !status; i++) status = take_setting(job, settings[i], i, err);
    if (!status) status = check_measures(job, err);
    if (!status) status = divide_budget(job, err);
    if (!status && job->data->cells)
        status = hr_fail(err, HR_E_POLICY, "tune on the table itself",
                         "the data are a binned cache: trials are scored by the values");
    if (!status) status = check_fits(job, err);
    if (!status) status = hr_fit_remarks(job->data, &job->with_bounds, err);
    if (status || !job->options.ledger) return status;
    if (!job->settings[0].reproducible_noise)
        status = hr_schema_public(hr_data_schema(job->data), err);
    else
        status = hr_fail(err, HR_E_POLICY, "use random noise, or no ledger",
                         "reproducible noise is not private: a ledger cannot pay for it");
    return status ? status : hr_schema_decides_unit(hr_data_schema(job->data), err);
}

static hr_status reserve_tune(tune_job *job, hr_error *err) {
    if (!job->options.ledger) return HR_OK;
    const hr_schema *schema = hr_data_schema(job->data);
    char purpose[200];
    snprintf(purpose, sizeof purpose, "tune %zu settings for %.120s", job->count,
             hr_schema_label(schema)->name);
    hr_status status = hr_ledger_set_unit(job->options.ledger, hr_schema_unit(schema), err);
    if (status) return status;
    return hr_ledger_reserve(job->options.ledger, job->whole.epsilon, job->whole.delta, purpose, &job->entry,
                             err);
}

/* ---- Trials, the choice, and the fit ---- */

static bool step_tune(void *user, size_t done, size_t total) {
    const tune_job *job = user;
    if (!job->options.progress) return true;
    const size_t part = total ? PROGRESS_OF_FIT * done / total : 0,
                 whole = PROGRESS_OF_FIT * (job->count + 1);
    return job->options.progress(job->options.user, PROGRESS_OF_FIT * (job->fits - 1) + part, whole);
}

static hr_status fit_setting(tune_job *job, size_t i, const hr_budget *budget, hr_model **out,
                             hr_error *err) {
    hr_fit_options options = job->settings[i];
    options.epsilon = budget->epsilon;
    options.progress = step_tune;
    options.user = job;
    options.seed += job->fits++;
    return hr_fit(job->data, &options, out, err);
}

/* Adds lines to the list, in groups of their own. */
static hr_status add_releases(tune_job *job, const hr_release *lines, size_t count, hr_error *err) {
    hr_release *more = realloc(job->releases, (job->release_count + count + 1) * sizeof *more);
    if (!more) return hr_fail_memory(err);
    job->releases = more;
    uint64_t next = job->next_group;
    for (size_t i = 0; i < count; i++) {
        hr_release *line = &more[job->release_count++];
        *line = lines[i];
        line->group += job->next_group;
        if (line->group >= next) next = line->group + 1;
    }
    job->next_group = next;
    return HR_OK;
}

static hr_status list_gate(tune_job *job, const hr_gate *gate, hr_error *err) {
    size_t lines;
    const hr_release *releases = hr_gate_releases(gate, &lines);
    return add_releases(job, releases, lines, err);
}

/* For what is released beside the fits. */
static hr_status open_gate(tune_job *job, hr_units units, hr_csprng **csprng, hr_gate **gate, hr_error *err) {
    const hr_fit_options *first = &job->settings[0];
    hr_status status =
        first->reproducible_noise
            ? hr_csprng_open_seeded(first->seed + HR_TUNE_SETTINGS_MAX + job->fits, csprng, err)
            : hr_csprng_open(csprng, err);
    return status ? status : hr_gate_new(job->whole.privacy_measure, units, *csprng, gate, err);
}

/* From here on the records are known by these bounds alone. What they did not need goes to the last fit. */
static hr_status release_bounds(tune_job *job, hr_error *err) {
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    if (!job->whole.bounds) return HR_OK;
    hr_status status = open_gate(job, bounds_at_most(job), &csprng, &gate, err);
    if (!status)
        status = hr_bounds_release(job->data, &job->with_bounds, gate, &job->whole, &job->bounded, err);
    if (!status) status = list_gate(job, gate, err);
    if (!status)
        status = budget_within(job, job->whole.whole - job->bounded.spent - job->selection, &job->rest, err);
    if (!status) job->data = job->bounded.data;
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    return status;
}

static hr_status score_trial(tune_job *job, const hr_model *trial, hr_exact *out, hr_error *err) {
    const hr_column *label = hr_schema_label(hr_data_schema(job->data));
    hr_comparison c = {0};
    hr_data records = *job->data; /* the same: models of persons predict for records of anybody */
    records.schema = hr_model_schema(trial);
    hr_status status = hr_comparison_make(trial, &records, job->settings[0].threads, &c, err);
    if (status) return status;
    const hr_scored scored = {.rows = c.rows,
                              .outputs = c.outputs,
                              .predicted = c.predicted,
                              .labels = c.labels,
                              .range = label->high - label->low};
    hr_scored_total(&scored, hr_data_weights(job->data), out);
    hr_comparison_free(&c);
    return HR_OK;
}

/* The trees of a trial go nowhere: its lines are kept, with no tree. */
static hr_status keep_lines(tune_job *job, size_t i, const hr_model *trial, hr_error *err) {
    for (size_t r = 0; r < trial->release_count; r++) {
        hr_release *line = &trial->releases[r];
        char what[200];
        const int size = snprintf(what, sizeof what, "%.160s, setting %zu", line->what, i + 1);
        line->what = hr_arena_text(job->texts, what, (size_t)size);
        if (!line->what) return hr_fail_memory(err);
        line->tree = line->level = -1;
    }
    return add_releases(job, trial->releases, trial->release_count, err);
}

static hr_status run_trial(tune_job *job, size_t i, hr_error *err) {
    hr_model *trial = NULL;
    hr_status status = fit_setting(job, i, &job->trial, &trial, err);
    if (!status) status = score_trial(job, trial, &job->scores[i], err);
    if (!status) status = keep_lines(job, i, trial, err);
    hr_model_free(trial);
    return status;
}

/* In a gate of what is left: the fit that follows costs all of it (`rest`). */
static hr_status choose_setting(tune_job *job, hr_error *err) {
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_permit permit;
    const hr_charge charge = choice_charge(job);
    hr_status status = open_gate(job, job->choice + job->rest.whole, &csprng, &gate, err);
    if (!status) status = hr_gate_charge_choice_now(gate, &charge, &permit, err);
    if (!status) {
        job->chosen = hr_gate_choose(gate, permit, job->scores, job->count);
        status = list_gate(job, gate, err);
    }
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    return status;
}

/* ---- The model ---- */

static void add_number(hr_settings *settings, const char *name, double number) {
    char text[HR_NUMBER_TEXT];
    hr_number_text(number, text);
    hr_settings_add(settings, name, text);
}

static void write_tune_settings(const tune_job *job, hr_settings *settings) {
    for (size_t i = 0; i < job->model->setting_count; i++)
        hr_settings_add(settings, job->model->settings[i].name, job->model->settings[i].value);
    hr_bounds_add_settings(settings, &job->with_bounds);
    hr_settings_add_count(settings, "tuned-settings", job->count);
    hr_settings_add_count(settings, "tuned-chosen", job->chosen + 1);
    add_number(settings, "tuned-epsilon", job->whole.epsilon);
    add_number(settings, "tuned-share", job->options.share);
}

/* That the whole list costs no more than what was granted, and that each line pays for itself. */
static hr_status check_granted(const tune_job *job, const hr_guarantee *granted, hr_error *err) {
    hr_guarantee used;
    hr_units units = 0;
    hr_status status = hr_account(job->releases, job->release_count, &units, err);
    if (!status)
        status = hr_model_account(job->releases, job->release_count, job->whole.privacy_measure,
                                  job->whole.delta, &used, err);
    if (status) return status;
    const bool covered = used.is_private && used.epsilon <= granted->epsilon &&
                         used.epsilon_replace <= granted->epsilon_replace && units <= job->whole.whole;
    if (covered) return hr_account_check(job->releases, job->release_count, job->whole.privacy_measure, err);
    return hr_fail(err, HR_E_POLICY, "please report this error of the library; the budget stays spent",
                   "the releases cost more than the budget that was granted");
}

static hr_status state_tune(const tune_job *job, hr_guarantee *g, hr_buffer *text, hr_error *err) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], epsilon_replace[HR_AMOUNT_TEXT],
        delta_replace[HR_AMOUNT_TEXT], trial[HR_AMOUNT_TEXT];
    hr_guarantee_of(job->whole.whole, job->whole.privacy_measure, job->whole.delta, g);
    g->epsilon = job->whole.epsilon;
    g->unit = job->model->guarantee.unit;
    hr_status status = check_granted(job, g, err);
    hr_spent_text(g->epsilon, epsilon);
    hr_spent_text(g->delta, delta);
    hr_spent_text(g->epsilon_replace, epsilon_replace);
    hr_spent_text(g->delta_replace, delta_replace);
    hr_spent_text(job->trial.epsilon, trial);
    hr_buffer_format(text,
                     "(%s, %s)-differentially private for adding or removing %s (%s, %s for replacing one), "
                     "with the choice of its setting: each of %zu settings trained once, for an epsilon of "
                     "%s, one was chosen, and this model was trained with it. Of that last training by "
                     "itself: ",
                     epsilon, delta, g->unit, epsilon_replace, delta_replace, job->count, trial);
    return status;
}

/* The model of the last fit, which becomes that of all that was released. */
static hr_status make_tuned(tune_job *job, hr_error *err) {
    hr_model parts = *job->model, *made = NULL;
    hr_settings settings = {.arena = parts.arena};
    hr_buffer statement = {0};
    char *text = NULL;
    hr_status status = add_releases(job, parts.releases, parts.release_count, err);
    if (!status && parts.guarantee.is_private) status = state_tune(job, &parts.guarantee, &statement, err);
    write_tune_settings(job, &settings);
    if (!status && settings.incomplete) status = hr_fail_memory(err);
    hr_buffer_text(&statement, job->model->guarantee.statement);
    hr_bounds_state(&job->bounded, &job->with_bounds, job->whole.whole, &statement);
    if (!status) status = hr_buffer_take(&statement, &text, err);
    hr_buffer_done(&statement);
    parts.guarantee.statement = text;
    parts.settings = settings.items;
    parts.setting_count = settings.count;
    parts.releases = job->releases;
    parts.release_count = job->release_count;
    if (!status) status = hr_model_make(&parts, &made, err);
    free(text);
    if (status) return status;
    job->model->arena = NULL; /* `made` has it */
    hr_model_free(job->model);
    job->model = made;
    return HR_OK;
}

static hr_status run_tune(tune_job *job, hr_error *err) {
    hr_status status = reserve_tune(job, err);
    if (status) return status;
    status = release_bounds(job, err);
    for (size_t i = 0; i < job->count && !status; i++) status = run_trial(job, i, err);
    if (!status) status = choose_setting(job, err);
    if (!status) status = fit_setting(job, job->chosen, &job->rest, &job->model, err);
    if (!status) status = make_tuned(job, err);
    if (!status) status = hr_paid_commit(&hr_paid_model, job->model, job->options.ledger, job->entry, err);
    return status;
}

hr_status hr_tune(const hr_data *data, const hr_fit_options *const *settings, size_t count,
                  const hr_tune_options *options, hr_tuned *out, hr_error *err) {
    tune_job *job = calloc(1, sizeof *job);
    if (!job) return hr_fail_memory(err);
    job->data = data;
    job->count = count;
    job->texts = hr_arena_new();
    job->scores = calloc(HR_TUNE_SETTINGS_MAX, sizeof *job->scores);
    hr_status status =
        job->texts && job->scores ? check_tune(job, settings, options, err) : hr_fail_memory(err);
    if (!status) status = run_tune(job, err);
    if (job->options.entry) *job->options.entry = job->entry;
    if (!status)
        *out = (hr_tuned){.model = job->model,
                          .chosen = job->chosen,
                          .epsilon_trial = job->trial.epsilon,
                          .epsilon_fit = job->rest.epsilon};
    else
        hr_model_free(job->model);
    hr_bounded_table_done(&job->bounded);
    hr_arena_free(job->texts);
    free(job->scores);
    free(job->releases);
    free(job);
    return status;
}
