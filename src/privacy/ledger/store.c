/* Durability is SQLite's: a write-ahead log that is flushed at every commit (synchronous=FULL). The log is
 * copied into the main file after every reservation, so that the main file alone shows nearly always how much
 * is spent. What is added here is suspicion: a file is trusted as a ledger only if it states that it is one,
 * of a version that is understood, and is undamaged. */
#include "privacy/ledger/store.h"

#include "base/buffer.h"
#include "privacy/ledger/journal_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x48524c47, /* "HRLG" */
    LAYOUT_VERSION = 4,
    LOG_PAGES = 224, /* a log of so many is copied at the next commit, which flushes the disk three times */
    PATIENCE_MS = 10 * 1000,
    NAP_MS = 2
};

/* SQLite writes over a log that was copied, and shortens it to journal_size_limit then: without it one large
 * transaction leaves its size for as long as the file is open. The limit is above what LOG_PAGES are. */
#define SAFEGUARDS                                                                                           \
    "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0;"                       \
    "PRAGMA journal_size_limit = 1048576;"

/* The rules that a hand with the sqlite3 shell might break by mistake are kept by the file itself. */
#define FROZEN_STAYS                                                                                         \
    "CREATE TRIGGER frozen_stays BEFORE UPDATE OF frozen ON limits WHEN old.frozen IS NOT NULL"              \
    "  BEGIN SELECT raise(ABORT, 'a frozen ledger stays frozen'); END;"

#define LIMITS                                                                                               \
    "CREATE TABLE limits ("                                                                                  \
    "  only INTEGER PRIMARY KEY CHECK (only = 1),"                                                           \
    "  epsilon_units INTEGER NOT NULL CHECK (epsilon_units > 0),"                                            \
    "  delta_units INTEGER NOT NULL CHECK (delta_units >= 0),"                                               \
    "  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"                               \
    "  frozen TEXT"                                                                                          \
    ") STRICT;"                                                                                              \
    "CREATE TRIGGER limits_stay BEFORE UPDATE OF only, epsilon_units, delta_units, created ON limits"        \
    "  BEGIN SELECT raise(ABORT, 'the limits of a ledger never change'); END;"                               \
    "CREATE TRIGGER limits_exist BEFORE DELETE ON limits"                                                    \
    "  BEGIN SELECT raise(ABORT, 'the limits of a ledger are never removed'); END;" FROZEN_STAYS

/* No list in the check of `state`: SQLite would make a table of it for every row that it checks, whenever a
 * ledger is opened. */
#define ENTRIES(name)                                                                                        \
    "CREATE TABLE " name " ("                                                                                \
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"                                                                \
    "  time TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"                                  \
    "  purpose TEXT NOT NULL,"                                                                               \
    "  epsilon_units INTEGER NOT NULL CHECK (epsilon_units > 0),"                                            \
    "  delta_units INTEGER NOT NULL CHECK (delta_units >= 0),"                                               \
    "  state TEXT NOT NULL DEFAULT 'reserved' CHECK (state = 'reserved' OR state = 'committed' OR state = "  \
    "'void')"                                                                                                \
    ") STRICT;"

/* What goes with the table of entries. */
#define RULES                                                                                                \
    "CREATE VIEW spending AS SELECT id, time, purpose, epsilon_units / 1099511627776.0 AS epsilon,"          \
    "  delta_units / 4611686018427387904.0 AS delta, state FROM entries WHERE state <> 'void';"              \
    "CREATE TRIGGER entries_stay BEFORE UPDATE OF id, time, purpose, epsilon_units, delta_units ON entries"  \
    "  BEGIN SELECT raise(ABORT, 'the entries of a ledger never change'); END;"                              \
    "CREATE TRIGGER entries_begin BEFORE INSERT ON entries WHEN new.state <> 'reserved'"                     \
    "  BEGIN SELECT raise(ABORT, 'an entry of a ledger begins as reserved'); END;"                           \
    "CREATE TRIGGER entries_end BEFORE UPDATE OF state ON entries WHEN old.state <> 'reserved'"              \
    "  BEGIN SELECT raise(ABORT, 'an entry that is committed or void stays so'); END;"                       \
    "CREATE TRIGGER entries_exist BEFORE DELETE ON entries"                                                  \
    "  BEGIN SELECT raise(ABORT, 'the entries of a ledger are never removed'); END;"

