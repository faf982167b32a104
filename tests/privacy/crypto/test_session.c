/* Sessions: one signature for many packets. Whatever is no packet of the session that its head names, of its
 * sender and for this receiver, is refused. */
#include "support/test_keys.h"

#include "privacy/crypto/session.h"

enum { ALICE, BOB, CAROL, MEMBERS, KEY_AT = 19 /* in the text of a head */ };

static const char said[] = "a sum that noise protects";
static const char not_of_it[] = "a message is not of the session that it names, or was changed on the way";
static const char not_sealed[] = "a message is not sealed to this key, or was changed on the way";
static const char no_session[] = "a message has the form of a session and is none";

typedef struct talk {
    hr_identity *who[MEMBERS];
    hr_public_key key[MEMBERS];
    hr_session session; /* of Alice with Bob */
    uint8_t *packet;    /* of it */
} talk;

enum { SIZE = sizeof said + HR_SESSION_OVERHEAD };

static int talk_open(void **state) {
    talk *t = calloc(1, sizeof *t);
    if (!t) return -1;
    for (unsigned char i = 0; i < MEMBERS; i++) {
        t->who[i] = test_identity(i);
        t->key[i] = hr_identity_public(t->who[i]);
    }
    if (hr_session_make(t->who[ALICE], &t->key[BOB], &t->session, NULL)) return -1;
    if (hr_session_encrypt(&t->session, said, sizeof said, &t->packet, NULL)) return -1;
    *state = t;
    return 0;
}

static int talk_close(void **state) {
    talk *t = *state;
    for (int i = 0; i < MEMBERS; i++) hr_identity_free(t->who[i]);
    free(t->packet);
    free(t);
    return 0;
}

static hr_status open_packet(const talk *t, int to, const uint8_t *packet, size_t size, uint8_t **out,
                             hr_error *err) {
    hr_session opened;
    uint8_t from[HR_KEY_SIZE];
    hr_status status = hr_session_open(t->who[to], packet, from, &opened, err);
    if (!status) assert_memory_equal(from, t->key[ALICE].bytes, sizeof from);
    return status ? status : hr_session_decrypt(&opened, packet, size, out, err);
}

/* Exactly as large as the packet, so that sanitizers see a read behind it. */
static void refuse(const talk *t, int to, const uint8_t *packet, size_t size, const char *message) {
    uint8_t *copy = malloc(size), *out = NULL;
    hr_error err = {0};
    assert_non_null(copy);
    memcpy(copy, packet, size);
    assert_true(hr_session_is(copy, size));
    assert_int_equal(open_packet(t, to, copy, size, &out, &err), HR_E_POLICY);
    check_error(&err, HR_E_POLICY, message);
    assert_null(out);
    free(copy);
}

static void expect(const talk *t, const uint8_t *packet, size_t size, const void *bytes) {
    uint8_t *out = NULL;
    hr_error err = {0};
    if (open_packet(t, BOB, packet, size, &out, &err)) fail_msg("%s", err.message);
    assert_memory_equal(out, bytes, size - HR_SESSION_OVERHEAD);
    free(out);
}

static void test_session__packets_arrive_as_they_were_sent(void **state) {
    const talk *t = *state;
    static const size_t sizes[] = {0, 1, 2, 255, 65537, HR_SEAL_MAX};
    uint8_t *large = calloc(1, HR_SEAL_MAX), *packet = NULL;
    assert_non_null(large);
    memset(large, 0xa5, HR_SEAL_MAX);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(hr_session_encrypt(&t->session, large, sizes[i], &packet, NULL), HR_OK);
        expect(t, packet, sizes[i] + HR_SESSION_OVERHEAD, large);
        free(packet);
    }
    free(large);
}

static void test_session__never_encrypts_twice_alike(void **state) {
    const talk *t = *state;
    uint8_t *again = NULL;
    hr_session other;
    assert_int_equal(hr_session_encrypt(&t->session, said, sizeof said, &again, NULL), HR_OK);
    assert_memory_not_equal(again + HR_SESSION_HEAD, t->packet + HR_SESSION_HEAD, 24);
    assert_memory_not_equal(again + HR_SESSION_HEAD + 24, t->packet + HR_SESSION_HEAD + 24, sizeof said);
    assert_int_equal(hr_session_make(t->who[ALICE], &t->key[BOB], &other, NULL), HR_OK);
    assert_memory_not_equal(other.key, t->session.key, HR_SESSION_KEY);
    free(again);
}

