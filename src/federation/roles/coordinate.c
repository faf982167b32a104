#include "federation/roles/coordinate.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text/text.h"
#include "federation/federated/terms.h"
#include "federation/roles/service_metrics.h"
#include "federation/work/own_job.h"
#include "federation/work/receipt_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOW = 200 }; /* milliseconds from one progress to the next */

struct hr_coordinator_service {
    hr_own_job job;
    const char *result; /* path */
    hr_endpoint endpoint;
    hr_journal *journal;
    hr_federation_file federation;
    char *receipts;        /* path */
    hr_presence *presence; /* NULL on a loopback */
    hr_counted_transport packets;
    int64_t shown;   /* when progress was last shown, in milliseconds */
    bool has_result; /* of an earlier job, which may still owe packets */
    hr_party *party;
    const hr_party_settings *settings;
    hr_log log;
    hr_file_wait wait;
};

static hr_status read_files(hr_coordinator_service *m, const char *path, hr_error *err) {
    hr_own_job *job = &m->job;
    hr_status status = hr_job_file_read(path, hr_federated_job_rules, job->arena, &job->file, err);
    if (!status && !job->file.member.name) {
        hr_fail(err, HR_E_ARGUMENT,
                "add name, federation, key, journal and owners, or run it with 'hedgerow simulate'",
                "the job file does not name the members");
        return hr_fail_at(err, HR_E_ARGUMENT, path, 0, 0, NULL);
    }
    if (!status)
        status = hr_federation_file_read(job->file.member.federation, job->arena, &m->federation, err);
    job->file.members = &m->federation;
    if (!status && hr_job_file_makes(&job->file) == HR_JOB_MODEL)
        status = hr_model_check_name(m->result, err);
    if (!status) status = hr_file_check_place(m->result, err);
    return status ? status : hr_own_job_schema(job, err);
}

static hr_status open_coordinator_party(hr_coordinator_service *m, hr_error *err) {
    hr_own_job *job = &m->job;
    bool owners[HR_MEMBERS_MAX + 1] = {false}; /* the last: names of no member, which are refused later */
    for (size_t i = 0; i < job->file.owners.count; i++) {
        const char *owner = job->file.owners.items[i];
        owners[hr_membership_by_name(m->endpoint.view.membership, owner, strlen(owner))] = true;
    }
    const hr_presence_options presence = {
        .listens = owners, .requests = true, .period = HR_HELLO_PERIOD, .log = &m->log};
    hr_status status = hr_endpoint_presence(&m->endpoint, &presence, &m->presence, err);
    if (status) return status;
    hr_own_job_work(job, m->result, &m->log);
    job->work.receipts = m->receipts;
    job->work.report_owner = m->settings->report_owner;
    job->work.report_end = m->settings->report_end;
    job->work.user = m->settings->user;
    hr_party_options options = hr_coordinator_options(&m->endpoint, m->journal, &job->work.work);
    hr_counted_transport_use(&m->packets, m->endpoint.transport);
    options.transport = &m->packets.transport;
    options.schema = job->schema;
    options.round_gain = job->file.round_gain;
    options.deadline = (int64_t)job->file.deadline * 1000;
    options.presence = m->presence;
    options.waits_for_present = job->file.wait_for == HR_WAIT_PRESENT;
    return hr_party_open(&options, &m->party, err);
}

/* A job that runs, and the terms of the job file. */
typedef struct running_job {
    const hr_coordinator_service *service;
    const char *path;
    hr_error *err;
} running_job;

static hr_status unpack_terms(hr_blob bytes, Hedgerow__Terms **out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &unpacked, err);
    if (!status) *out = (Hedgerow__Terms *)unpacked;
    return status;
}

