/* The configuration of nats-server. Permissions are lists of what is allowed; everything else is refused.
 * They hold for members who go astray, not for the broker, which sees every sealed packet and may lose it. */
#include "base/buffer.h"
#include "federation/transport/broker.h"
#include "federation/transport/nats_link.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What one member's account may hold at the broker: its program has one connection with two subscriptions and
 * one more for the hellos of each other member, and a command has one more beside it; a lost connection is
 * there until the broker misses it. */
enum { CONNECTIONS_MAX = 16, SUBSCRIPTIONS_MAX = 1024 };

enum { PORT_MAX = 65535, CLUSTER_STEP = 2000, MONITOR_STEP = 4000 };

/* A port of the same machine beside the broker's, as those of nats-server: 4222, 6222 and 8222. */
static unsigned port_beside(unsigned port, unsigned step) {
    return port + step <= PORT_MAX ? port + step : port - step;
}

/* A broker whose address is local to this machine listens on that address only. */
static const char *listening_host(const char *host) {
    const bool is_local = !strcmp(host, "localhost") || !strcmp(host, "::1") || !strncmp(host, "127.", 4);
    return is_local ? host : "0.0.0.0";
}

static void write_server(hr_buffer *out, const char *federation, const hr_broker_address *address,
                         size_t index) {
    const hr_broker_host *broker = &address->brokers[index];
    char name[HR_BROKER_CONFIG], number[16] = "";
    hr_broker_config_name(index, name);
    if (address->count > 1) snprintf(number, sizeof number, "-%zu", index + 1);
    hr_buffer_format(
        out,
        "# The broker of the federation '%s' at %s. Start it in the folder of this file: nats-server -c %s\n"
        "# It carries sealed packets, and is not trusted with anything else.\n\n",
        federation, broker->host, name);
    hr_buffer_format(
        out,
        "host: \"%s\"\n"
        "port: %u\n"
        "server_name: \"hedgerow-%s%s\"\n"
        "max_payload: %d\n"
        "# For programs of this machine: /healthz, /varz, /connz, /jsz. It has no password; keep it local.\n"
        "http: \"127.0.0.1:%u\"\n\n"
        "tls {\n"
        "  cert_file: \"server.pem\"\n"
        "  key_file: \"server-key.pem\"\n"
        "  ca_file: \"ca.pem\"\n"
        "  # No client connects without a certificate of this federation; its subject alternative "
        "name is the user.\n"
        "  verify_and_map: true\n"
        "  timeout: 5\n"
        "}\n\n",
        listening_host(broker->host), broker->port, federation, number, HR_PACKET_MAX + HR_BROKER_FRAME,
        port_beside(broker->port, MONITOR_STEP));
}

/* A certificate of the federation alone makes no broker: its names must be those of the routes, which no
 * member's certificate has. */
static void write_cluster(hr_buffer *out, const char *federation, const hr_broker_address *address,
                          size_t index) {
    const hr_broker_host *own = &address->brokers[index];
    bool first = true;
    if (address->count == 1) return;
    hr_buffer_format(out,
                     "cluster {\n"
                     "  name: \"hedgerow-%s\"\n"
                     "  host: \"%s\"\n"
                     "  port: %u\n"
                     "  no_advertise: true\n"
                     "  tls {\n"
                     "    cert_file: \"server.pem\"\n"
                     "    key_file: \"server-key.pem\"\n"
                     "    ca_file: \"ca.pem\"\n"
                     "    # The other side has the certificate of a broker, not of a member.\n"
                     "    verify_cert_and_check_known_urls: true\n"
                     "    timeout: 5\n"
                     "  }\n"
                     "  routes: [",
                     federation, listening_host(own->host), port_beside(own->port, CLUSTER_STEP));
    for (size_t i = 0; i < address->count; i++) {
        const hr_broker_host *other = &address->brokers[i];
        if (i == index) continue;
        hr_buffer_format(out, "%s\"nats-route://%s:%u\"", first ? "" : ", ", other->host,
                         port_beside(other->port, CLUSTER_STEP));
        first = false;
    }
    hr_buffer_text(out, "]\n}\n\n");
}

void hr_broker_config_name(size_t index, char name[HR_BROKER_CONFIG]) {
    if (index)
        snprintf(name, HR_BROKER_CONFIG, "nats-%zu.conf", index + 1);
    else
        snprintf(name, HR_BROKER_CONFIG, "nats.conf");
}

/* What a member needs from the broker: to put packets into any inbox under its own name, and to empty its own
 * inbox. A subject begins as `local` in the member's account and as `served` in the broker's; then come the
 * federation, `middle`, the member, `end`. One request may have many answers. */
typedef struct service {
    const char *local, *served, *middle, *end;
    bool many;
} service;

static const service services[] = {
    {"fed.", "fed.", ".*.", "", false},
    {HR_NATS_API ".CONSUMER.INFO.", "$JS.API.CONSUMER.INFO.", ".", "", false},
    {HR_NATS_API ".CONSUMER.MSG.NEXT.", "$JS.API.CONSUMER.MSG.NEXT.", ".", "", true},
    {"$JS.ACK.", "$JS.ACK.", ".", ".>", false},
};

enum { SERVICES = sizeof services / sizeof *services };

static void write_user(hr_buffer *out, const char *name) {
    hr_buffer_format(out, "    users: [{ user: \"%s\", permissions {\n      publish { allow: [", name);
}

