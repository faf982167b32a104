/* A schema from code: columns are collected, and checked as those of a file are. */
#include "base/arena.h"
#include "base/fail.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* Items that double their room; the texts that they point at are in the builder's arena. */
typedef struct schema_builder_list {
    void *items;
    size_t count, room;
} schema_builder_list;

struct hr_schema_builder {
    hr_arena *arena;
    hr_column label;
    schema_builder_list features; /* hr_column */
    schema_builder_list missing;  /* const char * */
    hr_number_format format;      /* of numbers to come */
    const char *unit, *weight, *exposure;
    double weight_high, exposure_high;
    hr_number_format weight_format, exposure_format;
};

hr_status hr_schema_builder_new(hr_schema_builder **out, hr_error *err) {
    hr_schema_builder *builder = calloc(1, sizeof *builder);
    if (builder) builder->arena = hr_arena_new();
    if (!builder || !builder->arena) {
        free(builder);
        return hr_fail_memory(err);
    }
    *out = builder;
    return HR_OK;
}

void hr_schema_builder_free(hr_schema_builder *builder) {
    if (!builder) return;
    hr_arena_free(builder->arena);
    free(builder->features.items);
    free(builder->missing.items);
    free(builder);
}

/* Room for one item more; NULL when memory is short. It counts when list->count is raised. */
static void *next_item(schema_builder_list *l, size_t size) {
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : FIRST_ROOM;
        void *items = realloc(l->items, room * size);
        if (!items) return NULL;
        l->items = items;
        l->room = room;
    }
    return (char *)l->items + l->count * size;
}

/* NULL is as wrong as an empty text, which hr_schema_make refuses. */
static const char *copy_text_schema_builder(hr_schema_builder *builder, const char *text) {
    return hr_arena_text(builder->arena, text ? text : "", text ? strlen(text) : 0);
}

static hr_status copy_values(hr_schema_builder *builder, hr_column *column, hr_error *err) {
    const char **copy = hr_arena_alloc(builder->arena, column->value_count, sizeof *copy);
    if (!copy) return hr_fail_memory(err);
    for (size_t i = 0; i < column->value_count; i++)
        if (!(copy[i] = copy_text_schema_builder(builder, column->values[i]))) return hr_fail_memory(err);
    column->values = copy;
    return HR_OK;
}

/* Puts a copy of the column, with its texts, into `out`. */
static hr_status keep_schema_builder(hr_schema_builder *builder, hr_column column, hr_column *out,
                                     hr_error *err) {
    column.name = copy_text_schema_builder(builder, column.name);
    if (!column.name) return hr_fail_memory(err);
    hr_status status = column.kind == HR_KIND_CATEGORY ? copy_values(builder, &column, err) : HR_OK;
    if (!status) *out = column;
    return status;
}

static hr_status set_label(hr_schema_builder *builder, const hr_column *column, hr_error *err) {
    if (builder->label.name)
        return hr_fail(err, HR_E_ARGUMENT, "a schema has one label", "the label '%s' is set",
                       builder->label.name);
    return keep_schema_builder(builder, *column, &builder->label, err);
}

static hr_status add_feature(hr_schema_builder *builder, const hr_column *column, hr_error *err) {
    hr_column *next = next_item(&builder->features, sizeof *next);
    if (!next) return hr_fail_memory(err);
    hr_status status = keep_schema_builder(builder, *column, next, err);
    builder->features.count += !status;
    return status;
}

static hr_column number(const hr_schema_builder *builder, const char *name, double low, double high) {
    return (hr_column){
        .name = name, .kind = HR_KIND_NUMBER, .low = low, .high = high, .format = builder->format};
}

static hr_column category_schema_builder(const char *name, const char *const *values, size_t count) {
    return (hr_column){.name = name, .kind = HR_KIND_CATEGORY, .values = values, .value_count = count};
}

hr_status hr_schema_label_number(hr_schema_builder *builder, const char *name, double low, double high,
                                 hr_error *err) {
    hr_column column = number(builder, name, low, high);
    return set_label(builder, &column, err);
}

hr_status hr_schema_label_count(hr_schema_builder *builder, const char *name, double low, double high,
                                hr_error *err) {
    hr_column column = number(builder, name, low, high);
    column.integer = column.count = true;
    return set_label(builder, &column, err);
}

