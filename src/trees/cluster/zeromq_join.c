/* How ranks get together: each tells rank 0 which it is and proves that it has the job's key, and rank 0 lets
 * them begin once all are there. What has joined stays: a rank whose connection ends has gone, and nobody
 * joins later. */
#include "trees/cluster/zeromq_link.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HOST_ROOM = 64, REASON_ROOM = 120 };

typedef struct join_request {
    char format[8];
    uint8_t proof[HR_DIGEST_SIZE];
    uint64_t rank, size;
    char host[HOST_ROOM];
} join_request;

static const char format[8] = "ranks 1";

/* ---- Rank 0 ---- */

/* NULL: it may take part. text: room for a reason with numbers. */
static const char *refusal(const hr_zeromq_link *link, const join_request *request, char text[REASON_ROOM]) {
    if (memcmp(request->format, format, sizeof format) != 0)
        return "the process has another version of Hedgerow";
    if (!hr_digest_is(&link->proof, request->proof, sizeof request->proof))
        return "the process has another key";
    if (request->size != link->size) {
        snprintf(text, REASON_ROOM, "the process was told another number of ranks, %llu, than rank 0, %zu",
                 (unsigned long long)request->size, link->size);
        return text;
    }
    if (request->rank == 0 || request->rank >= link->size) return "its rank is none of the others'";
    return link->peers[request->rank].joined ? "this rank has joined already" : NULL;
}

/* Returns whether a rank joined. */
static bool admit(hr_zeromq_link *link, hr_zeromq_message *m) {
    join_request request;
    if (m->kind != HR_ZEROMQ_JOIN || m->from != SIZE_MAX || zmq_msg_size(&m->body) != sizeof request) {
        hr_zeromq_refuse(link, &m->id, "rank 0 does not understand the process");
        return false;
    }
    memcpy(&request, zmq_msg_data(&m->body), sizeof request);
    request.host[HOST_ROOM - 1] = '\0';
    char text[REASON_ROOM];
    const char *reason = refusal(link, &request, text);
    if (reason) {
        hr_zeromq_refuse(link, &m->id, reason);
        return false;
    }
    hr_zeromq_peer *peer = &link->peers[request.rank];
    const char *address = zmq_msg_gets(&m->body, "Peer-Address");
    peer->id = m->id;
    peer->connection = (uint32_t)zmq_msg_get(&m->body, ZMQ_SRCFD);
    snprintf(peer->name, sizeof peer->name, "%s, %s", request.host, address ? address : "no address");
    peer->joined = true;
    return true;
}

static hr_status fail_missing(hr_zeromq_link *link, hr_error *err) {
    size_t missing = 1;
    while (link->peers[missing].joined) missing++;
    return hr_zeromq_end(
        link,
        hr_fail(err, HR_E_IO, "start all ranks, with the address of rank 0 and the same key",
                "rank %zu did not join within %g seconds%s", missing, (double)link->join_ms / 1000,
                link->has_mistaken ? "; a process that tried has another key, or is none of Hedgerow's" : ""),
        err);
}

static hr_status gather(hr_zeromq_link *link, hr_error *err) {
    const int64_t until = hr_zeromq_clock() + link->join_ms;
    hr_status status = HR_OK;
    for (size_t joined = 1; joined < link->size && !status;) {
        hr_zeromq_message m;
        hr_zeromq_message_init(&m);
        status = hr_zeromq_await(link, until, &m, err);
        if (!status && m.kind == HR_ZEROMQ_NOTHING) status = fail_missing(link, err);
        if (!status) joined += admit(link, &m);
        hr_zeromq_message_done(&m);
    }
    for (size_t r = 1; r < link->size && !status; r++)
        status = hr_zeromq_post(link, r, HR_ZEROMQ_READY, NULL, 0, err);
    return status;
}

/* ---- The others ---- */

static hr_status ask_rank_0(hr_zeromq_link *link, hr_error *err) {
    const int64_t until = hr_zeromq_clock() + link->join_ms;
    join_request request = {.rank = link->rank, .size = link->size};
    hr_zeromq_message m;
    memcpy(request.format, format, sizeof format);
    memcpy(request.proof, link->proof.bytes, sizeof request.proof);
    if (gethostname(request.host, HOST_ROOM - 1)) request.host[0] = '\0';
    hr_status status = hr_zeromq_post(link, 0, HR_ZEROMQ_JOIN, &request, sizeof request, err);
    if (status) return status;
    hr_zeromq_message_init(&m);
    status = hr_zeromq_await(link, until, &m, err);
    if (!status && m.kind != HR_ZEROMQ_READY)
        status = hr_fail(
            err, HR_E_IO, "start all ranks, with the address of rank 0 and the same key",
            "rank 0 at %s did not begin within %g seconds%s", link->address, (double)link->join_ms / 1000,
            link->has_met        ? "; other ranks are missing"
            : link->has_mistaken ? "; the process there has another key, or is none of Hedgerow's"
                                 : "");
    hr_zeromq_message_done(&m);
    return status;
}

hr_status hr_zeromq_join(void *state, hr_error *err) {
    hr_zeromq_link *link = state;
    return link->rank ? ask_rank_0(link, err) : gather(link, err);
}
