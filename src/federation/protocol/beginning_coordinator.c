/* The coordinator's side of a job's beginning and end, and the machine around them. */
#include "base/fail.h"
#include "federation/protocol/beginning.h"
#include "federation/protocol/receipt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hr_coordinator_job_name(const hr_coordinator_job *job, size_t member) {
    return job->setup.view->membership->members[member].name;
}

const char *hr_coordinator_job_owner(const hr_coordinator_job *job, size_t owner) {
    return hr_coordinator_job_name(job, job->start.owners[owner]);
}

size_t hr_coordinator_job_position(const hr_coordinator_job *job, size_t member) {
    return hr_members_position(job->start.owners, job->start.owner_count, member);
}

static bool is_invited(const hr_coordinator_job *job, size_t member) {
    return hr_members_position(job->invited, job->terms->n_owners, member) < job->terms->n_owners;
}

/* ---- Messages to many ---- */

hr_status hr_coordinator_job_send(hr_coordinator_job *job, Hedgerow__Message__KindCase kind,
                                  const void *content, hr_error *err) {
    hr_status status = HR_OK;
    job->protocol.advances++;
    for (size_t i = 0; !status && i < job->start.owner_count; i++)
        status = hr_protocol_send(&job->protocol, job->start.owners[i], kind, content, err);
    return status;
}

/* ---- Answers ---- */

static hr_status take_acceptance(hr_coordinator_job *job, size_t from, const Hedgerow__Answer *answer,
                                 hr_error *err) {
    const hr_member *owner = &job->setup.view->membership->members[from];
    if (job->answered[from]) return hr_protocol_refuse("a second answer", err);
    if (answer->decline) return hr_protocol_refuse("an answer that both accepts and declines", err);
    if (!hr_acceptance_holds(owner, &job->start.terms, answer->signature))
        return hr_protocol_refuse("an acceptance without its signature", err);
    if (!job->rules->masked && (answer->mask_key.len || answer->mask_signature.len))
        return hr_protocol_refuse("a mask key for a job without masks", err);
    /* A key that is not valid would end the job at every owner: its own owner alone is left out. */
    const uint8_t(*others)[HR_MASK_KEY_SIZE] = (const uint8_t(*)[HR_MASK_KEY_SIZE])job->masks;
    const size_t members = job->setup.view->membership->count;
    const char *fault = job->rules->masked ? hr_mask_key_fault(answer->mask_key, others, members) : NULL;
    if (fault)
        return hr_fail(err, HR_E_POLICY, "", "owner %s sent a mask key that is not valid: %s", owner->name,
                       fault);
    if (job->rules->masked &&
        !hr_mask_key_holds(owner, &job->start.terms, answer->mask_key, answer->mask_signature))
        return hr_protocol_refuse("an acceptance without a signed mask key", err);
    memcpy(job->acceptances[from], answer->signature.data, HR_SIGNATURE_SIZE);
    if (job->rules->masked) {
        memcpy(job->masks[from], answer->mask_key.data, HR_MASK_KEY_SIZE);
        memcpy(job->mask_signatures[from], answer->mask_signature.data, HR_SIGNATURE_SIZE);
    }
    job->answered[from] = job->accepted[from] = true;
    job->wants_model[from] = answer->wants_model;
    if (!job->start.owner_count) return HR_OK;
    Hedgerow__Finish late = HEDGEROW__FINISH__INIT;
    late.reason = hr_text_of("the job started without this owner");
    late.ending = HR_JOB_LEFT_OUT;
    return hr_protocol_send(&job->protocol, from, HEDGEROW__MESSAGE__KIND_FINISH, &late, err);
}

/* Once, after the start: the owner's ledger is charged. The party stores them. */
static hr_status take_receipts(hr_coordinator_job *job, size_t from, const Hedgerow__Answer *answer,
                               hr_error *err) {
    const hr_member *members = job->setup.view->membership->members;
    const hr_receipt_ends ends = {job->setup.view->membership->federation, &members[from],
                                  &members[job->setup.coordinator], &job->setup.job};
    if (job->receipted[from] || hr_coordinator_job_position(job, from) == job->start.owner_count)
        return hr_protocol_refuse("receipts of an owner that was not to send them, or again", err);
    if (answer->accepted || answer->decline || answer->signature.len || answer->mask_key.len ||
        answer->mask_signature.len || answer->wants_model)
        return hr_protocol_refuse("receipts together with another answer", err);
    hr_status status = hr_receipts_check(answer->receipts, answer->n_receipts, &ends, err);
    job->receipted[from] = !status;
    for (size_t i = 0; !status && i < answer->n_receipts; i++) {
        hr_action keep = {.kind = HR_ACT_RECEIPT, .member = from};
        status = hr_bytes_copy(answer->receipts[i].data, answer->receipts[i].len, &keep.bytes, err);
        if (!status) status = hr_protocol_act(&job->protocol, keep, err);
    }
    return status;
}

