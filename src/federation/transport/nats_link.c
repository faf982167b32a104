/* The broker is not trusted: its certificate is checked against the federation's authority and the host that
 * was dialled, and its words are cleaned before they reach a terminal. */
#include "federation/transport/nats_link.h"

#include "base/file.h"
#include "federation/transport/validity.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    DIAL_MS = 5000,
    REDIAL_MS = 250,
    JITTER_MS = 250,
    PING_MS = 10000, /* a peer that vanished without a word is noticed after three */
    PINGS = 2,
    HANG_UP_MS = 2000,
    WORDS = 256
};

/* ---- Failures ---- */

/* A broker does not answer a forbidden publication or subscription; the connection gets an error. Its text;
 * NULL: there was none. */
static const char *violation(const hr_nats_link *link) {
    const char *message = NULL;
    if (!link->connection || natsConnection_GetLastError(link->connection, &message) != NATS_NOT_PERMITTED)
        return NULL;
    return message ? message : "";
}

/* As the broker quotes their subjects. */
static bool is_of_hellos(const char *message) {
    return strstr(message, "\"" HR_NATS_HELLO);
}

bool hr_nats_forbids_hellos(const hr_nats_link *link) {
    const char *message = violation(link);
    return message && is_of_hellos(message);
}

/* What matters to all but presence. */
static bool was_forbidden(const hr_nats_link *link) {
    const char *message = violation(link);
    return message && !is_of_hellos(message);
}

/* The last message of libnats or the broker, in printable ASCII. */
static void last_words(const hr_nats_link *link, natsStatus reason, char words[WORDS]) {
    const char *message = was_forbidden(link) ? violation(link) : NULL;
    natsStatus remembered = NATS_OK;
    if (!message) message = nats_GetLastError(&remembered);
    if (!message || !*message) message = natsStatus_GetText(reason);

    /* Messages of libnats have the form "(FILE:LINE): WORDS". */
    const char *place = message[0] == '(' ? strstr(message, "): ") : NULL;
    snprintf(words, WORDS, "%s", place ? place + 3 : message);
    for (char *c = words; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
}

/* A broker that does not accept a member's certificate cuts the connection after the handshake (TLS 1.3):
 * libnats fails to write, and shows by a text alone that it was to a TLS connection, or misses an answer. */
bool hr_nats_is_insecure(natsStatus reason) {
    natsStatus remembered = NATS_OK;
    const char *message = reason == NATS_IO_ERROR ? nats_GetLastError(&remembered) : NULL;
    return reason == NATS_SSL_ERROR || reason == NATS_SECURE_CONNECTION_WANTED ||
           reason == NATS_PROTOCOL_ERROR || (message && strstr(message, "SSL_"));
}

bool hr_nats_is_silence(const hr_nats_link *link, natsStatus reason) {
    switch (reason) {
    case NATS_NO_SERVER:
    case NATS_TIMEOUT:
    case NATS_CONNECTION_CLOSED:
    case NATS_CONNECTION_DISCONNECTED: return !was_forbidden(link);
    case NATS_IO_ERROR: return !hr_nats_is_insecure(reason);
    default: return false;
    }
}

/* nats-server makes the account of a new member when it reads its configuration, but connects the account
 * with the one that holds the inboxes only when it reads it again. */
#define READ_TWICE "have the broker read its configuration once more: nats-server --signal reload"

const char *hr_nats_awaits(const hr_nats_link *link, natsStatus reason) {
    if (reason == NATS_NO_RESPONDERS)
        return "does not pass on this member's requests: if the member is new, " READ_TWICE;
    return hr_nats_is_silence(link, reason) ? "does not answer" : NULL;
}

hr_status hr_nats_fail(const hr_nats_link *link, natsStatus reason, const char *what, hr_error *err) {
    char words[WORDS];
    if (reason == NATS_NO_MEMORY) return hr_fail_memory(err);
    last_words(link, reason, words);
    if (was_forbidden(link) || reason == NATS_NOT_PERMITTED || reason == NATS_CONNECTION_AUTH_FAILED) {
        return hr_fail(err, HR_E_POLICY,
                       "check that the certificate is this member's own, and that the broker's configuration "
                       "lists the member",
                       "%s: the broker refuses it: %s", what, words);
    }
    /* libnats gives OpenSSL's words about the certificate that the broker showed: 0 is the depth of its own.
     */
    const bool insecure = hr_nats_is_insecure(reason);
    if (insecure && strstr(words, "certificate has expired:depth=0"))
        return hr_fail(
            err, HR_E_IO,
            "the founder makes a new one with `hedgerow federation renew DIR --member broker`, and "
            "the broker reads it after `nats-server --signal reload`",
            "%s: the broker's certificate has expired", what);
    if (insecure)
        return hr_fail(err, HR_E_IO,
                       "check that the certificates and ca.pem are the current ones of this federation, that "
                       "none has expired, and that the URL names the broker's host",
                       "%s: no secure connection: %s", what, words);
    switch (reason) {
    case NATS_NOT_FOUND:
        return hr_fail(err, HR_E_IO, "run `hedgerow federation open` at the broker",
                       "%s: the broker has no such inbox: %s", what, words);
    case NATS_NO_RESPONDERS:
        return hr_fail(err, HR_E_IO, READ_TWICE "; then try again",
                       "%s: the broker does not pass on this member's requests", what);
    case NATS_MAX_PAYLOAD:
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "%s: the broker accepts no packets of this size",
                       what);
    default:
        return hr_fail(err, HR_E_IO,
                       "check that the broker runs and can be reached at its URL; then try again", "%s: %s",
                       what, words);
    }
}

