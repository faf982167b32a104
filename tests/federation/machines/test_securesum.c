/* Jobs of sums and choices: what the coordinator gets is the plain sum of those who answered, if any owner
 * is silent, withdraws or loses its work, and with letters in any order. */
#include "support/message_samples.h"
#include "support/sum_job.h"

static const size_t sizes[] = {1, 2, 5};

static sum_script script_of(size_t owners) {
    return (sum_script){owners, 9, 3, 2, (uint32_t)(owners - 1) / 2};
}

static void check_part(const simulator *s, size_t member, hr_part_state state, size_t sums, size_t missed) {
    hr_part_info part;
    assert_true(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, member, &part));
    assert_int_equal(part.state, state);
    assert_int_equal(part.trees, sums);
    assert_int_equal(part.skipped, missed);
}

/* ---- Whole jobs ---- */

static void test_securesum__gives_plain_sums_and_choices(void **state) {
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            const sum_script script = script_of(sizes[k]);
            simulator *s = sum_open(*state, &script, seed);
            simulator_run(s, NULL);
            sum_check_over(s);
            check_replay(s);
            assert_int_equal(s->aways, 0);
            assert_int_equal(hr_securesum_outcomes(s->parties[SUM_COORDINATOR].machine), 9);
            assert_int_equal(sum_check_outcomes(s), sizes[k] == 1); /* one owner has two turns */
            for (size_t i = 0; i < sizes[k]; i++) {
                const simulated_party *owner = &s->parties[SUM_OWNER + i];
                hr_bytes model = hr_securesum_model(owner->machine);
                assert_int_equal(model.size, owner->setup.wants_model ? 9 : 0);
                if (model.size) assert_memory_equal(model.at, "the model", 9);
                check_part(s, SUM_OWNER + i, HR_PART_TAKEN, 6, 0);
            }
            hr_part_info ignored;
            assert_false(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, SUM_OUTSIDER, &ignored));
            simulator_close(s);
        }
}

static size_t outcomes_of(const simulator *s) {
    return hr_securesum_outcomes(s->parties[SUM_COORDINATOR].machine);
}

static hr_sum_outcome outcome_of(const simulator *s, size_t question) {
    hr_sum_outcome o;
    assert_true(hr_securesum_outcome(s->parties[SUM_COORDINATOR].machine, question, &o));
    return o;
}

/* Until so many questions have their outcome; the deadline is over whenever nothing can happen. */
static void run_to(simulator *s, size_t outcomes) {
    while (outcomes_of(s) < outcomes) {
        if (simulator_step(s)) continue;
        s->aways++;
        feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    }
}

/* An owner that was away reads its mail and answers, and the coordinator hears it before it does anything. */
static void come_back(simulator *s, size_t who) {
    s->parties[who].away = false;
    for (size_t l = 0; l < s->letter_count;)
        if (s->letters[l].to == who)
            deliver(s, l);
        else
            l++;
    while (s->parties[who].work.kind) do_work(s, who);
    for (size_t l = 0; l < s->letter_count;)
        if (s->letters[l].from == who)
            deliver(s, l);
        else
            l++;
}

/* ---- Who takes part ---- */

static void test_securesum__goes_on_without_those_who_refuse(void **state) {
    for (unsigned no = 1; no < 32; no++) {
        const sum_script script = script_of(5);
        simulator *s = sum_open(*state, &script, no);
        size_t there = 0;
        for (size_t i = 0; i < 5; i++) {
            s->parties[SUM_OWNER + i].refuses = no >> i & 1;
            there += !(no >> i & 1);
        }
        simulator_run(s, NULL);
        check_replay(s);
        assert_int_equal(s->aways + s->cuts, 0);
        const size_t *owners;
        assert_int_equal(hr_securesum_owners(s->parties[SUM_COORDINATOR].machine, &owners), there);
        assert_int_equal(outcomes_of(s), there ? 9 : 0);
        if (there) assert_int_equal(outcome_of(s, 1).members, there);
        assert_int_equal(sum_check_outcomes(s), there == 1);
        for (size_t i = 0; i < 5; i++)
            check_part(s, SUM_OWNER + i, no >> i & 1 ? HR_PART_DECLINED : HR_PART_TAKEN, no >> i & 1 ? 0 : 6,
                       0);
        simulator_close(s);
    }
}

