/* The coordinator's part in SimFL. */
#include "federation/machines/simfl_exchange.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum coordinator_phase { OFFERED, SIZING, TRAINING, OVER } coordinator_phase;

typedef struct coordinator {
    hr_coordinator_job job;
    hr_simfl_common common;
    coordinator_phase phase;
    /* By position. */
    bool hashed[HR_MEMBERS_MAX];
    size_t gave[HR_MEMBERS_MAX]; /* 1 and the tree that it sent gradients for last; 0: none */
    size_t trained[HR_MEMBERS_MAX];
    hr_bytes last; /* the last tree, as it came, until all hashes and gradients have come; else none */
} coordinator;

static size_t owner_count(const coordinator *c) {
    return c->job.start.owner_count;
}

static const char *name_at(const coordinator *c, size_t position) {
    return hr_coordinator_job_name(&c->job, c->job.start.owners[position]);
}

/* ---- The end ---- */

static hr_status fail_job(coordinator *c, const char *why, hr_error *err) {
    c->phase = OVER;
    return hr_coordinator_job_fail(&c->job, why, err);
}

static hr_status finish_job(coordinator *c, hr_error *err) {
    const Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    c->phase = OVER;
    hr_status status = hr_coordinator_job_finish(&c->job, &finish, err);
    return status ? status
                  : hr_protocol_say(&c->job.protocol, HR_ACT_FINISH, 0, err, "the model is complete");
}

/* The job needs every owner: without one it is over. */
static hr_status end_for(coordinator *c, size_t position, const char *what, hr_error *err) {
    char why[HR_ACTION_TEXT];
    snprintf(why, sizeof why, "owner %s %.160s", name_at(c, position), what);
    return fail_job(c, why, err);
}

/* ---- Who is waited for ---- */

/* The tree that is made: also while one that came early waits for the gradients of others. */
static size_t tree_in_work(const coordinator *c) {
    return c->common.tree_count - (c->last.at != NULL);
}

static size_t trainer_of_tree(const coordinator *c) {
    return tree_in_work(c) % owner_count(c);
}

static bool has_given(const coordinator *c, size_t position) {
    return c->gave[position] == tree_in_work(c) + 1;
}

static bool lacks_hashes(const coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (!c->hashed[i]) return owner_count(c) > 1;
    return false;
}

static bool lacks_gradients(const coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (!has_given(c, i) && i != trainer_of_tree(c)) return true;
    return false;
}

/* Hashes come first, then gradients for the tree, then the tree. */
static bool is_awaited(const coordinator *c, size_t position) {
    if (c->phase == SIZING) return !c->common.rows[position];
    if (c->phase != TRAINING) return false;
    const bool trains = position == trainer_of_tree(c);
    if (lacks_hashes(c)) return !c->hashed[position];
    return lacks_gradients(c) ? !trains && !has_given(c, position) : trains;
}

/* ---- The beginning ---- */

static hr_status start_job(coordinator *c, hr_error *err) {
    if (!hr_coordinator_job_list(&c->job)) return fail_job(c, "no owner takes part", err);
    c->phase = SIZING;
    return hr_coordinator_job_start(&c->job, err);
}

static hr_status on_answer(hr_protocol *self, size_t from, const Hedgerow__Answer *answer, hr_error *err) {
    coordinator *c = (coordinator *)self;
    hr_status status = hr_coordinator_job_answer(&c->job, from, answer, err);
    if (status) return status;
    if (c->phase == OFFERED) return hr_coordinator_job_answered(&c->job) ? start_job(c, err) : HR_OK;
    const size_t position = hr_members_position(c->job.start.owners, owner_count(c), from);
    return c->job.gone[from] && position < owner_count(c) ? end_for(c, position, "ended its part", err)
                                                          : HR_OK;
}

/* ---- Numbers of records ---- */

