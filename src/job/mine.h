/* A miner at work: what her job file names, opened, and the job begun or taken up again. */
#ifndef HR_JOB_MINE_H
#define HR_JOB_MINE_H

#include "job/station.h"

typedef struct hr_miner_seat hr_miner_seat;

/* At the broker, or at a loopback unless that is NULL. Settings are borrowed. Owner: the caller frees *out with hr_miner_seat_close, before
 * the loopback. Fails: as hr_mine. */
HR_MUST_CHECK hr_status hr_miner_seat_open(const char *file, const char *model, const hr_party_settings *settings, hr_loopback *loopback,
                                           hr_miner_seat **out, hr_error *err);
void hr_miner_seat_close(hr_miner_seat *seat);

hr_party *hr_miner_seat_party(hr_miner_seat *seat);

/* The model, which is the caller's from then on. Fails: POLICY (the job ended without one). */
HR_MUST_CHECK hr_status hr_miner_seat_take(hr_miner_seat *seat, hr_model **out, hr_error *err);

#endif
