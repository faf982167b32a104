#include "fit/bounds.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "fit/rank_steps.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups of methods count from 0 and never come here: what the bounds cost adds to what a method costs. */
static const uint64_t GROUP = (uint64_t)1 << 40;

static const double SHARE_MIN = .001, SHARE_MAX = .5;

/* What is spent on the columns that noise hid, in shares: half of the noise, and less for few of them. */
static const double AGAIN = 4;

static bool share_is_allowed(const hr_fit_options *options) {
    return options->bounds_share >= SHARE_MIN && options->bounds_share <= SHARE_MAX;
}

hr_units hr_bounds_cost(const hr_fit_options *options, hr_units budget) {
    bool pays = options->private_bounds_count && share_is_allowed(options);
    return pays ? hr_units_share(budget, options->bounds_share) : 0;
}

hr_units hr_bounds_cost_again(const hr_fit_options *options, hr_units budget) {
    if (!hr_bounds_cost(options, budget)) return 0;
    const double share = options->bounds_share, again = fmin(AGAIN * share, SHARE_MAX - share);
    return again > 0 ? hr_units_share(budget, again) : 0;
}

static hr_bounds_setup setup_of(const hr_schema *schema, hr_bounds_columns columns,
                                hr_privacy_measure privacy_measure, hr_units cost) {
    return (hr_bounds_setup){
        .schema = schema,
        .columns = columns,
        .privacy_measure = privacy_measure,
        .charge = {.what = "bounds", .tree = -1, .level = -1, .group = GROUP, .cost = cost},
        .noise_factor = 1,
        .odds = HR_BOUNDS_ODDS / 2}; /* of either release */
}

/* ---- Which columns ---- */

static hr_status refuse_bounds(hr_error *err, hr_status status) {
    return hr_fail_at(err, status, NULL, 0, 0, "private-bounds");
}

static const hr_column *column_of(const hr_schema *schema, size_t at) {
    return at < hr_schema_feature_count(schema) ? hr_schema_feature(schema, at) : hr_schema_label(schema);
}

/* The feature's index, or the number of features for the label. */
static hr_status find_column(const hr_schema *schema, const char *name, size_t *out, hr_error *err) {
    const size_t features = hr_schema_feature_count(schema);
    size_t at = 0;
    while (at <= features && strcmp(column_of(schema, at)->name, name) != 0) at++;
    *out = at;
    if (at > features)
        return hr_fail(err, HR_E_ARGUMENT, "name columns of the schema", "there is no column '%.60s'", name);
    const hr_column *column = column_of(schema, at);
    if (column->date)
        return hr_fail(err, HR_E_ARGUMENT, "leave it out",
                       "column '%.60s' is a part of a date, whose range is public", name);
    if (column->kind == HR_KIND_NUMBER && column->low < column->high && !column->event) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "leave it out", "column '%.60s' is no number, or has one value", name);
}

hr_status hr_bounds_find(const hr_schema *schema, const char *const *names, size_t count, size_t *at,
                         hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = find_column(schema, names[i], &at[i], err);
        for (size_t k = 0; !status && k < i; k++)
            if (at[k] == at[i])
                status =
                    hr_fail(err, HR_E_ARGUMENT, "name it once", "column '%.60s' is named twice", names[i]);
    }
    return status;
}

/* ---- Checks ---- */

static hr_status check_bounds_method(const hr_method *method, const hr_fit_options *options, hr_error *err) {
    if (!method->info.is_private || options->mode != HR_MODE_SOUND)
        return hr_fail(err, HR_E_ARGUMENT, "use a private method in sound mode, or bounds that are public",
                       "%smethod %s does not release bounds",
                       method->info.is_private ? "the paper mode of " : "", method->info.name);
    if (share_is_allowed(options)) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "it is from 0.001 to 0.5", "no fit gives %g of its budget to bounds",
                   options->bounds_share);
}

/* The columns of the options. Owner: the caller frees out->at, in either case. Fails: ARGUMENT, MEMORY. */
static hr_status find_bounded(const hr_schema *schema, const hr_fit_options *options, hr_bounds_columns *out,
                              hr_error *err) {
    const size_t count = options->private_bounds_count;
    size_t *at = calloc(count + 1, sizeof *at);
    *out = (hr_bounds_columns){at, count};
    return at ? hr_bounds_find(schema, options->private_bounds, count, at, err) : hr_fail_memory(err);
}

