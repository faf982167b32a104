/* The rules of spending. Every decision reads the entries anew inside one write transaction (BEGIN
 * IMMEDIATE), so that any number of processes see one truth; no total is cached anywhere that could go stale
 * or be lost in a crash. */
#include <hedgerow/amount.h>
#include <hedgerow/ledger.h>

#include "base/fail.h"
#include "base/text/text.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"
#include "privacy/ledger/witness.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PURPOSE_LONGEST = 1000, EPSILON_LARGEST = 1 << 20 };

struct hr_ledger {
    sqlite3 *db;
    char *unit;        /* hr_ledger_set_unit; "" for records, NULL: the same */
    int64_t *reserved; /* entries that this handle reserved by itself: it may void them */
    size_t reserved_count;
};

typedef struct spending {
    hr_units epsilon;
    hr_delta_units delta;
} spending;

typedef struct account {
    spending limit, spent;
    uint64_t entries;
    bool frozen;
} account;

static hr_status name_ledger_file(const hr_ledger *ledger, hr_status status, hr_error *err) {
    return status ? hr_fail_at(err, status, sqlite3_db_filename(ledger->db, "main"), 0, 0, NULL) : HR_OK;
}

static hr_status check_amounts(double epsilon, double delta, hr_error *err) {
    if (!(epsilon > 0 && epsilon <= EPSILON_LARGEST)) {
        hr_fail(err, HR_E_ARGUMENT,
                "give a number above 0, at most 1048576; useful values lie between 0.01 and 10",
                "epsilon is %g, which is not a valid privacy budget", epsilon);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "epsilon");
    }
    if (!(delta >= 0 && delta < 1)) {
        hr_fail(err, HR_E_ARGUMENT, "give a number from 0 (pure privacy) to below 1, such as 1e-6",
                "delta is %g, which is not in [0, 1)", delta);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "delta");
    }
    return HR_OK;
}

/* A purpose is shown in lists for people: a line break in it could fake an entry. */
static hr_status check_purpose(const char *purpose, hr_error *err) {
    static const char remedy[] = "give a line of 1 to 1000 bytes that names the purpose of the budget";
    hr_status status = HR_OK;
    size_t length = purpose ? strlen(purpose) : 0;
    if (!length) status = hr_fail(err, HR_E_ARGUMENT, remedy, "the purpose is empty");
    if (length > PURPOSE_LONGEST)
        status = hr_fail(err, HR_E_ARGUMENT, remedy, "the purpose has %zu bytes", length);
    if (!status && !hr_text_printable(purpose, length))
        status = hr_fail(err, HR_E_ARGUMENT, remedy,
                         "the purpose has control or format characters, or is not UTF-8");
    return status ? hr_fail_at(err, status, NULL, 0, 0, "purpose") : HR_OK;
}

static hr_status check_path(const char *path, hr_error *err) {
    if (path && path[0]) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "give the path of the ledger's file",
                   "the path of the ledger is empty");
}

hr_status hr_ledger_create(const char *path, double epsilon, double delta, hr_error *err) {
    hr_status status = check_path(path, err);
    if (!status) status = check_amounts(epsilon, delta, err);
    if (status) return status;
    spending limit = {hr_units_down(epsilon), hr_delta_down(delta)};
    if (!limit.epsilon) {
        char text[HR_AMOUNT_TEXT];
        hr_spent_text(epsilon, text);
        hr_fail(err, HR_E_ARGUMENT, "give a larger limit",
                "epsilon is %s, which is less than the unit of the ledger (2^-40)", text);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "epsilon");
    }
    status = hr_store_create(path, limit.epsilon, limit.delta, err);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

hr_status hr_ledger_open(const char *path, hr_ledger **out, hr_error *err) {
    assert(out);
    hr_status status = check_path(path, err);
    if (status) return status;
    hr_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) return hr_fail_memory(err);
    status = hr_store_open(path, &ledger->db, err);
    if (status) {
        free(ledger);
        return hr_fail_at(err, status, path, 0, 0, NULL);
    }
    *out = ledger;
    return HR_OK;
}

void hr_ledger_close(hr_ledger *ledger) {
    if (!ledger) return;
    sqlite3_close(ledger->db);
    free(ledger->reserved);
    free(ledger->unit);
    free(ledger);
}

/* One statement, hence one state of the file. SQLite's sum() of integers is exact, and refuses to overflow.
 */
