/* An owner's machine in secure sums: whatever the coordinator and others send at whatever point, it answers
 * what it was asked once and in order, or ends the job; and it takes no mask key that its owner did not sign
 * or that hides nothing. */
#include "support/sum_job.h"

enum { ANNA = SUM_OWNER, BERT, CARL };

static const sum_script script = {3, 6, 0, 0, 1};

/* ---- The start ---- */

typedef enum key_fault {
    NO_FAULT,
    NO_KEYS,
    ONE_KEY_TOO_FEW,
    ONE_KEY_TOO_MANY,
    NO_SIGNATURES,
    SHORT_KEY,
    UNSIGNED,
    SIGNED_BY_ANOTHER,
    SIGNED_AS_ACCEPTANCE,
    OF_ANOTHER_JOB,
    NOT_ITS_OWN,
    ZERO_SECRET,
    SAME_KEY,
    KEY_FAULTS
} key_fault;

typedef struct start_parts {
    ProtobufCBinaryData keys[4], signatures[4];
} start_parts;

/* Carl's key is false; its signature is his unless the fault is in it. */
static void sign_false_key(const sum_names *names, hr_digest terms, key_fault fault, uint8_t key[32],
                           uint8_t signature[HR_SIGNATURE_SIZE]) {
    memset(key, fault == ZERO_SECRET ? 0 : 9, 32);
    if (fault == SAME_KEY) hr_mask_public(names->secrets[ANNA], key);
    if (fault == OF_ANOTHER_JOB) terms.bytes[0] ^= 1;
    if (fault == SIGNED_AS_ACCEPTANCE)
        hr_acceptance_sign(names->who[CARL], &terms, signature);
    else
        hr_mask_key_sign(names->who[fault == SIGNED_BY_ANOTHER ? ANNA : CARL], &terms, key, signature);
    if (fault == UNSIGNED) signature[3] ^= 1;
}

static void spoil_keys(const simulator *s, Hedgerow__Start *start, key_fault fault, start_parts *parts) {
    static uint8_t key[32], signature[HR_SIGNATURE_SIZE];
    const size_t count = start->n_owners, whose = fault == NOT_ITS_OWN ? 1 : 2;
    ProtobufCMessage *terms = NULL;
    hr_digest digest;
    assert_int_equal(
        hr_message_unpack(&hedgerow__terms__descriptor, s->terms.at, s->terms.size, &terms, NULL), HR_OK);
    assert_int_equal(hr_terms_digest(&s->parties[ANNA].setup, (Hedgerow__Terms *)terms, &digest, NULL),
                     HR_OK);
    hr_message_unpacked_free(terms);
    for (size_t i = 0; i <= count; i++) {
        parts->keys[i] = start->mask_keys[i % count];
        parts->signatures[i] = start->mask_signatures[i % count];
    }
    start->n_mask_keys += (fault == ONE_KEY_TOO_MANY) - (fault == ONE_KEY_TOO_FEW);
    start->n_mask_signatures += (fault == ONE_KEY_TOO_MANY) - (fault == ONE_KEY_TOO_FEW);
    if (fault == NO_KEYS) start->n_mask_keys = start->n_mask_signatures = 0;
    if (fault == NO_SIGNATURES) start->n_mask_signatures = 0;
    if (fault == SHORT_KEY) parts->keys[2].len--;
    if (fault >= UNSIGNED) {
        sign_false_key(((const sum_job *)s)->names, digest, fault, key, signature);
        if (fault == NOT_ITS_OWN)
            hr_mask_key_sign(((const sum_job *)s)->names->who[BERT], &digest, key, signature);
        parts->keys[whose] = hr_data_of(key, sizeof key);
        parts->signatures[whose] = hr_data_of(signature, sizeof signature);
    }
    start->mask_keys = parts->keys;
    start->mask_signatures = parts->signatures;
}

/* Bert tells the coordinator that it broke the protocol, and in what. */
static void check_told(const simulator *s, bool told) {
    const letter *l = s->letter_count ? &s->letters[s->letter_count - 1] : NULL;
    Hedgerow__Message *m = l && l->from == BERT ? message_in(l->bytes) : NULL;
    const Hedgerow__Answer *answer = m && m->kind_case == HEDGEROW__MESSAGE__KIND_ANSWER ? m->answer : NULL;
    assert_int_equal(answer && answer->decline && !answer->accepted, told);
    if (told) {
        assert_int_equal(answer->decline->code, HEDGEROW__DECLINE__CODE__VIOLATION);
        assert_true(answer->decline->text.len > 40);
    }
    if (m) hr_message_unpacked_free(&m->base);
}

