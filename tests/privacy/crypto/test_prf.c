#include "privacy/crypto/prf.h"
#include "support/check.h"

/* Python: hashlib.blake2b(b"record 7", key=bytes(range(32)), digest_size=16) */
static void test_keyed__is_blake2b(void **state) {
    (void)state;
    static const uint8_t expected[HR_PRF_SIZE] = {0x4f, 0x92, 0xd5, 0x05, 0x02, 0x6e, 0x9f, 0xc0,
                                                  0x1f, 0x4d, 0xa7, 0x6d, 0xa3, 0xf1, 0x4b, 0x48};
    uint8_t key[HR_PRF_KEY], out[HR_PRF_SIZE];
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)i;
    hr_prf(key, "record 7", 8, out);
    assert_memory_equal(out, expected, sizeof out);
    key[31] ^= 1;
    hr_prf(key, "record 7", 8, out);
    assert_memory_not_equal(out, expected, sizeof out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keyed__is_blake2b),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
