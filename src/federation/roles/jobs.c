/* The jobs of an owner or a coordinator, by the file that names its ledger or journal. */
#include "base/fail.h"
#include "federation/roles/member_files.h"
#include "privacy/ledger/journal_list.h"

#include <hedgerow/federation.h>

/* What is done with the journal that a file names. */
typedef struct job_visit {
    bool (*visit)(void *user, const hr_job_info *job);
    void *user;
    bool stopped;
} job_visit;

static hr_status show(void *user, const hr_journal_item *item) {
    job_visit *v = user;
    if (v->stopped) return HR_OK;
    const hr_job_info info = {.id = item->id,
                              .name = item->name,
                              .coordinator = item->coordinator,
                              .state = item->state,
                              .awaits = item->awaits,
                              .since = item->since,
                              .epsilon = item->epsilon,
                              .charged = item->charged,
                              .open = !item->over,
                              .cancelled = item->cancelled};
    v->stopped = !v->visit(v->user, &info);
    return HR_OK;
}

hr_status hr_jobs_each(const char *file, bool (*visit)(void *user, const hr_job_info *job), void *user,
                       hr_error *err) {
    hr_member_files files;
    job_visit v = {visit, user, false};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_member_files_read(file, arena, &files, err) : hr_fail_memory(err);
    if (!status) status = hr_journal_list(files.journal, show, &v, err);
    hr_arena_free(arena);
    return status;
}
