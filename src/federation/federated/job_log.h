/* Lines for people that name the job that they are about. */
#ifndef HR_FEDERATION_FEDERATED_JOB_LOG_H
#define HR_FEDERATION_FEDERATED_JOB_LOG_H

#include "federation/federated/party_work.h"

/* To work->log; as hr_log_format. job: NULL: of no job. */
void hr_job_log(const hr_party_work *work, const hr_journal_job *job, hr_log_level level, const char *format,
                ...) HR_PRINTF(4, 5);

#endif
