/* Sums along a ring: the coordinator gets the plain sum of all owners for 2n messages, in whatever order
 * letters come; what an owner sends says nothing by itself; an owner that is away ends the job by name; and
 * whatever members send that does not fit is refused. */
#include "support/sum_job.h"

enum { ANNA = SUM_OWNER, BERT, CARL, DORA };

static sum_script ring_of(size_t owners) {
    return (sum_script){.owners = owners, .questions = 5, .coalition = SUM_RING};
}

static const sum_script three = {.owners = 3, .questions = 5, .coalition = SUM_RING};

/* ---- Whole jobs ---- */

static struct { size_t shares, passes, to_coordinator, backwards; } letters;

/* Of the letters that carry numbers, which went where. */
static void count_letter(simulator *s, letter *l) {
    Hedgerow__Message *m = message_in(l->bytes);
    const bool pass = m->kind_case == HEDGEROW__MESSAGE__KIND_PASS;
    letters.shares += m->kind_case == HEDGEROW__MESSAGE__KIND_SHARE;
    letters.passes += pass;
    letters.to_coordinator += pass && l->to == SUM_COORDINATOR;
    letters.backwards += pass && l->to != (l->from == ((const sum_job *)s)->script->owners ? 0 : l->from + 1);
    hr_message_unpacked_free(&m->base);
}

static void test_ring__gives_plain_sums_for_two_messages_an_owner(void **state) {
    static const size_t sizes[] = {1, 2, 3, 5, 7};
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const sum_script script = ring_of(sizes[k]);
            simulator *s = sum_open(*state, &script, seed);
            memset(&letters, 0, sizeof letters);
            s->tamper = count_letter;
            simulator_run(s, NULL);
            sum_check_over(s);
            check_replay(s);
            assert_int_equal(s->aways, 0);
            assert_int_equal(hr_ring_outcomes(s->parties[SUM_COORDINATOR].machine), script.questions);
            assert_int_equal(sum_check_outcomes(s), 0);
            assert_int_equal(letters.shares + letters.passes, 2 * sizes[k] * script.questions);
            assert_int_equal(letters.shares, letters.passes);
            assert_int_equal(letters.to_coordinator, script.questions);
            assert_int_equal(letters.backwards, 0);
            hr_part_info part;
            assert_true(hr_ring_part(s->parties[SUM_COORDINATOR].machine, ANNA, &part));
            assert_int_equal(part.trees, script.questions);
            assert_false(hr_ring_part(s->parties[SUM_COORDINATOR].machine, SUM_OUTSIDER, &part));
            simulator_close(s);
        }
}

/* ---- What is sent ---- */

static struct {
    uint64_t shares[4][2][SUM_VALUES_MAX], passes[4][2][SUM_VALUES_MAX];
} sent; /* by member and sum */

static void note_numbers(simulator *s, letter *l) {
    (void)s;
    Hedgerow__Message *m = message_in(l->bytes);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_SHARE && m->share->position < 2)
        memcpy(sent.shares[l->from][m->share->position], m->share->values, 8 * m->share->n_values);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_PASS && m->pass->position < 2)
        memcpy(sent.passes[l->from][m->pass->position], m->pass->values, 8 * m->pass->n_values);
    hr_message_unpacked_free(&m->base);
}

/* Neither share says anything alone: the masks of owners and of sums differ, and so do those of one sum's
 * values. Both together are the owner's values: that is why its neighbours read them with the coordinator. */
static void test_ring__shares_say_nothing_alone_and_all_together(void **state) {
    simulator *s = sum_open(*state, &three, 3);
    memset(&sent, 0, sizeof sent);
    s->tamper = note_numbers;
    simulator_run(s, NULL);
    for (size_t sum = 0; sum < 2; sum++)
        for (size_t i = 0; i < sum_size(sum); i++)
            for (size_t who = ANNA; who <= CARL; who++) {
                const uint64_t value = sum_value(who - SUM_OWNER, sum, i), share = sent.shares[who][sum][i];
                const uint64_t came = who == ANNA ? 0 : sent.passes[who - 1][sum][i];
                const uint64_t rest = sent.passes[who][sum][i] - came;
                assert_true(share && share != value && rest != value);
                assert_int_equal(share + rest, value);
                assert_true(who == ANNA || share != sent.shares[who - 1][sum][i]);
                assert_true(!i || share != sent.shares[who][sum][i - 1]);
                assert_true(!sum || share != sent.shares[who][0][0]);
            }
    simulator_close(s);
}

