#include "privacy/crypto/digest.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)HR_DIGEST_SIZE == crypto_generichash_BYTES, "the size of a digest");

struct hr_digest_stream {
    crypto_generichash_state state;
};

static void start_digest(hr_digest_stream *stream, const char *domain) {
    crypto_generichash_init(&stream->state, NULL, 0, HR_DIGEST_SIZE);
    crypto_generichash_update(&stream->state, (const unsigned char *)domain, strlen(domain) + 1);
}

static hr_digest finish_digest(hr_digest_stream *stream) {
    hr_digest out;
    crypto_generichash_final(&stream->state, out.bytes, HR_DIGEST_SIZE);
    sodium_memzero(stream, sizeof *stream); /* some digests are keys */
    return out;
}

hr_digest hr_digest_of(const char *domain, const void *bytes, size_t size) {
    hr_digest_stream stream;
    start_digest(&stream, domain);
    hr_digest_add(&stream, bytes, size);
    return finish_digest(&stream);
}

hr_digest_stream *hr_digest_begin(const char *domain) {
    hr_digest_stream *stream = aligned_alloc(_Alignof(hr_digest_stream), sizeof *stream);
    if (stream) start_digest(stream, domain);
    return stream;
}

void hr_digest_add(hr_digest_stream *stream, const void *bytes, size_t size) {
    if (size) crypto_generichash_update(&stream->state, bytes, size);
}

hr_digest hr_digest_end(hr_digest_stream *stream) {
    const hr_digest out = finish_digest(stream);
    free(stream);
    return out;
}

void hr_digest_free(hr_digest_stream *stream) {
    free(stream);
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
