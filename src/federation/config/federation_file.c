#include "federation/config/federation_file.h"

#include "base/buffer.h"
#include "federation/config/fields.h"
#include "federation/transport/address.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

typedef struct transport {
    int kind;
    const char *url, *authority;
} transport;

typedef struct federation_member {
    const char *name, *key;
} federation_member;

static const char *const kinds[] = {"nats", NULL};

enum { ROOT_FORMAT, ROOT_NAME, ROOT_VERSION, ROOT_TRANSPORT, ROOT_MEMBERS, ROOT_KEYS };
static const hr_field root_fields[ROOT_KEYS] = {
    {.key = "hedgerow-federation", .expected = "1"},
    {.key = "name",
     .kind = HR_FIELD_NAME,
     .required = true,
     .offset = offsetof(hr_federation_file, membership.federation),
     .expected = HR_NAME_EXPECTED},
    {.key = "version",
     .kind = HR_FIELD_INTEGER,
     .offset = offsetof(hr_federation_file, version),
     .min = 1,
     .max = HR_FEDERATION_VERSION_MAX,
     .expected = "an integer from 1 to 1000000000"},
    {.key = "transport", .required = true, .expected = "a mapping with kind and url"},
    {.key = "members", .required = true, .expected = "a list of members, each with a name and a key"},
};
static const hr_field_table root_table = {"a federation file", root_fields, ROOT_KEYS};

enum { TRANSPORT_KIND, TRANSPORT_URL, TRANSPORT_AUTHORITY, TRANSPORT_KEYS };
static const hr_field transport_fields[TRANSPORT_KEYS] = {
    {.key = "kind",
     .kind = HR_FIELD_WORD,
     .required = true,
     .offset = offsetof(transport, kind),
     .words = kinds,
     .expected = "nats"},
    {.key = "url",
     .kind = HR_FIELD_TEXT,
     .required = true,
     .offset = offsetof(transport, url),
     .expected = "an address such as tls://localhost:4222"},
    {.key = "authority",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = offsetof(transport, authority),
     .expected = "the file of the certificate authority that signed the broker's certificate"},
};
static const hr_field_table transport_table = {"transport", transport_fields, TRANSPORT_KEYS};

enum { MEMBER_NAME, MEMBER_KEY, MEMBER_RECORDS, MEMBER_KEYS };
static const hr_field member_fields[MEMBER_KEYS] = {
    {.key = "name",
     .kind = HR_FIELD_NAME,
     .required = true,
     .offset = offsetof(federation_member, name),
     .expected = HR_NAME_EXPECTED},
    {.key = "key",
     .kind = HR_FIELD_TEXT,
     .required = true,
     .offset = offsetof(federation_member, key),
     .expected = "the line that `hedgerow keygen` printed"},
    {.key = "records", .expected = "bounds of the member's records such as 2000..8000"},
};
static const hr_field_table member_table = {"a member", member_fields, MEMBER_KEYS};

/* ---- Reading ---- */

static hr_status read_transport(const hr_fields *reader, const hr_yaml_node *map, hr_federation_file *out) {
    const hr_yaml_node *found[TRANSPORT_KEYS] = {NULL};
    transport got = {0};
    hr_status status = hr_fields_read(reader, map, &transport_table, &got, found);
    if (status) return status;
    hr_broker_address address;
    if (hr_broker_address_parse(got.url, &address, NULL))
        return hr_keys_refuse(&reader->keys, found[TRANSPORT_URL], "such as tls://broker.example.org:4222",
                              "url: '%s' is not of the form tls://HOST:PORT", got.url);
    out->url = got.url;
    out->authority = got.authority;
    return HR_OK;
}

static hr_status read_member(const hr_fields *reader, const hr_yaml_node *map, const hr_membership *before,
                             hr_member *out, hr_record_bounds *records) {
    const hr_yaml_node *found[MEMBER_KEYS] = {NULL};
    federation_member got = {0};
    hr_status status = hr_fields_read(reader, map, &member_table, &got, found);
    if (status) return status;
    if (hr_membership_by_name(before, got.name, strlen(got.name)) != HR_NO_MEMBER)
        return hr_keys_refuse(&reader->keys, found[MEMBER_NAME], "give every member a unique name",
                              "the name '%s' is used twice", got.name);
    hr_public_key key;
    status = hr_public_key_parse(got.key, &key, reader->keys.err);
    if (status)
        return hr_fail_at(reader->keys.err, status, NULL, found[MEMBER_KEY]->line, found[MEMBER_KEY]->column,
                          got.name);
    size_t same = hr_membership_by_key(before, key.bytes);
    if (same != HR_NO_MEMBER)
        return hr_keys_refuse(&reader->keys, found[MEMBER_KEY],
                              "make a new key for one of them with `hedgerow keygen`",
                              "'%s' has the key of '%s'", got.name, before->members[same].name);
    *out = (hr_member){.name = got.name, .key = key};
    return found[MEMBER_RECORDS] ? hr_record_bounds_read(reader, found[MEMBER_RECORDS], records) : HR_OK;
}

