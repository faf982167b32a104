/* A build without the library that reads and writes gzip. */
#include "tables/source/codec.h"

#include "base/fail.h"

const hr_codec *hr_codec_gzip(void) {
    return NULL;
}

hr_status hr_packed_make(const char *bytes, size_t size, hr_buffer *out, hr_error *err) {
    (void)bytes, (void)size, (void)out;
    return hr_fail(
        err, HR_E_ABSENT,
        "give a name that does not end in .gz, or install zlib1g-dev and build Hedgerow with -Dgzip=enabled",
        "this build of Hedgerow cannot write gzip files");
}
