/* Parties whose packets are lost, repeated and shuffled, who stay away and come back, and whose budget is
 * spent elsewhere. */
#include "support/party_harness.h"

/* ---- Faults on the way ---- */

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
        harness l;
        uint64_t random = seed;
        hr_order order = seed / 2 % 2 ? HR_ORDER_BROADCAST : HR_ORDER_CHAIN;
        harness_open(&l,
                     seed % 8 < 3 ? harness_job_with_votes(order) : harness_job(1 + seed % 2, order, false));
        hr_loopback_script(l.loopback, shuffle, &random);
        harness_start(&l);
        harness_run_until(&l, harness_is_idle);
        assert_int_equal(check_end(&l), 0);
        harness_close(&l);
    }
}

/* ---- Staying away ---- */

static bool nobody_works(harness *l) {
    for (size_t i = 0; i < PARTIES; i++)
        if (l->parties[i].party && hr_party_jobs(l->parties[i].party)) return false;
    return true;
}

static void play_until_drawn(harness *l, const work_record *d) {
    while (!d->draws) assert_true(harness_step(l));
}

enum { DEADLINE = 5000 };

/* The second owner dies when somebody has drawn noise for `slot`, and comes back when all is over. Returns
 * what it had spent. */
static void lose_the_second_owner(harness *l, size_t slot, hr_order order) {
    harness_party *lost = &l->parties[2];
    harness_open(l, harness_job(2, order, false));
    l->deadline = DEADLINE;
    harness_start(l);
    play_until_drawn(l, &l->event_log->trees[slot]);
    party_stop(lost);
    harness_run_until(l, nobody_works);
    check_query(lost, "SELECT count(*) FROM jobs WHERE NOT over", "1");
}

static void check_that_it_hears(harness *l, const char *entries, const char *committed, size_t trees) {
    harness_party *lost = &l->parties[2];
    assert_int_equal(trees_in_model(l), trees);
    assert_non_null(strstr(l->said, "owner owner-2 skipped: no answer in time"));
    party_start(lost);
    harness_run_until(l, harness_is_idle);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->parties[i]);
    check_query(lost, "SELECT count(*) FROM entries", entries);
    check_query(lost, "SELECT count(*) FROM entries WHERE state = 'committed'", committed);
    assert_int_equal(l->event_log->second_answers, 0);
    assert_int_equal(trees_in_model(l), trees);
}

static void test_absence__of_an_owner_costs_its_trees_only(void **state) {
    (void)state;
    for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
        harness l;
        lose_the_second_owner(&l, 1, (hr_order)order); /* its first tree is out */
        check_that_it_hears(&l, "1", "1", 5);
        harness_close(&l);
    }
}

/* It was waited for when it had not begun; mail that it finds says so before it spends anything. */
static void test_absence__before_it_began_costs_nothing(void **state) {
    (void)state;
    for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
        harness l;
        lose_the_second_owner(&l, 0, (hr_order)order);
        check_that_it_hears(&l, "0", "0", 4);
        harness_close(&l);
    }
}

static bool dead_for_good;

static bool second_dies_when_it_has_drawn(const harness_party *p, bool after) {
    if (p->index == 2 && after && p->harness->event_log->trees[1].draws) dead_for_good = true;
    return dead_for_good && p->index == 2;
}

static void test_absence__between_reservation_and_outcome_burns_what_was_reserved(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    l.dies = second_dies_when_it_has_drawn;
    dead_for_good = false;
    harness_start(&l);
    while (!dead_for_good) {
        bool busy;
        for (size_t i = 0; i < PARTIES; i++) {
            hr_status status = hr_party_step(l.parties[i].party, (hr_clock){l.now, l.date}, 0, &busy, NULL);
            assert_true(status == HR_OK || (dead_for_good && i == 2 && status == HR_E_CANCELLED));
        }
    }
    party_stop(&l.parties[2]);
    l.dies = NULL;
    harness_run_until(&l, nobody_works);
    check_that_it_hears(&l, "1", "0", 2);
    assert_int_equal(l.event_log->trees[1].draws, 1);
    assert_int_equal(l.event_log->trees[1].sent, 0);
    harness_close(&l);
}

