/* Tables out of a real PostgreSQL server. */
#include "support/postgres_server.h"
#include "support/reader_checks.h"
#include "support/temp_dir.h"
#include "tables/source/table_source.h"

#include <unistd.h>

enum { PATH_SIZE = 128, SHOWN = 1300, ANYWHERE = 1000000 };

typedef struct served {
    void *dir;
    postgres_server server;
    hr_schema *schema;
    char query[PATH_SIZE];
    hr_read_options options;
} served;

static const char usual[] =
    "hedgerow-schema: 1\n"
    "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
    "features:\n"
    "  - {name: n, kind: number, low: -10, high: 1e300}\n"
    "  - {name: c, kind: category, values: [red, \"a,\\\"b\\\"\\nc\", \"caf\\u00e9\", \"\\\\.\"]}\n";

static const char tables[] =
    "CREATE TABLE t (id int PRIMARY KEY, n float8, c text, y text, at timestamp);"
    "INSERT INTO t VALUES (1, 1, 'red', 'no', '2026-11-01 10:00'), (2, 0.1, E'a,\"b\"\\nc', 'yes', NULL),"
    "(3, 1e300, NULL, 'no', NULL), (4, 9007199254740993, E'caf\\u00e9', 'yes', NULL), (5, NULL, '\\.', 'no', "
    "NULL);"
    "CREATE SEQUENCE s; CREATE ROLE reader LOGIN PASSWORD 'xq-geheim'; GRANT SELECT ON t TO reader;";

/* An address as another user; `options` is added. */
static const char *address_of(const served *s, const char *user, const char *database, const char *options) {
    static char address[2 * POSTGRES_PATH];
    snprintf(address, sizeof address, "postgresql:///%s?user=%s&host=%s%s", database, user, s->server.folder,
             options);
    return address;
}

static hr_status read_query(served *s, const char *address, const char *sql, hr_data **out, hr_error *err) {
    write_file(s->query, sql, strlen(sql));
    return hr_data_read(s->schema, address, &s->options, out, err);
}

static hr_data *must_query(served *s, const char *address, const char *sql) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (read_query(s, address, sql, &data, &err))
        fail_msg("%s:%d: %s: %s; %s", err.file, (int)err.line, err.field, err.message, err.remedy);
    return data;
}

/* `file`: NULL for the query's. `line`: or ANYWHERE. */
static void refuse_query(served *s, const char *sql, hr_status status, const char *file, uint64_t line,
                         const char *words) {
    hr_data *data = NULL;
    hr_error err = {0};
    hr_status given = read_query(s, s->server.address, sql, &data, &err);
    if (given != status || !strstr(err.message, words) || (line != ANYWHERE && err.line != line))
        fail_msg("'%s': %d, line %d: %s", sql, given, (int)err.line, err.message);
    assert_string_equal(err.file, file ? file : s->query);
    assert_true(err.remedy[0] != '\0');
    assert_null(data);
}

static const char shown[] = "postgresql:///postgres"; /* the address in messages */

/* ---- Answers ---- */

static void test_postgres__values_are_cells(void **state) {
    served *s = *state;
    hr_data *data =
        must_query(s, s->server.address, "-- all records\nSELECT y, n, c, id, at FROM t ORDER BY id; \n");
    static const double numbers[] = {1, 0.1, 1e300, 9007199254740992.0};
    static const uint16_t codes[] = {1, 2, 0, 3, 4};
    assert_int_equal(hr_data_rows(data), 5);
    assert_memory_equal(hr_data_numbers(data, 0), numbers, sizeof numbers);
    assert_true(isnan(hr_data_numbers(data, 0)[4]));
    assert_memory_equal(hr_data_codes(data, 1), codes, sizeof codes);
    assert_int_equal(hr_data_report(data, 0)->missing, 1);
    assert_int_equal(hr_data_report(data, 1)->missing, 1);
    assert_int_equal(hr_data_extra_columns(data), 2);
    hr_data_free(data);
}

