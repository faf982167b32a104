/* A build without the library that reads zstd. */
#include "tables/source/codec.h"

const hr_codec *hr_codec_zstd(void) {
    return NULL;
}
