/* The only wiring: a fit joins data, ledger, gate, method and model, in the order that keeps the promise:
 * check everything, reserve the budget durably, draw, and list in the model what was drawn. */
#include "fit/fit.h"
#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "base/threads.h"
#include "fit/bounds.h"
#include "fit/budget.h"
#include "fit/conformal.h"
#include "fit/cuts.h"
#include "fit/over_ranks.h"
#include "fit/paid.h"
#include "fit/rank_steps.h"
#include "fit/settings.h"
#include "fit/start.h"
#include "fit/table_checks.h"
#include "fit/weights.h"
#include "tables/data/cell_file.h"
#include "tables/data/sparse.h"
#include "tables/schema/schema.h"
#include "trees/cluster/cluster.h"
#include "trees/records/local_source.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What methods need beside their large tables. */
static const double MEMORY_MARGIN = 1.125;

/* What a fit holds while it runs. */
typedef struct fit_job {
    const hr_data *data;
    const hr_fit_options *options;
    const hr_method *method;
    hr_budget budget;
    hr_csprng *csprng;
    hr_gate *gate;
    hr_person_sample sample; /* what is trained on, if at most m records of a person are */
    hr_training training;
    int threads;
    int64_t entry;       /* in the ledger; 0: none counts as spent */
    bool declares_equal; /* hr_data_declares_equal of the table that was given */
    char *leak;          /* what was read off the records, by the options and the schema; NULL: nothing */
    hr_settings settings;
    hr_bounded_table bounded;        /* the records within released bounds; empty: the schema has them */
    hr_cut_tables cut;               /* the records with released cuts; empty: the schema has them */
    hr_weighted weighted;            /* the records with weights of classes or records; empty: none */
    hr_conformal_parts parts;        /* trained on, and held out for the interval; empty: all train */
    double *start_scores;            /* of the records; NULL: there is no start */
    char start_hash[HR_DIGEST_TEXT]; /* of its file */
} fit_job;

static size_t rows_of_fit(const fit_job *f) {
    return f->options->cluster ? hr_cluster_rows(f->options->cluster) : hr_data_rows(f->data);
}

static bool claims_privacy(const fit_job *f) {
    if (f->leak) return false;
    return f->method->info.is_private && f->options->mode == HR_MODE_SOUND && !f->options->reproducible_noise;
}

static hr_status check_fit_ledger(const fit_job *f, hr_error *err) {
    if (!f->options->ledger) return HR_OK;
    if (claims_privacy(f)) return hr_schema_decides_unit(hr_data_schema(f->data), err);
    const char *leak = "";
    const char *why = "read off the records, and not paid for: ";
    if (!f->method->info.is_private)
        why = "the method has no privacy guarantee";
    else if (f->options->mode == HR_MODE_PAPER)
        why = "the paper mode is not differentially private";
    else if (f->options->reproducible_noise)
        why = "reproducible noise is not private";
    else
        leak = f->leak;
    hr_fail(err, HR_E_POLICY,
            "use a private method in sound mode with random noise and a public schema, or no ledger",
            "this fit cannot be charged to a ledger: %s%s", why, leak);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "ledger");
}

/* A method that cannot protect persons must not be given several records of one. */
static hr_status check_unit(const fit_job *f, hr_error *err) {
    const char *unit = hr_schema_unit(hr_data_schema(f->data));
    int64_t most = f->options->records_per_person;
    if (most > 0 && !unit) {
        hr_fail(err, HR_E_ARGUMENT, "name the column of persons in the schema: 'unit: ...'",
                "the schema names no unit");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "records-per-person");
    }
    if (!unit || most || !f->method->info.is_private) return HR_OK;
    if (f->method->persons && f->options->mode == HR_MODE_SOUND) return HR_OK;
    char able[HR_METHODS_TEXT], remedy[HR_METHODS_TEXT + 120];
    hr_methods_list(HR_CAN_WEIGH, hr_schema_task(hr_data_schema(f->data)), able);
    snprintf(remedy, sizeof remedy,
             "use %s in sound mode, or train on at most m records of each person: records-per-person", able);
    hr_fail(err, HR_E_POLICY, remedy, "method %s cannot give a person's records weights (unit %s)",
            f->method->info.name, unit);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "unit");
}

