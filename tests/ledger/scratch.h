/* A folder of its own for every test, and a look at a ledger's file past the library. */
#ifndef HR_TESTS_LEDGER_SCRATCH_H
#define HR_TESTS_LEDGER_SCRATCH_H

#include <hedgerow/ledger.h>

#include <dirent.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct scratch {
    char folder[64], path[96];
} scratch;

static inline int scratch_open(void **state) {
    scratch *s = calloc(1, sizeof *s);
    if (!s) return -1;
    strcpy(s->folder, "/tmp/hedgerow-ledger-XXXXXX");
    if (!mkdtemp(s->folder)) return -1;
    snprintf(s->path, sizeof s->path, "%s/ledger.db", s->folder);
    *state = s;
    return 0;
}

static inline int scratch_close(void **state) {
    scratch *s = *state;
    DIR *folder = opendir(s->folder);
    for (struct dirent *item = folder ? readdir(folder) : NULL; item; item = readdir(folder)) {
        char name[sizeof s->folder + sizeof item->d_name + 1];
        snprintf(name, sizeof name, "%s/%s", s->folder, item->d_name);
        remove(name);
    }
    if (folder) closedir(folder);
    rmdir(s->folder);
    free(s);
    return 0;
}

/* Bytes of a file; owner: the caller. */
static inline char *scratch_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static inline void scratch_write(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Runs SQL on the file as the sqlite3 shell would; the first answer's first column as text ("" without one), or SQLite's
 * complaint. */
static inline const char *scratch_sql(const char *path, const char *sql) {
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

/* An error that helps: the status, words of the message, some remedy, and the file. */
static inline void scratch_check_error(const hr_error *err, hr_status status, const char *words, const char *file) {
    assert_int_equal(err->status, status);
    if (!strstr(err->message, words)) fail_msg("'%s' is not in '%s'", words, err->message);
    assert_true(err->remedy[0]);
    if (file && !strstr(err->file, file)) fail_msg("the file is '%s'", err->file);
}

#endif
