/* A job is cancelled, and the other members are told of it at once: by the program that works from the
 * journal, else from here. */
#include "base/fail.h"
#include "federation/roles/federation_version.h"
#include "federation/roles/member_files.h"
#include "federation/transport/nats.h"
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal_list.h"

#include <hedgerow/federation.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    CONFIRMATION = HR_CANCEL_SECONDS * 1000, /* milliseconds */
    LOOK = 100,
    UNREAD_MAX = 256 /* packets that are left to the next start */
};

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

static void ignore_end(hr_party_work *self, const hr_party_job *job, const char *why) {
    (void)self, (void)job, (void)why;
}

static hr_status open_journal(leaving_member *m, hr_error *err) {
    if (!m->files->is_owner) return hr_journal_open(m->files->journal, &m->journal, err);
    hr_status status = hr_ledger_open(m->files->journal, &m->ledger, err);
    return status ? status : hr_journal_of_ledger(m->ledger, &m->journal, err);
}

/* Jobs that are marked end while the party is opened. */
static hr_status open_leaving_party(leaving_member *m, hr_error *err) {
    const hr_party_settings quiet = HR_PARTY_SETTINGS_INIT;
    hr_status status = hr_nats_present(err);
    if (!status) status = hr_schema_read(m->files->schema, &m->schema, err);
    if (!status) status = hr_endpoint_open(&m->files->endpoint, &quiet, NULL, m->arena, &m->endpoint, err);
    if (!status) status = hr_federation_version_note(&m->endpoint.file, m->journal, NULL, err);
    m->work = (hr_party_work){.fail = ignore_end};
    const hr_party_options options = {.view = &m->endpoint.view,
                                      .journal = m->journal,
                                      .transport = m->endpoint.transport,
                                      .work = &m->work,
                                      .schema = m->schema,
                                      .round_gain = m->files->round_gain,
                                      .resend = HR_ENDPOINT_RESEND};
    return status ? status : hr_party_open(&options, &m->party, err);
}

static void close_leaving(leaving_member *m) {
    hr_party_close(m->party);
    hr_endpoint_done(&m->endpoint);
    hr_journal_close(m->journal);
    hr_ledger_close(m->ledger);
    hr_schema_free(m->schema);
}

/* ---- What has become of it ---- */

static hr_status look_at_job(void *user, const hr_journal_item *item) {
    hr_cancel_info *info = user;
    if (strcmp(item->id, info->id) != 0) return HR_OK;
    info->ended = item->over;
    info->told = item->over && !*item->unconfirmed;
    snprintf(info->unconfirmed, sizeof info->unconfirmed, "%s", item->unconfirmed);
    return HR_OK;
}

/* Until all have confirmed it, or the time is over. */
static hr_status await_program(const leaving_member *m, int64_t until, hr_error *err) {
    hr_status status = hr_journal_list(m->files->journal, look_at_job, m->info, err);
    while (!status && !m->info->told && hr_endpoint_clock().now < until) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK * 1000000}, NULL);
        status = hr_journal_list(m->files->journal, look_at_job, m->info, err);
    }
    if (!status && !m->info->ended)
        snprintf(m->info->why, sizeof m->info->why,
                 "the program that runs with this file is at work, and ends the job afterwards");
    return status;
}

static hr_status await_members(const leaving_member *m, int64_t until, hr_error *err) {
    size_t unread = 0;
    hr_status status = hr_journal_list(m->files->journal, look_at_job, m->info, err);
    while (!status && !m->info->told && unread < UNREAD_MAX && hr_endpoint_clock().now < until) {
        status = hr_party_step_leaving(m->party, hr_endpoint_clock(), LOOK, &unread, err);
        if (!status) status = hr_journal_list(m->files->journal, look_at_job, m->info, err);
    }
    return status;
}

/* The job stays marked, whatever hinders it here: that is no failure. */
static hr_status tell_others(leaving_member *m, hr_error *err) {
    const int64_t until = hr_endpoint_clock().now + CONFIRMATION;
    hr_error why = {0};
    bool held = false;
    hr_status status = open_journal(m, &why);
    if (status == HR_E_IO && !hr_file_lock_look(m->files->journal, &held, NULL) && held)
        return await_program(m, until, err);
    if (!status) status = open_leaving_party(m, &why);
    if (!status) status = await_members(m, until, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) hr_error_format(&why, m->info->why, sizeof m->info->why);
    return HR_OK;
}

static hr_status cancel_job(leaving_member *m, const char *file, const char *job, hr_error *err) {
    hr_member_files files;
    hr_journal_named named;
    hr_status status = hr_member_files_read(file, m->arena, &files, err);
    if (!status) status = hr_journal_cancel(files.journal, job, &named, err);
    if (status) return status;
    memcpy(m->info->id, named.id, sizeof m->info->id);
    files.endpoint.tries_once = true;
    m->files = &files;
    status = tell_others(m, err);
    close_leaving(m);
    return status;
}

hr_status hr_jobs_cancel(const char *file, const char *job, hr_cancel_info *out, hr_error *err) {
    *out = (hr_cancel_info){0};
    leaving_member m = {.info = out, .arena = hr_arena_new()};
    hr_status status = m.arena ? cancel_job(&m, file, job, err) : hr_fail_memory(err);
    hr_arena_free(m.arena);
    return status;
}
