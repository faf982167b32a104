/* A schema in memory: one arena that holds copies of everything. */
#include "tables/schema/schema.h"

#include "base/arena.h"
#include "base/fail.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"
#include "tables/schema/label_quantiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hr_schema {
    hr_arena *arena;
    hr_schema_parts parts;
};

void hr_schema_free(hr_schema *schema) {
    if (!schema) return;
    hr_arena_free(schema->arena);
    free(schema);
}

/* ---- Copying; every helper returns NULL or false when memory is short ---- */

static const char *const *copy_words(hr_arena *arena, const char *const *words, size_t count) {
    const char **copy = hr_arena_alloc(arena, count, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = hr_arena_text(arena, words[i], strlen(words[i]));
        if (!copy[i]) return NULL;
    }
    return copy;
}

static bool copy_number_format(hr_arena *arena, const hr_number_format *from, hr_number_format *to) {
    *to = *from;
    if (from->symbol) to->symbol = hr_arena_text(arena, from->symbol, strlen(from->symbol));
    return !from->symbol || to->symbol;
}

static const hr_date_column *copy_date(hr_arena *arena, const hr_date_column *date) {
    hr_date_column *copy = hr_arena_alloc(arena, 1, sizeof *copy);
    if (!copy) return NULL;
    *copy = *date;
    copy->name = hr_arena_text(arena, date->name, strlen(date->name));
    if (date->format) copy->format = hr_arena_text(arena, date->format, strlen(date->format));
    return copy->name && !copy->format == !date->format ? copy : NULL;
}

/* Every column of dates once; its parts stand together. */
static bool copy_dates(hr_arena *arena, hr_column *features, size_t count) {
    const hr_date_column *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const hr_date_column *date = features[i].date;
        if (date) features[i].date = date == before ? features[i - 1].date : copy_date(arena, date);
        if (date && !features[i].date) return false;
        before = date;
    }
    return true;
}

/* NULL stays NULL. False when memory is short. */
static bool copy_optional(hr_arena *arena, const char *from, const char **to) {
    *to = from ? hr_arena_text(arena, from, strlen(from)) : NULL;
    return !*to == !from;
}

static bool copy_intervals(hr_arena *arena, const hr_column *from, hr_column *to) {
    double *cuts = from->event ? hr_arena_alloc(arena, from->interval_count, sizeof *cuts) : NULL;
    if (from->event && !cuts) return false;
    if (from->interval_count && cuts) memcpy(cuts, from->intervals, from->interval_count * sizeof *cuts);
    to->intervals = cuts;
    to->interval_count = from->interval_count;
    to->quantile_cuts = from->quantile_cuts;
    return true;
}

static bool copy_column(hr_arena *arena, const hr_column *from, hr_column *to) {
    *to = (hr_column){.kind = from->kind, .review = from->review, .accepted = from->accepted};
    to->name = hr_arena_text(arena, from->name, strlen(from->name));
    if (!to->name || !copy_optional(arena, from->source, &to->source)) return false;
    if (from->kind == HR_KIND_NUMBER) {
        to->low = from->low;
        to->high = from->high;
        to->integer = from->integer;
        to->count = from->count;
        if (!copy_optional(arena, from->event, &to->event) || !copy_intervals(arena, from, to)) return false;
        to->monotone = from->monotone;
        to->date = from->date; /* copied by copy_dates */
        to->part = from->part;
        if (from->quantiles && !hr_label_quantiles_copy(arena, from, to)) return false;
        return copy_number_format(arena, &from->format, &to->format);
    }
    to->boolean = from->boolean;
    to->value_count = from->value_count;
    to->values = copy_words(arena, from->values, from->value_count);
    return to->values != NULL;
}

static hr_column *copy_columns(hr_arena *arena, const hr_column *columns, size_t count) {
    hr_column *copy = hr_arena_alloc(arena, count, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (!copy_column(arena, &columns[i], &copy[i])) return NULL;
    }
    return copy;
}

