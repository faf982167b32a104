#include "privacy/crypto/fingerprint.h"

#include <sodium.h>
#include <stdio.h>

enum { BYTES = 20, GROUP = 2 };

_Static_assert((BYTES / GROUP) * (2 * GROUP + 1) == HR_FINGERPRINT_SIZE, "groups and what separates them");

void hr_fingerprint(const void *bytes, size_t size, char text[HR_FINGERPRINT_SIZE]) {
    unsigned char hash[BYTES];
    (void)crypto_generichash(hash, sizeof hash, bytes, size, NULL, 0); /* fails for other sizes alone */
    for (int i = 0; i < BYTES; i += GROUP)
        snprintf(text + i / GROUP * (2 * GROUP + 1), 2 * GROUP + 2, "%02x%02x%s", hash[i], hash[i + 1],
                 i + GROUP < BYTES ? " " : "");
}
