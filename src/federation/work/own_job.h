/* One job of a coordinator: its file and schema, and what is made of it. */
#ifndef HR_FEDERATION_WORK_OWN_JOB_H
#define HR_FEDERATION_WORK_OWN_JOB_H

#include "federation/party/endpoint.h"
#include "federation/work/coordinator_work.h"

typedef struct hr_own_job {
    hr_arena *arena; /* of `file` */
    hr_job_file file;
    hr_schema *schema;
    hr_coordinator_work work;
} hr_own_job;

/* Reads the schema that the job file names. Fails: POLICY (it is not public), as hr_schema_read; its file is
 * named. */
HR_MUST_CHECK hr_status hr_own_job_schema(hr_own_job *job, hr_error *err);

/* The work begins with nothing; `path`: where the result is written, NULL: nowhere. Both are borrowed. */
void hr_own_job_work(hr_own_job *job, const char *path, const hr_log *log);

/* Whether the owners that the file names are members, other than the coordinator `self`. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_own_job_owners(const hr_job_file *file, const hr_membership *membership,
                                          size_t self, hr_error *err);

/* Packs the terms of the job with this name, as of now where the file has no date, with the last receipt of
 * each owner if the work has a folder of them. Owner: the caller frees terms->at. Fails: ARGUMENT (owners; as
 * hr_terms_of), FORMAT and IO (receipts), MEMORY. */
HR_MUST_CHECK hr_status hr_own_job_terms(hr_own_job *job, const char *name, const hr_endpoint *endpoint,
                                         hr_bytes *terms, hr_error *err);

/* Frees what the job holds; it may be zero. */
void hr_own_job_done(hr_own_job *job);

/* What the parties of all coordinators have in common; all of it is borrowed. */
hr_party_options hr_coordinator_options(const hr_endpoint *endpoint, hr_journal *journal,
                                        hr_party_work *work);

#endif
