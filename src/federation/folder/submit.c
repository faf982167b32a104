/* A job that is submitted to the folder of a coordinator that serves: checked in full, then copied. */
#include "base/fail.h"
#include "base/text/text.h"
#include "federation/config/coordinator_file.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/folder/job_folder.h"
#include "federation/work/own_job.h"
#include "privacy/ledger/file_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the job file, if it names members' files, is one of this coordinator. */
static hr_status check_name(const hr_job_file *job, const char *file, const hr_coordinator_file *coordinator,
                            hr_error *err) {
    if (!job->owners.count) {
        hr_fail(err, HR_E_ARGUMENT, "add owners, such as `owners: [north, south]`",
                "the job file names no owners");
        return hr_fail_at(err, HR_E_ARGUMENT, file, 0, 0, "owners");
    }
    if (!job->member.name || !strcmp(job->member.name, coordinator->member.name)) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "submit it to the folder of that coordinator, or remove the key",
            "the job is of the coordinator '%s', the folder of '%s'", job->member.name,
            coordinator->member.name);
    return hr_fail_at(err, HR_E_ARGUMENT, file, 0, 0, "name");
}

/* Packs the terms as at the beginning of the job: what would be refused then is refused now. */
static hr_status try_terms(hr_own_job *job, const char *name, const hr_coordinator_file *coordinator,
                           hr_error *err) {
    hr_endpoint endpoint = {.view.membership = &endpoint.file.membership};
    hr_bytes terms = {0};
    hr_status status =
        hr_federation_file_read(coordinator->member.federation, job->arena, &endpoint.file, err);
    if (status) return status;
    endpoint.view.self = hr_membership_by_name(endpoint.view.membership, coordinator->member.name,
                                               strlen(coordinator->member.name));
    status = hr_own_job_terms(job, name, &endpoint, &terms, err);
    job->file.members = NULL; /* of this endpoint */
    free(terms.at);
    return status;
}

static hr_status check_submitted(hr_own_job *job, const char *folder, const char *file, const char *name,
                                 hr_error *err) {
    char path[HR_FOLDER_PATH];
    hr_coordinator_file coordinator;
    hr_status status = hr_folder_path(folder, HR_FOLDER_FILE, path, err);
    if (!status) status = hr_coordinator_file_read(path, job->arena, &coordinator, err);
    if (!status) status = hr_job_file_read(file, hr_federated_job_rules, job->arena, &job->file, err);
    if (!status) status = check_name(&job->file, file, &coordinator, err);
    if (!status) status = hr_own_job_schema(job, err);
    if (status) return status;
    status = try_terms(job, name, &coordinator, err);
    return status && !*err->file ? hr_fail_at(err, status, file, 0, 0, NULL) : status;
}

static hr_status choose_name(const char *file, const char *name, char out[HR_JOB_NAME_TEXT], hr_error *err) {
    if (!name) return hr_job_name_of(file, out, err);
    if (!hr_text_is_job_name(hr_data_of(name, strlen(name))))
        return hr_fail(err, HR_E_ARGUMENT, "1 to 64 bytes, of ASCII only letters, digits, space and -_.+()",
                       "--name: this cannot be the name of a job");
    strcpy(out, name);
    return HR_OK;
}

hr_status hr_job_submit(const char *folder, const char *file, const char *name, hr_submitted *out,
                        hr_error *err) {
    hr_own_job job = {.arena = hr_arena_new()};
    char path[HR_FOLDER_PATH];
    uint8_t id[HR_JOURNAL_ID];
    hr_error why = {0};
    *out = (hr_submitted){0};
    hr_status status = job.arena ? choose_name(file, name, out->name, &why) : hr_fail_memory(&why);
    if (!status) status = check_submitted(&job, folder, file, out->name, &why);
    const hr_folder_files files = {file, job.file.schema, job.file.model};
    if (!status) status = hr_folder_add(folder, out->name, &files, id, &why);
    if (!status) hr_text_hex(id, HR_JOURNAL_ID, out->id);
    if (!status && hr_folder_path(folder, HR_FOLDER_JOURNAL, path, NULL) == HR_OK &&
        hr_file_lock_look(path, &out->running, NULL))
        out->running = false;
    hr_own_job_done(&job);
    if (status && err) *err = why;
    return status;
}
