/* Opening a link over ZeroMQ: its key, its socket, its address. */
#include "base/text/text.h"
#include "trees/cluster/zeromq_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUED = 8, LINGER_MS = 5000, JOIN_SECONDS = 60, SILENCE_SECONDS = 30 };
static const char monitor_address[] = "inproc://connections";
static const char domain[] = "hedgerow ranks join";

static bool read_key(const char *text, uint8_t key[HR_ZEROMQ_KEY]) {
    static const char digits[] = "0123456789abcdef";
    if (!text || strlen(text) != 2 * HR_ZEROMQ_KEY) return false;
    for (size_t i = 0; i < 2 * HR_ZEROMQ_KEY; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit) return false;
        key[i / 2] = (uint8_t)(key[i / 2] << 4 | (digit - digits));
    }
    return true;
}

hr_status hr_cluster_key(char key[HR_CLUSTER_KEY_TEXT], hr_error *err) {
    char shown[41], secret[41];
    uint8_t bytes[HR_ZEROMQ_KEY];
    if (zmq_curve_keypair(shown, secret) || !zmq_z85_decode(bytes, secret))
        return hr_fail(err, HR_E_ABSENT, "install a ZeroMQ with CURVE, by libsodium",
                       "this ZeroMQ has no encryption");
    hr_text_hex(bytes, sizeof bytes, key);
    return HR_OK;
}

/* One key pair for all ranks: rank 0 proves by it that it has the job's key, and the others in their first
 * message. */
static hr_status set_keys(hr_zeromq_link *link, const char *text, hr_error *err) {
    uint8_t key[HR_ZEROMQ_KEY] = {0};
    char secret[41], shown[41];
    const int server = 1;
    if (!read_key(text, key))
        return hr_fail(err, HR_E_ARGUMENT, "take what hr_cluster_key makes, or 'openssl rand -hex 32'",
                       "the key of the ranks is not 64 hexadecimal digits");
    link->proof = hr_digest_of(domain, key, sizeof key);
    int failed = !zmq_z85_encode(secret, key, sizeof key) || zmq_curve_public(shown, secret);
    if (!failed && !link->rank)
        failed = zmq_setsockopt(link->socket, ZMQ_CURVE_SERVER, &server, sizeof server);
    else if (!failed)
        failed = zmq_setsockopt(link->socket, ZMQ_CURVE_SERVERKEY, shown, sizeof shown) ||
                 zmq_setsockopt(link->socket, ZMQ_CURVE_PUBLICKEY, shown, sizeof shown);
    if (!failed) failed = zmq_setsockopt(link->socket, ZMQ_CURVE_SECRETKEY, secret, sizeof secret);
    if (!failed) return HR_OK;
    return hr_fail(err, HR_E_ABSENT, "install a ZeroMQ with CURVE, by libsodium",
                   "this ZeroMQ has no encryption");
}