hr_status hr_bounds_check_fit(const hr_fit_facts *facts, const hr_method *method, hr_units cost,
                              hr_error *err) {
    if (!facts->options->private_bounds_count) return HR_OK;
    hr_status status = check_bounds_method(method, facts->options, err);
    if (!status && facts->schema)
        status = hr_schema_refuse_unit(facts->schema, "a release of bounds",
                                       "write public bounds into the schema", err);
    hr_bounds_columns columns = {0};
    if (!status && facts->schema) status = find_bounded(facts->schema, facts->options, &columns, err);
    if (!status && facts->schema) {
        const hr_bounds_setup setup = setup_of(facts->schema, columns, facts->privacy_measure, cost);
        status = hr_bounds_check(&setup, err);
    }
    free((void *)columns.at);
    return status && status != HR_E_MEMORY ? refuse_bounds(err, status) : status;
}

/* ---- Plans ---- */

/* The column that needs the most records, and how many. */
static double most_records(const hr_bounds_setup *setup, const char **name) {
    double most = 0;
    for (size_t i = 0; i < setup->columns.count; i++) {
        const double needed = hr_bounds_records_needed(setup, i);
        if (needed <= most) continue;
        most = needed;
        *name = column_of(setup->schema, setup->columns.at[i])->name;
    }
    return most;
}

/* A second release is of the columns that need it, of all at worst. */
hr_status hr_bounds_plan(const hr_fit_options *options, const hr_schema *schema, size_t records,
                         const hr_budget *budget, hr_units *cost, hr_error *err) {
    hr_bounds_columns columns;
    const char *name = "";
    *cost = budget->bounds;
    if (!*cost || !schema) return HR_OK;
    hr_status status = find_bounded(schema, options, &columns, err);
    hr_bounds_setup setup = setup_of(schema, columns, budget->privacy_measure, budget->bounds);
    if (!status && most_records(&setup, &name) > (double)records) {
        *cost = budget->bounds + budget->bounds_again;
        if (budget->bounds_again) setup.charge.cost = budget->bounds_again;
        const double needed = most_records(&setup, &name);
        if (needed > (double)records)
            status = hr_fail(err, HR_E_BUDGET, "give public bounds of it, or more epsilon, or more records",
                             "of %zu records noise may hide the values of '%.60s': private bounds of it need "
                             "about %.0f",
                             records, name, needed);
    }
    free((void *)columns.at);
    return status == HR_E_BUDGET ? refuse_bounds(err, status) : status;
}

/* ---- The release ---- */

void hr_bounded_table_done(hr_bounded_table *table) {
    hr_data_free(table->data);
    hr_schema_free(table->schema);
    hr_text_free(table->hidden_names);
    *table = (hr_bounded_table){0};
}

hr_status hr_bounds_schema(const hr_schema *schema, const hr_bounds_columns *columns,
                           const hr_bounds_search *searches, hr_schema **out, hr_error *err) {
    size_t count = hr_schema_feature_count(schema);
    hr_column *features = malloc((count + 1) * sizeof *features);
    if (!features) return hr_fail_memory(err);
    for (size_t f = 0; f <= count; f++) features[f] = *column_of(schema, f);
    for (size_t i = 0; i < columns->count; i++) {
        features[columns->at[i]].low = searches[i].bounds.low;
        features[columns->at[i]].high = searches[i].bounds.high;
    }
    hr_schema_parts parts = *hr_schema_parts_of(schema);
    parts.label = features[count];
    parts.features = features;
    hr_status status = hr_schema_make(&parts, out, err);
    free(features);
    return status;
}

/* The names of features that noise hides, for the statement; a label that it hides is the end of the fit. */
static hr_status note_hidden(const hr_schema *schema, const hr_bounds_columns *columns,
                             const hr_bounds_search *searches, hr_bounded_table *out, hr_error *err) {
    hr_buffer names = {0};
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < columns->count; i++) {
        if (searches[i].seen) continue;
        const hr_column *column = column_of(schema, columns->at[i]);
        if (columns->at[i] == hr_schema_feature_count(schema))
            status =
                hr_fail(err, HR_E_BUDGET,
                        "give public bounds of it, or fit more records or with more epsilon; a plan for "
                        "their number says whether that is enough",
                        "noise hides the values of '%.60s': no bounds of it were found; the budget of this "
                        "fit counts as spent",
                        column->name);
        hr_buffer_format(&names, "%s%.60s", out->hidden++ ? ", " : "", column->name);
    }
    if (!status && out->hidden) status = hr_buffer_take(&names, &out->hidden_names, err);
    hr_buffer_done(&names);
    return status && status != HR_E_MEMORY ? refuse_bounds(err, status) : status;
}

