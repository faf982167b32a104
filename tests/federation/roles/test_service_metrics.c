/* What is counted of a member's packets, and the file that tells it. */
#include "federation/roles/service_metrics.h"

#include "federation/transport/loopback.h"
#include "support/temp_dir.h"

static void test_packets__are_counted_when_the_transport_took_or_gave_them(void **state) {
    (void)state;
    hr_loopback *loopback = NULL;
    hr_transport *north = NULL, *lab = NULL;
    hr_counted_transport counted = {0};
    hr_packet packet = {0};
    assert_int_equal(hr_loopback_new(&loopback, NULL), HR_OK);
    assert_int_equal(hr_loopback_open(loopback, "north", &north, NULL), HR_OK);
    assert_int_equal(hr_loopback_open(loopback, "lab", &lab, NULL), HR_OK);
    hr_counted_transport_use(&counted, north);
    hr_transport *t = &counted.transport;
    assert_int_equal(t->receive(t, 0, &packet, NULL), HR_OK);
    assert_null(packet.bytes);
    assert_true(!counted.received && !counted.last);
    assert_int_equal(t->send(t, "lab", "abc", 3, NULL), HR_OK);
    assert_int_not_equal(t->send(t, "lab", "abc", HR_PACKET_MAX + 1, NULL), HR_OK);
    assert_true(counted.sent == 1 && counted.failed == 1 && counted.last > 0);
    assert_int_equal(lab->send(lab, "north", "defg", 4, NULL), HR_OK);
    assert_int_equal(t->receive(t, 0, &packet, NULL), HR_OK);
    assert_int_equal(packet.size, 4);
    t->settle(t, &packet);
    assert_null(packet.bytes);
    assert_int_equal(counted.received, 1);
    assert_true(!t->post == !north->post && !t->link == !north->link);
    north->close(north);
    lab->close(lab);
    hr_loopback_free(loopback);
}

/* A transport that does not wait for answers is used so, and when it was connected is noted. */
static size_t posted;
static bool is_connected;

static hr_status note_post(hr_transport *self, const char *to, const void *bytes, size_t size,
                           hr_error *err) {
    (void)self, (void)to, (void)bytes;
    if (size != 3) return hr_fail(err, HR_E_IO, "", "refused");
    posted++;
    return HR_OK;
}

static void tell_link(const hr_transport *self, hr_link_info *out) {
    (void)self;
    *out = (hr_link_info){.connected = is_connected};
}

static void test_packets__are_posted_and_the_connection_is_noted(void **state) {
    (void)state;
    hr_transport inner = {.post = note_post, .link = tell_link};
    hr_counted_transport counted = {0};
    hr_link_info link;
    hr_counted_transport_use(&counted, &inner);
    hr_transport *t = &counted.transport;
    assert_int_equal(t->post(t, "lab", "abc", 3, NULL), HR_OK);
    assert_int_equal(t->post(t, "lab", "abcd", 4, NULL), HR_E_IO);
    assert_true(posted == 1 && counted.sent == 1 && counted.failed == 1 && counted.last > 0);
    t->link(t, &link);
    assert_true(!link.connected && !counted.contact);
    is_connected = true;
    t->link(t, &link);
    assert_true(link.connected && counted.contact > 0);
}

/* Names and values. */
static const char *const lines[] = {"hedgerow_start_timestamp_seconds",
                                    "1795305500",
                                    "hedgerow_jobs_open",
                                    "1",
                                    "hedgerow_jobs_done_total",
                                    "2",
                                    "hedgerow_jobs_failed_total",
                                    "3",
                                    "hedgerow_packets_sent_total",
                                    "3",
                                    "hedgerow_packets_failed_total",
                                    "1",
                                    "hedgerow_packets_received_total",
                                    "2",
                                    "hedgerow_connected",
                                    "1",
                                    "hedgerow_reconnects_total",
                                    "7",
                                    "hedgerow_last_packet_timestamp_seconds",
                                    "1795305600",
                                    "hedgerow_last_connection_timestamp_seconds",
                                    "1795305602",
                                    "hedgerow_last_hello_timestamp_seconds",
                                    "1795305601",
                                    "hedgerow_epsilon_limit",
                                    "1.5",
                                    "hedgerow_epsilon_left",
                                    "0.5",
                                    "hedgerow_delta_left",
                                    "9.9999999999999995e-07",
                                    "hedgerow_ledger_frozen",
                                    "1",
                                    "hedgerow_certificate_expires_timestamp_seconds",
                                    "1795305600"};

static void tell_reconnected(const hr_transport *self, hr_link_info *out) {
    (void)self;
    *out = (hr_link_info){.connected = true, .reconnects = 7};
}

