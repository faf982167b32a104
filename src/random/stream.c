/* Noise protects people only as long as nobody can predict it: the key comes from the operating system, every refill replaces
 * it (so that past bits cannot be recomputed from memory), bytes are wiped once used, and a forked child never repeats its
 * parent's bits. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "random/stream.h"

#include "base/fail.h"

#include <sodium.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { KEY = crypto_stream_chacha20_KEYBYTES, OUTPUT = 2048 };

struct hr_stream {
    bool keyed;  /* false in a forked child whose copy the kernel has wiped */
    pid_t owner; /* 0: the kernel wipes a child's copy, nothing to compare */
    size_t at;   /* bytes of `output` that are used up */
    unsigned char key[KEY];
    unsigned char output[OUTPUT];
};

/* Where the kernel does not know the advice, every call compares process ids instead. */
static pid_t ask_wipe_on_fork(void *memory, size_t size) {
#ifdef MADV_WIPEONFORK
    if (madvise(memory, size, MADV_WIPEONFORK) == 0) return 0;
#else
    (void)memory;
    (void)size;
#endif
    return getpid();
}

static hr_status open_unkeyed(hr_stream **out, hr_error *err) {
    if (sodium_init() < 0) return hr_fail(err, HR_E_IO, "check that /dev/urandom is readable", "the operating system gives no random bits");
    /* Whole pages of its own: the advice concerns pages. */
    hr_stream *stream = mmap(NULL, sizeof *stream, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stream == MAP_FAILED) return hr_fail_memory(err);
    stream->owner = ask_wipe_on_fork(stream, sizeof *stream);
    stream->at = OUTPUT;
    stream->keyed = true;
    *out = stream;
    return HR_OK;
}

hr_status hr_stream_open(hr_stream **out, hr_error *err) {
    hr_status status = open_unkeyed(out, err);
    if (status == HR_OK) randombytes_buf((*out)->key, KEY);
    return status;
}

hr_status hr_stream_open_seeded(uint64_t seed, hr_stream **out, hr_error *err) {
    hr_status status = open_unkeyed(out, err);
    if (status) return status;
    unsigned char text[24] = "hedgerow stream ";
    for (int i = 0; i < 8; i++) text[16 + i] = (unsigned char)(seed >> 8 * i);
    crypto_generichash((*out)->key, KEY, text, sizeof text, NULL, 0);
    return HR_OK;
}

void hr_stream_close(hr_stream *stream) {
    if (!stream) return;
    sodium_memzero(stream, sizeof *stream);
    munmap(stream, sizeof *stream);
}

static bool is_forked_copy(const hr_stream *stream) {
    return !stream->keyed || (stream->owner && stream->owner != getpid());
}

static void rekey_child(hr_stream *stream) {
    stream->owner = ask_wipe_on_fork(stream, sizeof *stream);
    randombytes_buf(stream->key, KEY);
    stream->at = OUTPUT;
    stream->keyed = true;
}

static void refill(hr_stream *stream) {
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0}; /* every key makes one output only */
    crypto_stream_chacha20(stream->output, OUTPUT, nonce, stream->key);
    memcpy(stream->key, stream->output, KEY);
    stream->at = KEY;
}

void hr_stream_bytes(hr_stream *stream, void *out, size_t size) {
    unsigned char *to = out;
    if (is_forked_copy(stream)) rekey_child(stream);
    while (size) {
        if (stream->at == OUTPUT) refill(stream);
        size_t n = OUTPUT - stream->at < size ? OUTPUT - stream->at : size;
        memcpy(to, stream->output + stream->at, n);
        memset(stream->output + stream->at, 0, n);
        stream->at += n;
        to += n;
        size -= n;
    }
}

uint64_t hr_stream_u64(hr_stream *stream) {
    unsigned char bytes[8];
    if (is_forked_copy(stream) || OUTPUT - stream->at < sizeof bytes) {
        hr_stream_bytes(stream, bytes, sizeof bytes);
    } else {
        memcpy(bytes, stream->output + stream->at, sizeof bytes);
        memset(stream->output + stream->at, 0, sizeof bytes);
        stream->at += sizeof bytes;
    }
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}
