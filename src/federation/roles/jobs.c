/* The jobs of an owner or a coordinator, by the file that names its ledger or journal: they are listed and
 * looked at, decided on by a person, and cancelled. */
#include "base/fail.h"
#include "base/text/text.h"
#include "federation/config/owner_file.h"
#include "federation/federated/federated_method.h"
#include "federation/folder/job_folder.h"
#include "federation/party/endpoint.h"
#include "federation/roles/coordinate.h"
#include "federation/roles/member_files.h"
#include "federation/transport/nats.h"
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal_list.h"
#include "privacy/ledger/journal_status.h"
#include "privacy/ledger/offers.h"

#include <hedgerow/jobs.h>
#include <hedgerow/owner.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    REASON_BYTES = 140,                      /* of a refusal, with the NUL */
    CONFIRMATION = HR_CANCEL_SECONDS * 1000, /* milliseconds */
    LOOK = 100,                              /* milliseconds */
    UNREAD_MAX = 256                         /* packets that are left to the next start */
};

/* ---- The list ---- */

/* Who is shown the jobs. */
typedef struct job_list {
    bool (*visit)(void *user, const hr_job_info *job);
    void *user;
    bool stopped;
} job_list;

static hr_status show_job(void *user, const hr_journal_item *item) {
    job_list *v = user;
    if (v->stopped) return HR_OK;
    const hr_job_info info = {.id = item->id,
                              .name = item->name,
                              .coordinator = item->coordinator,
                              .state = item->state,
                              .awaits = item->awaits,
                              .since = item->since,
                              .epsilon = item->epsilon,
                              .charged = item->charged,
                              .open = !item->over,
                              .cancelled = item->cancelled,
                              .ending = item->over ? hr_ending_by_state(item->state) : HR_JOB_OPEN};
    v->stopped = !v->visit(v->user, &info);
    return HR_OK;
}

hr_status hr_jobs_each(const char *file, bool (*visit)(void *user, const hr_job_info *job), void *user,
                       hr_error *err) {
    hr_member_files files;
    job_list v = {visit, user, false};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_member_files_read(file, arena, &files, err) : hr_fail_memory(err);
    if (!status && files.folder)
        status = hr_folder_each(files.folder, files.endpoint.member.name, visit, user, err);
    else if (!status)
        status = hr_journal_list(files.journal, show_job, &v, err);
    hr_arena_free(arena);
    return status;
}

/* ---- The state of the party and of its jobs ---- */

/* What a file shows, on its way to a person. */
typedef struct shown_party {
    const hr_member_files *member;
    const hr_party_viewer *viewer;
    bool stopped, running;
    hr_validity validity; /* of its certificate */
    char expiry[HR_VALIDITY_TEXT];
    int64_t date;    /* seconds since 1970 began */
    uint64_t queued; /* jobs that have not begun */
} shown_party;

/* A federation file that cannot be read is no matter of the jobs. */
static void look_at_certificate(shown_party *v, hr_arena *arena) {
    const hr_endpoint_files *files = &v->member->endpoint;
    hr_federation_file federation = {0};
    const bool known = files->member.federation &&
                       !hr_federation_file_read(files->member.federation, arena, &federation, NULL);
    v->validity =
        hr_validity_of(files->member.name, files->member.certificate, known ? federation.authority : NULL);
    hr_validity_text(&v->validity, (int64_t)time(NULL), v->expiry);
}