/* The columns that noise hid, by a release of their own; none: nothing is spent. */
static hr_status release_again(const hr_bounds_counter *counter, const hr_bounds_setup *again, hr_gate *gate,
                               hr_bounds_search *searches, hr_units *spent, hr_error *err) {
    const size_t count = again->columns.count;
    size_t *at = malloc((count + 1) * sizeof *at), hidden = 0, from = 0;
    hr_bounds_search *found = malloc((count + 1) * sizeof *found);
    hr_status status = at && found ? HR_OK : hr_fail_memory(err);
    for (size_t i = 0; !status && i < count; i++)
        if (!searches[i].seen) at[hidden++] = again->columns.at[i];
    hr_bounds_setup setup = *again;
    setup.columns = (hr_bounds_columns){at, hidden};
    if (hidden && setup.charge.cost) {
        *spent += setup.charge.cost;
        status = hr_bounds_private_counted(counter, &setup, gate, found, err);
        for (size_t i = 0; !status && i < count; i++)
            if (!searches[i].seen) searches[i] = found[from++];
    }
    free(found);
    free(at);
    return status;
}

/* Of one process, or of all ranks. */
typedef struct bounded_records {
    const hr_data *data;
    hr_cluster *cluster; /* NULL: one process */
} bounded_records;

static hr_status count_bounded(const void *of, const hr_bounds_question *question, hr_exact *cells,
                               hr_error *err) {
    const bounded_records *records = of;
    if (records->cluster) return hr_ranks_count(records->cluster, records->data, question, cells, err);
    hr_bounds_count(records->data, question, cells);
    return HR_OK;
}

hr_status hr_bounds_release(const hr_data *data, const hr_fit_options *options, hr_gate *gate,
                            const hr_budget *budget, hr_bounded_table *out, hr_error *err) {
    const hr_schema *schema = hr_data_schema(data);
    hr_bounds_columns columns;
    hr_status status = find_bounded(schema, options, &columns, err);
    hr_bounds_search *searches = calloc(columns.count + 1, sizeof *searches);
    if (!status && !searches) status = hr_fail_memory(err);
    hr_bounds_setup setup = setup_of(schema, columns, hr_gate_privacy_measure(gate), budget->bounds);
    const bounded_records records = {data, options->cluster};
    const hr_bounds_counter counter = {count_bounded, &records};
    out->spent = budget->bounds;
    if (!status) status = hr_bounds_private_counted(&counter, &setup, gate, searches, err);
    setup.charge.cost = budget->bounds_again;
    if (!status) status = release_again(&counter, &setup, gate, searches, &out->spent, err);
    if (!status) status = note_hidden(schema, &columns, searches, out, err);
    if (!status) status = hr_bounds_schema(schema, &columns, searches, &out->schema, err);
    if (!status && options->cluster) status = hr_ranks_clip(options->cluster, &columns, searches, err);
    if (!status) {
        out->data = hr_data_clip(data, out->schema);
        if (out->data)
            out->data->whole = data->whole;
        else
            status = hr_fail_memory(err);
    }
    free(searches);
    free((void *)columns.at);
    return status;
}

/* ---- The model ---- */

void hr_bounds_state(const hr_bounded_table *table, const hr_fit_options *options, hr_units budget,
                     hr_buffer *statement) {
    const size_t count = options->private_bounds_count;
    if (!count) return;
    hr_buffer_format(statement,
                     " The bounds of %zu column%s were released as well, for %.3g %% of the budget.", count,
                     count == 1 ? "" : "s", 100 * (double)table->spent / (double)budget);
    if (table->hidden)
        hr_buffer_format(statement,
                         " Noise hides the values of %zu of these columns, whose bounds are the limits that "
                         "were given, and which hardly count: %s.",
                         table->hidden, table->hidden_names);
}

void hr_bounds_add_settings(hr_settings *settings, const hr_fit_options *options) {
    hr_buffer names = {0};
    char share[HR_NUMBER_TEXT];
    if (!options->private_bounds_count) return;
    for (size_t i = 0; i < options->private_bounds_count; i++)
        hr_buffer_format(&names, "%s%s", i ? ", " : "", options->private_bounds[i]);
    hr_number_text(options->bounds_share, share);
    if (names.failed)
        settings->incomplete = true;
    else
        hr_settings_add(settings, "private-bounds", names.bytes);
    hr_settings_add(settings, "bounds-share", share);
    hr_buffer_done(&names);
}
