/* The coordinator's machine in secure sums: whatever an owner sends at whatever point is taken once, dropped,
 * or ends the part of that owner alone. */
#include "support/sum_job.h"

enum { ANNA = SUM_OWNER, BERT, CARL };

static const sum_script script = {3, 6, 3, 2, 1};

static const simulated_party *coordinator(const simulator *s) {
    return &s->parties[SUM_COORDINATOR];
}

static size_t outcomes_of(const simulator *s) {
    return hr_securesum_outcomes(coordinator(s)->machine);
}

/* Question 1, a sum, is asked, and nobody has answered; each owner has heard it, and Bert answered nothing
 * before. */
static simulator *summing(const sum_names *names) {
    simulator *s = sum_open(names, &script, 1);
    while (outcomes_of(s) < 1 || !hr_protocol_waits(coordinator(s)->machine)) assert_true(simulator_step(s));
    while (s->letter_count) deliver(s, 0);
    return s;
}

/* Everything goes on without Bert, who was cut off by the coordinator; or with it. */
static void check_end(simulator *s, bool cut) {
    assert_int_equal(coordinator(s)->cut[BERT], cut);
    assert_int_equal(s->cuts, cut);
    simulator_run(s, NULL);
    assert_int_equal(s->cuts, cut);
    assert_int_equal(s->aways, 0);
    for (size_t who = SUM_COORDINATOR; who <= CARL; who++) assert_int_equal(s->parties[who].ends, 1);
    assert_false(coordinator(s)->failed);
    sum_check_outcomes(s);
    check_replay(s);
}

/* ---- Shares ---- */

typedef struct share_of {
    uint32_t position;
    size_t values;
} share_of;

static void send_share(simulator *s, size_t from, share_of what) {
    uint64_t values[SUM_VALUES_MAX + 1] = {7, 8, 9};
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = what.position;
    share.values = values;
    share.n_values = what.values;
    send_content(s, from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_SHARE, &share);
}

static void test_securesum_coordinator__cuts_off_whose_share_fits_no_question(void **state) {
    static const share_of rows[] = {{1, 8}, {UINT32_MAX, 8}, {0, 7}, {0, 9}, {0, 0}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = summing(*state);
        assert_int_equal(sum_size(1), 8);
        send_share(s, BERT, rows[r]);
        hr_sum_outcome o;
        assert_true(hr_securesum_outcome(coordinator(s)->machine, 1, &o) && o.dropped);
        check_end(s, true);
        hr_part_info part;
        assert_true(hr_securesum_part(coordinator(s)->machine, BERT, &part));
        assert_int_equal(part.state, HR_PART_CUT_OFF);
        assert_true(part.why[0]);
        simulator_close(s);
    }
}

/* A false share is one among the others, which nobody can tell; a second one is none. */
static void test_securesum_coordinator__takes_one_share_of_each_owner(void **state) {
    for (size_t times = 1; times <= 2; times++) {
        simulator *s = summing(*state);
        for (size_t i = 0; i < times; i++) send_share(s, BERT, (share_of){0, 8});
        assert_int_equal(coordinator(s)->cut[BERT], times == 2);
        hr_sum_outcome o;
        assert_false(hr_securesum_outcome(coordinator(s)->machine, 1, &o));
        for (size_t who = ANNA; who <= CARL; who += 2) {
            do_work(s, who);
            while (s->letter_count) deliver(s, 0);
        }
        assert_true(hr_securesum_outcome(coordinator(s)->machine, 1, &o) && !o.dropped);
        simulator_close(s);
    }
}

/* Those for whom the deadline was over: they are dropped, and never added to another sum. */
static void test_securesum_coordinator__drops_late_shares(void **state) {
    simulator *s = summing(*state);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    hr_sum_outcome o;
    assert_true(hr_securesum_outcome(coordinator(s)->machine, 1, &o) && o.dropped && !o.sums);
    assert_int_equal(hr_securesum_here(coordinator(s)->machine), 0);
    for (size_t who = ANNA; who <= CARL; who++) do_work(s, who);
    for (size_t who = ANNA; who <= CARL; who++) {
        deliver(s, 0);
        assert_int_equal(hr_securesum_here(coordinator(s)->machine), who - ANNA + 1);
    }
    assert_true(hr_securesum_outcome(coordinator(s)->machine, 1, &o) && o.dropped && !o.sums);
    send_share(s, BERT, (share_of){0, 8}); /* and again */
    check_end(s, true);
    simulator_close(s);
}

