/* A coordinator without its journal learns from owners what they hold of it, and ends jobs there; whoever is
 * not the coordinator of a job learns nothing of it, and ends nothing. */
#include "support/party_harness.h"

#include "base/text/text.h"
#include "federation/party/party_core.h"
#include "federation/party/reconciliation.h"
#include "federation/protocol/inquiry.h"

enum { DATE = 1000000000, STEPS = 2000 };

static harness l;
static const hr_job_id inquiry = {{7, 7, 7}};
static const char of_owner[] = "SELECT count(*) FROM jobs WHERE NOT over";

static void open_jobs(hr_approval approve) {
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.date = DATE;
    l.policy.limits.approve = approve;
    l.coordinators[3] = true;
    harness_start(&l);
}

/* All owners have it, and nobody decides. */
static void offer_job(void) {
    open_jobs(HR_APPROVAL_MANUAL);
    while (harness_step(&l)) continue;
    for (size_t i = 1; i <= OWNERS; i++) check_query(&l.parties[i], of_owner, "1");
    party_stop(&l.parties[0]);
}

static void lose_journal(void) {
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[PATH_ROOM + 8];
    party_stop(&l.parties[0]);
    for (size_t i = 0; i < COUNT(ends); i++) {
        snprintf(path, sizeof path, "%s%s", l.parties[0].path, ends[i]);
        unlink(path);
    }
}

static const char *id_of_job(void) {
    return query_database(l.parties[1].path, "SELECT lower(hex(id)) FROM jobs");
}

/* ---- Packets ---- */

static void send_sealed(size_t to, const hr_bytes *packet) {
    hr_transport *end = NULL;
    assert_int_equal(hr_loopback_open(l.loopback, "elsewhere", &end, NULL), HR_OK);
    assert_int_equal(end->send(end, l.parties[to].name, packet->at, packet->size, NULL), HR_OK);
    end->close(end);
}

static void send_aside(size_t from, size_t to, const hr_bytes *body) {
    const hr_envelope envelope = {.to = to, .job = inquiry, .aside = true, .body = *body};
    hr_bytes packet = {0};
    assert_int_equal(hr_envelope_seal(&l.parties[from].view, &envelope, &packet, NULL), HR_OK);
    send_sealed(to, &packet);
    free(packet.at);
}

static void send_inquiry(size_t from, size_t to, int64_t date) {
    hr_bytes body = {0};
    assert_int_equal(hr_inquiry_make(date, &body, NULL), HR_OK);
    send_aside(from, to, &body);
    free(body.at);
    while (party_step(&l.parties[to])) continue;
}

/* What waits for a member; *held is of the last answer. Returns how many answers there are. */
static size_t read_answers(size_t member, hr_held_jobs *held) {
    hr_transport *end = NULL;
    hr_packet packet = {0};
    size_t count = 0;
    assert_int_equal(hr_loopback_open(l.loopback, l.parties[member].name, &end, NULL), HR_OK);
    for (;;) {
        hr_envelope out;
        assert_int_equal(end->receive(end, 0, &packet, NULL), HR_OK);
        if (!packet.bytes) break;
        if (!hr_envelope_open(&l.parties[member].view, packet.bytes, packet.size, &out, NULL)) {
            count += out.aside;
            if (out.aside) assert_memory_equal(out.job.bytes, inquiry.bytes, HR_JOB_BYTES);
            if (out.aside) assert_int_equal(hr_held_jobs_read(&out.body, held, NULL), HR_OK);
            free(out.body.at);
        }
        end->settle(end, &packet);
    }
    end->close(end);
    return count;
}

/* What the signer says of a job of the first owner's, sealed by a member. */
static void send_decline(size_t sealer, size_t signer, hr_decline_code code) {
    Hedgerow__Envelope e = HEDGEROW__ENVELOPE__INIT;
    hr_decline decline;
    hr_job_id job;
    hr_bytes plain = {0}, packet = {0};
    memcpy(job.bytes, l.parties[1].party->jobs[0]->record.id, HR_JOB_BYTES);
    hr_decline_make(l.parties[signer].identity, &job, &l.members[1].key, code, "lost", &decline);
    e.version = HR_PROTOCOL_VERSION;
    e.federation = hr_text_of("test");
    e.job = hr_data_of(job.bytes, sizeof job.bytes);
    e.from = hr_text_of(l.parties[sealer].name);
    e.to = hr_text_of("owner-1");
    e.decline = &decline.wire;
    assert_int_equal(hr_message_pack(&e.base, &plain, NULL), HR_OK);
    assert_int_equal(
        hr_seal(l.parties[sealer].identity, &l.members[1].key, plain.at, plain.size, &packet.at, NULL),
        HR_OK);
    packet.size = plain.size + HR_SEAL_OVERHEAD;
    send_sealed(1, &packet);
    free(packet.at);
    free(plain.at);
    while (party_step(&l.parties[1])) continue;
}

/* ---- The whole ---- */

