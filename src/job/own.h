/* An owner at work: what her owner file names, opened. */
#ifndef HR_JOB_OWN_H
#define HR_JOB_OWN_H

#include "job/station.h"

typedef struct hr_owner_seat hr_owner_seat;

/* At the broker, or at a loopback unless that is NULL. Settings are borrowed. Owner: the caller frees *out with hr_owner_seat_close, before
 * the loopback. Fails: as hr_own. */
HR_MUST_CHECK hr_status hr_owner_seat_open(const char *file, const hr_party_settings *settings, hr_loopback *loopback, hr_owner_seat **out,
                                           hr_error *err);
void hr_owner_seat_close(hr_owner_seat *seat);

hr_party *hr_owner_seat_party(hr_owner_seat *seat);

#endif
