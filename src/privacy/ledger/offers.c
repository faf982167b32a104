#include "privacy/ledger/offers.h"

#include "base/fail.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"

#include <stdio.h>
#include <string.h>

/* Jobs of a file that an earlier version wrote count, too: those that reserved budget were accepted. A job
 * that ends without a reservation cost nothing. Rows of jobs that were
 * accepted outlive those of the journal, which expire: periods are counted from them. */
static const char layout[] = "CREATE TABLE offers ("
                             "  job BLOB PRIMARY KEY,"
                             "  coordinator TEXT NOT NULL,"
                             "  date INTEGER NOT NULL,"
                             "  epsilon_units INTEGER NOT NULL,"
                             "  state INTEGER NOT NULL,"
                             "  text TEXT NOT NULL"
                             ") STRICT;"
                             "INSERT INTO offers SELECT jobs.id, coordinator,"
                             "  CAST(strftime('%s', jobs.time) AS INTEGER), epsilon_units, 1, ''"
                             "  FROM jobs JOIN entries ON entries.id = jobs.entry;"
                             "CREATE TRIGGER IF NOT EXISTS offers_cost AFTER UPDATE OF over ON jobs"
                             "  WHEN new.over AND new.entry = 0"
                             "  BEGIN UPDATE offers SET epsilon_units = 0 WHERE job = new.id; END;"
                             "CREATE TRIGGER IF NOT EXISTS offers_forgotten AFTER DELETE ON jobs"
                             "  BEGIN DELETE FROM offers WHERE job = old.id AND state <> 1; END;";

