/* An owner's side of a job's beginning and end, and the machine around them. */
#include "base/fail.h"
#include "federation/protocol/beginning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t hr_owner_job_self(const hr_owner_job *job) {
    return job->setup.view->self;
}

size_t hr_owner_job_position(const hr_owner_job *job) {
    return hr_members_position(job->start.owners, job->start.owner_count, hr_owner_job_self(job));
}

static const hr_member *member_of(const hr_owner_job *job, size_t member) {
    return &job->setup.view->membership->members[member];
}

hr_status hr_owner_job_send(hr_owner_job *job, Hedgerow__Message__KindCase kind, const void *content,
                            hr_error *err) {
    return hr_protocol_send(&job->protocol, job->setup.coordinator, kind, content, err);
}

hr_status hr_owner_job_notify(hr_owner_job *job, Hedgerow__Notice__Kind kind, size_t slot, hr_error *err) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.kind = kind;
    notice.slot = (uint32_t)slot;
    return hr_owner_job_send(job, HEDGEROW__MESSAGE__KIND_NOTICE, &notice, err);
}

/* ---- Terms ---- */

static hr_status take_terms(hr_owner_job *job, const Hedgerow__Terms *terms, hr_error *err) {
    hr_status status = job->rules->check(&job->protocol, terms, err);
    if (status) return status;
    if (job->phase != HR_OWNER_NEW) return hr_protocol_refuse("the job was offered before", err);
    char why[HR_ACTION_TEXT];
    if (hr_terms_have_unknown(terms, job->setup.view->membership, why))
        return hr_owner_job_decline(job, HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER, why, err);
    size_t invited[HR_MEMBERS_MAX];
    status = hr_terms_check(terms, job->setup.view->membership, invited, err);
    if (status) return status;
    for (size_t i = 0; i < terms->n_owners; i++) job->invited[invited[i]] = true;
    if (!job->invited[hr_owner_job_self(job)])
        return hr_protocol_refuse("a job that does not name this owner", err);
    job->phase = HR_OWNER_DECIDING;
    hr_action decide = {.kind = HR_ACT_DECIDE};
    status = hr_terms_digest(&job->setup, terms, &job->start.terms, err);
    if (!status) status = hr_message_pack(&terms->base, &decide.bytes, err);
    if (!status) status = hr_protocol_act(&job->protocol, decide, err);
    return status || !job->rules->offered ? status : job->rules->offered(&job->protocol, terms, err);
}

static hr_status take_decision(hr_owner_job *job, const hr_event *event, hr_error *err) {
    if (job->phase != HR_OWNER_DECIDING) return HR_OK;
    if (event->number != HR_DECIDED_ACCEPTS) {
        char why[HR_ACTION_TEXT];
        snprintf(why, sizeof why, "%.*s", (int)(event->size < sizeof why ? event->size : sizeof why - 1),
                 event->size ? (const char *)event->bytes : "");
        return hr_owner_job_decline(job, (hr_decline_code)(event->number / 2), why, err);
    }
    job->phase = HR_OWNER_ACCEPTED;
    Hedgerow__Answer content = HEDGEROW__ANSWER__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE], key[HR_MASK_KEY_SIZE], key_signature[HR_SIGNATURE_SIZE];
    content.accepted = true;
    hr_acceptance_sign(job->setup.view->identity, &job->start.terms, signature);
    content.signature = hr_data_of(signature, sizeof signature);
    if (job->rules->masked) {
        hr_mask_public(job->setup.secret, key);
        hr_mask_key_sign(job->setup.view->identity, &job->start.terms, key, key_signature);
        content.wants_model = job->setup.wants_model;
        content.mask_key = hr_data_of(key, sizeof key);
        content.mask_signature = hr_data_of(key_signature, sizeof key_signature);
    }
    return hr_protocol_send(&job->protocol, job->setup.coordinator, HEDGEROW__MESSAGE__KIND_ANSWER, &content,
                            err);
}

/* ---- The start ---- */

