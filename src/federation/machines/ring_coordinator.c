/* The coordinator's part in sums along a ring: it adds up one share of every owner and what the last one
 * passes on. One sum is open at a time, and each answer to it is taken once. */
#include "federation/machines/ring.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- What both sides check ---- */

hr_status hr_ring_terms_check(const Hedgerow__Terms *terms, hr_error *err) {
    if (!terms->paper || terms->coalition)
        return hr_fail(err, HR_E_FORMAT, "", "a job on a ring that claims to be private");
    return hr_securesum_terms_check(terms, err);
}

hr_status hr_ring_length_check(size_t count, size_t values, hr_error *err) {
    if (count == values) return HR_OK;
    return hr_fail(err, HR_E_POLICY, "", "%zu numbers where the sum has %zu", count, values);
}

/* ---- Its state ---- */

typedef enum coordinator_phase {
    OFFERED,
    THINKING, /* the method says what is next */
    SUMMING,
    OVER
} coordinator_phase;

typedef struct ring_sum {
    uint64_t *values;
    size_t count;
} ring_sum;

typedef struct coordinator {
    hr_coordinator_job job;
    coordinator_phase phase;
    ring_sum *sums; /* the last one is open while SUMMING */
    size_t count, capacity;
    bool shared[HR_MEMBERS_MAX], passed; /* in the open sum; by position */
    size_t shares[HR_MEMBERS_MAX];       /* of all sums; by position */
} coordinator;

static size_t owner_count(const coordinator *c) {
    return c->job.start.owner_count;
}

static size_t position_of(const coordinator *c, size_t member) {
    return hr_members_position(c->job.start.owners, owner_count(c), member);
}

static const char *name_of_owner(const coordinator *c, size_t owner) {
    return hr_coordinator_job_name(&c->job, c->job.start.owners[owner]);
}

static bool is_running(const coordinator *c) {
    return c->phase == THINKING || c->phase == SUMMING;
}

static hr_status fail_job(coordinator *c, const char *why, hr_error *err) {
    c->phase = OVER;
    return hr_coordinator_job_fail(&c->job, why, err);
}

/* There is no recovery. */
static hr_status lose_by(coordinator *c, size_t owner, const char *what, hr_error *err) {
    char why[HR_ACTION_TEXT];
    snprintf(why, sizeof why, "a sum on the ring is lost: owner %.60s %.120s", name_of_owner(c, owner), what);
    return fail_job(c, why, err);
}

/* ---- Sums ---- */

static hr_status ask_method(coordinator *c, hr_error *err) {
    c->phase = THINKING;
    return hr_protocol_act(&c->job.protocol, (hr_action){.kind = HR_ACT_ASK}, err);
}

