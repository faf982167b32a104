/* Tables out of SQLite databases. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"

#include <fcntl.h>

enum { PATH_SIZE = 128 };

typedef struct some_database {
    void *dir;
    hr_schema *schema;
    char db[PATH_SIZE], query[PATH_SIZE];
    hr_read_options options;
} some_database;

static const char usual[] =
    "hedgerow-schema: 1\n"
    "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
    "features:\n"
    "  - {name: n, kind: number, low: -10, high: 1e300}\n"
    "  - {name: c, kind: category, values: [red, \"a,\\\"b\\\"\\nc\", \"caf\\u00e9\"]}\n"
    "missing: [\"?\"]\n";

static hr_status read_query(some_database *s, const char *sql, hr_data **out, hr_error *err) {
    write_file(s->query, sql, strlen(sql));
    return hr_data_read(s->schema, s->db, &s->options, out, err);
}

static hr_data *must_query(some_database *s, const char *sql) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (read_query(s, sql, &data, &err))
        fail_msg("%s:%d: %s: %s; %s", err.file, (int)err.line, err.field, err.message, err.remedy);
    return data;
}

/* `file`: the database or the query. */
static void refuse_query(some_database *s, const char *sql, hr_status status, const char *file, uint64_t line,
                         const char *words) {
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(read_query(s, sql, &data, &err), status);
    if (!strstr(err.message, words)) fail_msg("'%s': %s", sql, err.message);
    assert_string_equal(err.file, file);
    if (err.line != line) fail_msg("'%s': line %d: %s", sql, (int)err.line, err.message);
    assert_null(data);
    assert_int_equal(hr_data_read(s->schema, s->db, &s->options, &data, NULL), status);
}

static void test_sqlite__values_are_cells(void **state) {
    some_database *s = *state;
    hr_data *data = must_query(s, "-- all records\nSELECT y, n, c, id FROM t ORDER BY id;\n\n");
    static const double numbers[] = {1, 0.1, 1e300, 9007199254740993.0};
    static const uint16_t codes[] = {1, 2, 0, 3, 0};
    assert_int_equal(hr_data_rows(data), 5);
    assert_memory_equal(hr_data_numbers(data, 0), numbers, sizeof numbers);
    assert_true(isnan(hr_data_numbers(data, 0)[4]));
    assert_memory_equal(hr_data_codes(data, 1), codes, sizeof codes);
    assert_int_equal(hr_data_report(data, 0)->missing, 1);
    assert_int_equal(hr_data_report(data, 1)->missing, 1);
    assert_int_equal(hr_data_report(data, 1)->unknown, 1);
    assert_int_equal(hr_data_extra_columns(data), 1);
    hr_data_free(data);
}

/* A record with nothing in it is a record still. */
static void test_sqlite__a_single_null_is_a_record(void **state) {
    some_database *s = *state;
    hr_schema *schema = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1}\n"
                                    "features:\n  - {name: n, kind: number, low: -10, high: 10}\n");
    hr_data *data = NULL;
    hr_error err = {0};
    static const char sql[] = "SELECT NULL AS n UNION ALL SELECT 1 UNION ALL SELECT '  ' UNION ALL SELECT 2";
    write_file(s->query, sql, strlen(sql));
    s->options.label_optional = true;
    assert_int_equal(hr_data_read(schema, s->db, &s->options, &data, &err), HR_OK);
    s->options.label_optional = false;
    assert_int_equal(hr_data_rows(data), 4);
    assert_int_equal(hr_data_report(data, 0)->missing, 2);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_sqlite__empty_results_are_empty_tables(void **state) {
    some_database *s = *state;
    hr_data *data = must_query(s, "SELECT * FROM t WHERE 0");
    assert_int_equal(hr_data_rows(data), 0);
    hr_data_free(data);
}

/* Many more bytes than a block holds. */
static void test_sqlite__long_results_are_read_whole(void **state) {
    some_database *s = *state;
    hr_data *data =
        must_query(s, "WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k LIMIT 50000) "
                      "SELECT n, 'red' AS c, iif(n % 2, 'yes', 'no') AS y, hex(zeroblob(n % 50)) FROM k");
    assert_int_equal(hr_data_rows(data), 50000);
    for (size_t i = 0; i < 50000; i++) {
        assert_true(hr_data_numbers(data, 0)[i] == (double)i + 1);
        assert_true(hr_data_labels(data)[i] == (double)((i + 1) % 2));
    }
    hr_data_free(data);
}

