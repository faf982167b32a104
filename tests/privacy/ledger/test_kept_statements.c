/* Statements that are kept: each use begins with nothing bound, none holds the file, and two uses of one text
 * at a time do not meet. */
#include "privacy/ledger/kept_statements.h"
#include "support/check.h"

#include <stdio.h>

static const char ask_value[] = "SELECT ?1", rows[] = "SELECT n FROM numbers ORDER BY n",
                  add[] = "INSERT INTO numbers VALUES (?1)";

typedef struct file {
    sqlite3 *db;
    hr_statements statements;
} file;

static int file_open(void **state) {
    file *f = calloc(1, sizeof *f);
    if (!f || sqlite3_open(":memory:", &f->db)) return -1;
    *state = f;
    return sqlite3_exec(f->db,
                        "CREATE TABLE numbers (n INTEGER PRIMARY KEY); INSERT INTO numbers VALUES (1), (2)",
                        NULL, NULL, NULL);
}

static int file_close(void **state) {
    file *f = *state;
    hr_statements_done(&f->statements);
    const int closed = sqlite3_close(f->db); /* fails while there is a statement */
    free(f);
    return closed;
}

static sqlite3_stmt *take(file *f, const char *sql) {
    sqlite3_stmt *statement = hr_statements_take(&f->statements, f->db, sql);
    assert_non_null(statement);
    return statement;
}

static void test_statements__are_prepared_once(void **state) {
    file *f = *state;
    sqlite3_stmt *first = take(f, ask_value);
    hr_statements_give_back(&f->statements, first);
    for (int i = 0; i < 10; i++) {
        assert_ptr_equal(take(f, ask_value), first);
        hr_statements_give_back(&f->statements, first);
    }
    assert_int_equal(f->statements.count, 1);
}

static void test_statements__begin_with_nothing_bound(void **state) {
    file *f = *state;
    sqlite3_stmt *s = take(f, ask_value);
    assert_int_equal(sqlite3_bind_text(s, 1, "secret", -1, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    hr_statements_give_back(&f->statements, s);
    s = take(f, ask_value);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_int_equal(sqlite3_column_type(s, 0), SQLITE_NULL);
    hr_statements_give_back(&f->statements, s);
}

/* A query that is left in the middle, and a change that fails: neither is so at the next use. */
static void test_statements__begin_anew(void **state) {
    file *f = *state;
    for (int i = 0; i < 3; i++) {
        sqlite3_stmt *s = take(f, rows);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(s, 0), 1);
        hr_statements_give_back(&f->statements, s);
        s = take(f, add);
        assert_int_equal(sqlite3_bind_int(s, 1, i % 2 ? 10 + i : 1), SQLITE_OK);
        assert_int_equal(sqlite3_step(s), i % 2 ? SQLITE_DONE : SQLITE_CONSTRAINT);
        hr_statements_give_back(&f->statements, s);
    }
    for (sqlite3_stmt *s = sqlite3_next_stmt(f->db, NULL); s; s = sqlite3_next_stmt(f->db, s))
        assert_false(sqlite3_stmt_busy(s));
}

static void test_statements__of_one_text_may_be_used_within_each_other(void **state) {
    file *f = *state;
    sqlite3_stmt *outer = take(f, rows);
    int seen = 0;
    while (sqlite3_step(outer) == SQLITE_ROW) {
        sqlite3_stmt *inner = take(f, rows);
        assert_ptr_not_equal(inner, outer);
        assert_int_equal(sqlite3_step(inner), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(inner, 0), 1);
        hr_statements_give_back(&f->statements, inner);
        assert_int_equal(sqlite3_column_int(outer, 0), ++seen);
    }
    assert_int_equal(seen, 2);
    hr_statements_give_back(&f->statements, outer);
}

static void test_statements__above_those_that_are_kept_are_used_once(void **state) {
    file *f = *state;
    char texts[HR_STATEMENTS_MAX + 10][32];
    for (int i = 0; i < HR_STATEMENTS_MAX + 10; i++) {
        snprintf(texts[i], sizeof texts[i], "SELECT %d", i);
        sqlite3_stmt *s = take(f, texts[i]);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(s, 0), i);
        hr_statements_give_back(&f->statements, s);
    }
    assert_int_equal(f->statements.count, HR_STATEMENTS_MAX);
}

static void test_statements__that_cannot_be_prepared_are_not_kept(void **state) {
    file *f = *state;
    assert_null(hr_statements_take(&f->statements, f->db, "SELECT n FROM letters"));
    assert_int_equal(sqlite3_errcode(f->db), SQLITE_ERROR);
    hr_statements_give_back(&f->statements, NULL);
    assert_int_equal(f->statements.count, 0);
}

#define OF_FILE(test) cmocka_unit_test_setup_teardown(test, file_open, file_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        OF_FILE(test_statements__are_prepared_once),
        OF_FILE(test_statements__begin_with_nothing_bound),
        OF_FILE(test_statements__begin_anew),
        OF_FILE(test_statements__of_one_text_may_be_used_within_each_other),
        OF_FILE(test_statements__above_those_that_are_kept_are_used_once),
        OF_FILE(test_statements__that_cannot_be_prepared_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