static hr_status read_account(sqlite3 *db, account *out, hr_error *err) {
    sqlite3_stmt *query = NULL;
    static const char sql[] =
        "SELECT limits.epsilon_units, limits.delta_units, frozen IS NOT NULL, count(id),"
        " coalesce(sum(entries.epsilon_units) FILTER (WHERE state <> 'void'), 0),"
        " coalesce(sum(entries.delta_units) FILTER (WHERE state <> 'void'), 0) FROM limits LEFT JOIN entries";
    bool done = !sqlite3_prepare_v2(db, sql, -1, &query, NULL) && sqlite3_step(query) == SQLITE_ROW;
    if (done) {
        *out = (account){.limit = {(hr_units)sqlite3_column_int64(query, 0),
                                   (hr_delta_units)sqlite3_column_int64(query, 1)},
                         .frozen = sqlite3_column_int(query, 2) != 0,
                         .entries = (uint64_t)sqlite3_column_int64(query, 3),
                         .spent = {(hr_units)sqlite3_column_int64(query, 4),
                                   (hr_delta_units)sqlite3_column_int64(query, 5)}};
    }
    hr_status status = done ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(query);
    return status;
}

/* hr_units_value gives the double nearest above. */
static double epsilon_below(hr_units units) {
    double value = (double)units;
    if ((hr_units)value > units) value = nextafter(value, 0);
    return ldexp(value, -40);
}

/* Entries that a stranger's hand added may exceed the limits: then nothing is left. */
static spending left_of(const account *now) {
    spending limit = now->limit, spent = now->spent;
    return (spending){spent.epsilon < limit.epsilon ? limit.epsilon - spent.epsilon : 0,
                      spent.delta < limit.delta ? limit.delta - spent.delta : 0};
}

static hr_ledger_total total_of_account(const account *now) {
    spending left = left_of(now);
    return (hr_ledger_total){.epsilon_limit = epsilon_below(now->limit.epsilon),
                             .delta_limit = hr_delta_value_below(now->limit.delta),
                             .epsilon_spent = hr_units_value(now->spent.epsilon),
                             .delta_spent = hr_delta_value(now->spent.delta),
                             .epsilon_left = epsilon_below(left.epsilon),
                             .delta_left = hr_delta_value_below(left.delta),
                             .entries = now->entries,
                             .frozen = now->frozen};
}

static hr_status check_left(const account *now, spending ask, hr_error *err) {
    spending left = left_of(now);
    if (now->frozen)
        return hr_fail(err, HR_E_POLICY, "ask the owner of the records, who froze the ledger",
                       "the ledger is frozen");
    bool enough_epsilon = ask.epsilon <= left.epsilon;
    if (enough_epsilon && ask.delta <= left.delta) return HR_OK;
    hr_ledger_total total = total_of_account(now);
    char asked[HR_AMOUNT_TEXT], spent[HR_AMOUNT_TEXT], limit[HR_AMOUNT_TEXT], rest[HR_AMOUNT_TEXT];
    if (enough_epsilon) {
        hr_spent_text(hr_delta_value(ask.delta), asked);
        hr_spent_text(total.delta_spent, spent);
        hr_delta_left_text(total.delta_limit, limit);
        hr_delta_left_text(total.delta_left, rest);
    } else {
        hr_spent_text(hr_units_value(ask.epsilon), asked);
        hr_spent_text(total.epsilon_spent, spent);
        hr_epsilon_left_text(total.epsilon_limit, limit);
        hr_epsilon_left_text(total.epsilon_left, rest);
    }
    const bool has_none = enough_epsilon && now->limit.delta == 0;
    return hr_fail(err, HR_E_BUDGET,
                   has_none
                       ? "this ledger holds no delta: ask for delta 0 (--delta 0), or create a ledger with a "
                         "delta (ledger create --delta 1e-6)"
                       : "ask for at most what is left; spent budget never returns",
                   "the budget of %s is too small: asked %s, spent %s, limit %s, left %s",
                   enough_epsilon ? "delta" : "epsilon", asked, spent, limit, rest);
}

/* Of the unit that is settled. */
static hr_status insert_entry(sqlite3 *db, spending ask, const char *purpose, int64_t *id, hr_error *err) {
    static const char sql[] = "INSERT INTO entries (epsilon_units, delta_units, purpose, unit)"
                              " SELECT ?, ?, ?, unit FROM limits";
    sqlite3_stmt *insert = NULL;
    bool done = !sqlite3_prepare_v2(db, sql, -1, &insert, NULL) &&
                !sqlite3_bind_int64(insert, 1, (int64_t)ask.epsilon) &&
                !sqlite3_bind_int64(insert, 2, (int64_t)ask.delta) &&
                !sqlite3_bind_text(insert, 3, purpose, -1, SQLITE_STATIC) &&
                sqlite3_step(insert) == SQLITE_DONE;
    hr_status status = done ? HR_OK : hr_store_fail(db, err);
    if (done) *id = sqlite3_last_insert_rowid(db);
    sqlite3_finalize(insert);
    return status;
}

