/* What `hedgerow status` finds in the journals of parties: the round, who is awaited, who was left out, the
 * connection. */
#include "federation/federated/federated_method.h"
#include "federation/party/party_core.h"
#include "privacy/ledger/journal_status.h"
#include "support/party_harness.h"

enum { DEADLINE = 60 * 1000, DATE = 1000000000 };

typedef struct seen {
    hr_journal_view view;
    hr_journal_progress progress;
    char unit[16], awaited[64], left_out[64];
    size_t jobs;
} seen;

static hr_status see_view(void *user, const hr_journal_view *view) {
    ((seen *)user)->view = *view;
    return HR_OK;
}

static void append(char *text, size_t size, const char *word) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s ", word);
}

static hr_status see_job(void *user, const hr_journal_item *item, const hr_journal_progress *progress) {
    seen *s = user;
    (void)item;
    s->jobs++;
    s->progress = *progress;
    snprintf(s->unit, sizeof s->unit, "%s", progress->unit);
    for (size_t i = 0; i < progress->part_count; i++) {
        const hr_journal_part *p = &progress->parts[i];
        if (p->awaited) append(s->awaited, sizeof s->awaited, p->member);
        if (p->skipped || (strcmp(p->part, "takes part") != 0 && strcmp(p->part, "accepted") != 0))
            append(s->left_out, sizeof s->left_out, p->member);
    }
    return HR_OK;
}

static seen look(const harness_party *p) {
    seen found = {0};
    hr_error err = {0};
    const hr_journal_viewer viewer = {see_view, see_job, &found};
    if (hr_journal_look(p->path, &viewer, &err)) fail_msg("%s", err.message);
    return found;
}

/* All that can be done, and a second more, in which what was left out is noted. */
static void settle(harness *l) {
    for (int quiet = 0; quiet < 3;) {
        quiet = harness_step(l) ? 0 : quiet + 1;
        if (quiet) l->now += 500;
    }
}

static void open_job(harness *l, hr_job_file job) {
    harness_open(l, job);
    l->deadline = DEADLINE;
    l->date = DATE;
    harness_start(l);
}

static void open_chain(harness *l, size_t rounds) {
    open_job(l, harness_job(rounds, HR_ORDER_CHAIN, false));
}

/* In every protocol. */
static void test_offer__is_awaited_from_those_who_do_not_answer(void **state) {
    (void)state;
    const hr_job_file jobs[] = {harness_job(1, HR_ORDER_CHAIN, false), harness_hedge_job(),
                                harness_job_of_averages()};
    for (size_t i = 0; i < COUNT(jobs); i++) {
        harness l;
        open_job(&l, jobs[i]);
        party_stop(&l.parties[2]);
        settle(&l);
        const seen found = look(&l.parties[0]);
        assert_true(found.view.running);
        assert_int_equal(found.jobs, 1);
        assert_string_equal(found.awaited, "owner-2 ");
        assert_string_equal(found.left_out, "owner-2 ");
        assert_int_equal(found.progress.round, 0);
        assert_true(found.progress.until >= l.date + DEADLINE / 1000 - 10 &&
                    found.progress.until <= l.date + DEADLINE / 1000);
        harness_close(&l);
    }
}

/* Of those that train at the same time, the one that has sent nothing. */
static void test_model__of_an_average_is_awaited(void **state) {
    (void)state;
    harness l;
    open_job(&l, harness_job_of_averages());
    while (!strstr(l.said, "3 of 3 owners take part")) harness_step(&l);
    party_stop(&l.parties[2]);
    settle(&l);
    const seen found = look(&l.parties[0]);
    assert_string_equal(found.awaited, "owner-2 ");
    assert_string_equal(found.left_out, "");
    harness_close(&l);
}

