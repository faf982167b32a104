/* In place of the files and the broker of a federation, in a build without libnats and OpenSSL. */
#include "base/fail.h"

#include <hedgerow/federation.h>

static hr_status fail_absent_federation(hr_error *err) {
    return hr_fail(err, HR_E_ABSENT,
                   "install libnats-dev, libssl-dev, libprotobuf-c-dev and protobuf-c-compiler, and build "
                   "Hedgerow with -Dfederation=enabled -Dnats=enabled",
                   "this build of Hedgerow cannot set up a federation and its broker");
}

hr_status hr_federation_init(const char *folder, const hr_federation_options *options, hr_error *err) {
    (void)folder, (void)options;
    return fail_absent_federation(err);
}

hr_status hr_federation_open(const char *folder, hr_error *err) {
    (void)folder;
    return fail_absent_federation(err);
}

hr_status hr_federation_show(const char *folder, bool (*visit)(void *user, const hr_waiting_packets *waiting),
                             void *user, hr_error *err) {
    (void)folder, (void)visit, (void)user;
    return fail_absent_federation(err);
}

hr_status hr_federation_purge(const char *folder, const char *to, const char *from, uint64_t *packets,
                              hr_error *err) {
    (void)folder, (void)to, (void)from, (void)packets;
    return fail_absent_federation(err);
}

hr_status hr_federation_add(const char *folder, const hr_new_member *member, hr_error *err) {
    (void)folder, (void)member;
    return fail_absent_federation(err);
}

hr_status hr_federation_remove(const char *folder, const char *name, hr_error *err) {
    (void)folder, (void)name;
    return fail_absent_federation(err);
}

hr_status hr_federation_rekey(const char *folder, const hr_new_member *member, hr_error *err) {
    (void)folder, (void)member;
    return fail_absent_federation(err);
}

hr_status hr_federation_renew(const char *folder, const char *name, unsigned days, hr_error *err) {
    (void)folder, (void)name, (void)days;
    return fail_absent_federation(err);
}

hr_status hr_federation_renew_authority(const char *folder, hr_error *err) {
    (void)folder;
    return fail_absent_federation(err);
}

hr_status hr_federation_drop_authority(const char *folder, hr_error *err) {
    (void)folder;
    return fail_absent_federation(err);
}

hr_status hr_federation_certificates(const char *folder,
                                     bool (*visit)(void *user, const hr_certificate_info *certificate),
                                     void *user, hr_error *err) {
    (void)folder, (void)visit, (void)user;
    return fail_absent_federation(err);
}

hr_status hr_federation_fingerprint(const char *file, uint64_t *version, char text[HR_FINGERPRINT_TEXT],
                                    hr_error *err) {
    (void)file, (void)version, (void)text;
    return fail_absent_federation(err);
}
