/* Statements of one connection that are prepared once and used again. Thread: one at a time. */
#ifndef HR_PRIVACY_LEDGER_KEPT_STATEMENTS_H
#define HR_PRIVACY_LEDGER_KEPT_STATEMENTS_H

#include <sqlite3.h>
#include <stdbool.h>

enum { HR_STATEMENTS_MAX = 48 /* that are kept; those above are prepared for each use */ };

typedef struct hr_statement {
    const char *sql; /* known by their addresses: they are constants of the program */
    sqlite3_stmt *prepared;
    bool is_used;
} hr_statement;

typedef struct hr_statements {
    int count;
    hr_statement kept[HR_STATEMENTS_MAX];
} hr_statements;

/* A statement that nothing is bound to, for one use at a time. NULL: sqlite3_errcode of the connection has
 * the reason. The caller gives it back with hr_statements_give_back, also after a failure, before it commits.
 */
sqlite3_stmt *hr_statements_take(hr_statements *statements, sqlite3 *db, const char *sql);
/* NULL is allowed. What was bound need not live any longer. */
void hr_statements_give_back(hr_statements *statements, sqlite3_stmt *statement);
/* Before the connection is closed; all were given back. */
void hr_statements_done(hr_statements *statements);

#endif