/* Bert demands more owners than there are, and learns it from the start. */
static void test_securesum__goes_on_when_one_withdraws(void **state) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        const sum_script script = script_of(5);
        simulator *s = sum_open(*state, &script, seed);
        simulated_party *bert = &s->parties[SUM_OWNER + 1];
        bert->setup.min_owners = 6;
        hr_protocol_free(bert->machine);
        bert->machine = sum_machine(&bert->setup);
        simulator_run(s, NULL);
        check_replay(s);
        sum_check_outcomes(s);
        assert_int_equal(s->aways + s->cuts, 0);
        assert_true(bert->failed);
        assert_int_equal(outcome_of(s, 8).members, 4);
        assert_false(outcome_of(s, 8).dropped);
        simulator_close(s);
    }
}

static void test_securesum__ends_when_nobody_takes_part(void **state) {
    const sum_script script = script_of(2);
    simulator *s = sum_open(*state, &script, 0);
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_true(s->parties[SUM_COORDINATOR].failed);
    assert_false(hr_protocol_waits(s->parties[SUM_COORDINATOR].machine));
    simulator_run(s, NULL);
    simulator_close(s);
}

/* ---- Losses ---- */

static void test_securesum__loses_a_sum_that_somebody_misses(void **state) {
    const sum_script script = {5, 6, 0, 0, 2};
    simulator *s = sum_open(*state, &script, 1);
    const size_t bert = SUM_OWNER + 1;
    run_to(s, 1);
    s->parties[bert].away = true;
    run_to(s, 3);
    assert_int_equal(s->aways, 1);
    assert_true(outcome_of(s, 1).dropped);
    assert_int_equal(outcome_of(s, 1).members, 5);
    assert_false(outcome_of(s, 2).dropped);
    assert_false(((const sum_job *)s)->asked[2][1]);
    assert_int_equal(outcome_of(s, 2).members, 4);
    come_back(s, bert);
    assert_int_equal(hr_securesum_here(s->parties[SUM_COORDINATOR].machine), 5);
    run_to(s, 6);
    assert_true(((const sum_job *)s)->asked[5][1]);
    assert_true(outcome_of(s, 1).dropped);
    assert_int_equal(sum_check_outcomes(s), 1);
    simulator_run(s, NULL);
    sum_check_over(s);
    check_replay(s);
    hr_part_info part;
    assert_true(hr_securesum_part(s->parties[SUM_COORDINATOR].machine, bert, &part));
    assert_int_equal(part.trees + part.skipped, 6);
    assert_true(part.skipped >= 2 && part.trees >= 2);
    simulator_close(s);
}

/* What an owner is told once is never answered anew: also not when its share came too late. */
static void test_securesum__answers_each_question_once(void **state) {
    const sum_script script = {2, 8, 0, 0, 1};
    simulator *s = sum_open(*state, &script, 3);
    run_to(s, 1);
    for (size_t q = 2; q <= 8; q++) {
        s->parties[SUM_OWNER].away = q % 2;
        run_to(s, q);
        if (q % 2) come_back(s, SUM_OWNER);
    }
    simulator_run(s, NULL);
    sum_check_over(s);
    const simulated_party *anna = &s->parties[SUM_OWNER];
    assert_int_equal(hr_securesum_received(anna->machine), 8);
    for (size_t q = 0; q < 8; q++) assert_true(anna->trained[q] <= 1);
    simulator_close(s);
}

