/* In place of the broker, in a build without libnats. */
#include "federation/transport/nats.h"
#include "federation/transport/validity.h"

hr_status hr_nats_present(hr_error *err) {
    return hr_fail(err, HR_E_ABSENT,
                   "install libnats-dev and libssl-dev, and build Hedgerow with -Dnats=enabled",
                   "this build of Hedgerow cannot connect to a broker");
}

hr_status hr_nats_open(const hr_nats_options *options, hr_transport **out, hr_error *err) {
    (void)options, (void)out;
    return hr_nats_present(err);
}

int64_t hr_certificate_ends(const char *path) {
    (void)path;
    return 0;
}
