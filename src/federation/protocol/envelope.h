/* Envelopes: what one party signs and seals to another (privacy/crypto/identity.h), or encrypts in a session
 * with a key that it signed and sealed (sessions.h), once it has taken a message or an ack is due. Nothing of
 * an envelope is read before that holds; then it must name the member whose key signed it, this federation,
 * and this party as its receiver. */
#ifndef HR_FEDERATION_PROTOCOL_ENVELOPE_H
#define HR_FEDERATION_PROTOCOL_ENVELOPE_H

#include "federation/protocol/decline.h"

/* Of the protocol: of envelopes, messages and what is signed. */
enum { HR_PROTOCOL_VERSION = 4 };

/* Bytes of a message that one envelope holds: with all seals it fits into a packet of any transport; and of
 * the name of a sender that is no member. */
enum { HR_PIECE_MAX = 512 * 1024, HR_SENDER_NAME_MAX = 64 };

typedef struct hr_envelope {
    hr_job_id job;
    size_t from, to;   /* members */
    uint64_t sequence; /* 0: an ack */
    uint64_t
        received;  /* the sender has the receiver's messages of the job on its disk, up to this sequence */
    bool more;     /* the message continues in the next envelope */
    bool declines; /* it is a decline: `body` is the whole message, an Answer, and the rest is 0 */
    bool aside;    /* of no job: `body` is of inquiry.h, `job` is drawn for it, and the rest is 0 */
    hr_bytes body; /* a piece of a message; empty only in an ack */
} hr_envelope;

/* Who sent an envelope that this program cannot take, so that its sender gets a reason. */
typedef struct hr_envelope_sender {
    bool answerable; /* the rest is set */
    hr_public_key key;
    char name[HR_SENDER_NAME_MAX + 1]; /* as it calls itself */
    hr_job_id job;
    hr_decline_code code; /* why it cannot be taken: PROTOCOL_VERSION or UNKNOWN_MEMBER */
    char why[HR_DECLINE_TEXT + 1];
} hr_envelope_sender;

/* `envelope->from` is ignored: it is the view's own. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_envelope_seal(const hr_party_view *view, const hr_envelope *envelope,
                                         hr_bytes *out, hr_error *err);

/* Owner: the caller frees out->body.at. A decline is read in any version. Fails: POLICY (no member signed it,
 * or it is for another receiver), FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_envelope_open(const hr_party_view *view, const void *sealed, size_t size,
                                         hr_envelope *out, hr_error *err);
/* The same; where it fails, *sender is set if its sender can get a reason (hr_envelope_decline). */
HR_MUST_CHECK hr_status hr_envelope_read(const hr_party_view *view, const void *sealed, size_t size,
                                         hr_envelope *out, hr_envelope_sender *sender, hr_error *err);

/* Seals a decline of the sender's job to the sender. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_envelope_decline(const hr_party_view *view, const hr_envelope_sender *sender,
                                            hr_bytes *out, hr_error *err);

/* ---- Within this room: what all versions have (envelope_head.c) ---- */

/* What came, and who signed it, or the key of its session. */
typedef struct hr_opened_envelope {
    uint8_t key[HR_KEY_SIZE];
    size_t signer; /* a member; HR_NO_MEMBER: none has that key */
    hr_bytes plain;
} hr_opened_envelope;

/* Why an envelope is refused. Fails: always, with the status. */
HR_MUST_CHECK hr_status hr_envelope_refuse(hr_status status, const char *why, hr_error *err);
/* Whether it is this federation's, its signer's and this party's. Fails: POLICY, FORMAT. */
HR_MUST_CHECK hr_status hr_envelope_check_head(const hr_party_view *view, size_t signer,
                                               const Hedgerow__EnvelopeHead *head, hr_error *err);
/* Reads an envelope of another version, or of no member: a decline, or its sender. Fails: as
 * hr_envelope_read. */
HR_MUST_CHECK hr_status hr_envelope_read_head(const hr_party_view *view, const hr_opened_envelope *envelope,
                                              hr_envelope *out, hr_envelope_sender *sender, hr_error *err);

#endif
