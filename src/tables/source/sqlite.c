/* Rows become lines of CSV, so that a cell means the same wherever it comes from. */
#include "tables/source/sqlite.h"

#include "base/buffer.h"
#include "base/text/number.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 10 * 1000 /* milliseconds that another process may keep the file locked */ };

typedef struct sqlite_rows {
    hr_byte_stream stream;
    sqlite3 *db;
    sqlite3_stmt *rows;
    hr_buffer lines; /* as CSV; the first `taken` bytes were given */
    size_t taken;
    int columns;
    bool ended;
} sqlite_rows;

/* ---- Opening ---- */

static hr_status fail_sqlite(sqlite3 *db, hr_error *err) {
    const int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM) return hr_fail_memory(err);
    const char *remedy = code == SQLITE_BUSY || code == SQLITE_LOCKED
                             ? "another program is writing it: try again when that has ended"
                             : "check the file, its permissions and those of its folder";
    return hr_fail(err, HR_E_IO, remedy, "the database cannot be read: %s", sqlite3_errmsg(db));
}

static hr_status refuse_query(const hr_query *query, size_t at, const char *message, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, "write one SELECT into the file", "%s", message);
    return hr_query_fail_at(query, at, HR_E_FORMAT, err);
}

static size_t error_offset(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3038000
    int at = sqlite3_error_offset(db);
    return at < 0 ? SIZE_MAX : (size_t)at;
#else
    (void)db;
    return SIZE_MAX;
#endif
}

/* Whether there is a statement in what follows the first one. */
static bool is_statement(sqlite3 *db, const char *rest) {
    sqlite3_stmt *other = NULL;
    int code = SQLITE_OK;
    while (*rest && !code && !other) code = sqlite3_prepare_v2(db, rest, -1, &other, &rest);
    sqlite3_finalize(other);
    return code || other;
}

static hr_status prepare_rows(sqlite_rows *s, const hr_query *query, hr_error *err) {
    const char *rest = "";
    const int code = sqlite3_prepare_v2(s->db, query->text, -1, &s->rows, &rest);
    if (code == SQLITE_ERROR) return refuse_query(query, error_offset(s->db), sqlite3_errmsg(s->db), err);
    if (code) return fail_sqlite(s->db, err);
    if (!s->rows) return refuse_query(query, SIZE_MAX, "the file holds no query", err);
    if (is_statement(s->db, rest))
        return refuse_query(query, (size_t)(rest - query->text), "the file holds several statements", err);
    s->columns = sqlite3_column_count(s->rows);
    if (!sqlite3_stmt_readonly(s->rows) || !s->columns)
        return refuse_query(query, SIZE_MAX, "the statement does something else than to read a table", err);
    if (sqlite3_bind_parameter_count(s->rows))
        return refuse_query(query, SIZE_MAX, "the query has parameters, and there are no values for them",
                            err);
    return HR_OK;
}

static hr_status write_names(sqlite_rows *s, hr_error *err) {
    for (int i = 0; i < s->columns; i++) {
        const char *name = sqlite3_column_name(s->rows, i);
        if (!name) return hr_fail_memory(err);
        if (i) hr_buffer_add(&s->lines, ",", 1);
        hr_buffer_quote(&s->lines, name, strlen(name));
    }
    hr_buffer_add(&s->lines, "\n", 1);
    return HR_OK;
}

/* ---- Rows ---- */

static void write_real(hr_buffer *lines, double value) {
    char text[HR_NUMBER_TEXT];
    if (isfinite(value))
        hr_number_text(value, text);
    else
        strcpy(text, value > 0 ? "inf" : "-inf"); /* the reader refuses it, with the place */
    hr_buffer_text(lines, text);
}

static hr_status write_cell(sqlite_rows *s, int i, hr_error *err) {
    switch (sqlite3_column_type(s->rows, i)) {
    case SQLITE_INTEGER:
        hr_buffer_format(&s->lines, "%lld", (long long)sqlite3_column_int64(s->rows, i));
        break;
    case SQLITE_FLOAT: write_real(&s->lines, sqlite3_column_double(s->rows, i)); break;
    case SQLITE_NULL:
        if (s->columns == 1) hr_buffer_text(&s->lines, "\"\""); /* an empty line would be no record */
        break;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(s->rows, i);
        if (!text) return hr_fail_memory(err);
        hr_buffer_quote(&s->lines, text, (size_t)sqlite3_column_bytes(s->rows, i));
        break;
    }
    default:
        hr_fail(err, HR_E_FORMAT, "leave the column out of the query, or CAST it",
                "a BLOB is no cell of a table");
        return hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, sqlite3_column_name(s->rows, i));
    }
    return HR_OK;
}

static hr_status write_row(sqlite_rows *s, hr_error *err) {
    const int code = sqlite3_step(s->rows);
    s->ended = code == SQLITE_DONE;
    if (s->ended) return HR_OK;
    if (code != SQLITE_ROW) return fail_sqlite(s->db, err);
    for (int i = 0; i < s->columns; i++) {
        if (i) hr_buffer_add(&s->lines, ",", 1);
        hr_status status = write_cell(s, i, err);
        if (status) return status;
    }
    hr_buffer_add(&s->lines, "\n", 1);
    return HR_OK;
}

static hr_status read_sqlite(hr_byte_stream *stream, char *to, size_t room, size_t *size, hr_error *err) {
    sqlite_rows *s = (sqlite_rows *)stream;
    if (s->taken == s->lines.size) s->taken = s->lines.size = 0;
    while (s->lines.size < room && !s->ended) {
        hr_status status = write_row(s, err);
        if (status) return status;
        if (s->lines.failed) return hr_fail_memory(err);
    }
    *size = s->lines.size - s->taken < room ? s->lines.size - s->taken : room;
    if (*size) memcpy(to, s->lines.bytes + s->taken, *size);
    s->taken += *size;
    return HR_OK;
}

static void free_sqlite(hr_byte_stream *stream) {
    sqlite_rows *s = (sqlite_rows *)stream;
    sqlite3_finalize(s->rows);
    sqlite3_close(s->db);
    hr_buffer_done(&s->lines);
    free(s);
}

hr_status hr_sqlite_open(const char *path, const hr_query *query, hr_byte_stream **out, hr_error *err) {
    sqlite_rows *s = malloc(sizeof *s);
    if (!s) return hr_fail_memory(err);
    *s = (sqlite_rows){.stream = {read_sqlite, free_sqlite}};
    hr_status status = HR_OK;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READONLY, NULL)) status = fail_sqlite(s->db, err);
    if (!status) sqlite3_busy_timeout(s->db, PATIENCE);
    if (!status) status = prepare_rows(s, query, err);
    if (!status) status = write_names(s, err);
    if (status)
        free_sqlite(&s->stream);
    else
        *out = &s->stream;
    return status;
}
