/* xz, by liblzma, which itself goes from one stream to the next. */
#include "tables/source/codec.h"

#include <lzma.h>
#include <stdlib.h>

static void *open_xz(void) {
    lzma_stream *stream = calloc(1, sizeof *stream);
    if (!stream || lzma_stream_decoder(stream, HR_CODEC_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK)
        return stream;
    free(stream);
    return NULL;
}

static hr_codec_result step_xz(void *state, hr_codec_step *step) {
    lzma_stream *stream = state;
    stream->next_in = (const uint8_t *)step->in;
    stream->avail_in = step->in_size;
    stream->next_out = (uint8_t *)step->out;
    stream->avail_out = step->out_size;
    lzma_ret code = lzma_code(stream, step->last ? LZMA_FINISH : LZMA_RUN);
    step->in += step->in_size - stream->avail_in;
    step->in_size = stream->avail_in;
    step->out += step->out_size - stream->avail_out;
    step->out_size = stream->avail_out;
    switch (code) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: return HR_CODEC_MORE;
    case LZMA_STREAM_END: return HR_CODEC_ENDED;
    case LZMA_MEMLIMIT_ERROR: return HR_CODEC_LARGE;
    case LZMA_MEM_ERROR: return HR_CODEC_MEMORY;
    default: return HR_CODEC_DAMAGED;
    }
}

static void close_xz(void *state) {
    lzma_end(state);
    free(state);
}

const hr_codec *hr_codec_xz(void) {
    static const hr_codec codec = {open_xz, step_xz, close_xz};
    return &codec;
}
