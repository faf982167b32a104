/* Parties whose parcels are lost, repeated and shuffled, who stay away and come back, and whose budget is spent elsewhere. */
#include "league.h"

/* ---- Faults on the way ---------------------------------------------------------------------------------------------------------- */

static hr_loopback_fate shuffle(void *user, const char *from, const char *to, size_t size) {
    (void)from;
    (void)to;
    (void)size;
    switch (next_random(user) % 10) {
    case 0:
    case 1: return HR_FATE_LOST;
    case 2:
    case 3: return HR_FATE_TWICE;
    case 4:
    case 5: return HR_FATE_FIRST;
    default: return HR_FATE_ARRIVES;
    }
}

static void test_faults__neither_lose_nor_double_anything(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        league l;
        uint64_t random = seed;
        hr_order order = seed / 2 % 2 ? HR_ORDER_BROADCAST : HR_ORDER_CHAIN;
        found(&l, seed % 8 < 3 ? job_of_polls(order) : job_of_league(1 + seed % 2, order, false));
        hr_loopback_script(l.loopback, shuffle, &random);
        begin(&l);
        run_until(&l, is_quiet);
        assert_int_equal(check_end(&l), 0);
        disband(&l);
    }
}

/* ---- Staying away ---------------------------------------------------------------------------------------------------------------- */

static bool nobody_works(league *l) {
    for (size_t i = 0; i < PARTIES; i++)
        if (l->players[i].party && hr_party_jobs(l->players[i].party)) return false;
    return true;
}

static void play_until_drawn(league *l, const deed *d) {
    while (!d->draws) assert_true(take_turns(l));
}

enum { DEADLINE = 5000 };

/* The second owner dies when somebody has drawn noise for `place`, and comes back when all is over. Returns what she had spent. */
static void lose_the_second_owner(league *l, size_t place, hr_order order) {
    player *lost = &l->players[2];
    found(l, job_of_league(2, order, false));
    l->deadline = DEADLINE;
    begin(l);
    play_until_drawn(l, &l->diary->trees[place]);
    end_life(lost);
    run_until(l, nobody_works);
    check_number(lost, "SELECT count(*) FROM jobs WHERE NOT over", "1");
}

static void check_that_she_hears(league *l, const char *entries, const char *committed, size_t trees) {
    player *lost = &l->players[2];
    assert_int_equal(trees_in_model(l), trees);
    assert_non_null(strstr(l->said, "owner-2 is passed over: she stays away"));
    revive(lost);
    run_until(l, is_quiet);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->players[i]);
    check_number(lost, "SELECT count(*) FROM entries", entries);
    check_number(lost, "SELECT count(*) FROM entries WHERE state = 'committed'", committed);
    assert_int_equal(l->diary->second_answers, 0);
    assert_int_equal(trees_in_model(l), trees);
}

static void test_absence__of_an_owner_costs_her_trees_only(void **state) {
    (void)state;
    for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
        league l;
        lose_the_second_owner(&l, 1, (hr_order)order); /* her first tree is out */
        check_that_she_hears(&l, "1", "1", 5);
        disband(&l);
    }
}

/* She was waited for when she had not begun; mail that she finds says so before she spends anything. */
static void test_absence__before_she_began_costs_her_nothing(void **state) {
    (void)state;
    for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
        league l;
        lose_the_second_owner(&l, 0, (hr_order)order);
        check_that_she_hears(&l, "0", "0", 4);
        disband(&l);
    }
}

static bool dead_for_good;

static bool second_dies_when_she_has_drawn(const player *p, bool after) {
    if (p->index == 2 && after && p->league->diary->trees[1].draws) dead_for_good = true;
    return dead_for_good && p->index == 2;
}

