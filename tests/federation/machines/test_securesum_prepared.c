/* Sums that are prepared: an owner that declines, loses its work or is silent before the owners are named
 * costs no sum; one set is answered, and answers are those of its owners alone. */
#include "support/sum_job.h"

enum { ANNA = SUM_OWNER, BERT, CARL, OWNERS = 3 };

static const sum_script script = {OWNERS, 6, 0, 0, 1};

static simulator *open_prepared(const sum_names *names, const sum_script *of, uint64_t seed) {
    simulator *s = sum_open(names, of, seed);
    ((sum_job *)s)->prepares = true;
    return s;
}

static const hr_protocol *coordinator(const simulator *s) {
    return s->parties[SUM_COORDINATOR].machine;
}

static hr_sum_outcome outcome_of(const simulator *s, size_t question) {
    hr_sum_outcome o;
    assert_true(hr_securesum_outcome(coordinator(s), question, &o));
    return o;
}

/* Question 0 has its outcome, and question 1 was asked: every owner has it, and has not worked on it. */
static simulator *preparing(const sum_names *names) {
    simulator *s = open_prepared(names, &script, 1);
    while (hr_securesum_outcomes(coordinator(s)) < 1 || !hr_protocol_waits(coordinator(s)))
        assert_true(simulator_step(s));
    while (s->letter_count) deliver(s, 0);
    return s;
}

static void get_ready(simulator *s, size_t who) {
    do_work(s, who);
    while (s->letter_count) deliver(s, 0);
}

static void run_on(simulator *s, size_t cuts) {
    simulator_run(s, NULL);
    assert_int_equal(s->cuts, cuts);
    assert_false(s->parties[SUM_COORDINATOR].failed);
    sum_check_outcomes(s);
    check_replay(s);
    simulator_close(s);
}

/* ---- Whole jobs ---- */

static void test_prepared_sums__are_plain_sums(void **state) {
    static const size_t sizes[] = {1, 2, 5, 7};
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            const sum_script of = {sizes[k], 9, 3, 9, (uint32_t)(sizes[k] - 1) / 2};
            simulator *s = open_prepared(*state, &of, seed);
            simulator_run(s, NULL);
            sum_check_over(s);
            check_replay(s);
            assert_int_equal(s->aways, 0);
            assert_int_equal(sum_check_outcomes(s), 0);
            for (size_t q = 1; q < 9; q += 3) assert_int_equal(outcome_of(s, q).members, sizes[k]);
            simulator_close(s);
        }
}

static void return_now_and_then(simulator *s) {
    for (size_t who = ANNA; who < SUM_OWNER + 5; who++)
        if (!hr_dice_below(&s->dice, 40)) s->parties[who].away = !s->parties[who].away;
}

typedef struct tally {
    size_t sums, fewer, lost; /* fewer: opened, over fewer than all owners */
} tally;

static tally count_sums(const sum_names *names, bool prepares) {
    tally t = {0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        const sum_script of = {5, 12, 5, 9, 2};
        simulator *s = sum_open(names, &of, seed);
        ((sum_job *)s)->prepares = prepares;
        for (size_t i = 0; i < 5; i++) s->parties[ANNA + i].loses = seed % 3 ? 10 : 0;
        simulator_run(s, return_now_and_then);
        assert_int_equal(s->cuts, 0);
        check_replay(s);
        sum_check_outcomes(s);
        hr_sum_outcome o;
        for (size_t q = 0; hr_securesum_outcome(coordinator(s), q, &o); q++) {
            if (o.choice || !o.members) continue;
            t.sums++;
            t.fewer += !o.dropped && o.members < 5;
            t.lost += o.dropped;
        }
        simulator_close(s);
    }
    return t;
}

/* Owners come, go and lose work at any moment, here as often after they were named as before: what opens is
 * the sum of those that were named. */
static void test_prepared_sums__open_over_those_that_were_named(void **state) {
    const tally with = count_sums(*state, true), without = count_sums(*state, false);
    if (with.fewer < with.sums / 3 || with.lost * without.sums * 5 > without.lost * with.sums * 4)
        fail_msg("%zu of %zu lost, %zu over fewer; else %zu of %zu", with.lost, with.sums, with.fewer,
                 without.lost, without.sums);
}

