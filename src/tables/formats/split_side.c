#include "tables/formats/split_side.h"

#include "base/fail.h"
#include "privacy/crypto/csprng.h"
#include "privacy/crypto/digest.h"
#include "privacy/crypto/prf.h"

#include <math.h>
#include <string.h>

_Static_assert((int)HR_SPLIT_KEY == (int)HR_PRF_KEY, "the size of a key");

static void number_to_bytes(uint64_t number, uint8_t bytes[8]) {
    for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> 8 * i);
}

hr_status hr_split_side_init(const hr_split_options *options, hr_split_side *out, hr_error *err) {
    hr_csprng *csprng = NULL;
    if (!(options->share > 0 && options->share < 1))
        return hr_fail(err, HR_E_ARGUMENT, "give a number above 0 and below 1, such as 0.2",
                       "the test part cannot have a share of %g", options->share);
    out->below = (uint64_t)ldexp(options->share, 64);
    if (options->seed) {
        uint8_t bytes[8];
        number_to_bytes(*options->seed, bytes);
        const hr_digest digest = hr_digest_of("hedgerow split", bytes, sizeof bytes);
        memcpy(out->key, digest.bytes, sizeof out->key);
        return HR_OK;
    }
    hr_status status = hr_csprng_open(&csprng, err);
    if (!status) hr_csprng_bytes(csprng, out->key, sizeof out->key);
    hr_csprng_close(csprng);
    return status;
}

bool hr_split_side_is_test(const hr_split_side *side, const void *text, size_t size) {
    uint8_t hash[HR_PRF_SIZE];
    uint64_t number = 0;
    hr_prf(side->key, text, size, hash);
    for (size_t i = 0; i < sizeof number; i++) number |= (uint64_t)hash[i] << 8 * i;
    return number < side->below;
}

bool hr_split_side_is_test_record(const hr_split_side *side, uint64_t number) {
    uint8_t bytes[8];
    number_to_bytes(number, bytes);
    return hr_split_side_is_test(side, bytes, sizeof bytes);
}
