/* Envelopes in sessions: a packet holds in its own job, direction, federation and between its two members
 * alone, and one signature serves many packets. */
#include "support/test_members.h"

#include "federation/protocol/sessions.h"
#include "privacy/crypto/session.h"

/* ---- What a session costs ---- */

static size_t heads_made, heads_opened;

hr_status __real_hr_session_make(const hr_identity *from, const hr_public_key *to, hr_session *out,
                                 hr_error *err);
hr_status __wrap_hr_session_make(const hr_identity *from, const hr_public_key *to, hr_session *out,
                                 hr_error *err);
hr_status __wrap_hr_session_make(const hr_identity *from, const hr_public_key *to, hr_session *out,
                                 hr_error *err) {
    heads_made++;
    return __real_hr_session_make(from, to, out, err);
}

hr_status __real_hr_session_open(const hr_identity *to, const uint8_t *head, uint8_t *from, hr_session *out,
                                 hr_error *err);
hr_status __wrap_hr_session_open(const hr_identity *to, const uint8_t *head, uint8_t *from, hr_session *out,
                                 hr_error *err);
hr_status __wrap_hr_session_open(const hr_identity *to, const uint8_t *head, uint8_t *from, hr_session *out,
                                 hr_error *err) {
    heads_opened++;
    return __real_hr_session_open(to, head, from, out, err);
}

/* ---- Packets ---- */

static const hr_job_id other_job = {{2}};

/* The answer of a member that has taken a message of the receiver. */
static hr_bytes answer_of(const test_members *f, size_t from, size_t to, const hr_job_id *job) {
    static uint8_t body[] = "a sum";
    hr_envelope sent = {.to = to, .job = *job, .sequence = 1, .received = 1, .body = {body, sizeof body}};
    hr_bytes packet = {0};
    assert_int_equal(hr_envelope_seal(&f->views[from], &sent, &packet, NULL), HR_OK);
    return packet;
}

static void expect(const test_members *f, const hr_bytes *packet, size_t from, size_t to,
                   const hr_job_id *job) {
    hr_envelope got;
    hr_error err = {0};
    if (hr_envelope_open(&f->views[to], packet->at, packet->size, &got, &err)) fail_msg("%s", err.message);
    assert_true(got.from == from && got.to == to && got.sequence == 1 && got.received == 1);
    assert_memory_equal(&got.job, job, sizeof got.job);
    assert_string_equal((const char *)got.body.at, "a sum");
    free(got.body.at);
}

static void refuse(const test_members *f, size_t to, const hr_bytes *packet, hr_status expected) {
    hr_envelope out = {.from = 99};
    hr_envelope_sender sender;
    hr_error err = {0};
    hr_bytes copy = bytes_of(packet->at, packet->size);
    assert_int_equal(hr_envelope_read(&f->views[to], copy.at, copy.size, &out, &sender, &err), expected);
    assert_true(err.status == expected && err.message[0] && out.from == 99 && !sender.answerable);
    free(copy.at);
}

/* An envelope with any content in a session of its own, with its maker's signature. */
static hr_bytes envelope_in_session(const test_members *f, size_t signer, size_t to,
                                    const Hedgerow__Envelope *envelope) {
    const hr_public_key key = hr_identity_public(f->who[to]);
    hr_bytes plain = packed(envelope), out = {.size = plain.size + HR_SESSION_OVERHEAD};
    hr_session session;
    assert_int_equal(hr_session_make(f->who[signer], &key, &session, NULL), HR_OK);
    assert_int_equal(hr_session_encrypt(&session, plain.at, plain.size, &out.at, NULL), HR_OK);
    free(plain.at);
    return out;
}

/* ---- What goes in a session ---- */

/* Whoever has taken nothing of the receiver does not know its version: every version reads what it sends. */
static void test_sessions__begin_after_a_message_was_taken(void **state) {
    const test_members *f = *state;
    uint8_t body[] = "an offer";
    const hr_envelope offer = {.job = the_job, .to = BERT, .sequence = 1, .body = {body, sizeof body}},
                      later = {.job = the_job,
                               .to = BERT,
                               .sequence = 2,
                               .received = 1,
                               .body = {body, sizeof body}},
                      ack = {.job = the_job, .to = BERT, .received = 1};
    const hr_envelope *const sent[] = {&offer, &later, &ack};
    for (size_t i = 0; i < 3; i++) {
        hr_bytes packet = {0};
        assert_int_equal(hr_envelope_seal(&f->views[ANNA], sent[i], &packet, NULL), HR_OK);
        assert_int_equal(hr_session_is(packet.at, packet.size), i > 0);
        free(packet.at);
    }
}

