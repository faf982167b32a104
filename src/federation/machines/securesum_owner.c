/* An owner's part in secure sums and choices. What it needs for its safety is here and in its gate: it hears
 * every position once and in order, answers each question at most once, and masks an answer by all that it
 * was told. */
#include "federation/machines/securesum.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct heard_question {
    hr_sum_question shown;
    uint8_t set[HR_SUM_SET_BYTES]; /* of a sum */
    hr_digest context;             /* of a sum: the chain, this question included */
} heard_question;

typedef struct owner {
    hr_owner_job job;
    heard_question *questions;
    size_t count, capacity, bytes; /* of the questions; bytes: of their bodies */
    size_t next;                   /* questions below it are answered, or were for others */
    bool works;                    /* on that one */
    size_t sums, turns;            /* heard so far */
    hr_digest chain;
    hr_mask_pairs *pairs; /* from the start on */
    hr_bytes model;
} owner;

/* ---- The chain ---- */

static const char chain_domain[] = "hedgerow sum chain 1";

static void begin_chain(owner *o) {
    const hr_start *s = &o->job.start;
    uint8_t bytes[HR_DIGEST_SIZE + HR_MEMBERS_MAX * HR_MASK_KEY_SIZE];
    size_t keys = s->owner_count * HR_MASK_KEY_SIZE;
    memcpy(bytes, s->digest.bytes, HR_DIGEST_SIZE);
    memcpy(bytes + HR_DIGEST_SIZE, s->masks, keys);
    o->chain = hr_digest_of(chain_domain, bytes, HR_DIGEST_SIZE + keys);
}

/* Over all that the question says, so that two owners go on alike only if they were told the same. */
static hr_status extend_chain(owner *o, const Hedgerow__Ask *ask, hr_error *err) {
    size_t size = protobuf_c_message_get_packed_size(&ask->base);
    uint8_t *bytes = malloc(HR_DIGEST_SIZE + size);
    if (!bytes) return hr_fail_memory(err);
    memcpy(bytes, o->chain.bytes, HR_DIGEST_SIZE);
    protobuf_c_message_pack(&ask->base, bytes + HR_DIGEST_SIZE);
    o->chain = hr_digest_of(chain_domain, bytes, HR_DIGEST_SIZE + size);
    free(bytes);
    return HR_OK;
}

/* ---- Questions ---- */

/* Owns a copy of the body from then on. Fails: POLICY (more than a job needs), MEMORY. */
static hr_status keep_question(owner *o, heard_question *question, ProtobufCBinaryData body, hr_error *err) {
    if (o->count == HR_QUESTIONS_MAX || body.len > HR_QUESTION_BYTES_MAX - o->bytes)
        return hr_protocol_refuse("more questions than a job needs", err);
    if (o->count == o->capacity) {
        size_t capacity = 2 * o->capacity + 8;
        heard_question *larger = realloc(o->questions, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        o->questions = larger;
        o->capacity = capacity;
    }
    hr_status status = hr_bytes_copy(body.data, body.len, &question->shown.body, err);
    if (status) return status;
    o->bytes += body.len;
    o->questions[o->count++] = *question;
    return HR_OK;
}

/* The owners of a sum: *members of them. Fails: POLICY (a set of another size, or nobody). */
static hr_status read_set(const owner *o, ProtobufCBinaryData set, heard_question *out, hr_error *err) {
    const size_t owners = o->job.start.owner_count;
    if (set.len != hr_sum_set_size(owners))
        return hr_protocol_refuse("a sum over a set that is not one of the job's owners", err);
    memcpy(out->set, set.data, set.len);
    for (size_t i = 0; i < 8 * set.len; i++) {
        if (!hr_sum_set_has(out->set, i)) continue;
        if (i >= owners) return hr_protocol_refuse("a sum over an owner that the job does not have", err);
        out->shown.members++;
    }
    return out->shown.members ? HR_OK : hr_protocol_refuse("a sum that names no owner", err);
}

static hr_status on_ask(owner *o, const Hedgerow__Ask *ask, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("a sum without a job", err);
    if (ask->position != o->sums) return hr_protocol_refuse("a sum out of order", err);
    heard_question question = {.shown = {.position = ask->position}};
    hr_status status = read_set(o, ask->members, &question, err);
    if (!status) status = extend_chain(o, ask, err);
    if (status) return status;
    question.context = o->chain;
    question.shown.here = hr_sum_set_has(question.set, hr_securesum_self(&o->job.protocol));
    o->sums++;
    return keep_question(o, &question, ask->body, err);
}

static hr_status on_turn(owner *o, const Hedgerow__Turn *turn, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("a choice without a job", err);
    if (turn->turn != o->turns + 1) return hr_protocol_refuse("a choice out of order", err);
    heard_question question = {.shown = {.choice = true, .position = o->turns++, .here = true}};
    return keep_question(o, &question, turn->body, err);
}

/* ---- Answers ---- */

/* Begins the oldest question that it has not answered. */
static hr_status continue_owner(owner *o, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING || o->works) return HR_OK;
    while (o->next < o->count && !o->questions[o->next].shown.here) o->next++;
    if (o->next == o->count) return HR_OK;
    o->works = true;
    return hr_protocol_act(&o->job.protocol, (hr_action){.kind = HR_ACT_TRAIN, .slot = o->next}, err);
}

