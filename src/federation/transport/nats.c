/* One member's end of a broker. libnats's acknowledged publication and pull consumers do the work; what is
 * decided here is that no answer is no success, and that nothing the broker sends can do more than fail. */
#include "federation/transport/nats.h"

#include "federation/transport/broker.h"
#include "federation/transport/nats_hello.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FETCH_MS = 1000,    /* a request dies with its connection: it is repeated so often */
    LOOK_AGAIN_MS = 20, /* while there is no connection */
    BATCH = 32,         /* packets of one request */
    PENDING = 64,       /* messages that wait to be handed out */
    REFUSALS_MAX = 3,   /* of a secure connection */
    REFUSED_MAX = 900,  /* packets. A broker gives out no more while 1000 are not acknowledged */
    SUBJECT = 3 * (HR_NATS_NAME_MAX + 1) + 8
};

/* A packet that is with the caller. */
typedef struct held {
    natsMsg *message;
    struct held *next, **link;
} held;

/* A packet that was refused, and is not yet acknowledged. */
typedef struct refused {
    struct refused *next;
    int64_t until; /* milliseconds, as nats_Now */
    char reply[];
} refused;

/* A receiver whose inbox takes no more packets of this member. */
typedef struct full_inbox {
    struct full_inbox *next;
    char name[HR_NATS_NAME_MAX + 1];
} full_inbox;

typedef struct nats_end {
    hr_transport base; /* first */
    hr_nats_link link;
    natsSubscription *inbox;
    char replies[HR_NATS_NAME_MAX + 48]; /* subjects below it are those that requests are answered at */
    char reply[HR_NATS_NAME_MAX + 72];   /* of the last request */
    uint64_t requests;
    int batch;            /* packets of one request */
    int wanted;           /* packets that the last one may still bring; 0: it has ended */
    int64_t request_ends; /* milliseconds, as nats_Now, after which it is not waited for */
    uint64_t reconnects;  /* before it */
    natsMsg *fetched;     /* waits to be handed out, or NULL */
    held *out;
    refused *refused, **last_refused; /* in the order of their ends */
    int refused_count;
    int refused_ms; /* hr_nats_options.refused_ms */
    full_inbox *full;
    hr_nats_presence presence;
    int share; /* packets that an inbox takes */
    const hr_log *log;
    char federation[HR_NATS_NAME_MAX + 1], name[HR_NATS_NAME_MAX + 1];
} nats_end;

/* ---- Sending ---- */

static full_inbox **find_full(nats_end *end, const char *to) {
    full_inbox **at = &end->full;
    while (*at && strcmp((*at)->name, to)) at = &(*at)->next;
    return at;
}

static void forget_full(full_inbox **at) {
    full_inbox *entry = *at;
    if (!entry) return;
    *at = entry->next;
    free(entry);
}

static hr_status fail_full(nats_end *end, const char *to, hr_error *err) {
    hr_error why = {0};
    hr_status status = hr_fail(
        &why, HR_E_POLICY,
        "see that its program runs; the founder can look into inboxes with `hedgerow federation show` "
        "and empty them with `hedgerow federation purge`",
        "'%s' has not read %d packets that '%s' sent before, and the broker keeps no more", to, end->share,
        end->name);

    /* Logs it once; without memory, again. */
    full_inbox **at = find_full(end, to);
    if (!*at) {
        hr_log_format(end->log, HR_LOG_WARNING, NULL, "%s; %s", why.message, why.remedy);
        *at = calloc(1, sizeof **at);
        if (*at) snprintf((*at)->name, sizeof(*at)->name, "%s", to);
    }
    if (err) *err = why;
    return status;
}

static hr_status fail_to_send(nats_end *end, const char *to, natsStatus reason, jsErrCode code,
                              hr_error *err) {
    char what[HR_NATS_NAME_MAX + 32];
    const char *said = nats_GetLastError(NULL);
    if (code == JSStreamStoreFailedErr && said && strstr(said, "per subject")) return fail_full(end, to, err);
    snprintf(what, sizeof what, "cannot send to '%s'", to);
    if (reason == NATS_TIMEOUT && hr_nats_connected(&end->link)) {
        return hr_fail(
            err, HR_E_IO,
            "if packets to others arrive, run `hedgerow federation open` at the broker, which makes "
            "the inboxes of new members",
            "%s: the broker did not answer within %d s", what, HR_NATS_SEND_SECONDS);
    }
    return hr_nats_fail(&end->link, reason, what, err);
}