static void test_sessions__sign_once_for_a_job_and_receiver(void **state) {
    const test_members *f = *state;
    heads_made = heads_opened = 0;
    for (int i = 0; i < 50; i++) {
        hr_bytes first = answer_of(f, ANNA, BERT, &the_job), second = answer_of(f, ANNA, BERT, &other_job),
                 third = answer_of(f, ANNA, CARL, &the_job), back = answer_of(f, BERT, ANNA, &the_job);
        expect(f, &first, ANNA, BERT, &the_job);
        expect(f, &second, ANNA, BERT, &other_job);
        expect(f, &third, ANNA, CARL, &the_job);
        expect(f, &back, BERT, ANNA, &the_job);
        assert_memory_not_equal(first.at, second.at, HR_SESSION_HEAD);
        free(first.at);
        free(second.at);
        free(third.at);
        free(back.at);
    }
    assert_int_equal(heads_made, 4);
    assert_int_equal(heads_opened, 4);
}

/* As many as a coordinator has at once, and more, in turn. */
static void test_sessions__are_kept_for_the_newest_jobs(void **state) {
    enum { AT_ONCE = 16, TURNS = 3 };
    const test_members *f = *state;
    for (uint8_t jobs = AT_ONCE; jobs <= AT_ONCE + 1; jobs++) {
        heads_made = heads_opened = 0;
        for (uint8_t n = 0; n < TURNS * jobs; n++) {
            const hr_job_id job = {{9, jobs, n % jobs}};
            hr_bytes packet = answer_of(f, ANNA, BERT, &job);
            expect(f, &packet, ANNA, BERT, &job);
            free(packet.at);
        }
        assert_int_equal(heads_made, jobs > AT_ONCE ? TURNS * jobs : jobs);
        assert_int_equal(heads_opened, heads_made);
    }
}

/* A receiver, or a sender, that was started again has no session, and needs none. */
static void test_sessions__are_not_needed_for_what_was_sent_before(void **state) {
    test_members *f = *state;
    hr_bytes old = answer_of(f, ANNA, BERT, &the_job);
    expect(f, &old, ANNA, BERT, &the_job);
    for (size_t m = ANNA; m <= BERT; m++) {
        hr_sessions_free(f->views[m].sessions);
        assert_int_equal(hr_sessions_new(MEMBERS, &f->views[m].sessions, NULL), HR_OK);
        hr_bytes fresh = answer_of(f, ANNA, BERT, &the_job);
        expect(f, &old, ANNA, BERT, &the_job);
        expect(f, &fresh, ANNA, BERT, &the_job);
        free(fresh.at);
    }
    hr_sessions_free(f->views[BERT].sessions);
    f->views[BERT].sessions = NULL;
    expect(f, &old, ANNA, BERT, &the_job);
    free(old.at);
}

/* ---- Hostile packets ---- */

static void test_sessions__packet_that_is_cut_short_or_flipped_is_refused(void **state) {
    const test_members *f = *state;
    hr_bytes packet = answer_of(f, ANNA, BERT, &the_job);
    expect(f, &packet, ANNA, BERT, &the_job);
    for (size_t size = 0; size < packet.size; size++)
        refuse(f, BERT, &(hr_bytes){packet.at, size}, HR_E_POLICY);
    for (size_t bit = 0; bit < 8 * packet.size; bit++) {
        packet.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuse(f, BERT, &packet, HR_E_POLICY);
        packet.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    expect(f, &packet, ANNA, BERT, &the_job);
    free(packet.at);
}

/* The broker puts what was encrypted in one session behind the head of another: of another job, of the other
 * direction, of another member, and of the same job after a new start. */
static void test_sessions__packet_moved_to_another_session_is_refused(void **state) {
    test_members *f = *state;
    hr_bytes packet = answer_of(f, ANNA, BERT, &the_job);
    hr_sessions_free(f->views[ANNA].sessions);
    assert_int_equal(hr_sessions_new(MEMBERS, &f->views[ANNA].sessions, NULL), HR_OK);
    hr_bytes others[] = {answer_of(f, ANNA, BERT, &other_job), answer_of(f, BERT, ANNA, &the_job),
                         answer_of(f, CARL, BERT, &the_job), answer_of(f, ANNA, CARL, &the_job),
                         answer_of(f, ANNA, BERT, &the_job)};
    expect(f, &others[0], ANNA, BERT, &other_job); /* Bert knows the session */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        memcpy(others[i].at + HR_SESSION_HEAD, packet.at + HR_SESSION_HEAD, packet.size - HR_SESSION_HEAD);
        for (size_t to = 0; to < MEMBERS; to++) refuse(f, to, &others[i], HR_E_POLICY);
        free(others[i].at);
    }
    free(packet.at);
}

static void test_sessions__packet_for_somebody_else_is_refused(void **state) {
    const test_members *f = *state;
    hr_bytes packet = answer_of(f, ANNA, BERT, &the_job);
    expect(f, &packet, ANNA, BERT, &the_job);
    for (size_t to = 0; to < MEMBERS; to++)
        if (to != BERT) refuse(f, to, &packet, HR_E_POLICY);
    free(packet.at);
}

