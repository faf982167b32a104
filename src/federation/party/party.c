#include "federation/party/party_core.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAIL_BEFORE_WORK = 1024,  /* packets */
    MAIL_WHILE_WORKING = 64,  /* packets at one look */
    LOOK_WHILE_WORKING = 250, /* milliseconds between looks */
    DAY = 86400,              /* seconds */
    LOOK = 1000,              /* milliseconds between looks for cancelled jobs */
    DECIDE_AGAIN = 1000       /* milliseconds between looks for a person's decision */
};

const char *hr_party_member_name(const hr_party *p, size_t member) {
    return p->o.view->membership->members[member].name;
}

/* ---- Jobs ---- */

void hr_party_remove(hr_party *p, const hr_live_job *j) {
    for (size_t i = 0; i < p->job_count; i++) {
        if (p->jobs[i] != j) continue;
        hr_live_job_free(p->jobs[i]);
        p->jobs[i] = p->jobs[--p->job_count];
        return;
    }
}

hr_live_job *hr_party_find(hr_party *p, const uint8_t *id) {
    for (size_t i = 0; i < p->job_count; i++)
        if (!memcmp(p->jobs[i]->record.id, id, HR_JOURNAL_ID)) return p->jobs[i];
    return NULL;
}

hr_status hr_party_add(hr_party *p, const hr_journal_job *record, hr_live_job **out, hr_error *err) {
    if (p->job_count == p->job_capacity) {
        size_t capacity = 2 * p->job_capacity + 8;
        hr_live_job **larger = realloc(p->jobs, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        p->jobs = larger;
        p->job_capacity = capacity;
    }
    hr_status status = hr_live_job_make(&p->o, record, out, err);
    if (status) return status;
    (*out)->active_at = p->clock.now;
    (*out)->number = p->jobs_made++;
    p->jobs[p->job_count++] = *out;
    return HR_OK;
}

/* ---- After the end ---- */

hr_status hr_party_end(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_job_view view = hr_live_job_view(j);
    const bool fine = hr_ending_is_fine(j->ending);
    char state[HR_STATE_TEXT];
    hr_status status = hr_party_commit_batch(p, err);
    if (!status && fine) status = p->o.work->finish(p->o.work, &view, err);
    if (status) return status;
    hr_live_job_state(j, state);
    p->o.work->over(p->o.work, &view, j->ending, state);
    hr_job_log(p->o.work, &j->record, fine ? HR_LOG_INFO : HR_LOG_WARNING,
               j->ending == HR_JOB_DONE ? "the job is %s" : "the job ended: %s", state);
    status = hr_party_begin(p, err);
    if (!status && j->leaves) status = hr_party_leave(p, j, err);
    if (!status) status = hr_journal_end_job(p->o.journal, j->record.id, err);
    if (!status && j->noted) status = hr_party_note(p, j, err);
    if (!status && !j->is_coordinator && !j->record.entry)
        status = hr_journal_forget_unpaid(p->o.journal, j->coordinator, HR_PARTY_UNPAID_MAX, err);
    status = hr_party_commit(p, status, err);
    if (!status) hr_party_remove(p, j);
    return status ? status : hr_journal_shrink(p->o.journal, err);
}

/* ---- While it works ---- */

/* Work that is under way. */
typedef struct party_working {
    hr_party *party;
    hr_live_job *job;
    hr_status status; /* of what was done meanwhile */
    hr_error why;
    int64_t looked; /* milliseconds, as hr_clock.now */
} party_working;

/* A person may have cancelled the job, or its coordinator ended it: mail is taken in as before work, and work
 * for a job that is over ends. */
static bool should_continue_working(void *user) {
    party_working *w = user;
    hr_party *p = w->party;
    const hr_clock clock = p->o.clock();
    if (clock.now - w->looked < LOOK_WHILE_WORKING) return true;
    p->clock = clock;
    w->looked = clock.now;
    size_t came;
    w->status = hr_presence_step(p->o.presence, clock.now, &w->why);
    if (!w->status) w->status = hr_party_look_for_cancelled(p, &w->why);
    /* No mail is taken in while a job that is over waits for its end. */
    for (size_t i = p->job_count; !w->status && i-- > 0;)
        if (p->jobs[i] != w->job && hr_live_job_is_over(p->jobs[i]))
            w->status = hr_party_end(p, p->jobs[i], &w->why);
    if (!w->status) w->status = hr_party_take_packets(p, MAIL_WHILE_WORKING, 0, &came, &w->why);
    if (!w->status) w->status = hr_party_confirm(p, &w->why);
    return !w->status && !hr_live_job_is_over(w->job);
}

/* ---- Work ---- */

/* A failure after which the party goes on, without an outcome. */
static bool is_of_work_alone(hr_status status) {
    return status && status != HR_E_MEMORY && status != HR_E_IO && status != HR_E_CANCELLED;
}

/* The outcome of work that its job is over before is nobody's. *none: the failure is of the work alone, not
 * of what was done meanwhile. */
static hr_status do_work(hr_party *p, hr_live_job *j, hr_bytes *outcome, bool *none, hr_error *err) {
    party_working working = {.party = p, .job = j, .looked = p->clock.now};
    hr_job_view view = hr_live_job_view(j);
    hr_party_work *worker = p->o.work;
    if (p->o.clock) view.should_continue = should_continue_working;
    view.user = &working;
    hr_status status = (j->work.kind == HR_ACT_VOTE ? worker->vote : worker->train)(
        worker, &view, j->work.slot, outcome, err);
    if (working.status) {
        if (err) *err = working.why;
        return working.status;
    }
    if (hr_live_job_is_over(j)) return HR_OK;
    *none = is_of_work_alone(status);
    return status;
}

static hr_status start_work(hr_party *p, hr_live_job *j, hr_error *err) {
    const hr_event begun = {.kind = HR_EVENT_WORK_STARTED, .number = hr_live_job_work_number(&j->work)};
    const hr_status status = hr_party_transact(p, j, &begun, 0, err);
    if (!status) j->started = 1 + begun.number;
    return status;
}

/* The first that is due, which is done next, and only while no other is under way: what begins and is not
 * done when the process dies is lost. */
hr_status hr_party_start_work(hr_party *p, hr_error *err) {
    hr_live_job *next = NULL;
    for (size_t i = 0; i < p->job_count; i++) {
        hr_live_job *j = p->jobs[i];
        if (j->started || hr_live_job_is_over(j)) return HR_OK;
        if (!next && j->work.kind) next = j;
    }
    const bool has_paid = next && (next->record.entry || next->read->paper);
    if (!has_paid || next->work.paced || hr_live_job_has_begun(next)) return HR_OK;
    next->held = false;
    return start_work(p, next, err);
}

static hr_live_job *find_started(const hr_party *p) {
    for (size_t i = 0; i < p->job_count; i++)
        if (p->jobs[i]->started && !hr_live_job_is_over(p->jobs[i])) return p->jobs[i];
    return NULL;
}

/* Rules 1 to 3. Work that began before a process died, or that cannot be done, has no outcome. */
static hr_status work_once(hr_party *p, hr_live_job *j, hr_bytes *outcome, hr_error *err) {
    hr_error why = {0};
    const bool is_started = j->started == 1 + hr_live_job_work_number(&j->work);
    if (!is_started && hr_live_job_has_begun(j)) {
        hr_job_log(p->o.work, &j->record, HR_LOG_WARNING,
                   "work was lost when the process ended; what was reserved for it stays spent");
        return HR_OK;
    }
    hr_status status = is_started ? HR_OK : start_work(p, j, &why);
    if (status == HR_E_FORMAT) {
        /* The next work would find the same. A charge may be written, if the ledger's witness is what is
         * damaged: it stays, and no noise is drawn for it. What is damaged is the owner's own matter. */
        hr_job_log(p->o.work, &j->record, HR_LOG_ERROR, "work cannot begin: %s", why.message);
        hr_live_job_leave(j, HR_JOB_FAILED, "its ledger or journal is damaged");
        return HR_OK;
    }
    bool none = is_of_work_alone(status);
    if (!status) status = do_work(p, j, outcome, &none, &why);
    if (none) {
        hr_job_log(p->o.work, &j->record, HR_LOG_WARNING, "no answer is given: %s", why.message);
        return HR_OK;
    }
    if (status && err) *err = why;
    return status;
}

/* ---- Steps ---- */

static bool is_awaited_too_long(const hr_party *p, const hr_live_job *j) {
    return j->is_coordinator && hr_protocol_waits(j->protocol) &&
           (p->clock.now - j->active_at >= hr_live_job_patience(j) || hr_party_awaits_absent(p, j));
}

/* Ends the jobs of a coordinator that no longer runs. */
static bool is_too_old(const hr_party *p, const hr_live_job *j) {
    return !j->is_coordinator && p->o.lifetime && p->clock.date - j->record.date > p->o.lifetime;
}

/* A person may have decided since. */
static bool is_decision_due(const hr_party *p, const hr_live_job *j) {
    return j->undecided && p->clock.now - j->decided_at >= DECIDE_AGAIN;
}

static hr_status continue_party_job(hr_party *p, hr_live_job *j, hr_error *err) {
    if (is_too_old(p, j)) {
        /* No work is begun for it any more. What was reserved for it stays spent. */
        hr_live_job_leave(j, HR_JOB_EXPIRED, "it is older than the policy's 'days'");
        return hr_party_end(p, j, err);
    }
    if (j->work.kind && !j->held) {
        hr_bytes outcome = {0};
        hr_status status = work_once(p, j, &outcome, err);
        hr_event work_done = {.kind = HR_EVENT_WORK_DONE, .bytes = outcome.at, .size = outcome.size};
        /* The second of the two transactions of a work; the first is that of its beginning. */
        if (!status && !hr_live_job_is_over(j)) status = hr_party_transact(p, j, &work_done, 0, err);
        free(outcome.at);
        return status;
    }
    if (is_decision_due(p, j)) return hr_party_transact(p, j, NULL, 0, err);
    if (is_awaited_too_long(p, j)) {
        const hr_event timeout = {.kind = HR_EVENT_TIMEOUT};
        hr_party_log_absent(p, j);
        return hr_party_transact(p, j, &timeout, 0, err);
    }
    const hr_job_view view = hr_live_job_view(j);
    hr_error ignored;
    j->news = false;
    return p->o.work->prepare(p->o.work, &view, &ignored) == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
}

/* The time in which no process ran does not count as absence; that in which others waited does. */
static void wake(hr_party *p) {
    for (size_t i = 0; i < p->job_count; i++) {
        p->jobs[i]->active_at = p->clock.now - p->jobs[i]->waited;
        p->jobs[i]->shown_at = p->clock.now - DAY; /* due: what the last process noted is no longer so */
        p->jobs[i]->unshown = true;
    }
    p->outbox.sent = p->outbox.put_off_at = p->quota.begun = p->clock.now;
    p->begun = p->clock.date;
    if (p->link.connected) p->contact = p->begun;
    p->shown = p->link_seen = p->clock.now - DAY; /* due */
    p->woke = p->clock.now;
    p->awake = true;
}

/* Mail before work: it may end the job, or come from the member that is awaited. But no more than so many
 * packets: who sends without end does not stop the work. Paced work is held until few packets are
 * unconfirmed: so it goes no faster than its receivers, and neither the outbox nor the broker fills. */
static hr_status take_mail_or_work(hr_party *p, int wait, bool *busy, hr_error *err) {
    /* The first job that has something to do without a packet, before those whose work to come can be
     * prepared. */
    hr_live_job *j = NULL;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && !j && i < p->job_count; i++) {
        hr_live_job *next = p->jobs[i];
        uint64_t unconfirmed = 0;
        if (next->work.kind && next->work.paced)
            status = hr_journal_unconfirmed(p->o.journal, next->record.id, &unconfirmed, err);
        next->held = unconfirmed >= HR_PARTY_WINDOW;
        if ((next->work.kind && !next->held) || is_awaited_too_long(p, next) || is_too_old(p, next) ||
            is_decision_due(p, next))
            j = next;
    }
    if (status) return status;
    for (size_t i = 0; !j && p->o.work->prepare && i < p->job_count; i++)
        if (p->jobs[i]->news) j = p->jobs[i];

    size_t came = 0;
    if (!j || p->in_a_row < MAIL_BEFORE_WORK)
        status = hr_party_take_packets(p, MAIL_BEFORE_WORK, j ? 0 : wait, &came, err);
    /* Work that began in the transaction of the packets is done in the same step: a process that stops, or
     * reads its files anew, between two steps loses none. */
    hr_live_job *started = find_started(p);
    if (started) {
        j = started;
        came = 0;
    }
    p->in_a_row = j && came ? p->in_a_row + came : 0;
    *busy = came || j;
    return status || came || !j ? status : continue_party_job(p, j, err);
}

