#include "federation/party/party_core.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAUSES_MAX = 32,    /* the longest time between two sendings, in pauses */
    PUT_OFF_MAX = 8,    /* the longest time that packets which leave put the next sending off, in pauses */
    UNREACHABLE_MAX = 3 /* inboxes that take nothing: then it is the transport */
};

static const char *outbox_member_name(const hr_outbox *o, size_t member) {
    return o->view->membership->members[member].name;
}

void hr_outbox_drop(hr_outbox *o) {
    for (size_t i = 0; i < o->count; i++) free(o->fresh[i].packet.at);
    o->count = 0;
}

void hr_outbox_done(hr_outbox *o) {
    hr_outbox_drop(o);
    free(o->fresh);
}

/* ---- Posting ---- */

/* Owns the packet from then on. */
static hr_status add_waiting_packet(hr_outbox *o, size_t to, hr_bytes packet, hr_error *err) {
    if (o->count == o->capacity) {
        size_t capacity = 2 * o->capacity + 16;
        hr_fresh_packet *larger = realloc(o->fresh, capacity * sizeof *larger);
        if (!larger) {
            free(packet.at);
            return hr_fail_memory(err);
        }
        o->fresh = larger;
        o->capacity = capacity;
    }
    o->fresh[o->count++] = (hr_fresh_packet){to, packet};
    return HR_OK;
}

static hr_status post_piece(hr_outbox *o, const hr_envelope *envelope, hr_error *err) {
    hr_bytes packet = {0};
    hr_status status = hr_envelope_seal(o->view, envelope, &packet, err);
    if (status) return status;
    status = add_waiting_packet(o, envelope->to, packet, err);
    if (status) return status;
    return hr_journal_post(o->journal, envelope->job.bytes, outbox_member_name(o, envelope->to),
                           envelope->sequence, (hr_blob){packet.at, packet.size}, err);
}

hr_status hr_outbox_post(hr_outbox *o, const hr_live_job *j, size_t to, const hr_bytes *message,
                         hr_error *err) {
    hr_envelope envelope = {.to = to, .received = hr_ack_next(&j->acks[to])};
    memcpy(envelope.job.bytes, j->record.id, HR_JOB_BYTES);
    hr_status status =
        hr_journal_posted(o->journal, j->record.id, outbox_member_name(o, to), &envelope.sequence, err);
    size_t at = 0;
    do {
        size_t left = message->size - at;
        envelope.more = left > HR_PIECE_MAX;
        envelope.body = (hr_bytes){message->at + at, envelope.more ? HR_PIECE_MAX : left};
        envelope.sequence++;
        if (!status) status = post_piece(o, &envelope, err);
        at += envelope.body.size;
    } while (!status && envelope.more);
    return status;
}

/* ---- Sending ---- */

/* Without waiting for the broker's answer: what it does not take goes again later. */
static hr_status carry(const hr_outbox *o, const char *to, const hr_bytes *packet, bool *taken,
                       hr_error *err) {
    hr_error ignored;
    hr_transport *transport = o->transport;
    hr_status status = (transport->post ? transport->post : transport->send)(transport, to, packet->at,
                                                                             packet->size, &ignored);
    *taken = !status;
    return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
}

hr_status hr_outbox_send(hr_outbox *o, int64_t now, hr_error *err) {
    bool taken = true;
    hr_status status = HR_OK;
    if (!o->count) return HR_OK;
    for (size_t i = 0; taken && i < o->count; i++)
        status = carry(o, outbox_member_name(o, o->fresh[i].to), &o->fresh[i].packet, &taken, err);
    if (!o->is_put_off) o->put_off_at = now;
    o->is_put_off = true;
    o->sent = now;
    o->patience = o->pause;
    hr_outbox_drop(o);
    return status;
}

hr_status hr_outbox_answer(const hr_outbox *o, const hr_envelope *envelope, hr_error *err) {
    bool taken;
    hr_bytes packet = {0};
    hr_status status = hr_envelope_seal(o->view, envelope, &packet, err);
    if (!status) status = carry(o, outbox_member_name(o, envelope->to), &packet, &taken, err);
    free(packet.at);
    return status;
}