/* What is protected: a column's name, '' for single records; NULL before the first entry. Up to version 3
 * every entry was for records. A library that knows no units cannot add an entry. */
#define UNITS                                                                                                \
    "ALTER TABLE limits ADD COLUMN unit TEXT;"                                                               \
    "ALTER TABLE entries ADD COLUMN unit TEXT;"                                                              \
    "UPDATE entries SET unit = '';"                                                                          \
    "UPDATE limits SET unit = '' WHERE EXISTS (SELECT 1 FROM entries);"                                      \
    "CREATE TRIGGER unit_stays BEFORE UPDATE OF unit ON limits WHEN old.unit IS NOT NULL"                    \
    "  BEGIN SELECT raise(ABORT, 'the unit of a ledger never changes'); END;"                                \
    "CREATE TRIGGER entries_unit BEFORE INSERT ON entries"                                                   \
    "  WHEN new.unit IS NULL OR new.unit IS NOT (SELECT unit FROM limits)"                                   \
    "  BEGIN SELECT raise(ABORT, 'an entry has the unit of its ledger'); END;"                               \
    "CREATE TRIGGER entry_unit_stays BEFORE UPDATE OF unit ON entries"                                       \
    "  BEGIN SELECT raise(ABORT, 'the entries of a ledger never change'); END;"

static const char layout[] = LIMITS ENTRIES("entries") RULES UNITS;

/* Version 1 had no void entries, and its table refuses them: the entries move to a new one. Its triggers go
 * with the old one; numbers stay, and the next one is larger than all. */
static const char from_version_1[] = "DROP VIEW spending;" ENTRIES(
    "entries_2") "INSERT INTO entries_2 (id, time, purpose, epsilon_units, delta_units, state)"
                 "  SELECT id, time, purpose, epsilon_units, delta_units, state FROM entries;"
                 "DROP TABLE entries;"
                 "ALTER TABLE entries_2 RENAME TO entries;" RULES;

/* Version 2 had `closed` for `frozen`. */
static const char from_version_2[] =
    "DROP TRIGGER closing_stays;"
    "ALTER TABLE limits RENAME COLUMN closed TO frozen;" FROZEN_STAYS "PRAGMA user_version = 3;";

static const char from_version_3[] = UNITS "PRAGMA user_version = 4;";

static const char remedy_backup[] =
    "restore a copy from before the damage, and count every run since then as spent";

/* The meaning of SQLite's result codes; the rest is reported in SQLite's own words. */
static hr_status fail_as(int code, const char *words, hr_error *err) {
    switch (code & 0xff) {
    case SQLITE_NOMEM: return hr_fail_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return hr_fail(err, HR_E_IO, "try again when that run has finished",
                       "another process keeps the ledger locked");
    case SQLITE_FULL:
        return hr_fail(err, HR_E_IO, "free disk space", "the disk is full: the ledger cannot be written");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return hr_fail(err, HR_E_IO, "get write permission for the file and its folder",
                       "the ledger cannot be written: %s", words);
    case SQLITE_CANTOPEN:
        return hr_fail(err, HR_E_IO, "check that you may read and write the file and its folder",
                       "the ledger cannot be opened: %s", words);
    case SQLITE_NOTADB:
        return hr_fail(err, HR_E_FORMAT, "name a file made by hr_ledger_create (`hedgerow ledger create`)",
                       "this file is not a ledger");
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
        return hr_fail(err, HR_E_FORMAT, remedy_backup, "the ledger is damaged: %s", words);
    default:
        return hr_fail(err, HR_E_IO, "check the disk that holds the ledger", "the ledger cannot be used: %s",
                       words);
    }
}

hr_status hr_store_fail(sqlite3 *db, hr_error *err) {
    int code = sqlite3_extended_errcode(db);
    return fail_as(code == SQLITE_IOERR_NOMEM ? SQLITE_NOMEM : code, sqlite3_errmsg(db), err);
}

hr_status hr_store_run(sqlite3 *db, const char *sql, hr_error *err) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? HR_OK : hr_store_fail(db, err);
}

/* Short naps: a process that writes without pause leaves the lock free for moments only, which SQLite's own
 * naps of up to 100 ms may miss for seconds. */
static int nap(void *user, int tries) {
    (void)user;
    sqlite3_sleep(NAP_MS);
    return tries < PATIENCE_MS / NAP_MS;
}

void hr_store_be_patient(sqlite3 *db) {
    (void)sqlite3_busy_handler(db, nap, NULL);
}