/* A job that is over is ended before mail is looked at: what comes for it then is in no model, and is not
 * taken in. */
hr_status hr_party_step(hr_party *p, hr_clock clock, int wait, bool *busy, hr_error *err) {
    p->clock = clock;
    if (!p->awake) wake(p);
    hr_packet_quota_renew(&p->quota, p->o.view->membership, clock.now, p->o.work->log);
    hr_status status = hr_presence_step(p->o.presence, clock.now, err);

    /* Two days more than the lifetime: an offer may be dated a day after it came, and is declined when it is
     * older than the lifetime. So an offer of a job that is no longer known is never accepted again. */
    if (!status && p->o.lifetime && clock.date - p->expired >= DAY) {
        p->expired = clock.date;
        status = hr_party_begin(p, err);
        if (!status)
            status = hr_journal_expire(p->o.journal, clock.date - p->o.lifetime - 2 * (int64_t)DAY, err);
        status = hr_party_commit(p, status, err);
        if (!status) status = hr_journal_shrink(p->o.journal, err);
    }
    if (!status && clock.now - p->looked >= LOOK) status = hr_party_look_for_cancelled(p, err);
    hr_live_job *ended = NULL;
    for (size_t i = 0; !ended && i < p->job_count; i++)
        if (hr_live_job_is_over(p->jobs[i])) ended = p->jobs[i];
    *busy = ended != NULL;
    if (!status) status = ended ? hr_party_end(p, ended, err) : take_mail_or_work(p, wait, busy, err);
    if (!status) status = hr_party_show(p, err);
    if (!status) status = hr_party_confirm(p, err);
    return status ? status : hr_outbox_resend(&p->outbox, clock.now, err);
}

