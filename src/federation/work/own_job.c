#include "federation/work/own_job.h"

#include "base/fail.h"
#include "federation/federated/terms.h"
#include "federation/work/receipt_files.h"

#include <string.h>

hr_status hr_own_job_schema(hr_own_job *job, hr_error *err) {
    hr_status status = hr_schema_read(job->file.schema, &job->schema, err);
    if (status) return status;
    status = hr_schema_public(job->schema, err);
    return status ? hr_fail_at(err, status, job->file.schema, 0, 0, NULL) : HR_OK;
}

void hr_own_job_work(hr_own_job *job, const char *path, const hr_log *log) {
    hr_coordinator_work_init(&job->work);
    job->work.path = path;
    job->work.work.log = log;
    if (job->file.model) job->work.work.evaluated = &job->file.evaluated;
}

hr_status hr_own_job_owners(const hr_job_file *file, const hr_membership *membership, size_t self,
                            hr_error *err) {
    for (size_t i = 0; i < file->owners.count; i++) {
        const char *owner = file->owners.items[i];
        const size_t member = hr_membership_by_name(membership, owner, strlen(owner));
        if (member != HR_NO_MEMBER && member != self) continue;
        hr_fail(err, HR_E_ARGUMENT,
                "name members that the federation file lists; an owner that coordinates has a second member "
                "for that, and is named as 'coordinator-owner'",
                "'%s' cannot be an owner of this job", owner);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "owners");
    }
    return HR_OK;
}

hr_status hr_own_job_terms(hr_own_job *job, const char *name, const hr_endpoint *endpoint, hr_bytes *terms,
                           hr_error *err) {
    hr_job_file *file = &job->file;
    hr_status status = hr_own_job_owners(file, endpoint->view.membership, endpoint->view.self, err);
    if (status) return status;
    if (!file->date) file->date = hr_endpoint_clock().date;
    file->in = endpoint->id;
    file->members = &endpoint->file;
    status = hr_terms_of(file, name, job->schema, &file->owners, terms, err);
    return status || !job->work.receipts ? status : hr_receipt_files_show(job->work.receipts, terms, err);
}

void hr_own_job_done(hr_own_job *job) {
    hr_schema_free(job->schema);
    hr_job_result_free(&job->work.result);
    hr_arena_free(job->arena);
    *job = (hr_own_job){0};
}

hr_party_options hr_coordinator_options(const hr_endpoint *endpoint, hr_journal *journal,
                                        hr_party_work *work) {
    return (hr_party_options){.view = &endpoint->view,
                              .journal = journal,
                              .transport = endpoint->transport,
                              .work = work,
                              .lifetime = (int64_t)HR_ENDPOINT_DAYS * 86400,
                              .quota = HR_ENDPOINT_QUOTA,
                              .resend = HR_ENDPOINT_RESEND};
}
