/* The files of a new federation. Everything is made from nothing, and taken away again if anything fails:
 * half a federation, with half of its secrets, is of no use. */
#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/sized.h"
#include "config/federation_file.h"
#include "crypto/identity.h"
#include "transport/broker.h"
#include "transport/certificates.h"

#include <assert.h>
#include <errno.h>
#include <hedgerow/federation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FOLDER_RIGHTS = S_IRWXU,
    SECRET_RIGHTS = S_IRUSR | S_IWUSR,
    PUBLIC_RIGHTS = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH,
    MEMBERS_MIN = 2
};

/* Names that the broker or the folder needs for itself. */
static const char *const taken[] = {"authority", "broker", HR_BROKER_ADMIN};

typedef struct made {
    const char *path;
    const struct made *before;
} made;

typedef struct maker {
    const hr_federation_options *options;
    const char *root;
    hr_arena *arena;
    const made *last; /* of the files and folders that were made */
    char (*keys)[HR_PUBLIC_KEY_TEXT];
    hr_error *err;
} maker;

/* ---- Options ---- */

static hr_status refuse_member_name(const char *what, const char *name, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT,
                   "begin with a small letter or digit, and use at most 32 small letters, digits and '-'",
                   "'%.64s' is not a valid name of a %s", name, what);
}

static hr_status check_member(const hr_federation_options *options, size_t index, hr_error *err) {
    const hr_new_member *member = &options->members[index];
    if (!hr_nats_name_fits(member->name)) return refuse_member_name("member", member->name, err);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(member->name, taken[i]) == 0)
            return hr_fail(err, HR_E_ARGUMENT, "choose another name",
                           "the name '%s' is reserved for the broker", member->name);
    for (size_t i = 0; i < index; i++) {
        const hr_new_member *other = &options->members[i];
        if (strcmp(member->name, other->name) == 0)
            return hr_fail(err, HR_E_ARGUMENT, "give every member a unique name",
                           "the name '%s' is used twice", member->name);
        if (member->key && other->key && strcmp(member->key, other->key) == 0)
            return hr_fail(err, HR_E_ARGUMENT, "make a new key for one of them with `hedgerow keygen`",
                           "'%s' has the key of '%s'", member->name, other->name);
    }
    hr_public_key key;
    hr_status status = member->key ? hr_public_key_parse(member->key, &key, err) : HR_OK;
    if (!status) return HR_OK;
    if (err) err->status = HR_E_ARGUMENT;
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, member->name);
}

static hr_status check_federation_options(const hr_federation_options *options, hr_broker_address *address,
                                          hr_error *err) {
    if (!hr_nats_name_fits(options->name)) return refuse_member_name("federation", options->name, err);
    if (options->member_count < MEMBERS_MIN || options->member_count > HR_MEMBERS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "", "a federation has %d to %d members, not %zu", MEMBERS_MIN,
                       HR_MEMBERS_MAX, options->member_count);
    hr_status status = hr_broker_address_parse(options->url, address, err);
    for (size_t i = 0; !status && i < options->member_count; i++) status = check_member(options, i, err);
    return status;
}

/* ---- Files ---- */

/* "ROOT/FOLDER/NAME"; an empty folder or name is left out. NULL when memory is short. */
static const char *join(const maker *m, const char *folder, const char *name) {
    const size_t size = strlen(m->root) + strlen(folder) + strlen(name) + 3;
    char *path = hr_arena_alloc(m->arena, size, 1);
    if (path) snprintf(path, size, "%s%s%s%s%s", m->root, *folder ? "/" : "", folder, *name ? "/" : "", name);
    return path;
}

/* Notes what was made, beforehand: so it is taken away even if making it fails half-way. */
static hr_status note_created_path(maker *m, const char *path) {
    made *entry = path ? hr_arena_alloc(m->arena, 1, sizeof *entry) : NULL;
    if (!entry) return hr_fail_memory(m->err);
    *entry = (made){path, m->last};
    m->last = entry;
    return HR_OK;
}

static hr_status make_folder(maker *m, const char *folder) {
    const char *path = join(m, folder, "");
    if (!path) return hr_fail_memory(m->err);
    if (mkdir(path, FOLDER_RIGHTS) == 0) return note_created_path(m, path);
    hr_status status =
        errno == EEXIST
            ? hr_fail(m->err, HR_E_POLICY, "choose another name; an existing file is never overwritten",
                      "the folder exists already")
            : hr_fail(m->err, HR_E_IO, "check the path, its permissions and the free space",
                      "cannot create the folder: %s", strerror(errno));
    return hr_fail_at(m->err, status, path, 0, 0, NULL);
}

static hr_status make_file(maker *m, const char *folder, const char *name, unsigned rights,
                           const char *text) {
    const char *path = join(m, folder, name);
    hr_status status = note_created_path(m, path);
    return status ? status : hr_file_create(path, "file", rights, text, strlen(text), m->err);
}

static void take_away(const maker *m) {
    for (const made *entry = m->last; entry; entry = entry->before) (void)remove(entry->path);
}

/* ---- Parts ---- */

static hr_status make_identity(maker *m, const char *member, char text[HR_PUBLIC_KEY_TEXT]) {
    char name[HR_NATS_NAME_MAX + 8];
    snprintf(name, sizeof name, "%s.key", member);
    const char *path = join(m, member, name);
    hr_identity *identity = NULL;
    hr_status status = note_created_path(m, path);
    if (!status) status = hr_identity_make(&identity, m->err);
    if (!status) status = hr_identity_write(identity, path, m->err);
    if (!status) {
        const hr_public_key key = hr_identity_public(identity);
        hr_public_key_text(&key, text);
    }
    hr_identity_free(identity);
    return status;
}

