#include "support/nats_server.h"

#include "transport/nats.h"

#include <math.h>
#include <nats/nats.h>

enum { LONG = SERVER_PATIENCE * 1000, SHORT = 100 };

/* ---- Ends ---- */

static hr_transport *open_as(const server *s, const char *name) {
    char paths[3][SERVER_PATH];
    hr_error err = {0};
    hr_transport *end = NULL;
    const hr_nats_options options = server_options(s, paths, name, name);
    if (hr_nats_open(&options, &end, &err) != HR_OK) fail_msg("%s", err.message);
    return end;
}

static void send_text(hr_transport *end, const char *to, const char *text) {
    hr_error err = {0};
    if (end->send(end, to, text, strlen(text), &err) != HR_OK) fail_msg("%s", err.message);
}

static hr_packet receive_within(hr_transport *end, int milliseconds) {
    hr_error err = {0};
    hr_packet packet = {0};
    if (end->receive(end, milliseconds, &packet, &err) != HR_OK) fail_msg("%s", err.message);
    return packet;
}

static bool holds(const hr_packet *packet, const char *text) {
    return packet->bytes && packet->size == strlen(text) && memcmp(packet->bytes, text, packet->size) == 0;
}

/* The next packet is this one; it is settled. */
static void expect_text(hr_transport *end, const char *text) {
    hr_packet packet = receive_within(end, LONG);
    if (!holds(&packet, text))
        fail_msg("'%.*s' came, not '%s'", (int)packet.size, packet.bytes ? (char *)packet.bytes : "", text);
    end->settle(end, &packet);
    assert_null(packet.bytes);
}

static void expect_nothing(hr_transport *end) {
    hr_packet packet = receive_within(end, SHORT);
    assert_null(packet.bytes);
    assert_null(packet.token);
    end->settle(end, &packet);
}

static void check_error(const hr_error *err, hr_status status, const char *words) {
    if (!strstr(err->message, words)) fail_msg("'%s' is not in '%s'", words, err->message);
    assert_int_equal(err->status, status);
    assert_true(err->remedy[0]);
}

/* ---- Packets ---- */

static void test_packet__goes_both_ways(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    send_text(alice, "bob", "to bob");
    send_text(bob, "alice", "to alice");
    send_text(bob, "bob", "to myself");
    expect_text(alice, "to alice");
    expect_text(bob, "to bob");
    expect_text(bob, "to myself");
    expect_nothing(alice);
    expect_nothing(bob);
    alice->close(alice);
    bob->close(bob);
}

static void test_packet__waits_for_who_is_away(void **state) {
    hr_transport *alice = open_as(*state, "alice");
    send_text(alice, "bob", "for later");
    alice->close(alice);
    hr_transport *bob = open_as(*state, "bob");
    expect_text(bob, "for later");
    bob->close(bob);
}

static void test_packet__may_hold_any_bytes_up_to_the_limit(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    uint8_t *bytes = malloc(HR_PACKET_MAX + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i <= HR_PACKET_MAX; i++) bytes[i] = (uint8_t)(i * 31 + i / 256);
    hr_error err = {0};
    assert_int_equal(alice->send(alice, "bob", bytes, HR_PACKET_MAX, &err), HR_OK);
    hr_packet packet = receive_within(bob, LONG);
    assert_int_equal(packet.size, HR_PACKET_MAX);
    assert_memory_equal(packet.bytes, bytes, HR_PACKET_MAX);
    bob->settle(bob, &packet);
    assert_int_equal(alice->send(alice, "bob", bytes, HR_PACKET_MAX + 1, &err), HR_E_LIMIT);
    check_error(&err, HR_E_LIMIT, "a packet has 1 to 786432 bytes, not 786433");
    assert_int_equal(alice->send(alice, "bob", bytes, 0, &err), HR_E_LIMIT);
    expect_nothing(bob);
    free(bytes);
    alice->close(alice);
    bob->close(bob);
}

static void test_packets__arrive_in_the_order_of_sending(void **state) {
    enum { MANY = 1000 };
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    char text[32];
    const double start = server_clock();
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "packet %d", i);
        send_text(alice, "bob", text);
    }
    const double sent = server_clock();
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "packet %d", i);
        expect_text(bob, text);
    }
    print_message("%d packets sent in %.3f s, received in %.3f s\n", MANY, sent - start,
                  server_clock() - sent);
    expect_nothing(bob);
    alice->close(alice);
    bob->close(bob);
}