/* A sum is next, and every owner is missing: answers to the sum before are not what is awaited. */
static void test_securesum_coordinator__does_not_put_off_a_deadline_for_late_shares(void **state) {
    simulator *s = summing(*state);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    do_work(s, SUM_COORDINATOR);
    const uint64_t advances = coordinator(s)->machine->advances;
    for (size_t who = ANNA; who <= CARL; who++) do_work(s, who);
    while (s->letter_count) deliver(s, 0);
    assert_int_equal(coordinator(s)->machine->advances, advances);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_int_equal(coordinator(s)->machine->advances, advances + 1);
    simulator_close(s);
}

/* Carl withdraws, so that the first sum is lost and the second one is asked before Bert has answered. */
static void test_securesum_coordinator__takes_answers_in_order_alone(void **state) {
    static const share_of first = {0, 8}, second = {1, 15};
    for (int ordered = 0; ordered < 2; ordered++) {
        simulator *s = summing(*state);
        send_decline(s, CARL, HEDGEROW__DECLINE__CODE__CANCELLED, "");
        do_work(s, SUM_COORDINATOR);
        assert_int_equal(sum_size(2), second.values);
        send_share(s, BERT, ordered ? first : second);
        assert_int_equal(coordinator(s)->cut[BERT], !ordered);
        if (ordered) send_share(s, BERT, second);
        assert_int_equal(coordinator(s)->cut[BERT], !ordered);
        simulator_close(s);
    }
}

static void test_securesum_coordinator__loses_a_sum_when_one_is_cut_off(void **state) {
    simulator *s = summing(*state);
    Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
    choice.turn = 1;
    send_content(s, BERT, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_CHOICE, &choice);
    hr_sum_outcome o;
    assert_true(hr_securesum_outcome(coordinator(s)->machine, 1, &o) && o.dropped);
    check_end(s, true);
    simulator_close(s);
}

/* ---- Notices and choices ---- */

