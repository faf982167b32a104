#include "support/test_keys.h"

enum { ALICE, BOB, CAROL, MEMBERS, TRIALS = 100000, KEY = 32, HEAD = KEY + HR_SIGNATURE_SIZE };

static const char said[] = "a tree of thirteen leaves";
static const char not_sealed[] = "a message is not sealed to this key, or was changed on the way";
static const char not_signed[] = "the signature of a message is not valid for this receiver";

typedef struct post {
    hr_identity *who[MEMBERS];
    hr_public_key key[MEMBERS];
    uint8_t *sealed; /* by Alice to Bob */
    size_t size;
} post;

static int post_open(void **state) {
    post *p = calloc(1, sizeof *p);
    if (!p) return -1;
    for (unsigned char i = 0; i < MEMBERS; i++) {
        p->who[i] = test_identity(i);
        p->key[i] = hr_identity_public(p->who[i]);
    }
    p->size = sizeof said + HR_SEAL_OVERHEAD;
    if (hr_seal(p->who[ALICE], &p->key[BOB], said, sizeof said, &p->sealed, NULL)) return -1;
    *state = p;
    return 0;
}

static int post_close(void **state) {
    post *p = *state;
    for (int i = 0; i < MEMBERS; i++) hr_identity_free(p->who[i]);
    free(p->sealed);
    free(p);
    return 0;
}

/* The message must come out, the whole of `bytes`, and from whom. */
static void expect(const post *p, int to, const uint8_t *sealed, size_t size, int from, const void *bytes) {
    uint8_t sender[HR_KEY_SIZE];
    uint8_t *out = NULL;
    assert_int_equal(hr_unseal(p->who[to], sealed, size, sender, &out, NULL), HR_OK);
    assert_memory_equal(sender, p->key[from].bytes, sizeof sender);
    assert_non_null(out);
    assert_memory_equal(out, bytes, size - HR_SEAL_OVERHEAD);
    free(out);
}

/* The message must be refused, for this reason, and nothing be given out. */
static void refuse(const hr_identity *to, const uint8_t *sealed, size_t size, const char *message) {
    uint8_t sender[HR_KEY_SIZE] = {7};
    uint8_t *out = NULL;
    hr_error err = {0};
    /* Exactly as large as the message, so that sanitizers see a read behind it. */
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    if (size) memcpy(copy, sealed, size);
    assert_int_equal(hr_unseal(to, copy, size, sender, &out, &err), HR_E_POLICY);
    free(copy);
    check_error(&err, HR_E_POLICY, message);
    assert_null(out);
    assert_int_equal(sender[0], 7);
}

/* Seals what a member who does not keep to the rules puts into the box. */
static uint8_t *box(const hr_public_key *to, const uint8_t *plain, size_t size) {
    unsigned char receiver[crypto_box_PUBLICKEYBYTES];
    uint8_t *sealed = malloc(crypto_box_SEALBYTES + size);
    assert_non_null(sealed);
    assert_int_equal(crypto_sign_ed25519_pk_to_curve25519(receiver, to->bytes), 0);
    assert_int_equal(crypto_box_seal(sealed, plain, size, receiver), 0);
    return sealed;
}

/* What Bob finds in the box: sender, signature, text. Owner: the caller. */
static uint8_t *unbox(const post *p, const uint8_t *sealed, size_t size) {
    uint8_t *plain = malloc(size - crypto_box_SEALBYTES);
    assert_non_null(plain);
    assert_int_equal(
        crypto_box_seal_open(plain, sealed, size, p->who[BOB]->box_public, p->who[BOB]->box_secret), 0);
    return plain;
}

static void test_unseal__gives_text_and_sender(void **state) {
    const post *p = *state;
    expect(p, BOB, p->sealed, p->size, ALICE, said);
}

static void test_unseal__takes_every_size(void **state) {
    const post *p = *state;
    uint8_t *sealed = NULL, *large = calloc(1, HR_SEAL_MAX + 1);
    const size_t sizes[] = {0, 1, 2, 255, 256, 65537, HR_SEAL_MAX};
    assert_non_null(large);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint8_t *bytes = sizes[i] ? large : NULL;
        assert_int_equal(hr_seal(p->who[CAROL], &p->key[BOB], bytes, sizes[i], &sealed, NULL), HR_OK);
        expect(p, BOB, sealed, sizes[i] + HR_SEAL_OVERHEAD, CAROL, large);
        free(sealed);
    }
    free(large);
}

