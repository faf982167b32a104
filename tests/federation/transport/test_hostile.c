/* What a member with a valid certificate can do to others by way of the broker. */
#include "federation/transport/broker_inboxes.h"
#include "support/nats_ends.h"

/* ---- What a member may say and hear ---- */

static const char *const foreign_subjects[] = {
    "fed.demo.carol.alice",
    "fed.demo.carol.bob.bob",
    "fed.other.carol.bob",
    "_INBOX_carol.x",
    "_INBOX.x",
    "else",
    "$JS.ACK.demo.carol.1.1.1.1.0",
    "$JS.API.INFO",
    "$JS.API.ACCOUNT.PURGE.broker",
    "$JS.API.CONSUMER.CREATE.demo",
    "$JS.API.CONSUMER.CREATE.demo.spy",
    "$JS.API.CONSUMER.CREATE.demo.spy.fed.demo.carol.*",
    "$JS.API.CONSUMER.DELETE.demo.bob",
    "$JS.API.CONSUMER.DELETE.demo.carol",
    "$JS.API.CONSUMER.DURABLE.CREATE.demo.bob",
    "$JS.API.CONSUMER.DURABLE.CREATE.demo.carol",
    "$JS.API.CONSUMER.INFO.demo.carol",
    "$JS.API.CONSUMER.LEADER.STEPDOWN.demo.carol",
    "$JS.API.CONSUMER.LIST.demo",
    "$JS.API.CONSUMER.MSG.NEXT.demo.carol",
    "$JS.API.CONSUMER.NAMES.demo",
    "$JS.API.DIRECT.GET.demo",
    "$JS.API.DIRECT.GET.demo.fed.demo.carol.alice",
    "$JS.API.META.LEADER.STEPDOWN",
    "$JS.API.SERVER.REMOVE",
    "$JS.API.STREAM.CREATE.demo",
    "$JS.API.STREAM.CREATE.more",
    "$JS.API.STREAM.DELETE.demo",
    "$JS.API.STREAM.INFO.demo",
    "$JS.API.STREAM.LEADER.STEPDOWN.demo",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.MSG.DELETE.demo",
    "$JS.API.STREAM.MSG.GET.demo",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.PEER.REMOVE.demo",
    "$JS.API.STREAM.PURGE.demo",
    "$JS.API.STREAM.RESTORE.demo",
    "$JS.API.STREAM.SNAPSHOT.demo",
    "$JS.API.STREAM.TEMPLATE.CREATE.more",
    "$JS.API.STREAM.UPDATE.demo",
    "$JS.FC.demo.carol.x",
    "$SYS.REQ.ACCOUNT.broker.CONNZ",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.USER.INFO",
    "hello.demo.carol",
    "hello.demo.nobody",
    "hello.other.bob",
    "hello.demo.bob.bob",
};

static void test_member__publishing_on_what_is_not_its_own__is_refused(void **state) {
    hr_transport *carol = open_as(*state, "carol");
    natsConnection *bob = connect_raw(*state, "bob");
    for (size_t i = 0; i < sizeof foreign_subjects / sizeof *foreign_subjects; i++) {
        assert_int_equal(natsConnection_PublishRequestString(bob, foreign_subjects[i], "_INBOX_bob.x", "{}"),
                         NATS_OK);
        expect_forbidden(bob, foreign_subjects[i]);
    }
    expect_nothing(carol);
    natsConnection_Destroy(bob);
    carol->close(carol);
}

static void test_member__listening_to_others__is_refused(void **state) {
    static const char *const subjects[] = {">",
                                           "*.>",
                                           "fed.>",
                                           "fed.demo.>",
                                           "fed.demo.carol.alice",
                                           "_INBOX.>",
                                           "_INBOX_carol.>",
                                           "_R_.>",
                                           "$JS.>",
                                           "$JS.API.>",
                                           "$JS.EVENT.>",
                                           "$JS.EVENT.ADVISORY.>",
                                           "$JS.ACK.>",
                                           "hello.>",
                                           "hello.*.*",
                                           "hello.other.bob",
                                           "$SYS.>",
                                           "$SYS.ACCOUNT.>"};
    hr_transport *alice = open_as(*state, "alice"), *carol = open_as(*state, "carol");
    natsConnection *bob = connect_raw(*state, "bob");
    natsSubscription *listening = NULL;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        assert_int_equal(natsConnection_SubscribeSync(&listening, bob, subjects[i]), NATS_OK);
        expect_forbidden(bob, subjects[i]);
        natsSubscription_Destroy(listening);
    }
    send_text(alice, "carol", "for carol alone");
    expect_text(carol, "for carol alone");
    natsConnection_Destroy(bob);
    alice->close(alice);
    carol->close(carol);
}