static hr_status show_party(void *user, const hr_journal_view *view) {
    shown_party *v = user;
    const hr_journal_run *run = &view->run;
    hr_owner_presence presence[HR_MEMBERS_MAX];
    /* From a process that runs no more: when owners were seen, not that they are there. */
    size_t count = v->member->is_owner ? 0 : view->presence_count;
    if (count > HR_MEMBERS_MAX) count = HR_MEMBERS_MAX;
    for (size_t i = 0; i < count; i++) {
        const hr_journal_presence *p = &view->presence[i];
        presence[i] = (hr_owner_presence){p->member, view->running && p->present, p->since, p->seen};
    }
    const hr_party_info info = {.name = v->member->endpoint.member.name,
                                .is_coordinator = !v->member->is_owner,
                                .running = view->running,
                                .process = view->running ? run->process : 0,
                                .begun = run->begun,
                                .seen = run->seen,
                                .contact = run->contact,
                                .connected = view->running && run->connected,
                                .reconnects = run->reconnects,
                                .open = view->open,
                                .queued = v->queued,
                                .packets = view->packets,
                                .ledger = view->has_ledger ? &view->total : NULL,
                                .presence = presence,
                                .presence_count = count,
                                .certificate_ends = v->validity.ends,
                                .certificate = v->expiry,
                                .last_id = view->last.id,
                                .last_state = view->last.state,
                                .last_ending = hr_ending_by_state(view->last.state)};
    v->running = view->running;
    v->stopped = !v->viewer->party(v->viewer->user, &info);
    return HR_OK;
}

void hr_jobs_progress(const hr_journal_progress *progress, hr_job_owner owners[HR_MEMBERS_MAX],
                      hr_job_progress *out) {
    out->round = progress->round;
    out->rounds = progress->rounds;
    out->step = progress->step;
    out->unit = progress->unit;
    out->owners = owners;
    out->owner_count = progress->part_count;
    for (size_t i = 0; i < out->owner_count; i++) {
        const hr_journal_part *p = &progress->parts[i];
        owners[i] = (hr_job_owner){p->member, p->part, p->reason, p->trees, p->skipped, p->awaited};
    }
}

static hr_status show_progress(void *user, const hr_journal_item *item, const hr_journal_progress *progress) {
    shown_party *v = user;
    hr_job_owner owners[HR_MEMBERS_MAX];
    if (v->stopped) return HR_OK;
    hr_job_progress shown = {.id = item->id,
                             .name = item->name,
                             .coordinator = item->coordinator,
                             .state = item->state,
                             .awaits = item->awaits,
                             .since = item->since,
                             .epsilon = item->epsilon,
                             .cancelled = item->cancelled,
                             /* While no program runs, nobody is waited for. */
                             .until = v->running && progress->until > v->date ? progress->until : 0};
    hr_jobs_progress(progress, owners, &shown);
    v->stopped = !v->viewer->job(v->viewer->user, &shown);
    return HR_OK;
}

static bool count_unbegun(void *user, const hr_job_info *job) {
    (void)job;
    ((shown_party *)user)->queued++;
    return true;
}

static bool show_unbegun(void *user, const hr_job_info *job) {
    const shown_party *v = user;
    const hr_job_progress shown = {.id = job->id,
                                   .name = job->name,
                                   .coordinator = job->coordinator,
                                   .state = job->state,
                                   .awaits = job->awaits,
                                   .since = job->since,
                                   .epsilon = job->epsilon,
                                   .cancelled = job->cancelled,
                                   .unit = ""};
    return v->viewer->job(v->viewer->user, &shown);
}

hr_status hr_party_look(const char *file, const hr_party_viewer *viewer, hr_error *err) {
    hr_member_files member;
    shown_party v = {.member = &member, .viewer = viewer, .date = hr_endpoint_clock().date};
    const hr_journal_viewer inner = {show_party, show_progress, &v};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_member_files_read(file, arena, &member, err) : hr_fail_memory(err);
    const char *folder = status ? NULL : member.folder, *name = status ? NULL : member.endpoint.member.name;
    if (!status) look_at_certificate(&v, arena);
    if (folder) status = hr_folder_each_unbegun(folder, name, count_unbegun, &v, err);
    if (!status) status = hr_journal_look(member.journal, &inner, err);
    if (!status && folder && !v.stopped) status = hr_folder_each_unbegun(folder, name, show_unbegun, &v, err);
    hr_arena_free(arena);
    return status;
}

/* ---- A job that another process runs ---- */

/* The first open job of a journal. */
typedef struct open_job {
    char name[64], id[9]; /* id: "" if there is none */
} open_job;

