/* All cryptography is libsodium's; what is decided here is which bytes are signed and sealed, and that none
 * are looked at before the signature holds. */
#include "base/fail.h"
#include "privacy/crypto/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char seal_domain[] = "hedgerow seal 1";
static const char key_prefix[] = "hr-ed25519:";

enum {
    KEY = crypto_sign_PUBLICKEYBYTES,
    HEAD = KEY + HR_SIGNATURE_SIZE, /* what stands before the text inside a seal */
    KEY_BASE64 = sodium_base64_ENCODED_LEN(KEY, sodium_base64_VARIANT_ORIGINAL)
};

_Static_assert((int)KEY == HR_KEY_SIZE && crypto_box_PUBLICKEYBYTES == HR_KEY_SIZE,
               "the size of a public key");
_Static_assert(HR_SIGNATURE_SIZE == crypto_sign_BYTES, "the size of a signature");
_Static_assert(HR_SEAL_OVERHEAD == crypto_box_SEALBYTES + HEAD, "what sealing adds");
_Static_assert(HR_PUBLIC_KEY_TEXT == sizeof key_prefix - 1 + KEY_BASE64, "the size of a public key as text");

/* ---- Keys ---- */

hr_status hr_identity_grow(const unsigned char seed[crypto_sign_SEEDBYTES], hr_identity **out,
                           hr_error *err) {
    if (sodium_init() < 0)
        return hr_fail(err, HR_E_IO, "check that /dev/urandom is readable",
                       "the operating system returns no random bits");
    hr_identity *identity = sodium_malloc(sizeof *identity);
    if (!identity) return hr_fail_memory(err);
    crypto_sign_seed_keypair(identity->sign_public, identity->sign_secret, seed);
    int failed = crypto_sign_ed25519_sk_to_curve25519(identity->box_secret, identity->sign_secret);
    failed |= crypto_sign_ed25519_pk_to_curve25519(identity->box_public, identity->sign_public);
    assert(!failed); /* a key that grew from a seed is a good one */
    (void)failed;
    sodium_mprotect_readonly(identity);
    *out = identity;
    return HR_OK;
}

hr_status hr_identity_make(hr_identity **out, hr_error *err) {
    assert(out);
    unsigned char seed[crypto_sign_SEEDBYTES];
    if (sodium_init() < 0)
        return hr_fail(err, HR_E_IO, "check that /dev/urandom is readable",
                       "the operating system returns no random bits");
    randombytes_buf(seed, sizeof seed);
    hr_status status = hr_identity_grow(seed, out, err);
    sodium_memzero(seed, sizeof seed);
    return status;
}

void hr_identity_free(hr_identity *identity) {
    sodium_free(identity); /* wipes */
}

hr_public_key hr_identity_public(const hr_identity *identity) {
    hr_public_key key;
    memcpy(key.bytes, identity->sign_public, sizeof key.bytes);
    memcpy(key.box, identity->box_public, sizeof key.box);
    return key;
}

bool hr_public_key_of(const uint8_t bytes[HR_KEY_SIZE], hr_public_key *out) {
    memcpy(out->bytes, bytes, sizeof out->bytes);
    return crypto_sign_ed25519_pk_to_curve25519(out->box, bytes) == 0; /* a point that keeps secrets */
}