static void test_securesum__waits_while_nobody_is_there(void **state) {
    const sum_script script = {2, 5, 0, 0, 1};
    simulator *s = sum_open(*state, &script, 1);
    run_to(s, 1);
    s->parties[SUM_OWNER].away = s->parties[SUM_OWNER + 1].away = true;
    run_to(s, 3);
    assert_int_equal(s->aways, 2);
    assert_int_equal(outcome_of(s, 1).members, 2);
    assert_int_equal(outcome_of(s, 2).members, 0);
    assert_true(outcome_of(s, 1).dropped && outcome_of(s, 2).dropped);
    come_back(s, SUM_OWNER);
    come_back(s, SUM_OWNER + 1);
    simulator_run(s, NULL);
    sum_check_over(s);
    check_replay(s);
    assert_int_equal(outcome_of(s, 4).members, 2);
    assert_int_equal(hr_securesum_received(s->parties[SUM_OWNER].machine),
                     4 - (outcome_of(s, 3).members == 0));
    simulator_close(s);
}

/* An owner that can never answer does not lose all sums to the others. */
static void test_securesum__has_owners_without_answers_sit_out(void **state) {
    static const bool wanted[] = {true,  false, true,  false, false, true,
                                  false, false, false, false, true,  false};
    const sum_script script = {3, COUNT(wanted), 0, 0, 1};
    simulator *s = sum_open(*state, &script, 1);
    s->parties[SUM_OWNER + 2].loses = 100;
    simulator_run(s, NULL);
    sum_check_over(s);
    check_replay(s);
    assert_int_equal(s->aways, 0);
    for (size_t q = 0; q < COUNT(wanted); q++) {
        assert_int_equal(((const sum_job *)s)->asked[q][2], wanted[q]);
        assert_int_equal(outcome_of(s, q).dropped, wanted[q]);
    }
    assert_int_equal(sum_check_outcomes(s), 4);
    simulator_close(s);
}

static void test_securesum__asks_again_who_alone_had_no_answer(void **state) {
    const sum_script script = {1, 4, 0, 0, 0};
    simulator *s = sum_open(*state, &script, 1);
    s->parties[SUM_OWNER].loses = 100;
    simulator_run(s, NULL);
    sum_check_over(s);
    assert_int_equal(s->aways, 0);
    assert_int_equal(sum_check_outcomes(s), 4);
    assert_int_equal(outcome_of(s, 3).members, 1);
    simulator_close(s);
}

/* ---- Choices ---- */

static void test_securesum__lets_owners_choose_in_turn(void **state) {
    const sum_script script = {3, 8, 1, 2, 1};
    simulator *s = sum_open(*state, &script, 1);
    simulator_run(s, NULL);
    sum_check_over(s);
    assert_int_equal(sum_check_outcomes(s), 2);
    for (size_t q = 0; q < 8; q++) {
        assert_int_equal(outcome_of(s, q).member, q < 6 ? SUM_OWNER + q % 3 : HR_NO_MEMBER);
        assert_int_equal(outcome_of(s, q).dropped, q >= 6);
    }
    simulator_close(s);
}

/* A turn that its owner missed is used up, and the next owner is asked. */
static void test_securesum__passes_over_choosers_that_are_away(void **state) {
    const sum_script script = {3, 6, 1, 2, 1};
    simulator *s = sum_open(*state, &script, 1);
    run_to(s, 1);
    s->parties[SUM_OWNER + 1].away = true;
    run_to(s, 4);
    assert_int_equal(s->aways, 1);
    static const size_t wanted[] = {0, 1, 2, 0};
    for (size_t q = 0; q < 4; q++) assert_int_equal(outcome_of(s, q).member, SUM_OWNER + wanted[q]);
    assert_true(outcome_of(s, 1).dropped);
    come_back(s, SUM_OWNER + 1);
    simulator_run(s, NULL);
    sum_check_over(s);
    check_replay(s);
    assert_int_equal(sum_check_outcomes(s), 1);
    simulator_close(s);
}