static hr_status note_open_job(void *job, const hr_journal_item *item) {
    open_job *first = job;
    if (item->over || *first->id) return HR_OK;
    snprintf(first->name, sizeof first->name, "%s", item->name);
    snprintf(first->id, sizeof first->id, "%.8s", item->id);
    return HR_OK;
}

hr_status hr_jobs_fail_busy(const char *journal, const char *path, hr_error *err) {
    char remedy[384];
    open_job job = {0};
    hr_error ignored;
    const hr_error why = *err;
    if (hr_journal_list(journal, note_open_job, &job, &ignored) == HR_E_MEMORY) return hr_fail_memory(err);
    if (!*job.id) return HR_E_BUSY;
    snprintf(remedy, sizeof remedy,
             "'hedgerow status %.120s' shows how far it is; wait for its end, or end it with 'hedgerow jobs "
             "cancel %.120s %s'",
             path, path, job.id);
    hr_fail(err, HR_E_BUSY, remedy, "the job '%s' (id %s) runs: %s", job.name, job.id, why.message);
    return hr_fail_at(err, HR_E_BUSY, journal, 0, 0, NULL);
}

/* ---- An owner's file ---- */

hr_status hr_owner_read(const char *owner_file, void (*visit)(void *user, const hr_owner_info *info),
                        void *user, hr_error *err) {
    hr_owner_file file;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_owner_file_read(owner_file, arena, &file, err) : hr_fail_memory(err);
    if (!status) {
        const hr_owner_info info = {.name = file.member.name,
                                    .federation = file.member.federation,
                                    .data = file.data,
                                    .test = file.test,
                                    .schema = file.schema,
                                    .ledger = file.ledger,
                                    .models = file.models};
        visit(user, &info);
    }
    hr_arena_free(arena);
    return status;
}

/* ---- A person's decision on an offer, for the process that serves ---- */

static hr_status decide_offer(const char *owner_file, const char *job, hr_offer_state state,
                              const char *reason, hr_error *err) {
    hr_owner_file file;
    hr_journal_named named;
    hr_ledger *ledger = NULL;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_owner_file_read(owner_file, arena, &file, err) : hr_fail_memory(err);
    if (!status) status = hr_journal_find(file.ledger, job, &named, err);
    if (!status) status = hr_ledger_open(file.ledger, &ledger, err);
    if (!status) status = hr_offers_decide(ledger, named.id, state, reason, err);
    hr_ledger_close(ledger);
    hr_arena_free(arena);
    return status;
}

hr_status hr_job_approve(const char *owner_file, const char *job, hr_error *err) {
    return decide_offer(owner_file, job, HR_OFFER_APPROVED, "", err);
}

hr_status hr_job_refuse(const char *owner_file, const char *job, const char *reason, hr_error *err) {
    char shown[REASON_BYTES];
    hr_text_show(reason ? reason : "", shown, sizeof shown);
    return decide_offer(owner_file, job, HR_OFFER_REFUSED, shown, err);
}

/* ---- Cancelling ----
 *
 * The other members learn of it at once: from the program that works from the journal, else from here. */

/* A member that does nothing but end jobs. */
typedef struct leaving_member {
    const hr_member_files *files;
    hr_cancel_info *info;
    hr_arena *arena;
    hr_schema *schema;
    hr_ledger *ledger;
    hr_journal *journal;
    hr_endpoint endpoint;
    hr_party_work work;
    hr_party *party;
} leaving_member;

static void ignore_end(hr_party_work *self, const hr_job_view *job, hr_job_ending ending, const char *state) {
    (void)self, (void)job, (void)ending, (void)state;
}