/* A folder for each member, and the public key of each as text. */
static hr_status make_members(maker *m) {
    m->keys = hr_arena_alloc(m->arena, m->options->member_count, sizeof *m->keys);
    if (!m->keys) return hr_fail_memory(m->err);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->options->member_count; i++) {
        const hr_new_member *member = &m->options->members[i];
        status = make_folder(m, member->name);
        if (status) break;
        if (member->key) {
            snprintf(m->keys[i], sizeof m->keys[i], "%s", member->key);
        } else {
            status = make_identity(m, member->name, m->keys[i]);
        }
    }
    return status;
}

static hr_status render_federation(const maker *m, char **out) {
    hr_buffer text = {0};
    hr_buffer_format(&text,
                     "hedgerow-federation: 1\n"
                     "name: %s\n"
                     "transport:\n"
                     "  kind: nats\n"
                     "  url: \"%s\"\n"
                     "  authority: ca.pem\n"
                     "members:\n",
                     m->options->name, m->options->url);
    for (size_t i = 0; i < m->options->member_count; i++)
        hr_buffer_format(&text, "  - name: %s\n    key: %s\n", m->options->members[i].name, m->keys[i]);
    return hr_buffer_take(&text, out, m->err);
}

/* Public files go into the root and to every member. */
static hr_status make_public(maker *m, const char *folder, const char *federation, const char *authority) {
    hr_status status = make_file(m, folder, "federation.yaml", PUBLIC_RIGHTS, federation);
    return status ? status : make_file(m, folder, "ca.pem", PUBLIC_RIGHTS, authority);
}

/* Files FILE.pem and FILE-key.pem. */
static hr_status make_certificate(maker *m, const hr_authority *authority, hr_certificate_use use,
                                  const char *subject, const char *folder, const char *file) {
    char name[32];
    hr_certificate issued = {0};
    hr_status status = hr_authority_issue(authority, use, subject, &issued, m->err);
    snprintf(name, sizeof name, "%s.pem", file);
    if (!status) status = make_file(m, folder, name, PUBLIC_RIGHTS, issued.certificate);
    snprintf(name, sizeof name, "%s-key.pem", file);
    if (!status) status = make_file(m, folder, name, SECRET_RIGHTS, issued.key);
    hr_certificate_done(&issued);
    return status;
}

static hr_status make_broker(maker *m, const hr_broker_address *address, const hr_authority *authority,
                             const char *authority_text) {
    const size_t count = m->options->member_count;
    const char **names = hr_arena_alloc(m->arena, count, sizeof *names);
    if (!names) return hr_fail_memory(m->err);
    for (size_t i = 0; i < count; i++) names[i] = m->options->members[i].name;
    char *config = NULL;
    hr_status status = hr_broker_config(m->options->name, address, names, count, &config, m->err);
    if (!status) status = make_folder(m, "broker");
    if (!status) status = make_file(m, "broker", "nats.conf", PUBLIC_RIGHTS, config);
    if (!status) status = make_file(m, "broker", "ca.pem", PUBLIC_RIGHTS, authority_text);
    if (!status)
        status = make_certificate(m, authority, HR_CERTIFICATE_SERVER, address->host, "broker", "server");
    if (!status)
        status =
            make_certificate(m, authority, HR_CERTIFICATE_CLIENT, HR_BROKER_ADMIN, "broker", HR_BROKER_ADMIN);
    free(config);
    return status;
}

static hr_status make_federation_files(maker *m, const hr_broker_address *address,
                                       const hr_authority *authority, const hr_certificate *own) {
    char *federation = NULL;
    hr_status status = make_folder(m, "");
    if (!status) status = make_members(m);
    if (!status) status = render_federation(m, &federation);
    if (!status) status = make_public(m, "", federation, own->certificate);
    if (!status) status = make_folder(m, "authority");
    if (!status) status = make_file(m, "authority", "ca-key.pem", SECRET_RIGHTS, own->key);
    if (!status) status = make_broker(m, address, authority, own->certificate);
    for (size_t i = 0; !status && i < m->options->member_count; i++) {
        const char *name = m->options->members[i].name;
        status = make_public(m, name, federation, own->certificate);
        if (!status) status = make_certificate(m, authority, HR_CERTIFICATE_CLIENT, name, name, "tls");
    }
    free(federation);
    return status;
}

hr_status hr_federation_init(const char *folder, const hr_federation_options *options, hr_error *err) {
    static const hr_sized kind = {sizeof *options, sizeof *options,
                                  "set size to sizeof(hr_federation_options)"};
    hr_federation_options ours = {0};
    assert(folder && *folder && options);
    hr_status status = hr_sized_take(&kind, options, &ours, err);
    if (status) return status;
    assert(ours.name && ours.url && (ours.members || !ours.member_count));
    hr_broker_address address;
    status = check_federation_options(&ours, &address, err);
    if (status) return status;
    maker m = {.options = &ours, .root = folder, .arena = hr_arena_new(), .err = err};
    hr_authority *authority = NULL;
    hr_certificate own = {0};
    status = m.arena ? hr_authority_make(ours.name, &authority, err) : hr_fail_memory(err);
    if (!status) status = hr_authority_write(authority, &own, err);
    if (!status) status = make_federation_files(&m, &address, authority, &own);
    if (status) take_away(&m);
    hr_certificate_done(&own);
    hr_authority_free(authority);
    hr_arena_free(m.arena);
    return status;
}
