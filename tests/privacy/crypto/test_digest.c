/* Digests are BLAKE2b-256, and keep domains apart. */
#include "privacy/crypto/digest.h"
#include "support/check.h"

/* As of Python: hashlib.blake2b(b'domain\0abc', digest_size=32). */
static void test_digest__is_blake2b(void **state) {
    (void)state;
    static const char wanted[] = "098d2c492fa11492db82ee7af4f7775666d36e82ac1b9d87da3bc373ad587ffb";
    hr_digest d = hr_digest_of("domain", "abc", 3);
    char text[HR_DIGEST_TEXT];
    hr_digest_text(&d, text);
    assert_string_equal(text, wanted);
}

static void test_digest__of_another_domain_or_text_is_another(void **state) {
    (void)state;
    const hr_digest d = hr_digest_of("domain", "abc", 3);
    const hr_digest others[] = {hr_digest_of("domaia", "abc", 3), hr_digest_of("domain", "abd", 3),
                                hr_digest_of("domain", "ab", 2), hr_digest_of("domain", NULL, 0),
                                hr_digest_of("domai", "nabc", 4)};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(hr_digest_is(&d, others[i].bytes, HR_DIGEST_SIZE));
    assert_true(hr_digest_is(&d, d.bytes, HR_DIGEST_SIZE));
    assert_false(hr_digest_is(&d, d.bytes, HR_DIGEST_SIZE - 1));
    assert_false(hr_digest_is(&d, NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_digest__is_blake2b),
                                       cmocka_unit_test(test_digest__of_another_domain_or_text_is_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
