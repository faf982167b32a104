/* A coordinator at work: what its job file names, opened, and the job begun or taken up again. */
#ifndef HR_FEDERATION_ROLES_COORDINATE_H
#define HR_FEDERATION_ROLES_COORDINATE_H

#include "federation/party/endpoint.h"

#include <hedgerow/jobs.h>

typedef struct hr_coordinator_service hr_coordinator_service;

/* At the broker, or at a loopback unless that is NULL. If the result exists and no job runs, none is begun,
 * but what an earlier job still has to send can be sent. Settings are borrowed. Owner: the caller frees *out
 * with hr_coordinator_service_close, before the loopback. Fails: as hr_coordinate. */
HR_MUST_CHECK hr_status hr_coordinator_service_open(const char *file, const char *result,
                                                    const hr_party_settings *settings, hr_loopback *loopback,
                                                    hr_coordinator_service **out, hr_error *err);
void hr_coordinator_service_close(hr_coordinator_service *service);

hr_party *hr_coordinator_service_party(hr_coordinator_service *service);

/* Gives settings->progress how far its open jobs are, at most five times a second. */
void hr_coordinator_service_show(hr_coordinator_service *service);

/* The result, which is the caller's from then on. Fails: POLICY (the job ended without one, or one of
 * an earlier job exists). */
HR_MUST_CHECK hr_status hr_coordinator_service_take(hr_coordinator_service *service, hr_job_result *out,
                                                    hr_error *err);

/* Another process works from the journal, as *err says: adds which job it runs, and how that is followed and
 * ended with the job file `path`. Never HR_OK (jobs.c). */
hr_status hr_jobs_fail_busy(const char *journal, const char *path, hr_error *err);

/* How far a job is, as the journal has it: round, step and owners of *out, whose texts are borrowed (jobs.c).
 */
void hr_jobs_progress(const hr_journal_progress *progress, hr_job_owner owners[HR_MEMBERS_MAX],
                      hr_job_progress *out);

#endif
