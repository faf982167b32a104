#include "privacy/crypto/digest.h"

#include <sodium.h>
#include <string.h>

_Static_assert((int)HR_DIGEST_SIZE == crypto_generichash_BYTES, "the size of a digest");

hr_digest hr_digest_of(const char *domain, const void *bytes, size_t size) {
    crypto_generichash_state state;
    hr_digest out;
    crypto_generichash_init(&state, NULL, 0, HR_DIGEST_SIZE);
    crypto_generichash_update(&state, (const unsigned char *)domain, strlen(domain) + 1);
    if (size) crypto_generichash_update(&state, bytes, size);
    crypto_generichash_final(&state, out.bytes, HR_DIGEST_SIZE);
    sodium_memzero(&state, sizeof state); /* some digests are keys */
    return out;
}

bool hr_digest_is(const hr_digest *digest, const void *bytes, size_t size) {
    return size == HR_DIGEST_SIZE && !memcmp(digest->bytes, bytes, size);
}

void hr_digest_text(const hr_digest *digest, char out[HR_DIGEST_TEXT]) {
    sodium_bin2hex(out, HR_DIGEST_TEXT, digest->bytes, HR_DIGEST_SIZE);
}

_Static_assert((int)HR_DIGEST_SIZE == crypto_hash_sha256_BYTES, "the size of a SHA-256");

void hr_sha256_text(const void *bytes, size_t size, char out[HR_DIGEST_TEXT]) {
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, size ? bytes : (const unsigned char *)"", size);
    sodium_bin2hex(out, HR_DIGEST_TEXT, hash, sizeof hash);
}
