/* A member with a valid key that fills what it can of a party's memory, disk and list of jobs. */
#include "support/party_harness.h"

#include "federation/party/party_core.h"
#include "privacy/ledger/offers.h"

static size_t count_said(const harness *l, const char *words) {
    size_t count = 0;
    for (const char *at = l->said; (at = strstr(at, words)); at++) count++;
    return count;
}

/* A piece of a message, or all of it, from one party to another. */
typedef struct piece {
    size_t from, to;
    uint8_t job[HR_JOB_BYTES];
    uint64_t sequence;
    bool more;
    hr_bytes body;
} piece;

static void send_piece(harness *l, const piece *p) {
    hr_envelope envelope = {.to = p->to, .sequence = p->sequence, .more = p->more, .body = p->body};
    hr_transport *end = NULL;
    hr_bytes packet = {0};
    memcpy(envelope.job.bytes, p->job, HR_JOB_BYTES);
    assert_int_equal(hr_loopback_open(l->loopback, "elsewhere", &end, NULL), HR_OK);
    assert_int_equal(hr_envelope_seal(&l->parties[p->from].view, &envelope, &packet, NULL), HR_OK);
    assert_int_equal(end->send(end, l->parties[p->to].name, packet.at, packet.size, NULL), HR_OK);
    end->close(end);
    free(packet.at);
}

static void read_all(harness_party *p) {
    while (party_step(p)) continue;
}

static uint8_t junk[HR_PIECE_MAX];

/* ---- Incomplete messages ---- */

static size_t buffered(const harness_party *p) {
    size_t size = 0;
    for (size_t i = 0; i < p->party->job_count; i++)
        for (size_t m = 0; m < PARTIES; m++) size += hr_reorder_buffer_size(&p->party->jobs[i]->inboxes[m]);
    return size;
}

static void test_offers__that_are_incomplete_lock_nobody_out(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.coordinators[3] = true;
    for (size_t i = 1; i < PARTIES; i++) party_start(&l.parties[i]);
    for (int job = 1; job <= 100; job++) send_piece(&l, &(piece){3, 1, {(uint8_t)job}, 1, true, {junk, 10}});
    read_all(&l.parties[1]);
    assert_int_equal(hr_party_jobs(l.parties[1].party), HR_PARTY_OFFERS_MAX);
    party_restart(&l.parties[0]);
    for (int i = 0; i < 20000 && !l.event_log->models; i++) harness_step(&l);
    assert_int_equal(trees_in_model(&l), OWNERS);
    harness_close(&l);
}

/* ---- Offers that nobody decides ---- */

enum { FLOOD = 600 };

static hr_bytes offer_of(const harness *l) {
    const char *names[OWNERS];
    hr_bytes terms = {0}, out = {0};
    ProtobufCMessage *read = NULL;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    for (size_t i = 0; i < OWNERS; i++) names[i] = l->parties[i + 1].name;
    const hr_names owners = {names, OWNERS};
    assert_int_equal(hr_terms_of(&l->job, "job", l->table.schema, &owners, &terms, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, terms.at, terms.size, &read, NULL),
                     HR_OK);
    message.kind_case = HEDGEROW__MESSAGE__KIND_TERMS;
    message.terms = (Hedgerow__Terms *)read;
    assert_int_equal(hr_message_pack(&message.base, &out, NULL), HR_OK);
    hr_message_unpacked_free(read);
    free(terms.at);
    return out;
}

static void open_for_flood(harness *l, hr_approval approve) {
    static const char *const coordinators[] = {"coordinator", "owner-3"};
    harness_open(l, harness_job(1, HR_ORDER_CHAIN, false));
    l->policy.coordinators = (hr_names){coordinators, 2};
    l->policy.limits.approve = approve;
    l->coordinators[3] = true;
    for (size_t i = 1; i < 3; i++) party_start(&l->parties[i]);
}