/* SQLite gives names such as ":memory:" and "file:..." a meaning of their own; a path with a slash has none.
 */
hr_status hr_store_connect(const char *path, sqlite3 **out, hr_error *err) {
    static const struct {
        const char *suffix, *remedy;
    } files[] = {{"", "get write permission for the file and its folder"},
                 {"-wal", "get write permission for it; do not delete it: it holds changes of the ledger"},
                 {"-shm", "delete it while no process uses the ledger; it is made anew"}};
    /* A file that may be read alone would be opened, and the files that SQLite makes beside it would keep
     * everybody from writing later. */
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%s%s", path, files[i].suffix);
        if (!access(name, W_OK) || errno == ENOENT) continue;
        return hr_fail(err, HR_E_IO, files[i].remedy, "'%.300s' cannot be written: %s", name,
                       strerror(errno));
    }
    hr_buffer spelled = {0};
    if (path[0] != '/') hr_buffer_text(&spelled, "./");
    hr_buffer_text(&spelled, path);
    char *plain = NULL;
    hr_status status = hr_buffer_take(&spelled, &plain, err);
    if (status) return status;
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(plain, &db, SQLITE_OPEN_READWRITE, NULL)) {
        status = hr_store_fail(db, err);
        sqlite3_close(db);
    } else {
        hr_store_be_patient(db);
        *out = db;
    }
    free(plain);
    return status;
}

/* ---- Copying the log into the main file ---- */

/* SQLite before 3.51.3 may damage the file when one process copies while another one commits and begins the
 * log anew (the "WAL-reset bug" of sqlite.org/wal.html), and SQLITE_CHECKPOINT_FULL copies all the same when
 * it cannot get the writer's lock. So a second connection holds that lock meanwhile. */
void hr_store_copy_log(sqlite3 *db) {
    sqlite3 *writer = NULL;
    if (!sqlite3_open_v2(sqlite3_db_filename(db, "main"), &writer, SQLITE_OPEN_READWRITE, NULL) &&
        !sqlite3_exec(writer, "BEGIN IMMEDIATE", NULL, NULL, NULL))
        (void)sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    sqlite3_close(writer);
}

static int copy_long_log(void *user, sqlite3 *db, const char *schema, int pages) {
    (void)user, (void)schema;
    if (pages >= LOG_PAGES) hr_store_copy_log(db);
    return SQLITE_OK;
}

hr_status hr_store_guard(sqlite3 *db, hr_error *err) {
    hr_status status = hr_store_run(db, SAFEGUARDS, err);
    if (!status) (void)sqlite3_wal_hook(db, copy_long_log, NULL); /* in place of SQLite's own */
    return status;
}

static hr_status fill_limits(sqlite3 *db, hr_units epsilon, hr_delta_units delta, hr_error *err) {
    static const char sql[] = "INSERT INTO limits (only, epsilon_units, delta_units) VALUES (1, ?, ?)";
    char *begin =
        sqlite3_mprintf("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; " SAFEGUARDS
                        " BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d; %s",
                        APPLICATION_ID, LAYOUT_VERSION, layout);
    if (!begin) return hr_fail_memory(err);
    sqlite3_stmt *insert = NULL;
    hr_status status = hr_store_run(db, begin, err);
    if (!status &&
        (sqlite3_prepare_v2(db, sql, -1, &insert, NULL) || sqlite3_bind_int64(insert, 1, (int64_t)epsilon) ||
         sqlite3_bind_int64(insert, 2, (int64_t)delta) || sqlite3_step(insert) != SQLITE_DONE))
        status = hr_store_fail(db, err);
    sqlite3_finalize(insert);
    if (!status) status = hr_store_run(db, "COMMIT", err);
    sqlite3_free(begin);
    return status;
}

hr_status hr_store_make_file(const char *path, hr_error *err) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0 && errno == EEXIST)
        return hr_fail(err, HR_E_IO, "choose another name; an existing ledger is never overwritten",
                       "the file exists already");
    if (file < 0)
        return hr_fail(err, HR_E_IO, "check that the folder exists and that you may write to it",
                       "cannot create the file: %s", strerror(errno));
    close(file);
    return HR_OK;
}

