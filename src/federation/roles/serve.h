/* An owner at work: what its owner file names, opened. */
#ifndef HR_FEDERATION_ROLES_SERVE_H
#define HR_FEDERATION_ROLES_SERVE_H

#include "federation/party/endpoint.h"

typedef struct hr_owner_service hr_owner_service;

/* What a service is made of. Borrowed, and what it points to as well. */
typedef struct hr_owner_opening {
    const char *file;
    hr_owner_records records;
    const hr_party_settings *settings;
    hr_loopback *loopback; /* NULL: it works at the broker */
} hr_owner_opening;

/* Owner: the caller frees *out with hr_owner_service_close, before the loopback. Fails: as hr_serve_records.
 */
HR_MUST_CHECK hr_status hr_owner_service_open(const hr_owner_opening *opening, hr_owner_service **out,
                                              hr_error *err);
void hr_owner_service_close(hr_owner_service *simulated);

hr_party *hr_owner_service_party(hr_owner_service *simulated);

/* Whether two owners of a job have no table in common, neither of training nor of evaluation. Fails:
 * ARGUMENT. */
HR_MUST_CHECK hr_status hr_owner_service_refuse_shared(const hr_owner_service *a, const hr_owner_service *b,
                                                       hr_error *err);

#endif