static hr_status add_sum(coordinator *c, size_t values, hr_error *err) {
    if (c->count == c->capacity) {
        size_t capacity = 2 * c->capacity + 8;
        ring_sum *larger = realloc(c->sums, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        c->sums = larger;
        c->capacity = capacity;
    }
    uint64_t *zeros = calloc(values, sizeof *zeros);
    if (!zeros) return hr_fail_memory(err);
    c->sums[c->count++] = (ring_sum){zeros, values};
    return HR_OK;
}

static hr_status begin_sum(coordinator *c, const Hedgerow__Question *wanted, hr_error *err) {
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = (uint32_t)c->count;
    ask.body = wanted->body;
    hr_status status = add_sum(c, wanted->values, err);
    if (status) return status;
    for (size_t i = 0; i < owner_count(c); i++) c->shared[i] = false;
    c->passed = false;
    c->phase = SUMMING;
    return hr_coordinator_job_send(&c->job, HEDGEROW__MESSAGE__KIND_ASK, &ask, err);
}

/* The first owner whose share is missing; the number of owners if none is. */
static size_t first_missing(const coordinator *c) {
    size_t owner = 0;
    while (owner < owner_count(c) && c->shared[owner]) owner++;
    return owner;
}

static bool is_complete(const coordinator *c) {
    return c->passed && first_missing(c) == owner_count(c);
}

static hr_status add_numbers(coordinator *c, const uint64_t *values, hr_error *err) {
    const ring_sum *open = &c->sums[c->count - 1];
    for (size_t i = 0; i < open->count; i++) open->values[i] += values[i];
    return is_complete(c) ? ask_method(c, err) : HR_OK;
}

/* Whether numbers are of the open sum. Fails: POLICY. */
static hr_status check_numbers(const coordinator *c, size_t position, size_t count, hr_error *err) {
    if (c->phase != SUMMING || position != c->count - 1)
        return hr_protocol_refuse("numbers of a sum that is not open", err);
    return hr_ring_length_check(count, c->sums[c->count - 1].count, err);
}

static hr_status on_share(coordinator *c, size_t owner, const Hedgerow__Share *share, hr_error *err) {
    hr_status status = check_numbers(c, share->position, share->n_values, err);
    if (status) return status;
    if (c->shared[owner]) return hr_protocol_refuse("a second share of one sum", err);
    c->shared[owner] = true;
    c->shares[owner]++;
    return add_numbers(c, share->values, err);
}

static hr_status on_pass(coordinator *c, size_t owner, const Hedgerow__Pass *pass, hr_error *err) {
    if (owner + 1 != owner_count(c))
        return hr_protocol_refuse("numbers from an owner that is not the last of the ring", err);
    hr_status status = check_numbers(c, pass->position, pass->n_values, err);
    if (status) return status;
    if (c->passed) return hr_protocol_refuse("numbers of one sum twice", err);
    c->passed = true;
    return add_numbers(c, pass->values, err);
}

static hr_status on_notice(coordinator *c, size_t owner, const Hedgerow__Notice *notice, hr_error *err) {
    char what[120];
    if (notice->kind == HEDGEROW__NOTICE__KIND__EMPTY && c->phase == SUMMING && !c->shared[owner] &&
        notice->slot == c->count - 1)
        return lose_by(c, owner, "has no answer", err);
    if (notice->kind != HEDGEROW__NOTICE__KIND__REFUSED || !owner)
        return hr_protocol_refuse("a notice about a question that its sender was not asked", err);
    snprintf(what, sizeof what, "refuses what owner %.60s passed on", name_of_owner(c, owner - 1));
    return lose_by(c, owner, what, err);
}

/* ---- What the method wants ---- */

static hr_status finish_job(coordinator *c, hr_error *err) {
    const Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    c->phase = OVER;
    hr_status status = hr_coordinator_job_finish(&c->job, &finish, err);
    return status ? status
                  : hr_protocol_say(&c->job.protocol, HR_ACT_FINISH, 0, err, "the model is complete");
}

/* What stands around a body in a message. */
enum { FRAME = 256 };

static hr_status act_on_wish(coordinator *c, const Hedgerow__Question *wanted, hr_error *err) {
    if (!!wanted->values + !!wanted->done != 1 || wanted->turns || wanted->values > HR_SUM_VALUES_MAX ||
        wanted->body.len > HR_MESSAGE_MAX - FRAME)
        return fail_job(c, "the question of the method is not valid, has too many values, or is too long",
                        err);
    if (wanted->done) return finish_job(c, err);
    if (c->count == HR_QUESTIONS_MAX) return fail_job(c, "the method asked too often", err);
    return begin_sum(c, wanted, err);
}

static hr_status asked(coordinator *c, const hr_event *event, hr_error *err) {
    ProtobufCMessage *wanted = NULL;
    if (c->phase != THINKING) return HR_OK;
    if (!event->size) return fail_job(c, "the method failed at the coordinator", err);
    hr_status status =
        hr_message_unpack(&hedgerow__question__descriptor, event->bytes, event->size, &wanted, NULL);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status)
        return fail_job(c, "the question of the method is not valid, has too many values, or is too long",
                        err);
    status = act_on_wish(c, (const Hedgerow__Question *)wanted, err);
    hr_message_unpacked_free(wanted);
    return status;
}

/* ---- Messages ---- */

static hr_status start_job(coordinator *c, hr_error *err) {
    if (!hr_coordinator_job_list(&c->job)) return fail_job(c, "no owner takes part", err);
    hr_status status = hr_coordinator_job_start(&c->job, err);
    return status ? status : ask_method(c, err);
}

/* A member is gone; the ring does not close without one of its owners. */
static hr_status continue_without(hr_protocol *self, size_t member, hr_error *err) {
    coordinator *c = (coordinator *)self;
    if (c->phase == OFFERED)
        return hr_coordinator_job_invited(&c->job, member) && hr_coordinator_job_answered(&c->job)
                   ? start_job(c, err)
                   : HR_OK;
    const size_t owner = position_of(c, member);
    if (!is_running(c) || owner == owner_count(c)) return HR_OK;
    return lose_by(c, owner, c->job.cut[member] ? "violated the protocol" : "ended its part", err);
}

