#include "privacy/crypto/mask.h"

#include "base/fail.h"
#include "privacy/crypto/digest.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAM_KEY = crypto_stream_chacha20_KEYBYTES,
    BLOCK_NUMBERS = 8,
    CHUNK_NUMBERS = 256,
    SHARED_SIZE = 32
};

_Static_assert(crypto_scalarmult_BYTES == SHARED_SIZE && crypto_scalarmult_BYTES == HR_MASK_KEY_SIZE &&
                   crypto_scalarmult_SCALARBYTES == (int)HR_DIGEST_SIZE && STREAM_KEY == (int)HR_DIGEST_SIZE,
               "the sizes of keys");

typedef struct mask_pair {
    hr_digest key;
    bool valid;
} mask_pair;

struct hr_mask_pairs {
    size_t count, self;
    mask_pair of[]; /* by owner; self has none */
};

typedef struct mask_stream {
    hr_digest key;
    bool is_added; /* else subtracted */
} mask_stream;

struct hr_mask {
    uint64_t used; /* numbers of each stream */
    size_t count;
    mask_stream streams[];
};

/* ---- Keys ---- */

static hr_digest mask_scalar(const uint8_t secret[HR_MASK_SECRET_SIZE]) {
    return hr_digest_of("hedgerow mask secret 1", secret, HR_MASK_SECRET_SIZE);
}

void hr_mask_public(const uint8_t secret[HR_MASK_SECRET_SIZE], uint8_t out[HR_MASK_KEY_SIZE]) {
    hr_digest scalar = mask_scalar(secret);
    crypto_scalarmult_base(out, scalar.bytes);
    sodium_memzero(&scalar, sizeof scalar);
}

/* False if it is 0. */
static bool share_secret(const uint8_t secret[HR_MASK_SECRET_SIZE], const uint8_t key[HR_MASK_KEY_SIZE],
                         uint8_t shared[SHARED_SIZE]) {
    hr_digest scalar = mask_scalar(secret);
    bool valid = crypto_scalarmult(shared, scalar.bytes, key) == 0;
    sodium_memzero(&scalar, sizeof scalar);
    return valid;
}

bool hr_mask_key_valid(const uint8_t key[HR_MASK_KEY_SIZE]) {
    static const uint8_t any[HR_MASK_SECRET_SIZE] = {0};
    uint8_t shared[SHARED_SIZE];
    return share_secret(any, key, shared);
}

/* ---- Pairs of owners ---- */

/* What K_ij is a digest of; bytes alone, so nothing lies between them. */
typedef struct pair_input {
    uint8_t shared[SHARED_SIZE], keys[2][HR_MASK_KEY_SIZE], owners[2][4], job[HR_MASK_JOB_SIZE];
} pair_input;

static void make_pair(const hr_mask_job *job, size_t other, mask_pair *out) {
    const size_t owners[2] = {other < job->self ? other : job->self, other < job->self ? job->self : other};
    pair_input pair;
    out->valid = share_secret(job->secret, job->keys[other], pair.shared);
    for (int i = 0; i < 2; i++) {
        memcpy(pair.keys[i], job->keys[owners[i]], HR_MASK_KEY_SIZE);
        for (int k = 0; k < 4; k++) pair.owners[i][k] = (uint8_t)(owners[i] >> 8 * k);
    }
    memcpy(pair.job, job->id, HR_MASK_JOB_SIZE);
    out->key = hr_digest_of("hedgerow mask pair 1", &pair, sizeof pair);
    sodium_memzero(&pair, sizeof pair);
}

hr_status hr_mask_pairs_new(const hr_mask_job *job, hr_mask_pairs **out, hr_error *err) {
    assert(job->self < job->owner_count);
    uint8_t own[HR_MASK_KEY_SIZE];
    hr_mask_public(job->secret, own);
    if (memcmp(own, job->keys[job->self], sizeof own) != 0)
        return hr_fail(err, HR_E_POLICY, "do not take part in this job; ask the coordinator's administrator",
                       "the job lists a mask key for this owner that is not its own");
    hr_mask_pairs *pairs = calloc(1, sizeof *pairs + job->owner_count * sizeof *pairs->of);
    if (!pairs) return hr_fail_memory(err);
    pairs->count = job->owner_count;
    pairs->self = job->self;
    for (size_t j = 0; j < pairs->count; j++)
        if (j != job->self) make_pair(job, j, &pairs->of[j]);
    *out = pairs;
    return HR_OK;
}

