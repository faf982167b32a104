/* The schema in a model file: its shape and types; what it means is checked by hr_schema_check. */
#include "models/model/json_fields.h"
#include "models/model/model.h"
#include "models/model/model_words.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A text that need not be there. */
static const char *optional_text_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    return hr_json_has(r, at, key) ? hr_json_text_of(r, at, key) : NULL;
}

static bool optional_bool_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    return hr_json_has(r, at, key) && hr_json_bool_of(r, at, key);
}

/* A text of one character that need not be there. */
static char optional_mark_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const char *text = optional_text_of(r, at, key);
    const hr_json_position found = {at, key, 0, text ? hr_json_get(at->value, key) : NULL};
    if (text && (!text[0] || text[1])) hr_json_refuse(r, &found, "", "this must be one character");
    return text && !r->status ? text[0] : 0;
}

static hr_monotone monotone_of(hr_json_reader *r, const hr_json_position *at) {
    if (r->version < HR_MODEL_VERSION_MONOTONE)
        hr_json_refuse(r, at, "use a file of version 4", "version 3 has no monotone features");
    return (hr_monotone)(HR_MONOTONE_INCREASING + hr_json_word_of(r, at, "monotone",
                                                                  HR_MONOTONE_NAMES + HR_MONOTONE_INCREASING,
                                                                  HR_MONOTONE_DECREASING));
}

/* Of a number, or of a time, whose event was read. */
static void read_json_number(hr_json_reader *r, const hr_json_position *at, hr_column *column) {
    static const char *const keys[] = {"low",      "high",   "integer",   "date",  "part",     "quantiles",
                                       "monotone", "count",  "name",      "kind",  "review",   "source",
                                       "decimal",  "symbol", "thousands", "event", "intervals"};
    enum { OF_BOTH = 8, OF_TIME = 15 }; /* the first are of numbers alone, the last of times */
    const bool is_time = column->event != NULL;
    hr_json_only_keys(r, at, is_time ? keys + OF_BOTH : keys, is_time ? COUNT(keys) - OF_BOTH : OF_TIME);
    column->low = is_time ? -HR_TIME_MAX : hr_json_number_of(r, at, "low");
    column->high = is_time ? HR_TIME_MAX : hr_json_number_of(r, at, "high");
    column->integer = !is_time && hr_json_bool_of(r, at, "integer");
    column->count = optional_bool_of(r, at, "count");
    if (is_time) column->intervals = hr_json_numbers_of(r, at, "intervals", &column->interval_count);
    if (r->version < (is_time ? HR_MODEL_VERSION_TIMES : column->count ? HR_MODEL_VERSION_COUNTS : 0))
        hr_json_refuse(r, at, "use a newer file", "version %d has no %s", (int)r->version,
                       is_time ? "times" : "counts");
    if (hr_json_has(r, at, "monotone")) column->monotone = monotone_of(r, at);
    column->format.decimal = optional_mark_of(r, at, "decimal");
    column->format.thousands = optional_mark_of(r, at, "thousands");
    column->format.symbol = optional_text_of(r, at, "symbol");
    if (!hr_json_has(r, at, "quantiles")) return;
    column->quantiles = hr_json_numbers_of(r, at, "quantiles", &column->quantile_count);
    if (r->version < HR_MODEL_VERSION_QUANTILES)
        hr_json_refuse(r, at, "use a file of version 4", "version %d has no quantiles", (int)r->version);
}

/* The columns of dates that features are parts of. */
typedef struct json_dates {
    const hr_date_column *dates;
    size_t count;
} json_dates;

static void read_json_part(hr_json_reader *r, const hr_json_position *at, const json_dates *dates,
                           hr_column *column) {
    if (!hr_json_has(r, at, "date") && !hr_json_has(r, at, "part")) return;
    const char *part_names[HR_DATE_PARTS], *name = hr_json_text_of(r, at, "date");
    for (int i = 0; i < HR_DATE_PARTS; i++) part_names[i] = hr_date_part_name((hr_date_part)i);
    column->part = (hr_date_part)hr_json_word_of(r, at, "part", part_names, HR_DATE_PARTS);
    for (size_t i = 0; !r->status && i < dates->count; i++)
        if (strcmp(dates->dates[i].name, name) == 0) column->date = &dates->dates[i];
    const hr_json_position found = {at, "date", 0, r->status ? NULL : hr_json_get(at->value, "date")};
    if (!r->status && !column->date)
        hr_json_refuse(r, &found, "", "there is no '%.100s' among the dates", name);
}

