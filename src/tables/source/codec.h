/* Compressed formats: what each library does, behind one interface. */
#ifndef HR_TABLES_SOURCE_CODEC_H
#define HR_TABLES_SOURCE_CODEC_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum hr_codec_result {
    HR_CODEC_MORE,    /* goes on with more bytes or more room */
    HR_CODEC_ENDED,   /* one compressed stream has come to its end; another may follow */
    HR_CODEC_DAMAGED, /* the bytes do not follow the format */
    HR_CODEC_LARGE,   /* it takes more memory than is allowed */
    HR_CODEC_MEMORY
} hr_codec_result;

/* Moved forward by what was taken and given. */
typedef struct hr_codec_step {
    const char *in;
    size_t in_size;
    char *out;
    size_t out_size;
    bool last; /* nothing comes after `in` */
} hr_codec_step;

typedef struct hr_codec {
    /* NULL when memory is short. */
    void *(*open)(void);
    hr_codec_result (*step)(void *state, hr_codec_step *step);
    void (*close)(void *state);
} hr_codec;

/* Memory that a decompressor may take: files of the usual tools need up to 128 MiB. */
enum { HR_CODEC_MEMORY_MAX = 256 * 1024 * 1024 };

/* NULL: this build lacks it. */
const hr_codec *hr_codec_gzip(void);
const hr_codec *hr_codec_zstd(void);
const hr_codec *hr_codec_xz(void);

/* ---- Whole files in memory, by gzip ---- */

/* Whether bytes begin as compressed ones do; whether the name of a file says that it is compressed. */
bool hr_packed_begins(const char *bytes, size_t size);
bool hr_packed_named(const char *path);

/* Adds what compressed bytes stand for. Fails: FORMAT (truncated, damaged), LIMIT (it becomes more than 64
 * MiB plus 100 times as much), ABSENT, MEMORY. */
HR_MUST_CHECK hr_status hr_packed_read(const char *bytes, size_t size, hr_buffer *out, hr_error *err);

/* The file, or what it stands for if it is compressed, in a buffer that is empty. Fails: as
 * hr_file_read_path and hr_packed_read. */
HR_MUST_CHECK hr_status hr_packed_read_path(const char *path, hr_buffer *out, hr_error *err);

/* Adds the bytes as one gzip stream, with no name and no time in it: the same bytes from the same version of
 * zlib. Fails: ABSENT (this build lacks it), MEMORY. */
HR_MUST_CHECK hr_status hr_packed_make(const char *bytes, size_t size, hr_buffer *out, hr_error *err);

#endif