static hr_status check_packet(const char *to, size_t size, hr_error *err) {
    if (!hr_nats_name_fits(to))
        return hr_fail(err, HR_E_ARGUMENT, "take it from the federation file",
                       "'%.64s' is not a valid name of a member", to);
    if (!size || size > HR_PACKET_MAX)
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a packet has 1 to %d bytes, not %zu",
                       HR_PACKET_MAX, size);
    return HR_OK;
}

static void subject_of(const nats_end *end, const char *to, char subject[SUBJECT]) {
    snprintf(subject, SUBJECT, "fed.%s.%s.%s", end->federation, to, end->name);
}

static hr_status send_packet(hr_transport *self, const char *to, const void *bytes, size_t size,
                             hr_error *err) {
    nats_end *end = (nats_end *)self;
    char subject[SUBJECT];
    hr_status status = check_packet(to, size, err);
    if (status) return status;
    subject_of(end, to, subject);
    if (!hr_nats_connected(&end->link)) return fail_to_send(end, to, NATS_CONNECTION_DISCONNECTED, 0, err);
    jsPubOptions options;
    jsErrCode code = 0;
    natsStatus s = jsPubOptions_Init(&options);
    options.ExpectStream = end->federation;
    if (s == NATS_OK) s = js_Publish(NULL, end->link.jetstream, subject, bytes, (int)size, &options, &code);
    if (s != NATS_OK) return fail_to_send(end, to, s, code, err);
    forget_full(find_full(end, to));
    return HR_OK;
}

static hr_status post_packet(hr_transport *self, const char *to, const void *bytes, size_t size,
                             hr_error *err) {
    nats_end *end = (nats_end *)self;
    char subject[SUBJECT];
    hr_status status = check_packet(to, size, err);
    if (status) return status;
    subject_of(end, to, subject);
    natsStatus s = hr_nats_connected(&end->link)
                       ? natsConnection_Publish(end->link.connection, subject, bytes, (int)size)
                       : NATS_CONNECTION_DISCONNECTED;
    return s == NATS_OK ? HR_OK : fail_to_send(end, to, s, 0, err);
}

/* ---- Receiving ---- */

/* As natsMsg_Ack and its kin, which know only messages of a subscription. */
static void answer_broker(const nats_end *end, natsMsg *message, const char *word) {
    (void)natsConnection_PublishString(end->link.connection, natsMsg_GetReply(message), word);
    natsMsg_Destroy(message);
}

/* The broker's own words go nowhere. */
static void give_back(const nats_end *end, natsMsg *message) {
    if (natsMsg_GetReply(message))
        answer_broker(end, message, "-NAK");
    else
        natsMsg_Destroy(message);
}

/* What waits goes back to the broker, which also forgets requests for which nobody listens any more. */
static void leave_inbox(nats_end *end) {
    natsMsg *waiting[PENDING];
    int count = 0;
    if (!end->inbox) return;
    while (count < PENDING && natsSubscription_NextMsg(&waiting[count], end->inbox, 0) == NATS_OK) count++;
    (void)natsSubscription_Unsubscribe(end->inbox); /* first, or what is given back would come here again */
    while (count--) give_back(end, waiting[count]);
    natsSubscription_Destroy(end->inbox);
    end->inbox = NULL;
    end->wanted = 0;
}

/* Where the broker's answers to requests come. */
static natsStatus enter_inbox(nats_end *end) {
    char subjects[sizeof end->replies + 2];
    natsInbox *unique = NULL;
    natsStatus s = natsInbox_Create(&unique);
    if (s != NATS_OK) return s;
    snprintf(end->replies, sizeof end->replies, "_INBOX_%s.%s", end->name, strrchr(unique, '.') + 1);
    snprintf(subjects, sizeof subjects, "%s.*", end->replies);
    natsInbox_Destroy(unique);
    s = natsConnection_SubscribeSync(&end->inbox, end->link.connection, subjects);
    if (s != NATS_OK) return s;
    return natsSubscription_SetPendingLimits(end->inbox, PENDING, PENDING * (HR_PACKET_MAX / 2));
}

/* The broker passes on no more answers to a request after an empty one; with the configuration of an earlier
 * version, after the first one. What it sends then comes again, some time later: no more is requested than
 * one packet. */
static natsStatus go_one_by_one(nats_end *end, const char *why) {
    if (end->batch == 1) return NATS_OK;
    hr_log_format(end->log, HR_LOG_WARNING, NULL,
                  "%s: from now on the broker is asked for one packet at a time, which is slower", why);
    end->batch = 1;
    leave_inbox(end);
    return enter_inbox(end);
}

