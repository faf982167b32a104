/* An owner's part in secure sums and choices. What it needs for its safety is here and in its gate: it takes
 * every position once and in order, answers each question at most once, and masks an answer by all questions
 * that it received. Proof: securesum_owner.proof.md. */
#include "federation/machines/securesum.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct received_question {
    hr_sum_question shown;
    uint8_t set[HR_SUM_SET_BYTES]; /* of a sum */
    hr_digest context;             /* of a sum whose owners are named: the chain, this question included */
} received_question;

typedef struct sum_owner {
    hr_owner_job job;
    received_question *questions;
    size_t count, capacity, bytes; /* of the questions; bytes: of their bodies */
    size_t next;                   /* questions below it are answered, or were for others */
    bool works;                    /* on that one */
    size_t sums, turns;            /* received so far */
    size_t unnamed;                /* 1 + the last question, if it is a sum without owners; else 0 */
    hr_digest chain;
    hr_mask_pairs *pairs; /* from the start on */
} sum_owner;

/* ---- The chain ---- */

static const char chain_domain[] = "hedgerow sum chain 1", members_domain[] = "hedgerow sum members 1";

/* Over the whole message, so that the chains of two owners agree only if they received the same ones. */
static hr_status extend_chain(sum_owner *o, const char *domain, const ProtobufCMessage *message,
                              hr_error *err) {
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(HR_DIGEST_SIZE + size);
    if (!bytes) return hr_fail_memory(err);
    memcpy(bytes, o->chain.bytes, HR_DIGEST_SIZE);
    protobuf_c_message_pack(message, bytes + HR_DIGEST_SIZE);
    o->chain = hr_digest_of(domain, bytes, HR_DIGEST_SIZE + size);
    free(bytes);
    return HR_OK;
}

/* ---- Questions ---- */

static const char too_many[] = "more questions than a job needs";

