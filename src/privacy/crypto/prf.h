/* Choices that are the same whenever they are made again, and that nobody can foresee who lacks the key: a
 * pseudo-random function, BLAKE2b. For what nobody learns, such as the round that a record trains in;
 * never for noise. Thread: any. */
#ifndef HR_PRIVACY_CRYPTO_PRF_H
#define HR_PRIVACY_CRYPTO_PRF_H

#include <stddef.h>
#include <stdint.h>

enum { HR_PRF_KEY = 32, HR_PRF_SIZE = 16 };

void hr_prf(const uint8_t key[HR_PRF_KEY], const void *bytes, size_t size, uint8_t out[HR_PRF_SIZE]);

#endif
