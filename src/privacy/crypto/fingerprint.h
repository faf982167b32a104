/* A short text that people compare to see whether two copies are the same. */
#ifndef HR_PRIVACY_CRYPTO_FINGERPRINT_H
#define HR_PRIVACY_CRYPTO_FINGERPRINT_H

#include <stddef.h>

enum { HR_FINGERPRINT_SIZE = 50 }; /* of the text, with its NUL */

/* BLAKE2b of 20 bytes, as ten groups of four hexadecimal digits. */
void hr_fingerprint(const void *bytes, size_t size, char text[HR_FINGERPRINT_SIZE]);

#endif
