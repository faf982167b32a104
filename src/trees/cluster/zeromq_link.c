#include "trees/cluster/zeromq_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t hr_zeromq_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Messages ---- */

void hr_zeromq_message_init(hr_zeromq_message *m) {
    m->kind = HR_ZEROMQ_NOTHING;
    m->id.size = 0;
    m->from = SIZE_MAX;
    zmq_msg_init(&m->body);
}

void hr_zeromq_message_done(hr_zeromq_message *m) {
    zmq_msg_close(&m->body);
}

static void take_frame(hr_zeromq_message *m, int field, zmq_msg_t *frame) {
    const size_t size = zmq_msg_size(frame);
    if (field == 0 && size <= HR_ZEROMQ_ID) {
        memcpy(m->id.bytes, zmq_msg_data(frame), size);
        m->id.size = size;
    } else if (field == 1) {
        m->kind = size == 1 ? *(unsigned char *)zmq_msg_data(frame) : HR_ZEROMQ_NOTHING;
    } else if (field == 2) {
        zmq_msg_move(&m->body, frame);
    }
}

static size_t sender_of(const hr_zeromq_link *link, const hr_zeromq_id *id) {
    for (size_t r = 1; r < link->size; r++) {
        const hr_zeromq_peer *peer = &link->peers[r];
        if (peer->joined && peer->id.size == id->size && !memcmp(peer->id.bytes, id->bytes, id->size))
            return r;
    }
    return SIZE_MAX;
}

/* Whether there was a message. One of other frames than such messages have is dropped. */
static bool take_message(hr_zeromq_link *link, hr_zeromq_message *m) {
    int fields = link->rank ? 1 : 0;
    bool more = true;
    m->kind = HR_ZEROMQ_NOTHING;
    while (more) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, link->socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&frame);
            return false;
        }
        more = zmq_msg_more(&frame);
        take_frame(m, fields++, &frame);
        zmq_msg_close(&frame);
    }
    m->from = link->rank ? 0 : sender_of(link, &m->id);
    if (fields != 3) m->kind = HR_ZEROMQ_NOTHING;
    return m->kind != HR_ZEROMQ_NOTHING;
}

/* ---- Connections ---- */

static void note_end(hr_zeromq_link *link, uint32_t connection) {
    if (link->gone != SIZE_MAX) return;
    if (link->rank && link->has_met) link->gone = 0;
    for (size_t r = 1; !link->rank && r < link->size; r++)
        if (link->peers[r].joined && link->peers[r].connection == connection) link->gone = r;
}

/* What ZeroMQ reports of connections: an event and its number, then an address. */
static void look_at_connections(hr_zeromq_link *link) {
    unsigned char report[6];
    while (zmq_recv(link->monitor, report, sizeof report, ZMQ_DONTWAIT) == sizeof report) {
        uint16_t event;
        uint32_t number;
        memcpy(&event, report, sizeof event);
        memcpy(&number, report + sizeof event, sizeof number);
        zmq_recv(link->monitor, NULL, 0, 0);
        if (event == ZMQ_EVENT_DISCONNECTED)
            note_end(link, number);
        else if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
            link->has_met = true;
        else
            link->has_mistaken = true;
    }
}

static hr_status fail_gone(hr_zeromq_link *link, hr_error *err) {
    const char *name = link->rank ? link->address : link->peers[link->gone].name;
    return hr_zeromq_end(
        link,
        hr_fail(err, HR_E_IO, "look at what it wrote last, and at its machine; then train again",
                "rank %zu (%s) is gone: its process ended, or the network to it did", link->gone, name),
        err);
}

static bool is_stopped(const hr_zeromq_link *link) {
    return link->should_continue && !link->should_continue(link->user);
}

static hr_status fail_stopped(hr_zeromq_link *link, hr_error *err) {
    return hr_zeromq_end(
        link, hr_fail(err, HR_E_CANCELLED, "", "rank %zu was stopped by its program", link->rank), err);
}

