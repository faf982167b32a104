/* The coordinator's part in a one-shot job. */
#include "federation/machines/oneshot.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- What both sides check and sign ---- */

static const char released_domain[] = "hedgerow released model 1", model_domain[] = "hedgerow model 1";

hr_status hr_oneshot_terms_check(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    (void)self;
    bool none = terms->rounds == 1 && !terms->broadcast && terms->vote_share == 0 && !terms->last_slots &&
                !terms->exact_rounds && !terms->exact_trees;
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

typedef struct oneshot_coordinator {
    hr_coordinator_job job;
    hr_released_check *check;
    /* Of the owners of the start. */
    hr_bytes models[HR_MEMBERS_MAX];
    bool empty[HR_MEMBERS_MAX]; /* it has no model */
    size_t model_count;
} oneshot_coordinator;

static size_t owner_count(const oneshot_coordinator *c) {
    return c->job.start.owner_count;
}

/* ---- The end ---- */

static hr_status finish_job(oneshot_coordinator *c, hr_error *err) {
    if (!c->model_count)
        return hr_coordinator_job_fail(&c->job, HR_JOB_NO_ANSWER, "no owner sent a model", err);
    return hr_coordinator_job_complete(&c->job, hr_data_of(NULL, 0), "all models that came are here", err);
}

static bool is_awaited(const oneshot_coordinator *c, size_t owner) {
    return !c->models[owner].size && !c->empty[owner] && !c->job.gone[c->job.start.owners[owner]];
}

static hr_status finish_if_complete(oneshot_coordinator *c, hr_error *err) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (is_awaited(c, i)) return HR_OK;
    return finish_job(c, err);
}

static hr_status continue_without(hr_protocol *self, size_t owner, hr_error *err) {
    (void)owner;
    return finish_if_complete((oneshot_coordinator *)self, err);
}

/* ---- Models ---- */

static hr_status on_released(oneshot_coordinator *c, size_t owner, const Hedgerow__Released *released,
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
    return hr_protocol_emit(&c->job.protocol, HR_ACT_LOG, 0, err, "owner %s sent its model, %zu of %zu",
                            hr_coordinator_job_owner(&c->job, owner), c->model_count, owner_count(c));
}

static hr_status on_notice(oneshot_coordinator *c, size_t owner, const Hedgerow__Notice *notice,
                           hr_error *err) {
    if (notice->kind != HEDGEROW__NOTICE__KIND__EMPTY || notice->slot)
        return hr_protocol_refuse("a notice of another kind of job", err);
    c->empty[owner] = true;
    return hr_protocol_emit(&c->job.protocol, HR_ACT_WARN, 0, err, "owner %s skipped: it has no model",
                            hr_coordinator_job_owner(&c->job, owner));
}

static hr_status on_message(hr_protocol *self, size_t owner, const Hedgerow__Message *message,
                            hr_error *err) {
    oneshot_coordinator *c = (oneshot_coordinator *)self;
    hr_status status;
    if (!is_awaited(c, owner)) return hr_protocol_refuse("a second model, or one after it had none", err);
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_RELEASED: status = on_released(c, owner, message->released, err); break;
    case HEDGEROW__MESSAGE__KIND_NOTICE: status = on_notice(c, owner, message->notice, err); break;
    default: status = hr_protocol_refuse("a message that is not for coordinators", err);
    }
    if (status) return status;
    c->job.protocol.advances++;
    return finish_if_complete(c, err);
}

/* The deadline: the job ends with the models that came. */
static hr_status on_timeout(hr_protocol *self, hr_error *err) {
    oneshot_coordinator *c = (oneshot_coordinator *)self;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < owner_count(c); i++)
        if (is_awaited(c, i))
            status =
                hr_protocol_emit(&c->job.protocol, HR_ACT_WARN, 0, err, "owner %s skipped: no answer in time",
                                 hr_coordinator_job_owner(&c->job, i));
    return status ? status : finish_job(c, err);
}

/* ---- The machine ---- */

static void free_models(hr_protocol *self) {
    oneshot_coordinator *c = (oneshot_coordinator *)self;
    for (size_t i = 0; i < owner_count(c); i++) free(c->models[i].at);
}

static const hr_coordinator_rules rules = {
    .check = hr_oneshot_terms_check,
    .message = on_message,
    .stranger = "a model of a member that is not an owner of this job",
    .without = continue_without,
    .timeout = on_timeout,
    .done = free_models,
};

hr_status hr_oneshot_coordinator(const hr_protocol_setup *setup, hr_released_check *check, hr_protocol **out,
                                 hr_error *err) {
    oneshot_coordinator *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->check = check;
    return hr_coordinator_job_open(&c->job, &rules, setup, out, err);
}

/* ---- For its party ---- */

size_t hr_oneshot_owners(const hr_protocol *self) {
    return owner_count((const oneshot_coordinator *)self);
}

hr_bytes hr_oneshot_model(const hr_protocol *self, size_t owner) {
    return ((const oneshot_coordinator *)self)->models[owner];
}

bool hr_oneshot_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const oneshot_coordinator *c = (const oneshot_coordinator *)self;
    const size_t owner = hr_coordinator_job_position(&c->job, member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (owner == owner_count(c)) return true;
    out->awaited = c->job.phase == HR_COORDINATOR_RUNNING && is_awaited(c, owner);
    out->trees = c->models[owner].size > 0;
    out->skipped = !out->trees && !out->awaited;
    return true;
}
