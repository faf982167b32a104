/* The process that works from a journal, and the members that it found present, for people; and how long its
 * jobs have waited for them. */
#include "base/text/text.h"
#include "privacy/ledger/journal_layout.h"
#include "privacy/ledger/store.h"

#include <stdio.h>

hr_status hr_journal_note_presence(hr_journal *journal, const hr_journal_presence *members, size_t count,
                                   hr_error *err) {
    sqlite3 *db = hr_journal_file(journal);
    sqlite3_stmt *row = NULL;
    hr_status status = hr_store_run(db, "DELETE FROM presence", err);
    if (status || !count) return status;
    if (sqlite3_prepare_v2(db, "INSERT INTO presence (member, present, since, seen) VALUES (?, ?, ?, ?)", -1,
                           &row, NULL))
        return hr_store_fail(db, err);
    for (size_t i = 0; !status && i < count; i++) {
        const hr_journal_presence *m = &members[i];
        const bool bound = !sqlite3_bind_text(row, 1, m->member, -1, SQLITE_STATIC) &&
                           !sqlite3_bind_int(row, 2, m->present) && !sqlite3_bind_int64(row, 3, m->since) &&
                           !sqlite3_bind_int64(row, 4, m->seen);
        if (!bound || sqlite3_step(row) != SQLITE_DONE || sqlite3_reset(row)) status = hr_store_fail(db, err);
    }
    sqlite3_finalize(row);
    return status;
}

hr_status hr_journal_presence_of(sqlite3 *db, hr_journal_presence_list *out, hr_error *err) {
    static const char sql[] = "SELECT member, present, since, seen FROM presence ORDER BY member";
    int64_t tables = 0;
    sqlite3_stmt *row = NULL;
    out->count = 0;
    hr_status status =
        hr_store_number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'presence'", &tables, err);
    if (status || !tables) return status;
    int step = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? SQLITE_ERROR : SQLITE_ROW;
    while (step == SQLITE_ROW && (step = sqlite3_step(row)) == SQLITE_ROW &&
           out->count < HR_JOURNAL_PRESENCE_MAX) {
        const unsigned char *member = sqlite3_column_text(row, 0);
        char *name = out->names[out->count];
        snprintf(name, HR_JOURNAL_MEMBER, "%s", member ? (const char *)member : "");
        out->members[out->count++] = (hr_journal_presence){.member = name,
                                                           .present = sqlite3_column_int(row, 1) != 0,
                                                           .since = sqlite3_column_int64(row, 2),
                                                           .seen = sqlite3_column_int64(row, 3)};
    }
    status = step == SQLITE_DONE || step == SQLITE_ROW ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}

hr_status hr_journal_run_of(sqlite3 *db, hr_journal_view *view, hr_error *err) {
    static const char sql[] =
        "SELECT process, begun, seen, contact, reconnects, connected FROM runs WHERE only = 1";
    sqlite3_stmt *row = NULL;
    const int step = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? SQLITE_ERROR : sqlite3_step(row);
    view->known = step == SQLITE_ROW;
    if (view->known) {
        const int64_t reconnects = sqlite3_column_int64(row, 4);
        view->run = (hr_journal_run){.process = sqlite3_column_int64(row, 0),
                                     .begun = sqlite3_column_int64(row, 1),
                                     .seen = sqlite3_column_int64(row, 2),
                                     .contact = sqlite3_column_int64(row, 3),
                                     .reconnects = reconnects > 0 ? (uint64_t)reconnects : 0,
                                     .connected = sqlite3_column_int(row, 5) != 0};
    }
    hr_status status = step == SQLITE_ROW || step == SQLITE_DONE ? HR_OK : hr_store_fail(db, err);
    sqlite3_finalize(row);
    return status;
}

/* ---- Waits ---- */

enum { SQL = 200 };

hr_status hr_journal_forget_waits(hr_journal *journal, hr_error *err) {
    return hr_store_run(hr_journal_file(journal), "DELETE FROM waits", err);
}

hr_status hr_journal_note_wait(hr_journal *journal, const uint8_t *id, const hr_journal_waited *waited,
                               hr_error *err) {
    char job[HR_JOURNAL_ID_TEXT], sql[SQL];
    hr_text_hex(id, HR_JOURNAL_ID, job);
    snprintf(sql, sizeof sql, "INSERT INTO waits (job, advances, waited) VALUES (x'%s', %lld, %lld)", job,
             (long long)waited->advances, (long long)waited->milliseconds);
    return hr_store_run(hr_journal_file(journal), sql, err);
}

hr_status hr_journal_wait_of(hr_journal *journal, const uint8_t *id, hr_journal_waited *out, hr_error *err) {
    char job[HR_JOURNAL_ID_TEXT], sql[SQL];
    int64_t advances = 0;
    sqlite3 *db = hr_journal_file(journal);
    hr_text_hex(id, HR_JOURNAL_ID, job);
    *out = (hr_journal_waited){0};
    snprintf(sql, sizeof sql, "SELECT ifnull(sum(advances), 0) FROM waits WHERE job = x'%s'", job);
    hr_status status = hr_store_number(db, sql, &advances, err);
    out->advances = (uint64_t)advances;
    snprintf(sql, sizeof sql, "SELECT ifnull(sum(waited), 0) FROM waits WHERE job = x'%s'", job);
    return status ? status : hr_store_number(db, sql, &out->milliseconds, err);
}
