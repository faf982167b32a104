#include "support/nats_ends.h"

#include <math.h>

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

/* The broker is asked, and answers: nothing has come, or the packet. It acknowledges a packet to the sender
 * before it tells the inbox: a look right after that may come too early. */
static void test_receive__without_waiting__takes_what_is_there(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    for (int i = 0; i < 20; i++) {
        hr_packet packet = {0};
        assert_int_equal(bob->receive(bob, 0, &packet, NULL), HR_OK);
        assert_null(packet.bytes);
        send_text(alice, "bob", "here");
        const double deadline = server_clock() + SERVER_PATIENCE;
        while (!packet.bytes && server_clock() < deadline)
            assert_int_equal(bob->receive(bob, 0, &packet, NULL), HR_OK);
        assert_true(holds(&packet, "here"));
        bob->settle(bob, &packet);
    }
    alice->close(alice);
    bob->close(bob);
}

static void note_line(void *user, const hr_log_line *line) {
    *(bool *)user = true;
    print_message("%s\n", line->text);
}

/* Whatever the next look is, what the broker has answered meanwhile is read first. */
static void test_receive__after_long_work__finds_the_end_of_its_request(void **state) {
    enum { ENDS = 3, WORK = 2500 /* milliseconds; a request is waited for 2000 */ };
    static const char *const names[ENDS] = {"alice", "bob", "carol"};
    static const int looks[ENDS] = {1, 0, -1};
    hr_transport *ends[ENDS];
    bool logged[ENDS] = {false, false, false};
    hr_log logs[ENDS];
    for (int i = 0; i < ENDS; i++) {
        logs[i] = (hr_log){.sink = note_line, .user = &logged[i]};
        char paths[3][SERVER_PATH];
        hr_nats_options options = server_options(*state, paths, names[i], names[i]);
        options.log = &logs[i];
        assert_int_equal(hr_nats_open(&options, &ends[i], NULL), HR_OK);
        send_text(ends[i], names[i], "work");
        expect_text(ends[i], "work");
    }
    nats_Sleep(WORK);
    for (int i = 0; i < ENDS; i++) {
        hr_packet packet = {0};
        assert_int_equal(ends[i]->receive(ends[i], looks[i], &packet, NULL), HR_OK);
        assert_null(packet.bytes);
        send_text(ends[i], names[i], "more");
        expect_text(ends[i], "more");
        if (logged[i]) fail_msg("the request of %s looked cut short", names[i]);
        ends[i]->close(ends[i]);
    }
}

/* ---- Hellos ---- */

/* The first call listens: the broker knows it once it has answered something else of the same connection. */
static void listen_to(hr_transport *end, const char *self, const char *from) {
    hr_hello_packet hello;
    hr_error err = {0};
    if (end->next_hello(end, from, &hello, &err)) fail_msg("%s", err.message);
    assert_int_equal(hello.size, 0);
    send_text(end, self, "listening");
    expect_text(end, "listening");
}

static void say_hello(hr_transport *end, const char *text) {
    assert_int_equal(end->publish_hello(end, text, strlen(text), NULL), HR_OK);
}

static void expect_hello(hr_transport *end, const char *from, const char *text) {
    hr_hello_packet hello = {.size = 0};
    const double deadline = server_clock() + SERVER_PATIENCE;
    while (!hello.size && server_clock() < deadline)
        assert_int_equal(end->next_hello(end, from, &hello, NULL), HR_OK);
    assert_int_equal(hello.size, strlen(text));
    assert_memory_equal(hello.bytes, text, hello.size);
}

static void test_hello__goes_to_those_who_listen_then(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    hr_hello_packet hello;
    uint8_t large[HR_HELLO_MAX + 1] = {0};
    say_hello(alice, "to nobody");
    send_text(alice, "alice", "after it"); /* so that the broker has had the hello */
    expect_text(alice, "after it");
    listen_to(bob, "bob", "alice");
    say_hello(alice, "first");
    say_hello(alice, "second");
    expect_hello(bob, "alice", "first");
    expect_hello(bob, "alice", "second");
    assert_int_equal(bob->next_hello(bob, "alice", &hello, NULL), HR_OK);
    assert_int_equal(hello.size, 0);
    assert_int_equal(alice->publish_hello(alice, large, sizeof large, NULL), HR_E_LIMIT);
    alice->close(alice);
    bob->close(bob);
}

