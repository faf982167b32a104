/* The coordinator's part in sums along a ring: it adds up one share of every owner and what the last one
 * passes on. One sum is open at a time, and each answer to it is taken once. */
#include "federation/machines/ring.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- What both sides check ---- */

hr_status hr_ring_terms_check(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    if (!terms->paper || terms->coalition)
        return hr_fail(err, HR_E_FORMAT, "", "a job on a ring that claims to be private");
    return hr_securesum_terms_check(self, terms, err);
}

hr_status hr_ring_length_check(size_t count, size_t values, hr_error *err) {
    if (count == values) return HR_OK;
    return hr_fail(err, HR_E_POLICY, "", "%zu numbers where the sum has %zu", count, values);
}

/* ---- Its state ---- */

typedef struct ring_sum {
    uint64_t *values;
    size_t count;
} ring_sum;

typedef struct ring_coordinator {
    hr_coordinator_job job;
    ring_sum *sums; /* the last one is open while the job is RUNNING */
    size_t count, capacity;
    bool shared[HR_MEMBERS_MAX], passed; /* in the open sum; by position */
    size_t shares[HR_MEMBERS_MAX];       /* of all sums; by position */
} ring_coordinator;

static size_t owner_count(const ring_coordinator *c) {
    return c->job.start.owner_count;
}

/* A sum that lacks an answer ends the job. */
static hr_status end_for(ring_coordinator *c, size_t owner, hr_job_ending ending, const char *what,
                         hr_error *err) {
    char why[HR_ACTION_TEXT];
    snprintf(why, sizeof why, "a sum on the ring is lost: owner %.60s %.120s",
             hr_coordinator_job_owner(&c->job, owner), what);
    return hr_coordinator_job_fail(&c->job, ending, why, err);
}

/* ---- Sums ---- */