static void test_securesum_coordinator__takes_notices_of_what_is_asked(void **state) {
    /* Anna chose first: the sum is the second question that it heard, and Bert's first. */
    static const struct {
        size_t from, slot, kind;
        bool fine;
    } rows[] = {{ANNA, 1, 0, true},  {BERT, 0, 0, true},  {BERT, 1, 0, false},
                {ANNA, 0, 0, false}, {BERT, 0, 1, false}, {BERT, UINT32_MAX, 0, false}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = summing(*state);
        Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
        notice.slot = (uint32_t)rows[r].slot;
        notice.kind = (Hedgerow__Notice__Kind)rows[r].kind;
        send_content(s, rows[r].from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
        assert_int_equal(coordinator(s)->cut[rows[r].from], !rows[r].fine);
        assert_int_equal(outcomes_of(s), 2);
        assert_int_equal(hr_securesum_here(coordinator(s)->machine), 2);
        simulator_close(s);
    }
}

static void test_securesum_coordinator__takes_choices_of_whom_it_asked(void **state) {
    for (int fault = 0; fault < 3; fault++) {
        simulator *s = sum_open(*state, &script, 1);
        while (!hr_protocol_waits(coordinator(s)->machine) || coordinator(s)->event_count < 4)
            assert_true(simulator_step(s));
        Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
        choice.turn = fault == 1 ? 2 : 1;
        choice.index = UINT32_MAX;
        const size_t from = fault == 2 ? BERT : ANNA;
        send_content(s, from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_CHOICE, &choice);
        assert_int_equal(coordinator(s)->cut[from], fault != 0);
        hr_sum_outcome o;
        assert_int_equal(hr_securesum_outcome(coordinator(s)->machine, 0, &o), fault != 2);
        if (fault != 2) assert_int_equal(o.dropped, fault == 1);
        if (!fault) assert_int_equal(o.index, UINT32_MAX);
        simulator_close(s);
    }
}

/* ---- Answers ---- */

static void test_securesum_coordinator__takes_no_unsigned_mask_keys(void **state) {
    for (int fault = 0; fault < 4; fault++) {
        simulator *s = sum_open(*state, &script, 1);
        for (size_t l = 0; l < s->letter_count; l++)
            if (s->letters[l].to == BERT) deliver(s, l);
        do_work(s, BERT);
        letter *l = &s->letters[s->letter_count - 1];
        Hedgerow__Message *m = message_in(l->bytes);
        const size_t size = m->answer->mask_key.len;
        assert_int_equal(size, 32);
        if (fault == 1) m->answer->mask_key.len = 0;
        if (fault == 2) m->answer->mask_key.data[5] ^= 1;
        if (fault == 3) m->answer->mask_signature.data[5] ^= 1;
        send_content(s, BERT, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_ANSWER, m->answer);
        assert_int_equal(coordinator(s)->cut[BERT], fault != 0);
        m->answer->mask_key.len = size;
        hr_message_unpacked_free(&m->base);
        simulator_close(s);
    }
}

/* All points of X25519 whose product with a secret is 0, and their spellings above the prime. */
static const char *const points_of_low_order[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000080"};
enum { COPIED_KEY = COUNT(points_of_low_order), SHORT_KEY, LONG_KEY, KEY_CASES };

/* Bert accepts with a key that it signed itself, and that is not valid. */
static void send_false_key(simulator *s, int fault) {
    const sum_names *names = ((const sum_job *)s)->names;
    uint8_t key[33] = {9}, acceptance[HR_SIGNATURE_SIZE], signature[HR_SIGNATURE_SIZE];
    ProtobufCMessage *terms = NULL;
    hr_digest digest;
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    assert_int_equal(
        hr_message_unpack(&hedgerow__terms__descriptor, s->terms.at, s->terms.size, &terms, NULL), HR_OK);
    assert_int_equal(hr_terms_digest(&s->parties[BERT].setup, (Hedgerow__Terms *)terms, &digest, NULL),
                     HR_OK);
    hr_message_unpacked_free(terms);
    if (fault < COPIED_KEY)
        for (size_t i = 0; i < 32; i++) {
            unsigned byte = 0;
            assert_int_equal(sscanf(points_of_low_order[fault] + 2 * i, "%2x", &byte), 1);
            key[i] = (uint8_t)byte;
        }
    if (fault == COPIED_KEY) hr_mask_public(names->secrets[ANNA], key);
    hr_acceptance_sign(names->who[BERT], &digest, acceptance);
    hr_mask_key_sign(names->who[BERT], &digest, key, signature);
    answer.accepted = true;
    answer.signature = hr_data_of(acceptance, sizeof acceptance);
    answer.mask_key = hr_data_of(key, fault == SHORT_KEY ? 31 : fault == LONG_KEY ? 33 : 32);
    answer.mask_signature = hr_data_of(signature, sizeof signature);
    send_content(s, BERT, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
}

/* Bert alone is left out, by name; the job of the others goes on to its end. */
static void test_securesum_coordinator__leaves_out_an_owner_whose_key_is_not_valid(void **state) {
    for (int fault = 0; fault < KEY_CASES; fault++) {
        simulator *s = sum_open(*state, &script, 1);
        s->parties[BERT].away = true;
        while (simulator_step(s)) {
        }
        send_false_key(s, fault);
        hr_part_info part;
        assert_true(hr_securesum_part(coordinator(s)->machine, BERT, &part));
        assert_int_equal(part.state, HR_PART_CUT_OFF);
        if (!strstr(part.why, "owner bert sent a mask key that is not valid: "))
            fail_msg("case %d: %s", fault, part.why);
        s->parties[BERT].away = false;
        simulator_run(s, NULL);
        assert_int_equal(s->aways, 0);
        assert_int_equal(s->cuts, 1); /* nobody else is blamed */
        assert_true(has_finished(coordinator(s)));
        assert_true(has_finished(&s->parties[BERT - 1]) && has_finished(&s->parties[BERT + 1]));
        const size_t *owners;
        assert_int_equal(hr_securesum_owners(coordinator(s)->machine, &owners), 2);
        check_replay(s);
        simulator_close(s);
    }
}

static void test_securesum_coordinator__goes_on_when_an_owner_declines_midway(void **state) {
    for (int times = 1; times <= 2; times++) {
        simulator *s = summing(*state);
        for (int i = 0; i < times; i++) send_decline(s, BERT, HEDGEROW__DECLINE__CODE__CANCELLED, "no more");
        hr_sum_outcome o;
        assert_true(hr_securesum_outcome(coordinator(s)->machine, 1, &o) && o.dropped);
        assert_false(coordinator(s)->cut[BERT]);
        hr_part_info part;
        assert_true(hr_securesum_part(coordinator(s)->machine, BERT, &part));
        assert_int_equal(part.state, HR_PART_DECLINED);
        assert_string_equal(part.why, "no more");
        simulator_close(s);
    }
}

/* ---- Anything ---- */

static void test_securesum_coordinator__survives_every_kind_at_every_point(void **state) {
    static const size_t senders[] = {BERT, SUM_OUTSIDER};
    for (size_t events = 0; events < 14; events++)
        for (uint8_t kind = 1; kind <= 14; kind++)
            for (size_t i = 0; i < 2; i++) {
                simulator *s = sum_open(*state, &script, 1);
                while (coordinator(s)->event_count < events) assert_true(simulator_step(s));
                const uint8_t bytes[] = {(uint8_t)(kind << 3 | 2), 0};
                feed(s, SUM_COORDINATOR,
                     (hr_event){.kind = HR_EVENT_MESSAGE, .from = senders[i], .bytes = bytes, .size = 2});
                const bool cut = coordinator(s)->cut[senders[i]];
                if (i && !cut) fail_msg("kind %d after %zu events", (int)kind, events);
                /* An empty Notice may be true. */
                if (!i && !cut && kind != HEDGEROW__MESSAGE__KIND_NOTICE)
                    fail_msg("kind %d after %zu events", (int)kind, events);
                simulator_run(s, NULL);
                assert_int_equal(coordinator(s)->ends, 1);
                check_replay(s);
                simulator_close(s);
            }
}

/* Its own events, where none was asked for. */
static void test_securesum_coordinator__ignores_events_out_of_turn(void **state) {
    static const hr_event_kind kinds[] = {HR_EVENT_DECIDED, HR_EVENT_WORK_STARTED, HR_EVENT_WORK_DONE,
                                          HR_EVENT_NEXT_QUESTION};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        simulator *s = summing(*state);
        feed(s, SUM_COORDINATOR, (hr_event){.kind = kinds[k], .number = 1});
        check_end(s, false);
        sum_check_over(s);
        assert_int_equal(sum_check_outcomes(s), 0);
        simulator_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_securesum_coordinator__cuts_off_whose_share_fits_no_question),
        WITH_SUM_NAMES(test_securesum_coordinator__takes_one_share_of_each_owner),
        WITH_SUM_NAMES(test_securesum_coordinator__drops_late_shares),
        WITH_SUM_NAMES(test_securesum_coordinator__does_not_put_off_a_deadline_for_late_shares),
        WITH_SUM_NAMES(test_securesum_coordinator__takes_answers_in_order_alone),
        WITH_SUM_NAMES(test_securesum_coordinator__loses_a_sum_when_one_is_cut_off),
        WITH_SUM_NAMES(test_securesum_coordinator__takes_notices_of_what_is_asked),
        WITH_SUM_NAMES(test_securesum_coordinator__takes_choices_of_whom_it_asked),
        WITH_SUM_NAMES(test_securesum_coordinator__takes_no_unsigned_mask_keys),
        WITH_SUM_NAMES(test_securesum_coordinator__leaves_out_an_owner_whose_key_is_not_valid),
        WITH_SUM_NAMES(test_securesum_coordinator__goes_on_when_an_owner_declines_midway),
        WITH_SUM_NAMES(test_securesum_coordinator__survives_every_kind_at_every_point),
        WITH_SUM_NAMES(test_securesum_coordinator__ignores_events_out_of_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
