/* Jobs are added to a folder, begun, cancelled and ended there. */
#include "federation/folder/job_folder.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text/text.h"
#include "privacy/crypto/csprng.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_RIGHTS = 0666, FOLDER_RIGHTS = 0777, DRAFT_SECONDS = 86400 /* for which a job may be added */ };

/* A job's folder while it is filled: its name begins with a dot. */
typedef struct folder_draft {
    const char *folder;
    char name[HR_JOB_NAME_TEXT + 32];
} folder_draft;

/* id: in digits, of which the first eight count. */
static folder_draft draft_of(const char *folder, const char *name, const char *id) {
    folder_draft draft = {.folder = folder};
    snprintf(draft.name, sizeof draft.name, ".%.*s.%.8s", HR_JOB_NAME_MAX, name, id);
    return draft;
}

static hr_status fill_draft(const folder_draft *draft, const hr_folder_files *files,
                            const uint8_t id[HR_JOURNAL_ID], hr_error *err) {
    const char *const from[] = {files->job, files->schema, files->evaluated}, *const to[] = {
                                                                                  HR_FOLDER_JOB,
                                                                                  HR_FOLDER_SCHEMA,
                                                                                  HR_FOLDER_EVALUATED};
    char path[HR_FOLDER_PATH], text[HR_JOB_ID_TEXT + 1];
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < sizeof to / sizeof *to; i++) {
        hr_buffer bytes = {0};
        if (!from[i]) continue;
        status = hr_folder_job_path(draft->folder, draft->name, to[i], path, err);
        if (!status) status = hr_file_read_path(from[i], &bytes, err);
        if (!status)
            status =
                hr_file_create(path, "copy", FILE_RIGHTS, bytes.bytes ? bytes.bytes : "", bytes.size, err);
        hr_buffer_done(&bytes);
    }
    hr_text_hex(id, HR_JOURNAL_ID, text);
    strcat(text, "\n");
    if (!status)
        status =
            hr_folder_job_path(draft->folder, draft->name, hr_folder_state_file(HR_FOLDER_QUEUED), path, err);
    if (!status) status = hr_file_create(path, "job", FILE_RIGHTS, text, strlen(text), err);
    if (status) return status;

    /* A file system's own clock may be so coarse that jobs submitted one after the other have the same time.
     */
    struct timespec times[2];
    if (clock_gettime(CLOCK_REALTIME, &times[0])) return hr_folder_fail(path, "read the clock for", err);
    times[1] = times[0];
    return utimensat(AT_FDCWD, path, times, 0) ? hr_folder_fail(path, "set the time of", err) : HR_OK;
}

static void remove_draft(const folder_draft *draft) {
    const char *const files[] = {HR_FOLDER_JOB, HR_FOLDER_SCHEMA, HR_FOLDER_EVALUATED,
                                 hr_folder_state_file(HR_FOLDER_QUEUED), ""};
    char path[HR_FOLDER_PATH];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!hr_folder_job_path(draft->folder, draft->name, files[i], path, NULL))
            (void)(*files[i] ? unlink(path) : rmdir(path));
}

static hr_status fail_taken(const char *name, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT,
                   "give another name with --name; the folder of a job that ended may be removed",
                   "there is a job '%s' already", name);
}

static hr_status name_draft(const folder_draft *draft, const char *name, hr_error *err) {
    char from[HR_FOLDER_PATH], to[HR_FOLDER_PATH];
    hr_status status = hr_folder_job_path(draft->folder, draft->name, "", from, err);
    if (!status) status = hr_folder_job_path(draft->folder, name, "", to, err);
    if (status) return status;
    from[strlen(from) - 1] = to[strlen(to) - 1] = '\0'; /* the slashes */
    if (!rename(from, to)) {
        hr_file_sync_folder(to);
        return HR_OK;
    }
    return errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
               ? fail_taken(name, err)
               : hr_folder_fail(to, "make the folder", err);
}

static hr_status make_folder(const char *path, hr_error *err) {
    return !mkdir(path, FOLDER_RIGHTS) || errno == EEXIST ? HR_OK
                                                          : hr_folder_fail(path, "make the folder", err);
}

/* Before the job is there: one that is there and in no list would never begin. */
static hr_status open_job(const char *folder, const char *name, const uint8_t id[HR_JOURNAL_ID],
                          hr_error *err) {
    char path[HR_FOLDER_PATH];
    hr_status status = hr_folder_path(folder, HR_FOLDER_OPEN, path, err);
    if (!status) status = make_folder(path, err);
    if (!status) status = hr_folder_open_path(folder, name, id, path, err);
    return status ? status : hr_file_create(path, "entry", FILE_RIGHTS, "", 0, err);
}

hr_status hr_folder_close(const char *folder, const hr_folder_job *job, hr_error *err) {
    char path[HR_FOLDER_PATH];
    hr_status status = hr_folder_open_path(folder, job->name, job->id, path, err);
    if (status || !unlink(path) || errno == ENOENT) return status;
    return hr_folder_fail(path, "remove the file", err);
}

