/* Packets that are there are taken in together: one transaction of the journal holds all that they lead to,
 * and they are settled only after it. */
#include "federation/party/party_core.h"

#include "base/fail.h"

enum {
    BATCH_MAX = 64,                 /* packets */
    BATCH_BYTES_MAX = HR_PACKET_MAX /* above which no more packet is added */
};

/* ---- Transactions ---- */

hr_status hr_party_begin(hr_party *p, hr_error *err) {
    if (p->open) return HR_OK;
    hr_status status = hr_journal_begin(p->o.journal, err);
    p->open = !status;
    return status;
}

hr_status hr_party_commit(hr_party *p, hr_status status, hr_error *err) {
    if (!status && p->gathers) return HR_OK;
    if (!status) status = hr_journal_commit(p->o.journal, err);
    p->open = false;
    if (!status) return hr_outbox_send(&p->outbox, p->clock.now, err);
    hr_journal_roll_back(p->o.journal);
    for (size_t i = 0; i < p->job_count; i++) p->jobs[i]->noted_kind = 0;
    hr_outbox_drop(&p->outbox);
    return status;
}

/* ---- Batches ---- */

hr_status hr_party_commit_batch(hr_party *p, hr_error *err) {
    p->gathers = false;
    return p->open ? hr_party_commit(p, HR_OK, err) : HR_OK;
}

typedef struct packet_batch {
    hr_packet packets[BATCH_MAX];
    bool refused[BATCH_MAX];
    size_t count, bytes;
} packet_batch;

static bool any_is_over(const hr_party *p) {
    for (size_t i = 0; i < p->job_count; i++)
        if (hr_live_job_is_over(p->jobs[i])) return true;
    return false;
}

/* A packet for a job that is over is not taken in: it waits for the end of the job. */
static bool is_full(const hr_party *p, const packet_batch *b, size_t max) {
    return b->count == max || b->count == BATCH_MAX || b->bytes >= BATCH_BYTES_MAX || any_is_over(p);
}

/* Nothing is waited for in an open transaction: other processes wait for the journal's file. */
static hr_status take_batch(hr_party *p, packet_batch *b, size_t max, int wait, hr_error *err) {
    hr_error ignored;
    while (p->gathers && !is_full(p, b, max)) {
        hr_packet *packet = &b->packets[b->count];
        hr_status status =
            p->o.transport->receive(p->o.transport, b->count || p->open ? -1 : wait, packet, &ignored);
        if (status == HR_E_MEMORY) return hr_fail_memory(err);
        if (status || !packet->bytes) return HR_OK;
        p->refused = false;
        status = hr_party_take_packet(p, packet, err);
        b->bytes += packet->size;
        b->refused[b->count++] = p->refused;
        if (status) return status;
    }
    return HR_OK;
}

/* After a failure the packets stay with the transport, and come again. */
static void settle_batch(hr_party *p, packet_batch *b) {
    hr_transport *transport = p->o.transport;
    for (size_t i = 0; i < b->count; i++)
        (b->refused[i] && transport->refuse ? transport->refuse : transport->settle)(transport,
                                                                                     &b->packets[i]);
}

hr_status hr_party_take_packets(hr_party *p, size_t max, int wait, size_t *count, hr_error *err) {
    packet_batch b = {.count = 0};
    p->gathers = true;
    hr_status status = take_batch(p, &b, max, wait, err);
    if (!status && p->gathers && p->open) status = hr_party_start_work(p, err);
    p->gathers = false;
    if (p->open) status = hr_party_commit(p, status, err);
    if (!status) settle_batch(p, &b);
    *count = b.count;
    return status;
}
