/* A real job with all of its parties in one process: their files, keys, ledgers and journals, and no broker.
 */
#include "base/fail.h"
#include "federation/roles/coordinate.h"
#include "federation/roles/serve.h"

#include <stdlib.h>
#include <time.h>

typedef struct meeting {
    hr_loopback *loopback;
    hr_coordinator_service *coordinator;
    hr_owner_service **owners;
    size_t owner_count;
    const hr_party_settings *settings;
} meeting;

static hr_status open_all(meeting *m, const char *job, const char *result, const hr_owner_files *owners,
                          hr_error *err) {
    m->owners = calloc(owners->file_count + 1, sizeof *m->owners);
    hr_status status = m->owners ? hr_loopback_new(&m->loopback, err) : hr_fail_memory(err);
    for (size_t i = 0; !status && i < owners->file_count; i++) {
        const hr_owner_opening opening = {
            .file = owners->files[i], .settings = m->settings, .loopback = m->loopback};
        status = hr_owner_service_open(&opening, &m->owners[i], err);
        if (!status) m->owner_count++;
    }
    return status ? status
                  : hr_coordinator_service_open(job, result, m->settings, m->loopback, &m->coordinator, err);
}

/* Also the records that models are evaluated on: those of all owners are added up. One owner may evaluate
 * models on the records that it trains on: its ledger pays for both. */
static hr_status refuse_shared_tables(const meeting *m, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->owner_count; i++)
        for (size_t j = 0; !status && j < i; j++)
            status = hr_owner_service_refuse_shared(m->owners[j], m->owners[i], err);
    return status;
}

/* As long as it has something to do. */
static hr_status continue_party(const meeting *m, hr_party *party, bool *any, hr_error *err) {
    bool busy = true;
    hr_status status = HR_OK;
    while (!status && busy) {
        status = hr_endpoint_check_stop(m->settings, err);
        if (!status) status = hr_party_step(party, hr_endpoint_clock(), 0, &busy, err);
        *any = *any || (!status && busy);
    }
    return status;
}

/* Until no party has anything to do. Owners of the job that are not in the meeting never answer: the
 * coordinator waits for them up to its file's deadline. */
static hr_status run_meeting(meeting *m, hr_error *err) {
    bool any = true;
    hr_status status = HR_OK;
    while (!status && (any || hr_party_jobs(hr_coordinator_service_party(m->coordinator)))) {
        /* A member in another process is awaited. */
        if (!any) nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
        any = false;
        status = continue_party(m, hr_coordinator_service_party(m->coordinator), &any, err);
        hr_coordinator_service_show(m->coordinator);
        for (size_t i = 0; !status && i < m->owner_count; i++)
            status = continue_party(m, hr_owner_service_party(m->owners[i]), &any, err);
    }
    return status;
}

hr_status hr_meet(const char *job, const char *result, const hr_owner_files *owners,
                  const hr_party_settings *settings, hr_job_result *out, hr_error *err) {
    hr_party_settings ours;
    meeting m = {.settings = &ours};
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = open_all(&m, job, result, owners, err);
    if (!status) status = refuse_shared_tables(&m, err);
    if (!status) status = run_meeting(&m, err);
    if (!status) status = hr_coordinator_service_take(m.coordinator, out, err);
    for (size_t i = 0; i < m.owner_count; i++) hr_owner_service_close(m.owners[i]);
    hr_coordinator_service_close(m.coordinator);
    hr_loopback_free(m.loopback);
    free(m.owners);
    return status;
}
