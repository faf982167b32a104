/* What the broker's admin does: makes the inboxes, looks into them, empties them. Members only find theirs.
 */
#include "federation/config/federation_dir.h"
#include "federation/transport/broker.h"
#include "federation/transport/broker_inboxes.h"

#include <assert.h>
#include <hedgerow/federation.h>
#include <stdlib.h>

hr_status hr_federation_open(const char *folder, hr_error *err) {
    assert(folder);
    hr_federation_dir dir;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_federation_dir_read(folder, arena, &dir, err) : hr_fail_memory(err);
    if (!status)
        status = hr_broker_prepare(&dir.admin, dir.names, dir.admin.member_count, HR_NATS_ACK_SECONDS, err);
    hr_arena_free(arena);
    return status;
}

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
