/* Digests: BLAKE2b-256 over  domain | NUL | bytes. Bytes under two domains have two digests. */
#ifndef HR_PRIVACY_CRYPTO_DIGEST_H
#define HR_PRIVACY_CRYPTO_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HR_DIGEST_SIZE = 32, HR_DIGEST_TEXT = 65 /* in hexadecimal, with its NUL */ };

typedef struct hr_digest {
    uint8_t bytes[HR_DIGEST_SIZE];
} hr_digest;

hr_digest hr_digest_of(const char *domain, const void *bytes, size_t size);

/* Whether `size` bytes are this digest. */
bool hr_digest_is(const hr_digest *digest, const void *bytes, size_t size);

void hr_digest_text(const hr_digest *digest, char out[HR_DIGEST_TEXT]);

/* The SHA-256 of bytes in hexadecimal, as `sha256sum` prints that of a file. */
void hr_sha256_text(const void *bytes, size_t size, char out[HR_DIGEST_TEXT]);

#endif