static hr_status compare_running(void *user, const hr_journal_job *job) {
    const running_job *r = user;
    const hr_coordinator_service *m = r->service;
    char difference[HR_TERMS_DIFFERENCE];
    hr_bytes bytes = {0};
    Hedgerow__Terms *file = NULL, *running = NULL;
    bool differs = false;
    if (job->cancelled || !job->terms.size) return HR_OK;
    hr_status status = hr_terms_of(&m->job.file, r->path, m->job.schema, &m->job.file.owners, &bytes, r->err);
    if (!status) status = unpack_terms((hr_blob){bytes.at, bytes.size}, &file, r->err);
    if (!status) status = unpack_terms(job->terms, &running, r->err);
    if (!status) differs = hr_terms_difference(file, running, difference);
    if (!status && !differs && m->job.file.round_gain != job->round_gain) {
        snprintf(difference, sizeof difference,
                 "the job file says round-gain: %.15g, the running job has %.15g", m->job.file.round_gain,
                 job->round_gain);
        differs = true;
    }
    if (file) hr_message_unpacked_free(&file->base);
    if (running) hr_message_unpacked_free(&running->base);
    free(bytes.at);
    if (!differs) return status;
    char id[9];
    hr_text_hex(job->id, 4, id);
    hr_fail(r->err, HR_E_POLICY, "restore the file, or end that job with 'hedgerow jobs cancel'",
            "%s (id %s)", difference, id);
    return hr_fail_at(r->err, HR_E_POLICY, r->path, 0, 0, NULL);
}

/* A job that runs continues with its own terms: a file with other terms is refused. */
static hr_status check_running(const hr_coordinator_service *m, const char *path, hr_error *err) {
    hr_error why = {0};
    running_job r = {m, path, &why};
    hr_status status = hr_journal_each_job(m->journal, compare_running, &r, &why);
    if (status && err) *err = why;
    return status;
}

/* A job that was begun continues; a new one does not overwrite a result. */
static hr_status submit(hr_coordinator_service *m, const char *path, hr_error *err) {
    hr_bytes terms = {0};
    struct stat there;
    char name[HR_JOB_NAME_MAX + 1];
    if (hr_party_jobs(m->party)) {
        hr_log_write(&m->log, HR_LOG_INFO, NULL, "an earlier job continues");
        return HR_OK;
    }
    m->has_result = !stat(m->result, &there) && S_ISREG(there.st_mode);
    if (m->has_result) return HR_OK;
    hr_status status = hr_job_name_of(path, name, err);
    if (!status) status = hr_own_job_terms(&m->job, name, &m->endpoint, &terms, err);
    const hr_new_job job = {.terms = {terms.at, terms.size}, .date = hr_endpoint_clock().date};
    if (!status) status = hr_party_submit(m->party, &job, err);
    free(terms.at);
    return status;
}

hr_status hr_coordinator_service_open(const char *file, const char *result, const hr_party_settings *settings,
                                      hr_loopback *loopback, hr_coordinator_service **out, hr_error *err) {
    hr_coordinator_service *m = calloc(1, sizeof *m);
    hr_error why = {0};
    if (!m) return hr_fail_memory(err);
    m->settings = settings;
    m->log = (hr_log){.sink = settings->log_line, .user = settings->user};
    m->result = result;
    m->job.arena = hr_arena_new();
    hr_status status = m->job.arena ? read_files(m, file, err) : hr_fail_memory(err);
    m->log.coordinator = m->job.file.member.name;
    if (!status) status = hr_journal_open(m->job.file.journal, &m->journal, &why);
    if (status && why.status && err) *err = why;
    if (status == HR_E_BUSY && err) status = hr_jobs_fail_busy(m->job.file.journal, file, err);
    if (!status) status = check_running(m, file, err);
    if (!status) {
        const hr_job_file *f = &m->job.file;
        const hr_endpoint_files files = {.member = f->member, .log = &m->log};
        m->wait = (hr_file_wait){.settings = settings, .log = &m->log, .path = f->journal};
        hr_journal_wait(m->journal, hr_endpoint_wait_for_file, &m->wait);
        status = hr_endpoint_open(&files, settings, loopback, m->job.arena, &m->endpoint, err);
    }
    if (!status) status = hr_endpoint_note_version(&m->endpoint, m->journal, &m->log, err);
    if (!status) status = hr_receipt_folder(m->job.file.journal, &m->receipts, err);
    if (!status) status = open_coordinator_party(m, err);
    if (!status) status = submit(m, file, err);
    if (status)
        hr_coordinator_service_close(m);
    else
        *out = m;
    return status;
}