static void test_session__form_is_told_from_a_sealed_message(void **state) {
    const talk *t = *state;
    uint8_t *sealed = NULL, large[HR_SESSION_OVERHEAD] = {0};
    for (int trial = 0; trial < 2000; trial++) {
        assert_int_equal(hr_seal(t->who[ALICE], &t->key[BOB], large, sizeof large, &sealed, NULL), HR_OK);
        assert_false(hr_session_is(sealed, sizeof large + HR_SEAL_OVERHEAD));
        free(sealed);
    }
    assert_true(hr_session_is(t->packet, SIZE));
    for (size_t size = 0; size < HR_SESSION_OVERHEAD; size++) assert_false(hr_session_is(t->packet, size));
}

static void test_session__packet_that_is_cut_short_or_longer_is_refused(void **state) {
    const talk *t = *state;
    uint8_t longer[SIZE + 1] = {0};
    for (size_t size = HR_SESSION_OVERHEAD; size < SIZE; size++) refuse(t, BOB, t->packet, size, not_of_it);
    memcpy(longer, t->packet, SIZE);
    refuse(t, BOB, longer, sizeof longer, not_of_it);
}

/* Of a head that the receiver knows as well: no bit of a packet is free. */
static void test_session__packet_with_a_flipped_bit_is_refused(void **state) {
    const talk *t = *state;
    for (size_t bit = 0; bit < 8 * (size_t)SIZE; bit++) {
        uint8_t *out = NULL;
        if (bit == 8 * 31 + 7) continue; /* the mark: then it is no packet of a session */
        t->packet[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(t, BOB, t->packet, SIZE, bit < 8 * HR_SESSION_HEAD ? not_sealed : not_of_it);
        assert_int_equal(hr_session_decrypt(&t->session, t->packet, SIZE, &out, NULL), HR_E_POLICY);
        assert_null(out);
        t->packet[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    expect(t, t->packet, SIZE, said);
}

static void test_session__packet_without_its_mark_is_no_sealed_message(void **state) {
    const talk *t = *state;
    uint8_t from[HR_KEY_SIZE], *out = NULL;
    t->packet[31] &= 0x7f;
    for (size_t size = 0; size <= SIZE; size++)
        if (size != HR_SESSION_HEAD)
            assert_int_equal(hr_unseal(t->who[BOB], t->packet, size, from, &out, NULL), HR_E_POLICY);
    /* The head alone is one, whose text begins like no other. */
    assert_int_equal(hr_unseal(t->who[BOB], t->packet, HR_SESSION_HEAD, from, &out, NULL), HR_OK);
    assert_memory_equal(out, "hedgerow session 1", KEY_AT);
    free(out);
}

static void test_session__packet_for_somebody_else_is_refused(void **state) {
    const talk *t = *state;
    refuse(t, CAROL, t->packet, SIZE, not_sealed);
    refuse(t, ALICE, t->packet, SIZE, not_sealed); /* reflected */
}

/* Bob knows the key of the session and the signature, and seals both again for Carol. */
static void test_session__head_that_was_passed_on_is_refused(void **state) {
    const talk *t = *state;
    uint8_t head[HR_SESSION_HEAD], plain[HR_SESSION_HEAD - crypto_box_SEALBYTES], carol[HR_KEY_SIZE];
    memcpy(head, t->packet, sizeof head);
    head[31] &= 0x7f;
    assert_int_equal(
        crypto_box_seal_open(plain, head, sizeof head, t->who[BOB]->box_public, t->who[BOB]->box_secret), 0);
    memcpy(carol, t->who[CAROL]->box_public, sizeof carol);
    assert_int_equal(crypto_box_seal(head, plain, sizeof plain, carol), 0);
    head[31] |= 0x80;
    memcpy(t->packet, head, sizeof head);
    refuse(t, CAROL, t->packet, SIZE, "the signature of a message is not valid for this receiver");
}

static hr_session session_of_text(const talk *t, const uint8_t *text, size_t size) {
    hr_session made = {{0}, {0}};
    uint8_t *head = NULL;
    assert_int_equal(hr_seal(t->who[ALICE], &t->key[BOB], text, size, &head, NULL), HR_OK);
    memcpy(made.head, head, sizeof made.head);
    made.head[31] |= 0x80;
    memcpy(made.key, text + KEY_AT, sizeof made.key);
    free(head);
    return made;
}

/* Alice signs and seals other texts, which others may guess: none is the key of a session. */
static void test_session__text_of_another_kind_is_no_head(void **state) {
    const talk *t = *state;
    uint8_t text[KEY_AT + HR_SESSION_KEY] = "hedgerow session 1", *packet = NULL;
    for (size_t i = 0; i < KEY_AT; i++) {
        text[i] ^= 1;
        const hr_session guessed = session_of_text(t, text, sizeof text);
        assert_int_equal(hr_session_encrypt(&guessed, said, sizeof said, &packet, NULL), HR_OK);
        refuse(t, BOB, packet, SIZE, no_session);
        free(packet);
        text[i] ^= 1;
    }
}

/* A sender that does not keep to the rules gives two sessions one key: what was encrypted in one does not
 * hold in the other. */
static void test_session__packet_moved_to_another_head_is_refused(void **state) {
    const talk *t = *state;
    uint8_t text[KEY_AT + HR_SESSION_KEY] = "hedgerow session 1", *packet = NULL;
    const hr_session one = session_of_text(t, text, sizeof text),
                     other = session_of_text(t, text, sizeof text);
    assert_int_equal(hr_session_encrypt(&one, said, sizeof said, &packet, NULL), HR_OK);
    expect(t, packet, SIZE, said);
    memcpy(packet, other.head, sizeof other.head);
    refuse(t, BOB, packet, SIZE, not_of_it);
    free(packet);
}

static void test_session__of_another_is_refused(void **state) {
    const talk *t = *state;
    hr_session other;
    uint8_t *out = NULL;
    assert_int_equal(hr_session_make(t->who[ALICE], &t->key[BOB], &other, NULL), HR_OK);
    assert_int_equal(hr_session_decrypt(&other, t->packet, SIZE, &out, NULL), HR_E_POLICY);
    memcpy(t->packet, other.head, sizeof other.head); /* its own head, the packet of the first */
    refuse(t, BOB, t->packet, SIZE, not_of_it);
}

static void test_session__has_limits(void **state) {
    const talk *t = *state;
    uint8_t *large = calloc(1, HR_SEAL_MAX + 1 + HR_SESSION_OVERHEAD), *out = NULL;
    hr_public_key none = {{0}, {0}};
    hr_session made;
    hr_error err = {0};
    assert_non_null(large);
    assert_int_equal(hr_session_encrypt(&t->session, large, HR_SEAL_MAX + 1, &out, &err), HR_E_LIMIT);
    large[31] = 0x80;
    assert_int_equal(
        hr_session_decrypt(&t->session, large, HR_SEAL_MAX + 1 + HR_SESSION_OVERHEAD, &out, &err),
        HR_E_LIMIT);
    assert_int_equal(hr_session_make(t->who[ALICE], &none, &made, &err), HR_E_ARGUMENT);
    free(large);
}

static void test_session__is_wiped(void **state) {
    talk *t = *state;
    static const hr_session zero;
    hr_session_wipe(&t->session);
    assert_memory_equal(&t->session, &zero, sizeof zero);
}

#define TALK(test) cmocka_unit_test_setup_teardown(test, talk_open, talk_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TALK(test_session__packets_arrive_as_they_were_sent),
        TALK(test_session__never_encrypts_twice_alike),
        TALK(test_session__form_is_told_from_a_sealed_message),
        TALK(test_session__packet_that_is_cut_short_or_longer_is_refused),
        TALK(test_session__packet_with_a_flipped_bit_is_refused),
        TALK(test_session__packet_without_its_mark_is_no_sealed_message),
        TALK(test_session__packet_for_somebody_else_is_refused),
        TALK(test_session__head_that_was_passed_on_is_refused),
        TALK(test_session__text_of_another_kind_is_no_head),
        TALK(test_session__packet_moved_to_another_head_is_refused),
        TALK(test_session__of_another_is_refused),
        TALK(test_session__has_limits),
        TALK(test_session__is_wiped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
