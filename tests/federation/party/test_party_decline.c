/* An owner that cannot take part says so at once, and the job goes on with the others or ends: no time passes
 * in these tests, so nothing waits for a deadline or for packets to be sent again. */
#include "support/party_harness.h"

#include "federation/party/party_core.h"

#include <sqlite3.h>

enum { CROWD = 500 };

static harness l;

static void open_job(void) {
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.job.in = (hr_federation_id){2, "0000 1111"};
}

/* All who live do what they can; no time passes. */
static void run_at_once(void) {
    while (harness_step(&l)) continue;
}

static size_t count_of(const char *words) {
    size_t count = 0;
    for (const char *at = l.said; (at = strstr(at, words)); at++) count++;
    return count;
}

static void check_said(const char *words) {
    if (count_of(words) != 1) fail_msg("%zu times \"%s\" in:\n%s", count_of(words), words, l.said);
}

/* The first owner declines, and nobody is called a violator. */
static void check_goes_on_without_the_first(const char *words) {
    char line[300];
    snprintf(line, sizeof line, "coordinator: owner owner-1 declines: %s", words);
    check_said(line);
    assert_int_equal(count_of("cut off"), 0);
    assert_int_equal(count_of("violat"), 0);
    assert_int_equal(trees_in_model(&l), OWNERS - 1);
    assert_int_equal(hr_party_jobs(l.parties[0].party), 0);
    bool owes = true; /* packets to who takes no part are not kept, so that the process can end */
    assert_int_equal(hr_party_owes(l.parties[0].party, &owes, NULL), HR_OK);
    assert_false(owes);
    for (size_t i = 1; i <= OWNERS; i++)
        if (l.parties[i].party)
            check_query(&l.parties[i], "SELECT count(*) FROM entries", i == 1 ? "0" : "1");
}

static void send_raw(size_t to, const hr_bytes *packet) {
    hr_transport *end = NULL;
    assert_int_equal(hr_loopback_open(l.loopback, "elsewhere", &end, NULL), HR_OK);
    assert_int_equal(end->send(end, l.parties[to].name, packet->at, packet->size, NULL), HR_OK);
    end->close(end);
}

/* ---- Federation files ---- */

static void run_with_federation(size_t version, const char *fingerprint) {
    open_job();
    l.federations[1] = (hr_federation_id){version, fingerprint};
    harness_start(&l);
    run_at_once();
}

static void test_owner__with_an_older_federation_file_declines_at_once(void **state) {
    (void)state;
    run_with_federation(1, "0000 1111");
    check_goes_on_without_the_first("this owner's federation file is version 1, the coordinator's version 2");
    harness_close(&l);
}

static void test_owner__tells_a_coordinator_that_is_behind(void **state) {
    (void)state;
    run_with_federation(3, "0000 1111");
    check_goes_on_without_the_first("the coordinator's federation file is version 2, this owner's version 3");
    harness_close(&l);
}

static void test_owner__with_another_file_of_the_version_declines_at_once(void **state) {
    (void)state;
    run_with_federation(2, "0000 1112");
    check_goes_on_without_the_first("two federation files have version 2: compare");
    harness_close(&l);
    run_with_federation(2, "0000 1111");
    assert_int_equal(trees_in_model(&l), OWNERS);
    harness_close(&l);
}

/* Its file is from before the third owner. */
static void test_owner__that_does_not_know_a_member_declines_at_once(void **state) {
    (void)state;
    static hr_membership stale;
    open_job();
    stale = (hr_membership){"test", l.members, PARTIES - 1};
    l.parties[1].view.membership = &stale;
    harness_start(&l);
    run_at_once();
    check_goes_on_without_the_first("this owner's federation file does not list the owner 'owner-3'; the "
                                    "coordinator's is version 2");
    harness_close(&l);
}

/* The coordinator's packet is opened by its key, which is no member's, or not of that name. */
static void test_owner__that_does_not_know_the_coordinator_declines_at_once(void **state) {
    (void)state;
    static hr_member members[PARTIES];
    static hr_membership stale;
    for (int renamed = 0; renamed < 2; renamed++) {
        open_job();
        hr_identity *other = NULL;
        assert_int_equal(hr_identity_make(&other, NULL), HR_OK);
        memcpy(members, l.members, sizeof members);
        members[0].key = hr_identity_public(other);
        if (renamed) members[0].name = "former";
        stale = (hr_membership){"test", members, PARTIES};
        l.parties[1].view.membership = &stale;
        harness_start(&l);
        run_at_once();
        check_goes_on_without_the_first(
            renamed ? "this owner's federation file does not list the member 'coordinator'"
                    : "this owner's federation file lists another key of the member");
        hr_identity_free(other);
        harness_close(&l);
    }
}

/* ---- Policies and journals ---- */

static void test_owner__that_serves_others_declines_at_once(void **state) {
    (void)state;
    open_job();
    l.serves_nobody[1] = true;
    harness_start(&l);
    run_at_once();
    check_goes_on_without_the_first("coordinators: the owner's policy does not list the sender");
    harness_close(&l);
}