/* ---- The method ---- */

static void check_wish(const sum_names *names, hr_bytes wish) {
    const sum_script script = script_of(2);
    simulator *s = sum_open(names, &script, 1);
    while (s->parties[SUM_COORDINATOR].work.kind != HR_ACT_NEXT_QUESTION) assert_true(simulator_step(s));
    s->parties[SUM_COORDINATOR].work.kind = 0;
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_NEXT_QUESTION, .bytes = wish.at, .size = wish.size});
    free(wish.at);
    assert_true(s->parties[SUM_COORDINATOR].failed);
    simulator_run(s, NULL);
    for (size_t i = 0; i < 2; i++) assert_true(s->parties[SUM_OWNER + i].failed);
    assert_int_equal(s->cuts, 0);
    simulator_close(s);
}

static void test_securesum__ends_when_the_method_fails(void **state) {
    const hr_bytes nothing = {0};
    Hedgerow__Question q = HEDGEROW__QUESTION__INIT;
    check_wish(*state, nothing);
    q.body = hr_text_of("neither");
    check_wish(*state, sum_pack(&q));
    q.values = q.turns = 1;
    check_wish(*state, sum_pack(&q));
    q.turns = 0;
    q.done = true;
    check_wish(*state, sum_pack(&q));
    q.done = false;
    q.values = HR_SUM_VALUES_MAX + 1;
    check_wish(*state, sum_pack(&q));
}

static void test_securesum__refuses_terms_of_other_protocols(void **state) {
    enum { SETTINGS = 65 };
    const sum_script script = script_of(2);
    Hedgerow__Setting setting = HEDGEROW__SETTING__INIT, *settings[SETTINGS];
    for (size_t i = 0; i < SETTINGS; i++) settings[i] = &setting;
    for (int fault = 0; fault < 7; fault++) {
        hr_bytes good = sum_terms(&script);
        ProtobufCMessage *read = NULL;
        assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, good.at, good.size, &read, NULL),
                         HR_OK);
        Hedgerow__Terms *terms = (Hedgerow__Terms *)read;
        if (fault == 1) terms->rounds = 1;
        if (fault == 2) terms->vote_share = .1;
        if (fault == 3) terms->coalition = 2;
        if (fault == 4) terms->delta = 1;
        if (fault == 5) terms->broadcast = true;
        Hedgerow__Terms many = *terms;
        many.settings = settings;
        many.n_settings = SETTINGS;
        hr_bytes bytes = sum_pack(fault == 6 ? &many : terms);
        const hr_protocol_setup setup = sum_setup(*state, SUM_COORDINATOR, bytes);
        hr_protocol *machine = NULL;
        assert_int_equal(hr_securesum_coordinator(&setup, &machine, NULL), fault ? HR_E_FORMAT : HR_OK);
        hr_protocol_free(machine);
        hr_message_unpacked_free(read);
        free(bytes.at);
        free(good.at);
    }
}

/* ---- Any schedule ---- */

static void wander(simulator *s) {
    if (hr_dice_below(&s->dice, 20)) return;
    size_t who = SUM_OWNER + hr_dice_below(&s->dice, ((const sum_job *)s)->script->owners);
    s->parties[who].away = !s->parties[who].away;
}

/* Now and then the deadline is over although something could happen. */
static void wander_hastily(simulator *s) {
    wander(s);
    if (hr_dice_below(&s->dice, 30) || !hr_protocol_waits(s->parties[SUM_COORDINATOR].machine)) return;
    s->aways++;
    feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
}