static hr_status check_fit(fit_job *f, hr_error *err) {
    const hr_schema *schema = hr_data_schema(f->data);
    if (f->options->threads < 0 || f->options->threads > HR_THREADS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "0 means all processors", "threads must be 0..%d", HR_THREADS_MAX);
    hr_status status = hr_threads_of(f->options->threads, &f->threads, err);
    if (!status) status = hr_options_check(f->method, f->options, err);
    if (!status) status = hr_over_ranks_check(f->method, f->options, schema, err);
    if (!status) status = hr_schema_reviewed(schema, err);
    if (!status) status = hr_method_check_label(f->method, f->options->mode, schema, err);
    if (!status) status = hr_start_check(f->method, f->options, schema, err);
    if (!status) status = hr_fit_check_monotone(f->method, f->options, schema, err);
    if (!status) status = hr_class_weights_check(f->method, f->options, schema, err);
    if (!status) status = hr_record_weights_check(f->method, f->options, f->data, err);
    if (!status) status = hr_schema_weight_check(f->method, f->options, schema, err);
    if (!status) status = check_fit_ledger(f, err);
    if (!status && claims_privacy(f)) status = hr_schema_public(schema, err);
    if (!status) status = check_unit(f, err);
    if (!status) status = hr_fit_check_cells(f->method, f->options, f->data, err);
    if (status) return status;
    if (!hr_data_has_labels(f->data))
        return hr_fail(err, HR_E_SCHEMA, "train on data that have the label",
                       "the data have no label column");
    status = hr_data_check_exposures(f->data, err);
    if (status) return status;
    if (!rows_of_fit(f)) return hr_fail(err, HR_E_SCHEMA, "add records", "the data have no rows");
    if (!hr_schema_feature_count(schema))
        return hr_fail(err, HR_E_SCHEMA, "add a feature", "the schema has no features");
    return HR_OK;
}

/* Takes as much at once and gives it back: better before the budget is spent than after. */
static hr_status check_memory(const fit_job *f, hr_error *err) {
    hr_fit_facts facts = {.options = f->options,
                          .schema = hr_data_schema(f->data),
                          .rows = hr_data_rows(f->data),
                          .cells = hr_data_cells(f->data),
                          .threads = f->threads,
                          .privacy_measure = f->budget.privacy_measure,
                          .budget = f->budget.units};
    double bytes = f->method->memory ? MEMORY_MARGIN * f->method->memory(&facts) : 0;
    if (f->options->start) bytes += (double)facts.rows * (double)hr_facts_outputs(&facts) * sizeof(double);
    if (hr_options_weigh(f->options)) bytes += (double)facts.rows * sizeof(uint32_t);
    if (hr_conformal_coverage(f->options) > 0) /* sides by record, and predictions of a fifth */
        bytes += (double)facts.rows * (2 + .2 * (double)hr_facts_outputs(&facts)) * sizeof(double);
    if (f->options->private_bounds_count || hr_conformal_coverage(f->options) > 0)
        bytes += (hr_facts_table(&facts) + (double)facts.rows) * sizeof(double);
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
    status = hr_gate_new(f->budget.privacy_measure, f->budget.units, f->csprng, &f->gate, err);
    if (!status) hr_gate_set_timings(f->gate, f->options->timings);
    return status;
}

