/* The coordinator's part in secure sums and choices. An owner answers questions in the order in which
 * it received them, so the one answer that it may send next is always known. */
#include "federation/machines/securesum.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Its state ---- */

/* What the job waits for while it is RUNNING. */
typedef enum sum_phase {
    PREPARING, /* owners get ready for a sum; it is over those that did so */
    SUMMING,
    CHOOSING,
    ALONE /* a sum is next, and every owner is missing */
} sum_phase;

/* A question that was sent, or that no owner was there for. */
typedef struct asked_question {
    hr_sum_outcome outcome;
    size_t position;               /* of the sum, or the turn: as its message has it */
    bool prepared;                 /* a sum: owners get ready for it first */
    uint8_t set[HR_SUM_SET_BYTES]; /* the owners that it was sent to; PREPARING: that are ready so far */
    uint64_t *sums;
    size_t values, left; /* left: answers that are missing */
} asked_question;

/* What is known of an owner of the start. */
typedef struct asked_owner {
    bool missing;         /* it did not answer before a deadline, and sent nothing since */
    size_t notices, rest; /* how often it had a sum dropped; sums that it sits out for it */
    size_t turns, shares; /* choices that it had; sums that have its share */
    size_t next;          /* questions below it the owner has answered, or did not have */
    bool prepared;        /* it has sent Ready, or a Notice in its place, for that question */
    size_t received;      /* of those, how many it received */
} asked_owner;

typedef struct sum_coordinator {
    hr_coordinator_job job;
    sum_phase phase;
    asked_question *questions; /* the last one is open while the job is RUNNING */
    size_t count, capacity, sums;
    asked_owner owners[HR_MEMBERS_MAX]; /* by position */
    size_t chooser;                     /* the position after the one that chose last */
} sum_coordinator;

static bool is_gone(const sum_coordinator *c, size_t owner) {
    return c->job.gone[c->job.start.owners[owner]];
}

static size_t owner_count(const sum_coordinator *c) {
    return c->job.start.owner_count;
}

static asked_question *open_question(const sum_coordinator *c) {
    return &c->questions[c->count - 1];
}

/* ---- Between questions ---- */

static bool is_open(const sum_coordinator *c) {
    return c->job.phase == HR_COORDINATOR_RUNNING;
}

/* The open question has no outcome. */
static hr_status drop_question(sum_coordinator *c, const char *why, hr_error *err) {
    asked_question *q = open_question(c);
    free(q->sums);
    q->sums = NULL;
    q->outcome.dropped = true;
    hr_status status =
        hr_protocol_emit(&c->job.protocol, HR_ACT_WARN, 0, err, "question %zu is lost: %s", c->count, why);
    return status ? status : hr_coordinator_job_next_question(&c->job, err);
}

static hr_status drop_missing(sum_coordinator *c, size_t owner, const char *what, hr_error *err) {
    char why[HR_ACTION_TEXT];
    snprintf(why, sizeof why, "owner %.100s %s", hr_coordinator_job_owner(&c->job, owner), what);
    return drop_question(c, why, err);
}

/* Adds an open question of nobody. Fails: MEMORY. */
static hr_status add_question(sum_coordinator *c, const asked_question *question, hr_error *err) {
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

static bool is_there(const sum_coordinator *c, size_t owner) {
    return !is_gone(c, owner) && !c->owners[owner].missing;
}

/* Takes those who sit out of a set, unless nobody else is in it; how many are left. */
static size_t leave_out_resting(const sum_coordinator *c, uint8_t set[HR_SUM_SET_BYTES]) {
    uint8_t rested[HR_SUM_SET_BYTES] = {0};
    size_t count = 0, all = 0;
    for (size_t i = 0; i < owner_count(c); i++) {
        const bool in = hr_sum_set_has(set, i), stays = in && !c->owners[i].rest;
        rested[i / 8] |= (uint8_t)(stays << i % 8);
        all += in;
        count += stays;
    }
    if (count) memcpy(set, rested, HR_SUM_SET_BYTES);
    return count ? count : all;
}

/* Whom the next sum is over: owners that are not missing, and of those who sit out none, unless all do. */
static size_t next_set(const sum_coordinator *c, uint8_t set[HR_SUM_SET_BYTES]) {
    memset(set, 0, HR_SUM_SET_BYTES);
    for (size_t i = 0; i < owner_count(c); i++)
        if (is_there(c, i)) set[i / 8] |= (uint8_t)(1 << i % 8);
    return leave_out_resting(c, set);
}

/* A sum has its owners. */
static void count_rests(sum_coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++) c->owners[i].rest -= c->owners[i].rest > 0;
}

