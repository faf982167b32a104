/* What a party notes of itself and of its jobs, for `hedgerow status`, and how long its jobs have waited. A
 * job's progress goes along with its events, but once a second at most: with many owners it is more than an
 * event. What was left out then is noted while nothing happens, and so is that the party lives. */
#include "federation/party/party_core.h"

#include "base/fail.h"
#include "privacy/ledger/journal_status.h"

#include <unistd.h>

enum { SHOW = 1000, ALIVE = 15 * 1000 }; /* milliseconds */

/* ---- A job ---- */

static const char *const part_texts[] = {[HR_PART_SILENT] = "did not answer",
                                         [HR_PART_DECLINED] = "declined",
                                         [HR_PART_TAKEN] = "takes part",
                                         [HR_PART_CUT_OFF] = "cut off",
                                         [HR_PART_ACCEPTED] = "accepted"};

static size_t list_parts(const hr_live_job *j, hr_part_info *infos, hr_journal_part *parts) {
    size_t count = 0;
    if (!j->is_coordinator || !j->protocol) return 0;
    for (size_t m = 0; m < j->member_count; m++) {
        hr_part_info *info = &infos[count];
        if (!j->method->machines->part(j->protocol, m, info)) continue;
        parts[count++] = (hr_journal_part){.member = j->membership->members[m].name,
                                           .part = part_texts[info->state],
                                           .trees = info->trees,
                                           .skipped = info->skipped,
                                           .awaited = info->awaited,
                                           .reason = info->why};
    }
    return count;
}

/* Of the calendar's clock; 0: nobody is waited for. */
static int64_t until(const hr_party *p, const hr_live_job *j) {
    if (!j->is_coordinator || !hr_protocol_waits(j->protocol)) return 0;
    return p->clock.date + (j->active_at + hr_live_job_patience(j) - p->clock.now) / 1000;
}

/* Room for the parts of a job. */
typedef struct part_room {
    hr_part_info infos[HR_MEMBERS_MAX];
    hr_journal_part parts[HR_MEMBERS_MAX];
} part_room;

static hr_journal_progress progress_of(const hr_party *p, hr_live_job *j, part_room *room) {
    const hr_job_view view = hr_live_job_view(j);
    hr_job_position position = {.unit = "slot", .step = j->work.kind ? j->work.slot + 1 : 0};
    if (j->method && j->protocol && j->method->round) j->method->round(&view, &position);
    return (hr_journal_progress){.round = position.round,
                                 .rounds = position.rounds,
                                 .step = position.step,
                                 .unit = position.unit,
                                 .until = until(p, j),
                                 .parts = room->parts,
                                 .part_count = list_parts(j, room->infos, room->parts)};
}

void hr_party_each_progress(hr_party *p, hr_party_progress_visit *visit, void *user) {
    part_room room;
    for (size_t i = 0; i < p->job_count; i++) {
        hr_live_job *j = p->jobs[i];
        if (!j->read || hr_live_job_is_over(j)) continue;
        const hr_job_view view = hr_live_job_view(j);
        const hr_journal_progress progress = progress_of(p, j, &room);
        visit(user, &view, &progress);
    }
}

static hr_status note_progress(hr_party *p, hr_live_job *j, hr_error *err) {
    part_room room;
    const hr_journal_progress progress = progress_of(p, j, &room);
    j->shown_at = p->clock.now;
    j->unshown = false;
    j->noted_kind = 0;
    hr_status status = hr_party_note(p, j, err);
    return status ? status : hr_journal_note_progress(p->o.journal, j->record.id, &progress, err);
}

hr_status hr_party_show_job(hr_party *p, hr_live_job *j, hr_error *err) {
    j->unshown = true;
    return p->clock.now - j->shown_at < SHOW ? HR_OK : note_progress(p, j, err);
}

/* ---- The party ---- */

static bool is_job_due(const hr_party *p, const hr_live_job *j) {
    return j->noted && j->unshown && !hr_live_job_is_over(j) && p->clock.now - j->shown_at >= SHOW;
}

/* True: the connection to the broker was lost, or came back. */
static bool look_at_link(hr_party *p) {
    const hr_transport *transport = p->o.transport;
    const bool before = p->link.connected;
    if (!transport->link || p->clock.now - p->link_seen < SHOW) return false;
    p->link_seen = p->clock.now;
    transport->link(transport, &p->link);
    if (p->link.connected) p->contact = p->clock.date;
    if (!p->contact || before == p->link.connected) return false;
    if (before)
        hr_log_write(p->o.work->log, HR_LOG_WARNING, NULL,
                     "the connection to the broker is lost; it is dialled again");
    else if (p->link.reconnects)
        hr_log_write(p->o.work->log, HR_LOG_INFO, NULL, "the connection to the broker is back");
    return true;
}

static bool is_waiting(const hr_live_job *j) {
    return j->is_coordinator && j->noted && hr_protocol_waits(j->protocol);
}

static hr_status note_waits(hr_party *p, hr_error *err) {
    bool any = false;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < p->job_count; i++) {
        const hr_live_job *j = p->jobs[i];
        if (!is_waiting(j)) continue;
        const hr_journal_waited wait = {j->protocol->advances, p->clock.now - j->active_at};
        if (!any) status = hr_journal_forget_waits(p->o.journal, err);
        if (!status) status = hr_journal_note_wait(p->o.journal, j->record.id, &wait, err);
        any = true;
    }
    return status;
}

static hr_status note_all(hr_party *p, hr_error *err) {
    const hr_journal_run run = {.process = getpid(),
                                .begun = p->begun,
                                .seen = p->clock.date,
                                .contact = p->contact,
                                .reconnects = p->link.reconnects,
                                .connected = p->link.connected};
    hr_status status = hr_party_begin(p, err);
    if (!status) status = hr_journal_note_run(p->o.journal, &run, err);
    if (!status) status = hr_party_note_presence(p, err);
    for (size_t i = 0; !status && i < p->job_count; i++)
        if (is_job_due(p, p->jobs[i])) status = note_progress(p, p->jobs[i], err);
    if (!status) status = note_waits(p, err);
    return hr_party_commit(p, status, err);
}

hr_status hr_party_rest(hr_party *p, hr_error *err) {
    return p->awake ? note_all(p, err) : HR_OK;
}

/* How often it notes that it lives. A process that is soon killed again leaves how long its jobs waited. */
static int64_t pause_of(const hr_party *p) {
    if (p->clock.now - p->woke > ALIVE) return ALIVE;
    for (size_t i = 0; i < p->job_count; i++)
        if (is_waiting(p->jobs[i])) return SHOW;
    return ALIVE;
}

/* A disk that is full for a while does not end a party that has nothing else to write. */
hr_status hr_party_show(hr_party *p, hr_error *err) {
    hr_error why = {0};
    const uint64_t changes = hr_presence_changes(p->o.presence);
    bool due = look_at_link(p) || p->clock.now - p->shown >= pause_of(p) || changes != p->presence;
    for (size_t i = 0; !due && i < p->job_count; i++) due = is_job_due(p, p->jobs[i]);
    if (!due) return HR_OK;
    p->shown = p->clock.now;
    p->presence = changes;
    hr_status status = note_all(p, &why);
    if (status == HR_E_IO) {
        if (!p->unnoted)
            hr_log_format(p->o.work->log, HR_LOG_WARNING, NULL,
                          "what `hedgerow status` shows is not noted: %s", why.message);
        p->unnoted = true;
        return HR_OK;
    }
    p->unnoted = false;
    if (status && err) *err = why;
    return status;
}
