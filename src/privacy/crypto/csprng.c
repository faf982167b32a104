/* Noise protects people only as long as nobody can predict it: the key comes from the operating system, every
 * refill replaces it (so that past bits cannot be recomputed from memory), bytes are wiped once used, and a
 * forked child never repeats its parent's bits. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "privacy/crypto/csprng.h"

#include "base/fail.h"

#include <sodium.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { KEY = crypto_stream_chacha20_KEYBYTES, OUTPUT = 2048 };

struct hr_csprng {
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

static hr_status open_unkeyed(hr_csprng **out, hr_error *err) {
    if (sodium_init() < 0)
        return hr_fail(err, HR_E_IO, "check that /dev/urandom is readable",
                       "the operating system returns no random bits");
    /* Whole pages of its own: the advice concerns pages. */
    hr_csprng *csprng =
        mmap(NULL, sizeof *csprng, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (csprng == MAP_FAILED) return hr_fail_memory(err);
    csprng->owner = ask_wipe_on_fork(csprng, sizeof *csprng);
    csprng->at = OUTPUT;
    csprng->keyed = true;
    *out = csprng;
    return HR_OK;
}

hr_status hr_csprng_open(hr_csprng **out, hr_error *err) {
    hr_status status = open_unkeyed(out, err);
    if (status == HR_OK) randombytes_buf((*out)->key, KEY);
    return status;
}

hr_status hr_csprng_open_seeded(uint64_t seed, hr_csprng **out, hr_error *err) {
    hr_status status = open_unkeyed(out, err);
    if (status) return status;
    unsigned char text[24] = "hedgerow stream ";
    for (int i = 0; i < 8; i++) text[16 + i] = (unsigned char)(seed >> 8 * i);
    crypto_generichash((*out)->key, KEY, text, sizeof text, NULL, 0);
    return HR_OK;
}

void hr_csprng_close(hr_csprng *csprng) {
    if (!csprng) return;
    sodium_memzero(csprng, sizeof *csprng);
    munmap(csprng, sizeof *csprng);
}

static bool is_forked_copy(const hr_csprng *csprng) {
    return !csprng->keyed || (csprng->owner && csprng->owner != getpid());
}

static void rekey_child(hr_csprng *csprng) {
    csprng->owner = ask_wipe_on_fork(csprng, sizeof *csprng);
    randombytes_buf(csprng->key, KEY);
    csprng->at = OUTPUT;
    csprng->keyed = true;
}

static void refill(hr_csprng *csprng) {
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {
        0}; /* every key makes one output only */
    crypto_stream_chacha20(csprng->output, OUTPUT, nonce, csprng->key);
    memcpy(csprng->key, csprng->output, KEY);
    csprng->at = KEY;
}

void hr_csprng_bytes(hr_csprng *csprng, void *out, size_t size) {
    unsigned char *to = out;
    if (is_forked_copy(csprng)) rekey_child(csprng);
    while (size) {
        if (csprng->at == OUTPUT) refill(csprng);
        size_t n = OUTPUT - csprng->at < size ? OUTPUT - csprng->at : size;
        memcpy(to, csprng->output + csprng->at, n);
        memset(csprng->output + csprng->at, 0, n);
        csprng->at += n;
        to += n;
        size -= n;
    }
}

uint64_t hr_csprng_u64(hr_csprng *csprng) {
    unsigned char bytes[8];
    if (is_forked_copy(csprng) || OUTPUT - csprng->at < sizeof bytes) {
        hr_csprng_bytes(csprng, bytes, sizeof bytes);
    } else {
        memcpy(bytes, csprng->output + csprng->at, sizeof bytes);
        memset(csprng->output + csprng->at, 0, sizeof bytes);
        csprng->at += sizeof bytes;
    }
    return hr_random_number(bytes);
}
