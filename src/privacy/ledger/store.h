/* The SQLite file behind a ledger: how it is made, recognised and opened, and what SQLite's failures mean to
 * an owner. */
#ifndef HR_PRIVACY_LEDGER_STORE_H
#define HR_PRIVACY_LEDGER_STORE_H

#include "privacy/accountant.h"
#include "privacy/ledger/delta.h"

#include <hedgerow/status.h>
#include <sqlite3.h>

/* Makes the file, which must not exist. Fails: POLICY (exists), IO, MEMORY; no file is left behind then. */
HR_MUST_CHECK hr_status hr_store_create(const char *path, hr_units epsilon, hr_delta_units delta,
                                        hr_error *err);

/* Opens a file that is an undamaged ledger, of this version or an older one, which is upgraded. Owner: the
 * caller closes with sqlite3_close. Fails: IO, FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_store_open(const char *path, sqlite3 **out, hr_error *err);

/* Steps of opening a file of another kind: an empty file that only its owner may read and write, a connection
 * to a file that exists, what a query for one integer answers, and the settings that bring every commit to
 * the disk. Fails: POLICY (the file exists), IO, FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_store_make_file(const char *path, hr_error *err);
HR_MUST_CHECK hr_status hr_store_connect(const char *path, sqlite3 **out, hr_error *err);
HR_MUST_CHECK hr_status hr_store_number(sqlite3 *db, const char *sql, int64_t *out, hr_error *err);
HR_MUST_CHECK hr_status hr_store_guard(sqlite3 *db, hr_error *err);
void hr_store_be_patient(sqlite3 *db); /* ten seconds with a file that another process keeps locked */
HR_MUST_CHECK hr_status hr_store_check_pages(sqlite3 *db, hr_error *err);

/* Copies what was committed from the log into the main file; not while another process writes, since that
 * one copies later. A failure leaves it in the log, where it is safe. */
void hr_store_copy_log(sqlite3 *db);

/* What the last failure of `db` means. Never HR_OK. */
hr_status hr_store_fail(sqlite3 *db, hr_error *err);

/* Runs statements that return nothing. */
HR_MUST_CHECK hr_status hr_store_run(sqlite3 *db, const char *sql, hr_error *err);

#endif
