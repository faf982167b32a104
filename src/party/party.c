#include "party/party.h"

#include "base/fail.h"
#include "party/outbox.h"
#include "party/party_job.h"
#include "party/terms.h"
#include "random/csprng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 64, LOOK = 100 /* milliseconds for mail before work */, LINE = 512 };

struct hr_party {
    hr_party_options o;
    hr_live_job *jobs[JOBS_MAX];
    size_t job_count;
    hr_outbox outbox;
    hr_csprng *csprng;
    bool awake;     /* it has taken a step, so that the clock is set */
    hr_clock clock; /* of that step */
};

static const char *party_member_name(const hr_party *p, size_t member) {
    return p->o.view->membership->members[member].name;
}

static void log_party_line(hr_party *p, const char *line) {
    p->o.work->log_line(p->o.work, line);
}

/* ---- Jobs ---- */

static void remove_job(hr_party *p, const hr_live_job *j) {
    for (size_t i = 0; i < p->job_count; i++) {
        if (p->jobs[i] != j) continue;
        hr_party_job_free(p->jobs[i]);
        p->jobs[i] = p->jobs[--p->job_count];
        return;
    }
}

static hr_live_job *find_job(hr_party *p, const uint8_t *id) {
    for (size_t i = 0; i < p->job_count; i++)
        if (!memcmp(p->jobs[i]->record.id, id, HR_JOURNAL_ID)) return p->jobs[i];
    return NULL;
}

static hr_status add_job(hr_party *p, const hr_journal_job *record, hr_live_job **out, hr_error *err) {
    hr_status status = hr_party_job_make(&p->o, record, out, err);
    if (status) return status;
    (*out)->heard = p->clock.now;
    p->jobs[p->job_count++] = *out;
    return HR_OK;
}

/* ---- Events and actions ---- */

static hr_status note_party_event(hr_party *p, const hr_live_job *j, const hr_event *event, uint64_t sequence,
                                  hr_error *err) {
    bool message = event->kind == HR_EVENT_MESSAGE;
    hr_journal_event line = {.kind = (int)event->kind,
                             .from = message ? party_member_name(p, event->from) : "",
                             .sequence = sequence,
                             .number = event->number,
                             .bytes = {event->bytes, event->size}};
    return hr_journal_add_event(p->o.journal, j->record.id, &line, err);
}

static void tell_cut_off(hr_party *p, size_t member, const char *why) {
    char line[LINE];
    snprintf(line, sizeof line, "%s is cut off: %s", party_member_name(p, member), why);
    log_party_line(p, line);
}

static hr_status note_and_feed(hr_party *p, hr_live_job *j, const hr_event *event, uint64_t sequence,
                               hr_error *err) {
    hr_status status = note_party_event(p, j, event, sequence, err);
    if (!status) status = hr_party_job_feed(&p->o, j, event, err);
    if (!status && !j->protocol) tell_cut_off(p, event->from, "a message of a job that was not offered");
    return status;
}

static hr_status decide_party_job(hr_party *p, hr_live_job *j, hr_error *err) {
    char reason[HR_ACTION_TEXT] = "";
    bool accepted = false;
    hr_status status = p->o.work->decide(p->o.work, j->coordinator, j->read, &accepted, reason, err);
    if (status) return status;
    hr_event event = {.kind = HR_EVENT_DECIDED,
                      .number = accepted,
                      .bytes = (const uint8_t *)reason,
                      .size = strlen(reason)};
    return note_and_feed(p, j, &event, 0, err);
}

/* What an action means to the job, whether it is taken for the first time or fed again. */
static hr_status remember(hr_live_job *j, const hr_action *action, hr_error *err) {
    switch (action->kind) {
    case HR_ACT_DECIDE: return hr_party_job_read(j, &action->bytes, err);
    case HR_ACT_TRAIN:
    case HR_ACT_VOTE: j->work = *action; break;
    case HR_ACT_CUT_OFF: j->cut[action->member] = true; break;
    case HR_ACT_FINISH: j->finished = true; break;
    case HR_ACT_FAIL: j->failed = true; break;
    case HR_ACT_SEND:
    case HR_ACT_LOG: break;
    }
    if (action->kind == HR_ACT_FAIL) memcpy(j->why, action->text, sizeof j->why);
    return HR_OK;
}

static void tell_of(hr_party *p, const hr_action *action) {
    if (action->kind == HR_ACT_LOG) log_party_line(p, action->text);
    if (action->kind == HR_ACT_CUT_OFF) tell_cut_off(p, action->member, action->text);
}