static hr_status set_socket(hr_zeromq_link *link, hr_error *err) {
    const int no_limit = 0; /* reports that nobody takes would hold the thread of ZeroMQ up */
    const int64_t largest = HR_CLUSTER_BYTES_MAX + 1024; /* and what encryption adds */
    const struct {
        int option, value;
    } options[] = {{ZMQ_LINGER, LINGER_MS},
                   {ZMQ_SNDHWM, QUEUED},
                   {ZMQ_RCVHWM, QUEUED},
                   {ZMQ_SNDTIMEO, HR_ZEROMQ_ATTEMPT_MS},
                   {ZMQ_HEARTBEAT_IVL, (int)(link->silence_ms / 3)},
                   {ZMQ_HEARTBEAT_TIMEOUT, (int)link->silence_ms},
                   {ZMQ_IPV6, strchr(link->address, '[') != NULL},
                   {ZMQ_ROUTER_MANDATORY, 1}};
    int failed = zmq_setsockopt(link->socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
    for (size_t i = 0; i + (link->rank != 0) < sizeof options / sizeof *options; i++)
        failed |= zmq_setsockopt(link->socket, options[i].option, &options[i].value, sizeof(int));
    failed |= zmq_socket_monitor(link->socket, monitor_address,
                                 ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                     ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
    failed |= zmq_setsockopt(link->monitor, ZMQ_RCVHWM, &no_limit, sizeof no_limit) ||
              zmq_connect(link->monitor, monitor_address);
    return failed ? hr_fail(err, HR_E_IO, "", "ZeroMQ: %s", zmq_strerror(zmq_errno())) : HR_OK;
}

/* Rank 0 listens at an address that is a number or an interface; a host's name is that of all its addresses.
 */
static hr_status set_address(hr_zeromq_link *link, hr_error *err) {
    size_t room = sizeof link->address;
    const char *port = strrchr(link->address, ':');
    char any[32];
    int failed =
        link->rank ? zmq_connect(link->socket, link->address) : zmq_bind(link->socket, link->address);
    if (failed && !link->rank && zmq_errno() == ENODEV && port && strlen(port) < 8) {
        snprintf(any, sizeof any, "tcp://*%s", port);
        failed = zmq_bind(link->socket, any);
    }
    if (!failed && !link->rank)
        failed = zmq_getsockopt(link->socket, ZMQ_LAST_ENDPOINT, link->address, &room);
    if (!failed) return HR_OK;
    return hr_fail(err, HR_E_IO, "write it as tcp://HOST:PORT", "cannot %s %s: %s",
                   link->rank ? "reach" : "listen at", link->address, zmq_strerror(zmq_errno()));
}

static hr_status open_sockets(hr_zeromq_link *link, const hr_cluster_zeromq *options, hr_error *err) {
    snprintf(link->address, sizeof link->address, "%s", options->address);
    link->peers = calloc(link->size, sizeof *link->peers);
    link->context = zmq_ctx_new();
    if (link->context) link->socket = zmq_socket(link->context, link->rank ? ZMQ_DEALER : ZMQ_ROUTER);
    if (link->context) link->monitor = zmq_socket(link->context, ZMQ_PAIR);
    if (!link->peers || !link->socket || !link->monitor) return hr_fail_memory(err);
    hr_status status = set_keys(link, options->key, err);
    if (!status) status = set_socket(link, err);
    return status ? status : set_address(link, err);
}

static hr_status check_address(const hr_cluster_zeromq *o, hr_error *err) {
    const char *colon = o->address ? strrchr(o->address, ':') : NULL;
    unsigned port = 0;
    if (!o->address || strncmp(o->address, "tcp://", 6) != 0 || strlen(o->address) >= HR_ZEROMQ_NAME ||
        !hr_port_parse(colon + 1, &port))
        return hr_fail(err, HR_E_ARGUMENT, "write it as tcp://HOST:PORT, with a port up to 65535",
                       "'%.100s' is not an address", o->address ? o->address : "");
    if (!o->rank || port) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "give it the address with that port",
                   "rank %zu needs the port that rank 0 printed", o->rank);
}

static hr_status check_options(const hr_cluster_zeromq *o, hr_error *err) {
    if (o->rank >= o->size || o->size > HR_CLUSTER_RANKS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "ranks are numbered from 0 on", "rank %zu of %zu ranks", o->rank,
                       o->size);
    hr_status status = check_address(o, err);
    if (status) return status;
    if (o->join_seconds >= 0 && o->silence_seconds >= 0 && o->join_seconds <= HR_CLUSTER_SECONDS_MAX &&
        o->silence_seconds <= HR_CLUSTER_SECONDS_MAX)
        return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "", "times are from 0 to %d seconds", HR_CLUSTER_SECONDS_MAX);
}

hr_status hr_cluster_zeromq_open(const hr_cluster_zeromq *options, hr_cluster_link *out, hr_error *err) {
    hr_status status = check_options(options, err);
    if (status) return status;
    hr_zeromq_link *link = calloc(1, sizeof *link);
    if (!link) return hr_fail_memory(err);
    link->rank = options->rank;
    link->size = options->size;
    link->gone = SIZE_MAX;
    link->should_continue = options->should_continue;
    link->user = options->user;
    link->join_ms = (int64_t)(1000 * (options->join_seconds > 0 ? options->join_seconds : JOIN_SECONDS));
    link->silence_ms =
        (int64_t)(1000 * (options->silence_seconds > 0 ? options->silence_seconds : SILENCE_SECONDS));
    status = open_sockets(link, options, err);
    if (status) {
        hr_zeromq_table(link).close(link);
        return status;
    }
    *out = hr_zeromq_table(link);
    return HR_OK;
}