static void test_seal__refuses_more_than_its_limit(void **state) {
    const post *p = *state;
    uint8_t *large = calloc(1, HR_SEAL_MAX + 1 + HR_SEAL_OVERHEAD), *out = NULL;
    uint8_t from[HR_KEY_SIZE];
    hr_error err = {0};
    assert_non_null(large);
    assert_int_equal(hr_seal(p->who[ALICE], &p->key[BOB], large, HR_SEAL_MAX + 1, &out, &err), HR_E_LIMIT);
    check_error(&err, HR_E_LIMIT, "a message of 16777217 bytes is larger than 16777216");
    err = (hr_error){0};
    assert_int_equal(hr_unseal(p->who[BOB], large, HR_SEAL_MAX + 1 + HR_SEAL_OVERHEAD, from, &out, &err),
                     HR_E_LIMIT);
    check_error(&err, HR_E_LIMIT, "a message of 16777217 bytes is larger than 16777216");
    assert_null(out);
    free(large);
}

static void test_seal__refuses_a_receiver_that_is_no_key(void **state) {
    const post *p = *state;
    const hr_public_key none = {.bytes = {1}, .box = {1}};
    uint8_t *out = NULL;
    hr_error err = {0};
    assert_int_equal(hr_seal(p->who[ALICE], &none, said, sizeof said, &out, &err), HR_E_ARGUMENT);
    check_error(&err, HR_E_ARGUMENT, "the receiver's key is not a public key");
    assert_null(out);
}

static void test_seal__never_makes_the_same_bytes(void **state) {
    const post *p = *state;
    uint8_t *again = NULL;
    assert_int_equal(hr_seal(p->who[ALICE], &p->key[BOB], said, sizeof said, &again, NULL), HR_OK);
    assert_memory_not_equal(again, p->sealed, p->size);
    free(again);
}

static void test_seal__hides_sender_and_text(void **state) {
    const post *p = *state;
    for (size_t at = 0; at + 8 <= p->size; at++) {
        assert_memory_not_equal(p->sealed + at, said, 8);
        for (int i = 0; i < MEMBERS; i++) assert_memory_not_equal(p->sealed + at, p->key[i].bytes, 8);
    }
}

static void test_unseal__refuses_another_receiver(void **state) {
    const post *p = *state;
    refuse(p->who[CAROL], p->sealed, p->size, not_sealed);
    refuse(p->who[ALICE], p->sealed, p->size, not_sealed);
}