/* ---- Owners that are away ---- */

static void check_failed(const simulator *s, const char *why) {
    const simulated_party *coordinator = &s->parties[SUM_COORDINATOR];
    if (!coordinator->failed || !strstr(coordinator->why, why))
        fail_msg("'%s' instead of '%s'", coordinator->why, why);
    for (size_t who = ANNA; who <= CARL; who++)
        if (!s->parties[who].away) assert_true(s->parties[who].failed);
}

/* Until that sum is asked. */
static void run_until_asked(simulator *s, size_t sum) {
    while (hr_ring_outcomes(s->parties[SUM_COORDINATOR].machine) < sum ||
           !((const sum_job *)s)->asked[sum][0])
        assert_true(simulator_step(s));
}

static void test_ring__ends_by_the_name_of_the_owner_that_is_away(void **state) {
    for (size_t who = ANNA; who <= CARL; who++) {
        static const char *const names[] = {"anna", "bert", "carl"};
        char why[100];
        simulator *s = sum_open(*state, &three, who);
        run_until_asked(s, 1);
        s->parties[who].away = true;
        simulator_run(s, NULL);
        snprintf(why, sizeof why, "owner %s has not answered in time", names[who - ANNA]);
        check_failed(s, why);
        assert_int_equal(hr_ring_outcomes(s->parties[SUM_COORDINATOR].machine), 1);
        simulator_close(s);
    }
}

static size_t keeper; /* keeps what came to it from the owner before it */

static void lose_pass(simulator *s, letter *l) {
    (void)s;
    Hedgerow__Message *m = message_in(l->bytes);
    const bool lost = m->kind_case == HEDGEROW__MESSAGE__KIND_PASS && l->to == keeper;
    hr_message_unpacked_free(&m->base);
    if (!lost) return;
    free(l->bytes.at);
    l->bytes = (hr_bytes){0};
}

static void test_ring__ends_if_nothing_comes_round(void **state) {
    simulator *s = sum_open(*state, &three, 2);
    keeper = BERT;
    s->tamper = lose_pass;
    simulator_run(s, NULL);
    check_failed(s, "owner carl has passed nothing on in time: it, or an owner before it, is away");
    simulator_close(s);
}

static void test_ring__ends_by_the_name_of_an_owner_without_an_answer(void **state) {
    simulator *s = sum_open(*state, &three, 1);
    s->parties[BERT].loses = 100;
    simulator_run(s, NULL);
    check_failed(s, "owner bert has no answer");
    assert_int_equal(s->aways, 0);
    simulator_close(s);
}

static void test_ring__ends_by_the_name_of_an_owner_that_leaves(void **state) {
    simulator *s = sum_open(*state, &three, 1);
    run_until_asked(s, 1);
    send_decline(s, CARL, HEDGEROW__DECLINE__CODE__CANCELLED, "");
    simulator_run(s, NULL);
    assert_false(s->parties[CARL].ends); /* it has said so itself, and is sent no end */
    s->parties[CARL].failed = true;
    check_failed(s, "owner carl ended its part");
    simulator_close(s);
}

/* Before the start an owner may decline, or not answer: the ring has the others. */
static void test_ring__closes_without_those_that_take_no_part(void **state) {
    simulator *s = sum_open(*state, &three, 5);
    s->parties[BERT].away = true;
    while (simulator_step(s)) {
    }
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    simulator_run(s, NULL);
    const simulated_party *coordinator = &s->parties[SUM_COORDINATOR];
    assert_true(coordinator->ends == 1 && !coordinator->failed);
    hr_sum_outcome o;
    for (size_t q = 0; hr_ring_outcome(coordinator->machine, q, &o); q++)
        assert_int_equal(o.sums[0], sum_value(0, q, 0) + sum_value(2, q, 0));
    assert_int_equal(hr_ring_outcomes(coordinator->machine), three.questions);
    simulator_close(s);
}

/* ---- What an owner refuses ---- */

/* All have the start, and nobody was asked. */
static simulator *started_ring(const sum_names *names) {
    simulator *s = sum_open(names, &three, 1);
    const size_t *owners;
    for (bool all = false; !all;) {
        s->parties[SUM_COORDINATOR].away = s->parties[SUM_COORDINATOR].work.kind == HR_ACT_NEXT_QUESTION;
        assert_true(simulator_step(s));
        all = true;
        for (size_t who = ANNA; who <= CARL; who++)
            all = all && hr_securesum_owners(s->parties[who].machine, &owners);
    }
    s->parties[SUM_COORDINATOR].away = false;
    return s;
}

