/* The coordinator's part in secure sums and choices. An owner answers what it was asked in the order in which
 * it was asked, so the one thing that it may say next is always known. */
#include "federation/machines/securesum.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What both sides know ---- */

size_t hr_securesum_owners(const hr_protocol *any, const size_t **members) {
    *members = any->start->owners;
    return any->start->owner_count;
}

const hr_digest *hr_securesum_start(const hr_protocol *any) {
    return any->start->owner_count ? &any->start->digest : NULL;
}

size_t hr_sum_set_size(size_t owners) {
    return (owners + 7) / 8;
}

bool hr_sum_set_has(const uint8_t *set, size_t owner) {
    return set[owner / 8] >> owner % 8 & 1;
}

hr_status hr_securesum_terms_check(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    (void)self;
    if (terms->rounds || terms->broadcast || terms->vote_share != 0 || terms->last_slots)
        return hr_fail(err, HR_E_FORMAT, "", "a job with rounds or votes, which this method does not use");
    return HR_OK;
}

/* ---- Its state ---- */

typedef enum coordinator_phase {
    OFFERED,
    THINKING, /* the method says what is next */
    SUMMING,
    CHOOSING,
    ALONE, /* a sum is wanted, and no owner is heard of */
    OVER
} coordinator_phase;

/* A question that was asked, or that nobody was there for. */
typedef struct asked_question {
    hr_sum_outcome outcome;
    size_t position;               /* of the sum, or the turn: as owners are told it */
    uint8_t set[HR_SUM_SET_BYTES]; /* the owners that it was asked of */
    uint64_t *sums;
    size_t values, left; /* left: answers that are missing */
} asked_question;

/* What is known of an owner of the start. */
typedef struct asked_owner {
    bool missing;         /* it did not answer before a deadline, and was not heard of since */
    size_t notices, rest; /* how often it had no share; sums that it sits out for it */
    size_t turns, shares; /* choices that it was asked for; sums that have its share */
    size_t next,
        heard; /* questions below `next` it has answered, or was not asked; of those it heard so many */
} asked_owner;

typedef struct coordinator {
    hr_coordinator_job job;
    coordinator_phase phase;
    asked_question *questions; /* the last one is open while SUMMING, CHOOSING or ALONE */
    size_t count, capacity, sums;
    asked_owner owners[HR_MEMBERS_MAX]; /* by position */
    size_t chooser;                     /* the position after the one that chose last */
} coordinator;

static hr_status fail_job(coordinator *c, const char *why, hr_error *err) {
    c->phase = OVER;
    return hr_coordinator_job_fail(&c->job, why, err);
}

static bool is_gone(const coordinator *c, size_t owner) {
    return c->job.gone[c->job.start.owners[owner]];
}

static const char *name_of_owner(const coordinator *c, size_t owner) {
    return hr_coordinator_job_name(&c->job, c->job.start.owners[owner]);
}

static size_t owner_count(const coordinator *c) {
    return c->job.start.owner_count;
}

static asked_question *open_question(const coordinator *c) {
    return &c->questions[c->count - 1];
}

/* ---- Between questions ---- */

static hr_status ask_method(coordinator *c, hr_error *err) {
    c->phase = THINKING;
    return hr_protocol_act(&c->job.protocol, (hr_action){.kind = HR_ACT_ASK}, err);
}

/* The open question has no outcome. */
static hr_status lose(coordinator *c, const char *why, hr_error *err) {
    asked_question *q = open_question(c);
    free(q->sums);
    q->sums = NULL;
    q->outcome.lost = true;
    hr_status status =
        hr_protocol_say(&c->job.protocol, HR_ACT_WARN, 0, err, "question %zu is lost: %s", c->count, why);
    return status ? status : ask_method(c, err);
}

static hr_status lose_by(coordinator *c, size_t owner, const char *what, hr_error *err) {
    char why[HR_ACTION_TEXT];
    snprintf(why, sizeof why, "owner %.100s %s", name_of_owner(c, owner), what);
    return lose(c, why, err);
}