/* Takes the actions that an event led to. */
static hr_status act(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_action action;
    hr_status status = HR_OK;
    while (!status && hr_protocol_next(j->protocol, &action)) {
        status = remember(j, &action, err);
        tell_of(p, &action);
        if (!status && action.kind == HR_ACT_SEND)
            status = hr_outbox_post(&p->outbox, j->record.id, action.member, &action.bytes, err);
        if (!status && action.kind == HR_ACT_DECIDE) status = decide_party_job(p, j, err);
        free(action.bytes.at);
    }
    return status;
}

static hr_status note_job(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_status status = j->noted ? HR_OK : hr_journal_add_job(p->o.journal, &j->record, err);
    if (!status) j->noted = true;
    return status;
}

/* Ends a transaction: all of it is on the disk, or nothing. */
static hr_status commit(hr_party *p, hr_status status, hr_error *err) {
    if (!status) status = hr_journal_commit(p->o.journal, err);
    if (status) hr_journal_roll_back(p->o.journal);
    return status;
}

/* Rule 1: what work will cost is reserved, on the disk, before noise is drawn. */
static hr_status reserve_party_budget(hr_party *p, const hr_live_job *j, hr_journal_job *record,
                                      hr_error *err) {
    char purpose[200];
    if (record->entry || j->read->paper) return HR_OK;
    snprintf(purpose, sizeof purpose, "%.*s with %s",
             (int)(j->read->name.len < 100 ? j->read->name.len : 100), j->read->name.data, j->coordinator);
    return hr_journal_reserve(p->o.journal, record, hr_terms_cost(j->read), j->read->delta, purpose, err);
}

static hr_status pay(hr_party *p, const hr_live_job *j, const hr_event *event, hr_journal_job *record,
                     hr_error *err) {
    if (event->kind == HR_EVENT_BEGUN) return reserve_party_budget(p, j, record, err);
    return event->kind == HR_EVENT_WORKED && event->size ? hr_journal_spend(p->o.journal, record, err)
                                                         : HR_OK;
}

/* What happens to a job, what it costs and what it leads to. A failure after it was fed leaves the job in
 * memory ahead of the journal: the party is of no use any more, as if the process had died. */
static hr_status transact(hr_party *p, hr_live_job *j, const hr_event *event, uint64_t sequence,
                          hr_error *err) {
    hr_journal_job record = j->record;
    hr_status status = hr_journal_begin(p->o.journal, err);
    if (!status) status = note_job(p, j, err);
    if (!status && event) status = pay(p, j, event, &record, err);
    if (!status && event) status = note_and_feed(p, j, event, sequence, err);
    if (!status) status = act(p, j, err);
    status = commit(p, status, err);
    if (status) {
        hr_outbox_drop(&p->outbox);
        return status;
    }
    j->record = record;
    j->heard = p->clock.now;
    j->news = true;
    return hr_outbox_send(&p->outbox, p->clock.now, err);
}

/* ---- After the end ---- */

static hr_status end_job(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_party_job view = hr_party_job_view(j);
    hr_status status = HR_OK;
    if (j->finished)
        status = p->o.work->finish(p->o.work, &view, err);
    else
        p->o.work->fail(p->o.work, &view, j->why);
    if (!status) status = hr_journal_begin(p->o.journal, err);
    if (!status) status = hr_journal_end_job(p->o.journal, j->record.id, err);
    status = commit(p, status, err);
    if (!status) remove_job(p, j);
    return status;
}

/* ---- Work ---- */

static hr_status begin_work(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_event begun = {.kind = HR_EVENT_BEGUN, .number = hr_party_job_number(&j->work)};
    return transact(p, j, &begun, 0, err);
}

static hr_status do_work(hr_party *p, hr_live_job *j, hr_bytes *out, hr_error *err) {
    hr_party_job view = hr_party_job_view(j);
    if (j->work.kind == HR_ACT_VOTE) return p->o.work->vote(p->o.work, &view, j->work.slot, out, err);
    return p->o.work->train(p->o.work, &view, j->work.slot, out, err);
}

static bool is_hers(hr_status status) {
    return status != HR_OK && status != HR_E_MEMORY && status != HR_E_IO && status != HR_E_CANCELLED;
}

