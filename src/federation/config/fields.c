/* Every message names the key and what is expected under it; the same table reads the file and words the
 * help. */
#include "federation/config/fields.h"

#include "base/byte_source.h"
#include "federation/transport/address.h"
#include "tables/source/database_address.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Files ---- */

hr_status hr_fields_load(const char *path, hr_arena *arena, hr_file_text *out, hr_error *err) {
    hr_byte_source source;
    hr_status status = hr_byte_source_fill(&source, path, HR_FIELDS_FILE_MAX, err);
    if (!status) {
        const size_t got = (size_t)(source.end - source.at);
        const char *copy = hr_arena_text(arena, source.at, got);
        if (copy)
            *out = (hr_file_text){path, copy, got};
        else
            status = hr_fail_memory(err);
    }
    hr_byte_source_done(&source);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

hr_status hr_fields_parse(const hr_file_text *file, const char *what, hr_root_reader *read, hr_arena *arena,
                          void *out, hr_error *err) {
    hr_fields reader = {.keys = {.arena = arena, .err = err}, .path = file->path};
    hr_status status =
        file->size > HR_FIELDS_FILE_MAX
            ? hr_fail(err, HR_E_LIMIT, "is this the right file?", "%s is larger than 1 MiB", what)
            : hr_yaml_parse(file->text, file->size, arena, &reader.root, err);
    if (!status) status = read(&reader, out);
    return status ? hr_fail_at(err, status, file->path, 0, 0, NULL) : HR_OK;
}

/* ---- Values ---- */

bool hr_names_hold(const hr_names *names, const char *name) {
    size_t i = 0;
    while (i < names->count && strcmp(names->items[i], name) != 0) i++;
    return i < names->count;
}

static hr_status refuse_value(const hr_fields *reader, const hr_yaml_node *node, const char *key,
                              const char *expected) {
    return hr_keys_refuse(&reader->keys, node, HR_KEYS_SHOWN, "%s: '%s' is not %s", key, node->text,
                          expected);
}

static hr_status read_text(const hr_fields *reader, const hr_yaml_node *node, const char *key,
                           const char *expected, const char **out) {
    if (node->kind != HR_YAML_SCALAR) return hr_keys_refuse_kind(&reader->keys, node, key, expected);
    return hr_keys_text(&reader->keys, node, key, out);
}

static hr_status read_member_name(const hr_fields *reader, const hr_yaml_node *node, const char *key,
                                  const char **out) {
    const char *text = NULL;
    hr_status status = read_text(reader, node, key, HR_NAME_EXPECTED, &text);
    if (!status && !hr_nats_name_fits(text)) status = refuse_value(reader, node, key, HR_NAME_EXPECTED);
    if (!status) *out = text;
    return status;
}

static hr_status read_path(const hr_fields *reader, const hr_yaml_node *node, const hr_field *field,
                           const char **out) {
    const char *text = NULL;
    hr_status status = read_text(reader, node, field->key, field->expected, &text);
    if (status) return status;
    if (field->kind == HR_FIELD_TABLE && hr_database_is_address(text)) {
        *out = text;
        return HR_OK;
    }
    const char *slash = strrchr(reader->path, '/');
    const size_t folder = slash && *text != '/' ? (size_t)(slash - reader->path) + 1 : 0;
    char *path = hr_arena_alloc(reader->keys.arena, folder + strlen(text) + 1, 1);
    if (!path) return hr_fail_memory(reader->keys.err);
    memcpy(path, reader->path, folder);
    strcpy(path + folder, text);
    *out = path;
    return HR_OK;
}

static hr_status read_number(const hr_fields *reader, const hr_yaml_node *node, const hr_field *field,
                             double *out) {
    double number = 0;
    if (node->kind != HR_YAML_SCALAR)
        return hr_keys_refuse_kind(&reader->keys, node, field->key, field->expected);
    hr_status status = hr_keys_number(&reader->keys, node, field->key, &number);
    if (status) return status;
    bool whole = field->kind != HR_FIELD_INTEGER || number == floor(number);
    if (!whole || number < field->min || number > field->max)
        return refuse_value(reader, node, field->key, field->expected);
    *out = number;
    return HR_OK;
}

static hr_status read_names(const hr_fields *reader, const hr_yaml_node *list, const hr_field *field,
                            hr_names *out) {
    const bool keys = field->kind == HR_FIELD_MEMBERS && list->kind == HR_YAML_MAPPING;
    const size_t count = keys ? list->count / 2 : list->count;
    if (!keys && list->kind != HR_YAML_SEQUENCE)
        return hr_keys_refuse_kind(&reader->keys, list, field->key, field->expected);
    if ((double)count < field->min || (double)count > field->max)
        return hr_keys_refuse(&reader->keys, list, HR_KEYS_SHOWN, "%s: a list of %zu is not %s", field->key,
                              count, field->expected);
    const char **items = hr_arena_alloc(reader->keys.arena, count, sizeof *items);
    if (!items) return hr_fail_memory(reader->keys.err);
    hr_names names = {items, 0};
    for (const hr_yaml_node *node = list->child; node; node = keys ? node->next->next : node->next) {
        const char *text = NULL;
        hr_status status = field->kind == HR_FIELD_WORDS
                               ? read_text(reader, node, field->key, "a list of texts", &text)
                               : read_member_name(reader, node, field->key, &text);
        if (status) return status;
        if (hr_names_hold(&names, text))
            return hr_keys_refuse(&reader->keys, node, "remove one of the two", "%s: '%s' is listed twice",
                                  field->key, text);
        items[names.count++] = text;
    }
    *out = names;
    return HR_OK;
}

/* ---- Mappings ---- */

static hr_status read_field(const hr_fields *reader, const hr_yaml_node *node, const hr_field *field,
                            void *target) {
    void *at = (char *)target + field->offset;
    const char *text = NULL;
    double number = 0;
    int word = 0;
    hr_status status = HR_OK;
    switch (field->kind) {
    case HR_FIELD_OTHER: return HR_OK;
    case HR_FIELD_TEXT: return read_text(reader, node, field->key, field->expected, at);
    case HR_FIELD_NAME: return read_member_name(reader, node, field->key, at);
    case HR_FIELD_PATH:
    case HR_FIELD_TABLE: return read_path(reader, node, field, at);
    case HR_FIELD_NUMBER: return read_number(reader, node, field, at);
    case HR_FIELD_FLAG: return hr_keys_flag(&reader->keys, node, field->key, at);
    case HR_FIELD_WORD:
        status = read_text(reader, node, field->key, field->expected, &text);
        if (status) return status;
        while (field->words[word] && strcmp(field->words[word], text) != 0) word++;
        if (!field->words[word]) return refuse_value(reader, node, field->key, field->expected);
        *(int *)at = word;
        return HR_OK;
    case HR_FIELD_NAMES:
    case HR_FIELD_MEMBERS:
    case HR_FIELD_WORDS: return read_names(reader, node, field, at);
    case HR_FIELD_INTEGER:
        status = read_number(reader, node, field, &number);
        if (!status) *(size_t *)at = (size_t)number;
        return status;
    }
    return HR_OK;
}

hr_status hr_fields_read(const hr_fields *reader, const hr_yaml_node *map, const hr_field_table *table,
                         void *target, const hr_yaml_node **found) {
    const hr_field *fields = table->fields;
    const size_t count = table->count;
    assert(count < HR_FIELDS_KEYS_MAX);
    const char *names[HR_FIELDS_KEYS_MAX] = {NULL};
    char help[sizeof reader->keys.err->remedy];
    if (map->kind != HR_YAML_MAPPING)
        return hr_keys_refuse_kind(&reader->keys, map, table->what, "a mapping of keys to values");
    size_t at = (size_t)snprintf(help, sizeof help, "the keys are");
    for (size_t i = 0; i < count; i++) {
        names[i] = fields[i].key;
        if (at < sizeof help)
            at += (size_t)snprintf(help + at, sizeof help - at, "%s %s", i ? "," : "", fields[i].key);
    }
    hr_status status = hr_keys_find(&reader->keys, map, names, help, found);
    if (!status && map == reader->root) status = hr_keys_version(&reader->keys, map, found[0], fields[0].key);
    for (size_t i = 0; i < count && !status; i++) {
        char why[200];
        snprintf(why, sizeof why, "expected: %s", fields[i].expected);
        if (fields[i].required) status = hr_keys_need(&reader->keys, map, found[i], fields[i].key, why);
    }
    for (size_t i = 0; i < count && !status; i++) {
        if (found[i]) status = read_field(reader, found[i], &fields[i], target);
    }
    return status;
}

hr_status hr_fields_pair(const hr_fields *reader, const hr_field *fields, const hr_yaml_node *const *found,
                         size_t one, size_t other) {
    if (!found[one] == !found[other]) return HR_OK;
    char why[100];
    snprintf(why, sizeof why, "'%s' and '%s' belong together", fields[one].key, fields[other].key);
    return hr_keys_need(&reader->keys, reader->root, NULL, fields[found[one] ? other : one].key, why);
}