/* Adds an open question of nobody. Fails: MEMORY. */
static hr_status add_question(coordinator *c, const asked_question *question, hr_error *err) {
    if (c->count == c->capacity) {
        size_t capacity = 2 * c->capacity + 8;
        asked_question *larger = realloc(c->questions, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        c->questions = larger;
        c->capacity = capacity;
    }
    c->questions[c->count++] = *question;
    return HR_OK;
}

/* ---- Sums ---- */

static bool is_heard_of(const coordinator *c, size_t owner) {
    return !is_gone(c, owner) && !c->owners[owner].missing;
}

/* Whom the next sum is over: all that are heard of and do not sit out; if there are none, those who do. */
static size_t next_set(const coordinator *c, uint8_t set[HR_SUM_SET_BYTES]) {
    size_t count = 0;
    for (int resting = 0; !count && resting < 2; resting++) {
        memset(set, 0, HR_SUM_SET_BYTES);
        for (size_t i = 0; i < owner_count(c); i++) {
            if (!is_heard_of(c, i) || (!resting && c->owners[i].rest)) continue;
            set[i / 8] |= (uint8_t)(1 << i % 8);
            count++;
        }
    }
    return count;
}

static hr_status send_ask(coordinator *c, const asked_question *q, ProtobufCBinaryData body, hr_error *err) {
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = (uint32_t)q->position;
    ask.members = hr_data_of(q->set, hr_sum_set_size(owner_count(c)));
    ask.body = body;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < owner_count(c); i++)
        if (!is_gone(c, i))
            status = hr_protocol_send(&c->job.protocol, c->job.start.owners[i], HEDGEROW__MESSAGE__KIND_ASK,
                                      &ask, err);
    return status;
}

static bool has_owner_left(const coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (!is_gone(c, i)) return true;
    return false;
}

static hr_status begin_sum(coordinator *c, const Hedgerow__Question *wanted, hr_error *err) {
    asked_question q = {.position = c->sums, .values = wanted->values};
    q.outcome.members = q.left = next_set(c, q.set);
    for (size_t i = 0; i < owner_count(c); i++) c->owners[i].rest -= c->owners[i].rest > 0;
    hr_status status = add_question(c, &q, err);
    c->phase = ALONE;
    if (status) return status;
    if (!q.left) return has_owner_left(c) ? HR_OK : lose(c, "no owner is left", err);
    c->phase = SUMMING;
    c->sums++;
    open_question(c)->sums = calloc(q.values, sizeof *q.sums);
    return open_question(c)->sums ? send_ask(c, &q, wanted->body, err) : hr_fail_memory(err);
}

static hr_status take_share(coordinator *c, size_t owner, const Hedgerow__Share *share, hr_error *err) {
    asked_question *q = open_question(c);
    for (size_t i = 0; i < q->values; i++) q->sums[i] += share->values[i];
    c->owners[owner].shares++;
    if (--q->left) return HR_OK;
    q->outcome.sums = q->sums;
    q->outcome.count = q->values;
    return ask_method(c, err);
}

/* ---- Choices ---- */

/* The next owner in order that is heard of and has a turn left; the number of owners if there is none. */
static size_t next_chooser(const coordinator *c, size_t turns) {
    for (size_t i = 0; i < owner_count(c); i++) {
        size_t owner = (c->chooser + i) % owner_count(c);
        if (is_heard_of(c, owner) && c->owners[owner].turns < turns) return owner;
    }
    return owner_count(c);
}

static hr_status begin_choice(coordinator *c, const Hedgerow__Question *wanted, hr_error *err) {
    const size_t owner = next_chooser(c, wanted->turns);
    const bool somebody = owner < owner_count(c);
    asked_question q = {.outcome = {.choice = true, .member = HR_NO_MEMBER}, .left = somebody};
    if (somebody) {
        q.outcome.member = c->job.start.owners[owner];
        q.position = ++c->owners[owner].turns;
        q.set[owner / 8] |= (uint8_t)(1 << owner % 8);
        c->chooser = owner + 1;
    }
    hr_status status = add_question(c, &q, err);
    c->phase = CHOOSING;
    if (status) return status;
    if (!somebody) return lose(c, "no owner is there that may choose", err);
    Hedgerow__Turn turn = HEDGEROW__TURN__INIT;
    turn.turn = (uint32_t)q.position;
    turn.body = wanted->body;
    return hr_protocol_send(&c->job.protocol, q.outcome.member, HEDGEROW__MESSAGE__KIND_TURN, &turn, err);
}

/* ---- What the method wants ---- */

/* The model goes to the owners that asked for it. */
static hr_status send_end(coordinator *c, ProtobufCBinaryData model, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < c->job.terms->n_owners; i++) {
        size_t member = c->job.invited[i];
        Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
        if (c->job.wants_model[member]) finish.model = model;
        status = hr_protocol_send(&c->job.protocol, member, HEDGEROW__MESSAGE__KIND_FINISH, &finish, err);
    }
    return status;
}

static hr_status finish_job(coordinator *c, const Hedgerow__Question *last, hr_error *err) {
    c->phase = OVER;
    hr_status status = send_end(c, last->model, err);
    return status ? status
                  : hr_protocol_say(&c->job.protocol, HR_ACT_FINISH, 0, err, "the model is complete");
}

/* What stands around a body or a model in a message. */
enum { FRAME = 256 };

