/* Zstandard, by libzstd: frames one after the other. */
#include "tables/source/codec.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_LOG_MAX = 28 }; /* of HR_CODEC_MEMORY_MAX */

static void *open_zstd(void) {
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context || !ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        return context;
    ZSTD_freeDCtx(context);
    return NULL;
}

static hr_codec_result step_zstd(void *state, hr_codec_step *step) {
    ZSTD_inBuffer in = {step->in, step->in_size, 0};
    ZSTD_outBuffer out = {step->out, step->out_size, 0};
    size_t code = ZSTD_decompressStream(state, &out, &in);
    step->in += in.pos;
    step->in_size -= in.pos;
    step->out += out.pos;
    step->out_size -= out.pos;
    if (!code) return HR_CODEC_ENDED;
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_no_error: return HR_CODEC_MORE;
    case ZSTD_error_frameParameter_windowTooLarge: return HR_CODEC_LARGE;
    case ZSTD_error_memory_allocation: return HR_CODEC_MEMORY;
    default: return HR_CODEC_DAMAGED;
    }
}

static void close_zstd(void *state) {
    ZSTD_freeDCtx(state);
}

const hr_codec *hr_codec_zstd(void) {
    static const hr_codec codec = {open_zstd, step_zstd, close_zstd};
    return &codec;
}
