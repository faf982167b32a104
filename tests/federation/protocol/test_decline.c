/* Declines: what an owner signs about a job counts for that owner, that job and that coordinator alone, in
 * any version of the protocol; whatever else is sent as one ends the part of its sender, or nothing. */
#include "support/sum_job.h"
#include "support/test_members.h"

static const sum_script script = {3, 2, 0, 0, 1};

static simulator *offered(const sum_names *names) {
    simulator *s = sum_open(names, &script, 1);
    return s;
}

/* ---- Who signed it, and for what ---- */

typedef enum decline_fault {
    FAIR,
    BY_ANOTHER, /* a decline of another owner's, passed on as one's own */
    OF_ANOTHER_JOB,
    FOR_ANOTHER_COORDINATOR,
    OTHER_CODE,
    OTHER_TEXT,
    UNSIGNED,
    SHORT_SIGNATURE,
    LONG_TEXT,
    ESCAPES,
    NO_UTF8,
    LINE_FEED,
    DECLINE_FAULTS
} decline_fault;

static void make_false(const sum_names *names, decline_fault fault, hr_decline *out) {
    hr_job_id job = sum_job_id;
    if (fault == OF_ANOTHER_JOB) job.bytes[0] ^= 1;
    hr_decline_make(names->who[SUM_OWNER + (fault == BY_ANOTHER)], &job,
                    &names->members[fault == FOR_ANOTHER_COORDINATOR ? SUM_OUTSIDER : SUM_COORDINATOR].key,
                    HEDGEROW__DECLINE__CODE__POLICY, "epsilon: too much", out);
    if (fault == OTHER_CODE) out->wire.code = HEDGEROW__DECLINE__CODE__VIOLATION;
    if (fault == OTHER_TEXT) out->text[0] = 'E';
    if (fault == UNSIGNED) out->wire.signature.len = 0;
    if (fault == SHORT_SIGNATURE) out->wire.signature.len--;
}

/* Texts that Anna herself signs: the signature does not make them fit to be shown. */
static hr_bytes false_answer(const sum_names *names, decline_fault fault) {
    static char text[2000];
    hr_decline decline;
    hr_bytes out = {0};
    make_false(names, fault, &decline);
    memset(text, 'x', sizeof text);
    if (fault == LONG_TEXT) decline.wire.text = hr_data_of(text, sizeof text);
    if (fault == ESCAPES) decline.wire.text = hr_text_of("\x1b[2J\x1b[1;1Hjob done");
    if (fault == NO_UTF8) decline.wire.text = hr_data_of("\xff\xfe", 2);
    if (fault == LINE_FEED) decline.wire.text = hr_text_of("no\nowner bert is cut off");
    assert_int_equal(hr_decline_answer(&decline.wire, &out, NULL), HR_OK);
    return out;
}

static void test_decline__counts_for_its_owner_and_job_alone(void **state) {
    for (int fault = FAIR; fault < DECLINE_FAULTS; fault++) {
        simulator *s = offered(*state);
        hr_bytes bytes = false_answer(*state, (decline_fault)fault);
        feed_message(s, SUM_OWNER, SUM_COORDINATOR, bytes.at, bytes.size);
        free(bytes.at);
        hr_part_info part;
        assert_true(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, SUM_OWNER, &part));
        if (part.state != (fault == FAIR ? HR_PART_DECLINED : HR_PART_CUT_OFF)) fail_msg("fault %d", fault);
        assert_true(hr_text_is_fit(hr_text_of(part.why), sizeof part.why) && part.why[0]);
        assert_int_equal(lines_with(s, "owner anna declines: epsilon: too much"), fault == FAIR);
        s->parties[SUM_OWNER].away = true;
        simulator_run(s, NULL); /* the others go on, without waiting for a deadline */
        assert_int_equal(s->aways, 0);
        assert_true(has_finished(&s->parties[SUM_COORDINATOR]));
        check_replay(s);
        simulator_close(s);
    }
}

/* An answer says one thing. */
static void test_decline__that_accepts_as_well_is_refused(void **state) {
    for (int fault = 0; fault < 4; fault++) {
        simulator *s = offered(*state);
        const sum_names *names = *state;
        Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
        hr_decline decline;
        make_false(names, FAIR, &decline);
        answer.decline = &decline.wire;
        if (fault == 0) answer.accepted = true;
        if (fault == 1) answer.signature = hr_text_of("acceptance");
        if (fault == 2) answer.mask_key = hr_text_of("key");
        if (fault == 3) answer.decline = NULL;
        send_content(s, SUM_OWNER, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
        if (!s->parties[SUM_COORDINATOR].cut[SUM_OWNER]) fail_msg("fault %d", fault);
        simulator_close(s);
    }
}

/* After the start the job goes on with the others, who read no decline as an end. */
static void test_decline__after_the_start_loses_one_owner(void **state) {
    simulator *s = offered(*state);
    while (s->parties[SUM_COORDINATOR].work.kind != HR_ACT_NEXT_QUESTION) assert_true(simulator_step(s));
    send_decline(s, SUM_OWNER, HEDGEROW__DECLINE__CODE__VIOLATION, "a sum out of order");
    s->parties[SUM_OWNER].away = true;
    simulator_run(s, NULL);
    assert_int_equal(s->aways, 0);
    assert_true(has_finished(&s->parties[SUM_COORDINATOR]));
    assert_int_equal(lines_with(s, "owner anna declines: a sum out of order"), 1);
    hr_part_info part;
    assert_true(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, SUM_OWNER, &part));
    assert_int_equal(part.state, HR_PART_DECLINED);
    check_replay(s);
    simulator_close(s);
}

