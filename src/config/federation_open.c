/* The broker's admin makes the inboxes; members only find theirs. */
#include "config/federation_file.h"
#include "transport/broker.h"

#include <assert.h>
#include <hedgerow/federation.h>
#include <stdio.h>
#include <string.h>

/* "FOLDER/NAME". NULL when memory is short. */
static const char *path_in(hr_arena *arena, const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = hr_arena_alloc(arena, size, 1);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static hr_status open_inboxes(const char *folder, hr_arena *arena, hr_error *err) {
    const char *file = path_in(arena, folder, "federation.yaml");
    const char *certificate = path_in(arena, folder, "broker/" HR_BROKER_ADMIN ".pem");
    const char *key = path_in(arena, folder, "broker/" HR_BROKER_ADMIN "-key.pem");
    if (!file || !certificate || !key) return hr_fail_memory(err);
    hr_federation_file federation;
    hr_status status = hr_federation_file_read(file, arena, &federation, err);
    if (status) return status;
    const hr_membership *membership = &federation.membership;
    const char **names = hr_arena_alloc(arena, membership->count, sizeof *names);
    if (!names) return hr_fail_memory(err);
    for (size_t i = 0; i < membership->count; i++) names[i] = membership->members[i].name;
    const hr_nats_options admin = {.url = federation.url,
                                   .authority = federation.authority,
                                   .certificate = certificate,
                                   .certificate_key = key,
                                   .federation = membership->federation,
                                   .name = HR_BROKER_ADMIN};
    return hr_broker_prepare(&admin, names, membership->count, HR_NATS_ACK_SECONDS, err);
}

hr_status hr_federation_open(const char *folder, hr_error *err) {
    assert(folder);
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? open_inboxes(folder, arena, err) : hr_fail_memory(err);
    hr_arena_free(arena);
    return status;
}
