#include "federation/protocol/reorder_buffer.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

static uint64_t expected(const hr_reorder_buffer *m) {
    return m->taken + m->pieces + 1;
}

void hr_reorder_buffer_put(hr_reorder_buffer *m, const hr_envelope *envelope) {
    uint64_t first = expected(m);
    hr_mail_piece *slot = &m->early[envelope->sequence % HR_REORDER_EARLY_MAX];
    if (envelope->sequence < first || envelope->sequence - first >= HR_REORDER_EARLY_MAX || slot->sequence) {
        free(envelope->body.at);
        return;
    }
    *slot = (hr_mail_piece){envelope->sequence, envelope->more, envelope->body};
}

static hr_status append_piece(hr_reorder_buffer *m, const hr_bytes *piece, hr_error *err) {
    if (m->partial.size + piece->size > HR_MESSAGE_MAX)
        return hr_fail(err, HR_E_LIMIT, "", "a message is too large");
    uint8_t *longer = realloc(m->partial.at, m->partial.size + piece->size + 1);
    if (!longer) return hr_fail_memory(err);
    if (piece->size) memcpy(longer + m->partial.size, piece->at, piece->size);
    m->partial = (hr_bytes){longer, m->partial.size + piece->size};
    return HR_OK;
}

hr_status hr_reorder_buffer_take(hr_reorder_buffer *m, bool *there, hr_bytes *out, uint64_t *sequence,
                                 hr_error *err) {
    for (;;) {
        hr_mail_piece *next = &m->early[expected(m) % HR_REORDER_EARLY_MAX];
        if (next->sequence != expected(m)) {
            *there = false;
            return HR_OK;
        }
        hr_status status = append_piece(m, &next->body, err);
        if (status) return status;
        bool whole = !next->more;
        free(next->body.at);
        *next = (hr_mail_piece){0};
        m->pieces++;
        if (!whole) continue;
        m->taken += m->pieces;
        m->pieces = 0;
        *there = true;
        *out = m->partial;
        *sequence = m->taken;
        m->partial = (hr_bytes){0};
        return HR_OK;
    }
}

size_t hr_reorder_buffer_size(const hr_reorder_buffer *m) {
    size_t size = m->partial.size;
    for (size_t i = 0; i < HR_REORDER_EARLY_MAX; i++) size += m->early[i].body.size;
    return size;
}

void hr_reorder_buffer_clear(hr_reorder_buffer *m) {
    uint64_t taken = m->taken;
    hr_reorder_buffer_done(m);
    m->taken = taken;
}

void hr_reorder_buffer_done(hr_reorder_buffer *m) {
    for (size_t i = 0; i < HR_REORDER_EARLY_MAX; i++) free(m->early[i].body.at);
    free(m->partial.at);
    *m = (hr_reorder_buffer){0};
}