static hr_status reserve_budget(fit_job *f, hr_error *err) {
    const hr_schema *schema = hr_data_schema(f->data);
    char purpose[200];
    if (!f->options->ledger) return HR_OK;
    hr_timings_enter(f->options->timings, HR_PHASE_LEDGER);
    snprintf(purpose, sizeof purpose, "fit %s for %.120s", f->method->info.name,
             hr_schema_label(schema)->name);
    hr_status status = hr_ledger_set_unit(f->options->ledger, hr_schema_unit(schema), err);
    if (!status)
        status = hr_ledger_reserve(f->options->ledger, f->budget.epsilon, f->budget.delta, purpose, &f->entry,
                                   err);
    hr_timings_leave(f->options->timings);
    return status;
}

/* Without a draw nothing was published. Where the ledger cannot be written, the entry stays spent. */
static void give_back_reservation(fit_job *f) {
    size_t count;
    hr_error unused;
    if (!f->entry) return;
    const hr_release *releases = hr_gate_releases(f->gate, &count);
    for (size_t i = 0; i < count; i++)
        if (releases[i].draws) return;
    if (!hr_ledger_void(f->options->ledger, f->entry, &unused)) f->entry = 0;
}

/* ---- The model ---- */

static void write_settings(fit_job *f) {
    const char *unit = hr_schema_unit(hr_data_schema(f->data)),
               *weight = hr_schema_weight(hr_data_schema(f->data), NULL);
    size_t most = (size_t)f->options->records_per_person;
    char records[HR_NUMBER_TEXT];
    f->settings.arena = f->training.arena;
    hr_settings_add_options(&f->settings, f->method, f->options);
    hr_bounds_add_settings(&f->settings, f->options);
    hr_class_weights_add_setting(&f->settings, f->options);
    if (f->training.records > 0) {
        hr_number_text(f->training.records, records);
        hr_settings_add(&f->settings, HR_RECORDS_SETTING, records);
    }
    for (size_t i = 0; i < f->training.curve_count; i++)
        hr_settings_add(&f->settings, f->training.curves[i].name, f->training.curves[i].text);
    if (unit) hr_settings_add(&f->settings, "unit", unit);
    if (weight) hr_settings_add(&f->settings, "weight", weight);
    if (most) hr_settings_add_count(&f->settings, HR_PER_PERSON_SETTING, most);
}

/* The budget that was granted, and charged to the ledger, not the sum of the releases: how much of the budget
 * these leave unspent may depend on a noisy count. */
static hr_status guarantee_granted(const fit_job *f, hr_guarantee *out, hr_error *err) {
    size_t count;
    const hr_release *releases = hr_conformal_releases(&f->parts, f->gate, &count);
    hr_guarantee used, granted;
    hr_units units = 0;
    hr_status status =
        hr_model_account(releases, count, f->budget.privacy_measure, f->budget.delta, &used, err);
    if (!status) status = hr_account(releases, count, &units, err);
    if (status) return status;
    hr_guarantee_of(f->budget.whole, f->budget.privacy_measure, f->budget.delta, &granted);
    granted.epsilon = f->budget.epsilon;
    granted.unit = hr_schema_unit(hr_data_schema(f->data)) ? HR_ONE_PERSON : HR_ONE_RECORD;
    if (!used.is_private || used.epsilon > granted.epsilon ||
        used.epsilon_replace > granted.epsilon_replace || units > f->budget.units)
        return hr_fail(err, HR_E_POLICY, "please report this error of the library; the budget stays spent",
                       "the releases cost more than the budget that was granted");
    *out = granted;
    return HR_OK;
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
    hr_buffer_format(text, "(%s, %s)-differentially private for adding or removing %s", epsilon, delta,
                     g->unit);
    hr_buffer_format(text, " (%s, %s for replacing one). ", epsilon_replace, delta_replace);

    /* Whose records a person's are, and how many of them were trained on. */
    const char *unit = hr_schema_unit(hr_data_schema(f->data));
    if (unit) {
        char name[80];
        hr_text_show(unit, name, sizeof name);
        hr_buffer_format(text, "A person is all records of one %s. ", name);
    }
    if (hr_schema_single_records(hr_data_schema(f->data)))
        hr_buffer_text(text, "The schema says that each person has one record. ");
    if (unit && f->options->records_per_person) {
        hr_guarantee one;
        hr_guarantee_of(f->budget.units, f->budget.privacy_measure, f->budget.delta, &one);
        hr_spent_text(one.epsilon, epsilon);
        hr_buffer_format(
            text,
            "At most %lld records of each person were drawn by secret coins and trained on. The noise "
            "is such that for one of these records epsilon is %s, and for all of them the epsilon "
            "above. In what follows, epsilon is that of one record. ",
            (long long)f->options->records_per_person, epsilon);
    }
    bool weighs = hr_schema_unit(hr_data_schema(f->training.data)) != NULL;
    hr_buffer_text(text, weighs ? f->method->persons : f->method->info.sound);
    if (!weighs && f->training.unit == HR_PER_PERSON && f->method->weighed)
        hr_buffer_text(text, f->method->weighed);
    return HR_OK;
}