/* Jobs that are marked end while the party is opened. */
static hr_status open_leaving_party(leaving_member *m, hr_error *err) {
    const hr_party_settings quiet = HR_PARTY_SETTINGS_INIT;
    hr_status status = hr_nats_present(err);
    if (!status) status = hr_schema_read(m->files->schema, &m->schema, err);
    if (!status) status = hr_endpoint_open(&m->files->endpoint, &quiet, NULL, m->arena, &m->endpoint, err);
    if (!status) status = hr_endpoint_note_version(&m->endpoint, m->journal, NULL, err);
    m->work = (hr_party_work){.over = ignore_end};
    const hr_party_options options = {.view = &m->endpoint.view,
                                      .journal = m->journal,
                                      .transport = m->endpoint.transport,
                                      .work = &m->work,
                                      .schema = m->schema,
                                      .round_gain = m->files->round_gain,
                                      .resend = HR_ENDPOINT_RESEND};
    return status ? status : hr_party_open(&options, &m->party, err);
}

static hr_status look_at_job(void *user, const hr_journal_item *item) {
    hr_cancel_info *info = user;
    if (strcmp(item->id, info->id) != 0) return HR_OK;
    info->ended = item->over;
    info->told = item->over && !*item->unconfirmed;
    snprintf(info->unconfirmed, sizeof info->unconfirmed, "%s", item->unconfirmed);
    return HR_OK;
}

/* Until all have confirmed it, or the time is over: those that the party here tells, or another program does.
 */
static hr_status await_members(const leaving_member *m, int64_t until, hr_error *err) {
    size_t unread = 0;
    hr_status status = hr_journal_list(m->files->journal, look_at_job, m->info, err);
    while (!status && !m->info->told && unread < UNREAD_MAX && hr_endpoint_clock().now < until) {
        if (m->party)
            status = hr_party_step_leaving(m->party, hr_endpoint_clock(), LOOK, &unread, err);
        else
            nanosleep(&(struct timespec){.tv_nsec = LOOK * 1000000}, NULL);
        if (!status) status = hr_journal_list(m->files->journal, look_at_job, m->info, err);
    }
    return status;
}

/* The job stays marked, whatever hinders it here: that is no failure. */
static hr_status end_job_at_once(leaving_member *m, hr_error *err) {
    const int64_t until = hr_endpoint_clock().now + CONFIRMATION;
    hr_error why = {0};
    const bool is_owner = m->files->is_owner;
    hr_status status = is_owner ? hr_ledger_open(m->files->journal, &m->ledger, &why)
                                : hr_journal_open(m->files->journal, &m->journal, &why);
    if (!status && is_owner) status = hr_journal_of_ledger(m->ledger, &m->journal, &why);
    if (status == HR_E_BUSY) {
        status = await_members(m, until, err);
        if (!status && !m->info->ended)
            snprintf(m->info->why, sizeof m->info->why,
                     "the program that runs with this file is at work, and ends the job afterwards");
        return status;
    }
    if (!status && m->files->folder)
        status = hr_fail(&why, HR_E_IO, "", "no coordinator serves this folder now");
    if (!status) status = open_leaving_party(m, &why);
    if (!status) status = await_members(m, until, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) hr_error_format(&why, m->info->why, sizeof m->info->why);
    return HR_OK;
}

hr_status hr_jobs_cancel(const char *file, const char *job, hr_cancel_info *out, hr_error *err) {
    hr_member_files files;
    hr_journal_named named;
    leaving_member m = {.files = &files, .info = out, .arena = hr_arena_new()};
    *out = (hr_cancel_info){0};
    hr_status status = m.arena ? hr_member_files_read(file, m.arena, &files, err) : hr_fail_memory(err);
    bool done = false;
    if (!status && files.folder) {
        status = hr_folder_cancel(files.folder, job, out, &done, err);
        job = out->id;
    }
    if (!status && !done) status = hr_journal_cancel(files.journal, job, &named, err);
    if (!status && !done) {
        memcpy(out->id, named.id, sizeof out->id);
        files.endpoint.tries_once = true;
        status = end_job_at_once(&m, err);
    }
    hr_party_close(m.party);
    hr_endpoint_done(&m.endpoint);
    hr_journal_close(m.journal);
    hr_ledger_close(m.ledger);
    hr_schema_free(m.schema);
    hr_arena_free(m.arena);
    return status;
}
