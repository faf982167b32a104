/* gzip, by zlib: streams one after the other, each with its checksum. */
#include "tables/source/codec.h"

#include "base/fail.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    GZIP_ONLY = 15 + 16, /* the largest window, and gzip's header */
    MEMORY_LEVEL = 8,    /* the default of zlib */
    PACKED_AT_ONCE = 1 << 16
};

typedef struct gzip_state {
    z_stream stream;
    bool ended;
} gzip_state;

static void *open_gzip(void) {
    gzip_state *g = calloc(1, sizeof *g);
    if (!g || inflateInit2(&g->stream, GZIP_ONLY) == Z_OK) return g;
    free(g);
    return NULL;
}

static uInt bound_gzip(size_t size) {
    return size < INT_MAX ? (uInt)size : INT_MAX;
}

static hr_codec_result step_gzip(void *state, hr_codec_step *step) {
    gzip_state *g = state;
    if (g->ended && inflateReset(&g->stream) != Z_OK) return HR_CODEC_DAMAGED;
    const uInt in = bound_gzip(step->in_size), out = bound_gzip(step->out_size);
    g->stream.next_in = (z_const Bytef *)step->in;
    g->stream.avail_in = in;
    g->stream.next_out = (Bytef *)step->out;
    g->stream.avail_out = out;
    int code = inflate(&g->stream, Z_NO_FLUSH);
    step->in += in - g->stream.avail_in;
    step->in_size -= in - g->stream.avail_in;
    step->out += out - g->stream.avail_out;
    step->out_size -= out - g->stream.avail_out;
    g->ended = code == Z_STREAM_END;
    if (g->ended) return HR_CODEC_ENDED;
    if (code == Z_MEM_ERROR) return HR_CODEC_MEMORY;
    return code == Z_OK || code == Z_BUF_ERROR ? HR_CODEC_MORE : HR_CODEC_DAMAGED;
}

static void close_gzip(void *state) {
    gzip_state *g = state;
    inflateEnd(&g->stream);
    free(g);
}

const hr_codec *hr_codec_gzip(void) {
    static const hr_codec codec = {open_gzip, step_gzip, close_gzip};
    return &codec;
}

hr_status hr_packed_make(const char *bytes, size_t size, hr_buffer *out, hr_error *err) {
    unsigned char packed[PACKED_AT_ONCE];
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_ONLY, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return hr_fail_memory(err);
    int code = Z_OK;
    while (code == Z_OK) {
        const uInt in = bound_gzip(size);
        stream.next_in = (z_const Bytef *)bytes;
        stream.avail_in = in;
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        code = deflate(&stream, in == size ? Z_FINISH : Z_NO_FLUSH);
        bytes += in - stream.avail_in;
        size -= in - stream.avail_in;
        hr_buffer_add(out, packed, sizeof packed - stream.avail_out);
    }
    deflateEnd(&stream);
    return code == Z_STREAM_END && !out->failed ? HR_OK : hr_fail_memory(err);
}