hr_status hr_store_create(const char *path, hr_units epsilon, hr_delta_units delta, hr_error *err) {
    hr_status status = hr_store_make_file(path, err);
    if (status) return status;
    sqlite3 *db = NULL;
    status = hr_store_connect(path, &db, err);
    if (!status) status = fill_limits(db, epsilon, delta, err);
    sqlite3_close(db);
    if (status) unlink(path);
    return status;
}

hr_status hr_store_number(sqlite3 *db, const char *sql, int64_t *out, hr_error *err) {
    sqlite3_stmt *query = NULL;
    bool done = !sqlite3_prepare_v2(db, sql, -1, &query, NULL) && sqlite3_step(query) == SQLITE_ROW;
    if (done) *out = sqlite3_column_int64(query, 0);
    hr_status status = done ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(query);
    return status;
}

hr_status hr_store_check_pages(sqlite3 *db, hr_error *err) {
    sqlite3_stmt *query = NULL;
    hr_status status = HR_OK;
    if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &query, NULL) ||
        sqlite3_step(query) != SQLITE_ROW) {
        status = hr_store_fail(db, err);
    } else {
        const char *words = (const char *)sqlite3_column_text(query, 0);
        if (!words)
            status = hr_fail_memory(err);
        else if (strcmp(words, "ok") != 0)
            status = fail_as(SQLITE_CORRUPT, words, err);
    }
    sqlite3_finalize(query);
    return status;
}

static hr_status upgrade(sqlite3 *db, hr_error *err) {
    int64_t version = 0;
    hr_status status = hr_store_number(db, "PRAGMA user_version", &version, err);
    if (status || version == LAYOUT_VERSION) return status;
    status = hr_store_run(db, "BEGIN IMMEDIATE", err);
    /* Another process may have done it meanwhile. */
    if (!status) status = hr_store_number(db, "PRAGMA user_version", &version, err);
    if (!status && version == 1) status = hr_store_run(db, from_version_1, err);
    if (!status && version <= 2) status = hr_store_run(db, from_version_2, err);
    if (!status && version <= 2) status = hr_journal_upgrade_layout(db, err);
    if (!status && version <= 3) status = hr_store_run(db, from_version_3, err);
    if (!status) status = hr_store_run(db, "COMMIT", err);
    if (status && !sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static hr_status check_store_ledger(sqlite3 *db, hr_error *err) {
    int64_t application = 0, version = 0, rows = 0;
    hr_status status = hr_store_number(db, "PRAGMA application_id", &application, err);
    if (!status) status = hr_store_number(db, "PRAGMA user_version", &version, err);
    if (status) return status;
    if (application != APPLICATION_ID) return fail_as(SQLITE_NOTADB, "", err);
    if (version > LAYOUT_VERSION)
        return hr_fail(err, HR_E_FORMAT, "use the newer version of Hedgerow that made it",
                       "the ledger has layout version %lld, this library knows versions up to %d",
                       (long long)version, LAYOUT_VERSION);
    if (version < 1) return fail_as(SQLITE_CORRUPT, "its layout version is below 1", err);
    if (sqlite3_db_readonly(db, "main")) return fail_as(SQLITE_READONLY, "it is read-only", err);
    status = hr_store_check_pages(db, err);
    if (!status) status = hr_store_number(db, "SELECT count(*) FROM limits", &rows, err);
    if (!status && rows != 1) status = fail_as(SQLITE_CORRUPT, "its limits are missing", err);
    if (!status) status = hr_store_guard(db, err);
    return status ? status : upgrade(db, err);
}

hr_status hr_store_open(const char *path, sqlite3 **out, hr_error *err) {
    /* Separates what SQLite would call by one name. */
    struct stat info;
    if (stat(path, &info)) {
        const char *remedy = errno == ENOENT ? "create it first: hr_ledger_create (`hedgerow ledger create`)"
                                             : "check the path and your permissions";
        return hr_fail(err, HR_E_IO, remedy, "cannot open the ledger: %s", strerror(errno));
    }
    if (!S_ISREG(info.st_mode))
        return hr_fail(err, HR_E_IO, "name the ledger's file", "this is %s, not a file",
                       S_ISDIR(info.st_mode) ? "a folder" : "a device or a pipe");
    sqlite3 *db = NULL;
    hr_status status = hr_store_connect(path, &db, err);
    if (status) return status;
    /* Not even the log of a database that is not ours may be touched. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    status = check_store_ledger(db, err);
    if (status) {
        sqlite3_close(db);
        return status;
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    *out = db;
    return HR_OK;
}
