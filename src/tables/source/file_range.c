#include "tables/source/file_range.h"

#include "base/fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* A sum has room for 2^31 chunks. */
void hr_chunks_add(const char *bytes, size_t size, uint64_t first, int64_t sums[HR_CHUNK_SUMS]) {
    for (size_t at = 0; at < size; at += HR_CHUNK_BYTES) {
        const size_t left = size - at, chunk = left < HR_CHUNK_BYTES ? left : HR_CHUNK_BYTES;
        const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes + at, chunk, first + at / HR_CHUNK_BYTES);
        sums[0] += (uint32_t)hash.low64;
        sums[1] += (int64_t)(hash.low64 >> 32);
        sums[2] += (uint32_t)hash.high64;
        sums[3] += (int64_t)(hash.high64 >> 32);
    }
}

typedef struct file_range {
    hr_byte_stream stream; /* first: a file_range is an hr_byte_stream */
    int file;
    uint64_t at, end;
} file_range;

hr_status hr_file_read_at(int file, uint64_t at, char *to, size_t size, size_t *got, hr_error *err) {
    *got = 0;
    while (*got < size) {
        const ssize_t read = pread(file, to + *got, size - *got, (off_t)(at + *got));
        if (read < 0 && errno == EINTR) continue;
        if (read < 0)
            return hr_fail(err, HR_E_IO, "check that it is a readable file", "cannot read the file: %s",
                           strerror(errno));
        if (!read) break;
        *got += (size_t)read;
    }
    return HR_OK;
}

static hr_status read_range(hr_byte_stream *self, char *to, size_t room, size_t *size, hr_error *err) {
    file_range *r = (file_range *)(void *)self;
    const uint64_t left = r->end - r->at;
    hr_status status = hr_file_read_at(r->file, r->at, to, left < room ? (size_t)left : room, size, err);
    r->at += *size;
    return status;
}

static void free_range(hr_byte_stream *self) {
    free(self);
}

hr_status hr_file_range_open(int file, const hr_byte_range *range, hr_byte_stream **out, hr_error *err) {
    file_range *r = malloc(sizeof *r);
    if (!r) return hr_fail_memory(err);
    *r = (file_range){{read_range, free_range}, file, range->begin, range->end};
    *out = &r->stream;
    return HR_OK;
}
