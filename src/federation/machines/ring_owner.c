/* An owner's part in sums along a ring. It hears every sum once and in order, and the next one only when the
 * last one is passed on; it answers each once. The owner before it may be ahead: what it passes on is kept
 * until this owner has its own share, also if it comes before the start or the question. */
#include "federation/machines/ring.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the open sum. */
typedef struct ring_numbers {
    bool here;
    uint64_t *values;
    size_t count;
} ring_numbers;

typedef struct owner {
    hr_owner_job job;
    hr_bytes *questions;
    size_t count, capacity, bytes;     /* of the questions; bytes: of their bodies */
    size_t passed;                     /* sums below it are passed on */
    bool works;                        /* on the last one */
    ring_numbers own;                  /* its share of the open sum that is to be passed on */
    ring_numbers came[HR_MEMBERS_MAX]; /* by member: passed on to this owner, for the sum `passed` */
} owner;

static void drop_numbers(ring_numbers *n) {
    free(n->values);
    *n = (ring_numbers){0};
}

static hr_status keep_numbers(ring_numbers *n, const uint64_t *values, size_t count, hr_error *err) {
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    if (!copy) return hr_fail_memory(err);
    if (count) memcpy(copy, values, count * sizeof *copy);
    *n = (ring_numbers){true, copy, count};
    return HR_OK;
}

/* ---- The ring ---- */

static size_t position_of_self(const owner *o) {
    return hr_members_position(o->job.start.owners, o->job.start.owner_count, hr_owner_job_self(&o->job));
}

/* HR_NO_MEMBER: this owner is the first one. */
static size_t member_before(const owner *o) {
    const size_t self = position_of_self(o);
    return self ? o->job.start.owners[self - 1] : HR_NO_MEMBER;
}

static size_t member_after(const owner *o) {
    const size_t next = position_of_self(o) + 1;
    return next < o->job.start.owner_count ? o->job.start.owners[next] : o->job.setup.coordinator;
}

static hr_status complain(owner *o, hr_error *err) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = (uint32_t)o->passed;
    notice.kind = HEDGEROW__NOTICE__KIND__REFUSED;
    return hr_protocol_send(&o->job.protocol, o->job.setup.coordinator, HEDGEROW__MESSAGE__KIND_NOTICE,
                            &notice, err);
}

/* Without the owner before it no sum goes round: the coordinator is told. */
static hr_status cut_off(owner *o, size_t member, const char *why, hr_error *err) {
    hr_status status = hr_owner_job_cut_off(&o->job, member, why, err);
    if (status || o->job.phase != HR_OWNER_RUNNING || member != member_before(o)) return status;
    return complain(o, err);
}

static hr_status send_pass(owner *o, hr_error *err) {
    Hedgerow__Pass pass = HEDGEROW__PASS__INIT;
    pass.position = (uint32_t)o->passed;
    pass.values = o->own.values;
    pass.n_values = o->own.count;
    return hr_protocol_send(&o->job.protocol, member_after(o), HEDGEROW__MESSAGE__KIND_PASS, &pass, err);
}

/* As soon as both its own share and what comes from the owner before it are there. */
static hr_status pass_on(owner *o, hr_error *err) {
    const size_t before = member_before(o);
    ring_numbers *came = before == HR_NO_MEMBER ? NULL : &o->came[before];
    hr_error why = {0};
    if (!o->own.here || (came && !came->here)) return HR_OK;
    if (came && hr_ring_length_check(came->count, o->own.count, &why)) {
        drop_numbers(came);
        return cut_off(o, before, why.message, err);
    }
    for (size_t i = 0; came && i < came->count; i++) o->own.values[i] += came->values[i];
    hr_status status = send_pass(o, err);
    drop_numbers(&o->own);
    if (came) drop_numbers(came);
    o->passed++;
    return status;
}

