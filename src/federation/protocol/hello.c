#include "federation/protocol/hello.h"

#include "base/fail.h"
#include "federation/protocol/envelope.h"

#include <stdlib.h>
#include <string.h>

static const char hello_domain[] = "hedgerow hello 1";
static const int64_t latest_date = INT64_C(1) << 53; /* milliseconds */

hr_status hr_hello_make(const hr_party_view *view, const hr_hello *hello, hr_bytes *out, hr_error *err) {
    Hedgerow__HelloBody content = HEDGEROW__HELLO_BODY__INIT;
    Hedgerow__Hello wire = HEDGEROW__HELLO__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE];
    hr_bytes body = {0};
    content.protocol = HR_PROTOCOL_VERSION;
    content.federation = hr_text_of(view->membership->federation);
    content.version = hello->version;
    content.fingerprint = hr_text_of(hello->fingerprint);
    content.member = hr_text_of(view->membership->members[view->self].name);
    content.date = hello->date;
    content.session = hello->session;
    content.period = hello->period;
    content.state = hello->state;
    hr_status status = hr_message_pack(&content.base, &body, err);
    if (status) return status;
    hr_sign(view->identity, hello_domain, body.at, body.size, signature);
    wire.body = hr_data_of(body.at, body.size);
    wire.signature = hr_data_of(signature, sizeof signature);
    status = hr_message_pack(&wire.base, out, err);
    free(body.at);
    return status;
}

static hr_status refuse_hello(hr_status status, const char *why, hr_error *err) {
    return hr_fail(err, status, "", "a hello is refused: %s", why);
}

/* What every version has. */
static hr_status check_hello(const hr_membership *membership, size_t from, const Hedgerow__HelloBody *body,
                             hr_error *err) {
    if (!hr_text_is(body->federation, membership->federation))
        return refuse_hello(HR_E_POLICY, "it is of another federation", err);
    if (!hr_text_is(body->member, membership->members[from].name))
        return refuse_hello(HR_E_POLICY, "it is of another member", err);
    if (!hr_text_is_fit(body->fingerprint, HR_HELLO_FINGERPRINT_MAX))
        return refuse_hello(HR_E_FORMAT, "its fingerprint is not one", err);
    if (!body->period || body->period > HR_HELLO_PERIOD_MAX)
        return refuse_hello(HR_E_FORMAT, "its period is not between 1 and 300 s", err);
    if (body->date < 0 || body->date > latest_date)
        return refuse_hello(HR_E_FORMAT, "its date is not one", err);
    if ((uint32_t)body->state > HEDGEROW__HELLO_BODY__STATE__ASKING)
        return refuse_hello(HR_E_FORMAT, "its state is not known", err);
    return HR_OK;
}

static hr_status read_body(const hr_membership *membership, size_t from, ProtobufCBinaryData bytes,
                           hr_hello *out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status =
        hr_message_unpack_part(&hedgerow__hello_body__descriptor, bytes.data, bytes.len, &unpacked, err);
    if (status) return status;
    const Hedgerow__HelloBody *body = (const Hedgerow__HelloBody *)unpacked;
    status = check_hello(membership, from, body, err);
    if (!status) {
        *out = (hr_hello){.state = body->state,
                          .protocol = body->protocol,
                          .version = body->version,
                          .date = body->date,
                          .session = body->session,
                          .period = body->period};
        if (body->fingerprint.len) memcpy(out->fingerprint, body->fingerprint.data, body->fingerprint.len);
    }
    hr_message_unpacked_free(unpacked);
    return status;
}

hr_status hr_hello_read(const hr_membership *membership, size_t from, const void *bytes, size_t size,
                        hr_hello *out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = hr_message_unpack_part(&hedgerow__hello__descriptor, bytes, size, &unpacked, err);
    if (status) return status;
    const Hedgerow__Hello *wire = (const Hedgerow__Hello *)unpacked;
    const hr_public_key *key = &membership->members[from].key;
    if (wire->signature.len != HR_SIGNATURE_SIZE ||
        !hr_signature_holds(key, hello_domain, wire->body.data, wire->body.len, wire->signature.data))
        status = refuse_hello(HR_E_POLICY, "the member did not sign it", err);
    if (!status) status = read_body(membership, from, wire->body, out, err);
    hr_message_unpacked_free(unpacked);
    return status;
}