static hr_status send_nothing(owner *o, size_t index, hr_error *err) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = (uint32_t)index;
    notice.kind = HEDGEROW__NOTICE__KIND__EMPTY;
    return hr_protocol_send(&o->job.protocol, o->job.setup.coordinator, HEDGEROW__MESSAGE__KIND_NOTICE,
                            &notice, err);
}

static hr_status send_answer(owner *o, const hr_sum_question *question, const hr_event *event,
                             hr_error *err) {
    const Hedgerow__Message__KindCase kind =
        question->choice ? HEDGEROW__MESSAGE__KIND_CHOICE : HEDGEROW__MESSAGE__KIND_SHARE;
    ProtobufCMessage *answer = NULL;
    hr_status status =
        hr_message_unpack(question->choice ? &hedgerow__choice__descriptor : &hedgerow__share__descriptor,
                          event->bytes, event->size, &answer, err);
    if (!status) status = hr_protocol_send(&o->job.protocol, o->job.setup.coordinator, kind, answer, err);
    hr_message_unpacked_free(answer);
    return status;
}

static hr_status worked(owner *o, const hr_event *event, hr_error *err) {
    if (!o->works) return HR_OK;
    o->works = false;
    const size_t index = o->next++;
    if (o->job.phase != HR_OWNER_RUNNING) return HR_OK;
    hr_status status =
        event->size ? send_answer(o, &o->questions[index].shown, event, err) : send_nothing(o, index, err);
    return status ? status : continue_owner(o, err);
}

/* ---- Messages ---- */

static hr_status on_terms(owner *o, const Hedgerow__Terms *terms, hr_error *err) {
    hr_status status = hr_securesum_terms_check(&o->job.protocol, terms, err);
    return status ? status : hr_owner_job_offered(&o->job, terms, err);
}

static hr_status pair_up(owner *o, hr_error *err) {
    const hr_start *start = &o->job.start;
    const hr_mask_job job = {.secret = o->job.setup.secret,
                             .id = o->job.setup.job.bytes,
                             .keys = start->masks,
                             .owner_count = start->owner_count,
                             .self = hr_securesum_self(&o->job.protocol)};
    return hr_mask_pairs_new(&job, &o->pairs, err);
}

static hr_status on_start(owner *o, const Hedgerow__Start *start, hr_error *err) {
    hr_status status = hr_owner_job_started(&o->job, start, err);
    if (status || o->job.phase != HR_OWNER_RUNNING) return status;
    begin_chain(o);
    return pair_up(o, err);
}

