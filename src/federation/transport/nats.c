/* One member's end of a broker. libnats's acknowledged publication and pull consumers do the work; what is
 * decided here is that no answer is no success, and that nothing the broker sends can do more than fail. */
#include "federation/transport/nats.h"

#include "federation/transport/broker.h"
#include "federation/transport/nats_link.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FETCH_MS = 1000,    /* a request dies with its connection: it is repeated so often */
    LOOK_AGAIN_MS = 20, /* while there is no connection */
    PENDING = 64,       /* what the broker may send unasked */
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
    natsMsg *fetched; /* waits to be handed out, or NULL */
    held *out;
    refused *refused, **last_refused; /* in the order of their ends */
    int refused_count;
    int refused_ms; /* hr_nats_options.refused_ms */
    full_inbox *full;
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

static hr_status send_packet(hr_transport *self, const char *to, const void *bytes, size_t size,
                             hr_error *err) {
    nats_end *end = (nats_end *)self;
    if (!hr_nats_name_fits(to))
        return hr_fail(err, HR_E_ARGUMENT, "take it from the federation file",
                       "'%.64s' is not a valid name of a member", to);
    if (!size || size > HR_PACKET_MAX)
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a packet has 1 to %d bytes, not %zu",
                       HR_PACKET_MAX, size);
    char subject[SUBJECT];
    snprintf(subject, sizeof subject, "fed.%s.%s.%s", end->federation, to, end->name);
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

/* ---- Receiving ---- */

/* One at a time: libnats 3.4 writes behind its list if some of what it requests had already come, and more
 * comes than it requested. */
static natsStatus fetch(nats_end *end, int64_t milliseconds) {
    natsMsgList list = {0};
    jsFetchRequest options;
    natsStatus s = jsFetchRequest_Init(&options);
    options.Batch = 1;
    options.Expires = milliseconds * 1000000;
    if (s == NATS_OK) s = natsSubscription_FetchRequest(&list, end->inbox, &options);
    if (s != NATS_OK || !list.Count) return s;
    end->fetched = list.Msgs[0];
    list.Msgs[0] = NULL;
    natsMsgList_Destroy(&list);
    return NATS_OK;
}

/* What has come already. The broker answers at once: with a packet, or that there is none; that answer has no
 * reply subject. */
static natsStatus fetch_now(nats_end *end) {
    static const char request[] = "{\"batch\":1,\"no_wait\":true}";
    char subject[SUBJECT + 32];
    natsMsg *answer = NULL;
    if (!hr_nats_connected(&end->link)) return NATS_CONNECTION_DISCONNECTED;
    snprintf(subject, sizeof subject, HR_NATS_API ".CONSUMER.MSG.NEXT.%s.%s", end->federation, end->name);
    natsStatus s = natsConnection_RequestString(&answer, end->link.connection, subject, request, FETCH_MS);
    if (s != NATS_OK) return s;
    if (natsMsg_GetReply(answer)) {
        end->fetched = answer;
        return NATS_OK;
    }
    natsMsg_Destroy(answer);
    return NATS_TIMEOUT;
}

/* Fetches until something came or the time is over; what hindred it then is the answer, NATS_TIMEOUT if
 * nothing did. */
static natsStatus fetch_until(nats_end *end, int64_t deadline) {
    for (;;) {
        const int64_t left = deadline - nats_Now();
        const int64_t slice = left < 1 ? 1 : left < FETCH_MS ? left : FETCH_MS;
        natsStatus s = hr_nats_connected(&end->link) ? fetch(end, slice) : NATS_CONNECTION_DISCONNECTED;
        if (s == NATS_OK && end->fetched) return NATS_OK;
        if (natsConnection_IsClosed(end->link.connection)) return NATS_CONNECTION_CLOSED;
        if (nats_Now() >= deadline) return s == NATS_OK ? NATS_TIMEOUT : s;
        if (s != NATS_OK && s != NATS_TIMEOUT) nats_Sleep(left < LOOK_AGAIN_MS ? left : LOOK_AGAIN_MS);
    }
}

/* As natsMsg_Ack and its kin, which know only messages of a subscription. */
static void answer_broker(const nats_end *end, natsMsg *message, const char *word) {
    (void)natsConnection_PublishString(end->link.connection, natsMsg_GetReply(message), word);
    natsMsg_Destroy(message);
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
        natsStatus s = milliseconds > 0 ? fetch_until(end, deadline) : fetch_now(end);
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

/* ---- Opening and closing ---- */

/* The next opening of this inbox need not wait for unsettled packets. */
static void close_nats_end(hr_transport *self) {
    nats_end *end = (nats_end *)self;
    if (!end) return;
    while (end->out) {
        held *token = end->out;
        end->out = token->next;
        answer_broker(end, token->message, "-NAK");
        free(token);
    }
    if (end->fetched) answer_broker(end, end->fetched, "-NAK");
    release_refused(end, 0, 0);
    while (end->full) forget_full(&end->full);
    natsSubscription_Destroy(end->inbox);
    hr_nats_hang_up(&end->link);
    free(end);
}

static natsStatus bind_inbox(nats_end *end) {
    jsSubOptions options;
    jsErrCode code = 0;
    char subject[SUBJECT];
    snprintf(subject, sizeof subject, "fed.%s.%s.*", end->federation, end->name);
    /* libnats binds to an inbox even if it does not exist. */
    jsConsumerInfo *info = NULL;
    natsStatus s = js_GetConsumerInfo(&info, end->link.jetstream, end->federation, end->name, NULL, &code);
    jsConsumerInfo_Destroy(info);
    if (code == JSStreamNotFoundErr || code == JSConsumerNotFoundErr) s = NATS_NOT_FOUND;
    if (s == NATS_OK) s = jsSubOptions_Init(&options);
    options.Stream = end->federation;
    options.Consumer = end->name;
    if (s == NATS_OK)
        s = js_PullSubscribe(&end->inbox, end->link.jetstream, subject, end->name, NULL, &options, &code);
    if (s == NATS_OK)
        s = natsSubscription_SetPendingLimits(end->inbox, PENDING, PENDING * (HR_PACKET_MAX / 2));
    return s;
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

hr_status hr_nats_present(hr_error *err) {
    (void)err;
    return HR_OK;
}

hr_status hr_nats_open(const hr_nats_options *options, hr_transport **out, hr_error *err) {
    assert(options && out);
    hr_status status = hr_nats_check(options, err);
    if (status) return status;
    nats_end *end = calloc(1, sizeof *end);
    if (!end) return hr_fail_memory(err);
    end->base = (hr_transport){.send = send_packet,
                               .receive = receive_packet,
                               .settle = settle_packet,
                               .refuse = refuse_packet,
                               .close = close_nats_end,
                               .link = describe_link};
    end->last_refused = &end->refused;
    end->refused_ms = options->refused_ms ? options->refused_ms : HR_NATS_REFUSED_MS;
    end->share = hr_broker_share_of(options->member_count).packets;
    end->log = options->log;
    snprintf(end->federation, sizeof end->federation, "%s", options->federation);
    snprintf(end->name, sizeof end->name, "%s", options->name);
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
