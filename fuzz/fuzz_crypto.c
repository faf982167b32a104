/* What comes from strangers, and key files. By the input's first byte: a packet as it came, what a member put
 * into a packet, a message that is sealed and then changed at one place, a packet of a session as it came,
 * one that is changed at one place, a public key, a key file. No input crashes; a packet or key that is taken
 * is one that was made here, to the byte. */
#include "privacy/crypto/secret.h"
#include "privacy/crypto/session.h"

#include "check.h"

#include <string.h>

static hr_identity *member(unsigned char number) {
    unsigned char seed[crypto_sign_SEEDBYTES] = {number};
    hr_identity *identity = NULL;
    CHECK(hr_identity_grow(seed, &identity, NULL) == HR_OK);
    return identity;
}

static void refuse(const hr_identity *to, const uint8_t *sealed, size_t size) {
    uint8_t from[HR_KEY_SIZE];
    uint8_t *out = NULL;
    hr_error err = {0};
    CHECK(hr_unseal(to, sealed, size, from, &out, &err) != HR_OK);
    CHECK(!out && err.message[0] && err.remedy[0]);
}

/* No input holds a signature that nobody made. */
static void check_boxed(const hr_identity *to, const uint8_t *bytes, size_t size) {
    uint8_t *sealed = malloc(size + crypto_box_SEALBYTES);
    CHECK(sealed && crypto_box_seal(sealed, bytes, size, to->box_public) == 0);
    refuse(to, sealed, size + crypto_box_SEALBYTES);
    free(sealed);
}

static void check_changed(const hr_identity *to, const uint8_t *bytes, size_t size) {
    hr_identity *sender = member(2);
    const hr_public_key receiver = hr_identity_public(to), key = hr_identity_public(sender);
    uint8_t from[HR_KEY_SIZE];
    uint8_t *sealed = NULL, *out = NULL;
    size_t sealed_size = size + HR_SEAL_OVERHEAD;
    CHECK(hr_seal(sender, &receiver, bytes, size, &sealed, NULL) == HR_OK);
    CHECK(hr_unseal(to, sealed, sealed_size, from, &out, NULL) == HR_OK);
    CHECK(memcmp(from, key.bytes, sizeof from) == 0 && (!size || memcmp(out, bytes, size) == 0));
    size_t at = size ? bytes[0] * (sealed_size - 1) / 255 : 0;
    sealed[at] ^= (uint8_t)(1 << size % 8);
    refuse(to, sealed, sealed_size);
    sealed[at] ^= (uint8_t)(1 << size % 8);
    refuse(sender, sealed, sealed_size);
    refuse(to, sealed, at);
    free(sealed);
    free(out);
    hr_identity_free(sender);
}

static void refuse_in_session(const hr_identity *to, const hr_session *known, const uint8_t *packet,
                              size_t size) {
    hr_session opened;
    uint8_t from[HR_KEY_SIZE], *out = NULL;
    hr_error err = {0};
    if (!hr_session_is(packet, size)) return;
    CHECK(hr_session_decrypt(known, packet, size, &out, &err) != HR_OK && err.message[0] && err.remedy[0]);
    if (!hr_session_open(to, packet, from, &opened, &err))
        CHECK(hr_session_decrypt(&opened, packet, size, &out, &err) != HR_OK);
    CHECK(!out && err.message[0] && err.remedy[0]);
}

/* What comes behind the head of a session that its receiver knows, as the broker could put it there. */
static void check_session(const hr_identity *to, const uint8_t *bytes, size_t size) {
    hr_identity *sender = member(2);
    const hr_public_key receiver = hr_identity_public(to);
    hr_session session;
    uint8_t *packet = malloc(HR_SESSION_HEAD + size);
    CHECK(packet && hr_session_make(sender, &receiver, &session, NULL) == HR_OK);
    memcpy(packet, session.head, HR_SESSION_HEAD);
    memcpy(packet + HR_SESSION_HEAD, bytes, size);
    refuse_in_session(to, &session, packet, HR_SESSION_HEAD + size);
    refuse_in_session(to, &session, bytes, size);
    free(packet);
    hr_identity_free(sender);
}

static void check_session_changed(const hr_identity *to, const uint8_t *bytes, size_t size) {
    hr_identity *sender = member(2);
    const hr_public_key receiver = hr_identity_public(to), key = hr_identity_public(sender);
    uint8_t from[HR_KEY_SIZE], *packet = NULL, *out = NULL;
    hr_session session, opened;
    const size_t packet_size = size + HR_SESSION_OVERHEAD;
    CHECK(hr_session_make(sender, &receiver, &session, NULL) == HR_OK);
    CHECK(hr_session_encrypt(&session, bytes, size, &packet, NULL) == HR_OK);
    CHECK(hr_session_is(packet, packet_size) && !hr_session_open(to, packet, from, &opened, NULL));
    CHECK(hr_session_decrypt(&opened, packet, packet_size, &out, NULL) == HR_OK);
    CHECK(memcmp(from, key.bytes, sizeof from) == 0 && (!size || memcmp(out, bytes, size) == 0));
    const size_t at = size ? bytes[0] * (packet_size - 1) / 255 : 0;
    packet[at] ^= (uint8_t)(1 << size % 8);
    refuse_in_session(to, &session, packet, packet_size);
    packet[at] ^= (uint8_t)(1 << size % 8);
    refuse_in_session(to, &session, packet, packet_size - 1);
    free(packet);
    free(out);
    hr_identity_free(sender);
}

static void check_public_key(const uint8_t *bytes, size_t size) {
    char text[200] = {0}, again[HR_PUBLIC_KEY_TEXT];
    hr_public_key key;
    memcpy(text, bytes, size < sizeof text ? size : sizeof text - 1);
    if (hr_public_key_parse(text, &key, NULL)) return;
    hr_public_key_text(&key, again);
    CHECK(strcmp(text, again) == 0);
}

static void check_key_file(const uint8_t *bytes, size_t size) {
    hr_identity *identity = NULL;
    hr_error err = {0};
    hr_status status = hr_identity_parse((const char *)bytes, size, &identity, &err);
    CHECK((status == HR_OK) == (identity != NULL));
    if (status) CHECK(err.status == status && err.message[0] && err.remedy[0]);
    if (identity)
        CHECK(memcmp(identity->sign_secret + crypto_sign_SEEDBYTES, identity->sign_public,
                     sizeof identity->sign_public) == 0);
    hr_identity_free(identity);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (!size) return 0;
    hr_identity *to = member(1);
    const uint8_t *rest = bytes + 1;
    size--;
    switch (bytes[0]) {
    case 'p': refuse(to, rest, size); break;
    case 'b': check_boxed(to, rest, size); break;
    case 'c': check_changed(to, rest, size); break;
    case 's': check_session(to, rest, size); break;
    case 'd': check_session_changed(to, rest, size); break;
    case 'k': check_public_key(rest, size); break;
    default: check_key_file(rest, size); break;
    }
    hr_identity_free(to);
    return 0;
}
