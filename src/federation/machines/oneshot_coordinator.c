/* The coordinator's part in a one-shot job. */
#include "federation/machines/oneshot.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- What both sides check and sign ---- */

static const char released_domain[] = "hedgerow released model 1", model_domain[] = "hedgerow model 1";

hr_status hr_oneshot_terms_check(const Hedgerow__Terms *terms, hr_error *err) {
    bool none = terms->rounds == 1 && !terms->broadcast && terms->vote_share == 0 && !terms->last_slots;
    if (!none || terms->coalition)
        return hr_fail(err, HR_E_FORMAT, "",
                       "a job with rounds, votes or a coalition, which this method does not use");
    if (!terms->train.len || !hr_text_is_fit(terms->train, HR_SETTING_TEXT_MAX))
        return hr_fail(err, HR_E_FORMAT, "", "a job that does not say what each owner trains");
    return HR_OK;
}

enum { PAIR = 2 * HR_DIGEST_SIZE };

static void join_released(const hr_digest *start, const void *model, size_t size, uint8_t pair[PAIR]) {
    const hr_digest of_model = hr_digest_of(model_domain, model, size);
    memcpy(pair, start->bytes, HR_DIGEST_SIZE);
    memcpy(pair + HR_DIGEST_SIZE, of_model.bytes, HR_DIGEST_SIZE);
}

void hr_released_sign(const hr_identity *owner, const hr_digest *start, const hr_bytes *model,
                      uint8_t signature[HR_SIGNATURE_SIZE]) {
    uint8_t pair[PAIR];
    join_released(start, model->at, model->size, pair);
    hr_sign(owner, released_domain, pair, sizeof pair, signature);
}

bool hr_released_holds(const hr_member *owner, const hr_digest *start, const Hedgerow__Released *released) {
    uint8_t pair[PAIR];
    join_released(start, released->model.data, released->model.len, pair);
    return released->signature.len == HR_SIGNATURE_SIZE &&
           hr_signature_holds(&owner->key, released_domain, pair, sizeof pair, released->signature.data);
}

/* ---- Its state ---- */

typedef enum coordinator_phase { OFFERED, RUNNING, OVER } coordinator_phase;

typedef struct coordinator {
    hr_coordinator_job job;
    coordinator_phase phase;
    hr_released_check *check;
    /* Of the owners of the start. */
    hr_bytes models[HR_MEMBERS_MAX];
    bool empty[HR_MEMBERS_MAX]; /* it said that it has none */
    size_t model_count;
} coordinator;

static size_t owner_count(const coordinator *c) {
    return c->job.start.owner_count;
}

static size_t position_of(const coordinator *c, size_t member) {
    return hr_members_position(c->job.start.owners, owner_count(c), member);
}

/* ---- The end ---- */

static hr_status fail_job(coordinator *c, const char *why, hr_error *err) {
    c->phase = OVER;
    return hr_coordinator_job_fail(&c->job, why, err);
}

static hr_status finish_job(coordinator *c, hr_error *err) {
    const Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    if (!c->model_count) return fail_job(c, "no owner sent a model", err);
    c->phase = OVER;
    hr_status status = hr_coordinator_job_finish(&c->job, &finish, err);
    return status ? status
                  : hr_protocol_say(&c->job.protocol, HR_ACT_FINISH, 0, err, "all models that came are here");
}

static bool is_awaited(const coordinator *c, size_t owner) {
    return !c->models[owner].size && !c->empty[owner] && !c->job.gone[c->job.start.owners[owner]];
}

static hr_status finish_if_complete(coordinator *c, hr_error *err) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (is_awaited(c, i)) return HR_OK;
    return finish_job(c, err);
}

/* ---- The beginning ---- */

static hr_status start_job(coordinator *c, hr_error *err) {
    if (!hr_coordinator_job_list(&c->job)) return fail_job(c, "no owner takes part", err);
    c->phase = RUNNING;
    return hr_coordinator_job_start(&c->job, err);
}

/* A member is no longer waited for. */
static hr_status continue_without(hr_protocol *self, size_t member, hr_error *err) {
    coordinator *c = (coordinator *)self;
    if (c->phase == RUNNING) return finish_if_complete(c, err);
    return hr_coordinator_job_invited(&c->job, member) && hr_coordinator_job_answered(&c->job)
               ? start_job(c, err)
               : HR_OK;
}

static hr_status on_answer(hr_protocol *self, size_t from, const Hedgerow__Answer *answer, hr_error *err) {
    coordinator *c = (coordinator *)self;
    hr_status status = hr_coordinator_job_answer(&c->job, from, answer, err);
    if (status) return status;
    return c->phase == OFFERED || c->job.gone[from] ? continue_without(self, from, err) : HR_OK;
}

/* ---- Models ---- */

