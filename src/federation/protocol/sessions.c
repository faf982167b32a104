#include "federation/protocol/sessions.h"

#include "base/fail.h"
#include "privacy/crypto/session.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 16 /* of one member, in each direction: as many jobs as it may have open */ };

typedef struct kept_session {
    hr_session session;
    hr_job_id job; /* of one that is written to */
} kept_session;

/* With one member, in one direction. */
typedef struct kept_sessions {
    kept_session *of[KEPT]; /* NULL: none yet */
    size_t next;            /* which is overwritten */
} kept_sessions;

struct hr_sessions {
    size_t count;
    kept_sessions *sent, *received; /* by member */
};

hr_status hr_sessions_new(size_t members, hr_sessions **out, hr_error *err) {
    hr_sessions *s = calloc(1, sizeof *s);
    if (s)
        *s = (hr_sessions){members, calloc(members, sizeof *s->sent), calloc(members, sizeof *s->received)};
    if (!s || !s->sent || !s->received) {
        if (s) s->count = 0;
        hr_sessions_free(s);
        return hr_fail_memory(err);
    }
    *out = s;
    return HR_OK;
}

static void wipe_all(kept_sessions *k) {
    for (size_t i = 0; i < KEPT; i++) {
        if (k->of[i]) hr_session_wipe(&k->of[i]->session);
        free(k->of[i]);
    }
}

void hr_sessions_free(hr_sessions *s) {
    if (!s) return;
    for (size_t m = 0; m < s->count; m++) {
        wipe_all(&s->sent[m]);
        wipe_all(&s->received[m]);
    }
    free(s->sent);
    free(s->received);
    free(s);
}

/* The place of the oldest one, or a new one. NULL: no memory. */
static kept_session *place_of(kept_sessions *k) {
    kept_session **place = &k->of[k->next];
    if (!*place) *place = calloc(1, sizeof **place);
    if (*place) k->next = (k->next + 1) % KEPT;
    return *place;
}

static const kept_session *find_sent(const kept_sessions *k, const hr_job_id *job) {
    for (size_t i = 0; i < KEPT; i++)
        if (k->of[i] && !memcmp(&k->of[i]->job, job, sizeof *job)) return k->of[i];
    return NULL;
}

hr_status hr_sessions_encrypt(const hr_party_view *view, size_t to, const hr_job_id *job,
                              const hr_bytes *plain, hr_bytes *out, hr_error *err) {
    kept_sessions *sent = &view->sessions->sent[to];
    const kept_session *of = find_sent(sent, job);
    if (!of) {
        kept_session made = {.job = *job};
        hr_status status =
            hr_session_make(view->identity, &view->membership->members[to].key, &made.session, err);
        if (status) return status;
        kept_session *place = place_of(sent);
        if (place) *place = made;
        hr_session_wipe(&made.session);
        if (!place) return hr_fail_memory(err);
        of = place;
    }
    hr_status status = hr_session_encrypt(&of->session, plain->at, plain->size, &out->at, err);
    if (!status) out->size = plain->size + HR_SESSION_OVERHEAD;
    return status;
}

/* The session that has the head, and its sender. NULL: none is kept. */
static const hr_session *find_received(const hr_party_view *view, const uint8_t *head,
                                       uint8_t from[HR_KEY_SIZE]) {
    const hr_sessions *s = view->sessions;
    for (size_t m = 0; s && m < s->count; m++)
        for (size_t i = 0; i < KEPT; i++) {
            const kept_session *kept = s->received[m].of[i];
            if (!kept || memcmp(kept->session.head, head, HR_SESSION_HEAD) != 0) continue;
            memcpy(from, view->membership->members[m].key.bytes, HR_KEY_SIZE);
            return &kept->session;
        }
    return NULL;
}

static hr_status keep_received(const hr_party_view *view, const uint8_t from[HR_KEY_SIZE],
                               const hr_session *session, hr_error *err) {
    const size_t member = hr_membership_by_key(view->membership, from);
    if (!view->sessions || member == HR_NO_MEMBER) return HR_OK;
    kept_session *place = place_of(&view->sessions->received[member]);
    if (!place) return hr_fail_memory(err);
    place->session = *session;
    return HR_OK;
}

hr_status hr_sessions_decrypt(const hr_party_view *view, const void *packet, size_t size,
                              uint8_t from[HR_KEY_SIZE], hr_bytes *out, hr_error *err) {
    hr_session opened;
    hr_bytes made = {.size = size - HR_SESSION_OVERHEAD};
    const hr_session *known = find_received(view, packet, from);
    hr_status status = known ? HR_OK : hr_session_open(view->identity, packet, from, &opened, err);
    if (status) return status;
    status = hr_session_decrypt(known ? known : &opened, packet, size, &made.at, err);
    if (!status && !known) status = keep_received(view, from, &opened, err);
    if (!known) hr_session_wipe(&opened);
    if (status)
        free(made.at);
    else
        *out = made;
    return status;
}
