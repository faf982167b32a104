#include "support/test_keys.h"

static void test_identity__is_another_each_time(void **state) {
    (void)state;
    hr_identity *a = NULL, *b = NULL;
    assert_int_equal(hr_identity_make(&a, NULL), HR_OK);
    assert_int_equal(hr_identity_make(&b, NULL), HR_OK);
    hr_public_key of_a = hr_identity_public(a), of_b = hr_identity_public(b);
    assert_true(hr_public_key_same(&of_a, &of_a));
    assert_false(hr_public_key_same(&of_a, &of_b));
    hr_identity_free(a);
    hr_identity_free(b);
    hr_identity_free(NULL);
}

static void test_identity__is_an_ed25519_key(void **state) {
    (void)state;
    hr_identity *identity = identity_of_rfc8032();
    hr_public_key key = hr_identity_public(identity);
    char text[HR_PUBLIC_KEY_TEXT];
    hr_public_key_text(&key, text);
    assert_string_equal(text, "hr-ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    hr_identity_free(identity);
}

/* ---- Public keys as text ---- */

static void test_public_key__goes_through_text(void **state) {
    (void)state;
    for (unsigned char i = 0; i < 100; i++) {
        hr_identity *identity = test_identity(i);
        hr_public_key key = hr_identity_public(identity), back;
        char text[HR_PUBLIC_KEY_TEXT];
        hr_public_key_text(&key, text);
        assert_int_equal(strlen(text), HR_PUBLIC_KEY_TEXT - 1);
        assert_int_equal(hr_public_key_parse(text, &back, NULL), HR_OK);
        assert_true(hr_public_key_same(&key, &back));
        assert_memory_equal(key.box, back.box, sizeof key.box);
        hr_identity_free(identity);
    }
}

static void refuse_key(const char *text) {
    hr_public_key key = {.bytes = {9}};
    hr_error err = {0};
    char message[120];
    assert_int_equal(hr_public_key_parse(text, &key, &err), HR_E_FORMAT);
    snprintf(message, sizeof message, "'%.64s' is not a public key", text);
    check_error(&err, HR_E_FORMAT, message);
    assert_int_equal(key.bytes[0], 9);
}

static void test_public_key__refuses_what_is_none(void **state) {
    (void)state;
    hr_identity *identity = test_identity(1);
    hr_public_key key = hr_identity_public(identity);
    char good[HR_PUBLIC_KEY_TEXT], bad[HR_PUBLIC_KEY_TEXT + 8];
    hr_public_key_text(&key, good);
    for (size_t size = 0; size < strlen(good); size++) {
        snprintf(bad, sizeof bad, "%.*s", (int)size, good);
        refuse_key(bad);
    }
    snprintf(bad, sizeof bad, "%s\n", good);
    refuse_key(bad);
    snprintf(bad, sizeof bad, " %s", good);
    refuse_key(bad);
    snprintf(bad, sizeof bad, "HR%s", good + 2);
    refuse_key(bad);
    strcpy(bad, good);
    bad[20] = '-'; /* of another alphabet */
    refuse_key(bad);
    strcpy(bad, good);
    bad[HR_PUBLIC_KEY_TEXT - 3]++; /* bits beyond the key */
    refuse_key(bad);
    for (size_t at = strlen("hr-ed25519:"); at < strlen(good); at++) {
        for (int byte = 0x80; byte <= 0xff; byte++) {
            strcpy(bad, good);
            bad[at] = (char)byte;
            refuse_key(bad);
        }
    }
    hr_identity_free(identity);
}

/* Points of small order, to which everything can be sealed and from which everything is signed. */
static void test_public_key__refuses_points_that_keep_no_secret(void **state) {
    (void)state;
    static const unsigned char ends[][2] = {
        {0, 0}, {1, 0}, {0xec, 0x7f}, {0xed, 0x7f}}; /* their first and last bytes */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        hr_public_key key;
        char text[HR_PUBLIC_KEY_TEXT];
        memset(key.bytes, ends[i][1] ? 0xff : 0, sizeof key.bytes);
        key.bytes[0] = ends[i][0];
        key.bytes[31] = ends[i][1];
        hr_public_key_text(&key, text);
        refuse_key(text);
    }
}

/* ---- Signatures ---- */

typedef struct signing {
    hr_identity *signer, *other;
    hr_public_key key, other_key;
    uint8_t signature[HR_SIGNATURE_SIZE];
} signing;

static const char said[] = "noise is a promise";

static int sign(void **state) {
    signing *s = calloc(1, sizeof *s);
    if (!s) return -1;
    s->signer = test_identity(1);
    s->other = test_identity(2);
    s->key = hr_identity_public(s->signer);
    s->other_key = hr_identity_public(s->other);
    hr_sign(s->signer, "test", said, sizeof said, s->signature);
    *state = s;
    return 0;
}

static int unsign(void **state) {
    signing *s = *state;
    hr_identity_free(s->signer);
    hr_identity_free(s->other);
    free(s);
    return 0;
}

static void test_signature__holds_for_its_key_domain_and_bytes(void **state) {
    const signing *s = *state;
    assert_true(hr_signature_holds(&s->key, "test", said, sizeof said, s->signature));
    assert_false(hr_signature_holds(&s->other_key, "test", said, sizeof said, s->signature));
    assert_false(hr_signature_holds(&s->key, "tes", said, sizeof said, s->signature));
    assert_false(hr_signature_holds(&s->key, "", said, sizeof said, s->signature));
    assert_false(hr_signature_holds(&s->key, "test", said, sizeof said - 1, s->signature));
    assert_false(hr_signature_holds(&s->key, "test", NULL, 0, s->signature));
}

/* "tes" and "t..." would be "test" and "...", were domains not ended. */
static void test_signature__keeps_domain_and_bytes_apart(void **state) {
    signing *s = *state;
    assert_false(hr_signature_holds(&s->key, "testn", said + 1, sizeof said - 1, s->signature));
    hr_sign(s->signer, "test", "n", 1, s->signature);
    assert_false(hr_signature_holds(&s->key, "testn", NULL, 0, s->signature));
}

static void test_signature__fails_with_any_bit_flipped(void **state) {
    const signing *s = *state;
    char bytes[sizeof said];
    uint8_t signature[HR_SIGNATURE_SIZE];
    for (size_t bit = 0; bit < 8 * sizeof said; bit++) {
        memcpy(bytes, said, sizeof said);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        assert_false(hr_signature_holds(&s->key, "test", bytes, sizeof bytes, s->signature));
    }
    for (size_t bit = 0; bit < 8 * sizeof signature; bit++) {
        memcpy(signature, s->signature, sizeof signature);
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(hr_signature_holds(&s->key, "test", said, sizeof said, signature));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity__is_another_each_time),
        cmocka_unit_test(test_identity__is_an_ed25519_key),
        cmocka_unit_test(test_public_key__goes_through_text),
        cmocka_unit_test(test_public_key__refuses_what_is_none),
        cmocka_unit_test(test_public_key__refuses_points_that_keep_no_secret),
        cmocka_unit_test_setup_teardown(test_signature__holds_for_its_key_domain_and_bytes, sign, unsign),
        cmocka_unit_test_setup_teardown(test_signature__keeps_domain_and_bytes_apart, sign, unsign),
        cmocka_unit_test_setup_teardown(test_signature__fails_with_any_bit_flipped, sign, unsign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