/* ---- The start ---- */

static hr_status send_start(hr_coordinator_job *job, hr_error *err) {
    Hedgerow__Start start = HEDGEROW__START__INIT;
    ProtobufCBinaryData names[HR_MEMBERS_MAX], acceptances[HR_MEMBERS_MAX], masks[HR_MEMBERS_MAX],
        mask_signatures[HR_MEMBERS_MAX];
    for (size_t i = 0; i < job->start.owner_count; i++) {
        size_t member = job->start.owners[i];
        names[i] = hr_text_of(hr_coordinator_job_name(job, member));
        acceptances[i] = hr_data_of(job->acceptances[member], HR_SIGNATURE_SIZE);
        masks[i] = hr_data_of(job->masks[member], HR_MASK_KEY_SIZE);
        mask_signatures[i] = hr_data_of(job->mask_signatures[member], HR_SIGNATURE_SIZE);
    }
    start.owners = names;
    start.acceptances = acceptances;
    start.mask_keys = masks;
    start.mask_signatures = mask_signatures;
    start.signature = hr_data_of(job->start.signature, HR_SIGNATURE_SIZE);
    start.n_owners = start.n_acceptances = job->start.owner_count;
    start.n_mask_keys = start.n_mask_signatures = job->rules->masked ? job->start.owner_count : 0;
    hr_status status = hr_coordinator_job_send(job, HEDGEROW__MESSAGE__KIND_START, &start, err);
    if (status) return status;
    const hr_action_kind kind = job->start.owner_count < job->terms->n_owners ? HR_ACT_WARN : HR_ACT_LOG;
    return hr_protocol_emit(&job->protocol, kind, 0, err, "%zu of %zu owners take part",
                            job->start.owner_count, job->terms->n_owners);
}

/* ---- The end ---- */

/* For such an owner the job is over, and nothing more is sent to it. */
static bool has_declined(const hr_coordinator_job *job, size_t member) {
    return job->answered[member] && !job->accepted[member];
}

hr_status hr_coordinator_job_complete(hr_coordinator_job *job, ProtobufCBinaryData model, const char *text,
                                      hr_error *err) {
    static const ProtobufCBinaryData none = {0};
    hr_status status = HR_OK;
    job->phase = HR_COORDINATOR_OVER;
    for (size_t i = 0; !status && i < job->terms->n_owners; i++) {
        Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
        if (has_declined(job, job->invited[i])) continue;
        finish.model = job->wants_model[job->invited[i]] ? model : none;
        status =
            hr_protocol_send(&job->protocol, job->invited[i], HEDGEROW__MESSAGE__KIND_FINISH, &finish, err);
    }
    return status ? status : hr_protocol_end(&job->protocol, HR_JOB_DONE, err, "%s", text);
}

hr_status hr_coordinator_job_fail(hr_coordinator_job *job, hr_job_ending ending, const char *why,
                                  hr_error *err) {
    bool all = true, none_left = ending == HR_JOB_NO_ANSWER || ending == HR_JOB_NOT_BEGUN;
    for (size_t i = 0; i < job->terms->n_owners; i++) {
        const size_t member = job->invited[i];
        const bool declined = has_declined(job, member) && !job->cut[member];
        all = all && declined;
        none_left =
            none_left && (declined || hr_coordinator_job_position(job, member) == job->start.owner_count);
    }
    if (none_left) ending = all ? HR_JOB_DECLINED : HR_JOB_NOT_BEGUN;
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    job->phase = HR_COORDINATOR_OVER;
    finish.reason = hr_text_of(why);
    finish.ending = ending;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < job->terms->n_owners; i++)
        if (!has_declined(job, job->invited[i]))
            status = hr_protocol_send(&job->protocol, job->invited[i], HEDGEROW__MESSAGE__KIND_FINISH,
                                      &finish, err);
    return status ? status : hr_protocol_end(&job->protocol, ending, err, "%s", why);
}

bool hr_coordinator_job_part(const hr_coordinator_job *job, size_t member, hr_part_info *out) {
    if (!is_invited(job, member)) return false;
    const hr_start *s = &job->start;
    bool in_job = hr_members_position(s->owners, s->owner_count, member) < s->owner_count;
    *out = (hr_part_info){.state = job->cut[member]         ? HR_PART_CUT_OFF
                                   : !job->answered[member] ? HR_PART_SILENT
                                   : !job->accepted[member] ? HR_PART_DECLINED
                                   : in_job                 ? HR_PART_TAKEN
                                                            : HR_PART_ACCEPTED};
    out->awaited = out->state == HR_PART_SILENT && !s->owner_count && hr_protocol_waits(&job->protocol);
    memcpy(out->why, job->why[member], sizeof out->why);
    if (out->state == HR_PART_ACCEPTED)
        snprintf(out->why, sizeof out->why, "%s",
                 s->owner_count ? "its answer came after the job started" : "the job has not started");
    return true;
}