/* What one member sends too much of is lost, and nothing of another's. */
static void test_hello__of_others_comes_through_a_flood(void **state) {
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob"),
                 *carol = open_as(*state, "carol");
    hr_hello_packet hello = {.size = 1};
    listen_to(bob, "bob", "alice");
    listen_to(bob, "bob", "carol");
    for (int i = 0; i < 5000; i++) say_hello(carol, "flood");
    say_hello(alice, "here");
    expect_hello(bob, "alice", "here");
    size_t taken = 0;
    for (; hello.size && taken < 5000; taken++)
        assert_int_equal(bob->next_hello(bob, "carol", &hello, NULL), HR_OK);
    assert_in_range(taken, 1, 4000);
    alice->close(alice);
    bob->close(bob);
    carol->close(carol);
}

/* ---- Packets that wait ---- */

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
    check_failure(&err, HR_E_LIMIT, "a packet has 1 to 786432 bytes, not 786433");
    assert_int_equal(alice->send(alice, "bob", bytes, 0, &err), HR_E_LIMIT);
    expect_nothing(bob);
    free(bytes);
    alice->close(alice);
    bob->close(bob);
}

static void test_packets__arrive_in_the_order_of_sending(void **state) {
    enum { BATCHES = 16, BATCH = 60 /* fits into the share of one sender */ };
    hr_transport *alice = open_as(*state, "alice"), *bob = open_as(*state, "bob");
    char text[32];
    const double start = server_clock();
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < BATCH; i++) {
            snprintf(text, sizeof text, "packet %d of %d", i, batch);
            send_text(alice, "bob", text);
        }
        for (int i = 0; i < BATCH; i++) {
            snprintf(text, sizeof text, "packet %d of %d", i, batch);
            expect_text(bob, text);
        }
    }
    print_message("%d packets sent and received in %.3f s\n", BATCHES * BATCH, server_clock() - start);
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
    check_failure(&err, HR_E_IO,
                  "cannot open the inbox of 'alice' in the federation 'demo': the broker has no such inbox");
    assert_non_null(strstr(err.remedy, "hedgerow federation open"));
    assert_int_equal(hr_federation_open(other.folder, NULL), HR_OK);
    alice = open_as(&other, "alice");
    alice->close(alice);
    server_stop(&other, SIGTERM);
    server_done(&other);
}

/* A broker that may store less than all inboxes need. */
static void limit_store(const server *s) {
    char command[2 * SERVER_PATH];
    snprintf(command, sizeof command,
             "sed -i 's/max_file_store: .*/max_file_store: 400MB/' %.400s/broker/nats.conf", s->folder);
    assert_int_equal(system(command), 0);
}

static void test_boxes__need_a_store_for_all_shares(void **state) {
    const server *s = *state;
    server other = {0};
    hr_error err = {0};
    snprintf(other.top, sizeof other.top, "%.60s/small", s->top);
    assert_int_equal(mkdir(other.top, 0700), 0);
    server_init(&other);
    limit_store(&other);
    server_launch(&other);
    const double deadline = server_clock() + SERVER_PATIENCE;
    do {
        assert_int_not_equal(hr_federation_open(other.folder, &err), HR_OK);
        assert_false(server_died(&other));
        assert_true(server_clock() < deadline);
    } while (strstr(err.message, "cannot connect"));
    check_failure(
        &err, HR_E_LIMIT,
        "the broker's store is too small: 3 members need 455491584 bytes, 50610176 for each sender in "
        "each inbox");
    assert_non_null(strstr(err.remedy, "max_file_store"));
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
    check_failure(&err, HR_E_IO, "cannot send to 'bob'");
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
    (void)receive_again(bob, "kept");
    server_stop(s, SIGKILL);
    alice->close(alice);
    bob->close(bob);
    assert_true(server_start(s, 1));
    bob = open_as(s, "bob");
    hr_packet packet = receive_again(bob, "kept");
    bob->settle(bob, &packet);
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
    check_failure(&err, HR_E_IO, "cannot connect to tls://localhost:");
    assert_null(end);
    close(port);
}

/* ---- Waiting for the broker ---- */

typedef struct patience {
    int asked, max;
    server *server; /* started when nothing is left of the patience but the last try; may be NULL */
} patience;