static void test_sqlite__statements_that_do_not_read_are_refused(void **state) {
    some_database *s = *state;
    refuse_query(s, "DELETE FROM t", HR_E_FORMAT, s->query, 0, "something else than to read");
    refuse_query(s, "INSERT INTO t (id) VALUES (7) RETURNING *", HR_E_FORMAT, s->query, 0, "something else");
    refuse_query(s, "ATTACH 'other.db' AS o", HR_E_FORMAT, s->query, 0, "something else");
    refuse_query(s, "VACUUM INTO 'other.db'", HR_E_FORMAT, s->query, 0, "something else");
    refuse_query(s, "PRAGMA journal_mode = WAL", HR_E_FORMAT, s->query, 0, "something else");
    refuse_query(s, "SELECT * FROM t;\n\nDELETE FROM t", HR_E_FORMAT, s->query, 1, "several statements");
    refuse_query(s, "SELECT * FROM t; /* */ ; -- x\n garbage", HR_E_FORMAT, s->query, 1,
                 "several statements");
    assert_string_equal(query_database(s->db, "SELECT count(*) FROM t"), "5");
    assert_string_equal(query_database(s->db, "PRAGMA journal_mode"), "delete");
    hr_data *data = must_query(s, "SELECT * FROM t -- ; DELETE FROM t\n; ;; /* done */ -- end");
    assert_int_equal(hr_data_rows(data), 5);
    hr_data_free(data);
}

static void test_sqlite__faulty_queries_are_refused_with_their_line(void **state) {
    some_database *s = *state;
#if SQLITE_VERSION_NUMBER >= 3038000
    refuse_query(s, "SELECT y,\n n,\n z\nFROM t", HR_E_FORMAT, s->query, 3, "no such column: z");
    refuse_query(s, "\n\nSELEKT 1", HR_E_FORMAT, s->query, 3, "syntax error");
#endif
    refuse_query(s, "SELECT * FROM nowhere", HR_E_FORMAT, s->query, 0, "no such table");
    refuse_query(s, "SELECT n, c, y FROM t WHERE n = ?1", HR_E_FORMAT, s->query, 0, "parameters");
    refuse_query(s, "", HR_E_FORMAT, s->query, 0, "no query");
    refuse_query(s, " ;\n;", HR_E_FORMAT, s->query, 0, "no query");
    refuse_query(s, "-- nothing", HR_E_FORMAT, s->query, 0, "no query");
    refuse_query(s, "SELECT '\xff'", HR_E_FORMAT, s->query, 0, "not UTF-8");
}

static void test_sqlite__answers_are_checked_as_tables_are(void **state) {
    some_database *s = *state;
    refuse_query(s, "SELECT n, y FROM t", HR_E_SCHEMA, s->db, 0, "no such column; it has n, y");
    refuse_query(s, "SELECT n, n, c, y FROM t", HR_E_FORMAT, s->db, 0, "two columns");
    refuse_query(s, "SELECT 'many' AS n, c, y FROM t", HR_E_FORMAT, s->db, 2, "'many' is not a number");
    refuse_query(s, "SELECT 9e999 AS n, c, y FROM t", HR_E_FORMAT, s->db, 2, "'inf' is not a number");
    refuse_query(s, "SELECT n, c, NULL AS y FROM t", HR_E_SCHEMA, s->db, 2, "the label is missing");
    refuse_query(s, "SELECT n, x'00ff' AS c, y FROM t", HR_E_FORMAT, s->db, 1, "a BLOB");
    refuse_query(s, "SELECT n, 'a' || char(0) || 'b' AS c, y FROM t", HR_E_FORMAT, s->db, 2, "a NUL byte");
    refuse_query(s, "SELECT abs(-9223372036854775808) AS n, c, y FROM t", HR_E_IO, s->db, 1,
                 "integer overflow");
    hr_data *data = must_query(s, "SELECT n, CAST(x'ff41' AS TEXT) AS c, y FROM t");
    assert_int_equal(hr_data_report(data, 1)->unknown, 5);
    hr_data_free(data);
}

static void test_sqlite__needs_a_query_and_a_database(void **state) {
    some_database *s = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_read(s->schema, s->db, NULL, &data, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.remedy, "--query"));
    assert_string_equal(err.file, s->db);
    s->options.query = "no/such/file.sql";
    assert_int_equal(hr_data_read(s->schema, s->db, &s->options, &data, &err), HR_E_IO);
    assert_string_equal(err.file, "no/such/file.sql");
    s->options.query = s->query;
    write_file(s->query, "SELECT 1", 8);
    assert_int_equal(hr_data_read(s->schema, s->query, &s->options, &data, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "this is a file"));
    assert_null(data);
}