typedef struct numbers {
    size_t from;
    uint32_t position;
    size_t count;
} numbers;

static void feed_pass(simulator *s, size_t to, numbers n) {
    uint64_t values[SUM_VALUES_MAX] = {7};
    Hedgerow__Pass pass = HEDGEROW__PASS__INIT;
    pass.position = n.position;
    pass.values = values;
    pass.n_values = n.count;
    send_content(s, n.from, to, HEDGEROW__MESSAGE__KIND_PASS, &pass);
}

static void check_cut(const simulator *s, size_t who, size_t member, const char *why) {
    if (!s->parties[who].cut[member] || !strstr(s->last_cut, why))
        fail_msg("'%s' instead of '%s'", s->last_cut, why);
}

typedef struct refused_pass {
    size_t to;
    numbers sends[2];
    const char *why;
} refused_pass;

/* The first sum has one value. */
static const refused_pass refused[] = {
    {BERT, {{ANNA, 0, 1}, {ANNA, 0, 1}}, "numbers of one sum twice"},
    {BERT, {{ANNA, 1, 1}}, "numbers of another sum"},
    {BERT, {{ANNA, UINT32_MAX, 1}}, "numbers of another sum"},
    {BERT, {{ANNA, 0, 0}}, "numbers of no sum"},
    {BERT, {{CARL, 0, 1}}, "not the one before this one"},
    {ANNA, {{CARL, 0, 1}}, "not the one before this one"},
    {CARL, {{ANNA, 0, 1}}, "not the one before this one"},
    {BERT, {{SUM_OUTSIDER, 0, 1}}, "not the one before this one"},
    {BERT, {{SUM_COORDINATOR, 0, 1}}, "a message that is not for owners"},
};

static void test_ring_owner__refuses_numbers_that_do_not_fit(void **state) {
    for (size_t r = 0; r < COUNT(refused); r++) {
        const refused_pass *row = &refused[r];
        simulator *s = started_ring(*state);
        for (size_t i = 0; i < 2 && (i == 0 || row->sends[i].count); i++)
            feed_pass(s, row->to, row->sends[i]);
        check_cut(s, row->to, row->sends[0].from, row->why);
        check_replay(s);
        simulator_close(s);
    }
}

/* The one before it is told of by name; anybody else has no part in the sums. */
static void test_ring_owner__goes_on_without_strangers(void **state) {
    for (size_t r = 0; r < COUNT(refused); r++) {
        const refused_pass *row = &refused[r];
        if (row->sends[0].from == SUM_COORDINATOR) continue;
        simulator *s = started_ring(*state);
        for (size_t i = 0; i < 2 && (i == 0 || row->sends[i].count); i++)
            feed_pass(s, row->to, row->sends[i]);
        s->cuts = 0;
        const bool before = row->sends[0].from + 1 == row->to && row->sends[0].from != SUM_OUTSIDER;
        if (before) {
            simulator_run(s, NULL);
            check_failed(s, "owner bert refuses what owner anna passed on");
            simulator_close(s);
            continue;
        }
        /* an honest owner that the simulator spoke for is cut off where it has no business */
        simulator_run(s, NULL);
        sum_check_over(s);
        assert_int_equal(sum_check_outcomes(s), 0);
        simulator_close(s);
    }
}

/* Wrong lengths show when both shares are there. */
static void test_ring_owner__refuses_numbers_of_another_length(void **state) {
    for (int early = 0; early <= 1; early++) {
        simulator *s = started_ring(*state);
        s->parties[ANNA].away = true;
        if (early) feed_pass(s, BERT, (numbers){ANNA, 0, 2});
        while (s->parties[BERT].trained[0] == 0 || s->parties[BERT].work.kind) assert_true(simulator_step(s));
        if (!early) feed_pass(s, BERT, (numbers){ANNA, 0, 2});
        check_cut(s, BERT, ANNA, "2 numbers where the sum has 1");
        simulator_run(s, NULL);
        check_failed(s, "owner bert refuses what owner anna passed on");
        simulator_close(s);
    }
}

