#include "privacy/ledger/journal_list.h"

#include "base/fail.h"
#include "base/text/text.h"
#include "privacy/ledger/journal_layout.h"
#include "privacy/ledger/store.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static hr_status open_file(const char *path, sqlite3 **out, hr_error *err) {
    if (access(path, F_OK))
        return hr_fail(err, HR_E_IO, "check the path; it is made when the first job begins",
                       "there is no such ledger or journal");
    hr_status status = hr_store_connect(path, out, err);
    return status ? status : hr_store_guard(*out, err);
}

static hr_status has_table(sqlite3 *db, const char *name, bool *out, hr_error *err) {
    char sql[100];
    int64_t count = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM sqlite_schema WHERE name = '%s'", name);
    hr_status status = hr_store_number(db, sql, &count, err);
    *out = count > 0;
    return status;
}

static const char *text_at(sqlite3_stmt *row, int column) {
    const unsigned char *text = sqlite3_column_text(row, column);
    return text ? (const char *)text : "";
}

#define COLUMNS                                                                                              \
    "SELECT lower(hex(jobs.id)), name, coordinator, notes.state, awaits, jobs.time, epsilon, over, "         \
    "cancelled, (SELECT group_concat(receiver, ', ') FROM (SELECT DISTINCT receiver FROM packets "           \
    "WHERE job = jobs.id ORDER BY receiver)), ifnull(jobs.entry, 0), "
#define JOBS " FROM jobs LEFT JOIN notes ON notes.job = jobs.id"

static hr_status show_items(sqlite3 *db, bool charged,
                            hr_status (*visit)(void *user, const hr_journal_item *item), void *user,
                            hr_error *err) {
    const char *sql = charged ? COLUMNS "entries.state" JOBS
                                        " LEFT JOIN entries ON entries.id = jobs.entry ORDER BY jobs.rowid"
                              : COLUMNS "''" JOBS " ORDER BY jobs.rowid";
    sqlite3_stmt *row = NULL;
    hr_status status = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? hr_store_fail(db, err) : HR_OK;
    int step = SQLITE_DONE;
    while (!status && (step = sqlite3_step(row)) == SQLITE_ROW) {
        hr_journal_item item = {.name = text_at(row, 1),
                                .coordinator = text_at(row, 2),
                                .state = text_at(row, 3),
                                .awaits = text_at(row, 4),
                                .since = text_at(row, 5),
                                .epsilon = sqlite3_column_double(row, 6),
                                .over = sqlite3_column_int(row, 7) != 0,
                                .cancelled = sqlite3_column_int(row, 8) != 0,
                                .unconfirmed = text_at(row, 9),
                                .entry = sqlite3_column_int64(row, 10),
                                .charged = text_at(row, 11)};
        snprintf(item.id, sizeof item.id, "%s", text_at(row, 0));
        status = visit(user, &item);
    }
    if (!status && step != SQLITE_DONE) status = hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}

hr_status hr_journal_list_within(sqlite3 *db, hr_status (*visit)(void *user, const hr_journal_item *item),
                                 void *user, hr_error *err) {
    bool jobs = false, notes = false, entries = false;
    hr_status status = has_table(db, "jobs", &jobs, err);
    if (!status) status = has_table(db, "notes", &notes, err);
    if (!status) status = has_table(db, "entries", &entries, err);
    return status || !jobs || !notes ? status : show_items(db, entries, visit, user, err);
}

hr_status hr_journal_list(const char *path, hr_status (*visit)(void *user, const hr_journal_item *item),
                          void *user, hr_error *err) {
    sqlite3 *db = NULL;
    hr_status status = open_file(path, &db, err);
    if (!status) status = hr_journal_list_within(db, visit, user, err);
    sqlite3_close(db);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

/* ---- By name ---- */

enum { CANDIDATES = 160, SHOWN = 24 /* bytes of a name */ };

/* The jobs that a text names, open ones apart from those that are over. */
typedef struct name_search {
    const char *text;
    size_t open, over;
    hr_journal_named last_open, last_over;
    char candidates[CANDIDATES]; /* open ones: "3f9a12cd (study), 77aa00ff (study)" */
} name_search;

static hr_status match_name(void *user, const hr_journal_item *item) {
    name_search *s = user;
    if (strncasecmp(item->id, s->text, strlen(s->text)) != 0 && strcmp(item->name, s->text) != 0)
        return HR_OK;
    hr_journal_named *found = item->over ? &s->last_over : &s->last_open;
    found->over = item->over;
    memcpy(found->id, item->id, sizeof found->id);
    ++*(item->over ? &s->over : &s->open);
    if (item->over) return HR_OK;
    char name[SHOWN];
    size_t used = strlen(s->candidates);
    hr_text_show(item->name, name, sizeof name);
    snprintf(s->candidates + used, sizeof s->candidates - used, "%s%.8s (%s)", used ? ", " : "", item->id,
             name);
    return HR_OK;
}

static hr_status choose_named(const name_search *s, hr_journal_named *out, hr_error *err) {
    if (s->open > 1)
        return hr_fail(err, HR_E_ARGUMENT, "give more digits of one id", "several open jobs are '%.32s': %s",
                       s->text, s->candidates);
    if (!s->open && s->over != 1)
        return hr_fail(err, HR_E_ARGUMENT, "'hedgerow jobs' lists the jobs",
                       "no open job has the name '%.32s', or an id that begins so", s->text);
    *out = s->open ? s->last_open : s->last_over;
    return HR_OK;
}

typedef hr_status on_named(sqlite3 *db, const hr_journal_named *job, hr_error *err);

/* Under the writer's lock: a process that has just logged a job may not have written it yet. */
static hr_status name_job(const char *path, const char *text, on_named *change, hr_journal_named *out,
                          hr_error *err) {
    sqlite3 *db = NULL;
    name_search s = {.text = text};
    hr_status status = open_file(path, &db, err);
    if (!status) status = hr_store_run(db, "BEGIN IMMEDIATE", err);
    if (!status && *text) status = hr_journal_list_within(db, match_name, &s, err);
    if (!status) status = choose_named(&s, out, err);
    if (!status) status = change(db, out, err);
    if (!status) status = hr_store_run(db, "COMMIT", err);
    sqlite3_close(db);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

static hr_status leave_named(sqlite3 *db, const hr_journal_named *job, hr_error *err) {
    (void)db, (void)job, (void)err;
    return HR_OK;
}

hr_status hr_journal_find(const char *path, const char *text, hr_journal_named *out, hr_error *err) {
    return name_job(path, text, leave_named, out, err);
}

static hr_status mark_cancelled(sqlite3 *db, const hr_journal_named *job, hr_error *err) {
    char sql[200];
    if (job->over)
        return hr_fail(err, HR_E_ARGUMENT, "'hedgerow jobs' lists the jobs", "the job %.8s is over", job->id);
    snprintf(sql, sizeof sql,
             "INSERT INTO notes (job, cancelled) VALUES (x'%s', 1)"
             " ON CONFLICT (job) DO UPDATE SET cancelled = 1",
             job->id);
    return hr_store_run(db, sql, err);
}

hr_status hr_journal_cancel(const char *path, const char *text, hr_journal_named *out, hr_error *err) {
    return name_job(path, text, mark_cancelled, out, err);
}
