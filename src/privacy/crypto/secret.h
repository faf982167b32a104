/* The inside of an identity, for this folder alone. */
#ifndef HR_PRIVACY_CRYPTO_SECRET_H
#define HR_PRIVACY_CRYPTO_SECRET_H

#include "privacy/crypto/identity.h"

#include <sodium.h>

struct hr_identity {
    unsigned char sign_secret[crypto_sign_SECRETKEYBYTES],
        sign_public[crypto_sign_PUBLICKEYBYTES]; /* secret: seed | public */
    unsigned char box_secret[crypto_box_SECRETKEYBYTES], box_public[crypto_box_PUBLICKEYBYTES];
};

/* The identity that grows from a seed. Owner: the caller. Fails: MEMORY, IO (no entropy). */
HR_MUST_CHECK hr_status hr_identity_grow(const unsigned char seed[crypto_sign_SEEDBYTES], hr_identity **out,
                                         hr_error *err);

#endif
