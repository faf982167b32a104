#include "privacy/ledger/witness.h"

#include "base/fail.h"
#include "base/file.h"
#include "privacy/ledger/store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_TEXT = 33, OWN_FILE = 0600, WITNESS_TEXT = 120 };

/* The id tells the witnesses of two ledgers apart. It stays when the path changes. */
static const char layout[] = "CREATE TABLE IF NOT EXISTS witness ("
                             "  only INTEGER PRIMARY KEY CHECK (only = 1),"
                             "  id TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),"
                             "  path TEXT NOT NULL"
                             ") STRICT;";

/* What the ledger holds of its witness. */
typedef struct witness {
    bool there;
    char id[ID_TEXT], path[PATH_MAX];
    uint64_t entries; /* of the ledger */
} witness;

static hr_status read_row(sqlite3 *db, witness *out, hr_error *err) {
    static const char sql[] = "SELECT id, path, (SELECT count(*) FROM entries) FROM witness";
    sqlite3_stmt *row = NULL;
    int64_t tables = 0;
    hr_status status =
        hr_store_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'witness'", &tables, err);
    if (status || !tables) return status;
    const int step = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? SQLITE_ERROR : sqlite3_step(row);
    if (step == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(row, 0),
                   *path = (const char *)sqlite3_column_text(row, 1);
        out->there = id && path;
        snprintf(out->id, sizeof out->id, "%s", id ? id : "");
        snprintf(out->path, sizeof out->path, "%s", path ? path : "");
        out->entries = (uint64_t)sqlite3_column_int64(row, 2);
    }
    status = (step == SQLITE_ROW && out->there) || step == SQLITE_DONE ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}

static hr_status fail_witness(const witness *w, hr_status status, hr_error *err) {
    return hr_fail_at(err, status, w->path, 0, 0, NULL);
}

/* What the file holds; it exists. */
static hr_status read_witness_file(const witness *w, uint64_t *entries, hr_error *err) {
    char id[ID_TEXT] = "", text[WITNESS_TEXT];
    unsigned long long number = 0;
    hr_buffer read = {0};
    hr_status status = hr_file_read_path(w->path, &read, err);
    if (!status && read.size)
        (void)sscanf(read.bytes, "hedgerow witness 1\nledger %32[0-9a-f]\nentries %llu\n", id, &number);
    snprintf(text, sizeof text, "hedgerow witness 1\nledger %s\nentries %llu\n", id, number);
    const bool whole = !status && read.size == strlen(text) && !memcmp(read.bytes, text, read.size);
    hr_buffer_done(&read);
    if (status) return status;
    if (!whole) {
        hr_fail(err, HR_E_FORMAT, "restore it, or name another file with `hedgerow ledger witness`",
                "this file is not the witness of a ledger");
        return fail_witness(w, HR_E_FORMAT, err);
    }
    if (strcmp(id, w->id) != 0) {
        hr_fail(err, HR_E_POLICY, "name a file for each ledger with `hedgerow ledger witness`",
                "this file is the witness of another ledger");
        return fail_witness(w, HR_E_POLICY, err);
    }
    *entries = number;
    return HR_OK;
}

static bool is_missing(const witness *w) {
    return access(w->path, F_OK) && errno == ENOENT;
}

hr_status hr_witness_name(sqlite3 *db, const char *path, hr_error *err) {
    static const char sql[] = "INSERT INTO witness (only, path) VALUES (1, ?)"
                              " ON CONFLICT (only) DO UPDATE SET path = excluded.path";
    sqlite3_stmt *insert = NULL;
    witness w = {0};
    uint64_t entries = 0;
    hr_status status = hr_store_run(db, layout, err);
    if (status) return status;
    const bool done = !sqlite3_prepare_v2(db, sql, -1, &insert, NULL) &&
                      !sqlite3_bind_text(insert, 1, path, -1, SQLITE_STATIC) &&
                      sqlite3_step(insert) == SQLITE_DONE;
    status = done ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(insert);
    if (!status) status = read_row(db, &w, err);
    return status || is_missing(&w) ? status : read_witness_file(&w, &entries, err);
}

static hr_status compare_entries(const witness *w, hr_error *err) {
    uint64_t entries = 0;
    if (!w->there) return HR_OK;
    if (is_missing(w)) {
        hr_fail(
            err, HR_E_IO,
            "restore it, or, if the ledger has all of its entries, `hedgerow ledger witness` makes it anew",
            "the witness of the ledger is missing");
        return fail_witness(w, HR_E_IO, err);
    }
    hr_status status = read_witness_file(w, &entries, err);
    if (status || entries <= w->entries) return status;
    hr_fail(err, HR_E_POLICY,
            "restore the newest copy, or enter what is lost: `hedgerow ledger restore` from receipts, "
            "`hedgerow ledger charge` by hand",
            "the ledger has %llu entries, and its witness counted %llu: it is an older copy",
            (unsigned long long)w->entries, (unsigned long long)entries);
    return fail_witness(w, HR_E_POLICY, err);
}

hr_status hr_witness_check(sqlite3 *db, hr_error *err) {
    witness w = {0};
    hr_status status = read_row(db, &w, err);
    return status ? status : compare_entries(&w, err);
}

static hr_status write_witness_file(const witness *w, hr_error *err) {
    char text[WITNESS_TEXT];
    uint64_t entries = 0;
    hr_status status = is_missing(w) ? HR_OK : read_witness_file(w, &entries, err);
    if (status || (!is_missing(w) && entries >= w->entries)) return status;
    snprintf(text, sizeof text, "hedgerow witness 1\nledger %s\nentries %llu\n", w->id,
             (unsigned long long)w->entries);
    return hr_file_replace(w->path, "witness", OWN_FILE, text, strlen(text), err);
}

/* Under the lock of writers, so that of two processes none writes a number that is older than the other's. */
hr_status hr_witness_note(sqlite3 *db, hr_error *err) {
    witness w = {0};
    hr_status status = read_row(db, &w, err);
    if (status || !w.there) return status;
    status = hr_store_run(db, "BEGIN IMMEDIATE", err);
    if (status) return status;
    status = read_row(db, &w, err);
    if (!status) status = write_witness_file(&w, err);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
