#include "support/test_keys.h"

hr_identity *test_identity(unsigned char number) {
    unsigned char seed[crypto_sign_SEEDBYTES] = {number, 'm', 'e', 'm', 'b', 'e', 'r'};
    hr_identity *identity = NULL;
    assert_int_equal(hr_identity_grow(seed, &identity, NULL), HR_OK);
    return identity;
}

hr_identity *identity_of_rfc8032(void) {
    static const char hex[] = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    unsigned char seed[crypto_sign_SEEDBYTES];
    hr_identity *identity = NULL;
    assert_int_equal(sodium_hex2bin(seed, sizeof seed, hex, sizeof hex - 1, NULL, NULL, NULL), 0);
    assert_int_equal(hr_identity_grow(seed, &identity, NULL), HR_OK);
    return identity;
}

hr_csprng *seeded_stream(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

void check_error(const hr_error *err, hr_status status, const char *message) {
    assert_string_equal(err->message, message);
    assert_int_equal(err->status, status);
    assert_true(err->remedy[0]);
}
