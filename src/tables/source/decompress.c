/* Block by block, so that a file of any size takes little memory; how large a record may be is decided by the
 * reader, as of plain files. */
#include "tables/source/decompress.h"

#include "base/fail.h"

#include <stdlib.h>

typedef struct decompressor {
    hr_byte_stream stream;
    hr_byte_source compressed;
    const hr_codec *codec;
    const char *name;
    void *state;
    bool inside; /* a compressed stream has not come to its end */
} decompressor;

static hr_status refuse_result(const decompressor *d, hr_codec_result result, hr_error *err) {
    if (result == HR_CODEC_MEMORY) return hr_fail_memory(err);
    if (result == HR_CODEC_LARGE)
        return hr_fail(err, HR_E_LIMIT, "decompress the file, or compress it with a smaller window",
                       "the %s data need more than %d MiB of memory", d->name, HR_CODEC_MEMORY_MAX >> 20);
    return hr_fail(err, HR_E_FORMAT, "copy or compress the file again", "the %s data are damaged", d->name);
}

static hr_status refuse_truncated(const decompressor *d, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "the file was cut off: copy or compress it again",
                   "the %s data end too early", d->name);
}

/* Takes bytes of the compressed source and gives bytes, or neither. */
static hr_codec_result decompress_step(decompressor *d, char *to, size_t room, size_t *size) {
    hr_byte_source *in = &d->compressed;
    hr_codec_step step = {in->at, (size_t)(in->end - in->at), to, room, in->ended};
    hr_codec_result result = d->codec->step(d->state, &step);
    in->at = in->end - step.in_size;
    *size = room - step.out_size;
    d->inside = result != HR_CODEC_ENDED;
    return result;
}

static hr_status read_decompressed(hr_byte_stream *stream, char *to, size_t room, size_t *size,
                                   hr_error *err) {
    decompressor *d = (decompressor *)stream;
    hr_byte_source *in = &d->compressed;
    for (*size = 0; !*size;) {
        hr_status status = in->at == in->end ? hr_byte_source_more(in, err) : HR_OK;
        if (status) return status;
        const char *before = in->at;
        const bool exhausted = in->at == in->end;
        if (exhausted && !d->inside) return HR_OK;
        hr_codec_result result = decompress_step(d, to, room, size);
        if (result > HR_CODEC_ENDED) return refuse_result(d, result, err);
        if (*size || in->at != before) continue;
        if (!exhausted) return refuse_result(d, HR_CODEC_DAMAGED, err);
        if (d->inside) return refuse_truncated(d, err);
    }
    return HR_OK;
}

static void free_decompressor(hr_byte_stream *stream) {
    decompressor *d = (decompressor *)stream;
    d->codec->close(d->state);
    hr_byte_source_done(&d->compressed);
    free(d);
}

hr_status hr_decompress_open(const hr_codec *codec, const char *name, hr_byte_source *compressed,
                             hr_byte_stream **out, hr_error *err) {
    decompressor *d = malloc(sizeof *d);
    void *state = d ? codec->open() : NULL;
    if (!state) {
        free(d);
        return hr_fail_memory(err);
    }
    *d = (decompressor){.stream = {read_decompressed, free_decompressor},
                        .compressed = *compressed,
                        .codec = codec,
                        .name = name,
                        .state = state,
                        .inside = true};
    *compressed = (hr_byte_source){.file = -1};
    *out = &d->stream;
    return HR_OK;
}