/* ---- Answers of the broker to somebody else's inbox ---- */

/* The broker answers in its own name, so that permissions to publish do not hold for answers. The packet that
 * the honest member sends afterwards follows every answer that was stored. */
static void test_reply__to_anothers_inbox__is_not_stored(void **state) {
    static const char *const requests[] = {"fed.demo.bob.bob", "fed.demo.nobody.bob",
                                           "$JS.API.CONSUMER.INFO.demo.bob",
                                           "$JS.API.CONSUMER.MSG.NEXT.demo.bob"};
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob"),
                 *carol = open_as(*state, "carol");
    natsConnection *hostile = connect_raw(*state, "bob");
    send_text(bob, "bob", "to be delivered to carol");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_int_equal(natsConnection_PublishRequestString(hostile, requests[i], "fed.demo.carol.alice",
                                                             "{\"batch\":1}"),
                         NATS_OK);
        assert_int_equal(natsConnection_FlushTimeout(hostile, LONG), NATS_OK);
        send_text(bob, "bob", "answered after all before");
        send_text(alice, "carol", "honest");
        expect_text(carol, "honest");
    }
    expect_nothing(carol);
    natsConnection_Destroy(hostile);
    for (hr_packet packet = {0}; packet = receive_within(bob, SHORT), packet.bytes;)
        bob->settle(bob, &packet);
    alice->close(alice);
    bob->close(bob);
    carol->close(carol);
}

/* ---- Packets of a hostile member ---- */

enum { SHARE = 64 /* packets */ };

/* What is too large or empty cannot have been sent by an honest member; it is not handed out, and does not
 * come again. */
static void test_receive__skips_what_can_be_no_packet(void **state) {
    hr_transport *bob = open_as(*state, "bob");
    natsConnection *alice = connect_raw(*state, "alice");
    char *large = calloc(1, HR_PACKET_MAX + 1);
    assert_non_null(large);
    assert_int_equal(natsConnection_Publish(alice, "fed.demo.bob.alice", large, HR_PACKET_MAX + 1), NATS_OK);
    assert_int_equal(natsConnection_Publish(alice, "fed.demo.bob.alice", NULL, 0), NATS_OK);
    assert_int_equal(natsConnection_FlushTimeout(alice, LONG), NATS_OK);
    expect_nothing(bob);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(natsConnection_PublishString(alice, "fed.demo.bob.alice", "small"), NATS_OK);
        expect_text(bob, "small");
        assert_int_equal(natsConnection_Publish(alice, "fed.demo.bob.alice", NULL, 0), NATS_OK);
    }
    expect_nothing(bob);
    free(large);
    natsConnection_Destroy(alice);
    bob->close(bob);
}

static void empty_inboxes(const server *s) {
    char paths[3][SERVER_PATH];
    const hr_nats_options admin = server_options(s, paths, HR_BROKER_ADMIN, HR_BROKER_ADMIN);
    static const char *const members[] = {"alice", "bob", "carol"};
    uint64_t packets = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(hr_broker_purge(&admin, members[i], NULL, &packets, NULL), HR_OK);
}

/* Until the broker refuses: how many packets of the largest size one member can store in an inbox. */
static int fill(jsCtx *jetstream, const char *to, const char *from) {
    static const char large[HR_PACKET_MAX];
    char subject[64];
    jsErrCode code = 0;
    natsStatus s = NATS_OK;
    int taken = -1;
    snprintf(subject, sizeof subject, "fed.demo.%s.%s", to, from);
    for (; s == NATS_OK && taken <= SHARE; taken++)
        s = js_Publish(NULL, jetstream, subject, large, sizeof large, NULL, &code);
    if (!code) fail_msg("%s stored %d packets and was not refused: %d", subject, taken, s);
    return taken;
}

