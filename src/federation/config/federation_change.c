/* A federation that changes: federation.yaml of its folder holds the truth, and is replaced last.
 * All other files follow from it, so that a command that was interrupted may be given again. */
#include "base/file.h"
#include "federation/config/federation_dir.h"
#include "federation/transport/broker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct change {
    hr_federation_dir dir;
    hr_federation_writer writer; /* its options are `next` */
    hr_federation_options next;
    hr_new_member *members; /* of `next`: room for one more */
    hr_authority *authority;
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
    if (!c->members || !c->writer.keys) return hr_fail_memory(c->err);
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
    const char *certificate = hr_writer_path(&c->writer, "", "ca.pem");
    const char *key = hr_writer_path(&c->writer, "authority", "ca-key.pem");
    if (!certificate || !key) return hr_fail_memory(c->err);
    return hr_authority_read(certificate, key, &c->authority, c->err);
}

static hr_status replace(const change *c, const char *folder, const char *name, unsigned rights,
                         const char *text) {
    const char *path = hr_writer_path(&c->writer, folder, name);
    return path ? hr_file_replace(path, "file", rights, text, strlen(text), c->err) : hr_fail_memory(c->err);
}

/* Folders that the founder has handed over and deleted are not made again. */
static hr_status replace_copies(const change *c, const char *federation) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < c->next.member_count; i++) {
        const char *name = c->members[i].name;
        const char *copy = hr_writer_path(&c->writer, name, "federation.yaml");
        if (!copy) return hr_fail_memory(c->err);
        if (!access(copy, F_OK)) status = replace(c, name, "federation.yaml", HR_PUBLIC_RIGHTS, federation);
    }
    return status;
}

/* Writes what follows from the members, and the members. */
static hr_status publish(change *c, const hr_broker_address *address) {
    char *federation = NULL, *config = NULL;
    hr_status status = hr_writer_render(&c->writer, &federation);
    if (!status) status = hr_writer_config(&c->writer, address, &config);
    if (!status) status = replace(c, "broker", "nats.conf", HR_PUBLIC_RIGHTS, config);
    if (!status) status = replace_copies(c, federation);
    if (!status) status = replace(c, "", "federation.yaml", HR_PUBLIC_RIGHTS, federation);
    free(federation);
    free(config);
    return status;
}

/* Runs `edit` on the federation of a folder. */
static hr_status run_change(const char *folder, hr_status (*edit)(change *c, const hr_new_member *member),
                            const hr_new_member *member, hr_error *err) {
    change c = {.writer = {.arena = hr_arena_new(), .err = err}, .err = err};
    hr_status status = c.writer.arena ? read_change(&c, folder) : hr_fail_memory(err);
    if (!status) status = edit(&c, member);
    if (status) hr_writer_undo(&c.writer);
    hr_authority_free(c.authority);
    hr_arena_free(c.writer.arena);
    return status;
}

/* ---- Members ---- */

static hr_status make_member_files(change *c, const hr_new_member *member) {
    hr_certificate own = {0};
    char *federation = NULL;
    hr_status status = hr_writer_member(&c->writer, c->next.member_count - 1);
    if (!status) status = hr_authority_write(c->authority, &own, c->err);
    if (!status) status = hr_writer_render(&c->writer, &federation);
    if (!status) status = hr_writer_public(&c->writer, member->name, federation, own.certificate);
    if (!status)
        status = hr_writer_certificate(&c->writer, c->authority, HR_CERTIFICATE_CLIENT, member->name,
                                       member->name, "tls");
    free(federation);
    hr_certificate_done(&own);
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
    return run_change(folder, add_member, member, err);
}

static hr_status remove_member(change *c, const hr_new_member *member) {
    hr_broker_address address;
    size_t index;
    hr_status status = find_member(c, member->name, &index);
    if (status) return status;
    const size_t after = --c->next.member_count - index;
    memmove(&c->members[index], &c->members[index + 1], after * sizeof *c->members);
    memmove(&c->writer.keys[index], &c->writer.keys[index + 1], after * sizeof *c->writer.keys);
    for (size_t i = index; i < c->next.member_count; i++) c->members[i].key = c->writer.keys[i];
    status = hr_writer_check(&c->next, &address, c->err);
    return status ? status : publish(c, &address);
}

hr_status hr_federation_remove(const char *folder, const char *name, hr_error *err) {
    assert(folder && name);
    return run_change(folder, remove_member, &(hr_new_member){name, NULL}, err);
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
    return run_change(folder, rekey_member, member, err);
}

/* ---- Certificates ---- */

/* In place of FOLDER/FILE.pem and FOLDER/FILE-key.pem. */
static hr_status replace_certificate(change *c, hr_certificate_use use, const char *subject,
                                     const char *folder, const char *file) {
    char name[32];
    hr_certificate issued = {0};
    hr_status status = hr_authority_issue(c->authority, use, subject, &issued, c->err);
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

static hr_status renew_certificate(change *c, const hr_new_member *member) {
    hr_broker_address address;
    hr_status status = read_authority_files(c);
    if (!status) status = hr_broker_address_parse(c->next.url, &address, c->err);
    if (status) return status;
    if (!strcmp(member->name, "broker"))
        return replace_certificate(c, HR_CERTIFICATE_SERVER, address.host, "broker", "server");
    if (!strcmp(member->name, HR_BROKER_ADMIN))
        return replace_certificate(c, HR_CERTIFICATE_CLIENT, HR_BROKER_ADMIN, "broker", HR_BROKER_ADMIN);
    return renew_member(c, member->name);
}

hr_status hr_federation_renew(const char *folder, const char *name, hr_error *err) {
    assert(folder && name);
    return run_change(folder, renew_certificate, &(hr_new_member){name, NULL}, err);
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