/* Bert is sent a start in which that is wrong. */
static void check_keys(const sum_names *names, key_fault fault) {
    simulator *s = sum_open(names, &script, 1);
    const simulated_party *bert = &s->parties[BERT];
    while (s->parties[SUM_COORDINATOR].work.kind != HR_ACT_NEXT_QUESTION) {
        s->parties[BERT].away = bert->event_count == 2;
        assert_true(simulator_step(s));
    }
    size_t l = 0;
    while (s->letters[l].to != BERT) l++;
    Hedgerow__Message *m = message_in(s->letters[l].bytes);
    Hedgerow__Start *start = m->start, was = *start;
    start_parts parts;
    spoil_keys(s, start, fault, &parts);
    send_content(s, SUM_COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_START, start);
    *start = was;
    hr_message_unpacked_free(&m->base);
    if (bert->cut[SUM_COORDINATOR] != (fault != NO_FAULT)) fail_msg("fault %d", (int)fault);
    assert_int_equal(bert->failed, fault != NO_FAULT);
    check_told(s, fault != NO_FAULT);
    const size_t *owners;
    assert_int_equal(hr_securesum_owners(bert->machine, &owners), fault == NO_FAULT ? 3 : 0);
    assert_int_equal(hr_securesum_start(bert->machine) != NULL, fault == NO_FAULT);
    simulator_close(s);
}

static void test_securesum_owner__takes_no_false_mask_keys(void **state) {
    for (int fault = NO_FAULT; fault < KEY_FAULTS; fault++) check_keys(*state, (key_fault)fault);
}

/* ---- Sums and choices ---- */

/* All have the start; nobody was asked. */
static simulator *started(const sum_names *names) {
    simulator *s = sum_open(names, &script, 1);
    const size_t *owners;
    for (;;) {
        bool all = true;
        for (size_t who = ANNA; who <= CARL; who++)
            all = all && hr_securesum_owners(s->parties[who].machine, &owners);
        if (all) break;
        s->parties[SUM_COORDINATOR].away = s->parties[SUM_COORDINATOR].work.kind == HR_ACT_NEXT_QUESTION;
        assert_true(simulator_step(s));
    }
    s->parties[SUM_COORDINATOR].away = false;
    return s;
}

typedef struct ask_of {
    uint32_t position;
    const char *set;
    size_t set_size;
} ask_of;

static void send_ask(simulator *s, size_t to, ask_of what) {
    const uint8_t body = (uint8_t)what.position;
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = what.position;
    ask.members = hr_data_of(what.set, what.set_size);
    ask.body = hr_data_of(&body, 1);
    send_content(s, SUM_COORDINATOR, to, HEDGEROW__MESSAGE__KIND_ASK, &ask);
}

static void send_turn(simulator *s, size_t to, uint32_t number) {
    Hedgerow__Turn turn = HEDGEROW__TURN__INIT;
    turn.turn = number;
    turn.body = hr_text_of("c");
    send_content(s, SUM_COORDINATOR, to, HEDGEROW__MESSAGE__KIND_TURN, &turn);
}

static void test_securesum_owner__refuses_sums_that_are_not_in_order(void **state) {
    static const ask_of rows[][3] = {
        {{1, "\7", 1}},                             /* the second one first */
        {{0, "\7", 1}, {0, "\7", 1}},               /* twice */
        {{0, "\7", 1}, {0, "\3", 1}},               /* with another set */
        {{0, "\5", 1}, {0, "\7", 1}},               /* first without Bert */
        {{0, "\7", 1}, {1, "\7", 1}, {0, "\7", 1}}, /* again */
        {{0, "\7", 1}, {2, "\7", 1}},               /* with a gap */
        {{UINT32_MAX, "\7", 1}},                    /* far off */
        {{0, "\0", 1}},                             /* over nobody */
        {{0, "", 0}, {0, "\7", 1}},                 /* again, with owners */
        {{0, "", 0}, {0, "", 0}},                   /* to be prepared twice */
        {{0, "\7\0", 2}},                           /* over a longer set */
        {{0, "\17", 1}},                            /* over a fourth owner */
        {{0, "\207", 1}},                           /* over an eighth */
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = started(*state);
        const simulated_party *bert = &s->parties[BERT];
        size_t sent = 0;
        for (; sent < 3 && rows[r][sent].set && !bert->ends; sent++) send_ask(s, BERT, rows[r][sent]);
        if (!bert->cut[SUM_COORDINATOR] || !bert->failed) fail_msg("row %zu", r);
        assert_true(hr_securesum_received(bert->machine) < sent);
        simulator_close(s);
    }
}

