/* Signatures that were found to hold. In a simulation all owners look at the same ones in one process: each
 * is then checked once, and not once by each owner. What an owner accepts is the same. */
#ifndef HR_FEDERATION_PROTOCOL_CHECKED_SIGNATURES_H
#define HR_FEDERATION_PROTOCOL_CHECKED_SIGNATURES_H

#include "privacy/crypto/identity.h"

/* Thread: any number at once. */
typedef struct hr_checked_signatures hr_checked_signatures;

/* Remembers no more than `most` signatures, whatever comes. Owner: the caller. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_checked_signatures_new(size_t most, hr_checked_signatures **out, hr_error *err);
/* NULL is allowed. */
void hr_checked_signatures_free(hr_checked_signatures *checked);

/* What is signed: the bytes, for a purpose (hr_sign). */
typedef struct hr_signed_bytes {
    const char *domain;
    const uint8_t *at;
    size_t size; /* at most HR_SIGNED_MAX: others are checked each time */
} hr_signed_bytes;

enum { HR_SIGNED_MAX = 64 };

/* As hr_signature_holds. checked: NULL if nothing is remembered. */
bool hr_checked_signature_holds(hr_checked_signatures *checked, const hr_public_key *key,
                                const hr_signed_bytes *what, const uint8_t signature[HR_SIGNATURE_SIZE]);

#endif