/* Returns it when it is complete, or after so many steps. The journal stays open until close_coordinator. */
static hr_reconciliation *reconcile(const char *const *ends, size_t end_count) {
    static const bool asks[PARTIES] = {true, true, true, true};
    harness_party *p = &l.parties[0];
    hr_transport *end = NULL;
    hr_reconciliation *made = NULL;
    assert_int_equal(hr_journal_open(p->path, &p->journal, NULL), HR_OK);
    assert_int_equal(hr_loopback_open(l.loopback, p->name, &end, NULL), HR_OK);
    const hr_reconciliation_options options = {&p->view, p->journal, end, asks, ends, end_count};
    assert_int_equal(hr_reconciliation_open(&options, &made, NULL), HR_OK);
    for (int i = 0; i < STEPS && !hr_reconciliation_complete(made); i++) {
        assert_int_equal(hr_reconciliation_step(made, (hr_clock){l.now, l.date}, 0, NULL), HR_OK);
        for (size_t o = 1; o <= OWNERS; o++)
            if (l.parties[o].party) party_step(&l.parties[o]);
        l.now += 10;
    }
    end->close(end);
    hr_journal_close(p->journal);
    p->journal = NULL;
    return made;
}

static void test_reconciliation__lists_what_the_journal_lost_and_ends_it(void **state) {
    (void)state;
    open_jobs(HR_APPROVAL_AUTOMATIC);
    while (strcmp(query_database(l.parties[1].path, "SELECT count(*) FROM entries"), "1")) harness_step(&l);
    lose_journal();
    char id[HR_JOB_DIGITS + 1];
    snprintf(id, sizeof id, "%s", id_of_job());
    hr_reconciliation *r = reconcile(NULL, 0);
    assert_true(hr_reconciliation_complete(r));
    for (size_t i = 1; i <= OWNERS; i++) {
        char text[HR_JOB_DIGITS + 1];
        const hr_asked_owner *owner = hr_reconciliation_of(r, i);
        assert_true(owner->answered && owner->held.count == 1);
        hr_text_hex(owner->held.jobs[0].id.bytes, HR_JOB_BYTES, text);
        assert_string_equal(text, id);
        assert_string_equal(owner->held.jobs[0].name, "job");
        assert_int_equal(owner->held.jobs[0].date, DATE);
        if (i == 1) assert_true(owner->held.jobs[0].charged);
        assert_false(owner->ended[0]);
        check_query(&l.parties[i], of_owner, "1");
    }
    hr_reconciliation_close(r);
    const char *ends[] = {id};
    r = reconcile(ends, 1);
    assert_true(hr_reconciliation_complete(r));
    for (size_t i = 1; i <= OWNERS; i++) {
        assert_true(hr_reconciliation_of(r, i)->ended[0]);
        check_query(&l.parties[i], "SELECT state FROM notes",
                    "cancelled: by the coordinator, which does not know the job any more");
        check_query(&l.parties[i], of_owner, "0");
        check_query(&l.parties[i], "SELECT count(*) FROM packets WHERE receiver = 'coordinator'", "0");
    }
    check_query(&l.parties[1], "SELECT count(*) FROM entries WHERE state <> 'void'", "1");
    hr_reconciliation_close(r);
    harness_close(&l);
}

static void test_reconciliation__leaves_a_job_alone_that_the_journal_knows(void **state) {
    (void)state;
    offer_job();
    const char *ends[] = {id_of_job()};
    hr_reconciliation *r = reconcile(ends, 1);
    assert_true(hr_reconciliation_complete(r));
    for (size_t i = 1; i <= OWNERS; i++) {
        assert_true(hr_reconciliation_of(r, i)->answered);
        assert_int_equal(hr_reconciliation_of(r, i)->held.count, 0);
        check_query(&l.parties[i], of_owner, "1");
    }
    hr_reconciliation_close(r);
    harness_close(&l);
}

static void test_reconciliation__goes_on_for_an_owner_that_is_away(void **state) {
    (void)state;
    offer_job();
    lose_journal();
    party_stop(&l.parties[2]);
    hr_reconciliation *r = reconcile(NULL, 0);
    assert_false(hr_reconciliation_complete(r));
    for (size_t i = 1; i <= OWNERS; i++) assert_int_equal(hr_reconciliation_of(r, i)->answered, i != 2);
    hr_reconciliation_close(r);
    harness_close(&l);
}

/* ---- At an owner ---- */

/* A coordinator of the owner's learns of its own jobs alone; a member that is none learns nothing. */
static void test_inquiry__of_another_member_is_told_nothing(void **state) {
    (void)state;
    hr_held_jobs held = {.count = 0};
    offer_job();
    for (size_t i = 2; i <= OWNERS; i++) party_stop(&l.parties[i]);
    send_inquiry(3, 1, DATE);
    assert_int_equal(read_answers(3, &held), 1);
    assert_int_equal(held.count, 0);
    send_inquiry(2, 1, DATE);
    assert_int_equal(read_answers(2, &held), 0);
    send_inquiry(0, 1, DATE);
    assert_int_equal(read_answers(0, &held), 1);
    assert_int_equal(held.count, 1);
    assert_false(held.jobs[0].charged);
    harness_close(&l);
}