hr_status hr_nats_fail_to_connect(const hr_nats_options *options, const hr_nats_link *link, natsStatus reason,
                                  hr_error *err) {
    char what[320], text[HR_VALIDITY_TEXT];
    snprintf(what, sizeof what, "cannot connect to %.256s", options->url);
    const int64_t now = (int64_t)time(NULL);
    const hr_validity own = hr_validity_of(options->name, options->certificate, options->authority);
    if (hr_nats_is_insecure(reason) && hr_validity_is_over(&own, now)) {
        hr_validity_text(&own, now, text);
        return hr_fail(err, HR_E_IO, hr_validity_remedy(&own), "%s: %s", what, text);
    }
    return hr_nats_fail(link, reason, what, err);
}

/* ---- The connection ---- */

/* Without a handler libnats prints errors. Those that matter are queried where they occur: see was_forbidden.
 */
static void ignore_error(natsConnection *connection, natsSubscription *subscription, natsStatus error,
                         void *user) {
    (void)connection, (void)subscription, (void)error, (void)user;
}

static natsStatus set_patience(natsOptions *settings) {
    natsStatus s = natsOptions_SetTimeout(settings, DIAL_MS);
    if (s == NATS_OK) s = natsOptions_SetMaxReconnect(settings, -1);
    if (s == NATS_OK) s = natsOptions_SetReconnectWait(settings, REDIAL_MS);
    if (s == NATS_OK) s = natsOptions_SetReconnectJitter(settings, JITTER_MS, JITTER_MS);
    if (s == NATS_OK) s = natsOptions_SetPingInterval(settings, PING_MS);
    if (s == NATS_OK) s = natsOptions_SetMaxPingsOut(settings, PINGS);
    if (s == NATS_OK) s = natsOptions_SetFailRequestsOnDisconnect(settings, true);
    if (s == NATS_OK) s = natsOptions_SetSendAsap(settings, true);
    if (s == NATS_OK) s = natsOptions_SetErrorHandler(settings, ignore_error, NULL);
    return s;
}

/* libnats has OpenSSL trust the authorities of the system as well: those that these variables name, when the
 * context of a connection is made. None is trusted but the federation's own. */
static const char *const trust_names[] = {"SSL_CERT_FILE", "SSL_CERT_DIR"};
enum { TRUST_NAMES = sizeof trust_names / sizeof *trust_names };

static pthread_mutex_t dial_turn = PTHREAD_MUTEX_INITIALIZER; /* to change the environment */

static natsStatus trust_authority(natsOptions *settings, const char *authority) {
    char *before[TRUST_NAMES] = {0};
    natsStatus s = NATS_OK;
    pthread_mutex_lock(&dial_turn);
    for (size_t i = 0; i < TRUST_NAMES; i++) {
        const char *value = getenv(trust_names[i]);
        before[i] = value ? strdup(value) : NULL;
        if (value && !before[i]) s = NATS_NO_MEMORY;
    }
    for (size_t i = 0; s == NATS_OK && i < TRUST_NAMES; i++)
        if (setenv(trust_names[i], "/dev/null", true)) s = NATS_NO_MEMORY;
    if (s == NATS_OK) s = natsOptions_SetSecure(settings, true);
    for (size_t i = 0; i < TRUST_NAMES; i++) {
        if (!before[i] || setenv(trust_names[i], before[i], true)) (void)unsetenv(trust_names[i]);
        free(before[i]);
    }
    pthread_mutex_unlock(&dial_turn);
    return s == NATS_OK ? natsOptions_LoadCATrustedCertificates(settings, authority) : s;
}

static natsStatus connect_to(const hr_nats_options *options, natsConnection **out) {
    char inbox[HR_NATS_NAME_MAX + 16];
    snprintf(inbox, sizeof inbox, "_INBOX_%s", options->name);
    natsOptions *settings = NULL;
    natsStatus s = natsOptions_Create(&settings);

    /* One broker, or those of a cluster, of which any will do. */
    const char *servers[HR_BROKERS_MAX];
    int count = 0;
    char *urls = strdup(options->url), *rest = NULL;
    for (char *at = urls ? strtok_r(urls, ",", &rest) : NULL; at && count < HR_BROKERS_MAX;
         at = strtok_r(NULL, ",", &rest))
        servers[count++] = at;
    if (s == NATS_OK) s = urls ? natsOptions_SetServers(settings, servers, count) : NATS_NO_MEMORY;
    free(urls);
    if (s == NATS_OK) s = natsOptions_SetName(settings, "hedgerow");
    if (s == NATS_OK) s = natsOptions_SetCustomInboxPrefix(settings, inbox);
    if (s == NATS_OK) s = trust_authority(settings, options->authority);
    if (s == NATS_OK)
        s = natsOptions_LoadCertificatesChain(settings, options->certificate, options->certificate_key);
    if (s == NATS_OK) s = natsOptions_SetIgnoreDiscoveredServers(settings, true);
    if (s == NATS_OK) s = set_patience(settings);
    if (s == NATS_OK) s = natsConnection_Connect(out, settings);
    natsOptions_Destroy(settings);
    return s;
}