static hr_status read_members(const hr_fields *reader, const hr_yaml_node *list, hr_federation_file *file) {
    hr_membership *out = &file->membership;
    if (list->kind != HR_YAML_SEQUENCE)
        return hr_keys_refuse_kind(&reader->keys, list, "members", root_fields[ROOT_MEMBERS].expected);
    if (list->count < 2 || list->count > HR_MEMBERS_MAX)
        return hr_keys_refuse(&reader->keys, list, "list all members, each with a name and a key",
                              "members: %zu of them; a federation has 2 to %d", list->count, HR_MEMBERS_MAX);
    hr_member *members = hr_arena_alloc(reader->keys.arena, list->count, sizeof *members);
    hr_record_bounds *records = hr_arena_alloc(reader->keys.arena, list->count, sizeof *records);
    if (!members || !records) return hr_fail_memory(reader->keys.err);
    out->members = members;
    file->records = records;
    for (const hr_yaml_node *item = list->child; item; item = item->next) {
        hr_status status = read_member(reader, item, out, &members[out->count], &records[out->count]);
        if (status) return status;
        out->count++;
    }
    return HR_OK;
}

static hr_status read_federation_root(const hr_fields *reader, void *out) {
    const hr_yaml_node *found[ROOT_KEYS] = {NULL};
    hr_federation_file whole = {.version = 1};
    hr_status status = hr_fields_read(reader, reader->root, &root_table, &whole, found);
    if (!status) status = read_transport(reader, found[ROOT_TRANSPORT], &whole);
    if (!status) status = read_members(reader, found[ROOT_MEMBERS], &whole);
    if (!status) *(hr_federation_file *)out = whole;
    return status;
}

hr_status hr_federation_file_parse(const hr_file_text *text, hr_arena *arena, hr_federation_file *out,
                                   hr_error *err) {
    return hr_fields_parse(text, root_table.what, read_federation_root, arena, out, err);
}

hr_status hr_federation_file_read(const char *path, hr_arena *arena, hr_federation_file *out, hr_error *err) {
    hr_file_text text;
    hr_status status = hr_fields_load(path, arena, &text, err);
    return status ? status : hr_federation_file_parse(&text, arena, out, err);
}

hr_record_bounds hr_federation_file_records(const hr_federation_file *file, const char *name) {
    const size_t member = hr_membership_by_name(&file->membership, name, strlen(name));
    return member == HR_NO_MEMBER ? (hr_record_bounds){0} : file->records[member];
}

/* ---- The fingerprint ---- */

hr_status hr_federation_file_fingerprint(const hr_federation_file *file, char text[HR_FINGERPRINT_SIZE],
                                         hr_error *err) {
    hr_buffer facts = {0};
    hr_file_text authority;
    const hr_membership *membership = &file->membership;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_fields_load(file->authority, arena, &authority, err) : hr_fail_memory(err);
    hr_buffer_format(&facts, "hedgerow-federation 1\nname %s\nversion %zu\nurl %s\n", membership->federation,
                     file->version, file->url);
    for (size_t i = 0; i < membership->count; i++) {
        char key[HR_PUBLIC_KEY_TEXT];
        hr_public_key_text(&membership->members[i].key, key);
        hr_buffer_format(&facts, "member %s %s", membership->members[i].name, key);
        if (file->records[i].most)
            hr_buffer_format(&facts, " records %" PRIu64 "..%" PRIu64, file->records[i].least,
                             file->records[i].most);
        hr_buffer_text(&facts, "\n");
    }
    if (!status) hr_buffer_add(&facts, authority.text, authority.size);
    if (!status && facts.failed) status = hr_fail_memory(err);
    if (!status) hr_fingerprint(facts.bytes, facts.size, text);
    hr_buffer_done(&facts);
    hr_arena_free(arena);
    return status;
}
