/* Where a party works: what its files name, opened. */
#ifndef HR_JOB_STATION_H
#define HR_JOB_STATION_H

#include "job/federation_file.h"
#include "job/party.h"
#include "transport/loopback.h"

#include <hedgerow/federation.h>

enum { HR_STATION_RESEND = 2000 }; /* milliseconds */

/* What an owner file and a job file have in common. */
typedef struct hr_station_files {
    const char *name, *federation, *key, *certificate, *certificate_key;
} hr_station_files;

typedef struct hr_station {
    hr_federation_file file;
    hr_identity *identity;
    hr_party_view view;
    hr_transport *transport;
} hr_station;

/* Reads the federation file and the key, and dials the broker, or takes an end of `loopback` unless that is NULL. Waits for a broker that
 * does not answer, and tells it. What it makes besides lives in the arena. Call hr_station_done in either case. Fails: IO, FORMAT, POLICY
 * (no such member, or her key is another; the broker refuses), CANCELLED (settings->go_on), MEMORY. */
HR_MUST_CHECK hr_status hr_station_open(const hr_station_files *files, const hr_party_settings *settings, hr_loopback *loopback,
                                        hr_arena *arena, hr_station *out, hr_error *err);
void hr_station_done(hr_station *station);

/* The caller's settings, and defaults where they are too short to have any. Fails: ARGUMENT (they were not initialised). */
HR_MUST_CHECK hr_status hr_station_settings(const hr_party_settings *given, hr_party_settings *out, hr_error *err);

/* Fails: CANCELLED (settings->go_on). */
HR_MUST_CHECK hr_status hr_station_ask(const hr_party_settings *settings, hr_error *err);

/* Goes on until `over` says so, or settings->go_on does. Fails: CANCELLED (go_on), and as hr_party_step. */
HR_MUST_CHECK hr_status hr_station_work(hr_party *party, const hr_party_settings *settings, bool (*over)(void *user), void *user,
                                        hr_error *err);

/* Stays a while for parcels that somebody has not confirmed yet; then, or when it is asked to stop, leaves them to the next time. */
HR_MUST_CHECK hr_status hr_station_linger(hr_party *party, const hr_party_settings *settings, hr_error *err);

/* The clock of the party's steps. */
hr_clock hr_station_clock(void);

#endif