static void test_postgres__a_single_value_is_a_record(void **state) {
    served *s = *state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1}\n"
                                    "features:\n  - {name: n, kind: number, low: -10, high: 10}\n");
    hr_data *data = NULL;
    hr_error err = {0};
    static const char sql[] = "SELECT n FROM (VALUES (NULL), ('1'), ('  '), (''), ('2')) AS v(n)";
    write_file(s->query, sql, strlen(sql));
    s->options.label_optional = true;
    assert_int_equal(hr_data_read(schema, s->server.address, &s->options, &data, &err), HR_OK);
    s->options.label_optional = false;
    assert_int_equal(hr_data_rows(data), 5);
    assert_int_equal(hr_data_report(data, 0)->missing, 3);
    assert_true(hr_data_numbers(data, 0)[1] == 1 && hr_data_numbers(data, 0)[4] == 2);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_postgres__empty_results_are_empty_tables(void **state) {
    served *s = *state;
    hr_data *data = must_query(s, s->server.address, "SELECT * FROM t WHERE false");
    assert_int_equal(hr_data_rows(data), 0);
    hr_data_free(data);
}

static void test_postgres__long_results_are_read_whole(void **state) {
    served *s = *state;
    hr_data *data = must_query(s, s->server.address,
                               "SELECT n, 'red' AS c, CASE n % 2 WHEN 1 THEN 'yes' ELSE 'no' END AS y,"
                               " repeat('x', n % 50) AS filler FROM generate_series(1, 50000) AS n");
    assert_int_equal(hr_data_rows(data), 50000);
    for (size_t i = 0; i < 50000; i++) {
        assert_true(hr_data_numbers(data, 0)[i] == (double)i + 1);
        assert_true(hr_data_labels(data)[i] == (double)((i + 1) % 2));
    }
    hr_data_free(data);
}

/* Two parts of a query see the same records, whatever is written meanwhile. */
static void test_postgres__the_transaction_is_one_read_only_snapshot(void **state) {
    served *s = *state;
    hr_data *data = must_query(s, s->server.address,
                               "SELECT 1 AS n, current_setting('transaction_isolation') || ' ' ||"
                               " current_setting('transaction_read_only') AS c, 'no' AS y");
    assert_int_equal(hr_data_report(data, 1)->unknown, 1);
    hr_data_free(data);
    hr_schema *schema =
        must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                    "features:\n  - {name: c, kind: category, values: [\"repeatable read on\"]}\n");
    hr_error err = {0};
    data = NULL;
    assert_int_equal(hr_data_read(schema, s->server.address, &s->options, &data, &err), HR_OK);
    assert_int_equal(hr_data_codes(data, 0)[0], 1);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_postgres__proposes_a_schema(void **state) {
    served *s = *state;
    const char *const path = s->server.address;
    char *yaml = NULL;
    hr_error err = {0};
    static const char sql[] = "SELECT n, at, y FROM t";
    write_file(s->query, sql, strlen(sql));
    const hr_infer_options how = {.size = sizeof how, .label = "y", .reading = &s->options};
    assert_int_equal(hr_schema_infer_all(&path, 1, &how, &yaml, &err), HR_OK);
    assert_non_null(strstr(yaml, "from: 2026-11-01"));
    hr_text_free(yaml);
}

/* ---- Queries that are refused ---- */

static void test_postgres__queries_that_write_are_refused(void **state) {
    served *s = *state;
    refuse_query(s, "DELETE FROM t", HR_E_FORMAT, NULL, 0, "something else than to read");
    refuse_query(s, "DROP TABLE t", HR_E_FORMAT, NULL, 0, "something else than to read");
    refuse_query(s, "INSERT INTO t (id) VALUES (7) RETURNING *", HR_E_FORMAT, NULL, 0,
                 "read-only transaction");
    refuse_query(s, "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", HR_E_FORMAT, NULL, 0,
                 "read-only");
    refuse_query(s, "SELECT * INTO u FROM t", HR_E_FORMAT, NULL, 0, "something else than to read");
    refuse_query(s, "COMMIT", HR_E_FORMAT, NULL, 0, "something else than to read");
    refuse_query(s, "SELECT nextval('s') AS n, 'red' AS c, 'no' AS y", HR_E_IO, shown, 1,
                 "read-only transaction");
    refuse_query(
        s, "SELECT set_config('transaction_read_only', 'off', false) AS c, nextval('s') AS n, 'no' AS y",
        HR_E_IO, shown, 1, "read-write mode");
    assert_string_equal(postgres_run(&s->server, "SELECT count(*) FROM t"), "5");
    assert_string_equal(postgres_run(&s->server, "SELECT is_called FROM s"), "f");
}