static bool copy_schema_parts(hr_arena *arena, const hr_schema_parts *from, hr_schema_parts *to) {
    *to = *from;
    hr_column *features = copy_columns(arena, from->features, from->feature_count);
    if (!features || !copy_dates(arena, features, from->feature_count)) return false;
    to->features = features;
    to->unused = copy_columns(arena, from->unused, from->unused_count);
    to->missing = copy_words(arena, from->missing, from->missing_count);
    return to->unused && to->missing && copy_column(arena, &from->label, &to->label) &&
           copy_optional(arena, from->unit, &to->unit) && copy_optional(arena, from->weight, &to->weight) &&
           copy_optional(arena, from->exposure, &to->exposure) &&
           copy_optional(arena, from->missing_facts.source, &to->missing_facts.source);
}

static hr_status make_copy(const hr_schema_parts *parts, hr_schema **out, hr_error *err) {
    hr_schema *schema = calloc(1, sizeof *schema);
    if (schema) schema->arena = hr_arena_new();
    if (!schema || !schema->arena || !copy_schema_parts(schema->arena, parts, &schema->parts)) {
        hr_schema_free(schema);
        return hr_fail_memory(err);
    }
    *out = schema;
    return HR_OK;
}

hr_status hr_schema_make(const hr_schema_parts *parts, hr_schema **out, hr_error *err) {
    hr_schema_fault fault = {0};
    hr_status status = hr_schema_check(parts, &fault, err);
    return status ? status : make_copy(parts, out, err);
}

hr_status hr_schema_copy(const hr_schema *schema, hr_schema **out, hr_error *err) {
    return make_copy(&schema->parts, out, err);
}

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) return true;
    }
    return false;
}

typedef struct column_filter {
    const char *const *names; /* of columns that are left out */
    size_t count;
} column_filter;

/* Copies the columns that stay; returns how many they are. */
static size_t keep_columns(const column_filter *filter, const hr_column *columns, size_t count,
                           hr_column *kept) {
    size_t stay = 0;
    for (size_t i = 0; i < count; i++) {
        const char *of_table = columns[i].date ? columns[i].date->name : columns[i].name;
        if (!is_among(columns[i].name, filter->names, filter->count) &&
            !is_among(of_table, filter->names, filter->count))
            kept[stay++] = columns[i];
    }
    return stay;
}

hr_status hr_schema_without(const hr_schema *schema, const char *const *names, size_t count, hr_schema **out,
                            hr_error *err) {
    hr_schema_parts parts = schema->parts;
    if (is_among(parts.label.name, names, count)) {
        hr_fail(err, HR_E_ARGUMENT, "keep it, or use another schema", "the label cannot be dropped");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, parts.label.name);
    }
    hr_column *kept = malloc((parts.feature_count + parts.unused_count) * sizeof *kept);
    if (!kept) return hr_fail_memory(err);
    const column_filter filter = {names, count};
    parts.feature_count = keep_columns(&filter, parts.features, parts.feature_count, kept);
    parts.features = kept;
    parts.unused_count = keep_columns(&filter, parts.unused, parts.unused_count, kept + parts.feature_count);
    parts.unused = kept + parts.feature_count;
    hr_status status = parts.feature_count ? make_copy(&parts, out, err)
                                           : hr_fail(err, HR_E_ARGUMENT, "keep some", "no feature is left");
    free(kept);
    return status;
}

hr_status hr_schema_copy_of_records(const hr_schema *schema, hr_schema **out, hr_error *err) {
    hr_schema_parts parts = schema->parts;
    parts.unit = parts.weight = NULL;
    parts.weight_high = 0;
    parts.weight_format = (hr_number_format){0};
    parts.unit_facts = (hr_column){0};
    return make_copy(&parts, out, err);
}

/* ---- Cuts of times that a fit is to find ---- */