/* Fails: POLICY (more than a job needs), MEMORY. */
static hr_status add_question(sum_owner *o, const received_question *question, hr_error *err) {
    if (o->count == HR_QUESTIONS_MAX) return hr_protocol_refuse(too_many, err);
    if (o->count == o->capacity) {
        size_t capacity = 2 * o->capacity + 8;
        received_question *larger = realloc(o->questions, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        o->questions = larger;
        o->capacity = capacity;
    }
    o->questions[o->count++] = *question;
    return HR_OK;
}

/* Owns a copy of the body from then on. Fails: POLICY (more than a job needs), MEMORY. */
static hr_status keep_question(sum_owner *o, received_question *question, ProtobufCBinaryData body,
                               hr_error *err) {
    if (body.len > HR_QUESTION_BYTES_MAX - o->bytes) return hr_protocol_refuse(too_many, err);
    hr_status status = hr_bytes_copy(body.data, body.len, &question->shown.body, err);
    if (status) return status;
    status = add_question(o, question, err);
    if (status)
        free(question->shown.body.at);
    else
        o->bytes += body.len;
    return status;
}

/* The owners of a sum, and whether this one is one of them. Fails: POLICY (a set of another size, or nobody).
 */
static hr_status read_set(const sum_owner *o, ProtobufCBinaryData set, received_question *out,
                          hr_error *err) {
    const size_t owners = o->job.start.owner_count;
    if (set.len != hr_sum_set_size(owners))
        return hr_protocol_refuse("a sum over a set that is not one of the job's owners", err);
    memcpy(out->set, set.data, set.len);
    for (size_t i = 0; i < 8 * set.len; i++) {
        if (!hr_sum_set_has(out->set, i)) continue;
        if (i >= owners) return hr_protocol_refuse("a sum over an owner that the job does not have", err);
        out->shown.members++;
    }
    out->shown.here = hr_sum_set_has(out->set, hr_securesum_self(&o->job.protocol));
    return out->shown.members ? HR_OK : hr_protocol_refuse("a sum that names no owner", err);
}

static hr_status on_ask(sum_owner *o, const Hedgerow__Ask *ask, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("a sum without a job", err);
    if (ask->position != o->sums) return hr_protocol_refuse("a sum out of order", err);
    received_question question = {.shown = {.to_prepare = true,
                                            .position = ask->position,
                                            .members = o->job.start.owner_count,
                                            .here = true}};
    hr_status status = HR_OK;
    if (ask->members.len) {
        question = (received_question){.shown = {.position = ask->position}};
        status = read_set(o, ask->members, &question, err);
    }
    if (!status) status = extend_chain(o, chain_domain, &ask->base, err);
    if (status) return status;
    question.context = o->chain;
    o->sums++;
    status = keep_question(o, &question, ask->body, err);
    o->unnamed = !status && question.shown.to_prepare ? o->count : 0;
    return status;
}

/* The owners of the last sum are named once: two sets would give two answers. */
static hr_status on_members(sum_owner *o, const Hedgerow__Members *members, hr_error *err) {
    const hr_sum_question *asked = o->unnamed ? &o->questions[o->unnamed - 1].shown : NULL;
    if (o->job.phase != HR_OWNER_RUNNING || !asked || members->position != asked->position)
        return hr_protocol_refuse("owners of a sum that has owners, or was not asked for last", err);
    received_question question = {
        .shown = {.prepared = true, .position = asked->position, .body = asked->body}};
    hr_status status = read_set(o, members->members, &question, err);
    if (!status) status = extend_chain(o, members_domain, &members->base, err);
    if (status) return status;
    question.context = o->chain;
    o->unnamed = 0;
    return add_question(o, &question, err);
}

static hr_status on_turn(sum_owner *o, const Hedgerow__Turn *turn, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("a choice without a job", err);
    if (turn->turn != o->turns + 1) return hr_protocol_refuse("a choice out of order", err);
    received_question question = {.shown = {.choice = true, .position = o->turns++, .here = true}};
    o->unnamed = 0;
    return keep_question(o, &question, turn->body, err);
}

/* ---- Answers ---- */

/* Begins the oldest question that it has not answered. */
static hr_status go_on(hr_protocol *self, hr_error *err) {
    sum_owner *o = (sum_owner *)self;
    if (o->job.phase != HR_OWNER_RUNNING || o->works) return HR_OK;
    while (o->next < o->count && !o->questions[o->next].shown.here) o->next++;
    if (o->next == o->count) return HR_OK;
    o->works = true;
    return hr_protocol_act(&o->job.protocol, (hr_action){.kind = HR_ACT_TRAIN, .slot = o->next}, err);
}

typedef struct answer_kind {
    const ProtobufCMessageDescriptor *descriptor;
    Hedgerow__Message__KindCase message;
} answer_kind;

static const answer_kind *answer_kind_of(const hr_sum_question *question) {
    static const answer_kind choice = {&hedgerow__choice__descriptor, HEDGEROW__MESSAGE__KIND_CHOICE},
                             ready = {&hedgerow__ready__descriptor, HEDGEROW__MESSAGE__KIND_READY},
                             share = {&hedgerow__share__descriptor, HEDGEROW__MESSAGE__KIND_SHARE};
    return question->choice ? &choice : question->to_prepare ? &ready : &share;
}

static hr_status work_done(hr_protocol *self, const hr_event *event, hr_error *err) {
    sum_owner *o = (sum_owner *)self;
    if (!o->works) return HR_OK;
    o->works = false;
    const size_t index = o->next++;
    if (!event->size) return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__EMPTY, index, err);
    const answer_kind *kind = answer_kind_of(&o->questions[index].shown);
    ProtobufCMessage *answer = NULL;
    hr_status status = hr_message_unpack(kind->descriptor, event->bytes, event->size, &answer, err);
    if (!status) status = hr_owner_job_send(&o->job, kind->message, answer, err);
    hr_message_unpacked_free(answer);
    return status;
}

/* ---- The machine ---- */

static hr_status on_start(hr_protocol *self, hr_error *err) {
    sum_owner *o = (sum_owner *)self;
    const hr_start *start = &o->job.start;
    uint8_t bytes[HR_DIGEST_SIZE + HR_MEMBERS_MAX * HR_MASK_KEY_SIZE];
    size_t keys = start->owner_count * HR_MASK_KEY_SIZE;
    memcpy(bytes, start->digest.bytes, HR_DIGEST_SIZE);
    memcpy(bytes + HR_DIGEST_SIZE, start->masks, keys);
    o->chain = hr_digest_of(chain_domain, bytes, HR_DIGEST_SIZE + keys);

    const hr_mask_job job = {.secret = o->job.setup.secret,
                             .id = o->job.setup.job.bytes,
                             .keys = start->masks,
                             .owner_count = start->owner_count,
                             .self = hr_securesum_self(&o->job.protocol)};
    return hr_mask_pairs_new(&job, &o->pairs, err);
}