/* `more`: what it may subscribe to beside answers. */
static void end_user(hr_buffer *out, const char *name, const char *more) {
    hr_buffer_format(out, "] }\n      subscribe { allow: [\"_INBOX_%s.>\"%s] }\n    } }]\n", name, more);
}

static void write_subject(hr_buffer *out, const char *begin, const service *s, const char *f,
                          const char *name) {
    hr_buffer_format(out, "\"%s%s%s%s%s\"", begin, f, s->middle, name, s->end);
}

/* Hellos pass straight from one account to another: nats-server does not hand on to others what an account
 * got from another one. */
static void write_member(hr_buffer *out, const hr_broker_plan *plan, const char *name) {
    const char *f = plan->federation;
    char hellos[HR_NATS_NAME_MAX + 24];
    hr_buffer_format(out, "  %s {\n", name);
    snprintf(hellos, sizeof hellos, ", \"" HR_NATS_HELLO "%s.*\"", f);
    write_user(out, name);
    for (const service *s = services; s < services + SERVICES; s++) {
        if (s > services) hr_buffer_text(out, ", ");
        write_subject(out, s->local, s, f, name);
    }
    hr_buffer_format(out, ", \"" HR_NATS_HELLO "%s.%s\"", f, name);
    end_user(out, name, hellos);
    hr_buffer_format(out, "    exports: [{ stream: \"" HR_NATS_HELLO "%s.%s\" }]\n    imports: [\n", f, name);
    for (size_t i = 0; i < plan->member_count; i++) {
        const char *other = plan->members[i];
        if (strcmp(other, name) != 0)
            hr_buffer_format(out,
                             "      { stream: { account: \"%s\", subject: \"" HR_NATS_HELLO "%s.%s\" } }\n",
                             other, f, other);
    }
    for (const service *s = services; s < services + SERVICES; s++) {
        hr_buffer_text(out, "      { service: { account: \"" HR_BROKER_ACCOUNT "\", subject: ");
        write_subject(out, s->served, s, f, name);
        hr_buffer_text(out, " }, to: ");
        write_subject(out, s->local, s, f, name);
        hr_buffer_text(out, " }\n");
    }
    hr_buffer_format(out, "    ]\n    limits { max_connections: %d, max_subscriptions: %d }\n  }\n",
                     CONNECTIONS_MAX, SUBSCRIPTIONS_MAX);
}

/* Requests of the admin, all of them about the federation's stream, whose name stands before `rest`. */
static const struct {
    const char *request, *rest;
} admin_requests[] = {
    {"STREAM.CREATE.", ""},   {"STREAM.UPDATE.", ""},
    {"STREAM.INFO.", ""},     {"STREAM.PURGE.", ""},
    {"DIRECT.GET.", ""},      {"CONSUMER.CREATE.", ".>"},
    {"CONSUMER.INFO.", ".>"}, {"CONSUMER.DURABLE.CREATE.", ".>"},
};

/* The broker publishes its answers in its own name wherever a request wants them. So each member has an
 * account of its own, where nothing is stored: an answer cannot leave it. */
static void write_accounts(hr_buffer *out, const hr_broker_plan *plan) {
    const char *f = plan->federation;
    hr_buffer_text(out, "authorization { timeout: 5 }\n\naccounts {\n  " HR_BROKER_ACCOUNT
                        " {\n    jetstream: enabled\n");
    write_user(out, HR_BROKER_ADMIN);
    for (size_t i = 0; i < sizeof admin_requests / sizeof *admin_requests; i++)
        hr_buffer_format(out, "%s\"$JS.API.%s%s%s\"", i ? ", " : "", admin_requests[i].request, f,
                         admin_requests[i].rest);
    end_user(out, HR_BROKER_ADMIN, "");
    hr_buffer_text(out, "    exports: [\n");
    for (size_t i = 0; i < plan->member_count; i++)
        for (const service *s = services; s < services + SERVICES; s++) {
            hr_buffer_text(out, "      { service: ");
            write_subject(out, s->served, s, f, plan->members[i]);
            hr_buffer_format(out, ", accounts: [\"%s\"]%s }\n", plan->members[i],
                             s->many ? ", response: stream" : "");
        }
    hr_buffer_text(out, "    ]\n  }\n");
    for (size_t i = 0; i < plan->member_count; i++) write_member(out, plan, plan->members[i]);
    hr_buffer_text(out, "}\n");
}

hr_status hr_broker_config(const hr_broker_plan *plan, size_t index, char **out, hr_error *err) {
    assert(plan && hr_nats_name_fits(plan->federation) && (plan->members || !plan->member_count) && out);
    assert(index < plan->address->count);
    const int64_t needed = hr_broker_share_of(plan->member_count).store;
    char number[16] = "";
    hr_buffer text = {0};
    write_server(&text, plan->federation, plan->address, index);
    if (index) snprintf(number, sizeof number, "-%zu", index + 1);
    hr_buffer_format(&text,
                     "# nats-server 2.9 brings packets to the disk every two minutes: a power cut may lose "
                     "what it took since. Members keep\n"
                     "# what they sent until the receiver itself has confirmed it, and send it again.\n"
                     "jetstream {\n"
                     "  store_dir: \"store%s\"\n"
                     "  max_memory_store: 64MB\n"
                     "  max_file_store: %lld\n"
                     "}\n\n",
                     number, (long long)(needed > HR_BROKER_STORE ? needed : HR_BROKER_STORE));
    write_cluster(&text, plan->federation, plan->address, index);
    write_accounts(&text, plan);
    return hr_buffer_take(&text, out, err);
}
