/* A build without the library that reads zstd. */
#include "source/codec.h"

const hr_codec *hr_codec_zstd(void) {
    return NULL;
}
