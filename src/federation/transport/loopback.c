#include "federation/transport/loopback.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
    struct letter *next;
    uint8_t *bytes;
    size_t size;
    bool shown; /* to its receiver, which has not settled it */
} letter;

/* What waits for one member. */
typedef struct inbox {
    struct inbox *next;
    char *name;
    letter *first, **last;
} inbox;

struct hr_loopback {
    pthread_mutex_t mutex; /* holds for all of it */
    inbox *inboxes;
    hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size);
    void *user;
};

typedef struct loopback_end {
    hr_transport transport;
    hr_loopback *loopback;
    inbox *inbox;
} loopback_end;

hr_status hr_loopback_new(hr_loopback **out, hr_error *err) {
    hr_loopback *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    if (pthread_mutex_init(&made->mutex, NULL)) {
        free(made);
        return hr_fail_memory(err);
    }
    *out = made;
    return HR_OK;
}

static void free_inbox(inbox *b) {
    while (b->first) {
        letter *next = b->first->next;
        free(b->first->bytes);
        free(b->first);
        b->first = next;
    }
    free(b->name);
    free(b);
}

void hr_loopback_free(hr_loopback *loopback) {
    if (!loopback) return;
    while (loopback->inboxes) {
        inbox *next = loopback->inboxes->next;
        free_inbox(loopback->inboxes);
        loopback->inboxes = next;
    }
    pthread_mutex_destroy(&loopback->mutex);
    free(loopback);
}

void hr_loopback_script(hr_loopback *loopback,
                        hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size),
                        void *user) {
    loopback->fate = fate;
    loopback->user = user;
}

static inbox *find_inbox(const hr_loopback *loopback, const char *name) {
    inbox *b = loopback->inboxes;
    while (b && strcmp(b->name, name)) b = b->next;
    return b;
}

/* A member's inbox, made when its name first comes. NULL: no memory. */
static inbox *inbox_of(hr_loopback *loopback, const char *name) {
    inbox *b = find_inbox(loopback, name);
    if (b) return b;
    b = calloc(1, sizeof *b);
    char *copy = strdup(name);
    if (!b || !copy) {
        free(b);
        free(copy);
        return NULL;
    }
    *b = (inbox){.next = loopback->inboxes, .name = copy, .last = &b->first};
    return loopback->inboxes = b;
}

static letter *write_letter(const void *bytes, size_t size) {
    letter *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->bytes = malloc(size + 1);
    l->size = size;
    if (!l->bytes) {
        free(l);
        return NULL;
    }
    if (size) memcpy(l->bytes, bytes, size);
    return l;
}

static void put_last(inbox *b, letter *l) {
    *b->last = l;
    b->last = &l->next;
}

static void put_first(inbox *b, letter *l) {
    l->next = b->first;
    b->first = l;
    if (!l->next) b->last = &l->next;
}

static hr_status post(inbox *b, const void *bytes, size_t size, void (*put)(inbox *b, letter *l),
                      hr_error *err) {
    letter *l = write_letter(bytes, size);
    if (!l) return hr_fail_memory(err);
    put(b, l);
    return HR_OK;
}

static hr_status post_by_fate(const loopback_end *from, const char *to, const void *bytes, size_t size,
                              hr_error *err) {
    hr_loopback *loopback = from->loopback;
    hr_loopback_fate fate =
        loopback->fate ? loopback->fate(loopback->user, from->inbox->name, to, size) : HR_FATE_ARRIVES;
    if (fate == HR_FATE_LOST) return HR_OK;
    inbox *b = inbox_of(loopback, to);
    if (!b) return hr_fail_memory(err);
    hr_status status = post(b, bytes, size, fate == HR_FATE_FIRST ? put_first : put_last, err);
    if (!status && fate == HR_FATE_TWICE) status = post(b, bytes, size, put_last, err);
    return status;
}

static hr_status send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    loopback_end *e = (loopback_end *)self;
    if (size > HR_PACKET_MAX)
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a packet of %zu bytes is larger than %d", size,
                       HR_PACKET_MAX);
    pthread_mutex_lock(&e->loopback->mutex);
    hr_status status = post_by_fate(e, to, bytes, size, err);
    pthread_mutex_unlock(&e->loopback->mutex);
    return status;
}

/* The first that has not been shown, or NULL. */
static letter *next_letter(const inbox *b) {
    letter *l = b->first;
    while (l && l->shown) l = l->next;
    return l;
}

static hr_status receive(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    loopback_end *e = (loopback_end *)self;
    (void)milliseconds;
    (void)err;
    pthread_mutex_lock(&e->loopback->mutex);
    letter *l = next_letter(e->inbox);
    if (l) l->shown = true;
    *out = l ? (hr_packet){l->bytes, l->size, l} : (hr_packet){0};
    pthread_mutex_unlock(&e->loopback->mutex);
    return HR_OK;
}

static void take_out(inbox *b, const letter *l) {
    letter **at = &b->first;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    if (b->last == &l->next) b->last = at;
}

static void settle_loopback_packet(hr_transport *self, hr_packet *packet) {
    loopback_end *e = (loopback_end *)self;
    letter *l = packet->token;
    if (!packet->bytes) return;
    pthread_mutex_lock(&e->loopback->mutex);
    take_out(e->inbox, l);
    pthread_mutex_unlock(&e->loopback->mutex);
    free(l->bytes);
    free(l);
    *packet = (hr_packet){0};
}

static void close_loopback_end(hr_transport *self) {
    loopback_end *e = (loopback_end *)self;
    pthread_mutex_lock(&e->loopback->mutex);
    for (letter *l = e->inbox->first; l; l = l->next) l->shown = false;
    pthread_mutex_unlock(&e->loopback->mutex);
    free(e);
}

hr_status hr_loopback_open(hr_loopback *loopback, const char *name, hr_transport **out, hr_error *err) {
    loopback_end *e = calloc(1, sizeof *e);
    if (!e) return hr_fail_memory(err);
    pthread_mutex_lock(&loopback->mutex);
    *e = (loopback_end){.transport = {.send = send,
                                      .receive = receive,
                                      .settle = settle_loopback_packet,
                                      .close = close_loopback_end},
                        .loopback = loopback,
                        .inbox = inbox_of(loopback, name)};
    pthread_mutex_unlock(&loopback->mutex);
    if (!e->inbox) {
        free(e);
        return hr_fail_memory(err);
    }
    *out = &e->transport;
    return HR_OK;
}

bool hr_loopback_waits(hr_loopback *loopback, const char *name) {
    pthread_mutex_lock(&loopback->mutex);
    const inbox *b = find_inbox(loopback, name);
    bool waits = b && next_letter(b);
    pthread_mutex_unlock(&loopback->mutex);
    return waits;
}
