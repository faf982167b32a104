#include "support/nats_ends.h"

static bool before_deadline(void *deadline, const char *what) {
    (void)what;
    return server_clock() < *(const double *)deadline;
}

hr_transport *open_as(const server *s, const char *name) {
    char paths[3][SERVER_PATH];
    hr_error err = {0};
    hr_transport *end = NULL;
    hr_nats_options options = server_options(s, paths, name, name);
    double deadline = server_clock() + SERVER_PATIENCE;
    options.again = before_deadline;
    options.user = &deadline;
    if (hr_nats_open(&options, &end, &err) != HR_OK) fail_msg("%s", err.message);
    return end;
}

void send_text(hr_transport *end, const char *to, const char *text) {
    hr_error err = {0};
    if (end->send(end, to, text, strlen(text), &err) != HR_OK) fail_msg("%s", err.message);
}

hr_packet receive_within(hr_transport *end, int milliseconds) {
    hr_error err = {0};
    hr_packet packet = {0};
    if (end->receive(end, milliseconds, &packet, &err) != HR_OK) fail_msg("%s", err.message);
    return packet;
}

bool holds(const hr_packet *packet, const char *text) {
    return packet->bytes && packet->size == strlen(text) && memcmp(packet->bytes, text, packet->size) == 0;
}

/* The next packet is this one; it is settled. */
void expect_text(hr_transport *end, const char *text) {
    hr_packet packet = receive_within(end, LONG);
    if (!holds(&packet, text))
        fail_msg("'%.*s' came, not '%s'", (int)packet.size, packet.bytes ? (char *)packet.bytes : "", text);
    end->settle(end, &packet);
    assert_null(packet.bytes);
}

hr_packet receive_again(hr_transport *end, const char *text) {
    hr_packet packet = receive_within(end, LONG);
    while (packet.bytes && !holds(&packet, text)) {
        end->settle(end, &packet);
        packet = receive_within(end, LONG);
    }
    if (!packet.bytes) fail_msg("'%s' did not come", text);
    return packet;
}

void expect_nothing(hr_transport *end) {
    hr_packet packet = receive_within(end, SHORT);
    assert_null(packet.bytes);
    assert_null(packet.token);
    end->settle(end, &packet);
}

void check_failure(const hr_error *err, hr_status status, const char *words) {
    if (!strstr(err->message, words)) fail_msg("'%s' is not in '%s'", words, err->message);
    assert_int_equal(err->status, status);
    assert_true(err->remedy[0]);
}

static void ignore_error(natsConnection *connection, natsSubscription *subscription, natsStatus error,
                         void *user) {
    (void)connection, (void)subscription, (void)error, (void)user;
}

natsConnection *connect_raw(const server *s, const char *name) {
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
void expect_forbidden(natsConnection *connection, const char *words) {
    const char *said = NULL;
    assert_int_equal(natsConnection_FlushTimeout(connection, LONG), NATS_OK);
    assert_int_equal(natsConnection_GetLastError(connection, &said), NATS_NOT_PERMITTED);
    if (!strstr(said, words)) fail_msg("'%s' is not in '%s'", words, said);
}