static hr_status act_on_wish(coordinator *c, const Hedgerow__Question *wanted, hr_error *err) {
    if (!!wanted->values + !!wanted->turns + !!wanted->done != 1 || wanted->values > HR_SUM_VALUES_MAX ||
        wanted->body.len > HR_MESSAGE_MAX - FRAME || wanted->model.len > HR_MESSAGE_MAX - FRAME)
        return fail_job(c, "the question of the method is not valid, has too many values, or is too long",
                        err);
    if (wanted->done) return finish_job(c, wanted, err);
    if (c->count == HR_QUESTIONS_MAX) return fail_job(c, "the method asked too often", err);
    return wanted->values ? begin_sum(c, wanted, err) : begin_choice(c, wanted, err);
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

/* ---- Answers ---- */

/* The oldest question that an owner has not answered; the number of questions if there is none. */
static size_t awaited_of(coordinator *c, size_t owner) {
    asked_owner *o = &c->owners[owner];
    for (; o->next < c->count; o->next++) {
        const asked_question *q = &c->questions[o->next];
        if (hr_sum_set_has(q->set, owner)) break;
        o->heard += !q->outcome.choice && q->outcome.members > 0;
    }
    return o->next;
}

/* Whether an answer to the open question is missing from an owner. */
static bool owes_answer(coordinator *c, size_t owner) {
    bool open = c->phase == SUMMING || c->phase == CHOOSING;
    return open && hr_sum_set_has(open_question(c)->set, owner) && awaited_of(c, owner) < c->count;
}

/* Takes the answer of an owner to its oldest question, `fits` if it is one to that question. *late: the
 * question is no longer open. Fails: POLICY. */
static hr_status settle_answer(coordinator *c, size_t owner, bool fits, bool *late, hr_error *err) {
    asked_owner *o = &c->owners[owner];
    if (!fits) return hr_protocol_refuse("an answer to another question than it was asked", err);
    *late = o->next + 1 < c->count || (c->phase != SUMMING && c->phase != CHOOSING);
    o->next++;
    o->heard++;
    return HR_OK;
}

static const asked_question *question_for(coordinator *c, size_t owner) {
    size_t index = awaited_of(c, owner);
    return index < c->count ? &c->questions[index] : NULL;
}

static hr_status on_share(coordinator *c, size_t owner, const Hedgerow__Share *share, hr_error *err) {
    const asked_question *q = question_for(c, owner);
    bool late = false,
         fits = q && !q->outcome.choice && share->position == q->position && share->n_values == q->values;
    hr_status status = settle_answer(c, owner, fits, &late, err);
    return status || late ? status : take_share(c, owner, share, err);
}

static hr_status on_choice(coordinator *c, size_t owner, const Hedgerow__Choice *choice, hr_error *err) {
    const asked_question *q = question_for(c, owner);
    bool late = false, fits = q && q->outcome.choice && choice->turn == q->position;
    hr_status status = settle_answer(c, owner, fits, &late, err);
    if (status || late) return status;
    open_question(c)->outcome.index = choice->index;
    return ask_method(c, err);
}

/* An owner whose work is lost for good would lose every sum: it sits out more of them each time. */
static hr_status on_notice(coordinator *c, size_t owner, const Hedgerow__Notice *notice, hr_error *err) {
    asked_owner *o = &c->owners[owner];
    const asked_question *q = question_for(c, owner);
    bool late = false, fits = q && notice->kind == HEDGEROW__NOTICE__KIND__EMPTY && notice->slot == o->heard;
    hr_status status = settle_answer(c, owner, fits, &late, err);
    if (status || late) return status;
    if (c->phase == SUMMING && o->notices < 16) o->rest = (size_t)1 << o->notices++;
    return lose_by(c, owner, "has no answer", err);
}

/* ---- Messages ---- */

static hr_status start_job(coordinator *c, hr_error *err) {
    if (!hr_coordinator_job_list(&c->job)) return fail_job(c, "no owner takes part", err);
    hr_status status = hr_coordinator_job_start(&c->job, err);
    return status ? status : ask_method(c, err);
}

/* A member ended its part, so that it is no longer awaited. */
static hr_status continue_without(hr_protocol *self, size_t member, hr_error *err) {
    coordinator *c = (coordinator *)self;
    const size_t owner = hr_members_position(c->job.start.owners, owner_count(c), member);
    if (c->phase == OFFERED)
        return hr_coordinator_job_invited(&c->job, member) && hr_coordinator_job_answered(&c->job)
                   ? start_job(c, err)
                   : HR_OK;
    if (owner == owner_count(c)) return HR_OK;
    if (c->phase == ALONE && !has_owner_left(c)) return lose(c, "no owner is left", err);
    return owes_answer(c, owner) ? lose_by(c, owner, "ended its part", err) : HR_OK;
}

static hr_status on_answer(hr_protocol *self, size_t from, const Hedgerow__Answer *answer, hr_error *err) {
    coordinator *c = (coordinator *)self;
    hr_status status = hr_coordinator_job_answer(&c->job, from, answer, err);
    if (status) return status;
    return c->phase == OFFERED || c->job.gone[from] ? continue_without(self, from, err) : HR_OK;
}

static hr_status on_reply(hr_protocol *self, size_t from, const Hedgerow__Message *message, hr_error *err) {
    coordinator *c = (coordinator *)self;
    const size_t owner = hr_members_position(c->job.start.owners, owner_count(c), from);
    if (owner == owner_count(c))
        return hr_protocol_refuse("an answer of a member that is not an owner of this job", err);
    c->owners[owner].missing = false;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SHARE: return on_share(c, owner, message->share, err);
    case HEDGEROW__MESSAGE__KIND_CHOICE: return on_choice(c, owner, message->choice, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(c, owner, message->notice, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

static hr_status hear(coordinator *c, const hr_event *event, hr_error *err) {
    static const hr_coordinator_acts acts = {on_answer, on_reply, continue_without};
    return c->phase == OVER ? HR_OK : hr_coordinator_job_hear(&c->job, event, &acts, err);
}

/* ---- The deadline ---- */

/* An owner that was asked and has not answered is not asked again before it is heard of. */
static hr_status lose_late(coordinator *c, hr_error *err) {
    size_t missing = 0, first = 0;
    for (size_t i = owner_count(c); i-- > 0;) {
        if (!owes_answer(c, i)) continue;
        c->owners[i].missing = true;
        first = i;
        missing++;
    }
    if (missing == 1) return lose_by(c, first, "has not answered within the deadline", err);
    char what[HR_ACTION_TEXT];
    snprintf(what, sizeof what, "and %zu more have not answered within the deadline", missing - 1);
    return lose_by(c, first, what, err);
}

static hr_status away(coordinator *c, hr_error *err) {
    switch (c->phase) {
    case OFFERED: return start_job(c, err);
    case SUMMING:
    case CHOOSING: return lose_late(c, err);
    case ALONE: return lose(c, "no owner has been heard of within the deadline", err);
    case THINKING:
    case OVER: break;
    }
    return HR_OK;
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
    return c->phase != THINKING && c->phase != OVER;
}

static void free_coordinator(hr_protocol *self) {
    coordinator *c = (coordinator *)self;
    hr_coordinator_job_done(&c->job);
    for (size_t i = 0; i < c->count; i++) free(c->questions[i].sums);
    free(c->questions);
    free(c);
}

hr_status hr_securesum_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    coordinator *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->job.protocol = (hr_protocol){.feed = feed_coordinator,
                                    .waits = coordinator_waits,
                                    .free = free_coordinator,
                                    .start = &c->job.start};
    c->job.setup = *setup;
    c->job.masked = true;
    hr_status status = hr_coordinator_job_read(&c->job, err);
    if (!status) status = hr_securesum_terms_check(&c->job.protocol, c->job.terms, err);
    if (!status) status = hr_coordinator_job_offer(&c->job, err);
    if (status)
        hr_protocol_free(&c->job.protocol);
    else
        *out = &c->job.protocol;
    return status;
}

/* ---- What its party asks ---- */

size_t hr_securesum_outcomes(const hr_protocol *self) {
    const coordinator *c = (const coordinator *)self;
    bool open = c->phase == SUMMING || c->phase == CHOOSING || c->phase == ALONE;
    return c->count - open;
}

bool hr_securesum_outcome(const hr_protocol *self, size_t index, hr_sum_outcome *out) {
    if (index >= hr_securesum_outcomes(self)) return false;
    *out = ((const coordinator *)self)->questions[index].outcome;
    return true;
}

size_t hr_securesum_here(const hr_protocol *self) {
    uint8_t set[HR_SUM_SET_BYTES];
    return next_set((const coordinator *)self, set);
}

/* Alone, the coordinator waits for anybody. */
static bool is_awaited(const coordinator *c, size_t owner) {
    if (c->phase == ALONE) return !is_gone(c, owner);
    return (c->phase == SUMMING || c->phase == CHOOSING) && hr_sum_set_has(open_question(c)->set, owner) &&
           c->owners[owner].next < c->count;
}

bool hr_securesum_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const coordinator *c = (const coordinator *)self;
    const size_t owner = hr_members_position(c->job.start.owners, owner_count(c), member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (owner == owner_count(c)) return true;
    out->awaited = is_awaited(c, owner);
    out->trees = c->owners[owner].shares;
    out->skipped = c->sums - out->trees;
    return true;
}
