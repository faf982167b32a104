#include "privacy/ledger/receipts.h"

#include "base/fail.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"

#include <string.h>

static const char layout[] =
    "CREATE TABLE IF NOT EXISTS receipts ("
    "  federation TEXT NOT NULL,"
    "  coordinator TEXT NOT NULL,"
    "  number INTEGER NOT NULL CHECK (number > 0),"
    "  digest BLOB NOT NULL CHECK (length(digest) = 32),"
    "  entry INTEGER NOT NULL,"
    "  bytes BLOB NOT NULL,"
    "  PRIMARY KEY (federation, coordinator, number, digest)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TRIGGER IF NOT EXISTS receipts_stay BEFORE UPDATE ON receipts"
    "  BEGIN SELECT raise(ABORT, 'the receipts of a ledger never change'); END;"
    "CREATE TRIGGER IF NOT EXISTS receipts_exist BEFORE DELETE ON receipts"
    "  BEGIN SELECT raise(ABORT, 'the receipts of a ledger are never removed'); END;";

hr_status hr_receipts_prepare(hr_ledger *ledger, hr_error *err) {
    return hr_store_run(hr_ledger_file(ledger), layout, err);
}

static hr_status has_table(sqlite3 *db, bool *out, hr_error *err) {
    int64_t count = 0;
    hr_status status = hr_store_number(
        db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'receipts'", &count, err);
    if (!status) *out = count != 0;
    return status;
}

/* The first two values of a statement. */
static bool bind_chain(sqlite3_stmt *statement, const hr_receipt_chain *chain) {
    return !sqlite3_bind_text(statement, 1, chain->federation, -1, SQLITE_STATIC) &&
           !sqlite3_bind_text(statement, 2, chain->coordinator, -1, SQLITE_STATIC);
}

hr_status hr_receipts_put(hr_ledger *ledger, const hr_receipt_chain *chain, const hr_receipt_row *row,
                          hr_error *err) {
    static const char sql[] = "INSERT INTO receipts (federation, coordinator, number, digest, entry, bytes)"
                              " VALUES (?, ?, ?, ?, ?, ?)";
    sqlite3 *db = hr_ledger_file(ledger);
    sqlite3_stmt *insert = NULL;
    const bool done = !sqlite3_prepare_v2(db, sql, -1, &insert, NULL) && bind_chain(insert, chain) &&
                      !sqlite3_bind_int64(insert, 3, (int64_t)row->number) &&
                      !sqlite3_bind_blob(insert, 4, row->digest, HR_RECEIPT_DIGEST, SQLITE_STATIC) &&
                      !sqlite3_bind_int64(insert, 5, row->entry) &&
                      !sqlite3_bind_blob64(insert, 6, row->bytes.at, row->bytes.size, SQLITE_STATIC) &&
                      sqlite3_step(insert) == SQLITE_DONE;
    hr_status status = done ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(insert);
    return status;
}

hr_status hr_receipts_have(hr_ledger *ledger, const hr_receipt_chain *chain, uint64_t number,
                           const uint8_t digest[HR_RECEIPT_DIGEST], bool *out, hr_error *err) {
    static const char sql[] = "SELECT count(*) FROM receipts WHERE federation = ? AND coordinator = ?"
                              " AND number = ? AND digest = ?";
    sqlite3 *db = hr_ledger_file(ledger);
    sqlite3_stmt *query = NULL;
    *out = false;
    bool there = false;
    hr_status status = has_table(db, &there, err);
    if (status || !there) return status;
    const bool done = !sqlite3_prepare_v2(db, sql, -1, &query, NULL) && bind_chain(query, chain) &&
                      !sqlite3_bind_int64(query, 3, (int64_t)number) &&
                      !sqlite3_bind_blob(query, 4, digest, HR_RECEIPT_DIGEST, SQLITE_STATIC) &&
                      sqlite3_step(query) == SQLITE_ROW;
    if (done) *out = sqlite3_column_int64(query, 0) != 0;
    status = done ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(query);
    return status;
}

typedef hr_status receipt_row_visit(void *user, const hr_receipt_row *row);

static hr_status show_row(sqlite3_stmt *row, receipt_row_visit *visit, void *user) {
    const void *digest = sqlite3_column_blob(row, 1), *bytes = sqlite3_column_blob(row, 3);
    hr_receipt_row shown = {.number = (uint64_t)sqlite3_column_int64(row, 0),
                            .entry = sqlite3_column_int64(row, 2),
                            .bytes = {bytes, (size_t)sqlite3_column_bytes(row, 3)}};
    if (!digest || !bytes) return HR_E_MEMORY; /* neither is ever empty */
    memcpy(shown.digest, digest, HR_RECEIPT_DIGEST);
    return visit(user, &shown);
}

hr_status hr_receipts_newest(hr_ledger *ledger, const hr_receipt_query *query, receipt_row_visit *visit,
                             void *user, hr_error *err) {
    static const char sql[] =
        "SELECT number, digest, entry, bytes FROM (SELECT * FROM receipts WHERE federation = ?"
        " AND coordinator = ? AND number > ? ORDER BY number DESC, digest LIMIT ?)"
        " ORDER BY number, digest DESC";
    sqlite3 *db = hr_ledger_file(ledger);
    sqlite3_stmt *rows = NULL;
    bool there = false;
    hr_status status = has_table(db, &there, err);
    if (status || !there) return status;
    const bool fine = !sqlite3_prepare_v2(db, sql, -1, &rows, NULL) && bind_chain(rows, &query->chain) &&
                      !sqlite3_bind_int64(rows, 3, (int64_t)query->above) &&
                      !sqlite3_bind_int64(rows, 4, (int64_t)query->most);
    int step = fine ? SQLITE_ROW : SQLITE_ERROR;
    while (!status && step == SQLITE_ROW && (step = sqlite3_step(rows)) == SQLITE_ROW)
        status = show_row(rows, visit, user);
    if (!status && step != SQLITE_DONE) status = hr_store_fail(db, err);
    sqlite3_finalize(rows);
    return status;
}
