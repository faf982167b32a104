#include "privacy/crypto/prf.h"

#include <sodium.h>

_Static_assert((int)HR_PRF_KEY == (int)crypto_generichash_KEYBYTES &&
                   (int)HR_PRF_SIZE >= (int)crypto_generichash_BYTES_MIN,
               "the hash takes such keys, and says so much");

void hr_prf(const uint8_t key[HR_PRF_KEY], const void *bytes, size_t size, uint8_t out[HR_PRF_SIZE]) {
    (void)crypto_generichash(out, HR_PRF_SIZE, bytes, size, key,
                             HR_PRF_KEY); /* fails only for sizes that are none */
}
