/* Permissions are lists of what is allowed; everything else is refused. They hold for members who go astray,
 * not for the broker, which sees every sealed packet and may lose it. */
#include "transport/broker.h"

#include "base/buffer.h"
#include "transport/nats_link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME = 4096, /* bytes that a broker puts around a packet */
    NAME = HR_NATS_NAME_MAX + 1,
    SUBJECT = 2 * NAME + 16
};

static const int64_t stream_bytes = (int64_t)4 << 30; /* of all packets that wait */

/* ---- The configuration ---- */

static bool is_this_machine(const char *host) {
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 || strncmp(host, "127.", 4) == 0;
}

/* A broker whose address is local to this machine listens on that address only. */
static void write_server(hr_buffer *out, const char *federation, const hr_broker_address *address) {
    hr_buffer_format(
        out,
        "# The broker of the federation '%s'. Start it in the folder of this file: nats-server -c nats.conf\n"
        "# It carries sealed packets, and is not trusted with anything else.\n\n",
        federation);
    if (is_this_machine(address->host)) {
        hr_buffer_format(out, "host: \"%s\"\n", address->host);
    } else {
        hr_buffer_text(out, "host: \"0.0.0.0\"\n");
    }
    hr_buffer_format(
        out,
        "port: %u\n"
        "server_name: \"hedgerow-%s\"\n"
        "max_payload: %d\n\n"
        "tls {\n"
        "  cert_file: \"server.pem\"\n"
        "  key_file: \"server-key.pem\"\n"
        "  ca_file: \"ca.pem\"\n"
        "  # No client connects without a certificate of this federation; its subject alternative "
        "name is the user.\n"
        "  verify_and_map: true\n"
        "  timeout: 5\n"
        "}\n\n"
        "# nats-server 2.9 brings packets to the disk every two minutes: a power cut may lose "
        "what it took since. Members keep\n"
        "# what they sent until the receiver itself has confirmed it, and send it again.\n"
        "jetstream {\n"
        "  store_dir: \"store\"\n"
        "  max_memory_store: 64MB\n"
        "  max_file_store: %lld\n"
        "}\n\n",
        address->port, federation, HR_PACKET_MAX + FRAME, (long long)stream_bytes + stream_bytes / 4);
}

static void begin_user(hr_buffer *out, const char *name) {
    hr_buffer_format(out, "    {\n      user: \"%s\"\n      permissions {\n        publish { allow: [", name);
}

static void end_user(hr_buffer *out, const char *name) {
    hr_buffer_format(out, "] }\n        subscribe { allow: [\"_INBOX_%s.>\"] }\n      }\n    }\n", name);
}

/* To any member, under its own name; from its own inbox. */
static void write_member(hr_buffer *out, const char *f, const char *name) {
    begin_user(out, name);
    hr_buffer_format(out,
                     "\"fed.%s.*.%s\", \"$JS.API.CONSUMER.INFO.%s.%s\", \"$JS.API.CONSUMER.MSG.NEXT.%s.%s\", "
                     "\"$JS.ACK.%s.%s.>\"",
                     f, name, f, name, f, name, f, name);
    end_user(out, name);
}

static void write_admin(hr_buffer *out, const char *f) {
    begin_user(out, HR_BROKER_ADMIN);
    hr_buffer_format(
        out, "\"$JS.API.STREAM.CREATE.%s\", \"$JS.API.STREAM.UPDATE.%s\", \"$JS.API.STREAM.INFO.%s\", ", f, f,
        f);
    hr_buffer_format(out,
                     "\"$JS.API.CONSUMER.CREATE.%s.>\", \"$JS.API.CONSUMER.DURABLE.CREATE.%s.>\", "
                     "\"$JS.API.CONSUMER.INFO.%s.>\"",
                     f, f, f);
    end_user(out, HR_BROKER_ADMIN);
}

hr_status hr_broker_config(const char *federation, const hr_broker_address *address,
                           const char *const *members, size_t member_count, char **out, hr_error *err) {
    assert(hr_nats_name_fits(federation) && address && (members || !member_count) && out);
    hr_buffer text = {0};
    write_server(&text, federation, address);
    hr_buffer_text(&text, "authorization {\n  timeout: 5\n  users: [\n");
    write_admin(&text, federation);
    for (size_t i = 0; i < member_count; i++) write_member(&text, federation, members[i]);
    hr_buffer_text(&text, "  ]\n}\n");
    return hr_buffer_take(&text, out, err);
}