/* ---- Before owners are named ---- */

static void test_prepared_sums__go_on_without_an_owner_that_is_silent(void **state) {
    simulator *s = preparing(*state);
    s->parties[BERT].away = true;
    get_ready(s, ANNA);
    get_ready(s, CARL);
    assert_int_equal(hr_securesum_outcomes(coordinator(s)), 1);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_int_equal(lines_with(s, "question 2 goes on: owner bert has not answered in time"), 1);
    while (hr_securesum_outcomes(coordinator(s)) < 4)
        assert_true(simulator_step(s)); /* nobody waits for it */
    for (size_t q = 1; q < 4; q++)
        assert_true(outcome_of(s, q).members == OWNERS - 1 && !outcome_of(s, q).dropped);
    s->parties[BERT].away = false;
    run_on(s, 0);
}

static void test_prepared_sums__go_on_without_an_owner_that_has_no_answer(void **state) {
    simulator *s = preparing(*state);
    s->parties[BERT].loses = 100;
    for (size_t who = ANNA; who <= CARL; who++) get_ready(s, who);
    s->parties[BERT].loses = 0;
    assert_int_equal(lines_with(s, "question 2 goes on: owner bert has no answer"), 1);
    while (hr_securesum_outcomes(coordinator(s)) < 3) assert_true(simulator_step(s));
    assert_true(outcome_of(s, 1).members == OWNERS - 1 && !outcome_of(s, 1).dropped);
    assert_int_equal(outcome_of(s, 2).members, OWNERS); /* it sits out no other sum */
    assert_int_equal(s->aways, 0);
    run_on(s, 0);
}

/* It declines before it is ready, or after. */
static void test_prepared_sums__go_on_without_an_owner_that_declines(void **state) {
    for (int ready = 0; ready < 2; ready++) {
        simulator *s = preparing(*state);
        if (ready) get_ready(s, BERT);
        get_ready(s, ANNA);
        if (!ready) get_ready(s, CARL);
        send_decline(s, BERT, HEDGEROW__DECLINE__CODE__CANCELLED, "");
        if (ready) get_ready(s, CARL);
        while (hr_securesum_outcomes(coordinator(s)) < 2) assert_true(simulator_step(s));
        assert_true(outcome_of(s, 1).members == OWNERS - 1 && !outcome_of(s, 1).dropped);
        assert_int_equal(s->aways, 0);
        run_on(s, 0);
    }
}

/* Nobody is ready: it is asked again, and nothing was answered. */
static void test_prepared_sums__are_asked_again_if_nobody_is_ready(void **state) {
    simulator *s = preparing(*state);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_true(outcome_of(s, 1).dropped && outcome_of(s, 1).members == 0);
    run_on(s, 0);

    s = preparing(*state);
    for (size_t who = ANNA; who <= CARL; who++) send_decline(s, who, HEDGEROW__DECLINE__CODE__CANCELLED, "");
    assert_true(outcome_of(s, 1).dropped && outcome_of(s, 1).members == 0);
    simulator_close(s);
}

/* ---- After they are named ---- */

static void test_prepared_sums__are_lost_by_an_owner_that_was_named(void **state) {
    simulator *s = preparing(*state);
    for (size_t who = ANNA; who <= CARL; who++) get_ready(s, who);
    s->parties[BERT].away = true;
    get_ready(s, ANNA);
    get_ready(s, CARL);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_true(outcome_of(s, 1).dropped && outcome_of(s, 1).members == OWNERS && !outcome_of(s, 1).sums);
    s->parties[BERT].away = false;
    run_on(s, 0);
}

/* Bert is ready for sum after sum, and each time has no share, or is silent: it loses one sum, and then a
 * second one after it sat out one, but not one after the other. */
