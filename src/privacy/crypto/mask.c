#include "privacy/crypto/mask.h"

#include "base/fail.h"
#include "privacy/crypto/csprng.h"
#include "privacy/crypto/digest.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAM_KEY = crypto_stream_chacha20_KEYBYTES,
    CHUNK_BLOCKS = 8, /* ChaCha20 of libsodium is fastest with eight at once */
    CHUNK_BYTES = 64 * CHUNK_BLOCKS,
    CHUNK_NUMBERS = CHUNK_BYTES / 8,
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
    uint64_t chunks;               /* of each stream, so far */
    uint64_t chunk[CHUNK_NUMBERS]; /* the last one of all streams together */
    size_t left;                   /* the last numbers of it that are not used */
    size_t count;
    mask_stream streams[];
};

static hr_digest mask_scalar(const uint8_t secret[HR_MASK_SECRET_SIZE]) {
    return hr_digest_of("hedgerow mask secret 1", secret, HR_MASK_SECRET_SIZE);
}

void hr_mask_public(const uint8_t secret[HR_MASK_SECRET_SIZE], uint8_t out[HR_MASK_KEY_SIZE]) {
    hr_digest scalar = mask_scalar(secret);
    crypto_scalarmult_base(out, scalar.bytes);
    sodium_memzero(&scalar, sizeof scalar);
}

/* All u of Curve25519 and its twist whose points have an order that divides 8, and those of them that can be
 * written as u + p: X25519 takes numbers modulo p = 2^255 - 19, and leaves out the highest bit. */
static const uint8_t low_order[][HR_MASK_KEY_SIZE] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
     0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
     0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
};

bool hr_mask_key_valid(const uint8_t key[HR_MASK_KEY_SIZE]) {
    enum { LAST = HR_MASK_KEY_SIZE - 1 };
    for (size_t i = 0; i < sizeof low_order / sizeof *low_order; i++)
        if (!memcmp(key, low_order[i], LAST) && (key[LAST] & 0x7f) == low_order[i][LAST]) return false;
    return true;
}

/* ---- Pairs of owners ---- */

/* What K_ij is a digest of; bytes alone, so nothing lies between them. */
typedef struct pair_input {
    uint8_t shared[SHARED_SIZE], keys[2][HR_MASK_KEY_SIZE], owners[2][4], job[HR_MASK_JOB_SIZE];
} pair_input;

static void make_pair(const hr_mask_job *job, size_t other, mask_pair *out) {
    const size_t owners[2] = {other < job->self ? other : job->self, other < job->self ? job->self : other};
    pair_input pair;
    hr_digest scalar = mask_scalar(job->secret);
    out->valid = crypto_scalarmult(pair.shared, scalar.bytes, job->keys[other]) == 0; /* not 0 */
    sodium_memzero(&scalar, sizeof scalar);
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

static void next_chunk(hr_mask *mask) {
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    uint8_t bytes[CHUNK_BYTES];
    memset(mask->chunk, 0, sizeof mask->chunk);
    for (const mask_stream *stream = mask->streams; stream < mask->streams + mask->count; stream++) {
        memset(bytes, 0, sizeof bytes);
        crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof bytes, nonce, mask->chunks * CHUNK_BLOCKS,
                                      stream->key.bytes);
        /* -n is ~n + 1 */
        const uint64_t flips = stream->is_added ? 0 : UINT64_MAX;
        for (size_t i = 0; i < CHUNK_NUMBERS; i++)
            mask->chunk[i] += (hr_random_number(bytes + 8 * i) ^ flips) - flips;
    }
    sodium_memzero(bytes, sizeof bytes);
    mask->chunks++;
    mask->left = CHUNK_NUMBERS;
}

void hr_mask_add(hr_mask *mask, uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!mask->left) next_chunk(mask);
        values[i] += mask->chunk[CHUNK_NUMBERS - mask->left--];
    }
}