static bool try_again(void *user, const char *what) {
    patience *p = user;
    assert_string_equal(what, "does not answer");
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
    check_failure(&err, HR_E_IO, "cannot connect to tls://localhost:");
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

static bool fail_if_asked(void *user, const char *what) {
    (void)user, (void)what;
    fail_msg("%s", "waiting would not help");
    return false;
}

static void refuse_open(const hr_nats_options *options, hr_status status, const char *words) {
    hr_error err = {0};
    hr_transport *end = NULL;
    hr_nats_options asking = *options;
    asking.again = fail_if_asked;
    assert_int_equal(hr_nats_open(&asking, &end, &err), status);
    check_failure(&err, status, words);
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

static void test_open__with_a_key_that_others_may_read__is_refused(void **state) {
    static const mode_t modes[] = {0640, 0604, 0620, 0644, 0666};
    char paths[3][SERVER_PATH];
    hr_error err = {0};
    hr_transport *end = NULL;
    const hr_nats_options options = server_options(*state, paths, "alice", "alice");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(options.certificate_key, modes[i]), 0);
        assert_int_equal(hr_nats_open(&options, &end, &err), HR_E_POLICY);
        check_failure(&err, HR_E_POLICY, "others may read or change this secret key");
        assert_string_equal(err.file, options.certificate_key);
        assert_non_null(strstr(err.remedy, "`chmod 600 "));
        assert_non_null(strstr(err.remedy, options.certificate_key));
    }
    assert_int_equal(chmod(options.certificate_key, 0400), 0);
    assert_int_equal(hr_nats_open(&options, &end, NULL), HR_OK);
    end->close(end);
    assert_int_equal(chmod(options.certificate_key, 0600), 0);
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
    check_failure(&err, HR_E_IO, "cannot send to 'dave': the broker did not answer within 5 s");
    assert_non_null(strstr(err.remedy, "hedgerow federation open"));
    const char *names[] = {"",    "*",   ">", "bob.alice",
                           "Bob", "b b", "-", "a-name-that-has-more-characters-than-32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(alice->send(alice, names[i], "x", 1, &err), HR_E_ARGUMENT);
        check_failure(&err, HR_E_ARGUMENT, "is not a valid name of a member");
    }
    alice->close(alice);
}

int main(void) {
    if (!server_program()) {
        print_message(
            "skipped: there is no nats-server; install it (Debian: nats-server) to test the broker\n");
        return SERVER_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packet__goes_both_ways),
        cmocka_unit_test(test_receive__without_waiting__takes_what_is_there),
        cmocka_unit_test(test_receive__after_long_work__finds_the_end_of_its_request),
        cmocka_unit_test(test_hello__goes_to_those_who_listen_then),
        cmocka_unit_test(test_hello__of_others_comes_through_a_flood),
        cmocka_unit_test(test_packet__waits_for_who_is_away),
        cmocka_unit_test(test_packet__may_hold_any_bytes_up_to_the_limit),
        cmocka_unit_test(test_packets__arrive_in_the_order_of_sending),
        cmocka_unit_test(test_packet__is_not_kept_waiting_for_others),
        cmocka_unit_test(test_packet__not_settled__comes_again),
        cmocka_unit_test(test_close__gives_back_what_was_not_settled),
        cmocka_unit_test(test_boxes__opened_again__keep_their_packets),
        cmocka_unit_test(test_boxes__are_missed_until_the_federation_is_opened),
        cmocka_unit_test(test_boxes__need_a_store_for_all_shares),
        cmocka_unit_test(test_broker__killed_and_started_again__loses_nothing_that_is_sent_again),
        cmocka_unit_test(test_broker__gone__closing_does_not_wait_for_it),
        cmocka_unit_test(test_open__where_nobody_listens__fails),
        cmocka_unit_test(test_open__where_nobody_listens__asks_whether_to_try_again),
        cmocka_unit_test(test_open__before_the_broker_is_there__succeeds_when_it_comes),
        cmocka_unit_test(test_open__with_certificates_of_another_federation__fails),
        cmocka_unit_test(test_open__with_another_members_certificate__is_refused),
        cmocka_unit_test(test_open__with_a_key_that_others_may_read__is_refused),
        cmocka_unit_test(test_open__of_a_host_that_the_broker_is_not__fails),
        cmocka_unit_test(test_open__with_arguments_that_cannot_be__is_refused),
        cmocka_unit_test(test_send__to_nobody__fails),
    };
    return cmocka_run_group_tests(tests, server_open, server_close);
}
