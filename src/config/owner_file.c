#include "config/owner_file.h"

#include "config/federation_file.h"

#include <hedgerow/fit.h>
#include <stddef.h>

#define AT(field) offsetof(hr_owner_file, field)

static const char file_expected[] = "a file";

enum {
    ROOT_VERSION,
    ROOT_NAME,
    ROOT_FEDERATION,
    ROOT_KEY,
    ROOT_CERTIFICATE,
    ROOT_CERTIFICATE_KEY,
    ROOT_DATA,
    ROOT_SCHEMA,
    ROOT_LEDGER,
    ROOT_POLICY,
    ROOT_KEYS
};
static const hr_field root_fields[ROOT_KEYS] = {
    {.key = "hedgerow-owner", .expected = "1"},
    {.key = "name",
     .kind = HR_FIELD_NAME,
     .required = true,
     .offset = AT(name),
     .expected = HR_NAME_EXPECTED},
    {.key = "federation",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = AT(federation),
     .expected = file_expected},
    {.key = "key", .kind = HR_FIELD_PATH, .required = true, .offset = AT(key), .expected = file_expected},
    {.key = "certificate", .kind = HR_FIELD_PATH, .offset = AT(certificate), .expected = file_expected},
    {.key = "certificate-key",
     .kind = HR_FIELD_PATH,
     .offset = AT(certificate_key),
     .expected = file_expected},
    {.key = "data", .kind = HR_FIELD_PATH, .required = true, .offset = AT(data), .expected = file_expected},
    {.key = "schema",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = AT(schema),
     .expected = file_expected},
    {.key = "ledger",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = AT(ledger),
     .expected = file_expected},
    {.key = "policy",
     .required = true,
     .expected = "a mapping with coordinators, methods, epsilon and owners"},
};
static const hr_field_table root_table = {"an owner file", root_fields, ROOT_KEYS};

enum {
    POLICY_MINERS,
    POLICY_METHODS,
    POLICY_EPSILON,
    POLICY_DELTA,
    POLICY_OWNERS,
    POLICY_DAYS,
    POLICY_PAPER,
    POLICY_KEYS
};
enum { DAYS = 30, DAYS_MAX = 3650 };
static const hr_field policy_fields[POLICY_KEYS] = {
    {.key = "coordinators",
     .kind = HR_FIELD_NAMES,
     .required = true,
     .offset = AT(policy.coordinators),
     .min = 1,
     .max = HR_MEMBERS_MAX,
     .expected = "a list of 1 to 256 members such as [coordinator]"},
    {.key = "methods",
     .kind = HR_FIELD_WORDS,
     .required = true,
     .offset = AT(policy.methods),
     .min = 1,
     .max = 100,
     .expected = "a list of 1 to 100 methods such as [inprivate]"},
    {.key = "epsilon",
     .kind = HR_FIELD_NUMBER,
     .required = true,
     .offset = AT(policy.epsilon),
     .min = HR_ABOVE_ZERO,
     .max = 1e4,
     .expected = "a number above 0, at most 10000"},
    {.key = "delta",
     .kind = HR_FIELD_NUMBER,
     .offset = AT(policy.delta),
     .min = 0,
     .max = .1,
     .expected = "a number from 0 to 0.1"},
    {.key = "owners",
     .kind = HR_FIELD_INTEGER,
     .required = true,
     .offset = AT(policy.owners),
     .min = 1,
     .max = HR_MEMBERS_MAX,
     .expected = "an integer from 1 to 256"},
    {.key = "days",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(policy.days),
     .min = 1,
     .max = DAYS_MAX,
     .expected = "an integer of days from 1 to 3650"},
    {.key = "paper", .kind = HR_FIELD_FLAG, .offset = AT(policy.paper), .expected = "true or false"},
};
static const hr_field_table policy_table = {"policy", policy_fields, POLICY_KEYS};

static hr_status check_methods(const hr_fields *reader, const hr_yaml_node *list) {
    for (const hr_yaml_node *node = list->child; node; node = node->next) {
        if (hr_method_find(node->text)) continue;
        return hr_keys_refuse(&reader->keys, node, "`hedgerow methods` lists them",
                              "methods: there is no method '%s'", node->text);
    }
    return HR_OK;
}

static hr_status read_policy(const hr_fields *reader, const hr_yaml_node *map, hr_owner_file *out) {
    const hr_yaml_node *found[POLICY_KEYS] = {NULL};
    hr_status status = hr_fields_read(reader, map, &policy_table, out, found);
    return status ? status : check_methods(reader, found[POLICY_METHODS]);
}

static hr_status read_owner_root(const hr_fields *reader, hr_owner_file *out) {
    const hr_yaml_node *found[ROOT_KEYS] = {NULL};
    hr_owner_file whole = {.policy = {.days = DAYS}};
    hr_status status = hr_fields_read(reader, reader->root, &root_table, &whole, found);
    if (!status) status = hr_fields_pair(reader, root_fields, found, ROOT_CERTIFICATE, ROOT_CERTIFICATE_KEY);
    if (!status) status = read_policy(reader, found[ROOT_POLICY], &whole);
    if (!status) *out = whole;
    return status;
}

hr_status hr_owner_file_parse(const hr_file_text *text, hr_arena *arena, hr_owner_file *out, hr_error *err) {
    hr_fields reader;
    hr_status status = hr_fields_parse(text, "an owner file", arena, &reader, err);
    if (!status) status = read_owner_root(&reader, out);
    return status ? hr_fail_at(err, status, text->path, 0, 0, NULL) : HR_OK;
}

hr_status hr_owner_file_read(const char *path, hr_arena *arena, hr_owner_file *out, hr_error *err) {
    hr_file_text text;
    hr_status status = hr_fields_load(path, arena, &text, err);
    return status ? status : hr_owner_file_parse(&text, arena, out, err);
}