/* A query stands within a COPY; it cannot end it. */
static void test_postgres__queries_cannot_leave_their_place(void **state) {
    served *s = *state;
    char sql[512], target[PATH_SIZE];
    refuse_query(s, "SELECT * FROM t; DROP TABLE t", HR_E_FORMAT, NULL, 0, "multiple commands");
    snprintf(target, sizeof target, "%s/stolen", s->server.folder);
    snprintf(sql, sizeof sql, "SELECT 1) TO PROGRAM 'touch %s' --", target);
    refuse_query(s, sql, HR_E_FORMAT, NULL, 1, "syntax error");
    snprintf(sql, sizeof sql, "SELECT 1) TO '%s' /*", target);
    refuse_query(s, sql, HR_E_FORMAT, NULL, 1, "syntax error");
    refuse_query(s, "SELECT 'open", HR_E_FORMAT, NULL, 1, "unterminated quoted string");
    refuse_query(s, "COPY t TO STDOUT", HR_E_FORMAT, NULL, 0, "something else than to read");
    assert_int_equal(access(target, F_OK), -1);
    hr_data *data = must_query(s, s->server.address, "SELECT * FROM t -- ) TO STDOUT; DROP TABLE t\n;");
    assert_int_equal(hr_data_rows(data), 5);
    hr_data_free(data);
    data = must_query(s, s->server.address, "SELECT * FROM t -- the end");
    assert_int_equal(hr_data_rows(data), 5);
    hr_data_free(data);
}

static void test_postgres__faulty_queries_are_refused_with_their_line(void **state) {
    served *s = *state;
    refuse_query(s, "SELECT y,\n '\xc3\xa9\xc3\xa9',\n z\nFROM t", HR_E_FORMAT, NULL, 3,
                 "column \"z\" does not exist");
    refuse_query(s, "\n\nSELEKT 1", HR_E_FORMAT, NULL, 3, "syntax error");
    refuse_query(s, "SELECT * FROM nowhere", HR_E_FORMAT, NULL, 1, "does not exist");
    refuse_query(s, "SELECT n, c, y FROM t WHERE n = $1", HR_E_FORMAT, NULL, 0, "parameters");
    refuse_query(s, "SELECT", HR_E_FORMAT, NULL, 0, "something else");
    refuse_query(s, "", HR_E_FORMAT, NULL, 0, "no query");
    refuse_query(s, "-- nothing", HR_E_FORMAT, NULL, 0, "something else");
    refuse_query(s, "SELECT '\xff'", HR_E_FORMAT, NULL, 0, "not UTF-8");
    refuse_query(s, "SELECT 'a\nb' AS \"\xe2\x80\xae\", z", HR_E_FORMAT, NULL, 2, "does not exist");
}

static void test_postgres__answers_are_checked_as_tables_are(void **state) {
    served *s = *state;
    refuse_query(s, "SELECT n, y FROM t", HR_E_SCHEMA, shown, 0, "no such column; it has n, y");
    refuse_query(s, "SELECT n, n, c, y FROM t", HR_E_FORMAT, shown, 0, "two columns");
    refuse_query(s, "SELECT 'many' AS n, c, y FROM t", HR_E_FORMAT, shown, 2, "'many' is not a number");
    refuse_query(s, "SELECT 'Infinity'::float8 AS n, c, y FROM t", HR_E_FORMAT, shown, 2, "not a number");
    refuse_query(s, "SELECT n, c, NULL AS y FROM t", HR_E_SCHEMA, shown, 2, "the label is missing");
}

