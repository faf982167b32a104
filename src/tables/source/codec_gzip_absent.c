/* A build without the library that reads gzip. */
#include "tables/source/codec.h"

const hr_codec *hr_codec_gzip(void) {
    return NULL;
}
