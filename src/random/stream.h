/* Streams of random bits: a key-erasing ChaCha20 generator keyed from the operating system, safe after fork.
 *
 * A stream cannot fail once it is open. In a forked child every stream, a seeded one too, goes on with fresh OS entropy.
 * Thread: one at a time. */
#ifndef HR_RANDOM_STREAM_H
#define HR_RANDOM_STREAM_H

#include <hedgerow/status.h>

typedef struct hr_stream hr_stream;

/* Keyed with 32 bytes of OS entropy. Owner: the caller. Fails: MEMORY, IO (no entropy source). */
HR_MUST_CHECK hr_status hr_stream_open(hr_stream **out, hr_error *err);
/* Keyed from `seed`: the same bits every time. For tests and for `--unsafe-reproducible-noise`. */
HR_MUST_CHECK hr_status hr_stream_open_seeded(uint64_t seed, hr_stream **out, hr_error *err);
/* Wipes the key. NULL is allowed. */
void hr_stream_close(hr_stream *stream);

void hr_stream_bytes(hr_stream *stream, void *out, size_t size);
uint64_t hr_stream_u64(hr_stream *stream);

#endif