/* What rank 0 said when it ended the link. */
static hr_status fail_ended(const hr_zeromq_message *m, hr_error *err) {
    zmq_msg_t *body = (zmq_msg_t *)&m->body;
    return hr_fail(err, HR_E_IO, "", "rank 0 ended the ranks: %.*s", (int)zmq_msg_size(body),
                   (const char *)zmq_msg_data(body));
}

hr_status hr_zeromq_await(hr_zeromq_link *link, int64_t until, hr_zeromq_message *m, hr_error *err) {
    for (;;) {
        /* Who has gone may have sent something before; and a number is used again once its connection has
         * ended, so all ends are known before the sender of a message is. */
        const bool had_gone = link->gone != SIZE_MAX, has_come = take_message(link, m);
        look_at_connections(link);
        if (has_come) return link->rank && m->kind == HR_ZEROMQ_END ? fail_ended(m, err) : HR_OK;
        if (had_gone) return fail_gone(link, err);
        if (link->gone != SIZE_MAX) continue;
        if (is_stopped(link)) return fail_stopped(link, err);
        int64_t left = until < 0 ? -1 : until - hr_zeromq_clock();
        if (until >= 0 && left <= 0) return HR_OK;
        if (link->should_continue && (left < 0 || left > HR_ZEROMQ_ATTEMPT_MS)) left = HR_ZEROMQ_ATTEMPT_MS;
        zmq_pollitem_t items[] = {{.socket = link->socket, .events = ZMQ_POLLIN},
                                  {.socket = link->monitor, .events = ZMQ_POLLIN}};
        zmq_poll(items, 2, (long)left);
    }
}

/* One attempt, of at most 200 ms. Returns 0 or an error number. */
static int put(hr_zeromq_link *link, const hr_zeromq_id *id, hr_zeromq_kind kind, const void *bytes,
               size_t size) {
    const unsigned char sent = (unsigned char)kind;
    if (id && zmq_send(link->socket, id->bytes, id->size, ZMQ_SNDMORE) < 0) return zmq_errno();
    if (zmq_send(link->socket, &sent, 1, ZMQ_SNDMORE) < 0) return zmq_errno();
    return zmq_send(link->socket, bytes, size, 0) < 0 ? zmq_errno() : 0;
}

hr_status hr_zeromq_post(hr_zeromq_link *link, size_t to, hr_zeromq_kind kind, const void *bytes, size_t size,
                         hr_error *err) {
    for (;;) {
        const int error = put(link, link->rank ? NULL : &link->peers[to].id, kind, bytes, size);
        if (!error) return HR_OK;
        look_at_connections(link);
        if (error != EAGAIN && error != EINTR && link->gone == SIZE_MAX) link->gone = to;
        if (link->gone != SIZE_MAX) return fail_gone(link, err);
        if (is_stopped(link)) return fail_stopped(link, err);
    }
}

void hr_zeromq_refuse(hr_zeromq_link *link, const hr_zeromq_id *id, const char *reason) {
    (void)put(link, id, HR_ZEROMQ_END, reason, strlen(reason));
}

hr_status hr_zeromq_end(hr_zeromq_link *link, hr_status status, hr_error *err) {
    for (size_t r = 1; !link->rank && r < link->size; r++)
        if (link->peers[r].joined && r != link->gone)
            hr_zeromq_refuse(link, &link->peers[r].id, err->message);
    return status;
}

/* ---- The calls ---- */

/* A piece of this size from that rank; at rank 0 of any rank if from is SIZE_MAX, which has not sent one. */
static hr_status await_part(hr_zeromq_link *link, size_t from, size_t size, hr_zeromq_message *m,
                            hr_error *err) {
    hr_status status = HR_OK;
    for (;;) {
        status = hr_zeromq_await(link, -1, m, err);
        if (status) return status;
        if (m->from != SIZE_MAX) break;
        hr_zeromq_refuse(link, &m->id, "the ranks have begun without the process");
    }
    const bool is_awaited = from == SIZE_MAX ? !link->peers[m->from].has_sent : m->from == from;
    if (is_awaited && m->kind == HR_ZEROMQ_PART && zmq_msg_size(&m->body) == size) return HR_OK;
    return hr_zeromq_end(link,
                         hr_fail(err, HR_E_FORMAT, "start all ranks with the same program and arguments",
                                 "rank %zu sent what no rank waits for", m->from),
                         err);
}

