#include "random/keyed.h"

#include <sodium.h>

_Static_assert((int)HR_KEYED_KEY == (int)crypto_generichash_KEYBYTES && (int)HR_KEYED_SIZE >= (int)crypto_generichash_BYTES_MIN,
               "the hash takes such keys, and says so much");

void hr_keyed(const uint8_t key[HR_KEYED_KEY], const void *bytes, size_t size, uint8_t out[HR_KEYED_SIZE]) {
    (void)crypto_generichash(out, HR_KEYED_SIZE, bytes, size, key, HR_KEYED_KEY); /* fails only for sizes that are none */
}
