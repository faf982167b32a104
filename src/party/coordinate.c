#include "party/coordinate.h"

#include "base/fail.h"
#include "party/coordinator_work.h"
#include "party/terms.h"
#include "transport/nats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct hr_coordinator_service {
    hr_arena *arena;
    hr_job_file file;
    const char *model;
    hr_endpoint endpoint;
    hr_schema *schema;
    hr_journal *journal;
    hr_coordinator_work work;
    hr_party *party;
    const hr_party_settings *settings;
};

static hr_status refuse_part(const char *path, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT,
            "add name, federation, key, journal and owners, or run it with 'hedgerow simulate'",
            "the job file does not name the members");
    return hr_fail_at(err, HR_E_ARGUMENT, path, 0, 0, NULL);
}

static hr_status read_files(hr_coordinator_service *m, const char *path, hr_error *err) {
    hr_status status = hr_job_file_read(path, hr_federated_defaults, m->arena, &m->file, err);
    if (!status && !m->file.name) return refuse_part(path, err);
    if (!status) status = hr_schema_read(m->file.schema, &m->schema, err);
    if (!status) status = hr_schema_reviewed(m->schema, err);
    return status;
}

static hr_status open_coordinator_endpoint(hr_coordinator_service *m, hr_loopback *loopback, hr_error *err) {
    hr_endpoint_files files = {m->file.name, m->file.federation, m->file.key, m->file.certificate,
                               m->file.certificate_key};
    hr_status status = hr_journal_open(m->file.journal, &m->journal, err);
    return status ? status : hr_endpoint_open(&files, m->settings, loopback, m->arena, &m->endpoint, err);
}

static hr_status open_coordinator_party(hr_coordinator_service *m, hr_error *err) {
    hr_coordinator_work_init(&m->work);
    m->work.path = m->model;
    m->work.log_line = m->settings->log_line;
    m->work.user = m->settings->user;
    hr_party_options options = {.view = &m->endpoint.view,
                                .journal = m->journal,
                                .transport = m->endpoint.transport,
                                .work = &m->work.work,
                                .schema = m->schema,
                                .round_gain = m->file.round_gain,
                                .deadline = (int64_t)m->file.deadline * 1000,
                                .resend = HR_ENDPOINT_RESEND};
    return hr_party_open(&options, &m->party, err);
}

static hr_status check_owners(const hr_coordinator_service *m, hr_error *err) {
    for (size_t i = 0; i < m->file.owners.count; i++) {
        const char *name = m->file.owners.items[i];
        size_t member = hr_membership_by_name(m->endpoint.view.membership, name, strlen(name));
        if (member != HR_NO_MEMBER && member != m->endpoint.view.self) continue;
        hr_fail(err, HR_E_ARGUMENT, "name members that the federation file lists, not the coordinator",
                "'%s' cannot be an owner of this job", name);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "owners");
    }
    return HR_OK;
}

/* A job that was begun continues; a new one does not overwrite a model. */
static hr_status submit(hr_coordinator_service *m, const char *path, hr_error *err) {
    hr_bytes terms = {0};
    if (hr_party_jobs(m->party)) {
        if (m->settings->log_line) m->settings->log_line(m->settings->user, "an earlier job continues");
        return HR_OK;
    }
    struct stat there;
    if (!stat(m->model, &there) && S_ISREG(there.st_mode)) {
        hr_fail(err, HR_E_POLICY,
                "name another file, or move it away: a new job costs its owners budget again",
                "the model exists already");
        return hr_fail_at(err, HR_E_POLICY, m->model, 0, 0, NULL);
    }
    hr_status status = check_owners(m, err);
    if (!m->file.date) m->file.date = hr_endpoint_clock().date;
    if (!status) status = hr_terms_of(&m->file, path, m->schema, &m->file.owners, &terms, err);
    if (!status)
        status = hr_party_submit(m->party, (hr_blob){terms.at, terms.size}, hr_endpoint_clock().date, err);
    free(terms.at);
    return status;
}

static hr_status open_coordinator_service(hr_coordinator_service *m, const char *path, hr_loopback *loopback,
                                          hr_error *err) {
    hr_status status = read_files(m, path, err);
    if (!status) status = open_coordinator_endpoint(m, loopback, err);
    if (!status) status = open_coordinator_party(m, err);
    return status ? status : submit(m, path, err);
}

hr_status hr_coordinator_service_open(const char *file, const char *model, const hr_party_settings *settings,
                                      hr_loopback *loopback, hr_coordinator_service **out, hr_error *err) {
    hr_coordinator_service *m = calloc(1, sizeof *m);
    if (!m) return hr_fail_memory(err);
    m->settings = settings;
    m->model = model;
    m->arena = hr_arena_new();
    hr_status status = m->arena ? open_coordinator_service(m, file, loopback, err) : hr_fail_memory(err);
    if (status)
        hr_coordinator_service_close(m);
    else
        *out = m;
    return status;
}

void hr_coordinator_service_close(hr_coordinator_service *m) {
    if (!m) return;
    hr_party_close(m->party);
    hr_endpoint_done(&m->endpoint);
    hr_journal_close(m->journal);
    hr_schema_free(m->schema);
    hr_model_free(m->work.model);
    hr_arena_free(m->arena);
    free(m);
}

hr_party *hr_coordinator_service_party(hr_coordinator_service *m) {
    return m->party;
}

hr_status hr_coordinator_service_take(hr_coordinator_service *m, hr_model **out, hr_error *err) {
    if (!m->work.model)
        return hr_fail(err, HR_E_POLICY, "see the owners' reasons in the log",
                       "the job ended without a model: %s", m->work.why);
    *out = m->work.model;
    m->work.model = NULL;
    return HR_OK;
}

static bool is_job_over(void *user) {
    const hr_coordinator_service *m = user;
    return !hr_party_jobs(m->party);
}

hr_status hr_coordinate(const char *file, const char *model, const hr_party_settings *settings,
                        hr_model **out, hr_error *err) {
    hr_coordinator_service *m = NULL;
    hr_party_settings ours;
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = hr_nats_present(err);
    if (!status) status = hr_coordinator_service_open(file, model, &ours, NULL, &m, err);
    if (status) return status;
    status = hr_endpoint_work(m->party, &ours, is_job_over, m, err);
    if (!status) status = hr_endpoint_drain(m->party, &ours, err);
    if (!status) status = hr_coordinator_service_take(m, out, err);
    hr_coordinator_service_close(m);
    return status;
}