static void test_unseal__refuses_any_flipped_bit(void **state) {
    const post *p = *state;
    for (size_t bit = 0; bit < 8 * p->size; bit++) {
        p->sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(p->who[BOB], p->sealed, p->size, not_sealed);
        p->sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    expect(p, BOB, p->sealed, p->size, ALICE, said);
}

/* Flipped before it was put into the box, by somebody who can seal: the signature must see it. */
static void test_unseal__refuses_any_bit_flipped_inside(void **state) {
    const post *p = *state;
    uint8_t *plain = unbox(p, p->sealed, p->size);
    size_t size = p->size - crypto_box_SEALBYTES;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        plain[bit / 8] ^= (uint8_t)(1 << bit % 8);
        uint8_t *sealed = box(&p->key[BOB], plain, size);
        refuse(p->who[BOB], sealed, p->size, not_signed);
        free(sealed);
        plain[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(plain);
}

static void test_unseal__refuses_every_truncation_and_extension(void **state) {
    const post *p = *state;
    char message[80];
    for (size_t size = 0; size < p->size; size++) {
        snprintf(message, sizeof message, "a message of %zu bytes is too short to be sealed", size);
        refuse(p->who[BOB], p->sealed, size, size < HR_SEAL_OVERHEAD ? message : not_sealed);
    }
    uint8_t *longer = calloc(1, p->size + 1), *plain = unbox(p, p->sealed, p->size);
    assert_non_null(longer);
    memcpy(longer, p->sealed, p->size);
    refuse(p->who[BOB], longer, p->size + 1, not_sealed);
    for (size_t size = HEAD; size < p->size - crypto_box_SEALBYTES; size++) {
        uint8_t *sealed = box(&p->key[BOB], plain, size);
        refuse(p->who[BOB], sealed, size + crypto_box_SEALBYTES, not_signed);
        free(sealed);
    }
    free(plain);
    free(longer);
}

/* Bob passes on to Carol, as Alice's, what Alice had told him alone. */
static void test_unseal__refuses_what_was_sealed_again_to_another(void **state) {
    const post *p = *state;
    uint8_t *plain = unbox(p, p->sealed, p->size);
    uint8_t *sealed = box(&p->key[CAROL], plain, p->size - crypto_box_SEALBYTES);
    refuse(p->who[CAROL], sealed, p->size, not_signed);
    free(sealed);
    sealed =
        box(&p->key[BOB], plain, p->size - crypto_box_SEALBYTES); /* to him again it is the same message */
    expect(p, BOB, sealed, p->size, ALICE, said);
    free(sealed);
    free(plain);
}

static void test_unseal__refuses_a_swapped_sender(void **state) {
    const post *p = *state;
    uint8_t *plain = unbox(p, p->sealed, p->size);
    memcpy(plain, p->key[CAROL].bytes, KEY);
    uint8_t *sealed = box(&p->key[BOB], plain, p->size - crypto_box_SEALBYTES);
    refuse(p->who[BOB], sealed, p->size, not_signed);
    free(sealed);
    free(plain);
}

/* A sender of small order, for whom one signature holds for many texts. */
static void test_unseal__refuses_a_sender_of_small_order(void **state) {
    const post *p = *state;
    uint8_t plain[HEAD + 1] = {1};
    plain[KEY] = 1;
    uint8_t *sealed = box(&p->key[BOB], plain, sizeof plain);
    refuse(p->who[BOB], sealed, sizeof plain + crypto_box_SEALBYTES, not_signed);
    free(sealed);
}

/* A member signs other things than messages; they must not become messages. */
static void test_unseal__refuses_a_signature_of_another_domain(void **state) {
    const post *p = *state;
    static const char *const domains[] = {"hedgerow vote 1", "hedgerow seal 1 ", "hedgerow seal ", ""};
    uint8_t signed_bytes[KEY + sizeof said], plain[HEAD + sizeof said];
    memcpy(signed_bytes, p->key[BOB].bytes, KEY);
    memcpy(signed_bytes + KEY, said, sizeof said);
    memcpy(plain, p->key[ALICE].bytes, KEY);
    memcpy(plain + HEAD, said, sizeof said);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        hr_sign(p->who[ALICE], domains[i], signed_bytes, sizeof signed_bytes, plain + KEY);
        uint8_t *sealed = box(&p->key[BOB], plain, sizeof plain);
        refuse(p->who[BOB], sealed, p->size, not_signed);
        free(sealed);
    }
    hr_sign(p->who[ALICE], "hedgerow seal 1", signed_bytes, sizeof signed_bytes, plain + KEY);
    uint8_t *sealed = box(&p->key[BOB], plain, sizeof plain);
    expect(p, BOB, sealed, p->size, ALICE, said);
    free(sealed);
}

/* Random bytes as they come, as what is in the box, and a good message with some bytes changed. */
static void test_unseal__refuses_random_bytes(void **state) {
    const post *p = *state;
    hr_csprng *csprng = seeded_stream(20);
    uint8_t bytes[400];
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t size = hr_csprng_u64(csprng) % sizeof bytes;
        uint8_t *copy = NULL, *out = NULL;
        hr_csprng_bytes(csprng, bytes, size);
        if (trial % 4 == 1) {
            copy = box(&p->key[BOB], bytes, size);
            size += crypto_box_SEALBYTES;
        } else {
            copy = malloc(size ? size : 1);
            assert_non_null(copy);
            memcpy(copy, bytes, size);
            if (trial % 4 == 2 && size >= p->size) {
                memcpy(copy, p->sealed, p->size);
                copy[p->size - 1 - bytes[0] % 8] ^= (uint8_t)(1 + bytes[1] % 255);
            }
        }
        uint8_t from[HR_KEY_SIZE];
        assert_int_equal(hr_unseal(p->who[BOB], copy, size, from, &out, NULL), HR_E_POLICY);
        assert_null(out);
        free(copy);
    }
    hr_csprng_close(csprng);
}

#define WITH_POST(test) cmocka_unit_test_setup_teardown(test, post_open, post_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_POST(test_unseal__gives_text_and_sender),
        WITH_POST(test_unseal__takes_every_size),
        WITH_POST(test_seal__refuses_more_than_its_limit),
        WITH_POST(test_seal__refuses_a_receiver_that_is_no_key),
        WITH_POST(test_seal__never_makes_the_same_bytes),
        WITH_POST(test_seal__hides_sender_and_text),
        WITH_POST(test_unseal__refuses_another_receiver),
        WITH_POST(test_unseal__refuses_any_flipped_bit),
        WITH_POST(test_unseal__refuses_any_bit_flipped_inside),
        WITH_POST(test_unseal__refuses_every_truncation_and_extension),
        WITH_POST(test_unseal__refuses_what_was_sealed_again_to_another),
        WITH_POST(test_unseal__refuses_a_swapped_sender),
        WITH_POST(test_unseal__refuses_a_sender_of_small_order),
        WITH_POST(test_unseal__refuses_a_signature_of_another_domain),
        WITH_POST(test_unseal__refuses_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
