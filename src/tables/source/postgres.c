/* COPY (query) TO STDOUT gives CSV as the server writes it.
 *
 * The query stands within the text of that COPY. So the server parses it by itself first: what is one whole
 * statement has no parenthesis, quotation mark or comment that ends early or is left open, and cannot end the
 * COPY. */
#include "tables/source/postgres.h"

#include "base/buffer.h"
#include "base/text/text.h"
#include "tables/source/database_address.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 300 /* bytes of a message of the server */ };

static const char copy_begin[] = "COPY (\n", no_value[] = "\"\"\n";

typedef struct postgres_rows {
    hr_byte_stream stream;
    PGconn *connection;
    int columns;
    char *row;        /* of the answer; libpq's */
    const char *text; /* of it; the first `taken` of `size` bytes were given */
    size_t size, taken;
    bool ended;
} postgres_rows;

static void ignore_notice(void *user, const char *message) {
    (void)user, (void)message;
}

/* ---- Messages of the server ---- */

/* One line of printable characters, without the password. */
static void show_message(const postgres_rows *p, const char *message, char text[MESSAGE]) {
    while (*message == '\n') message++;
    char *hidden = strdup(message);
    if (!hidden) {
        strcpy(text, "out of memory");
        return;
    }
    hr_database_hide(hidden, PQpass(p->connection));
    hr_text_show(hidden, text, MESSAGE);
    free(hidden);
}

static void connection_message(const postgres_rows *p, char text[MESSAGE]) {
    char *message = strdup(PQerrorMessage(p->connection));
    if (!message) {
        strcpy(text, "out of memory");
        return;
    }
    size_t size = strlen(message);
    while (size && message[size - 1] == '\n') message[--size] = '\0';
    for (char *at = message; (at = strpbrk(at, "\n\t"));) *at = ' ';
    show_message(p, message, text);
    free(message);
}

static hr_status fail_connection(const postgres_rows *p, const char *what, const char *remedy,
                                 hr_error *err) {
    char text[MESSAGE];
    connection_message(p, text);
    return hr_fail(err, HR_E_IO, remedy, "%s: %s", what, text);
}

/* The message of the server about the query, of which `before` characters come first in what it was sent. */
static hr_status refuse_query(const postgres_rows *p, const hr_query *query, const PGresult *result,
                              size_t before, hr_error *err) {
    char text[MESSAGE];
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *position = PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION);
    const unsigned long at = position ? strtoul(position, NULL, 10) : 0;
    const bool writes = state && strcmp(state, "25006") == 0;
    if (!message)
        return fail_connection(p, "the connection was lost", "look at the server's log, and try again", err);

    /* The server counts characters from 1. */
    size_t byte = 0;
    for (unsigned long i = before + 1; i < at && query->text[byte]; i++) {
        do byte++;
        while (((unsigned char)query->text[byte] & 0xc0) == 0x80);
    }
    show_message(p, message, text);
    hr_fail(err, HR_E_FORMAT,
            writes ? "write one SELECT into the file: the database is only read"
                   : "correct the query: one SELECT",
            "the server refused the query: %s", text);
    return hr_query_fail_at(query, at > before ? byte : SIZE_MAX, HR_E_FORMAT, err);
}

/* ---- Opening ---- */

static hr_status connect_postgres(postgres_rows *p, const char *address, hr_error *err) {
    const char *const keys[] = {"fallback_application_name", "dbname", "client_encoding", NULL};
    const char *const values[] = {"hedgerow", address, "UTF8", NULL};
    char *message = NULL;
    PQconninfoOption *options = hr_database_is_plain(address) ? PQconninfoParse(address, &message) : NULL;
    PQfreemem(message); /* may hold a password */
    if (!options)
        return hr_fail(
            err, HR_E_FORMAT,
            "write postgresql://USER@HOST:PORT/DATABASE, and other characters than letters and digits as "
            "%XX (@ as %40, / as %2F)",
            "this is no address of a PostgreSQL database");
    PQconninfoFree(options);
    p->connection = PQconnectdbParams(keys, values, 1);
    if (!p->connection) return hr_fail_memory(err);
    PQsetNoticeProcessor(p->connection, ignore_notice, NULL);
    if (PQstatus(p->connection) == CONNECTION_OK) return HR_OK;
    return fail_connection(p, "cannot connect",
                           PQconnectionNeedsPassword(p->connection)
                               ? "put the password into the file ~/.pgpass or into the variable PGPASSWORD"
                               : "check the address, the user's rights, and that the server runs",
                           err);
}