/* An owner whose work is lost for good would have every sum dropped: it sits out more of them each time. */
static void let_rest(asked_owner *o) {
    if (o->notices < 16) o->rest = (size_t)1 << o->notices++;
}

static hr_status send_to_all(sum_coordinator *c, Hedgerow__Message__KindCase kind, const void *content,
                             hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < owner_count(c); i++)
        if (!is_gone(c, i))
            status = hr_protocol_send(&c->job.protocol, c->job.start.owners[i], kind, content, err);
    return status;
}

static ProtobufCBinaryData set_of(const sum_coordinator *c, const asked_question *q) {
    return hr_data_of(q->set, hr_sum_set_size(owner_count(c)));
}

static hr_status send_ask(sum_coordinator *c, const asked_question *q, ProtobufCBinaryData body,
                          hr_error *err) {
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = (uint32_t)q->position;
    if (!q->prepared) ask.members = set_of(c, q);
    ask.body = body;
    return send_to_all(c, HEDGEROW__MESSAGE__KIND_ASK, &ask, err);
}

static bool has_owner_left(const sum_coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (!is_gone(c, i)) return true;
    return false;
}

/* It goes to all owners; those that are missing are not waited for, unless all are. */
static hr_status begin_preparing(sum_coordinator *c, const Hedgerow__Question *question, hr_error *err) {
    const asked_question q = {.position = c->sums, .prepared = true, .values = question->values};
    hr_status status = add_question(c, &q, err);
    c->job.phase = HR_COORDINATOR_RUNNING;
    c->phase = PREPARING;
    if (status) return status;
    if (!has_owner_left(c)) return drop_question(c, "no owner is left", err);
    const bool all_missing = !hr_securesum_here(&c->job.protocol);
    for (size_t i = 0; i < owner_count(c) && all_missing; i++) c->owners[i].missing = false;
    c->sums++;
    return send_ask(c, &q, question->body, err);
}

static hr_status begin_sum(sum_coordinator *c, const Hedgerow__Question *question, hr_error *err) {
    asked_question q = {.position = c->sums, .values = question->values};
    if (question->prepared) return begin_preparing(c, question, err);
    q.outcome.members = q.left = next_set(c, q.set);
    count_rests(c);
    hr_status status = add_question(c, &q, err);
    c->job.phase = HR_COORDINATOR_RUNNING;
    c->phase = ALONE;
    if (status) return status;
    if (!q.left) return has_owner_left(c) ? HR_OK : drop_question(c, "no owner is left", err);
    c->phase = SUMMING;
    c->sums++;
    open_question(c)->sums = calloc(q.values, sizeof *q.sums);
    return open_question(c)->sums ? send_ask(c, &q, question->body, err) : hr_fail_memory(err);
}

static hr_status take_share(sum_coordinator *c, size_t owner, const Hedgerow__Share *share, hr_error *err) {
    asked_question *q = open_question(c);
    for (size_t i = 0; i < q->values; i++) q->sums[i] += share->values[i];
    c->owners[owner].shares++;
    c->job.protocol.advances++;
    if (--q->left) return HR_OK;
    q->outcome.sums = q->sums;
    q->outcome.count = q->values;
    return hr_coordinator_job_next_question(&c->job, err);
}

/* ---- Choices ---- */

/* The next owner in order that is not missing and has a turn left; the number of owners if there is none. */
static size_t next_chooser(const sum_coordinator *c, size_t turns) {
    for (size_t i = 0; i < owner_count(c); i++) {
        size_t owner = (c->chooser + i) % owner_count(c);
        if (is_there(c, owner) && c->owners[owner].turns < turns) return owner;
    }
    return owner_count(c);
}

