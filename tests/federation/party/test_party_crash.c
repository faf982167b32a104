/* A party dies at every single thing it does, before it and after it, and comes back from its files
 * (support/party_doom.h). */
#include "support/party_doom.h"

static hr_job_file crash_job;

/* One such job in which the victim dies at its n-th call. False: it did not come so far. */
static bool die_at(size_t victim, size_t at, bool after) {
    harness l;
    harness_open(&l, crash_job);
    doom_begin(&l, victim, at, after);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    size_t lost_here = check_end(&l);
    if (lost_here > 1) fail_msg("%zu slots were lost in one crash", lost_here);
    doom_lost.lost += lost_here;
    doom_lost.models_again += l.event_log->models - 1;
    harness_close(&l);
    return doom.over;
}

static void coordinator_dies(bool after, hr_job_file job) {
    crash_job = job;
    doom_at_every_call(die_at, 0, after);
    assert_int_equal(doom_lost.lost, 0);
    assert_true(doom_lost.models_again > 0);
}

static void owner_dies(size_t owner, bool after, hr_job_file job) {
    crash_job = job;
    doom_at_every_call(die_at, owner, after);
    assert_true(doom_lost.lost > 0);
}

static void test_crash__of_the_coordinator_loses_nothing(void **state) {
    (void)state;
    coordinator_dies(false, harness_job(2, HR_ORDER_CHAIN, true));
    coordinator_dies(true, harness_job(2, HR_ORDER_CHAIN, true));
    coordinator_dies(false, harness_job(1, HR_ORDER_BROADCAST, false));
}

static void test_crash__of_an_owner_loses_what_it_was_doing_at_most(void **state) {
    (void)state;
    owner_dies(2, false, harness_job(2, HR_ORDER_CHAIN, true));
    owner_dies(2, true, harness_job(2, HR_ORDER_CHAIN, true));
    owner_dies(2, false, harness_job(1, HR_ORDER_BROADCAST, false));
}

static void test_crash__of_the_first_or_the_last_owner_is_no_different(void **state) {
    (void)state;
    owner_dies(1, false, harness_job(1, HR_ORDER_CHAIN, false));
    owner_dies(3, false, harness_job(1, HR_ORDER_CHAIN, false));
}

static void test_crash__of_the_coordinator_of_hedge_loses_nothing(void **state) {
    (void)state;
    coordinator_dies(false, harness_hedge_job());
    coordinator_dies(true, harness_hedge_job());
}

static void test_crash__of_an_owner_in_hedge_loses_an_answer_at_most(void **state) {
    (void)state;
    owner_dies(1, false, harness_hedge_job());
    owner_dies(2, true, harness_hedge_job());
}

static void test_crash__of_the_coordinator_of_averages_loses_nothing(void **state) {
    (void)state;
    coordinator_dies(false, harness_job_of_averages());
    coordinator_dies(true, harness_job_of_averages());
}

/* What it was training is lost and stays paid for; the others' models make the average. */
static void test_crash__of_an_owner_of_averages_loses_its_model_at_most(void **state) {
    (void)state;
    for (size_t owner = 1; owner <= OWNERS; owner++) {
        owner_dies(owner, false, harness_job_of_averages());
        owner_dies(owner, true, harness_job_of_averages());
    }
}

/* The first owner takes no part: by its own journal, or, as it does not serve the coordinator, without it.
 * When the victim dies, the others' trees make the model, and everybody's journal is clean in the end. */
static bool decline_and_die(bool with_journal, size_t victim, size_t at, bool after) {
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.job.in.version = 2;
    if (with_journal) l.federations[1].version = 1;
    l.serves_nobody[1] = !with_journal;
    doom_begin(&l, victim, at, after);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    assert_non_null(strstr(l.said, "coordinator: owner owner-1 declines: "));
    assert_null(strstr(l.said, "cut off"));
    assert_in_range(trees_in_model(&l), victim > 1 ? OWNERS - 2 : OWNERS - 1, OWNERS - 1);
    check_query(&l.parties[1], "SELECT count(*) FROM entries", "0");
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l.parties[i]);
    harness_close(&l);
    return doom.over;
}

