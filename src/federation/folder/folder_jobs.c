/* The jobs of a folder for people: what the folder has of each, and what the journal adds. */
#include "base/fail.h"
#include "base/text/text.h"
#include "base/text/timestamp.h"
#include "federation/federated/federated_method.h"
#include "federation/folder/job_folder.h"
#include "federation/work/coordinator_work.h"
#include "privacy/ledger/journal_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SINCE = HR_TIMESTAMP_TEXT + 1 };

/* A job of the folder, and what the journal has of it. */
typedef struct listed_job {
    const hr_folder_job *at;
    char id[HR_JOB_ID_TEXT], awaits[32], state[HR_STATE_TEXT], since[SINCE];
    double epsilon;
    bool known, cancelled; /* by the journal */
} listed_job;

typedef struct folder_list {
    const char *folder, *coordinator;
    hr_folder_job *at;
    listed_job *jobs;
    size_t count;
} folder_list;

static hr_status take_item(void *user, const hr_journal_item *item) {
    folder_list *list = user;
    for (size_t i = 0; i < list->count; i++) {
        listed_job *job = &list->jobs[i];
        if (strcmp(job->id, item->id) != 0) continue;
        job->known = true;
        job->cancelled = item->cancelled;
        job->epsilon = item->epsilon;
        snprintf(job->awaits, sizeof job->awaits, "%s", item->awaits);
        snprintf(job->state, sizeof job->state, "%s", item->state);
        snprintf(job->since, sizeof job->since, "%s", item->since);
    }
    return HR_OK;
}

/* Of a job that the journal does not have: yet, or any more. */
static hr_status take_file(const folder_list *list, listed_job *job, hr_error *err) {
    static const char *const states[] = {"queued", "to be begun", "cancelled"}; /* as hr_folder_state */
    hr_job_file file;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_timestamp_text(job->at->submitted, job->since);
    strcat(job->since, "Z");
    snprintf(job->state, sizeof job->state, "%s", states[job->at->state]);
    const hr_status status = hr_folder_read(list->folder, job->at->name, arena, &file, NULL);
    if (!status) job->epsilon = file.options.epsilon;
    hr_arena_free(arena);
    return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
}

static bool show_listed(const folder_list *list, const listed_job *job,
                        bool (*visit)(void *user, const hr_job_info *job), void *user) {
    const char *state = job->at->ended ? job->at->end : job->state;
    const hr_job_info info = {.id = job->id,
                              .name = job->at->name,
                              .coordinator = list->coordinator,
                              .state = state,
                              .awaits = job->at->ended ? "" : job->awaits,
                              .since = job->since,
                              .epsilon = job->epsilon,
                              .charged = "",
                              .open = !job->at->ended,
                              .cancelled = job->cancelled || job->at->state == HR_FOLDER_CANCELLED,
                              .ending = job->at->ended ? hr_ending_by_state(state) : HR_JOB_OPEN};
    return visit(user, &info);
}

/* What the journal and the files have of the jobs that were found. */
static hr_status read_list(folder_list *list, hr_error *err) {
    char journal[HR_FOLDER_PATH];
    hr_status status = hr_folder_path(list->folder, HR_FOLDER_JOURNAL, journal, err);
    if (status) return status;
    list->jobs = calloc(list->count + 1, sizeof *list->jobs);
    if (!list->jobs) return hr_fail_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        list->jobs[i].at = &list->at[i];
        hr_text_hex(list->at[i].id, HR_JOURNAL_ID, list->jobs[i].id);
    }
    if (!access(journal, F_OK)) status = hr_journal_list(journal, take_item, list, err);
    for (size_t i = 0; !status && i < list->count; i++)
        if (!list->jobs[i].known) status = take_file(list, &list->jobs[i], err);
    return status;
}

static void free_list(folder_list *list) {
    free(list->jobs);
    free(list->at);
}

hr_status hr_folder_each(const char *folder, const char *coordinator,
                         bool (*visit)(void *user, const hr_job_info *job), void *user, hr_error *err) {
    folder_list list = {.folder = folder, .coordinator = coordinator};
    hr_status status = hr_folder_jobs(folder, &list.at, &list.count, err);
    if (!status) status = read_list(&list, err);
    for (size_t i = 0; !status && i < list.count; i++)
        if (!show_listed(&list, &list.jobs[i], visit, user)) break;
    free_list(&list);
    return status;
}

hr_status hr_folder_each_unbegun(const char *folder, const char *coordinator,
                                 bool (*visit)(void *user, const hr_job_info *job), void *user,
                                 hr_error *err) {
    folder_list list = {.folder = folder, .coordinator = coordinator};
    hr_status status = hr_folder_open_jobs(folder, &list.at, &list.count, err);
    if (!status) status = read_list(&list, err);
    for (size_t i = 0; !status && i < list.count; i++) {
        const listed_job *job = &list.jobs[i];
        if (!job->known && !job->at->ended && !show_listed(&list, job, visit, user)) break;
    }
    free_list(&list);
    return status;
}

/* A job file that cannot be read has no result: it names a model's, which is not there. */
static hr_status find_paths(const char *folder, const char *name, hr_job_record *out, hr_error *err) {
    hr_job_file file = {0};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_folder_read(folder, name, arena, &file, NULL) : HR_E_MEMORY;
    if (status) file = (hr_job_file){0};
    status =
        status == HR_E_MEMORY ? hr_fail_memory(err) : hr_folder_job_path(folder, name, "log", out->log, err);
    if (!status) status = hr_folder_job_path(folder, name, hr_folder_result(&file), out->result, err);
    out->makes = hr_job_file_makes(&file);
    hr_arena_free(arena);
    return status;
}

hr_status hr_job_find(const char *folder, const char *job, hr_job_record *out, hr_error *err) {
    hr_folder_job found;
    *out = (hr_job_record){0};
    hr_status status = hr_folder_find(folder, job, &found, err);
    if (!status) status = find_paths(folder, found.name, out, err);
    if (status) return status;
    snprintf(out->name, sizeof out->name, "%s", found.name);
    snprintf(out->state, sizeof out->state, "%s", found.end);
    out->ending = found.ended ? hr_ending_by_state(found.end) : HR_JOB_OPEN;
    if (out->ending != HR_JOB_DONE || out->makes != HR_JOB_MODEL) return HR_OK;
    hr_model *model = NULL;
    status = hr_model_read(out->result, &model, err);
    const char *suspect = status ? NULL : hr_model_suspect(model);
    if (suspect) snprintf(out->suspect, sizeof out->suspect, "%s", suspect);
    hr_model_free(model);
    return status;
}
