/* A federation that changes: federation.yaml of its folder holds the truth, and is replaced last.
 * All other files follow from it, so that a command that was interrupted may be given again. */
#include "base/file.h"
#include "federation/config/federation_dir.h"
#include "federation/config/fields.h"
#include "federation/transport/broker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 200 /* characters of a list of members in a message */ };

typedef struct change {
    hr_federation_dir dir;
    hr_federation_writer writer; /* its options are `next` */
    hr_federation_options next;
    hr_new_member *members; /* of `next`: room for one more */
    hr_authority *authority;
    unsigned days;           /* of a certificate that is renewed */
    const char *authorities; /* text of ca.pem: all that are trusted */
    hr_error *err;
} change;

/* ---- The change ---- */

static hr_status read_change(change *c, const char *folder) {
    hr_arena *arena = c->writer.arena;
    hr_status status = hr_federation_dir_read(folder, arena, &c->dir, c->err);
    if (status) return status;
    const hr_federation_file *file = &c->dir.federation;
    const size_t count = file->membership.count;
    c->members = hr_arena_alloc(arena, count + 1, sizeof *c->members);
    c->writer.keys = hr_arena_alloc(arena, count + 1, sizeof *c->writer.keys);
    c->writer.records = hr_arena_alloc(arena, count + 1, sizeof *c->writer.records);
    if (!c->members || !c->writer.keys || !c->writer.records) return hr_fail_memory(c->err);
    memcpy(c->writer.records, file->records, count * sizeof *file->records);
    for (size_t i = 0; i < count; i++) {
        hr_public_key_text(&file->membership.members[i].key, c->writer.keys[i]);
        c->members[i] = (hr_new_member){file->membership.members[i].name, c->writer.keys[i]};
    }
    c->next =
        (hr_federation_options){sizeof c->next, file->membership.federation, file->url, c->members, count};
    c->writer.options = &c->next;
    c->writer.version = file->version + 1;
    c->writer.root = folder;
    return HR_OK;
}

static hr_status find_member(const change *c, const char *name, size_t *out) {
    *out = hr_membership_by_name(&c->dir.federation.membership, name, strlen(name));
    if (*out != HR_NO_MEMBER) return HR_OK;
    return hr_fail(c->err, HR_E_ARGUMENT, "federation.yaml lists the members",
                   "'%.64s' is not a member of '%s'", name, c->next.name);
}

static hr_status read_authority_files(change *c) {
    hr_file_text text;
    const char *certificate = hr_writer_path(&c->writer, "", "ca.pem");
    const char *key = hr_writer_path(&c->writer, "authority", "ca-key.pem");
    if (!certificate || !key) return hr_fail_memory(c->err);
    hr_status status = hr_authority_read(certificate, key, &c->authority, c->err);
    if (!status) status = hr_fields_load(certificate, c->writer.arena, &text, c->err);
    if (!status) c->authorities = text.text;
    return status;
}

static hr_status replace(const change *c, const char *folder, const char *name, unsigned rights,
                         const char *text) {
    const char *path = hr_writer_path(&c->writer, folder, name);
    return path ? hr_file_replace(path, "file", rights, text, strlen(text), c->err) : hr_fail_memory(c->err);
}

/* Folders that the founder has handed over and deleted are not made again. */
static hr_status replace_copies(const change *c, const char *file, const char *text) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < c->next.member_count; i++) {
        const char *name = c->members[i].name;
        const char *copy = hr_writer_path(&c->writer, name, file);
        if (!copy) return hr_fail_memory(c->err);
        if (!access(copy, F_OK)) status = replace(c, name, file, HR_PUBLIC_RIGHTS, text);
    }
    return status;
}

static hr_status replace_configs(const change *c, const hr_broker_address *address) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < address->count; i++) {
        char *config = NULL, name[HR_BROKER_CONFIG];
        hr_broker_config_name(i, name);
        status = hr_writer_config(&c->writer, address, i, &config);
        if (!status) status = replace(c, "broker", name, HR_PUBLIC_RIGHTS, config);
        free(config);
    }
    return status;
}

