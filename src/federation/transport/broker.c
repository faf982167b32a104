/* The stream and the inboxes of a federation at its broker. */
#include "federation/transport/broker.h"

#include "base/buffer.h"
#include "federation/transport/nats_link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = HR_NATS_NAME_MAX + 1, SUBJECT = 2 * NAME + 16 };

/* ---- Shares ---- */

enum {
    SHARE_MAX = 64,                                /* packets */
    SHARE_MIN = 17,                                /* a message of the largest size, and an ack */
    RECORD = HR_PACKET_MAX + HR_BROKER_FRAME + 256 /* bytes of a packet in the store */
};

hr_broker_share hr_broker_share_of(size_t member_count) {
    const int64_t pairs = (int64_t)(member_count * member_count);
    const int64_t fit = HR_BROKER_STORE / RECORD / (pairs ? pairs : 1);
    const int packets = fit < SHARE_MIN ? SHARE_MIN : fit > SHARE_MAX ? SHARE_MAX : (int)fit;
    return (hr_broker_share){packets, packets * (int64_t)RECORD, packets * (int64_t)RECORD * pairs};
}

/* ---- Stream and inboxes ---- */

/* The inboxes of a federation's members. */
typedef struct inboxes {
    const char *federation;
    const char *const *members;
    const char **subjects; /* subjects[i]: the packets to members[i] */
    int count;
    int brokers;     /* each keeps a copy of the packets */
    int ack_seconds; /* a packet that is not acknowledged for so long is delivered again */
} inboxes;

/* A packet to a name that is no member's belongs to no stream, so that sending it fails. */
static natsStatus make_stream(const hr_nats_link *link, const inboxes *all, jsErrCode *code) {
    const hr_broker_share share = hr_broker_share_of((size_t)all->count);
    jsStreamConfig config;
    natsStatus s = jsStreamConfig_Init(&config);
    if (s != NATS_OK) return s;
    config.Name = all->federation;
    config.Subjects = all->subjects;
    config.SubjectsLen = all->count;
    config.Retention = js_WorkQueuePolicy;
    config.Storage = js_FileStorage;
    config.Replicas = all->brokers;
    config.Discard = js_DiscardNew;
    config.MaxBytes = share.store;
    config.MaxMsgsPerSubject = share.packets;
    config.DiscardNewPerSubject = true;
    config.AllowDirect = true;
    config.MaxMsgSize = HR_PACKET_MAX + HR_BROKER_FRAME;
    jsStreamInfo *present = NULL;
    s = js_GetStreamInfo(&present, link->jetstream, all->federation, NULL, code);
    jsStreamInfo_Destroy(present);
    if (s == NATS_NOT_FOUND) return js_AddStream(NULL, link->jetstream, &config, NULL, code);
    return s == NATS_OK ? js_UpdateStream(NULL, link->jetstream, &config, NULL, code) : s;
}

static hr_status fail_stream(const hr_nats_link *link, const inboxes *all, natsStatus s, jsErrCode code,
                             hr_error *err) {
    const hr_broker_share share = hr_broker_share_of((size_t)all->count);
    if (code != JSStorageResourcesExceededErr && code != JSInsufficientResourcesErr)
        return hr_nats_fail(link, s, "cannot create the stream of the federation", err);
    char remedy[160];
    snprintf(
        remedy, sizeof remedy,
        "set max_file_store in the broker's nats.conf to %lld or more, on a disk that has this space, and "
        "restart the broker",
        (long long)share.store);
    return hr_fail(
        err, HR_E_LIMIT, remedy,
        "the broker's store is too small: %d members need %lld bytes, %lld for each sender in each "
        "inbox",
        all->count, (long long)share.store, (long long)share.bytes);
}

static hr_status make_inboxes(const hr_nats_link *link, const inboxes *all, hr_error *err) {
    jsErrCode code = 0;
    natsStatus s = make_stream(link, all, &code);
    if (s != NATS_OK) return fail_stream(link, all, s, code, err);
    for (int i = 0; i < all->count; i++) {
        jsConsumerConfig config;
        s = jsConsumerConfig_Init(&config);
        config.Durable = all->members[i];
        config.FilterSubject = all->subjects[i];
        config.AckPolicy = js_AckExplicit;
        config.AckWait = (int64_t)all->ack_seconds * 1000000000;
        config.MaxDeliver = -1;
        if (s == NATS_OK) s = js_AddConsumer(NULL, link->jetstream, all->federation, &config, NULL, &code);
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
    hr_broker_address address;
    hr_status status =
        texts && subjects ? hr_broker_address_parse(admin->url, &address, err) : hr_fail_memory(err);
    if (!status) status = hr_nats_dial(admin, &link, err);
    if (!status) {
        for (size_t i = 0; i < member_count; i++) {
            snprintf(texts[i], SUBJECT, "fed.%s.%s.*", admin->federation, members[i]);
            subjects[i] = texts[i];
        }
        const inboxes all = {admin->federation,  members,    subjects, (int)member_count,
                             (int)address.count, ack_seconds};
        status = make_inboxes(&link, &all, err);
    }
    hr_nats_hang_up(&link);
    free(subjects);
    free(texts);
    return status;
}
