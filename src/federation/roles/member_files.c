#include "federation/roles/member_files.h"

#include "base/fail.h"
#include "federation/config/coordinator_file.h"
#include "federation/config/owner_file.h"
#include "federation/federated/federated_method.h"
#include "federation/folder/job_folder.h"

#include <string.h>
#include <sys/stat.h>

static bool begins_a_line(const hr_file_text *text, const char *key) {
    const char *end = text->text + text->size;
    for (const char *line = text->text; line && line < end; line++) {
        if ((size_t)(end - line) > strlen(key) && !memcmp(line, key, strlen(key))) return true;
        line = memchr(line, '\n', (size_t)(end - line));
        if (!line) break;
    }
    return false;
}

static hr_status read_owner(const hr_file_text *text, hr_arena *arena, hr_member_files *out, hr_error *err) {
    hr_owner_file owner;
    hr_status status = hr_owner_file_parse(text, arena, &owner, err);
    if (status) return status;
    *out = (hr_member_files){.endpoint = {.member = owner.member, .tries_once = true},
                             .journal = owner.ledger,
                             .schema = owner.schema,
                             .is_owner = true};
    return HR_OK;
}

static hr_status read_coordinator(const char *file, const hr_file_text *text, hr_arena *arena,
                                  hr_member_files *out, hr_error *err) {
    hr_job_file job;
    hr_status status = hr_job_file_parse(text, hr_federated_job_rules, arena, &job, err);
    if (!status && !job.journal) {
        hr_fail(err, HR_E_ARGUMENT, "name an owner file, or the job file of a coordinator",
                "the job file names no journal");
        return hr_fail_at(err, HR_E_ARGUMENT, file, 0, 0, NULL);
    }
    if (status) return status;
    *out = (hr_member_files){.endpoint = {.member = job.member, .tries_once = true},
                             .journal = job.journal,
                             .schema = job.schema,
                             .round_gain = job.round_gain};
    return HR_OK;
}

static hr_status read_folder(const char *folder, hr_arena *arena, hr_member_files *out, hr_error *err) {
    char path[HR_FOLDER_PATH], journal[HR_FOLDER_PATH];
    hr_coordinator_file file;
    hr_status status = hr_folder_path(folder, HR_FOLDER_FILE, path, err);
    if (!status) status = hr_folder_path(folder, HR_FOLDER_JOURNAL, journal, err);
    if (!status) status = hr_coordinator_file_read(path, arena, &file, err);
    if (status) return status;
    *out = (hr_member_files){.endpoint = {.member = file.member, .tries_once = true},
                             .journal = hr_arena_text(arena, journal, strlen(journal)),
                             .folder = folder};
    return out->journal ? HR_OK : hr_fail_memory(err);
}

hr_status hr_member_files_read(const char *file, hr_arena *arena, hr_member_files *out, hr_error *err) {
    hr_file_text text;
    struct stat there;
    if (!stat(file, &there) && S_ISDIR(there.st_mode)) return read_folder(file, arena, out, err);
    hr_status status = hr_fields_load(file, arena, &text, err);
    if (status) return status;
    if (begins_a_line(&text, "hedgerow-owner:")) return read_owner(&text, arena, out, err);
    return read_coordinator(file, &text, arena, out, err);
}