static hr_status on_coordinator(hr_protocol *self, const hr_event *event, const Hedgerow__Message *message,
                                hr_error *err) {
    (void)event;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_ASK: return on_ask((sum_owner *)self, message->ask, err);
    case HEDGEROW__MESSAGE__KIND_MEMBERS: return on_members((sum_owner *)self, message->members, err);
    case HEDGEROW__MESSAGE__KIND_TURN: return on_turn((sum_owner *)self, message->turn, err);
    default: return hr_protocol_refuse("a message that is not for owners", err);
    }
}

static void free_questions(hr_protocol *self) {
    sum_owner *o = (sum_owner *)self;
    for (size_t i = 0; i < o->count; i++)
        if (!o->questions[i].shown.prepared) free(o->questions[i].shown.body.at);
    free(o->questions);
    hr_mask_pairs_free(o->pairs);
}

static const hr_owner_rules rules = {
    .masked = true,
    .check = hr_securesum_terms_check,
    .started = on_start,
    .coordinator = on_coordinator,
    .work_done = work_done,
    .go_on = go_on,
    .done = free_questions,
};

hr_status hr_securesum_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    sum_owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    *out = hr_owner_job_open(&o->job, &rules, setup);
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

hr_status hr_securesum_pack_ready(const hr_sum_question *question, hr_bytes *out, hr_error *err) {
    Hedgerow__Ready ready = HEDGEROW__READY__INIT;
    ready.sum = (uint32_t)question->position + 1;
    return hr_message_pack(&ready.base, out, err);
}

hr_status hr_securesum_pack_choice(const hr_sum_question *question, uint32_t index, hr_bytes *out,
                                   hr_error *err) {
    Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
    choice.turn = (uint32_t)question->position + 1;
    choice.index = index;
    return hr_message_pack(&choice.base, out, err);
}

/* ---- For its party ---- */

size_t hr_securesum_self(const hr_protocol *self) {
    return hr_owner_job_position((const hr_owner_job *)self);
}

size_t hr_securesum_received(const hr_protocol *self) {
    return ((const sum_owner *)self)->count;
}

bool hr_securesum_question(const hr_protocol *self, size_t index, hr_sum_question *out) {
    const sum_owner *o = (const sum_owner *)self;
    if (index >= o->count) return false;
    *out = o->questions[index].shown;
    return true;
}

hr_status hr_securesum_mask(const hr_protocol *self, size_t index, hr_mask **out, hr_error *err) {
    const sum_owner *o = (const sum_owner *)self;
    const received_question *question = index < o->count ? &o->questions[index] : NULL;
    if (!question || question->shown.choice || question->shown.to_prepare || !question->shown.here)
        return hr_fail(err, HR_E_ARGUMENT, "", "question %zu is no sum that this owner is in", index);
    bool members[HR_MEMBERS_MAX];
    for (size_t i = 0; i < o->job.start.owner_count; i++) members[i] = hr_sum_set_has(question->set, i);
    return hr_mask_new(o->pairs, &(hr_mask_sum){members, question->context.bytes}, out, err);
}

hr_digest hr_securesum_key(const hr_protocol *self) {
    const hr_protocol_setup *setup = &((const sum_owner *)self)->job.setup;
    uint8_t bytes[HR_MASK_SECRET_SIZE + sizeof setup->job.bytes];
    memcpy(bytes, setup->secret, HR_MASK_SECRET_SIZE);
    memcpy(bytes + HR_MASK_SECRET_SIZE, setup->job.bytes, sizeof setup->job.bytes);
    return hr_digest_of("hedgerow owner coins 1", bytes, sizeof bytes);
}

hr_bytes hr_securesum_model(const hr_protocol *self) {
    return ((const hr_owner_job *)self)->model;
}