/* Two of three members fill everything that they can; the third finds its whole share in every inbox. */
static void test_flood__fills_the_flooders_shares_alone(void **state) {
    static const char *const members[] = {"alice", "bob", "carol"};
    hr_error err = {0};
    const hr_broker_share share = hr_broker_share_of(3);
    hr_transport *honest = open_as(*state, "alice");
    uint8_t *large = calloc(1, HR_PACKET_MAX);
    assert_non_null(large);
    assert_int_equal(share.packets, SHARE);
    for (int i = 1; i < 3; i++) {
        jsCtx *jetstream = NULL;
        natsConnection *hostile = connect_raw(*state, members[i]);
        assert_int_equal(natsConnection_JetStream(&jetstream, hostile, NULL), NATS_OK);
        for (int j = 0; j < 3; j++) assert_int_equal(fill(jetstream, members[j], members[i]), SHARE);
        jsCtx_Destroy(jetstream);
        natsConnection_Destroy(hostile);
    }
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < SHARE; k++)
            if (honest->send(honest, members[j], large, HR_PACKET_MAX, &err) != HR_OK)
                fail_msg("packet %d to %s: %s", k, members[j], err.message);
        assert_int_equal(honest->send(honest, members[j], large, HR_PACKET_MAX, &err), HR_E_POLICY);
    }
    free(large);
    honest->close(honest);
    empty_inboxes(*state);
}

/* As bob, for whom refused packets wait so long. */
static hr_transport *open_refusing(const server *s, int milliseconds) {
    char paths[3][SERVER_PATH];
    hr_error err = {0};
    hr_transport *bob = NULL;
    hr_nats_options options = server_options(s, paths, "bob", "bob");
    options.refused_ms = milliseconds;
    if (hr_nats_open(&options, &bob, &err) != HR_OK) fail_msg("%s", err.message);
    return bob;
}

static void refuse_share(hr_transport *alice, hr_transport *bob) {
    for (int i = 0; i < SHARE; i++) {
        send_text(alice, "bob", "junk");
        hr_packet packet = receive_within(bob, LONG);
        assert_true(holds(&packet, "junk"));
        bob->refuse(bob, &packet);
        assert_null(packet.bytes);
    }
}

static void send_when_there_is_room(hr_transport *alice, hr_transport *bob) {
    const double deadline = server_clock() + SERVER_PATIENCE;
    while (alice->send(alice, "bob", "late", 4, NULL) != HR_OK) {
        assert_true(server_clock() < deadline);
        if (bob) assert_null(receive_within(bob, 1).bytes);
    }
}

/* Those who were refused have read no less: the share of their sender is full, and nobody else's. */
static void test_refused__packets_count_in_their_senders_share(void **state) {
    hr_error err = {0};
    hr_transport *alice = open_as(*state, "alice"), *carol = open_as(*state, "carol");
    hr_transport *bob = open_refusing(*state, 0);
    refuse_share(alice, bob);
    assert_int_equal(alice->send(alice, "bob", "junk", 4, &err), HR_E_POLICY);
    check_failure(&err, HR_E_POLICY, "'bob' has not read 64 packets that 'alice' sent before");
    send_text(carol, "bob", "honest");
    expect_text(bob, "honest");
    bob->close(bob); /* they are not given back */
    send_when_there_is_room(alice, NULL);
    bob = open_as(*state, "bob");
    expect_text(bob, "late");
    expect_nothing(bob);
    alice->close(alice);
    bob->close(bob);
    carol->close(carol);
}

static void test_refused__packets_leave_the_share_after_a_while(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_refusing(*state, 1);
    refuse_share(alice, bob);
    send_when_there_is_room(alice, bob);
    expect_text(bob, "late");
    expect_nothing(bob);
    alice->close(alice);
    bob->close(bob);
}

static void count_line(void *user, const hr_log_line *line) {
    int *lines = user;
    ++*lines;
    assert_int_equal(line->level, HR_LOG_WARNING);
    if (!strstr(line->text,
                "'carol' has not read 64 packets that 'alice' sent before, and the broker keeps no more; "))
        fail_msg("%s", line->text);
}

/* The sender hears of it at once, and not with every packet. */
static void test_flood__not_read__is_logged_once_until_there_is_room(void **state) {
    char paths[3][SERVER_PATH];
    hr_error err = {0};
    hr_transport *alice = NULL, *carol = open_as(*state, "carol");
    hr_nats_options options = server_options(*state, paths, "alice", "alice");
    int lines = 0;
    const hr_log log = {.sink = count_line, .user = &lines};
    options.log = &log;
    assert_int_equal(hr_nats_open(&options, &alice, NULL), HR_OK);
    for (int again = 1; again <= 2; again++) {
        for (int i = 0; i < SHARE; i++) send_text(alice, "carol", "flood");
        assert_int_equal(lines, again - 1);
        for (int i = 0; i < 3; i++)
            assert_int_equal(alice->send(alice, "carol", "flood", 5, &err), HR_E_POLICY);
        assert_int_equal(lines, again);
        assert_non_null(strstr(err.remedy, "hedgerow federation purge"));
        send_text(alice, "bob", "to others");
        for (int i = 0; i < SHARE; i++) expect_text(carol, "flood");
    }
    alice->close(alice);
    carol->close(carol);
    empty_inboxes(*state);
}

