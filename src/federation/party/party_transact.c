/* What happens to a job: one transaction of the journal holds it, what it costs, and what it leads to. */
#include "federation/party/party_core.h"

#include "base/fail.h"
#include "federation/federated/terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Events and actions ---- */

static void log_cut_off(const hr_party *p, const hr_live_job *j, size_t member, const char *why) {
    hr_job_log(p->o.work, &j->record, HR_LOG_WARNING, "%s is cut off: %s", hr_party_member_name(p, member),
               why);
}

static hr_status note_and_feed(hr_party *p, hr_live_job *j, const hr_event *event, uint64_t sequence,
                               hr_error *err) {
    const bool message = event->kind == HR_EVENT_MESSAGE;
    const hr_journal_event line = {.kind = (int)event->kind,
                                   .from = message ? hr_party_member_name(p, event->from) : "",
                                   .sequence = sequence,
                                   .number = event->number,
                                   .bytes = {event->bytes, event->size}};
    hr_status status = hr_journal_add_event(p->o.journal, j->record.id, &line, err);
    if (!status) status = hr_live_job_feed(&p->o, j, event, err);
    if (!status && !j->protocol) log_cut_off(p, j, event->from, "a message of a job that was not offered");
    return status;
}

static hr_status decide_party_job(hr_party *p, hr_live_job *j, hr_error *err) {
    const hr_party_offer offer = {&j->record, j->read, p->clock.date, j->offered};
    hr_decision decision = {0};
    hr_status status = p->o.work->decide(p->o.work, &offer, &decision, err);
    j->decided_at = p->clock.now;
    if (status || decision.verdict == HR_VERDICT_UNDECIDED) return status;
    hr_event event = {.kind = HR_EVENT_DECIDED,
                      .number = decision.verdict == HR_VERDICT_ACCEPTED ? HR_DECIDED_ACCEPTS
                                                                        : 2 * (uint64_t)decision.code,
                      .bytes = (const uint8_t *)decision.reason,
                      .size = strlen(decision.reason)};
    return note_and_feed(p, j, &event, 0, err);
}

/* A method that cannot go on ends the job: its event has no bytes. */
static hr_status start_question(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_job_view view = hr_live_job_view(j);
    hr_bytes question = {0};
    hr_error why = {0};
    hr_status status = p->o.work->next_question(p->o.work, &view, &question, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) hr_job_log(p->o.work, &j->record, HR_LOG_ERROR, "%s", why.message);
    hr_event event = {.kind = HR_EVENT_NEXT_QUESTION,
                      .number = status ? hr_ending_by_status(status) : 0,
                      .bytes = question.at,
                      .size = status ? 0 : question.size};
    status = note_and_feed(p, j, &event, 0, err);
    free(question.at);
    return status;
}

/* Takes the actions that an event led to. */
static hr_status act(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_action action;
    hr_status status = HR_OK;
    while (!status && hr_protocol_next(j->protocol, &action)) {
        status = hr_live_job_remember(j, &action, err);
        if (action.kind == HR_ACT_LOG) hr_job_log(p->o.work, &j->record, HR_LOG_INFO, "%s", action.text);
        if (action.kind == HR_ACT_WARN) hr_job_log(p->o.work, &j->record, HR_LOG_WARNING, "%s", action.text);
        if (action.kind == HR_ACT_CUT_OFF) log_cut_off(p, j, action.member, action.text);
        if (!status && action.kind == HR_ACT_SEND)
            status = hr_outbox_post(&p->outbox, j, action.member, &action.bytes, err);
        if (!status && action.kind == HR_ACT_RECEIPT && p->o.work->store_receipt)
            status = p->o.work->store_receipt(p->o.work, hr_party_member_name(p, action.member),
                                              &action.bytes, err);
        if (!status && action.kind == HR_ACT_DECIDE) status = decide_party_job(p, j, err);
        if (!status && action.kind == HR_ACT_NEXT_QUESTION) status = start_question(p, j, err);
        free(action.bytes.at);
    }
    return status;
}

/* ---- The transaction ---- */

enum { CHARGE_PURPOSE = 300 }; /* bytes */

/* They leave before anything that the charge pays for. */
static hr_status post_receipts(hr_party *p, const hr_live_job *j, const hr_journal_job *record,
                               const char *purpose, hr_error *err) {
    const hr_charged_job charge = {record, j->read, purpose, p->clock.date};
    const size_t to = hr_membership_by_name(p->o.view->membership, j->coordinator, strlen(j->coordinator));
    hr_bytes message = {0};
    if (!p->o.work->charged) return HR_OK;
    hr_status status = p->o.work->charged(p->o.work, &charge, &message, err);
    if (!status && message.size) status = hr_outbox_post(&p->outbox, j, to, &message, err);
    free(message.at);
    return status;
}

/* Rule 1: what work will cost is reserved, on the disk, before noise is drawn. */
static hr_status reserve_party_budget(hr_party *p, const hr_live_job *j, hr_journal_job *record,
                                      hr_error *err) {
    char purpose[CHARGE_PURPOSE];
    if (record->entry || j->read->paper) return HR_OK;
    hr_status status = hr_journal_find_charge(p->o.journal, record, err);
    if (status || record->entry) return status; /* its receipt is in the journal, too */
    const uint8_t *id = record->id;
    size_t at =
        (size_t)snprintf(purpose, sizeof purpose, "job %.*s (id %02x%02x%02x%02x, %.*s) of %s",
                         (int)(j->read->name.len < 100 ? j->read->name.len : 100), j->read->name.data, id[0],
                         id[1], id[2], id[3], (int)j->read->method.len, j->read->method.data, j->coordinator);
    if (j->read->coalition)
        snprintf(purpose + at, sizeof purpose - at, "; against everybody, and it with a coalition of %u",
                 j->read->coalition);
    status = hr_journal_reserve(p->o.journal, record, hr_terms_cost(j->read), hr_terms_delta(j->read),
                                purpose, err);
    return status || !record->entry ? status : post_receipts(p, j, record, purpose, err);
}

static hr_status pay(hr_party *p, const hr_live_job *j, const hr_event *event, hr_journal_job *record,
                     hr_error *err) {
    if (event->kind == HR_EVENT_WORK_STARTED) return reserve_party_budget(p, j, record, err);
    return event->kind == HR_EVENT_WORK_DONE && event->size ? hr_journal_spend(p->o.journal, record, err)
                                                            : HR_OK;
}

hr_status hr_party_transact(hr_party *p, hr_live_job *j, const hr_event *event, uint64_t sequence,
                            hr_error *err) {
    hr_journal_job record = j->record;
    const uint64_t advances = j->protocol ? j->protocol->advances : 0;
    hr_status status = hr_party_begin(p, err);
    if (!status && !j->noted) status = hr_journal_add_job(p->o.journal, &j->record, err);
    if (!status) j->noted = true;
    if (!status && event) status = pay(p, j, event, &record, err);
    if (!status && event) status = note_and_feed(p, j, event, sequence, err);
    if (!status && !event && j->undecided) status = decide_party_job(p, j, err);
    if (!status) status = act(p, j, err);
    if (!status && j->protocol && j->protocol->advances != advances) {
        j->active_at = p->clock.now;
        j->longer = 0;
    }
    if (!status) status = hr_party_note(p, j, err);
    if (!status) status = hr_party_show_job(p, j, err);
    status = hr_party_commit(p, status, err);
    if (status) return status;
    j->record = record;
    j->news = j->news || event;
    return HR_OK;
}
