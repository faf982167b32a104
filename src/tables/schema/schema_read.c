/* The schema file format: docs/reference/formats.md, enforced key by key. */
#include "base/byte_source.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"
#include "tables/schema/keys.h"
#include "tables/schema/read_marks.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_read_text.h"

#include <string.h>

enum { SIZE_MAX_SCHEMA = 16 * 1024 * 1024 };

/* The keys of a mapping, found or NULL, in the order of the key list. */
enum {
    ROOT_VERSION,
    ROOT_LABEL,
    ROOT_FEATURES,
    ROOT_MISSING,
    ROOT_REVIEWED,
    ROOT_UNIT,
    ROOT_WEIGHT,
    ROOT_DECIMAL,
    ROOT_THOUSANDS,
    ROOT_REVIEW,
    ROOT_SOURCE,
    ROOT_ACCEPTED,
    ROOT_KEYS
};
static const char *const root_keys[] = {
    "hedgerow-schema", "label",     "features", "missing", "reviewed", "unit", "weight",
    "decimal",         "thousands", "review",   "source",  "accepted", NULL};
static const char root_help[] =
    "the keys are hedgerow-schema, label, features, missing, reviewed, unit, weight, decimal, "
    "thousands, review, accepted, source";

enum {
    COLUMN_NAME,
    COLUMN_KIND,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_INTEGER,
    COLUMN_VALUES,
    COLUMN_DECIMAL,
    COLUMN_THOUSANDS,
    COLUMN_SYMBOL,
    COLUMN_MONOTONE,
    COLUMN_FROM,
    COLUMN_TO,
    COLUMN_FORMAT,
    COLUMN_OFFSET,
    COLUMN_PARTS,
    COLUMN_REVIEW,
    COLUMN_SOURCE,
    COLUMN_ACCEPTED,
    COLUMN_QUANTILES,
    COLUMN_EXPOSURE,
    COLUMN_WHOLE, /* another name of "integer", which prepared files use */
    COLUMN_TIME,  /* another name of "name" */
    COLUMN_EVENT,
    COLUMN_INTERVALS,
    COLUMN_KEYS
};
static const char *const column_keys[] = {
    "name",      "kind",     "low",   "high",   "integer", "values",    "decimal", "thousands", "symbol",
    "monotone",  "from",     "to",    "format", "offset",  "parts",     "review",  "source",    "accepted",
    "quantiles", "exposure", "whole", "time",   "event",   "intervals", NULL};
static const char column_help[] =
    "a column has the keys name, kind, review, accepted, source, and those of its kind: low, high, "
    "integer, decimal, thousands, symbol (number), monotone (a feature), quantiles (a label), exposure "
    "(count); values (category, classes); "
    "from, to, format, offset, parts (date); time, event, intervals (time)";

/* The kinds of columns in a file. */
enum {
    FILE_NUMBER = 1,
    FILE_CATEGORY = 2,
    FILE_BOOLEAN = 4,
    FILE_DATE = 8,
    FILE_UNUSED = 16,
    FILE_COUNT = 32,
    FILE_TIME = 64
};
enum {
    FILE_KINDS = 7,
    FILE_ANY_NUMBER = FILE_NUMBER | FILE_COUNT,
    FILE_WRITTEN_NUMBER = FILE_ANY_NUMBER | FILE_TIME,
    FILE_LABEL_ONLY = FILE_COUNT | FILE_TIME
};
static const int label_kinds = FILE_NUMBER | FILE_CATEGORY | FILE_BOOLEAN | FILE_LABEL_ONLY;

/* Which kinds have a key, in the order of the keys; the first two, `review`, `accepted` and `source` belong
 * to all. */
static const int column_key_kinds[COLUMN_KEYS] = {[COLUMN_LOW] = FILE_ANY_NUMBER,
                                                  [COLUMN_HIGH] = FILE_ANY_NUMBER,
                                                  [COLUMN_INTEGER] = FILE_NUMBER,
                                                  [COLUMN_WHOLE] = FILE_NUMBER,
                                                  [COLUMN_DECIMAL] = FILE_WRITTEN_NUMBER,
                                                  [COLUMN_THOUSANDS] = FILE_WRITTEN_NUMBER,
                                                  [COLUMN_SYMBOL] = FILE_WRITTEN_NUMBER,
                                                  [COLUMN_MONOTONE] = FILE_NUMBER,
                                                  [COLUMN_VALUES] = FILE_CATEGORY,
                                                  [COLUMN_FROM] = FILE_DATE,
                                                  [COLUMN_TO] = FILE_DATE,
                                                  [COLUMN_FORMAT] = FILE_DATE,
                                                  [COLUMN_OFFSET] = FILE_DATE,
                                                  [COLUMN_PARTS] = FILE_DATE,
                                                  [COLUMN_TIME] = FILE_TIME,
                                                  [COLUMN_EVENT] = FILE_TIME,
                                                  [COLUMN_INTERVALS] = FILE_TIME,
                                                  [COLUMN_EXPOSURE] = FILE_COUNT,
                                                  [COLUMN_QUANTILES] = FILE_NUMBER};

