/* The federation file: the members, their public keys, and the broker that carries their packets. Its format
 * stands in docs/reference/formats.md. */
#ifndef HR_FEDERATION_CONFIG_FEDERATION_FILE_H
#define HR_FEDERATION_CONFIG_FEDERATION_FILE_H

#include "base/arena.h"
#include "federation/config/fields.h"
#include "federation/config/record_bounds.h"
#include "federation/protocol/message.h"
#include "privacy/crypto/fingerprint.h"

enum { HR_FEDERATION_VERSION_MAX = 1000000000 };

typedef struct hr_federation_file {
    size_t version;           /* 1..HR_FEDERATION_VERSION_MAX; the founder counts it up with every change */
    hr_membership membership; /* 2..HR_MEMBERS_MAX members; names and keys are unique */
    const hr_record_bounds *records; /* [member]; most 0: none */
    const char *url;                 /* of the NATS broker: tls://HOST:PORT */
    const char *authority;           /* path of the certificate authority that signed the broker's */
} hr_federation_file;

/* Which federation file a party uses. Version 0: none, in a simulation. */
typedef struct hr_federation_id {
    size_t version;
    const char *fingerprint; /* as people compare it; NULL: not known */
} hr_federation_id;

/* Owner: *out lives in the arena. Fails: FORMAT (file, line, column), LIMIT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_federation_file_read(const char *path, hr_arena *arena, hr_federation_file *out,
                                                hr_error *err);
/* As hr_federation_file_read, from memory. */
HR_MUST_CHECK hr_status hr_federation_file_parse(const hr_file_text *text, hr_arena *arena,
                                                 hr_federation_file *out, hr_error *err);

/* Those of a member of that name; most 0: none. */
hr_record_bounds hr_federation_file_records(const hr_federation_file *file, const char *name);

/* Of all that the file decides: the name and version of the federation, the broker, its authority, and the
 * members with their keys and bounds. Equal fingerprints mean equal federations, however the files are
 * written. Fails: IO (the authority's file), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_federation_file_fingerprint(const hr_federation_file *file,
                                                       char text[HR_FINGERPRINT_SIZE], hr_error *err);

#endif