static hr_status begin_first_tree(coordinator *c, hr_error *err) {
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    sizes.rows = c->common.rows;
    sizes.n_rows = owner_count(c);
    sizes.sums = c->common.sums;
    sizes.n_sums = HR_SIMFL_SUMS;
    c->phase = TRAINING;
    return hr_coordinator_job_send(&c->job, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes, err);
}

static hr_status on_size(coordinator *c, size_t position, const Hedgerow__SimflSize *size, hr_error *err) {
    int64_t sums[HR_SIMFL_SUMS];
    if (c->phase != SIZING || c->common.rows[position])
        return hr_protocol_refuse("a number of records twice, or at the wrong time", err);
    if (!size->rows || size->rows > HR_SIMFL_ROWS_MAX)
        return hr_fail(err, HR_E_POLICY, "", "%u records, and an owner has 1 to %d", size->rows,
                       (int)HR_SIMFL_ROWS_MAX);
    hr_status status = hr_simfl_read_sums(size->sums, size->n_sums, sums, err);
    if (status) return status;
    if (!hr_simfl_sums_fit(&c->common.rules, size->rows, sums))
        return hr_protocol_refuse("label sums that so many records cannot have", err);
    c->common.rows[position] = size->rows;
    for (size_t i = 0; i < HR_SIMFL_SUMS; i++) c->common.sums[i] += sums[i];
    for (size_t i = 0; i < owner_count(c); i++)
        if (!c->common.rows[i]) return HR_OK;
    return begin_first_tree(c, err);
}

/* ---- Trees ---- */

static hr_status begin_next_tree(coordinator *c, hr_error *err) {
    Hedgerow__SimflTurn turn = HEDGEROW__SIMFL_TURN__INIT;
    turn.tree = (uint32_t)c->common.tree_count;
    turn.last = (ProtobufCBinaryData){c->last.size, c->last.at};
    hr_status status = hr_coordinator_job_send(&c->job, HEDGEROW__MESSAGE__KIND_SIMFL_TURN, &turn, err);
    free(c->last.at);
    c->last = (hr_bytes){0};
    return status;
}

/* A turn that comes while an owner is still at work would look to it like a violation. */
static hr_status follow_tree(coordinator *c, hr_error *err) {
    if (!c->last.at || lacks_hashes(c) || lacks_gradients(c)) return HR_OK;
    return c->common.tree_count == c->common.rules.trees ? finish_job(c, err) : begin_next_tree(c, err);
}

static hr_status on_tree(coordinator *c, size_t position, const Hedgerow__SimflTree *tree, hr_error *err) {
    if (c->phase != TRAINING || position != trainer_of_tree(c) || c->last.at)
        return hr_protocol_refuse("a tree out of turn", err);
    hr_status status = hr_simfl_take_tree(&c->common, tree->tree, err);
    if (!status) status = hr_bytes_copy(tree->tree.data, tree->tree.len, &c->last, err);
    if (status) return status;
    c->trained[position]++;
    status = hr_protocol_say(&c->job.protocol, HR_ACT_LOG, 0, err, "owner %s trained tree %zu of %zu",
                             name_at(c, position), c->common.tree_count, c->common.rules.trees);
    return status ? status : follow_tree(c, err);
}

/* Word of it may come after the tree that was made of it. */
static hr_status note_sent(coordinator *c, size_t position, size_t slot, hr_error *err) {
    const bool twice = slot ? slot <= c->gave[position] : c->hashed[position],
               early = c->phase != TRAINING || slot > tree_in_work(c) + 1;
    if (twice || early || (slot && (slot - 1) % owner_count(c) == position))
        return hr_protocol_refuse("word of what it sent at the wrong time", err);
    if (slot)
        c->gave[position] = slot;
    else
        c->hashed[position] = true;
    return follow_tree(c, err);
}

static hr_status hear_complaint(coordinator *c, size_t position, size_t of, hr_error *err) {
    char what[HR_ACTION_TEXT];
    if (of >= owner_count(c) || of == position)
        return hr_protocol_refuse("a complaint that names no other owner", err);
    snprintf(what, sizeof what, "refused what owner %s sent", name_at(c, of));
    return end_for(c, position, what, err);
}

