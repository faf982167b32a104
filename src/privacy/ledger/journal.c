#include "privacy/ledger/journal.h"

#include "base/fail.h"
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal_layout.h"
#include "privacy/ledger/kept_statements.h"
#include "privacy/ledger/spend.h"
#include "privacy/ledger/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x48524a4e, LAYOUT_VERSION = 2 }; /* "HRJN" */

struct hr_journal {
    sqlite3 *db;
    hr_statements statements;
    hr_ledger *ledger;       /* NULL: the file is the journal's own */
    hr_file_lock *file_lock; /* NULL: there is no file */
    bool reserves;           /* the transaction does */
    bool forgets;            /* there will be no crash to survive: events are not kept */
    bool (*again)(void *user, int tries);
    void *user;
};

/* ---- Opening ---- */

static hr_status wrap(sqlite3 *db, hr_ledger *ledger, hr_journal **out, hr_error *err) {
    hr_journal *journal = malloc(sizeof *journal);
    if (!journal) return hr_fail_memory(err);
    *journal = (hr_journal){.db = db, .ledger = ledger};
    const char *path = sqlite3_db_filename(db, "main");
    hr_status status = path && *path ? hr_file_lock_take(path, &journal->file_lock, err) : HR_OK;
    if (!status) status = hr_journal_begin(journal, err);
    if (!status) status = hr_journal_lay_out(db, err);
    if (!status) status = hr_journal_commit(journal, err);
    if (status) {
        hr_journal_roll_back(journal);
        hr_statements_done(&journal->statements);
        hr_file_lock_release(journal->file_lock);
        free(journal);
        return status;
    }
    *out = journal;
    return HR_OK;
}

hr_status hr_journal_of_ledger(hr_ledger *ledger, hr_journal **out, hr_error *err) {
    return wrap(hr_ledger_file(ledger), ledger, out, err);
}

static hr_status own(sqlite3 *db, hr_journal **out, hr_error *err) {
    hr_status status = wrap(db, NULL, out, err);
    if (status) sqlite3_close(db);
    return status;
}

hr_status hr_journal_in_memory(hr_journal **out, hr_error *err) {
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)) {
        hr_status status = hr_store_fail(db, err);
        sqlite3_close(db);
        return status;
    }
    hr_status status = own(db, out, err);
    if (!status) (*out)->forgets = true;
    return status;
}

