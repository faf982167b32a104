#include "federation/roles/coordinate_folder.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text/text.h"
#include "base/text/timestamp.h"
#include "federation/config/coordinator_file.h"
#include "federation/folder/job_folder.h"
#include "federation/roles/service_metrics.h"
#include "federation/work/own_job.h"
#include "federation/work/receipt_files.h"
#include "privacy/ledger/journal_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK = 1000 /* milliseconds between looks at the folder */ };

/* A job of the folder that was read; in the party, until it is over. */
typedef struct served_job {
    struct served_job *next;
    hr_folder_job at;
    char id[HR_JOB_ID_TEXT], result[HR_FOLDER_PATH];
    char failure[HR_STATE_TEXT]; /* why it has no result, although its owners did their part; "": it has */
    hr_own_job job;
    bool over;
    bool stuck; /* it was not begun, and its folder cannot be written: it is not tried again */
} served_job;

/* What the coordinator file names, opened. */
typedef struct folder_member {
    hr_arena *arena;
    hr_coordinator_file file;
    hr_endpoint endpoint;
    hr_presence *presence; /* NULL on a loopback */
} folder_member;

struct hr_folder_service {
    hr_party_work work; /* first: a hr_folder_service is a hr_party_work */
    const char *folder;
    char path[HR_FOLDER_PATH]; /* of the journal */
    const hr_party_settings *settings;
    hr_loopback *loopback; /* NULL: at the broker */
    hr_journal *journal;
    char *receipts; /* path */
    folder_member *member;
    hr_counted_transport packets;
    hr_party *party;
    hr_log log;
    hr_file_wait wait;
    served_job *jobs;
    int64_t looked, measured;     /* milliseconds, as hr_clock.now: the folder, and the writing of metrics */
    int64_t begun;                /* seconds since 1970 began */
    size_t queued;                /* jobs of the folder, at the last look */
    size_t ended[HR_JOB_ENDINGS]; /* jobs whose end was seen, by ending */
    bool reload;
    hr_status status; /* of the last look at the folder */
    hr_error why;
};

/* ---- The log: one for all jobs, and one in each job's folder ---- */

