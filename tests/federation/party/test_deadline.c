/* The coordinator's deadline, over the loopback and under the test's clock, in every protocol: an owner that
 * sends something every two seconds, but not what is awaited, does not put it off. */
#include "federation/party/party_core.h"
#include "support/silent_owner.h"

enum { DEADLINE = 60 * 1000, PAUSE = 2000, TALKER = 3 };

/* As a program that was changed would: past its machine. */
static void say(harness_party *p, Hedgerow__Message__KindCase kind, const void *content) {
    hr_party *party = p->party;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    hr_bytes bytes = {0};
    if (!party->job_count) return;
    message.kind_case = kind;
    message.notice = (Hedgerow__Notice *)content; /* a union of pointers */
    assert_int_equal(hr_message_pack(&message.base, &bytes, NULL), HR_OK);
    hr_status status = hr_party_begin(party, NULL);
    if (!status) status = hr_outbox_post(&party->outbox, party->jobs[0], 0, &bytes, NULL);
    assert_int_equal(hr_party_commit(party, status, NULL), HR_OK);
    free(bytes.at);
}

static void complain(harness_party *p) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.kind = HEDGEROW__NOTICE__KIND__REFUSED;
    notice.slot = SILENT - 1;
    say(p, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
}

static void say_nothing(harness_party *p) {
    (void)p;
}

static void decline(harness_party *p) {
    const hr_party *party = p->party;
    const hr_party_view *view = party->o.view;
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    hr_decline made;
    hr_job_id job;
    memcpy(job.bytes, party->jobs[0]->record.id, HR_JOB_BYTES);
    hr_decline_make(view->identity, &job, &view->membership->members[0].key, HEDGEROW__DECLINE__CODE__REFUSED,
                    "again", &made);
    answer.decline = &made.wire;
    say(p, HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
}

/* The milliseconds until the coordinator logs `text`, while the talker says something every two seconds. */
static int64_t time_until(harness *l, const char *text, void (*talk)(harness_party *p)) {
    const int64_t begun = l->now;
    harness_settle(l);
    while (!strstr(l->said, text) && l->now - begun < 4 * DEADLINE) {
        l->now += PAUSE;
        talk(&l->parties[TALKER]);
        harness_settle(l);
    }
    return l->now - begun;
}

static void test_deadline__of_an_answer_is_not_put_off(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    for (size_t i = 0; i < SILENT_ROWS; i++) {
        for (int talks = 0; talks < 2; talks++) {
            harness l;
            silent_row_open(&l, &rows[i], DEADLINE);
            while (!strstr(l.said, "3 of 3 owners take part")) harness_step(&l);
            party_stop(&l.parties[SILENT]);
            const int64_t time = time_until(&l, rows[i].without, talks ? complain : say_nothing);
            if (time > rows[i].deadlines * DEADLINE || (!talks && time < rows[i].deadlines * DEADLINE))
                fail_msg("row %zu: '%s' after %lld ms\n%s", i, rows[i].without, (long long)time, l.said);
            harness_close(&l);
        }
    }
}

/* The talker has accepted; the silent owner is not there. */
static void test_deadline__of_an_offer_is_not_put_off(void **state) {
    (void)state;
    silent_row rows[SILENT_ROWS];
    silent_rows(rows);
    for (size_t i = 0; i < SILENT_ROWS; i++) {
        for (int declines = 0; declines < 2; declines++) {
            harness l;
            silent_row_open(&l, &rows[i], DEADLINE);
            party_stop(&l.parties[SILENT]);
            const int64_t time = time_until(&l, "of 3 owners take part", declines ? decline : complain);
            if (time > DEADLINE)
                fail_msg("row %zu: the job starts after %lld ms\n%s", i, (long long)time, l.said);
            harness_close(&l);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadline__of_an_answer_is_not_put_off),
        cmocka_unit_test(test_deadline__of_an_offer_is_not_put_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
