#include "privacy/ledger/kept_statements.h"

#include <stddef.h>

static hr_statement *find_free(hr_statements *s, const char *sql) {
    for (int i = 0; i < s->count; i++)
        if (s->kept[i].sql == sql && !s->kept[i].is_used) return &s->kept[i];
    return NULL;
}

sqlite3_stmt *hr_statements_take(hr_statements *s, sqlite3 *db, const char *sql) {
    hr_statement *known = find_free(s, sql);
    if (known) {
        known->is_used = true;
        return known->prepared;
    }
    sqlite3_stmt *made = NULL;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, NULL)) return NULL;
    if (s->count < HR_STATEMENTS_MAX) s->kept[s->count++] = (hr_statement){sql, made, true};
    return made;
}

void hr_statements_give_back(hr_statements *s, sqlite3_stmt *statement) {
    for (int i = 0; statement && i < s->count; i++) {
        if (s->kept[i].prepared != statement) continue;
        (void)sqlite3_reset(statement); /* its failure was reported by the step */
        (void)sqlite3_clear_bindings(statement);
        s->kept[i].is_used = false;
        return;
    }
    (void)sqlite3_finalize(statement);
}

void hr_statements_done(hr_statements *s) {
    for (int i = 0; i < s->count; i++) (void)sqlite3_finalize(s->kept[i].prepared);
    s->count = 0;
}
