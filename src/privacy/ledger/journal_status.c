#include "privacy/ledger/journal_status.h"

#include "base/fail.h"
#include "base/text/text.h"
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal_layout.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PARTS_MAX = 256, PATH_ROOM = 4096 };

/* ---- Writing ---- */

/* Statements in the words of sqlite3_mprintf, which quotes texts. */
static hr_status run_printed(sqlite3 *db, hr_error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    hr_status status = sql ? hr_store_run(db, sql, err) : hr_fail_memory(err);
    sqlite3_free(sql);
    return status;
}

hr_status hr_journal_note_run(hr_journal *journal, const hr_journal_run *run, hr_error *err) {
    return run_printed(
        hr_journal_file(journal), err,
        "INSERT OR REPLACE INTO runs (only, process, begun, seen, contact, reconnects, connected)"
        " VALUES (1, %lld, %lld, %lld, %lld, %lld, %d)",
        (long long)run->process, (long long)run->begun, (long long)run->seen, (long long)run->contact,
        (long long)run->reconnects, run->connected);
}

hr_status hr_journal_note_progress(hr_journal *journal, const uint8_t *id, const hr_journal_progress *p,
                                   hr_error *err) {
    char job[HR_JOURNAL_ID_TEXT];
    sqlite3 *db = hr_journal_file(journal);
    hr_text_hex(id, HR_JOURNAL_ID, job);
    hr_status status = run_printed(
        db, err,
        "INSERT INTO progress (job, round, rounds, step, unit, until) VALUES (x'%s', %lld, %lld, %lld, %Q, "
        "%lld)"
        " ON CONFLICT (job) DO UPDATE SET round = iif(excluded.round, excluded.round, round),"
        " rounds = iif(excluded.rounds, excluded.rounds, rounds),"
        " step = iif(excluded.step, excluded.step, step), unit = excluded.unit, until = excluded.until",
        job, (long long)p->round, (long long)p->rounds, (long long)p->step, p->unit, (long long)p->until);
    if (!status) status = run_printed(db, err, "DELETE FROM parts WHERE job = x'%s'", job);
    for (size_t i = 0; !status && i < p->part_count; i++) {
        const hr_journal_part *part = &p->parts[i];
        status = run_printed(db, err,
                             "INSERT INTO parts (job, member, part, trees, skipped, awaited, reason)"
                             " VALUES (x'%s', %Q, %Q, %lld, %lld, %d, %Q)",
                             job, part->member, part->part, (long long)part->trees, (long long)part->skipped,
                             part->awaited, part->reason);
    }
    return status;
}

/* ---- Reading ---- */

static const char *text_in(sqlite3_stmt *row, int column) {
    const unsigned char *text = sqlite3_column_text(row, column);
    return text ? (const char *)text : "";
}

static size_t size_in(sqlite3_stmt *row, int column) {
    const int64_t number = sqlite3_column_int64(row, column);
    return number > 0 ? (size_t)number : 0;
}

/* The rows' texts are SQLite's until the statement goes on: names and reasons are copied. */
typedef struct part_texts {
    char member[64], part[32], reason[256];
} part_texts;

static hr_status read_parts(sqlite3 *db, const char *job, part_texts *texts, hr_journal_part *parts,
                            size_t *count, hr_error *err) {
    sqlite3_stmt *row = NULL;
    char sql[200];
    snprintf(
        sql, sizeof sql,
        "SELECT member, part, trees, skipped, awaited, reason FROM parts WHERE job = x'%s' ORDER BY rowid",
        job);
    int step = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? SQLITE_ERROR : SQLITE_ROW;
    *count = 0;
    while (step == SQLITE_ROW && (step = sqlite3_step(row)) == SQLITE_ROW && *count < PARTS_MAX) {
        part_texts *t = &texts[*count];
        snprintf(t->member, sizeof t->member, "%s", text_in(row, 0));
        snprintf(t->part, sizeof t->part, "%s", text_in(row, 1));
        snprintf(t->reason, sizeof t->reason, "%s", text_in(row, 5));
        parts[(*count)++] = (hr_journal_part){.member = t->member,
                                              .part = t->part,
                                              .trees = size_in(row, 2),
                                              .skipped = size_in(row, 3),
                                              .awaited = sqlite3_column_int(row, 4) != 0,
                                              .reason = t->reason};
    }
    hr_status status = step == SQLITE_DONE || step == SQLITE_ROW ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}

