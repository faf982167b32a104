/* Envelopes: whatever a stranger, the broker or a member with bad intent makes is refused; what a member
 * sends is read as it was sent. */
#include "support/test_members.h"

#include "federation/transport/transport.h"

static void refuse(const test_members *f, size_t to, const void *sealed, size_t size, hr_status expected) {
    hr_envelope out = {.from = 99};
    hr_error err = {0};
    hr_bytes copy = bytes_of(sealed, size);
    hr_status status = hr_envelope_open(&f->views[to], copy.at, copy.size, &out, &err);
    free(copy.at);
    if (status != expected)
        fail_msg("%s instead of %s: %s", hr_status_text(status), hr_status_text(expected), err.message);
    assert_true(err.status == status && err.message[0]);
    assert_true(out.from == 99 && !out.body.at);
}

/* Anna sends it to Bert, properly signed. */
static void refuse_envelope(const test_members *f, const Hedgerow__Envelope *envelope, hr_status expected) {
    hr_bytes sealed = sealed_envelope(f, ANNA, BERT, envelope);
    refuse(f, BERT, sealed.at, sealed.size, expected);
    free(sealed.at);
}

static void check_trip(const test_members *f, const hr_envelope *sent) {
    hr_bytes sealed = {0};
    hr_envelope got;
    hr_error err = {0};
    assert_int_equal(hr_envelope_seal(&f->views[ANNA], sent, &sealed, &err), HR_OK);
    assert_true(sealed.size <= HR_PACKET_MAX);
    if (hr_envelope_open(&f->views[sent->to], sealed.at, sealed.size, &got, &err))
        fail_msg("%s", err.message);
    assert_memory_equal(got.job.bytes, sent->job.bytes, HR_JOB_BYTES);
    assert_int_equal(got.from, ANNA);
    assert_int_equal(got.to, sent->to);
    assert_true(got.sequence == sent->sequence && got.received == sent->received && got.more == sent->more);
    assert_int_equal(got.body.size, sent->body.size);
    if (sent->body.size) assert_memory_equal(got.body.at, sent->body.at, sent->body.size);
    free(got.body.at);
    free(sealed.at);
}

static void test_envelope__arrives_as_it_was_sent(void **state) {
    const test_members *f = *state;
    uint8_t *large = calloc(1, HR_PIECE_MAX);
    assert_non_null(large);
    memset(large, 0xff, HR_PIECE_MAX);
    const size_t sizes[] = {1, 2, 127, 128, 65536, HR_PIECE_MAX};
    const uint64_t sequences[] = {1, 127, 128, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_trip(
            f, &(hr_envelope){
                   .job = the_job, .to = BERT, .sequence = 1 + i, .more = i % 2, .body = {large, sizes[i]}});
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        check_trip(f, &(hr_envelope){
                          .job = the_job, .to = COORDINATOR, .sequence = sequences[i], .body = {large, 3}});
        check_trip(f, &(hr_envelope){.job = the_job, .to = OUTSIDER, .received = sequences[i]});
    }
    free(large);
}

static void test_envelope__that_is_cut_short_is_refused(void **state) {
    const test_members *f = *state;
    const Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    hr_bytes sealed = sealed_envelope(f, ANNA, BERT, &e), plain = packed(&e);
    for (size_t size = 0; size < sealed.size; size++) refuse(f, BERT, sealed.at, size, HR_E_POLICY);
    /* Anna itself cuts it before it signs. */
    for (size_t size = 0; size < plain.size; size++) {
        hr_bytes cut = sealed_bytes(f, ANNA, BERT, plain.at, size);
        hr_envelope out;
        assert_int_not_equal(hr_envelope_open(&f->views[BERT], cut.at, cut.size, &out, NULL), HR_OK);
        free(cut.at);
    }
    free(plain.at);
    free(sealed.at);
}

