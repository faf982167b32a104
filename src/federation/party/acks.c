/* What a member is told of its messages: an ack says that they are in the journal, on the disk. Every piece
 * of a message is an ack too, so a member that gets an answer needs no other. An ack alone is sent when none
 * went along for a while, well before the member sends its packets again. */
#include "federation/party/party_core.h"

enum {
    UNTOLD_MAX = 2,    /* packets: a member that sends many at its receiver's pace waits for acks */
    PARTS_OF_PAUSE = 4 /* an ack waits so many times shorter than packets before they are sent again */
};

void hr_ack_due(hr_ack_state *r, uint64_t sequence, int64_t now) {
    if (r->told == r->taken) r->since = now;
    r->taken = sequence;
}

uint64_t hr_ack_next(hr_ack_state *r) {
    r->told = r->taken;
    r->again = false;
    return r->taken;
}

static bool is_due(const hr_party *p, const hr_live_job *j, const hr_ack_state *r) {
    if (r->again) return true;
    if (r->told == r->taken) return false;
    return r->taken - r->told >= UNTOLD_MAX || hr_live_job_is_over(j) ||
           p->clock.now - r->since >= p->o.resend / PARTS_OF_PAUSE;
}

hr_status hr_party_confirm(hr_party *p, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; i < p->job_count; i++) {
        hr_live_job *j = p->jobs[i];
        for (size_t m = 0; !status && m < j->member_count; m++) {
            hr_ack_state *r = &j->acks[m];
            if (is_due(p, j, r)) status = hr_outbox_confirm(&p->outbox, j->record.id, m, hr_ack_next(r), err);
        }
    }
    return status;
}
