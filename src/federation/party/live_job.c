#include "federation/party/party_core.h"

#include "base/fail.h"
#include "federation/federated/terms.h"

#include <hedgerow/data.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hr_live_job_free(hr_live_job *j) {
    if (!j) return;
    for (size_t m = 0; j->inboxes && m < j->member_count; m++) hr_reorder_buffer_done(&j->inboxes[m]);
    if (j->method && j->method->free_state) j->method->free_state(j->state);
    hr_protocol_free(j->protocol);
    if (j->read) hr_message_unpacked_free(&j->read->base);
    hr_data_free(j->part);
    hr_schema_free(j->offered);
    free(j->inboxes);
    free(j->cut);
    free(j->acks);
    free(j->taken);
    free(j->begun);
    free(j->coordinator);
    free(j->terms.at);
    free(j);
}

static hr_status start_protocol(const hr_party_options *o, hr_live_job *j, hr_error *err) {
    hr_protocol_setup setup = {
        .view = o->view,
        .schema = j->schema,
        .coordinator = hr_membership_by_name(o->view->membership, j->coordinator, strlen(j->coordinator)),
        .min_owners = o->min_owners,
        .terms = j->terms,
        .round_gain = j->own.round_gain,
        .wants_model = o->wants_model,
        .secret = j->record.key};
    memcpy(setup.job.bytes, j->record.id, HR_JOB_BYTES);
    return (j->is_coordinator ? j->method->machines->coordinator
                              : j->method->machines->owner)(&setup, &j->protocol, err);
}

hr_status hr_live_job_start(const hr_party_options *o, hr_live_job *j, hr_error *err) {
    if (!j->is_coordinator) return HR_OK;
    j->method = hr_terms_method(j->read);
    if (!j->method)
        return hr_fail(err, HR_E_FORMAT, "",
                       "the terms of a job name a method that does not train over a federation");
    return start_protocol(o, j, err);
}

static hr_status set_own_settings(const hr_party_options *o, hr_live_job *j, hr_error *err) {
    hr_error why = {0};
    j->own = (hr_job_settings){o->schema, o->round_gain, o->deadline, o->waits_for_present};
    hr_status status =
        o->work->settings_of ? o->work->settings_of(o->work, &j->record, &j->own, &why) : HR_OK;
    if (err && (status == HR_E_IO || status == HR_E_MEMORY)) *err = why;
    if (status == HR_E_IO || status == HR_E_MEMORY) return status;
    if (status) hr_live_job_leave(j, HR_JOB_FAILED, "its files cannot be read: %.160s", why.message);
    j->schema = j->own.schema;
    return HR_OK;
}

hr_status hr_live_job_make(const hr_party_options *o, const hr_journal_job *record, hr_live_job **out,
                           hr_error *err) {
    hr_live_job *j = calloc(1, sizeof *j);
    if (!j) return hr_fail_memory(err);
    j->record = *record;
    j->coordinator = strdup(record->coordinator);
    j->schema = o->schema;
    j->membership = o->view->membership;
    j->member_count = o->view->membership->count;
    j->inboxes = calloc(j->member_count, sizeof *j->inboxes);
    j->cut = calloc(j->member_count, sizeof *j->cut);
    j->acks = calloc(j->member_count, sizeof *j->acks);
    j->taken = calloc(j->member_count, sizeof *j->taken);
    j->is_coordinator = record->terms.size > 0;
    const bool made = j->coordinator && j->inboxes && j->cut && j->acks && j->taken;
    hr_status status = made ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_bytes_copy(record->terms.at, record->terms.size, &j->terms, err);
    j->record.coordinator = j->coordinator;
    j->record.terms = (hr_blob){j->terms.at, j->terms.size};
    if (!status && j->is_coordinator) status = hr_live_job_read_terms(j, &j->terms, err);
    if (!status && j->is_coordinator) status = set_own_settings(o, j, err);
    if (status) hr_live_job_free(j);
    if (!status) *out = j;
    return status;
}

hr_status hr_live_job_read_terms(hr_live_job *j, const hr_bytes *terms, hr_error *err) {
    ProtobufCMessage *read = NULL;
    hr_status status =
        j->read ? HR_OK : hr_message_unpack(&hedgerow__terms__descriptor, terms->at, terms->size, &read, err);
    if (read) j->read = (Hedgerow__Terms *)read;
    return status;
}

uint64_t hr_live_job_work_number(const hr_action *work) {
    return 2 * work->slot + (work->kind == HR_ACT_VOTE);
}