/* However long the coordinator itself was away. */
static void test_absence__of_the_coordinator_is_not_held_against_owners(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(2, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    harness_start(&l);
    for (int absences = 0; absences < 20; absences++) {
        if (harness_step(&l)) harness_step(&l);
        party_stop(&l.parties[0]);
        l.now += 100 * DEADLINE;
        party_start(&l.parties[0]);
    }
    harness_run_until(&l, harness_is_idle);
    assert_null(strstr(l.said, "passed over"));
    assert_int_equal(check_end(&l), 0);
    harness_close(&l);
}

/* It was not there to read what has come: as when a computer was put to sleep. */
static void test_absence__is_noted_when_the_mail_was_read(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    harness_start(&l);
    harness_step(&l); /* the offers are out */
    for (int turn = 0; turn < 100; turn++)
        for (size_t i = 1; i < PARTIES; i++) party_step(&l.parties[i]);
    l.now += 100 * DEADLINE;
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(check_end(&l), 0);
    harness_close(&l);
}

/* ---- Votes that come late ---- */

static size_t late;    /* the slot whose vote comes late */
static bool held_back; /* it is lost on the way */

/* What the second owner sends to the coordinator from that vote on. */
static hr_loopback_fate hold_back(void *user, const char *from, const char *to, size_t size) {
    const harness *l = user;
    (void)size;
    bool sends_it =
        l->event_log->ballots[late].draws && !strcmp(from, "owner-2") && !strcmp(to, "coordinator");
    return held_back && sends_it ? HR_FATE_LOST : HR_FATE_ARRIVES;
}

static void begin_with_a_late_vote(harness *l, size_t slot) {
    late = slot;
    held_back = true;
    harness_open(l, harness_job_with_votes(HR_ORDER_BROADCAST));
    l->deadline = DEADLINE;
    hr_loopback_script(l->loopback, hold_back, l);
    harness_start(l);
}

/* Whether the model lists what the vote of that slot cost. */
static bool lists_vote(const harness *l, const char *what, size_t slot) {
    size_t size = 0;
    char *text = read_file(l->model, &size);
    hr_model *model = NULL;
    hr_release_info line;
    bool found_it = false;
    assert_int_equal(hr_model_parse(text, size, "model", &model, NULL), HR_OK);
    for (size_t i = 0; hr_model_release_at(model, i, &line); i++)
        found_it = found_it || (!strcmp(line.what, what) && line.part == slot);
    hr_model_free(model);
    free(text);
    return found_it;
}

static bool second_round_begins(harness *l) {
    return strstr(l->said, "round 2 begins") != NULL;
}

/* It changes nothing any more, but its owner has paid for it. */
static void test_votes__that_come_when_the_round_was_decided_are_listed(void **state) {
    (void)state;
    harness l;
    begin_with_a_late_vote(&l, 1);
    harness_run_until(&l, second_round_begins);
    held_back = false;
    harness_run_until(&l, harness_is_idle);
    for (size_t slot = 0; slot < OWNERS; slot++) assert_true(lists_vote(&l, "gain of a round", slot));
    assert_int_equal(check_end(&l), 0);
    harness_close(&l);
}

/* No message of a job is taken in between its end and its model: it would be confirmed as part of the job,
 * and stand in no list. */
static void test_votes__that_come_after_the_end_are_not_taken_in(void **state) {
    (void)state;
    harness l;
    begin_with_a_late_vote(&l, OWNERS + 1);
    while (harness_step(&l)) continue;
    assert_true(l.event_log->ballots[late].sent);
    l.now += DEADLINE;
    while (harness_step(&l)) continue; /* the coordinator sends its owner the set, and waits once more */
    l.now += DEADLINE;
    party_step(&l.parties[0]); /* the coordinator decides without it */
    held_back = false;
    party_step(&l.parties[2]); /* it is sent again */
    assert_int_equal(hr_party_jobs(l.parties[0].party), 1);
    party_step(&l.parties[0]);
    assert_int_equal(hr_party_jobs(l.parties[0].party), 0);
    assert_int_equal(l.event_log->models, 1);
    harness_run_until(&l, harness_is_idle);
    for (size_t slot = 0; slot < OWNERS; slot++)
        assert_int_equal(lists_vote(&l, "gain of the last trees", OWNERS + slot), OWNERS + slot != late);
    assert_int_equal(check_end(&l), 0);
    harness_close(&l);
}

/* ---- Jobs that are too old ---- */

enum { LIFETIME = 30 * 86400 };

/* Owners of a job whose coordinator is gone when noise was drawn for the second slot: nothing of its own is
 * on the way any more. */
static void abandon(harness *l) {
    harness_open(l, harness_job(2, HR_ORDER_CHAIN, false));
    l->deadline = DEADLINE;
    l->lifetime = LIFETIME;
    l->date = 1000000000;
    harness_start(l);
    play_until_drawn(l, &l->event_log->trees[1]);
    party_stop(&l->parties[0]);
}

static void continue_for_a_while(harness *l) {
    while (harness_step(l)) continue;
}

static size_t count_said(const harness *l, const char *words) {
    size_t count = 0;
    for (const char *at = l->said; (at = strstr(at, words)); at++) count++;
    return count;
}

static const char too_old[] = "the job ended: expired: it is older than the policy's 'days'";

/* Once at each owner, also at one who was started again since; what comes of it later is confirmed, and
 * changes nothing. */
static void test_age__ends_a_job_that_its_coordinator_abandoned(void **state) {
    (void)state;
    harness l;
    abandon(&l);
    l.date += LIFETIME;
    party_stop(&l.parties[2]);
    party_start(&l.parties[2]);
    continue_for_a_while(&l);
    for (size_t i = 1; i < PARTIES; i++) assert_int_equal(hr_party_jobs(l.parties[i].party), 1);
    party_stop(&l.parties[2]);
    l.date++;
    party_start(&l.parties[2]);
    continue_for_a_while(&l);
    assert_int_equal(count_said(&l, too_old), OWNERS);
    for (size_t i = 1; i < PARTIES; i++) {
        check_query(&l.parties[i], "SELECT count(*) FROM jobs WHERE NOT over", "0");
        check_query(&l.parties[i], "SELECT count(*) FROM events", "0");
        check_query(&l.parties[i], "SELECT count(*) FROM entries WHERE epsilon_units > 0", "1");
        check_query(&l.parties[i], "SELECT count(*) FROM entries WHERE purpose LIKE '%against%'", "0");
    }
    party_start(&l.parties[0]);
    harness_run_until(&l, harness_is_idle);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l.parties[i]);
    assert_int_equal(count_said(&l, too_old), OWNERS);
    assert_int_equal(l.event_log->second_answers, 0);
    assert_int_equal(trees_in_model(&l), OWNERS);
    harness_close(&l);
}

