/* Who sent a message, and who alone can read it.
 *
 * A member of a federation is its public key (Ed25519); the key that messages are sealed to (X25519) is
 * derived from it, so one line in the federation file holds both. A sealed message holds its sender's key and
 * its signature over the receiver's key and the text: a receiver who seals it again to somebody else makes
 * nothing that holds there.
 *
 * sealed    = crypto_box_seal(sender's public key 32 | signature 64 | text)
 * signature = Ed25519ph over  domain | NUL | receiver's public key 32 | text,  domain "hedgerow seal 1"
 *
 * Thread: an identity may be used by any number at once. */
#ifndef HR_PRIVACY_CRYPTO_IDENTITY_H
#define HR_PRIVACY_CRYPTO_IDENTITY_H

#include <hedgerow/status.h>
#include <stdbool.h>

enum {
    HR_KEY_SIZE = 32,
    HR_SIGNATURE_SIZE = 64,
    HR_PUBLIC_KEY_TEXT = 56, /* of a public key as text, with its NUL */
    HR_SEAL_OVERHEAD = 48 + HR_KEY_SIZE + HR_SIGNATURE_SIZE,
    HR_SEAL_MAX = 16 * 1024 * 1024 /* bytes of a text that is sealed */
};

/* Made by hr_identity_public and hr_public_key_parse. */
typedef struct hr_public_key {
    uint8_t bytes[HR_KEY_SIZE]; /* Ed25519: what members are known by */
    uint8_t box[HR_KEY_SIZE];   /* X25519: derived from them, which takes longer than to seal */
} hr_public_key;

/* A secret key, in memory that is not swapped and is wiped when freed. */
typedef struct hr_identity hr_identity;

/* A new one, from the operating system's entropy. Owner: the caller. Fails: MEMORY, IO (no entropy). */
HR_MUST_CHECK hr_status hr_identity_make(hr_identity **out, hr_error *err);
/* NULL is allowed. */
void hr_identity_free(hr_identity *identity);

/* Writes a key file, which only its owner may read, and brings it to the disk. Fails: POLICY (the file
 * exists), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_identity_write(const hr_identity *identity, const char *path, hr_error *err);
/* Reads what hr_identity_write wrote. Fails: POLICY (others may read the file), FORMAT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_identity_read(const char *path, hr_identity **out, hr_error *err);
/* The bytes of a key file. Fails: FORMAT, IO (no entropy), MEMORY. */
HR_MUST_CHECK hr_status hr_identity_parse(const char *text, size_t size, hr_identity **out, hr_error *err);

hr_public_key hr_identity_public(const hr_identity *identity);
/* The key of these bytes. False: they are no key that can be sealed to. */
bool hr_public_key_of(const uint8_t bytes[HR_KEY_SIZE], hr_public_key *out);
bool hr_public_key_same(const hr_public_key *a, const hr_public_key *b);
/* "hr-ed25519:" and base64. */
void hr_public_key_text(const hr_public_key *key, char text[HR_PUBLIC_KEY_TEXT]);
/* Takes nothing but what hr_public_key_text gives for keys that can be sealed to. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_public_key_parse(const char *text, hr_public_key *out, hr_error *err);

/* Signs the bytes for one purpose: under another domain the signature does not hold. */
void hr_sign(const hr_identity *identity, const char *domain, const void *bytes, size_t size,
             uint8_t signature[HR_SIGNATURE_SIZE]);
bool hr_signature_holds(const hr_public_key *key, const char *domain, const void *bytes, size_t size,
                        const uint8_t signature[HR_SIGNATURE_SIZE]);

/* *out: size + HR_SEAL_OVERHEAD bytes. Owner: the caller frees it with free(). Fails: LIMIT (more than
 * HR_SEAL_MAX), ARGUMENT (`to` is no key), MEMORY. */
HR_MUST_CHECK hr_status hr_seal(const hr_identity *from, const hr_public_key *to, const void *bytes,
                                size_t size, uint8_t **out, hr_error *err);
/* The text and its sender (the bytes of its public key), who may be anybody: whether it is a member, the
 * caller must ask. *out: size - HR_SEAL_OVERHEAD bytes, never NULL. Owner: the caller frees it with free().
 * Fails: POLICY (too short, not sealed to this key, changed on the way, or not signed for this receiver),
 * LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_unseal(const hr_identity *to, const void *sealed, size_t size,
                                  uint8_t from[HR_KEY_SIZE], uint8_t **out, hr_error *err);

#endif