void hr_coordinator_service_close(hr_coordinator_service *m) {
    if (!m) return;
    hr_party_close(m->party);
    hr_presence_close(m->presence);
    hr_endpoint_done(&m->endpoint);
    hr_journal_close(m->journal);
    hr_own_job_done(&m->job);
    free(m->receipts);
    free(m);
}

hr_party *hr_coordinator_service_party(hr_coordinator_service *m) {
    return m->party;
}

hr_status hr_coordinator_service_take(hr_coordinator_service *m, hr_job_result *out, hr_error *err) {
    if (m->has_result) {
        hr_fail(err, HR_E_IO, "name another file, or move it away: a new job costs its owners budget again",
                "the %s exists already", hr_product_name(&m->job.file));
        return hr_fail_at(err, HR_E_IO, m->result, 0, 0, NULL);
    }
    if (m->job.work.rescue[0]) {
        hr_fail(err, HR_E_IO, "move one of the two files", "this file is not the job's; its %s is in '%s'",
                hr_product_name(&m->job.file), m->job.work.rescue);
        return hr_fail_at(err, HR_E_IO, m->result, 0, 0, NULL);
    }
    if (!hr_coordinator_work_has_result(&m->job.work))
        return hr_fail(err, m->job.work.ending == HR_JOB_DECLINED ? HR_E_POLICY : HR_E_JOB,
                       m->job.work.ending == HR_JOB_DECLINED ? "see the owners' reasons in the log"
                                                             : "see the log",
                       "the job ended without a %s: %s", hr_product_name(&m->job.file), m->job.work.state);
    *out = m->job.work.result;
    m->job.work.result = (hr_job_result){0};
    return HR_OK;
}

static void show_open_job(void *user, const hr_job_view *view, const hr_journal_progress *progress) {
    const hr_coordinator_service *m = user;
    char id[2 * HR_JOURNAL_ID + 1], name[HR_JOB_NAME_MAX + 1];
    hr_job_owner owners[HR_MEMBERS_MAX];
    hr_text_hex(view->record->id, HR_JOURNAL_ID, id);
    snprintf(name, sizeof name, "%.*s", (int)view->terms->name.len, (const char *)view->terms->name.data);
    hr_job_progress shown = {.id = id,
                             .name = name,
                             .coordinator = m->job.file.member.name,
                             .state = "running",
                             .awaits = "",
                             .since = "",
                             .epsilon = hr_terms_cost(view->terms),
                             .cancelled = view->record->cancelled,
                             .until = progress->until};
    hr_jobs_progress(progress, owners, &shown);
    m->settings->progress(m->settings->user, &shown);
}

void hr_coordinator_service_show(hr_coordinator_service *m) {
    const int64_t now = hr_endpoint_clock().now;
    if (!m->settings->progress || (m->shown && now - m->shown < SHOW)) return;
    m->shown = now;
    hr_party_each_progress(m->party, show_open_job, m);
}

static bool is_job_over(void *user) {
    hr_coordinator_service *m = user;
    hr_coordinator_service_show(m);
    return !hr_party_jobs(m->party);
}

hr_status hr_job_makes(const char *file, hr_job_product *out, hr_error *err) {
    hr_job_file job;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = hr_job_file_read(file, hr_federated_job_rules, arena, &job, err);
    if (!status) *out = hr_job_file_makes(&job);
    hr_arena_free(arena);
    return status;
}

hr_status hr_coordinate(const char *file, const char *result, const hr_party_settings *settings,
                        hr_job_result *out, hr_error *err) {
    hr_coordinator_service *m = NULL;
    hr_party_settings ours;
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = hr_endpoint_present(&ours, err);
    if (!status) status = hr_coordinator_service_open(file, result, &ours, NULL, &m, err);
    if (status) return status;
    if (ours.ready) ours.ready(ours.user);
    status = hr_endpoint_work(m->party, &ours, is_job_over, m, err);
    if (status == HR_E_CANCELLED) {
        hr_error ignored; /* a full disk costs a part of the waits */
        if (hr_party_rest(m->party, &ignored) == HR_E_MEMORY) status = hr_fail_memory(err);
    }
    if (!status) status = hr_endpoint_drain(m->party, &ours, err);
    if (!status) status = hr_coordinator_service_take(m, out, err);
    hr_counted_transport_report(&m->packets, &ours);
    hr_coordinator_service_close(m);
    return status;
}