static void test_envelope__with_a_flipped_bit_is_refused(void **state) {
    const test_members *f = *state;
    const Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    hr_bytes sealed = sealed_envelope(f, ANNA, BERT, &e);
    for (size_t bit = 0; bit < 8 * sealed.size; bit++) {
        sealed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(f, BERT, sealed.at, sealed.size, HR_E_POLICY);
        sealed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(sealed.at);
}

static void test_envelope__for_somebody_else_is_refused(void **state) {
    const test_members *f = *state;
    Hedgerow__Envelope e = envelope_of(f, ANNA, CARL, "hello");
    hr_bytes sealed = sealed_envelope(f, ANNA, CARL, &e);
    refuse(f, BERT, sealed.at, sealed.size, HR_E_POLICY);
    free(sealed.at);
    refuse_envelope(f, &e, HR_E_POLICY); /* sealed to Bert, but it names Carl */
    e.to = hr_text_of("");
    refuse_envelope(f, &e, HR_E_POLICY);
    e.to = hr_text_of("nobody");
    refuse_envelope(f, &e, HR_E_POLICY);
}

/* Bert opens what Anna told him, and seals it again for Carl as its own. */
static void test_envelope__that_was_passed_on_is_refused(void **state) {
    const test_members *f = *state;
    for (size_t named = BERT; named <= CARL; named++) {
        const Hedgerow__Envelope e = envelope_of(f, ANNA, named, "hello");
        hr_bytes sealed = sealed_envelope(f, ANNA, BERT, &e);
        size_t size = sealed.size - crypto_box_SEALBYTES;
        uint8_t *plain = malloc(size);
        assert_non_null(plain);
        assert_int_equal(crypto_box_seal_open(plain, sealed.at, sealed.size, f->who[BERT]->box_public,
                                              f->who[BERT]->box_secret),
                         0);
        assert_int_equal(crypto_box_seal(sealed.at, plain, size, f->who[CARL]->box_public), 0);
        refuse(f, CARL, sealed.at, sealed.size, HR_E_POLICY);
        free(plain);
        free(sealed.at);
    }
}

static void test_envelope__of_a_false_sender_is_refused(void **state) {
    const test_members *f = *state;
    static const char *const names[] = {"carl", "coordinator", "bert", "stranger", "", "annA", "anna "};
    Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    hr_bytes sealed = sealed_envelope(f, STRANGER, BERT, &e);
    refuse(f, BERT, sealed.at, sealed.size, HR_E_POLICY);
    free(sealed.at);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        e.from = hr_text_of(names[i]);
        refuse_envelope(f, &e, HR_E_POLICY);
    }
    e.from = hr_data_of("anna", 5); /* with its NUL */
    refuse_envelope(f, &e, HR_E_POLICY);
    e.from = hr_data_of("anna", 3);
    refuse_envelope(f, &e, HR_E_POLICY);
}

static void test_envelope__of_another_federation_is_refused(void **state) {
    const test_members *f = *state;
    static const char *const names[] = {"", "brooks", "broo", "Brook"};
    Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        e.federation = hr_text_of(names[i]);
        refuse_envelope(f, &e, HR_E_POLICY);
    }
}

static void test_envelope__of_another_version_is_refused(void **state) {
    const test_members *f = *state;
    static const uint32_t versions[] = {0, 1, 2, 3, 5, 259, UINT32_MAX};
    Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        e.version = versions[i];
        refuse_envelope(f, &e, HR_E_FORMAT);
    }
    e.version = 1;
    hr_bytes sealed = sealed_envelope(f, ANNA, BERT, &e);
    hr_envelope out;
    hr_error err;
    assert_int_equal(hr_envelope_open(&f->views[BERT], sealed.at, sealed.size, &out, &err), HR_E_FORMAT);
    assert_string_equal(err.message, "an envelope was refused: anna speaks version 1 of the protocol, this "
                                     "program version 4");
    free(sealed.at);
}

