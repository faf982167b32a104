/* Masks of a secure sum. Every two owners of the sum derive the same stream of numbers; the one adds it to
 * its answer, the other subtracts it. The masks of all owners of a sum add up to 0 modulo 2^64, so the sum of
 * all answers is the sum of the values; fewer answers are uniformly random.
 *
 * a_i       = digest("hedgerow mask secret 1", secret of owner i in this job)
 * A_i       = X25519(a_i, base point): the owner's mask key, which is public
 * K_ij      = digest("hedgerow mask pair 1", X25519(a_i, A_j) | A_i | A_j | i | j | job), i < j (4 bytes
 *             each, the lowest first): a member who copies another's mask key shares no stream with it
 * stream_ij = ChaCha20 with key digest("hedgerow mask stream 1", K_ij | context), nonce 0, counter from 0: 8
 *             bytes a number, the lowest first
 *
 * A context is used for one answer: two answers under one context would show their difference. */
#ifndef HR_PRIVACY_CRYPTO_MASK_H
#define HR_PRIVACY_CRYPTO_MASK_H

#include <hedgerow/status.h>
#include <stdbool.h>

enum { HR_MASK_SECRET_SIZE = 32, HR_MASK_KEY_SIZE = 32, HR_MASK_JOB_SIZE = 16, HR_MASK_CONTEXT_SIZE = 32 };

/* What an owner has in common with each other owner of a job: all K_ij. They are the same for all sums of the
 * job, and each takes an X25519. Thread: any number may read. */
typedef struct hr_mask_pairs hr_mask_pairs;

typedef struct hr_mask_job {
    const uint8_t *secret;                   /* HR_MASK_SECRET_SIZE bytes: this owner's, of this job alone */
    const uint8_t *id;                       /* HR_MASK_JOB_SIZE bytes */
    const uint8_t (*keys)[HR_MASK_KEY_SIZE]; /* one an owner: public */
    size_t owner_count, self;
} hr_mask_job;

/* The masks of one answer of one owner, and how many of their numbers are used up. Thread: one at a time. */
typedef struct hr_mask hr_mask;

typedef struct hr_mask_sum {
    const bool *members;    /* one an owner: whether it takes part in this sum; self does */
    const uint8_t *context; /* HR_MASK_CONTEXT_SIZE bytes: all that this owner received in the job so far */
} hr_mask_sum;

/* The public key that belongs to a job's secret. Thread: any. */
void hr_mask_public(const uint8_t secret[HR_MASK_SECRET_SIZE], uint8_t out[HR_MASK_KEY_SIZE]);

/* Whether masks can be made with the owner of `key`: false if everybody could compute what they have in
 * common. That is so of points of low order alone, of which X25519 gives 0 with every secret. Thread: any. */
bool hr_mask_key_valid(const uint8_t key[HR_MASK_KEY_SIZE]);

/* Nothing of `job` is kept. Owner: the caller frees *out with hr_mask_pairs_free. Fails: POLICY (this owner's
 * key in `keys` is not that of its secret), MEMORY. */
HR_MUST_CHECK hr_status hr_mask_pairs_new(const hr_mask_job *job, hr_mask_pairs **out, hr_error *err);
/* Wipes it. NULL is allowed. */
void hr_mask_pairs_free(hr_mask_pairs *pairs);

/* Nothing of `pairs` and `sum` is kept. Owner: the caller frees *out with hr_mask_free. Fails: POLICY (a
 * member's key is not valid), MEMORY. */
HR_MUST_CHECK hr_status hr_mask_new(const hr_mask_pairs *pairs, const hr_mask_sum *sum, hr_mask **out,
                                    hr_error *err);
/* A mask that this owner alone knows, of the job's secret and the context: what splits its values into two
 * shares. It is one stream, with key digest("hedgerow mask split 1", secret | context), which is added.
 * Nothing of the arguments is kept. Owner: as above. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_mask_split(const uint8_t secret[HR_MASK_SECRET_SIZE],
                                      const uint8_t context[HR_MASK_CONTEXT_SIZE], hr_mask **out,
                                      hr_error *err);
/* Wipes it. NULL is allowed. */
void hr_mask_free(hr_mask *mask);

/* Adds the next `count` numbers of the mask to the values, modulo 2^64: each call goes on where the last one
 * ended. */
void hr_mask_add(hr_mask *mask, uint64_t *values, size_t count);

#endif