static hr_status take_mask_keys(hr_owner_job *job, const Hedgerow__Start *start, hr_error *err) {
    const size_t wanted = job->rules->masked ? start->n_owners : 0;
    if (start->n_mask_keys != wanted || start->n_mask_signatures != wanted)
        return hr_protocol_refuse("a start with more or fewer mask keys than owners with masks", err);

    uint8_t own[HR_MASK_KEY_SIZE];
    if (wanted) hr_mask_public(job->setup.secret, own);
    for (size_t i = 0; i < wanted; i++) {
        const size_t member = job->start.owners[i];
        const ProtobufCBinaryData key = start->mask_keys[i], signature = start->mask_signatures[i];
        if (!hr_mask_key_holds(member_of(job, member), &job->start.terms, key, signature))
            return hr_fail(err, HR_E_POLICY, "", "a start without a mask key that %s signed",
                           member_of(job, member)->name);
        if (member == hr_owner_job_self(job) && memcmp(own, key.data, sizeof own) != 0)
            return hr_protocol_refuse("a start with another mask key than this owner sent", err);
        /* The coordinator leaves out owners of such keys: it broke the protocol if one comes here. */
        const char *fault = hr_mask_key_fault(key, (const uint8_t(*)[HR_MASK_KEY_SIZE])job->start.masks, i);
        if (fault)
            return hr_fail(err, HR_E_POLICY, "", "a start with a mask key of %s that is not valid: %s",
                           member_of(job, member)->name, fault);
        memcpy(job->start.masks[i], key.data, HR_MASK_KEY_SIZE);
    }
    return HR_OK;
}

static hr_status read_start(hr_owner_job *job, const Hedgerow__Start *start, hr_error *err) {
    const hr_membership *membership = job->setup.view->membership;
    hr_start *s = &job->start;
    hr_status status = hr_members_read(membership, start->owners, start->n_owners, s->owners, err);
    if (status) return status;
    for (size_t i = 0; i < start->n_owners; i++)
        if (!job->invited[s->owners[i]])
            return hr_protocol_refuse("a job with other members than its terms name", err);
    if (hr_members_position(s->owners, start->n_owners, hr_owner_job_self(job)) == start->n_owners)
        return hr_protocol_refuse("a start without this owner", err);
    s->digest = hr_start_digest(&s->terms, membership, s->owners, start->n_owners);
    if (!hr_start_holds(member_of(job, job->setup.coordinator), &s->terms,
                        hr_data_of(s->digest.bytes, HR_DIGEST_SIZE), start->signature))
        return hr_protocol_refuse("a start that the coordinator did not sign", err);
    memcpy(s->signature, start->signature.data, HR_SIGNATURE_SIZE);

    /* Every owner that takes part has signed that it accepts the terms that this one accepted: how many they
     * are, and what they were offered, is not the coordinator's word alone. */
    if (start->n_acceptances != start->n_owners)
        return hr_protocol_refuse("a start without an acceptance of every owner", err);
    for (size_t i = 0; i < start->n_owners; i++) {
        const hr_member *other = member_of(job, s->owners[i]);
        if (!hr_acceptance_holds(other, &job->start.terms, start->acceptances[i]))
            return hr_fail(err, HR_E_POLICY, "", "a start without the acceptance of these terms by %s",
                           other->name);
    }
    return take_mask_keys(job, start, err);
}

static hr_status take_start(hr_owner_job *job, const Hedgerow__Start *start, hr_error *err) {
    if (job->phase != HR_OWNER_ACCEPTED)
        return hr_protocol_refuse("a start without acceptance, or a second start", err);
    hr_status status = read_start(job, start, err);
    if (status) return status;
    if (start->n_owners < job->setup.min_owners)
        return hr_owner_job_decline(job, HEDGEROW__DECLINE__CODE__FEW_OWNERS,
                                    "fewer owners take part than the policy requires", err);
    job->start.owner_count = start->n_owners;
    job->phase = HR_OWNER_RUNNING;
    return job->rules->started(&job->protocol, err);
}

/* ---- The end ---- */

hr_status hr_owner_job_stop(hr_owner_job *job, hr_job_ending ending, const char *why, hr_error *err) {
    job->phase = HR_OWNER_OVER;
    return hr_protocol_end(&job->protocol, ending, err, "%s", why);
}

hr_status hr_owner_job_decline(hr_owner_job *job, hr_decline_code code, const char *why, hr_error *err) {
    Hedgerow__Answer content = HEDGEROW__ANSWER__INIT;
    hr_decline decline;
    hr_decline_make(job->setup.view->identity, &job->setup.job, &member_of(job, job->setup.coordinator)->key,
                    code, why, &decline);
    content.decline = &decline.wire;
    job->phase = HR_OWNER_OVER;
    hr_status status = hr_owner_job_send(job, HEDGEROW__MESSAGE__KIND_ANSWER, &content, err);
    return status ? status
                  : hr_protocol_end(&job->protocol, hr_decline_ending(code), err, "%s", decline.text);
}

