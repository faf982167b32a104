#include "tables/schema/keys.h"

#include "base/text/number.h"
#include "tables/schema/schema_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static hr_status add_key_position(const hr_keys *keys, const hr_yaml_node *node) {
    return hr_fail_at(keys->err, HR_E_FORMAT, NULL, node->line, node->column, NULL);
}

hr_status hr_keys_refuse(const hr_keys *keys, const hr_yaml_node *node, const char *remedy,
                         const char *format, ...) {
    char message[sizeof keys->err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    hr_fail(keys->err, HR_E_FORMAT, remedy, "%s", message);
    return add_key_position(keys, node);
}

hr_status hr_keys_refuse_kind(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                              const char *expected) {
    static const char *const names[] = {"a single value", "a list", "a mapping"};
    const char *found = node->kind == HR_YAML_SEQUENCE && !node->child ? "an empty one" : names[node->kind];
    return hr_keys_refuse(keys, node, HR_KEYS_SHOWN, "%s must be %s, not %s", what, expected, found);
}

hr_status hr_keys_find(const hr_keys *keys, const hr_yaml_node *map, const char *const *names,
                       const char *help, const hr_yaml_node **found) {
    for (const hr_yaml_node *key = map->child; key; key = key->next->next) {
        size_t i = 0;
        while (names[i] && strcmp(names[i], key->text) != 0) i++;
        if (!names[i]) return hr_keys_refuse(keys, key, help, "unknown key '%s'", key->text);
        if (found[i])
            return hr_keys_refuse(keys, key, "remove one of the two", "the key '%s' is given twice",
                                  key->text);
        found[i] = key->next;
    }
    return HR_OK;
}

hr_status hr_keys_need(const hr_keys *keys, const hr_yaml_node *parent, const hr_yaml_node *node,
                       const char *key, const char *why) {
    return node ? HR_OK : hr_keys_refuse(keys, parent, why, "the key '%s' is missing", key);
}

hr_status hr_keys_version(const hr_keys *keys, const hr_yaml_node *root, const hr_yaml_node *node,
                          const char *key) {
    char help[100];
    snprintf(help, sizeof help, "begin the file with '%s: 1'", key);
    hr_status status = hr_keys_need(keys, root, node, key, help);
    if (status || (node->kind == HR_YAML_SCALAR && node->plain && strcmp(node->text, "1") == 0))
        return status;
    snprintf(help, sizeof help, "this library reads version 1: '%s: 1'", key);
    return hr_keys_refuse(keys, node, help, "unsupported version of the format");
}

hr_status hr_keys_text(const hr_keys *keys, const hr_yaml_node *node, const char *what, const char **out) {
    if (node->kind != HR_YAML_SCALAR) return hr_keys_refuse_kind(keys, node, what, "a text");
    if (!*node->text) return hr_keys_refuse(keys, node, "write a text, or remove it", "%s is empty", what);
    *out = node->text;
    return HR_OK;
}

hr_status hr_keys_number(const hr_keys *keys, const hr_yaml_node *node, const char *what, double *out) {
    if (node->kind != HR_YAML_SCALAR) return hr_keys_refuse_kind(keys, node, what, "a number");
    hr_number_status status =
        node->plain ? hr_number_parse(node->text, strlen(node->text), out) : HR_NUMBER_NONE;
    if (status == HR_NUMBER_OK) return HR_OK;
    return hr_keys_refuse(keys, node, "write a plain number such as 0, -1.5 or 2e6, without quotes",
                          status == HR_NUMBER_LARGE ? "%s: '%s' is too large" : "%s: '%s' is not a number",
                          what, node->text);
}

hr_status hr_keys_flag(const hr_keys *keys, const hr_yaml_node *node, const char *what, bool *out) {
    bool yes = node->kind == HR_YAML_SCALAR && node->plain && strcmp(node->text, "true") == 0;
    bool no = node->kind == HR_YAML_SCALAR && node->plain && strcmp(node->text, "false") == 0;
    if (!yes && !no)
        return hr_keys_refuse(keys, node, "write one of the two, without quotes", "%s must be true or false",
                              what);
    *out = yes;
    return HR_OK;
}

hr_status hr_keys_list(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                       const char *const **out) {
    if (node->kind != HR_YAML_SEQUENCE) return hr_keys_refuse_kind(keys, node, what, "a list such as [a, b]");
    const char **list = hr_arena_alloc(keys->arena, node->count, sizeof *list);
    if (!list) return hr_fail_memory(keys->err);
    size_t i = 0;
    for (const hr_yaml_node *item = node->child; item; item = item->next) {
        hr_status status = hr_keys_text(keys, item, "an entry of a list", &list[i++]);
        if (status) return status;
    }
    *out = list;
    return HR_OK;
}

void hr_keys_line(hr_buffer *out, const hr_yaml_node *node) {
    if (node->kind == HR_YAML_SCALAR) {
        hr_schema_write_text(out, node->text);
        return;
    }
    const bool is_map = node->kind == HR_YAML_MAPPING;
    hr_buffer_text(out, is_map ? "{" : "[");
    const hr_yaml_node *item = node->child;
    for (size_t i = 0; item; item = item->next, i++) {
        if (i) hr_buffer_text(out, is_map && i % 2 ? ": " : ", ");
        hr_keys_line(out, item);
    }
    hr_buffer_text(out, is_map ? "}" : "]");
}
