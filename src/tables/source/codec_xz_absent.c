/* A build without the library that reads xz. */
#include "tables/source/codec.h"

const hr_codec *hr_codec_xz(void) {
    return NULL;
}
