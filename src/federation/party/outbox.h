/* Packets that leave a party. They are sealed and noted within a transaction of its journal, leave when it is
 * committed, and are sent again until they are confirmed: after some time, then less and less often. */
#ifndef HR_FEDERATION_PARTY_OUTBOX_H
#define HR_FEDERATION_PARTY_OUTBOX_H

#include "federation/protocol/envelope.h"
#include "federation/transport/transport.h"
#include "privacy/ledger/journal.h"

/* A packet that leaves when the transaction is committed. */
typedef struct hr_fresh_packet {
    size_t to; /* member */
    hr_bytes packet;
} hr_fresh_packet;

typedef struct hr_outbox {
    const hr_party_view *view;
    hr_journal *journal;
    hr_transport *transport;
    int64_t pause; /* before packets are sent again for the first time; as all times, by the caller's clock */
    hr_fresh_packet *fresh;
    size_t count, capacity;
    int64_t sent, patience; /* when packets last left, and how long to wait for the next time; 0: at once */
} hr_outbox;

void hr_outbox_done(hr_outbox *outbox);

/* Posts a message, in as many packets as it needs. Within a transaction. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_post(hr_outbox *outbox, const uint8_t *job, size_t to,
                                       const hr_bytes *message, hr_error *err);

/* What was posted leaves, after the commit. What the transport does not take goes again later. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_outbox_send(hr_outbox *outbox, int64_t now, hr_error *err);

/* What was posted does not leave, since it was not committed. */
void hr_outbox_drop(hr_outbox *outbox);

/* Acknowledges a sender's packets. If the transport does not take the ack, the sender repeats them. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_confirm(hr_outbox *outbox, const uint8_t *job, size_t to, uint64_t sequence,
                                          hr_error *err);

/* Sends unconfirmed packets again, oldest first, if it is time to. A full inbox does not delay the packets to
 * others. Fails: IO (journal), MEMORY. */
HR_MUST_CHECK hr_status hr_outbox_resend(hr_outbox *outbox, int64_t now, hr_error *err);

#endif