static void test_absence__between_reservation_and_outcome_burns_what_was_reserved(void **state) {
    (void)state;
    league l;
    found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    l.dies = second_dies_when_she_has_drawn;
    dead_for_good = false;
    begin(&l);
    while (!dead_for_good) {
        bool busy;
        for (size_t i = 0; i < PARTIES; i++) {
            hr_status status = hr_party_step(l.players[i].party, (hr_clock){l.now, l.date}, 0, &busy, NULL);
            assert_true(status == HR_OK || (dead_for_good && i == 2 && status == HR_E_CANCELLED));
        }
    }
    end_life(&l.players[2]);
    l.dies = NULL;
    run_until(&l, nobody_works);
    check_that_she_hears(&l, "1", "0", 2);
    assert_int_equal(l.diary->trees[1].draws, 1);
    assert_int_equal(l.diary->trees[1].sent, 0);
    disband(&l);
}

/* However long the miner herself was away. */
static void test_absence__of_the_miner_is_not_held_against_owners(void **state) {
    (void)state;
    league l;
    found(&l, job_of_league(2, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    begin(&l);
    for (int absences = 0; absences < 20; absences++) {
        if (take_turns(&l)) take_turns(&l);
        end_life(&l.players[0]);
        l.now += 100 * DEADLINE;
        revive(&l.players[0]);
    }
    run_until(&l, is_quiet);
    assert_null(strstr(l.said, "passed over"));
    assert_int_equal(check_end(&l), 0);
    disband(&l);
}

/* She was not there to read what has come: as when a computer was put to sleep. */
static void test_absence__is_noted_when_the_mail_was_read(void **state) {
    (void)state;
    league l;
    found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    begin(&l);
    take_turns(&l); /* the offers are out */
    for (int turn = 0; turn < 100; turn++)
        for (size_t i = 1; i < PARTIES; i++) step(&l.players[i]);
    l.now += 100 * DEADLINE;
    run_until(&l, is_quiet);
    assert_int_equal(check_end(&l), 0);
    disband(&l);
}

/* ---- Votes that come late -------------------------------------------------------------------------------------------------------- */

static size_t late;    /* the place whose vote comes late */
static bool held_back; /* it is lost on the way */

/* What the second owner sends to the miner from that vote on. */
static hr_loopback_fate hold_back(void *user, const char *from, const char *to, size_t size) {
    const league *l = user;
    (void)size;
    bool sends_it = l->diary->ballots[late].draws && !strcmp(from, "owner-2") && !strcmp(to, "miner");
    return held_back && sends_it ? HR_FATE_LOST : HR_FATE_ARRIVES;
}

static void begin_with_a_late_vote(league *l, size_t place) {
    late = place;
    held_back = true;
    found(l, job_of_polls(HR_ORDER_BROADCAST));
    l->deadline = DEADLINE;
    hr_loopback_script(l->loopback, hold_back, l);
    begin(l);
}

/* Whether the model lists what the vote of that place cost. */
static bool lists_vote(const league *l, const char *what, size_t place) {
    size_t size = 0;
    char *text = scratch_read(l->model, &size);
    hr_model *model = NULL;
    hr_release_info line;
    bool found_it = false;
    assert_int_equal(hr_model_parse(text, size, "model", &model, NULL), HR_OK);
    for (size_t i = 0; hr_model_release_at(model, i, &line); i++) found_it = found_it || (!strcmp(line.what, what) && line.part == place);
    hr_model_free(model);
    free(text);
    return found_it;
}

static bool second_round_begins(league *l) {
    return strstr(l->said, "round 2 begins") != NULL;
}

/* It changes nothing any more, but its owner has paid for it. */
static void test_votes__that_come_when_the_round_was_decided_are_listed(void **state) {
    (void)state;
    league l;
    begin_with_a_late_vote(&l, 1);
    run_until(&l, second_round_begins);
    held_back = false;
    run_until(&l, is_quiet);
    for (size_t place = 0; place < OWNERS; place++) assert_true(lists_vote(&l, "gain of a round", place));
    assert_int_equal(check_end(&l), 0);
    disband(&l);
}

/* No message of a job is taken in between its end and its model: it would be confirmed as part of the job, and stand in no list. */
static void test_votes__that_come_after_the_end_are_not_taken_in(void **state) {
    (void)state;
    league l;
    begin_with_a_late_vote(&l, OWNERS + 1);
    while (take_turns(&l)) continue;
    assert_true(l.diary->ballots[late].sent);
    l.now += DEADLINE;
    step(&l.players[0]); /* the miner decides without it */
    held_back = false;
    step(&l.players[2]); /* it is sent again */
    assert_int_equal(hr_party_jobs(l.players[0].party), 1);
    step(&l.players[0]);
    assert_int_equal(hr_party_jobs(l.players[0].party), 0);
    assert_int_equal(l.diary->models, 1);
    run_until(&l, is_quiet);
    for (size_t place = 0; place < OWNERS; place++)
        assert_int_equal(lists_vote(&l, "gain of the last trees", OWNERS + place), OWNERS + place != late);
    assert_int_equal(check_end(&l), 0);
    disband(&l);
}

/* ---- Jobs that are too old --------------------------------------------------------------------------------------------------------- */

enum { LIFETIME = 30 * 86400 };

/* Owners of a job whose miner is gone when noise was drawn for the second place: nothing of hers is on the way any more. */
static void abandon(league *l) {
    found(l, job_of_league(2, HR_ORDER_CHAIN, false));
    l->deadline = DEADLINE;
    l->lifetime = LIFETIME;
    l->date = 1000000000;
    begin(l);
    play_until_drawn(l, &l->diary->trees[1]);
    end_life(&l->players[0]);
}

static void go_on_for_a_while(league *l) {
    while (take_turns(l)) continue;
}

static size_t count_said(const league *l, const char *words) {
    size_t count = 0;
    for (const char *at = l->said; (at = strstr(at, words)); at++) count++;
    return count;
}

static const char too_old[] = "the job ended: it is older than her policy lets a job become";

/* Once at each owner, also at one who was started again since; what comes of it later is confirmed, and changes nothing. */
static void test_age__ends_a_job_that_its_miner_abandoned(void **state) {
    (void)state;
    league l;
    abandon(&l);
    l.date += LIFETIME;
    end_life(&l.players[2]);
    revive(&l.players[2]);
    go_on_for_a_while(&l);
    for (size_t i = 1; i < PARTIES; i++) assert_int_equal(hr_party_jobs(l.players[i].party), 1);
    end_life(&l.players[2]);
    l.date++;
    revive(&l.players[2]);
    go_on_for_a_while(&l);
    assert_int_equal(count_said(&l, too_old), OWNERS);
    for (size_t i = 1; i < PARTIES; i++) {
        check_number(&l.players[i], "SELECT count(*) FROM jobs WHERE NOT over", "0");
        check_number(&l.players[i], "SELECT count(*) FROM events", "0");
        check_number(&l.players[i], "SELECT count(*) FROM entries WHERE epsilon_units > 0", "1");
    }
    revive(&l.players[0]);
    run_until(&l, is_quiet);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l.players[i]);
    assert_int_equal(count_said(&l, too_old), OWNERS);
    assert_int_equal(l.diary->second_answers, 0);
    assert_int_equal(trees_in_model(&l), OWNERS);
    disband(&l);
}

/* Her turn had come, and the message waited for her. */
static void test_age__forbids_work_for_a_job(void **state) {
    (void)state;
    for (int days_late = 0; days_late < 2; days_late++) {
        league l;
        found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
        l.lifetime = LIFETIME;
        begin(&l);
        play_until_drawn(&l, &l.diary->trees[0]);
        end_life(&l.players[2]);
        end_life(&l.players[0]);
        go_on_for_a_while(&l);
        l.date += LIFETIME + days_late * 86400;
        revive(&l.players[2]);
        l.now += RESEND;
        go_on_for_a_while(&l);
        check_number(&l.players[2], "SELECT count(*) FROM entries", days_late ? "0" : "1");
        assert_int_equal(l.diary->trees[1].draws, !days_late);
        disband(&l);
    }
}

static void test_age__of_a_job_does_not_matter_without_a_limit(void **state) {
    (void)state;
    league l;
    abandon(&l);
    l.lifetime = 0;
    for (size_t i = 1; i < PARTIES; i++) {
        end_life(&l.players[i]);
        revive(&l.players[i]);
    }
    l.date += 1000 * (int64_t)LIFETIME;
    revive(&l.players[0]);
    run_until(&l, is_quiet);
    assert_int_equal(count_said(&l, too_old), 0);
    disband(&l);
}

/* ---- Sending again ------------------------------------------------------------------------------------------------------------------- */

/* As if her box were full, or gone. */
static hr_status refuse_first_owner(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    if (!strcmp(to, "owner-1")) return hr_fail(err, HR_E_IO, "", "the box is full");
    return carrier_send(self, to, bytes, size, err);
}

static void test_parcels__reach_others_when_a_box_takes_none(void **state) {
    (void)state;
    league l;
    found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    for (size_t i = 0; i < PARTIES; i++) revive(&l.players[i]);
    l.players[0].carrier.transport.send = refuse_first_owner;
    assert_int_equal(submit(&l, NULL), HR_OK);
    run_until(&l, nobody_works);
    assert_int_equal(trees_in_model(&l), 2);
    disband(&l);
}

/* At once after an opening, then after 1, 2, 4 ... 32 times as long, and every 32 from then on. */
static void test_parcels__are_sent_again_less_and_less_often(void **state) {
    (void)state;
    league l;
    player *one = &l.players[1];
    found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
    begin(&l);
    end_life(&l.players[0]);
    for (int turn = 0; turn < 10; turn++) step(one);
    end_life(one);
    revive(one);
    size_t before = l.diary->parcels;
    for (int turn = 0; turn < 100; turn++) step(one);
    assert_int_equal(l.diary->parcels, before + 1);
    for (int64_t apart = 1; apart <= 256; apart *= 2) {
        int64_t pause = (apart < 32 ? apart : 32) * RESEND;
        before = l.diary->parcels;
        l.now += pause - 1;
        step(one);
        assert_int_equal(l.diary->parcels, before);
        l.now++;
        step(one);
        step(one);
        assert_int_equal(l.diary->parcels, before + 1);
    }
    disband(&l);
}

/* An offer that was made before the party knew what time it is. */
static void test_parcels__are_not_sent_twice_at_once(void **state) {
    (void)state;
    league l;
    found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
    come_back(&l.players[0]);
    assert_int_equal(l.diary->parcels, OWNERS);
    l.now += RESEND - 1;
    for (int turn = 0; turn < 10; turn++) step(&l.players[0]);
    assert_int_equal(l.diary->parcels, OWNERS);
    l.now += RESEND;
    step(&l.players[0]);
    assert_int_equal(l.diary->parcels, 2 * OWNERS);
    disband(&l);
}

/* Sets of trees that fill several parcels: nothing of them is left in any file. */
static void test_parcels__are_forgotten_when_they_are_confirmed(void **state) {
    (void)state;
    league l;
    hr_job_file job = job_of_league(8, HR_ORDER_CHAIN, false);
    job.options.depth = 10;
    uint64_t random = 7;
    found(&l, job);
    hr_loopback_script(l.loopback, shuffle, &random);
    begin(&l);
    run_until(&l, is_quiet);
    assert_true(l.diary->pieces > 0);
    assert_int_equal(hr_model_tree_count(l.players[0].as.miner.model), 8 * OWNERS);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l.players[i]);
    disband(&l);
}