static hr_status on_finish(owner *o, const Hedgerow__Finish *finish, hr_error *err) {
    if (o->job.phase == HR_OWNER_RUNNING && !finish->reason.len && finish->model.len) {
        hr_status status = hr_bytes_copy(finish->model.data, finish->model.len, &o->model, err);
        if (status) return status;
    }
    return hr_owner_job_finished(&o->job, finish, err);
}

static hr_status act_for_coordinator(hr_protocol *self, const Hedgerow__Message *message, hr_error *err) {
    owner *o = (owner *)self;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_TERMS: return on_terms(o, message->terms, err);
    case HEDGEROW__MESSAGE__KIND_START: return on_start(o, message->start, err);
    case HEDGEROW__MESSAGE__KIND_ASK: return on_ask(o, message->ask, err);
    case HEDGEROW__MESSAGE__KIND_TURN: return on_turn(o, message->turn, err);
    case HEDGEROW__MESSAGE__KIND_FINISH: return on_finish(o, message->finish, err);
    default: return hr_protocol_refuse("a message that is not for owners", err);
    }
}

static hr_status go_on(hr_protocol *self, hr_error *err) {
    return continue_owner((owner *)self, err);
}

static const hr_owner_acts owner_acts = {.coordinator = act_for_coordinator, .go_on = go_on};

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
    owner *o = (owner *)self;
    for (size_t i = 0; i < o->count; i++) free(o->questions[i].shown.body.at);
    free(o->questions);
    hr_mask_pairs_free(o->pairs);
    free(o->model.at);
    free(o);
}

hr_status hr_securesum_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    o->job.protocol =
        (hr_protocol){.feed = feed_owner, .waits = owner_waits, .free = free_owner, .start = &o->job.start};
    o->job.setup = *setup;
    o->job.masked = true;
    *out = &o->job.protocol;
    return HR_OK;
}

/* ---- Answers as bytes ---- */

hr_status hr_securesum_pack_share(const hr_sum_question *question, const uint64_t *values, size_t count,
                                  hr_bytes *out, hr_error *err) {
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = (uint32_t)question->position;
    share.values = (uint64_t *)values;
    share.n_values = count;
    return hr_message_pack(&share.base, out, err);
}

hr_status hr_securesum_pack_choice(const hr_sum_question *question, uint32_t index, hr_bytes *out,
                                   hr_error *err) {
    Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
    choice.turn = (uint32_t)question->position + 1;
    choice.index = index;
    return hr_message_pack(&choice.base, out, err);
}

/* ---- What its party asks ---- */

size_t hr_securesum_self(const hr_protocol *self) {
    const owner *o = (const owner *)self;
    return hr_members_position(o->job.start.owners, o->job.start.owner_count, hr_owner_job_self(&o->job));
}

size_t hr_securesum_heard(const hr_protocol *self) {
    return ((const owner *)self)->count;
}

bool hr_securesum_question(const hr_protocol *self, size_t index, hr_sum_question *out) {
    const owner *o = (const owner *)self;
    if (index >= o->count) return false;
    *out = o->questions[index].shown;
    return true;
}

hr_status hr_securesum_mask(const hr_protocol *self, size_t index, hr_mask **out, hr_error *err) {
    const owner *o = (const owner *)self;
    const heard_question *question = index < o->count ? &o->questions[index] : NULL;
    if (!question || question->shown.choice || !question->shown.here)
        return hr_fail(err, HR_E_ARGUMENT, "", "question %zu is no sum that this owner is in", index);
    bool members[HR_MEMBERS_MAX];
    for (size_t i = 0; i < o->job.start.owner_count; i++) members[i] = hr_sum_set_has(question->set, i);
    return hr_mask_new(o->pairs, &(hr_mask_sum){members, question->context.bytes}, out, err);
}

hr_bytes hr_securesum_model(const hr_protocol *self) {
    return ((const owner *)self)->model;
}