static void state_unsound(const fit_job *f, hr_guarantee *g, hr_buffer *text) {
    char epsilon[HR_AMOUNT_TEXT];
    hr_spent_text(f->options->epsilon, epsilon);
    g->is_private = false;
    g->epsilon = g->epsilon_replace = INFINITY;
    g->delta = g->delta_replace = 0;
    hr_buffer_text(text, "NOT DIFFERENTIALLY PRIVATE.");
    if (f->method->info.is_private && f->options->reproducible_noise)
        hr_buffer_text(text, " The noise was drawn from a seed that others may know or find.");
    if (f->method->info.is_private && f->leak)
        hr_buffer_format(text, " Read off the records, and not paid for: %s.", f->leak);
    if (!f->method->info.is_private || f->options->mode == HR_MODE_PAPER)
        hr_buffer_format(text, " %s", f->method->info.flaws);
    if (f->method->info.is_private && f->options->mode == HR_MODE_PAPER)
        hr_buffer_format(text, " The authors claim epsilon = %s.", epsilon);
}

static const char of_program_text[] =
    " All of this is of the table that was given to the fit. What a program computed from the records "
    "before, such as a fitted scaler or encoder, is not covered.";

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
        status = hr_start_compose(f->options->start, &f->budget, &parts.start_guarantee, err);
    if (status) return status;
    write_settings(f);
    if (f->settings.incomplete) return hr_fail_memory(err);
    if (claims_privacy(f))
        status = state_sound(f, &parts.guarantee, &statement, err);
    else
        state_unsound(f, &parts.guarantee, &statement);
    if (status) return status;
    hr_start_state(f->options, f->start_hash, &parts.start_guarantee, &statement);
    hr_bounds_state(&f->bounded, f->options, f->budget.units, &statement);
    hr_cuts_state(f->budget.cuts, f->budget.units, &statement);
    hr_weights_state(f->options, hr_data_schema(f->data), &statement);
    hr_conformal_state(&f->parts, &statement);
    if (f->options->of_program && claims_privacy(f)) hr_buffer_text(&statement, of_program_text);
    if (f->declares_equal) hr_buffer_text(&statement, HR_EQUAL_FILES);
    parts.settings = f->settings.items;
    parts.setting_count = f->settings.count;
    parts.releases = (hr_release *)hr_conformal_releases(&f->parts, f->gate, &parts.release_count);
    char *text = NULL;
    status = hr_buffer_take(&statement, &text, err);
    if (status) return status;
    parts.guarantee.statement = text;
    status = hr_schema_copy_of_records(hr_data_schema(f->data), &parts.schema, err);
    if (!status) status = hr_model_make(&parts, out, err);
    f->training.arena = parts.arena;
    hr_schema_free(parts.schema);
    free(text);
    return status;
}

/* ---- The fit ---- */

