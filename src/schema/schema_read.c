/* The schema file format: what docs/formats.md says of it, enforced key by key. */
#include "base/byte_source.h"
#include "schema/check.h"
#include "schema/keys.h"
#include "schema/schema.h"

#include <string.h>

enum { SIZE_MAX_SCHEMA = 16 * 1024 * 1024 };

/* The keys of a mapping, found or NULL, in the order of the key list. */
enum { ROOT_VERSION, ROOT_LABEL, ROOT_FEATURES, ROOT_MISSING, ROOT_REVIEWED, ROOT_KEYS };
static const char *const root_keys[] = {"hedgerow-schema", "label", "features", "missing", "reviewed", NULL};
static const char root_help[] = "the keys are hedgerow-schema, label, features, missing, reviewed";

enum {
    COLUMN_NAME,
    COLUMN_KIND,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_INTEGER,
    COLUMN_VALUES,
    COLUMN_REVIEW,
    COLUMN_WHOLE, /* another name of "integer", which prepared files use */
    COLUMN_KEYS
};
static const char *const column_keys[] = {"name",   "kind",   "low",   "high", "integer",
                                          "values", "review", "whole", NULL};
static const char column_help[] = "a column has the keys name, kind, low, high, integer, values, review";

typedef struct schema_reader {
    hr_keys keys;
    const hr_yaml_node *root[ROOT_KEYS];
    bool reviewed; /* a person has decided about every mark */
} schema_reader;

/* ---- Columns ---- */

static hr_status forbid(const schema_reader *r, const hr_yaml_node *node, const char *key, const char *why) {
    if (!node) return HR_OK;
    return hr_keys_refuse(&r->keys, node, "remove it, or change the kind",
                          "the key '%s' does not belong to %s", key, why);
}

static hr_status read_column_kind(const schema_reader *r, const hr_yaml_node *node, bool is_label,
                                  hr_kind *out) {
    const char *text = NULL, *category = is_label ? "classes" : "category";
    hr_status status = hr_keys_text(&r->keys, node, "kind", &text);
    if (status) return status;
    if (strcmp(text, "number") != 0 && strcmp(text, category) != 0) {
        return hr_keys_refuse(&r->keys, node,
                              is_label ? "a label is a number (regression) or classes"
                                       : "a feature is a number or a category",
                              "unknown kind '%s'", text);
    }
    *out = strcmp(text, "number") == 0 ? HR_KIND_NUMBER : HR_KIND_CATEGORY;
    return HR_OK;
}

static hr_status read_number_column(const schema_reader *r, const hr_yaml_node *map,
                                    const hr_yaml_node **keys, hr_column *out) {
    static const char why[] = "a number needs public bounds, low and high";
    const hr_yaml_node *integer = keys[COLUMN_INTEGER] ? keys[COLUMN_INTEGER] : keys[COLUMN_WHOLE];
    if (keys[COLUMN_INTEGER] && keys[COLUMN_WHOLE])
        return hr_keys_refuse(&r->keys, keys[COLUMN_WHOLE], "remove one of them",
                              "'whole' is another name of the key 'integer', which is there too");
    hr_status status = forbid(r, keys[COLUMN_VALUES], "values", "a number");
    if (!status) status = hr_keys_need(&r->keys, map, keys[COLUMN_LOW], "low", why);
    if (!status) status = hr_keys_need(&r->keys, map, keys[COLUMN_HIGH], "high", why);
    if (!status) status = hr_keys_number(&r->keys, keys[COLUMN_LOW], "low", &out->low);
    if (!status) status = hr_keys_number(&r->keys, keys[COLUMN_HIGH], "high", &out->high);
    if (!status && integer) status = hr_keys_flag(&r->keys, integer, "integer", &out->integer);
    return status;
}

static hr_status read_category_column(const schema_reader *r, const hr_yaml_node *map,
                                      const hr_yaml_node **keys, hr_column *out) {
    static const char what[] = "a category or classes";
    hr_status status = forbid(r, keys[COLUMN_LOW], "low", what);
    if (!status) status = forbid(r, keys[COLUMN_HIGH], "high", what);
    if (!status) status = forbid(r, keys[COLUMN_INTEGER], "integer", what);
    if (!status) status = forbid(r, keys[COLUMN_WHOLE], "whole", what);
    if (!status)
        status = hr_keys_need(&r->keys, map, keys[COLUMN_VALUES], "values",
                              "list the public values of the column");
    if (!status) status = hr_keys_list(&r->keys, keys[COLUMN_VALUES], "values", &out->values);
    if (!status) out->value_count = keys[COLUMN_VALUES]->count;
    return status;
}

/* "review: [low, high]" names keys of the column that await a person; "missing" stands for the schema's list.
 */
static hr_status read_review(const schema_reader *r, const hr_yaml_node **keys, bool *out) {
    const hr_yaml_node *node = keys[COLUMN_REVIEW];
    if (node->kind != HR_YAML_SEQUENCE || !node->count)
        return hr_keys_refuse_kind(&r->keys, node, "review", "a list of keys such as [low, high]");
    for (const hr_yaml_node *item = node->child; item; item = item->next) {
        const char *text = NULL;
        hr_status status = hr_keys_text(&r->keys, item, "an entry of review", &text);
        if (status) return status;
        size_t i = 0;
        while (i < COLUMN_REVIEW && strcmp(column_keys[i], text) != 0) i++;
        bool known =
            i == COLUMN_REVIEW ? strcmp(text, "missing") == 0 && r->root[ROOT_MISSING] : keys[i] != NULL;
        if (known) continue;
        return hr_keys_refuse(&r->keys, item,
                              "name keys of this column, or delete the line once they are reviewed",
                              "review: no key '%s' here", text);
    }
    *out = true;
    return HR_OK;
}

