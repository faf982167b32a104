#define _XOPEN_SOURCE 700 /* st_mtim */

#include "federation/roles/job_folder.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text/text.h"
#include "federation/federated/federated_method.h"
#include "privacy/crypto/csprng.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_RIGHTS = 0666, FOLDER_RIGHTS = 0777, TRIES = 3, CANDIDATES = 160 };

static const char jobs_folder[] = "jobs", job_file[] = "job.yaml", schema_file[] = "schema.yaml",
                  evaluated_file[] = "evaluated.json", ended_file[] = "ended";
static const char *const state_files[] = {"queued", "started", "cancelled"}; /* as hr_folder_state */
enum { STATES = sizeof state_files / sizeof *state_files };

static hr_status fail_errno(hr_error *err, const char *path, const char *what) {
    hr_fail(err, HR_E_IO, "check the path, its permissions and the free space", "cannot %s: %s", what,
            strerror(errno));
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

/* ---- Paths ---- */

static hr_status check_length(int size, hr_error *err) {
    return size < HR_FOLDER_PATH ? HR_OK
                                 : hr_fail(err, HR_E_LIMIT, "use a shorter path", "the path is too long");
}

hr_status hr_folder_path(const char *folder, const char *file, char out[HR_FOLDER_PATH], hr_error *err) {
    return check_length(snprintf(out, HR_FOLDER_PATH, "%s/%s", folder, file), err);
}

hr_status hr_folder_job_path(const char *folder, const char *name, const char *file, char out[HR_FOLDER_PATH],
                             hr_error *err) {
    return check_length(snprintf(out, HR_FOLDER_PATH, "%s/%s/%s/%s", folder, jobs_folder, name, file), err);
}

const char *hr_folder_result(const hr_job_file *job) {
    return job->model ? "figures.json" : job->columns.count ? "bounds.yaml" : "model.json";
}

void hr_folder_id_text(const uint8_t id[HR_JOURNAL_ID], char text[HR_JOB_ID_TEXT]) {
    for (size_t i = 0; i < HR_JOURNAL_ID; i++) snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static bool parse_id(const char *text, uint8_t id[HR_JOURNAL_ID]) {
    unsigned byte;
    if (strlen(text) < 2 * HR_JOURNAL_ID || strspn(text, "0123456789abcdef") < 2 * HR_JOURNAL_ID)
        return false;
    for (size_t i = 0; i < HR_JOURNAL_ID && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
        id[i] = (uint8_t)byte;
    return true;
}

/* ---- Reading ---- */

/* The first line of what begins a file; false: it cannot be read. */
static bool read_small(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t got = fread(text, 1, size - 1, file);
    const bool fine = !ferror(file);
    fclose(file);
    text[got] = '\0';
    return fine;
}

static void read_end(const char *folder, hr_folder_job *job) {
    char path[HR_FOLDER_PATH], text[HR_STATE_TEXT + sizeof job->suspect + 2];
    if (hr_folder_job_path(folder, job->name, ended_file, path, NULL)) return;
    job->ended = read_small(path, text, sizeof text);
    if (!job->ended) return;
    const size_t line = strcspn(text, "\n");
    const char *rest = text[line] ? text + line + 1 : "";
    snprintf(job->end, sizeof job->end, "%.*s", (int)(line < HR_STATE_TEXT ? line : HR_STATE_TEXT - 1), text);
    snprintf(job->suspect, sizeof job->suspect, "%.*s", (int)strcspn(rest, "\n"), rest);
}

/* Again, if the state changed between two looks. False: the folder holds no job. */
static bool read_folder_job(const char *folder, const char *name, hr_folder_job *out) {
    char path[HR_FOLDER_PATH], text[2 * HR_JOURNAL_ID + 2];
    struct stat there;
    *out = (hr_folder_job){0};
    if (!hr_text_is_job_name(hr_data_of(name, strlen(name))) || *name == '.') return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    for (size_t i = 0; i < TRIES * STATES; i++) {
        out->state = (hr_folder_state)(i % STATES);
        if (hr_folder_job_path(folder, name, state_files[out->state], path, NULL)) return false;
        if (stat(path, &there) || !read_small(path, text, sizeof text) || !parse_id(text, out->id)) continue;
        out->submitted = (int64_t)there.st_mtim.tv_sec;
        out->nanoseconds = (int64_t)there.st_mtim.tv_nsec;
        read_end(folder, out);
        return true;
    }
    return false;
}

static int by_submission(const void *a, const void *b) {
    const hr_folder_job *one = a, *other = b;
    if (one->submitted != other->submitted) return one->submitted < other->submitted ? -1 : 1;
    if (one->nanoseconds != other->nanoseconds) return one->nanoseconds < other->nanoseconds ? -1 : 1;
    return strcmp(one->name, other->name);
}

hr_status hr_folder_jobs(const char *folder, hr_folder_job **out, size_t *count, hr_error *err) {
    char path[HR_FOLDER_PATH];
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    hr_status status = hr_folder_path(folder, jobs_folder, path, err);
    if (status) return status;
    DIR *listing = opendir(path);
    if (!listing) return errno == ENOENT ? HR_OK : fail_errno(err, path, "read the folder");
    for (struct dirent *entry; !status && (entry = readdir(listing));) {
        if (*count == capacity) {
            capacity = 2 * capacity + 16;
            hr_folder_job *larger = realloc(*out, capacity * sizeof *larger);
            if (!larger) {
                status = hr_fail_memory(err);
                break;
            }
            *out = larger;
        }
        *count += read_folder_job(folder, entry->d_name, &(*out)[*count]);
    }
    closedir(listing);
    if (status) {
        free(*out);
        *out = NULL;
        *count = 0;
    } else if (*count) {
        qsort(*out, *count, sizeof **out, by_submission);
    }
    return status;
}

hr_status hr_folder_find(const char *folder, const char *text, hr_folder_job *out, hr_error *err) {
    hr_folder_job *jobs;
    char candidates[CANDIDATES] = "", id[HR_JOB_ID_TEXT];
    size_t count, found = 0;
    if (read_folder_job(folder, text, out)) return HR_OK;
    hr_status status = hr_folder_jobs(folder, &jobs, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        hr_folder_id_text(jobs[i].id, id);
        if (!*text || strncasecmp(id, text, strlen(text)) != 0) continue;
        const size_t used = strlen(candidates);
        snprintf(candidates + used, sizeof candidates - used, "%s%.8s (%.24s)", used ? ", " : "", id,
                 jobs[i].name);
        *out = jobs[i];
        found++;
    }
    free(jobs);
    if (status || found == 1) return status;
    if (found)
        hr_fail(err, HR_E_ARGUMENT, "give more digits of one id", "several jobs are '%.32s': %s", text,
                candidates);
    else
        hr_fail(err, HR_E_ARGUMENT, "'hedgerow jobs' with this folder lists the jobs",
                "no job has the name '%.32s', or an id that begins so", text);
    return hr_fail_at(err, HR_E_ARGUMENT, folder, 0, 0, NULL);
}

hr_status hr_folder_read(const char *folder, const char *name, hr_arena *arena, hr_job_file *out,
                         hr_error *err) {
    char path[HR_FOLDER_PATH], schema[HR_FOLDER_PATH], evaluated[HR_FOLDER_PATH];
    hr_status status = hr_folder_job_path(folder, name, job_file, path, err);
    if (!status) status = hr_folder_job_path(folder, name, schema_file, schema, err);
    if (!status) status = hr_folder_job_path(folder, name, evaluated_file, evaluated, err);
    hr_file_text text;
    if (!status) status = hr_fields_load(path, arena, &text, err);
    if (!status) status = hr_job_file_parse(&text, hr_federated_job_rules, arena, out, err);
    if (status) return status;
    out->schema = hr_arena_text(arena, schema, strlen(schema));
    if (!out->schema) return hr_fail_memory(err);
    if (!out->model) return HR_OK;
    out->model = hr_arena_text(arena, evaluated, strlen(evaluated));
    return out->model ? hr_job_file_load_model(out, arena, err) : hr_fail_memory(err);
}

/* ---- Writing ---- */

static hr_status copy_file(const char *from, const char *to, hr_error *err) {
    hr_buffer bytes = {0};
    hr_status status = hr_file_read_path(from, &bytes, err);
    if (!status)
        status = hr_file_create(to, "copy", FILE_RIGHTS, bytes.bytes ? bytes.bytes : "", bytes.size, err);
    hr_buffer_done(&bytes);
    return status;
}

/* A job's folder while it is filled: its name begins with a dot. */
typedef struct folder_draft {
    const char *folder;
    char name[HR_JOB_NAME_TEXT + 32];
} folder_draft;

static hr_status fill_draft(const folder_draft *draft, const hr_folder_files *files,
                            const uint8_t id[HR_JOURNAL_ID], hr_error *err) {
    const char *const from[] = {files->job, files->schema, files->evaluated},
                      *const to[] = {job_file, schema_file, evaluated_file};
    char path[HR_FOLDER_PATH], text[HR_JOB_ID_TEXT + 1];
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < sizeof to / sizeof *to; i++) {
        if (!from[i]) continue;
        status = hr_folder_job_path(draft->folder, draft->name, to[i], path, err);
        if (!status) status = copy_file(from[i], path, err);
    }
    hr_folder_id_text(id, text);
    strcat(text, "\n");
    if (!status) status = hr_folder_job_path(draft->folder, draft->name, state_files[0], path, err);
    return status ? status : hr_file_create(path, "job", FILE_RIGHTS, text, strlen(text), err);
}

static void remove_draft(const folder_draft *draft) {
    static const char *const files[] = {job_file, schema_file, evaluated_file, "queued", ""};
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
    return errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR ? fail_taken(name, err)
                                                                     : fail_errno(err, to, "make the folder");
}

static hr_status make_folder(const char *path, hr_error *err) {
    return !mkdir(path, FOLDER_RIGHTS) || errno == EEXIST ? HR_OK : fail_errno(err, path, "make the folder");
}

hr_status hr_folder_add(const char *folder, const char *name, const hr_folder_files *files,
                        uint8_t id[HR_JOURNAL_ID], hr_error *err) {
    folder_draft draft = {.folder = folder};
    hr_folder_job before;
    char path[HR_FOLDER_PATH];
    hr_csprng *csprng = NULL;
    if (*name == '.')
        return hr_fail(err, HR_E_ARGUMENT, "give another name with --name",
                       "the name of a job in a folder cannot begin with a dot");
    if (read_folder_job(folder, name, &before)) return fail_taken(name, err);
    hr_status status = hr_csprng_open(&csprng, err);
    if (status) return status;
    hr_csprng_bytes(csprng, id, HR_JOURNAL_ID);
    hr_csprng_close(csprng);
    snprintf(draft.name, sizeof draft.name, ".%s.%02x%02x%02x%02x", name, id[0], id[1], id[2], id[3]);
    status = hr_folder_path(folder, jobs_folder, path, err);
    if (!status) status = make_folder(path, err);
    if (!status) status = hr_folder_job_path(folder, draft.name, "", path, err);
    if (!status) status = make_folder(path, err);
    if (status) return status;
    status = fill_draft(&draft, files, id, err);
    if (!status) status = name_draft(&draft, name, err);
    if (status) remove_draft(&draft);
    return status;
}

hr_status hr_folder_change(const char *folder, const char *name, hr_folder_state to, bool *done,
                           hr_error *err) {
    char before[HR_FOLDER_PATH], after[HR_FOLDER_PATH];
    hr_status status = hr_folder_job_path(folder, name, state_files[HR_FOLDER_QUEUED], before, err);
    if (!status) status = hr_folder_job_path(folder, name, state_files[to], after, err);
    if (status) return status;
    *done = !rename(before, after);
    if (*done)
        hr_file_sync_folder(after);
    else if (errno != ENOENT)
        return fail_errno(err, before, "rename the file");
    return HR_OK;
}

void hr_folder_cancelled(hr_folder_job *job) {
    snprintf(job->end, sizeof job->end, "%s: by the coordinator", hr_job_ending_of(HR_JOB_CANCELLED)->word);
    job->ended = true;
}

hr_status hr_folder_end(const char *folder, const hr_folder_job *job, hr_error *err) {
    char path[HR_FOLDER_PATH], text[HR_STATE_TEXT + sizeof job->suspect + 2];
    const int size =
        snprintf(text, sizeof text, "%s\n%s%s", job->end, job->suspect, *job->suspect ? "\n" : "");
    hr_status status = hr_folder_job_path(folder, job->name, ended_file, path, err);
    return status ? status : hr_file_replace(path, "state", FILE_RIGHTS, text, (size_t)size, err);
}