static hr_status on_notice(coordinator *c, size_t position, const Hedgerow__Notice *notice, hr_error *err) {
    switch (notice->kind) {
    case HEDGEROW__NOTICE__KIND__EMPTY: return end_for(c, position, "has no answer to give", err);
    case HEDGEROW__NOTICE__KIND__REFUSED: return hear_complaint(c, position, notice->slot, err);
    case HEDGEROW__NOTICE__KIND__SENT: return note_sent(c, position, notice->slot, err);
    case HEDGEROW__NOTICE__KIND__TWO_TREES:
    default: return hr_protocol_refuse("a notice of another kind of job", err);
    }
}

/* ---- Messages ---- */

static hr_status on_outcome(hr_protocol *self, size_t from, const Hedgerow__Message *m, hr_error *err) {
    coordinator *c = (coordinator *)self;
    const size_t position = hr_members_position(c->job.start.owners, owner_count(c), from);
    if (position == owner_count(c))
        return hr_protocol_refuse("a message of a member that is not an owner of this job", err);
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SIMFL_SIZE: return on_size(c, position, m->simfl_size, err);
    case HEDGEROW__MESSAGE__KIND_SIMFL_TREE: return on_tree(c, position, m->simfl_tree, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(c, position, m->notice, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

static hr_status continue_without(hr_protocol *self, size_t member, hr_error *err) {
    coordinator *c = (coordinator *)self;
    if (c->phase == OFFERED)
        return hr_coordinator_job_invited(&c->job, member) && hr_coordinator_job_answered(&c->job)
                   ? start_job(c, err)
                   : HR_OK;
    const size_t position = hr_members_position(c->job.start.owners, owner_count(c), member);
    return position < owner_count(c) ? end_for(c, position, "violated the protocol", err) : HR_OK;
}

static hr_status hear(coordinator *c, const hr_event *event, hr_error *err) {
    static const hr_coordinator_acts acts = {on_answer, on_outcome, continue_without};
    return c->phase == OVER ? HR_OK : hr_coordinator_job_hear(&c->job, event, &acts, err);
}

/* The deadline: those who have accepted begin; later on the first owner that is missing is named. */
static hr_status away(coordinator *c, hr_error *err) {
    if (c->phase == OFFERED) return start_job(c, err);
    for (size_t i = 0; c->phase != OVER && i < owner_count(c); i++)
        if (is_awaited(c, i)) return end_for(c, i, "gave no answer within the deadline", err);
    return HR_OK;
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
    hr_simfl_common_done(&c->common);
    free(c->last.at);
    free(c);
}

hr_status hr_simfl_coordinator_machine(const hr_protocol_setup *setup, hr_simfl_read_rules *read,
                                       hr_protocol **out, hr_error *err) {
    coordinator *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->job.protocol = (hr_protocol){.feed = feed_coordinator,
                                    .waits = coordinator_waits,
                                    .free = free_coordinator,
                                    .start = &c->job.start,
                                    .common = &c->common};
    c->common = (hr_simfl_common){.setup = &c->job.setup, .start = &c->job.start, .read = read};
    c->job.setup = *setup;
    hr_status status = hr_coordinator_job_read(&c->job, err);
    if (!status) status = hr_simfl_read_terms(&c->common, c->job.terms, err);
    if (!status) status = hr_coordinator_job_offer(&c->job, err);
    if (status)
        hr_protocol_free(&c->job.protocol);
    else
        *out = &c->job.protocol;
    return status;
}

/* ---- What its party asks ---- */

bool hr_simfl_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const coordinator *c = (const coordinator *)self;
    const size_t position = hr_members_position(c->job.start.owners, owner_count(c), member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (position == owner_count(c)) return true;
    out->awaited = is_awaited(c, position);
    out->trees = c->trained[position];
    return true;
}
