#include "federation/sums/summed_coordinator.h"

#include "base/fail.h"
#include "federation/protocol/message.h"
#include "federation/sums/sum_checks.h"
#include "models/model/model.h"
#include "privacy/crypto/csprng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct summed_coordinator {
    hr_summed_party party; /* first */
    const hr_summed_method *method;
    size_t unanswered, dropped;   /* of hr_summed_progress */
    bool impossible;              /* the last sum that was dropped failed a check */
    char logged[HR_SUSPECT_TEXT]; /* checks that failed, as last logged */
} summed_coordinator;

static hr_status open_coordinator(const hr_job_view *job, hr_error *err) {
    const hr_summed_method *method = job->method->summed;
    hr_summed_party *made = NULL;
    hr_csprng *unused = NULL; /* nothing is drawn from the record of charges */
    hr_status status = hr_csprng_open_seeded(0, &unused, err);
    if (!status) status = hr_summed_open(job, sizeof(summed_coordinator), unused, &made, err);
    if (made) made->close = method->coordinator->close;
    if (!status) status = method->coordinator->open(job, &made->budget, made->arena, &made->state, err);
    if (status) {
        hr_summed_free(made);
        return status;
    }
    ((summed_coordinator *)made)->method = method;
    *job->state = made;
    return HR_OK;
}

/* ---- What became of the questions ---- */

/* The record has a line for each that the owners' gates have. */
static hr_status record_sums(const summed_coordinator *c, const hr_summed_question *q, size_t shares,
                             hr_error *err) {
    hr_gate *gate = hr_summed_gate(&c->party, q);
    size_t lines;
    hr_permit unused;
    hr_status status = HR_OK;
    hr_gate_releases(gate, &lines);
    if (c->method->charged_once && lines) return HR_OK;
    for (size_t i = 0; !status && i < q->line_count; i++)
        status = hr_gate_charge_share(gate, &q->lines[i], shares, &unused, err);
    return status;
}

static hr_status accept_sum(summed_coordinator *c, const hr_job_view *job, const hr_summed_question *q,
                            const hr_sum_outcome *outcome, hr_error *err) {
    const hr_summed_coordinator *rules = c->method->coordinator;
    hr_noisy *values = NULL;
    c->unanswered = outcome->members ? 0 : c->unanswered + 1;
    c->dropped += !outcome->members;
    if (!outcome->members) return HR_OK;
    const size_t shares = hr_summed_shares(job, outcome->members);
    hr_status status = record_sums(c, q, shares, err);
    if (status) return status;
    if (!outcome->dropped && !(values = malloc((outcome->count + 1) * sizeof *values)))
        return hr_fail_memory(err);
    for (size_t i = 0; values && i < outcome->count; i++) values[i] = hr_noisy_of_answers(outcome->sums[i]);
    hr_summed_reply reply = {.values = values,
                             .members = outcome->members,
                             .shares = shares,
                             .noise_factor = sqrt((double)outcome->members / (double)shares),
                             .job = job};
    reply.impossible = c->impossible =
        values && rules->possible && !rules->possible(c->party.state, q, &reply);
    if (reply.impossible) reply.values = NULL;
    c->dropped = reply.values ? 0 : c->dropped + 1;
    status = rules->accept(c->party.state, q, &reply, err);
    free(values);
    return status;
}

/* The records of one owner pay for its choices alone: it is a part of the group of all choices. */
static hr_status accept_choice(summed_coordinator *c, const hr_job_view *job, const hr_summed_question *q,
                               const hr_sum_outcome *outcome, hr_error *err) {
    const hr_summed_reply reply = {.index = outcome->index, .job = job};
    hr_charge line = q->lines[0];
    hr_permit unused;
    hr_status status = HR_OK;
    line.part = outcome->member;
    if (outcome->member != HR_NO_MEMBER) status = hr_gate_charge_choice(c->party.gate, &line, &unused, err);
    return status ? status : c->method->coordinator->accept(c->party.state, q, &reply, err);
}

static hr_status take_outcome(summed_coordinator *c, const hr_job_view *job, const hr_sum_outcome *outcome,
                              bool *more, hr_error *err) {
    const hr_summed_progress progress = {.job = job, .unanswered = c->unanswered, .dropped = c->dropped};
    hr_summed_question question = {0};
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = c->method->coordinator->next(c->party.state, &progress, arena, &question, more, err);
    if (!status && *more)
        status = (question.choice ? accept_choice : accept_sum)(c, job, &question, outcome, err);
    hr_arena_free(arena);
    return status;
}

static hr_status summed_coordinator_of(const hr_job_view *job, summed_coordinator **out, hr_error *err) {
    hr_sum_outcome outcome;
    bool more = true;
    hr_status status = *job->state ? HR_OK : open_coordinator(job, err);
    if (status) return status;
    summed_coordinator *c = *out = *job->state;
    while (!status && more && c->method->protocol->outcome(job->protocol, c->party.taken, &outcome)) {
        status = take_outcome(c, job, &outcome, &more, err);
        c->party.taken++;
    }
    return status;
}