/* Of the sum that this owner passes on next: no other can be on its way to it. */
static hr_status on_pass(owner *o, size_t from, const Hedgerow__Pass *pass, hr_error *err) {
    const bool started = o->job.phase == HR_OWNER_RUNNING;
    if (!started && (o->job.phase != HR_OWNER_ACCEPTED || !o->job.invited[from]))
        return hr_protocol_refuse("numbers of a ring that has no such owner", err);
    if (started && from != member_before(o))
        return hr_protocol_refuse("numbers from an owner that is not the one before this one", err);
    if (pass->position != o->passed) return hr_protocol_refuse("numbers of another sum", err);
    if (o->came[from].here) return hr_protocol_refuse("numbers of one sum twice", err);
    if (!pass->n_values || pass->n_values > HR_SUM_VALUES_MAX)
        return hr_protocol_refuse("numbers of no sum", err);
    hr_status status = keep_numbers(&o->came[from], pass->values, pass->n_values, err);
    return status ? status : pass_on(o, err);
}

/* ---- Questions ---- */

static hr_status keep_ring_question(owner *o, ProtobufCBinaryData body, hr_error *err) {
    if (o->count == HR_QUESTIONS_MAX || body.len > HR_QUESTION_BYTES_MAX - o->bytes)
        return hr_protocol_refuse("more questions than a job needs", err);
    if (o->count == o->capacity) {
        size_t capacity = 2 * o->capacity + 8;
        hr_bytes *larger = realloc(o->questions, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        o->questions = larger;
        o->capacity = capacity;
    }
    hr_status status = hr_bytes_copy(body.data, body.len, &o->questions[o->count], err);
    if (status) return status;
    o->bytes += body.len;
    o->count++;
    return HR_OK;
}

static hr_status on_ask(owner *o, const Hedgerow__Ask *ask, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("a sum without a job", err);
    if (ask->position != o->count) return hr_protocol_refuse("a sum out of order", err);
    if (o->count != o->passed) return hr_protocol_refuse("a sum before the one before it was passed on", err);
    if (ask->members.len) return hr_protocol_refuse("a sum over a part of the ring", err);
    hr_status status = keep_ring_question(o, ask->body, err);
    if (status) return status;
    o->works = true;
    return hr_protocol_act(&o->job.protocol, (hr_action){.kind = HR_ACT_TRAIN, .slot = ask->position}, err);
}

/* ---- Answers ---- */

static const char split_domain[] = "hedgerow ring split 1";

/* One mask a sum and ring. */
static hr_digest context_of(const owner *o, size_t index) {
    uint8_t bytes[HR_DIGEST_SIZE + 4];
    memcpy(bytes, o->job.start.digest.bytes, HR_DIGEST_SIZE);
    for (int i = 0; i < 4; i++) bytes[HR_DIGEST_SIZE + i] = (uint8_t)(index >> 8 * i);
    return hr_digest_of(split_domain, bytes, sizeof bytes);
}

hr_status hr_ring_mask(const hr_protocol *self, size_t index, hr_mask **out, hr_error *err) {
    const owner *o = (const owner *)self;
    if (index >= o->count) return hr_fail(err, HR_E_ARGUMENT, "", "there is no sum %zu", index);
    const hr_digest context = context_of(o, index);
    return hr_mask_split(o->job.setup.secret, context.bytes, out, err);
}

/* The share that the coordinator gets: what the mask leaves of 0. */
static hr_status send_share(owner *o, size_t index, size_t count, hr_error *err) {
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    hr_mask *mask = NULL;
    uint64_t *values = calloc(count + 1, sizeof *values);
    hr_status status = values ? hr_ring_mask(&o->job.protocol, index, &mask, err) : hr_fail_memory(err);
    if (!status) {
        hr_mask_add(mask, values, count);
        for (size_t i = 0; i < count; i++) values[i] = 0 - values[i];
        share.position = (uint32_t)index;
        share.values = values;
        share.n_values = count;
        status = hr_protocol_send(&o->job.protocol, o->job.setup.coordinator, HEDGEROW__MESSAGE__KIND_SHARE,
                                  &share, err);
    }
    hr_mask_free(mask);
    free(values);
    return status;
}

static hr_status send_no_share(owner *o, size_t index, hr_error *err) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = (uint32_t)index;
    notice.kind = HEDGEROW__NOTICE__KIND__EMPTY;
    return hr_protocol_send(&o->job.protocol, o->job.setup.coordinator, HEDGEROW__MESSAGE__KIND_NOTICE,
                            &notice, err);
}