static void test_securesum__comes_to_its_end(void **state) {
    const char *text = getenv("HR_SCHEDULES");
    for (size_t seed = 0, count = text ? strtoul(text, NULL, 10) : 200; seed < count; seed++) {
        const sum_script script = {1 + seed % 7, 12, seed % 4, 3, (uint32_t)(seed % 7) / 2};
        simulator *s = sum_open(*state, &script, seed);
        for (size_t i = 0; i < script.owners; i++) {
            s->parties[SUM_OWNER + i].loses = seed / 7 % 3 ? 0 : 20;
            s->parties[SUM_OWNER + i].refuses = hr_dice_below(&s->dice, 12) == 0;
        }
        simulator_run(s, seed % 2 ? wander : wander_hastily);
        for (size_t who = 0; who < SUM_MEMBERS; who++) s->parties[who].away = false;
        simulator_run(s, NULL);
        for (size_t who = 0; who <= script.owners; who++) assert_int_equal(s->parties[who].ends, 1);
        if (s->cuts) fail_msg("seed %zu: %s", seed, s->last_cut);
        sum_check_outcomes(s);
        check_replay(s);
        simulator_close(s);
    }
}

/* ---- Liars ---- */

static void spoil_letters_of(simulator *s, letter *l, size_t liar) {
    if (l->from != liar || hr_dice_below(&s->dice, 3)) return;
    hr_bytes bad = spoilt(&s->dice, &l->bytes);
    free(l->bytes.at);
    l->bytes = bad;
}

static void spoil_of_an_owner(simulator *s, letter *l) {
    spoil_letters_of(s, l, SUM_OWNER + 1);
}

static void spoil_of_the_coordinator(simulator *s, letter *l) {
    spoil_letters_of(s, l, SUM_COORDINATOR);
}

/* Whichever member sends them, the others come to their end, do not take each other for liars, and crash
 * nowhere. */
static void test_securesum__survives_spoilt_letters(void **state) {
    const char *text = getenv("HR_SCHEDULES");
    for (size_t seed = 0, count = text ? strtoul(text, NULL, 10) : 200; seed < count; seed++) {
        const sum_script script = {3, 9, seed % 3, 3, 1};
        const size_t liar = seed % 2 ? SUM_COORDINATOR : SUM_OWNER + 1;
        simulator *s = sum_open(*state, &script, seed);
        s->tamper = seed % 2 ? spoil_of_the_coordinator : spoil_of_an_owner;
        simulator_run(s, NULL);
        for (size_t who = 0; who <= script.owners; who++) {
            if (who == liar) continue;
            if (liar != SUM_COORDINATOR) assert_int_equal(s->parties[who].ends, 1);
            for (size_t other = 0; other <= script.owners; other++)
                if (other != liar && s->parties[who].cut[other]) fail_msg("seed %zu: %s", seed, s->last_cut);
        }
        check_replay(s);
        simulator_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_securesum__gives_plain_sums_and_choices),
        WITH_SUM_NAMES(test_securesum__goes_on_without_those_who_refuse),
        WITH_SUM_NAMES(test_securesum__goes_on_when_one_withdraws),
        WITH_SUM_NAMES(test_securesum__ends_when_nobody_takes_part),
        WITH_SUM_NAMES(test_securesum__loses_a_sum_that_somebody_misses),
        WITH_SUM_NAMES(test_securesum__answers_each_question_once),
        WITH_SUM_NAMES(test_securesum__waits_while_nobody_is_there),
        WITH_SUM_NAMES(test_securesum__has_owners_without_answers_sit_out),
        WITH_SUM_NAMES(test_securesum__asks_again_who_alone_had_no_answer),
        WITH_SUM_NAMES(test_securesum__lets_owners_choose_in_turn),
        WITH_SUM_NAMES(test_securesum__passes_over_choosers_that_are_away),
        WITH_SUM_NAMES(test_securesum__ends_when_the_method_fails),
        WITH_SUM_NAMES(test_securesum__refuses_terms_of_other_protocols),
        WITH_SUM_NAMES(test_securesum__comes_to_its_end),
        WITH_SUM_NAMES(test_securesum__survives_spoilt_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
