#include "job/own.h"

#include "base/fail.h"
#include "job/owner_work.h"
#include "job/threads.h"
#include "transport/nats.h"

#include <stdio.h>
#include <stdlib.h>

struct hr_owner_seat {
    hr_arena *arena;
    hr_owner_file file;
    hr_station station;
    hr_schema *schema;
    hr_data *data;
    hr_ledger *ledger;
    hr_journal *journal;
    bool miners[HR_MEMBERS_MAX];
    hr_owner_work work;
    hr_party *party;
    const hr_party_settings *settings;
};

static hr_status read_records(hr_owner_seat *s, hr_error *err) {
    hr_status status = hr_schema_read(s->file.schema, &s->schema, err);
    if (!status) {
        status = hr_schema_reviewed(s->schema, err);
        if (status) return hr_fail_at(err, status, s->file.schema, 0, 0, NULL);
    }
    if (!status) status = hr_data_read(s->schema, s->file.data, NULL, &s->data, err);
    return status;
}

static hr_status open_ledger(hr_owner_seat *s, hr_error *err) {
    hr_status status = hr_ledger_open(s->file.ledger, &s->ledger, err);
    if (!status) status = hr_journal_of_ledger(s->ledger, &s->journal, err);
    return status ? hr_fail_at(err, status, s->file.ledger, 0, 0, NULL) : HR_OK;
}

static hr_status open_station(hr_owner_seat *s, hr_loopback *loopback, hr_error *err) {
    hr_station_files files = {s->file.name, s->file.federation, s->file.key, s->file.certificate, s->file.certificate_key};
    hr_status status = hr_station_open(&files, s->settings, loopback, s->arena, &s->station, err);
    const hr_roster *roster = &s->station.file.roster;
    for (size_t m = 0; !status && m < roster->count; m++) s->miners[m] = hr_names_hold(&s->file.policy.miners, roster->members[m].name);
    return status;
}

/* Several owners may share one listener. */
static void tell(void *user, const char *line) {
    const hr_owner_seat *s = user;
    char named[HR_ACTION_TEXT + 400];
    if (!s->settings->tell) return;
    snprintf(named, sizeof named, "%s: %s", s->file.name, line);
    s->settings->tell(s->settings->user, named);
}

static hr_status open_party(hr_owner_seat *s, hr_error *err) {
    hr_owner_work_init(&s->work);
    s->work.data = s->data;
    s->work.policy = &s->file.policy;
    s->work.ledger = s->ledger;
    s->work.threads = hr_threads_of(s->settings->threads);
    s->work.tell = tell;
    s->work.user = s;
    hr_party_options options = {.view = &s->station.view,
                                .journal = s->journal,
                                .transport = s->station.transport,
                                .work = &s->work.work,
                                .schema = s->schema,
                                .miners = s->miners,
                                .least_owners = s->file.policy.owners,
                                .lifetime = (int64_t)s->file.policy.days * 86400,
                                .resend = HR_STATION_RESEND};
    return hr_party_open(&options, &s->party, err);
}

static hr_status open_seat(hr_owner_seat *s, const char *file, hr_loopback *loopback, hr_error *err) {
    hr_status status = hr_owner_file_read(file, s->arena, &s->file, err);
    if (!status) status = read_records(s, err);
    if (!status) status = open_ledger(s, err);
    if (!status) status = open_station(s, loopback, err);
    return status ? status : open_party(s, err);
}

hr_status hr_owner_seat_open(const char *file, const hr_party_settings *settings, hr_loopback *loopback, hr_owner_seat **out,
                             hr_error *err) {
    hr_owner_seat *s = calloc(1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    s->settings = settings;
    s->arena = hr_arena_new();
    hr_status status = s->arena ? open_seat(s, file, loopback, err) : hr_fail_memory(err);
    if (status)
        hr_owner_seat_close(s);
    else
        *out = s;
    return status;
}

void hr_owner_seat_close(hr_owner_seat *s) {
    if (!s) return;
    hr_party_close(s->party);
    hr_station_done(&s->station);
    hr_journal_close(s->journal);
    hr_ledger_close(s->ledger);
    hr_data_free(s->data);
    hr_schema_free(s->schema);
    hr_arena_free(s->arena);
    free(s);
}

hr_party *hr_owner_seat_party(hr_owner_seat *s) {
    return s->party;
}

static bool is_over(void *user) {
    const hr_owner_seat *s = user;
    return s->settings->jobs && s->work.done + s->work.failed >= s->settings->jobs;
}

hr_status hr_own(const char *file, const hr_party_settings *settings, hr_error *err) {
    hr_owner_seat *s = NULL;
    hr_party_settings ours;
    hr_status status = hr_station_settings(settings, &ours, err);
    if (!status) status = hr_nats_present(err);
    if (!status) status = hr_owner_seat_open(file, &ours, NULL, &s, err);
    if (status) return status;
    tell(s, "ready for jobs");
    status = hr_station_work(s->party, &ours, is_over, s, err);
    if (!status) status = hr_station_linger(s->party, &ours, err);
    hr_owner_seat_close(s);
    return status;
}
