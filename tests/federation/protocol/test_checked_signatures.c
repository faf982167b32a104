/* Signatures that are remembered: what holds, holds again; what does not is refused as often as it comes. */
#include "federation/protocol/checked_signatures.h"
#include "support/check.h"

enum { MOST = 2 };

typedef struct signer {
    hr_identity *who;
    hr_public_key key;
    hr_checked_signatures *checked;
} signer;

static const uint8_t said[HR_SIGNED_MAX] = {1, 2, 3};

static signer signer_new(void) {
    signer s = {0};
    assert_int_equal(hr_identity_make(&s.who, NULL), HR_OK);
    s.key = hr_identity_public(s.who);
    assert_int_equal(hr_checked_signatures_new(MOST, &s.checked, NULL), HR_OK);
    return s;
}

static void signer_free(signer *s) {
    hr_checked_signatures_free(s->checked);
    hr_identity_free(s->who);
}

static bool holds(const signer *s, const hr_signed_bytes *what, const uint8_t *signature) {
    return hr_checked_signature_holds(s->checked, &s->key, what, signature);
}

/* Each of these differs in one thing from what was signed and remembered. */
static void test_remembered__holds_for_nothing_else(void **state) {
    (void)state;
    signer s = signer_new(), other = signer_new();
    const hr_signed_bytes what = {"test", said, sizeof said};
    uint8_t signature[HR_SIGNATURE_SIZE], changed[sizeof said];
    hr_sign(s.who, "test", said, sizeof said, signature);
    for (int again = 0; again < 2; again++) {
        assert_true(holds(&s, &what, signature));
        assert_false(hr_checked_signature_holds(s.checked, &other.key, &what, signature));
        assert_false(holds(&s, &(hr_signed_bytes){"tes", said, sizeof said}, signature));
        assert_false(holds(&s, &(hr_signed_bytes){"test", said, sizeof said - 1}, signature));
        for (size_t i = 0; i < sizeof said; i++) {
            memcpy(changed, said, sizeof said);
            changed[i] ^= 1;
            assert_false(holds(&s, &(hr_signed_bytes){"test", changed, sizeof changed}, signature));
        }
        for (size_t i = 0; i < HR_SIGNATURE_SIZE; i++) {
            signature[i] ^= 1;
            assert_false(holds(&s, &what, signature));
            signature[i] ^= 1;
        }
    }
    signer_free(&other);
    signer_free(&s);
}

/* More than are remembered, and longer ones, are checked each time; so is all without a memory. */
static void test_others__are_checked_each_time(void **state) {
    (void)state;
    static const uint8_t longer[HR_SIGNED_MAX + 1] = {0};
    signer s = signer_new();
    uint8_t signature[HR_SIGNATURE_SIZE];
    for (size_t size = 1; size <= sizeof longer; size++) {
        const hr_signed_bytes what = {"test", longer, size};
        hr_sign(s.who, "test", longer, size, signature);
        for (int again = 0; again < 2; again++) {
            assert_true(holds(&s, &what, signature));
            assert_true(hr_checked_signature_holds(NULL, &s.key, &what, signature));
            signature[0] ^= 1;
            assert_false(holds(&s, &what, signature));
            assert_false(hr_checked_signature_holds(NULL, &s.key, &what, signature));
            signature[0] ^= 1;
        }
    }
    signer_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remembered__holds_for_nothing_else),
        cmocka_unit_test(test_others__are_checked_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