/* Its turn had come, and the message waited for it. */
static void test_age__forbids_work_for_a_job(void **state) {
    (void)state;
    for (int days_late = 0; days_late < 2; days_late++) {
        harness l;
        harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
        l.lifetime = LIFETIME;
        harness_start(&l);
        play_until_drawn(&l, &l.event_log->trees[0]);
        party_stop(&l.parties[2]);
        party_stop(&l.parties[0]);
        continue_for_a_while(&l);
        l.date += LIFETIME + days_late * 86400;
        party_start(&l.parties[2]);
        l.now += RESEND;
        continue_for_a_while(&l);
        check_query(&l.parties[2], "SELECT count(*) FROM entries", days_late ? "0" : "1");
        assert_int_equal(l.event_log->trees[1].draws, !days_late);
        harness_close(&l);
    }
}

static void test_age__of_a_job_does_not_matter_without_a_limit(void **state) {
    (void)state;
    harness l;
    abandon(&l);
    l.lifetime = 0;
    for (size_t i = 1; i < PARTIES; i++) {
        party_stop(&l.parties[i]);
        party_start(&l.parties[i]);
    }
    l.date += 1000 * (int64_t)LIFETIME;
    party_start(&l.parties[0]);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(count_said(&l, too_old), 0);
    harness_close(&l);
}

/* Terms of a month ago cost nothing, also where the ledger is new; what was decided is in the journal, and
 * stays when the clock moves. */
static void test_age__of_an_offer_is_looked_at_once(void **state) {
    (void)state;
    for (int too_late = 0; too_late < 2; too_late++) {
        harness l;
        harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
        l.policy.days = 30;
        l.job.date = 1795305600;
        l.date = l.job.date + LIFETIME + too_late;
        harness_start(&l);
        while (harness_step(&l)) {
            l.date += LIFETIME;
            for (size_t i = 1; i < PARTIES; i++) party_restart(&l.parties[i]);
        }
        assert_int_equal(count_said(&l, "declined: days: the offer is of 2026-11-22"), too_late ? OWNERS : 0);
        for (size_t i = 1; i < PARTIES; i++)
            check_query(&l.parties[i], "SELECT count(*) FROM entries", too_late ? "0" : "1");
        harness_close(&l);
    }
}