static void test_securesum_owner__refuses_choices_that_are_not_in_order(void **state) {
    static const uint32_t rows[][3] = {{0}, {2, 9}, {1, 1, 9}, {1, 3, 9}, {1, 2, 1}, {UINT32_MAX, 9}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = started(*state);
        for (size_t i = 0; i < 3 && rows[r][i] != 9 && !s->parties[BERT].ends; i++)
            send_turn(s, BERT, rows[r][i]);
        if (!s->parties[BERT].cut[SUM_COORDINATOR]) fail_msg("row %zu", r);
        simulator_close(s);
    }
}

/* What it is not in it hears, and does not answer. */
static void test_securesum_owner__hears_sums_over_others(void **state) {
    simulator *s = started(*state);
    simulated_party *bert = &s->parties[BERT];
    send_ask(s, BERT, (ask_of){0, "\5", 1});
    assert_int_equal(bert->work.kind, 0);
    send_ask(s, BERT, (ask_of){1, "\2", 1});
    assert_int_equal(bert->work.kind, HR_ACT_TRAIN);
    assert_int_equal(bert->work.slot, 1);
    hr_sum_question q;
    assert_true(hr_securesum_question(bert->machine, 0, &q) && !q.here && q.members == 2 && !q.position);
    assert_true(hr_securesum_question(bert->machine, 1, &q) && q.here && q.members == 1 && q.position == 1);
    assert_false(hr_securesum_question(bert->machine, 2, &q));
    hr_mask *mask = NULL;
    assert_int_equal(hr_securesum_mask(bert->machine, 0, &mask, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_securesum_mask(bert->machine, 2, &mask, NULL), HR_E_ARGUMENT);
    simulator_close(s);
}

/* One at a time, each once, in the order in which they came. */
static void test_securesum_owner__answers_in_order(void **state) {
    simulator *s = started(*state);
    simulated_party *bert = &s->parties[BERT];
    send_ask(s, BERT, (ask_of){0, "\7", 1});
    send_turn(s, BERT, 1);
    send_ask(s, BERT, (ask_of){1, "\5", 1});
    send_ask(s, BERT, (ask_of){2, "\7", 1});
    static const size_t slots[] = {0, 1, 3};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(bert->work.kind, HR_ACT_TRAIN);
        assert_int_equal(bert->work.slot, slots[i]);
        const size_t letters = s->letter_count;
        bert->work.kind = 0;
        feed(s, BERT, (hr_event){.kind = HR_EVENT_WORK_DONE}); /* nothing came of it */
        assert_int_equal(s->letter_count, letters + 1);
        Hedgerow__Message *m = NULL;
        const hr_bytes *bytes = &s->letters[letters].bytes;
        const hr_event event = {.bytes = bytes->at, .size = bytes->size};
        assert_int_equal(hr_message_read(&event, &m, NULL), HR_OK);
        assert_int_equal(m->kind_case, HEDGEROW__MESSAGE__KIND_NOTICE);
        assert_int_equal(m->notice->slot, slots[i]);
        hr_message_unpacked_free(&m->base);
    }
    assert_int_equal(bert->work.kind, 0);
    feed(s, BERT, (hr_event){.kind = HR_EVENT_WORK_DONE}); /* out of turn */
    assert_int_equal(bert->work.kind, 0);
    simulator_close(s);
}

static void test_securesum_owner__bounds_what_it_keeps(void **state) {
    simulator *s = started(*state);
    size_t sent = 0;
    uint8_t *body = calloc(1, 4 << 20);
    assert_non_null(body);
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.members = hr_data_of("\1", 1);
    ask.body = hr_data_of(body, 4 << 20);
    for (; !s->parties[CARL].ends; sent++) {
        ask.position = (uint32_t)sent;
        send_content(s, SUM_COORDINATOR, CARL, HEDGEROW__MESSAGE__KIND_ASK, &ask);
    }
    assert_int_equal(sent, HR_QUESTION_BYTES_MAX / (4 << 20) + 1);
    free(body);
    simulator_close(s);
}

/* ---- Others ---- */