static hr_status begin_choice(sum_coordinator *c, const Hedgerow__Question *question, hr_error *err) {
    const size_t owner = next_chooser(c, question->turns);
    const bool somebody = owner < owner_count(c);
    asked_question q = {.outcome = {.choice = true, .member = HR_NO_MEMBER}, .left = somebody};
    if (somebody) {
        q.outcome.member = c->job.start.owners[owner];
        q.position = ++c->owners[owner].turns;
        q.set[owner / 8] |= (uint8_t)(1 << owner % 8);
        c->chooser = owner + 1;
    }
    hr_status status = add_question(c, &q, err);
    c->job.phase = HR_COORDINATOR_RUNNING;
    c->phase = CHOOSING;
    if (status) return status;
    if (!somebody) return drop_question(c, "no owner is there that may choose", err);
    Hedgerow__Turn turn = HEDGEROW__TURN__INIT;
    turn.turn = (uint32_t)q.position;
    turn.body = question->body;
    return hr_protocol_send(&c->job.protocol, q.outcome.member, HEDGEROW__MESSAGE__KIND_TURN, &turn, err);
}

/* ---- Questions of the method ---- */

/* What stands around a body or a model in a message. */
enum { FRAME = 256 };

static bool question_fits(const Hedgerow__Question *q) {
    return !!q->values + !!q->turns + !!q->done == 1 && q->values <= HR_SUM_VALUES_MAX &&
           q->body.len <= HR_MESSAGE_MAX - FRAME && q->model.len <= HR_MESSAGE_MAX - FRAME;
}

static hr_status on_question(hr_protocol *self, const Hedgerow__Question *question, hr_error *err) {
    sum_coordinator *c = (sum_coordinator *)self;
    if (question->done)
        return hr_coordinator_job_complete(&c->job, question->model, "the model is complete", err);
    if (c->count == HR_QUESTIONS_MAX)
        return hr_coordinator_job_fail(&c->job, HR_JOB_FAILED, "the method asked too often", err);
    return question->values ? begin_sum(c, question, err) : begin_choice(c, question, err);
}

/* ---- Answers ---- */

static bool is_being_prepared(const sum_coordinator *c, const asked_question *q) {
    return is_open(c) && c->phase == PREPARING && q == open_question(c);
}

/* The oldest question that an owner has not answered; the number of questions if there is none. */
static size_t awaited_of(sum_coordinator *c, size_t owner) {
    asked_owner *o = &c->owners[owner];
    for (; o->next < c->count; o->next++, o->prepared = false) {
        const asked_question *q = &c->questions[o->next];
        if ((q->prepared && !o->prepared) || is_being_prepared(c, q) || hr_sum_set_has(q->set, owner)) break;
        o->received += !q->outcome.choice && q->outcome.members > 0;
    }
    return o->next;
}

/* Whether an answer to the open question is missing from an owner. */
static bool owes_answer(sum_coordinator *c, size_t owner) {
    return is_open(c) && c->phase != ALONE && c->phase != PREPARING &&
           hr_sum_set_has(open_question(c)->set, owner) && awaited_of(c, owner) < c->count;
}

static const char other_question[] = "an answer to another question than it was asked";

/* Takes the answer of an owner to its oldest question, `fits` if it is one to that question. *late: the
 * question is no longer open. Fails: POLICY. */
static hr_status settle_answer(sum_coordinator *c, size_t owner, bool fits, bool *late, hr_error *err) {
    asked_owner *o = &c->owners[owner];
    if (!fits) return hr_protocol_refuse(other_question, err);
    *late = o->next + 1 < c->count || !is_open(c) || c->phase == ALONE;
    o->next++;
    o->prepared = false;
    o->received++;
    return HR_OK;
}

static const asked_question *question_for(sum_coordinator *c, size_t owner) {
    const size_t index = awaited_of(c, owner);
    return index < c->count ? &c->questions[index] : NULL;
}

/* Whether the owner answers the question itself next, and not whether it is ready for it. */
static bool is_named(const sum_coordinator *c, size_t owner, const asked_question *q) {
    return !is_being_prepared(c, q) && (!q->prepared || c->owners[owner].prepared);
}

static hr_status on_share(sum_coordinator *c, size_t owner, const Hedgerow__Share *share, hr_error *err) {
    const asked_question *q = question_for(c, owner);
    bool late = false, fits = q && !q->outcome.choice && is_named(c, owner, q) &&
                              share->position == q->position && share->n_values == q->values;
    hr_status status = settle_answer(c, owner, fits, &late, err);
    return status || late ? status : take_share(c, owner, share, err);
}

static hr_status on_choice(sum_coordinator *c, size_t owner, const Hedgerow__Choice *choice, hr_error *err) {
    const asked_question *q = question_for(c, owner);
    bool late = false, fits = q && q->outcome.choice && choice->turn == q->position;
    hr_status status = settle_answer(c, owner, fits, &late, err);
    if (status || late) return status;
    open_question(c)->outcome.index = choice->index;
    return hr_coordinator_job_next_question(&c->job, err);
}