/* ---- The machine ---- */

static hr_status start_job(hr_coordinator_job *job, hr_error *err) {
    hr_start *s = &job->start;
    for (size_t i = 0; i < job->terms->n_owners; i++) {
        size_t member = job->invited[i];
        if (!job->accepted[member] || job->gone[member]) continue;
        memcpy(s->masks[s->owner_count], job->masks[member], HR_MASK_KEY_SIZE);
        s->owners[s->owner_count++] = member;
    }
    s->digest = hr_start_digest(&s->terms, job->setup.view->membership, s->owners, s->owner_count);
    hr_start_sign(job->setup.view->identity, &s->terms, &s->digest, s->signature);
    if (!s->owner_count) return hr_coordinator_job_fail(job, HR_JOB_NOT_BEGUN, "no owner takes part", err);
    job->phase = HR_COORDINATOR_RUNNING;
    hr_status status = send_start(job, err);
    return status || !job->rules->started ? status : job->rules->started(&job->protocol, err);
}

/* A member is no longer waited for. */
static hr_status continue_without(hr_coordinator_job *job, size_t member, hr_error *err) {
    const size_t owner = hr_coordinator_job_position(job, member);
    if (job->phase == HR_COORDINATOR_OFFERED) {
        bool all = is_invited(job, member);
        for (size_t i = 0; i < job->terms->n_owners; i++)
            all = all && (job->answered[job->invited[i]] || job->gone[job->invited[i]]);
        return all ? start_job(job, err) : HR_OK;
    }
    return owner < job->start.owner_count ? job->rules->without(&job->protocol, owner, err) : HR_OK;
}

/* Nothing more is taken of an owner that has declined. */
static hr_status take_decline(hr_coordinator_job *job, size_t from, const Hedgerow__Answer *answer,
                              hr_error *err) {
    const hr_member *members = job->setup.view->membership->members;
    const Hedgerow__Decline *decline = answer->decline;
    if (!decline || answer->signature.len || answer->mask_key.len || answer->mask_signature.len)
        return hr_protocol_refuse("an answer that neither accepts nor declines", err);
    hr_status status =
        hr_decline_check(decline, &members[from], &job->setup.job, &members[job->setup.coordinator].key, err);
    if (status) return status;
    job->answered[from] = job->gone[from] = true;
    job->accepted[from] = false;
    if (decline->text.len)
        snprintf(job->why[from], HR_ACTION_TEXT, "%.*s", (int)decline->text.len, decline->text.data);
    else
        snprintf(job->why[from], HR_ACTION_TEXT, "%s", hr_decline_meaning(decline->code));
    status = hr_protocol_act(&job->protocol, (hr_action){.kind = HR_ACT_IGNORE, .member = from}, err);
    return status ? status
                  : hr_protocol_emit(&job->protocol, HR_ACT_WARN, 0, err, "owner %s declines: %s",
                                     members[from].name, job->why[from]);
}

static hr_status on_message(hr_coordinator_job *job, const hr_event *event, hr_error *err) {
    const hr_coordinator_rules *rules = job->rules;
    Hedgerow__Message *message = NULL;
    if (rules->messages_max && ++job->messages[event->from] > rules->messages_max(&job->protocol))
        return hr_protocol_refuse("more messages than the job needs", err);
    if (!is_invited(job, event->from))
        return hr_protocol_refuse("a message from a member that was not asked", err);
    hr_status status = hr_message_read(event, &message, err);
    if (status) return status;
    const size_t owner = hr_coordinator_job_position(job, event->from);
    const bool answers = message->kind_case == HEDGEROW__MESSAGE__KIND_ANSWER,
               answered = answers && !message->answer->n_receipts;
    job->protocol.advances += answered && job->phase == HR_COORDINATOR_OFFERED && !job->answered[event->from];
    if (answered)
        status = (message->answer->accepted ? take_acceptance : take_decline)(job, event->from,
                                                                              message->answer, err);
    else if (answers)
        status = take_receipts(job, event->from, message->answer, err);
    else if (owner == job->start.owner_count && rules->stranger)
        status = hr_protocol_refuse(rules->stranger, err);
    else
        status = rules->message(&job->protocol, owner, message, err);
    hr_message_unpacked_free(&message->base);
    if (status || !answered) return status;
    return job->phase == HR_COORDINATOR_OFFERED || job->gone[event->from]
               ? continue_without(job, event->from, err)
               : HR_OK;
}