static void test_securesum_owner__listens_to_the_coordinator_alone(void **state) {
    static const size_t others[] = {ANNA, SUM_OUTSIDER};
    for (size_t i = 0; i < 2; i++) {
        simulator *s = started(*state);
        Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
        ask.members = hr_data_of("\7", 1);
        send_content(s, others[i], BERT, HEDGEROW__MESSAGE__KIND_ASK, &ask);
        assert_true(s->parties[BERT].cut[others[i]]);
        assert_int_equal(hr_securesum_received(s->parties[BERT].machine), 0);
        s->cuts = 0;
        simulator_run(s, NULL);
        sum_check_over(s);
        assert_int_equal(sum_check_outcomes(s), 0);
        simulator_close(s);
    }
}

/* An empty message of every kind, from before the offer to the end of the job. */
static void test_securesum_owner__survives_every_kind_at_every_point(void **state) {
    for (int point = 0; point < 5; point++)
        for (int kind = 1; kind <= 14; kind++) {
            simulator *s = point < 3 ? sum_open(*state, &script, 1) : started(*state);
            simulated_party *bert = &s->parties[BERT];
            while (point < 3 && bert->event_count < (size_t)point) assert_true(simulator_step(s));
            if (point == 4) simulator_run(s, NULL);
            const bool ended = bert->ends, asks = point == 3 && kind == HEDGEROW__MESSAGE__KIND_ASK;
            const uint8_t bytes[] = {(uint8_t)(kind << 3 | 2), 0};
            feed(s, BERT,
                 (hr_event){.kind = HR_EVENT_MESSAGE, .from = SUM_COORDINATOR, .bytes = bytes, .size = 2});
            if (ended || asks) /* to be prepared, with an empty body */
                assert_int_equal(bert->cut[SUM_COORDINATOR], false);
            else if (kind != HEDGEROW__MESSAGE__KIND_FINISH && !bert->cut[SUM_COORDINATOR])
                fail_msg("kind %d at %d", kind, point);
            assert_true(ended || bert->ends == !asks);
            check_replay(s);
            simulator_close(s);
        }
}

/* ---- Masks ---- */

static void mask_of(const simulator *s, size_t who, size_t index, uint64_t out[4]) {
    hr_mask *mask = NULL;
    assert_int_equal(hr_securesum_mask(s->parties[who].machine, index, &mask, NULL), HR_OK);
    memset(out, 0, 4 * sizeof *out);
    hr_mask_add(mask, out, 4);
    hr_mask_free(mask);
}

/* Whether the masks of Anna and Bert, the only ones in the set, cancel. */
static bool masks_cancel(const simulator *s, size_t index) {
    uint64_t anna[4], bert[4];
    mask_of(s, ANNA, index, anna);
    mask_of(s, BERT, index, bert);
    return anna[0] + bert[0] == 0 && anna[3] + bert[3] == 0;
}

static void send_body(simulator *s, size_t to, uint32_t position, const char *body) {
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = position;
    ask.members = hr_data_of("\3", 1);
    ask.body = hr_text_of(body);
    send_content(s, SUM_COORDINATOR, to, HEDGEROW__MESSAGE__KIND_ASK, &ask);
}

static void test_securesum_owner__masks_by_all_that_it_was_told(void **state) {
    simulator *s = started(*state);
    for (size_t who = ANNA; who <= BERT; who++) send_body(s, who, 0, "clip 1");
    assert_true(masks_cancel(s, 0));
    send_body(s, ANNA, 1, "clip 1");
    send_body(s, BERT, 1, "clip 2"); /* another question */
    assert_false(masks_cancel(s, 1));
    for (size_t who = ANNA; who <= BERT; who++) send_body(s, who, 2, "clip 1");
    assert_false(masks_cancel(s, 2)); /* another history */
    uint64_t first[4], second[4];
    mask_of(s, ANNA, 0, first);
    mask_of(s, ANNA, 2, second);
    assert_true(first[0] != second[0]);
    mask_of(s, ANNA, 0, second);
    assert_memory_equal(first, second, sizeof first);
    simulator_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_securesum_owner__takes_no_false_mask_keys),
        WITH_SUM_NAMES(test_securesum_owner__refuses_sums_that_are_not_in_order),
        WITH_SUM_NAMES(test_securesum_owner__refuses_choices_that_are_not_in_order),
        WITH_SUM_NAMES(test_securesum_owner__hears_sums_over_others),
        WITH_SUM_NAMES(test_securesum_owner__answers_in_order),
        WITH_SUM_NAMES(test_securesum_owner__bounds_what_it_keeps),
        WITH_SUM_NAMES(test_securesum_owner__listens_to_the_coordinator_alone),
        WITH_SUM_NAMES(test_securesum_owner__survives_every_kind_at_every_point),
        WITH_SUM_NAMES(test_securesum_owner__masks_by_all_that_it_was_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
