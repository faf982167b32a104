/* A coordinator that serves: one member, one connection and one journal for all jobs of its folder. */
#ifndef HR_FEDERATION_ROLES_COORDINATE_FOLDER_H
#define HR_FEDERATION_ROLES_COORDINATE_FOLDER_H

#include "federation/party/endpoint.h"

typedef struct hr_folder_service hr_folder_service;

/* At the broker, or at a loopback unless that is NULL. Jobs of the journal continue; no other one begins yet.
 * Folder and settings are borrowed. Owner: the caller frees *out with hr_folder_service_close, before the
 * loopback. Fails: as hr_coordinate_folder. */
HR_MUST_CHECK hr_status hr_folder_service_open(const char *folder, const hr_party_settings *settings,
                                               hr_loopback *loopback, hr_folder_service **out, hr_error *err);
/* NULL is allowed. */
void hr_folder_service_close(hr_folder_service *service);

hr_party *hr_folder_service_party(hr_folder_service *service);

/* Between two steps of the party: begins jobs that are queued, as many as may run. What is wrong with a job
 * ends that job. Fails: IO (the journal, the folder of all jobs), MEMORY. */
HR_MUST_CHECK hr_status hr_folder_service_look(hr_folder_service *service, hr_error *err);

/* Reads the coordinator file and the files that it names anew, and goes on with them. If one is faulty, or
 * the broker does not answer with them, logs that, and goes on as before. Fails: IO, FORMAT (the journal),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_folder_service_reload(hr_folder_service *service, hr_error *err);

/* Writes the file of metrics, if the settings name one. Fails: as hr_service_metrics_write. */
HR_MUST_CHECK hr_status hr_folder_service_measure(hr_folder_service *service, hr_error *err);

#endif