static void test_prepared_sums__are_lost_now_and_then_by_an_owner_that_never_has_a_share(void **state) {
    for (int silent = 0; silent < 2; silent++) {
        simulator *s = preparing(*state);
        for (size_t q = 1; q < 5; q++) {
            const bool sits_out = q == 2 || q == 4;
            for (size_t who = ANNA; who <= CARL; who++) get_ready(s, who);
            s->parties[BERT].loses = 100;
            if (!sits_out && !silent) get_ready(s, BERT);
            get_ready(s, ANNA);
            get_ready(s, CARL);
            if (!sits_out && silent) feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
            if (!sits_out && silent) get_ready(s, BERT); /* too late */
            s->parties[BERT].loses = 0;
            assert_int_equal(outcome_of(s, q).members, sits_out ? OWNERS - 1 : OWNERS);
            assert_int_equal(outcome_of(s, q).dropped, !sits_out);
            while (!hr_protocol_waits(coordinator(s))) assert_true(simulator_step(s));
            while (s->letter_count) deliver(s, 0);
        }
        assert_int_equal(lines_with(s, "goes on: owner bert sits out"), 2);
        run_on(s, 0);
    }
}

/* ---- False messages ---- */

static void send_ready(simulator *s, size_t from, uint32_t sum) {
    Hedgerow__Ready ready = HEDGEROW__READY__INIT;
    ready.sum = sum;
    send_content(s, from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_READY, &ready);
}

static void send_share(simulator *s, size_t from) {
    uint64_t values[SUM_VALUES_MAX] = {0};
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = 1;
    share.values = values;
    share.n_values = sum_size(1);
    send_content(s, from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_SHARE, &share);
}

static void send_notice(simulator *s, size_t from, uint32_t slot) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = slot;
    send_content(s, from, SUM_COORDINATOR, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
}

/* Bert is cut off, and the sum is over the others. Each owner has had two questions before this one: sum 0 to
 * prepare, and with its owners. */
static void test_prepared_sums__cut_off_an_owner_that_answers_falsely(void **state) {
    for (int row = 0; row < 7; row++) {
        simulator *s = preparing(*state);
        if (row == 0) send_ready(s, BERT, 0);
        if (row == 1) send_ready(s, BERT, 1); /* of the sum before */
        if (row == 2) send_ready(s, BERT, 3);
        if (row == 3) send_share(s, BERT); /* nobody was named */
        if (row == 4) send_notice(s, BERT, 1);
        if (row >= 5) send_ready(s, BERT, 2);
        if (row >= 5) assert_false(s->parties[SUM_COORDINATOR].cut[BERT]);
        if (row == 5) send_ready(s, BERT, 2);
        if (row == 6) send_notice(s, BERT, 2);
        if (!s->parties[SUM_COORDINATOR].cut[BERT]) fail_msg("row %d", row);
        while (hr_securesum_outcomes(coordinator(s)) < 2) assert_true(simulator_step(s));
        assert_true(outcome_of(s, 1).members == OWNERS - 1 && !outcome_of(s, 1).dropped);
        run_on(s, 1);
    }
}

/* An owner that was not named has no share to give. */
static void test_prepared_sums__take_no_share_of_an_owner_that_was_not_named(void **state) {
    simulator *s = preparing(*state);
    send_notice(s, BERT, 2);
    get_ready(s, ANNA);
    get_ready(s, CARL);
    assert_false(s->parties[SUM_COORDINATOR].cut[BERT]);
    send_share(s, BERT);
    assert_true(s->parties[SUM_COORDINATOR].cut[BERT]);
    run_on(s, 1);
}

static void send_members(simulator *s, uint32_t position, ProtobufCBinaryData set) {
    Hedgerow__Members members = HEDGEROW__MEMBERS__INIT;
    members.position = position;
    members.members = set;
    send_content(s, SUM_COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_MEMBERS, &members);
}

/* A second set, or one of another sum, would give a second answer. Sum 0 has its owners, sum 1 has not. */
static void test_prepared_sums__end_at_an_owner_that_is_named_falsely(void **state) {
    static const struct {
        uint32_t position;
        const char *set;
        size_t size;
    } rows[] = {{0, "\7", 1}, {2, "\7", 1},   {UINT32_MAX, "\7", 1}, {1, "", 0},
                {1, "\0", 1}, {1, "\7\0", 2}, {1, "\17", 1}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        simulator *s = preparing(*state);
        send_members(s, rows[r].position, hr_data_of(rows[r].set, rows[r].size));
        if (!s->parties[BERT].failed) fail_msg("row %zu", r);
        simulator_close(s);
    }
    for (int same = 0; same < 2; same++) { /* twice: the other set, and the same */
        simulator *s = preparing(*state);
        send_members(s, 1, hr_text_of("\3"));
        assert_false(s->parties[BERT].ends);
        send_members(s, 1, hr_text_of(same ? "\3" : "\7"));
        assert_true(s->parties[BERT].failed);
        simulator_close(s);
    }
}