/* By the member that is called owner-3, to the first owner. */
static void flood_with_offers(harness *l) {
    hr_bytes offer = offer_of(l);
    for (int job = 1; job <= FLOOD; job++) {
        send_piece(l, &(piece){3, 1, {1, (uint8_t)(job >> 8), (uint8_t)job}, 1, false, offer});
        read_all(&l->parties[1]);
        assert_in_range(hr_party_jobs(l->parties[1].party), 0, HR_PARTY_JOBS_MAX + 1);
    }
    free(offer.at);
}

static void check_rows(const harness_party *p) {
    char sql[100], kept[16];
    static const char *const tables[] = {"jobs", "notes", "parties", "packets", "offers"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) <= %d FROM %s",
                 HR_PARTY_JOBS_MAX + HR_PARTY_UNPAID_MAX + 1, tables[i]);
        check_query(p, sql, "1");
    }
    snprintf(kept, sizeof kept, "%d", HR_PARTY_UNPAID_MAX);
    check_query(p, "SELECT count(*) FROM jobs WHERE over", kept);
}

/* The newest wait; the oldest are declined, and the sender is told. Another's offer is decided. */
static void test_offers__that_nobody_decides_are_bounded(void **state) {
    (void)state;
    harness l;
    char id[33];
    hr_ledger *ledger = NULL;
    open_for_flood(&l, HR_APPROVAL_MANUAL);
    party_restart(&l.parties[0]);
    while (harness_step(&l)) {
    }
    flood_with_offers(&l);
    check_rows(&l.parties[1]);
    check_query(&l.parties[1], "SELECT count(*) FROM jobs WHERE NOT over AND coordinator = 'owner-3'", "16");
    check_query(&l.parties[1], "SELECT over FROM jobs WHERE hex(id) LIKE '010258%'", "0");
    check_query(
        &l.parties[1],
        "SELECT count(*) > 0 FROM notes WHERE state = 'replaced: newer offers took its place, undecided'",
        "1");
    assert_non_null(
        strstr(l.said, "owner-1: the job ended: replaced: newer offers took its place, undecided"));
    snprintf(id, sizeof id, "%s",
             query_database(l.parties[1].path,
                            "SELECT lower(hex(job)) FROM offers WHERE coordinator = 'coordinator'"));
    assert_int_equal(hr_ledger_open(l.parties[1].path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_offers_decide(ledger, id, HR_OFFER_APPROVED, "", NULL), HR_OK);
    hr_ledger_close(ledger);
    l.now += 1000;
    read_all(&l.parties[1]);
    check_query(&l.parties[1], "SELECT state FROM offers WHERE coordinator = 'coordinator'", "1");
    party_restart(&l.parties[1]);
    assert_int_equal(hr_party_jobs(l.parties[1].party), HR_PARTY_JOBS_MAX + 1);
    harness_close(&l);
}

static void test_offers__that_are_declined_are_bounded(void **state) {
    (void)state;
    harness l;
    open_for_flood(&l, HR_APPROVAL_AUTOMATIC);
    l.policy.epsilon = EPSILON / 2;
    flood_with_offers(&l);
    check_rows(&l.parties[1]);
    check_query(&l.parties[1], "SELECT max(hex(id)) LIKE '010258%' FROM jobs", "1");
    harness_close(&l);
}

static hr_bytes finish_message(void) {
    hr_bytes out = {0};
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    message.kind_case = HEDGEROW__MESSAGE__KIND_FINISH;
    message.finish = &finish;
    assert_int_equal(hr_message_pack(&message.base, &out, NULL), HR_OK);
    return out;
}

/* Jobs that it accepted wait for their start as long as their coordinator likes: it has 16 of them at most.
 * What comes after them leaves nothing behind; another's job runs; and one that ends makes room. */
static void test_offers__beyond_sixteen_accepted_jobs_are_refused(void **state) {
    (void)state;
    static const char accepted[] = "SELECT count(*) FROM jobs WHERE NOT over AND coordinator = 'owner-3'";
    harness l;
    open_for_flood(&l, HR_APPROVAL_AUTOMATIC);
    flood_with_offers(&l);
    check_query(&l.parties[1], accepted, "16");
    check_query(&l.parties[1], "SELECT count(*) FROM jobs", "16");
    check_query(&l.parties[1], "SELECT hex(max(id)) LIKE '010010%' FROM jobs", "1");
    assert_int_equal(count_said(&l, "too many of its jobs are open for an offer"), 1);
    assert_int_equal(hr_party_refused(l.parties[1].party)[HR_REFUSAL_OFFER], FLOOD - HR_PARTY_JOBS_MAX);
    party_start(&l.parties[3]);
    party_restart(&l.parties[0]);
    for (int i = 0; i < 20000 && !l.event_log->models; i++) harness_step(&l);
    assert_int_equal(trees_in_model(&l), OWNERS);
    hr_bytes finish = finish_message(), offer = offer_of(&l);
    send_piece(&l, &(piece){3, 1, {1, 0, 16}, 2, false, finish});
    read_all(&l.parties[1]);
    check_query(&l.parties[1], accepted, "15");
    for (uint8_t job = 1; job <= 2; job++) send_piece(&l, &(piece){3, 1, {2, job}, 1, false, offer});
    read_all(&l.parties[1]);
    check_query(&l.parties[1], accepted, "16");
    free(finish.at);
    free(offer.at);
    harness_close(&l);
}

static void test_offers__are_shared_out_to_all_coordinators(void **state) {
    (void)state;
    for (size_t n = 1; n <= HR_MEMBERS_MAX; n++) {
        size_t share = hr_party_offer_share(n);
        assert_in_range(share, 1, HR_PARTY_JOBS_MAX);
        assert_in_range(n * share, 1, HR_PARTY_UNDECIDED_MAX);
    }
    assert_int_equal(hr_party_offer_share(2), HR_PARTY_JOBS_MAX);
}

/* Of the coordinator: four offers of nearly 8 MiB. */
static void test_pieces__of_a_member_take_a_bounded_share_of_memory(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    party_start(&l.parties[1]);
    for (uint64_t sequence = 1; sequence < 16; sequence++)
        for (int job = 1; job <= HR_PARTY_OFFERS_MAX; job++)
            send_piece(&l, &(piece){0, 1, {(uint8_t)job}, sequence, true, {junk, sizeof junk}});
    read_all(&l.parties[1]);
    assert_in_range(buffered(&l.parties[1]), 1, HR_PARTY_BUFFER_MAX);
    harness_close(&l);
}

/* ---- Messages ---- */

/* A decline with a text of nearly half a MiB. */
static hr_bytes large_answer(void) {
    hr_bytes out = {0};
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    Hedgerow__Decline decline = HEDGEROW__DECLINE__INIT;
    decline.text = hr_data_of(junk, sizeof junk - 100);
    answer.decline = &decline;
    message.kind_case = HEDGEROW__MESSAGE__KIND_ANSWER;
    message.answer = &answer;
    assert_int_equal(hr_message_pack(&message.base, &out, NULL), HR_OK);
    return out;
}

static hr_bytes decline_of(const harness *l, const hr_live_job *job) {
    hr_bytes out = {0};
    hr_decline decline;
    hr_job_id id;
    memcpy(id.bytes, job->record.id, HR_JOB_BYTES);
    hr_decline_make(l->parties[3].identity, &id, &l->members[0].key, HEDGEROW__DECLINE__CODE__CANCELLED,
                    "enough", &decline);
    assert_int_equal(hr_decline_answer(&decline.wire, &out, NULL), HR_OK);
    return out;
}

/* An owner that declines, and then again and again, with long reasons. */
static void test_messages__of_a_member_take_a_bounded_share_of_the_journal(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    party_start(&l.parties[0]);
    assert_int_equal(harness_submit(&l, NULL), HR_OK);
    hr_live_job *job = l.parties[0].party->jobs[0];
    hr_bytes first = decline_of(&l, job), body = large_answer();
    for (uint64_t sequence = 1; sequence <= 200; sequence++) {
        piece p = {3, 0, {0}, sequence, false, sequence == 1 ? first : body};
        memcpy(p.job, job->record.id, HR_JOB_BYTES);
        send_piece(&l, &p);
        read_all(&l.parties[0]);
    }
    free(body.at);
    free(first.at);
    check_query(&l.parties[0], "SELECT sum(length(bytes)) <= 2 * 8388608 FROM events", "1");
    assert_int_equal(count_said(&l, "coordinator: owner-3 sent more bytes than the job needs"), 0);
    check_query(&l.parties[0], "SELECT count(*) FROM events", "1");
    assert_int_equal(count_said(&l, "coordinator: owner owner-3 declines: enough"), 1);
    harness_close(&l);
}

/* ---- After the end ---- */

enum { DEADLINE = 5000, DAY = 86400, LIFETIME = 30 * DAY };

/* An owner that never returns: what it did not acknowledge is not kept for ever. */
static void test_jobs__that_are_over_leave_nothing_but_their_ledger_entry(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = DEADLINE;
    l.lifetime = LIFETIME;
    l.date = 1000000000;
    harness_start(&l);
    while (!l.event_log->trees[1].draws) assert_true(harness_step(&l));
    party_stop(&l.parties[2]);
    for (int i = 0; i < 20000 && !l.event_log->models; i++) {
        harness_step(&l);
        l.now += 10;
    }
    read_all(&l.parties[0]);
    check_query(&l.parties[0], "SELECT count(*) > 0 FROM packets", "1");
    check_query(&l.parties[0], "SELECT count(*) FROM jobs", "1");
    l.date += LIFETIME + 2 * DAY + 1;
    for (size_t i = 0; i < PARTIES; i++) {
        if (i == 2) continue;
        read_all(&l.parties[i]);
        check_query(&l.parties[i], "SELECT count(*) FROM jobs", "0");
        check_query(&l.parties[i], "SELECT count(*) FROM parties", "0");
        check_query(&l.parties[i], "SELECT count(*) FROM packets", "0");
    }
    check_query(&l.parties[1], "SELECT count(*) FROM entries", "1");
    harness_close(&l);
}

/* Each member starts without the one that was removed while a job was open. */
static void test_job__of_a_member_that_was_removed_is_ended(void **state) {
    (void)state;
    for (size_t removed = 0; removed < PARTIES; removed++) {
        harness l;
        harness_open(&l, harness_job(2, HR_ORDER_BROADCAST, false));
        harness_start(&l);
        while (!l.event_log->trees[OWNERS].draws) assert_true(harness_step(&l));
        for (size_t i = 0; i < PARTIES; i++) party_stop(&l.parties[i]);
        const char *name = l.members[removed].name;
        l.members[removed].name = "nobody";
        for (size_t i = 0; i < PARTIES; i++) {
            if (i == removed) continue;
            party_start(&l.parties[i]);
            read_all(&l.parties[i]);
            if (removed && i) continue; /* an owner may not have heard of it yet */
            assert_int_equal(hr_party_jobs(l.parties[i].party), 0);
            check_query(&l.parties[i], "SELECT count(*) FROM jobs WHERE NOT over", "0");
            assert_non_null(strstr(l.said, "is no longer in the federation file"));
        }
        l.members[removed].name = name;
        harness_close(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offers__that_are_incomplete_lock_nobody_out),
        cmocka_unit_test(test_offers__that_nobody_decides_are_bounded),
        cmocka_unit_test(test_offers__that_are_declined_are_bounded),
        cmocka_unit_test(test_offers__beyond_sixteen_accepted_jobs_are_refused),
        cmocka_unit_test(test_offers__are_shared_out_to_all_coordinators),
        cmocka_unit_test(test_pieces__of_a_member_take_a_bounded_share_of_memory),
        cmocka_unit_test(test_jobs__that_are_over_leave_nothing_but_their_ledger_entry),
        cmocka_unit_test(test_job__of_a_member_that_was_removed_is_ended),
        cmocka_unit_test(test_messages__of_a_member_take_a_bounded_share_of_the_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