/* ---- Sums that are prepared ---- */

/* Whether its Ready for the open question, or a Notice in its place, has come. */
static bool has_prepared(sum_coordinator *c, size_t owner) {
    return awaited_of(c, owner) + 1 == c->count && c->owners[owner].prepared;
}

static hr_status warn_of(sum_coordinator *c, size_t owner, const char *what, hr_error *err) {
    return hr_protocol_emit(&c->job.protocol, HR_ACT_WARN, 0, err, "question %zu goes on: owner %.100s %s",
                            c->count, hr_coordinator_job_owner(&c->job, owner), what);
}

/* Of those that are ready. */
static hr_status choose_owners(sum_coordinator *c, asked_question *q, hr_error *err) {
    const asked_question ready = *q;
    hr_status status = HR_OK;
    q->left = leave_out_resting(c, q->set);
    for (size_t i = 0; !status && i < owner_count(c); i++)
        if (hr_sum_set_has(ready.set, i) && !hr_sum_set_has(q->set, i))
            status = warn_of(c, i, "sits out, since it was ready for a sum and had no share", err);
    if (q->left) count_rests(c);
    return status;
}

static hr_status name_owners(sum_coordinator *c, hr_error *err) {
    asked_question *q = open_question(c);
    Hedgerow__Members members = HEDGEROW__MEMBERS__INIT;
    hr_status status = choose_owners(c, q, err);
    if (status) return status;
    if (!q->left) return drop_question(c, "no owner is ready", err);
    if (!(q->sums = calloc(q->values, sizeof *q->sums))) return hr_fail_memory(err);
    q->outcome.members = q->left;
    c->phase = SUMMING;
    c->job.protocol.advances++;
    members.position = (uint32_t)q->position;
    members.members = set_of(c, q);
    return send_to_all(c, HEDGEROW__MESSAGE__KIND_MEMBERS, &members, err);
}

static hr_status name_if_complete(sum_coordinator *c, hr_error *err) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (is_there(c, i) && !has_prepared(c, i)) return HR_OK;
    return name_owners(c, err);
}

/* Its Ready, or a Notice in its place, has come. False: it is too late to matter. */
static bool settle_prepared(sum_coordinator *c, size_t owner) {
    asked_owner *o = &c->owners[owner];
    const bool matters = is_being_prepared(c, &c->questions[o->next]);
    o->prepared = true;
    o->received++;
    c->job.protocol.advances += matters;
    return matters;
}

static hr_status on_ready(sum_coordinator *c, size_t owner, const Hedgerow__Ready *ready, hr_error *err) {
    const asked_question *q = question_for(c, owner);
    if (!q || is_named(c, owner, q) || c->owners[owner].prepared || ready->sum != q->position + 1)
        return hr_protocol_refuse(other_question, err);
    if (!settle_prepared(c, owner)) return HR_OK;
    open_question(c)->set[owner / 8] |= (uint8_t)(1 << owner % 8);
    return name_if_complete(c, err);
}

static hr_status on_notice(sum_coordinator *c, size_t owner, const Hedgerow__Notice *notice, hr_error *err) {
    asked_owner *o = &c->owners[owner];
    const asked_question *q = question_for(c, owner);
    bool late = false,
         fits = q && notice->kind == HEDGEROW__NOTICE__KIND__EMPTY && notice->slot == o->received;
    if (fits && !is_named(c, owner, q)) {
        if (o->prepared) return hr_protocol_refuse(other_question, err);
        if (!settle_prepared(c, owner)) return HR_OK;
        hr_status status = warn_of(c, owner, "has no answer", err);
        return status ? status : name_if_complete(c, err);
    }
    hr_status status = settle_answer(c, owner, fits, &late, err);
    if (status || late) return status;
    if (c->phase == SUMMING) let_rest(o);
    return drop_missing(c, owner, "has no answer", err);
}

/* ---- Messages ---- */

