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

/* The same of bytes that come one piece after the other. */
typedef struct hr_digest_stream hr_digest_stream;

/* Owner: the caller ends or frees it. NULL when memory is short. */
hr_digest_stream *hr_digest_begin(const char *domain);
void hr_digest_add(hr_digest_stream *stream, const void *bytes, size_t size);
/* Frees the stream. */
hr_digest hr_digest_end(hr_digest_stream *stream);
/* Without a result. NULL is allowed. */
void hr_digest_free(hr_digest_stream *stream);

/* Whether `size` bytes are this digest. */
bool hr_digest_is(const hr_digest *digest, const void *bytes, size_t size);

void hr_digest_text(const hr_digest *digest, char out[HR_DIGEST_TEXT]);

/* The SHA-256 of bytes in hexadecimal, as `sha256sum` prints that of a file. */
void hr_sha256_text(const void *bytes, size_t size, char out[HR_DIGEST_TEXT]);

#endif
