#include "support/temp_dir.h"
#include "support/remove_tree.h"

static int open_below(const char *top, void **state) {
    temp_dir *s = calloc(1, sizeof *s);
    if (!s) return -1;
    snprintf(s->folder, sizeof s->folder, "%s/hedgerow-test-XXXXXX", top);
    if (!mkdtemp(s->folder)) return -1;
    snprintf(s->path, sizeof s->path, "%s/ledger.db", s->folder);
    *state = s;
    return 0;
}

int temp_dir_open(void **state) {
    return open_below("/tmp", state);
}

int temp_dir_open_in_memory(void **state) {
    return open_below(access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", state);
}

int temp_dir_close(void **state) {
    temp_dir *s = *state;
    remove_tree(s->folder);
    free(s);
    return 0;
}

char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

void write_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

const char *query_database(const char *path, const char *sql) {
    static char answer[512];
    sqlite3 *db = NULL;
    sqlite3_stmt *query = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    answer[0] = '\0';
    for (const char *rest = sql; rest[0];) {
        int code = sqlite3_prepare_v2(db, rest, -1, &query, &rest);
        if (code == SQLITE_OK) code = sqlite3_step(query);
        if (code == SQLITE_ROW)
            snprintf(answer, sizeof answer, "%s", (const char *)sqlite3_column_text(query, 0));
        else if (code != SQLITE_DONE)
            snprintf(answer, sizeof answer, "%s", sqlite3_errmsg(db));
        sqlite3_finalize(query);
        if (code != SQLITE_ROW && code != SQLITE_DONE) break;
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return answer;
}

void check_file_error(const hr_error *err, hr_status status, const char *words, const char *file) {
    assert_int_equal(err->status, status);
    if (!strstr(err->message, words)) fail_msg("'%s' is not in '%s'", words, err->message);
    assert_true(err->remedy[0]);
    if (file && !strstr(err->file, file)) fail_msg("the file is '%s'", err->file);
}