static hr_status begin_snapshot(const postgres_rows *p, hr_error *err) {
    PGresult *result = PQexec(p->connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
                                             "SET LOCAL DateStyle TO ISO;"
                                             "SET LOCAL IntervalStyle TO iso_8601;"
                                             "SET LOCAL extra_float_digits TO 1");
    const bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return done ? HR_OK : fail_connection(p, "no transaction can be begun", "look at the server's log", err);
}

/* Parses the query by itself. */
static hr_status check_query(postgres_rows *p, const hr_query *query, hr_error *err) {
    hr_status status = HR_OK;
    PGresult *result = PQprepare(p->connection, "", query->text, 0, NULL);
    if (PQresultStatus(result) == PGRES_COMMAND_OK) {
        PQclear(result);
        result = PQdescribePrepared(p->connection, "");
    }
    p->columns = PQnfields(result);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        status = refuse_query(p, query, result, 0, err);
    } else if (!p->columns || PQnparams(result)) {
        hr_fail(err, HR_E_FORMAT, "write one SELECT into the file",
                p->columns ? "the query has parameters, and there are no values for them"
                           : "the statement does something else than to read a table");
        status = hr_query_fail_at(query, SIZE_MAX, HR_E_FORMAT, err);
    }
    PQclear(result);
    return status;
}

/* Of one column, also blanks must stand in quotation marks: a line of blanks is no record. */
static hr_status start_copy(const postgres_rows *p, const hr_query *query, hr_error *err) {
    hr_buffer copy = {0};
    hr_buffer_format(&copy, "%s%s\n) TO STDOUT (FORMAT csv, HEADER%s)", copy_begin, query->text,
                     p->columns == 1 ? ", FORCE_QUOTE *" : "");
    if (copy.failed) return hr_fail_memory(err);
    PGresult *result = PQexecParams(p->connection, copy.bytes, 0, NULL, NULL, NULL, NULL, 0);
    hr_status status = HR_OK;
    if (PQresultStatus(result) != PGRES_COPY_OUT)
        status = refuse_query(p, query, result, sizeof copy_begin - 1, err);
    PQclear(result);
    hr_buffer_done(&copy);
    return status;
}

/* ---- Rows ---- */

static hr_status next_postgres_row(postgres_rows *p, hr_error *err) {
    if (p->row) PQfreemem(p->row);
    p->row = NULL;
    const int size = PQgetCopyData(p->connection, &p->row, 0);
    p->taken = 0;
    p->size = size > 0 ? (size_t)size : 0;
    p->text = p->row;
    if (p->columns == 1 && size == 1) { /* NULL: an empty line would be no record */
        p->text = no_value;
        p->size = sizeof no_value - 1;
    }
    if (size > 0) return HR_OK;
    p->ended = true;
    if (size != -1)
        return fail_connection(p, "the connection was lost", "look at the server's log, and try again", err);

    /* After the last row: whether that was all of them. */
    char text[MESSAGE];
    PGresult *result = PQgetResult(p->connection);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const bool is_whole = PQresultStatus(result) == PGRES_COMMAND_OK;
    if (!is_whole && message) show_message(p, message, text);
    if (!is_whole && !message) connection_message(p, text);
    PQclear(result);
    if (is_whole) return HR_OK;
    return hr_fail(err, HR_E_IO, "correct the query, or look at the server's log and try again",
                   "the answer of the database ended early: %s", text);
}

static hr_status read_postgres(hr_byte_stream *stream, char *to, size_t room, size_t *size, hr_error *err) {
    postgres_rows *p = (postgres_rows *)stream;
    *size = 0;
    while (*size < room) {
        hr_status status = p->taken == p->size && !p->ended ? next_postgres_row(p, err) : HR_OK;
        if (status || p->ended) return status;
        const size_t left = p->size - p->taken, part = left < room - *size ? left : room - *size;
        memcpy(to + *size, p->text + p->taken, part);
        p->taken += part;
        *size += part;
    }
    return HR_OK;
}

static void free_postgres(hr_byte_stream *stream) {
    postgres_rows *p = (postgres_rows *)stream;
    if (p->row) PQfreemem(p->row);
    PQfinish(p->connection);
    free(p);
}

hr_status hr_postgres_open(const char *address, const hr_query *query, hr_byte_stream **out, hr_error *err) {
    postgres_rows *p = malloc(sizeof *p);
    if (!p) return hr_fail_memory(err);
    *p = (postgres_rows){.stream = {read_postgres, free_postgres}};
    hr_status status = connect_postgres(p, address, err);
    if (!status) status = begin_snapshot(p, err);
    if (!status) status = check_query(p, query, err);
    if (!status) status = start_copy(p, query, err);
    if (status)
        free_postgres(&p->stream);
    else
        *out = &p->stream;
    return status;
}
