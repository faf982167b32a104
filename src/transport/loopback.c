#include "transport/loopback.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
    struct letter *next;
    char *to;
    uint8_t *bytes;
    size_t size;
    bool shown; /* to its receiver, who has not settled it */
} letter;

struct hr_loopback {
    letter *first, **last;
    hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size);
    void *user;
};

typedef struct end {
    hr_transport transport;
    hr_loopback *loopback;
    char *name;
} end;

hr_status hr_loopback_new(hr_loopback **out, hr_error *err) {
    hr_loopback *made = calloc(1, sizeof *made);
    if (!made) return hr_fail_memory(err);
    made->last = &made->first;
    *out = made;
    return HR_OK;
}

static void free_letter(letter *l) {
    if (!l) return;
    free(l->to);
    free(l->bytes);
    free(l);
}

void hr_loopback_free(hr_loopback *loopback) {
    if (!loopback) return;
    while (loopback->first) {
        letter *next = loopback->first->next;
        free_letter(loopback->first);
        loopback->first = next;
    }
    free(loopback);
}

void hr_loopback_script(hr_loopback *loopback, hr_loopback_fate (*fate)(void *user, const char *from, const char *to, size_t size),
                        void *user) {
    loopback->fate = fate;
    loopback->user = user;
}

static letter *write_letter(const char *to, const void *bytes, size_t size) {
    letter *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->to = strdup(to);
    l->bytes = malloc(size + 1);
    l->size = size;
    if (!l->to || !l->bytes) {
        free_letter(l);
        return NULL;
    }
    if (size) memcpy(l->bytes, bytes, size);
    return l;
}

static void put_last(hr_loopback *loopback, letter *l) {
    *loopback->last = l;
    loopback->last = &l->next;
}

static void put_first(hr_loopback *loopback, letter *l) {
    l->next = loopback->first;
    loopback->first = l;
    if (!l->next) loopback->last = &l->next;
}

static hr_status post(hr_loopback *loopback, const char *to, const void *bytes, size_t size, void (*put)(hr_loopback *loopback, letter *l),
                      hr_error *err) {
    letter *l = write_letter(to, bytes, size);
    if (!l) return hr_fail_memory(err);
    put(loopback, l);
    return HR_OK;
}

static hr_status send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    end *e = (end *)self;
    if (size > HR_PARCEL_MAX)
        return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a parcel of %zu bytes is larger than %d", size, HR_PARCEL_MAX);
    hr_loopback *loopback = e->loopback;
    hr_loopback_fate fate = loopback->fate ? loopback->fate(loopback->user, e->name, to, size) : HR_FATE_ARRIVES;
    if (fate == HR_FATE_LOST) return HR_OK;
    hr_status status = post(loopback, to, bytes, size, fate == HR_FATE_FIRST ? put_first : put_last, err);
    if (!status && fate == HR_FATE_TWICE) status = post(loopback, to, bytes, size, put_last, err);
    return status;
}

static hr_status receive(hr_transport *self, int milliseconds, hr_parcel *out, hr_error *err) {
    end *e = (end *)self;
    (void)milliseconds;
    (void)err;
    for (letter *l = e->loopback->first; l; l = l->next) {
        if (l->shown || strcmp(l->to, e->name)) continue;
        l->shown = true;
        *out = (hr_parcel){l->bytes, l->size, l};
        return HR_OK;
    }
    *out = (hr_parcel){0};
    return HR_OK;
}

static void settle(hr_transport *self, hr_parcel *parcel) {
    hr_loopback *loopback = ((end *)self)->loopback;
    letter **at = &loopback->first;
    if (!parcel->bytes) return;
    while (*at && *at != parcel->token) at = &(*at)->next;
    letter *found = *at;
    if (found) {
        *at = found->next;
        if (loopback->last == &found->next) loopback->last = at;
        free_letter(found);
    }
    *parcel = (hr_parcel){0};
}

static void close_end(hr_transport *self) {
    end *e = (end *)self;
    for (letter *l = e->loopback->first; l; l = l->next)
        if (!strcmp(l->to, e->name)) l->shown = false;
    free(e->name);
    free(e);
}

hr_status hr_loopback_open(hr_loopback *loopback, const char *name, hr_transport **out, hr_error *err) {
    end *e = calloc(1, sizeof *e);
    char *copy = strdup(name);
    if (!e || !copy) {
        free(e);
        free(copy);
        return hr_fail_memory(err);
    }
    *e = (end){{send, receive, settle, close_end}, loopback, copy};
    *out = &e->transport;
    return HR_OK;
}