bool hr_live_job_has_begun(const hr_live_job *j) {
    const uint64_t number = hr_live_job_work_number(&j->work);
    return number >= HR_WORKS_MAX || (number < j->begun_count && j->begun[number]);
}

static hr_status note_begun(hr_live_job *j, uint64_t number, hr_error *err) {
    if (number >= HR_WORKS_MAX) return HR_OK;
    if (number >= j->begun_count) {
        const size_t count = 2 * (size_t)number + 64;
        bool *longer = realloc(j->begun, count * sizeof *longer);
        if (!longer) return hr_fail_memory(err);
        memset(longer + j->begun_count, 0, (count - j->begun_count) * sizeof *longer);
        j->begun = longer;
        j->begun_count = count;
    }
    j->begun[number] = true;
    return HR_OK;
}

hr_job_view hr_live_job_view(hr_live_job *j) {
    return (hr_job_view){.record = &j->record,
                         .method = j->method,
                         .protocol = j->protocol,
                         .terms = j->read,
                         .schema = j->schema,
                         .membership = j->membership,
                         .is_coordinator = j->is_coordinator,
                         .state = &j->state,
                         .offered = j->offered,
                         .part = j->is_part ? &j->part : NULL};
}

hr_status hr_live_job_feed(const hr_party_options *o, hr_live_job *j, const hr_event *event, hr_error *err) {
    hr_status status = event->kind == HR_EVENT_WORK_STARTED ? note_begun(j, event->number, err) : HR_OK;
    if (status) return status;
    if (event->kind == HR_EVENT_WORK_DONE) j->work.kind = 0, j->started = 0;
    if (event->kind == HR_EVENT_MESSAGE) j->taken[event->from] += event->size;
    if (event->kind == HR_EVENT_DECIDED) j->undecided = false;
    if (!j->protocol && strcmp(o->view->membership->members[event->from].name, j->coordinator) != 0) {
        j->cut[event->from] = true;
        return HR_OK;
    }
    if (!j->protocol) {
        const hr_bytes offer = {(uint8_t *)event->bytes, event->size};
        status = hr_terms_method_offered(&offer, &j->method, err);
        if (!status) status = hr_terms_schema_offered(&offer, o->schema, &j->offered, &j->is_part, err);
        if (j->is_part) j->schema = j->offered;
        if (!status) status = start_protocol(o, j, err);
    }
    return status ? status : hr_protocol_feed(j->protocol, event, err);
}

hr_status hr_live_job_remember(hr_live_job *j, const hr_action *action, hr_error *err) {
    switch (action->kind) {
    case HR_ACT_DECIDE: j->undecided = true; return hr_live_job_read_terms(j, &action->bytes, err);
    case HR_ACT_TRAIN:
    case HR_ACT_VOTE: j->work = *action; break;
    case HR_ACT_IGNORE:
    case HR_ACT_CUT_OFF: j->cut[action->member] = true; break;
    case HR_ACT_FINISH:
    case HR_ACT_FAIL: j->ending = action->ending; break;
    case HR_ACT_SEND:
    case HR_ACT_NEXT_QUESTION:
    case HR_ACT_RECEIPT:
    case HR_ACT_LOG:
    case HR_ACT_WARN: break;
    }
    if (action->ending != HR_JOB_OPEN && action->ending != HR_JOB_DONE)
        memcpy(j->why, action->text, sizeof j->why);
    return HR_OK;
}

bool hr_live_job_is_over(const hr_live_job *j) {
    return j->ending != HR_JOB_OPEN;
}

void hr_live_job_leave(hr_live_job *j, hr_job_ending ending, const char *format, ...) {
    if (hr_live_job_is_over(j)) return;
    j->ending = ending;
    j->leaves = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->why, sizeof j->why, format, arguments);
    va_end(arguments);
}

void hr_live_job_cancel(hr_live_job *j) {
    hr_live_job_leave(j, HR_JOB_CANCELLED, "by the %s", j->is_coordinator ? "coordinator" : "owner");
}

void hr_live_job_state(const hr_live_job *j, char text[HR_STATE_TEXT]) {
    if (!hr_live_job_is_over(j))
        snprintf(text, HR_STATE_TEXT, "%s", j->is_coordinator || j->record.entry ? "running" : "accepted");
    else
        snprintf(text, HR_STATE_TEXT, "%s%s%s", hr_job_ending_of(j->ending)->word, *j->why ? ": " : "",
                 j->why);
}