/* ---- The unit ---- */

hr_status hr_ledger_set_unit(hr_ledger *ledger, const char *unit, hr_error *err) {
    assert(ledger);
    if (unit && !hr_text_printable(unit, strlen(unit))) {
        hr_fail(err, HR_E_ARGUMENT, "rename the column of the table",
                "the name of the unit has control or format characters, or is not UTF-8");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "unit");
    }
    char *copy = strdup(unit ? unit : "");
    if (!copy) return hr_fail_memory(err);
    free(ledger->unit);
    ledger->unit = copy;
    return HR_OK;
}

/* *unit is NULL where none is settled. */
static hr_status read_unit(sqlite3 *db, char **unit, hr_error *err) {
    sqlite3_stmt *query = NULL;
    bool done = !sqlite3_prepare_v2(db, "SELECT unit FROM limits", -1, &query, NULL) &&
                sqlite3_step(query) == SQLITE_ROW;
    const char *text = done ? (const char *)sqlite3_column_text(query, 0) : NULL;
    *unit = text ? strdup(text) : NULL;
    hr_status status = !done ? hr_store_fail(db, err) : text && !*unit ? hr_fail_memory(err) : HR_OK;
    sqlite3_finalize(query);
    return status;
}

static hr_status settle_unit(sqlite3 *db, const char *unit, hr_error *err) {
    sqlite3_stmt *update = NULL;
    bool done = !sqlite3_prepare_v2(db, "UPDATE limits SET unit = ?", -1, &update, NULL) &&
                !sqlite3_bind_text(update, 1, unit, -1, SQLITE_STATIC) && sqlite3_step(update) == SQLITE_DONE;
    hr_status status = done ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(update);
    return status;
}

/* A ledger is of the unit of its first entry. */
static hr_status check_ledger_unit(const hr_ledger *ledger, hr_error *err) {
    const char *asked = ledger->unit ? ledger->unit : "";
    char *unit = NULL;
    hr_status status = read_unit(ledger->db, &unit, err);
    if (status) return status;
    if (!unit) return settle_unit(ledger->db, asked, err);
    if (strcmp(unit, asked) != 0) {
        char has[80], wants[80];
        hr_text_show(*unit ? unit : "single records", has, sizeof has);
        hr_text_show(*asked ? asked : "single records", wants, sizeof wants);
        status = hr_fail(err, HR_E_POLICY, "keep a ledger for each unit",
                         "the ledger counts losses per %s, this run per %s: they do not add up", has, wants);
    }
    free(unit);
    return status;
}

hr_status hr_ledger_unit(hr_ledger *ledger, char **unit, hr_error *err) {
    assert(ledger && unit);
    return name_ledger_file(ledger, read_unit(ledger->db, unit, err), err);
}

/* Memory may have been too short even to roll back; the handle would then hold the lock for ever. */
static void roll_back(sqlite3 *db) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}

/* A write transaction. */
static hr_status begin_transaction(hr_ledger *ledger, hr_error *err) {
    roll_back(ledger->db);
    return name_ledger_file(ledger, hr_store_run(ledger->db, "BEGIN IMMEDIATE", err), err);
}

sqlite3 *hr_ledger_file(const hr_ledger *ledger) {
    return ledger->db;
}

const char *hr_ledger_path(const hr_ledger *ledger) {
    return sqlite3_db_filename(ledger->db, "main");
}

hr_status hr_ledger_settle(hr_ledger *ledger, hr_error *err) {
    hr_store_copy_log(ledger->db);
    return hr_witness_note(ledger->db, err);
}

hr_status hr_ledger_check_witness(hr_ledger *ledger, hr_error *err) {
    return hr_witness_check(ledger->db, err);
}