static hr_status on_message(hr_protocol *self, size_t owner, const Hedgerow__Message *message,
                            hr_error *err) {
    sum_coordinator *c = (sum_coordinator *)self;
    c->owners[owner].missing = false;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SHARE: return on_share(c, owner, message->share, err);
    case HEDGEROW__MESSAGE__KIND_READY: return on_ready(c, owner, message->ready, err);
    case HEDGEROW__MESSAGE__KIND_CHOICE: return on_choice(c, owner, message->choice, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(c, owner, message->notice, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

static hr_status continue_without(hr_protocol *self, size_t owner, hr_error *err) {
    sum_coordinator *c = (sum_coordinator *)self;
    const bool preparing = is_open(c) && c->phase == PREPARING;
    if (is_open(c) && (preparing || c->phase == ALONE) && !has_owner_left(c))
        return drop_question(c, "no owner is left", err);
    if (preparing) {
        open_question(c)->set[owner / 8] &= (uint8_t) ~(1 << owner % 8);
        return name_if_complete(c, err);
    }
    return owes_answer(c, owner) ? drop_missing(c, owner, "ended its part", err) : HR_OK;
}

/* ---- The deadline ---- */

/* Who has not answered is missing until it sends something; who had said that it was ready sits out, too. */
static hr_status go_on_without_late(sum_coordinator *c, hr_error *err) {
    const bool preparing = c->phase == PREPARING;
    char what[120] = "has not answered in time";
    size_t missing = 0, first = 0;
    for (size_t i = owner_count(c); i-- > 0;) {
        if (preparing ? !is_there(c, i) || has_prepared(c, i) : !owes_answer(c, i)) continue;
        c->owners[i].missing = true;
        if (!preparing && open_question(c)->prepared) let_rest(&c->owners[i]);
        first = i;
        missing++;
    }
    if (missing > 1) snprintf(what, sizeof what, "and %zu more have not answered in time", missing - 1);
    if (!preparing) return drop_missing(c, first, what, err);
    hr_status status = warn_of(c, first, what, err);
    return status ? status : name_owners(c, err);
}

static hr_status on_timeout(hr_protocol *self, hr_error *err) {
    sum_coordinator *c = (sum_coordinator *)self;
    return c->phase == ALONE ? drop_question(c, "no owner has been heard of in time", err)
                             : go_on_without_late(c, err);
}

/* ---- The machine ---- */

static hr_status begin_questions(hr_protocol *self, hr_error *err) {
    return hr_coordinator_job_next_question((hr_coordinator_job *)self, err);
}

static void free_questions(hr_protocol *self) {
    sum_coordinator *c = (sum_coordinator *)self;
    for (size_t i = 0; i < c->count; i++) free(c->questions[i].sums);
    free(c->questions);
}

static const hr_coordinator_rules rules = {
    .masked = true,
    .check = hr_securesum_terms_check,
    .started = begin_questions,
    .message = on_message,
    .stranger = "an answer of a member that is not an owner of this job",
    .without = continue_without,
    .timeout = on_timeout,
    .fits = question_fits,
    .question = on_question,
    .done = free_questions,
};

hr_status hr_securesum_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    sum_coordinator *c = calloc(1, sizeof *c);
    return c ? hr_coordinator_job_open(&c->job, &rules, setup, out, err) : hr_fail_memory(err);
}

/* ---- For its party ---- */

size_t hr_securesum_outcomes(const hr_protocol *self) {
    const sum_coordinator *c = (const sum_coordinator *)self;
    return c->count - is_open(c);
}

bool hr_securesum_outcome(const hr_protocol *self, size_t index, hr_sum_outcome *out) {
    if (index >= hr_securesum_outcomes(self)) return false;
    *out = ((const sum_coordinator *)self)->questions[index].outcome;
    return true;
}

size_t hr_securesum_here(const hr_protocol *self) {
    uint8_t set[HR_SUM_SET_BYTES];
    return next_set((const sum_coordinator *)self, set);
}

/* Alone, the coordinator waits for anybody. */
static bool is_awaited(const sum_coordinator *c, size_t owner) {
    if (!is_open(c)) return false;
    if (c->phase == ALONE) return !is_gone(c, owner);
    const asked_owner *o = &c->owners[owner];
    if (c->phase == PREPARING) return is_there(c, owner) && (o->next + 1 < c->count || !o->prepared);
    return hr_sum_set_has(open_question(c)->set, owner) && o->next < c->count;
}

bool hr_securesum_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const sum_coordinator *c = (const sum_coordinator *)self;
    const size_t owner = hr_coordinator_job_position(&c->job, member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (owner == owner_count(c)) return true;
    out->awaited = is_awaited(c, owner);
    out->trees = c->owners[owner].shares;
    out->skipped = c->sums - out->trees;
    return true;
}