/* ---- The text ---- */

static void test_decline__has_a_text_that_can_be_shown(void **state) {
    const sum_names *names = *state;
    char text[400];
    hr_decline decline;
    hr_error err;
    static const char *const none[] = {"\x1b[2J", "a\nb", "\xff", "\xe2\x80\xae turned around"};
    for (size_t lead = 0; lead < 4; lead++) { /* U+20AC at every place of the limit */
        memset(text, 'x', sizeof text);
        for (size_t i = lead; i + 3 < sizeof text; i += 3) memcpy(text + i, "\xe2\x82\xac", 3);
        text[sizeof text - 1] = '\0';
        hr_decline_make(names->who[SUM_OWNER], &sum_job_id, &names->members[0].key,
                        HEDGEROW__DECLINE__CODE__POLICY, text, &decline);
        assert_in_range(strlen(decline.text), HR_DECLINE_TEXT - 2, HR_DECLINE_TEXT);
        assert_int_equal(hr_decline_check(&decline.wire, &names->members[SUM_OWNER], &sum_job_id,
                                          &names->members[0].key, &err),
                         HR_OK);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        hr_decline_make(names->who[SUM_OWNER], &sum_job_id, &names->members[0].key,
                        HEDGEROW__DECLINE__CODE__OTHER, none[i], &decline);
        assert_string_equal(decline.text, "");
    }
    for (uint32_t code = 0; code < 300; code++) assert_true(hr_decline_meaning((hr_decline_code)code)[0]);
    assert_string_equal(hr_decline_meaning((hr_decline_code)-1), "no reason is given");
}

/* ---- Envelopes ---- */

static hr_status read_packet(const test_members *f, size_t to, hr_bytes packet, hr_envelope *out,
                             hr_envelope_sender *sender) {
    hr_error err;
    hr_status status = hr_envelope_read(&f->views[to], packet.at, packet.size, out, sender, &err);
    free(packet.at);
    return status;
}

static hr_bytes with_bytes(const test_members *f, size_t from, const Hedgerow__Envelope *e, const char *more,
                           size_t size) {
    hr_bytes plain = packed(e);
    plain.at = realloc(plain.at, plain.size + size + 1);
    assert_non_null(plain.at);
    if (size) memcpy(plain.at + plain.size, more, size);
    hr_bytes sealed = sealed_bytes(f, from, BERT, plain.at, plain.size + size);
    free(plain.at);
    return sealed;
}

/* Whatever else an envelope of another version holds: its sender is told, and reads what it is told. */
static void test_envelope__of_another_version_is_answered(void **state) {
    const test_members *f = *state;
    static const uint32_t versions[] = {0, 2, 3, 5, UINT32_MAX};
    static const char *const tails[] = {"", "\x60\x01", "\xfa\x06\x03xyz", "\x4a\x01z", "\x50\x07"};
    for (size_t v = 0; v < COUNT(versions); v++)
        for (size_t t = 0; t < COUNT(tails); t++) {
            Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
            hr_envelope out = {.from = 99};
            hr_envelope_sender sender;
            hr_bytes reply = {0};
            e.version = versions[v];
            assert_int_equal(
                read_packet(f, BERT, with_bytes(f, ANNA, &e, tails[t], strlen(tails[t])), &out, &sender),
                HR_E_FORMAT);
            if (!sender.answerable) fail_msg("version %u, tail %zu", e.version, t);
            assert_int_equal(sender.code, HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION);
            assert_string_equal(sender.name, "anna");
            assert_int_equal(hr_envelope_decline(&f->views[BERT], &sender, &reply, NULL), HR_OK);
            assert_int_equal(read_packet(f, ANNA, reply, &out, &sender), HR_OK);
            assert_true(out.declines && out.from == BERT && !out.sequence && !out.received);
            assert_memory_equal(out.job.bytes, the_job.bytes, HR_JOB_BYTES);
            assert_false(sender.answerable); /* a decline is not answered */
            Hedgerow__Message *m = message_in(out.body);
            free(out.body.at);
            assert_int_equal(hr_decline_check(m->answer->decline, &f->members[BERT], &the_job,
                                              &f->members[ANNA].key, NULL),
                             HR_OK);
            hr_message_unpacked_free(&m->base);
        }
}