static void log_failure(hr_party *p, const char *what, const hr_error *why) {
    char line[LINE + 200];
    snprintf(line, sizeof line, "%s: %s", what, why->message);
    log_party_line(p, line);
}

/* Rules 1 to 3. Work that was lost when a process died, or that cannot be done, has no outcome. */
static hr_status work_once(hr_party *p, hr_live_job *j, hr_bytes *outcome, hr_error *err) {
    hr_error why = {0};
    if (j->begun[hr_party_job_number(&j->work)]) {
        log_party_line(p, "work was lost when the process ended; what was reserved for it stays spent");
        return HR_OK;
    }
    hr_status status = begin_work(p, j, &why);
    if (!status) status = do_work(p, j, outcome, &why);
    if (is_hers(status)) {
        log_failure(p, "no tree is given", &why);
        return HR_OK;
    }
    if (status && err) *err = why;
    return status;
}

static hr_status work_on(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_bytes outcome = {0};
    hr_status status = work_once(p, j, &outcome, err);
    hr_event worked = {.kind = HR_EVENT_WORKED, .bytes = outcome.at, .size = outcome.size};
    if (!status) status = transact(p, j, &worked, 0, err);
    free(outcome.at);
    return status;
}

/* ---- Mail ---- */

static hr_status confirm(hr_party *p, const uint8_t *id, size_t to, uint64_t sequence, hr_error *err) {
    bool taken = false;
    hr_status status = hr_outbox_confirm(&p->outbox, id, to, sequence, &taken, err);
    if (!taken) log_party_line(p, "the transport did not accept an ack");
    return status;
}

static hr_status take_message(hr_party *p, hr_live_job *j, size_t from, const hr_bytes *message,
                              uint64_t sequence, hr_error *err) {
    hr_event event = {.kind = HR_EVENT_MESSAGE, .from = from, .bytes = message->at, .size = message->size};
    hr_status status = transact(p, j, &event, sequence, err);
    return status ? status : confirm(p, j->record.id, from, sequence, err);
}

static bool is_party_job_over(const hr_live_job *j) {
    return j->finished || j->failed;
}

static hr_status take_mail(hr_party *p, hr_live_job *j, const hr_envelope *envelope, hr_error *err) {
    hr_reorder_buffer *inbox = &j->inboxes[envelope->from];
    bool there = true;
    uint64_t sequence;
    hr_bytes message;
    if (envelope->sequence <= inbox->taken) {
        free(envelope->body.at);
        return confirm(p, j->record.id, envelope->from, inbox->taken, err);
    }
    hr_reorder_buffer_put(inbox, envelope);
    for (;;) {
        hr_status status = hr_reorder_buffer_take(inbox, &there, &message, &sequence, err);
        if (status == HR_E_LIMIT) {
            j->cut[envelope->from] = true;
            log_party_line(p, "a member is cut off: its message is too large");
            return HR_OK;
        }
        if (status || !there) return status;
        status = take_message(p, j, envelope->from, &message, sequence, err);
        free(message.at);
        if (status || is_party_job_over(j)) return status;
    }
}

static bool may_offer(hr_party *p, size_t member) {
    if (!p->o.coordinators || !p->o.coordinators[member]) return false;
    if (p->job_count < JOBS_MAX) return true;
    log_party_line(p, "an offer is ignored: too many jobs are open");
    return false;
}

static hr_status take_offer(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    hr_journal_job record = {.coordinator = party_member_name(p, envelope->from), .date = p->clock.date};
    hr_live_job *j = NULL;
    memcpy(record.id, envelope->job.bytes, HR_JOURNAL_ID);
    hr_csprng_bytes(p->csprng, record.key, HR_JOURNAL_KEY);
    hr_status status = add_job(p, &record, &j, err);
    if (!status) return take_mail(p, j, envelope, err);
    free(envelope->body.at);
    return status;
}

/* An envelope of a job that is not known: the first of an offer, or of a job that is over. */
static hr_status take_unknown(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    bool known = false;
    hr_status status = hr_journal_knows(p->o.journal, envelope->job.bytes, &known, err);
    if (!status && !known && may_offer(p, envelope->from)) return take_offer(p, envelope, err);
    if (!status && known) status = confirm(p, envelope->job.bytes, envelope->from, envelope->sequence, err);
    free(envelope->body.at);
    return status;
}

static hr_status take_ack(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    hr_status status = hr_journal_begin(p->o.journal, err);
    if (!status)
        status = hr_journal_received(p->o.journal, envelope->job.bytes, party_member_name(p, envelope->from),
                                     envelope->received, err);
    return commit(p, status, err);
}