/* The second of three is away when its turn comes in the first of two rounds, and later again. */
static void test_turn__of_one_owner_is_awaited(void **state) {
    (void)state;
    harness l;
    open_chain(&l, 2);
    while (!strstr(l.said, "3 of 3 owners take part")) harness_step(&l);
    party_stop(&l.parties[2]);
    settle(&l);
    seen found = look(&l.parties[0]);
    assert_string_equal(found.awaited, "owner-2 ");
    assert_string_equal(found.left_out, "");
    assert_string_equal(found.unit, "slot");
    assert_int_equal(found.progress.round, 1);
    assert_int_equal(found.progress.rounds, 2);
    assert_int_equal(found.progress.step, 2);
    found = look(&l.parties[1]);
    assert_int_equal(found.progress.round, 1);
    assert_int_equal(found.progress.part_count, 0);
    assert_int_equal(found.progress.until, 0);
    for (int i = 0; i < 2; i++) {
        l.now += DEADLINE;
        settle(&l);
    }
    found = look(&l.parties[0]);
    assert_int_equal(found.progress.round, 2);
    assert_string_equal(found.left_out, "owner-2 ");
    harness_close(&l);
}

static void test_method__without_rounds_tells_slots(void **state) {
    (void)state;
    harness l;
    open_chain(&l, 2);
    while (!l.parties[0].party->job_count) harness_step(&l);
    hr_live_job *job = l.parties[0].party->jobs[0];
    hr_federated_method without = *job->method;
    without.round = NULL;
    job->method = &without;
    while (!strstr(l.said, "3 of 3 owners take part")) harness_step(&l);
    party_stop(&l.parties[2]);
    settle(&l);
    const seen found = look(&l.parties[0]);
    assert_string_equal(found.unit, "slot");
    assert_int_equal(found.progress.round, 0);
    assert_string_equal(found.awaited, "owner-2 ");
    party_stop(&l.parties[0]);
    harness_close(&l);
}

/* ---- The connection ---- */

static hr_link_info now_linked;

static void tell_linked(const hr_transport *self, hr_link_info *out) {
    (void)self;
    *out = now_linked;
}

/* Lost and restored, it is logged once each; the last contact stays known. */
static void test_connection__is_noted_when_it_changes(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.date = DATE;
    party_start(&l.parties[1]);
    now_linked = (hr_link_info){true, 0};
    l.parties[1].watched.transport.link = tell_linked;
    settle(&l);
    assert_true(look(&l.parties[1]).view.run.connected);
    const int64_t contact = look(&l.parties[1]).view.run.contact;
    assert_true(contact > 0);
    now_linked.connected = false;
    l.date += 100;
    settle(&l);
    assert_false(look(&l.parties[1]).view.run.connected);
    assert_int_equal(look(&l.parties[1]).view.run.contact, contact);
    assert_int_equal(look(&l.parties[1]).view.run.seen, contact + 100);
    now_linked = (hr_link_info){true, 1};
    settle(&l);
    assert_true(look(&l.parties[1]).view.run.connected);
    assert_int_equal(look(&l.parties[1]).view.run.reconnects, 1);
    assert_string_equal(l.said, "owner-1: the connection to the broker is lost; it is dialled again\n"
                                "owner-1: the connection to the broker is back\n");
    harness_close(&l);
}

/* A party that has nothing to do says every 15 seconds that it lives. */
static void test_party__says_that_it_lives(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.date = DATE;
    party_start(&l.parties[1]);
    settle(&l);
    const int64_t seen_first = look(&l.parties[1]).view.run.seen;
    assert_int_equal(look(&l.parties[1]).view.run.process, getpid());
    l.date += 15;
    l.now += 10 * 1000;
    party_step(&l.parties[1]);
    assert_int_equal(look(&l.parties[1]).view.run.seen, seen_first);
    l.now += 5 * 1000;
    party_step(&l.parties[1]);
    assert_int_equal(look(&l.parties[1]).view.run.seen, seen_first + 15);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offer__is_awaited_from_those_who_do_not_answer),
        cmocka_unit_test(test_model__of_an_average_is_awaited),
        cmocka_unit_test(test_turn__of_one_owner_is_awaited),
        cmocka_unit_test(test_method__without_rounds_tells_slots),
        cmocka_unit_test(test_connection__is_noted_when_it_changes),
        cmocka_unit_test(test_party__says_that_it_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