/* The bytes are a Share: the values with the mask added. */
static hr_status worked(owner *o, const hr_event *event, hr_error *err) {
    const size_t index = o->count - 1;
    ProtobufCMessage *read = NULL;
    if (!o->works) return HR_OK;
    o->works = false;
    if (o->job.phase != HR_OWNER_RUNNING) return HR_OK;
    if (!event->size) return send_no_share(o, index, err);
    hr_status status = hr_message_unpack(&hedgerow__share__descriptor, event->bytes, event->size, &read, err);
    if (status) return status;
    const Hedgerow__Share *made = (const Hedgerow__Share *)read;
    status = keep_numbers(&o->own, made->values, made->n_values, err);
    if (!status) status = send_share(o, index, made->n_values, err);
    hr_message_unpacked_free(read);
    return status ? status : pass_on(o, err);
}

/* ---- Messages ---- */

static hr_status on_terms(owner *o, const Hedgerow__Terms *terms, hr_error *err) {
    hr_status status = hr_ring_terms_check(terms, err);
    return status ? status : hr_owner_job_offered(&o->job, terms, err);
}

/* What came before the start is of use from the owner before this one alone. */
static hr_status on_start(owner *o, const Hedgerow__Start *start, hr_error *err) {
    hr_status status = hr_owner_job_started(&o->job, start, err);
    if (status || o->job.phase != HR_OWNER_RUNNING) return status;
    const size_t before = member_before(o);
    for (size_t m = 0; !status && m < HR_MEMBERS_MAX; m++) {
        if (m == before || !o->came[m].here) continue;
        drop_numbers(&o->came[m]);
        status = hr_owner_job_cut_off(&o->job, m, "numbers from an owner that is not the one before this one",
                                      err);
    }
    const bool lacks = before != HR_NO_MEMBER && o->job.cut[before];
    return status || !lacks ? status : complain(o, err);
}

static hr_status act_for_coordinator(hr_protocol *self, const Hedgerow__Message *message, hr_error *err) {
    owner *o = (owner *)self;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_TERMS: return on_terms(o, message->terms, err);
    case HEDGEROW__MESSAGE__KIND_START: return on_start(o, message->start, err);
    case HEDGEROW__MESSAGE__KIND_ASK: return on_ask(o, message->ask, err);
    case HEDGEROW__MESSAGE__KIND_FINISH: return hr_owner_job_finished(&o->job, message->finish, err);
    default: return hr_protocol_refuse("a message that is not for owners", err);
    }
}

static hr_status act_for_owner(hr_protocol *self, size_t from, const Hedgerow__Message *message,
                               hr_error *err) {
    if (message->kind_case != HEDGEROW__MESSAGE__KIND_PASS)
        return hr_protocol_refuse("a message that only the coordinator may send", err);
    return on_pass((owner *)self, from, message->pass, err);
}

static hr_status cut_off_member(hr_protocol *self, size_t member, const char *why, hr_error *err) {
    return cut_off((owner *)self, member, why, err);
}

static const hr_owner_acts owner_acts = {
    .coordinator = act_for_coordinator, .other = act_for_owner, .cut_off = cut_off_member};

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
    for (size_t i = 0; i < o->count; i++) free(o->questions[i].at);
    free(o->questions);
    for (size_t m = 0; m < HR_MEMBERS_MAX; m++) drop_numbers(&o->came[m]);
    drop_numbers(&o->own);
    free(o);
}

hr_status hr_ring_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    o->job.protocol =
        (hr_protocol){.feed = feed_owner, .waits = owner_waits, .free = free_owner, .start = &o->job.start};
    o->job.setup = *setup;
    *out = &o->job.protocol;
    return HR_OK;
}

/* ---- What its party asks ---- */

bool hr_ring_question(const hr_protocol *self, size_t index, hr_sum_question *out) {
    const owner *o = (const owner *)self;
    if (index >= o->count) return false;
    *out = (hr_sum_question){
        .position = index, .body = o->questions[index], .members = o->job.start.owner_count, .here = true};
    return true;
}