/* Writes what follows from the members, and the members. */
static hr_status publish(change *c, const hr_broker_address *address) {
    char *federation = NULL;
    hr_status status = hr_writer_render(&c->writer, &federation);
    if (!status) status = replace_configs(c, address);
    if (!status) status = replace_copies(c, "federation.yaml", federation);
    if (!status) status = replace(c, "", "federation.yaml", HR_PUBLIC_RIGHTS, federation);
    free(federation);
    return status;
}

/* Runs `edit` on the federation of a folder. */
static hr_status run_change(change *c, const char *folder,
                            hr_status (*edit)(change *c, const hr_new_member *member),
                            const hr_new_member *member, hr_error *err) {
    c->writer = (hr_federation_writer){.arena = hr_arena_new(), .err = err};
    c->err = err;
    hr_status status = c->writer.arena ? read_change(c, folder) : hr_fail_memory(err);
    if (!status) status = edit(c, member);
    if (status) hr_writer_undo(&c->writer);
    hr_authority_free(c->authority);
    hr_arena_free(c->writer.arena);
    return status;
}

/* ---- Members ---- */

static hr_status make_member_files(change *c, const hr_new_member *member) {
    char *federation = NULL;
    hr_status status = hr_writer_member(&c->writer, c->next.member_count - 1);
    if (!status) status = hr_writer_render(&c->writer, &federation);
    if (!status) status = hr_writer_public(&c->writer, member->name, federation, c->authorities);
    if (!status)
        status = hr_writer_certificate(&c->writer, c->authority, HR_CERTIFICATE_CLIENT, member->name,
                                       member->name, "tls");
    free(federation);
    return status;
}

static hr_status add_member(change *c, const hr_new_member *member) {
    hr_broker_address address;
    c->members[c->next.member_count++] = *member;
    hr_status status = hr_writer_check(&c->next, &address, c->err);
    if (!status) status = read_authority_files(c);
    if (!status) status = make_member_files(c, member);
    return status ? status : publish(c, &address);
}

hr_status hr_federation_add(const char *folder, const hr_new_member *member, hr_error *err) {
    assert(folder && member && member->name);
    change c = {0};
    return run_change(&c, folder, add_member, member, err);
}

static hr_status remove_member(change *c, const hr_new_member *member) {
    hr_broker_address address;
    size_t index;
    hr_status status = find_member(c, member->name, &index);
    if (status) return status;
    const size_t after = --c->next.member_count - index;
    memmove(&c->members[index], &c->members[index + 1], after * sizeof *c->members);
    memmove(&c->writer.keys[index], &c->writer.keys[index + 1], after * sizeof *c->writer.keys);
    memmove(&c->writer.records[index], &c->writer.records[index + 1], after * sizeof *c->writer.records);
    for (size_t i = index; i < c->next.member_count; i++) c->members[i].key = c->writer.keys[i];
    status = hr_writer_check(&c->next, &address, c->err);
    return status ? status : publish(c, &address);
}

hr_status hr_federation_remove(const char *folder, const char *name, hr_error *err) {
    assert(folder && name);
    change c = {0};
    return run_change(&c, folder, remove_member, &(hr_new_member){name, NULL}, err);
}

static hr_status rekey_member(change *c, const hr_new_member *member) {
    hr_broker_address address;
    size_t index;
    hr_status status = find_member(c, member->name, &index);
    if (status) return status;
    c->members[index].key = member->key;
    status = hr_writer_check(&c->next, &address, c->err);
    if (status) return status;
    snprintf(c->writer.keys[index], sizeof c->writer.keys[index], "%s", member->key);
    return publish(c, &address);
}

hr_status hr_federation_rekey(const char *folder, const hr_new_member *member, hr_error *err) {
    assert(folder && member && member->name && member->key);
    change c = {0};
    return run_change(&c, folder, rekey_member, member, err);
}

