#include "transport/loopback.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
    struct letter *next;
    uint8_t *bytes;
    size_t size;
    bool shown; /* to its receiver, who has not settled it */
} letter;

/* What waits for one member. */
typedef struct box {
    struct box *next;
    char *name;
    letter *first, **last;
} box;

struct hr_loopback {
    pthread_mutex_t mutex; /* holds for all of it */
    box *boxes;
    hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size);
    void *user;
};

typedef struct end {
    hr_transport transport;
    hr_loopback *loopback;
    box *box;
} end;

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

static void free_box(box *b) {
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
    while (loopback->boxes) {
        box *next = loopback->boxes->next;
        free_box(loopback->boxes);
        loopback->boxes = next;
    }
    pthread_mutex_destroy(&loopback->mutex);
    free(loopback);
}

void hr_loopback_script(hr_loopback *loopback, hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size),
                        void *user) {
    loopback->fate = fate;
    loopback->user = user;
}

static box *find_box(const hr_loopback *loopback, const char *name) {
    box *b = loopback->boxes;
    while (b && strcmp(b->name, name)) b = b->next;
    return b;
}

/* A member's box, made when she is first heard of. NULL: no memory. */
static box *box_of(hr_loopback *loopback, const char *name) {
    box *b = find_box(loopback, name);
    if (b) return b;
    b = calloc(1, sizeof *b);
    char *copy = strdup(name);
    if (!b || !copy) {
        free(b);
        free(copy);
        return NULL;
    }
    *b = (box){.next = loopback->boxes, .name = copy, .last = &b->first};
    return loopback->boxes = b;
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

static void put_last(box *b, letter *l) {
    *b->last = l;
    b->last = &l->next;
}

static void put_first(box *b, letter *l) {
    l->next = b->first;
    b->first = l;
    if (!l->next) b->last = &l->next;
}

static hr_status post(box *b, const void *bytes, size_t size, void (*put)(box *b, letter *l), hr_error *err) {
    letter *l = write_letter(bytes, size);
    if (!l) return hr_fail_memory(err);
    put(b, l);
    return HR_OK;
}

static hr_status post_by_fate(const end *from, const char *to, const void *bytes, size_t size, hr_error *err) {
    hr_loopback *loopback = from->loopback;
    hr_loopback_fate fate = loopback->fate ? loopback->fate(loopback->user, from->box->name, to, size) : HR_FATE_ARRIVES;
    if (fate == HR_FATE_LOST) return HR_OK;
    box *b = box_of(loopback, to);
    if (!b) return hr_fail_memory(err);
    hr_status status = post(b, bytes, size, fate == HR_FATE_FIRST ? put_first : put_last, err);
    if (!status && fate == HR_FATE_TWICE) status = post(b, bytes, size, put_last, err);
    return status;
}

static hr_status send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    end *e = (end *)self;
    if (size > HR_PARCEL_MAX)
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a parcel of %zu bytes is larger than %d", size, HR_PARCEL_MAX);
    pthread_mutex_lock(&e->loopback->mutex);
    hr_status status = post_by_fate(e, to, bytes, size, err);
    pthread_mutex_unlock(&e->loopback->mutex);
    return status;
}

/* The first that has not been shown, or NULL. */
static letter *next_letter(const box *b) {
    letter *l = b->first;
    while (l && l->shown) l = l->next;
    return l;
}

static hr_status receive(hr_transport *self, int milliseconds, hr_parcel *out, hr_error *err) {
    end *e = (end *)self;
    (void)milliseconds;
    (void)err;
    pthread_mutex_lock(&e->loopback->mutex);
    letter *l = next_letter(e->box);
    if (l) l->shown = true;
    *out = l ? (hr_parcel){l->bytes, l->size, l} : (hr_parcel){0};
    pthread_mutex_unlock(&e->loopback->mutex);
    return HR_OK;
}

static void take_out(box *b, const letter *l) {
    letter **at = &b->first;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    if (b->last == &l->next) b->last = at;
}

static void settle(hr_transport *self, hr_parcel *parcel) {
    end *e = (end *)self;
    letter *l = parcel->token;
    if (!parcel->bytes) return;
    pthread_mutex_lock(&e->loopback->mutex);
    take_out(e->box, l);
    pthread_mutex_unlock(&e->loopback->mutex);
    free(l->bytes);
    free(l);
    *parcel = (hr_parcel){0};
}

static void close_end(hr_transport *self) {
    end *e = (end *)self;
    pthread_mutex_lock(&e->loopback->mutex);
    for (letter *l = e->box->first; l; l = l->next) l->shown = false;
    pthread_mutex_unlock(&e->loopback->mutex);
    free(e);
}

hr_status hr_loopback_open(hr_loopback *loopback, const char *name, hr_transport **out, hr_error *err) {
    end *e = calloc(1, sizeof *e);
    if (!e) return hr_fail_memory(err);
    pthread_mutex_lock(&loopback->mutex);
    *e = (end){{send, receive, settle, close_end}, loopback, box_of(loopback, name)};
    pthread_mutex_unlock(&loopback->mutex);
    if (!e->box) {
        free(e);
        return hr_fail_memory(err);
    }
    *out = &e->transport;
    return HR_OK;
}

bool hr_loopback_waits(hr_loopback *loopback, const char *name) {
    pthread_mutex_lock(&loopback->mutex);
    const box *b = find_box(loopback, name);
    bool waits = b && next_letter(b);
    pthread_mutex_unlock(&loopback->mutex);
    return waits;
}