hr_status hr_party_step_leaving(hr_party *p, hr_clock clock, int wait, size_t *unread, hr_error *err) {
    hr_packet packet = {0};
    bool taken = false;
    p->clock = clock;
    if (!p->awake) wake(p);
    hr_status status = p->o.transport->receive(p->o.transport, wait, &packet, err);
    if (!status && packet.bytes) status = hr_party_take_ack(p, &packet, &taken, err);
    if (status) return status;
    *unread += packet.bytes && !taken;
    if (taken) p->o.transport->settle(p->o.transport, &packet);
    return hr_outbox_resend(&p->outbox, clock.now, err);
}

const uint64_t *hr_party_refused(const hr_party *p) {
    return p->quota.all;
}

size_t hr_party_jobs(const hr_party *p) {
    return p->job_count;
}

hr_status hr_party_owes(hr_party *p, bool *owes, hr_error *err) {
    return hr_journal_owes(p->o.journal, owes, err);
}

void hr_party_close(hr_party *p) {
    if (!p) return;
    while (p->job_count) hr_party_remove(p, p->jobs[0]);
    free(p->jobs);
    hr_outbox_done(&p->outbox);
    hr_csprng_close(p->csprng);
    free(p);
}

bool hr_party_has_job(hr_party *p, const uint8_t *id) {
    return hr_party_find(p, id) != NULL;
}

hr_status hr_party_submit(hr_party *p, const hr_new_job *job, hr_error *err) {
    hr_journal_job record = {
        .coordinator = hr_party_member_name(p, p->o.view->self), .terms = job->terms, .date = job->date};
    hr_live_job *j = NULL;
    if (job->id)
        memcpy(record.id, job->id, HR_JOURNAL_ID);
    else
        hr_csprng_bytes(p->csprng, record.id, HR_JOURNAL_ID);
    hr_csprng_bytes(p->csprng, record.key, HR_JOURNAL_KEY);
    hr_status status = hr_party_add(p, &record, &j, err);
    if (!status) status = hr_live_job_start(&p->o, j, err);
    return status ? status : hr_party_transact(p, j, NULL, 0, err);
}
