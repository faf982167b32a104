#include "federation/protocol/envelope.h"

#include "base/fail.h"
#include "federation/protocol/sessions.h"
#include "privacy/crypto/session.h"

#include <stdlib.h>
#include <string.h>

/* A receiver whose messages this party has taken is one that knows sessions. Other versions do not, and shall
 * be able to read that they differ. */
static bool knows_sessions(const hr_party_view *view, const hr_envelope *envelope) {
    return view->sessions && envelope->received;
}

static hr_status seal_plain(const hr_party_view *view, const hr_public_key *to, const hr_bytes *plain,
                            hr_bytes *out, hr_error *err) {
    hr_status status = hr_seal(view->identity, to, plain->at, plain->size, &out->at, err);
    if (!status) out->size = plain->size + HR_SEAL_OVERHEAD;
    return status;
}

hr_status hr_envelope_seal(const hr_party_view *view, const hr_envelope *envelope, hr_bytes *out,
                           hr_error *err) {
    Hedgerow__Envelope wire = HEDGEROW__ENVELOPE__INIT;
    wire.version = HR_PROTOCOL_VERSION;
    wire.federation = hr_text_of(view->membership->federation);
    wire.job = hr_data_of(envelope->job.bytes, HR_JOB_BYTES);
    wire.from = hr_text_of(view->membership->members[view->self].name);
    wire.to = hr_text_of(view->membership->members[envelope->to].name);
    wire.sequence = envelope->sequence;
    wire.received = envelope->received;
    wire.more = envelope->more;
    wire.aside = envelope->aside;
    wire.body = hr_data_of(envelope->body.at, envelope->body.size);
    hr_bytes plain = {0};
    hr_status status = hr_message_pack(&wire.base, &plain, err);
    if (!status && knows_sessions(view, envelope))
        status = hr_sessions_encrypt(view, envelope->to, &envelope->job, &plain, out, err);
    else if (!status)
        status = seal_plain(view, &view->membership->members[envelope->to].key, &plain, out, err);
    free(plain.at);
    return status;
}

/* It has nothing else, so that it is no piece or ack as well. */
static bool is_only_decline(const Hedgerow__Envelope *wire) {
    return wire->decline && !wire->sequence && !wire->received && !wire->more && !wire->aside &&
           !wire->body.len;
}

static hr_status check_piece(const Hedgerow__Envelope *wire, hr_error *err) {
    if (wire->body.len > HR_PIECE_MAX) return hr_envelope_refuse(HR_E_LIMIT, "it is too large", err);
    bool ack = !wire->sequence && wire->received && !wire->body.len && !wire->more,
         piece = wire->sequence && wire->body.len,
         aside = !wire->sequence && !wire->received && wire->body.len && !wire->more;
    if (!(wire->aside ? aside : ack || piece) || wire->decline)
        return hr_envelope_refuse(HR_E_FORMAT, "it is neither a piece of a message nor an ack", err);
    return HR_OK;
}

/* ---- Reading ---- */

static Hedgerow__EnvelopeHead head_of(const Hedgerow__Envelope *wire) {
    Hedgerow__EnvelopeHead head = HEDGEROW__ENVELOPE_HEAD__INIT;
    head.version = wire->version;
    head.federation = wire->federation;
    head.job = wire->job;
    head.from = wire->from;
    head.to = wire->to;
    head.decline = wire->decline;
    return head;
}

/* Of this version. */
static hr_status read_own(const hr_party_view *view, size_t signer, const Hedgerow__Envelope *wire,
                          hr_envelope *out, hr_error *err) {
    const Hedgerow__EnvelopeHead head = head_of(wire);
    hr_envelope made = {.from = signer, .to = view->self};
    hr_status status = hr_envelope_check_head(view, signer, &head, err);
    if (!status) status = check_piece(wire, err);
    if (!status) status = hr_bytes_copy(wire->body.data, wire->body.len, &made.body, err);
    if (status) return status;
    memcpy(made.job.bytes, wire->job.data, HR_JOB_BYTES);
    made.sequence = wire->sequence;
    made.received = wire->received;
    made.more = wire->more;
    made.aside = wire->aside;
    *out = made;
    return HR_OK;
}

static hr_status read_opened(const hr_party_view *view, const hr_opened_envelope *e, hr_envelope *out,
                             hr_envelope_sender *sender, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    if (e->signer == HR_NO_MEMBER) return hr_envelope_read_head(view, e, out, sender, err);
    hr_status status =
        hr_message_unpack(&hedgerow__envelope__descriptor, e->plain.at, e->plain.size, &unpacked, err);
    if (status == HR_E_MEMORY || status == HR_E_LIMIT) return status;
    const Hedgerow__Envelope *wire = (const Hedgerow__Envelope *)unpacked;
    if (status || wire->version != HR_PROTOCOL_VERSION || is_only_decline(wire))
        status = hr_envelope_read_head(view, e, out, sender, err);
    else
        status = read_own(view, e->signer, wire, out, err);
    hr_message_unpacked_free(unpacked);
    return status;
}

static hr_status open_packet(const hr_party_view *view, const void *sealed, size_t size,
                             hr_opened_envelope *out, hr_error *err) {
    if (hr_session_is(sealed, size))
        return hr_sessions_decrypt(view, sealed, size, out->key, &out->plain, err);
    hr_status status = hr_unseal(view->identity, sealed, size, out->key, &out->plain.at, err);
    if (!status) out->plain.size = size - HR_SEAL_OVERHEAD;
    return status;
}

hr_status hr_envelope_read(const hr_party_view *view, const void *sealed, size_t size, hr_envelope *out,
                           hr_envelope_sender *sender, hr_error *err) {
    hr_opened_envelope e;
    *sender = (hr_envelope_sender){0};
    hr_status status = open_packet(view, sealed, size, &e, err);
    if (status) return status;
    e.signer = hr_membership_by_key(view->membership, e.key);
    status = read_opened(view, &e, out, sender, err);
    free(e.plain.at);
    return status;
}

hr_status hr_envelope_open(const hr_party_view *view, const void *sealed, size_t size, hr_envelope *out,
                           hr_error *err) {
    hr_envelope_sender ignored;
    return hr_envelope_read(view, sealed, size, out, &ignored, err);
}
