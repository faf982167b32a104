#include "federation/config/federation_dir.h"

#include "base/buffer.h"
#include "base/file.h"
#include "federation/transport/broker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FOLDER_RIGHTS = S_IRWXU, MEMBERS_MIN = 2 };

/* Names that the broker or the folder needs for itself. */
static const char *const taken[] = {"authority", "broker", HR_BROKER_ADMIN};

typedef struct hr_written {
    const char *path;
    const struct hr_written *before;
} hr_written;

/* ---- Reading ---- */

/* "FOLDER/NAME". NULL when memory is short. */
static const char *path_in(hr_arena *arena, const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = hr_arena_alloc(arena, size, 1);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

hr_status hr_federation_dir_read(const char *folder, hr_arena *arena, hr_federation_dir *out, hr_error *err) {
    const char *file = path_in(arena, folder, "federation.yaml");
    const char *certificate = path_in(arena, folder, "broker/" HR_BROKER_ADMIN ".pem");
    const char *key = path_in(arena, folder, "broker/" HR_BROKER_ADMIN "-key.pem");
    if (!file || !certificate || !key) return hr_fail_memory(err);
    *out = (hr_federation_dir){.folder = folder};
    hr_status status = hr_federation_file_read(file, arena, &out->federation, err);
    if (status) return status;
    const hr_membership *membership = &out->federation.membership;
    out->names = hr_arena_alloc(arena, membership->count, sizeof *out->names);
    if (!out->names) return hr_fail_memory(err);
    for (size_t i = 0; i < membership->count; i++) out->names[i] = membership->members[i].name;
    out->admin = (hr_nats_options){.url = out->federation.url,
                                   .authority = out->federation.authority,
                                   .certificate = certificate,
                                   .certificate_key = key,
                                   .federation = membership->federation,
                                   .name = HR_BROKER_ADMIN,
                                   .member_count = membership->count};
    return HR_OK;
}

/* ---- Options ---- */

hr_status hr_writer_refuse_name(const char *what, const char *name, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT,
                   "begin with a small letter or digit, and use at most 32 small letters, digits and '-'",
                   "'%.64s' is not a valid name of a %s", name, what);
}