/* A model is kept that comes with the end of a job that runs. */
static hr_status take_finish(hr_owner_job *job, const Hedgerow__Finish *finish, hr_error *err) {
    const bool failed = finish->reason.len, running = job->phase == HR_OWNER_RUNNING;
    hr_status status = HR_OK;
    if (running && !failed && finish->model.len)
        status = hr_bytes_copy(finish->model.data, finish->model.len, &job->model, err);
    if (status) return status;
    job->phase = HR_OWNER_OVER;
    if (!failed && !running)
        return hr_owner_job_stop(job, HR_JOB_LEFT_OUT, "the job ran without this owner", err);
    if (!failed) return hr_owner_job_stop(job, HR_JOB_DONE, "", err);
    const hr_job_ending named = hr_ending_by_number(finish->ending),
                        ending = hr_ending_is_fine(named) ? HR_JOB_FAILED : named;
    if (!hr_text_is_fit(finish->reason, 200))
        return hr_owner_job_stop(job, ending, "the coordinator ended the job", err);
    return hr_protocol_end(&job->protocol, ending, err, "%.*s", (int)finish->reason.len, finish->reason.data);
}

hr_status hr_owner_job_cut_off(hr_owner_job *job, size_t member, const char *why, hr_error *err) {
    job->cut[member] = true;
    hr_status status = hr_protocol_emit(&job->protocol, HR_ACT_CUT_OFF, member, err, "%s", why);
    if (status) return status;
    if (member == job->setup.coordinator) {
        char text[HR_ACTION_TEXT];
        snprintf(text, sizeof text, "the coordinator violated the protocol: %.180s", why);
        return hr_owner_job_decline(job, HEDGEROW__DECLINE__CODE__VIOLATION, text, err);
    }
    const bool acts = job->rules->without && job->phase == HR_OWNER_RUNNING;
    return acts ? job->rules->without(&job->protocol, member, err) : HR_OK;
}

/* ---- The machine ---- */

static hr_status on_coordinator(hr_owner_job *job, const hr_event *event, const Hedgerow__Message *message,
                                hr_error *err) {
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_TERMS: return take_terms(job, message->terms, err);
    case HEDGEROW__MESSAGE__KIND_START: return take_start(job, message->start, err);
    case HEDGEROW__MESSAGE__KIND_FINISH: return take_finish(job, message->finish, err);
    default: break;
    }
    return job->rules->coordinator ? job->rules->coordinator(&job->protocol, event, message, err)
                                   : hr_protocol_refuse("a message that is not for owners", err);
}

static hr_status on_message(hr_owner_job *job, const hr_event *event, hr_error *err) {
    const hr_owner_rules *rules = job->rules;
    const bool coordinates = event->from == job->setup.coordinator;
    Hedgerow__Message *message = NULL;
    if (rules->messages_max && ++job->messages[event->from] > rules->messages_max(&job->protocol))
        return hr_protocol_refuse("more messages than the job needs", err);
    if (!coordinates && !rules->other)
        return hr_protocol_refuse("a message that only the coordinator may send", err);
    hr_status status = hr_message_read(event, &message, err);
    if (status) return status;
    status = coordinates ? on_coordinator(job, event, message, err)
                         : rules->other(&job->protocol, event, message, err);
    hr_message_unpacked_free(&message->base);
    return status;
}

static hr_status go_on(hr_owner_job *job, hr_error *err) {
    return job->rules->go_on ? job->rules->go_on(&job->protocol, err) : HR_OK;
}

hr_status hr_owner_job_receive(hr_owner_job *job, const hr_event *event, hr_error *err) {
    if (job->phase == HR_OWNER_OVER || job->cut[event->from]) return HR_OK;
    hr_error why = {0};
    hr_status status = on_message(job, event, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) status = hr_owner_job_cut_off(job, event->from, why.message, err);
    return status ? status : go_on(job, err);
}

static hr_status feed_owner(hr_protocol *self, const hr_event *event, hr_error *err) {
    hr_owner_job *job = (hr_owner_job *)self;
    hr_status status = HR_OK;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return hr_owner_job_receive(job, event, err);
    case HR_EVENT_DECIDED: return take_decision(job, event, err);
    case HR_EVENT_WORK_DONE:
        if (job->phase != HR_OWNER_RUNNING) return HR_OK;
        status = job->rules->work_done(&job->protocol, event, err);
        return status ? status : go_on(job, err);
    case HR_EVENT_WORK_STARTED:
    case HR_EVENT_TIMEOUT:
    case HR_EVENT_NEXT_QUESTION: break;
    }
    return HR_OK;
}

/* Owners wait as long as it takes. */
static bool owner_waits(const hr_protocol *self) {
    (void)self;
    return false;
}

static void free_owner(hr_protocol *self) {
    hr_owner_job *job = (hr_owner_job *)self;
    if (job->rules->done) job->rules->done(self);
    free(job->model.at);
    free(job);
}

hr_protocol *hr_owner_job_open(hr_owner_job *job, const hr_owner_rules *rules,
                               const hr_protocol_setup *setup) {
    job->protocol.feed = feed_owner;
    job->protocol.waits = owner_waits;
    job->protocol.free = free_owner;
    job->protocol.start = &job->start;
    job->rules = rules;
    job->setup = *setup;
    return &job->protocol;
}
