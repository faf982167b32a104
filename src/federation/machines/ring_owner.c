/* An owner's part in sums along a ring. It takes every sum once and in order, and the next one only when the
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

typedef struct ring_owner {
    hr_owner_job job;
    hr_bytes *questions;
    size_t count, capacity, bytes;     /* of the questions; bytes: of their bodies */
    size_t passed;                     /* sums below it are passed on */
    bool works;                        /* on the last one */
    ring_numbers own;                  /* its share of the open sum that is to be passed on */
    ring_numbers came[HR_MEMBERS_MAX]; /* by member: passed on to this owner, for the sum `passed` */
} ring_owner;

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

/* HR_NO_MEMBER: this owner is the first one. */
static size_t member_before(const ring_owner *o) {
    const size_t self = hr_owner_job_position(&o->job);
    return self ? o->job.start.owners[self - 1] : HR_NO_MEMBER;
}

static size_t member_after(const ring_owner *o) {
    const size_t next = hr_owner_job_position(&o->job) + 1;
    return next < o->job.start.owner_count ? o->job.start.owners[next] : o->job.setup.coordinator;
}

/* Without the owner before it no sum goes round. */
static hr_status complain(ring_owner *o, hr_error *err) {
    return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__REFUSED, o->passed, err);
}

static hr_status on_cut_off(hr_protocol *self, size_t member, hr_error *err) {
    ring_owner *o = (ring_owner *)self;
    return member == member_before(o) ? complain(o, err) : HR_OK;
}

static hr_status send_pass(ring_owner *o, hr_error *err) {
    Hedgerow__Pass pass = HEDGEROW__PASS__INIT;
    pass.position = (uint32_t)o->passed;
    pass.values = o->own.values;
    pass.n_values = o->own.count;
    return hr_protocol_send(&o->job.protocol, member_after(o), HEDGEROW__MESSAGE__KIND_PASS, &pass, err);
}

/* As soon as both its own share and what comes from the owner before it are there. */
static hr_status pass_on(ring_owner *o, hr_error *err) {
    const size_t before = member_before(o);
    ring_numbers *came = before == HR_NO_MEMBER ? NULL : &o->came[before];
    hr_error why = {0};
    if (!o->own.here || (came && !came->here)) return HR_OK;
    if (came && hr_ring_length_check(came->count, o->own.count, &why)) {
        drop_numbers(came);
        return hr_owner_job_cut_off(&o->job, before, why.message, err);
    }
    for (size_t i = 0; came && i < came->count; i++) o->own.values[i] += came->values[i];
    hr_status status = send_pass(o, err);
    drop_numbers(&o->own);
    if (came) drop_numbers(came);
    o->passed++;
    return status;
}

/* Of the sum that this owner passes on next: no other can be on its way to it. */
static hr_status on_pass(ring_owner *o, size_t from, const Hedgerow__Pass *pass, hr_error *err) {
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

static hr_status keep_ring_question(ring_owner *o, ProtobufCBinaryData body, hr_error *err) {
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

static hr_status on_ask(ring_owner *o, const Hedgerow__Ask *ask, hr_error *err) {
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
static hr_digest context_of(const ring_owner *o, size_t index) {
    uint8_t bytes[HR_DIGEST_SIZE + 4];
    memcpy(bytes, o->job.start.digest.bytes, HR_DIGEST_SIZE);
    for (int i = 0; i < 4; i++) bytes[HR_DIGEST_SIZE + i] = (uint8_t)(index >> 8 * i);
    return hr_digest_of(split_domain, bytes, sizeof bytes);
}

hr_status hr_ring_mask(const hr_protocol *self, size_t index, hr_mask **out, hr_error *err) {
    const ring_owner *o = (const ring_owner *)self;
    if (index >= o->count) return hr_fail(err, HR_E_ARGUMENT, "", "there is no sum %zu", index);
    const hr_digest context = context_of(o, index);
    return hr_mask_split(o->job.setup.secret, context.bytes, out, err);
}

/* The share that the coordinator gets: what the mask leaves of 0. */
static hr_status send_share(ring_owner *o, size_t index, size_t count, hr_error *err) {
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
        status = hr_owner_job_send(&o->job, HEDGEROW__MESSAGE__KIND_SHARE, &share, err);
    }
    hr_mask_free(mask);
    free(values);
    return status;
}

/* The bytes are a Share: the values with the mask added. */
static hr_status work_done(hr_protocol *self, const hr_event *event, hr_error *err) {
    ring_owner *o = (ring_owner *)self;
    const size_t index = o->count - 1;
    ProtobufCMessage *read = NULL;
    if (!o->works) return HR_OK;
    o->works = false;
    if (!event->size) return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__EMPTY, index, err);
    hr_status status = hr_message_unpack(&hedgerow__share__descriptor, event->bytes, event->size, &read, err);
    if (status) return status;
    const Hedgerow__Share *made = (const Hedgerow__Share *)read;
    status = keep_numbers(&o->own, made->values, made->n_values, err);
    if (!status) status = send_share(o, index, made->n_values, err);
    hr_message_unpacked_free(read);
    return status ? status : pass_on(o, err);
}

/* ---- The machine ---- */

/* What came before the start is of use from the owner before this one alone. */
static hr_status check_early(hr_protocol *self, hr_error *err) {
    ring_owner *o = (ring_owner *)self;
    const size_t before = member_before(o);
    hr_status status = HR_OK;
    for (size_t m = 0; !status && m < HR_MEMBERS_MAX; m++) {
        if (m == before || !o->came[m].here) continue;
        drop_numbers(&o->came[m]);
        status = hr_owner_job_cut_off(&o->job, m, "numbers from an owner that is not the one before this one",
                                      err);
    }
    const bool lacks = before != HR_NO_MEMBER && o->job.cut[before];
    return status || !lacks ? status : complain(o, err);
}

static hr_status on_coordinator(hr_protocol *self, const hr_event *event, const Hedgerow__Message *message,
                                hr_error *err) {
    (void)event;
    if (message->kind_case != HEDGEROW__MESSAGE__KIND_ASK)
        return hr_protocol_refuse("a message that is not for owners", err);
    return on_ask((ring_owner *)self, message->ask, err);
}

static hr_status on_other(hr_protocol *self, const hr_event *event, const Hedgerow__Message *message,
                          hr_error *err) {
    if (message->kind_case != HEDGEROW__MESSAGE__KIND_PASS)
        return hr_protocol_refuse("a message that only the coordinator may send", err);
    return on_pass((ring_owner *)self, event->from, message->pass, err);
}

static void free_numbers(hr_protocol *self) {
    ring_owner *o = (ring_owner *)self;
    for (size_t i = 0; i < o->count; i++) free(o->questions[i].at);
    free(o->questions);
    for (size_t m = 0; m < HR_MEMBERS_MAX; m++) drop_numbers(&o->came[m]);
    drop_numbers(&o->own);
}

static const hr_owner_rules rules = {
    .check = hr_ring_terms_check,
    .started = check_early,
    .coordinator = on_coordinator,
    .other = on_other,
    .work_done = work_done,
    .without = on_cut_off,
    .done = free_numbers,
};

hr_status hr_ring_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    ring_owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    *out = hr_owner_job_open(&o->job, &rules, setup);
    return HR_OK;
}

/* ---- For its party ---- */

bool hr_ring_question(const hr_protocol *self, size_t index, hr_sum_question *out) {
    const ring_owner *o = (const ring_owner *)self;
    if (index >= o->count) return false;
    *out = (hr_sum_question){
        .position = index, .body = o->questions[index], .members = o->job.start.owner_count, .here = true};
    return true;
}
