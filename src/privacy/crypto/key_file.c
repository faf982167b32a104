/* Files of secret keys: two lines, of which the second holds the secret and, so that damage is seen, the
 * public key that belongs to it. A key that others may read protects nobody: such a file is refused until its
 * owner has mended that. */
#include "base/fail.h"
#include "base/file.h"
#include "privacy/crypto/secret.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BASE64_KIND = sodium_base64_VARIANT_ORIGINAL,
    SECRET = crypto_sign_SECRETKEYBYTES,
    BASE64 = sodium_base64_ENCODED_LEN(SECRET, BASE64_KIND) - 1
};

#define MAGIC "hedgerow-secret-key "
#define VERSION "1\n"

enum { HEAD = sizeof MAGIC VERSION - 1, SIZE = HEAD + BASE64 + 1 };

/* ---- Text ---- */

static void render_key(const hr_identity *identity, char text[SIZE + 1]) {
    memcpy(text, MAGIC VERSION, HEAD);
    sodium_bin2base64(text + HEAD, BASE64 + 1, identity->sign_secret, SECRET, BASE64_KIND);
    memcpy(text + SIZE - 1, "\n", 2);
}

static hr_status refuse_damage(hr_error *err) {
    return hr_fail(
        err, HR_E_FORMAT,
        "restore a copy; or make a new key with `hedgerow keygen`, and send its public key to the federation",
        "the key is damaged");
}

static hr_status check_head(const char *text, size_t size, hr_error *err) {
    if (size < sizeof MAGIC || memcmp(text, MAGIC, sizeof MAGIC - 1) != 0)
        return hr_fail(err, HR_E_FORMAT, "name a file made by `hedgerow keygen`",
                       "this file is not a secret key");
    const char *version = text + sizeof MAGIC - 1;
    const char *end = memchr(version, '\n', size - (sizeof MAGIC - 1));
    bool whole = end && end > version && end - version < 10;
    for (const char *digit = version; whole && digit < end; digit++) whole = *digit >= '0' && *digit <= '9';
    if (!whole) return refuse_damage(err);
    if (end - version == 1 && *version == VERSION[0]) return HR_OK;
    return hr_fail(err, HR_E_FORMAT, "use the newer version of Hedgerow that made it",
                   "the key has version %.*s, this library knows version 1", (int)(end - version), version);
}

/* What reads as a key is one only if it is written as we write it: the decoder takes some other characters
 * for base64. */
static hr_status grow_matching(const unsigned char secret[SECRET], const char text[SIZE], hr_identity **out,
                               hr_error *err) {
    char again[SIZE + 1];
    hr_identity *identity = NULL;
    hr_status status = hr_identity_grow(secret, &identity, err);
    if (status) return status;
    render_key(identity, again);
    bool same = sodium_memcmp(again, text, SIZE) == 0;
    sodium_memzero(again, sizeof again);
    if (!same) {
        hr_identity_free(identity);
        return refuse_damage(err);
    }
    *out = identity;
    return HR_OK;
}

hr_status hr_identity_parse(const char *text, size_t size, hr_identity **out, hr_error *err) {
    assert((text || !size) && out);
    hr_status status = check_head(text, size, err);
    if (status) return status;
    unsigned char secret[SECRET];
    size_t got = 0;
    bool fine = size == SIZE &&
                !sodium_base642bin(secret, sizeof secret, text + HEAD, BASE64, NULL, &got, NULL, BASE64_KIND);
    status = fine && got == SECRET ? grow_matching(secret, text, out, err) : refuse_damage(err);
    sodium_memzero(secret, sizeof secret);
    return status;
}

/* ---- Files ---- */

static hr_status fail_key_io(hr_error *err, const char *what) {
    return hr_fail(err, HR_E_IO, "check the path, its permissions and the free space",
                   "cannot %s the key: %s", what, strerror(errno));
}

hr_status hr_identity_write(const hr_identity *identity, const char *path, hr_error *err) {
    assert(identity && path);
    char text[SIZE + 1];
    render_key(identity, text);
    hr_status status = hr_file_create(path, "key", S_IRUSR | S_IWUSR, text, SIZE, err);
    sodium_memzero(text, sizeof text);
    return status;
}

static hr_status check_key_file(const char *path, int fd, hr_error *err) {
    struct stat about;
    if (fstat(fd, &about)) return fail_key_io(err, "read");
    if (!S_ISREG(about.st_mode))
        return hr_fail(err, HR_E_IO, "name the key's file", "this is %s, not a file",
                       S_ISDIR(about.st_mode) ? "a folder" : "a device or a pipe");
    return hr_file_check_secret(path, about.st_mode, err);
}

static hr_status read_open(int fd, hr_identity **out, hr_error *err) {
    char text[SIZE + 1]; /* one more than a key: longer files show */
    size_t size = 0;
    ssize_t got = 1;
    while (size < sizeof text && got) {
        got = read(fd, text + size, sizeof text - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        size += (size_t)got;
    }
    hr_status status = got < 0 ? fail_key_io(err, "read") : hr_identity_parse(text, size, out, err);
    sodium_memzero(text, sizeof text);
    return status;
}

hr_status hr_identity_read(const char *path, hr_identity **out, hr_error *err) {
    assert(path && out);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not stop us */
    hr_status status = fd < 0 ? fail_key_io(err, "open") : check_key_file(path, fd, err);
    if (!status) status = read_open(fd, out, err);
    if (fd >= 0) close(fd);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}
