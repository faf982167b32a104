/* Where tables come from, when memory is short: several files, compressed files and databases. */
#include "failing.h"
#include "support/temp_dir.h"

#include <hedgerow/hedgerow.h>

struct world {
    temp_dir *dir;
    const char *path; /* of a table in it */
    char second_path[96], query_path[96];
    const char *query; /* NULL: none */
    hr_schema *schema; /* of the tables in tests/tables/source/golden */
};

/* Two files, of which records are left out and a column is dropped. */
static hr_status read_several(world *w, hr_error *err) {
    const char *const paths[] = {w->path, w->second_path}, *const drop[] = {"extra"};
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = UNTOUCHED;
    options.skip_unlabelled = true;
    options.drop = drop;
    options.drop_count = 1;
    hr_status status = hr_data_read_all(w->schema, paths, 2, &options, &data, err);
    return finish_data(status, data, 2);
}

/* A compressed file, or a database with the query. */
static hr_status read_source(world *w, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = UNTOUCHED;
    options.query = w->query;
    hr_status status = hr_data_read(w->schema, w->path, &options, &data, err);
    return finish_data(status, data, w->query ? 2 : 200);
}

static hr_status take_part(void *user, bool test, const char *bytes, size_t size, hr_error *err) {
    (void)user, (void)test, (void)bytes, (void)size, (void)err;
    return HR_OK;
}

static hr_status split_table(world *w, hr_error *err) {
    static const uint64_t seed = 2;
    hr_split_options options = HR_SPLIT_OPTIONS_INIT;
    hr_split_counts counts;
    options.seed = &seed;
    options.share = .5;
    options.unit = "n";
    options.write = take_part;
    return hr_table_split(w->path, &options, &counts, err);
}

static hr_status infer_several(world *w, hr_error *err) {
    const char *const paths[] = {w->path, w->second_path};
    char *text = UNTOUCHED;
    const hr_infer_options options = {.size = sizeof options, .label = "n"};
    hr_status status = hr_schema_infer_all(paths, 2, &options, &text, err);
    check_output(status, text);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status drop_feature(world *w, hr_error *err) {
    hr_schema *schema = UNTOUCHED;
    hr_status status = hr_schema_without(w->schema, &(const char *){"c"}, 1, &schema, err);
    check_output(status, schema);
    if (!status) hr_schema_free(schema);
    return status;
}

static void save_golden(const world *w, const char *name) {
    char path[512];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/tables/source/golden/%s", HR_TESTS_DIR, name);
    char *bytes = read_file(path, &size);
    write_file(w->path, bytes, size);
    free(bytes);
}

static void save_database(world *w) {
    sqlite3 *db = NULL;
    unlink(w->path);
    assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            db, "CREATE TABLE t (n, c, y); INSERT INTO t VALUES (1.5, 'red', 'no'), (NULL, 'blue', 'yes')",
            NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    snprintf(w->query_path, sizeof w->query_path, "%s/query", w->dir->folder);
    write_file(w->query_path, "SELECT * FROM t", 15);
    w->query = w->query_path;
}

static void test_sources__survive_short_memory(void **state) {
    world *w = *state;
    hr_error err = {0};
    static const char yaml[] =
        "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [no, \"yes\"]}\nfeatures:\n"
        "  - {name: n, kind: number, low: -10, high: 10}\n"
        "  - {name: c, kind: category, values: [red, blue]}\n",
                      csv[] = "n;c;y;extra\n1;red;no;0\n2;red;;0\n",
                      second[] = "n;c;y;extra\n1;blue;no;0\n2;red;;0\n";
    assert_int_equal(hr_schema_parse(yaml, strlen(yaml), "schema", &w->schema, &err), HR_OK);
    exhaust(w, drop_feature, HR_OK, NULL);
    write_file(w->path, csv, strlen(csv));
    write_file(w->second_path, second, strlen(second));
    exhaust(w, read_several, HR_OK, NULL);
    exhaust(w, infer_several, HR_OK, NULL);
    exhaust(w, split_table, HR_OK, NULL);
    static const char *const packed[] = {"head.csv.gz", "head.csv.zst", "head.csv.xz"};
    for (size_t i = 0; i < 3; i++) {
        save_golden(w, packed[i]);
        hr_data *data = NULL;
        const bool is_built_in = hr_data_read(w->schema, w->path, NULL, &data, &err) == HR_OK;
        hr_data_free(data);
        if (is_built_in) exhaust(w, read_source, HR_OK, NULL);
    }
    save_database(w);
    exhaust(w, read_source, HR_OK, NULL);
}

/* ---- Several threads ---- */

enum { THREAD_ROWS = 6000 };

/* Lines become shorter, so that room for more records has to be made while others are read. */
static void save_large_table(const world *w) {
    FILE *file = fopen(w->path, "wb");
    assert_non_null(file);
    fprintf(file, "id,n,note,y\n");
    for (int i = 0; i < THREAD_ROWS; i++)
        fprintf(file, "p%d,%d.5,\"%*d\n\",%s\n", i % 50, i % 10, i < 1000 ? 600 : 30, i,
                i % 2 ? "no" : "yes");
    assert_int_equal(fclose(file), 0);
}

static hr_status read_by_threads(world *w, hr_error *err) {
    const char *const kept[] = {"note"};
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = UNTOUCHED;
    options.kept = kept;
    options.kept_count = 1;
    options.threads = 3;
    hr_status status = hr_data_read(w->schema, w->path, &options, &data, err);
    return finish_data(status, data, THREAD_ROWS);
}

static hr_status pass_block(void *user, const hr_block *block, hr_error *err) {
    (void)user, (void)block, (void)err;
    return HR_OK;
}

/* Nothing is left of a table that is read block by block. */
static hr_status stream_by_threads(world *w, hr_error *err) {
    const char *const kept[] = {"note"};
    hr_read_options options = HR_READ_OPTIONS_INIT;
    const hr_block_work work = {&options, pass_block, pass_block, NULL};
    hr_data *data = UNTOUCHED;
    options.kept = kept;
    options.kept_count = 1;
    options.threads = 3;
    hr_status status = hr_data_stream(w->schema, &w->path, 1, &work, &data, err);
    return finish_data(status, data, 0);
}

static void test_threads__survive_short_memory(void **state) {
    world *w = *state;
    static const char yaml[] = "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                               "unit: id\nfeatures:\n  - {name: n, kind: number, low: -10, high: 10}\n";
    assert_int_equal(hr_schema_parse(yaml, strlen(yaml), "schema", &w->schema, NULL), HR_OK);
    save_large_table(w);
    exhaust(w, read_by_threads, HR_OK, NULL);
    exhaust(w, stream_by_threads, HR_OK, NULL);
}

static int set_up(void **state) {
    world *w = calloc(1, sizeof *w);
    if (!w || temp_dir_open((void **)&w->dir)) return -1;
    w->path = w->dir->path;
    snprintf(w->second_path, sizeof w->second_path, "%s/second.csv", w->dir->folder);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    world *w = *state;
    failing_stop();
    hr_schema_free(w->schema);
    unlink(w->path);
    unlink(w->second_path);
    unlink(w->query_path);
    const int is_left = rmdir(w->dir->folder); /* a file that the library made */
    temp_dir_close((void **)&w->dir);
    free(w);
    return is_left;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sources__survive_short_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads__survive_short_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