/* ---- Certificates ---- */

/* In place of FOLDER/FILE.pem and FOLDER/FILE-key.pem. */
static hr_status replace_certificate(change *c, hr_certificate_use use, const char *subject,
                                     const char *folder, const char *file) {
    char name[32];
    hr_certificate issued = {0};
    hr_status status = hr_authority_issue(c->authority, use, subject, (int)c->days, &issued, c->err);
    snprintf(name, sizeof name, "%s-key.pem", file);
    if (!status) status = replace(c, folder, name, HR_SECRET_RIGHTS, issued.key);
    snprintf(name, sizeof name, "%s.pem", file);
    if (!status) status = replace(c, folder, name, HR_PUBLIC_RIGHTS, issued.certificate);
    hr_certificate_done(&issued);
    return status;
}

/* The folder of a member may have been handed over and deleted. */
static hr_status renew_member(change *c, const char *name) {
    size_t index;
    hr_status status = find_member(c, name, &index);
    const char *path = status ? NULL : hr_writer_path(&c->writer, name, "");
    if (status) return status;
    if (!path) return hr_fail_memory(c->err);
    if (access(path, F_OK)) status = hr_writer_folder(&c->writer, name);
    return status ? status : replace_certificate(c, HR_CERTIFICATE_CLIENT, name, name, "tls");
}

static hr_status replace_broker_certificate(change *c, const hr_broker_address *address) {
    const char *hosts = hr_writer_hosts(&c->writer, address);
    return hosts ? replace_certificate(c, HR_CERTIFICATE_SERVER, hosts, "broker", "server")
                 : hr_fail_memory(c->err);
}

static hr_status renew_certificate(change *c, const hr_new_member *member) {
    hr_broker_address address;
    hr_status status = read_authority_files(c);
    if (!status) status = hr_broker_address_parse(c->next.url, &address, c->err);
    if (status) return status;
    if (!strcmp(member->name, "broker")) return replace_broker_certificate(c, &address);
    if (!strcmp(member->name, HR_BROKER_ADMIN))
        return replace_certificate(c, HR_CERTIFICATE_CLIENT, HR_BROKER_ADMIN, "broker", HR_BROKER_ADMIN);
    return renew_member(c, member->name);
}

hr_status hr_federation_renew(const char *folder, const char *name, unsigned days, hr_error *err) {
    assert(folder && name);
    if (!days || days > HR_CERTIFICATE_DAYS)
        return hr_fail(err, HR_E_ARGUMENT, "give a number of days in this range",
                       "a certificate holds for 1 to %d days, not %u", HR_CERTIFICATE_DAYS, days);
    change c = {.days = days};
    return run_change(&c, folder, renew_certificate, &(hr_new_member){name, NULL}, err);
}

/* ---- The authority ---- */

/* ca.pem of everybody. Its fingerprint goes into that of federation.yaml, whose version must go up. */
static hr_status replace_authorities(const change *c, const char *text) {
    hr_status status = replace(c, "", "ca.pem", HR_PUBLIC_RIGHTS, text);
    if (!status) status = replace(c, "broker", "ca.pem", HR_PUBLIC_RIGHTS, text);
    return status ? status : replace_copies(c, "ca.pem", text);
}

/* While the key is not replaced, the previous authority is the one that signs, and the other certificate in
 * ca.pem is of no use. */
static hr_status write_authority(change *c, const hr_authority *made, const hr_broker_address *address) {
    hr_certificate own = {0};
    hr_status status = hr_authority_write(made, &own, c->err);
    const size_t size = status ? 0 : strlen(own.certificate) + strlen(c->authorities) + 1;
    char *both = status ? NULL : hr_arena_alloc(c->writer.arena, size, 1);
    if (!status && !both) status = hr_fail_memory(c->err);
    if (!status) snprintf(both, size, "%s%s", own.certificate, c->authorities);
    if (!status) status = replace_authorities(c, both);
    if (!status) status = replace(c, "authority", "ca-key.pem", HR_SECRET_RIGHTS, own.key);
    hr_certificate_done(&own);
    return status ? status : publish(c, address);
}

