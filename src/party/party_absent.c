/* In place of the parties of a federation, in a build without protobuf-c. */
#include "base/fail.h"

#include <hedgerow/federation.h>

static hr_status fail_absent_party_absent(hr_error *err) {
    return hr_fail(
        err, HR_E_ABSENT,
        "install libprotobuf-c-dev and protobuf-c-compiler, and build Hedgerow with -Dfederation=enabled",
        "this build of Hedgerow cannot train over several owners");
}

hr_status hr_serve(const char *file, const hr_party_settings *settings, hr_error *err) {
    (void)file, (void)settings;
    return fail_absent_party_absent(err);
}

hr_status hr_coordinate(const char *file, const char *model, const hr_party_settings *settings,
                        hr_model **out, hr_error *err) {
    (void)file, (void)model, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_meet(const char *file, const char *model, const hr_owner_files *owners,
                  const hr_party_settings *settings, hr_model **out, hr_error *err) {
    (void)file, (void)model, (void)owners, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_simulate(const char *file, const hr_simulation_data *data, const hr_party_settings *settings,
                      hr_model **out, hr_error *err) {
    (void)file, (void)data, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}