static void test_envelope__whose_parts_do_not_fit_is_refused(void **state) {
    const test_members *f = *state;
    uint8_t job[HR_JOB_BYTES + 1] = {0};
    Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    for (size_t size = 0; size <= sizeof job; size++) {
        if (size == HR_JOB_BYTES) continue;
        e.job = hr_data_of(job, size);
        refuse_envelope(f, &e, HR_E_FORMAT);
    }
    e = envelope_of(f, ANNA, BERT, "an ack has no body");
    e.sequence = 0;
    refuse_envelope(f, &e, HR_E_FORMAT);
    e = envelope_of(f, ANNA, BERT, "");
    e.sequence = 0;
    e.more = true;
    refuse_envelope(f, &e, HR_E_FORMAT);
    e = envelope_of(f, ANNA, BERT, "");
    e.received = 1; /* it has no body, and is no ack */
    refuse_envelope(f, &e, HR_E_FORMAT);
    e = envelope_of(f, ANNA, BERT, "");
    refuse_envelope(f, &e, HR_E_FORMAT);
    e.more = true;
    refuse_envelope(f, &e, HR_E_FORMAT);
    e.more = false;
    e.sequence = 0;
    refuse_envelope(f, &e, HR_E_FORMAT);
}

static void test_envelope__that_is_too_large_is_refused(void **state) {
    const test_members *f = *state;
    uint8_t *large = calloc(1, HR_SEAL_MAX);
    assert_non_null(large);
    Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "");
    static const size_t sizes[] = {HR_PIECE_MAX + 1, HR_PACKET_MAX, 8 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        e.body = hr_data_of(large, sizes[i]);
        refuse_envelope(f, &e, HR_E_LIMIT);
    }
    free(large);
}

/* Fields that this version does not know, groups, and wire types that do not exist. */
static void test_envelope__with_more_in_it_is_refused(void **state) {
    const test_members *f = *state;
    static const char *const tails[] = {
        "\x60\x01", "\x0b\x0c", "\x53\x54", "\x0e", "\x0f", "\xff\xff\xff\xff\x0f\x01", "\x80", "\x42"};
    const Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    hr_bytes plain = packed(&e);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        uint8_t bytes[256];
        memcpy(bytes, plain.at, plain.size);
        memcpy(bytes + plain.size, tails[i], strlen(tails[i]));
        hr_bytes sealed = sealed_bytes(f, ANNA, BERT, bytes, plain.size + strlen(tails[i]));
        refuse(f, BERT, sealed.at, sealed.size, HR_E_FORMAT);
        free(sealed.at);
    }
    free(plain.at);
}

/* Signed random bytes: nothing that is opened lacks what an envelope must have. */
static void test_envelope__of_random_bytes_is_sound_or_refused(void **state) {
    const test_members *f = *state;
    const Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    hr_bytes plain = packed(&e);
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (int trial = 0; trial < 2000; trial++) {
        uint8_t bytes[256];
        hr_envelope out;
        memcpy(bytes, plain.at, plain.size);
        for (uint64_t k = hr_dice_below(&dice, 4); k < 4; k++)
            bytes[hr_dice_below(&dice, plain.size)] = (uint8_t)hr_dice_u64(&dice);
        hr_bytes sealed = sealed_bytes(f, ANNA, BERT, bytes, plain.size);
        if (!hr_envelope_open(&f->views[BERT], sealed.at, sealed.size, &out, NULL)) {
            assert_true(out.from == ANNA && out.to == BERT && (out.sequence || !out.body.size));
            free(out.body.at);
        }
        free(sealed.at);
    }
    free(plain.at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_envelope__arrives_as_it_was_sent),
        WITH_TEST_MEMBERS(test_envelope__that_is_cut_short_is_refused),
        WITH_TEST_MEMBERS(test_envelope__with_a_flipped_bit_is_refused),
        WITH_TEST_MEMBERS(test_envelope__for_somebody_else_is_refused),
        WITH_TEST_MEMBERS(test_envelope__that_was_passed_on_is_refused),
        WITH_TEST_MEMBERS(test_envelope__of_a_false_sender_is_refused),
        WITH_TEST_MEMBERS(test_envelope__of_another_federation_is_refused),
        WITH_TEST_MEMBERS(test_envelope__of_another_version_is_refused),
        WITH_TEST_MEMBERS(test_envelope__whose_parts_do_not_fit_is_refused),
        WITH_TEST_MEMBERS(test_envelope__that_is_too_large_is_refused),
        WITH_TEST_MEMBERS(test_envelope__with_more_in_it_is_refused),
        WITH_TEST_MEMBERS(test_envelope__of_random_bytes_is_sound_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