/* Its ledger was made anew in the middle of the job. */
static void test_owner__without_its_journal_declines_at_once(void **state) {
    (void)state;
    open_job();
    harness_start(&l);
    party_stop(&l.parties[2]);
    while (!strstr(l.said, "owner-1: takes part")) assert_true(harness_step(&l));
    run_at_once();
    party_stop(&l.parties[1]);
    assert_int_equal(unlink(l.parties[1].path), 0);
    assert_int_equal(hr_ledger_create(l.parties[1].path, LIMIT, 0, NULL), HR_OK);
    party_start(&l.parties[1]);
    party_start(&l.parties[2]);
    run_at_once();
    check_said("coordinator: owner owner-1 declines: this owner's journal does not know the job any more");
    assert_int_equal(trees_in_model(&l), OWNERS - 1);
    check_query(&l.parties[1], "SELECT count(*) FROM entries", "0");
    harness_close(&l);
}

/* It took part, and its ledger takes no entry when its turn comes. */
static void test_owner__with_a_damaged_ledger_declines_when_its_work_begins(void **state) {
    (void)state;
    open_job();
    harness_start(&l);
    while (!strstr(l.said, "owner-1: takes part")) assert_true(harness_step(&l));
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(l.parties[1].path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "CREATE TRIGGER damage BEFORE INSERT ON entries BEGIN SELECT raise(ABORT, "
                                  "'damage'); END",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    run_at_once();
    check_goes_on_without_the_first("failed: its ledger or journal is damaged");
    check_said("owner-1: work cannot begin: the ledger is damaged: damage");
    assert_int_equal(count_of("no answer is given"), 0);
    harness_close(&l);
}

static void test_coordinator__ends_at_once_when_all_decline(void **state) {
    (void)state;
    open_job();
    for (size_t i = 1; i <= OWNERS; i++) l.federations[i] = (hr_federation_id){1, NULL};
    harness_start(&l);
    run_at_once();
    assert_int_equal(hr_party_jobs(l.parties[0].party), 0);
    assert_int_equal(count_of("declines: this owner's federation file is version 1"), OWNERS);
    assert_string_equal(l.parties[0].as.coordinator.state, "declined: no owner takes part");
    assert_true(harness_is_idle(&l));
    harness_close(&l);
}

/* ---- Another version of the protocol ---- */

/* An envelope of version 4 from the coordinator, with fields that this program does not know. */
static hr_bytes later_envelope(uint8_t job) {
    Hedgerow__Envelope e = HEDGEROW__ENVELOPE__INIT;
    const uint8_t id[HR_JOB_BYTES] = {job, 1};
    hr_bytes plain = {0}, out = {0};
    e.version = 5;
    e.federation = hr_text_of("test");
    e.job = hr_data_of(id, sizeof id);
    e.from = hr_text_of("coordinator");
    e.to = hr_text_of("owner-1");
    e.sequence = 1;
    e.body = hr_text_of("\xff");
    assert_int_equal(hr_message_pack(&e.base, &plain, NULL), HR_OK);
    uint8_t *longer = realloc(plain.at, plain.size + 3);
    assert_non_null(longer);
    memcpy(longer + plain.size, "\xfa\x06", 3);
    assert_int_equal(hr_seal(l.parties[0].identity, &l.members[1].key, longer, plain.size + 3, &out.at, NULL),
                     HR_OK);
    out.size = plain.size + 3 + HR_SEAL_OVERHEAD;
    free(longer);
    return out;
}

/* The packets that wait for the coordinator are declines of one kind. Returns how many. */
static size_t read_declines(hr_decline_code code) {
    hr_transport *end = NULL;
    hr_packet packet = {0};
    size_t count = 0;
    assert_int_equal(hr_loopback_open(l.loopback, "coordinator", &end, NULL), HR_OK);
    for (;; count++) {
        hr_envelope out;
        ProtobufCMessage *read = NULL;
        assert_int_equal(end->receive(end, 0, &packet, NULL), HR_OK);
        if (!packet.bytes) break;
        assert_int_equal(hr_envelope_open(&l.parties[0].view, packet.bytes, packet.size, &out, NULL), HR_OK);
        assert_true(out.declines && out.from == 1);
        assert_int_equal(
            hr_message_unpack(&hedgerow__message__descriptor, out.body.at, out.body.size, &read, NULL),
            HR_OK);
        assert_int_equal(((Hedgerow__Message *)read)->answer->decline->code, code);
        hr_message_unpacked_free(read);
        free(out.body.at);
        end->settle(end, &packet);
    }
    end->close(end);
    return count;
}

/* Each is answered, up to a number in a minute: nobody can make an owner send without end. */
static void test_owner__answers_offers_of_another_version(void **state) {
    (void)state;
    open_job();
    party_start(&l.parties[1]);
    for (int i = 1; i <= CROWD; i++) {
        hr_bytes packet = later_envelope((uint8_t)i);
        send_raw(1, &packet);
        free(packet.at);
        run_at_once();
        if (i == 1) assert_int_equal(read_declines(HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION), 1);
    }
    assert_int_equal(read_declines(HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION), HR_QUOTA_DECLINES - 1);
    check_query(&l.parties[1], "SELECT count(*) FROM jobs", "0");
    assert_int_equal(count_of("coordinator speaks version 5 of the protocol, this program version 4"), 1);
    harness_close(&l);
}

/* What an owner of another version sends, again and again, as it does when packets come again. */
static void send_decline_of_first(const char *why) {
    hr_envelope_sender sender = {
        .key = l.members[0].key, .name = "coordinator", .code = HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION};
    hr_bytes packet = {0};
    assert_true(l.parties[0].party->job_count == 1);
    memcpy(sender.job.bytes, l.parties[0].party->jobs[0]->record.id, HR_JOB_BYTES);
    snprintf(sender.why, sizeof sender.why, "%s", why);
    assert_int_equal(hr_envelope_decline(&l.parties[1].view, &sender, &packet, NULL), HR_OK);
    for (int i = 0; i < 20; i++) send_raw(0, &packet);
    free(packet.at);
}

/* Also if the coordinator dies after it has read the first of them. */
static void test_coordinator__goes_on_without_an_owner_of_another_version(void **state) {
    (void)state;
    for (int dies = 0; dies < 2; dies++) {
        open_job();
        for (size_t i = 2; i <= OWNERS; i++) party_start(&l.parties[i]);
        party_restart(&l.parties[0]);
        send_decline_of_first("this owner's program speaks version 4 of the protocol");
        assert_true(party_step(&l.parties[0]));
        if (dies) party_restart(&l.parties[0]);
        run_at_once();
        check_goes_on_without_the_first("this owner's program speaks version 4 of the protocol");
        check_query(&l.parties[0], "SELECT count(*) FROM packets", "0");
        harness_close(&l);
    }
}

/* A decline in another's name, or with a text that cannot be shown, ends its own sender's part at most. */
static void test_coordinator__takes_no_decline_for_another_owner(void **state) {
    (void)state;
    open_job();
    for (size_t i = 2; i <= OWNERS; i++) party_start(&l.parties[i]);
    party_restart(&l.parties[0]);
    /* The third owner seals the first one's decline as its own. */
    Hedgerow__Envelope e = HEDGEROW__ENVELOPE__INIT;
    hr_decline decline;
    hr_job_id job;
    hr_bytes plain = {0}, packet = {0};
    memcpy(job.bytes, l.parties[0].party->jobs[0]->record.id, HR_JOB_BYTES);
    hr_decline_make(l.parties[1].identity, &job, &l.members[0].key, HEDGEROW__DECLINE__CODE__POLICY, "no",
                    &decline);
    e.version = HR_PROTOCOL_VERSION;
    e.federation = hr_text_of("test");
    e.job = hr_data_of(job.bytes, sizeof job.bytes);
    e.to = hr_text_of("coordinator");
    e.decline = &decline.wire;
    for (int named = 0; named < 2; named++) {
        e.from = hr_text_of(named ? "owner-3" : "owner-1");
        assert_int_equal(hr_message_pack(&e.base, &plain, NULL), HR_OK);
        assert_int_equal(
            hr_seal(l.parties[3].identity, &l.members[0].key, plain.at, plain.size, &packet.at, NULL), HR_OK);
        packet.size = plain.size + HR_SEAL_OVERHEAD;
        send_raw(0, &packet);
        free(packet.at);
        free(plain.at);
    }
    for (int i = 0; i < 2; i++) party_step(&l.parties[0]);
    party_start(&l.parties[1]);
    run_at_once();
    check_said("coordinator: owner-3 is cut off: a decline of this job that owner-3 did not sign");
    assert_int_equal(count_of("declines"), 0);
    assert_int_equal(trees_in_model(&l), OWNERS - 1);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner__with_an_older_federation_file_declines_at_once),
        cmocka_unit_test(test_owner__tells_a_coordinator_that_is_behind),
        cmocka_unit_test(test_owner__with_another_file_of_the_version_declines_at_once),
        cmocka_unit_test(test_owner__that_does_not_know_a_member_declines_at_once),
        cmocka_unit_test(test_owner__that_does_not_know_the_coordinator_declines_at_once),
        cmocka_unit_test(test_owner__that_serves_others_declines_at_once),
        cmocka_unit_test(test_owner__without_its_journal_declines_at_once),
        cmocka_unit_test(test_owner__with_a_damaged_ledger_declines_when_its_work_begins),
        cmocka_unit_test(test_coordinator__ends_at_once_when_all_decline),
        cmocka_unit_test(test_owner__answers_offers_of_another_version),
        cmocka_unit_test(test_coordinator__goes_on_without_an_owner_of_another_version),
        cmocka_unit_test(test_coordinator__takes_no_decline_for_another_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