/* What the start holds about the records. */
static hr_status score_by_start(fit_job *f, hr_error *err) {
    const hr_model *start = f->options->start;
    if (!start) return HR_OK;
    hr_status status = hr_model_file_hash(start, f->start_hash, err);
    f->start_scores = malloc((hr_data_rows(f->data) * start->forest.output_count + 1) * sizeof(double));
    if (!status && !f->start_scores) status = hr_fail_memory(err);
    hr_timings_enter(f->options->timings, HR_PHASE_SCORE);
    if (!status) status = hr_model_scores(start, f->data, f->training.threads, f->start_scores, err);
    hr_timings_leave(f->options->timings);
    if (!status && f->options->cluster) status = hr_ranks_start(f->options->cluster, &start->forest, err);
    f->training.start = &start->forest;
    f->training.start_scores = f->start_scores;
    return status;
}

static hr_status open_source(fit_job *f, hr_error *err) {
    hr_local_stats_records records = {.data = f->training.data,
                                      .scores = f->start_scores,
                                      .csprng = f->csprng,
                                      .threads = f->training.threads,
                                      .timings = f->options->timings};
    if (f->options->cluster)
        return hr_cluster_source_new(f->options->cluster, &records, &f->training.source, err);
    return hr_local_stats_source_new(&records, &f->training.source, err);
}

static hr_privacy_unit unit_of_releases(const fit_job *f, const hr_data *trained) {
    if (!trained || !f->method->persons) return HR_PER_RECORD;
    bool weighs = hr_schema_weighs(hr_data_schema(trained)) || hr_options_weigh(f->options);
    return weighs ? HR_PER_PERSON : HR_PER_RECORD;
}

static hr_status check_before_draws(fit_job *f, hr_error *err) {
    const hr_schema *schema = hr_data_schema(f->data);
    const size_t rows = rows_of_fit(f);
    hr_status status = check_fit(f, err);
    if (!status) status = hr_budget_check(f->method, f->options, schema, rows, &f->budget, err);
    if (!status) status = hr_budget_check_delta(&f->budget, rows, err);
    if (!status) status = hr_conformal_check(f->options, schema, f->data->cells != NULL, &f->budget, err);
    return status ? status : check_memory(f, err);
}

static hr_status prepare_fit(fit_job *f, hr_error *err) {
    hr_status status = check_before_draws(f, err);
    if (!status) status = hr_fit_remarks(f->data, f->options, err);
    if (!status) status = open_fit_gate(f, err);
    const hr_data *trained = status ? NULL : f->data;
    if (!status && f->options->cluster) status = hr_ranks_begin(f->options->cluster, err);
    if (!status && f->options->records_per_person) {
        status = hr_person_sample_draw(f->data, f->options, f->csprng, &f->sample, err);
        if (!status) trained = f->sample.data;
    }
    f->training = (hr_training){.data = trained,
                                .options = f->options,
                                .unit = unit_of_releases(f, trained),
                                .gate = f->gate,
                                .threads = f->threads,
                                .arena = hr_arena_new()};
    if (!status && !f->training.arena) status = hr_fail_memory(err);
    if (!status) status = score_by_start(f, err);
    return status ? status : reserve_budget(f, err);
}

/* From here on the fit knows the table by its released bounds and cuts alone. */
static hr_status release_fit_bounds(fit_job *f, hr_error *err) {
    hr_status status = HR_OK;
    if (!f->options->private_bounds_count && !f->budget.cuts) return HR_OK;
    hr_timings_enter(f->options->timings, HR_PHASE_BOUNDS);
    if (f->options->private_bounds_count) {
        status = hr_bounds_release(f->data, f->options, f->gate, &f->budget, &f->bounded, err);
        if (!status) f->data = f->training.data = f->bounded.data;
    }
    const hr_cuts_order cuts = {f->gate, f->budget.cuts, f->options->cluster};
    if (!status && f->budget.cuts) status = hr_cuts_release(&f->data, &f->training.data, &cuts, &f->cut, err);
    hr_timings_leave(f->options->timings);
    hr_gate_set_aside(f->gate, f->bounded.spent + f->budget.cuts);
    return status;
}