static void test_ring_owner__keeps_early_numbers_of_the_one_before_it(void **state) {
    simulator *s = sum_open(*state, &three, 4);
    const size_t *owners;
    simulated_party *bert = &s->parties[BERT];
    while (bert->event_count < 2) assert_true(simulator_step(s)); /* it has accepted */
    bert->away = true;
    while (simulator_step(s)) {
    }
    assert_int_equal(hr_securesum_owners(bert->machine, &owners), 0);
    for (size_t l = 0; l < s->letter_count; l++) {
        Hedgerow__Message *m = message_in(s->letters[l].bytes);
        const bool pass = m->kind_case == HEDGEROW__MESSAGE__KIND_PASS && s->letters[l].to == BERT;
        hr_message_unpacked_free(&m->base);
        if (!pass) continue;
        deliver(s, l);
        bert->away = false;
        simulator_run(s, NULL);
        sum_check_over(s);
        assert_int_equal(sum_check_outcomes(s), 0);
        simulator_close(s);
        return;
    }
    fail_msg("anna passed nothing on");
}

/* Before it has accepted nobody can have a start with it. */
static void test_ring_owner__refuses_numbers_before_the_start(void **state) {
    static const struct {
        size_t events;
        numbers sends[2];
        const char *why;
    } rows[] = {
        {0, {{ANNA, 0, 1}}, "numbers of a ring that has no such owner"},
        {1, {{ANNA, 0, 1}}, "numbers of a ring that has no such owner"},
        {2, {{SUM_OUTSIDER, 0, 1}}, "numbers of a ring that has no such owner"},
        {2, {{ANNA, 1, 1}}, "numbers of another sum"},
        {2, {{ANNA, 0, 1}, {ANNA, 0, 1}}, "numbers of one sum twice"},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = sum_open(*state, &three, 1);
        while (s->parties[BERT].event_count < rows[r].events) assert_true(simulator_step(s));
        for (size_t i = 0; i < 2 && (i == 0 || rows[r].sends[i].count); i++)
            feed_pass(s, BERT, rows[r].sends[i]);
        check_cut(s, BERT, rows[r].sends[0].from, rows[r].why);
        simulator_run(s, NULL);
        if (rows[r].sends[0].from == ANNA) check_failed(s, "owner bert refuses what owner anna passed on");
        check_replay(s);
        simulator_close(s);
    }
}

/* Numbers that came before the start from another than the owner before it. */
static void test_ring_owner__drops_early_numbers_of_others(void **state) {
    simulator *s = sum_open(*state, &three, 1);
    while (s->parties[BERT].event_count < 2) assert_true(simulator_step(s));
    feed_pass(s, BERT, (numbers){CARL, 0, 1});
    assert_false(s->parties[BERT].cut[CARL]);
    while (!s->parties[BERT].cut[CARL]) assert_true(simulator_step(s));
    check_cut(s, BERT, CARL, "not the one before this one");
    s->cuts = 0;
    simulator_run(s, NULL);
    sum_check_over(s);
    assert_int_equal(sum_check_outcomes(s), 0);
    simulator_close(s);
}

typedef struct ring_ask {
    uint32_t position;
    const char *set;
} ring_ask;

static void feed_ask(simulator *s, size_t to, ring_ask what) {
    const uint8_t body = (uint8_t)what.position;
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = what.position;
    ask.members = hr_text_of(what.set);
    ask.body = hr_data_of(&body, 1);
    send_content(s, SUM_COORDINATOR, to, HEDGEROW__MESSAGE__KIND_ASK, &ask);
}

static void test_ring_owner__refuses_sums_that_are_not_in_order(void **state) {
    static const struct {
        ring_ask asks[2];
        const char *why;
    } rows[] = {{{{1, ""}}, "out of order"},
                {{{0, ""}, {0, ""}}, "out of order"},
                {{{0, ""}, {1, ""}}, "before the one before it was passed on"},
                {{{0, "\7"}}, "over a part of the ring"}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = started_ring(*state);
        for (size_t i = 0; i < 2 && rows[r].asks[i].set; i++) feed_ask(s, BERT, rows[r].asks[i]);
        check_cut(s, BERT, SUM_COORDINATOR, rows[r].why);
        assert_true(s->parties[BERT].failed);
        simulator_close(s);
    }
}