static hr_status take_envelope(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    if (!envelope->sequence) {
        free(envelope->body.at);
        return take_ack(p, envelope, err);
    }
    hr_live_job *j = find_job(p, envelope->job.bytes);
    if (!j) return take_unknown(p, envelope, err);
    if (!j->cut[envelope->from]) return take_mail(p, j, envelope, err);
    free(envelope->body.at);
    return HR_OK;
}

static hr_status take_packet(hr_party *p, const hr_packet *packet, hr_error *err) {
    hr_envelope envelope;
    hr_error why = {0};
    hr_status status = hr_envelope_open(p->o.view, packet->bytes, packet->size, &envelope, &why);
    if (!status) return take_envelope(p, &envelope, err);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    log_failure(p, "a packet was refused", &why);
    return HR_OK;
}

/* ---- Steps ---- */

static hr_status note_absence(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_event away = {.kind = HR_EVENT_AWAY};
    return transact(p, j, &away, 0, err);
}

static bool is_awaited_too_long(const hr_party *p, const hr_live_job *j) {
    return j->is_coordinator && hr_protocol_waits(j->protocol) && p->clock.now - j->heard >= p->o.deadline;
}

/* Ends the jobs of a coordinator that no longer runs. */
static bool is_too_old(const hr_party *p, const hr_live_job *j) {
    return !j->is_coordinator && p->o.lifetime && p->clock.date - j->record.date > p->o.lifetime;
}

static hr_live_job *ended_job(const hr_party *p) {
    for (size_t i = 0; i < p->job_count; i++)
        if (is_party_job_over(p->jobs[i])) return p->jobs[i];
    return NULL;
}

/* The first job that has something to do without a packet, before those whose work to come can be prepared;
 * NULL: none. */
static hr_live_job *next_job(const hr_party *p) {
    for (size_t i = 0; i < p->job_count; i++) {
        const hr_live_job *j = p->jobs[i];
        if (j->work.kind || is_awaited_too_long(p, j) || is_too_old(p, j)) return p->jobs[i];
    }
    for (size_t i = 0; p->o.work->prepare && i < p->job_count; i++)
        if (p->jobs[i]->news) return p->jobs[i];
    return NULL;
}

static hr_status prepare_party_job(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_party_job view = hr_party_job_view(j);
    hr_error ignored;
    j->news = false;
    return p->o.work->prepare(p->o.work, &view, &ignored) == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
}

/* No work is begun for it any more. What was reserved for it stays spent. */
static hr_status give_up(hr_party *p, hr_live_job *j, hr_error *err) {
    j->failed = true;
    snprintf(j->why, sizeof j->why, "it is older than the policy's 'days'");
    return end_job(p, j, err);
}

static hr_status continue_party_job(hr_party *p, hr_live_job *j, hr_error *err) {
    if (is_too_old(p, j)) return give_up(p, j, err);
    if (j->work.kind) return work_on(p, j, err);
    return is_awaited_too_long(p, j) ? note_absence(p, j, err) : prepare_party_job(p, j, err);
}

static hr_status look_for_mail(hr_party *p, int wait, bool *came, hr_error *err) {
    hr_packet packet = {0};
    hr_error ignored;
    hr_status status = p->o.transport->receive(p->o.transport, wait, &packet, &ignored);
    *came = !status && packet.bytes;
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    status = *came ? take_packet(p, &packet, err) : HR_OK;
    if (*came && !status) p->o.transport->settle(p->o.transport, &packet);
    return status;
}

/* The time in which the process did not run does not count as absence. */
static void wake(hr_party *p) {
    for (size_t i = 0; i < p->job_count; i++) p->jobs[i]->heard = p->clock.now;
    p->outbox.sent = p->clock.now;
    p->awake = true;
}

/* Mail before work: it may end the job, or come from the member that is awaited. */
static hr_status take_mail_or_work(hr_party *p, int wait, bool *busy, hr_error *err) {
    hr_live_job *j = next_job(p);
    hr_status status = look_for_mail(p, j && wait > LOOK ? LOOK : wait, busy, err);
    if (!status && !*busy && j) {
        *busy = true;
        status = continue_party_job(p, j, err);
    }
    return status;
}

/* A job that is over is ended before mail is looked at: what comes for it then is in no model, and is not
 * taken in. */
