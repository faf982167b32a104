/* The schema file format: what docs/formats.md says of it, enforced key by key. */
#include "base/fail.h"
#include "data/check.h"
#include "data/number.h"
#include "data/schema.h"
#include "data/source.h"
#include "data/yaml.h"

#include <string.h>

enum { SIZE_MAX_SCHEMA = 16 * 1024 * 1024 };

/* The keys of a mapping, found or NULL, in the order of the key list. */
enum { ROOT_VERSION, ROOT_LABEL, ROOT_FEATURES, ROOT_MISSING, ROOT_KEYS };
static const char *const root_keys[] = {"hedgerow-schema", "label", "features", "missing", NULL};
static const char root_help[] = "the keys are hedgerow-schema, label, features, missing";

enum { COLUMN_NAME, COLUMN_KIND, COLUMN_LOW, COLUMN_HIGH, COLUMN_WHOLE, COLUMN_VALUES, COLUMN_REVIEW, COLUMN_KEYS };
static const char *const column_keys[] = {"name", "kind", "low", "high", "whole", "values", "review", NULL};
static const char column_help[] = "a column has the keys name, kind, low, high, whole, values, review";

typedef struct reader {
    hr_arena *arena;
    hr_error *err;
    const hr_yaml_node *root[ROOT_KEYS];
} reader;

static hr_status place(const reader *r, const hr_yaml_node *node) {
    return hr_fail_at(r->err, HR_E_FORMAT, NULL, node->line, node->column, NULL);
}

static hr_status refuse_kind(const reader *r, const hr_yaml_node *node, const char *what, const char *expected) {
    static const char *const names[] = {"a single value", "a list", "a mapping"};
    hr_fail(r->err, HR_E_FORMAT, "", "%s must be %s, not %s", what, expected, names[node->kind]);
    return place(r, node);
}

static hr_status read_keys(const reader *r, const hr_yaml_node *map, const char *const *keys, const char *help,
                           const hr_yaml_node **found) {
    for (const hr_yaml_node *key = map->child; key; key = key->next->next) {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key->text) != 0) i++;
        if (!keys[i] || found[i]) {
            hr_fail(r->err, HR_E_FORMAT, help, keys[i] ? "the key '%s' is given twice" : "unknown key '%s'", key->text);
            return place(r, key);
        }
        found[i] = key->next;
    }
    return HR_OK;
}

/* ---- Values of keys -------------------------------------------------------------------------------------------------------- */

static hr_status read_text(const reader *r, const hr_yaml_node *node, const char *what, const char **out) {
    if (node->kind != HR_YAML_SCALAR) return refuse_kind(r, node, what, "a text");
    if (!*node->text) {
        hr_fail(r->err, HR_E_FORMAT, "", "%s is empty", what);
        return place(r, node);
    }
    *out = node->text;
    return HR_OK;
}

static hr_status read_number(const reader *r, const hr_yaml_node *node, const char *what, double *out) {
    if (node->kind != HR_YAML_SCALAR) return refuse_kind(r, node, what, "a number");
    hr_number_status status = node->plain ? hr_number_parse(node->text, strlen(node->text), out) : HR_NUMBER_NONE;
    if (status == HR_NUMBER_OK) return HR_OK;
    hr_fail(r->err, HR_E_FORMAT, "write a plain number such as 0, -1.5 or 2e6, without quotes",
            status == HR_NUMBER_LARGE ? "%s: '%s' is too large" : "%s: '%s' is not a number", what, node->text);
    return place(r, node);
}

static hr_status read_flag(const reader *r, const hr_yaml_node *node, const char *what, bool *out) {
    bool yes = node->kind == HR_YAML_SCALAR && node->plain && strcmp(node->text, "true") == 0;
    bool no = node->kind == HR_YAML_SCALAR && node->plain && strcmp(node->text, "false") == 0;
    if (!yes && !no) {
        hr_fail(r->err, HR_E_FORMAT, "", "%s must be true or false", what);
        return place(r, node);
    }
    *out = yes;
    return HR_OK;
}

static hr_status read_list(const reader *r, const hr_yaml_node *node, const char *what, const char *const **out) {
    if (node->kind != HR_YAML_SEQUENCE) return refuse_kind(r, node, what, "a list such as [a, b]");
    const char **list = hr_arena_alloc(r->arena, node->count, sizeof *list);
    if (!list) return hr_fail_memory(r->err);
    size_t i = 0;
    for (const hr_yaml_node *item = node->child; item; item = item->next) {
        hr_status status = read_text(r, item, "an entry of a list", &list[i++]);
        if (status) return status;
    }
    *out = list;
    return HR_OK;
}

/* ---- Columns ----------------------------------------------------------------------------------------------------------------- */

static hr_status need(const reader *r, const hr_yaml_node *parent, const hr_yaml_node *node, const char *key, const char *why) {
    if (node) return HR_OK;
    hr_fail(r->err, HR_E_FORMAT, why, "the key '%s' is missing", key);
    return place(r, parent);
}

