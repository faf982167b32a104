/* hedgerow jobs log, jobs fetch: jobs of a coordinator that serves. */
#include "commands.h"
#include "keep.h"
#include "output.h"
#include "places.h"
#include "together.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { LOOK = 200 * 1000 * 1000 /* nanoseconds */, CHUNK = 65536 };

typedef struct folder_args {
    const char *folder, *job, *output;
    bool follow;
} folder_args;

#define AT(field) offsetof(folder_args, field)
#define FOLDER_OPERANDS                                                                                      \
    {"FOLDER", 0, ARG_OPERAND, true, AT(folder), NULL, "the folder of the coordinator that serves"}, {       \
        "JOB", 0, ARG_OPERAND, true, AT(job), NULL, JOB_HELP                                                 \
    }

/* ---- jobs log ---- */

static const arg_option log_options[] = {
    FOLDER_OPERANDS,
    {"follow", 'f', ARG_FLAG, false, AT(follow), NULL, "go on until the job ends"},
};

/* What has come to the end of the file. */
static void print_rest(FILE *log) {
    char chunk[CHUNK];
    size_t got;
    clearerr(log);
    while ((got = fread(chunk, 1, sizeof chunk, log)) > 0) fwrite(chunk, 1, got, stdout);
    fflush(stdout);
}

/* The end is in the folder before the last line is in the log: one more look after it. */
static int run_log(const command *self, int argc, char **argv) {
    folder_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_job_record job;
    FILE *log = NULL;
    bool ended = false;
    hr_status status;
    do {
        status = hr_job_find(args.folder, args.job, &job, &err);
        if (status != HR_OK) break;
        if (log == NULL) log = fopen(job.log, "rb");
        if (log == NULL && errno != ENOENT)
            status = fail_io(&err, job.log, "cannot be read", "check its permissions");
        if (log != NULL) print_rest(log);
        if (!args.follow || ended) break;
        ended = job.ending != HR_JOB_OPEN;
        nanosleep(&(struct timespec){.tv_nsec = LOOK}, NULL);
    } while (status == HR_OK);
    if (log != NULL) fclose(log);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command jobs_log_command = {
    .name = "jobs log",
    .summary = "print the log of a job of a coordinator that serves",
    .details = "Each line has its time in UTC and its level. A job that waits has none yet.",
    .example = "  hedgerow jobs log coordinator study --follow",
    .options = log_options,
    .option_count = COUNT_OF(log_options),
    .run = run_log,
};

/* ---- jobs fetch ---- */

static const arg_option fetch_options[] = {
    FOLDER_OPERANDS,
    {"output", 'o', ARG_TEXT, true, AT(output), "FILE",
     "where the result goes, a model, figures or a schema; it must not exist; - is standard output"},
};

/* *bytes is the caller's. */
static hr_status read_whole(const char *path, char **bytes, size_t *size, hr_error *err) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return fail_io(err, path, "cannot be read", "check its permissions");
    size_t room = 0, got = 1;
    *size = 0;
    hr_status status = HR_OK;
    while (status == HR_OK && got > 0) {
        if (*size == room) {
            room = 2 * room + CHUNK;
            char *larger = realloc(*bytes, room);
            if (larger == NULL) {
                status = fail_memory(err);
                break;
            }
            *bytes = larger;
        }
        got = fread(*bytes + *size, 1, room - *size, file);
        *size += got;
    }
    if (status == HR_OK && ferror(file) != 0)
        status = fail_io(err, path, "cannot be read", "check its permissions");
    fclose(file);
    return status;
}

/* A model that tells of records without noise is for the eyes of its owner alone, also here. */
static hr_status fetch(const hr_job_record *job, const char *path, hr_error *err) {
    if (job->makes == HR_JOB_MODEL) {
        hr_model *model = NULL;
        hr_status status = hr_model_read(job->result, &model, err);
        if (status == HR_OK) status = model_write(model, path, OUTPUT_NEW, err);
        hr_model_free(model);
        return status;
    }
    char *bytes = NULL;
    size_t size = 0;
    hr_status status = read_whole(job->result, &bytes, &size, err);
    if (status == HR_OK) status = output_write(output_open_public, path, OUTPUT_NEW, bytes, size, err);
    free(bytes);
    return status;
}

static int run_fetch(const command *self, int argc, char **argv) {
    folder_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_job_record job;
    if (hr_job_find(args.folder, args.job, &job, &err) != HR_OK) return report_error(self->name, &err);
    if (job.ending == HR_JOB_OPEN && *job.state == '\0') {
        err = (hr_error){.status = HR_E_JOB};
        snprintf(err.message, sizeof err.message, "the job %s has not ended", job.name);
        snprintf(err.remedy, sizeof err.remedy, "'hedgerow jobs log --follow' waits for its end");
        return report_error(self->name, &err);
    }
    if (job.ending != HR_JOB_DONE) {
        err = (hr_error){.status = HR_E_JOB};
        snprintf(err.message, sizeof err.message, "the job %s has no result: %.250s", job.name, job.state);
        snprintf(err.remedy, sizeof err.remedy, "'hedgerow jobs log' shows why");
        report_error(self->name, &err);
        return job.ending == HR_JOB_OPEN ? EXIT_FAILED : hr_job_ending_of(job.ending)->exit_code;
    }
    if (fetch(&job, args.output, &err) != HR_OK) return report_error(self->name, &err);
    return together_warn_suspect(*job.suspect == '\0' ? NULL : job.suspect);
}

const command jobs_fetch_command = {
    .name = "jobs fetch",
    .summary = "copy the result of a job of a coordinator that serves",
    .details = "The exit code is that of 'hedgerow coordinate' for a job that ended so: see there.",
    .example = "  hedgerow jobs fetch coordinator study -o model.json",
    .options = fetch_options,
    .option_count = COUNT_OF(fetch_options),
    .run = run_fetch,
};
