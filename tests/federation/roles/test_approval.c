/* Offers that wait for a person: decided by another process, read by the one that serves. */
#include "privacy/ledger/offers.h"
#include "support/party_harness.h"

enum { DEADLINE = 60000 };

static void open_manual(harness *l) {
    harness_open(l, harness_job(1, HR_ORDER_CHAIN, false));
    l->policy.limits.approve = HR_APPROVAL_MANUAL;
    l->deadline = DEADLINE;
    harness_start(l);
}

static bool waits(const harness_party *p) {
    return !strcmp(query_database(p->path, "SELECT count(*) FROM sqlite_schema WHERE name = 'offers'"),
                   "1") &&
           !strcmp(query_database(p->path, "SELECT state FROM offers"), "3");
}

static void run_until_all_wait(harness *l) {
    for (size_t i = 1; i < PARTIES; i++)
        while (!waits(&l->parties[i])) assert_true(harness_step(l));
    while (harness_step(l)) {
    }
}

/* By a handle of its own, as another process has it. */
static hr_status decide(const harness_party *p, hr_offer_state state, const char *reason, hr_error *err) {
    hr_ledger *ledger = NULL;
    char id[33];
    snprintf(id, sizeof id, "%s", query_database(p->path, "SELECT lower(hex(job)) FROM offers"));
    assert_int_equal(hr_ledger_open(p->path, &ledger, NULL), HR_OK);
    hr_status status = hr_offers_decide(ledger, id, state, reason, err);
    hr_ledger_close(ledger);
    return status;
}

static void approve(const harness_party *p) {
    hr_error err = {0};
    if (decide(p, HR_OFFER_APPROVED, "", &err)) fail_msg("%s", err.message);
}

static bool nobody_works(harness *l) {
    for (size_t i = 0; i < PARTIES; i++)
        if (l->parties[i].party && hr_party_jobs(l->parties[i].party)) return false;
    return true;
}

static void test_approval__is_acted_on_within_a_second(void **state) {
    (void)state;
    harness l;
    open_manual(&l);
    run_until_all_wait(&l);
    assert_non_null(strstr(l.said, "owner-1: a job of coordinator waits for `hedgerow jobs approve`"));
    assert_null(strstr(l.said, "takes part"));
    l.now += 500; /* for acks */
    run_until_all_wait(&l);
    for (size_t i = 1; i < PARTIES; i++) approve(&l.parties[i]);
    l.now += 499;
    assert_false(harness_step(&l));
    l.now += 1;
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(check_end(&l), 0);
    assert_int_equal(trees_in_model(&l), OWNERS);
    for (size_t i = 1; i < PARTIES; i++) check_query(&l.parties[i], "SELECT state FROM offers", "1");
    harness_close(&l);
}

/* Neither the wait nor the decision is lost with the process. */
static void test_approval__survives_restarts(void **state) {
    (void)state;
    harness l;
    open_manual(&l);
    run_until_all_wait(&l);
    party_restart(&l.parties[1]);
    while (harness_step(&l)) {
    }
    check_query(&l.parties[1], "SELECT state FROM offers", "3");
    party_stop(&l.parties[2]);
    for (size_t i = 1; i < PARTIES; i++) approve(&l.parties[i]);
    party_start(&l.parties[2]);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(check_end(&l), 0);
    assert_int_equal(trees_in_model(&l), OWNERS);
    harness_close(&l);
}

static void test_refusal__tells_the_coordinator_and_spends_nothing(void **state) {
    (void)state;
    harness l;
    open_manual(&l);
    run_until_all_wait(&l);
    approve(&l.parties[1]);
    approve(&l.parties[3]);
    assert_int_equal(decide(&l.parties[2], HR_OFFER_REFUSED, "no ethics vote", NULL), HR_OK);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(trees_in_model(&l), 2);
    assert_non_null(
        strstr(l.said, "coordinator: owner owner-2 declines: the owner refused the job: no ethics vote\n"));
    check_query(&l.parties[2], "SELECT count(*) FROM entries", "0");
    check_query(&l.parties[2], "SELECT state FROM offers", "2");
    harness_close(&l);
}

/* A rule that the job does not keep any more outweighs the person. */
static void test_approval__outweighs_no_rule(void **state) {
    (void)state;
    harness l;
    open_manual(&l);
    run_until_all_wait(&l);
    l.policy.epsilon = EPSILON / 2;
    for (size_t i = 1; i < PARTIES; i++) approve(&l.parties[i]);
    harness_run_until(&l, nobody_works);
    assert_non_null(strstr(l.said, "owner-1: the job ended: declined: epsilon: the job costs 0.5"));
    for (size_t i = 1; i < PARTIES; i++) check_query(&l.parties[i], "SELECT count(*) FROM entries", "0");
    harness_close(&l);
}

/* The coordinator goes on without an owner that does not answer. */
static void test_approval__that_comes_too_late_says_so(void **state) {
    (void)state;
    harness l;
    open_manual(&l);
    run_until_all_wait(&l);
    approve(&l.parties[1]);
    approve(&l.parties[3]);
    while (hr_party_jobs(l.parties[0].party)) {
        if (!harness_step(&l)) l.now += 500;
    }
    assert_int_equal(trees_in_model(&l), 2);
    harness_run_until(&l, nobody_works);
    hr_error err = {0};
    assert_int_equal(decide(&l.parties[2], HR_OFFER_APPROVED, "", &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "too late: "));
    check_query(&l.parties[2], "SELECT count(*) FROM entries", "0");
    harness_close(&l);
}

static void test_decision__is_made_once_and_by_a_name_that_fits(void **state) {
    (void)state;
    harness l;
    hr_error err = {0};
    hr_ledger *ledger = NULL;
    open_manual(&l);
    run_until_all_wait(&l);
    assert_int_equal(decide(&l.parties[1], HR_OFFER_REFUSED, "", NULL), HR_OK);
    assert_int_equal(decide(&l.parties[1], HR_OFFER_APPROVED, "", &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "was declined before"));
    approve(&l.parties[2]);
    assert_int_equal(decide(&l.parties[2], HR_OFFER_REFUSED, "", &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "was accepted before"));
    static const char *const ids[] = {"", "abcg", "00%", "'; --", "0000000000000000000000000000000000"};
    assert_int_equal(hr_ledger_open(l.parties[3].path, &ledger, NULL), HR_OK);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_int_equal(hr_offers_decide(ledger, ids[i], HR_OFFER_APPROVED, "", &err), HR_E_ARGUMENT);
    hr_ledger_close(ledger);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_approval__is_acted_on_within_a_second),
        cmocka_unit_test(test_approval__survives_restarts),
        cmocka_unit_test(test_refusal__tells_the_coordinator_and_spends_nothing),
        cmocka_unit_test(test_approval__outweighs_no_rule),
        cmocka_unit_test(test_approval__that_comes_too_late_says_so),
        cmocka_unit_test(test_decision__is_made_once_and_by_a_name_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
