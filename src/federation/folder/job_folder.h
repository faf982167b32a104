/* The folder of a coordinator that serves: its file, its journal, and a folder of each job that was
 * submitted.
 *
 *     FOLDER/coordinator.yaml, FOLDER/journal.db
 *     FOLDER/open/ID.NAME      empty; of each job whose end the coordinator has not seen, and, until it is
 *                              started again, maybe of some that never appeared or were removed
 *     FOLDER/jobs/NAME/job.yaml, schema.yaml, evaluated.json   what was submitted, copied
 *                      queued, started or cancelled            one of the three; it holds the job's id
 *                      log, model.json (figures.json, bounds.yaml), ended
 *
 * A job's folder appears under its name when it is complete. The file `queued` is renamed: to `started` by
 * the coordinator before the job is in its journal, or to `cancelled` by a person before that. One of the two
 * succeeds. The journal knows the job by the id, so that a job is offered once, whenever a process dies.
 * `ended` is written when the result is there. The coordinator looks at the jobs of `open` alone, but once
 * when it is started, so that what it costs to serve does not grow with the jobs that ended. */
#ifndef HR_FEDERATION_FOLDER_JOB_FOLDER_H
#define HR_FEDERATION_FOLDER_JOB_FOLDER_H

#include "federation/config/job_file.h"
#include "federation/federated/party_work.h"

#include <hedgerow/jobs.h>

typedef enum hr_folder_state { HR_FOLDER_QUEUED, HR_FOLDER_STARTED, HR_FOLDER_CANCELLED } hr_folder_state;

enum { HR_FOLDER_PATH = 4096 };
#define HR_FOLDER_FILE "coordinator.yaml"
#define HR_FOLDER_JOURNAL "journal.db"
#define HR_FOLDER_JOBS "jobs"
#define HR_FOLDER_OPEN "open"
/* In the folder of a job. */
#define HR_FOLDER_JOB "job.yaml"
#define HR_FOLDER_SCHEMA "schema.yaml"
#define HR_FOLDER_EVALUATED "evaluated.json"
#define HR_FOLDER_ENDED "ended"

/* The name of the file in which a job in that state has its id. A literal. */
const char *hr_folder_state_file(hr_folder_state state);

/* A job in the folder. */
typedef struct hr_folder_job {
    char name[HR_JOB_NAME_TEXT];
    uint8_t id[HR_JOURNAL_ID];
    hr_folder_state state;
    int64_t submitted, nanoseconds; /* seconds since 1970 began, and what is to be added */
    bool ended;
    char end[HR_STATE_TEXT]; /* of a job that ended: "WORD" or "WORD: detail" (hr_ending_by_state) */
} hr_folder_job;

/* FOLDER/FILE. Fails: LIMIT (too long). */
HR_MUST_CHECK hr_status hr_folder_path(const char *folder, const char *file, char out[HR_FOLDER_PATH],
                                       hr_error *err);
/* FOLDER/open/ID.NAME. Fails: LIMIT (too long). */
HR_MUST_CHECK hr_status hr_folder_open_path(const char *folder, const char *name,
                                            const uint8_t id[HR_JOURNAL_ID], char out[HR_FOLDER_PATH],
                                            hr_error *err);
/* FOLDER/jobs/NAME/FILE. Fails: LIMIT (too long). */
HR_MUST_CHECK hr_status hr_folder_job_path(const char *folder, const char *name, const char *file,
                                           char out[HR_FOLDER_PATH], hr_error *err);

/* False: there is no job of this name. */
bool hr_folder_look(const char *folder, const char *name, hr_folder_job *out);

/* All jobs, in the order in which they were submitted. A folder that holds no job is left out. Owner: the
 * caller frees *out. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_folder_jobs(const char *folder, hr_folder_job **out, size_t *count, hr_error *err);

/* As hr_folder_jobs, of the jobs in `open` alone. */
HR_MUST_CHECK hr_status hr_folder_open_jobs(const char *folder, hr_folder_job **out, size_t *count,
                                            hr_error *err);

/* The job with this name, or whose id begins with these digits. Fails: ARGUMENT (none, or several), IO,
 * MEMORY.
 */
HR_MUST_CHECK hr_status hr_folder_find(const char *folder, const char *text, hr_folder_job *out,
                                       hr_error *err);

/* Shows the jobs, in the order in which they were submitted, until `visit` returns false. Fails: IO, FORMAT
 * (the journal), MEMORY. */
HR_MUST_CHECK hr_status hr_folder_each(const char *folder, const char *coordinator,
                                       bool (*visit)(void *user, const hr_job_info *job), void *user,
                                       hr_error *err);

/* The same, of those that are queued or about to begin. */
HR_MUST_CHECK hr_status hr_folder_each_unbegun(const char *folder, const char *coordinator,
                                               bool (*visit)(void *user, const hr_job_info *job), void *user,
                                               hr_error *err);

/* What is copied into the folder of a new job. */
typedef struct hr_folder_files {
    const char *job, *schema; /* paths */
    const char *evaluated;    /* path of the model file of an evaluation; NULL: none */
} hr_folder_files;

/* Adds a job with a new id. Fails: ARGUMENT (there is one of this name), IO, MEMORY: nothing was added. */
HR_MUST_CHECK hr_status hr_folder_add(const char *folder, const char *name, const hr_folder_files *files,
                                      uint8_t id[HR_JOURNAL_ID], hr_error *err);

/* Makes `open` fit the jobs, when a coordinator begins to serve: jobs without an entry, as earlier versions
 * left them, get one, unless they ended; entries whose job never appeared or was removed go, with what was
 * copied for it. A job that is being added stays. Logs how many. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_folder_mend(const char *folder, const hr_log *log, hr_error *err);

/* Changes the state of a queued job. *done: it was queued until now. Fails: IO. */
HR_MUST_CHECK hr_status hr_folder_change(const char *folder, const char *name, hr_folder_state to, bool *done,
                                         hr_error *err);

/* Cancels the queued job that `job` names. *done: it was queued, and out->ended, told and unbegun are set;
 * out->id is, in either case. Fails: as hr_folder_find; ARGUMENT (it is over). */
HR_MUST_CHECK hr_status hr_folder_cancel(const char *folder, const char *job, hr_cancel_info *out, bool *done,
                                         hr_error *err);

/* Sets the end of a job that a person cancelled before it was begun. */
void hr_folder_cancelled(hr_folder_job *job);

/* Writes how the job ended: `end` of *job. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_folder_end(const char *folder, const hr_folder_job *job, hr_error *err);

/* Takes the job out of `open`: its end is known. Fails: IO. */
HR_MUST_CHECK hr_status hr_folder_close(const char *folder, const hr_folder_job *job, hr_error *err);

/* Reads the copies: the job file, whose schema and model are those of the folder. Owner: *out lives in the
 * arena. Fails: as hr_job_file_read. */
HR_MUST_CHECK hr_status hr_folder_read(const char *folder, const char *name, hr_arena *arena,
                                       hr_job_file *out, hr_error *err);

/* The name of the file of a job's result in its folder. A literal. */
const char *hr_folder_result(const hr_job_file *job);

/* What the system refused (errno) to do with the file. Returns IO. */
hr_status hr_folder_fail(const char *path, const char *what, hr_error *err);

#endif