/* An empty message of every kind, from every member, from before the offer to the end of the job. */
static void test_ring__survives_every_kind_at_every_point(void **state) {
    static const size_t froms[] = {SUM_COORDINATOR, ANNA, CARL, SUM_OUTSIDER};
    for (size_t victim = SUM_COORDINATOR; victim <= BERT; victim += BERT)
        for (int point = 0; point < 5; point++)
            for (size_t f = 0; f < COUNT(froms); f++)
                for (int kind = 1; kind <= 17; kind++) {
                    simulator *s = point < 3 ? sum_open(*state, &three, 1) : started_ring(*state);
                    simulated_party *p = &s->parties[victim];
                    if (point == 4) simulator_run(s, NULL);
                    while (point < 3 && p->event_count < (size_t)point) assert_true(simulator_step(s));
                    const uint8_t bytes[] = {(uint8_t)((kind << 3 | 2) & 0x7f) | (kind > 15 ? 0x80 : 0),
                                             (uint8_t)(kind > 15), 0};
                    const size_t size = kind > 15 ? 3 : 2;
                    const uint8_t small[] = {bytes[0], 0};
                    if (froms[f] != victim)
                        feed(s, victim,
                             (hr_event){.kind = HR_EVENT_MESSAGE,
                                        .from = froms[f],
                                        .bytes = kind > 15 ? bytes : small,
                                        .size = size});
                    assert_true(p->ends <= 1);
                    check_replay(s);
                    simulator_close(s);
                }
}

/* ---- What the coordinator refuses ---- */

static void feed_share(simulator *s, numbers n) {
    uint64_t values[SUM_VALUES_MAX] = {7};
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = n.position;
    share.values = values;
    share.n_values = n.count;
    send_content(s, n.from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_SHARE, &share);
}

static void feed_notice(simulator *s, size_t from, uint32_t slot, Hedgerow__Notice__Kind kind) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = slot;
    notice.kind = kind;
    send_content(s, from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
}

/* The second sum is open, of eight values; anna's share of it has come. */
static simulator *second_sum(const sum_names *names) {
    simulator *s = sum_open(names, &three, 1);
    run_until_asked(s, 1);
    for (size_t who = ANNA; who <= CARL; who++) s->parties[who].away = true;
    feed_share(s, (numbers){ANNA, 1, 8});
    return s;
}

static void test_ring_coordinator__refuses_numbers_that_do_not_fit(void **state) {
    static const struct {
        bool pass;
        numbers sends;
        const char *why;
    } rows[] = {
        {false, {ANNA, 1, 8}, "a second share of one sum"},
        {false, {BERT, 0, 8}, "numbers of a sum that is not open"},
        {false, {BERT, 2, 8}, "numbers of a sum that is not open"},
        {false, {BERT, 1, 7}, "7 numbers where the sum has 8"},
        {false, {BERT, 1, 9}, "9 numbers where the sum has 8"},
        {true, {BERT, 1, 8}, "not the last of the ring"},
        {true, {CARL, 0, 8}, "numbers of a sum that is not open"},
        {true, {CARL, 1, 7}, "7 numbers where the sum has 8"},
        {false, {SUM_OUTSIDER, 1, 8}, "a member that was not asked"},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = second_sum(*state);
        assert_int_equal(sum_size(1), 8);
        if (rows[r].pass)
            feed_pass(s, SUM_COORDINATOR, rows[r].sends);
        else
            feed_share(s, rows[r].sends);
        check_cut(s, SUM_COORDINATOR, rows[r].sends.from, rows[r].why);
        const bool owner = rows[r].sends.from != SUM_OUTSIDER;
        assert_int_equal(s->parties[SUM_COORDINATOR].failed, owner);
        if (owner) check_failed(s, "violated the protocol");
        simulator_close(s);
    }
}

static void test_ring_coordinator__takes_what_comes_round_once(void **state) {
    simulator *s = second_sum(*state);
    feed_pass(s, SUM_COORDINATOR, (numbers){CARL, 1, 8});
    feed_pass(s, SUM_COORDINATOR, (numbers){CARL, 1, 8});
    check_cut(s, SUM_COORDINATOR, CARL, "numbers of one sum twice");
    check_failed(s, "owner carl violated the protocol");
    simulator_close(s);
}

static void test_ring_coordinator__refuses_notices_of_nothing(void **state) {
    static const struct {
        size_t from;
        uint32_t slot;
        Hedgerow__Notice__Kind kind;
    } rows[] = {{ANNA, 1, HEDGEROW__NOTICE__KIND__EMPTY}, /* its share is there */
                {BERT, 0, HEDGEROW__NOTICE__KIND__EMPTY},
                {BERT, 1, HEDGEROW__NOTICE__KIND__TWO_TREES},
                {ANNA, 1, HEDGEROW__NOTICE__KIND__REFUSED}}; /* nobody is before it */
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = second_sum(*state);
        feed_notice(s, rows[r].from, rows[r].slot, rows[r].kind);
        check_cut(s, SUM_COORDINATOR, rows[r].from,
                  "a notice about a question that its sender was not asked");
        simulator_close(s);
    }
}