/* Whoever reads a session can write into it, but only to itself: Bert has Anna's key for him. */
static void test_sessions__key_of_a_session_is_of_no_use_to_its_receiver(void **state) {
    const test_members *f = *state;
    hr_bytes packet = answer_of(f, ANNA, BERT, &the_job), made = {0};
    const Hedgerow__Envelope e = envelope_of(f, ANNA, CARL, "hello");
    hr_bytes plain = packed(&e);
    hr_session session;
    uint8_t from[HR_KEY_SIZE];
    assert_int_equal(hr_session_open(f->who[BERT], packet.at, from, &session, NULL), HR_OK);
    assert_int_equal(hr_session_encrypt(&session, plain.at, plain.size, &made.at, NULL), HR_OK);
    made.size = plain.size + HR_SESSION_OVERHEAD;
    refuse(f, CARL, &made, HR_E_POLICY);
    refuse(f, ANNA, &made, HR_E_POLICY);
    free(made.at);
    free(plain.at);
    free(packet.at);
}

/* Anna itself signs a session, and names in it what it must not. */
static void test_sessions__envelope_must_name_its_signer_receiver_and_federation(void **state) {
    const test_members *f = *state;
    const Hedgerow__Envelope good = envelope_of(f, ANNA, BERT, "hello");
    Hedgerow__Envelope bad[] = {good, good, good};
    bad[0].from = hr_text_of("carl");
    bad[1].to = hr_text_of("carl");
    bad[2].federation = hr_text_of("brooks");
    for (size_t i = 0; i < 3; i++) {
        hr_bytes packet = envelope_in_session(f, ANNA, BERT, &bad[i]);
        refuse(f, BERT, &packet, HR_E_POLICY);
        refuse(f, BERT, &packet, HR_E_POLICY); /* its session is known now */
        free(packet.at);
    }
}

/* The same keys in two federations: a packet of one is nothing in the other. */
static void test_sessions__packet_of_another_federation_is_refused(void **state) {
    test_members *f = *state;
    hr_bytes packet = answer_of(f, ANNA, BERT, &the_job);
    f->membership.federation = "creek";
    refuse(f, BERT, &packet, HR_E_POLICY);
    f->membership.federation = "brook";
    expect(f, &packet, ANNA, BERT, &the_job);
    free(packet.at);
}

static void test_sessions__junk_does_not_replace_a_session(void **state) {
    const test_members *f = *state;
    hr_bytes packet = answer_of(f, ANNA, BERT, &the_job);
    expect(f, &packet, ANNA, BERT, &the_job);
    for (uint8_t n = 0; n < 20; n++) {
        const hr_job_id job = {{8, n}};
        hr_bytes junk = answer_of(f, ANNA, BERT, &job); /* caught by the broker, which changes it */
        junk.at[junk.size - 1] ^= 1;
        refuse(f, BERT, &junk, HR_E_POLICY);
        free(junk.at);
    }
    heads_opened = 0;
    expect(f, &packet, ANNA, BERT, &the_job);
    assert_int_equal(heads_opened, 0);
    free(packet.at);
}

/* Their sender gets a reason, as without a session. */
static void test_sessions__of_another_version_or_of_no_member_get_an_answer(void **state) {
    const test_members *f = *state;
    Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
    for (size_t i = 0; i < 2; i++) {
        hr_envelope out;
        hr_envelope_sender sender;
        e.version = HR_PROTOCOL_VERSION + 1 - (uint32_t)i;
        e.from = hr_text_of(i ? "nobody" : "anna");
        hr_bytes packet = envelope_in_session(f, i ? STRANGER : ANNA, BERT, &e);
        assert_int_equal(hr_envelope_read(&f->views[BERT], packet.at, packet.size, &out, &sender, NULL),
                         i ? HR_E_POLICY : HR_E_FORMAT);
        assert_true(sender.answerable);
        assert_int_equal(sender.code, i ? HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER
                                        : HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION);
        free(packet.at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_sessions__begin_after_a_message_was_taken),
        WITH_TEST_MEMBERS(test_sessions__sign_once_for_a_job_and_receiver),
        WITH_TEST_MEMBERS(test_sessions__are_kept_for_the_newest_jobs),
        WITH_TEST_MEMBERS(test_sessions__are_not_needed_for_what_was_sent_before),
        WITH_TEST_MEMBERS(test_sessions__packet_that_is_cut_short_or_flipped_is_refused),
        WITH_TEST_MEMBERS(test_sessions__packet_moved_to_another_session_is_refused),
        WITH_TEST_MEMBERS(test_sessions__packet_for_somebody_else_is_refused),
        WITH_TEST_MEMBERS(test_sessions__key_of_a_session_is_of_no_use_to_its_receiver),
        WITH_TEST_MEMBERS(test_sessions__envelope_must_name_its_signer_receiver_and_federation),
        WITH_TEST_MEMBERS(test_sessions__packet_of_another_federation_is_refused),
        WITH_TEST_MEMBERS(test_sessions__junk_does_not_replace_a_session),
        WITH_TEST_MEMBERS(test_sessions__of_another_version_or_of_no_member_get_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