typedef struct schema_reader {
    hr_keys keys;
    const hr_yaml_node *root[ROOT_KEYS];
    const hr_yaml_node *exposure;       /* of the label; NULL: none */
    hr_number_format format;            /* of all numbers, unless a column has its own */
    const hr_yaml_node **feature_nodes; /* per feature: the column that it comes from */
    const hr_yaml_node **unused_nodes;
} schema_reader;

/* ---- Columns ---- */

static hr_status forbid_other_keys(const schema_reader *r, const hr_yaml_node **keys, int kind) {
    const char *what = kind == FILE_NUMBER    ? "a number"
                       : kind == FILE_BOOLEAN ? "a boolean"
                       : kind == FILE_DATE    ? "a date"
                       : kind == FILE_COUNT   ? "a count"
                       : kind == FILE_TIME    ? "a time"
                       : kind == FILE_UNUSED  ? "an unused column"
                                              : "a category or classes";
    for (size_t i = 0; i < COLUMN_KEYS; i++) {
        if (!keys[i] || !column_key_kinds[i] || (column_key_kinds[i] & kind)) continue;
        return hr_keys_refuse(&r->keys, keys[i], "remove it, or change the kind",
                              "the key '%s' does not belong to %s", column_keys[i], what);
    }
    return HR_OK;
}

static hr_status read_column_kind(const schema_reader *r, const hr_yaml_node *node, bool is_label, int *out) {
    static const char *const names[] = {"number", "category", "boolean", "date", "unused", "count", "time"};
    const char *text = NULL;
    hr_status status = hr_keys_text(&r->keys, node, "kind", &text);
    if (status) return status;
    for (int i = 0; i < FILE_KINDS; i++) {
        *out = 1 << i;
        if (is_label ? !(*out & label_kinds) : (*out & FILE_LABEL_ONLY)) continue;
        if (strcmp(text, is_label && i == 1 ? "classes" : names[i]) == 0) return HR_OK;
    }
    return hr_keys_refuse(
        &r->keys, node,
        is_label ? "a label is a number (regression), a count, the time of an event, classes or a boolean"
                 : "a feature is a number, a category, a boolean or a date; a column that is none is unused",
        "unknown kind '%s'", text);
}

static hr_status read_quantiles(const schema_reader *r, const hr_yaml_node *list, hr_column *out) {
    if (list->kind != HR_YAML_SEQUENCE)
        return hr_keys_refuse_kind(&r->keys, list, "quantiles", "a list of numbers, such as [0.1, 0.5, 0.9]");
    double *quantiles = hr_arena_alloc(r->keys.arena, list->count + 1, sizeof *quantiles);
    if (!quantiles) return hr_fail_memory(r->keys.err);
    hr_status status = HR_OK;
    size_t count = 0;
    for (const hr_yaml_node *item = list->child; item && !status; item = item->next)
        status = hr_keys_number(&r->keys, item, "a quantile", &quantiles[count++]);
    out->quantiles = quantiles;
    out->quantile_count = count;
    return status;
}

static hr_status read_monotone(const schema_reader *r, const hr_yaml_node *node, hr_column *out) {
    const char *text = NULL;
    hr_status status = hr_keys_text(&r->keys, node, "monotone", &text);
    if (status) return status;
    for (int i = HR_MONOTONE_INCREASING; i <= HR_MONOTONE_DECREASING; i++)
        if (!strcmp(text, HR_MONOTONE_NAMES[i])) out->monotone = (hr_monotone)i;
    return out->monotone ? HR_OK
                         : hr_keys_refuse(&r->keys, node, "write increasing or decreasing, or remove the key",
                                          "unknown direction '%s'", text);
}

