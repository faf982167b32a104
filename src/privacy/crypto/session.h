/* Many messages of one sender to one receiver, signed once.
 *
 * The sender draws a key, and signs and seals it to the receiver as it would a message (identity.h): that is
 * the head of the session. Each packet has the head, and a message encrypted with the key. So a receiver that
 * has opened a head needs no public-key operation for the packets that follow, and one that has just started
 * needs nothing but the packet.
 *
 * packet  = head | nonce 24 | XChaCha20-Poly1305(key, nonce, associated data: head; message)
 * head    = hr_seal("hedgerow session 1" | NUL | key 32), the highest bit of its byte 31 set
 *
 * That bit separates packets of sessions from sealed messages: there byte 31 is the last one of an X25519
 * key, whose highest bit is never set. Whoever reads a session can also write into it, so a packet proves its
 * sender to the receiver alone. Nonces are random, keys never used for another head.
 *
 * Thread: a session may be used by any number at once. */
#ifndef HR_PRIVACY_CRYPTO_SESSION_H
#define HR_PRIVACY_CRYPTO_SESSION_H

#include "privacy/crypto/identity.h"

enum {
    HR_SESSION_KEY = 32,
    HR_SESSION_HEAD = HR_SEAL_OVERHEAD + 19 + HR_SESSION_KEY,
    HR_SESSION_OVERHEAD = HR_SESSION_HEAD + 24 + 16 /* bytes that a packet has beside its message */
};

/* Wipe it after use. */
typedef struct hr_session {
    uint8_t head[HR_SESSION_HEAD], key[HR_SESSION_KEY];
} hr_session;

/* A new one, with a key of its own. Fails: ARGUMENT (`to` is no key), MEMORY. */
HR_MUST_CHECK hr_status hr_session_make(const hr_identity *from, const hr_public_key *to, hr_session *out,
                                        hr_error *err);
void hr_session_wipe(hr_session *session);

/* Whether it has the form of a packet of a session: its head is its first HR_SESSION_HEAD bytes. */
bool hr_session_is(const void *packet, size_t size);

/* The session of a head, and its sender (the bytes of its public key), who may be anybody: as hr_unseal.
 * Fails: POLICY (not sealed to this key, changed on the way, not signed for this receiver, or no head),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_session_open(const hr_identity *to, const uint8_t head[HR_SESSION_HEAD],
                                        uint8_t from[HR_KEY_SIZE], hr_session *out, hr_error *err);

/* *out: a packet of size + HR_SESSION_OVERHEAD bytes. Owner: the caller frees it with free(). Fails: LIMIT
 * (more than HR_SEAL_MAX), MEMORY. */
HR_MUST_CHECK hr_status hr_session_encrypt(const hr_session *session, const void *bytes, size_t size,
                                           uint8_t **out, hr_error *err);
/* The message of a packet that has the form (hr_session_is) and this session's head. *out: size -
 * HR_SESSION_OVERHEAD bytes, never NULL. Owner: the caller frees it with free(). Fails: POLICY (another head,
 * or changed on the way), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_session_decrypt(const hr_session *session, const void *packet, size_t size,
                                           uint8_t **out, hr_error *err);

#endif