/* A header of JetStream that would delete what others have stored. */
static void test_header__that_replaces_packets__is_refused(void **state) {
    static const char *const kinds[] = {"all", "sub"};
    hr_transport *alice = open_as(*state, "alice"), *carol = open_as(*state, "carol");
    natsConnection *hostile = connect_raw(*state, "bob");
    jsCtx *jetstream = NULL;
    jsErrCode code = 0;
    assert_int_equal(natsConnection_JetStream(&jetstream, hostile, NULL), NATS_OK);
    send_text(alice, "carol", "stays");
    for (int i = 0; i < 2; i++) {
        natsMsg *message = NULL;
        assert_int_equal(natsMsg_Create(&message, "fed.demo.carol.bob", NULL, "x", 1), NATS_OK);
        assert_int_equal(natsMsgHeader_Set(message, "Nats-Rollup", kinds[i]), NATS_OK);
        assert_int_not_equal(js_PublishMsg(NULL, jetstream, message, NULL, &code), NATS_OK);
        assert_int_equal(code, JSStreamRollupFailedErr);
        natsMsg_Destroy(message);
    }
    expect_text(carol, "stays");
    expect_nothing(carol);
    jsCtx_Destroy(jetstream);
    natsConnection_Destroy(hostile);
    alice->close(alice);
    carol->close(carol);
}

/* ---- What the admin sees ---- */

static void test_look__counts_packets_and_bytes_by_inbox_and_sender(void **state) {
    char paths[3][SERVER_PATH];
    const hr_nats_options admin = server_options(*state, paths, HR_BROKER_ADMIN, HR_BROKER_ADMIN);
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    hr_broker_waiting *list = NULL;
    size_t count = 7;
    uint64_t packets = 0;
    assert_int_equal(hr_broker_look(&admin, &list, &count, NULL), HR_OK);
    assert_int_equal(count, 0);
    free(list);
    const int64_t before = time(NULL);
    for (int i = 0; i < 3; i++) send_text(bob, "carol", "12345");
    send_text(alice, "carol", "1234567");
    send_text(bob, "alice", "1");
    assert_int_equal(hr_broker_look(&admin, &list, &count, NULL), HR_OK);
    static const hr_broker_waiting expected[] = {
        {"alice", "bob", 1, 1, 0}, {"carol", "alice", 1, 7, 0}, {"carol", "bob", 3, 15, 0}};
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(list[i].to, expected[i].to);
        assert_string_equal(list[i].from, expected[i].from);
        assert_int_equal(list[i].packets, expected[i].packets);
        assert_int_equal(list[i].bytes, expected[i].bytes);
        assert_in_range(list[i].oldest, before, time(NULL));
    }
    free(list);
    assert_int_equal(hr_broker_purge(&admin, "carol", "bob", &packets, NULL), HR_OK);
    assert_int_equal(packets, 3);
    assert_int_equal(hr_broker_look(&admin, &list, &count, NULL), HR_OK);
    assert_int_equal(count, 2);
    free(list);
    alice->close(alice);
    bob->close(bob);
    empty_inboxes(*state);
}

int main(void) {
    if (!server_program()) {
        print_message(
            "skipped: there is no nats-server; install it (Debian: nats-server) to test the broker\n");
        return SERVER_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_member__publishing_on_what_is_not_its_own__is_refused),
        cmocka_unit_test(test_member__listening_to_others__is_refused),
        cmocka_unit_test(test_reply__to_anothers_inbox__is_not_stored),
        cmocka_unit_test(test_receive__skips_what_can_be_no_packet),
        cmocka_unit_test(test_flood__fills_the_flooders_shares_alone),
        cmocka_unit_test(test_refused__packets_count_in_their_senders_share),
        cmocka_unit_test(test_refused__packets_leave_the_share_after_a_while),
        cmocka_unit_test(test_flood__not_read__is_logged_once_until_there_is_room),
        cmocka_unit_test(test_header__that_replaces_packets__is_refused),
        cmocka_unit_test(test_look__counts_packets_and_bytes_by_inbox_and_sender),
    };
    return cmocka_run_group_tests(tests, server_open, server_close);
}