static hr_status show_job(sqlite3 *db, sqlite3_stmt *row, const hr_journal_viewer *viewer, hr_error *err) {
    part_texts texts[PARTS_MAX];
    hr_journal_part parts[PARTS_MAX];
    hr_journal_item item = {.name = text_in(row, 1),
                            .coordinator = text_in(row, 2),
                            .state = text_in(row, 3),
                            .awaits = text_in(row, 4),
                            .since = text_in(row, 5),
                            .charged = "",
                            .epsilon = sqlite3_column_double(row, 6),
                            .cancelled = sqlite3_column_int(row, 7) != 0};
    hr_journal_progress progress = {.round = size_in(row, 8),
                                    .rounds = size_in(row, 9),
                                    .step = size_in(row, 10),
                                    .unit = text_in(row, 11),
                                    .until = sqlite3_column_int64(row, 12),
                                    .parts = parts};
    snprintf(item.id, sizeof item.id, "%s", text_in(row, 0));
    hr_status status = read_parts(db, item.id, texts, parts, &progress.part_count, err);
    return status ? status : viewer->visit_job(viewer->user, &item, &progress);
}

static hr_status show_open_jobs(sqlite3 *db, const hr_journal_viewer *viewer, hr_error *err) {
    static const char sql[] = "SELECT lower(hex(jobs.id)), name, coordinator, state, awaits, time, epsilon, "
                              "cancelled, round, rounds, step,"
                              " unit, until FROM jobs LEFT JOIN notes ON notes.job = jobs.id LEFT JOIN "
                              "progress ON progress.job = jobs.id"
                              " WHERE NOT over ORDER BY jobs.rowid";
    sqlite3_stmt *row = NULL;
    hr_status status = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? hr_store_fail(db, err) : HR_OK;
    int step = SQLITE_DONE;
    while (!status && (step = sqlite3_step(row)) == SQLITE_ROW) status = show_job(db, row, viewer, err);
    if (!status && step != SQLITE_DONE) status = hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}

/* A journal that no process of this version has worked from has no tables to look at. */
static hr_status look_into(sqlite3 *db, hr_journal_view *view, const hr_journal_viewer *viewer,
                           hr_error *err) {
    int64_t tables = 0, ledger = 0, open = 0, packets = 0;
    hr_journal_presence_list presence = {.count = 0};
    hr_status status = hr_store_run(db, "PRAGMA query_only = 1; BEGIN", err);
    if (!status)
        status =
            hr_store_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'progress'", &tables, err);
    if (!status)
        status =
            hr_store_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'limits'", &ledger, err);
    if (!status && tables) status = hr_journal_run_of(db, view, err);
    if (!status) status = hr_journal_presence_of(db, &presence, err);
    if (!status && tables) status = hr_journal_last_of(db, &view->last, err);
    if (!status && tables)
        status = hr_store_number(db, "SELECT count(*) FROM jobs WHERE NOT over", &open, err);
    if (!status && tables) status = hr_store_number(db, "SELECT count(*) FROM packets", &packets, err);
    view->open = (uint64_t)open;
    view->packets = (uint64_t)packets;
    view->has_ledger = ledger > 0;
    view->presence = presence.members;
    view->presence_count = presence.count;
    if (!status && ledger) status = hr_ledger_sum_within(db, &view->total, err);
    if (!status) status = viewer->visit_view(viewer->user, view);
    return status || !tables ? status : show_open_jobs(db, viewer, err);
}

hr_status hr_journal_look(const char *path, const hr_journal_viewer *viewer, hr_error *err) {
    char log[PATH_ROOM];
    hr_journal_view view = {0};
    sqlite3 *db = NULL;
    if (access(path, F_OK)) return viewer->visit_view(viewer->user, &view);
    hr_status status = hr_file_lock_look(path, &view.running, err);
    if (!status) status = hr_store_connect(path, &db, err);
    /* What SQLite wrote to a log before stays there: copying it is for those who write. A log that is made
     * by looking goes away with it. */
    snprintf(log, sizeof log, "%s-wal", path);
    if (!status && !access(log, F_OK)) sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (!status) status = look_into(db, &view, viewer, err);
    sqlite3_close(db);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}
