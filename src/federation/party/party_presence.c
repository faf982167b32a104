/* A coordinator does not wait the whole deadline for owners that are away, if its job file has it. What it
 * does then is what it does at the deadline: so the journal has the same events, and an owner that comes back
 * is heard as one that is late. */
#include "federation/party/party_core.h"
#include "privacy/ledger/journal_status.h"

#include <string.h>

/* The owners of a job that are awaited. */
typedef struct awaited_owners {
    size_t members[HR_MEMBERS_MAX], count;
    bool any_present; /* of all owners of the job */
    bool offered;     /* the job has not started */
} awaited_owners;

static void list_awaited(const hr_party *p, const hr_live_job *j, awaited_owners *out) {
    hr_part_info part;
    hr_member_presence presence;
    *out = (awaited_owners){.offered = !j->protocol->start || !j->protocol->start->owner_count};
    for (size_t m = 0; m < j->member_count; m++) {
        if (!j->method->machines->part(j->protocol, m, &part)) continue;
        out->any_present =
            out->any_present || (hr_presence_of(p->o.presence, m, &presence) && presence.present);
        if (part.awaited) out->members[out->count++] = m;
    }
}

bool hr_party_awaits_absent(const hr_party *p, const hr_live_job *j) {
    awaited_owners awaited;
    if (!j->own.waits_for_present || !p->o.presence || p->clock.now - j->active_at < HR_PRESENCE_GRACE)
        return false;
    list_awaited(p, j, &awaited);
    bool absent = awaited.count && awaited.any_present;
    for (size_t i = 0; absent && i < awaited.count; i++)
        absent = p->clock.now >=
                 hr_presence_patience(p->o.presence, awaited.members[i], awaited.offered, j->active_at);
    return absent;
}

void hr_party_log_absent(hr_party *p, const hr_live_job *j) {
    awaited_owners awaited;
    if (p->clock.now - j->active_at >= j->own.deadline) return;
    list_awaited(p, j, &awaited);
    for (size_t i = 0; i < awaited.count; i++)
        hr_job_log(p->o.work, &j->record, HR_LOG_WARNING,
                   "owner %s is away, and is not waited for until the deadline",
                   hr_party_member_name(p, awaited.members[i]));
}

hr_status hr_party_note_presence(const hr_party *p, hr_error *err) {
    const hr_membership *membership = p->o.view->membership;
    hr_journal_presence members[HR_MEMBERS_MAX];
    hr_member_presence seen;
    size_t count = 0;
    for (size_t m = 0; p->o.presence && m < membership->count; m++)
        if (hr_presence_of(p->o.presence, m, &seen))
            members[count++] =
                (hr_journal_presence){membership->members[m].name, seen.present, seen.since, seen.seen};
    return hr_journal_note_presence(p->o.journal, members, count, err);
}