/* It was asked for something else since. */
static void test_prepared_sums__have_owners_before_the_next_question(void **state) {
    for (int sum = 0; sum < 2; sum++) {
        simulator *s = preparing(*state);
        Hedgerow__Turn turn = HEDGEROW__TURN__INIT;
        Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
        turn.turn = 1;
        ask.position = 2;
        ask.members = hr_text_of("\7");
        if (sum)
            send_content(s, SUM_COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_ASK, &ask);
        else
            send_content(s, SUM_COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_TURN, &turn);
        assert_false(s->parties[BERT].ends);
        send_members(s, 1, hr_text_of("\7"));
        assert_true(s->parties[BERT].failed);
        simulator_close(s);
    }
}

/* ---- Masks ---- */

/* Anna and Bert are told who is in the sum: their masks cancel if they were told the same. */
static void test_prepared_sums__open_only_if_all_were_told_the_same(void **state) {
    static const char *const sets[][2] = {{"\3", "\3"}, {"\3", "\7"}};
    for (size_t r = 0; r < COUNT(sets); r++) {
        simulator *s = preparing(*state);
        uint64_t both[4] = {0}, one[4] = {0};
        for (size_t who = ANNA; who <= BERT; who++) {
            Hedgerow__Members members = HEDGEROW__MEMBERS__INIT;
            hr_mask *mask = NULL;
            hr_sum_question q;
            members.position = 1;
            members.members = hr_text_of(sets[r][who - ANNA]);
            send_content(s, SUM_COORDINATOR, who, HEDGEROW__MESSAGE__KIND_MEMBERS, &members);
            assert_int_equal(hr_securesum_mask(s->parties[who].machine, 2, &mask, NULL), HR_E_ARGUMENT);
            assert_int_equal(hr_securesum_mask(s->parties[who].machine, 3, &mask, NULL), HR_OK);
            assert_true(hr_securesum_question(s->parties[who].machine, 3, &q) && q.prepared && q.here);
            assert_int_equal(q.members, sets[r][who - ANNA][0] == 3 ? 2 : 3); /* the noise is of so many */
            hr_mask_add(mask, both, 4);
            if (who == ANNA) memcpy(one, both, sizeof one);
            hr_mask_free(mask);
        }
        assert_true(one[0] != 0);
        assert_int_equal(both[0] == 0 && both[3] == 0, r == 0);
        simulator_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_prepared_sums__are_plain_sums),
        WITH_SUM_NAMES(test_prepared_sums__open_over_those_that_were_named),
        WITH_SUM_NAMES(test_prepared_sums__go_on_without_an_owner_that_is_silent),
        WITH_SUM_NAMES(test_prepared_sums__go_on_without_an_owner_that_has_no_answer),
        WITH_SUM_NAMES(test_prepared_sums__go_on_without_an_owner_that_declines),
        WITH_SUM_NAMES(test_prepared_sums__are_asked_again_if_nobody_is_ready),
        WITH_SUM_NAMES(test_prepared_sums__are_lost_by_an_owner_that_was_named),
        WITH_SUM_NAMES(test_prepared_sums__are_lost_now_and_then_by_an_owner_that_never_has_a_share),
        WITH_SUM_NAMES(test_prepared_sums__cut_off_an_owner_that_answers_falsely),
        WITH_SUM_NAMES(test_prepared_sums__take_no_share_of_an_owner_that_was_not_named),
        WITH_SUM_NAMES(test_prepared_sums__end_at_an_owner_that_is_named_falsely),
        WITH_SUM_NAMES(test_prepared_sums__have_owners_before_the_next_question),
        WITH_SUM_NAMES(test_prepared_sums__open_only_if_all_were_told_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