hr_status hr_schema_label_time(hr_schema_builder *builder, const char *name, const char *event,
                               const double *intervals, size_t count, hr_error *err) {
    hr_column column = number(builder, name, -HR_TIME_MAX, HR_TIME_MAX);
    double *cuts = hr_arena_alloc(builder->arena, count, sizeof *cuts);
    column.event = copy_text_schema_builder(builder, event);
    if (!cuts || !column.event) return hr_fail_memory(err);
    if (count) memcpy(cuts, intervals, count * sizeof *cuts);
    column.intervals = cuts;
    column.interval_count = count;
    return set_label(builder, &column, err);
}

hr_status hr_schema_label_time_quantiles(hr_schema_builder *builder, const char *name, const char *event,
                                         size_t quantiles, double high, hr_error *err) {
    hr_column column = number(builder, name, -HR_TIME_MAX, HR_TIME_MAX);
    if (quantiles < 2 || quantiles > HR_INTERVALS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "give a whole number from 2 to 64", "no such number of quantiles");
    if (!(high > 0))
        return hr_fail(err, HR_E_ARGUMENT, "high: give the last cut, above 0", "no such last cut");
    column.event = copy_text_schema_builder(builder, event);
    if (!column.event) return hr_fail_memory(err);
    hr_status status = hr_time_cuts_even(builder->arena, quantiles, high, &column, err);
    return status ? status : set_label(builder, &column, err);
}

hr_status hr_schema_label_quantiles(hr_schema_builder *builder, const double *quantiles, size_t count,
                                    hr_error *err) {
    hr_column *label = &builder->label;
    if (!label->name || label->kind != HR_KIND_NUMBER || label->event)
        return hr_fail(err, HR_E_ARGUMENT, "call hr_schema_label_number first", "quantiles of no number");
    double *copy = hr_arena_alloc(builder->arena, count + 1, sizeof *copy);
    if (!copy) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) copy[i] = quantiles[i];
    label->quantiles = copy;
    label->quantile_count = count;
    return HR_OK;
}

hr_status hr_schema_label_classes(hr_schema_builder *builder, const char *name, const char *const *values,
                                  size_t count, hr_error *err) {
    hr_column column = category_schema_builder(name, values, count);
    return set_label(builder, &column, err);
}

hr_status hr_schema_add_number(hr_schema_builder *builder, const char *name, double low, double high,
                               bool integer, hr_error *err) {
    hr_column column = number(builder, name, low, high);
    column.integer = integer;
    return add_feature(builder, &column, err);
}

hr_status hr_schema_add_category(hr_schema_builder *builder, const char *name, const char *const *values,
                                 size_t count, hr_error *err) {
    hr_column column = category_schema_builder(name, values, count);
    return add_feature(builder, &column, err);
}

hr_status hr_schema_add_boolean(hr_schema_builder *builder, const char *name, hr_error *err) {
    hr_column column = category_schema_builder(name, HR_BOOLEAN_VALUES, 2);
    column.boolean = true;
    return add_feature(builder, &column, err);
}

hr_status hr_schema_set_source(hr_schema_builder *builder, const char *source, hr_error *err) {
    hr_column *features = builder->features.items,
              *last = builder->features.count ? &features[builder->features.count - 1] : &builder->label;
    if (!last->name || !source || !*source)
        return hr_fail(err, HR_E_ARGUMENT, "add a column first, and say where its facts are published",
                       "a source of no column, or an empty one");
    last->source = copy_text_schema_builder(builder, source);
    return last->source ? HR_OK : hr_fail_memory(err);
}

hr_status hr_schema_set_monotone(hr_schema_builder *builder, hr_monotone direction, hr_error *err) {
    hr_column *features = builder->features.items;
    if (!builder->features.count || (unsigned)direction > HR_MONOTONE_DECREASING)
        return hr_fail(err, HR_E_ARGUMENT, "add a number first, and give a value of hr_monotone",
                       "no feature, or no direction %d", (int)direction);
    features[builder->features.count - 1].monotone = direction;
    return HR_OK;
}

static hr_status check_builder_date(const hr_date_column *date, const hr_date_part *parts, size_t count,
                                    hr_error *err) {
    const char *key;
    if (!count) return hr_fail(err, HR_E_ARGUMENT, "give at least one part", "a date without parts");
    for (size_t i = 0; i < count; i++)
        if ((unsigned)parts[i] >= HR_DATE_PARTS || (unsigned)date->offset > HR_OFFSET_LOCAL)
            return hr_fail(err, HR_E_ARGUMENT, "use the values of hr_date_part and hr_offset_rule",
                           "there is no part %d, or no offset %d", (int)parts[i], (int)date->offset);
    hr_status status = hr_date_column_check(date, &key, err);
    return status ? hr_fail_at(err, status, NULL, 0, 0, date->name) : HR_OK;
}