static void test_file__has_one_line_a_number(void **state) {
    const temp_dir *d = *state;
    const hr_counted_transport packets = {.transport = {.link = tell_reconnected},
                                          .sent = 3,
                                          .failed = 1,
                                          .received = 2,
                                          .last = 1795305600,
                                          .contact = 1795305602};
    static const uint64_t refused[HR_REFUSALS] = {4, 5, 6};
    const hr_owner_numbers own = {
        .hello = 1795305601,
        .ledger = {.epsilon_limit = 1.5, .epsilon_left = .5, .delta_left = 1e-6, .frozen = true}};
    const hr_service_metrics metrics = {
        .name = "north",
        .packets = &packets,
        .open = 1,
        .ended =
            (const size_t[HR_JOB_ENDINGS]){[HR_JOB_DONE] = 2, [HR_JOB_CANCELLED] = 1, [HR_JOB_DECLINED] = 2},
        .refused = refused,
        .begun = 1795305500,
        .certificate_ends = 1795305600,
        .owner = &own};
    char path[160], line[200];
    size_t size = 0, numbers = 0;
    snprintf(path, sizeof path, "%s/north.prom", d->folder);
    for (int again = 0; again < 2; again++)
        assert_int_equal(hr_service_metrics_write(&metrics, path, NULL), HR_OK);
    char *text = read_file(path, &size);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i += 2) {
        snprintf(line, sizeof line, "\n%s{owner=\"north\"} %s\n", lines[i], lines[i + 1]);
        if (!strstr(text, line)) fail_msg("no line %s in:\n%s", line, text);
    }
    assert_non_null(strstr(text, "\nhedgerow_packets_refused_total{owner=\"north\",reason=\"unreadable\"} 4\n"
                                 "hedgerow_packets_refused_total{owner=\"north\",reason=\"quota\"} 5\n"
                                 "hedgerow_packets_refused_total{owner=\"north\",reason=\"offer\"} 6\n"));
    assert_non_null(strstr(text, "\nhedgerow_jobs_ended_total{owner=\"north\",ending=\"cancelled\"} 1\n"));
    for (const char *at = text; (at = strstr(at, "{owner=\"north\"}")) != NULL; at++) numbers++;
    assert_int_equal(numbers, sizeof lines / sizeof *lines / 2);
    free(text);
    snprintf(path, sizeof path, "%s/north.prom.new", d->folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* What both have is labelled with the coordinator; nothing of a ledger is there. */
static void test_file__of_a_coordinator(void **state) {
    static const char *const own[] = {
        "\nhedgerow_jobs_queued{coordinator=\"lab\"} 4\n", "\nhedgerow_jobs_open{coordinator=\"lab\"} 2\n",
        "\nhedgerow_jobs_ended_total{coordinator=\"lab\",ending=\"timed out\"} 3\n",
        "\nhedgerow_owner_present{coordinator=\"lab\",owner=\"north\"} 1\n"
        "hedgerow_owner_present{coordinator=\"lab\",owner=\"west\"} 0\n",
        "\nhedgerow_owner_last_hello_timestamp_seconds{coordinator=\"lab\",owner=\"north\"} 1795305603\n"
        "hedgerow_owner_last_hello_timestamp_seconds{coordinator=\"lab\",owner=\"west\"} 0\n"};
    const temp_dir *d = *state;
    const hr_counted_transport packets = {0};
    const hr_owner_presence presence[] = {{"north", true, 1795305600, 1795305603}, {"west", false, 0, 0}};
    const hr_coordinator_numbers numbers = {.queued = 4, .presence = presence, .presence_count = 2};
    const hr_service_metrics metrics = {.name = "lab",
                                        .packets = &packets,
                                        .open = 2,
                                        .ended = (const size_t[HR_JOB_ENDINGS]){[HR_JOB_TIMED_OUT] = 3},
                                        .refused = (const uint64_t[HR_REFUSALS]){0},
                                        .coordinator = &numbers};
    char path[160];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/lab.prom", d->folder);
    assert_int_equal(hr_service_metrics_write(&metrics, path, NULL), HR_OK);
    char *text = read_file(path, &size);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strstr(text, own[i])) fail_msg("no line %s in:\n%s", own[i], text);
    assert_null(strstr(text, "epsilon"));
    assert_null(strstr(text, "{owner="));
    free(text);
}

static void test_file__that_cannot_be_written_is_named(void **state) {
    const temp_dir *d = *state;
    const hr_counted_transport packets = {0};
    const hr_owner_numbers numbers = {.hello = 0};
    const hr_service_metrics metrics = {.name = "north",
                                        .packets = &packets,
                                        .refused = (const uint64_t[HR_REFUSALS]){0},
                                        .ended = (const size_t[HR_JOB_ENDINGS]){0},
                                        .owner = &numbers};
    char path[160];
    hr_error err = {0};
    snprintf(path, sizeof path, "%s/absent/north.prom", d->folder);
    assert_int_equal(hr_service_metrics_write(&metrics, path, &err), HR_E_IO);
    check_file_error(&err, HR_E_IO, "cannot write the metrics", path);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets__are_counted_when_the_transport_took_or_gave_them),
        cmocka_unit_test(test_packets__are_posted_and_the_connection_is_noted),
        WITH_FOLDER(test_file__has_one_line_a_number),
        WITH_FOLDER(test_file__of_a_coordinator),
        WITH_FOLDER(test_file__that_cannot_be_written_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