/* What the caller states of its schema, and the marks of the schema that were accepted. */
static hr_status find_leak(fit_job *f, hr_error *err) {
    const char *said = f->options->leak;
    hr_buffer names = {0}, text = {0};
    const bool accepted = hr_schema_accepted(hr_data_schema(f->data), &names);
    if (said) hr_buffer_text(&text, said);
    if (accepted)
        hr_buffer_format(&text, "%swhat the schema marks as read from them: %s", said ? ", " : "",
                         names.failed ? "" : names.bytes);
    const bool failed = names.failed;
    hr_buffer_done(&names);
    if (!said && !accepted) return HR_OK;
    hr_status status = failed ? hr_fail_memory(err) : hr_buffer_take(&text, &f->leak, err);
    hr_buffer_done(&text);
    return status;
}

static hr_status run_fit(fit_job *f, hr_model **out, hr_error *err) {
    hr_model *model = NULL;
    hr_status status = find_leak(f, err);
    if (!status) status = prepare_fit(f, err);
    if (!status) status = release_fit_bounds(f, err);
    if (!status && hr_options_weigh(f->options)) {
        status = hr_weights_apply(f->training.data, f->options, &f->weighted, err);
        if (!status && f->options->cluster) status = hr_ranks_weigh(f->options->cluster, f->options, err);
        if (!status) f->training.data = f->weighted.data;
    }
    if (!status) status = hr_conformal_divide(f->options, f->csprng, &f->training.data, &f->parts, err);
    if (!status) status = open_source(f, err);
    if (!status) status = f->method->train(&f->training, err);
    if (!status) status = hr_conformal_release(&f->parts, &f->training, &f->budget, err);
    if (!status && f->data->cells) status = hr_cell_file_unchanged(f->data->cells, err);
    hr_timings_enter(f->options->timings, HR_PHASE_MODEL);
    if (!status) status = make_model(f, &model, err);
    hr_timings_leave(f->options->timings);
    if (!status && claims_privacy(f)) {
        hr_timings_enter(f->options->timings, f->options->ledger ? HR_PHASE_LEDGER : HR_PHASE_MODEL);
        status = hr_paid_commit(&hr_paid_model, model, f->options->ledger, f->entry, err);
        hr_timings_leave(f->options->timings);
    }
    if (status) {
        give_back_reservation(f);
        hr_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

hr_status hr_fit_check(const hr_data *data, const hr_fit_options *options, hr_error *err) {
    hr_fit_options taken;
    hr_status status = hr_options_taken(options, &taken, err);
    fit_job f = {.data = data, .options = &taken};
    if (!status) status = hr_data_refuse_repeats(data, err);
    if (!status) status = find_leak(&f, err);
    if (!status) f.method = hr_method_named(taken.method);
    if (!status) status = check_before_draws(&f, err);
    free(f.leak);
    return status;
}

hr_status hr_fit(const hr_data *data, const hr_fit_options *options, hr_model **out, hr_error *err) {
    hr_fit_options taken;
    hr_status status = hr_options_taken(options, &taken, err);
    if (status) return status;
    fit_job f = {.data = data, .options = &taken, .method = hr_method_named(taken.method)};
    status = hr_data_refuse_repeats(data, err);
    f.declares_equal = hr_data_declares_equal(data);
    if (!status) status = run_fit(&f, out, err);
    hr_stats_free(f.training.source);
    hr_arena_free(f.training.arena);
    hr_gate_free(f.gate);
    hr_csprng_close(f.csprng);
    free(f.start_scores);
    free(f.leak);
    hr_person_sample_done(&f.sample);
    hr_conformal_parts_done(&f.parts);
    hr_weighted_done(&f.weighted);
    hr_cut_tables_done(&f.cut);
    hr_bounded_table_done(&f.bounded);
    if (taken.entry) *taken.entry = f.entry;
    return status;
}
