/* The certificates of one federation: its own authority, which is used for
 * nothing else.
 *
 * They decide which members may connect to the broker, and identify the broker to members. Packets do not
 * depend on them: those are sealed and signed under keys that no broker and no authority holds. X.509, ECDSA
 * on P-256, SHA-256. */
#ifndef HR_FEDERATION_TRANSPORT_CERTIFICATES_H
#define HR_FEDERATION_TRANSPORT_CERTIFICATES_H

#include "base/fail.h"
#include "federation/transport/validity.h"

#include <hedgerow/federation.h>
#include <stdbool.h>

enum { HR_CERTIFICATE_DAYS = HR_RENEWAL_DAYS /* of a certificate, at most */ };

typedef struct hr_authority hr_authority;

/* Text in PEM. */
typedef struct hr_certificate {
    char *certificate, *key;
} hr_certificate;

typedef enum hr_certificate_use {
    HR_CERTIFICATE_CLIENT, /* its subject alternative name is that of a user of the broker */
    HR_CERTIFICATE_SERVER  /* its subject alternative names are the hosts that clients dial: one, or several
                              with commas between, of a cluster whose brokers also dial each other */
} hr_certificate_use;

/* A new key, and a certificate that it signs itself. Owner: the caller. Fails: MEMORY, IO (no entropy). */
HR_MUST_CHECK hr_status hr_authority_make(const char *federation, hr_authority **out, hr_error *err);
/* The authority of files in PEM: of the certificates in the file, the one whose key it is. Owner: the caller.
 * Fails: IO, FORMAT (no certificate, or the key is another one's), POLICY (others may read the key), MEMORY.
 */
HR_MUST_CHECK hr_status hr_authority_read(const char *certificate, const char *key, hr_authority **out,
                                          hr_error *err);
/* NULL is allowed. */
void hr_authority_free(hr_authority *authority);

/* Its own certificate and key. Owner: the caller frees with hr_certificate_done. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_authority_write(const hr_authority *authority, hr_certificate *out, hr_error *err);

/* A new key and its certificate, which holds for so many days, but not longer than the authority's own.
 * `name` holds letters, digits, and ".-:" alone. Owner: the caller frees with hr_certificate_done. Fails:
 * MEMORY, IO (no entropy). */
HR_MUST_CHECK hr_status hr_authority_issue(const hr_authority *authority, hr_certificate_use use,
                                           const char *name, int days, hr_certificate *out, hr_error *err);
/* Whether it signed the certificate of a file in PEM. */
bool hr_authority_signed(const hr_authority *authority, const char *path);
/* How many certificates a file in PEM has. */
size_t hr_certificate_count(const char *path);
/* Wipes the key. */
void hr_certificate_done(hr_certificate *certificate);

#endif
