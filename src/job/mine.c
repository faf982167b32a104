#include "job/mine.h"

#include "base/fail.h"
#include "job/miner_work.h"
#include "job/terms.h"
#include "transport/nats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct hr_miner_seat {
    hr_arena *arena;
    hr_job_file file;
    const char *model;
    hr_station station;
    hr_schema *schema;
    hr_journal *journal;
    hr_miner_work work;
    hr_party *party;
    const hr_party_settings *settings;
};

static hr_status refuse_part(const char *path, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, "add name, federation, key, journal and owners, or run it with 'hedgerow simulate'",
            "the job file does not say who asks whom");
    return hr_fail_at(err, HR_E_ARGUMENT, path, 0, 0, NULL);
}

static hr_status read_files(hr_miner_seat *m, const char *path, hr_error *err) {
    hr_status status = hr_job_file_read(path, m->arena, &m->file, err);
    if (!status && !m->file.name) return refuse_part(path, err);
    if (!status) status = hr_schema_read(m->file.schema, &m->schema, err);
    if (!status) status = hr_schema_reviewed(m->schema, err);
    return status;
}

static hr_status open_station(hr_miner_seat *m, hr_loopback *loopback, hr_error *err) {
    hr_station_files files = {m->file.name, m->file.federation, m->file.key, m->file.certificate, m->file.certificate_key};
    hr_status status = hr_journal_open(m->file.journal, &m->journal, err);
    return status ? status : hr_station_open(&files, m->settings, loopback, m->arena, &m->station, err);
}

static hr_status open_party(hr_miner_seat *m, hr_error *err) {
    hr_miner_work_init(&m->work);
    m->work.path = m->model;
    m->work.tell = m->settings->tell;
    m->work.user = m->settings->user;
    hr_party_options options = {.view = &m->station.view,
                                .journal = m->journal,
                                .transport = m->station.transport,
                                .work = &m->work.work,
                                .schema = m->schema,
                                .advance = m->file.advance,
                                .deadline = (int64_t)m->file.deadline * 1000,
                                .resend = HR_STATION_RESEND};
    return hr_party_open(&options, &m->party, err);
}

static hr_status check_owners(const hr_miner_seat *m, hr_error *err) {
    for (size_t i = 0; i < m->file.owners.count; i++) {
        const char *name = m->file.owners.items[i];
        size_t member = hr_roster_named(m->station.view.roster, name, strlen(name));
        if (member != HR_NO_MEMBER && member != m->station.view.self) continue;
        hr_fail(err, HR_E_ARGUMENT, "name members that the federation file lists, not the miner", "'%s' cannot be asked for records", name);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "owners");
    }
    return HR_OK;
}

/* A job that was begun goes on; a new one does not overwrite a model. */
static hr_status submit(hr_miner_seat *m, const char *path, hr_error *err) {
    hr_bytes terms = {0};
    if (hr_party_jobs(m->party)) {
        if (m->settings->tell) m->settings->tell(m->settings->user, "a job that was begun goes on");
        return HR_OK;
    }
    struct stat there;
    if (!stat(m->model, &there) && S_ISREG(there.st_mode)) {
        hr_fail(err, HR_E_POLICY, "name another file, or move it away: a new job costs its owners anew", "the model exists already");
        return hr_fail_at(err, HR_E_POLICY, m->model, 0, 0, NULL);
    }
    hr_status status = check_owners(m, err);
    if (!m->file.date) m->file.date = hr_station_clock().date;
    if (!status) status = hr_terms_of(&m->file, path, m->schema, m->file.owners.items, m->file.owners.count, &terms, err);
    if (!status) status = hr_party_submit(m->party, (hr_blob){terms.at, terms.size}, hr_station_clock().date, err);
    free(terms.at);
    return status;
}

static hr_status open_seat(hr_miner_seat *m, const char *path, hr_loopback *loopback, hr_error *err) {
    hr_status status = read_files(m, path, err);
    if (!status) status = open_station(m, loopback, err);
    if (!status) status = open_party(m, err);
    return status ? status : submit(m, path, err);
}

hr_status hr_miner_seat_open(const char *file, const char *model, const hr_party_settings *settings, hr_loopback *loopback,
                             hr_miner_seat **out, hr_error *err) {
    hr_miner_seat *m = calloc(1, sizeof *m);
    if (!m) return hr_fail_memory(err);
    m->settings = settings;
    m->model = model;
    m->arena = hr_arena_new();
    hr_status status = m->arena ? open_seat(m, file, loopback, err) : hr_fail_memory(err);
    if (status)
        hr_miner_seat_close(m);
    else
        *out = m;
    return status;
}

void hr_miner_seat_close(hr_miner_seat *m) {
    if (!m) return;
    hr_party_close(m->party);
    hr_station_done(&m->station);
    hr_journal_close(m->journal);
    hr_schema_free(m->schema);
    hr_model_free(m->work.model);
    hr_arena_free(m->arena);
    free(m);
}

hr_party *hr_miner_seat_party(hr_miner_seat *m) {
    return m->party;
}

hr_status hr_miner_seat_take(hr_miner_seat *m, hr_model **out, hr_error *err) {
    if (!m->work.model) return hr_fail(err, HR_E_POLICY, "see what the owners said", "the job ended without a model: %s", m->work.why);
    *out = m->work.model;
    m->work.model = NULL;
    return HR_OK;
}

static bool is_over(void *user) {
    const hr_miner_seat *m = user;
    return !hr_party_jobs(m->party);
}

hr_status hr_mine(const char *file, const char *model, const hr_party_settings *settings, hr_model **out, hr_error *err) {
    hr_miner_seat *m = NULL;
    hr_party_settings ours;
    hr_status status = hr_station_settings(settings, &ours, err);
    if (!status) status = hr_nats_present(err);
    if (!status) status = hr_miner_seat_open(file, model, &ours, NULL, &m, err);
    if (status) return status;
    status = hr_station_work(m->party, &ours, is_over, m, err);
    if (!status) status = hr_station_linger(m->party, &ours, err);
    if (!status) status = hr_miner_seat_take(m, out, err);
    hr_miner_seat_close(m);
    return status;
}
