#include "privacy/crypto/session.h"

#include "base/fail.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* No sealed message begins like this: an envelope's first byte is 8. */
static const char session_domain[] = "hedgerow session 1";

enum {
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    SEALED = sizeof session_domain + HR_SESSION_KEY, /* the text of a head */
    BOUND = HR_SESSION_HEAD, /* associated data: the tag of a packet holds for its head alone */
    MARK_BYTE = 31,
    MARK = 0x80
};

_Static_assert((int)HR_SESSION_KEY == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the size of a key");
_Static_assert((int)HR_SESSION_HEAD == (int)HR_SEAL_OVERHEAD + (int)SEALED &&
                   (int)HR_SESSION_OVERHEAD == (int)HR_SESSION_HEAD + NONCE + TAG,
               "what a session adds");

static const char drop[] =
    "it was ignored; if this repeats for a member, compare the keys in both federation files";

hr_status hr_session_make(const hr_identity *from, const hr_public_key *to, hr_session *out, hr_error *err) {
    uint8_t text[SEALED], *head = NULL;
    memcpy(text, session_domain, sizeof session_domain);
    randombytes_buf(text + sizeof session_domain, HR_SESSION_KEY);
    hr_status status = hr_seal(from, to, text, sizeof text, &head, err);
    if (!status) {
        memcpy(out->head, head, HR_SESSION_HEAD);
        memcpy(out->key, text + sizeof session_domain, HR_SESSION_KEY);
        out->head[MARK_BYTE] |= MARK;
    }
    sodium_memzero(text, sizeof text);
    free(head);
    return status;
}

void hr_session_wipe(hr_session *session) {
    sodium_memzero(session, sizeof *session);
}

bool hr_session_is(const void *packet, size_t size) {
    return size >= HR_SESSION_OVERHEAD && (((const uint8_t *)packet)[MARK_BYTE] & MARK);
}

hr_status hr_session_open(const hr_identity *to, const uint8_t head[HR_SESSION_HEAD],
                          uint8_t from[HR_KEY_SIZE], hr_session *out, hr_error *err) {
    uint8_t sealed[HR_SESSION_HEAD], signer[HR_KEY_SIZE], *text = NULL;
    memcpy(sealed, head, sizeof sealed);
    sealed[MARK_BYTE] &= (uint8_t)~MARK;
    hr_status status = hr_unseal(to, sealed, sizeof sealed, signer, &text, err);
    if (status) return status;
    if (!memcmp(text, session_domain, sizeof session_domain)) {
        memcpy(out->head, head, HR_SESSION_HEAD);
        memcpy(out->key, text + sizeof session_domain, HR_SESSION_KEY);
        memcpy(from, signer, HR_KEY_SIZE);
    } else {
        status = hr_fail(err, HR_E_POLICY, drop, "a message has the form of a session and is none");
    }
    sodium_memzero(text, SEALED);
    free(text);
    return status;
}

static hr_status refuse_session_size(size_t size, hr_error *err) {
    return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a message of %zu bytes is larger than %d", size,
                   HR_SEAL_MAX);
}

hr_status hr_session_encrypt(const hr_session *session, const void *bytes, size_t size, uint8_t **out,
                             hr_error *err) {
    assert(session && (bytes || !size) && out);
    if (size > HR_SEAL_MAX) return refuse_session_size(size, err);
    uint8_t *packet = malloc(HR_SESSION_OVERHEAD + size), *nonce = packet + HR_SESSION_HEAD;
    if (!packet) return hr_fail_memory(err);
    memcpy(packet, session->head, HR_SESSION_HEAD);
    randombytes_buf(nonce, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + NONCE, NULL, bytes, size, packet, BOUND, NULL, nonce,
                                               session->key);
    *out = packet;
    return HR_OK;
}

hr_status hr_session_decrypt(const hr_session *session, const void *packet, size_t size, uint8_t **out,
                             hr_error *err) {
    assert(session && hr_session_is(packet, size) && out);
    const size_t plain_size = size - HR_SESSION_OVERHEAD;
    const uint8_t *head = packet, *nonce = head + HR_SESSION_HEAD;
    if (plain_size > HR_SEAL_MAX) return refuse_session_size(plain_size, err);
    uint8_t *plain = malloc(plain_size + 1);
    if (!plain) return hr_fail_memory(err);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, nonce + NONCE, plain_size + TAG, head,
                                                   BOUND, nonce, session->key)) {
        free(plain);
        return hr_fail(err, HR_E_POLICY, drop,
                       "a message is not of the session that it names, or was changed on the way");
    }
    *out = plain;
    return HR_OK;
}
