#include "federation/config/coordinator_file.h"

#include <stddef.h>

#define AT(field) offsetof(hr_coordinator_file, field)

enum {
    ROOT_VERSION,
    ROOT_NAME,
    ROOT_FEDERATION,
    ROOT_KEY,
    ROOT_CERTIFICATE,
    ROOT_CERTIFICATE_KEY,
    ROOT_AT_ONCE,
    ROOT_KEYS
};
static const hr_field root_fields[ROOT_KEYS] = {
    {.key = "hedgerow-coordinator", .expected = "1"},
    HR_MEMBER_FIELDS(AT(member), true),
    {.key = "at-once",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(at_once),
     .min = 1,
     .max = HR_COORDINATOR_JOBS_MAX,
     .expected = "an integer of jobs from 1 to 16"},
};
static const hr_field_table root_table = {"a coordinator file", root_fields, ROOT_KEYS};

static hr_status read_coordinator_root(const hr_fields *reader, void *out) {
    const hr_yaml_node *found[ROOT_KEYS] = {NULL};
    hr_status status = hr_fields_read(reader, reader->root, &root_table, out, found);
    return status ? status
                  : hr_fields_pair(reader, root_fields, found, ROOT_CERTIFICATE, ROOT_CERTIFICATE_KEY);
}

hr_status hr_coordinator_file_parse(const hr_file_text *text, hr_arena *arena, hr_coordinator_file *out,
                                    hr_error *err) {
    hr_coordinator_file file = {.at_once = HR_COORDINATOR_JOBS_USUAL};
    hr_status status = hr_fields_parse(text, root_table.what, read_coordinator_root, arena, &file, err);
    if (!status) *out = file;
    return status;
}

hr_status hr_coordinator_file_read(const char *path, hr_arena *arena, hr_coordinator_file *out,
                                   hr_error *err) {
    hr_file_text text;
    hr_status status = hr_fields_load(path, arena, &text, err);
    return status ? status : hr_coordinator_file_parse(&text, arena, out, err);
}
