#include "federation/config/record_bounds.h"

#include "base/fail.h"

#include <stddef.h>
#include <string.h>

static const char bounds_expected[] =
    "two whole numbers such as 2000..8000, the smaller one first, of at most "
    "4294967294 records";

/* Digits alone, as many as there are; NULL: none, or too large a number. */
static const char *read_digits(const char *text, uint64_t *out) {
    const char *at = text;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = 10 * number + (uint64_t)(*at - '0');
        if (number > HR_RECORD_BOUND_MAX) return NULL;
    }
    *out = number;
    return at == text ? NULL : at;
}

static bool parse_bounds(const char *text, hr_record_bounds *out) {
    const char *at = read_digits(text, &out->least);
    if (!at || strncmp(at, "..", 2) != 0) return false;
    at = read_digits(at + 2, &out->most);
    return at && !*at && out->most && out->least <= out->most;
}

hr_status hr_record_bounds_read(const hr_fields *reader, const hr_yaml_node *node, hr_record_bounds *out) {
    hr_record_bounds bounds;
    if (node->kind != HR_YAML_SCALAR)
        return hr_keys_refuse_kind(&reader->keys, node, "records", bounds_expected);
    if (!parse_bounds(node->text, &bounds))
        return hr_keys_refuse(&reader->keys, node, HR_KEYS_SHOWN, "records: '%.40s' is not %s", node->text,
                              bounds_expected);
    *out = bounds;
    return HR_OK;
}

enum { OWNER_RECORDS, OWNER_KEYS };
static const hr_field owner_fields[OWNER_KEYS] = {{.key = "records", .expected = bounds_expected}};
static const hr_field_table owner_table = {"an owner of a job", owner_fields, OWNER_KEYS};

hr_status hr_record_bounds_read_owners(const hr_fields *reader, const hr_yaml_node *owners,
                                       const hr_record_bounds *usual, const hr_record_bounds **out) {
    hr_record_bounds *bounds = hr_arena_alloc(reader->keys.arena, owners->count / 2 + 1, sizeof *bounds);
    hr_status status = bounds ? HR_OK : hr_fail_memory(reader->keys.err);
    size_t i = 0;
    for (const hr_yaml_node *name = owners->child; !status && name; name = name->next->next, i++) {
        const hr_yaml_node *found[OWNER_KEYS] = {NULL};
        bounds[i] = *usual;
        status = hr_fields_read(reader, name->next, &owner_table, NULL, found);
        if (!status && found[OWNER_RECORDS])
            status = hr_record_bounds_read(reader, found[OWNER_RECORDS], &bounds[i]);
    }
    if (!status) *out = bounds;
    return status;
}
