/* How many packets a job takes, and what becomes of acks: they go along with answers, may get lost, and are
 * sent alone when there is no answer. That they leave after the commit is checked by the harness, in all
 * tests. */
#include "federation/party/party_core.h"
#include "support/party_harness.h"

static harness l;

/* ---- Their number ---- */

static int rounds_told(void) {
    int rounds = 0;
    for (const char *at = l.said; (at = strstr(at, "round ")); at++) {
        const int round = atoi(at + strlen("round "));
        if (round > rounds) rounds = round;
    }
    return rounds;
}

/* A question and its answer of each owner, and a choice of one of them; the beginning and the end, with the
 * sums that are prepared, count as a tree. */
static void test_packets__of_a_tree_are_few(void **state) {
    (void)state;
    harness_open(&l, harness_hedge_job());
    harness_start(&l);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(check_end(&l), 0);
    const size_t trees = (size_t)rounds_told(), packets = l.event_log->packets;
    assert_true(trees > 3);
    print_message("%zu packets of %d owners and %zu trees\n", packets, OWNERS, trees);
    assert_in_range(packets, 2 * OWNERS * trees, 5 * OWNERS * (trees + 1));
    harness_close(&l);
}

/* ---- Sending again ---- */

/* The owners are away. New jobs, of which one is offered before the pause is over, do not keep the first
 * one's offers from going again. */
static void test_packets__go_again_whatever_else_leaves(void **state) {
    enum { JOBS = 40 };
    (void)state;
    harness_open(&l, harness_hedge_job());
    party_start(&l.parties[0]);
    assert_int_equal(harness_submit(&l, NULL), HR_OK);
    hr_party *coordinator = l.parties[0].party;
    const hr_bytes terms = coordinator->jobs[0]->terms;
    const hr_new_job job = {.terms = {terms.at, terms.size}, .date = l.date};
    party_step(&l.parties[0]);
    for (int i = 0; i < JOBS; i++) {
        l.now += RESEND / 2;
        assert_int_equal(hr_party_submit(coordinator, &job, NULL), HR_OK);
        party_step(&l.parties[0]);
        if (i < 2) assert_int_equal(l.event_log->packets, OWNERS * (i + 2));
    }
    assert_in_range(l.event_log->packets, OWNERS * (JOBS + 2), OWNERS * 3 * JOBS);
    harness_close(&l);
}

/* ---- Acks ---- */

static hr_loopback_fate lose_a_third(void *user, const char *from, const char *to, size_t size) {
    (void)from;
    (void)to;
    (void)size;
    return next_random(user) % 3 ? HR_FATE_ARRIVES : HR_FATE_LOST;
}

static void test_acks__that_are_lost_are_made_up_for(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint64_t random = seed;
        harness_open(&l, harness_hedge_job());
        hr_loopback_script(l.loopback, lose_a_third, &random);
        harness_start(&l);
        harness_run_until(&l, harness_is_idle);
        assert_int_equal(check_end(&l), 0);
        for (size_t i = 0; i < PARTIES; i++) check_query(&l.parties[i], "SELECT count(*) FROM packets", "0");
        harness_close(&l);
    }
}

static size_t packets_at(int64_t milliseconds) {
    const size_t before = l.event_log->packets;
    l.now += milliseconds;
    harness_step(&l); /* which may send acks alone */
    while (harness_step(&l)) continue;
    return l.event_log->packets - before;
}

/* The offer waits for a person, so no answer carries its ack: it goes alone, once, before the offer would
 * come again. */
static void test_ack__goes_alone_if_there_is_no_answer(void **state) {
    (void)state;
    harness_open(&l, harness_hedge_job());
    l.policy.limits.approve = HR_APPROVAL_MANUAL;
    harness_start(&l);
    assert_int_equal(l.event_log->packets, OWNERS);
    assert_int_equal(packets_at(0), 0);
    check_query(&l.parties[0], "SELECT count(*) FROM packets", "3");
    assert_int_equal(packets_at(RESEND / 4 - 1), 0);
    assert_int_equal(packets_at(1), OWNERS);
    check_query(&l.parties[0], "SELECT count(*) FROM packets", "0");
    assert_int_equal(packets_at(RESEND), 0);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets__of_a_tree_are_few),
        cmocka_unit_test(test_packets__go_again_whatever_else_leaves),
        cmocka_unit_test(test_acks__that_are_lost_are_made_up_for),
        cmocka_unit_test(test_ack__goes_alone_if_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
