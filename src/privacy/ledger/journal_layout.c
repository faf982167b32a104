#include "privacy/ledger/journal_layout.h"

#include "base/fail.h"
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/store.h"

#include <stdio.h>

/* Sequences are kept apart from what they number, which is forgotten sooner. */
static const char layout[] = "CREATE TABLE IF NOT EXISTS federations ("
                             "  name TEXT PRIMARY KEY,"
                             "  version INTEGER NOT NULL,"
                             "  fingerprint TEXT NOT NULL"
                             ") STRICT;"
                             "CREATE TABLE IF NOT EXISTS jobs ("
                             "  id BLOB PRIMARY KEY,"
                             "  time TEXT NOT NULL,"
                             "  coordinator TEXT NOT NULL,"
                             "  terms BLOB NOT NULL,"
                             "  key BLOB NOT NULL,"
                             "  entry INTEGER NOT NULL DEFAULT 0,"
                             "  over INTEGER NOT NULL DEFAULT 0"
                             ") STRICT;"
                             "CREATE INDEX IF NOT EXISTS open_jobs ON jobs (over) WHERE over = 0;"
                             "CREATE TABLE IF NOT EXISTS events ("
                             "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
                             "  job BLOB NOT NULL,"
                             "  kind INTEGER NOT NULL,"
                             "  sender TEXT NOT NULL,"
                             "  sequence INTEGER NOT NULL,"
                             "  number INTEGER NOT NULL,"
                             "  bytes BLOB NOT NULL"
                             ") STRICT;"
                             "CREATE INDEX IF NOT EXISTS events_of_job ON events (job);"
                             "CREATE TABLE IF NOT EXISTS parties ("
                             "  job BLOB NOT NULL,"
                             "  name TEXT NOT NULL,"
                             "  last_taken INTEGER NOT NULL DEFAULT 0,"
                             "  last_posted INTEGER NOT NULL DEFAULT 0,"
                             "  PRIMARY KEY (job, name)"
                             ") STRICT, WITHOUT ROWID;"
                             "CREATE TABLE IF NOT EXISTS packets ("
                             "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
                             "  job BLOB NOT NULL,"
                             "  receiver TEXT NOT NULL,"
                             "  sequence INTEGER NOT NULL,"
                             "  bytes BLOB NOT NULL"
                             ") STRICT;"
                             "CREATE INDEX IF NOT EXISTS packets_to ON packets (job, receiver, sequence);"
                             "CREATE TABLE IF NOT EXISTS notes ("
                             "  job BLOB PRIMARY KEY,"
                             "  name TEXT NOT NULL DEFAULT '',"
                             "  epsilon REAL NOT NULL DEFAULT 0,"
                             "  state TEXT NOT NULL DEFAULT '',"
                             "  awaits TEXT NOT NULL DEFAULT '',"
                             "  round_gain REAL NOT NULL DEFAULT 0,"
                             "  cancelled INTEGER NOT NULL DEFAULT 0"
                             ") STRICT;"
                             "CREATE TABLE IF NOT EXISTS runs ("
                             "  only INTEGER PRIMARY KEY,"
                             "  process INTEGER NOT NULL,"
                             "  begun INTEGER NOT NULL,"
                             "  seen INTEGER NOT NULL,"
                             "  contact INTEGER NOT NULL,"
                             "  reconnects INTEGER NOT NULL,"
                             "  connected INTEGER NOT NULL"
                             ") STRICT;"
                             "CREATE TABLE IF NOT EXISTS progress ("
                             "  job BLOB PRIMARY KEY,"
                             "  round INTEGER NOT NULL,"
                             "  rounds INTEGER NOT NULL,"
                             "  step INTEGER NOT NULL,"
                             "  unit TEXT NOT NULL,"
                             "  until INTEGER NOT NULL"
                             ") STRICT;"
                             "CREATE TABLE IF NOT EXISTS parts ("
                             "  job BLOB NOT NULL,"
                             "  member TEXT NOT NULL,"
                             "  part TEXT NOT NULL,"
                             "  trees INTEGER NOT NULL,"
                             "  skipped INTEGER NOT NULL,"
                             "  awaited INTEGER NOT NULL,"
                             "  reason TEXT NOT NULL"
                             ") STRICT;"
                             "CREATE INDEX IF NOT EXISTS parts_of_job ON parts (job);"
                             "CREATE TABLE IF NOT EXISTS waits ("
                             "  job BLOB PRIMARY KEY,"
                             "  advances INTEGER NOT NULL,"
                             "  waited INTEGER NOT NULL"
                             ") STRICT;"
                             "CREATE TABLE IF NOT EXISTS presence ("
                             "  member TEXT PRIMARY KEY,"
                             "  present INTEGER NOT NULL,"
                             "  since INTEGER NOT NULL,"
                             "  seen INTEGER NOT NULL"
                             ") STRICT;";

static const char from_version_1[] = "ALTER TABLE events RENAME COLUMN number TO id;"
                                     "ALTER TABLE events RENAME COLUMN value TO number;"
                                     "ALTER TABLE parties RENAME COLUMN taken TO last_taken;"
                                     "ALTER TABLE parties RENAME COLUMN posted TO last_posted;"
                                     "ALTER TABLE packets RENAME COLUMN number TO id;";

hr_status hr_journal_lay_out(sqlite3 *db, hr_error *err) {
    return hr_store_run(db, layout, err);
}

static hr_status rename_journal_columns(sqlite3 *db, hr_error *err) {
    int64_t unfinished = 0;
    hr_status status = hr_store_number(db, "SELECT count(*) FROM jobs WHERE NOT over", &unfinished, err);
    if (status) return status;
    if (unfinished)
        return hr_fail(err, HR_E_FORMAT, "finish the job with that version, then try again",
                       "a job that an earlier version of Hedgerow began is not over");
    return hr_store_run(db, from_version_1, err);
}

hr_status hr_journal_upgrade_layout(sqlite3 *db, hr_error *err) {
    int64_t tables = 0;
    hr_file_lock *file_lock = NULL;
    hr_status status =
        hr_store_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'jobs'", &tables, err);
    if (status || !tables) return status;
    status = hr_file_lock_take(sqlite3_db_filename(db, "main"), &file_lock, err);
    if (status) return status;
    status = rename_journal_columns(db, err);
    hr_file_lock_release(file_lock);
    return status;
}

hr_status hr_journal_last_of(sqlite3 *db, hr_journal_last *out, hr_error *err) {
    static const char sql[] = "SELECT lower(hex(id)), state FROM jobs JOIN notes ON notes.job = jobs.id"
                              " WHERE over ORDER BY jobs.rowid DESC LIMIT 1";
    sqlite3_stmt *row = NULL;
    const int step = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? SQLITE_ERROR : sqlite3_step(row);
    if (step == SQLITE_ROW) {
        snprintf(out->id, sizeof out->id, "%s", (const char *)sqlite3_column_text(row, 0));
        snprintf(out->state, sizeof out->state, "%s", (const char *)sqlite3_column_text(row, 1));
    }
    hr_status status = step == SQLITE_ROW || step == SQLITE_DONE ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}