/* ---- Terms ---- */

static void test_ring_coordinator__hears_one_refusal_of_a_member(void **state) {
    simulator *s = sum_open(*state, &three, 1);
    for (int i = 0; i < 3; i++) send_decline(s, BERT, HEDGEROW__DECLINE__CODE__POLICY, "no");
    assert_false(s->parties[SUM_COORDINATOR].cut[BERT]);
    assert_int_equal(lines_with(s, "owner bert declines: no"), 1);
    simulator_close(s);
}

static void test_ring__takes_no_job_that_claims_to_be_private(void **state) {
    const sum_names *names = *state;
    for (int claim = 0; claim < 2; claim++) {
        Hedgerow__Message m = message_of_content(HEDGEROW__MESSAGE__KIND_TERMS, NULL);
        ProtobufCMessage *read = NULL;
        const hr_bytes ring = sum_terms(&three);
        assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, ring.at, ring.size, &read, NULL),
                         HR_OK);
        m.terms = (Hedgerow__Terms *)read;
        m.terms->paper = claim;
        m.terms->coalition = (uint32_t)claim;
        const hr_bytes terms = sum_pack(read), offer = sum_pack(&m);
        const hr_protocol_setup setup = sum_setup(names, SUM_COORDINATOR, terms),
                                own = sum_setup(names, BERT, terms);
        hr_protocol *machine = NULL;
        hr_error err = {0};
        hr_action a;
        assert_int_equal(hr_ring_coordinator(&setup, &machine, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, "claims to be private"));
        assert_int_equal(hr_ring_owner(&own, &machine, NULL), HR_OK);
        const hr_event event = {
            .kind = HR_EVENT_MESSAGE, .from = SUM_COORDINATOR, .bytes = offer.at, .size = offer.size};
        assert_int_equal(hr_protocol_feed(machine, &event, NULL), HR_OK);
        assert_true(hr_protocol_next(machine, &a) && a.kind == HR_ACT_CUT_OFF);
        assert_non_null(strstr(a.text, "claims to be private"));
        hr_protocol_free(machine);
        hr_message_unpacked_free(read);
        free(offer.at);
        free(terms.at);
        free(ring.at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_ring__gives_plain_sums_for_two_messages_an_owner),
        WITH_SUM_NAMES(test_ring__shares_say_nothing_alone_and_all_together),
        WITH_SUM_NAMES(test_ring__ends_by_the_name_of_the_owner_that_is_away),
        WITH_SUM_NAMES(test_ring__ends_if_nothing_comes_round),
        WITH_SUM_NAMES(test_ring__ends_by_the_name_of_an_owner_without_an_answer),
        WITH_SUM_NAMES(test_ring__ends_by_the_name_of_an_owner_that_leaves),
        WITH_SUM_NAMES(test_ring__closes_without_those_that_take_no_part),
        WITH_SUM_NAMES(test_ring_owner__refuses_numbers_that_do_not_fit),
        WITH_SUM_NAMES(test_ring_owner__goes_on_without_strangers),
        WITH_SUM_NAMES(test_ring_owner__refuses_numbers_of_another_length),
        WITH_SUM_NAMES(test_ring_owner__keeps_early_numbers_of_the_one_before_it),
        WITH_SUM_NAMES(test_ring_owner__refuses_numbers_before_the_start),
        WITH_SUM_NAMES(test_ring_owner__drops_early_numbers_of_others),
        WITH_SUM_NAMES(test_ring_owner__refuses_sums_that_are_not_in_order),
        WITH_SUM_NAMES(test_ring__survives_every_kind_at_every_point),
        WITH_SUM_NAMES(test_ring_coordinator__refuses_numbers_that_do_not_fit),
        WITH_SUM_NAMES(test_ring_coordinator__takes_what_comes_round_once),
        WITH_SUM_NAMES(test_ring_coordinator__refuses_notices_of_nothing),
        WITH_SUM_NAMES(test_ring_coordinator__hears_one_refusal_of_a_member),
        WITH_SUM_NAMES(test_ring__takes_no_job_that_claims_to_be_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
