/* An owner's part in a one-shot job. */
#include "federation/machines/oneshot.h"

#include "base/fail.h"

#include <stdlib.h>

/* ---- Its model ---- */

static hr_status send_nothing(hr_owner_job *job, hr_error *err) {
    hr_status status = hr_owner_job_notify(job, HEDGEROW__NOTICE__KIND__EMPTY, 0, err);
    return status ? status : hr_owner_job_stop(job, HR_JOB_NO_ANSWER, "this owner has no model to give", err);
}

static hr_status send_model(hr_owner_job *job, const hr_event *event, hr_error *err) {
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE];
    const hr_bytes model = {(uint8_t *)event->bytes, event->size};
    hr_released_sign(job->setup.view->identity, &job->start.digest, &model, signature);
    released.model = hr_data_of(model.at, model.size);
    released.signature = hr_data_of(signature, sizeof signature);
    job->phase = HR_OWNER_OVER;
    hr_status status = hr_owner_job_send(job, HEDGEROW__MESSAGE__KIND_RELEASED, &released, err);
    return status ? status
                  : hr_protocol_end(&job->protocol, HR_JOB_SENT, err,
                                    "what the coordinator makes of this owner's model is not awaited");
}

static hr_status work_done(hr_protocol *self, const hr_event *event, hr_error *err) {
    hr_owner_job *job = (hr_owner_job *)self;
    return event->size ? send_model(job, event, err) : send_nothing(job, err);
}

/* ---- The machine ---- */

static hr_status begin_training(hr_protocol *self, hr_error *err) {
    return hr_protocol_act(self, (hr_action){.kind = HR_ACT_TRAIN}, err);
}

static const hr_owner_rules rules = {
    .check = hr_oneshot_terms_check,
    .started = begin_training,
    .work_done = work_done,
};

hr_status hr_oneshot_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    hr_owner_job *job = calloc(1, sizeof *job);
    if (!job) return hr_fail_memory(err);
    *out = hr_owner_job_open(job, &rules, setup);
    return HR_OK;
}
