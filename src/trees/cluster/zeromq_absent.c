/* In place of ZeroMQ, in a build without it. */
#include "base/fail.h"

#include <hedgerow/cluster.h>

static hr_status refuse_zeromq(hr_error *err) {
    return hr_fail(err, HR_E_ABSENT, "install libzmq3-dev, and build Hedgerow with -Dzeromq=enabled",
                   "this build of Hedgerow has no links over ZeroMQ");
}

hr_status hr_cluster_key(char key[HR_CLUSTER_KEY_TEXT], hr_error *err) {
    (void)key;
    return refuse_zeromq(err);
}

hr_status hr_cluster_zeromq_open(const hr_cluster_zeromq *options, hr_cluster_link *out, hr_error *err) {
    (void)options, (void)out;
    return refuse_zeromq(err);
}