/* The longest wait for one of so many packets that were sent at once, in seconds. */
static double longest_wait(hr_transport *from, hr_transport *to, int packets) {
    double longest = 0;
    for (int i = 0; i < packets; i++) send_text(from, "bob", "at once");
    for (int i = 0; i < packets; i++) {
        const double start = server_clock();
        expect_text(to, "at once");
        longest = fmax(longest, server_clock() - start);
    }
    return longest;
}

/* A packet comes alone and at once, though nothing follows it: it is seen in the best of 25 trials, so that a
 * machine whose load stops every second trial for longer raises a false alarm with 7 * 2^-25 = 2e-7. */
static void test_packet__is_not_kept_waiting_for_others(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    for (int packets = 1; packets <= 7; packets++) {
        double best = LONG;
        for (int trial = 0; trial < 25; trial++) {
            for (int j = 0; trial % 5 == 0 && j < 3; j++) assert_null(receive_within(bob, j).bytes);
            best = fmin(best, longest_wait(alice, bob, packets));
        }
        if (best > .05) fail_msg("one of %d packets takes %.3f s", packets, best);
    }
    alice->close(alice);
    bob->close(bob);
}

/* Where a second passes before the broker hears that a packet was settled, that one comes again too. */
static void test_packet__not_settled__comes_again(void **state) {
    assert_int_equal(server_prepare(*state, 1, NULL), HR_OK);
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    send_text(alice, "bob", "first");
    send_text(alice, "bob", "second");
    hr_packet first = receive_within(bob, LONG), next = {0};
    assert_true(holds(&first, "first"));
    bool second = false;
    do {
        bob->settle(bob, &next);
        next = receive_within(bob, LONG);
        assert_non_null(next.bytes);
        second |= holds(&next, "second");
    } while (!holds(&next, "first"));
    assert_true(second);
    assert_ptr_not_equal(next.token, first.token);
    bob->settle(bob, &first);
    do {
        bob->settle(bob, &next);
        next = receive_within(bob, SHORT);
    } while (next.bytes);
    alice->close(alice);
    bob->close(bob);
    assert_int_equal(server_prepare(*state, HR_NATS_ACK_SECONDS, NULL), HR_OK);
}

static void test_close__gives_back_what_was_not_settled(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    const char *texts[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) send_text(alice, "bob", texts[i]);
    hr_packet one = receive_within(bob, LONG), two = receive_within(bob, LONG);
    assert_true(holds(&one, "one") && holds(&two, "two"));
    bob->settle(bob, &two);
    bob->close(bob);
    bob = open_as(*state, "bob");
    bool seen[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        hr_packet packet =
            receive_within(bob, LONG / 3); /* sooner than a packet of who is gone without a word */
        seen[0] |= holds(&packet, "one");
        seen[1] |= holds(&packet, "three");
        bob->settle(bob, &packet);
    }
    assert_true(seen[0] && seen[1]);
    expect_nothing(bob);
    alice->close(alice);
    bob->close(bob);
}

/* ---- Inboxes ---- */

static void test_boxes__opened_again__keep_their_packets(void **state) {
    const server *s = *state;
    hr_transport *alice = open_as(s, "alice");
    send_text(alice, "bob", "kept");
    assert_int_equal(hr_federation_open(s->folder, NULL), HR_OK);
    assert_int_equal(hr_federation_open(s->folder, NULL), HR_OK);
    hr_transport *bob = open_as(s, "bob");
    expect_text(bob, "kept");
    alice->close(alice);
    bob->close(bob);
}