static void append_line(const hr_folder_service *s, const served_job *job, const hr_log_line *line) {
    static const char *const levels[] = {"error", "warning", "info", "debug"}; /* as hr_log_level */
    char path[HR_FOLDER_PATH], now[HR_TIMESTAMP_TEXT], text[HR_LOG_TEXT + 64];
    if (hr_folder_job_path(s->folder, job->at.name, "log", path, NULL)) return;
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    hr_timestamp_text((int64_t)time(NULL), now);
    const int size = snprintf(text, sizeof text, "%sZ %s %s\n", now, levels[line->level], line->text);
    (void)hr_file_write(file, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
    close(file);
}

static void log_line(void *user, const hr_log_line *line) {
    const hr_folder_service *s = user;
    for (const served_job *job = s->jobs; job && line->job; job = job->next)
        if (!strcmp(job->id, line->job)) append_line(s, job, line);
    if (s->settings->log_line) s->settings->log_line(s->settings->user, line);
}

/* ---- Jobs that were read ---- */

static served_job *find_served(const hr_folder_service *s, const uint8_t *id) {
    served_job *job = s->jobs;
    while (job && memcmp(job->at.id, id, HR_JOURNAL_ID) != 0) job = job->next;
    return job;
}

static void remove_served(hr_folder_service *s, served_job *job) {
    served_job **link = &s->jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    hr_own_job_done(&job->job);
    free(job);
}

/* *out belongs to the service also where it cannot be read. */
static hr_status read_served(hr_folder_service *s, const hr_folder_job *at, served_job **out, hr_error *err) {
    served_job *job = calloc(1, sizeof *job);
    *out = job;
    if (!job) return hr_fail_memory(err);
    job->at = *at;
    hr_text_hex(at->id, HR_JOURNAL_ID, job->id);
    job->next = s->jobs;
    s->jobs = job;
    job->job.arena = hr_arena_new();
    if (!job->job.arena) return hr_fail_memory(err);
    hr_status status = hr_folder_read(s->folder, at->name, job->job.arena, &job->job.file, err);
    if (!status) status = hr_own_job_schema(&job->job, err);
    if (!status)
        status = hr_folder_job_path(s->folder, at->name, hr_folder_result(&job->job.file), job->result, err);
    hr_own_job_work(&job->job, job->result, &s->log);
    job->job.work.receipts = s->receipts;
    return status;
}

/* False: the folder cannot be written, which is logged. */
static bool end_in_folder(hr_folder_service *s, served_job *job, const char *state) {
    hr_error err = {0};
    snprintf(job->at.end, sizeof job->at.end, "%s", state);
    job->over = true;
    if (hr_folder_end(s->folder, &job->at, &err) == HR_OK) return true;
    hr_log_format(&s->log, HR_LOG_ERROR, job->id, "the folder of the job '%s' cannot be written: %s",
                  job->at.name, err.message);
    return false;
}

/* ---- The work of the party, which is that of each job ---- */

static hr_status settings_of_job(hr_party_work *self, const hr_journal_job *record, hr_job_settings *out,
                                 hr_error *err) {
    hr_folder_service *s = (hr_folder_service *)self;
    served_job *job = find_served(s, record->id);
    hr_folder_job *all = NULL;
    size_t count = 0;
    hr_status status = job ? HR_OK : hr_folder_jobs(s->folder, &all, &count, err);
    for (size_t i = 0; !status && !job && i < count; i++)
        if (!memcmp(all[i].id, record->id, HR_JOURNAL_ID)) status = read_served(s, &all[i], &job, err);
    free(all);
    if (!status && !job) return hr_fail(err, HR_E_JOB, "", "its folder is gone");
    if (!status)
        *out = (hr_job_settings){job->job.schema, job->job.file.round_gain,
                                 (int64_t)job->job.file.deadline * 1000,
                                 job->job.file.wait_for == HR_WAIT_PRESENT};
    return status;
}

static hr_status ask_for_job(hr_party_work *self, const hr_job_view *view, hr_bytes *out, hr_error *err) {
    hr_party_work *work = &find_served((hr_folder_service *)self, view->record->id)->job.work.work;
    return work->next_question(work, view, out, err);
}

static hr_status store_served_receipt(hr_party_work *self, const char *owner, const hr_bytes *receipt,
                                      hr_error *err) {
    return hr_receipt_file_store(((const hr_folder_service *)self)->receipts, owner, receipt, err);
}

/* What is wrong with one job does not stop the others; a disk that is full stops all. */
static hr_status finish_served(hr_party_work *self, const hr_job_view *view, hr_error *err) {
    hr_folder_service *s = (hr_folder_service *)self;
    served_job *job = find_served(s, view->record->id);
    hr_coordinator_work *work = &job->job.work;
    hr_error why = {0};
    const hr_status status = work->work.finish(&work->work, view, &why);
    if (status == HR_E_IO || status == HR_E_MEMORY) {
        if (err) *err = why;
        return status;
    }
    const char *word = hr_job_ending_of(HR_JOB_FAILED)->word;
    if (status)
        snprintf(job->failure, sizeof job->failure, "%s: %.200s", word, why.message);
    else if (*work->rescue)
        snprintf(job->failure, sizeof job->failure, "%s: another file was in the place of its result", word);
    if (*job->failure) hr_log_write(&s->log, HR_LOG_ERROR, job->id, job->failure);
    return HR_OK;
}

static void note_served_end(hr_party_work *self, const hr_job_view *view, hr_job_ending ending,
                            const char *state) {
    hr_folder_service *s = (hr_folder_service *)self;
    served_job *job = find_served(s, view->record->id);
    (void)ending;
    if (!job) return;
    (void)end_in_folder(s, job, *job->failure ? job->failure : state);
}

/* ---- Jobs of the folder ---- */

/* How a job ended, as the journal has it. */
typedef struct journal_end {
    const char *id;
    char state[HR_STATE_TEXT];
} journal_end;

static hr_status note_journal_end(void *user, const hr_journal_item *item) {
    journal_end *end = user;
    if (!strcmp(item->id, end->id)) snprintf(end->state, sizeof end->state, "%s", item->state);
    return HR_OK;
}

/* The process ended between the end in the journal and that in the folder, or the folder could not be
 * written. */
static hr_status repair_end(hr_folder_service *s, const hr_folder_job *at, hr_error *err) {
    char id[HR_JOB_ID_TEXT];
    hr_folder_job job = *at;
    journal_end end = {.id = id};
    hr_text_hex(at->id, HR_JOURNAL_ID, id);
    hr_status status = hr_journal_list(s->path, note_journal_end, &end, err);
    snprintf(job.end, sizeof job.end, "%s", end.state);
    hr_error ignored; /* tried again at the next look */
    if (!status && *end.state && hr_folder_end(s->folder, &job, &ignored) == HR_E_MEMORY)
        return hr_fail_memory(err);
    return status;
}

/* A job that cannot be begun ends as failed. */
static hr_status refuse_job(hr_folder_service *s, served_job *job, const hr_error *why) {
    char state[HR_STATE_TEXT];
    snprintf(state, sizeof state, "%s: %.200s", hr_job_ending_of(HR_JOB_FAILED)->word, why->message);
    hr_log_format(&s->log, HR_LOG_ERROR, job->id, "the job '%s' cannot begin: %s", job->at.name,
                  why->message);
    job->stuck = !end_in_folder(s, job, state);
    return HR_OK;
}

static hr_status begin_job(hr_folder_service *s, const hr_folder_job *at, hr_error *err) {
    served_job *job = NULL;
    hr_bytes terms = {0};
    hr_error why = {0};
    bool begun = true;
    hr_status status = read_served(s, at, &job, &why);
    if (!job) return hr_fail_memory(err);
    if (!status) status = hr_own_job_terms(&job->job, at->name, &s->member->endpoint, &terms, &why);
    if (!status && at->state == HR_FOLDER_QUEUED)
        status = hr_folder_change(s->folder, at->name, HR_FOLDER_STARTED, &begun, &why);
    if (status) {
        free(terms.at);
        return status == HR_E_MEMORY ? hr_fail_memory(err) : refuse_job(s, job, &why);
    }
    if (begun) {
        const int64_t date = hr_endpoint_clock().date;
        const hr_new_job fresh = {.id = at->id, .terms = {terms.at, terms.size}, .date = date};
        hr_log_format(&s->log, HR_LOG_INFO, job->id, "the job '%s' begins", at->name);
        status = hr_party_submit(s->party, &fresh, err);
    } else {
        remove_served(s, job); /* it was cancelled meanwhile */
    }
    free(terms.at);
    return status;
}

static hr_status look_at_job(hr_folder_service *s, const hr_folder_job *at, hr_error *err) {
    bool known = false;
    if (at->ended) {
        hr_error ignored; /* tried again at the next look */
        if (!hr_folder_close(s->folder, at, &ignored)) s->ended[hr_ending_by_state(at->end)]++;
        return HR_OK;
    }
    if (find_served(s, at->id)) return HR_OK;
    hr_status status = hr_journal_knows(s->journal, at->id, &known, err);
    if (status) return status;
    if (known) return repair_end(s, at, err);
    if (at->state != HR_FOLDER_CANCELLED)
        return hr_party_jobs(s->party) < s->member->file.at_once ? begin_job(s, at, err) : HR_OK;
    hr_error ignored;
    hr_folder_job job = *at;
    hr_folder_cancelled(&job);
    return hr_folder_end(s->folder, &job, &ignored) == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
}

/* Between two steps of the party: what is over may be freed. */
static void remove_ended(hr_folder_service *s) {
    served_job *next;
    for (served_job *job = s->jobs; job; job = next) {
        next = job->next;
        if (job->over && !job->stuck && !hr_party_has_job(s->party, job->at.id)) remove_served(s, job);
    }
}

hr_status hr_folder_service_look(hr_folder_service *s, hr_error *err) {
    hr_folder_job *jobs;
    size_t count;
    remove_ended(s);
    hr_status status = hr_folder_open_jobs(s->folder, &jobs, &count, err);
    for (size_t i = 0; !status && i < count; i++) status = look_at_job(s, &jobs[i], err);
    s->queued = 0;
    for (size_t i = 0; !status && i < count; i++) s->queued += !jobs[i].ended && !find_served(s, jobs[i].id);
    free(jobs);
    return status;
}

/* ---- Metrics ---- */

static size_t list_presence(const hr_folder_service *s, hr_owner_presence *out) {
    const hr_membership *membership = s->member->endpoint.view.membership;
    hr_member_presence seen;
    size_t count = 0;
    for (size_t m = 0; s->member->presence && m < membership->count; m++)
        if (hr_presence_of(s->member->presence, m, &seen))
            out[count++] =
                (hr_owner_presence){membership->members[m].name, seen.present, seen.since, seen.seen};
    return count;
}

hr_status hr_folder_service_measure(hr_folder_service *s, hr_error *err) {
    hr_owner_presence presence[HR_MEMBERS_MAX];
    if (!s->settings->metrics) return HR_OK;
    const hr_coordinator_numbers numbers = {
        .queued = s->queued, .presence = presence, .presence_count = list_presence(s, presence)};
    const hr_service_metrics metrics = {.name = s->member->file.member.name,
                                        .packets = &s->packets,
                                        .open = hr_party_jobs(s->party),
                                        .ended = s->ended,
                                        .refused = hr_party_refused(s->party),
                                        .begun = s->begun,
                                        .certificate_ends = s->member->endpoint.validity.ends,
                                        .coordinator = &numbers};
    s->measured = hr_endpoint_clock().now;
    return hr_service_metrics_write(&metrics, s->settings->metrics, err);
}

/* A full disk does not end the work. */
static void refresh_metrics(hr_folder_service *s) {
    hr_error err = {0};
    if (hr_folder_service_measure(s, &err)) hr_log_write(&s->log, HR_LOG_WARNING, NULL, err.message);
}

static void rest(const hr_folder_service *s) {
    hr_error err = {0};
    if (hr_party_rest(s->party, &err)) hr_log_write(&s->log, HR_LOG_WARNING, NULL, err.message);
}

/* ---- The service ---- */

static bool is_to_pause(void *user) {
    hr_folder_service *s = user;
    const int64_t now = hr_endpoint_clock().now;
    s->reload = s->settings->should_reload && s->settings->should_reload(s->settings->user);
    if (s->reload) return true;
    hr_endpoint_log_validity(&s->member->endpoint, &s->log);
    if (now - s->measured >= HR_METRICS_PAUSE) refresh_metrics(s);
    if (now - s->looked < LOOK) return false;
    s->looked = now;
    s->status = hr_folder_service_look(s, &s->why);
    return s->status != HR_OK;
}

static hr_status read_coordinator_file(const char *folder, hr_arena *arena, hr_coordinator_file *out,
                                       hr_error *err) {
    char path[HR_FOLDER_PATH];
    hr_status status = hr_folder_path(folder, HR_FOLDER_FILE, path, err);
    return status ? status : hr_coordinator_file_read(path, arena, out, err);
}

/* Any member may be an owner of a job to come. */
static hr_status open_folder_presence(const hr_folder_service *s, folder_member *m, hr_error *err) {
    const hr_party_view *view = &m->endpoint.view;
    bool others[HR_MEMBERS_MAX] = {false};
    for (size_t i = 0; i < view->membership->count; i++) others[i] = i != view->self;
    const hr_presence_options options = {
        .listens = others, .requests = true, .period = HR_HELLO_PERIOD, .log = &s->log};
    return hr_endpoint_presence(&m->endpoint, &options, &m->presence, err);
}

static void close_member(folder_member *m) {
    if (!m) return;
    hr_presence_close(m->presence);
    hr_endpoint_done(&m->endpoint);
    hr_arena_free(m->arena);
    free(m);
}

/* A folder without a coordinator file gets no journal. */
static hr_status open_folder_journal(hr_folder_service *s, hr_error *err) {
    hr_status status = hr_folder_path(s->folder, HR_FOLDER_JOURNAL, s->path, err);
    if (!status) status = hr_journal_open(s->path, &s->journal, err);
    if (status) return hr_fail_at(err, status, s->path, 0, 0, NULL);
    s->wait = (hr_file_wait){.settings = s->settings, .log = &s->log, .path = s->path};
    hr_journal_wait(s->journal, hr_endpoint_wait_for_file, &s->wait);
    return hr_receipt_folder(s->path, &s->receipts, err);
}

/* The first one waits for the broker; another is one only if the broker answers. */
static hr_status fill_member(hr_folder_service *s, folder_member *m, hr_error *err) {
    const hr_coordinator_file *f = &m->file;
    m->arena = hr_arena_new();
    if (!m->arena) return hr_fail_memory(err);
    hr_status status = read_coordinator_file(s->folder, m->arena, &m->file, err);
    if (!status && !s->journal) status = open_folder_journal(s, err);
    if (status) return status;
    if (!s->member) s->log.coordinator = f->member.name;
    const hr_endpoint_files files = {.member = f->member,
                                     .log = &s->log,
                                     .tries_once = s->member != NULL,
                                     .before = s->member ? &s->member->endpoint : NULL};
    status = hr_endpoint_open(&files, s->settings, s->loopback, m->arena, &m->endpoint, err);
    if (!status) status = hr_endpoint_note_version(&m->endpoint, s->journal, &s->log, err);
    return status ? status : open_folder_presence(s, m, err);
}

static hr_status open_member(hr_folder_service *s, folder_member **out, hr_error *err) {
    folder_member *m = calloc(1, sizeof *m);
    if (!m) return hr_fail_memory(err);
    hr_status status = fill_member(s, m, err);
    *out = status ? NULL : m;
    if (status) close_member(m);
    return status;
}

/* Works as this member from now on. Jobs are read anew with it, and continue from the journal. */
static hr_status use_member(hr_folder_service *s, folder_member *m, hr_error *err) {
    hr_party_close(s->party);
    s->party = NULL;
    while (s->jobs) remove_served(s, s->jobs);
    if (s->member) hr_endpoint_replace(&m->endpoint, &s->member->endpoint);
    close_member(s->member);
    s->member = m;
    s->log.coordinator = m->file.member.name;
    hr_counted_transport_use(&s->packets, m->endpoint.transport);
    hr_party_options options = hr_coordinator_options(&m->endpoint, s->journal, &s->work);
    options.transport = &s->packets.transport;
    options.presence = m->presence;
    return hr_party_open(&options, &s->party, err);
}

void hr_folder_service_close(hr_folder_service *s) {
    if (!s) return;
    hr_party_close(s->party);
    close_member(s->member);
    hr_journal_close(s->journal);
    free(s->receipts);
    while (s->jobs) remove_served(s, s->jobs);
    free(s);
}

hr_status hr_folder_service_open(const char *folder, const hr_party_settings *settings, hr_loopback *loopback,
                                 hr_folder_service **out, hr_error *err) {
    hr_folder_service *s = calloc(1, sizeof *s);
    folder_member *m = NULL;
    if (!s) return hr_fail_memory(err);
    s->folder = folder;
    s->settings = settings;
    s->loopback = loopback;
    s->log = (hr_log){.sink = log_line, .user = s};
    s->work = (hr_party_work){.settings_of = settings_of_job,
                              .next_question = ask_for_job,
                              .store_receipt = store_served_receipt,
                              .finish = finish_served,
                              .over = note_served_end,
                              .log = &s->log};
    s->looked = hr_endpoint_clock().now - LOOK; /* due */
    s->begun = hr_endpoint_clock().date;
    hr_status status = open_member(s, &m, err);
    if (!status) status = hr_folder_mend(folder, &s->log, err);
    if (!status) status = use_member(s, m, err);
    if (status)
        hr_folder_service_close(s);
    else
        *out = s;
    return status;
}

hr_party *hr_folder_service_party(hr_folder_service *s) {
    return s->party;
}

hr_status hr_folder_service_reload(hr_folder_service *s, hr_error *err) {
    folder_member *m = NULL;
    hr_error why = {0};
    hr_status status = open_member(s, &m, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) {
        hr_endpoint_log_not_replaced(&s->log, &why);
        return HR_OK;
    }
    rest(s);
    status = use_member(s, m, err);
    if (!status) hr_log_write(&s->log, HR_LOG_INFO, NULL, "the files were read anew");
    return status;
}

hr_status hr_coordinate_folder(const char *folder, const hr_party_settings *settings, hr_error *err) {
    hr_folder_service *s = NULL;
    hr_party_settings ours;
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = hr_endpoint_present(&ours, err);
    if (!status) status = hr_folder_service_open(folder, &ours, NULL, &s, err);
    if (status) return status;
    status = hr_folder_service_measure(s, err);
    if (!status)
        hr_log_format(&s->log, HR_LOG_INFO, NULL, "ready for jobs, %zu at once", s->member->file.at_once);
    if (!status && ours.ready) ours.ready(ours.user);
    while (!status) {
        if (s->reload) status = hr_folder_service_reload(s, err);
        if (!status) status = hr_endpoint_work(s->party, &ours, is_to_pause, s, err);
        if (!status && s->status) {
            status = s->status;
            if (err) *err = s->why;
        }
    }
    if (s->party) {
        rest(s);
        refresh_metrics(s);
    }
    hr_folder_service_close(s);
    return status;
}