static hr_status forbid(const reader *r, const hr_yaml_node *node, const char *key, const char *why) {
    if (!node) return HR_OK;
    hr_fail(r->err, HR_E_FORMAT, "remove it, or change the kind", "the key '%s' does not belong to %s", key, why);
    return place(r, node);
}

static hr_status read_column_kind(const reader *r, const hr_yaml_node *node, bool is_label, hr_kind *out) {
    const char *text = NULL, *category = is_label ? "classes" : "category";
    hr_status status = read_text(r, node, "kind", &text);
    if (status) return status;
    if (strcmp(text, "number") != 0 && strcmp(text, category) != 0) {
        hr_fail(r->err, HR_E_FORMAT, is_label ? "a label is a number (regression) or classes" : "a feature is a number or a category",
                "unknown kind '%s'", text);
        return place(r, node);
    }
    *out = strcmp(text, "number") == 0 ? HR_NUMBER : HR_CATEGORY;
    return HR_OK;
}

static hr_status read_number_column(const reader *r, const hr_yaml_node *map, const hr_yaml_node **keys, hr_column *out) {
    static const char why[] = "a number needs public bounds, low and high";
    hr_status status = forbid(r, keys[COLUMN_VALUES], "values", "a number");
    if (!status) status = need(r, map, keys[COLUMN_LOW], "low", why);
    if (!status) status = need(r, map, keys[COLUMN_HIGH], "high", why);
    if (!status) status = read_number(r, keys[COLUMN_LOW], "low", &out->low);
    if (!status) status = read_number(r, keys[COLUMN_HIGH], "high", &out->high);
    if (!status && keys[COLUMN_WHOLE]) status = read_flag(r, keys[COLUMN_WHOLE], "whole", &out->whole);
    return status;
}

static hr_status read_category_column(const reader *r, const hr_yaml_node *map, const hr_yaml_node **keys, hr_column *out) {
    static const char what[] = "a category or classes";
    hr_status status = forbid(r, keys[COLUMN_LOW], "low", what);
    if (!status) status = forbid(r, keys[COLUMN_HIGH], "high", what);
    if (!status) status = forbid(r, keys[COLUMN_WHOLE], "whole", what);
    if (!status) status = need(r, map, keys[COLUMN_VALUES], "values", "list the public values of the column");
    if (!status) status = read_list(r, keys[COLUMN_VALUES], "values", &out->values);
    if (!status) out->value_count = keys[COLUMN_VALUES]->count;
    return status;
}

/* "review: [low, high]" names keys of the column that await a person; "missing" stands for the schema's list. */
static hr_status read_review(const reader *r, const hr_yaml_node **keys, bool *out) {
    const hr_yaml_node *node = keys[COLUMN_REVIEW];
    if (node->kind != HR_YAML_SEQUENCE || !node->count) return refuse_kind(r, node, "review", "a list of keys such as [low, high]");
    for (const hr_yaml_node *item = node->child; item; item = item->next) {
        const char *text = NULL;
        hr_status status = read_text(r, item, "an entry of review", &text);
        if (status) return status;
        size_t i = 0;
        while (i < COLUMN_REVIEW && strcmp(column_keys[i], text) != 0) i++;
        bool known = i == COLUMN_REVIEW ? strcmp(text, "missing") == 0 && r->root[ROOT_MISSING] : keys[i] != NULL;
        if (known) continue;
        hr_fail(r->err, HR_E_FORMAT, "name keys of this column, or delete the line once they are reviewed", "review: no key '%s' here",
                text);
        return place(r, item);
    }
    *out = true;
    return HR_OK;
}

static hr_status read_column(const reader *r, const hr_yaml_node *map, bool is_label, hr_column *out) {
    if (map->kind != HR_YAML_MAPPING) return refuse_kind(r, map, is_label ? "the label" : "a feature", "a mapping with a name and a kind");
    const hr_yaml_node *keys[COLUMN_KEYS] = {NULL};
    hr_status status = read_keys(r, map, column_keys, column_help, keys);
    if (!status) status = need(r, map, keys[COLUMN_NAME], "name", column_help);
    if (!status) status = read_text(r, keys[COLUMN_NAME], "name", &out->name);
    if (status) return status;
    status = need(r, map, keys[COLUMN_KIND], "kind", column_help);
    if (!status) status = read_column_kind(r, keys[COLUMN_KIND], is_label, &out->kind);
    if (!status) status = out->kind == HR_NUMBER ? read_number_column(r, map, keys, out) : read_category_column(r, map, keys, out);
    if (!status && keys[COLUMN_REVIEW]) status = read_review(r, keys, &out->review);
    return status ? hr_fail_at(r->err, status, NULL, 0, 0, out->name) : HR_OK;
}

/* ---- The whole ---------------------------------------------------------------------------------------------------------------- */

