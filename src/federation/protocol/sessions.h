/* The sessions of one member with the others (privacy/crypto/session.h): it signs and seals one key for each
 * receiver and job, and opens each head that comes once. Nothing is lost with them: who has none makes a new
 * one, and every packet can be opened by itself.
 *
 * Of each member the newest few are kept, of what it sends and of what it is sent; others are overwritten, so
 * that no member has room of another. All are wiped at the end. Thread: one at a time. */
#ifndef HR_FEDERATION_PROTOCOL_SESSIONS_H
#define HR_FEDERATION_PROTOCOL_SESSIONS_H

#include "federation/protocol/decline.h"

typedef struct hr_sessions hr_sessions;

/* None, for a federation of so many members. Owner: the caller frees *out with hr_sessions_free. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_sessions_new(size_t members, hr_sessions **out, hr_error *err);
void hr_sessions_free(hr_sessions *sessions); /* NULL is allowed */

/* A packet of the job for that member; the view has sessions. Owner: the caller frees out->at. Fails: LIMIT,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_sessions_encrypt(const hr_party_view *view, size_t to, const hr_job_id *job,
                                            const hr_bytes *plain, hr_bytes *out, hr_error *err);
/* What a packet of a session holds (hr_session_is), and the bytes of its sender's key. A session is kept once
 * a packet of it is sound and a member's; none is if the view has no sessions. Owner: the caller frees
 * out->at. Fails: POLICY (as hr_session_open and hr_session_decrypt), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_sessions_decrypt(const hr_party_view *view, const void *packet, size_t size,
                                            uint8_t from[HR_KEY_SIZE], hr_bytes *out, hr_error *err);

#endif