void hr_mask_pairs_free(hr_mask_pairs *pairs) {
    if (!pairs) return;
    sodium_memzero(pairs, sizeof *pairs + pairs->count * sizeof *pairs->of);
    free(pairs);
}

/* ---- Streams ---- */

/* What the key of a stream is a digest of; bytes alone. */
typedef struct stream_input {
    hr_digest pair;
    uint8_t context[HR_MASK_CONTEXT_SIZE];
} stream_input;

hr_status hr_mask_new(const hr_mask_pairs *pairs, const hr_mask_sum *sum, hr_mask **out, hr_error *err) {
    assert(sum->members[pairs->self]);
    hr_mask *mask = calloc(1, sizeof *mask + pairs->count * sizeof *mask->streams);
    if (!mask) return hr_fail_memory(err);
    for (size_t j = 0; j < pairs->count; j++) {
        if (!sum->members[j] || j == pairs->self) continue;
        mask_stream *stream = &mask->streams[mask->count++];
        stream_input input = {.pair = pairs->of[j].key};
        memcpy(input.context, sum->context, HR_MASK_CONTEXT_SIZE);
        stream->is_added = j > pairs->self;
        stream->key = hr_digest_of("hedgerow mask stream 1", &input, sizeof input);
        sodium_memzero(&input, sizeof input);
        if (!pairs->of[j].valid) {
            hr_mask_free(mask);
            return hr_fail(err, HR_E_POLICY, "do not take part in a job with that owner",
                           "the mask key of owner %zu of the job is not valid: it would hide nothing", j + 1);
        }
    }
    *out = mask;
    return HR_OK;
}

hr_status hr_mask_split(const uint8_t secret[HR_MASK_SECRET_SIZE],
                        const uint8_t context[HR_MASK_CONTEXT_SIZE], hr_mask **out, hr_error *err) {
    uint8_t input[HR_MASK_SECRET_SIZE + HR_MASK_CONTEXT_SIZE];
    hr_mask *mask = calloc(1, sizeof *mask + sizeof *mask->streams);
    if (!mask) return hr_fail_memory(err);
    memcpy(input, secret, HR_MASK_SECRET_SIZE);
    memcpy(input + HR_MASK_SECRET_SIZE, context, HR_MASK_CONTEXT_SIZE);
    mask->count = 1;
    mask->streams[0].key = hr_digest_of("hedgerow mask split 1", input, sizeof input);
    mask->streams[0].is_added = true;
    sodium_memzero(input, sizeof input);
    *out = mask;
    return HR_OK;
}

void hr_mask_free(hr_mask *mask) {
    if (!mask) return;
    sodium_memzero(mask, sizeof *mask + mask->count * sizeof *mask->streams);
    free(mask);
}

/* The numbers of a stream from the `first` on. */
static void apply_stream(const mask_stream *stream, uint64_t first, uint64_t *values, size_t count) {
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    while (count) {
        size_t skipped = first % BLOCK_NUMBERS, room = CHUNK_NUMBERS - skipped,
               n = count < room ? count : room, size = 8 * (skipped + n);
        uint8_t numbers[8 * CHUNK_NUMBERS];
        memset(numbers, 0, size);
        crypto_stream_chacha20_xor_ic(numbers, numbers, size, nonce, first / BLOCK_NUMBERS,
                                      stream->key.bytes);
        for (size_t i = 0; i < n; i++) {
            const uint8_t *bytes = numbers + 8 * (skipped + i);
            uint64_t number = 0;
            for (int k = 0; k < 8; k++) number |= (uint64_t)bytes[k] << 8 * k;
            values[i] += stream->is_added ? number : 0 - number;
        }
        sodium_memzero(numbers, size);
        first += n;
        values += n;
        count -= n;
    }
}

void hr_mask_add(hr_mask *mask, uint64_t *values, size_t count) {
    for (size_t s = 0; s < mask->count; s++) apply_stream(&mask->streams[s], mask->used, values, count);
    mask->used += count;
}
