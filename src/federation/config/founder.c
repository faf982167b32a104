#include "federation/config/founder.h"

#include "federation/transport/broker.h"

#include <stdio.h>
#include <string.h>

const char *hr_founder_path(hr_arena *arena, const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = hr_arena_alloc(arena, size, 1);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

hr_status hr_founder_read(const char *folder, hr_arena *arena, hr_founder *out, hr_error *err) {
    const char *file = hr_founder_path(arena, folder, "federation.yaml");
    const char *certificate = hr_founder_path(arena, folder, "broker/" HR_BROKER_ADMIN ".pem");
    const char *key = hr_founder_path(arena, folder, "broker/" HR_BROKER_ADMIN "-key.pem");
    if (!file || !certificate || !key) return hr_fail_memory(err);
    *out = (hr_founder){.folder = folder};
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
