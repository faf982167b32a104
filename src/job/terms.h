/* A job file as the terms that owners are offered. */
#ifndef HR_JOB_TERMS_H
#define HR_JOB_TERMS_H

#include "federation/message.h"
#include "job/job_file.h"

/* Rounds say how many trees there are, not the method's option. */
bool hr_is_option_of_job(const char *name);

/* Owner: the caller frees out->at. Fails: ARGUMENT (not the method inprivate; the schema's label), MEMORY. */
HR_MUST_CHECK hr_status hr_terms_of(const hr_job_file *job, const char *name, const hr_schema *schema, const char *const *owners,
                                    size_t count, hr_bytes *out, hr_error *err);

#endif