static hr_status check_member(const hr_federation_options *options, size_t index, hr_error *err) {
    const hr_new_member *member = &options->members[index];
    if (!hr_nats_name_fits(member->name)) return hr_writer_refuse_name("member", member->name, err);
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

/* The hosts of all brokers, with commas between: the names of their certificate. */
const char *hr_writer_hosts(const hr_federation_writer *w, const hr_broker_address *address) {
    char *hosts = hr_arena_alloc(w->arena, HR_BROKERS_MAX, HR_BROKER_HOST);
    if (!hosts) return NULL;
    size_t size = 0;
    for (size_t i = 0; i < address->count; i++)
        size += (size_t)sprintf(hosts + size, "%s%s", i ? "," : "", address->brokers[i].host);
    return hosts;
}

hr_status hr_writer_check(const hr_federation_options *options, hr_broker_address *address, hr_error *err) {
    if (!hr_nats_name_fits(options->name)) return hr_writer_refuse_name("federation", options->name, err);
    if (options->member_count < MEMBERS_MIN || options->member_count > HR_MEMBERS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "name the coordinator and all owners, each with --member",
                       "a federation has %d to %d members, not %zu", MEMBERS_MIN, HR_MEMBERS_MAX,
                       options->member_count);
    hr_status status = hr_broker_address_parse(options->url, address, err);
    for (size_t i = 0; !status && i < options->member_count; i++) status = check_member(options, i, err);
    /* The certificate of a member with the name of a broker would be one of a broker. */
    for (size_t i = 0; !status && address->count > 1 && i < address->count * options->member_count; i++)
        if (!strcasecmp(address->brokers[i % address->count].host, options->members[i / address->count].name))
            status = hr_fail(
                err, HR_E_ARGUMENT, "choose another name for the member, or name the broker in full",
                "'%s' is the name of a member and of a broker", options->members[i / address->count].name);
    return status;
}

/* ---- Files ---- */

/* "ROOT/FOLDER/NAME"; an empty folder or name is left out. NULL when memory is short. */
const char *hr_writer_path(const hr_federation_writer *w, const char *folder, const char *name) {
    const size_t size = strlen(w->root) + strlen(folder) + strlen(name) + 3;
    char *path = hr_arena_alloc(w->arena, size, 1);
    if (path) snprintf(path, size, "%s%s%s%s%s", w->root, *folder ? "/" : "", folder, *name ? "/" : "", name);
    return path;
}

/* Notes a path before it is made, so that hr_writer_undo removes it even if making it fails half-way. */
static hr_status note_created_path(hr_federation_writer *w, const char *path) {
    hr_written *entry = path ? hr_arena_alloc(w->arena, 1, sizeof *entry) : NULL;
    if (!entry) return hr_fail_memory(w->err);
    *entry = (hr_written){path, w->last};
    w->last = entry;
    return HR_OK;
}

hr_status hr_writer_folder(hr_federation_writer *w, const char *folder) {
    const char *path = hr_writer_path(w, folder, "");
    if (!path) return hr_fail_memory(w->err);
    if (mkdir(path, FOLDER_RIGHTS) == 0) return note_created_path(w, path);
    hr_status status =
        errno == EEXIST
            ? hr_fail(w->err, HR_E_IO, "choose another name; an existing file is never overwritten",
                      "the folder exists already")
            : hr_fail(w->err, HR_E_IO, "check the path, its permissions and the free space",
                      "cannot create the folder: %s", strerror(errno));
    return hr_fail_at(w->err, status, path, 0, 0, NULL);
}

hr_status hr_writer_file(hr_federation_writer *w, const char *folder, const char *name, unsigned rights,
                         const char *text) {
    const char *path = hr_writer_path(w, folder, name);
    hr_status status = note_created_path(w, path);
    return status ? status : hr_file_create(path, "file", rights, text, strlen(text), w->err);
}

void hr_writer_undo(const hr_federation_writer *w) {
    for (const hr_written *entry = w->last; entry; entry = entry->before) (void)remove(entry->path);
}

/* ---- Parts ---- */

hr_status hr_writer_member(hr_federation_writer *w, size_t index) {
    const hr_new_member *member = &w->options->members[index];
    hr_status status = hr_writer_folder(w, member->name);
    if (status) return status;
    if (member->key) {
        snprintf(w->keys[index], sizeof w->keys[index], "%s", member->key);
        return HR_OK;
    }
    char name[HR_NATS_NAME_MAX + 8];
    snprintf(name, sizeof name, "%s.key", member->name);
    const char *path = hr_writer_path(w, member->name, name);
    hr_identity *identity = NULL;
    status = note_created_path(w, path);
    if (!status) status = hr_identity_make(&identity, w->err);
    if (!status) status = hr_identity_write(identity, path, w->err);
    if (!status) {
        const hr_public_key key = hr_identity_public(identity);
        hr_public_key_text(&key, w->keys[index]);
    }
    hr_identity_free(identity);
    return status;
}

hr_status hr_writer_render(const hr_federation_writer *w, char **out) {
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
                     w->options->name, w->version, w->options->url);
    for (size_t i = 0; i < w->options->member_count; i++) {
        hr_buffer_format(&text, "  - name: %s\n    key: %s\n", w->options->members[i].name, w->keys[i]);
        if (w->records && w->records[i].most)
            hr_buffer_format(&text, "    records: %" PRIu64 "..%" PRIu64 "\n", w->records[i].least,
                             w->records[i].most);
    }
    return hr_buffer_take(&text, out, w->err);
}

/* Public files go into the root and to every member. */
hr_status hr_writer_public(hr_federation_writer *w, const char *folder, const char *federation,
                           const char *authority) {
    hr_status status = hr_writer_file(w, folder, "federation.yaml", HR_PUBLIC_RIGHTS, federation);
    return status ? status : hr_writer_file(w, folder, "ca.pem", HR_PUBLIC_RIGHTS, authority);
}

/* Files FILE.pem and FILE-key.pem. */
hr_status hr_writer_certificate(hr_federation_writer *w, const hr_authority *authority,
                                hr_certificate_use use, const char *subject, const char *folder,
                                const char *file) {
    char name[32];
    hr_certificate issued = {0};
    hr_status status = hr_authority_issue(authority, use, subject, HR_CERTIFICATE_DAYS, &issued, w->err);
    snprintf(name, sizeof name, "%s.pem", file);
    if (!status) status = hr_writer_file(w, folder, name, HR_PUBLIC_RIGHTS, issued.certificate);
    snprintf(name, sizeof name, "%s-key.pem", file);
    if (!status) status = hr_writer_file(w, folder, name, HR_SECRET_RIGHTS, issued.key);
    hr_certificate_done(&issued);
    return status;
}

hr_status hr_writer_config(const hr_federation_writer *w, const hr_broker_address *address, size_t index,
                           char **out) {
    const size_t count = w->options->member_count;
    const char **names = hr_arena_alloc(w->arena, count, sizeof *names);
    if (!names) return hr_fail_memory(w->err);
    for (size_t i = 0; i < count; i++) names[i] = w->options->members[i].name;
    const hr_broker_plan plan = {w->options->name, address, names, count};
    return hr_broker_config(&plan, index, out, w->err);
}