static hr_status receive(hr_coordinator_job *job, const hr_event *event, hr_error *err) {
    if (job->phase == HR_COORDINATOR_OVER || job->gone[event->from]) return HR_OK;
    hr_error why = {0};
    hr_status status = on_message(job, event, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (!status) return HR_OK;
    job->gone[event->from] = job->cut[event->from] = true;
    snprintf(job->why[event->from], HR_ACTION_TEXT, "%.200s", why.message);
    status = hr_protocol_emit(&job->protocol, HR_ACT_CUT_OFF, event->from, err, "%s", why.message);
    return status ? status : continue_without(job, event->from, err);
}

hr_status hr_coordinator_job_next_question(hr_coordinator_job *job, hr_error *err) {
    job->phase = HR_COORDINATOR_ASKING;
    return hr_protocol_act(&job->protocol, (hr_action){.kind = HR_ACT_NEXT_QUESTION}, err);
}

static hr_status on_question(hr_coordinator_job *job, const hr_event *event, hr_error *err) {
    ProtobufCMessage *read = NULL;
    if (job->phase != HR_COORDINATOR_ASKING) return HR_OK;
    if (!event->size) {
        const hr_job_ending ending = hr_ending_by_number(event->number);
        const char *why = ending == HR_JOB_NO_ANSWER    ? "a sum is lost, since an owner's answer is missing"
                          : ending == HR_JOB_IMPOSSIBLE ? "no records have the total that the owners sent"
                                                        : "the method failed at the coordinator";
        return hr_coordinator_job_fail(job, ending, why, err);
    }
    hr_status status =
        hr_message_unpack(&hedgerow__question__descriptor, event->bytes, event->size, &read, NULL);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    const Hedgerow__Question *question = (const Hedgerow__Question *)read;
    job->protocol.advances++;
    if (!status && job->rules->fits(question))
        status = job->rules->question(&job->protocol, question, err);
    else
        status = hr_coordinator_job_fail(
            job, HR_JOB_FAILED,
            "the question of the method is not valid, has too many values, or is too long", err);
    hr_message_unpacked_free(read);
    return status;
}

static hr_status feed_coordinator(hr_protocol *self, const hr_event *event, hr_error *err) {
    hr_coordinator_job *job = (hr_coordinator_job *)self;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return receive(job, event, err);
    case HR_EVENT_TIMEOUT: /* an offer goes on with those that have accepted */
        job->protocol.advances++;
        if (job->phase == HR_COORDINATOR_OFFERED) return start_job(job, err);
        return job->phase == HR_COORDINATOR_RUNNING ? job->rules->timeout(self, err) : HR_OK;
    case HR_EVENT_NEXT_QUESTION: return on_question(job, event, err);
    case HR_EVENT_DECIDED:
    case HR_EVENT_WORK_STARTED:
    case HR_EVENT_WORK_DONE: break;
    }
    return HR_OK;
}

static bool coordinator_waits(const hr_protocol *self) {
    const hr_coordinator_phase phase = ((const hr_coordinator_job *)self)->phase;
    return phase == HR_COORDINATOR_OFFERED || phase == HR_COORDINATOR_RUNNING;
}

static void free_coordinator(hr_protocol *self) {
    hr_coordinator_job *job = (hr_coordinator_job *)self;
    if (job->rules->done) job->rules->done(self);
    if (job->terms) hr_message_unpacked_free(&job->terms->base);
    free(job);
}

hr_status hr_coordinator_job_open(hr_coordinator_job *job, const hr_coordinator_rules *rules,
                                  const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    job->protocol.feed = feed_coordinator;
    job->protocol.waits = coordinator_waits;
    job->protocol.free = free_coordinator;
    job->protocol.start = &job->start;
    job->rules = rules;
    job->setup = *setup;
    ProtobufCMessage *terms = NULL;
    hr_status status =
        hr_message_unpack(&hedgerow__terms__descriptor, setup->terms.at, setup->terms.size, &terms, err);
    job->terms = (Hedgerow__Terms *)terms;
    if (!status) status = hr_terms_check(job->terms, setup->view->membership, job->invited, err);
    if (!status) status = hr_terms_digest(&job->setup, job->terms, &job->start.terms, err);
    if (!status) status = rules->check(&job->protocol, job->terms, err);
    for (size_t i = 0; !status && i < job->terms->n_owners; i++)
        status =
            hr_protocol_send(&job->protocol, job->invited[i], HEDGEROW__MESSAGE__KIND_TERMS, job->terms, err);
    if (status)
        hr_protocol_free(&job->protocol);
    else
        *out = &job->protocol;
    return status;
}