/* An owner that declines does little: doom_at_every_call is for longer lives. */
static void test_crash__around_a_decline_loses_no_other_owner(void **state) {
    (void)state;
    for (size_t victim = 0; victim < 2; victim++)
        for (int i = 0; i < 4; i++) {
            size_t at = 1;
            while (decline_and_die(i & 1, victim, at, i & 2)) at++;
            assert_true(at > 5);
        }
}

/* The disk is flushed once for a question and the work on it; the first work pays, in a transaction of its
 * own. */
static void test_work__of_a_job_that_has_paid_begins_with_its_question(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_hedge_job());
    doom_begin(&l, 1, 0, false);
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(check_end(&l), 0);
    print_message("%zu pieces of work\n", doom.starts);
    assert_true(doom.starts > 4);
    assert_int_equal(doom.starts_alone, 1);
    harness_close(&l);
}

/* As a process that stops in order, or reads its files anew. */
static void test_restart__between_any_two_steps_loses_nothing(void **state) {
    (void)state;
    const hr_job_file jobs[] = {harness_hedge_job(), harness_job(2, HR_ORDER_CHAIN, true)};
    for (size_t k = 0; k < COUNT(jobs); k++) {
        harness l;
        harness_open(&l, jobs[k]);
        doom_begin(&l, PARTIES, 0, false);
        harness_start(&l);
        for (size_t turn = 1; harness_step(&l) || !harness_is_idle(&l); turn++) {
            party_restart(&l.parties[1 + turn % OWNERS]);
            l.now += turn % 8 ? 0 : 1000;
        }
        assert_int_equal(check_end(&l), 0);
        assert_null(strstr(l.said, "work was lost"));
        harness_close(&l);
    }
}

static void refuse_first_work(harness *l, hr_job_file job) {
    harness_open(l, job);
    doom_begin(l, PARTIES, 0, false);
    doom.refuses_begun = true;
    harness_start(l);
    harness_run_until(l, harness_is_idle);
}

/* What was reserved in the transaction that failed is not reserved: its next work must reserve it. */
static void test_reservation__that_was_rolled_back_is_made_again(void **state) {
    (void)state;
    harness l;
    refuse_first_work(&l, harness_job(2, HR_ORDER_CHAIN, false));
    assert_int_equal(check_end(&l), 1);
    assert_non_null(strstr(l.said, "owner-1: no answer is given: no event is taken"));
    harness_close(&l);
}

/* There is no next work, and no noise was drawn. */
static void test_reservation__that_was_rolled_back_leaves_no_entry(void **state) {
    (void)state;
    harness l;
    refuse_first_work(&l, harness_job_of_averages());
    assert_int_equal(l.event_log->unreserved, 0);
    assert_int_equal(l.event_log->trees[0].draws, 0);
    assert_true(l.event_log->trees[0].none);
    check_query(&l.parties[1], "SELECT count(*) FROM entries", "0");
    assert_int_equal(trees_in_model(&l), OWNERS - 1);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work__of_a_job_that_has_paid_begins_with_its_question),
        cmocka_unit_test(test_restart__between_any_two_steps_loses_nothing),
        cmocka_unit_test(test_reservation__that_was_rolled_back_is_made_again),
        cmocka_unit_test(test_reservation__that_was_rolled_back_leaves_no_entry),
        cmocka_unit_test(test_crash__around_a_decline_loses_no_other_owner),
        cmocka_unit_test(test_crash__of_the_coordinator_loses_nothing),
        cmocka_unit_test(test_crash__of_an_owner_loses_what_it_was_doing_at_most),
        cmocka_unit_test(test_crash__of_the_first_or_the_last_owner_is_no_different),
        cmocka_unit_test(test_crash__of_the_coordinator_of_hedge_loses_nothing),
        cmocka_unit_test(test_crash__of_an_owner_in_hedge_loses_an_answer_at_most),
        cmocka_unit_test(test_crash__of_the_coordinator_of_averages_loses_nothing),
        cmocka_unit_test(test_crash__of_an_owner_of_averages_loses_its_model_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