static hr_status read_number_column(const schema_reader *r, const hr_yaml_node *map,
                                    const hr_yaml_node **keys, hr_column *out) {
    static const char why[] = "a number needs public bounds, low and high";
    const hr_yaml_node *integer = keys[COLUMN_INTEGER] ? keys[COLUMN_INTEGER] : keys[COLUMN_WHOLE];
    const hr_number_format_keys format = {keys[COLUMN_DECIMAL], keys[COLUMN_THOUSANDS], keys[COLUMN_SYMBOL]};
    if (keys[COLUMN_INTEGER] && keys[COLUMN_WHOLE])
        return hr_keys_refuse(&r->keys, keys[COLUMN_WHOLE], "remove one of them",
                              "'whole' is another name of the key 'integer', which is there too");
    hr_status status =
        out->count && !keys[COLUMN_LOW] ? HR_OK : hr_keys_need(&r->keys, map, keys[COLUMN_LOW], "low", why);
    if (!status) status = hr_keys_need(&r->keys, map, keys[COLUMN_HIGH], "high", why);
    if (!status && keys[COLUMN_LOW]) status = hr_keys_number(&r->keys, keys[COLUMN_LOW], "low", &out->low);
    if (!status) status = hr_keys_number(&r->keys, keys[COLUMN_HIGH], "high", &out->high);
    if (!status && keys[COLUMN_QUANTILES]) status = read_quantiles(r, keys[COLUMN_QUANTILES], out);
    if (!status && integer) status = hr_keys_flag(&r->keys, integer, "integer", &out->integer);
    if (!status && keys[COLUMN_MONOTONE]) status = read_monotone(r, keys[COLUMN_MONOTONE], out);
    out->format = r->format;
    return status ? status : hr_read_number_format(&r->keys, &format, &out->format);
}

static hr_status read_column_of_kind(const schema_reader *r, const hr_yaml_node *map,
                                     const hr_yaml_node **keys, int kind, hr_column *out) {
    const hr_date_keys date = {keys[COLUMN_FROM], keys[COLUMN_TO], keys[COLUMN_FORMAT], keys[COLUMN_OFFSET],
                               keys[COLUMN_PARTS]};
    const hr_yaml_node *values = keys[COLUMN_VALUES];
    out->count = out->integer = kind == FILE_COUNT;
    if (kind & FILE_ANY_NUMBER) return read_number_column(r, map, keys, out);
    const hr_time_keys time = {keys[COLUMN_EVENT], keys[COLUMN_INTERVALS]};
    if (kind == FILE_TIME) {
        const hr_number_format_keys format = {keys[COLUMN_DECIMAL], keys[COLUMN_THOUSANDS],
                                              keys[COLUMN_SYMBOL]};
        out->format = r->format;
        const hr_status status = hr_read_time_column(&r->keys, map, &time, out);
        return status ? status : hr_read_number_format(&r->keys, &format, &out->format);
    }
    if (kind == FILE_DATE) return hr_read_date_column(&r->keys, map, out->name, &date, out);
    if (kind == FILE_UNUSED) return HR_OK;
    if (kind == FILE_BOOLEAN) {
        *out = (hr_column){.name = out->name,
                           .kind = HR_KIND_CATEGORY,
                           .boolean = true,
                           .values = HR_BOOLEAN_VALUES,
                           .value_count = 2};
        return HR_OK;
    }
    out->kind = HR_KIND_CATEGORY;
    hr_status status = hr_keys_need(&r->keys, map, values, "values", "list the public values of the column");
    if (!status) status = hr_keys_list(&r->keys, values, "values", &out->values);
    if (!status) out->value_count = values->count;
    return status;
}

/* A time is named by either key. */
static hr_status read_name(const schema_reader *r, const hr_yaml_node *map, const hr_yaml_node **keys,
                           hr_column *out) {
    const hr_yaml_node *name = keys[COLUMN_NAME], *time = keys[COLUMN_TIME];
    const char *other = NULL;
    hr_status status = hr_keys_need(&r->keys, map, name ? name : time, "name", column_help);
    if (!status) status = hr_keys_text(&r->keys, name ? name : time, "name", &out->name);
    if (!status && name && time) status = hr_keys_text(&r->keys, time, "time", &other);
    if (!status && other && strcmp(other, out->name) != 0)
        return hr_keys_refuse(&r->keys, name, "remove it: the label is called as the column of times is",
                              "'name' is another column than 'time'");
    return status;
}

/* Reads a column into out[0], or a column of dates into out[0 .. *count), one feature a part. *kind is that
 * of the file. */