/* ---- Budget
 * ------------------------------------------------------------------------------------------------------------------------------ */

static void spend_elsewhere(player *p) {
    hr_ledger *ledger = NULL;
    int64_t entry;
    assert_int_equal(hr_ledger_open(p->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, LIMIT - EPSILON / 2, 0, "elsewhere", &entry, NULL), HR_OK);
    hr_ledger_close(ledger);
}

static void close_books(player *p) {
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(p->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    hr_ledger_close(ledger);
}

static void check_that_two_trained(league *l, const char *said, size_t draws) {
    run_until(l, is_quiet);
    if (!strstr(l->said, said)) fail_msg("'%s' is not in:\n%s", said, l->said);
    assert_int_equal(trees_in_model(l), 2);
    assert_int_equal(l->diary->unreserved, 0);
    assert_int_equal(l->diary->trees[0].draws + l->diary->trees[1].draws + l->diary->trees[2].draws, draws);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->players[i]);
    check_number(&l->players[2], "SELECT count(*) FROM entries WHERE purpose <> 'elsewhere'", "0");
    disband(l);
}

static void test_budget__that_does_not_suffice_is_a_reason_to_refuse(void **state) {
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        league l;
        found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
        (closed ? close_books : spend_elsewhere)(&l.players[2]);
        begin(&l);
        check_that_two_trained(&l, "owner-2 refuses: what is left in her ledger does not suffice", 2);
    }
}