static hr_status has_table(sqlite3 *db, bool *out, hr_error *err) {
    int64_t count = 0;
    hr_status status = hr_store_number(
        db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'offers'", &count, err);
    if (!status) *out = count != 0;
    return status;
}

hr_status hr_offers_prepare(hr_ledger *ledger, hr_error *err) {
    sqlite3 *db = hr_ledger_file(ledger);
    bool there = false;
    hr_status status = has_table(db, &there, err);
    return status || there ? status : hr_store_run(db, layout, err);
}

/* Ends a statement that returns no rows. `fine`: all values were bound. */
static hr_status finish_change(sqlite3 *db, sqlite3_stmt *change, bool fine, hr_error *err) {
    hr_status status = fine && sqlite3_step(change) == SQLITE_DONE ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(change);
    return status;
}

hr_status hr_offers_put(hr_ledger *ledger, const hr_offer_row *row, hr_error *err) {
    sqlite3 *db = hr_ledger_file(ledger);
    sqlite3_stmt *change = NULL;
    bool fine = !sqlite3_prepare_v2(
                    db,
                    "INSERT OR REPLACE INTO offers (job, coordinator, date, epsilon_units, state, text)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    -1, &change, NULL) &&
                !sqlite3_bind_blob(change, 1, row->id, HR_JOURNAL_ID, SQLITE_STATIC) &&
                !sqlite3_bind_text(change, 2, row->coordinator, -1, SQLITE_STATIC) &&
                !sqlite3_bind_int64(change, 3, row->date) &&
                !sqlite3_bind_int64(change, 4, (int64_t)row->epsilon) &&
                !sqlite3_bind_int64(change, 5, row->state) &&
                !sqlite3_bind_text(change, 6, row->text, -1, SQLITE_STATIC);
    return finish_change(db, change, fine, err);
}

hr_status hr_offers_count(hr_ledger *ledger, const char *coordinator, int64_t since, hr_offers_taken *out,
                          hr_error *err) {
    static const char sql[] = "SELECT count(*), coalesce(sum(epsilon_units), 0) FROM offers"
                              " WHERE state = 1 AND date >= ?1 AND (?2 IS NULL OR coordinator = ?2)";
    sqlite3 *db = hr_ledger_file(ledger);
    sqlite3_stmt *query = NULL;
    bool there = false;
    *out = (hr_offers_taken){0};
    hr_status status = has_table(db, &there, err);
    if (status || !there) return status;
    bool fine = !sqlite3_prepare_v2(db, sql, -1, &query, NULL) && !sqlite3_bind_int64(query, 1, since) &&
                !(coordinator && sqlite3_bind_text(query, 2, coordinator, -1, SQLITE_STATIC)) &&
                sqlite3_step(query) == SQLITE_ROW;
    if (fine)
        *out = (hr_offers_taken){.jobs = (uint64_t)sqlite3_column_int64(query, 0),
                                 .epsilon = (hr_units)sqlite3_column_int64(query, 1)};
    status = fine ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(query);
    return status;
}

/* ---- A person decides ---- */

hr_status hr_offers_state(hr_ledger *ledger, const uint8_t *id, hr_offer_state *out, char *reason,
                          size_t size, hr_error *err) {
    sqlite3 *db = hr_ledger_file(ledger);
    sqlite3_stmt *query = NULL;
    bool fine = !sqlite3_prepare_v2(db, "SELECT state, text FROM offers WHERE job = ?", -1, &query, NULL) &&
                !sqlite3_bind_blob(query, 1, id, HR_JOURNAL_ID, SQLITE_STATIC);
    int step = fine ? sqlite3_step(query) : SQLITE_ERROR;
    hr_status status = step == SQLITE_ROW || step == SQLITE_DONE ? HR_OK : hr_store_fail(db, err);
    if (!status) *out = 0;
    if (step == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(query, 1);
        *out = (hr_offer_state)sqlite3_column_int(query, 0);
        snprintf(reason, size, "%s", text ? text : "");
    }
    sqlite3_finalize(query);
    return status;
}

/* An offer that a person decides on. */
typedef struct named_offer {
    bool there;
    hr_offer_state state;
    bool over;
} named_offer;

static hr_status find_offer(sqlite3 *db, const char *id, named_offer *out, hr_error *err) {
    static const char sql[] = "SELECT count(*), max(state), max(over) FROM offers JOIN jobs ON jobs.id = "
                              "offers.job WHERE lower(hex(offers.job)) = ?";
    sqlite3_stmt *query = NULL;
    bool fine = !sqlite3_prepare_v2(db, sql, -1, &query, NULL) &&
                !sqlite3_bind_text(query, 1, id, -1, SQLITE_STATIC) && sqlite3_step(query) == SQLITE_ROW;
    if (fine)
        *out = (named_offer){sqlite3_column_int64(query, 0) != 0,
                             (hr_offer_state)sqlite3_column_int(query, 1), sqlite3_column_int(query, 2) != 0};
    hr_status status = fine ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(query);
    return status;
}

static hr_status check_waiting(const char *id, const named_offer *offer, hr_error *err) {
    if (!offer->there)
        return hr_fail(err, HR_E_ARGUMENT, "the log of `hedgerow serve` names the jobs that wait",
                       "no decision is asked for the job %.8s", id);
    if (offer->state == HR_OFFER_ACCEPTED || offer->state == HR_OFFER_APPROVED)
        return hr_fail(err, HR_E_POLICY, "`hedgerow jobs` lists what was decided",
                       "the job %.8s was accepted before", id);
    if (offer->state != HR_OFFER_WAITING)
        return hr_fail(err, HR_E_POLICY, "`hedgerow jobs` lists what was decided",
                       "the job %.8s was declined before", id);
    if (offer->over)
        return hr_fail(err, HR_E_POLICY, "ask its coordinator to offer it again",
                       "too late: the job %.8s is over; its coordinator did not wait for the decision", id);
    return HR_OK;
}

static hr_status update_offer(sqlite3 *db, const char *id, hr_offer_state state, const char *reason,
                              hr_error *err) {
    sqlite3_stmt *change = NULL;
    bool fine = !sqlite3_prepare_v2(db, "UPDATE offers SET state = ?, text = ? WHERE lower(hex(job)) = ?", -1,
                                    &change, NULL) &&
                !sqlite3_bind_int64(change, 1, state) &&
                !sqlite3_bind_text(change, 2, reason, -1, SQLITE_STATIC) &&
                !sqlite3_bind_text(change, 3, id, -1, SQLITE_STATIC);
    return finish_change(db, change, fine, err);
}

hr_status hr_offers_decide(hr_ledger *ledger, const char *id, hr_offer_state state, const char *reason,
                           hr_error *err) {
    sqlite3 *db = hr_ledger_file(ledger);
    bool there = false;
    named_offer offer = {0};
    hr_status status = hr_store_run(db, "BEGIN IMMEDIATE", err);
    if (!status) status = has_table(db, &there, err);
    if (!status && there) status = find_offer(db, id, &offer, err);
    if (!status) status = check_waiting(id, &offer, err);
    if (!status) status = update_offer(db, id, state, reason, err);
    if (!status) status = hr_store_run(db, "COMMIT", err);
    if (status && !sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
