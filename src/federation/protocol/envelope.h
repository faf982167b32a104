/* Envelopes: what one party signs and seals to another (privacy/crypto/identity.h). Nothing of an envelope is
 * read before its signature holds; then it must name the member whose key signed it, this federation, and
 * this party as its receiver. */
#ifndef HR_FEDERATION_PROTOCOL_ENVELOPE_H
#define HR_FEDERATION_PROTOCOL_ENVELOPE_H

#include "federation/protocol/message.h"

/* Of the protocol: of envelopes, messages and what is signed. */
enum { HR_PROTOCOL_VERSION = 2 };

/* Bytes of a message that one envelope holds: with all seals it fits into a packet of any transport. */
enum { HR_JOB_BYTES = 16, HR_PIECE_MAX = 512 * 1024 };

typedef struct hr_job_id {
    uint8_t bytes[HR_JOB_BYTES];
} hr_job_id;

typedef struct hr_envelope {
    hr_job_id job;
    size_t from, to;   /* members */
    uint64_t sequence; /* 0: an ack */
    uint64_t received; /* of an ack */
    bool more;         /* the message continues in the next envelope */
    hr_bytes body;     /* a piece of a message; empty only in an ack */
} hr_envelope;

/* `envelope->from` is ignored: it is the view's own. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_envelope_seal(const hr_party_view *view, const hr_envelope *envelope,
                                         hr_bytes *out, hr_error *err);

/* Owner: the caller frees out->body.at. Fails: POLICY (no member signed it, or it is for another receiver),
 * FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_envelope_open(const hr_party_view *view, const void *sealed, size_t size,
                                         hr_envelope *out, hr_error *err);

#endif