/* ---- Sending again ---- */

/* As if its inbox were full, or gone. */
static hr_status refuse_first_owner(hr_transport *self, const char *to, const void *bytes, size_t size,
                                    hr_error *err) {
    if (!strcmp(to, "owner-1")) return hr_fail(err, HR_E_IO, "", "the inbox is full");
    return watched_send(self, to, bytes, size, err);
}

static void test_packets__reach_others_when_a_box_takes_none(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    for (size_t i = 0; i < PARTIES; i++) party_start(&l.parties[i]);
    l.parties[0].watched.transport.send = refuse_first_owner;
    assert_int_equal(harness_submit(&l, NULL), HR_OK);
    harness_run_until(&l, nobody_works);
    assert_int_equal(trees_in_model(&l), 2);
    harness_close(&l);
}

/* At once after an opening, then after 1, 2, 4 ... 32 times as long, and every 32 from then on. */
static void test_packets__are_sent_again_less_and_less_often(void **state) {
    (void)state;
    harness l;
    harness_party *one = &l.parties[1];
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    harness_start(&l);
    party_stop(&l.parties[0]);
    for (int turn = 0; turn < 10; turn++) party_step(one);
    party_stop(one);
    party_start(one);
    size_t before = l.event_log->packets;
    for (int turn = 0; turn < 100; turn++) party_step(one);
    assert_int_equal(l.event_log->packets, before + 1);
    for (int64_t apart = 1; apart <= 256; apart *= 2) {
        int64_t pause = (apart < 32 ? apart : 32) * RESEND;
        before = l.event_log->packets;
        l.now += pause - 1;
        party_step(one);
        assert_int_equal(l.event_log->packets, before);
        l.now++;
        party_step(one);
        party_step(one);
        assert_int_equal(l.event_log->packets, before + 1);
    }
    harness_close(&l);
}

/* An offer that was made before the party knew what time it is. */
static void test_packets__are_not_sent_twice_at_once(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    party_restart(&l.parties[0]);
    assert_int_equal(l.event_log->packets, OWNERS);
    l.now += RESEND - 1;
    for (int turn = 0; turn < 10; turn++) party_step(&l.parties[0]);
    assert_int_equal(l.event_log->packets, OWNERS);
    l.now += RESEND;
    party_step(&l.parties[0]);
    assert_int_equal(l.event_log->packets, 2 * OWNERS);
    harness_close(&l);
}

/* Sets of trees that fill several packets: nothing of them is left in any file. */
static void test_packets__are_forgotten_when_they_are_confirmed(void **state) {
    (void)state;
    harness l;
    hr_job_file job = harness_job(8, HR_ORDER_CHAIN, false);
    job.options.depth = 10;
    uint64_t random = 7;
    harness_open(&l, job);
    hr_loopback_script(l.loopback, shuffle, &random);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    assert_true(l.event_log->pieces > 0);
    assert_int_equal(hr_model_tree_count(l.parties[0].as.coordinator.result.model), 8 * OWNERS);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l.parties[i]);
    harness_close(&l);
}

/* ---- Budget ---- */

static void spend_elsewhere(harness_party *p) {
    hr_ledger *ledger = NULL;
    int64_t entry;
    assert_int_equal(hr_ledger_open(p->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, LIMIT - EPSILON / 2, 0, "elsewhere", &entry, NULL), HR_OK);
    hr_ledger_close(ledger);
}

static void close_books(harness_party *p) {
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(p->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    hr_ledger_close(ledger);
}

static void check_that_two_trained(harness *l, const char *said, size_t draws) {
    harness_run_until(l, harness_is_idle);
    if (!strstr(l->said, said)) fail_msg("'%s' is not in:\n%s", said, l->said);
    assert_int_equal(trees_in_model(l), 2);
    assert_int_equal(l->event_log->unreserved, 0);
    assert_int_equal(
        l->event_log->trees[0].draws + l->event_log->trees[1].draws + l->event_log->trees[2].draws, draws);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->parties[i]);
    check_query(&l->parties[2], "SELECT count(*) FROM entries WHERE purpose <> 'elsewhere'", "0");
    harness_close(l);
}

