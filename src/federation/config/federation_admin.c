/* What the broker's admin does: makes the inboxes, looks into them, empties them. Members only find theirs.
 */
#include "base/fail.h"
#include "federation/config/federation_dir.h"
#include "federation/transport/broker.h"
#include "federation/transport/broker_inboxes.h"
#include "federation/transport/certificates.h"

#include <assert.h>
#include <hedgerow/federation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Opening ---- */

enum {
    TRIES = 20, /* of a member whom the broker does not serve yet: it may still read its configuration */
    PAUSE_MS = 100,
    PATH = 1024,
    NAMES = 160
};

static bool try_again(void *tries, const char *what) {
    int *left = tries;
    (void)what;
    if (--*left <= 0) return false;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    return true;
}

/* As the member that the options name. Nothing is taken from the inbox. */
static hr_status try_inbox(const hr_nats_options *options, hr_error *err) {
    hr_transport *end = NULL;
    hr_status status = hr_nats_open(options, &end, err);
    if (!status) end->close(end);
    return status;
}

/* Who cannot reach its inbox. */
typedef struct unserved_members {
    size_t count;
    char names[NAMES];
    hr_error why; /* of the first */
    int tries;    /* that are left, of all members together */
} unserved_members;

static void note_unserved(unserved_members *u, const char *name, const hr_error *why) {
    const size_t used = strlen(u->names);
    if (!u->count) u->why = *why;
    snprintf(u->names + used, sizeof u->names - used, "%s'%s'", u->count ? ", " : "", name);
    u->count++;
}

/* Members whose folder was handed over and deleted are not tried. */
static void try_member(const hr_federation_dir *dir, const char *name, unserved_members *u) {
    char certificate[PATH], key[PATH];
    hr_error why = {0};
    snprintf(certificate, sizeof certificate, "%s/%s/tls.pem", dir->folder, name);
    snprintf(key, sizeof key, "%s/%s/tls-key.pem", dir->folder, name);
    if (access(certificate, F_OK) || access(key, F_OK)) return;
    hr_nats_options options = dir->admin;
    options.name = name;
    options.certificate = certificate;
    options.certificate_key = key;
    options.again = try_again;
    options.user = &u->tries;
    if (try_inbox(&options, &why)) note_unserved(u, name, &why);
}

static hr_status try_members(const hr_federation_dir *dir, hr_error *err) {
    unserved_members u = {.tries = TRIES};
    for (size_t i = 0; i < dir->admin.member_count; i++) try_member(dir, dir->names[i], &u);
    if (!u.count) return HR_OK;
    return hr_fail(err, u.why.status, u.why.remedy, "not every member can use its inbox (%s): %s", u.names,
                   u.why.message);
}

hr_status hr_federation_open(const char *folder, hr_error *err) {
    assert(folder);
    hr_federation_dir dir;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_federation_dir_read(folder, arena, &dir, err) : hr_fail_memory(err);
    if (!status)
        status = hr_broker_prepare(&dir.admin, dir.names, dir.admin.member_count, HR_NATS_ACK_SECONDS, err);
    if (!status) status = try_members(&dir, err);
    hr_arena_free(arena);
    return status;
}

/* ---- Certificates ---- */

/* Who is shown certificates. */
typedef struct certificate_list {
    const char *folder;
    bool (*visit)(void *user, const hr_certificate_info *certificate);
    void *user;
    int64_t now;
    bool stopped;
} certificate_list;

static void show_certificate(certificate_list *list, const char *name, const char *file) {
    char path[PATH], text[HR_VALIDITY_TEXT];
    if (list->stopped) return;
    snprintf(path, sizeof path, "%s/%s", list->folder, file);
    const hr_validity validity = {name, !strcmp(name, "authority"), hr_certificate_ends(path)};
    if (!validity.ends) return;
    hr_validity_text(&validity, list->now, text);
    const hr_certificate_info info = {name, validity.ends, text, *text ? hr_validity_remedy(&validity) : ""};
    list->stopped = !list->visit(list->user, &info);
}

hr_status hr_federation_certificates(const char *folder,
                                     bool (*visit)(void *user, const hr_certificate_info *certificate),
                                     void *user, hr_error *err) {
    assert(folder && visit);
    hr_federation_dir dir;
    certificate_list list = {folder, visit, user, (int64_t)time(NULL), false};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_federation_dir_read(folder, arena, &dir, err) : hr_fail_memory(err);
    if (!status) {
        show_certificate(&list, "authority", "ca.pem");
        show_certificate(&list, "broker", "broker/server.pem");
        show_certificate(&list, HR_BROKER_ADMIN, "broker/" HR_BROKER_ADMIN ".pem");
    }
    for (size_t i = 0; !status && i < dir.admin.member_count; i++) {
        char file[HR_NATS_NAME_MAX + 16];
        snprintf(file, sizeof file, "%s/tls.pem", dir.names[i]);
        show_certificate(&list, dir.names[i], file);
    }
    hr_arena_free(arena);
    return status;
}

/* ---- Inboxes ---- */

hr_status hr_federation_show(const char *folder, bool (*visit)(void *user, const hr_waiting_packets *waiting),
                             void *user, hr_error *err) {
    assert(folder && visit);
    hr_federation_dir dir;
    hr_broker_waiting *list = NULL;
    size_t count = 0;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_federation_dir_read(folder, arena, &dir, err) : hr_fail_memory(err);
    if (!status) status = hr_broker_look(&dir.admin, &list, &count, err);
    bool wanted = true;
    for (size_t i = 0; wanted && i < count; i++) {
        const hr_broker_waiting *w = &list[i];
        const hr_waiting_packets shown = {w->to, w->from, w->packets, w->bytes, w->oldest};
        wanted = visit(user, &shown);
    }
    free(list);
    hr_arena_free(arena);
    return status;
}

static hr_status check_name(const char *name, hr_error *err) {
    if (!name || hr_nats_name_fits(name)) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "take it from federation.yaml or from `hedgerow federation show`",
                   "'%.64s' is not a valid name of a member", name);
}

hr_status hr_federation_purge(const char *folder, const char *to, const char *from, uint64_t *packets,
                              hr_error *err) {
    assert(folder && to && packets);
    hr_federation_dir dir;
    hr_status status = check_name(to, err);
    if (!status) status = check_name(from, err);
    if (status) return status;
    hr_arena *arena = hr_arena_new();
    status = arena ? hr_federation_dir_read(folder, arena, &dir, err) : hr_fail_memory(err);
    if (!status) status = hr_broker_purge(&dir.admin, to, from, packets, err);
    hr_arena_free(arena);
    return status;
}
