/* Members and strangers that send more than a party can use. */
#include "federation/party/party_core.h"
#include "support/party_harness.h"

enum { DEADLINE = 5000, ROUNDS_MAX = 60000, QUOTA = 200 };

static size_t count_said(const harness *l, const char *words) {
    size_t count = 0;
    for (const char *at = l->said; (at = strstr(at, words)); at++) count++;
    return count;
}

static hr_transport *open_end(harness *l, const char *name) {
    hr_transport *end = NULL;
    assert_int_equal(hr_loopback_open(l->loopback, name, &end, NULL), HR_OK);
    return end;
}

static void send_junk(hr_transport *from, const char *to) {
    assert_int_equal(from->send(from, to, "x", 1, NULL), HR_OK);
}

/* Every living party finds a packet of one byte whenever it looks, while time passes. */
static void step_in_a_flood(harness *l, hr_transport *stranger) {
    for (size_t i = 0; i < PARTIES; i++)
        if (l->parties[i].party) send_junk(stranger, l->parties[i].name);
    harness_step(l);
    l->now++;
}

static void test_flood__of_strangers_does_not_stop_work(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    hr_transport *stranger = open_end(&l, "stranger");
    harness_start(&l);
    for (int i = 0; i < ROUNDS_MAX && !l.event_log->models; i++) step_in_a_flood(&l, stranger);
    assert_int_equal(l.event_log->models, 1);
    assert_int_equal(trees_in_model(&l), OWNERS);
    stranger->close(stranger);
    harness_close(&l);
}

static void test_flood__of_strangers_does_not_stop_deadlines(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    hr_transport *stranger = open_end(&l, "stranger");
    harness_start(&l);
    party_stop(&l.parties[2]);
    for (int i = 0; i < ROUNDS_MAX && !l.event_log->models; i++) step_in_a_flood(&l, stranger);
    assert_int_equal(trees_in_model(&l), OWNERS - 1);
    stranger->close(stranger);
    harness_close(&l);
}

/* One line when it begins, and then one a minute with their number. */
static void test_flood__is_logged_as_a_number(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    hr_transport *stranger = open_end(&l, "stranger");
    party_start(&l.parties[1]);
    for (int i = 0; i < 43; i++) send_junk(stranger, "owner-1");
    while (party_step(&l.parties[1])) continue;
    assert_int_equal(count_said(&l, "\n"), 1);
    assert_int_equal(count_said(&l, "owner-1: a packet was refused: "), 1);
    l.now += 60 * 1000;
    party_step(&l.parties[1]);
    assert_int_equal(
        count_said(&l, "owner-1: 42 more packets of unknown senders were refused in the last minute"), 1);
    l.now += 60 * 1000;
    party_step(&l.parties[1]);
    assert_int_equal(count_said(&l, "\n"), 2);
    assert_int_equal(hr_party_refused(l.parties[1].party)[HR_REFUSAL_UNREADABLE], 43);
    assert_int_equal(l.event_log->refused, 43);
    assert_int_equal(hr_party_refused(l.parties[1].party)[HR_REFUSAL_QUOTA], 0);
    stranger->close(stranger);
    harness_close(&l);
}

/* ---- Members ---- */

/* Acks of a job that nobody knows: valid packets without an effect. */
static void send_acks(harness *l, size_t from, size_t to, int count) {
    hr_envelope ack = {.to = to, .received = 1};
    hr_bytes packet = {0};
    hr_transport *end = open_end(l, "elsewhere");
    assert_int_equal(hr_envelope_seal(&l->parties[from].view, &ack, &packet, NULL), HR_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(end->send(end, l->parties[to].name, packet.at, packet.size, NULL), HR_OK);
    end->close(end);
    free(packet.at);
}

/* It is not heard for the rest of the minute; the others are. */
static void test_quota__of_a_member_delays_nobody_else(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.quota = QUOTA;
    l.deadline = DEADLINE;
    harness_start(&l);
    send_acks(&l, 3, 0, 2 * QUOTA);
    for (int i = 0; i < ROUNDS_MAX && !l.event_log->models; i++) {
        harness_step(&l);
        l.now++;
    }
    assert_int_equal(trees_in_model(&l), OWNERS - 1);
    assert_int_equal(count_said(&l, "coordinator: a packet of owner-3 was refused: more than 200 a minute"),
                     1);
    assert_true(hr_party_refused(l.parties[0].party)[HR_REFUSAL_QUOTA] >= QUOTA);
    assert_true(l.event_log->refused >= QUOTA);
    harness_close(&l);
}

static void test_quota__is_renewed(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.quota = QUOTA;
    harness_start(&l);
    send_acks(&l, 3, 0, 2 * QUOTA);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(check_end(&l), 0);
    assert_int_not_equal(count_said(&l, "more packets of owner-3 were refused in the last minute"), 0);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flood__of_strangers_does_not_stop_work),
        cmocka_unit_test(test_flood__of_strangers_does_not_stop_deadlines),
        cmocka_unit_test(test_flood__is_logged_as_a_number),
        cmocka_unit_test(test_quota__of_a_member_delays_nobody_else),
        cmocka_unit_test(test_quota__is_renewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