/* Another process may have done it meanwhile. */
static hr_status upgrade_journal(sqlite3 *db, hr_error *err) {
    int64_t version = 0;
    hr_status status = hr_store_run(db, "BEGIN IMMEDIATE", err);
    if (!status) status = hr_store_number(db, "PRAGMA user_version", &version, err);
    if (!status && version == 1) status = hr_journal_upgrade_layout(db, err);
    if (!status && version == 1) status = hr_store_run(db, "PRAGMA user_version = 2", err);
    if (!status) status = hr_store_run(db, "COMMIT", err);
    if (status && !sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* An empty file becomes a journal; of others, only a journal of this version or an older one is taken. */
static hr_status identify(sqlite3 *db, hr_error *err) {
    int64_t application = 0, version = 0, tables = 0;
    hr_status status = hr_store_number(db, "PRAGMA application_id", &application, err);
    if (!status) status = hr_store_number(db, "PRAGMA user_version", &version, err);
    if (!status) status = hr_store_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (status) return status;
    if (!tables && !application) {
        char mark[200];
        snprintf(mark, sizeof mark,
                 "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; PRAGMA "
                 "application_id = %d; PRAGMA "
                 "user_version = %d; COMMIT",
                 APPLICATION_ID, LAYOUT_VERSION);
        return hr_store_run(db, mark, err);
    }
    if (application != APPLICATION_ID)
        return hr_fail(err, HR_E_FORMAT, "name a separate file; it is created if it does not exist",
                       "this file is not a journal");
    if (version == LAYOUT_VERSION) return HR_OK;
    if (version == 1) return upgrade_journal(db, err);
    return hr_fail(err, HR_E_FORMAT, "use the version of Hedgerow that made it",
                   "the journal has layout version %lld, this library knows %d", (long long)version,
                   LAYOUT_VERSION);
}

static hr_status open_file(const char *path, hr_journal **out, hr_error *err) {
    sqlite3 *db = NULL;
    hr_status status = access(path, F_OK) ? hr_store_make_file(path, err) : HR_OK;
    if (!status) status = hr_store_connect(path, &db, err);
    if (status) return status;
    status = hr_store_guard(db, err);
    if (!status) status = identify(db, err);
    if (!status) status = hr_store_check_pages(db, err);
    if (!status) return own(db, out, err);
    sqlite3_close(db);
    return status;
}

hr_status hr_journal_open(const char *path, hr_journal **out, hr_error *err) {
    hr_status status = open_file(path, out, err);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

static int ask_again(void *user, int tries) {
    const hr_journal *journal = user;
    return journal->again(journal->user, tries);
}

void hr_journal_wait(hr_journal *journal, bool (*again)(void *user, int tries), void *user) {
    journal->again = again;
    journal->user = user;
    (void)sqlite3_busy_handler(journal->db, ask_again, journal);
}

void hr_journal_close(hr_journal *journal) {
    if (!journal) return;
    hr_journal_roll_back(journal);
    hr_statements_done(&journal->statements);
    if (journal->again) hr_store_be_patient(journal->db);
    if (!journal->ledger) sqlite3_close(journal->db);
    hr_file_lock_release(journal->file_lock);
    free(journal);
}

sqlite3 *hr_journal_file(const hr_journal *journal) {
    return journal->db;
}

/* ---- Statements ---- */

/* A value of a statement: a text, else bytes, else a number. */
typedef struct value {
    const char *text;
    hr_blob blob;
    int64_t number;
} value;

#define TEXT(t) ((value){.text = (t)})
#define BYTES(a, s) ((value){.blob = {(const uint8_t *)(a), (s)}})
#define NUMBER(n) ((value){.number = (int64_t)(n)})
#define ID(id) BYTES(id, HR_JOURNAL_ID)

static int bind(sqlite3_stmt *statement, int at, const value *v) {
    if (v->text) return sqlite3_bind_text(statement, at, v->text, -1, SQLITE_STATIC);
    if (v->blob.at) return sqlite3_bind_blob64(statement, at, v->blob.at, v->blob.size, SQLITE_STATIC);
    return sqlite3_bind_int64(statement, at, v->number);
}

static sqlite3_stmt *prepare_journal_query(hr_journal *journal, const char *sql, const value *values,
                                           int count, hr_status *status, hr_error *err) {
    sqlite3_stmt *statement = hr_statements_take(&journal->statements, journal->db, sql);
    bool fine = statement != NULL;
    for (int i = 0; fine && i < count; i++) fine = !bind(statement, i + 1, &values[i]);
    *status = fine ? HR_OK : hr_store_fail(journal->db, err);
    return statement;
}

/* A statement that changes something. */
static hr_status change(hr_journal *journal, const char *sql, const value *values, int count, hr_error *err) {
    hr_status status;
    sqlite3_stmt *statement = prepare_journal_query(journal, sql, values, count, &status, err);
    if (!status && sqlite3_step(statement) != SQLITE_DONE) status = hr_store_fail(journal->db, err);
    hr_statements_give_back(&journal->statements, statement);
    return status;
}

/* The number that a query answers; 0 if there is no row. */
static hr_status ask_journal_number(hr_journal *journal, const char *sql, const value *values, int count,
                                    int64_t *out, hr_error *err) {
    hr_status status;
    sqlite3_stmt *query = prepare_journal_query(journal, sql, values, count, &status, err);
    int step = status ? SQLITE_DONE : sqlite3_step(query);
    *out = step == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0;
    if (step != SQLITE_ROW && step != SQLITE_DONE) status = hr_store_fail(journal->db, err);
    hr_statements_give_back(&journal->statements, query);
    return status;
}

/* Whether the number that a query answers is another than 0. */
static hr_status ask_whether(hr_journal *journal, const char *sql, const value *values, int count, bool *out,
                             hr_error *err) {
    int64_t number = 0;
    hr_status status = ask_journal_number(journal, sql, values, count, &number, err);
    if (!status) *out = number != 0;
    return status;
}

/* What is done with each row of a query. */
typedef hr_status row_visit(void *user, sqlite3_stmt *row);

/* id: of a job, the only value of the query; NULL: the query has none. */
static hr_status each(hr_journal *journal, const char *sql, const uint8_t *id, row_visit *visit, void *user,
                      hr_error *err) {
    hr_status status;
    sqlite3_stmt *query = prepare_journal_query(journal, sql, &ID(id), id != NULL, &status, err);
    int step = SQLITE_ROW;
    while (!status && (step = sqlite3_step(query)) == SQLITE_ROW) status = visit(user, query);
    if (!status && step != SQLITE_DONE) status = hr_store_fail(journal->db, err);
    hr_statements_give_back(&journal->statements, query);
    return status;
}

static const uint8_t none;

static hr_blob blob_of(sqlite3_stmt *row, int column) {
    const void *at = sqlite3_column_blob(row, column);
    return (hr_blob){at ? at : &none, (size_t)sqlite3_column_bytes(row, column)};
}

static value bytes_of(hr_blob blob) {
    return BYTES(blob.at ? blob.at : &none, blob.size);
}

/* ---- Transactions ---- */

hr_status hr_journal_begin(hr_journal *journal, hr_error *err) {
    hr_journal_roll_back(journal);
    return change(journal, "BEGIN IMMEDIATE", NULL, 0, err);
}

hr_status hr_journal_commit(hr_journal *journal, hr_error *err) {
    hr_status status = change(journal, "COMMIT", NULL, 0, err);
    if (!status && journal->reserves) status = hr_ledger_settle(journal->ledger, err);
    journal->reserves = false;
    return status;
}

void hr_journal_roll_back(hr_journal *journal) {
    journal->reserves = false;
    if (!sqlite3_get_autocommit(journal->db)) sqlite3_exec(journal->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- Jobs ---- */

hr_status hr_journal_add_job(hr_journal *journal, const hr_journal_job *job, hr_error *err) {
    const value values[] = {ID(job->id), NUMBER(job->date), TEXT(job->coordinator), bytes_of(job->terms),
                            BYTES(job->key, HR_JOURNAL_KEY)};
    return change(journal,
                  "INSERT INTO jobs (id, time, coordinator, terms, key)"
                  " VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch'), ?, ?, ?)",
                  values, 5, err);
}

hr_status hr_journal_reserve(hr_journal *journal, hr_journal_job *job, double epsilon, double delta,
                             const char *purpose, hr_error *err) {
    if (!journal->ledger) return HR_OK;
    journal->reserves = true;
    hr_status status = hr_ledger_reserve_within(journal->ledger, epsilon, delta, purpose, &job->entry, err);
    const value values[] = {NUMBER(job->entry), ID(job->id)};
    return status ? status : change(journal, "UPDATE jobs SET entry = ? WHERE id = ?", values, 2, err);
}

hr_status hr_journal_find_charge(hr_journal *journal, hr_journal_job *job, hr_error *err) {
    static const char sql[] = "SELECT entry FROM jobs WHERE id = ?";
    journal->reserves = journal->ledger != NULL;
    return ask_journal_number(journal, sql, &ID(job->id), 1, &job->entry, err);
}

hr_status hr_journal_spend(hr_journal *journal, const hr_journal_job *job, hr_error *err) {
    bool open = false;
    if (!journal->ledger) return HR_OK;
    hr_status status =
        ask_whether(journal, "SELECT count(*) FROM entries WHERE id = ? AND state = 'reserved'",
                    &NUMBER(job->entry), 1, &open, err);
    return status || !open ? status : hr_ledger_commit_within(journal->ledger, job->entry, err);
}

hr_status hr_journal_note_job(hr_journal *journal, const uint8_t *id, const hr_journal_note *note,
                              hr_error *err) {
    char epsilon[32], round_gain[32];
    snprintf(epsilon, sizeof epsilon, "%.17g", note->epsilon);
    snprintf(round_gain, sizeof round_gain, "%.17g", note->round_gain);
    const value values[] = {
        ID(id), TEXT(note->name), TEXT(epsilon), TEXT(note->state), TEXT(note->awaits), TEXT(round_gain)};
    return change(journal,
                  "INSERT INTO notes (job, name, epsilon, state, awaits, round_gain)"
                  " VALUES (?, ?, CAST(? AS REAL), ?, ?, CAST(? AS REAL))"
                  " ON CONFLICT (job) DO UPDATE SET name = excluded.name, epsilon = excluded.epsilon,"
                  " state = excluded.state, awaits = excluded.awaits, round_gain = excluded.round_gain",
                  values, 6, err);
}

/* Everything of the jobs that a query of ids answers. */
#define FORGET(jobs)                                                                                         \
    {                                                                                                        \
        "DELETE FROM packets WHERE job IN (" jobs ")", "DELETE FROM parties WHERE job IN (" jobs ")",        \
            "DELETE FROM notes WHERE job IN (" jobs ")", "DELETE FROM jobs WHERE id IN (" jobs ")"           \
    }
enum { FORGETS = 4 };

static hr_status forget(hr_journal *journal, const char *const *statements, const value *values, int count,
                        hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < FORGETS; i++)
        status = change(journal, statements[i], values, count, err);
    return status;
}

hr_status hr_journal_end_job(hr_journal *journal, const uint8_t *id, hr_error *err) {
    static const char *const statements[FORGETS] = {
        "UPDATE jobs SET over = 1, key = zeroblob(32) WHERE id = ?", "DELETE FROM events WHERE job = ?",
        "DELETE FROM progress WHERE job = ?", "DELETE FROM parts WHERE job = ?"};
    return forget(journal, statements, &ID(id), 1, err);
}

hr_status hr_journal_expire(hr_journal *journal, int64_t before, hr_error *err) {
    static const char *const statements[FORGETS] =
        FORGET("SELECT id FROM jobs WHERE over AND CAST(strftime('%s', time) AS INTEGER) < ?");
    return forget(journal, statements, &NUMBER(before), 1, err);
}

hr_status hr_journal_forget_unpaid(hr_journal *journal, const char *coordinator, int kept, hr_error *err) {
    static const char *const statements[FORGETS] =
        FORGET("SELECT id FROM jobs WHERE over AND entry = 0 AND coordinator = ?"
               " ORDER BY rowid DESC LIMIT -1 OFFSET ?");
    const value values[] = {TEXT(coordinator), NUMBER(kept)};
    return forget(journal, statements, values, 2, err);
}

hr_status hr_journal_shrink(hr_journal *journal, hr_error *err) {
    return hr_store_run(journal->db, "PRAGMA incremental_vacuum", err);
}

hr_status hr_journal_knows(hr_journal *journal, const uint8_t *id, bool *out, hr_error *err) {
    return ask_whether(journal, "SELECT count(*) FROM jobs WHERE id = ?", &ID(id), 1, out, err);
}

typedef struct job_visit {
    hr_status (*visit)(void *user, const hr_journal_job *job);
    void *user;
} job_visit;

static hr_status show_job(void *user, sqlite3_stmt *row) {
    const job_visit *v = user;
    hr_blob id = blob_of(row, 0), key = blob_of(row, 3);
    const char *coordinator = (const char *)sqlite3_column_text(row, 1);
    hr_journal_job job = {
        .coordinator = coordinator, .terms = blob_of(row, 2), .entry = sqlite3_column_int64(row, 4)};
    if (!coordinator) return HR_E_MEMORY;
    if (id.size != HR_JOURNAL_ID || key.size != HR_JOURNAL_KEY ||
        sqlite3_column_type(row, 5) != SQLITE_INTEGER)
        return HR_E_FORMAT;
    job.date = sqlite3_column_int64(row, 5);
    job.cancelled = sqlite3_column_int64(row, 6) != 0;
    job.round_gain = sqlite3_column_double(row, 7);
    memcpy(job.id, id.at, HR_JOURNAL_ID);
    memcpy(job.key, key.at, HR_JOURNAL_KEY);
    return v->visit(v->user, &job);
}

hr_status hr_journal_each_job(hr_journal *journal, hr_status (*visit)(void *user, const hr_journal_job *job),
                              void *user, hr_error *err) {
    job_visit v = {visit, user};
    return each(journal,
                "SELECT id, coordinator, terms, key, entry, CAST(strftime('%s', time) AS INTEGER), cancelled,"
                " round_gain"
                " FROM jobs LEFT JOIN notes ON notes.job = jobs.id WHERE over = 0 ORDER BY jobs.rowid",
                NULL, show_job, &v, err);
}

/* ---- The federation ---- */

hr_status hr_journal_federation(hr_journal *journal, const char *name, const char *fingerprint,
                                int64_t *version, bool *same, hr_error *err) {
    const value values[] = {TEXT(name), TEXT(fingerprint)};
    hr_status status = ask_journal_number(journal, "SELECT version FROM federations WHERE name = ?", values,
                                          1, version, err);
    static const char sql[] = "SELECT count(*) FROM federations WHERE name = ? AND fingerprint = ?";
    return status ? status : ask_whether(journal, sql, values, 2, same, err);
}

hr_status hr_journal_note_federation(hr_journal *journal, const char *name, const char *fingerprint,
                                     int64_t version, hr_error *err) {
    const value values[] = {TEXT(name), TEXT(fingerprint), NUMBER(version)};
    return change(journal, "INSERT OR REPLACE INTO federations (name, fingerprint, version) VALUES (?, ?, ?)",
                  values, 3, err);
}

/* ---- Events ---- */

static hr_status note_sequence(hr_journal *journal, const char *sql, const uint8_t *id, const char *name,
                               uint64_t sequence, hr_error *err) {
    const value values[] = {ID(id), TEXT(name), NUMBER(sequence)};
    return change(journal, sql, values, 3, err);
}

hr_status hr_journal_add_event(hr_journal *journal, const uint8_t *id, const hr_journal_event *event,
                               hr_error *err) {
    const value values[] = {ID(id),
                            NUMBER(event->kind),
                            TEXT(event->from),
                            NUMBER(event->sequence),
                            NUMBER(event->number),
                            bytes_of(event->bytes)};
    static const char sql[] =
        "INSERT INTO events (job, kind, sender, sequence, number, bytes) VALUES (?, ?, ?, ?, ?, ?)";
    hr_status status = journal->forgets ? HR_OK : change(journal, sql, values, 6, err);
    if (status || !event->sequence) return status;
    return note_sequence(journal,
                         "INSERT INTO parties (job, name, last_taken) VALUES (?, ?, ?)"
                         " ON CONFLICT (job, name) DO UPDATE SET last_taken = excluded.last_taken",
                         id, event->from, event->sequence, err);
}

typedef struct event_visit {
    hr_event_visit *visit;
    void *user;
} event_visit;

static hr_status show_event(void *user, sqlite3_stmt *row) {
    const event_visit *v = user;
    const char *from = (const char *)sqlite3_column_text(row, 1);
    if (!from) return HR_E_MEMORY;
    hr_journal_event event = {.kind = sqlite3_column_int(row, 0),
                              .from = from,
                              .sequence = (uint64_t)sqlite3_column_int64(row, 2),
                              .number = (uint64_t)sqlite3_column_int64(row, 3),
                              .bytes = blob_of(row, 4)};
    return v->visit(v->user, &event);
}

hr_status hr_journal_each_event(hr_journal *journal, const uint8_t *id, hr_event_visit *visit, void *user,
                                hr_error *err) {
    event_visit v = {visit, user};
    return each(journal, "SELECT kind, sender, sequence, number, bytes FROM events WHERE job = ? ORDER BY id",
                id, show_event, &v, err);
}

/* ---- Packets ---- */

/* name: the second value of the query; NULL: it has none. */
static hr_status read_sequence(hr_journal *journal, const char *sql, const uint8_t *id, const char *name,
                               uint64_t *out, hr_error *err) {
    const value values[] = {ID(id), TEXT(name)};
    int64_t sequence = 0;
    hr_status status = ask_journal_number(journal, sql, values, name ? 2 : 1, &sequence, err);
    if (!status) *out = (uint64_t)sequence;
    return status;
}

hr_status hr_journal_taken(hr_journal *journal, const uint8_t *id, const char *from, uint64_t *out,
                           hr_error *err) {
    return read_sequence(journal, "SELECT last_taken FROM parties WHERE job = ? AND name = ?", id, from, out,
                         err);
}

hr_status hr_journal_posted(hr_journal *journal, const uint8_t *id, const char *to, uint64_t *out,
                            hr_error *err) {
    return read_sequence(journal, "SELECT last_posted FROM parties WHERE job = ? AND name = ?", id, to, out,
                         err);
}

hr_status hr_journal_post(hr_journal *journal, const uint8_t *id, const char *to, uint64_t sequence,
                          hr_blob packet, hr_error *err) {
    const value values[] = {ID(id), TEXT(to), NUMBER(sequence), bytes_of(packet)};
    hr_status status = change(
        journal, "INSERT INTO packets (job, receiver, sequence, bytes) VALUES (?, ?, ?, ?)", values, 4, err);
    if (status) return status;
    return note_sequence(journal,
                         "INSERT INTO parties (job, name, last_posted) VALUES (?, ?, ?)"
                         " ON CONFLICT (job, name) DO UPDATE SET last_posted = excluded.last_posted",
                         id, to, sequence, err);
}

hr_status hr_journal_received(hr_journal *journal, const uint8_t *id, const char *to, uint64_t sequence,
                              hr_error *err) {
    return note_sequence(journal, "DELETE FROM packets WHERE job = ? AND receiver = ? AND sequence <= ?", id,
                         to, sequence, err);
}

hr_status hr_journal_unconfirmed(hr_journal *journal, const uint8_t *id, uint64_t *out, hr_error *err) {
    return read_sequence(
        journal, "SELECT max(n) FROM (SELECT count(*) AS n FROM packets WHERE job = ? GROUP BY receiver)", id,
        NULL, out, err);
}

hr_status hr_journal_owes(hr_journal *journal, bool *out, hr_error *err) {
    return ask_whether(journal, "SELECT EXISTS (SELECT 1 FROM packets)", NULL, 0, out, err);
}

typedef struct packet_visit {
    hr_packet_visit *visit;
    void *user;
} packet_visit;

static hr_status show_packet(void *user, sqlite3_stmt *row) {
    const packet_visit *v = user;
    const char *to = (const char *)sqlite3_column_text(row, 0);
    return to ? v->visit(v->user, to, (uint64_t)sqlite3_column_int64(row, 1), blob_of(row, 2)) : HR_E_MEMORY;
}

hr_status hr_journal_each_packet(hr_journal *journal, hr_packet_visit *visit, void *user, hr_error *err) {
    packet_visit v = {visit, user};
    return each(journal, "SELECT receiver, sequence, bytes FROM packets ORDER BY id", NULL, show_packet, &v,
                err);
}