static hr_status add_authority(change *c, const hr_new_member *nobody) {
    hr_broker_address address;
    hr_authority *made = NULL;
    (void)nobody;
    hr_status status = read_authority_files(c);
    if (!status) status = hr_broker_address_parse(c->next.url, &address, c->err);
    if (status) return status;
    if (hr_certificate_count(c->dir.federation.authority) > 1)
        return hr_fail(c->err, HR_E_ARGUMENT,
                       "renew the certificates that are still of the previous one, and end that with "
                       "`hedgerow federation renew DIR --drop-old-ca`",
                       "ca.pem has two authorities already: a new one and the previous one");
    status = hr_authority_make(c->next.name, &made, c->err);
    if (!status) status = write_authority(c, made, &address);
    hr_authority_free(made);
    return status;
}

hr_status hr_federation_renew_authority(const char *folder, hr_error *err) {
    assert(folder);
    change c = {0};
    return run_change(&c, folder, add_authority, NULL, err);
}

/* Adds a name to the list unless its certificate is missing or of the authority. */
static hr_status check_signed(const change *c, const char *folder, const char *file, char names[NAMES]) {
    const char *path = hr_writer_path(&c->writer, folder, file);
    if (!path) return hr_fail_memory(c->err);
    if (access(path, F_OK) || hr_authority_signed(c->authority, path)) return HR_OK;
    const size_t used = strlen(names);
    const char *name = strcmp(folder, "broker")     ? folder
                       : strcmp(file, "server.pem") ? HR_BROKER_ADMIN
                                                    : folder;
    snprintf(names + used, NAMES - used, "%s%s", used ? ", " : "", name);
    return HR_OK;
}

static hr_status check_all_signed(const change *c) {
    char names[NAMES] = "";
    hr_status status = check_signed(c, "broker", "server.pem", names);
    if (!status) status = check_signed(c, "broker", HR_BROKER_ADMIN ".pem", names);
    for (size_t i = 0; !status && i < c->next.member_count; i++)
        status = check_signed(c, c->members[i].name, "tls.pem", names);
    if (status || !*names) return status;
    return hr_fail(c->err, HR_E_POLICY,
                   "renew each (`hedgerow federation renew DIR --member NAME`), hand it over, and give this "
                   "command again",
                   "certificates are still of the previous authority: %s", names);
}

static hr_status drop_authority(change *c, const hr_new_member *nobody) {
    hr_broker_address address;
    hr_certificate own = {0};
    (void)nobody;
    hr_status status = read_authority_files(c);
    if (!status) status = hr_broker_address_parse(c->next.url, &address, c->err);
    if (status) return status;
    if (hr_certificate_count(c->dir.federation.authority) < 2)
        return hr_fail(c->err, HR_E_ARGUMENT,
                       "make a new one first: `hedgerow federation renew DIR --new-ca`",
                       "ca.pem has one authority alone");
    status = check_all_signed(c);
    if (!status) status = hr_authority_write(c->authority, &own, c->err);
    if (!status) status = replace_authorities(c, own.certificate);
    if (!status) status = publish(c, &address);
    hr_certificate_done(&own);
    return status;
}

hr_status hr_federation_drop_authority(const char *folder, hr_error *err) {
    assert(folder);
    change c = {0};
    return run_change(&c, folder, drop_authority, NULL, err);
}

/* ---- Fingerprint ---- */

hr_status hr_federation_fingerprint(const char *file, uint64_t *version, char text[HR_FINGERPRINT_TEXT],
                                    hr_error *err) {
    assert(file && version && text);
    hr_federation_file federation;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_federation_file_read(file, arena, &federation, err) : hr_fail_memory(err);
    if (!status) status = hr_federation_file_fingerprint(&federation, text, err);
    if (!status) *version = federation.version;
    hr_arena_free(arena);
    return status;
}
