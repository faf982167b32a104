#include "federation/envelope.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

hr_status hr_envelope_seal(const hr_party_view *view, const hr_envelope *envelope, hr_bytes *out, hr_error *err) {
    Hedgerow__Envelope wire = HEDGEROW__ENVELOPE__INIT;
    wire.version = VERSION;
    wire.federation = hr_text_of(view->roster->federation);
    wire.job = hr_data_of(envelope->job.bytes, HR_JOB_BYTES);
    wire.from = hr_text_of(view->roster->members[view->self].name);
    wire.to = hr_text_of(view->roster->members[envelope->to].name);
    wire.sequence = envelope->sequence;
    wire.received = envelope->received;
    wire.more = envelope->more;
    wire.body = hr_data_of(envelope->body.at, envelope->body.size);
    hr_bytes plain = {0};
    hr_status status = hr_pack(&wire.base, &plain, err);
    if (!status)
        status = hr_seal(view->identity, &view->roster->members[envelope->to].key, plain.at, plain.size, &out->at, &out->size, err);
    free(plain.at);
    return status;
}

static hr_status refuse(hr_status status, const char *why, hr_error *err) {
    return hr_fail(err, status, "", "an envelope was refused: %s", why);
}

static hr_status check(const hr_party_view *view, size_t signer, const Hedgerow__Envelope *wire, hr_error *err) {
    if (wire->version != VERSION) return refuse(HR_E_FORMAT, "it is of another version", err);
    if (!hr_text_is(wire->federation, view->roster->federation)) return refuse(HR_E_POLICY, "it belongs to another federation", err);
    if (!hr_text_is(wire->from, view->roster->members[signer].name)) return refuse(HR_E_POLICY, "its sender is not who signed it", err);
    if (!hr_text_is(wire->to, view->roster->members[view->self].name)) return refuse(HR_E_POLICY, "it was meant for somebody else", err);
    if (wire->job.len != HR_JOB_BYTES) return refuse(HR_E_FORMAT, "it names no job", err);
    if (wire->body.len > HR_PIECE_MAX) return refuse(HR_E_LIMIT, "it is too large", err);
    bool receipt = !wire->sequence && wire->received && !wire->body.len && !wire->more,
         piece = wire->sequence && !wire->received && wire->body.len;
    if (!receipt && !piece) return refuse(HR_E_FORMAT, "it is neither a piece of a message nor a receipt", err);
    return HR_OK;
}

static hr_status read(const hr_party_view *view, size_t signer, const uint8_t *plain, size_t size, hr_envelope *out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = hr_unpack(&hedgerow__envelope__descriptor, plain, size, &unpacked, err);
    if (status) return status;
    const Hedgerow__Envelope *wire = (const Hedgerow__Envelope *)unpacked;
    hr_envelope made = {.from = signer, .to = view->self};
    status = check(view, signer, wire, err);
    if (!status) status = hr_bytes_copy(wire->body.data, wire->body.len, &made.body, err);
    if (!status) {
        memcpy(made.job.bytes, wire->job.data, HR_JOB_BYTES);
        made.sequence = wire->sequence;
        made.received = wire->received;
        made.more = wire->more;
        *out = made;
    }
    hr_unpacked_free(unpacked);
    return status;
}

hr_status hr_envelope_open(const hr_party_view *view, const void *sealed, size_t size, hr_envelope *out, hr_error *err) {
    uint8_t key[HR_KEY_SIZE];
    uint8_t *plain = NULL;
    size_t plain_size = 0;
    hr_status status = hr_unseal(view->identity, sealed, size, key, &plain, &plain_size, err);
    if (status) return status;
    size_t signer = hr_roster_keyed(view->roster, key);
    status = signer == HR_NO_MEMBER ? refuse(HR_E_POLICY, "no member of the federation signed it", err)
                                    : read(view, signer, plain, plain_size, out, err);
    free(plain);
    return status;
}
