#include "federation/transport/nats_hello.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAITING = 8, /* hellos of one member; above them libnats drops those that come */
    SUBJECT = 2 * (HR_NATS_NAME_MAX + 1) + 8
};

struct hr_nats_ear {
    struct hr_nats_ear *next;
    natsSubscription *subscription;
    char name[HR_NATS_NAME_MAX + 1];
};

static void write_subject(const hr_nats_presence *p, const char *name, char subject[SUBJECT]) {
    snprintf(subject, SUBJECT, HR_NATS_HELLO "%s.%s", p->federation, name);
}

/* A broker whose configuration is of an earlier version allows none of it. */
static hr_status check_allowed(const hr_nats_presence *p, hr_error *err) {
    if (!hr_nats_forbids_hellos(p->link)) return HR_OK;
    return hr_fail(err, HR_E_POLICY,
                   "the next change of members makes it anew: hedgerow federation add, remove or rekey",
                   "the broker's configuration allows no hellos");
}

hr_status hr_nats_hello_publish(const hr_nats_presence *p, const void *bytes, size_t size, hr_error *err) {
    char subject[SUBJECT];
    if (size > HR_HELLO_MAX)
        return hr_fail(err, HR_E_LIMIT, "", "a hello has at most %d bytes, not %zu", HR_HELLO_MAX, size);
    hr_status status = check_allowed(p, err);
    if (status) return status;
    write_subject(p, p->name, subject);
    if (!hr_nats_connected(p->link))
        return hr_nats_fail(p->link, NATS_CONNECTION_DISCONNECTED, "cannot send a hello", err);
    natsStatus s = natsConnection_Publish(p->link->connection, subject, bytes, (int)size);
    return s == NATS_OK ? HR_OK : hr_nats_fail(p->link, s, "cannot send a hello", err);
}

static hr_nats_ear *find_ear(const hr_nats_presence *p, const char *name) {
    hr_nats_ear *ear = p->ears;
    while (ear && strcmp(ear->name, name)) ear = ear->next;
    return ear;
}

static void free_ear(hr_nats_ear *ear) {
    natsSubscription_Destroy(ear->subscription);
    free(ear);
}

static hr_status listen_to(hr_nats_presence *p, const char *name, hr_nats_ear **out, hr_error *err) {
    char subject[SUBJECT];
    hr_nats_ear *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    snprintf(made->name, sizeof made->name, "%s", name);
    write_subject(p, name, subject);
    natsStatus s = natsConnection_SubscribeSync(&made->subscription, p->link->connection, subject);
    if (s == NATS_OK)
        s = natsSubscription_SetPendingLimits(made->subscription, WAITING, WAITING * HR_HELLO_MAX);
    if (s != NATS_OK) {
        free_ear(made);
        return hr_nats_fail(p->link, s, "cannot listen for hellos", err);
    }
    made->next = p->ears;
    p->ears = *out = made;
    return HR_OK;
}

hr_status hr_nats_hello_next(hr_nats_presence *p, const char *from, hr_hello_packet *out, hr_error *err) {
    natsMsg *message = NULL;
    hr_nats_ear *ear = find_ear(p, from);
    out->size = 0;
    hr_status status = check_allowed(p, err);
    if (!status && !ear) status = listen_to(p, from, &ear, err);
    if (status) return status;
    natsStatus s = natsSubscription_NextMsg(&message, ear->subscription, 0);
    /* SLOW_CONSUMER: hellos that came were dropped. */
    if (s == NATS_TIMEOUT || s == NATS_SLOW_CONSUMER) return HR_OK;
    if (s != NATS_OK) return hr_nats_fail(p->link, s, "cannot listen for hellos", err);
    const int size = natsMsg_GetDataLength(message);
    if (size > 0 && size <= HR_HELLO_MAX) {
        memcpy(out->bytes, natsMsg_GetData(message), (size_t)size);
        out->size = (size_t)size;
    }
    natsMsg_Destroy(message);
    return HR_OK;
}

void hr_nats_presence_done(hr_nats_presence *p) {
    while (p->ears) {
        hr_nats_ear *ear = p->ears;
        p->ears = ear->next;
        free_ear(ear);
    }
}