static void test_sqlite__large_queries_are_refused(void **state) {
    some_database *s = *state;
    size_t size = (1 << 20) + 1;
    char *sql = must_alloc(size);
    hr_data *data = NULL;
    hr_error err = {0};
    memset(sql, ' ', size);
    memcpy(sql, "SELECT n, c, y FROM t", 21);
    write_file(s->query, sql, size);
    assert_int_equal(hr_data_read(s->schema, s->db, &s->options, &data, &err), HR_E_LIMIT);
    assert_string_equal(err.file, s->query);
    write_file(s->query, sql, size - 1);
    assert_int_equal(hr_data_read(s->schema, s->db, &s->options, &data, &err), HR_OK);
    hr_data_free(data);
    free(sql);
}

static void test_sqlite__damaged_databases_are_refused(void **state) {
    some_database *s = *state;
    size_t size;
    char *bytes = read_file(s->db, &size);
    write_file(s->db, bytes, 100);
    refuse_query(s, "SELECT * FROM t", HR_E_IO, s->db, 0, "cannot be read");
    memset(bytes + 100, 0x5a, size - 100);
    write_file(s->db, bytes, size);
    refuse_query(s, "SELECT * FROM t", HR_E_IO, s->db, 0, "cannot be read");
    free(bytes);
}

static void test_sqlite__standard_input_is_no_database(void **state) {
    some_database *s = *state;
    hr_data *data = NULL;
    hr_error err = {0};
    int fd = open(s->db, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    write_file(s->query, "SELECT * FROM t", 15);
    assert_int_equal(hr_data_read(s->schema, "-", &s->options, &data, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "standard input"));
    assert_null(data);
}

static void test_sqlite__proposes_a_schema(void **state) {
    some_database *s = *state;
    const char *const path = s->db, *const drop[] = {"id"};
    char *yaml = NULL;
    hr_error err = {0};
    static const char sql[] = "SELECT id, n, c, y FROM t";
    write_file(s->query, sql, strlen(sql));
    hr_read_options options = s->options;
    options.drop = drop;
    options.drop_count = 1;
    const hr_infer_options how = {.size = sizeof how, .label = "y", .reading = &options};
    assert_int_equal(hr_schema_infer_all(&path, 1, &how, &yaml, &err), HR_OK);
    assert_non_null(strstr(yaml, "high: 1e+300"));
    assert_null(strstr(yaml, "\"id\""));
    hr_text_free(yaml);
}

static int set_up(void **state) {
    some_database *s = calloc(1, sizeof *s);
    if (!s || temp_dir_open(&s->dir)) return -1;
    s->schema = must_schema(usual);
    snprintf(s->db, PATH_SIZE, "%s/table.db", ((temp_dir *)s->dir)->folder);
    snprintf(s->query, PATH_SIZE, "%s/query.sql", ((temp_dir *)s->dir)->folder);
    s->options = (hr_read_options)HR_READ_OPTIONS_INIT;
    s->options.query = s->query;
    query_database(
        s->db,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n, c TEXT, y TEXT);"
        "INSERT INTO t VALUES (1, 1, 'red', 'no'), (2, 0.1, 'a,\"b\"\nc', 'yes'), (3, 1e300, NULL, 'no'),"
        "(4, 9007199254740993, 'caf\xc3\xa9', 'yes'), (5, NULL, 'green', 'no');");
    *state = s;
    return 0;
}

static int tear_down(void **state) {
    some_database *s = *state;
    hr_schema_free(s->schema);
    int failed = temp_dir_close(&s->dir);
    free(s);
    return failed;
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_sqlite__##name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(values_are_cells),
        TEST(a_single_null_is_a_record),
        TEST(empty_results_are_empty_tables),
        TEST(long_results_are_read_whole),
        TEST(statements_that_do_not_read_are_refused),
        TEST(faulty_queries_are_refused_with_their_line),
        TEST(answers_are_checked_as_tables_are),
        TEST(needs_a_query_and_a_database),
        TEST(large_queries_are_refused),
        TEST(damaged_databases_are_refused),
        TEST(standard_input_is_no_database),
        TEST(proposes_a_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