static void test_inquiry__that_is_old_or_ahead_is_not_answered(void **state) {
    (void)state;
    hr_held_jobs held;
    offer_job();
    read_answers(0, &held);
    for (int sign = -1; sign <= 1; sign += 2) {
        send_inquiry(0, 1, DATE + sign * (HR_INQUIRY_SECONDS + 1));
        assert_int_equal(read_answers(0, &held), 0);
        send_inquiry(0, 1, DATE + sign * HR_INQUIRY_SECONDS);
        assert_int_equal(read_answers(0, &held), 1);
    }
    harness_close(&l);
}

static void test_inquiry__is_answered_so_often_in_a_minute(void **state) {
    (void)state;
    hr_held_jobs held;
    size_t count = 0;
    offer_job();
    for (int i = 0; i < 2 * HR_QUOTA_DECLINES; i++) {
        send_inquiry(0, 1, DATE);
        count += read_answers(0, &held);
    }
    assert_int_equal(count, HR_QUOTA_DECLINES);
    l.now += HR_QUOTA_PERIOD;
    send_inquiry(0, 1, DATE);
    assert_int_equal(read_answers(0, &held), 1);
    harness_close(&l);
}

/* Neither bytes that are none, nor an answer that nobody asked for. */
static void test_inquiry__that_is_none_is_not_answered(void **state) {
    (void)state;
    hr_held_jobs held = {.count = 0};
    hr_bytes none = {(uint8_t *)"\xff\xff", 2}, answer = {0};
    offer_job();
    assert_int_equal(hr_held_jobs_make(&held, &answer, NULL), HR_OK);
    send_aside(0, 1, &none);
    send_aside(0, 1, &answer);
    while (party_step(&l.parties[1])) continue;
    assert_int_equal(read_answers(0, &held), 0);
    free(answer.at);
    harness_close(&l);
}

/* A coordinator's own party neither answers nor fails. */
static void test_inquiry__of_a_coordinator_is_not_answered(void **state) {
    (void)state;
    hr_held_jobs held;
    offer_job();
    party_stop(&l.parties[1]);
    party_start(&l.parties[0]);
    send_inquiry(1, 0, DATE);
    assert_int_equal(read_answers(1, &held), 0);
    harness_close(&l);
}

/* What the coordinator of the job signed, and nothing else, ends it. */
static void test_ending__is_the_coordinators_alone(void **state) {
    (void)state;
    const hr_decline_code lost = HEDGEROW__DECLINE__CODE__UNKNOWN_JOB;
    offer_job();
    send_decline(3, 3, lost);
    send_decline(2, 0, lost);
    send_decline(0, 3, lost);
    send_decline(0, 0, HEDGEROW__DECLINE__CODE__CANCELLED);
    check_query(&l.parties[1], of_owner, "1");
    send_decline(0, 0, lost);
    check_query(&l.parties[1], of_owner, "0");
    harness_close(&l);
}

/* ---- At the coordinator ---- */

/* An owner that lies harms its own list alone: an answer of another inquiry, or of a member that was not
 * asked, is none. */
static void test_answer__of_another_inquiry_is_not_taken(void **state) {
    (void)state;
    static const bool asks[PARTIES] = {false, true, false, false};
    hr_held_jobs held = {.count = 1};
    hr_bytes answer = {0};
    hr_transport *end = NULL;
    hr_reconciliation *r = NULL;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    harness_party *p = &l.parties[0];
    assert_int_equal(hr_held_jobs_make(&held, &answer, NULL), HR_OK);
    assert_int_equal(hr_journal_open(p->path, &p->journal, NULL), HR_OK);
    assert_int_equal(hr_loopback_open(l.loopback, p->name, &end, NULL), HR_OK);
    const hr_reconciliation_options options = {&p->view, p->journal, end, asks, NULL, 0};
    assert_int_equal(hr_reconciliation_open(&options, &r, NULL), HR_OK);
    send_aside(1, 0, &answer);
    send_aside(2, 0, &answer);
    for (int i = 0; i < 4; i++)
        assert_int_equal(hr_reconciliation_step(r, (hr_clock){l.now, DATE}, 0, NULL), HR_OK);
    assert_false(hr_reconciliation_of(r, 1)->answered || hr_reconciliation_of(r, 2)->answered);
    hr_reconciliation_close(r);
    end->close(end);
    free(answer.at);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reconciliation__lists_what_the_journal_lost_and_ends_it),
        cmocka_unit_test(test_reconciliation__leaves_a_job_alone_that_the_journal_knows),
        cmocka_unit_test(test_reconciliation__goes_on_for_an_owner_that_is_away),
        cmocka_unit_test(test_inquiry__of_another_member_is_told_nothing),
        cmocka_unit_test(test_inquiry__that_is_old_or_ahead_is_not_answered),
        cmocka_unit_test(test_inquiry__is_answered_so_often_in_a_minute),
        cmocka_unit_test(test_inquiry__that_is_none_is_not_answered),
        cmocka_unit_test(test_inquiry__of_a_coordinator_is_not_answered),
        cmocka_unit_test(test_ending__is_the_coordinators_alone),
        cmocka_unit_test(test_answer__of_another_inquiry_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
