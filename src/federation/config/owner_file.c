#include "federation/config/owner_file.h"

#include "federation/config/federation_file.h"
#include "federation/protocol/hello.h"

#include <stddef.h>

#define AT(field) offsetof(hr_owner_file, field)

/* In the order of hr_separator. */
static const char *const separator_words[] = {"auto", "comma", "semicolon", "tab", "pipe", NULL};
/* In the order of hr_quote. */
static const char *const quote_words[] = {"double", "none", NULL};

enum {
    ROOT_VERSION,
    ROOT_NAME,
    ROOT_FEDERATION,
    ROOT_KEY,
    ROOT_CERTIFICATE,
    ROOT_CERTIFICATE_KEY,
    ROOT_DATA,
    ROOT_QUERY,
    ROOT_TEST,
    ROOT_TEST_QUERY,
    ROOT_SEPARATOR,
    ROOT_QUOTE,
    ROOT_SKIP_LINES,
    ROOT_SCHEMA,
    ROOT_LEDGER,
    ROOT_MODELS,
    ROOT_HELLO,
    ROOT_POLICY,
    ROOT_KEYS
};
static const hr_field root_fields[ROOT_KEYS] = {
    {.key = "hedgerow-owner", .expected = "1"},
    HR_MEMBER_FIELDS(AT(member), true),
    {.key = "data",
     .kind = HR_FIELD_TABLE,
     .offset = AT(data),
     .expected = "a file, or the address of a database"},
    {.key = "query", .kind = HR_FIELD_PATH, .offset = AT(query), .expected = HR_FILE_EXPECTED},
    {.key = "test",
     .kind = HR_FIELD_TABLE,
     .offset = AT(test),
     .expected = "a file, or the address of a database"},
    {.key = "test-query", .kind = HR_FIELD_PATH, .offset = AT(test_query), .expected = HR_FILE_EXPECTED},
    {.key = "separator",
     .kind = HR_FIELD_WORD,
     .offset = AT(separator),
     .words = separator_words,
     .expected = "auto, comma, semicolon, tab or pipe"},
    {.key = "quote",
     .kind = HR_FIELD_WORD,
     .offset = AT(quote),
     .words = quote_words,
     .expected = "double or none"},
    {.key = "skip-lines",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(skip_lines),
     .max = UINT32_MAX,
     .expected = "a number of lines"},
    {.key = "schema",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = AT(schema),
     .expected = HR_FILE_EXPECTED},
    {.key = "ledger",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = AT(ledger),
     .expected = HR_FILE_EXPECTED},
    {.key = "models", .kind = HR_FIELD_PATH, .offset = AT(models), .expected = "a folder"},
    {.key = "hello",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(hello),
     .min = 1,
     .max = HR_HELLO_PERIOD_MAX,
     .expected = "an integer of seconds from 1 to 300"},
    {.key = "policy",
     .required = true,
     .expected = "a mapping with coordinators, methods, epsilon and owners"},
};
static const hr_field_table root_table = {"an owner file", root_fields, ROOT_KEYS};

static hr_status read_owner_root(const hr_fields *reader, void *out) {
    const hr_yaml_node *found[ROOT_KEYS] = {NULL};
    hr_owner_file whole = {0};
    hr_status status = hr_fields_read(reader, reader->root, &root_table, &whole, found);
    if (!status) status = hr_fields_pair(reader, root_fields, found, ROOT_CERTIFICATE, ROOT_CERTIFICATE_KEY);
    if (!status && whole.query && !whole.data)
        status = hr_keys_need(&reader->keys, reader->root, NULL, "data",
                              "the query needs the address of its database");
    if (!status && whole.test_query && !whole.test)
        status = hr_keys_need(&reader->keys, reader->root, NULL, "test",
                              "the query test-query needs the address of its database");
    if (!status) status = hr_policy_read(reader, found[ROOT_POLICY], &whole.policy);
    if (!status) *(hr_owner_file *)out = whole;
    return status;
}

hr_status hr_owner_file_parse(const hr_file_text *text, hr_arena *arena, hr_owner_file *out, hr_error *err) {
    return hr_fields_parse(text, root_table.what, read_owner_root, arena, out, err);
}

hr_status hr_owner_file_read(const char *path, hr_arena *arena, hr_owner_file *out, hr_error *err) {
    hr_file_text text;
    hr_status status = hr_fields_load(path, arena, &text, err);
    return status ? status : hr_owner_file_parse(&text, arena, out, err);
}

hr_status hr_owner_file_check(const hr_owner_file *file, const char *path, hr_arena *arena, hr_error *err) {
    hr_federation_file federation;
    hr_status status = hr_federation_file_read(file->member.federation, arena, &federation, err);
    return status ? status : hr_policy_check_members(&file->policy, &federation.membership, path, err);
}