hr_status hr_party_step(hr_party *p, hr_clock clock, int wait, bool *busy, hr_error *err) {
    p->clock = clock;
    if (!p->awake) wake(p);
    hr_live_job *ended = ended_job(p);
    *busy = ended != NULL;
    hr_status status = ended ? end_job(p, ended, err) : take_mail_or_work(p, wait, busy, err);
    return status ? status : hr_outbox_resend(&p->outbox, clock.now, err);
}

size_t hr_party_jobs(const hr_party *p) {
    return p->job_count;
}

hr_status hr_party_owes(hr_party *p, bool *owes, hr_error *err) {
    return hr_journal_owes(p->o.journal, owes, err);
}

/* ---- Opening ---- */

/* A job that is taken up, while its events are fed again. */
typedef struct replay {
    hr_party *party;
    hr_live_job *job;
    hr_error *err;
} replay;

static hr_status forget_actions(hr_live_job *j, hr_error *err) {
    hr_action action;
    hr_status status = HR_OK;
    while (hr_protocol_next(j->protocol, &action)) {
        if (!status) status = remember(j, &action, err);
        free(action.bytes.at);
    }
    return status;
}

static hr_status feed_again(void *user, const hr_journal_event *line) {
    replay *r = user;
    const hr_membership *membership = r->party->o.view->membership;
    hr_event event = {.kind = (hr_event_kind)line->kind,
                      .number = line->number,
                      .bytes = line->bytes.at,
                      .size = line->bytes.size};
    if (event.kind == HR_EVENT_MESSAGE)
        event.from = hr_membership_by_name(membership, line->from, strlen(line->from));
    if (event.from == HR_NO_MEMBER)
        return hr_fail(r->err, HR_E_FORMAT, "", "the journal names an unknown member");
    hr_status status = hr_party_job_feed(&r->party->o, r->job, &event, r->err);
    return status ? status : forget_actions(r->job, r->err);
}

static hr_status restore_inboxes(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t m = 0; !status && m < j->member_count; m++)
        status =
            hr_journal_taken(p->o.journal, j->record.id, party_member_name(p, m), &j->inboxes[m].taken, err);
    return status;
}

static hr_status replay_job(void *user, const hr_journal_job *record) {
    replay *r = user;
    hr_party *p = r->party;
    if (p->job_count == JOBS_MAX) return hr_fail(r->err, HR_E_LIMIT, "", "the journal holds too many jobs");
    hr_status status = add_job(p, record, &r->job, r->err);
    if (status) return status;
    r->job->noted = true;
    status = forget_actions(r->job, r->err);
    if (!status) status = hr_journal_each_event(p->o.journal, r->job->record.id, feed_again, r, r->err);
    return status ? status : restore_inboxes(p, r->job, r->err);
}

hr_status hr_party_open(const hr_party_options *options, hr_party **out, hr_error *err) {
    hr_party *p = calloc(1, sizeof *p);
    if (!p) return hr_fail_memory(err);
    p->o = *options;
    p->outbox = (hr_outbox){.view = options->view,
                            .journal = options->journal,
                            .transport = options->transport,
                            .pause = options->resend};
    hr_error why = {0};
    hr_status status = hr_csprng_open(&p->csprng, &why);
    replay r = {.party = p, .err = &why};
    if (!status) status = hr_journal_each_job(p->o.journal, replay_job, &r, &why);
    if (status) {
        hr_party_close(p);
        return why.message[0] ? hr_fail(err, status, why.remedy, "%s", why.message)
                              : hr_fail(err, status, "", "the journal is damaged");
    }
    *out = p;
    return HR_OK;
}

void hr_party_close(hr_party *p) {
    if (!p) return;
    while (p->job_count) remove_job(p, p->jobs[0]);
    hr_outbox_done(&p->outbox);
    hr_csprng_close(p->csprng);
    free(p);
}

hr_status hr_party_submit(hr_party *p, hr_blob terms, int64_t date, hr_error *err) {
    hr_journal_job record = {
        .coordinator = party_member_name(p, p->o.view->self), .terms = terms, .date = date};
    hr_live_job *j = NULL;
    if (p->job_count) return HR_OK;
    hr_csprng_bytes(p->csprng, record.id, HR_JOURNAL_ID);
    hr_csprng_bytes(p->csprng, record.key, HR_JOURNAL_KEY);
    hr_status status = add_job(p, &record, &j, err);
    return status ? status : transact(p, j, NULL, 0, err);
}