/* ---- The next question ---- */

static void text_of_checks(const summed_coordinator *c, char text[HR_SUSPECT_TEXT]) {
    const hr_summed_coordinator *rules = c->method->coordinator;
    hr_sum_checks_text(rules->checks ? rules->checks(c->party.state) : NULL, text);
}

hr_status hr_summed_next_question(const hr_job_view *job, hr_party_work *work, Hedgerow__Question *out,
                                  hr_bytes *body, hr_error *err) {
    summed_coordinator *c = NULL;
    hr_summed_question question = {0};
    char failed[HR_SUSPECT_TEXT];
    bool more = true;
    hr_status status = summed_coordinator_of(job, &c, err);
    if (status) return status;
    const hr_summed_coordinator *rules = c->method->coordinator;
    const hr_summed_progress progress = {
        .job = job, .work = work, .unanswered = c->unanswered, .dropped = c->dropped};
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    status = rules->next(c->party.state, &progress, arena, &question, &more, err);
    out->done = !more;
    text_of_checks(c, failed);
    if (strcmp(failed, c->logged) != 0)
        hr_job_log(work, job->record, HR_LOG_WARNING,
                   "sums are not those of owners with the records that the job says: %s", failed);
    memcpy(c->logged, failed, sizeof failed);
    if (!status && more && c->dropped && !question.choice)
        hr_job_log(work, job->record, HR_LOG_WARNING,
                   c->impossible && !c->unanswered ? "a sum was not used, since it failed a check"
                                                   : "a sum was lost, since an owner's answer is missing");
    if (!status && more) status = rules->pack(c->party.state, &progress, &question, out, body, err);
    if (!status && !out->done) {
        out->body = hr_data_of(body->at, body->size);
        if (!question.choice) out->values = (uint32_t)hr_summed_values(&question);
        out->prepared = !question.choice && !question.spare;
    }
    hr_arena_free(arena);
    return status;
}

/* ---- Methods that need every sum ---- */

hr_status hr_summed_need_owners(const hr_summed_progress *progress, hr_error *err) {
    if (progress->unanswered < HR_SUMMED_UNANSWERED_MAX) return HR_OK;
    return hr_fail(err, HR_E_IO, "start again when the owners can be reached", "no owner is there");
}

hr_status hr_summed_need_values(const hr_summed_reply *reply, hr_error *err) {
    if (reply->values) return HR_OK;
    if (reply->impossible)
        return hr_fail(err, HR_E_POLICY, "offer it to fewer owners", "no records have the owners' total");
    return hr_fail(err, HR_E_IO, "offer a new job when all owners can be reached",
                   "the sum is lost, since an owner's answer is missing");
}

/* ---- The end ---- */

hr_status hr_summed_result(const hr_job_view *job, void **state, const hr_gate **charges, hr_error *err) {
    summed_coordinator *c = NULL;
    hr_status status = summed_coordinator_of(job, &c, err);
    if (status) return status;
    *state = c->party.state;
    *charges = c->party.gate;
    return HR_OK;
}

const void *hr_summed_coordinator_state(const hr_job_view *job) {
    const summed_coordinator *c = job->is_coordinator ? *job->state : NULL;
    return c ? c->party.state : NULL;
}

hr_status hr_summed_describe(const hr_job_view *job, const hr_gate *charges, hr_joint_model *m,
                             hr_error *err) {
    const size_t *members;
    char suspect[HR_SUSPECT_TEXT];
    hr_settings_add_count(&m->settings, HR_OWNERS_SETTING, hr_securesum_owners(job->protocol, &members));
    hr_settings_add_count(&m->settings, HR_COALITION_SETTING, job->terms->coalition);
    text_of_checks(*job->state, suspect);
    if (*suspect) hr_settings_add(&m->settings, HR_SUSPECT_SETTING, suspect);

    /* Records that are held out pay beside the others, as those of another owner do. */
    size_t count, more;
    const hr_release *releases = hr_gate_releases(charges, &count),
                     *others = hr_gate_releases(((const hr_summed_party *)*job->state)->held_out, &more);
    m->releases = hr_arena_alloc(m->arena, count + more + 1, sizeof *m->releases);
    if (!m->releases) return hr_fail_memory(err);
    memcpy(m->releases, releases, count * sizeof *releases);
    if (more) memcpy(m->releases + count, others, more * sizeof *others);
    m->release_count = count + more;
    for (size_t i = 0; more && i < m->release_count; i++)
        m->releases[i].owner = i < count ? HR_OWNER_TRAINED : HR_OWNER_HELD_OUT;
    return HR_OK;
}
