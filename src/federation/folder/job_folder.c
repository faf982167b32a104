#define _XOPEN_SOURCE 700 /* st_mtim */

#include "federation/folder/job_folder.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text/text.h"
#include "federation/federated/federated_method.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 3, STATES = HR_FOLDER_CANCELLED + 1, CANDIDATES = 160 };

const char *hr_folder_state_file(hr_folder_state state) {
    static const char *const files[STATES] = {"queued", "started", "cancelled"};
    return files[state];
}

hr_status hr_folder_fail(const char *path, const char *what, hr_error *err) {
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
    return check_length(snprintf(out, HR_FOLDER_PATH, "%s/%s/%s/%s", folder, HR_FOLDER_JOBS, name, file),
                        err);
}

hr_status hr_folder_open_path(const char *folder, const char *name, const uint8_t id[HR_JOURNAL_ID],
                              char out[HR_FOLDER_PATH], hr_error *err) {
    char text[HR_JOB_ID_TEXT];
    hr_text_hex(id, HR_JOURNAL_ID, text);
    return check_length(snprintf(out, HR_FOLDER_PATH, "%s/%s/%s.%s", folder, HR_FOLDER_OPEN, text, name),
                        err);
}

const char *hr_folder_result(const hr_job_file *job) {
    static const char *const names[] = {
        [HR_JOB_MODEL] = "model.json", [HR_JOB_FIGURES] = "figures.json", [HR_JOB_SCHEMA] = "bounds.yaml"};
    return names[hr_job_file_makes(job)];
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
    char path[HR_FOLDER_PATH];
    if (hr_folder_job_path(folder, job->name, HR_FOLDER_ENDED, path, NULL)) return;
    job->ended = read_small(path, job->end, sizeof job->end);
    job->end[strcspn(job->end, "\n")] = '\0';
}

/* Again, if the state changed between two looks. */
bool hr_folder_look(const char *folder, const char *name, hr_folder_job *out) {
    char path[HR_FOLDER_PATH], text[2 * HR_JOURNAL_ID + 2];
    struct stat there;
    unsigned byte;
    *out = (hr_folder_job){0};
    if (!hr_text_is_job_name(hr_data_of(name, strlen(name))) || *name == '.') return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    for (size_t i = 0; i < TRIES * STATES; i++) {
        out->state = (hr_folder_state)(i % STATES);
        if (hr_folder_job_path(folder, name, hr_folder_state_file(out->state), path, NULL)) return false;
        if (stat(path, &there) || !read_small(path, text, sizeof text)) continue;
        if (strspn(text, "0123456789abcdef") != 2 * HR_JOURNAL_ID) continue;
        for (size_t b = 0; b < HR_JOURNAL_ID && sscanf(text + 2 * b, "%2x", &byte) == 1; b++)
            out->id[b] = (uint8_t)byte;
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

/* An entry of `open`: another job may have the folder of that name by now. */
static bool look_at_open(const char *folder, const char *entry, hr_folder_job *out) {
    char id[HR_JOB_ID_TEXT];
    const size_t digits = sizeof id - 1;
    if (strlen(entry) <= digits || entry[digits] != '.') return false;
    if (!hr_folder_look(folder, entry + digits + 1, out)) return false;
    hr_text_hex(out->id, HR_JOURNAL_ID, id);
    return !memcmp(id, entry, digits);
}

typedef bool entry_look(const char *folder, const char *entry, hr_folder_job *out);

static hr_status read_entries(const char *folder, DIR *listing, entry_look *look, hr_folder_job **out,
                              size_t *count, hr_error *err) {
    size_t capacity = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (*count == capacity) {
            capacity = 2 * capacity + 16;
            hr_folder_job *larger = realloc(*out, capacity * sizeof *larger);
            if (!larger) return hr_fail_memory(err);
            *out = larger;
        }
        *count += look(folder, entry->d_name, &(*out)[*count]);
    }
    return HR_OK;
}

static hr_status list_folder(const char *folder, const char *of, entry_look *look, hr_folder_job **out,
                             size_t *count, hr_error *err) {
    char path[HR_FOLDER_PATH];
    *out = NULL;
    *count = 0;
    hr_status status = hr_folder_path(folder, of, path, err);
    if (status) return status;
    DIR *listing = opendir(path);
    if (!listing) return errno == ENOENT ? HR_OK : hr_folder_fail(path, "read the folder", err);
    status = read_entries(folder, listing, look, out, count, err);
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

hr_status hr_folder_jobs(const char *folder, hr_folder_job **out, size_t *count, hr_error *err) {
    return list_folder(folder, HR_FOLDER_JOBS, hr_folder_look, out, count, err);
}

hr_status hr_folder_open_jobs(const char *folder, hr_folder_job **out, size_t *count, hr_error *err) {
    return list_folder(folder, HR_FOLDER_OPEN, look_at_open, out, count, err);
}

hr_status hr_folder_find(const char *folder, const char *text, hr_folder_job *out, hr_error *err) {
    hr_folder_job *jobs;
    char candidates[CANDIDATES] = "", id[HR_JOB_ID_TEXT];
    size_t count, found = 0;
    if (hr_folder_look(folder, text, out)) return HR_OK;
    hr_status status = hr_folder_jobs(folder, &jobs, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        hr_text_hex(jobs[i].id, HR_JOURNAL_ID, id);
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
    hr_status status = hr_folder_job_path(folder, name, HR_FOLDER_JOB, path, err);
    if (!status) status = hr_folder_job_path(folder, name, HR_FOLDER_SCHEMA, schema, err);
    if (!status) status = hr_folder_job_path(folder, name, HR_FOLDER_EVALUATED, evaluated, err);
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
