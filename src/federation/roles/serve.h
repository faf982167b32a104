/* An owner at work: what its owner file names, opened. */
#ifndef HR_FEDERATION_ROLES_SERVE_H
#define HR_FEDERATION_ROLES_SERVE_H

#include "federation/party/endpoint.h"

typedef struct hr_owner_service hr_owner_service;

/* At the broker, or at a loopback unless that is NULL. Settings are borrowed. Owner: the caller frees *out
 * with hr_owner_service_close, before the loopback. Fails: as hr_serve. */
HR_MUST_CHECK hr_status hr_owner_service_open(const char *file, const hr_party_settings *settings,
                                              hr_loopback *loopback, hr_owner_service **out, hr_error *err);
void hr_owner_service_close(hr_owner_service *simulated);

hr_party *hr_owner_service_party(hr_owner_service *simulated);

/* Whether two owners of a job have no table in common, neither of training nor of evaluation. Fails:
 * ARGUMENT. */
HR_MUST_CHECK hr_status hr_owner_service_refuse_shared(const hr_owner_service *a, const hr_owner_service *b,
                                                       hr_error *err);

#endif
