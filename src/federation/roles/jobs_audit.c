/* What an owner's ledger was charged for, job by job. Entries and jobs are read at one moment, whether or not
 * a process serves the owner. */
#include "base/fail.h"
#include "federation/config/owner_file.h"
#include "federation/protocol/ending.h"
#include "privacy/ledger/journal_layout.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"

#include <hedgerow/jobs.h>
#include <string.h>

/* A job, with copies of its texts. */
typedef struct audited_job {
    struct audited_job *next;
    hr_job_info info;
    int64_t entry;
    bool shown;
} audited_job;

typedef struct jobs_audit {
    hr_arena *arena;
    audited_job *first, **last; /* oldest first */
    bool (*visit)(void *user, const hr_job_charge *charge);
    void *user;
    bool stopped;
} jobs_audit;

static hr_status copy_job(void *user, const hr_journal_item *item) {
    jobs_audit *a = user;
    const char *const texts[] = {item->id,     item->name,  item->coordinator, item->state,
                                 item->awaits, item->since, item->charged};
    enum { TEXTS = sizeof texts / sizeof *texts };
    const char *copies[TEXTS];
    audited_job *job = hr_arena_alloc(a->arena, 1, sizeof *job);
    if (!job) return HR_E_MEMORY;
    for (size_t i = 0; i < TEXTS; i++) {
        copies[i] = hr_arena_text(a->arena, texts[i], strlen(texts[i]));
        if (!copies[i]) return HR_E_MEMORY;
    }
    *job = (audited_job){.info = {.id = copies[0],
                                  .name = copies[1],
                                  .coordinator = copies[2],
                                  .state = copies[3],
                                  .awaits = copies[4],
                                  .since = copies[5],
                                  .charged = copies[6],
                                  .epsilon = item->epsilon,
                                  .open = !item->over,
                                  .cancelled = item->cancelled,
                                  .ending = item->over ? hr_ending_by_state(item->state) : HR_JOB_OPEN},
                         .entry = item->entry};
    *a->last = job;
    a->last = &job->next;
    return HR_OK;
}

/* With its job, if the journal still holds it. */
static bool show_entry(void *user, const hr_ledger_entry *entry) {
    jobs_audit *a = user;
    audited_job *job = a->first;
    while (job && job->entry != entry->id) job = job->next;
    if (job) job->shown = true;
    const hr_job_charge charge = {entry, job ? &job->info : NULL};
    a->stopped = !a->visit(a->user, &charge);
    return !a->stopped;
}

static hr_status audit_ledger(jobs_audit *a, hr_ledger *ledger, hr_error *err) {
    sqlite3 *db = hr_ledger_file(ledger);
    hr_status status = hr_store_run(db, "BEGIN", err);
    if (!status) status = hr_journal_list_within(db, copy_job, a, err);
    if (!status) status = hr_ledger_each(ledger, show_entry, a, err);
    for (audited_job *job = a->first; !status && job && !a->stopped; job = job->next) {
        const hr_job_charge charge = {NULL, &job->info};
        if (!job->shown) a->stopped = !a->visit(a->user, &charge);
    }
    return status ? status : hr_store_run(db, "COMMIT", err);
}

hr_status hr_jobs_audit(const char *owner_file, bool (*visit)(void *user, const hr_job_charge *charge),
                        void *user, hr_error *err) {
    hr_owner_file file;
    hr_ledger *ledger = NULL;
    jobs_audit a = {.arena = hr_arena_new(), .visit = visit, .user = user};
    a.last = &a.first;
    hr_status status = a.arena ? hr_owner_file_read(owner_file, a.arena, &file, err) : hr_fail_memory(err);
    if (!status) status = hr_ledger_open(file.ledger, &ledger, err);
    if (!status) status = audit_ledger(&a, ledger, err);
    hr_ledger_close(ledger);
    hr_arena_free(a.arena);
    return status == HR_E_MEMORY ? hr_fail_memory(err) : status;
}