static hr_status read_schema_column(const schema_reader *r, const hr_yaml_node *map, bool is_label,
                                    hr_column *out) {
    if (map->kind != HR_YAML_MAPPING)
        return hr_keys_refuse_kind(&r->keys, map, is_label ? "the label" : "a feature",
                                   "a mapping with a name and a kind");
    const hr_yaml_node *keys[COLUMN_KEYS] = {NULL};
    hr_status status = hr_keys_find(&r->keys, map, column_keys, column_help, keys);
    if (!status) status = hr_keys_need(&r->keys, map, keys[COLUMN_NAME], "name", column_help);
    if (!status) status = hr_keys_text(&r->keys, keys[COLUMN_NAME], "name", &out->name);
    if (status) return status;
    status = hr_keys_need(&r->keys, map, keys[COLUMN_KIND], "kind", column_help);
    if (!status) status = read_column_kind(r, keys[COLUMN_KIND], is_label, &out->kind);
    if (!status)
        status = out->kind == HR_KIND_NUMBER ? read_number_column(r, map, keys, out)
                                             : read_category_column(r, map, keys, out);
    if (!status && keys[COLUMN_REVIEW]) status = read_review(r, keys, &out->review);
    if (r->reviewed) out->review = false;
    return status ? hr_fail_at(r->keys.err, status, NULL, 0, 0, out->name) : HR_OK;
}

/* ---- The whole ---- */

static hr_status read_features(const schema_reader *r, hr_schema_parts *parts) {
    const hr_yaml_node *list = r->root[ROOT_FEATURES];
    if (list->kind != HR_YAML_SEQUENCE)
        return hr_keys_refuse_kind(&r->keys, list, "features",
                                   "a list of columns, each with a name and a kind");
    hr_column *features = hr_arena_alloc(r->keys.arena, list->count, sizeof *features);
    if (!features) return hr_fail_memory(r->keys.err);
    size_t i = 0;
    for (const hr_yaml_node *item = list->child; item; item = item->next) {
        hr_status status = read_schema_column(r, item, false, &features[i++]);
        if (status) return status;
    }
    parts->features = features;
    parts->feature_count = list->count;
    return HR_OK;
}

static hr_status read_parts(schema_reader *r, const hr_yaml_node *root, hr_schema_parts *parts) {
    if (root->kind != HR_YAML_MAPPING) return hr_keys_refuse_kind(&r->keys, root, "a schema", "a mapping");
    hr_status status = hr_keys_find(&r->keys, root, root_keys, root_help, r->root);
    if (!status) status = hr_keys_version(&r->keys, root, r->root[ROOT_VERSION], root_keys[ROOT_VERSION]);
    if (!status) status = hr_keys_need(&r->keys, root, r->root[ROOT_LABEL], "label", root_help);
    if (!status) status = hr_keys_need(&r->keys, root, r->root[ROOT_FEATURES], "features", root_help);
    if (!status && r->root[ROOT_MISSING]) {
        status = hr_keys_list(&r->keys, r->root[ROOT_MISSING], "missing", &parts->missing);
        parts->missing_count = r->root[ROOT_MISSING]->count;
    }
    if (!status && r->root[ROOT_REVIEWED])
        status = hr_keys_flag(&r->keys, r->root[ROOT_REVIEWED], "reviewed", &r->reviewed);
    if (!status) status = read_schema_column(r, r->root[ROOT_LABEL], true, &parts->label);
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
    if (fault->part == HR_FAULT_MISSING) return child_at(r->root[ROOT_MISSING], fault->item);
    const hr_yaml_node *column = fault->part == HR_FAULT_LABEL
                                     ? r->root[ROOT_LABEL]
                                     : child_at(r->root[ROOT_FEATURES], fault->feature);
    const hr_yaml_node *key = column->child;
    while (strcmp(key->text, fault->key) != 0) key = key->next->next;
    const hr_yaml_node *value = key->next;
    return value->kind == HR_YAML_SEQUENCE && fault->item < value->count ? child_at(value, fault->item)
                                                                         : value;
}

static hr_status parse(schema_reader *r, const char *text, size_t size, hr_schema **out) {
    if (size > SIZE_MAX_SCHEMA) {
        return hr_fail(r->keys.err, HR_E_LIMIT,
                       "is this the right file? a schema describes columns, not records",
                       "larger than 16 MiB");
    }
    const hr_yaml_node *root = NULL;
    hr_schema_parts parts = {0};
    hr_status status = hr_yaml_parse(text, size, r->keys.arena, &root, r->keys.err);
    if (!status) status = read_parts(r, root, &parts);
    if (status) return status;
    hr_schema_fault fault = {0};
    status = hr_schema_check(&parts, &fault, r->keys.err);
    if (status && status != HR_E_MEMORY) {
        const hr_yaml_node *node = fault_node(r, &fault);
        return hr_fail_at(r->keys.err, status, NULL, node->line, node->column, NULL);
    }
    if (!status) status = hr_schema_make(&parts, out, r->keys.err);
    if (!status && r->reviewed) hr_schema_vouch(*out);
    return status;
}

hr_status hr_schema_parse(const char *text, size_t size, const char *name, hr_schema **out, hr_error *err) {
    schema_reader r = {.keys = {.arena = hr_arena_new(), .err = err}};
    if (!r.keys.arena) return hr_fail_memory(err);
    hr_status status = parse(&r, text, size, out);
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