/* ---- Stream and inboxes ---- */

/* The inboxes of a federation's members. */
typedef struct inboxes {
    const char *federation;
    const char *const *members;
    const char **subjects; /* subjects[i]: the packets to members[i] */
    int count;
    int ack_seconds; /* a packet that is not acknowledged for so long is delivered again */
} inboxes;

/* A packet to a name that is no member's belongs to no stream, so that sending it fails. */
static natsStatus make_stream(const hr_nats_link *link, const inboxes *all) {
    jsStreamConfig wishes;
    jsErrCode code = 0;
    natsStatus s = jsStreamConfig_Init(&wishes);
    if (s != NATS_OK) return s;
    wishes.Name = all->federation;
    wishes.Subjects = all->subjects;
    wishes.SubjectsLen = all->count;
    wishes.Retention = js_WorkQueuePolicy;
    wishes.Storage = js_FileStorage;
    wishes.Discard = js_DiscardNew;
    wishes.MaxBytes = stream_bytes;
    wishes.MaxMsgsPerSubject = HR_BROKER_INBOX_PACKETS;
    wishes.DiscardNewPerSubject = true;
    wishes.MaxMsgSize = HR_PACKET_MAX + FRAME;
    jsStreamInfo *present = NULL;
    s = js_GetStreamInfo(&present, link->jetstream, all->federation, NULL, &code);
    jsStreamInfo_Destroy(present);
    if (s == NATS_NOT_FOUND) return js_AddStream(NULL, link->jetstream, &wishes, NULL, &code);
    return s == NATS_OK ? js_UpdateStream(NULL, link->jetstream, &wishes, NULL, &code) : s;
}

static natsStatus make_inbox(const hr_nats_link *link, const inboxes *all, int member) {
    jsConsumerConfig wishes;
    jsErrCode code = 0;
    natsStatus s = jsConsumerConfig_Init(&wishes);
    if (s != NATS_OK) return s;
    wishes.Durable = all->members[member];
    wishes.FilterSubject = all->subjects[member];
    wishes.AckPolicy = js_AckExplicit;
    wishes.AckWait = (int64_t)all->ack_seconds * 1000000000;
    wishes.MaxDeliver = -1;
    return js_AddConsumer(NULL, link->jetstream, all->federation, &wishes, NULL, &code);
}

static hr_status make_inboxes(const hr_nats_link *link, const inboxes *all, hr_error *err) {
    natsStatus s = make_stream(link, all);
    if (s != NATS_OK) return hr_nats_fail(link, s, "cannot create the stream of the federation", err);
    for (int i = 0; i < all->count; i++) {
        s = make_inbox(link, all, i);
        if (s == NATS_OK) continue;
        char what[NAME + 32];
        snprintf(what, sizeof what, "cannot create the inbox of '%s'", all->members[i]);
        return hr_nats_fail(link, s, what, err);
    }
    return HR_OK;
}

hr_status hr_broker_prepare(const hr_nats_options *admin, const char *const *members, size_t member_count,
                            int ack_seconds, hr_error *err) {
    assert(admin && members && member_count && ack_seconds > 0);
    hr_nats_link link = {0};
    char(*texts)[SUBJECT] = malloc(member_count * sizeof *texts);
    const char **subjects = malloc(member_count * sizeof *subjects);
    hr_status status = texts && subjects ? hr_nats_dial(admin, &link, err) : hr_fail_memory(err);
    if (!status) {
        for (size_t i = 0; i < member_count; i++) {
            snprintf(texts[i], SUBJECT, "fed.%s.%s.*", admin->federation, members[i]);
            subjects[i] = texts[i];
        }
        const inboxes all = {admin->federation, members, subjects, (int)member_count, ack_seconds};
        status = make_inboxes(&link, &all, err);
    }
    hr_nats_hang_up(&link);
    free(subjects);
    free(texts);
    return status;
}
