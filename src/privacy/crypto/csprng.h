/* Streams of random bits: a key-erasing ChaCha20 generator keyed from the operating system, safe after fork.
 *
 * A stream cannot fail once it is open. In a forked child every stream, a seeded one too, goes on with fresh
 * OS entropy. Thread: one at a time. */
#ifndef HR_PRIVACY_CRYPTO_CSPRNG_H
#define HR_PRIVACY_CRYPTO_CSPRNG_H

#include <hedgerow/status.h>

typedef struct hr_csprng hr_csprng;

/* Keyed with 32 bytes of OS entropy. Owner: the caller. Fails: MEMORY, IO (no entropy source). */
HR_MUST_CHECK hr_status hr_csprng_open(hr_csprng **out, hr_error *err);
/* Keyed from `seed`: the same bits every time. For tests and for `--unsafe-reproducible-noise`. */
HR_MUST_CHECK hr_status hr_csprng_open_seeded(uint64_t seed, hr_csprng **out, hr_error *err);
/* Wipes the key. NULL is allowed. */
void hr_csprng_close(hr_csprng *csprng);

void hr_csprng_bytes(hr_csprng *csprng, void *out, size_t size);
uint64_t hr_csprng_u64(hr_csprng *csprng);

/* Eight random bytes as a number, the lowest first. Written so that compilers make one load of it. */
static inline uint64_t hr_random_number(const uint8_t b[8]) {
    return b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

#endif