/* A request has no end that is seen if answers to it were not passed on. */
static natsStatus look_at_last_request(nats_end *end) {
    const uint64_t reconnects = hr_nats_reconnects(&end->link);
    const bool cut_short = end->wanted && end->wanted < end->batch && end->reconnects == reconnects;
    end->reconnects = reconnects;
    return cut_short ? go_one_by_one(end, "the broker's nats.conf is of an earlier version of Hedgerow")
                     : NATS_OK;
}

/* Requests packets, of which the broker sends those that are there, and others as they come, until the time
 * is over; at once: only those that are there. A request ends with a message without a reply subject;
 * ends of earlier requests are not looked at. */
static natsStatus request_packets(nats_end *end, bool at_once) {
    char subject[SUBJECT + 32], request[96];
    natsStatus s = end->inbox ? look_at_last_request(end) : enter_inbox(end);
    if (s != NATS_OK) return s;
    snprintf(subject, sizeof subject, HR_NATS_API ".CONSUMER.MSG.NEXT.%s.%s", end->federation, end->name);
    snprintf(end->reply, sizeof end->reply, "%s.%" PRIu64, end->replies, ++end->requests);
    if (at_once)
        snprintf(request, sizeof request, "{\"batch\":%d,\"no_wait\":true}", end->batch);
    else
        snprintf(request, sizeof request, "{\"batch\":%d,\"expires\":%d000000}", end->batch, FETCH_MS);
    s = natsConnection_PublishRequestString(end->link.connection, subject, end->reply, request);
    end->wanted = s == NATS_OK ? end->batch : 0;
    end->request_ends = nats_Now() + 2 * FETCH_MS;
    return s;
}

/* The end of a request. Nobody may have received it: then the broker does not serve this member. */
static natsStatus end_request(nats_end *end, natsMsg *message) {
    const char *code = NULL;
    natsStatus s = NATS_OK;
    if (natsMsgHeader_Get(message, "Status", &code) != NATS_OK) code = "";
    if (!strcmp(natsMsg_GetSubject(message), end->reply)) {
        end->wanted = 0;
        s = !strcmp(code, "404") || !strcmp(code, "408") ? NATS_TIMEOUT
            : !strcmp(code, "503")                       ? NATS_NO_RESPONDERS
                                                         : NATS_ERR;
    }
    natsMsg_Destroy(message);
    return s;
}

/* Takes one message, packet or word of the broker's, within so many milliseconds. */
static natsStatus next_message(nats_end *end, int64_t milliseconds) {
    natsMsg *message = NULL;
    natsStatus s = natsSubscription_NextMsg(&message, end->inbox, milliseconds);
    if (s == NATS_SLOW_CONSUMER) return NATS_OK; /* more than was requested */
    if (s != NATS_OK) return s;
    if (!natsMsg_GetReply(message)) return end_request(end, message);
    end->fetched = message;
    if (end->wanted) end->wanted--;
    return natsMsg_GetDataLength(message) ? NATS_OK : go_one_by_one(end, "a member sends empty packets");
}

/* What answers to the last request have come here, up to the first packet. */
static natsStatus take_come(nats_end *end) {
    natsStatus s = NATS_OK;
    while (s == NATS_OK && end->wanted && !end->fetched) s = next_message(end, 0);
    return s == NATS_TIMEOUT ? NATS_OK : s;
}

/* Requests packets unless one is here, or a request is open. Who was busy for long has the answers to its
 * last request to read first, and those that are on their way: without its end it would look cut short. */
static natsStatus renew_request(nats_end *end, bool at_once) {
    natsStatus s = take_come(end);
    if (s != NATS_OK || end->fetched || (end->wanted && nats_Now() < end->request_ends)) return s;
    if (!hr_nats_connected(&end->link)) return NATS_CONNECTION_DISCONNECTED;
    if (end->wanted) s = natsConnection_FlushTimeout(end->link.connection, FETCH_MS);
    if (s == NATS_OK) s = take_come(end);
    return s == NATS_OK && !end->fetched ? request_packets(end, at_once) : s;
}

/* What has come already: if nothing was requested, the broker answers at once. */
static natsStatus fetch_now(nats_end *end) {
    const uint64_t before = end->requests;
    natsStatus s = renew_request(end, true);
    while (s == NATS_OK && !end->fetched) s = next_message(end, end->requests > before ? FETCH_MS : 0);
    return s;
}

/* What has come here already. If nothing is requested, what is requested now comes later. */
static natsStatus fetch_come(nats_end *end) {
    natsStatus s = take_come(end);
    if (s == NATS_OK && !end->wanted && !end->fetched) s = renew_request(end, false);
    while (s == NATS_OK && !end->fetched) s = next_message(end, 0);
    return s;
}

