/* Power failures: only what was flushed is still on the disk. SQLite's own file system layer is asked for
 * every flush, and each copies the file as it is then into a second folder, the disk: what a machine finds
 * there after a power failure. */
#include "support/temp_dir.h"

enum { FILES_MAX = 16, PATH_SIZE = 300 };

typedef struct watched_file {
    sqlite3_file *file; /* NULL: the slot is free */
    const sqlite3_io_methods *real;
    sqlite3_io_methods methods;
    char path[PATH_SIZE];
} watched_file;

static sqlite3_vfs *real, watching;
static watched_file files[FILES_MAX];

static watched_file *find_file(const sqlite3_file *file) {
    for (size_t i = 0; i < FILES_MAX; i++)
        if (files[i].file == file) return &files[i];
    return NULL;
}

static void disk_path(const char *path, char *out) {
    const char *name = strrchr(path, '/');
    snprintf(out, PATH_SIZE, "%.*s/disk%s", (int)(name - path), path, name);
}

static void copy_to_disk(const char *path) {
    char copy[PATH_SIZE];
    size_t size;
    char *bytes = read_file(path, &size);
    disk_path(path, copy);
    write_file(copy, bytes, size);
    free(bytes);
}

static int flush(sqlite3_file *file, int flags) {
    const watched_file *w = find_file(file);
    int code = w->real->xSync(file, flags);
    if (!code) copy_to_disk(w->path);
    return code;
}

static int forget(sqlite3_file *file) {
    watched_file *w = find_file(file);
    w->file = NULL;
    return w->real->xClose(file);
}

static int open_watched(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    int code = real->xOpen(real, path, file, flags, out);
    if (code || !path || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)))
        return code;
    watched_file *w = find_file(NULL);
    if (!w || strlen(path) >= PATH_SIZE) return SQLITE_FULL;
    w->file = file;
    w->real = file->pMethods;
    w->methods = *w->real;
    w->methods.xSync = flush;
    w->methods.xClose = forget;
    file->pMethods = &w->methods;
    strcpy(w->path, path);
    return code;
}

static int delete_watched(sqlite3_vfs *vfs, const char *path, int flags) {
    char copy[PATH_SIZE];
    disk_path(path, copy);
    remove(copy);
    (void)vfs;
    return real->xDelete(real, path, flags);
}

static int watch(void **state) {
    char folder[PATH_SIZE];
    if (temp_dir_open(state)) return -1;
    snprintf(folder, sizeof folder, "%s/disk", ((temp_dir *)*state)->folder);
    if (mkdir(folder, 0700)) return -1;
    real = sqlite3_vfs_find(NULL);
    watching = *real;
    watching.zName = "watching";
    watching.xOpen = open_watched;
    watching.xDelete = delete_watched;
    return sqlite3_vfs_register(&watching, 1);
}

static int stop_watching(void **state) {
    static const char *const names[] = {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db-journal"};
    char path[PATH_SIZE];
    const temp_dir *s = *state;
    sqlite3_vfs_unregister(&watching);
    sqlite3_vfs_register(real, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/disk/%s", s->folder, names[i]);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/disk", s->folder);
    rmdir(path);
    return temp_dir_close(state);
}

/* What the ledger says after a power failure. */
static hr_ledger_total total_on_disk(const temp_dir *s) {
    char path[PATH_SIZE];
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    disk_path(s->path, path);
    sqlite3_vfs_register(real, 1);
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    hr_ledger_close(ledger);
    sqlite3_vfs_register(&watching, 1);
    return total;
}

static void test_power__takes_no_reservation_back(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = NULL;
    int64_t entry;
    assert_int_equal(hr_ledger_create(s->path, 8, .5, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(hr_ledger_reserve(ledger, 1, .0625, "a run", &entry, NULL), HR_OK);
        hr_ledger_total total = total_on_disk(s);
        assert_int_equal(total.entries, i);
        assert_true(total.epsilon_spent == i && total.delta_spent == i * .0625);
    }
    hr_ledger_close(ledger);
    assert_int_equal(total_on_disk(s).entries, 5);
}

static void test_power__leaves_the_limits(void **state) {
    const temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 8, .5, NULL), HR_OK);
    hr_ledger_total total = total_on_disk(s);
    assert_true(total.epsilon_limit == 8 && total.delta_limit == .5 && !total.entries);
}

static void test_power__opens_no_frozen_ledger(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(s->path, 8, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    assert_true(total_on_disk(s).frozen);
    hr_ledger_close(ledger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_power__takes_no_reservation_back, watch, stop_watching),
        cmocka_unit_test_setup_teardown(test_power__leaves_the_limits, watch, stop_watching),
        cmocka_unit_test_setup_teardown(test_power__opens_no_frozen_ledger, watch, stop_watching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