/* Of an encoding of 8 bits, and of one that is none. */
static void test_postgres__text_comes_as_utf8(void **state) {
    served *s = *state;
    postgres_run(&s->server, "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
    postgres_run(&s->server, "CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII'");
    hr_data *data = must_query(s, address_of(s, "admin", "latin", ""),
                               "SELECT 1 AS n, chr(99) || 'af' || chr(233) AS c, 'no' AS y");
    assert_int_equal(hr_data_codes(data, 1)[0], 3);
    hr_data_free(data);
    data = NULL;
    hr_error err = {0};
    assert_int_equal(read_query(s, address_of(s, "admin", "bytes", ""),
                                "SELECT 1 AS n, chr(255) AS c, 'no' AS y", &data, &err),
                     HR_E_IO);
    if (!strstr(err.message, "invalid byte sequence")) fail_msg("%s", err.message);
    assert_null(data);
}

/* ---- Connections ---- */

static void refuse_address(served *s, const char *address, hr_status status, const char *words) {
    char text[SHOWN];
    hr_data *data = NULL;
    hr_error err = {0};
    hr_status given = read_query(s, address, "SELECT * FROM t", &data, &err);
    hr_error_format(&err, text, sizeof text);
    if (given != status || !strstr(text, words)) fail_msg("%d: %s", given, text);
    assert_null(strstr(text, "geheim"));
    assert_null(strstr(text, "\n"));
    assert_null(data);
}

static void test_postgres__passwords_come_as_libpq_takes_them(void **state) {
    served *s = *state;
    char path[PATH_SIZE];
    static const char line[] = "*:*:*:reader:xq-geheim\n";
    hr_data *data =
        must_query(s, address_of(s, "reader", "postgres", "&password=xq-geheim"), "SELECT * FROM t");
    hr_data_free(data);
    assert_int_equal(setenv("PGPASSWORD", "xq-geheim", 1), 0);
    data = must_query(s, address_of(s, "reader", "postgres", ""), "SELECT * FROM t");
    hr_data_free(data);
    assert_int_equal(unsetenv("PGPASSWORD"), 0);
    snprintf(path, sizeof path, "%s/pgpass", ((temp_dir *)s->dir)->folder);
    write_file(path, line, strlen(line));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(setenv("PGPASSFILE", path, 1), 0);
    data = must_query(s, address_of(s, "reader", "postgres", ""), "SELECT * FROM t");
    hr_data_free(data);
    assert_int_equal(unsetenv("PGPASSFILE"), 0);
}

static void test_postgres__messages_hold_no_password(void **state) {
    served *s = *state;
    char address[2 * POSTGRES_PATH];
    refuse_address(s, address_of(s, "reader", "postgres", "&password=geheim-2"), HR_E_IO,
                   "authentication failed");
    refuse_address(s, address_of(s, "reader", "nowhere", "&password=xq-geheim"), HR_E_IO, "does not exist");
    refuse_address(s, address_of(s, "reader", "postgres", "&password=geheim%zz"), HR_E_FORMAT, "no address");
    refuse_address(s, address_of(s, "reader", "postgres", "&password=geheim&nonsense=1"), HR_E_FORMAT,
                   "no address");
    refuse_address(s, "postgresql://reader:geheim/x@nowhere.invalid/db", HR_E_FORMAT,
                   "postgresql://reader@nowhere.invalid/db");
    refuse_address(s, "postgresql://reader:geheim/db", HR_E_FORMAT, "no address");
    refuse_address(s, "postgresql://reader:xq@geheim@nowhere.invalid/db", HR_E_FORMAT, "no address");
    refuse_address(s, "postgresql://reader:geheim@[::1/db", HR_E_FORMAT, "no address");
    snprintf(address, sizeof address, "postgresql://reader:geheim@/postgres?host=%s/none", s->server.folder);
    refuse_address(s, address, HR_E_IO, "cannot connect");
    /* One that the server repeats. */
    snprintf(address, sizeof address, "postgresql://geheim:geheim@/postgres?host=%s", s->server.folder);
    hr_error err = {0};
    hr_data *data = NULL;
    assert_int_equal(read_query(s, address, "SELECT * FROM t", &data, &err), HR_E_IO);
    assert_null(strstr(err.message, "geheim"));
    assert_non_null(strstr(err.message, "****"));
}

static void test_postgres__a_missing_password_has_its_remedy(void **state) {
    served *s = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(setenv("PGPASSFILE", "no/such/file", 1), 0);
    assert_int_equal(read_query(s, address_of(s, "reader", "postgres", ""), "SELECT * FROM t", &data, &err),
                     HR_E_IO);
    assert_int_equal(unsetenv("PGPASSFILE"), 0);
    assert_non_null(strstr(err.remedy, ".pgpass"));
    assert_null(data);
}

static void test_postgres__rights_are_the_users(void **state) {
    served *s = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    postgres_run(&s->server, "CREATE TABLE secret (n int, c text, y text)");
    assert_int_equal(read_query(s, address_of(s, "reader", "postgres", "&password=xq-geheim"),
                                "SELECT * FROM secret", &data, &err),
                     HR_E_FORMAT);
    assert_non_null(strstr(err.message, "permission denied"));
    assert_null(data);
}

static void test_postgres__needs_a_query(void **state) {
    served *s = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_read(s->schema, s->server.address, NULL, &data, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.remedy, "--query"));
    assert_string_equal(err.file, shown);
    hr_read_options options = s->options;
    options.query = "no/such/file.sql";
    assert_int_equal(hr_data_read(s->schema, s->server.address, &options, &data, &err), HR_E_IO);
    assert_string_equal(err.file, "no/such/file.sql");
    assert_null(data);
}