static void test_budget__that_does_not_suffice_is_a_reason_to_refuse(void **state) {
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        harness l;
        harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
        (closed ? close_books : spend_elsewhere)(&l.parties[2]);
        harness_start(&l);
        check_that_two_trained(&l,
                               closed
                                   ? "owner owner-2 declines: ledger: it is frozen"
                                   : "owner owner-2 declines: ledger: the job costs epsilon 0.5, the ledger "
                                     "has 0.25 left",
                               2);
    }
}

static void test_budget__may_be_gone_when_its_turn_comes(void **state) {
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        harness l;
        harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
        harness_start(&l);
        play_until_drawn(&l, &l.event_log->trees[0]);
        (closed ? close_books : spend_elsewhere)(&l.parties[2]);
        check_that_two_trained(&l,
                               closed ? "owner-2: no answer is given: the ledger is frozen"
                                      : "owner-2: no answer is given: the budget of epsilon is too small",
                               2);
    }
}

/* Neither 0.1 has an exact binary form. */
static void test_budget__of_a_tenth_pays_for_a_job_of_a_tenth(void **state) {
    (void)state;
    for (int votes = 0; votes < 2; votes++) {
        harness l;
        hr_job_file job = harness_job(2, HR_ORDER_CHAIN, votes);
        job.options.epsilon = .1;
        harness_open(&l, job);
        for (size_t i = 1; i < PARTIES; i++) {
            assert_int_equal(unlink(l.parties[i].path), 0);
            assert_int_equal(hr_ledger_create(l.parties[i].path, .1, 0, NULL), HR_OK);
        }
        harness_start(&l);
        harness_run_until(&l, harness_is_idle);
        assert_int_equal(trees_in_model(&l), 2 * OWNERS);
        assert_int_equal(l.event_log->unreserved, 0);
        for (size_t i = 1; i < PARTIES; i++)
            check_query(&l.parties[i],
                        "SELECT sum(entries.epsilon_units) = limits.epsilon_units FROM entries, limits", "1");
        harness_close(&l);
    }
}

/* ---- Mask keys ---- */

/* Masks of one job say nothing about those of the next, also with the same owners and questions. */
static void test_mask_keys__are_new_in_every_job(void **state) {
    (void)state;
    harness l;
    uint64_t keys[2 * OWNERS];
    harness_open(&l, harness_hedge_job());
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    memcpy(keys, l.event_log->mask_keys, sizeof l.event_log->mask_keys);
    memset(l.event_log, 0, sizeof *l.event_log);
    assert_int_equal(harness_submit(&l, NULL), HR_OK);
    harness_run_until(&l, harness_is_idle);
    memcpy(keys + OWNERS, l.event_log->mask_keys, sizeof l.event_log->mask_keys);
    for (size_t i = 0; i < 2 * OWNERS; i++)
        for (size_t j = 0; j < i; j++) assert_true(keys[i] && keys[i] != keys[j]);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__neither_lose_nor_double_anything),
        cmocka_unit_test(test_absence__of_an_owner_costs_its_trees_only),
        cmocka_unit_test(test_absence__before_it_began_costs_nothing),
        cmocka_unit_test(test_absence__between_reservation_and_outcome_burns_what_was_reserved),
        cmocka_unit_test(test_absence__of_the_coordinator_is_not_held_against_owners),
        cmocka_unit_test(test_absence__is_noted_when_the_mail_was_read),
        cmocka_unit_test(test_votes__that_come_when_the_round_was_decided_are_listed),
        cmocka_unit_test(test_votes__that_come_after_the_end_are_not_taken_in),
        cmocka_unit_test(test_age__ends_a_job_that_its_coordinator_abandoned),
        cmocka_unit_test(test_age__forbids_work_for_a_job),
        cmocka_unit_test(test_age__of_a_job_does_not_matter_without_a_limit),
        cmocka_unit_test(test_age__of_an_offer_is_looked_at_once),
        cmocka_unit_test(test_packets__are_sent_again_less_and_less_often),
        cmocka_unit_test(test_packets__are_not_sent_twice_at_once),
        cmocka_unit_test(test_packets__reach_others_when_a_box_takes_none),
        cmocka_unit_test(test_packets__are_forgotten_when_they_are_confirmed),
        cmocka_unit_test(test_budget__that_does_not_suffice_is_a_reason_to_refuse),
        cmocka_unit_test(test_budget__may_be_gone_when_its_turn_comes),
        cmocka_unit_test(test_budget__of_a_tenth_pays_for_a_job_of_a_tenth),
        cmocka_unit_test(test_mask_keys__are_new_in_every_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