hr_status hr_outbox_confirm(hr_outbox *o, const uint8_t *job, size_t to, uint64_t sequence, hr_error *err) {
    hr_envelope ack = {.to = to, .received = sequence};
    memcpy(ack.job.bytes, job, HR_JOB_BYTES);
    return hr_outbox_answer(o, &ack, err);
}

hr_status hr_outbox_decline(const hr_outbox *o, const hr_envelope_sender *sender, hr_error *err) {
    bool taken;
    hr_bytes packet = {0};
    hr_status status = hr_envelope_decline(o->view, sender, &packet, err);
    if (!status) status = carry(o, sender->name, &packet, &taken, err);
    free(packet.at);
    return status;
}

/* ---- Sending again ---- */

typedef struct resending {
    const hr_outbox *outbox;
    bool unreachable[HR_MEMBERS_MAX]; /* by member: its inbox is full, or gone */
    size_t unreachable_count;
} resending;

static hr_status send_again(void *user, const char *to, uint64_t sequence, hr_blob packet) {
    resending *r = user;
    hr_transport *transport = r->outbox->transport;
    hr_error ignored;
    (void)sequence;
    size_t member = hr_membership_by_name(r->outbox->view->membership, to, strlen(to));
    if (member == HR_NO_MEMBER || r->unreachable[member]) return HR_OK;
    hr_status status = transport->send(transport, to, packet.at, packet.size, &ignored);
    if (!status) return HR_OK;
    r->unreachable[member] = true;
    return status != HR_E_CANCELLED && ++r->unreachable_count < UNREACHABLE_MAX ? HR_OK : status;
}

hr_status hr_outbox_resend(hr_outbox *o, int64_t now, hr_error *err) {
    const bool is_due = now - o->sent >= o->patience,
               is_overdue = o->is_put_off && now - o->put_off_at >= PUT_OFF_MAX * o->pause;
    if (!is_due && !is_overdue) return HR_OK;
    int64_t longest = PAUSES_MAX * o->pause;
    o->is_put_off = false;
    o->sent = now;
    o->patience = o->patience ? 2 * o->patience : o->pause;
    if (o->patience > longest) o->patience = longest;
    hr_error why = {0};
    resending r = {.outbox = o};
    hr_status status = hr_journal_each_packet(o->journal, send_again, &r, &why);
    if (!status || !why.message[0]) return HR_OK; /* the transport will be back */
    if (err) *err = why;
    return status;
}

/* ---- Acks ----
 *
 * An ack is for messages in the journal, on the disk. Every piece of a message is an ack too, so a member
 * that gets an answer needs no other. An ack alone goes when none went along for a while, well before the
 * member sends its packets again. */

enum {
    UNACKED_MAX = 2,   /* packets: a member that sends many at its receiver's pace waits for acks */
    PARTS_OF_PAUSE = 4 /* an ack waits so many times shorter than packets before they are sent again */
};

void hr_ack_due(hr_ack_state *r, uint64_t sequence, int64_t now) {
    if (r->acked == r->taken) r->since = now;
    r->taken = sequence;
}

uint64_t hr_ack_next(hr_ack_state *r) {
    r->acked = r->taken;
    r->again = false;
    return r->taken;
}

hr_status hr_party_confirm(hr_party *p, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; i < p->job_count; i++) {
        hr_live_job *j = p->jobs[i];
        for (size_t m = 0; !status && m < j->member_count; m++) {
            hr_ack_state *r = &j->acks[m];
            const uint64_t unacked = r->taken - r->acked;
            const bool is_late = p->clock.now - r->since >= p->o.resend / PARTS_OF_PAUSE;
            if (r->again || (unacked && (unacked >= UNACKED_MAX || is_late || hr_live_job_is_over(j))))
                status = hr_outbox_confirm(&p->outbox, j->record.id, m, hr_ack_next(r), err);
        }
    }
    return status;
}