bool hr_public_key_same(const hr_public_key *a, const hr_public_key *b) {
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

void hr_public_key_text(const hr_public_key *key, char text[HR_PUBLIC_KEY_TEXT]) {
    memcpy(text, key_prefix, sizeof key_prefix - 1);
    sodium_bin2base64(text + sizeof key_prefix - 1, KEY_BASE64, key->bytes, sizeof key->bytes,
                      sodium_base64_VARIANT_ORIGINAL);
}

hr_status hr_public_key_parse(const char *text, hr_public_key *out, hr_error *err) {
    assert(text && out);
    const size_t before = sizeof key_prefix - 1;
    uint8_t bytes[HR_KEY_SIZE];
    hr_public_key key;
    char again[HR_PUBLIC_KEY_TEXT];
    size_t size = 0;
    bool fine = strlen(text) == HR_PUBLIC_KEY_TEXT - 1 && memcmp(text, key_prefix, before) == 0 &&
                sodium_base642bin(bytes, sizeof bytes, text + before, KEY_BASE64 - 1, NULL, &size, NULL,
                                  sodium_base64_VARIANT_ORIGINAL) == 0 &&
                size == sizeof bytes && hr_public_key_of(bytes, &key);
    if (fine) hr_public_key_text(&key, again); /* the decoder takes some other characters for base64 */
    if (!fine || strcmp(again, text) != 0)
        return hr_fail(err, HR_E_FORMAT,
                       "paste the line that `hedgerow keygen` printed: hr-ed25519: and 44 characters",
                       "'%.64s' is not a public key", text);
    *out = key;
    return HR_OK;
}

/* ---- Signatures ---- */

/* The domain ends in a NUL, so that no domain with more bytes is another with fewer. */
static void begin_signature(crypto_sign_state *state, const char *domain) {
    crypto_sign_init(state);
    crypto_sign_update(state, (const unsigned char *)domain, strlen(domain) + 1);
}

static void hash_field(crypto_sign_state *state, const void *bytes, size_t size) {
    if (size) crypto_sign_update(state, bytes, size);
}

void hr_sign(const hr_identity *identity, const char *domain, const void *bytes, size_t size,
             uint8_t signature[HR_SIGNATURE_SIZE]) {
    assert(identity && domain && (bytes || !size));
    crypto_sign_state state;
    begin_signature(&state, domain);
    hash_field(&state, bytes, size);
    crypto_sign_final_create(&state, signature, NULL, identity->sign_secret);
}

bool hr_signature_holds(const hr_public_key *key, const char *domain, const void *bytes, size_t size,
                        const uint8_t signature[HR_SIGNATURE_SIZE]) {
    assert(key && domain && (bytes || !size));
    crypto_sign_state state;
    begin_signature(&state, domain);
    hash_field(&state, bytes, size);
    return crypto_sign_final_verify(&state, signature, key->bytes) == 0;
}

/* What the signature of a sealed message is over. */
static void begin_sealed(crypto_sign_state *state, const unsigned char receiver[KEY], const void *bytes,
                         size_t size) {
    begin_signature(state, seal_domain);
    hash_field(state, receiver, KEY);
    hash_field(state, bytes, size);
}

/* ---- Seals ---- */

static hr_status refuse_size(size_t size, hr_error *err) {
    return hr_fail(err, HR_E_LIMIT, "send it in pieces", "a message of %zu bytes is larger than %d", size,
                   HR_SEAL_MAX);
}

hr_status hr_seal(const hr_identity *from, const hr_public_key *to, const void *bytes, size_t size,
                  uint8_t **out, hr_error *err) {
    assert(from && to && (bytes || !size) && out);
    if (size > HR_SEAL_MAX) return refuse_size(size, err);
    uint8_t *plain = malloc(HEAD + size), *sealed = malloc(HR_SEAL_OVERHEAD + size);
    hr_status status = HR_OK;
    if (!plain || !sealed) {
        status = hr_fail_memory(err);
        goto out;
    }
    memcpy(plain, from->sign_public, KEY);
    if (size) memcpy(plain + HEAD, bytes, size);
    crypto_sign_state state;
    begin_sealed(&state, to->bytes, bytes, size);
    crypto_sign_final_create(&state, plain + KEY, NULL, from->sign_secret);
    if (crypto_box_seal(sealed, plain, HEAD + size, to->box)) {
        status = hr_fail(err, HR_E_ARGUMENT, "take the receiver's key from the federation file",
                         "the receiver's key is not a public key");
        goto out;
    }
    *out = sealed;
    sealed = NULL;
out:
    free(sealed);
    free(plain);
    return status;
}

static const char drop[] =
    "it was ignored; if this repeats for a member, compare the keys in both federation files";

static hr_status open_box(const hr_identity *to, const void *sealed, size_t size, uint8_t *plain,
                          hr_error *err) {
    if (!crypto_box_seal_open(plain, sealed, size, to->box_public, to->box_secret)) return HR_OK;
    return hr_fail(err, HR_E_POLICY, drop, "a message is not sealed to this key, or was changed on the way");
}

static hr_status check_signature(const hr_identity *to, const uint8_t *plain, size_t size, hr_error *err) {
    crypto_sign_state state;
    begin_sealed(&state, to->sign_public, plain + HEAD, size - HEAD);
    if (!crypto_sign_final_verify(&state, plain + KEY, plain)) return HR_OK;
    return hr_fail(err, HR_E_POLICY, drop, "the signature of a message is not valid for this receiver");
}

hr_status hr_unseal(const hr_identity *to, const void *sealed, size_t size, uint8_t from[HR_KEY_SIZE],
                    uint8_t **out, hr_error *err) {
    assert(to && (sealed || !size) && from && out);
    if (size < HR_SEAL_OVERHEAD)
        return hr_fail(err, HR_E_POLICY, drop, "a message of %zu bytes is too short to be sealed", size);
    if (size - HR_SEAL_OVERHEAD > HR_SEAL_MAX) return refuse_size(size - HR_SEAL_OVERHEAD, err);
    const size_t plain_size = size - crypto_box_SEALBYTES;
    uint8_t *plain = malloc(plain_size);
    if (!plain) return hr_fail_memory(err);
    hr_status status = open_box(to, sealed, size, plain, err);
    if (!status) status = check_signature(to, plain, plain_size, err);
    if (status) {
        free(plain);
        return status;
    }
    memcpy(from, plain, KEY);
    memmove(plain, plain + HEAD, plain_size - HEAD);
    *out = plain;
    return HR_OK;
}