static hr_status move_on(sqlite3 *db, int64_t entry, const char *state, hr_error *err) {
    sqlite3_stmt *update = NULL;
    bool done = !sqlite3_prepare_v2(db, "UPDATE entries SET state = ? WHERE id = ? AND state = 'reserved'",
                                    -1, &update, NULL) &&
                !sqlite3_bind_text(update, 1, state, -1, SQLITE_STATIC) &&
                !sqlite3_bind_int64(update, 2, entry) && sqlite3_step(update) == SQLITE_DONE;
    hr_status status = done ? HR_OK : hr_store_fail(db, err);
    if (done && !sqlite3_changes(db))
        status = hr_fail(err, HR_E_ARGUMENT, "name the number that hr_ledger_reserve gave, once",
                         "entry %lld does not exist, or is void or committed already", (long long)entry);
    sqlite3_finalize(update);
    return status;
}

hr_status hr_ledger_reserve_within(hr_ledger *ledger, double epsilon, double delta, const char *purpose,
                                   int64_t *entry, hr_error *err) {
    assert(ledger && entry);
    account now = {0};
    int64_t id = 0;
    hr_status status = check_amounts(epsilon, delta, err);
    if (!status) status = check_purpose(purpose, err);
    if (status) return status;
    const spending ask = {hr_units_up(epsilon), hr_delta_up(delta)};
    status = read_account(ledger->db, &now, err);
    if (!status) status = check_left(&now, ask, err);
    if (!status) status = check_ledger_unit(ledger, err);
    if (status) return name_ledger_file(ledger, status, err);
    status = hr_witness_check(ledger->db, err);
    if (status) return status; /* which names the witness */
    status = insert_entry(ledger->db, ask, purpose, &id, err);
    if (status) return name_ledger_file(ledger, status, err);
    *entry = id;
    return HR_OK;
}

hr_status hr_ledger_reserve(hr_ledger *ledger, double epsilon, double delta, const char *purpose,
                            int64_t *entry, hr_error *err) {
    assert(ledger && entry);
    int64_t id = 0;
    /* Room before the reservation: to remember it must not fail afterwards. */
    int64_t *reserved = realloc(ledger->reserved, (ledger->reserved_count + 1) * sizeof *reserved);
    if (!reserved) return hr_fail_memory(err);
    ledger->reserved = reserved;
    hr_status status = begin_transaction(ledger, err);
    if (status) return status;
    status = hr_ledger_reserve_within(ledger, epsilon, delta, purpose, &id, err);
    if (!status) status = name_ledger_file(ledger, hr_store_run(ledger->db, "COMMIT", err), err);
    if (status) {
        roll_back(ledger->db);
        return status;
    }
    status = hr_ledger_settle(ledger, err);
    if (status) {
        (void)move_on(ledger->db, id, "void", NULL); /* nothing was drawn */
        return status;
    }
    ledger->reserved[ledger->reserved_count++] = id;
    *entry = id;
    return HR_OK;
}

hr_status hr_ledger_commit_within(hr_ledger *ledger, int64_t entry, hr_error *err) {
    assert(ledger);
    return name_ledger_file(ledger, move_on(ledger->db, entry, "committed", err), err);
}

hr_status hr_ledger_commit(hr_ledger *ledger, int64_t entry, hr_error *err) {
    assert(ledger);
    roll_back(ledger->db);
    return hr_ledger_commit_within(ledger, entry, err);
}

/* ---- Past spending ---- */

hr_status hr_ledger_enter_within(hr_ledger *ledger, const hr_past_charge *charge, int64_t *entry,
                                 hr_error *err) {
    assert(ledger && entry);
    hr_status status = check_amounts(charge->epsilon, charge->delta, err);
    if (!status) status = check_purpose(charge->purpose, err);
    if (status) return status;
    const spending spent = {hr_units_up(charge->epsilon), hr_delta_up(charge->delta)};
    status = check_ledger_unit(ledger, err);
    if (!status) status = insert_entry(ledger->db, spent, charge->purpose, entry, err);
    if (!status) status = move_on(ledger->db, *entry, "committed", err);
    return name_ledger_file(ledger, status, err);
}

/* Ends a write transaction. */
static hr_status end_transaction(hr_ledger *ledger, hr_status status, hr_error *err) {
    if (!status) status = name_ledger_file(ledger, hr_store_run(ledger->db, "COMMIT", err), err);
    if (!status) return hr_ledger_settle(ledger, err);
    roll_back(ledger->db);
    return status;
}

hr_status hr_ledger_enter(hr_ledger *ledger, double epsilon, double delta, const char *purpose,
                          int64_t *entry, hr_error *err) {
    const hr_past_charge charge = {epsilon, delta, purpose};
    hr_status status = begin_transaction(ledger, err);
    if (!status) status = hr_ledger_enter_within(ledger, &charge, entry, err);
    return end_transaction(ledger, status, err);
}