static hr_status receive_from(hr_zeromq_link *link, size_t from, void *bytes, size_t size, hr_error *err) {
    hr_zeromq_message m;
    hr_zeromq_message_init(&m);
    hr_status status = await_part(link, from, size, &m, err);
    if (!status && size) memcpy(bytes, zmq_msg_data(&m.body), size);
    hr_zeromq_message_done(&m);
    return status;
}

/* At rank 0: to all others but one, SIZE_MAX: to all. */
static hr_status post_to_all(hr_zeromq_link *link, size_t but, const void *bytes, size_t size,
                             hr_error *err) {
    hr_status status = HR_OK;
    for (size_t r = 1; !status && r < link->size; r++)
        if (r != but) status = hr_zeromq_post(link, r, HR_ZEROMQ_PART, bytes, size, err);
    return status;
}

static hr_status broadcast_zeromq(void *state, size_t root, void *bytes, size_t size, hr_error *err) {
    hr_zeromq_link *link = state;
    if (link->rank && link->rank == root) return hr_zeromq_post(link, 0, HR_ZEROMQ_PART, bytes, size, err);
    hr_status status =
        root || link->rank ? receive_from(link, link->rank ? 0 : root, bytes, size, err) : HR_OK;
    return status || link->rank ? status : post_to_all(link, root, bytes, size, err);
}

static hr_status send_zeromq(void *state, size_t to, const void *bytes, size_t size, hr_error *err) {
    return hr_zeromq_post(state, to, HR_ZEROMQ_PART, bytes, size, err);
}

static hr_status receive_zeromq(void *state, void *bytes, size_t size, hr_error *err) {
    return receive_from(state, 0, bytes, size, err);
}

static void add_words(int64_t *words, size_t count, const char *added) {
    for (size_t i = 0; i < count; i++) {
        int64_t word;
        memcpy(&word, added + i * sizeof word, sizeof word);
        words[i] += word;
    }
}

static hr_status add_part(hr_zeromq_link *link, int64_t *words, size_t count, hr_error *err) {
    hr_zeromq_message m;
    hr_zeromq_message_init(&m);
    hr_status status = await_part(link, SIZE_MAX, count * sizeof *words, &m, err);
    if (!status) {
        add_words(words, count, zmq_msg_data(&m.body));
        link->peers[m.from].has_sent = true;
    }
    hr_zeromq_message_done(&m);
    return status;
}

/* Nobody goes on before rank 0 has all parts: so none of the next sum comes between. */
static hr_status sum_zeromq(void *state, int64_t *words, size_t count, hr_error *err) {
    hr_zeromq_link *link = state;
    hr_status status = HR_OK;
    if (link->rank) {
        status = hr_zeromq_post(link, 0, HR_ZEROMQ_PART, words, count * sizeof *words, err);
        return status ? status : receive_from(link, 0, NULL, 0, err);
    }
    for (size_t r = 1; r < link->size; r++) link->peers[r].has_sent = false;
    for (size_t r = 1; !status && r < link->size; r++) status = add_part(link, words, count, err);
    return status ? status : post_to_all(link, SIZE_MAX, NULL, 0, err);
}

static void close_zeromq(void *state) {
    hr_zeromq_link *link = state;
    /* Reports that nobody takes any more would hold the thread of ZeroMQ up for ever. */
    if (link->socket) zmq_socket_monitor(link->socket, NULL, 0);
    if (link->monitor) zmq_close(link->monitor);
    if (link->socket) zmq_close(link->socket);
    while (link->context && zmq_ctx_term(link->context) && zmq_errno() == EINTR) continue;
    free(link->peers);
    free(link);
}

hr_cluster_link hr_zeromq_table(hr_zeromq_link *link) {
    return (hr_cluster_link){.state = link,
                             .rank = link->rank,
                             .size = link->size,
                             .address = link->address,
                             .join = hr_zeromq_join,
                             .broadcast = broadcast_zeromq,
                             .send = send_zeromq,
                             .receive = receive_zeromq,
                             .sum = sum_zeromq,
                             .close = close_zeromq};
}