static hr_column read_json_column(hr_json_reader *r, const hr_json_position *at, const json_dates *dates) {
    static const char *const category_keys[] = {"name", "kind", "values", "boolean", "review", "source"};
    hr_json_expect(r, at, HR_JSON_OBJECT);
    hr_column column = {.name = hr_json_text_of(r, at, "name")};
    const size_t kind = hr_json_word_of(r, at, "kind", HR_KIND_NAMES, COUNT(HR_KIND_NAMES));
    column.kind = kind == HR_KIND_CATEGORY ? HR_KIND_CATEGORY : HR_KIND_NUMBER;
    if (kind > HR_KIND_CATEGORY) column.event = hr_json_text_of(r, at, "event");
    if (column.kind == HR_KIND_NUMBER) {
        read_json_number(r, at, &column);
        read_json_part(r, at, dates, &column);
    } else {
        hr_json_only_keys(r, at, category_keys, COUNT(category_keys));
        column.values = hr_json_texts_of(r, at, "values", &column.value_count);
        column.boolean = optional_bool_of(r, at, "boolean");
    }
    column.review = optional_bool_of(r, at, "review");
    column.source = optional_text_of(r, at, "source");
    return column;
}

static void read_json_date(hr_json_reader *r, const hr_json_position *at, hr_date_column *date) {
    static const char *const keys[] = {"name", "from", "to", "format", "offset"};
    hr_json_only_keys(r, at, keys, COUNT(keys));
    date->name = hr_json_text_of(r, at, "name");
    const char *from = hr_json_text_of(r, at, "from"), *to = hr_json_text_of(r, at, "to");
    date->format = optional_text_of(r, at, "format");
    date->offset = (hr_offset_rule)hr_json_word_of(r, at, "offset", HR_OFFSET_NAMES, COUNT(HR_OFFSET_NAMES));
    if (!r->status && (!hr_date_from_parse(from, &date->from) || !hr_date_to_parse(to, &date->to)))
        hr_json_refuse(r, at, "", "'from' and 'to' must be days, or times such as 2024-02-29T18:30:00");
}

/* Models without dates have no list of them. */
static json_dates read_json_dates(hr_json_reader *r, const hr_json_position *schema) {
    if (!hr_json_has(r, schema, "dates")) return (json_dates){NULL, 0};
    const hr_json_position list = hr_json_typed_member(r, schema, "dates", HR_JSON_ARRAY);
    size_t count = hr_json_size(r, &list);
    hr_date_column *dates = hr_json_allocate(r, count, sizeof *dates);
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position item = hr_json_element(&list, i);
        read_json_date(r, &item, &dates[i]);
    }
    return (json_dates){dates, count};
}

/* The key path of what a schema's check found wrong. */
static void name_fault(const hr_schema_fault *fault, char *path, size_t size) {
    char column[48] = "label", item[32] = "";
    if (fault->part == HR_FAULT_EXPOSURE) snprintf(column, sizeof column, "exposure");
    if (fault->part == HR_FAULT_FEATURES) snprintf(column, sizeof column, "features");
    if (fault->part == HR_FAULT_FEATURE) snprintf(column, sizeof column, "features[%zu]", fault->feature);
    if (fault->part == HR_FAULT_UNUSED) snprintf(column, sizeof column, "unused[%zu]", fault->feature);
    if (fault->part == HR_FAULT_MISSING) snprintf(column, sizeof column, "missing[%zu]", fault->item);
    bool of_column = fault->key && (fault->part == HR_FAULT_LABEL || fault->part == HR_FAULT_FEATURE);
    if (of_column && !strcmp(fault->key, "values")) snprintf(item, sizeof item, "[%zu]", fault->item);
    snprintf(path, size, "schema.%s%s%s%s", column, of_column ? "." : "", of_column ? fault->key : "", item);
}