static void test_budget__may_be_gone_when_her_turn_comes(void **state) {
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        league l;
        found(&l, job_of_league(1, HR_ORDER_CHAIN, false));
        begin(&l);
        play_until_drawn(&l, &l.diary->trees[0]);
        (closed ? close_books : spend_elsewhere)(&l.players[2]);
        check_that_two_trained(&l,
                               closed ? "owner-2: no tree is given: the ledger is frozen"
                                      : "owner-2: no tree is given: the budget of epsilon does not suffice",
                               2);
    }
}

/* Neither 0.1 has an exact binary form. */
static void test_budget__of_a_tenth_pays_for_a_job_of_a_tenth(void **state) {
    (void)state;
    for (int votes = 0; votes < 2; votes++) {
        league l;
        hr_job_file job = job_of_league(2, HR_ORDER_CHAIN, votes);
        job.options.epsilon = .1;
        found(&l, job);
        for (size_t i = 1; i < PARTIES; i++) {
            assert_int_equal(unlink(l.players[i].path), 0);
            assert_int_equal(hr_ledger_create(l.players[i].path, .1, 0, NULL), HR_OK);
        }
        begin(&l);
        run_until(&l, is_quiet);
        assert_int_equal(trees_in_model(&l), 2 * OWNERS);
        assert_int_equal(l.diary->unreserved, 0);
        for (size_t i = 1; i < PARTIES; i++)
            check_number(&l.players[i], "SELECT sum(entries.epsilon_units) = limits.epsilon_units FROM entries, limits", "1");
        disband(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__neither_lose_nor_double_anything),
        cmocka_unit_test(test_absence__of_an_owner_costs_her_trees_only),
        cmocka_unit_test(test_absence__before_she_began_costs_her_nothing),
        cmocka_unit_test(test_absence__between_reservation_and_outcome_burns_what_was_reserved),
        cmocka_unit_test(test_absence__of_the_miner_is_not_held_against_owners),
        cmocka_unit_test(test_absence__is_noted_when_the_mail_was_read),
        cmocka_unit_test(test_votes__that_come_when_the_round_was_decided_are_listed),
        cmocka_unit_test(test_votes__that_come_after_the_end_are_not_taken_in),
        cmocka_unit_test(test_age__ends_a_job_that_its_miner_abandoned),
        cmocka_unit_test(test_age__forbids_work_for_a_job),
        cmocka_unit_test(test_age__of_a_job_does_not_matter_without_a_limit),
        cmocka_unit_test(test_parcels__are_sent_again_less_and_less_often),
        cmocka_unit_test(test_parcels__are_not_sent_twice_at_once),
        cmocka_unit_test(test_parcels__reach_others_when_a_box_takes_none),
        cmocka_unit_test(test_parcels__are_forgotten_when_they_are_confirmed),
        cmocka_unit_test(test_budget__that_does_not_suffice_is_a_reason_to_refuse),
        cmocka_unit_test(test_budget__may_be_gone_when_her_turn_comes),
        cmocka_unit_test(test_budget__of_a_tenth_pays_for_a_job_of_a_tenth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
