/* Hellos: a member's program lets others know that it runs. A hello is of no job and stands outside of all
 * envelopes; it is signed, not sealed, since the broker knows who is connected anyway
 * (docs/reference/protocol.md). */
#ifndef HR_FEDERATION_PROTOCOL_HELLO_H
#define HR_FEDERATION_PROTOCOL_HELLO_H

#include "federation/protocol/message.h"

/* Bytes of a fingerprint's text; seconds between two hellos of a member, at most. */
enum { HR_HELLO_FINGERPRINT_MAX = 64, HR_HELLO_PERIOD_MAX = 300 };

typedef Hedgerow__HelloBody__State hr_hello_state;

typedef struct hr_hello {
    hr_hello_state state;
    uint32_t protocol;                              /* the sender's version */
    uint64_t version;                               /* of the sender's federation file */
    char fingerprint[HR_HELLO_FINGERPRINT_MAX + 1]; /* of that file; "": not known */
    int64_t date;                                   /* milliseconds since 1970 began, by the sender's clock */
    uint64_t session;                               /* of the sender's program, from its start to its end */
    uint32_t period;                                /* seconds until its next hello: 1..HR_HELLO_PERIOD_MAX */
} hr_hello;

/* Signs it as the view's member; hello->protocol is ignored. Owner: the caller frees out->at. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_hello_make(const hr_party_view *view, const hr_hello *hello, hr_bytes *out,
                                      hr_error *err);

/* Reads one that came as of member `from`, also of another version of the protocol. Whether its date is a
 * good one is the caller's matter. Fails: POLICY (that member did not sign it, or it is of another federation
 * or member), FORMAT, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_hello_read(const hr_membership *membership, size_t from, const void *bytes,
                                      size_t size, hr_hello *out, hr_error *err);

#endif