/* A decline of a later version, which has fields that this one does not know. */
static void test_envelope__with_a_decline_is_read_in_any_version(void **state) {
    const test_members *f = *state;
    static const uint32_t versions[] = {0, 3, 4, UINT32_MAX};
    for (size_t v = 0; v < COUNT(versions); v++) {
        Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "");
        hr_envelope out;
        hr_envelope_sender sender;
        hr_decline decline;
        hr_decline_make(f->who[ANNA], &the_job, &f->members[BERT].key, 99, "too old", &decline);
        e.version = versions[v];
        e.sequence = 0;
        e.decline = &decline.wire;
        assert_int_equal(read_packet(f, BERT, with_bytes(f, ANNA, &e, "\xfa\x06\x03xyz", 6), &out, &sender),
                         HR_OK);
        assert_true(out.declines && out.from == ANNA);
        Hedgerow__Message *m = message_in(out.body);
        assert_true(hr_text_is(m->answer->decline->text, "too old") && m->answer->decline->code == 99);
        hr_message_unpacked_free(&m->base);
        free(out.body.at);
    }
}

/* It is from somebody else, for somebody else, of another federation, of no job, or something else as well.
 */
static void test_envelope__with_a_false_decline_is_refused(void **state) {
    const test_members *f = *state;
    for (int fault = 0; fault < 9; fault++) {
        Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, fault == 7 ? "piece" : "");
        hr_envelope out = {.from = 99};
        hr_envelope_sender sender;
        hr_decline decline;
        hr_decline_make(f->who[ANNA], &the_job, &f->members[BERT].key, 1, "no", &decline);
        e.sequence = fault == 7;
        e.received = fault == 8;
        e.decline = &decline.wire;
        if (fault == 0) e.from = hr_text_of("carl");
        if (fault == 1) e.to = hr_text_of("carl");
        if (fault == 2) e.federation = hr_text_of("brooks");
        if (fault == 3) e.job.len--;
        if (fault == 4) e.version = 9, e.from = hr_text_of("carl");
        if (fault == 5) e.version = 9, e.to = hr_text_of("");
        hr_status status =
            read_packet(f, BERT, with_bytes(f, fault == 6 ? STRANGER : ANNA, &e, "", 0), &out, &sender);
        if (!status) fail_msg("fault %d", fault);
        assert_true(out.from == 99 && !sender.answerable);
    }
}

/* Of a member that this one's federation file does not list, or with another key. */
static void test_envelope__of_an_unknown_member_is_answered(void **state) {
    const test_members *f = *state;
    static const char *const names[] = {"anna", "newcomer"};
    for (size_t i = 0; i < COUNT(names); i++) {
        Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
        hr_envelope out;
        hr_envelope_sender sender;
        e.from = hr_text_of(names[i]);
        assert_int_equal(read_packet(f, BERT, with_bytes(f, STRANGER, &e, "", 0), &out, &sender),
                         HR_E_POLICY);
        assert_true(sender.answerable && sender.code == HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER);
        assert_string_equal(sender.name, names[i]);
        assert_non_null(strstr(sender.why, i ? "does not list the member 'newcomer'"
                                             : "lists another key of the member 'anna'"));
        const hr_public_key key = hr_identity_public(f->who[STRANGER]);
        assert_true(hr_public_key_same(&sender.key, &key));
    }
    static const char *const no_names[] = {"", "\x1b[2J", "\xff"};
    for (size_t i = 0; i < COUNT(no_names); i++) {
        Hedgerow__Envelope e = envelope_of(f, ANNA, BERT, "hello");
        hr_envelope out;
        hr_envelope_sender sender;
        e.from = hr_text_of(no_names[i]);
        assert_int_equal(read_packet(f, BERT, with_bytes(f, STRANGER, &e, "", 0), &out, &sender),
                         HR_E_POLICY);
        assert_false(sender.answerable);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_decline__counts_for_its_owner_and_job_alone),
        WITH_SUM_NAMES(test_decline__that_accepts_as_well_is_refused),
        WITH_SUM_NAMES(test_decline__after_the_start_loses_one_owner),
        WITH_SUM_NAMES(test_decline__has_a_text_that_can_be_shown),
        WITH_TEST_MEMBERS(test_envelope__of_another_version_is_answered),
        WITH_TEST_MEMBERS(test_envelope__with_a_decline_is_read_in_any_version),
        WITH_TEST_MEMBERS(test_envelope__with_a_false_decline_is_refused),
        WITH_TEST_MEMBERS(test_envelope__of_an_unknown_member_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