/* Fetches until something came or the time is over; what hindered it then is the answer, NATS_TIMEOUT if
 * nothing did. */
static natsStatus fetch_until(nats_end *end, int64_t deadline) {
    for (;;) {
        const int64_t left = deadline - nats_Now(), slice = left < 1 ? 1 : left < FETCH_MS ? left : FETCH_MS;
        natsStatus s = renew_request(end, false);
        if (s == NATS_OK && !end->fetched) s = next_message(end, slice);
        if (s == NATS_OK && end->fetched) return NATS_OK;
        if (natsConnection_IsClosed(end->link.connection)) return NATS_CONNECTION_CLOSED;
        if (nats_Now() >= deadline) return s == NATS_OK ? NATS_TIMEOUT : s;
        if (s != NATS_OK && s != NATS_TIMEOUT) nats_Sleep(left < LOOK_AGAIN_MS ? left : LOOK_AGAIN_MS);
    }
}

/* ---- Packets that are refused ----
 *
 * Until the broker has their acknowledgement, they count in the sender's share of this inbox, above which it
 * takes no more of that sender. So one member's packets that are refused come at the rate of one share for
 * each HR_NATS_REFUSED_MS, however fast it sends, and those of the others wait for no more than that share.
 */

static void release_refused(nats_end *end, int64_t now, int max) {
    while (end->refused && (end->refused->until <= now || end->refused_count > max)) {
        refused *first = end->refused;
        (void)natsConnection_PublishString(end->link.connection, first->reply, "+ACK");
        end->refused = first->next;
        if (!end->refused) end->last_refused = &end->refused;
        end->refused_count--;
        free(first);
    }
}

/* Destroys the message. Without memory it is acknowledged at once. */
static void refuse_message(nats_end *end, natsMsg *message) {
    const char *reply = natsMsg_GetReply(message);
    const size_t size = strlen(reply) + 1;
    refused *made = malloc(sizeof *made + size);
    if (!made) {
        answer_broker(end, message, "+ACK");
        return;
    }
    *made = (refused){.until = nats_Now() + end->refused_ms};
    memcpy(made->reply, reply, size);
    *end->last_refused = made;
    end->last_refused = &made->next;
    end->refused_count++;
    natsMsg_Destroy(message);
}

/* Hands out what was fetched, if there is something. What can be no packet is refused. */
static hr_status hand_out(nats_end *end, hr_packet *out, hr_error *err) {
    natsMsg *message = end->fetched;
    if (!message) return HR_OK;
    const int size = natsMsg_GetDataLength(message);
    if (size <= 0 || size > HR_PACKET_MAX) {
        refuse_message(end, message);
        end->fetched = NULL;
        return HR_OK;
    }
    held *token = malloc(sizeof *token);
    if (!token) return hr_fail_memory(err);
    *token = (held){message, end->out, &end->out};
    if (end->out) end->out->link = &token->next;
    end->out = token;
    end->fetched = NULL;
    *out = (hr_packet){(uint8_t *)natsMsg_GetData(message), (size_t)size, token};
    return HR_OK;
}

static hr_status receive_packet(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    nats_end *end = (nats_end *)self;
    const int64_t deadline = nats_Now() + (milliseconds > 0 ? milliseconds : 0);
    hr_packet packet = {0};
    release_refused(end, nats_Now(), REFUSED_MAX);
    do {
        hr_status status = hand_out(end, &packet, err);
        if (status) return status;
        if (packet.bytes) break;
        natsStatus s = milliseconds > 0   ? fetch_until(end, deadline)
                       : milliseconds < 0 ? fetch_come(end)
                                          : fetch_now(end);
        const bool silent = s == NATS_TIMEOUT || s == NATS_CONNECTION_DISCONNECTED;
        if (s != NATS_OK && !silent) return hr_nats_fail(&end->link, s, "cannot receive", err);
        if (s != NATS_OK) break;
    } while (true);
    *out = packet;
    return HR_OK;
}

/* The message of a packet, which is with the caller no more; NULL: the packet is empty. */
static natsMsg *take_back(hr_packet *packet) {
    held *token = packet->token;
    if (!token) return NULL;
    natsMsg *message = token->message;
    *token->link = token->next;
    if (token->next) token->next->link = token->link;
    free(token);
    *packet = (hr_packet){0};
    return message;
}

static void settle_packet(hr_transport *self, hr_packet *packet) {
    natsMsg *message = take_back(packet);
    if (message)
        answer_broker((nats_end *)self, message, "+ACK"); /* one that gets lost makes the packet come again */
}