hr_status hr_time_cuts_even(hr_arena *arena, size_t count, double high, hr_column *out, hr_error *err) {
    double *cuts = hr_arena_alloc(arena, count, sizeof *cuts);
    if (!cuts) return hr_fail_memory(err);
    for (size_t k = 0; k < count; k++)
        cuts[k] = k + 1 < count ? high * ((double)(k + 1) / (double)count) : high;
    out->intervals = cuts;
    out->interval_count = count;
    out->quantile_cuts = true;
    return HR_OK;
}

hr_status hr_schema_refuse_quantile_cuts(const hr_schema *schema, const char *what, hr_error *err) {
    const hr_column *label = hr_schema_label(schema);
    if (!label->quantile_cuts) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT,
            "write public cuts, intervals: [30, 90, 365]; cuts that a model has released may be used",
            "%s cannot release cuts between intervals", what);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, label->name);
}

/* ---- Comparing ---- */

static bool same_words(const char *const *a, size_t a_count, const char *const *b, size_t b_count) {
    if (a_count != b_count) return false;
    for (size_t i = 0; i < a_count; i++) {
        if (strcmp(a[i], b[i]) != 0) return false;
    }
    return true;
}

static bool same_optional(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_intervals(const hr_column *a, const hr_column *b) {
    const size_t count = a->interval_count;
    for (size_t i = 0; i < count && count == b->interval_count; i++)
        if (a->intervals[i] != b->intervals[i]) return false;
    return count == b->interval_count && a->quantile_cuts == b->quantile_cuts &&
           same_optional(a->event, b->event);
}

/* Not whether models are monotone in it: that is no fact about a table. */
static bool same_column(const hr_column *a, const hr_column *b) {
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->low == b->low && a->high == b->high &&
           a->integer == b->integer && a->count == b->count && same_intervals(a, b) &&
           same_words(a->values, a->value_count, b->values, b->value_count) && hr_cell_text_same(a, b) &&
           hr_label_quantiles_same(a, b);
}

static bool same_columns(const hr_schema *a, const hr_schema *b) {
    const hr_schema_parts *x = &a->parts, *y = &b->parts;
    if (!same_column(&x->label, &y->label) || x->feature_count != y->feature_count) return false;
    for (size_t i = 0; i < x->feature_count; i++) {
        if (!same_column(&x->features[i], &y->features[i])) return false;
    }
    return same_optional(x->exposure, y->exposure) && x->exposure_high == y->exposure_high &&
           hr_number_format_same(&x->exposure_format, &y->exposure_format) &&
           same_words(x->missing, x->missing_count, y->missing, y->missing_count);
}

/* Of a label of the data, whose cuts a fit is to find: it has found those of the model. */
static bool finds_cuts_of(const hr_column *data, const hr_column *model) {
    return data->quantile_cuts && !model->quantile_cuts && model->interval_count && data->interval_count &&
           data->intervals[data->interval_count - 1] == model->intervals[model->interval_count - 1];
}

bool hr_schema_fits_model(const hr_schema *data, const hr_schema *model) {
    hr_schema cut = *data;
    const hr_column *label = &model->parts.label;
    if (finds_cuts_of(&data->parts.label, label)) {
        cut.parts.label.intervals = label->intervals;
        cut.parts.label.interval_count = label->interval_count;
        cut.parts.label.quantile_cuts = false;
    }
    return same_columns(&cut, model);
}

bool hr_schema_same(const hr_schema *a, const hr_schema *b) {
    const hr_schema_parts *x = &a->parts, *y = &b->parts;
    return same_columns(a, b) && same_optional(x->unit, y->unit) && same_optional(x->weight, y->weight) &&
           x->weight_high == y->weight_high && hr_number_format_same(&x->weight_format, &y->weight_format);
}

/* ---- Views ---- */

hr_task hr_schema_task(const hr_schema *schema) {
    const hr_column *label = &schema->parts.label;
    if (label->event) return HR_TASK_SURVIVAL;
    if (label->quantiles) return HR_TASK_QUANTILES;
    if (label->kind == HR_KIND_NUMBER) return label->count ? HR_TASK_COUNT : HR_TASK_REGRESSION;
    return label->value_count == 2 ? HR_TASK_BINARY : HR_TASK_MULTICLASS;
}

const char *hr_task_text(hr_task task) {
    static const char *const texts[] = {
        [HR_TASK_REGRESSION] = "a number",      [HR_TASK_BINARY] = "classes",
        [HR_TASK_MULTICLASS] = "classes",       [HR_TASK_COUNT] = "a count",
        [HR_TASK_SURVIVAL] = "times of events", [HR_TASK_QUANTILES] = "quantiles"};
    return texts[task];
}

const hr_column *hr_schema_label(const hr_schema *schema) {
    return &schema->parts.label;
}

size_t hr_schema_feature_count(const hr_schema *schema) {
    return schema->parts.feature_count;
}

const hr_column *hr_schema_feature(const hr_schema *schema, size_t index) {
    return &schema->parts.features[index];
}

bool hr_schema_is_monotone(const hr_schema *schema) {
    for (size_t f = 0; f < schema->parts.feature_count; f++)
        if (schema->parts.features[f].monotone) return true;
    return false;
}

size_t hr_schema_missing_count(const hr_schema *schema) {
    return schema->parts.missing_count;
}

const char *hr_schema_missing(const hr_schema *schema, size_t index) {
    return schema->parts.missing[index];
}

const char *const *hr_schema_missing_list(const hr_schema *schema) {
    return schema->parts.missing;
}

const char *hr_schema_unit(const hr_schema *schema) {
    return schema->parts.unit;
}

const char *hr_schema_weight(const hr_schema *schema, double *high) {
    if (high) *high = schema->parts.weight_high;
    return schema->parts.weight;
}

const char *hr_schema_exposure(const hr_schema *schema, double *high) {
    if (high) *high = schema->parts.exposure_high;
    return schema->parts.exposure;
}

bool hr_schema_weighs(const hr_schema *schema) {
    return schema->parts.unit || schema->parts.weight || schema->parts.exposure;
}

bool hr_schema_single_records(const hr_schema *schema) {
    return schema->parts.single_records;
}

hr_status hr_schema_decides_unit(const hr_schema *schema, hr_error *err) {
    if (schema->parts.unit || schema->parts.single_records) return HR_OK;
    hr_fail(err, HR_E_POLICY,
            "if each person has one record, add the line 'unit: record'; else 'unit: COLUMN' with the column "
            "that says whose each record is, such as patient_id",
            "the schema does not say whether a person has one record or several");
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "unit");
}

hr_status hr_schema_refuse_weight(const hr_schema *schema, const char *what, hr_error *err) {
    if (!schema->parts.weight && schema->parts.exposure) {
        hr_fail(err, HR_E_POLICY, "remove 'exposure' from the label: then all are taken for the same",
                "%s cannot take exposures (%s)", what, schema->parts.exposure);
        return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "exposure");
    }
    if (!schema->parts.weight) return HR_OK;
    hr_fail(err, HR_E_POLICY, "remove 'weight' from the schema: then every record counts 1",
            "%s cannot weigh records (weight %s)", what, schema->parts.weight);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "weight");
}

hr_status hr_schema_refuse_unit(const hr_schema *schema, const char *what, const char *instead,
                                hr_error *err) {
    char remedy[sizeof err->remedy];
    if (!schema->parts.unit) return hr_schema_refuse_weight(schema, what, err);
    snprintf(remedy, sizeof remedy,
             "%s, or write 'unit: record' in the schema if a record is what must be protected", instead);
    hr_fail(err, HR_E_POLICY, remedy, "%s cannot protect persons (unit %s)", what, schema->parts.unit);
    return hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "unit");
}

const hr_schema_parts *hr_schema_parts_of(const hr_schema *schema) {
    return &schema->parts;
}
