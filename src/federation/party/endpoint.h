/* Where a party works: what its files name, opened. */
#ifndef HR_FEDERATION_PARTY_ENDPOINT_H
#define HR_FEDERATION_PARTY_ENDPOINT_H

#include "federation/config/federation_file.h"
#include "federation/config/member_paths.h"
#include "federation/party/party.h"
#include "federation/transport/loopback.h"
#include "federation/transport/validity.h"
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal.h"

#include <hedgerow/federation.h>

enum {
    HR_ENDPOINT_RESEND = 2000 /* milliseconds */,
    HR_ENDPOINT_QUOTA = 3000 /* packets */,
    HR_ENDPOINT_DAYS = 30 /* for which a coordinator remembers a job */
};

/* A member, and where lines about it go. */
typedef struct hr_endpoint_files {
    hr_member_paths member;
    const hr_log *log;
    bool tries_once;                  /* a broker that does not answer is not waited for */
    const struct hr_endpoint *before; /* of this process, which the new one is to replace: it keeps the lock
                                         of the key that both have. NULL: none */
} hr_endpoint_files;

typedef struct hr_endpoint {
    hr_federation_file file;
    char fingerprint[HR_FINGERPRINT_SIZE]; /* of the file; "" on a loopback, which needs no authority */
    hr_federation_id id;                   /* of the file; borrows the fingerprint */
    hr_identity *identity;
    hr_file_lock *key_lock; /* one process at a time sends as a member, whatever its journal is */
    hr_party_view view;
    hr_transport *transport;
    hr_validity validity; /* of the certificate that it dialled with */
    int64_t days_left;    /* of it, as logged last */
} hr_endpoint;

/* Reads the federation file and the key, and takes an end of `loopback` unless that is NULL, else of the
 * carrier of the settings, or dials the broker if they have none. Waits for a broker that does not answer,
 * unless it tries once, and logs that. Everything else that it makes lives in the arena. Call
 * hr_endpoint_done in either case. Fails: IO, FORMAT, POLICY (no such member, or its key is another; the
 * broker refuses), CANCELLED (settings->should_continue), MEMORY. */
HR_MUST_CHECK hr_status hr_endpoint_open(const hr_endpoint_files *files, const hr_party_settings *settings,
                                         hr_loopback *loopback, hr_arena *arena, hr_endpoint *out,
                                         hr_error *err);
void hr_endpoint_done(hr_endpoint *endpoint);

/* The endpoint that was opened with files.before = `before` has the lock of the key from now on. */
void hr_endpoint_replace(hr_endpoint *endpoint, hr_endpoint *before);

/* Logs once a day that the certificate expires soon, and that it has expired. */
void hr_endpoint_log_validity(hr_endpoint *endpoint, const hr_log *log);

/* Notes the version of the file in the journal, and logs it if it is a newer one. Nothing on a loopback.
 * Fails: POLICY (an older one than before, or another file of the same version), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_endpoint_note_version(const hr_endpoint *endpoint, hr_journal *journal,
                                                 const hr_log *log, hr_error *err);

/* The caller's settings, and defaults where they are too short to have any. Fails: ARGUMENT (they were not
 * initialised). */
HR_MUST_CHECK hr_status hr_endpoint_settings(const hr_party_settings *given, hr_party_settings *out,
                                             hr_error *err);

/* Whether packets can be carried as the settings say: hr_nats_present, unless they have a carrier. */
HR_MUST_CHECK hr_status hr_endpoint_present(const hr_party_settings *settings, hr_error *err);

/* Logs that a service goes on with the files that it had, and why. */
void hr_endpoint_log_not_replaced(const hr_log *log, const hr_error *why);

/* The presence of the endpoint's member; of the options, those that the endpoint does not have. *out stays
 * NULL if its transport has none. Owner: the caller closes *out before the endpoint is done. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_endpoint_presence(const hr_endpoint *endpoint, const hr_presence_options *options,
                                             hr_presence **out, hr_error *err);

/* Fails: CANCELLED (settings->should_continue). */
HR_MUST_CHECK hr_status hr_endpoint_check_stop(const hr_party_settings *settings, hr_error *err);

/* Continues until `over` returns true, or settings->should_continue false. Fails: CANCELLED
 * (should_continue), and as hr_party_step. */
HR_MUST_CHECK hr_status hr_endpoint_work(hr_party *party, const hr_party_settings *settings,
                                         bool (*over)(void *user), void *user, hr_error *err);

/* Waits for unconfirmed packets for a limited time; after that, or when should_continue returns false, they
 * stay for the next start. */
HR_MUST_CHECK hr_status hr_endpoint_drain(hr_party *party, const hr_party_settings *settings, hr_error *err);

/* Waits for another process that keeps a ledger or journal locked, as long as it takes: hr_journal_wait. */
typedef struct hr_file_wait {
    const hr_party_settings *settings;
    const hr_log *log;
    const char *path;
    int64_t begun;
    bool logged;
} hr_file_wait;
bool hr_endpoint_wait_for_file(void *file_wait, int tries);

/* The clock of the party's steps. */
hr_clock hr_endpoint_clock(void);

#endif
