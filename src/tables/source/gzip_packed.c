/* Whole files in memory that gzip compressed. They may come from anybody: what they become is bounded by
 * their size. */
#include "tables/source/decompress.h"

#include "base/fail.h"
#include "base/file.h"

#include <string.h>

enum { UNPACKED_FREE = 64 << 20, UNPACKED_RATIO = 100, UNPACKED_AT_ONCE = 1 << 16 };
static const char packed_begin[] = "\x1f\x8b", packed_end[] = ".gz";

bool hr_packed_begins(const char *bytes, size_t size) {
    return size >= strlen(packed_begin) && memcmp(bytes, packed_begin, strlen(packed_begin)) == 0;
}

bool hr_packed_named(const char *path) {
    const size_t length = strlen(path), ending = strlen(packed_end);
    return length >= ending && strcmp(path + length - ending, packed_end) == 0;
}

static hr_status refuse_large(hr_error *err) {
    return hr_fail(
        err, HR_E_LIMIT, "it is damaged or made to fill memory; if it is neither, decompress it with gunzip",
        "it becomes more than %d MiB and %d times its compressed size", UNPACKED_FREE >> 20, UNPACKED_RATIO);
}

hr_status hr_packed_read(const char *bytes, size_t size, hr_buffer *out, hr_error *err) {
    const hr_codec *codec = hr_codec_gzip();
    if (!codec)
        return hr_fail(
            err, HR_E_ABSENT,
            "decompress it with gunzip, or install zlib1g-dev and build Hedgerow with -Dgzip=enabled",
            "this build of Hedgerow cannot read gzip files");
    char part[UNPACKED_AT_ONCE];
    hr_byte_source source;
    hr_byte_stream *stream = NULL;
    hr_status status = hr_byte_source_open_memory(&source, bytes, size, err);
    if (!status) status = hr_decompress_open(codec, "gzip", &source, &stream, err);
    size_t got = 1;
    while (!status && got) {
        status = stream->read(stream, part, sizeof part, &got, err);
        if (!status) hr_buffer_add(out, part, got);
        if (!status && out->size / UNPACKED_RATIO > size + UNPACKED_FREE / UNPACKED_RATIO)
            status = refuse_large(err);
        if (!status && out->failed) status = hr_fail_memory(err);
    }
    if (stream) stream->free(stream);
    hr_byte_source_done(&source);
    return status;
}

hr_status hr_packed_read_path(const char *path, hr_buffer *out, hr_error *err) {
    hr_status status = hr_file_read_path(path, out, err);
    if (status || !hr_packed_begins(out->bytes, out->size)) return status;
    hr_buffer packed = *out;
    *out = (hr_buffer){0};
    status = hr_packed_read(packed.bytes, packed.size, out, err);
    hr_buffer_done(&packed);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}
