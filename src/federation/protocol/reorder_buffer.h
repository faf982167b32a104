/* One job's mail from one party: envelopes in any order, some twice; messages out, whole, each once, in the
 * order they were sent.
 *
 * Envelopes that come too early are put by, a few; the rest is dropped, and comes again, since nothing is
 * receipted before its message is on the disk. */
#ifndef HR_FEDERATION_PROTOCOL_REORDER_BUFFER_H
#define HR_FEDERATION_PROTOCOL_REORDER_BUFFER_H

#include "federation/protocol/envelope.h"

enum { HR_REORDER_EARLY_MAX = 16 };

typedef struct hr_mail_piece {
    uint64_t sequence; /* 0: none */
    bool more;
    hr_bytes body;
} hr_mail_piece;

typedef struct hr_reorder_buffer {
    uint64_t taken;   /* the sequence of the last message that was handed out whole */
    uint64_t pieces;  /* of envelopes since then that are in `partial` */
    hr_bytes partial; /* the message that is growing */
    hr_mail_piece early[HR_REORDER_EARLY_MAX];
} hr_reorder_buffer;

/* Takes an envelope that is no ack; owns its body from then on. */
void hr_reorder_buffer_put(hr_reorder_buffer *reorder_buffer, const hr_envelope *envelope);

/* The next whole message, with the sequence of its last envelope; false: none. Owner: the caller frees
 * out->at. It counts as taken. Fails: LIMIT (too large a message), MEMORY. */
HR_MUST_CHECK hr_status hr_reorder_buffer_take(hr_reorder_buffer *reorder_buffer, bool *there, hr_bytes *out,
                                               uint64_t *sequence, hr_error *err);

/* Bytes that it holds of incomplete messages. */
size_t hr_reorder_buffer_size(const hr_reorder_buffer *reorder_buffer);

/* Drops incomplete messages: their sender sends them again. */
void hr_reorder_buffer_clear(hr_reorder_buffer *reorder_buffer);

void hr_reorder_buffer_done(hr_reorder_buffer *reorder_buffer);

#endif
