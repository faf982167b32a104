#include "federation/protocol/envelope.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

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
    wire.body = hr_data_of(envelope->body.at, envelope->body.size);
    hr_bytes plain = {0};
    hr_status status = hr_message_pack(&wire.base, &plain, err);
    if (!status)
        status = hr_seal(view->identity, &view->membership->members[envelope->to].key, plain.at, plain.size,
                         &out->at, err);
    if (!status) out->size = plain.size + HR_SEAL_OVERHEAD;
    free(plain.at);
    return status;
}

static hr_status refuse_received_envelope(hr_status status, const char *why, hr_error *err) {
    return hr_fail(err, status, "", "an envelope was refused: %s", why);
}

static hr_status check_envelope_text(const hr_party_view *view, size_t signer, const Hedgerow__Envelope *wire,
                                     hr_error *err) {
    if (wire->version != HR_PROTOCOL_VERSION)
        return hr_fail(
            err, HR_E_FORMAT, "run the same version of Hedgerow at both",
            "an envelope was refused: %s speaks version %u of the protocol, this program version %d",
            view->membership->members[signer].name, wire->version, HR_PROTOCOL_VERSION);
    if (!hr_text_is(wire->federation, view->membership->federation))
        return refuse_received_envelope(HR_E_POLICY, "it belongs to another federation", err);
    if (!hr_text_is(wire->from, view->membership->members[signer].name))
        return refuse_received_envelope(HR_E_POLICY, "its sender is not its signer", err);
    if (!hr_text_is(wire->to, view->membership->members[view->self].name))
        return refuse_received_envelope(HR_E_POLICY, "it is for another receiver", err);
    if (wire->job.len != HR_JOB_BYTES) return refuse_received_envelope(HR_E_FORMAT, "it names no job", err);
    if (wire->body.len > HR_PIECE_MAX) return refuse_received_envelope(HR_E_LIMIT, "it is too large", err);
    bool ack = !wire->sequence && wire->received && !wire->body.len && !wire->more,
         piece = wire->sequence && !wire->received && wire->body.len;
    if (!ack && !piece)
        return refuse_received_envelope(HR_E_FORMAT, "it is neither a piece of a message nor an ack", err);
    return HR_OK;
}

static hr_status read(const hr_party_view *view, size_t signer, const uint8_t *plain, size_t size,
                      hr_envelope *out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = hr_message_unpack(&hedgerow__envelope__descriptor, plain, size, &unpacked, err);
    if (status) return status;
    const Hedgerow__Envelope *wire = (const Hedgerow__Envelope *)unpacked;
    hr_envelope made = {.from = signer, .to = view->self};
    status = check_envelope_text(view, signer, wire, err);
    if (!status) status = hr_bytes_copy(wire->body.data, wire->body.len, &made.body, err);
    if (!status) {
        memcpy(made.job.bytes, wire->job.data, HR_JOB_BYTES);
        made.sequence = wire->sequence;
        made.received = wire->received;
        made.more = wire->more;
        *out = made;
    }
    hr_message_unpacked_free(unpacked);
    return status;
}

hr_status hr_envelope_open(const hr_party_view *view, const void *sealed, size_t size, hr_envelope *out,
                           hr_error *err) {
    uint8_t key[HR_KEY_SIZE];
    uint8_t *plain = NULL;
    hr_status status = hr_unseal(view->identity, sealed, size, key, &plain, err);
    if (status) return status;
    size_t signer = hr_membership_by_key(view->membership, key);
    status = signer == HR_NO_MEMBER
                 ? refuse_received_envelope(HR_E_POLICY, "no member of the federation signed it", err)
                 : read(view, signer, plain, size - HR_SEAL_OVERHEAD, out, err);
    free(plain);
    return status;
}