static void test_boxes__are_missed_until_the_federation_is_opened(void **state) {
    const server *s = *state;
    server other = {0};
    char paths[3][SERVER_PATH];
    snprintf(other.top, sizeof other.top, "%.60s/bare", s->top);
    assert_int_equal(mkdir(other.top, 0700), 0);
    server_init(&other);
    server_launch(&other);
    const hr_nats_options options = server_options(&other, paths, "alice", "alice");
    const double deadline = server_clock() + SERVER_PATIENCE;
    hr_error err = {0};
    hr_transport *alice = NULL;
    do {
        assert_int_equal(hr_nats_open(&options, &alice, &err), HR_E_IO);
        assert_false(server_died(&other));
        assert_true(server_clock() < deadline);
    } while (strstr(err.message, "cannot connect"));
    check_error(&err, HR_E_IO,
                "cannot open the inbox of 'alice' in the federation 'demo': the broker has no such inbox");
    assert_non_null(strstr(err.remedy, "hedgerow federation open"));
    assert_int_equal(hr_federation_open(other.folder, NULL), HR_OK);
    alice = open_as(&other, "alice");
    alice->close(alice);
    server_stop(&other, SIGTERM);
    server_done(&other);
}

/* ---- Loss of the broker ---- */

static void test_broker__killed_and_started_again__loses_nothing_that_is_sent_again(void **state) {
    server *s = *state;
    hr_error err = {0};
    hr_transport *alice = open_as(s, "alice"), *bob = open_as(s, "bob");
    send_text(alice, "bob", "before");
    server_stop(s, SIGKILL);
    assert_int_equal(alice->send(alice, "bob", "during", 6, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "cannot send to 'bob'");
    expect_nothing(bob);

    assert_true(server_start(s, HR_NATS_ACK_SECONDS));
    const double start = server_clock();
    while (alice->send(alice, "bob", "during", 6, &err) != HR_OK)
        if (server_clock() - start > SERVER_PATIENCE) fail_msg("still not connected: %s", err.message);
    print_message("connected again %.3f s after the broker was ready\n", server_clock() - start);

    /* The first try may have arrived too, if the connection broke between the packet and its acknowledgement.
     */
    bool before = false, during = false;
    while (!before || !during) {
        hr_packet packet = receive_within(bob, LONG);
        assert_non_null(packet.bytes);
        before |= holds(&packet, "before");
        during |= holds(&packet, "during");
        bob->settle(bob, &packet);
    }
    alice->close(alice);
    bob->close(bob);
}

static void test_broker__gone__closing_does_not_wait_for_it(void **state) {
    server *s = *state;
    hr_transport *alice = open_as(s, "alice"), *bob = open_as(s, "bob");
    send_text(alice, "bob", "kept");
    hr_packet packet = receive_within(bob, LONG);
    assert_true(holds(&packet, "kept"));
    server_stop(s, SIGKILL);
    alice->close(alice);
    bob->close(bob);
    assert_true(server_start(s, 1));
    bob = open_as(s, "bob");
    expect_text(bob, "kept");
    bob->close(bob);
    assert_int_equal(server_prepare(s, HR_NATS_ACK_SECONDS, NULL), HR_OK);
}

static void test_open__where_nobody_listens__fails(void **state) {
    char paths[3][SERVER_PATH], url[64];
    int port;
    hr_error err = {0};
    hr_transport *end = NULL;
    hr_nats_options options = server_options(*state, paths, "alice", "alice");
    snprintf(url, sizeof url, "tls://localhost:%u", server_keep_port(&port));
    options.url = url;
    assert_int_equal(hr_nats_open(&options, &end, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "cannot connect to tls://localhost:");
    assert_null(end);
    close(port);
}

/* ---- Waiting for the broker ---- */

typedef struct patience {
    int asked, max;
    server *server; /* started when nothing is left of the patience but the last try; may be NULL */
} patience;

static bool try_again(void *user) {
    patience *p = user;
    if (++p->asked == p->max && p->server) assert_true(server_start(p->server, HR_NATS_ACK_SECONDS));
    return p->asked < p->max || p->server;
}

static void test_open__where_nobody_listens__asks_whether_to_try_again(void **state) {
    char paths[3][SERVER_PATH], url[64];
    int port;
    hr_error err = {0};
    hr_transport *end = NULL;
    patience p = {.max = 3};
    hr_nats_options options = server_options(*state, paths, "alice", "alice");
    snprintf(url, sizeof url, "tls://localhost:%u", server_keep_port(&port));
    options.url = url;
    options.again = try_again;
    options.user = &p;
    assert_int_equal(hr_nats_open(&options, &end, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "cannot connect to tls://localhost:");
    assert_int_equal(p.asked, 3);
    assert_null(end);
    close(port);
}

static void test_open__before_the_broker_is_there__succeeds_when_it_comes(void **state) {
    server *s = *state;
    char paths[3][SERVER_PATH];
    hr_error err = {0};
    hr_transport *alice = NULL;
    server_stop(s, SIGTERM);
    patience p = {.max = 3, .server = s};
    hr_nats_options options = server_options(s, paths, "alice", "alice");
    options.again = try_again;
    options.user = &p;
    if (hr_nats_open(&options, &alice, &err) != HR_OK) fail_msg("%s", err.message);
    assert_int_equal(p.asked, 3);
    send_text(alice, "alice", "to myself");
    expect_text(alice, "to myself");
    alice->close(alice);
}

/* ---- Who may do what ---- */

static bool fail_if_asked(void *user) {
    (void)user;
    fail_msg("%s", "waiting would not help");
    return false;
}

static void refuse_open(const hr_nats_options *options, hr_status status, const char *words) {
    hr_error err = {0};
    hr_transport *end = NULL;
    hr_nats_options asking = *options;
    asking.again = fail_if_asked;
    assert_int_equal(hr_nats_open(&asking, &end, &err), status);
    check_error(&err, status, words);
    assert_null(end);
}

static void test_open__with_certificates_of_another_federation__fails(void **state) {
    server *s = *state, other = {0};
    char paths[3][SERVER_PATH], foreign[3][SERVER_PATH];
    snprintf(other.top, sizeof other.top, "%.60s/other", s->top);
    assert_int_equal(mkdir(other.top, 0700), 0);
    server_init(&other);
    hr_nats_options mine = server_options(s, paths, "alice", "alice");
    const hr_nats_options theirs = server_options(&other, foreign, "alice", "alice");
    mine.authority = theirs.authority;
    refuse_open(&mine, HR_E_IO, "no secure connection"); /* the broker is not theirs */
    mine = server_options(s, paths, "alice", "alice");
    mine.certificate = theirs.certificate;
    mine.certificate_key = theirs.certificate_key;
    refuse_open(&mine, HR_E_IO, "no secure connection"); /* the member is not ours */
    mine = server_options(s, paths, "alice", "alice");
    mine.certificate_key = theirs.certificate_key;
    refuse_open(&mine, HR_E_IO, "no secure connection"); /* the key is another certificate's */
    mine.certificate_key = "nowhere.pem";
    refuse_open(&mine, HR_E_IO, "cannot read the certificate's key: No such file or directory");
    server_done(&other);
}

static void test_open__with_another_members_certificate__is_refused(void **state) {
    char paths[3][SERVER_PATH];
    const hr_nats_options options = server_options(*state, paths, "bob", "alice");
    refuse_open(&options, HR_E_POLICY, "the broker refuses it: Permissions Violation");
}

static void test_open__of_a_host_that_the_broker_is_not__fails(void **state) {
    char paths[3][SERVER_PATH], url[64];
    hr_nats_options options = server_options(*state, paths, "alice", "alice");
    snprintf(url, sizeof url, "tls://127.0.0.1%s", strrchr(options.url, ':'));
    options.url = url;
    refuse_open(&options, HR_E_IO, "no secure connection");
}

static void test_open__with_arguments_that_cannot_be__is_refused(void **state) {
    char paths[3][SERVER_PATH];
    hr_nats_options options = server_options(*state, paths, "alice", "Alice");
    refuse_open(&options, HR_E_ARGUMENT, "'Alice' is not a valid name of a member");
    options = server_options(*state, paths, "alice", "alice");
    options.federation = "demo.>";
    refuse_open(&options, HR_E_ARGUMENT, "'demo.>' is not a valid name of a federation");
    options = server_options(*state, paths, "alice", "alice");
    options.url = "nats://localhost:4222";
    refuse_open(&options, HR_E_ARGUMENT, "is not one of TLS");
    options = server_options(*state, paths, "alice", "alice");
    options.certificate_key = NULL;
    refuse_open(&options, HR_E_ARGUMENT, "no certificate's key is named");
}

static void test_send__to_nobody__fails(void **state) {
    hr_error err = {0};
    hr_transport *alice = open_as(*state, "alice");
    assert_int_equal(alice->send(alice, "dave", "x", 1, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "cannot send to 'dave': the broker has no such inbox");
    const char *names[] = {"",    "*",   ">", "bob.alice",
                           "Bob", "b b", "-", "a-name-that-has-more-characters-than-32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(alice->send(alice, names[i], "x", 1, &err), HR_E_ARGUMENT);
        check_error(&err, HR_E_ARGUMENT, "is not a valid name of a member");
    }
    alice->close(alice);
}

/* ---- A member who does not keep to this library ---- */

static void ignore_error(natsConnection *connection, natsSubscription *subscription, natsStatus error,
                         void *user) {
    (void)connection, (void)subscription, (void)error, (void)user;
}

static natsConnection *connect_raw(const server *s, const char *name) {
    char paths[3][SERVER_PATH], inbox[64];
    const hr_nats_options options = server_options(s, paths, name, name);
    natsOptions *settings = NULL;
    natsConnection *connection = NULL;
    snprintf(inbox, sizeof inbox, "_INBOX_%s", name);
    assert_int_equal(natsOptions_Create(&settings), NATS_OK);
    assert_int_equal(natsOptions_SetURL(settings, options.url), NATS_OK);
    assert_int_equal(natsOptions_SetTimeout(settings, LONG), NATS_OK);
    assert_int_equal(natsOptions_SetSecure(settings, true), NATS_OK);
    assert_int_equal(natsOptions_LoadCATrustedCertificates(settings, options.authority), NATS_OK);
    assert_int_equal(
        natsOptions_LoadCertificatesChain(settings, options.certificate, options.certificate_key), NATS_OK);
    assert_int_equal(natsOptions_SetErrorHandler(settings, ignore_error, NULL), NATS_OK);
    assert_int_equal(natsOptions_SetCustomInboxPrefix(settings, inbox), NATS_OK);
    assert_int_equal(natsConnection_Connect(&connection, settings), NATS_OK);
    natsOptions_Destroy(settings);
    return connection;
}

/* The broker has answered everything before, and its last complaint was this. */
static void expect_forbidden(natsConnection *connection, const char *words) {
    const char *said = NULL;
    assert_int_equal(natsConnection_FlushTimeout(connection, LONG), NATS_OK);
    assert_int_equal(natsConnection_GetLastError(connection, &said), NATS_NOT_PERMITTED);
    if (!strstr(said, words)) fail_msg("'%s' is not in '%s'", words, said);
}

static void test_member__publishing_as_another__is_refused(void **state) {
    hr_transport *carol = open_as(*state, "carol");
    natsConnection *bob = connect_raw(*state, "bob");
    assert_int_equal(natsConnection_PublishString(bob, "fed.demo.carol.alice", "forged"), NATS_OK);
    expect_forbidden(bob, "fed.demo.carol.alice");
    assert_int_equal(natsConnection_PublishString(bob, "$JS.API.STREAM.DELETE.demo", ""), NATS_OK);
    expect_forbidden(bob, "$JS.API.STREAM.DELETE.demo");
    assert_int_equal(natsConnection_PublishString(bob, "$JS.API.STREAM.PURGE.demo", ""), NATS_OK);
    expect_forbidden(bob, "$JS.API.STREAM.PURGE.demo");
    expect_nothing(carol);
    natsConnection_Destroy(bob);
    carol->close(carol);
}

static void test_member__reading_anothers_box__is_refused(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *carol = open_as(*state, "carol");
    natsConnection *bob = connect_raw(*state, "bob");
    natsSubscription *listening = NULL;
    const char *subjects[] = {"fed.demo.>", "fed.demo.carol.alice", "_INBOX_carol.>", ">"};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        assert_int_equal(natsConnection_SubscribeSync(&listening, bob, subjects[i]), NATS_OK);
        expect_forbidden(bob, subjects[i]);
        natsSubscription_Destroy(listening);
    }
    const char *requests[] = {"$JS.API.CONSUMER.MSG.NEXT.demo.carol", "$JS.API.STREAM.MSG.GET.demo",
                              "$JS.API.DIRECT.GET.demo", "$JS.API.CONSUMER.CREATE.demo"};
    send_text(alice, "carol", "for carol alone");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_int_equal(
            natsConnection_PublishRequestString(bob, requests[i], "_INBOX_bob.x", "{\"seq\":1,\"batch\":1}"),
            NATS_OK);
        expect_forbidden(bob, requests[i]);
    }
    expect_text(carol, "for carol alone");
    natsConnection_Destroy(bob);
    alice->close(alice);
    carol->close(carol);
}

/* What is too large or empty cannot have been sent by an honest member; it is not handed out, and does not
 * come again. */
static void test_receive__skips_what_can_be_no_packet(void **state) {
    hr_transport *bob = open_as(*state, "bob");
    natsConnection *alice = connect_raw(*state, "alice");
    char *large = calloc(1, HR_PACKET_MAX + 1);
    assert_non_null(large);
    assert_int_equal(natsConnection_Publish(alice, "fed.demo.bob.alice", large, HR_PACKET_MAX + 1), NATS_OK);
    assert_int_equal(natsConnection_Publish(alice, "fed.demo.bob.alice", NULL, 0), NATS_OK);
    assert_int_equal(natsConnection_PublishString(alice, "fed.demo.bob.alice", "small"), NATS_OK);
    assert_int_equal(natsConnection_FlushTimeout(alice, LONG), NATS_OK);
    expect_text(bob, "small");
    expect_nothing(bob);
    free(large);
    natsConnection_Destroy(alice);
    bob->close(bob);
}

static void test_flood__fills_the_flooders_share_alone(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob"),
                 *carol = open_as(*state, "carol");
    hr_error err = {0};
    for (int i = 0; i < HR_BROKER_INBOX_PACKETS; i++) send_text(alice, "carol", "flood");
    assert_int_equal(alice->send(alice, "carol", "flood", 5, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "maximum messages per subject exceeded");
    send_text(bob, "carol", "still here");
    for (int i = 0; i < HR_BROKER_INBOX_PACKETS; i++) expect_text(carol, "flood");
    expect_text(carol, "still here");
    send_text(alice, "carol", "room again");
    expect_text(carol, "room again");
    alice->close(alice);
    bob->close(bob);
    carol->close(carol);
}

int main(void) {
    if (!server_program()) {
        print_message(
            "skipped: there is no nats-server; install it (Debian: nats-server) to test the broker\n");
        return SERVER_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packet__goes_both_ways),
        cmocka_unit_test(test_packet__waits_for_who_is_away),
        cmocka_unit_test(test_packet__may_hold_any_bytes_up_to_the_limit),
        cmocka_unit_test(test_packets__arrive_in_the_order_of_sending),
        cmocka_unit_test(test_packet__is_not_kept_waiting_for_others),
        cmocka_unit_test(test_packet__not_settled__comes_again),
        cmocka_unit_test(test_close__gives_back_what_was_not_settled),
        cmocka_unit_test(test_boxes__opened_again__keep_their_packets),
        cmocka_unit_test(test_boxes__are_missed_until_the_federation_is_opened),
        cmocka_unit_test(test_broker__killed_and_started_again__loses_nothing_that_is_sent_again),
        cmocka_unit_test(test_broker__gone__closing_does_not_wait_for_it),
        cmocka_unit_test(test_open__where_nobody_listens__fails),
        cmocka_unit_test(test_open__where_nobody_listens__asks_whether_to_try_again),
        cmocka_unit_test(test_open__before_the_broker_is_there__succeeds_when_it_comes),
        cmocka_unit_test(test_open__with_certificates_of_another_federation__fails),
        cmocka_unit_test(test_open__with_another_members_certificate__is_refused),
        cmocka_unit_test(test_open__of_a_host_that_the_broker_is_not__fails),
        cmocka_unit_test(test_open__with_arguments_that_cannot_be__is_refused),
        cmocka_unit_test(test_send__to_nobody__fails),
        cmocka_unit_test(test_member__publishing_as_another__is_refused),
        cmocka_unit_test(test_member__reading_anothers_box__is_refused),
        cmocka_unit_test(test_receive__skips_what_can_be_no_packet),
        cmocka_unit_test(test_flood__fills_the_flooders_share_alone),
    };
    return cmocka_run_group_tests(tests, server_open, server_close);
}
