#include "federation/party/reconciliation.h"

#include "base/fail.h"
#include "base/text/text.h"
#include "federation/protocol/envelope.h"
#include "privacy/crypto/csprng.h"
#include "privacy/ledger/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN = 2000 }; /* milliseconds */

struct hr_reconciliation {
    hr_reconciliation_options o;
    hr_job_id inquiry; /* what the envelopes of this inquiry name as their job */
    bool has_asked;
    int64_t asked_at; /* milliseconds, as hr_clock.now */
    hr_asked_owner owners[HR_MEMBERS_MAX];
};

hr_status hr_reconciliation_open(const hr_reconciliation_options *options, hr_reconciliation **out,
                                 hr_error *err) {
    hr_csprng *csprng = NULL;
    hr_reconciliation *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    hr_status status = hr_csprng_open(&csprng, err);
    if (status) {
        free(r);
        return status;
    }
    hr_csprng_bytes(csprng, r->inquiry.bytes, HR_JOB_BYTES);
    hr_csprng_close(csprng);
    r->o = *options;
    for (size_t m = 0; m < options->view->membership->count; m++)
        r->owners[m].asked = options->asks[m] && m != options->view->self;
    r->o.asks = NULL;
    *out = r;
    return HR_OK;
}

void hr_reconciliation_close(hr_reconciliation *r) {
    free(r);
}

const hr_asked_owner *hr_reconciliation_of(const hr_reconciliation *r, size_t member) {
    return &r->owners[member];
}

/* ---- Jobs that end ---- */

bool hr_reconciliation_ends(const hr_reconciliation *r, const hr_job_id *job) {
    char id[HR_JOB_DIGITS + 1];
    hr_text_hex(job->bytes, HR_JOB_BYTES, id);
    for (size_t i = 0; i < r->o.end_count; i++)
        if (!strncmp(id, r->o.ends[i], strlen(r->o.ends[i]))) return true;
    return false;
}

static bool is_to_end(const hr_reconciliation *r, const hr_asked_owner *owner, size_t i) {
    return !owner->ended[i] && hr_reconciliation_ends(r, &owner->held.jobs[i].id);
}

static bool is_done_with(const hr_reconciliation *r, const hr_asked_owner *owner) {
    bool done = owner->answered;
    for (size_t i = 0; done && i < owner->held.count; i++) done = !is_to_end(r, owner, i);
    return done;
}

bool hr_reconciliation_complete(const hr_reconciliation *r) {
    for (size_t m = 0; m < r->o.view->membership->count; m++)
        if (r->owners[m].asked && !is_done_with(r, &r->owners[m])) return false;
    return true;
}

/* ---- Inquiries ---- */

/* What the transport does not take goes again later. Frees the packet. */
static hr_status carry_to(const hr_reconciliation *r, size_t member, hr_bytes packet, hr_error *err) {
    hr_error ignored;
    hr_transport *transport = r->o.transport;
    hr_status status = transport->send(transport, r->o.view->membership->members[member].name, packet.at,
                                       packet.size, &ignored);
    free(packet.at);
    return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
}

static hr_status end_job(const hr_reconciliation *r, size_t member, const hr_job_id *job, hr_error *err) {
    const hr_member *owner = &r->o.view->membership->members[member];
    hr_envelope_sender sender = {
        .key = owner->key, .job = *job, .code = HEDGEROW__DECLINE__CODE__UNKNOWN_JOB};
    hr_bytes packet = {0};
    snprintf(sender.name, sizeof sender.name, "%s", owner->name);
    snprintf(sender.why, sizeof sender.why, "the coordinator does not know the job any more");
    hr_status status = hr_envelope_decline(r->o.view, &sender, &packet, err);
    return status ? status : carry_to(r, member, packet, err);
}

static hr_status ask_owner(const hr_reconciliation *r, size_t member, int64_t date, hr_error *err) {
    hr_envelope inquiry = {.to = member, .job = r->inquiry, .aside = true};
    hr_bytes packet = {0};
    hr_status status = hr_inquiry_make(date, &inquiry.body, err);
    if (!status) status = hr_envelope_seal(r->o.view, &inquiry, &packet, err);
    free(inquiry.body.at);
    return status ? status : carry_to(r, member, packet, err);
}

/* The answer to the inquiry that follows the endings tells whether they came. */
static hr_status end_and_ask(const hr_reconciliation *r, size_t member, int64_t date, hr_error *err) {
    const hr_asked_owner *owner = &r->owners[member];
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < owner->held.count; i++)
        if (is_to_end(r, owner, i)) status = end_job(r, member, &owner->held.jobs[i].id, err);
    return status ? status : ask_owner(r, member, date, err);
}

/* ---- Answers ---- */

static bool lists(const hr_held_jobs *held, const hr_job_id *job) {
    for (size_t i = 0; i < held->count; i++)
        if (!memcmp(held->jobs[i].id.bytes, job->bytes, HR_JOB_BYTES)) return true;
    return false;
}

static hr_status take_first(hr_reconciliation *r, hr_asked_owner *owner, const hr_held_jobs *held,
                            hr_error *err) {
    hr_status status = HR_OK;
    owner->held.count = 0;
    for (size_t i = 0; !status && i < held->count; i++) {
        bool known = false;
        status = hr_journal_knows(r->o.journal, held->jobs[i].id.bytes, &known, err);
        if (!status && !known && !lists(&owner->held, &held->jobs[i].id))
            owner->held.jobs[owner->held.count++] = held->jobs[i];
    }
    owner->answered = !status;
    return status;
}

static hr_status take_answer(hr_reconciliation *r, const hr_envelope *envelope, hr_clock clock,
                             hr_error *err) {
    hr_asked_owner *owner = &r->owners[envelope->from];
    hr_held_jobs held;
    hr_error why = {0};
    if (!envelope->aside || !owner->asked || memcmp(envelope->job.bytes, r->inquiry.bytes, HR_JOB_BYTES) != 0)
        return HR_OK;
    hr_status status = hr_held_jobs_read(&envelope->body, &held, &why);
    if (status) return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
    if (owner->answered) {
        for (size_t i = 0; i < owner->held.count; i++)
            owner->ended[i] = owner->ended[i] || !lists(&held, &owner->held.jobs[i].id);
        return HR_OK;
    }
    status = take_first(r, owner, &held, err);
    return status || is_done_with(r, owner) ? status : end_and_ask(r, envelope->from, clock.date, err);
}

static hr_status take_packet(hr_reconciliation *r, const hr_packet *packet, hr_clock clock, hr_error *err) {
    hr_envelope envelope;
    hr_error ignored = {0};
    hr_status status = hr_envelope_open(r->o.view, packet->bytes, packet->size, &envelope, &ignored);
    if (status) return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
    status = take_answer(r, &envelope, clock, err);
    free(envelope.body.at);
    return status;
}

hr_status hr_reconciliation_step(hr_reconciliation *r, hr_clock clock, int wait, hr_error *err) {
    hr_packet packet = {0};
    hr_status status = HR_OK;
    if (!r->has_asked || clock.now - r->asked_at >= AGAIN) {
        r->has_asked = true;
        r->asked_at = clock.now;
        for (size_t m = 0; !status && m < r->o.view->membership->count; m++)
            if (r->owners[m].asked && !is_done_with(r, &r->owners[m]))
                status = end_and_ask(r, m, clock.date, err);
    }
    if (!status) status = r->o.transport->receive(r->o.transport, wait, &packet, err);
    if (status || !packet.bytes) return status;
    status = take_packet(r, &packet, clock, err);
    if (!status) r->o.transport->settle(r->o.transport, &packet);
    return status;
}