static hr_status check_readable(const char *path, const char *what, hr_error *err) {
    if (!path)
        return hr_fail(
            err, HR_E_ARGUMENT,
            "name the files that `hedgerow federation init` made for this member: ca.pem, tls.pem, "
            "tls-key.pem",
            "no %s is named, and the broker requires one", what);
    if (access(path, R_OK) == 0) return HR_OK;
    hr_fail(err, HR_E_IO, "check the path and its permissions", "cannot read the %s: %s", what,
            strerror(errno));
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

static atomic_long nats_process; /* that has libnats's threads, which a forked one lacks; 0: none */

hr_status hr_nats_present(hr_error *err) {
    const long process = atomic_load(&nats_process);
    if (!process || process == (long)getpid()) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT,
                   "fork before the broker is used, or start a new program (in Python, multiprocessing "
                   "with 'spawn')",
                   "this process was forked from one that has used a broker, and cannot use one itself");
}

hr_status hr_nats_check(const hr_nats_options *options, hr_error *err) {
    assert(options && options->url && options->federation && options->name);
    long none = 0;
    (void)atomic_compare_exchange_strong(&nats_process, &none, (long)getpid());
    hr_status status = hr_nats_present(err);
    if (status) return status;
    const char *names[] = {options->federation, options->name};
    for (size_t i = 0; i < 2; i++) {
        if (hr_nats_name_fits(names[i])) continue;
        return hr_fail(err, HR_E_ARGUMENT,
                       "begin with a small letter or digit, and use at most 32 small letters, digits and '-'",
                       "'%.64s' is not a valid name of a %s", names[i], i ? "member" : "federation");
    }
    if (strncmp(options->url, "tls://", 6) != 0)
        return hr_fail(err, HR_E_ARGUMENT, "write it as tls://HOST:PORT",
                       "the broker's URL '%.200s' is not one of TLS", options->url);

    /* libnats gives no reason if it cannot read a file. */
    struct stat about = {0};
    status = check_readable(options->authority, "certificate", err);
    if (!status) status = check_readable(options->certificate, "certificate", err);
    if (!status) status = check_readable(options->certificate_key, "certificate's key", err);
    if (status || stat(options->certificate_key, &about)) return status;
    return hr_file_check_secret(options->certificate_key, about.st_mode, err);
}

static natsStatus connect_with_api(const hr_nats_options *options, const char *api, hr_nats_link *out) {
    jsOptions stream;
    *out = (hr_nats_link){0};
    natsStatus s = connect_to(options, &out->connection);
    if (s == NATS_OK) s = jsOptions_Init(&stream);
    stream.Prefix = api;
    stream.Wait = (int64_t)HR_NATS_SEND_SECONDS * 1000;
    return s == NATS_OK ? natsConnection_JetStream(&out->jetstream, out->connection, &stream) : s;
}

natsStatus hr_nats_connect(const hr_nats_options *options, hr_nats_link *out) {
    return connect_with_api(options, HR_NATS_API, out);
}

hr_status hr_nats_dial(const hr_nats_options *options, hr_nats_link *out, hr_error *err) {
    hr_nats_link link = {0};
    hr_status status = hr_nats_check(options, err);
    if (status) return status;
    natsStatus s = connect_with_api(options, "$JS.API", &link);
    if (s == NATS_OK) {
        *out = link;
        return HR_OK;
    }
    status = hr_nats_fail_to_connect(options, &link, s, err);
    hr_nats_hang_up(&link);
    return status;
}

void hr_nats_hang_up(hr_nats_link *link) {
    if (link->connection && hr_nats_connected(link))
        (void)natsConnection_FlushTimeout(link->connection, HANG_UP_MS);
    jsCtx_Destroy(link->jetstream);
    natsConnection_Destroy(link->connection);
    *link = (hr_nats_link){0};
}

bool hr_nats_connected(const hr_nats_link *link) {
    return natsConnection_Status(link->connection) == NATS_CONN_STATUS_CONNECTED;
}

uint64_t hr_nats_reconnects(const hr_nats_link *link) {
    natsStatistics *counts = NULL;
    uint64_t reconnects = 0, unused;
    natsStatus s = natsStatistics_Create(&counts);
    if (s == NATS_OK) s = natsConnection_GetStats(link->connection, counts);
    if (s == NATS_OK) s = natsStatistics_GetCounts(counts, &unused, &unused, &unused, &unused, &reconnects);
    natsStatistics_Destroy(counts);
    return s == NATS_OK ? reconnects : 0;
}
