#include "fit/bounds.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups of methods count from 0 and never come here: what the bounds cost adds to what a method costs. */
static const uint64_t GROUP = (uint64_t)1 << 40;

static const double SHARE_MIN = .001, SHARE_MAX = .5;

static bool share_is_allowed(const hr_fit_options *options) {
    return options->bounds_share >= SHARE_MIN && options->bounds_share <= SHARE_MAX;
}

hr_units hr_bounds_cost(const hr_fit_options *options, hr_units budget) {
    bool pays = options->private_bounds_count && share_is_allowed(options);
    return pays ? hr_units_share(budget, options->bounds_share) : 0;
}

static hr_charge charge_of_bounds(hr_units cost) {
    return (hr_charge){.what = "bounds", .tree = -1, .level = -1, .group = GROUP, .cost = cost};
}

/* ---- Which columns ---- */

static hr_status refuse_bounds(hr_error *err, hr_status status) {
    return hr_fail_at(err, status, NULL, 0, 0, "private-bounds");
}

/* The feature's index, or the number of features for the label; one more: there is none of that name. */
static size_t find_column(const hr_schema *schema, const char *name) {
    size_t features = hr_schema_feature_count(schema);
    for (size_t f = 0; f < features; f++)
        if (!strcmp(hr_schema_feature(schema, f)->name, name)) return f;
    return features + (strcmp(hr_schema_label(schema)->name, name) != 0);
}

static const hr_column *column_of(const hr_schema *schema, size_t at) {
    return at < hr_schema_feature_count(schema) ? hr_schema_feature(schema, at) : hr_schema_label(schema);
}

static hr_status check_column(const hr_schema *schema, const char *name, size_t at, hr_error *err) {
    if (at > hr_schema_feature_count(schema))
        return hr_fail(err, HR_E_ARGUMENT, "name columns of the schema", "there is no column '%.60s'", name);
    const hr_column *column = column_of(schema, at);
    if (column->date)
        return hr_fail(err, HR_E_ARGUMENT, "leave it out",
                       "column '%.60s' is a part of a date, whose range is public", name);
    if (column->kind == HR_KIND_NUMBER && column->low < column->high) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "leave it out", "column '%.60s' is no number, or has one value", name);
}

hr_status hr_bounds_find(const hr_schema *schema, const char *const *names, size_t count, size_t *at,
                         hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        at[i] = find_column(schema, names[i]);
        status = check_column(schema, names[i], at[i], err);
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

static hr_status check_columns(const hr_fit_facts *facts, hr_units cost, hr_error *err) {
    const hr_fit_options *options = facts->options;
    hr_charge charge = charge_of_bounds(cost);
    size_t *at = malloc(options->private_bounds_count * sizeof *at);
    if (!at) return hr_fail_memory(err);
    hr_bounds_columns columns = {at, options->private_bounds_count};
    hr_status status =
        hr_bounds_find(facts->schema, options->private_bounds, options->private_bounds_count, at, err);
    if (!status) status = hr_bounds_check(facts->schema, &columns, facts->privacy_measure, &charge, err);
    free(at);
    return status;
}

hr_status hr_bounds_check_fit(const hr_fit_facts *facts, const hr_method *method, hr_units cost,
                              hr_error *err) {
    if (!facts->options->private_bounds_count) return HR_OK;
    hr_status status = check_bounds_method(method, facts->options, err);
    if (!status && facts->schema)
        status = hr_schema_refuse_unit(facts->schema, "a release of bounds",
                                       "write public bounds into the schema", err);
    if (!status && facts->schema) status = check_columns(facts, cost, err);
    return status && status != HR_E_MEMORY ? refuse_bounds(err, status) : status;
}

/* ---- The release ---- */

void hr_bounded_table_done(hr_bounded_table *table) {
    hr_data_free(table->data);
    hr_schema_free(table->schema);
    *table = (hr_bounded_table){0};
}

hr_status hr_bounds_schema(const hr_schema *schema, const hr_bounds_columns *columns, const hr_bounds *bounds,
                           hr_schema **out, hr_error *err) {
    size_t count = hr_schema_feature_count(schema);
    hr_column *features = malloc((count + 1) * sizeof *features);
    if (!features) return hr_fail_memory(err);
    for (size_t f = 0; f <= count; f++) features[f] = *column_of(schema, f);
    for (size_t i = 0; i < columns->count; i++) {
        features[columns->at[i]].low = bounds[i].low;
        features[columns->at[i]].high = bounds[i].high;
    }
    hr_schema_parts parts = *hr_schema_parts_of(schema);
    parts.label = features[count];
    parts.features = features;
    hr_status status = hr_schema_make(&parts, out, err);
    free(features);
    return status;
}

hr_status hr_bounds_release(const hr_data *data, const hr_fit_options *options, hr_gate *gate, hr_units cost,
                            hr_bounded_table *out, hr_error *err) {
    hr_charge charge = charge_of_bounds(cost);
    size_t count = options->private_bounds_count, *at = malloc((count + 1) * sizeof *at);
    hr_bounds *bounds = malloc((count + 1) * sizeof *bounds);
    hr_bounds_columns columns = {at, count};
    hr_status status = at && bounds ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_bounds_find(hr_data_schema(data), options->private_bounds, count, at, err);
    if (!status) status = hr_bounds_private(data, &columns, gate, &charge, bounds, err);
    if (!status) status = hr_bounds_schema(hr_data_schema(data), &columns, bounds, &out->schema, err);
    if (!status) {
        out->data = hr_data_clip(data, out->schema);
        if (!out->data) status = hr_fail_memory(err);
    }
    free(bounds);
    free(at);
    return status;
}

/* ---- The model ---- */

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
