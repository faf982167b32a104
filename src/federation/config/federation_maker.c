#include "federation/config/federation_maker.h"

#include "base/buffer.h"
#include "base/file.h"
#include "federation/config/federation_file.h"
#include "federation/transport/broker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FOLDER_RIGHTS = S_IRWXU, MEMBERS_MIN = 2 };

/* Names that the broker or the folder needs for itself. */
static const char *const taken[] = {"authority", "broker", HR_BROKER_ADMIN};

typedef struct hr_made {
    const char *path;
    const struct hr_made *before;
} hr_made;

/* ---- Options ---- */

hr_status hr_maker_refuse_name(const char *what, const char *name, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT,
                   "begin with a small letter or digit, and use at most 32 small letters, digits and '-'",
                   "'%.64s' is not a valid name of a %s", name, what);
}

static hr_status check_member(const hr_federation_options *options, size_t index, hr_error *err) {
    const hr_new_member *member = &options->members[index];
    if (!hr_nats_name_fits(member->name)) return hr_maker_refuse_name("member", member->name, err);
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

hr_status hr_maker_check(const hr_federation_options *options, hr_broker_address *address, hr_error *err) {
    if (!hr_nats_name_fits(options->name)) return hr_maker_refuse_name("federation", options->name, err);
    if (options->member_count < MEMBERS_MIN || options->member_count > HR_MEMBERS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "name the coordinator and all owners, each with --member",
                       "a federation has %d to %d members, not %zu", MEMBERS_MIN, HR_MEMBERS_MAX,
                       options->member_count);
    hr_status status = hr_broker_address_parse(options->url, address, err);
    for (size_t i = 0; !status && i < options->member_count; i++) status = check_member(options, i, err);
    return status;
}

/* ---- Files ---- */

/* "ROOT/FOLDER/NAME"; an empty folder or name is left out. NULL when memory is short. */
const char *hr_maker_path(const hr_maker *m, const char *folder, const char *name) {
    const size_t size = strlen(m->root) + strlen(folder) + strlen(name) + 3;
    char *path = hr_arena_alloc(m->arena, size, 1);
    if (path) snprintf(path, size, "%s%s%s%s%s", m->root, *folder ? "/" : "", folder, *name ? "/" : "", name);
    return path;
}

/* Notes what was made, beforehand: so it is taken away even if making it fails half-way. */
static hr_status note_created_path(hr_maker *m, const char *path) {
    hr_made *entry = path ? hr_arena_alloc(m->arena, 1, sizeof *entry) : NULL;
    if (!entry) return hr_fail_memory(m->err);
    *entry = (hr_made){path, m->last};
    m->last = entry;
    return HR_OK;
}

hr_status hr_maker_folder(hr_maker *m, const char *folder) {
    const char *path = hr_maker_path(m, folder, "");
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

hr_status hr_maker_file(hr_maker *m, const char *folder, const char *name, unsigned rights,
                        const char *text) {
    const char *path = hr_maker_path(m, folder, name);
    hr_status status = note_created_path(m, path);
    return status ? status : hr_file_create(path, "file", rights, text, strlen(text), m->err);
}

void hr_maker_undo(const hr_maker *m) {
    for (const hr_made *entry = m->last; entry; entry = entry->before) (void)remove(entry->path);
}

/* ---- Parts ---- */

static hr_status make_identity(hr_maker *m, const char *member, char text[HR_PUBLIC_KEY_TEXT]) {
    char name[HR_NATS_NAME_MAX + 8];
    snprintf(name, sizeof name, "%s.key", member);
    const char *path = hr_maker_path(m, member, name);
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

hr_status hr_maker_member(hr_maker *m, size_t index) {
    const hr_new_member *member = &m->options->members[index];
    hr_status status = hr_maker_folder(m, member->name);
    if (status) return status;
    if (!member->key) return make_identity(m, member->name, m->keys[index]);
    snprintf(m->keys[index], sizeof m->keys[index], "%s", member->key);
    return HR_OK;
}

hr_status hr_maker_render(const hr_maker *m, char **out) {
    hr_buffer text = {0};
    hr_buffer_format(&text,
                     "hedgerow-federation: 1\n"
                     "name: %s\n"
                     "version: %zu\n"
                     "transport:\n"
                     "  kind: nats\n"
                     "  url: \"%s\"\n"
                     "  authority: ca.pem\n"
                     "members:\n",
                     m->options->name, m->version, m->options->url);
    for (size_t i = 0; i < m->options->member_count; i++)
        hr_buffer_format(&text, "  - name: %s\n    key: %s\n", m->options->members[i].name, m->keys[i]);
    return hr_buffer_take(&text, out, m->err);
}

/* Public files go into the root and to every member. */
hr_status hr_maker_public(hr_maker *m, const char *folder, const char *federation, const char *authority) {
    hr_status status = hr_maker_file(m, folder, "federation.yaml", HR_PUBLIC_RIGHTS, federation);
    return status ? status : hr_maker_file(m, folder, "ca.pem", HR_PUBLIC_RIGHTS, authority);
}

/* Files FILE.pem and FILE-key.pem. */
hr_status hr_maker_certificate(hr_maker *m, const hr_authority *authority, hr_certificate_use use,
                               const char *subject, const char *folder, const char *file) {
    char name[32];
    hr_certificate issued = {0};
    hr_status status = hr_authority_issue(authority, use, subject, &issued, m->err);
    snprintf(name, sizeof name, "%s.pem", file);
    if (!status) status = hr_maker_file(m, folder, name, HR_PUBLIC_RIGHTS, issued.certificate);
    snprintf(name, sizeof name, "%s-key.pem", file);
    if (!status) status = hr_maker_file(m, folder, name, HR_SECRET_RIGHTS, issued.key);
    hr_certificate_done(&issued);
    return status;
}

hr_status hr_maker_config(const hr_maker *m, const hr_broker_address *address, char **out) {
    const size_t count = m->options->member_count;
    const char **names = hr_arena_alloc(m->arena, count, sizeof *names);
    if (!names) return hr_fail_memory(m->err);
    for (size_t i = 0; i < count; i++) names[i] = m->options->members[i].name;
    return hr_broker_config(m->options->name, address, names, count, out, m->err);
}
