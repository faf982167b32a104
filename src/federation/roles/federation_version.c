#include "federation/roles/federation_version.h"

#include "base/fail.h"

static hr_status check_version(const hr_federation_file *file, int64_t before, bool same, hr_error *err) {
    const int64_t version = (int64_t)file->version;
    if (version < before)
        return hr_fail(err, HR_E_POLICY, "get the current federation.yaml from the founder",
                       "this is version %lld of the federation '%s', and version %lld was used before",
                       (long long)version, file->membership.federation, (long long)before);
    if (version > before || same) return HR_OK;
    return hr_fail(err, HR_E_POLICY,
                   "compare what `hedgerow federation fingerprint` prints with the founder; a file that was "
                   "changed on purpose needs a higher version",
                   "this is another federation '%s' of version %lld than the one that was used before",
                   file->membership.federation, (long long)version);
}

hr_status hr_federation_version_note(const hr_federation_file *file, hr_journal *journal, const hr_log *log,
                                     hr_error *err) {
    char fingerprint[HR_FINGERPRINT_SIZE];
    const char *name = file->membership.federation;
    int64_t before = 0;
    bool same = false;
    hr_status status = hr_federation_file_fingerprint(file, fingerprint, err);
    if (!status) status = hr_journal_federation(journal, name, fingerprint, &before, &same, err);
    if (!status) status = check_version(file, before, same, err);
    if (!status && !same)
        status = hr_journal_note_federation(journal, name, fingerprint, (int64_t)file->version, err);
    if (!status && before && !same)
        hr_log_format(log, HR_LOG_INFO, NULL, "federation '%s': version %zu, was %lld; fingerprint %s", name,
                      file->version, (long long)before, fingerprint);
    return status;
}
