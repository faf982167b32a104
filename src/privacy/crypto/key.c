/* The public functions for keys: members have one each, whatever else they do. */
#include "privacy/crypto/identity.h"

#include <assert.h>
#include <hedgerow/federation.h>

_Static_assert((int)HR_KEY_TEXT == (int)HR_PUBLIC_KEY_TEXT, "the size of a public key as text");

static void spell(const hr_identity *identity, char public_key[HR_KEY_TEXT]) {
    const hr_public_key key = hr_identity_public(identity);
    hr_public_key_text(&key, public_key);
}

hr_status hr_key_create(const char *path, char public_key[HR_KEY_TEXT], hr_error *err) {
    assert(path && public_key);
    hr_identity *identity = NULL;
    hr_status status = hr_identity_make(&identity, err);
    if (!status) status = hr_identity_write(identity, path, err);
    if (!status) spell(identity, public_key);
    hr_identity_free(identity);
    return status;
}

hr_status hr_key_public(const char *path, char public_key[HR_KEY_TEXT], hr_error *err) {
    assert(path && public_key);
    hr_identity *identity = NULL;
    hr_status status = hr_identity_read(path, &identity, err);
    if (!status) spell(identity, public_key);
    hr_identity_free(identity);
    return status;
}
