/* hr_jobs_reconcile: a coordinator that lost its journal, and its owners. */
#include "base/fail.h"
#include "base/text/text.h"
#include "federation/party/endpoint.h"
#include "federation/party/reconciliation.h"
#include "federation/roles/coordinate.h"
#include "federation/roles/member_files.h"
#include "federation/transport/nats.h"

#include <hedgerow/jobs.h>
#include <stdio.h>
#include <string.h>

enum { LOOK = 100, DIGITS_LEAST = 8 }; /* LOOK: milliseconds */

typedef struct reconciling {
    const hr_reconcile_request *request;
    hr_reconcile_info *info;
    hr_arena *arena;
    hr_member_files files;
    hr_journal *journal;
    hr_endpoint endpoint;
    bool asks[HR_MEMBERS_MAX]; /* by member */
    hr_reconciliation *with;
} reconciling;

/* ---- The request ---- */

static hr_status check_ends(const hr_reconcile_request *request, hr_error *err) {
    for (size_t i = 0; i < request->end_count; i++) {
        const size_t size = strlen(request->ends[i]);
        if (size < DIGITS_LEAST || size > HR_JOB_DIGITS ||
            strspn(request->ends[i], "0123456789abcdef") != size)
            return hr_fail(err, HR_E_ARGUMENT, "name at least 8 digits of an id, as they are listed",
                           "'%.64s' is not the beginning of a job's id", request->ends[i]);
    }
    return HR_OK;
}

static hr_status choose_owners(reconciling *r, hr_error *err) {
    const hr_membership *members = &r->endpoint.file.membership;
    for (size_t m = 0; m < members->count; m++)
        r->asks[m] = !r->request->owner_count && m != r->endpoint.view.self;
    for (size_t i = 0; i < r->request->owner_count; i++) {
        const char *name = r->request->owners[i];
        const size_t member = hr_membership_by_name(members, name, strlen(name));
        if (member == HR_NO_MEMBER || member == r->endpoint.view.self)
            return hr_fail(err, HR_E_ARGUMENT, "'hedgerow federation show' lists the members",
                           "'%.64s' is not another member of '%s'", name, members->federation);
        r->asks[member] = true;
    }
    return HR_OK;
}

static hr_status open_all(reconciling *r, hr_error *err) {
    const hr_party_settings quiet = HR_PARTY_SETTINGS_INIT;
    hr_status status = hr_member_files_read(r->request->file, r->arena, &r->files, err);
    if (!status && r->files.is_owner) {
        status = hr_fail(err, HR_E_ARGUMENT, "name the job file or the folder of a coordinator",
                         "an owner's jobs are in its ledger, and are never reconciled");
        hr_fail_at(err, status, r->request->file, 0, 0, NULL);
    }
    if (!status) status = hr_nats_present(err);
    if (!status) {
        status = hr_journal_open(r->files.journal, &r->journal, err);
        if (status == HR_E_BUSY) status = hr_jobs_fail_busy(r->files.journal, r->request->file, err);
    }
    if (!status) status = hr_endpoint_open(&r->files.endpoint, &quiet, NULL, r->arena, &r->endpoint, err);
    if (!status) status = hr_endpoint_note_version(&r->endpoint, r->journal, NULL, err);
    if (!status) status = choose_owners(r, err);
    const hr_reconciliation_options options = {.view = &r->endpoint.view,
                                               .journal = r->journal,
                                               .transport = r->endpoint.transport,
                                               .asks = r->asks,
                                               .ends = r->request->ends,
                                               .end_count = r->request->end_count};
    return status ? status : hr_reconciliation_open(&options, &r->with, err);
}

/* ---- What came ---- */

static void add_name(char *names, size_t room, const char *name) {
    const size_t size = strlen(names);
    snprintf(names + size, room - size, "%s%s", size ? ", " : "", name);
}

/* Returns whether the caller wants more. */
static bool show_owner(reconciling *r, const char *name, const hr_asked_owner *owner) {
    bool more = true, late = false;
    char id[HR_JOB_ID_TEXT];
    for (size_t i = 0; i < owner->held.count; i++) {
        const hr_held_job *job = &owner->held.jobs[i];
        const bool ended = owner->ended[i] && hr_reconciliation_ends(r->with, &job->id);
        const hr_unknown_job shown = {name, id, job->name, job->date, job->charged, ended};
        hr_text_hex(job->id.bytes, HR_JOB_BYTES, id);
        r->info->unknown++;
        r->info->ended += ended;
        late = late || (!ended && hr_reconciliation_ends(r->with, &job->id));
        more = more && r->request->visit(r->request->user, &shown);
    }
    if (!owner->answered) add_name(r->info->silent, sizeof r->info->silent, name);
    if (late) add_name(r->info->not_ended, sizeof r->info->not_ended, name);
    return more;
}

static bool is_held(const reconciling *r, const char *end) {
    char id[HR_JOB_ID_TEXT];
    for (size_t m = 0; m < r->endpoint.file.membership.count; m++) {
        const hr_held_jobs *held = &hr_reconciliation_of(r->with, m)->held;
        for (size_t i = 0; i < held->count; i++) {
            hr_text_hex(held->jobs[i].id.bytes, HR_JOB_BYTES, id);
            if (!strncmp(id, end, strlen(end))) return true;
        }
    }
    return false;
}

static hr_status check_held(const reconciling *r, hr_error *err) {
    for (size_t i = 0; i < r->request->end_count; i++)
        if (!is_held(r, r->request->ends[i]))
            return hr_fail(err, HR_E_ARGUMENT,
                           "call it without --end to see them; 'hedgerow jobs cancel' ends a job that the "
                           "journal knows",
                           "the id '%s' is not of a job that an owner listed and the journal does not know",
                           r->request->ends[i]);
    return HR_OK;
}

static hr_status ask_until_complete(reconciling *r, hr_error *err) {
    const int64_t until = hr_endpoint_clock().now + HR_RECONCILE_SECONDS * 1000;
    hr_status status = HR_OK;
    while (!status && !hr_reconciliation_complete(r->with) && hr_endpoint_clock().now < until)
        status = hr_reconciliation_step(r->with, hr_endpoint_clock(), LOOK, err);
    return status;
}

hr_status hr_jobs_reconcile(const hr_reconcile_request *request, hr_reconcile_info *out, hr_error *err) {
    reconciling r = {.request = request, .info = out, .arena = hr_arena_new()};
    *out = (hr_reconcile_info){0};
    hr_status status = r.arena ? check_ends(request, err) : hr_fail_memory(err);
    if (!status) status = open_all(&r, err);
    if (!status) status = ask_until_complete(&r, err);
    bool more = true;
    for (size_t m = 0; !status && more && m < r.endpoint.file.membership.count; m++)
        if (r.asks[m])
            more =
                show_owner(&r, r.endpoint.file.membership.members[m].name, hr_reconciliation_of(r.with, m));
    if (!status) status = check_held(&r, err);
    hr_reconciliation_close(r.with);
    hr_endpoint_done(&r.endpoint);
    hr_journal_close(r.journal);
    hr_arena_free(r.arena);
    return status;
}