static hr_status read_schema_column(schema_reader *r, const hr_yaml_node *map, int *kind, hr_column *out,
                                    size_t *count) {
    const bool is_label = map == r->root[ROOT_LABEL];
    hr_column origin = {0};
    if (map->kind != HR_YAML_MAPPING)
        return hr_keys_refuse_kind(&r->keys, map, is_label ? "the label" : "a feature",
                                   "a mapping with a name and a kind");
    const hr_yaml_node *keys[COLUMN_KEYS] = {NULL};
    const hr_named_keys named = {column_keys, keys, COLUMN_KEYS, r->root[ROOT_MISSING] ? "missing" : NULL};
    hr_status status = hr_keys_find(&r->keys, map, column_keys, column_help, keys);
    if (!status) status = read_name(r, map, keys, out);
    if (status) return status;
    const char *name = out->name;
    status = hr_keys_need(&r->keys, map, keys[COLUMN_KIND], "kind", column_help);
    if (!status) status = read_column_kind(r, keys[COLUMN_KIND], is_label, kind);
    if (!status) status = forbid_other_keys(r, keys, *kind);
    if (!status) status = read_column_of_kind(r, map, keys, *kind, out);
    const hr_mark_keys marks = {keys[COLUMN_REVIEW], keys[COLUMN_ACCEPTED], keys[COLUMN_SOURCE]};
    if (!status) status = hr_read_column_marks(&r->keys, &named, &marks, &origin);
    if (status) return hr_fail_at(r->keys.err, status, NULL, 0, 0, name);
    if (is_label) r->exposure = keys[COLUMN_EXPOSURE];
    *count = *kind == FILE_DATE ? keys[COLUMN_PARTS]->count : 1;
    for (size_t i = 0; i < *count; i++) {
        out[i].review = origin.review;
        out[i].accepted = origin.accepted;
        out[i].source = origin.source;
    }
    return HR_OK;
}

/* ---- The whole ---- */

/* How many features the list may become: one a column, or one a part of a date. */
static size_t count_features(const hr_yaml_node *list) {
    size_t count = list->count;
    for (const hr_yaml_node *item = list->child; item; item = item->next) {
        for (const hr_yaml_node *key = item->kind == HR_YAML_MAPPING ? item->child : NULL; key;
             key = key->next->next)
            if (strcmp(key->text, column_keys[COLUMN_PARTS]) == 0) count += key->next->count;
    }
    return count;
}

static hr_status read_features(schema_reader *r, hr_schema_parts *parts) {
    const hr_yaml_node *list = r->root[ROOT_FEATURES];
    if (list->kind != HR_YAML_SEQUENCE)
        return hr_keys_refuse_kind(&r->keys, list, "features",
                                   "a list of columns, each with a name and a kind");
    size_t room = count_features(list), count = 0, more = 0;
    hr_column *features = hr_arena_alloc(r->keys.arena, room, sizeof *features);
    hr_column *unused = hr_arena_alloc(r->keys.arena, list->count, sizeof *unused);
    r->feature_nodes = hr_arena_alloc(r->keys.arena, room, sizeof *r->feature_nodes);
    r->unused_nodes = hr_arena_alloc(r->keys.arena, list->count, sizeof *r->unused_nodes);
    if (!features || !unused || !r->feature_nodes || !r->unused_nodes) return hr_fail_memory(r->keys.err);
    parts->features = features;
    parts->unused = unused;
    for (const hr_yaml_node *item = list->child; item; item = item->next) {
        int kind = 0;
        hr_status status = read_schema_column(r, item, &kind, &features[count], &more);
        if (status) return status;
        if (kind == FILE_UNUSED) {
            r->unused_nodes[parts->unused_count] = item;
            unused[parts->unused_count++] = features[count];
            features[count] = (hr_column){0};
            continue;
        }
        for (size_t i = 0; i < more; i++) r->feature_nodes[count + i] = item;
        count += more;
    }
    parts->feature_count = count;
    return HR_OK;
}

