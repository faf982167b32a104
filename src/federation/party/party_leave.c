/* A job that ends at one party alone, and what people are shown of jobs. */
#include "federation/party/party_core.h"

#include "base/fail.h"
#include "federation/federated/terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hr_status post_to(hr_party *p, const hr_live_job *j, ProtobufCBinaryData name,
                         const Hedgerow__Message *message, hr_error *err) {
    size_t member = hr_membership_by_name(p->o.view->membership, name.data, name.len);
    hr_bytes bytes = {0};
    if (member == HR_NO_MEMBER) return HR_OK;
    hr_status status = hr_message_pack(&message->base, &bytes, err);
    if (!status) status = hr_outbox_post(&p->outbox, j, member, &bytes, err);
    free(bytes.at);
    return status;
}

static hr_status dismiss_owners(hr_party *p, const hr_live_job *j, hr_error *err) {
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    hr_status status = HR_OK;
    finish.reason = hr_text_of(j->why);
    finish.ending = j->ending;
    message.kind_case = HEDGEROW__MESSAGE__KIND_FINISH;
    message.finish = &finish;
    for (size_t i = 0; !status && i < j->read->n_owners; i++)
        status = post_to(p, j, j->read->owners[i], &message, err);
    return status;
}

static hr_status withdraw_owner(hr_party *p, const hr_live_job *j, hr_error *err) {
    const hr_membership *members = p->o.view->membership;
    const size_t member = hr_membership_by_name(members, j->coordinator, strlen(j->coordinator));
    char state[HR_STATE_TEXT];
    hr_decline decline;
    hr_bytes bytes = {0};
    hr_job_id job;
    if (member == HR_NO_MEMBER) return HR_OK;
    memcpy(job.bytes, j->record.id, HR_JOB_BYTES);
    hr_live_job_state(j, state);
    hr_decline_make(p->o.view->identity, &job, &members->members[member].key, hr_decline_of(j->ending), state,
                    &decline);
    hr_status status = hr_decline_answer(&decline.wire, &bytes, err);
    if (!status) status = hr_outbox_post(&p->outbox, j, member, &bytes, err);
    free(bytes.at);
    return status;
}

hr_status hr_party_leave(hr_party *p, const hr_live_job *j, hr_error *err) {
    return (j->is_coordinator ? dismiss_owners : withdraw_owner)(p, j, err);
}

static hr_status cancel_marked(void *user, const hr_journal_job *record) {
    hr_live_job *j = record->cancelled ? hr_party_find(user, record->id) : NULL;
    if (j) hr_live_job_cancel(j);
    return HR_OK;
}

hr_status hr_party_look_for_cancelled(hr_party *p, hr_error *err) {
    p->looked = p->clock.now;
    return hr_journal_each_job(p->o.journal, cancel_marked, p, err);
}

/* ---- What people are shown ---- */

static const char *awaited_by(const hr_live_job *j) {
    if (hr_live_job_is_over(j)) return "";
    if (j->work.kind) return "its own work";
    return j->is_coordinator ? "the owners" : "the coordinator";
}

/* What can change in the note of an open job, beside whom it waits for: the offer has come, and it is
 * charged. 0: it is written in any case. */
static int kind_of_note(const hr_live_job *j) {
    return hr_live_job_is_over(j) ? 0 : 1 + (j->read != NULL) + 2 * (j->record.entry != 0);
}

hr_status hr_party_note(hr_party *p, hr_live_job *j, hr_error *err) {
    const int kind = kind_of_note(j);
    if (kind && kind == j->noted_kind) return HR_OK;
    j->noted_kind = kind;
    char name[65] = "";
    if (j->read)
        snprintf(name, sizeof name, "%.*s", (int)(j->read->name.len < 64 ? j->read->name.len : 64),
                 j->read->name.data);
    char state[HR_STATE_TEXT];
    hr_live_job_state(j, state);
    hr_journal_note note = {name, state, awaited_by(j), j->read ? hr_terms_cost(j->read) : 0,
                            j->is_coordinator ? j->own.round_gain : 0};
    return hr_journal_note_job(p->o.journal, j->record.id, &note, err);
}