hr_status hr_ledger_set_witness(hr_ledger *ledger, const char *path, hr_error *err) {
    if (!path || path[0] != '/' || strlen(path) >= PATH_MAX - sizeof ".new") {
        hr_fail(err, HR_E_ARGUMENT,
                "give a path that begins with /, such as /var/lib/hedgerow/hospital.entries",
                "the path of the witness is not absolute, or too long");
        return hr_fail_at(err, HR_E_ARGUMENT, path, 0, 0, NULL);
    }
    hr_status status = begin_transaction(ledger, err);
    if (!status) status = hr_witness_name(ledger->db, path, err);
    return end_transaction(ledger, status, err);
}

static bool has_reserved(const hr_ledger *ledger, int64_t entry) {
    for (size_t i = 0; i < ledger->reserved_count; i++)
        if (ledger->reserved[i] == entry) return true;
    return false;
}

hr_status hr_ledger_void(hr_ledger *ledger, int64_t entry, hr_error *err) {
    assert(ledger);
    if (!has_reserved(ledger, entry)) {
        hr_status status =
            hr_fail(err, HR_E_POLICY, "count it as spent: it is not known what its run has released",
                    "entry %lld was not reserved through this handle", (long long)entry);
        return name_ledger_file(ledger, status, err);
    }
    roll_back(ledger->db);
    return name_ledger_file(ledger, move_on(ledger->db, entry, "void", err), err);
}

hr_status hr_ledger_freeze(hr_ledger *ledger, hr_error *err) {
    assert(ledger);
    static const char sql[] =
        "UPDATE limits SET frozen = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE frozen IS NULL";
    roll_back(ledger->db);
    hr_status status = hr_store_run(ledger->db, sql, err);
    if (!status) hr_store_copy_log(ledger->db);
    return name_ledger_file(ledger, status, err);
}

hr_status hr_ledger_sum_within(sqlite3 *db, hr_ledger_total *out, hr_error *err) {
    account now = {0};
    hr_status status = read_account(db, &now, err);
    if (!status) *out = total_of_account(&now);
    return status;
}

hr_status hr_ledger_sum(hr_ledger *ledger, hr_ledger_total *out, hr_error *err) {
    assert(ledger && out);
    hr_status status = hr_ledger_sum_within(ledger->db, out, err);
    return status ? name_ledger_file(ledger, status, err) : HR_OK;
}

/* False when memory was too short to fetch the texts. */
static bool read_entry(sqlite3_stmt *query, hr_ledger_entry *out) {
    const char *when = (const char *)sqlite3_column_text(query, 1);
    const char *purpose = (const char *)sqlite3_column_text(query, 2);
    const char *state = (const char *)sqlite3_column_text(query, 5);
    if (!when || !purpose || !state) return false;
    *out = (hr_ledger_entry){.id = sqlite3_column_int64(query, 0),
                             .when = when,
                             .purpose = purpose,
                             .epsilon = hr_units_value((hr_units)sqlite3_column_int64(query, 3)),
                             .delta = hr_delta_value((hr_delta_units)sqlite3_column_int64(query, 4)),
                             .state = HR_ENTRY_RESERVED};
    if (!strcmp(state, "committed")) out->state = HR_ENTRY_COMMITTED;
    if (!strcmp(state, "void")) out->state = HR_ENTRY_VOID;
    return true;
}

hr_status hr_ledger_each(hr_ledger *ledger, bool (*visit)(void *user, const hr_ledger_entry *entry),
                         void *user, hr_error *err) {
    assert(ledger && visit);
    sqlite3_stmt *query = NULL;
    static const char sql[] =
        "SELECT id, time, purpose, epsilon_units, delta_units, state FROM entries ORDER BY id";
    int step = sqlite3_prepare_v2(ledger->db, sql, -1, &query, NULL);
    if (!step) step = sqlite3_step(query);
    hr_status status = HR_OK;
    hr_ledger_entry entry;
    for (; step == SQLITE_ROW && !status; step = sqlite3_step(query)) {
        if (!read_entry(query, &entry))
            status = hr_fail_memory(err);
        else if (!visit(user, &entry))
            break;
    }
    if (!status && step != SQLITE_DONE && step != SQLITE_ROW) status = hr_store_fail(ledger->db, err);
    sqlite3_finalize(query);
    return name_ledger_file(ledger, status, err);
}
