/* A coordinator does not wait the whole deadline for owners that are away, if its job file has it. What it
 * does then is what it does at the deadline: so the journal has the same events, and an owner that comes back
 * is heard as one that is late. */
#include "federation/party/party_core.h"
#include "privacy/ledger/journal_status.h"

#include <string.h>

/* The owners of a job that something is to come from, or by way of. */
typedef struct absent_owners {
    size_t members[HR_MEMBERS_MAX], count; /* those that were away for long enough */
    bool all_awaited;                      /* are away */
    bool blocked;                          /* by one that is away, whoever else is there */
    bool any_present;                      /* of all owners that take part */
} absent_owners;

static bool takes_part(const hr_part_info *part) {
    return part->state != HR_PART_DECLINED && part->state != HR_PART_CUT_OFF;
}

static absent_owners absent_of(const hr_party *p, const hr_live_job *j) {
    const hr_presence *presence = p->o.presence;
    const bool offered = !j->protocol->start || !j->protocol->start->owner_count;
    absent_owners out = {0};
    hr_part_info part;
    hr_member_presence seen;
    size_t awaited = 0, away = 0;
    for (size_t m = 0; m < j->member_count; m++) {
        part = (hr_part_info){0};
        if (!j->method->machines->part(j->protocol, m, &part)) continue;
        out.any_present |= takes_part(&part) && hr_presence_of(presence, m, &seen) && seen.present;
        awaited += part.awaited;
        if (!part.awaited && !part.blocks) continue;
        if (p->clock.now < hr_presence_patience(presence, m, offered, j->active_at)) continue;
        out.members[out.count++] = m;
        away += part.awaited;
        out.blocked |= part.blocks;
    }
    out.all_awaited = awaited && away == awaited;
    return out;
}

int64_t hr_live_job_patience(const hr_live_job *j) {
    return j->own.deadline + j->longer;
}

bool hr_party_awaits_absent(const hr_party *p, const hr_live_job *j) {
    if (!j->own.waits_for_present || !p->o.presence || p->clock.now - j->active_at < HR_PRESENCE_GRACE)
        return false;
    const absent_owners absent = absent_of(p, j);
    return absent.any_present && (absent.all_awaited || absent.blocked);
}

void hr_party_log_absent(hr_party *p, const hr_live_job *j) {
    if (p->clock.now - j->active_at >= hr_live_job_patience(j)) return;
    const absent_owners absent = absent_of(p, j);
    for (size_t i = 0; i < absent.count; i++)
        hr_job_log(p->o.work, &j->record, HR_LOG_WARNING,
                   "owner %s is away, and is not waited for until the deadline",
                   hr_party_member_name(p, absent.members[i]));
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