hr_status hr_schema_add_date(hr_schema_builder *builder, const hr_date_column *date,
                             const hr_date_part *parts, size_t count, hr_error *err) {
    const size_t before = builder->features.count;
    hr_status status = check_builder_date(date, parts, count, err);
    if (status) return status;
    hr_date_column *copy = hr_arena_alloc(builder->arena, 1, sizeof *copy);
    if (!copy) return hr_fail_memory(err);
    *copy = *date;
    copy->name = copy_text_schema_builder(builder, date->name);
    if (date->format) copy->format = copy_text_schema_builder(builder, date->format);
    if (!copy->name || !copy->format != !date->format) return hr_fail_memory(err);
    for (size_t i = 0; i < count && !status; i++) {
        hr_column column;
        status = hr_date_part_column(copy, parts[i], builder->arena, &column)
                     ? add_feature(builder, &column, err)
                     : hr_fail_memory(err);
    }
    if (status) builder->features.count = before;
    return status;
}

hr_status hr_schema_set_number_format(hr_schema_builder *builder, const hr_number_format *format,
                                      hr_error *err) {
    hr_number_format copy = *format;
    if (format->symbol) copy.symbol = copy_text_schema_builder(builder, format->symbol);
    if (!copy.symbol != !format->symbol) return hr_fail_memory(err);
    builder->format = copy;
    return HR_OK;
}

hr_status hr_schema_add_missing(hr_schema_builder *builder, const char *spelling, hr_error *err) {
    const char **next = next_item(&builder->missing, sizeof *next);
    if (!next || !(*next = copy_text_schema_builder(builder, spelling))) return hr_fail_memory(err);
    builder->missing.count++;
    return HR_OK;
}

hr_status hr_schema_set_unit(hr_schema_builder *builder, const char *column, hr_error *err) {
    if (builder->unit)
        return hr_fail(err, HR_E_ARGUMENT, "a schema has one unit", "the unit '%s' is set", builder->unit);
    builder->unit = copy_text_schema_builder(builder, column);
    return builder->unit ? HR_OK : hr_fail_memory(err);
}

hr_status hr_schema_set_weight(hr_schema_builder *builder, const char *column, double high, hr_error *err) {
    if (builder->weight)
        return hr_fail(err, HR_E_ARGUMENT, "a schema has one weight", "the weight '%s' is set",
                       builder->weight);
    builder->weight = copy_text_schema_builder(builder, column);
    builder->weight_high = high;
    builder->weight_format = (hr_number_format){builder->format.decimal, builder->format.thousands, NULL};
    return builder->weight ? HR_OK : hr_fail_memory(err);
}

hr_status hr_schema_set_exposure(hr_schema_builder *builder, const char *column, double high, hr_error *err) {
    if (builder->exposure)
        return hr_fail(err, HR_E_ARGUMENT, "a schema has one exposure", "the exposure '%s' is set",
                       builder->exposure);
    builder->exposure = copy_text_schema_builder(builder, column);
    builder->exposure_high = high;
    builder->exposure_format = (hr_number_format){builder->format.decimal, builder->format.thousands, NULL};
    return builder->exposure ? HR_OK : hr_fail_memory(err);
}

hr_status hr_schema_build(const hr_schema_builder *builder, hr_schema **out, hr_error *err) {
    if (!builder->label.name)
        return hr_fail(err, HR_E_FORMAT, "call hr_schema_label_number or hr_schema_label_classes",
                       "the label is missing");
    const hr_schema_parts parts = {.label = builder->label,
                                   .features = builder->features.items,
                                   .feature_count = builder->features.count,
                                   .missing = builder->missing.items,
                                   .missing_count = builder->missing.count,
                                   .unit = builder->unit,
                                   .weight = builder->weight,
                                   .weight_high = builder->weight_high,
                                   .weight_format = builder->weight_format,
                                   .exposure = builder->exposure,
                                   .exposure_high = builder->exposure_high,
                                   .exposure_format = builder->exposure_format,
                                   .single_records = !builder->unit,
                                   .reviewed = HR_REVIEW_CODE};
    return hr_schema_make(&parts, out, err);
}