static hr_status on_answer(hr_protocol *self, size_t from, const Hedgerow__Answer *answer, hr_error *err) {
    coordinator *c = (coordinator *)self;
    hr_status status = hr_coordinator_job_answer(&c->job, from, answer, err);
    if (status) return status;
    return c->phase == OFFERED || c->job.gone[from] ? continue_without(self, from, err) : HR_OK;
}

static hr_status on_reply(hr_protocol *self, size_t from, const Hedgerow__Message *message, hr_error *err) {
    coordinator *c = (coordinator *)self;
    const size_t owner = position_of(c, from);
    if (owner == owner_count(c))
        return hr_protocol_refuse("an answer of a member that is not an owner of this job", err);
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SHARE: return on_share(c, owner, message->share, err);
    case HEDGEROW__MESSAGE__KIND_PASS: return on_pass(c, owner, message->pass, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(c, owner, message->notice, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

static hr_status hear(coordinator *c, const hr_event *event, hr_error *err) {
    static const hr_coordinator_acts acts = {on_answer, on_reply, continue_without};
    return c->phase == OVER ? HR_OK : hr_coordinator_job_hear(&c->job, event, &acts, err);
}

/* ---- The deadline ---- */

static hr_status away(coordinator *c, hr_error *err) {
    if (c->phase == OFFERED) return start_job(c, err);
    if (c->phase != SUMMING) return HR_OK;
    const size_t missing = first_missing(c);
    if (missing < owner_count(c)) return lose_by(c, missing, "has not answered within the deadline", err);
    return lose_by(c, owner_count(c) - 1,
                   "has passed nothing on within the deadline: it, or an owner before it, is away", err);
}

/* ---- The machine ---- */

static hr_status feed_coordinator(hr_protocol *self, const hr_event *event, hr_error *err) {
    coordinator *c = (coordinator *)self;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return hear(c, event, err);
    case HR_EVENT_AWAY: return away(c, err);
    case HR_EVENT_ASKED: return asked(c, event, err);
    case HR_EVENT_DECIDED:
    case HR_EVENT_BEGUN:
    case HR_EVENT_WORKED: break;
    }
    return HR_OK;
}

static bool coordinator_waits(const hr_protocol *self) {
    const coordinator *c = (const coordinator *)self;
    return c->phase == OFFERED || c->phase == SUMMING;
}

static void free_coordinator(hr_protocol *self) {
    coordinator *c = (coordinator *)self;
    hr_coordinator_job_done(&c->job);
    for (size_t i = 0; i < c->count; i++) free(c->sums[i].values);
    free(c->sums);
    free(c);
}

hr_status hr_ring_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    coordinator *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->job.protocol = (hr_protocol){.feed = feed_coordinator,
                                    .waits = coordinator_waits,
                                    .free = free_coordinator,
                                    .start = &c->job.start};
    c->job.setup = *setup;
    hr_status status = hr_coordinator_job_read(&c->job, err);
    if (!status) status = hr_ring_terms_check(c->job.terms, err);
    if (!status) status = hr_coordinator_job_offer(&c->job, err);
    if (status)
        hr_protocol_free(&c->job.protocol);
    else
        *out = &c->job.protocol;
    return status;
}

/* ---- What its party asks ---- */

size_t hr_ring_outcomes(const hr_protocol *self) {
    const coordinator *c = (const coordinator *)self;
    return c->count - (c->count && !is_complete(c));
}

bool hr_ring_outcome(const hr_protocol *self, size_t index, hr_sum_outcome *out) {
    const coordinator *c = (const coordinator *)self;
    if (index >= hr_ring_outcomes(self)) return false;
    *out = (hr_sum_outcome){.members = owner_count(c),
                            .member = HR_NO_MEMBER,
                            .sums = c->sums[index].values,
                            .count = c->sums[index].count};
    return true;
}

bool hr_ring_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const coordinator *c = (const coordinator *)self;
    const size_t owner = position_of(c, member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    out->awaited = c->phase == OFFERED && out->state == HR_PART_SILENT;
    if (owner == owner_count(c)) return true;
    const bool passes = owner + 1 == owner_count(c) && !c->passed;
    out->awaited = c->phase == SUMMING && (!c->shared[owner] || passes);
    out->trees = c->shares[owner];
    out->skipped = c->count - out->trees;
    return true;
}
