/* In place of the files and the broker of a federation, in a build without libnats and OpenSSL. */
#include "base/fail.h"

#include <hedgerow/federation.h>

static hr_status fail_absent_federation_absent(hr_error *err) {
    return hr_fail(err, HR_E_ABSENT,
                   "install libnats-dev, libssl-dev, libprotobuf-c-dev and protobuf-c-compiler, and build "
                   "Hedgerow with -Dfederation=enabled -Dnats=enabled",
                   "this build of Hedgerow cannot set up a federation and its broker");
}

hr_status hr_federation_init(const char *folder, const hr_federation_options *options, hr_error *err) {
    (void)folder, (void)options;
    return fail_absent_federation_absent(err);
}

hr_status hr_federation_open(const char *folder, hr_error *err) {
    (void)folder;
    return fail_absent_federation_absent(err);
}
