/* A coordinator that lost its journal: an owner tells it which of its jobs are open here, and ends those that
 * the coordinator says it does not know any more. */
#include "federation/party/party_core.h"

#include "base/fail.h"
#include "federation/protocol/inquiry.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const hr_party *p, const hr_live_job *j, size_t coordinator) {
    return !strcmp(hr_party_member_name(p, coordinator), j->coordinator);
}

/* Of that coordinator alone: what others offered is no matter of its. */
static void list_held(const hr_party *p, size_t coordinator, hr_held_jobs *out) {
    for (size_t i = 0; i < p->job_count && out->count < HR_HELD_JOBS_MAX; i++) {
        const hr_live_job *j = p->jobs[i];
        if (!j->noted || hr_live_job_is_over(j) || !is_of(p, j, coordinator)) continue;
        hr_held_job *held = &out->jobs[out->count++];
        *held = (hr_held_job){.date = j->record.date, .charged = j->record.entry != 0};
        memcpy(held->id.bytes, j->record.id, HR_JOB_BYTES);
        if (j->read && hr_text_is_job_name(j->read->name))
            memcpy(held->name, j->read->name.data, j->read->name.len);
    }
}

/* Not to packets that somebody kept and sends again. */
static bool is_new(const hr_party *p, const hr_envelope *envelope) {
    hr_error ignored;
    int64_t date = 0;
    if (hr_inquiry_read(&envelope->body, &date, &ignored)) return false;
    const int64_t age = p->clock.date - date;
    return age <= HR_INQUIRY_SECONDS && age >= -HR_INQUIRY_SECONDS;
}

hr_status hr_party_take_aside(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    hr_held_jobs held = {.count = 0};
    hr_envelope answer = {.to = envelope->from, .job = envelope->job, .aside = true};
    if (!p->o.coordinators || !p->o.coordinators[envelope->from] || !is_new(p, envelope) ||
        p->quota.declines >= HR_QUOTA_DECLINES)
        return HR_OK;
    p->quota.declines++;
    list_held(p, envelope->from, &held);
    hr_status status = hr_held_jobs_make(&held, &answer.body, err);
    if (!status) status = hr_party_commit_batch(p, err);
    if (!status) status = hr_outbox_answer(&p->outbox, &answer, err);
    free(answer.body.at);
    return status;
}

/* Signed by that coordinator, for this job and this owner. */
static bool is_disowned(const hr_party *p, const hr_envelope *envelope) {
    const hr_membership *members = p->o.view->membership;
    ProtobufCMessage *unpacked = NULL;
    hr_error ignored;
    if (hr_message_unpack(&hedgerow__message__descriptor, envelope->body.at, envelope->body.size, &unpacked,
                          &ignored))
        return false;
    const Hedgerow__Decline *decline = ((const Hedgerow__Message *)unpacked)->answer->decline;
    const bool signed_so = decline->code == HEDGEROW__DECLINE__CODE__UNKNOWN_JOB &&
                           !hr_decline_check(decline, &members->members[envelope->from], &envelope->job,
                                             &members->members[p->o.view->self].key, &ignored);
    hr_message_unpacked_free(unpacked);
    return signed_so;
}

hr_status hr_party_take_disowned(hr_party *p, hr_live_job *j, const hr_envelope *envelope, hr_error *err) {
    if (!is_of(p, j, envelope->from) || !is_disowned(p, envelope)) return HR_OK;
    /* The coordinator takes no more packets of the job. */
    hr_status status = hr_party_begin(p, err);
    if (!status)
        status = hr_journal_received(p->o.journal, envelope->job.bytes, j->coordinator, INT64_MAX, err);
    status = hr_party_commit(p, status, err);
    if (status) return status;
    hr_live_job_leave(j, HR_JOB_CANCELLED, "by the coordinator, which does not know the job any more");
    j->leaves = false; /* it knows */
    return HR_OK;
}