static void make_schema(hr_json_reader *r, const hr_schema_parts *parts) {
    char path[128];
    hr_schema_fault fault = {0};
    r->status = hr_schema_check(parts, &fault, r->err);
    if (!r->status) {
        r->status = hr_schema_make(parts, &r->model->schema, r->err);
    } else if (r->status != HR_E_MEMORY) {
        name_fault(&fault, path, sizeof path);
        hr_fail_at(r->err, r->status, NULL, 0, 0, path);
    }
}

/* Facts outside of label and features: the unit, spellings of missing, columns without a use.
 */
static void read_other_facts(hr_json_reader *r, const hr_json_position *at, hr_schema_parts *parts) {
    static const char *const units[] = {HR_UNIT_RECORD};
    parts->missing_facts.review = optional_bool_of(r, at, "missing_review");
    parts->missing_facts.source = optional_text_of(r, at, "missing_source");
    if (hr_json_has(r, at, "unit")) {
        (void)hr_json_word_of(r, at, "unit", units, 1);
        parts->single_records = true;
    }
    if (!hr_json_has(r, at, "unused")) return;
    const char *const *names = hr_json_texts_of(r, at, "unused", &parts->unused_count);
    hr_column *unused = hr_json_allocate(r, parts->unused_count, sizeof *unused);
    for (size_t i = 0; i < parts->unused_count && !r->status; i++)
        unused[i] = (hr_column){.name = names[i], .review = true};
    parts->unused = unused;
}

static void read_json_exposure(hr_json_reader *r, const hr_json_position *schema, hr_schema_parts *parts) {
    static const char *const keys[] = {"name", "high", "decimal", "thousands"};
    if (!hr_json_has(r, schema, "exposure")) return;
    const hr_json_position at = hr_json_typed_member(r, schema, "exposure", HR_JSON_OBJECT);
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    parts->exposure = hr_json_text_of(r, &at, "name");
    parts->exposure_high = hr_json_number_of(r, &at, "high");
    parts->exposure_format.decimal = optional_mark_of(r, &at, "decimal");
    parts->exposure_format.thousands = optional_mark_of(r, &at, "thousands");
    if (r->version < HR_MODEL_VERSION_EXPOSURES)
        hr_json_refuse(r, &at, "use a file of version 4", "version %d has no exposures", (int)r->version);
}

/* A model is trained with marks only if they were accepted. */
static hr_review review_of(const hr_schema_parts *parts) {
    bool marked = parts->label.review || parts->missing_facts.review || parts->unused_count;
    for (size_t f = 0; f < parts->feature_count; f++) marked |= parts->features[f].review;
    return marked ? HR_REVIEW_DONE : parts->reviewed;
}

void hr_json_read_schema(hr_json_reader *r, const hr_json_position *root) {
    static const char *const keys[] = {"label",          "dates",  "features", "missing", "missing_review",
                                       "missing_source", "unused", "unit",     "exposure"};
    static const json_dates no_dates = {NULL, 0};
    const hr_json_position at = hr_json_typed_member(r, root, "schema", HR_JSON_OBJECT);
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    const hr_json_position label_at = hr_json_member(r, &at, "label"),
                           list = hr_json_typed_member(r, &at, "features", HR_JSON_ARRAY);
    hr_column label = r->status ? (hr_column){0} : read_json_column(r, &label_at, &no_dates);
    const json_dates dates = read_json_dates(r, &at);
    size_t count = hr_json_size(r, &list), missing_count;
    hr_column *features = hr_json_allocate(r, count, sizeof *features);
    for (size_t f = 0; f < count && !r->status; f++) {
        const hr_json_position item = hr_json_element(&list, f);
        features[f] = read_json_column(r, &item, &dates);
    }
    const char *const *missing = hr_json_texts_of(r, &at, "missing", &missing_count);
    hr_schema_parts parts = {.label = label,
                             .features = features,
                             .feature_count = count,
                             .missing = missing,
                             .missing_count = missing_count};
    if (!r->status) read_other_facts(r, &at, &parts);
    if (!r->status) read_json_exposure(r, &at, &parts);
    if (r->status) return;
    parts.reviewed = review_of(&parts);
    make_schema(r, &parts);
}