static void refuse_packet(hr_transport *self, hr_packet *packet) {
    natsMsg *message = take_back(packet);
    if (message) refuse_message((nats_end *)self, message);
}

static void describe_link(const hr_transport *self, hr_link_info *out) {
    const nats_end *end = (const nats_end *)self;
    *out = (hr_link_info){hr_nats_connected(&end->link), hr_nats_reconnects(&end->link)};
}

/* ---- Presence ---- */

static hr_status publish_nats_hello(hr_transport *self, const void *bytes, size_t size, hr_error *err) {
    return hr_nats_hello_publish(&((nats_end *)self)->presence, bytes, size, err);
}

static hr_status next_nats_hello(hr_transport *self, const char *from, hr_hello_packet *out, hr_error *err) {
    return hr_nats_hello_next(&((nats_end *)self)->presence, from, out, err);
}

/* ---- Opening and closing ---- */

/* The next opening of this inbox need not wait for unsettled packets. */
static void close_nats_end(hr_transport *self) {
    nats_end *end = (nats_end *)self;
    leave_inbox(end);
    while (end->out) {
        held *token = end->out;
        end->out = token->next;
        answer_broker(end, token->message, "-NAK");
        free(token);
    }
    if (end->fetched) answer_broker(end, end->fetched, "-NAK");
    release_refused(end, 0, 0);
    while (end->full) forget_full(&end->full);
    hr_nats_presence_done(&end->presence);
    hr_nats_hang_up(&end->link);
    free(end);
}

static natsStatus bind_inbox(nats_end *end) {
    jsErrCode code = 0;
    jsConsumerInfo *info = NULL;
    natsStatus s = js_GetConsumerInfo(&info, end->link.jetstream, end->federation, end->name, NULL, &code);
    jsConsumerInfo_Destroy(info);
    if (code == JSStreamNotFoundErr || code == JSConsumerNotFoundErr) s = NATS_NOT_FOUND;
    return s == NATS_OK ? enter_inbox(end) : s;
}

/* Until there is an answer, or nobody waits for it any more. A busy broker that cuts off a slow handshake and
 * one that refuses it look the same, but for trying again. */
static natsStatus reach_inbox(nats_end *end, const hr_nats_options *options) {
    int refusals = 0;
    for (;;) {
        natsStatus s = hr_nats_connect(options, &end->link);
        if (s == NATS_OK) s = bind_inbox(end);
        if (s == NATS_OK) return s;
        const char *awaits = hr_nats_awaits(&end->link, s);
        bool again = hr_nats_is_insecure(s)
                         ? ++refusals < REFUSALS_MAX
                         : awaits && options->again && options->again(options->user, awaits);
        if (!again) return s;
        hr_nats_hang_up(&end->link);
    }
}

hr_status hr_nats_open(const hr_nats_options *options, hr_transport **out, hr_error *err) {
    assert(options && out);
    hr_status status = hr_nats_check(options, err);
    if (status) return status;
    nats_end *end = calloc(1, sizeof *end);
    if (!end) return hr_fail_memory(err);
    end->base = (hr_transport){.send = send_packet,
                               .post = post_packet,
                               .receive = receive_packet,
                               .settle = settle_packet,
                               .refuse = refuse_packet,
                               .close = close_nats_end,
                               .link = describe_link,
                               .publish_hello = publish_nats_hello,
                               .next_hello = next_nats_hello};
    end->last_refused = &end->refused;
    end->batch = BATCH;
    end->refused_ms = options->refused_ms ? options->refused_ms : HR_NATS_REFUSED_MS;
    end->share = hr_broker_share_of(options->member_count).packets;
    end->log = options->log;
    snprintf(end->federation, sizeof end->federation, "%s", options->federation);
    snprintf(end->name, sizeof end->name, "%s", options->name);
    end->presence = (hr_nats_presence){&end->link, end->federation, end->name, NULL};
    natsStatus s = reach_inbox(end, options);
    if (s == NATS_OK) {
        *out = &end->base;
        return HR_OK;
    }
    char what[2 * HR_NATS_NAME_MAX + 64];
    snprintf(what, sizeof what, "cannot open the inbox of '%s' in the federation '%s'", end->name,
             end->federation);
    status = end->link.jetstream && !hr_nats_is_insecure(s)
                 ? hr_nats_fail(&end->link, s, what, err)
                 : hr_nats_fail_to_connect(options, &end->link, s, err);
    close_nats_end(&end->base);
    return status;
}
