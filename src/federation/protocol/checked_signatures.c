#include "federation/protocol/checked_signatures.h"

#include "base/fail.h"
#include "privacy/crypto/digest.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hr_checked_signatures {
    pthread_mutex_t lock;
    size_t count, most;
    hr_digest held[]; /* of each that holds, with its key, its purpose and its bytes */
};

hr_status hr_checked_signatures_new(size_t most, hr_checked_signatures **out, hr_error *err) {
    hr_checked_signatures *checked = calloc(1, sizeof *checked + most * sizeof *checked->held);
    if (!checked) return hr_fail_memory(err);
    if (pthread_mutex_init(&checked->lock, NULL)) {
        free(checked);
        return hr_fail_memory(err);
    }
    checked->most = most;
    *out = checked;
    return HR_OK;
}

void hr_checked_signatures_free(hr_checked_signatures *checked) {
    if (!checked) return;
    pthread_mutex_destroy(&checked->lock);
    free(checked);
}

/* Each part has its length, or is last: no two inputs are the same bytes. */
static hr_digest digest_of_all(const hr_public_key *key, const hr_signed_bytes *what,
                               const uint8_t signature[HR_SIGNATURE_SIZE]) {
    uint8_t bytes[HR_KEY_SIZE + HR_SIGNATURE_SIZE + 1 + HR_SIGNED_MAX + HR_SIGNED_MAX];
    const size_t domain = strnlen(what->domain, HR_SIGNED_MAX);
    uint8_t *at = bytes;
    memcpy(at, key->bytes, HR_KEY_SIZE);
    memcpy(at += HR_KEY_SIZE, signature, HR_SIGNATURE_SIZE);
    *(at += HR_SIGNATURE_SIZE) = (uint8_t)what->size;
    memcpy(++at, what->at, what->size);
    memcpy(at += what->size, what->domain, domain);
    return hr_digest_of("hedgerow checked signature 1", bytes, (size_t)(at - bytes) + domain);
}

static bool has(hr_checked_signatures *checked, const hr_digest *one) {
    bool found = false;
    pthread_mutex_lock(&checked->lock);
    for (size_t i = 0; !found && i < checked->count; i++)
        found = !memcmp(checked->held[i].bytes, one->bytes, HR_DIGEST_SIZE);
    pthread_mutex_unlock(&checked->lock);
    return found;
}

static void add(hr_checked_signatures *checked, const hr_digest *one) {
    pthread_mutex_lock(&checked->lock);
    if (checked->count < checked->most) checked->held[checked->count++] = *one;
    pthread_mutex_unlock(&checked->lock);
}

bool hr_checked_signature_holds(hr_checked_signatures *checked, const hr_public_key *key,
                                const hr_signed_bytes *what, const uint8_t signature[HR_SIGNATURE_SIZE]) {
    if (!checked || what->size > HR_SIGNED_MAX || strnlen(what->domain, HR_SIGNED_MAX) == HR_SIGNED_MAX)
        return hr_signature_holds(key, what->domain, what->at, what->size, signature);
    const hr_digest one = digest_of_all(key, what, signature);
    if (has(checked, &one)) return true;
    const bool holds = hr_signature_holds(key, what->domain, what->at, what->size, signature);
    if (holds) add(checked, &one);
    return holds;
}