/* ---- Answers that end early ---- */

static void test_postgres__a_query_that_fails_midway_gives_no_table(void **state) {
    served *s = *state;
    refuse_query(s, "SELECT 1 / (30000 - n) AS n, 'red' AS c, 'no' AS y FROM generate_series(1, 50000) AS n",
                 HR_E_IO, shown, ANYWHERE, "division by zero");
    refuse_query(s, "SELECT pg_terminate_backend(pg_backend_pid()) AS n, 'red' AS c, 'no' AS y", HR_E_IO,
                 shown, 1, "terminating connection");
}

/* The server is killed while its answer, larger than all buffers between, is being read. */
static void test_postgres__a_server_that_is_gone_gives_no_table(void **state) {
    served *s = *state;
    static const char sql[] =
        "SELECT n, repeat('x', 1000) AS c, 'no' AS y FROM generate_series(1, 100000) AS n";
    hr_byte_source source;
    hr_error err = {0};
    write_file(s->query, sql, strlen(sql));
    const hr_table_place place = {.path = s->server.address, .query = s->query};
    assert_int_equal(hr_table_source_open(&place, NULL, &source, &err), HR_OK);
    assert_int_equal(hr_byte_source_more(&source, &err), HR_OK);
    postgres_stop(&s->server, SIGQUIT);
    hr_status status = HR_OK;
    while (!status && !source.ended) {
        source.at = source.end;
        status = hr_byte_source_more(&source, &err);
    }
    assert_int_equal(status, HR_E_IO);
    assert_true(err.remedy[0] != '\0');
    hr_byte_source_done(&source);
    refuse_query(s, "SELECT * FROM t", HR_E_IO, shown, 0, "cannot connect");
}

static int set_up(void **state) {
    served *s = *state;
    if (temp_dir_open(&s->dir) || !postgres_start(&s->server)) return -1;
    postgres_run(&s->server, tables);
    s->schema = must_schema(usual);
    snprintf(s->query, PATH_SIZE, "%s/query.sql", ((temp_dir *)s->dir)->folder);
    s->options = (hr_read_options)HR_READ_OPTIONS_INIT;
    s->options.query = s->query;
    return 0;
}

static int tear_down(void **state) {
    served *s = *state;
    hr_schema_free(s->schema);
    postgres_remove(&s->server);
    return temp_dir_close(&s->dir);
}

static served tested;

static int set_up_group(void **state) {
    *state = &tested;
    return set_up(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_postgres__values_are_cells),
        cmocka_unit_test(test_postgres__a_single_value_is_a_record),
        cmocka_unit_test(test_postgres__empty_results_are_empty_tables),
        cmocka_unit_test(test_postgres__long_results_are_read_whole),
        cmocka_unit_test(test_postgres__the_transaction_is_one_read_only_snapshot),
        cmocka_unit_test(test_postgres__proposes_a_schema),
        cmocka_unit_test(test_postgres__queries_that_write_are_refused),
        cmocka_unit_test(test_postgres__queries_cannot_leave_their_place),
        cmocka_unit_test(test_postgres__faulty_queries_are_refused_with_their_line),
        cmocka_unit_test(test_postgres__answers_are_checked_as_tables_are),
        cmocka_unit_test(test_postgres__text_comes_as_utf8),
        cmocka_unit_test(test_postgres__passwords_come_as_libpq_takes_them),
        cmocka_unit_test(test_postgres__messages_hold_no_password),
        cmocka_unit_test(test_postgres__a_missing_password_has_its_remedy),
        cmocka_unit_test(test_postgres__rights_are_the_users),
        cmocka_unit_test(test_postgres__needs_a_query),
        cmocka_unit_test(test_postgres__a_query_that_fails_midway_gives_no_table),
        cmocka_unit_test(test_postgres__a_server_that_is_gone_gives_no_table),
    };
    if (!postgres_find(&tested.server)) {
        fprintf(stderr, "test_postgres: skipped: PostgreSQL is not installed (tools/setup.sh test)\n");
        return POSTGRES_SKIPPED;
    }
    return cmocka_run_group_tests(tests, set_up_group, tear_down);
}
