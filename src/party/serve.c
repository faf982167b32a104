#include "party/serve.h"

#include "base/fail.h"
#include "fit/threads.h"
#include "party/owner_work.h"
#include "transport/nats.h"

#include <stdio.h>
#include <stdlib.h>

struct hr_owner_service {
    hr_arena *arena;
    hr_owner_file file;
    hr_endpoint endpoint;
    hr_schema *schema;
    hr_data *data;
    hr_ledger *ledger;
    hr_journal *journal;
    bool coordinators[HR_MEMBERS_MAX];
    hr_owner_work work;
    hr_party *party;
    const hr_party_settings *settings;
};

static hr_status read_records(hr_owner_service *s, hr_error *err) {
    hr_status status = hr_schema_read(s->file.schema, &s->schema, err);
    if (!status) {
        status = hr_schema_reviewed(s->schema, err);
        if (status) return hr_fail_at(err, status, s->file.schema, 0, 0, NULL);
    }
    if (!status) status = hr_data_read(s->schema, s->file.data, NULL, &s->data, err);
    return status;
}

static hr_status open_ledger(hr_owner_service *s, hr_error *err) {
    hr_status status = hr_ledger_open(s->file.ledger, &s->ledger, err);
    if (!status) status = hr_journal_of_ledger(s->ledger, &s->journal, err);
    return status ? hr_fail_at(err, status, s->file.ledger, 0, 0, NULL) : HR_OK;
}

static hr_status open_owner_endpoint(hr_owner_service *s, hr_loopback *loopback, hr_error *err) {
    hr_endpoint_files files = {s->file.name, s->file.federation, s->file.key, s->file.certificate,
                               s->file.certificate_key};
    hr_status status = hr_endpoint_open(&files, s->settings, loopback, s->arena, &s->endpoint, err);
    const hr_membership *membership = &s->endpoint.file.membership;
    for (size_t m = 0; !status && m < membership->count; m++)
        s->coordinators[m] = hr_names_hold(&s->file.policy.coordinators, membership->members[m].name);
    return status;
}

/* Several owners may share one listener. */
static void log_owner_line(void *user, const char *line) {
    const hr_owner_service *s = user;
    char named[HR_ACTION_TEXT + 400];
    if (!s->settings->log_line) return;
    snprintf(named, sizeof named, "%s: %s", s->file.name, line);
    s->settings->log_line(s->settings->user, named);
}

static hr_status open_owner_party(hr_owner_service *s, hr_error *err) {
    hr_owner_work_init(&s->work);
    s->work.data = s->data;
    s->work.policy = &s->file.policy;
    s->work.ledger = s->ledger;
    s->work.threads = hr_threads_of(s->settings->threads);
    s->work.log_line = log_owner_line;
    s->work.user = s;
    hr_party_options options = {.view = &s->endpoint.view,
                                .journal = s->journal,
                                .transport = s->endpoint.transport,
                                .work = &s->work.work,
                                .schema = s->schema,
                                .coordinators = s->coordinators,
                                .min_owners = s->file.policy.owners,
                                .lifetime = (int64_t)s->file.policy.days * 86400,
                                .resend = HR_ENDPOINT_RESEND};
    return hr_party_open(&options, &s->party, err);
}

static hr_status open_owner_service(hr_owner_service *s, const char *file, hr_loopback *loopback,
                                    hr_error *err) {
    hr_status status = hr_owner_file_read(file, s->arena, &s->file, err);
    if (!status) status = read_records(s, err);
    if (!status) status = open_ledger(s, err);
    if (!status) status = open_owner_endpoint(s, loopback, err);
    return status ? status : open_owner_party(s, err);
}

hr_status hr_owner_service_open(const char *file, const hr_party_settings *settings, hr_loopback *loopback,
                                hr_owner_service **out, hr_error *err) {
    hr_owner_service *s = calloc(1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    s->settings = settings;
    s->arena = hr_arena_new();
    hr_status status = s->arena ? open_owner_service(s, file, loopback, err) : hr_fail_memory(err);
    if (status)
        hr_owner_service_close(s);
    else
        *out = s;
    return status;
}

void hr_owner_service_close(hr_owner_service *s) {
    if (!s) return;
    hr_party_close(s->party);
    hr_endpoint_done(&s->endpoint);
    hr_journal_close(s->journal);
    hr_ledger_close(s->ledger);
    hr_data_free(s->data);
    hr_schema_free(s->schema);
    hr_arena_free(s->arena);
    free(s);
}

hr_party *hr_owner_service_party(hr_owner_service *s) {
    return s->party;
}

static bool are_jobs_over(void *user) {
    const hr_owner_service *s = user;
    return s->settings->jobs && s->work.done + s->work.failed >= s->settings->jobs;
}

hr_status hr_serve(const char *file, const hr_party_settings *settings, hr_error *err) {
    hr_owner_service *s = NULL;
    hr_party_settings ours;
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = hr_nats_present(err);
    if (!status) status = hr_owner_service_open(file, &ours, NULL, &s, err);
    if (status) return status;
    log_owner_line(s, "ready for jobs");
    status = hr_endpoint_work(s->party, &ours, are_jobs_over, s, err);
    if (!status) status = hr_endpoint_drain(s->party, &ours, err);
    hr_owner_service_close(s);
    return status;
}