hr_status hr_folder_add(const char *folder, const char *name, const hr_folder_files *files,
                        uint8_t id[HR_JOURNAL_ID], hr_error *err) {
    hr_folder_job before;
    char path[HR_FOLDER_PATH], digits[HR_JOB_ID_TEXT];
    hr_csprng *csprng = NULL;
    if (*name == '.')
        return hr_fail(err, HR_E_ARGUMENT, "give another name with --name",
                       "the name of a job in a folder cannot begin with a dot");
    if (hr_folder_look(folder, name, &before)) return fail_taken(name, err);
    hr_status status = hr_csprng_open(&csprng, err);
    if (status) return status;
    hr_csprng_bytes(csprng, id, HR_JOURNAL_ID);
    hr_csprng_close(csprng);
    hr_text_hex(id, HR_JOURNAL_ID, digits);
    const folder_draft draft = draft_of(folder, name, digits);
    status = hr_folder_path(folder, HR_FOLDER_JOBS, path, err);
    if (!status) status = make_folder(path, err);
    if (!status) status = hr_folder_job_path(folder, draft.name, "", path, err);
    if (!status) status = make_folder(path, err);
    if (status) return status;
    status = fill_draft(&draft, files, id, err);
    if (!status) status = open_job(folder, name, id, err);
    if (!status) status = name_draft(&draft, name, err);
    if (!status) return HR_OK;
    remove_draft(&draft);
    if (!hr_folder_open_path(folder, name, id, path, NULL)) (void)unlink(path);
    return status;
}

/* ---- Mending ---- */

/* A job that is being added has an entry before it has its name, and a draft until then. */
static bool is_entry_of_none(const char *folder, const char *entry, folder_draft *draft) {
    const size_t digits = 2 * HR_JOURNAL_ID;
    char path[HR_FOLDER_PATH];
    struct stat made;
    hr_folder_job job;
    if (strlen(entry) <= digits + 1 || strspn(entry, "0123456789abcdef") != digits || entry[digits] != '.')
        return false;
    const char *name = entry + digits + 1;
    *draft = draft_of(folder, name, entry);
    if (!hr_folder_job_path(folder, draft->name, "", path, NULL) && !stat(path, &made) &&
        time(NULL) - made.st_mtime < DRAFT_SECONDS)
        return false;
    if (hr_folder_look(folder, name, &job))
        return hr_folder_open_path(folder, job.name, job.id, path, NULL) ||
               strcmp(strrchr(path, '/') + 1, entry) != 0;
    /* One whose files cannot be read yet may be mended. */
    return hr_folder_job_path(folder, name, "", path, NULL) || (stat(path, &made) && errno == ENOENT);
}

hr_status hr_folder_mend(const char *folder, const hr_log *log, hr_error *err) {
    char path[HR_FOLDER_PATH];
    hr_folder_job *jobs;
    size_t count, opened = 0, removed = 0;
    hr_status status = hr_folder_jobs(folder, &jobs, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        if (jobs[i].ended) continue;
        status = hr_folder_open_path(folder, jobs[i].name, jobs[i].id, path, err);
        if (status || !access(path, F_OK)) continue;
        status = open_job(folder, jobs[i].name, jobs[i].id, err);
        opened += !status;
    }
    free(jobs);
    if (!status) status = hr_folder_path(folder, HR_FOLDER_OPEN, path, err);
    if (status) return status;
    DIR *listing = opendir(path);
    if (!listing) return errno == ENOENT ? HR_OK : hr_folder_fail(path, "read the folder", err);
    folder_draft draft;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (!is_entry_of_none(folder, entry->d_name, &draft)) continue;
        remove_draft(&draft);
        removed += !unlinkat(dirfd(listing), entry->d_name, 0);
    }
    closedir(listing);
    if (opened + removed)
        hr_log_format(log, HR_LOG_INFO, NULL,
                      "'" HR_FOLDER_OPEN "' was mended: %zu jobs were missing in it, %zu entries had no job",
                      opened, removed);
    return HR_OK;
}

hr_status hr_folder_change(const char *folder, const char *name, hr_folder_state to, bool *done,
                           hr_error *err) {
    char before[HR_FOLDER_PATH], after[HR_FOLDER_PATH];
    hr_status status = hr_folder_job_path(folder, name, hr_folder_state_file(HR_FOLDER_QUEUED), before, err);
    if (!status) status = hr_folder_job_path(folder, name, hr_folder_state_file(to), after, err);
    if (status) return status;
    *done = !rename(before, after);
    if (*done)
        hr_file_sync_folder(after);
    else if (errno != ENOENT)
        return hr_folder_fail(before, "rename the file", err);
    return HR_OK;
}

void hr_folder_cancelled(hr_folder_job *job) {
    snprintf(job->end, sizeof job->end, "%s: by the coordinator", hr_job_ending_of(HR_JOB_CANCELLED)->word);
    job->ended = true;
}

hr_status hr_folder_end(const char *folder, const hr_folder_job *job, hr_error *err) {
    char path[HR_FOLDER_PATH], text[HR_STATE_TEXT + 1];
    const int size = snprintf(text, sizeof text, "%s\n", job->end);
    hr_status status = hr_folder_job_path(folder, job->name, HR_FOLDER_ENDED, path, err);
    return status ? status : hr_file_replace(path, "state", FILE_RIGHTS, text, (size_t)size, err);
}

hr_status hr_folder_cancel(const char *folder, const char *job, hr_cancel_info *out, bool *done,
                           hr_error *err) {
    hr_folder_job found;
    hr_status status = hr_folder_find(folder, job, &found, err);
    if (status) return status;
    hr_text_hex(found.id, HR_JOURNAL_ID, out->id);
    if (found.ended) {
        hr_fail(err, HR_E_ARGUMENT, "'hedgerow jobs' shows how it ended", "the job '%s' is over", found.name);
        return hr_fail_at(err, HR_E_ARGUMENT, folder, 0, 0, NULL);
    }
    status = hr_folder_change(folder, found.name, HR_FOLDER_CANCELLED, done, err);
    hr_folder_cancelled(&found);
    if (!status && *done) status = hr_folder_end(folder, &found, err);
    out->ended = out->told = out->unbegun = *done;
    return status;
}