static hr_status on_released(coordinator *c, size_t owner, const Hedgerow__Released *released,
                             hr_error *err) {
    const size_t member = c->job.start.owners[owner];
    const hr_bytes model = {released->model.data, released->model.len};
    if (!model.size || model.size > HR_RELEASED_MAX)
        return hr_protocol_refuse("a model of no bytes, or of too many", err);
    if (!hr_released_holds(&c->job.setup.view->membership->members[member], &c->job.start.digest, released))
        return hr_protocol_refuse("a model that it did not sign for this job", err);
    hr_status status = c->check(c->job.terms, c->job.setup.schema, &model, err);
    if (!status) status = hr_bytes_copy(model.at, model.size, &c->models[owner], err);
    if (status) return status;
    c->model_count++;
    return hr_protocol_say(&c->job.protocol, HR_ACT_LOG, 0, err, "owner %s sent its model, %zu of %zu",
                           hr_coordinator_job_name(&c->job, member), c->model_count, owner_count(c));
}

static hr_status on_notice(coordinator *c, size_t owner, const Hedgerow__Notice *notice, hr_error *err) {
    if (notice->kind != HEDGEROW__NOTICE__KIND__EMPTY || notice->slot)
        return hr_protocol_refuse("a notice of another kind of job", err);
    c->empty[owner] = true;
    return hr_protocol_say(&c->job.protocol, HR_ACT_WARN, 0, err, "owner %s skipped: it has no model",
                           hr_coordinator_job_name(&c->job, c->job.start.owners[owner]));
}

static hr_status on_outcome(hr_protocol *self, size_t from, const Hedgerow__Message *message, hr_error *err) {
    coordinator *c = (coordinator *)self;
    const size_t owner = position_of(c, from);
    hr_status status;
    if (owner == owner_count(c))
        return hr_protocol_refuse("a model of a member that is not an owner of this job", err);
    if (!is_awaited(c, owner)) return hr_protocol_refuse("a second model, or one after it had none", err);
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_RELEASED: status = on_released(c, owner, message->released, err); break;
    case HEDGEROW__MESSAGE__KIND_NOTICE: status = on_notice(c, owner, message->notice, err); break;
    default: status = hr_protocol_refuse("a message that is not for coordinators", err);
    }
    return status ? status : finish_if_complete(c, err);
}

/* ---- Messages ---- */

static hr_status hear(coordinator *c, const hr_event *event, hr_error *err) {
    static const hr_coordinator_acts acts = {on_answer, on_outcome, continue_without};
    return c->phase == OVER ? HR_OK : hr_coordinator_job_hear(&c->job, event, &acts, err);
}

/* The deadline: the job goes on with those that have answered, or ends with the models that came. */
static hr_status away(coordinator *c, hr_error *err) {
    if (c->phase == OFFERED) return start_job(c, err);
    if (c->phase == OVER) return HR_OK;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < owner_count(c); i++)
        if (is_awaited(c, i))
            status = hr_protocol_say(&c->job.protocol, HR_ACT_WARN, 0, err,
                                     "owner %s skipped: no answer within the deadline",
                                     hr_coordinator_job_name(&c->job, c->job.start.owners[i]));
    return status ? status : finish_job(c, err);
}

/* ---- The machine ---- */

static hr_status feed_coordinator(hr_protocol *self, const hr_event *event, hr_error *err) {
    coordinator *c = (coordinator *)self;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return hear(c, event, err);
    case HR_EVENT_AWAY: return away(c, err);
    case HR_EVENT_DECIDED:
    case HR_EVENT_BEGUN:
    case HR_EVENT_WORKED:
    case HR_EVENT_ASKED: break;
    }
    return HR_OK;
}

static bool coordinator_waits(const hr_protocol *self) {
    return ((const coordinator *)self)->phase != OVER;
}

static void free_coordinator(hr_protocol *self) {
    coordinator *c = (coordinator *)self;
    hr_coordinator_job_done(&c->job);
    for (size_t i = 0; i < owner_count(c); i++) free(c->models[i].at);
    free(c);
}

hr_status hr_oneshot_coordinator(const hr_protocol_setup *setup, hr_released_check *check, hr_protocol **out,
                                 hr_error *err) {
    coordinator *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->job.protocol = (hr_protocol){.feed = feed_coordinator,
                                    .waits = coordinator_waits,
                                    .free = free_coordinator,
                                    .start = &c->job.start};
    c->job.setup = *setup;
    c->check = check;
    hr_status status = hr_coordinator_job_read(&c->job, err);
    if (!status) status = hr_oneshot_terms_check(c->job.terms, err);
    if (!status) status = hr_coordinator_job_offer(&c->job, err);
    if (status)
        hr_protocol_free(&c->job.protocol);
    else
        *out = &c->job.protocol;
    return status;
}

/* ---- What its party asks ---- */

size_t hr_oneshot_owners(const hr_protocol *self) {
    return owner_count((const coordinator *)self);
}

hr_bytes hr_oneshot_model(const hr_protocol *self, size_t owner) {
    return ((const coordinator *)self)->models[owner];
}

bool hr_oneshot_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const coordinator *c = (const coordinator *)self;
    const size_t owner = position_of(c, member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (owner == owner_count(c)) return true;
    out->awaited = c->phase == RUNNING && is_awaited(c, owner);
    out->trees = c->models[owner].size > 0;
    out->skipped = !out->trees && !out->awaited;
    return true;
}
