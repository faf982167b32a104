/* An owner's part in a one-shot job. */
#include "federation/machines/oneshot.h"

#include "base/fail.h"

#include <stdlib.h>

typedef struct owner {
    hr_owner_job job;
} owner;

/* ---- Its model ---- */

static hr_status send_nothing(owner *o, hr_error *err) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.kind = HEDGEROW__NOTICE__KIND__EMPTY;
    hr_status status = hr_protocol_send(&o->job.protocol, o->job.setup.coordinator,
                                        HEDGEROW__MESSAGE__KIND_NOTICE, &notice, err);
    return status ? status : hr_owner_job_stop(&o->job, "this owner has no model to give", err);
}

static hr_status send_model(owner *o, const hr_event *event, hr_error *err) {
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE];
    const hr_bytes model = {(uint8_t *)event->bytes, event->size};
    hr_released_sign(o->job.setup.view->identity, &o->job.start.digest, &model, signature);
    released.model = hr_data_of(model.at, model.size);
    released.signature = hr_data_of(signature, sizeof signature);
    o->job.phase = HR_OWNER_OVER;
    hr_status status = hr_protocol_send(&o->job.protocol, o->job.setup.coordinator,
                                        HEDGEROW__MESSAGE__KIND_RELEASED, &released, err);
    return status ? status
                  : hr_protocol_say(&o->job.protocol, HR_ACT_FINISH, 0, err, "the model was released");
}

static hr_status worked(owner *o, const hr_event *event, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return HR_OK;
    return event->size ? send_model(o, event, err) : send_nothing(o, err);
}

/* ---- Messages ---- */

static hr_status on_terms(owner *o, const Hedgerow__Terms *terms, hr_error *err) {
    hr_status status = hr_oneshot_terms_check(terms, err);
    return status ? status : hr_owner_job_offered(&o->job, terms, err);
}

static hr_status on_start(owner *o, const Hedgerow__Start *start, hr_error *err) {
    hr_status status = hr_owner_job_started(&o->job, start, err);
    if (status || o->job.phase != HR_OWNER_RUNNING) return status;
    return hr_protocol_act(&o->job.protocol, (hr_action){.kind = HR_ACT_TRAIN}, err);
}

static hr_status act_for_coordinator(hr_protocol *self, const Hedgerow__Message *message, hr_error *err) {
    owner *o = (owner *)self;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_TERMS: return on_terms(o, message->terms, err);
    case HEDGEROW__MESSAGE__KIND_START: return on_start(o, message->start, err);
    case HEDGEROW__MESSAGE__KIND_FINISH: return hr_owner_job_finished(&o->job, message->finish, err);
    default: return hr_protocol_refuse("a message that is not for owners", err);
    }
}

static const hr_owner_acts owner_acts = {.coordinator = act_for_coordinator};

/* ---- The machine ---- */

static hr_status feed_owner(hr_protocol *self, const hr_event *event, hr_error *err) {
    owner *o = (owner *)self;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return hr_owner_job_hear(&o->job, event, &owner_acts, err);
    case HR_EVENT_DECIDED: return hr_owner_job_decided(&o->job, event, err);
    case HR_EVENT_WORKED: return worked(o, event, err);
    case HR_EVENT_BEGUN:
    case HR_EVENT_AWAY:
    case HR_EVENT_ASKED: break;
    }
    return HR_OK;
}

/* Owners wait as long as it takes. */
static bool owner_waits(const hr_protocol *self) {
    (void)self;
    return false;
}

static void free_owner(hr_protocol *self) {
    free(self);
}

hr_status hr_oneshot_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    o->job.protocol =
        (hr_protocol){.feed = feed_owner, .waits = owner_waits, .free = free_owner, .start = &o->job.start};
    o->job.setup = *setup;
    *out = &o->job.protocol;
    return HR_OK;
}