static hr_status read_parts(schema_reader *r, const hr_yaml_node *root, hr_schema_parts *parts) {
    const hr_yaml_node **keys = r->root;
    static const char *const marked[] = {"missing", "unit"};
    bool reviewed = false;
    size_t one;
    int kind;
    if (root->kind != HR_YAML_MAPPING) return hr_keys_refuse_kind(&r->keys, root, "a schema", "a mapping");
    hr_status status = hr_keys_find(&r->keys, root, root_keys, root_help, keys);
    if (!status) status = hr_keys_version(&r->keys, root, keys[ROOT_VERSION], root_keys[ROOT_VERSION]);
    if (!status) status = hr_keys_need(&r->keys, root, keys[ROOT_LABEL], "label", root_help);
    if (!status) status = hr_keys_need(&r->keys, root, keys[ROOT_FEATURES], "features", root_help);
    if (!status && keys[ROOT_MISSING]) {
        status = hr_keys_list(&r->keys, keys[ROOT_MISSING], "missing", &parts->missing);
        parts->missing_count = keys[ROOT_MISSING]->count;
    }
    const hr_yaml_node *found[] = {keys[ROOT_MISSING], keys[ROOT_UNIT]};
    const hr_named_keys named = {marked, found, 2, NULL};
    const hr_mark_keys marks = {keys[ROOT_REVIEW], keys[ROOT_ACCEPTED], keys[ROOT_SOURCE]};
    if (!status) status = hr_read_file_marks(&r->keys, &named, &marks, parts);
    if (!status && keys[ROOT_REVIEWED]) {
        status = hr_keys_flag(&r->keys, keys[ROOT_REVIEWED], "reviewed", &reviewed);
        parts->reviewed = reviewed ? HR_REVIEW_DONE : HR_REVIEW_PENDING;
    }
    if (!status && keys[ROOT_UNIT]) status = hr_read_unit(&r->keys, keys[ROOT_UNIT], parts);
    const hr_number_format_keys format = {keys[ROOT_DECIMAL], keys[ROOT_THOUSANDS], NULL};
    if (!status) status = hr_read_number_format(&r->keys, &format, &r->format);
    if (!status && keys[ROOT_WEIGHT]) status = hr_read_weight(&r->keys, keys[ROOT_WEIGHT], &r->format, parts);
    if (!status) status = read_schema_column(r, keys[ROOT_LABEL], &kind, &parts->label, &one);
    if (!status && r->exposure) status = hr_read_exposure(&r->keys, r->exposure, &r->format, parts);
    if (!status) status = read_features(r, parts);
    return status;
}

static const hr_yaml_node *child_at(const hr_yaml_node *node, size_t index) {
    const hr_yaml_node *child = node->child;
    while (index--) child = child->next;
    return child;
}

/* The node that a failed check means. */
static const hr_yaml_node *fault_node(const schema_reader *r, const hr_schema_fault *fault) {
    if (fault->part == HR_FAULT_FEATURES) return r->root[ROOT_FEATURES];
    if (fault->part == HR_FAULT_UNIT) return r->root[ROOT_UNIT];
    if (fault->part == HR_FAULT_WEIGHT) return r->root[ROOT_WEIGHT];
    if (fault->part == HR_FAULT_EXPOSURE) return r->exposure;
    if (fault->part == HR_FAULT_MISSING) return child_at(r->root[ROOT_MISSING], fault->item);
    const hr_yaml_node *column = fault->part == HR_FAULT_LABEL    ? r->root[ROOT_LABEL]
                                 : fault->part == HR_FAULT_UNUSED ? r->unused_nodes[fault->feature]
                                                                  : r->feature_nodes[fault->feature];
    const hr_yaml_node *key = column->child;
    while (key && strcmp(key->text, fault->key) != 0) key = key->next->next;
    if (!key) return column; /* it is no key of its own: a part of a date, or a mark that the file gives */
    const hr_yaml_node *value = key->next;
    return value->kind == HR_YAML_SEQUENCE && fault->item < value->count ? child_at(value, fault->item)
                                                                         : value;
}

hr_status hr_schema_parse(const char *text, size_t size, const char *name, hr_schema **out, hr_error *err) {
    schema_reader r = {.keys = {.arena = hr_arena_new(), .err = err}};
    const hr_yaml_node *root = NULL;
    hr_schema_parts parts = {0};
    hr_schema_fault fault = {0};
    hr_status status = HR_OK;
    if (!r.keys.arena) return hr_fail_memory(err);
    if (size > SIZE_MAX_SCHEMA)
        status = hr_fail(err, HR_E_LIMIT, "is this the right file? a schema describes columns, not records",
                         "larger than 16 MiB");
    if (!status) status = hr_yaml_parse(text, size, r.keys.arena, &root, err);
    if (!status) status = read_parts(&r, root, &parts);
    if (!status) {
        status = hr_schema_check(&parts, &fault, err);
        if (status && status != HR_E_MEMORY) {
            const hr_yaml_node *node = fault_node(&r, &fault);
            hr_fail_at(err, status, NULL, node->line, node->column, NULL);
        }
        if (!status) status = hr_schema_make(&parts, out, err);
    }
    hr_arena_free(r.keys.arena);
    return status ? hr_fail_at(err, status, name, 0, 0, NULL) : HR_OK;
}

hr_status hr_schema_read(const char *path, hr_schema **out, hr_error *err) {
    hr_byte_source source;
    hr_status status = hr_byte_source_fill(&source, path, SIZE_MAX_SCHEMA, err);
    if (status) {
        hr_fail_at(err, status, path, 0, 0, NULL);
    } else {
        status = hr_schema_parse(source.at, (size_t)(source.end - source.at), path, out, err);
    }
    hr_byte_source_done(&source);
    return status;
}