static hr_status read_version(const reader *r, const hr_yaml_node *root) {
    hr_status status = need(r, root, r->root[ROOT_VERSION], "hedgerow-schema", "begin the file with 'hedgerow-schema: 1'");
    if (status) return status;
    const hr_yaml_node *node = r->root[ROOT_VERSION];
    if (node->kind == HR_YAML_SCALAR && node->plain && strcmp(node->text, "1") == 0) return HR_OK;
    hr_fail(r->err, HR_E_FORMAT, "this library reads version 1: 'hedgerow-schema: 1'", "unsupported version of the schema format");
    return place(r, node);
}

static hr_status read_features(const reader *r, hr_schema_parts *parts) {
    const hr_yaml_node *list = r->root[ROOT_FEATURES];
    if (list->kind != HR_YAML_SEQUENCE) return refuse_kind(r, list, "features", "a list of columns, each with a name and a kind");
    hr_column *features = hr_arena_alloc(r->arena, list->count, sizeof *features);
    if (!features) return hr_fail_memory(r->err);
    size_t i = 0;
    for (const hr_yaml_node *item = list->child; item; item = item->next) {
        hr_status status = read_column(r, item, false, &features[i++]);
        if (status) return status;
    }
    parts->features = features;
    parts->feature_count = list->count;
    return HR_OK;
}

static hr_status read_parts(reader *r, const hr_yaml_node *root, hr_schema_parts *parts) {
    if (root->kind != HR_YAML_MAPPING) return refuse_kind(r, root, "a schema", "a mapping");
    hr_status status = read_keys(r, root, root_keys, root_help, r->root);
    if (!status) status = read_version(r, root);
    if (!status) status = need(r, root, r->root[ROOT_LABEL], "label", root_help);
    if (!status) status = need(r, root, r->root[ROOT_FEATURES], "features", root_help);
    if (!status && r->root[ROOT_MISSING]) {
        status = read_list(r, r->root[ROOT_MISSING], "missing", &parts->missing);
        parts->missing_count = r->root[ROOT_MISSING]->count;
    }
    if (!status) status = read_column(r, r->root[ROOT_LABEL], true, &parts->label);
    if (!status) status = read_features(r, parts);
    return status;
}

static const hr_yaml_node *child_at(const hr_yaml_node *node, size_t index) {
    const hr_yaml_node *child = node->child;
    while (index--) child = child->next;
    return child;
}

/* The node that a failed check means. */
static const hr_yaml_node *fault_node(const reader *r, const hr_schema_fault *fault) {
    if (fault->part == HR_FAULT_FEATURES) return r->root[ROOT_FEATURES];
    if (fault->part == HR_FAULT_MISSING) return child_at(r->root[ROOT_MISSING], fault->item);
    const hr_yaml_node *column = fault->part == HR_FAULT_LABEL ? r->root[ROOT_LABEL] : child_at(r->root[ROOT_FEATURES], fault->feature);
    const hr_yaml_node *key = column->child;
    while (strcmp(key->text, fault->key) != 0) key = key->next->next;
    const hr_yaml_node *value = key->next;
    return value->kind == HR_YAML_SEQUENCE && fault->item < value->count ? child_at(value, fault->item) : value;
}

static hr_status parse(reader *r, const char *text, size_t size, hr_schema **out) {
    if (size > SIZE_MAX_SCHEMA) {
        return hr_fail(r->err, HR_E_LIMIT, "is this the right file? a schema describes columns, not records", "larger than 16 MiB");
    }
    const hr_yaml_node *root = NULL;
    hr_schema_parts parts = {0};
    hr_status status = hr_yaml_parse(text, size, r->arena, &root, r->err);
    if (!status) status = read_parts(r, root, &parts);
    if (status) return status;
    hr_schema_fault fault = {0};
    status = hr_schema_check(&parts, &fault, r->err);
    if (status && status != HR_E_MEMORY) {
        const hr_yaml_node *node = fault_node(r, &fault);
        return hr_fail_at(r->err, status, NULL, node->line, node->column, NULL);
    }
    if (status) return status;
    return hr_schema_make(&parts.label, parts.features, parts.feature_count, parts.missing, parts.missing_count, out, r->err);
}

hr_status hr_schema_parse(const char *text, size_t size, const char *name, hr_schema **out, hr_error *err) {
    reader r = {.arena = hr_arena_new(), .err = err};
    if (!r.arena) return hr_fail_memory(err);
    hr_status status = parse(&r, text, size, out);
    hr_arena_free(r.arena);
    return status ? hr_fail_at(err, status, name, 0, 0, NULL) : HR_OK;
}

hr_status hr_schema_read(const char *path, hr_schema **out, hr_error *err) {
    hr_source source;
    hr_status status = hr_source_open(&source, path, err);
    while (!status && !source.ended && source.end - source.at <= SIZE_MAX_SCHEMA) status = hr_source_more(&source, err);
    if (status) {
        hr_fail_at(err, status, path, 0, 0, NULL);
    } else {
        status = hr_schema_parse(source.at, (size_t)(source.end - source.at), path, out, err);
    }
    hr_source_done(&source);
    return status;
}