static hr_status add_sum(ring_coordinator *c, size_t values, hr_error *err) {
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

static hr_status begin_sum(ring_coordinator *c, const Hedgerow__Question *question, hr_error *err) {
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = (uint32_t)c->count;
    ask.body = question->body;
    hr_status status = add_sum(c, question->values, err);
    if (status) return status;
    for (size_t i = 0; i < owner_count(c); i++) c->shared[i] = false;
    c->passed = false;
    c->job.phase = HR_COORDINATOR_RUNNING;
    return hr_coordinator_job_send(&c->job, HEDGEROW__MESSAGE__KIND_ASK, &ask, err);
}

/* The first owner whose share is missing; the number of owners if none is. */
static size_t first_missing(const ring_coordinator *c) {
    size_t owner = 0;
    while (owner < owner_count(c) && c->shared[owner]) owner++;
    return owner;
}

static bool is_complete(const ring_coordinator *c) {
    return c->passed && first_missing(c) == owner_count(c);
}

static hr_status add_numbers(ring_coordinator *c, const uint64_t *values, hr_error *err) {
    const ring_sum *open = &c->sums[c->count - 1];
    c->job.protocol.advances++;
    for (size_t i = 0; i < open->count; i++) open->values[i] += values[i];
    return is_complete(c) ? hr_coordinator_job_next_question(&c->job, err) : HR_OK;
}

/* Whether numbers are of the open sum. Fails: POLICY. */
static hr_status check_numbers(const ring_coordinator *c, size_t position, size_t count, hr_error *err) {
    if (c->job.phase != HR_COORDINATOR_RUNNING || position != c->count - 1)
        return hr_protocol_refuse("numbers of a sum that is not open", err);
    return hr_ring_length_check(count, c->sums[c->count - 1].count, err);
}

static hr_status on_share(ring_coordinator *c, size_t owner, const Hedgerow__Share *share, hr_error *err) {
    hr_status status = check_numbers(c, share->position, share->n_values, err);
    if (status) return status;
    if (c->shared[owner]) return hr_protocol_refuse("a second share of one sum", err);
    c->shared[owner] = true;
    c->shares[owner]++;
    return add_numbers(c, share->values, err);
}

static hr_status on_pass(ring_coordinator *c, size_t owner, const Hedgerow__Pass *pass, hr_error *err) {
    if (owner + 1 != owner_count(c))
        return hr_protocol_refuse("numbers from an owner that is not the last of the ring", err);
    hr_status status = check_numbers(c, pass->position, pass->n_values, err);
    if (status) return status;
    if (c->passed) return hr_protocol_refuse("numbers of one sum twice", err);
    c->passed = true;
    return add_numbers(c, pass->values, err);
}

static hr_status on_notice(ring_coordinator *c, size_t owner, const Hedgerow__Notice *notice, hr_error *err) {
    char what[120];
    if (notice->kind == HEDGEROW__NOTICE__KIND__EMPTY && c->job.phase == HR_COORDINATOR_RUNNING &&
        !c->shared[owner] && notice->slot == c->count - 1)
        return end_for(c, owner, HR_JOB_NO_ANSWER, "has no answer", err);
    if (notice->kind != HEDGEROW__NOTICE__KIND__REFUSED || !owner)
        return hr_protocol_refuse("a notice about a question that its sender was not asked", err);
    snprintf(what, sizeof what, "refuses what owner %.60s passed on",
             hr_coordinator_job_owner(&c->job, owner - 1));
    return end_for(c, owner, HR_JOB_VIOLATED, what, err);
}

/* ---- Questions of the method ---- */

/* What stands around a body in a message. */
enum { FRAME = 256 };

static bool question_fits(const Hedgerow__Question *q) {
    return !!q->values + !!q->done == 1 && !q->turns && q->values <= HR_SUM_VALUES_MAX &&
           q->body.len <= HR_MESSAGE_MAX - FRAME;
}

static hr_status on_question(hr_protocol *self, const Hedgerow__Question *question, hr_error *err) {
    ring_coordinator *c = (ring_coordinator *)self;
    if (question->done)
        return hr_coordinator_job_complete(&c->job, hr_data_of(NULL, 0), "the model is complete", err);
    if (c->count == HR_QUESTIONS_MAX)
        return hr_coordinator_job_fail(&c->job, HR_JOB_FAILED, "the method asked too often", err);
    return begin_sum(c, question, err);
}

/* ---- The machine ---- */

static hr_status begin_sums(hr_protocol *self, hr_error *err) {
    return hr_coordinator_job_next_question((hr_coordinator_job *)self, err);
}

static hr_status on_message(hr_protocol *self, size_t owner, const Hedgerow__Message *message,
                            hr_error *err) {
    ring_coordinator *c = (ring_coordinator *)self;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SHARE: return on_share(c, owner, message->share, err);
    case HEDGEROW__MESSAGE__KIND_PASS: return on_pass(c, owner, message->pass, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(c, owner, message->notice, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

/* The ring does not close without one of its owners. */
static hr_status end_without(hr_protocol *self, size_t owner, hr_error *err) {
    ring_coordinator *c = (ring_coordinator *)self;
    const bool cut = c->job.cut[c->job.start.owners[owner]];
    return end_for(c, owner, cut ? HR_JOB_VIOLATED : HR_JOB_NO_ANSWER,
                   cut ? "violated the protocol" : "ended its part", err);
}

static hr_status on_timeout(hr_protocol *self, hr_error *err) {
    ring_coordinator *c = (ring_coordinator *)self;
    const size_t missing = first_missing(c);
    if (missing < owner_count(c))
        return end_for(c, missing, HR_JOB_TIMED_OUT, "has not answered in time", err);
    return end_for(c, owner_count(c) - 1, HR_JOB_TIMED_OUT,
                   "has passed nothing on in time: it, or an owner before it, is away", err);
}

static void free_sums(hr_protocol *self) {
    ring_coordinator *c = (ring_coordinator *)self;
    for (size_t i = 0; i < c->count; i++) free(c->sums[i].values);
    free(c->sums);
}

static const hr_coordinator_rules rules = {
    .check = hr_ring_terms_check,
    .started = begin_sums,
    .message = on_message,
    .stranger = "an answer of a member that is not an owner of this job",
    .without = end_without,
    .timeout = on_timeout,
    .fits = question_fits,
    .question = on_question,
    .done = free_sums,
};

hr_status hr_ring_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    ring_coordinator *c = calloc(1, sizeof *c);
    return c ? hr_coordinator_job_open(&c->job, &rules, setup, out, err) : hr_fail_memory(err);
}

/* ---- For its party ---- */

size_t hr_ring_outcomes(const hr_protocol *self) {
    const ring_coordinator *c = (const ring_coordinator *)self;
    return c->count - (c->count && !is_complete(c));
}

bool hr_ring_outcome(const hr_protocol *self, size_t index, hr_sum_outcome *out) {
    const ring_coordinator *c = (const ring_coordinator *)self;
    if (index >= hr_ring_outcomes(self)) return false;
    *out = (hr_sum_outcome){.members = owner_count(c),
                            .member = HR_NO_MEMBER,
                            .sums = c->sums[index].values,
                            .count = c->sums[index].count};
    return true;
}

bool hr_ring_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const ring_coordinator *c = (const ring_coordinator *)self;
    const size_t owner = hr_coordinator_job_position(&c->job, member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (owner == owner_count(c)) return true;
    /* What the last owner passes on waits for all others. */
    const bool runs = c->job.phase == HR_COORDINATOR_RUNNING;
    out->blocks = runs && !c->passed && first_missing(c) == owner_count(c);
    out->awaited = runs && (!c->shared[owner] || (out->blocks && owner + 1 == owner_count(c)));
    out->trees = c->shares[owner];
    out->skipped = c->count - out->trees;
    return true;
}
